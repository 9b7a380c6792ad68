"""Brackets as lines: `cut` gives each entry of a collection in brackets a line of its own.

So JSON, KYAML and a list in one line are merged as blocks are. Behind each entry, also behind the last one, stand the
same two marks: one for the comma, and one for the blank behind the comma. `restored` makes a text of the lines again.
"""

from __future__ import annotations

import re
from itertools import accumulate
from operator import itemgetter

from krm.merge.text_merge import Hunk, joined, with_each
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Collection, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from krm.merge.text_merge import Piece
    from krm.yamltree.nodes import Node

    Mark: TypeAlias = tuple[int, int, str, str | None]
    """The span that a mark replaces, the end of its line, and the begin of a new line: None if no line is cut there."""

# YAML allows none of these characters.
_COMMA, _BLANK, _NO_COMMA, _NO_BLANK = "\x01", "\x02", "\x00", "\x03"
_SPACE = r"(?:[ \t]*(?:#[^\n\x00-\x03]*|\r)?\n)*[ \t]*"
_BETWEEN = re.compile(rf"[ \t]*(,)({_SPACE})")
_BEHIND = re.compile(rf"(?:[ \t]*(,))?({_SPACE})")
_AHEAD = re.compile(_SPACE)
_OPENING = "{["
_BRACKET = re.compile(r"[{\[]")
_MARK = re.compile(f"[{_NO_COMMA}-{_NO_BLANK}]")
# The mark of a comma behind the last entry. If that is not written, `_NO_COMMA` follows, with no other mark between.
_LAST = re.compile(rf"{_COMMA}{_BLANK}?({_SPACE})\Z")
_UNWRITTEN = re.compile(rf"{_COMMA}{_BLANK}?({_SPACE}){_NO_COMMA}")
_CLOSING = re.compile(rf"({_SPACE}){_NO_COMMA}[^\n]*\n?")


def cut(text: str, root: Node | None) -> tuple[list[str], list[int], set[int], set[int]]:
    """Return a text as lines, the position of each, and the numbers of those that start within a line of the text.

    The last are the ids of the collections that are opened: each entry has a line of its own.
    """
    opened: set[int] = set()
    marks = _marks(text, root, opened)
    if marks:
        return *_cut(text.removesuffix("\n"), marks), opened
    lines = [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
    return lines, [0, *accumulate(map(len, lines))], set(), opened


def _cut(text: str, marks: list[Mark]) -> tuple[list[str], list[int], set[int]]:
    lines: list[str] = []
    starts: list[int] = []
    inner: set[int] = set()
    line, start, position = "", 0, 0
    for first, end, behind, ahead in [*marks, (len(text), len(text), "\n", "")]:
        *whole, rest = text[position:first].split("\n")
        for each in whole:
            lines.append(f"{line}{each}\n")
            starts.append(start)
            position += len(each) + 1
            line, start = "", position
        line, position = f"{line}{rest}{behind}", end
        if ahead is not None:
            lines.append(line)
            starts.append(start)
            inner.add(len(lines))
            line, start = ahead, end
    return lines, [*starts, len(text) + 1], inner


def _marks(text: str, root: Node | None, opened: set[int]) -> list[Mark]:
    """Return the marks of all collections that are opened in a document, in their order."""
    found: list[Mark] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Collection) or not _BRACKET.search(text, node.start, node.end):
            continue
        marks = _marks_of(text, node) if node.flow else []
        if marks is not None:
            waiting += node.kids[1::2] if isinstance(node, Mapping) else node.kids
            found += marks
            if node.flow:
                opened.add(id(node))
    return sorted(found, key=itemgetter(0))


def _marks_of(text: str, node: Collection) -> list[Mark] | None:
    """Return the marks of a collection in brackets, None if it cannot be opened: an entry has a `?`, say."""
    if text[node.first] not in _OPENING or _is_template(text, node):
        return None
    if not node.kids:
        is_blank = not text[node.first + 1 : node.end - 1].strip(" \t")
        return [(node.first + 1, node.first + 1, "", "")] if is_blank else None
    step = 2 if isinstance(node, Mapping) else 1
    starts = [kid.start for kid in node.kids[::step]]
    ends = [max(kid.end for kid in node.kids[number : number + step]) for number in range(0, len(node.kids), step)]
    gaps = [*zip(ends, [*starts[1:], node.end - 1], strict=True)]
    between = [match for match in (_BETWEEN.fullmatch(text, *gap) for gap in gaps[:-1]) if match]
    behind = _BEHIND.fullmatch(text, *gaps[-1])
    if behind is None or len(between) < len(gaps) - 1 or not _AHEAD.fullmatch(text, node.first + 1, starts[0]):
        return None
    blank = _BLANK if all(match[2].startswith((" ", "\r", "\n")) for match in between) else ""
    ahead: list[Mark] = [] if "\n" in text[node.first : starts[0]] else [(starts[0], starts[0], "", "")]
    return [*ahead, *(_mark(match, blank) for match in between), *_last(behind, blank)]


