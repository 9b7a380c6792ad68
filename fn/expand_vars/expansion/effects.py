"""What was said and had no effect: variables that nothing uses, selectors and pod templates that match nothing.

docs/reference/results.md, "Strict runs". The items are searched for the names of the variables, however these are
written, once for all names: `${NAME}`, `$( NAME )`, `$(NAME:-eu)` are no references (docs/reference/expansion.md, "What
is reported").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import groupby

from expand_vars.expansion import containers, findings, left_alone
from expand_vars.expansion.run import holds
from expand_vars.functionconfig import GROUP, KIND
from krm import fieldpath, syntax
from krm.fieldpath import WILDCARD
from krm.references.comments import MARK, NEARLY
from krm.resource import FUNCTION_INPUT, IDS, PACKAGE, Resource
from krm.results import Result, notice
from krm.textslice import holding
from krm.vocabulary import is_misspelt, unknown
from krm.workloads import has_own_syntax
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from expand_vars.expansion.run import Run
    from krm.fieldpath import Place
    from krm.results import Result
    from krm.selector import Selector

# As texts: most runs have no name that nothing uses and no annotation of ours, and compile neither.
_REFERENCE = r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)"
_FLUX = "kustomize.toolkit.fluxcd.io"
_ANNOTATION = rf"{re.escape(GROUP)}/([\w.-]+)[\"']?:"


def results(run: Run) -> Iterator[Result]:
    """Yield the results of a run that has expanded its items."""
    config = run.config
    # Without an item nothing could have an effect, and whoever reads files says so itself.
    if not all(holds(item, _is_ours) for item in run.items):
        yield from _of_variables(run)
        yield from _of_shadowed(run)
        grade = findings.severity(findings.UNTARGETED_REFERENCE, config.unresolved)
        if run.kustomize is not None and run.variables.names and grade is not None:
            yield from run.kustomize.left(run.variables.names, grade)
        for name in config.no_texts:
            message = f"the value of `{name}` is no text, which the API refuses in a ConfigMap: write it in quotes"
            yield notice(message, findings.REFUSED_VALUE, ref=config.ref, field=fieldpath.to_text(("data", name)))
        yield from _of_annotations(run)
        yield from _of_kinds(run)
        yield from _of_selectors(run, "selectors", config.selectors)
        yield from _of_selectors(run, "exclude", config.exclude)
        yield from _of_pod_templates(run)


def _is_ours(item: Resource) -> bool:
    """True if an item is a functionConfig or a state: nothing in it is ever changed."""
    # The text is searched first, as parsing costs more than all else. An escape in it may hide the group.
    return item.may_contain(f"{GROUP}/v") and item.group == GROUP


def _of_variables(run: Run) -> Iterator[Result]:
    """Yield a warning for each argument that nothing uses, and the other variables that nothing uses in one info.

    Where the name of a variable is written otherwise, that is a warning, too.
    """
    config, quiet, are_arguments, told = run.config, [], _are_arguments(run), []
    unused = run.variables.unused(config)
    search = Search(run, unused)
    near = _near(run, unused) if unused else {}
    for name in unused:
        is_argument = are_arguments or (name in config.arguments and not config.is_part)
        # A variable that is declared may well be a script's.
        first = one if (one := search.first(name)) is not None and (is_argument or one.is_told) else None
        hint = first.message if first is not None else near.get(name, "")
        given = f"`{name}` is {'given' if is_argument else 'declared'}, and nothing that may be changed refers to it"
        if first is not None and first.message == _UNPLACED:
            continue
        if not (is_argument or hint):
            quiet.append(f"`{name}`")
        elif first is None:
            message = f"{given}: {hint or 'mend the name, or leave it out'}"
            reason, ref = (findings.UNUSED_ARGUMENT, None) if is_argument else (findings.NEAR_NAME, config.ref)
            yield _named(name, notice(message, reason, ref=ref))
        else:
            told.append(first)
            reason = findings.UNUSED_ARGUMENT if is_argument else first.reason
            yield _named(name, first.item.notice(f"{given}: {hint}", reason, *first.place))
    if quiet:
        listed = ", ".join(quiet)
        message = f"declared, but nothing that may be changed refers to it: {listed}; mend the name, or remove it"
        yield notice(message, findings.UNUSED_VARIABLE, ref=config.ref)
    yield from search.results(told)


def _named(name: str, result: Result) -> Result:
    """Return a result with the name that it is about for programs."""
    result.tags = {"name": name}
    return result


def _of_shadowed(run: Run) -> Iterator[Result]:
    """Yield a warning for each argument that wins nowhere, since all that refer to it declare the name themselves."""
    given = set() if run.config.is_part else {*run.config.arguments}
    shadowed = [one for one in run.findings.found() if one.reason == findings.SHADOWED and one.name in given]
    first = {one.name: one for one in reversed(shadowed) if not run.variables.is_used(one.name)}
    for name, one in sorted(first.items()):
        message = f"`{name}` is given, and the container's own `{name}` wins wherever something refers to it"
        remedy = "set it there, or leave the argument out"
        yield _named(name, one.resource.notice(f"{message}: {remedy}", findings.UNUSED_ARGUMENT, *one.places))


def _of_annotations(run: Run) -> Iterator[Result]:
    """Yield a warning for each annotation of our group that says nothing."""
    texts = {id(item.whole): item.whole for item in run.items}.values()
    keys = {key for text in texts for key in re.findall(_ANNOTATION, text)}
    for key in sorted(keys.difference(left_alone.ANNOTATIONS)):
        annotation = f"{GROUP}/{key}"

        def has_it(item: Resource, annotation: str = annotation) -> bool:
            # A ConfigMap may be the functionConfig of another run, with options.
            return (item.group, item.kind) != ("", "ConfigMap") and item.annotation(annotation) is not None

        for item in holding(run.items, annotation):
            if holds(item, has_it):
                message = unknown(key, left_alone.ANNOTATIONS)
                yield item.notice(message, findings.NO_EFFECT, ("metadata", "annotations", annotation))


def _of_kinds(run: Run) -> Iterator[Result]:
    """Yield a warning for each object of our group that is no functionConfig."""
    for item in run.ours:
        if holds(item, lambda one: _is_ours(one) and one.kind != KIND and not one.is_state):
            message = f"`{GROUP}` has no kind `{item.kind}`, so this has no effect: its kind is `{KIND}`"
            yield item.notice(message, findings.NO_EFFECT, ("kind",))


def _are_arguments(run: Run) -> bool:
    """True if all variables are arguments of `kpt fn eval`, of which kpt makes a ConfigMap."""
    # `kpt fn render` makes one of the `configMap` of a Kptfile, and notes the package of each item.
    if run.config.ref is None or run.config.ref.name != FUNCTION_INPUT:
        return False
    is_of_kpt, is_render = (any(item.spells(key) for item in holding(run.items, key)) for key in (IDS[0], PACKAGE))
    return is_of_kpt and not is_render


def _near(run: Run, unused: Iterable[str]) -> dict[str, str]:
    """Return what may be meant by names that nothing uses: names that are referred to and declared by nobody."""
    referred = {name for item in holding(run.items, "$(") for name in re.findall(_REFERENCE, item.source)}
    alike: dict[str, list[str]] = {}
    for name in referred - {*run.variables.names}:
        for form in _forms(name):
            alike.setdefault(form, []).append(name)
    hints: dict[str, str] = {}
    for name in unused:
        near = (one for form in _forms(name) for one in alike.get(form, ()) if is_misspelt(name, one))
        if first := min(near, default=""):
            hints[name] = f"did you mean `{first}`?"
    return hints


def _forms(name: str) -> set[str]:
    """Return a name, and what is left of it without one letter: of two that are one letter off these meet."""
    name = name.casefold()
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}


def _of_selectors(run: Run, key: str, selectors: Sequence[Selector]) -> Iterator[Result]:
    templates = [Resource(one.text, (0, len(one.text)), one.path) for one in run.config.templates or () if selectors]
    for index, selector in enumerate(selectors):
        if not (_any(run, selector.matches) or any(map(selector.matches, templates))):
            path = f"spec.{key}[{index}]" if len(selectors) > 1 else f"spec.{key}"
            message = "this selector matches no item, so it has no effect: mend it, or remove it"
            yield notice(message, findings.NO_EFFECT, ref=run.config.ref, field=path)


def _of_pod_templates(run: Run) -> Iterator[Result]:
    for (group, kind), paths in run.config.pod_templates.items():

        def is_there(item: Resource, group: str = group, kind: str = kind) -> bool:
            return (item.group, item.kind) == (group, kind) and any(map(item.find, run.pod_specs.paths_of(item)))

        if not _any(run, is_there):
            of_group = f"of group `{group}`" if group else "of the core group"
            where = "this path" if len(paths) == 1 else "any of these paths"
            message = f"no `{kind}` {of_group} has a pod template at {where}"
            remedy = "mend `group`, `kind` or `fieldPath`, or remove the entry"
            yield notice(f"{message}: {remedy}", findings.NO_EFFECT, ref=run.config.ref, field="spec.podTemplates")


def _any(run: Run, asked: Callable[[Resource], bool]) -> bool:
    return any(holds(item, asked) for item in run.items)


# What a text has where a reference may be written otherwise, or has a tag. Most have none, and are not parsed for it.
_ODD = re.compile(r"\$(?:\{|\((?![\w.-]+\)))|(?<![^\s\[,])![\w!<]")
# As texts: most runs do not compile these.
_LIKE = r"\$(\(\(?|\{?)[ \t]*+([A-Za-z_][\w.-]*+)"
_DEFAULT = r"[ \t]*+[:=?+]"

_BRACES = "`${{{0}}}` is no reference: write `$({0})` if the variable is meant"
_NO_DEFAULT = "`$({0}:-...)` is no reference, which has no default: write `$({0})`"
_BLANKS = "`$( {0} )` is no reference: write `$({0})`, without blanks"
_NESTED = "`$({0})` stands inside of another reference, where nobody expands it: write one behind the other"
_UNCLOSED = "`$({0}` is never closed: write `$({0})`"
_BARE = "`${0}` is no reference: write `$({0})` if the variable is meant"
_ESCAPE = "`$$({0})` is the text `$({0})`: remove one `$` if the variable is meant"
_PLAIN = "`$({0})` stays here"
_ARITHMETIC = "`$(({0}))` is arithmetic of a shell, and no reference: write `$({0})`"
_TAGGED = "`$({0})` stays here: only its readers know what the tag in front of the value means: remove the tag"
_COMMENT = "it stands in a comment, which is a template only behind `# expand: `"
_SETTER = "it stands in a comment of kpt's setters: `expand-vars migrate --from-setters` makes templates of these"
_UNPLACED = ""  # the comment has a result of its own
_TOLD = frozenset((_BRACES, _ARITHMETIC, _NO_DEFAULT, _BLANKS, _NESTED, _UNCLOSED, _TAGGED))


_OF_SHELLS = {"{": _BRACES, "": _BARE, "((": _ARITHMETIC}


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
        self._of_flux = {*_of_flux(run)} if run.variables.names else set()
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
            if "$" in scalar.value and not left_alone.is_bookkeeping(place):
                is_text = string(scalar) is not None
                for name, written in _spellings(scalar.value, self._run.variables.names):
                    form = written if is_text or written != _PLAIN else _TAGGED
                    if form in _TOLD or name in self._unused:
                        found += self._at(item, place, scalar.value, name, form, why)
        in_fields = {one.name for one in found}
        commented = ((name, form) for name, form in _in_comments(item.source) if name in self._unused - in_fields)
        return found + [Misspelt(name, form, item) for name, form in commented]

    def _at(self, item: Resource, place: Place, text: str, name: str, form: str, why: str) -> Iterator[Misspelt]:  # noqa: PLR0913 - where, what, and why not
        """Yield what a name in one field is, unless it is right as it stands."""
        one = Misspelt(name, form.format(name), item, place)
        whose = why or left_alone.explained(item, place, text)
        if whose:
            one.message = f"`{name}` stands here, and is left alone: {whose}"
        elif form in _TOLD:
            is_of_kubelet = self._run.pod_specs.is_expanded(item, place)
            if is_of_kubelet and form in _OF_SHELLS.values() and self._is_own(item, place, name):
                return
            if form == _BRACES and name in self._of_flux:
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


def _of_flux(run: Run) -> Iterator[str]:
    """Yield the names that Flux gives values itself, which it reads as `${NAME}` in what it applies."""
    for item in run.items:
        # Of the text that was read: to put a changed one together would take longer than all else here.
        if item.spells("postBuild") and holds(item, lambda one: one.group == _FLUX):
            yield from (str(place[-1]) for place, _ in item.find(("spec", "postBuild", "substitute", WILDCARD)))
            item.release()


def _spellings(text: str, declared: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the declared names in a text, each with what is to be said of the form in which it stands there."""
    tokens = syntax.tokens(text)
    starts = [token.start for token in tokens]
    for match in re.finditer(_LIKE, text):
        opening, name = match.groups()
        around = tokens[at] if (at := bisect_right(starts, match.start()) - 1) >= 0 else None
        here = around if around is not None and match.start() < around.end else None
        if "(" not in opening and name not in declared:
            name = re.split(r"[.-]", name, maxsplit=1)[0]  # `${NAME-eu}` of a shell
        if name not in declared:
            continue
        if opening in _OF_SHELLS:
            yield name, _OF_SHELLS[opening]
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
        for opening, name in re.findall(_LIKE, comment) if mark else ():
            is_told = MARK in line or NEARLY.search(line) is not None
            of_setter = comment.lstrip().startswith("kpt-set:")
            form = _OF_SHELLS.get(opening, _UNPLACED) if is_told else _SETTER if of_setter else _COMMENT
            yield name, form.format(name)
