"""Selectors: which resources are meant, in the one form that every field of a functionConfig takes."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Any, TypeAlias

    from krm.resource import Resource

    Fullmatch: TypeAlias = Callable[[str], object]

# A pattern in which each part stands for one character, as in most selectors: a name, or a group with its dots.
_ONE_BY_ONE = re.compile(r"(?:[A-Za-z0-9_/-]|\\?[.-])*")


class SelectorError(ValueError):
    """The text is no regular expression, or no label selector. The message shows it and what is allowed."""


class Requirement:
    """One part of a label selector: the key, with one of `values` if they are given, must be there or must not.

    So `a!=b` and `a notin (b)` hold for an object without `a`, as in Kubernetes.
    """

    __slots__ = ("key", "values", "wanted")

    def __init__(self, key: str, values: frozenset[str] | None, *, wanted: bool) -> None:
        self.key = key
        self.values = values
        self.wanted = wanted

    def holds(self, labels: Mapping[str, str]) -> bool:
        """True if `labels` meet the requirement."""
        has = self.key in labels and (self.values is None or labels[self.key] in self.values)
        return has is self.wanted


class Selector:
    """Matches a resource if every given field matches. A selector without fields matches every resource.

    `group`, `version`, `kind`, `name` and `namespace` are regular expressions for the whole text.
    """

    __slots__ = ("annotations", "identity", "labels", "types")

    def __init__(self, fields: Mapping[str, str]) -> None:
        """Take the fields as a functionConfig names them. SelectorError if one of them cannot be read."""
        patterns = {key: fullmatch(text) for key, text in fields.items() if not key.endswith("Selector")}
        self.types = tuple((key, patterns[key]) for key in ("kind", "group", "version") if key in patterns)
        self.identity = patterns.get("namespace"), patterns.get("name")
        self.labels = requirements(fields.get("labelSelector", ""))
        self.annotations = requirements(fields.get("annotationSelector", ""))

    def matches(self, resource: Resource) -> bool:
        """True if every field matches. Name and namespace may be earlier ones of this kustomize build."""
        return (
            all(matches(getattr(resource, key)) for key, matches in self.types)
            and (self.identity == (None, None) or any(map(self._identifies, resource.identities)))
            # Labels and annotations are read out of a resource only where something is required of them.
            and all(requirement.holds(resource.labels) for requirement in self.labels)
            and all(requirement.holds(resource.annotations) for requirement in self.annotations)
        )

    def may_match_kind(self, kind: str) -> bool:
        """True if an object of this kind can match."""
        return all(matches(kind) for key, matches in self.types if key == "kind")

    def _identifies(self, identity: tuple[str, str]) -> bool:
        pairs = zip(self.identity, identity, strict=True)
        return all(matches is None or matches(text) for matches, text in pairs)


def selectors(entries: dict[str, str] | list[dict[str, str]]) -> tuple[Selector, ...]:
    """Return the selectors of a field, which holds one selector or a list."""
    return tuple(map(Selector, entries if isinstance(entries, list) else [entries]))


def is_selected(item: Resource, select: Collection[Selector], reject: Collection[Selector]) -> bool:
    """True if one of some selectors matches an item, or there are none, and none that rejects it."""
    return (not select or any_matches(select, item)) and not any_matches(reject, item)


def any_matches(selectors: Iterable[Selector], resource: Resource) -> bool:
    """True if one of `selectors` matches."""
    return any(selector.matches(resource) for selector in selectors)


def fullmatch(pattern: str) -> Fullmatch:
    """Return a function that matches whole texts by a regular expression. SelectorError if it is none.

    The syntax is that of RE2, as in kustomize and kpt. A match takes time in proportion to the text. Python's own `re`
    tries `(a+)+` in two to the power of the text's length ways, and patterns and names come from strangers.
    """
    if _ONE_BY_ONE.fullmatch(pattern):
        return re.compile(pattern).fullmatch
    import re2  # noqa: PLC0415 - most runs have no pattern, and it takes a tenth of a small run

    options = re2.Options()
    options.log_errors = False  # to standard error, where it would be no sentence of ours
    try:
        matches: Fullmatch = re2.compile(pattern, options).fullmatch
    except re2.error as error:
        hint = f"; `.{pattern}` is one, where `.*` is any text" if pattern.startswith("*") else ""
        raise SelectorError(f"`{pattern}` is no regular expression of RE2: {error.args[0].decode()}{hint}") from None
    return matches


def first_group(pattern: str) -> Callable[[str], str | None]:
    """Return a function that gives what the first group of a pattern matches in a whole text, None for no match.

    SelectorError if the pattern is no regular expression, or has no group.
    """
    import re2  # noqa: PLC0415 - as above

    matches = fullmatch(pattern)
    if not re2.compile(pattern).groups:
        raise SelectorError(f"`{pattern}` has no group: put `(` and `)` around the part that is meant")

    def part(text: str) -> str | None:
        match: Any = matches(text)
        return None if match is None else match[1] or ""

    return part


def requirements(text: str) -> tuple[Requirement, ...]:
    """Return the requirements of a label selector in Kubernetes' syntax. An empty one has none.

    requirement { "," requirement }, each `key`, `!key`, `key=value`, `key==value`, `key!=value`,
    `key in (value, ...)` or `key notin (value, ...)`. SelectorError for any other text.
    """
    found: list[Requirement] = []
    position = 0
    # An empty selector is one that a user left out: it has no requirement, and matches everything.
    unread = bool(text.strip())
    while unread:
        match = _written_requirement().match(text, position)
        if match is None:
            raise SelectorError(
                f"`{text}` is no label selector from character {position + 1} on: one looks like "
                "`app=web,tier!=db,env in (test, prod),critical,!legacy`"
            )
        found.append(_requirement(match))
        position = match.end()
        unread = match["comma"] is not None
    return tuple(found)


def _requirement(match: re.Match[str]) -> Requirement:
    if match["absent"] is not None:
        return Requirement(match["absent"], None, wanted=False)
    if match["in"] is not None:
        values = frozenset(value.strip() for value in match["values"].split(","))
        return Requirement(match["key"], values, wanted=match["in"] == "in")
    if match["equals"] is not None:
        return Requirement(match["key"], frozenset((match["value"],)), wanted=match["equals"] != "!=")
    return Requirement(match["key"], None, wanted=True)


@cache
def _written_requirement() -> re.Pattern[str]:
    key = "[A-Za-z0-9][-A-Za-z0-9_./]*"
    value = r"[^\s=!(),<>]*"
    values = rf"(?! \s*+ \) ) \s*+ {value} \s*+ (?: , \s*+ {value} \s*+ )*+"
    return re.compile(
        rf"""\s*+ (?: ! \s*+ (?P<absent> {key} )
                 | (?P<key> {key} ) (?: \s*+ (?P<equals> ==? | != ) \s*+ (?P<value> {value} )
                                     | \s++ (?P<in> in | notin ) \s*+ \( (?P<values> {values} ) \) )?
             ) \s*+ (?: (?P<comma> , ) | \Z )""",
        re.VERBOSE,
    )