def _is_template(text: str, node: Collection) -> bool:
    """True for a collection on one line with a template behind it: the two are one value."""
    end = text.find("\n", node.end)
    return TEMPLATE in text[node.end : end if end >= 0 else len(text)] and "\n" not in text[node.start : node.end]


def _mark(match: re.Match[str], blank: str) -> Mark:
    """Return the mark of a comma between two entries."""
    if "\n" in match[2]:
        return match.start(1), match.end(1), _COMMA, None
    return match.start(1), match.end(1) + len(blank), _COMMA + blank, ""


def _last(match: re.Match[str], blank: str) -> list[Mark]:
    """Return the marks behind the last entry, whether or not it has a comma."""
    place, end = match.span(1) if match[1] else (match.start(), match.start())
    if "\n" in match[2]:
        marks: list[Mark] = [(place, end, _COMMA, None)]
        return marks if match[1] else [*marks, (match.end(), match.end(), _NO_COMMA, None)]
    if not match[1]:
        return [(place, end, _COMMA + blank, _NO_COMMA)]
    is_apart = blank and match[2].startswith(" ")
    return [(place, end + bool(is_apart), _COMMA + blank, _NO_BLANK if blank and not is_apart else "")]


def restored(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces of the text that merged lines make. A conflict gets whole lines of the text."""
    found, takes = [*joined(pieces)], [True]
    # A conflict that grows may touch the next one, and becomes one with it. So there are several rounds.
    while any(takes):
        takes = [_take(found, number) for number, piece in enumerate(found) if isinstance(piece, Hunk)]
        found = [*joined(found)]
    # Most texts have no marks, and are not copied.
    is_marked = [isinstance(piece, Hunk) or _MARK.search(piece) for piece in found]
    return [with_each(piece, _written) if marked else piece for piece, marked in zip(found, is_marked, strict=True)]


def _take(found: list[Piece], number: int) -> bool:
    """Let a conflict take the rest of its lines from the texts around it. True if it took something."""
    ahead, behind = (found[at : at + 1] if at >= 0 else [] for at in (number - 1, number + 1))
    before, after = ("" if not one or isinstance(one[0], Hunk) else one[0] for one in (ahead, behind))
    hunk: Hunk = found[number]  # type: ignore[assignment]  # the caller has looked
    closing = _CLOSING.match(after)
    if closing and all(map(_LAST.search, hunk)):
        found[number] = with_each(hunk, lambda side: _LAST.sub(r"\1", side))
        found[number + 1] = after.replace(_NO_COMMA, "", 1)
        return True
    start, end = _start(before, hunk), 0
    if any(side and not side.endswith("\n") for side in hunk):
        end = after.find("\n") + 1 or len(after)
    elif closing:
        end = closing.end()
    if start == len(before) and not end:
        return False
    found[number] = with_each(hunk, lambda side: before[start:] + side + after[:end])
    if before:
        found[number - 1] = before[:start]
    if after:
        found[number + 1] = after[end:]
    return True


def _start(before: str, hunk: Hunk) -> int:
    """Return where a conflict begins in the text before it: with a line, or the entry whose comma depends on it."""
    start = before.rfind("\n") + 1
    last = _LAST.search(before, max(before.rfind(_COMMA), 0)) if any(map(_CLOSING.match, hunk)) else None
    return start if last is None else min(start, before.rfind("\n", 0, last.start()) + 1)


def _written(text: str) -> str:
    """Return a text with commas and blanks in the place of the marks."""
    text = _UNWRITTEN.sub(r"\1", text) if _NO_COMMA in text else text
    text = text.replace(_NO_COMMA, "").replace(_COMMA, ",")
    return text.replace(_BLANK + _NO_BLANK, "").replace(_NO_BLANK, "").replace(_BLANK, " ")
