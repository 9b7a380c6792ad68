"""The regular expressions of the code: each one, how it is used, what it may cost, and its worst texts.

Two shapes cost more than a straight line. Two unbounded repeats stand side by side over the same characters: where the
pattern fails, each way to part the text between them is tried. And a pattern is searched whose unbounded repeat can
hold its own beginning, with something behind it that may be missing: each beginning scans to the end of the text.
"""

from __future__ import annotations

import ast
import importlib
import re
from re import _constants as sre  # type: ignore[attr-defined]  # the parse tree has no other name
from re import _parser  # type: ignore[attr-defined]  # as above
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.process import SOURCE_ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ALPHABET = frozenset(map(chr, [9, 10, 13, *range(32, 127), 0xE9]))
_SEARCHES = "search|finditer|findall|sub|split"
_REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
_ASSERTIONS = {sre.AT, sre.ASSERT, sre.ASSERT_NOT}


class Pattern(NamedTuple):
    """A regular expression, the place in the code where it stands, and whether it is searched."""

    name: str
    compiled: re.Pattern[Any]
    is_searched: bool


def of_the_code() -> Iterator[Pattern]:
    """Yield the regular expressions that modules hold, and those that stand in a call of `re`."""
    sources = {path: path.read_text() for path in sorted(SOURCE_ROOT.rglob("*.py"))}
    elsewhere = set(re.findall(rf"(\w+\.\w+)(?:\(\))?\.(?:{_SEARCHES})\(", "".join(sources.values())))
    for path, source in sources.items():
        name = ".".join(path.relative_to(SOURCE_ROOT).with_suffix("").parts)
        if name.endswith(("__main__", "krm.process")):
            continue
        searched = set(re.findall(rf"(\w+)(?:\(\))?\.(?:{_SEARCHES})\(", source))
        searched |= set(re.findall(rf"\bre\.(?:{_SEARCHES})\((\w+)", source))
        searched |= {key for module, key in (one.split(".") for one in elsewhere) if module == path.stem}
        for key, value in vars(importlib.import_module(name)).items():
            if isinstance(value, re.Pattern):
                yield Pattern(f"{name}.{key}", value, key in searched)
            elif callable(getattr(value, "__wrapped__", None)) and value.__module__ == name and _is_plain(value):
                yield Pattern(f"{name}.{key}", value(), key in searched)
        yield from _literals(name, source)


def _is_plain(function: Any) -> bool:
    """True for a cached function without arguments that returns a pattern."""
    return function.__wrapped__.__annotations__ == {"return": "re.Pattern[str]"}


def _literals(name: str, source: str) -> Iterator[Pattern]:
    constants = vars(importlib.import_module(name))
    for call in ast.walk(ast.parse(source)):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
            continue
        # What `re.compile` makes is a value of its module.
        if not (isinstance(call.func.value, ast.Name) and call.func.value.id == "re") or call.func.attr == "compile":
            continue
        first = call.args[0]
        called = getattr(first, "id", "") or f"`{getattr(first, 'value', '')}`"
        text = first.value if isinstance(first, ast.Constant) else constants.get(called)
        if isinstance(text, str) and call.func.attr != "escape":
            flags = re.MULTILINE if "MULTILINE" in ast.unparse(call) else 0
            yield Pattern(f"{name}.{called}", re.compile(text, flags), call.func.attr in _SEARCHES.split("|"))


def forbidden(pattern: re.Pattern[Any], *, is_searched: bool) -> str | None:
    """Return which of the two shapes a regular expression has, None for neither."""
    tree = _parser.parse(
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode(), pattern.flags
    )
    if any(_are_side_by_side(sequence) for sequence in _sequences(tree)):
        return "two unbounded repeats side by side over the same characters"
    if is_searched and _holds_its_beginning([*tree], _beginning([*tree])):
        return "a searched pattern whose unbounded repeat can hold its own beginning"
    return None


