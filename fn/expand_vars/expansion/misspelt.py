"""References that are none: `${NAME}`, `$( NAME )`, `$(NAME:-eu)` (docs/expansion.md, "What is reported").

The items are searched for the names of the variables, however these are written, once for all names.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby

from expand_vars.expansion import containers, findings, free_text, left_alone
from krm import syntax
from krm.textslice import holding
from krm.workloads import has_own_syntax
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from expand_vars.expansion.run import Run
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result

# What a text has where a reference may be written otherwise, or has a tag. Most have none, and are not parsed for it.
_ODD = re.compile(r"\$(?:\{|\((?![\w.-]+\)))|(?<![^\s\[,])![\w!<]")
# As texts: most runs do not compile these.
_LIKE = r"\$([({]?)[ \t]*+([A-Za-z_][\w.-]*+)"
_DEFAULT = r"[ \t]*+[:=?+]"

_BRACES = "`${{{0}}}` is no reference: write `$({0})` if the variable is meant"
_NO_DEFAULT = "`$({0}:-...)` is no reference, which has no default: write `$({0})`"
_BLANKS = "`$( {0} )` is no reference: write `$({0})`, without blanks"
_NESTED = "`$({0})` stands inside of another reference, where nobody expands it: write one behind the other"
_UNCLOSED = "`$({0}` is never closed: write `$({0})`"
_BARE = "`${0}` is no reference: write `$({0})` if the variable is meant"
_ESCAPE = "`$$({0})` is the text `$({0})`: remove one `$` if the variable is meant"
_PLAIN = "`$({0})` stays here"
_TAGGED = "`$({0})` stays here: only its readers know what the tag in front of the value means: remove the tag"
_COMMENT = "it stands in a comment, which is a template only behind `# expand: `"
_SETTER = "it stands in a comment of kpt's setters: `expand-vars migrate --from-setters` makes templates of these"
_TOLD = frozenset((_BRACES, _NO_DEFAULT, _BLANKS, _NESTED, _UNCLOSED, _TAGGED))


class Misspelt:
    """A `name` that stands in a field otherwise than as a reference that is expanded. `is_told` by itself if it is odd.

    `reason` says whether the run would have expanded the field.
    """

    __slots__ = ("is_told", "item", "message", "name", "place", "reason")

    def __init__(self, name: str, message: str, item: Resource, *place: Place) -> None:
        self.name = name
        self.message = message
        self.item = item
        self.place = place
        self.reason = findings.NEAR_NAME
        self.is_told = False


class Search:
    """A search of the items of a run for the names of variables. The `unused` ones are found in any form."""

    def __init__(self, run: Run, unused: Collection[str]) -> None:
        self._run = run
        self._unused = frozenset(unused)
        self.found: list[Misspelt] = []
        for item in holding(run.items, "$") if run.variables.names else ():
            if self._is_searched(item) and not has_own_syntax(item):
                self.found += self._in(item)
                item.release()
        self._first: dict[str, Misspelt] = {}
        for one in self.found:
            self._first.setdefault(one.name, one)

    def first(self, name: str) -> Misspelt | None:
        """Return where an unused name stands first, None where it stands nowhere."""
        return self._first.get(name)

    def results(self, told: Iterable[Misspelt]) -> Iterator[Result]:
        """Yield a warning for each name that is written otherwise in an item, but for what is told already."""
        known = {*map(id, told)}
        alike = [one for one in self.found if one.is_told and id(one) not in known]
        for (_, reason, message), of_item in groupby(alike, lambda one: (id(one.item), one.reason, one.message)):
            grade = findings.severity(reason, self._run.config.unresolved)
            every = [*of_item]
            if grade is not None:
                yield every[0].item.result(message, grade, reason, *(place for one in every for place in one.place))

    def _is_searched(self, item: Resource) -> bool:
        """True if a text may have a name that is written otherwise, or an unused one in any form."""
        if _ODD.search(item.whole, *item.span):
            return True
        return bool(self._unused) and any(name in self._unused for _, name in re.findall(_LIKE, item.source))

    def _in(self, item: Resource) -> list[Misspelt]:
        """Return what stands in the fields of an item, in its order; the names in its comments behind that."""
        why = left_alone.why(item, self._run.config)
        found: list[Misspelt] = []
        for place, scalar in containers.scalars(item.root, ()):
            if "$" in scalar.value and not free_text.is_bookkeeping(place):
                is_text = string(scalar) is not None
                for name, written in _forms(scalar.value, self._run.variables.names):
                    form = written if is_text or written != _PLAIN else _TAGGED
                    if form in _TOLD or name in self._unused:
                        found += self._at(item, place, scalar.value, name, form, why)
        in_fields = {one.name for one in found}
        commented = ((name, form) for name, form in _in_comments(item.source) if name in self._unused - in_fields)
        return found + [Misspelt(name, form, item) for name, form in commented]

    def _at(self, item: Resource, place: Place, text: str, name: str, form: str, why: str) -> Iterator[Misspelt]:  # noqa: PLR0913 - where, what, and why not
        """Yield what a name in one field is, unless it is right as it stands."""
        one = Misspelt(name, form.format(name), item, place)
        whose = why or free_text.explained(item, place, text)
        if whose:
            one.message = f"`{name}` stands here, and is left alone: {whose}"
        elif form in _TOLD:
            is_of_kubelet = self._run.pod_specs.is_expanded(item, place)
            if is_of_kubelet and form == _BRACES and self._is_own(item, place, name):
                return
            is_ours = is_of_kubelet or bool(self._run.grammar(item, place))
            one.reason, one.is_told = findings.MISSPELT_REFERENCE if is_ours else findings.OTHER_SYNTAX, True
        if one.is_told or name in self._unused:
            yield one

    def _is_own(self, item: Resource, place: Place, name: str) -> bool:
        """True if a container starts a shell, or declares a name itself: it reads `${NAME}` by itself."""
        workload = self._run.pod_specs.of(item)
        listed = () if workload is None else containers.of_workload(item, workload, self._run.pod_specs.paths_of(item))
        container = next(one for one in listed if place[: len(one.place)] == one.place)
        return containers.starts_shell(word for _, word in container.words()) or any(
            declared == name for _, declared, _ in container.entries
        )


def _forms(text: str, declared: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the declared names in a text, each with what is to be said of the form in which it stands there."""
    tokens = syntax.tokens(text)
    starts = [token.start for token in tokens]
    for match in re.finditer(_LIKE, text):
        opening, name = match.groups()
        around = tokens[at] if (at := bisect_right(starts, match.start()) - 1) >= 0 else None
        here = around if around is not None and match.start() < around.end else None
        if opening != "(" and name not in declared:
            name = re.split(r"[.-]", name, maxsplit=1)[0]  # `${NAME-eu}` of a shell
        if name not in declared:
            continue
        if opening == "{":
            yield name, _BRACES
        elif not opening:
            yield name, _BARE
        elif here is None:
            yield name, _UNCLOSED
        elif here.name is None:
            yield name, _ESCAPE
        elif here.start < match.start():
            yield name, _NESTED
        elif here.name == name:
            yield name, _PLAIN
        elif not text[match.end() : here.end - 1].strip():
            yield name, _BLANKS
        elif re.match(_DEFAULT, text[match.end() : here.end]):
            yield name, _NO_DEFAULT


def _in_comments(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in the comments of a text, each with what is to be said of it."""
    for line in text.split("\n"):
        _, mark, comment = line.partition("#")
        for _, name in re.findall(_LIKE, comment) if mark else ():
            yield name, _SETTER if comment.lstrip().startswith("kpt-set:") else _COMMENT
