"""Brackets as lines: `cut` gives each entry of a collection in brackets a line of its own.

So JSON, KYAML and a list in one line are merged as blocks are. What stands ahead of an entry in the text belongs to the
entry, and so it does for the closing bracket: a line break and blanks, or a mark that joins the line to the one above.
Behind each entry, also behind the last one, stands the mark of a comma. `restored` makes a text of the lines again.
"""

from __future__ import annotations

import re
from itertools import accumulate
from operator import itemgetter

from krm.merge.text_merge import Hunk, joined, with_each
from krm.yamltree.lines import TEMPLATE, newline
from krm.yamltree.nodes import Collection, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.merge.text_merge import Piece
    from krm.yamltree.nodes import Node

    Mark: TypeAlias = tuple[int, int, str, str | None]
    """The span that a mark replaces, the end of its line, and the begin of a new line: None if no line is cut there."""

# YAML allows none of these characters. To Python the last one is a blank, and ends no line.
_NO_COMMA, _COMMA, _JOIN = _MARKS = "\x00", "\x01", "\x1f"
_SPACE = r"(?:[ \t]*(?:#[^\n\x00\x01]*|\r)?\n\x1f?)*[ \t]*"
# The patterns without `compile` are compiled at their first use, as most texts have no brackets.
_BETWEEN = rf"[ \t]*(,)({_SPACE})"
_BEHIND = rf"(?:[ \t]*(,))?({_SPACE})"
# The mark of a comma behind the last entry. If that is not written, `_NO_COMMA` follows, with no other mark between.
_LAST = rf"{_COMMA}({_SPACE})\Z"
_UNWRITTEN = rf"{_COMMA}({_SPACE}){_NO_COMMA}"
_CLOSING = rf"{_JOIN}?({_SPACE}){_NO_COMMA}[^\n]*\n?"
_JOINED = rf"({_COMMA}|[{{\[])([ \t]*)\r?\n{_JOIN}([ \t]*)"


def cut(text: str, root: Node | None) -> tuple[list[str], list[int], dict[int, int], set[int]]:
    """Return a text as lines, the position of each, and the margin of those that start within a line of the text.

    The last are the ids of the collections that are opened: each entry has a line of its own.
    """
    marks, opened = _marks(text, root)
    if marks:
        return *_cut(text.removesuffix("\n"), marks), opened
    lines = [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
    return lines, [0, *accumulate(map(len, lines))], {}, opened


def _cut(text: str, marks: list[Mark]) -> tuple[list[str], list[int], dict[int, int]]:
    lines: list[str] = []
    starts: list[int] = []
    inner: dict[int, int] = {}
    line, start, position = "", 0, 0
    for first, end, behind, ahead in [*marks, (len(text), len(text), "", "")]:
        *whole, rest = text[position:first].split("\n")
        for each in whole:
            lines.append(f"{line}{each}\n")
            starts.append(start)
            position += len(each) + 1
            line, start = "", position
        line, position = f"{line}{rest}{behind}", end
        if ahead is not None:
            lines.append(line + (newline(text, len(text)) if ahead else "\n"))
            starts.append(start)
            inner[len(lines)] = len(ahead)
            line, start = ahead, end
    return lines, [*starts, len(text) + 1], inner


def _marks(text: str, root: Node | None) -> tuple[list[Mark], set[int]]:
    """Return the marks of all collections that are opened in a document, in their order, and the ids of these."""
    found: list[Mark] = []
    opened: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Collection) or not any(text.count(one, node.start, node.end) for one in "{["):
            continue
        marks = _marks_of(text, node) if node.flow else []
        if marks is not None:
            waiting += node.kids[1::2] if isinstance(node, Mapping) else node.kids
            found += marks
            if node.flow:
                opened.add(id(node))
    return sorted(found, key=itemgetter(0)), opened