def worst_texts(pattern: re.Pattern[Any], size: int) -> list[str]:
    """Return texts of about that size in which a repeat of the pattern goes on, alone and with what is ahead of it."""
    tree = [*_parser.parse(pattern.pattern, pattern.flags)]
    units = {unit for ahead, body in _pumps(tree, "") for unit in (body, ahead + body, ahead)} - {""}
    alone = [unit * (size // len(unit)) + "\x00" for unit in sorted(units)]
    return alone + [ahead + body * (size // len(body)) + "\x00" for ahead, body in _pumps(tree, "") if ahead and body]


def _sequences(tree: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield a sequence, and all that stand inside of it."""
    sequence = [*tree]
    yield sequence
    for node in sequence:
        for inner in _inside(node):
            yield from _sequences(inner)


def _inside(node: Any) -> list[Any]:
    operator, argument = node
    if operator in _REPEATS:
        return [argument[2]]
    if operator in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
        return [argument[-1] if operator is sre.SUBPATTERN else argument]
    return [*argument[1]] if operator is sre.BRANCH else []


def _is_unbounded(node: Any) -> bool:
    return node[0] in _REPEATS and node[1][1] is sre.MAXREPEAT


def _are_side_by_side(sequence: list[Any]) -> bool:
    for number, node in enumerate(sequence):
        if not _is_unbounded(node) or node[0] is sre.POSSESSIVE_REPEAT:
            continue
        for other in sequence[number + 1 :]:
            if _is_unbounded(other) and _all(node[1][2]) & _first([*other[1][2]]) and _can_fail(sequence, other):
                return True
            if not _may_be_empty([other]):
                break
    return False


def _can_fail(sequence: list[Any], last: Any) -> bool:
    """True if something stands behind a part of a sequence that may not be there."""
    return any(node[0] in _ASSERTIONS or not _may_be_empty([node]) for node in sequence[sequence.index(last) + 1 :])


def _holds_its_beginning(sequence: list[Any], beginning: list[frozenset[str]], *, fails_behind: bool = False) -> bool:
    for number, node in enumerate(sequence):
        behind = sequence[number + 1 :]
        fails = fails_behind or any(one[0] in _ASSERTIONS or not _may_be_empty([one]) for one in behind)
        if _is_unbounded(node) and fails and all(_all(node[1][2]) & characters for characters in beginning):
            return True
        if any(_holds_its_beginning([*inner], beginning, fails_behind=fails) for inner in _inside(node)):
            return True
    return False


def _beginning(sequence: list[Any]) -> list[frozenset[str]]:
    """Return the characters that each match begins with, one behind the other, as far as they are fixed."""
    found = []
    for node in sequence:
        if node[0] in (sre.LITERAL, sre.IN, sre.NOT_LITERAL, sre.ANY):
            found.append(_characters(node))
        elif node[0] is not sre.ASSERT and not (node[0] is sre.AT and found):
            break
    return found or [_first(sequence)]


def _may_be_empty(sequence: Iterable[Any]) -> bool:
    return all(
        node[0] in _ASSERTIONS
        or (node[0] in _REPEATS and (node[1][0] == 0 or _may_be_empty(node[1][2])))
        or (node[0] is sre.BRANCH and any(map(_may_be_empty, node[1][1])))
        or (node[0] in (sre.SUBPATTERN, sre.ATOMIC_GROUP) and _may_be_empty(_inside(node)[0]))
        for node in sequence
    )


def _first(sequence: list[Any]) -> frozenset[str]:
    """Return the characters with which a match may begin: with `^` it begins behind a line end."""
    found: frozenset[str] = frozenset()
    for node in sequence:
        if node == (sre.AT, sre.AT_BEGINNING):
            return frozenset("\n")
        if node[0] in _ASSERTIONS:
            continue
        inner = _inside(node)
        found |= frozenset().union(*(_first([*one]) for one in inner)) if inner else _characters(node)
        if not _may_be_empty([node]):
            break
    return found


def _all(sequence: Iterable[Any]) -> frozenset[str]:
    """Return the characters that a sequence may hold."""
    found: frozenset[str] = frozenset()
    for node in sequence:
        inner = _inside(node)
        found |= frozenset().union(*map(_all, inner)) if inner else _characters(node)
    return found


def _characters(node: Any) -> frozenset[str]:  # noqa: PLR0911 - one for each kind of node
    operator, argument = node
    if operator is sre.LITERAL:
        return frozenset(chr(argument))
    if operator is sre.NOT_LITERAL:
        return ALPHABET - {chr(argument)}
    if operator is sre.ANY:
        return ALPHABET - {"\n"}
    if operator is sre.RANGE:
        return frozenset(one for one in ALPHABET if argument[0] <= ord(one) <= argument[1])
    if operator is sre.CATEGORY:
        signs = {sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_DIGIT: r"\d"}
        signs |= {sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_NOT_WORD: r"\W", sre.CATEGORY_NOT_DIGIT: r"\D"}
        return frozenset(one for one in ALPHABET if re.match(signs[argument], one))
    if operator is sre.IN:
        found = frozenset[str]().union(*(_characters(one) for one in argument if one[0] is not sre.NEGATE))
        return ALPHABET - found if argument[0][0] is sre.NEGATE else found
    return frozenset()


def _pumps(sequence: list[Any], ahead: str) -> Iterator[tuple[str, str]]:
    """Yield for each unbounded repeat a text that leads to it, and one round of it."""
    for node in sequence:
        for inner in _inside(node):
            if _is_unbounded(node):
                yield ahead, _sample(inner)
            yield from _pumps([*inner], ahead)
        ahead += _sample([node])


def _sample(sequence: Iterable[Any]) -> str:
    """Return a text that a sequence takes, as far as that can be told without its assertions."""
    text = ""
    for node in sequence:
        inner = _inside(node)
        if inner:
            text += _sample(inner[0]) * (max(node[1][0], 1) if node[0] in _REPEATS else 1)
        elif found := _characters(node):
            text += min(found, key=lambda one: (not one.isalpha(), one))
    return text
