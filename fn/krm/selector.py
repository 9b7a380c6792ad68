"""Selectors choose resources. Every field of a functionConfig that chooses resources takes this one form."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any, TypeAlias

    from krm.resource import Resource

    Fullmatch: TypeAlias = Callable[[str], object]
    Requirement: TypeAlias = Callable[[Mapping[str, str]], bool]

# Most patterns need no engine: they have characters that match themselves, `.`, `.*` and `|` alone.
_PART = r"\\[!-/:-@\[-^`{-~]|\.\*|[^\\*+?()\[\]{}^$]"
_PLAIN = re.compile(rf"(?:{_PART})*+", re.DOTALL)
_PARTS = re.compile(_PART, re.DOTALL)


class Selector:
    """Matches a resource if every given field matches. A selector without fields matches every resource.

    `patterns` are those of `group`, `version`, `kind`, `name` and `namespace`: None matches any.
    """

    def __init__(
        self,
        patterns: Mapping[str, Fullmatch | None],
        labels: Collection[Requirement] = (),
        annotations: Collection[Requirement] = (),
    ) -> None:
        self.types = [(key, found) for key in ("kind", "group", "version") if (found := patterns.get(key))]
        self.identity = patterns.get("namespace"), patterns.get("name")
        self.labels = labels
        self.annotations = annotations

    def matches(self, resource: Resource) -> bool:
        """True if every field matches. The name and namespace may be those from before a change by kustomize."""
        return (
            all(matches(getattr(resource, key)) for key, matches in self.types)
            and (self.identity == (None, None) or any(map(self._identifies, resource.identities)))
            # The labels and annotations of a resource are read only if there is a requirement.
            and all(holds(resource.labels) for holds in self.labels)
            and all(holds(resource.annotations) for holds in self.annotations)
        )

    def may_match_kind(self, kind: str) -> bool:
        """True if an object of this kind can match."""
        return all(matches(kind) for key, matches in self.types if key == "kind")

    def _identifies(self, identity: tuple[str, str]) -> bool:
        pairs = zip(self.identity, identity, strict=True)
        return all(matches is None or matches(text) for matches, text in pairs)


def is_selected(item: Resource, select: Collection[Selector], reject: Collection[Selector]) -> bool:
    """True if a selector of `select` matches an item, or `select` is empty, and no selector of `reject` matches it."""
    is_among = not select or any(selector.matches(item) for selector in select)
    return is_among and not any(selector.matches(item) for selector in reject)


def fullmatch(pattern: str) -> Fullmatch:
    """Return a function that matches whole texts against a regular expression. ValueError if `pattern` is none.

    The syntax is that of RE2, as in kustomize and kpt. Patterns and names come from strangers, so a match must take
    time in proportion to the text. Python's `re` cannot promise that: it tries `(a+)+` in 2^n ways. So `re` matches
    only patterns of characters, `.`, `.*` and `|`, and RE2 matches all others. ValueError if RE2 is needed and not
    installed.
    """
    if not _PLAIN.fullmatch(pattern):
        matches: Fullmatch = _engine(pattern).fullmatch
        return matches
    ways = [[""]]
    for part in _PARTS.findall(pattern):
        if part == "|":
            ways.append([""])
        elif part == ".*":
            ways[-1].append("")
        else:
            ways[-1][-1] += "." if part == "." else re.escape(part[-1])
    return re.compile("|".join(_in_one_pass(*way) for way in ways)).fullmatch


def _in_one_pass(first: str, *others: str) -> str:
    """Return a pattern for texts with `.*` between them. It matches each text at its first place, as `fnmatch` does.

    A later place would leave less for the texts behind, so none is tried: the time is in proportion to the text.
    """
    found = "".join(f"(?>.*?{text})" for text in others[:-1] if text)
    return f"{first}{found}.*{others[-1]}" if others else first


def _engine(pattern: str) -> Any:  # noqa: ANN401 - RE2 ships no types
    """Return a pattern compiled by RE2. ValueError if it is no pattern, or RE2 is not installed."""
    try:
        import re2  # noqa: PLC0415 - most runs have no such pattern, and it takes a tenth of a small run
    except ImportError:
        raise ValueError(
            f"`{pattern}` needs RE2, which is not installed: `pip install 'krm-expand-vars[patterns]'`, or write a "
            "pattern of plain characters, `.`, `.*` and `|` alone"
        ) from None
    options = re2.Options()
    options.log_errors = False  # to standard error, where it would be no sentence of ours
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        hint = f"; `.{pattern}` is one, where `.*` is any text" if pattern.startswith("*") else ""
        raise ValueError(f"`{pattern}` is no regular expression of RE2: {error.args[0].decode()}{hint}") from None


def first_group(pattern: str) -> Callable[[str], str | None]:
    """Return a function that matches a whole text and returns its first group, None for no match.

    ValueError if the pattern is no regular expression, or has no group.
    """
    compiled = None if _PLAIN.fullmatch(pattern) else _engine(pattern)
    if compiled is None or not compiled.groups:
        raise ValueError(f"`{pattern}` has no group: put `(` and `)` around the part that is meant")

    def part(text: str) -> str | None:
        match = compiled.fullmatch(text)
        return None if match is None else match[1] or ""

    return part


def requirements(text: str) -> tuple[Requirement, ...]:
    """Return the requirements of a label selector in Kubernetes' syntax: functions that are true for labels.

    An empty selector has none.

    requirement { "," requirement }, each `key`, `!key`, `key=value`, `key==value`, `key!=value`,
    `key in (value, ...)` or `key notin (value, ...)`. ValueError for any other text.
    """
    found: list[Requirement] = []
    position = 0
    # An empty selector is as one left out: it matches everything.
    unread = bool(text.strip())
    while unread:
        match = _written_requirement().match(text, position)
        if match is None:
            raise ValueError(
                f"`{text}` is no label selector from character {position + 1} on: one looks like "
                "`app=web,tier!=db,env in (test, prod),critical,!legacy`"
            )
        found.append(_requirement(match))
        position = match.end()
        unread = match["comma"] is not None
    return tuple(found)


def _requirement(match: re.Match[str]) -> Requirement:
    """Return one part: the labels have the key, with one of the values if there are any, or they must not have it."""
    key, is_there = match["key"] or match["absent"], match["absent"] is None
    values = frozenset((match["value"],)) if match["equals"] is not None else None
    if match["in"] is not None:
        values = frozenset(value.strip() for value in match["values"].split(","))
    # As in Kubernetes, `a!=b` and `a notin (b)` hold for an object without `a`.
    is_there = is_there and match["equals"] != "!=" and match["in"] != "notin"
    return lambda labels: (key in labels and (values is None or labels[key] in values)) is is_there


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