def _marks_of(text: str, node: Collection) -> list[Mark] | None:
    """Return the marks of a collection in brackets, None if it cannot be opened: an entry has a `?`, say."""
    if not text.startswith(("{", "["), node.first) or _is_template(text, node):
        return None
    close = node.end - 1
    if not node.kids:
        is_blank = not text[node.first + 1 : close].strip(" \t")
        return [(close, close, "", _JOIN)] if is_blank else None
    step = 2 if isinstance(node, Mapping) else 1
    starts = [kid.start for kid in node.kids[::step]]
    ends = [max(kid.end for kid in node.kids[number : number + step]) for number in range(0, len(node.kids), step)]
    gaps = [*zip(ends, [*starts[1:], close], strict=True)]
    comma, last, blanks = (re.compile(pattern).fullmatch for pattern in (_BETWEEN, _BEHIND, _SPACE))
    between = [match for match in (comma(text, *gap) for gap in gaps[:-1]) if match]
    behind = last(text, *gaps[-1])
    if behind is None or len(between) < len(gaps) - 1 or not blanks(text, node.first + 1, starts[0]):
        return None
    blank = " " if all(match[2].startswith((" ", "\r", "\n")) for match in between) else ""
    ahead: list[Mark] = [(starts[0], starts[0], "", _JOIN + blank)]
    marks = [mark for match in between for mark in _gap(match)]
    return [*([] if "\n" in text[node.first : starts[0]] else ahead), *marks, *_gap(behind, _NO_COMMA)]


def _is_template(text: str, node: Collection) -> bool:
    """True for a collection on one line with a template behind it: the two are one value."""
    end = text.find("\n", node.end)
    return TEMPLATE in text[node.end : end if end >= 0 else len(text)] and "\n" not in text[node.start : node.end]


def _gap(match: re.Match[str], no_comma: str = "") -> Iterator[Mark]:
    """Yield the marks behind an entry, up to the next one or to the closing bracket, whether or not it has a comma."""
    place, end = match.span(1) if match[1] else (match.start(), match.start())
    ahead = "" if match[1] else no_comma
    if "\n" not in match[2]:
        yield place, match.end(), _COMMA, _JOIN + match[2] + ahead
    else:
        yield place, end, _COMMA, None
        if ahead:
            yield match.end(), match.end(), ahead, None


def restored(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces of the text that merged lines make. A conflict gets whole lines of the text."""
    found, takes = [*joined(pieces)], [True]
    # A conflict that grows may touch the next one, and becomes one with it. So there are several rounds.
    while any(takes):
        takes = [_take(found, number) for number, piece in enumerate(found) if isinstance(piece, Hunk)]
        found = [*joined(found)]
    # Most texts have no marks, and are not copied.
    is_marked = [isinstance(piece, Hunk) or any(mark in piece for mark in _MARKS) for piece in found]
    return [with_each(piece, _written) if marked else piece for piece, marked in zip(found, is_marked, strict=True)]


def _take(found: list[Piece], number: int) -> bool:
    """Let a conflict take the rest of its lines from the texts around it. True if it took something."""
    ahead, behind = (found[at : at + 1] if at >= 0 else [] for at in (number - 1, number + 1))
    before, after = ("" if not one or isinstance(one[0], Hunk) else one[0] for one in (ahead, behind))
    hunk: Hunk = found[number]  # type: ignore[assignment]  # the caller has looked
    closing = re.match(_CLOSING, after)
    if closing and not after.startswith(_JOIN) and all(re.search(_LAST, side) for side in hunk):
        found[number] = with_each(hunk, lambda side: re.sub(_LAST, r"\1", side))
        found[number + 1] = after.replace(_NO_COMMA, "", 1)
        return True
    start = _start(before, hunk)
    end = closing.end() if closing else after.find("\n") + 1 if after.startswith(_JOIN) else 0
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
    is_closed = any(re.match(_CLOSING, side) for side in hunk)
    last = re.compile(_LAST).search(before, max(before.rfind(_COMMA), 0)) if is_closed else None
    end = last.start() if last else len(before) - any(side.startswith(_JOIN) for side in hunk)
    return before.rfind("\n", 0, end) + 1


def _written(text: str) -> str:
    """Return a text with commas in the place of the marks, and with joined lines."""
    # The first entry has no blank ahead, but that of the opening bracket.
    text = re.sub(_JOINED, lambda match: match[1] + match[3 if match[1] == _COMMA else 2], text)
    text = _apart(text) if _JOIN in text else text
    return re.sub(_UNWRITTEN, r"\1", text).replace(_NO_COMMA, "").replace(_COMMA, ",")


def _apart(text: str) -> str:
    """Return a text in which each line that cannot be joined to a comment, or to a blank line, has a margin."""
    lines, margin = text.split("\n"), 0
    for number, line in enumerate(lines):
        if line.startswith(_JOIN):
            lines[number] = f"{' ' * margin}  {line.lstrip()}"
        elif line.strip():
            margin = len(line) - len(line.lstrip(" -"))
    return "\n".join(lines)
