"""The edits that insert, move and delete entries and elements (docs/reference/lossless-yaml.md, "What goes")."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import partial
from itertools import groupby, pairwise

from krm.yamltree import comments, lines, positions, style
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Sequence
from krm.yamltree.positions import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from krm.yamltree.nodes import Collection

    OldOrNew: TypeAlias = "int | list[str]"
    """The number of an entry that stays, or the lines of a new entry."""


def in_lines(text: str, parent: Collection, parts: list[OldOrNew], *, clears: bool = False) -> list[Edit]:
    """Return the edits after which the block collection `parent` has these parts, in this order.

    An entry that stays does not move, so the numbers ascend. `[1, [new]]` makes

        # of a        # of b
        a: 1          b: 2
        # of b        new: 3
        b: 2

    An entry that is not among the parts is deleted with its comments, and with those apart from it if it `clears`.
    New comment lines that already stand above the next entry are skipped.
    """
    staying = [number for number in parts if isinstance(number, int)]
    gone = sorted(set(range(positions.size(parent))).difference(staying))
    made: list[Edit] = []
    in_front: list[str] = []
    for behind, run, ahead in _runs(parts):
        known = _first_known(text, parent, run, ahead)
        new = _lines(run[:known])
        if behind < 0:
            in_front = new[next((number for number, line in enumerate(new) if line), 0) :]
        else:
            made += _between(text, parent, behind, ahead, new)
        if ahead is not None and known < len(run):
            made += _below_comments(text, parent, ahead, len(_inked(run[known])), _lines(run[known + 1 :]))
    # In `- a: 1` the first entry is in the line of the dash: it cannot be inserted or deleted as whole lines.
    if (in_front or gone[:1] == [0]) and not lines.is_first(text, positions.start(text, parent, 0)):
        return made + list(_behind_a_dash(text, parent, in_front, gone))
    if in_front:
        made += _whole_lines(text, _above_all(text, parent, 0), parent.column, in_front)
    return made + [_deletion(text, parent, number, staying, clears=clears) for number in gone]


def _deletion(text: str, parent: Collection, number: int, staying: list[int], *, clears: bool) -> Edit:
    """Return the edit that deletes an entry, with the comments apart from it if it `clears` these."""
    start, stop = positions.extent(text, parent, number)
    # Blank lines below it are deleted, too, if they would become text of a block above.
    above = bisect_left(staying, number)
    if above:
        stop = lines.past_blanks_of(text, positions.entry(parent, staying[above - 1])[-1], stop)
    return Edit(_above_all(text, parent, number) if clears else start, stop, "")


def _above_all(text: str, parent: Collection, number: int) -> int:
    """Return the start of the comments apart from an entry, else of those above it, else of the entry itself."""
    start, stop = comments.span_apart(text, parent, number)
    inside = text[start:stop]
    return stop if not inside.strip() else lines.line_start(text, start + len(inside) - len(inside.lstrip()))


def _runs(parts: list[OldOrNew]) -> Iterator[tuple[int, list[list[str]], int | None]]:
    """Yield new parts side by side, between the numbers of the entries around them: -1 and None at the ends."""
    groups: list[Any] = [[*group] for _, group in groupby(parts, key=lambda part: isinstance(part, list))]
    for above, run, below in zip([[-1], *groups], groups, [*groups[1:], [None]], strict=False):
        if isinstance(run[0], list):
            yield above[-1], run, below[0]


def _first_known(text: str, parent: Collection, run: list[list[str]], ahead: int | None) -> int:
    """Return the index of the new part that is also the first comment above the entry `ahead`, their number if none."""
    # A merge inserts an entry with the comments above it. Both sides may have them above the next entry already.
    there = () if ahead is None else comments.comment_lines(text, comments.span_above(text, parent, ahead))
    parts = map(_inked, run)
    return next((index for index, part in enumerate(parts) if there[: len(part)] == part), len(run))


def _inked(part: list[str]) -> tuple[str, ...]:
    return tuple([line for line in part if line])


def _lines(run: list[list[str]]) -> list[str]:
    return [line for part in run for line in part]


def _below_comments(text: str, parent: Collection, number: int, count: int, new: list[str]) -> list[Edit]:
    """Return the edits that put lines below the first `count` comments above an entry that stays."""
    start = positions.extent(text, parent, number)[0]
    for _ in range(count):
        start = lines.next_line(text, start)
    return _whole_lines(text, start, parent.column, new)


def _between(text: str, parent: Collection, behind: int, ahead: int | None, new: list[str]) -> list[Edit]:
    """Return the edits that put lines behind one entry that stays and before the next one, `ahead`.

    A new entry is inserted directly behind the first. A new element is inserted directly before the second, below blank
    lines between the two, unless it has blank lines itself, or there are comments between the two.
    """
    if ahead is not None and isinstance(parent, Sequence) and new[:1] != [""]:
        start = positions.extent(text, parent, ahead)[0]
        if _above_all(text, parent, ahead) == start:
            return _whole_lines(text, start, parent.column, new)
    stop = positions.stop(text, parent, behind)
    if not new or text.endswith("\n", 0, stop):
        return _whole_lines(text, stop, parent.column, new)
    return [Edit(stop, stop, positions.below(text, stop, new, parent.column))]


def _behind_a_dash(text: str, parent: Collection, in_front: list[str], gone: list[int]) -> Iterator[Edit]:
    """Yield the edits that put lines before the first entry, which is behind a dash, and that delete entries."""
    # A comment above the new first entry begins a line. Behind the dash it would belong to the whole element.
    start, stop = positions.extent(text, parent, 0)
    newline = lines.newline(text, start)
    margin = newline + " " * parent.column
    dash = len(text[:start].rstrip(" \t"))
    written = positions.joined(text, start, in_front, parent.column) if in_front else ""
    first, written = (dash, margin + written) if written.startswith("#") else (start, written)
    if gone[:1] != [0]:
        yield Edit(first, start, written + margin)
    elif in_front:
        yield Edit(first, stop, written + newline)
        gone = gone[1:]
    else:
        while len(gone) > 1 and gone[1] == gone[0] + 1:
            above, below = positions.extent(text, parent, gone[1])
            if text[stop:above].strip():
                break  # a comment that is of none of them stays, behind the dash
            gone, stop = gone[1:], below
        positions.require_implicit(text, parent, gone[0] + 1)
        behind = lines.first_character(text, stop)
        yield Edit(dash, stop, newline) if text.startswith("#", behind) else Edit(start, behind, "")
        gone = gone[1:]
    for number in gone:
        yield Edit(*positions.extent(text, parent, number), "")


def _whole_lines(text: str, position: int, column: int, new: list[str]) -> list[Edit]:
    """Return the edit that puts lines at the start of a line, none without lines."""
    if not new:
        return []
    margin = " " * column if new[0] else ""
    written = margin + positions.joined(text, position, new, column) + lines.newline(text, position)
    return [Edit(position, position, written)]


# Between brackets.


class _Entry:
    """The text of an entry: the gap `above` it, its `text`, the text `before` its comma, the comment `behind` that."""

    def __init__(self, above: str, text: str, before: str = "", behind: str = "") -> None:
        self.above = above
        self.text = text
        self.before = before
        self.behind = behind


def in_brackets(
    text: str, parent: Collection, parts: list[OldOrNew], excerpt: Callable[[int, int], str], *, spread: bool
) -> Edit:
    """Return the edit after which the brackets of `parent` have these parts, in this order.

    An entry that stays keeps its comments, and a new one has one line. `[1, [new], 0]` makes

        a: [          a: [
          1, # one      2,
          2             new,
        ]               1 # one
                      ]

    `excerpt` returns the changed text of a span. If no entry stays, the new ones may be `spread` over lines.
    NotSpliceable if there are no brackets.
    """
    # `[a: b]` is a list of one such mapping.
    if text[parent.first] != ("[" if isinstance(parent, Sequence) else "{"):
        raise NotSpliceable("it is a single pair in a flow list")
    start = parent.first + 1
    new = [part[0] for part in parts if isinstance(part, list)]
    if spread and len(new) == len(parts) and not lines.has_comments(text, parent):
        written = style.spread(text[parent.first] + text[parent.end - 1], new)
        return Edit(parent.first, parent.end, positions.spread(text, parent.first, written))
    if not parent.kids:
        return Edit(start, start, positions.spread(text, start, ", ".join(new)))
    # A comment behind the opening bracket belongs to the bracket, whichever entry is the first one.
    start += len(lines.comment_in_brackets(text, start))
    found, tail, ends_in_comma = _entries(text, parent, start, excerpt)
    first = parent.kids[0].start
    # If each entry has a line of its own, so has a new one: it starts as the first one does.
    has_lines = "\n" in text[parent.first : first] and lines.is_first(text, first)
    gap = lines.newline(text, first) + " " * lines.column(text, first) if has_lines else " "
    opening = gap if has_lines else found[0].above.partition("#")[0]
    # The first entry may have no gap, directly behind the bracket. Behind another entry it needs one.
    found[0].above = found[0].above or gap
    placed = partial(positions.spread, text, first)
    made = [_Entry(gap, placed(part[0])) if isinstance(part, list) else found[part] for part in parts]
    if "#" not in made[0].above and not (has_lines and "\n" in made[0].above):
        made[0].above = opening
    # A comment ends its line: what is behind it would become a part of the comment.
    below = lines.newline(text, first) + " " * lines.column(text, parent.kids[-1].start)
    for before, entry in pairwise(made):
        if "\n" not in entry.above and "#" in before.before + before.behind:
            entry.above = below
    if "\n" not in tail and "#" in made[-1].before + made[-1].behind:
        tail = below + tail
    # A trailing comma is a habit of its author: `[a, b,]` keeps it.
    return Edit(start, parent.end - 1, _joined(made, ends_in_comma=ends_in_comma) + tail)


def _entries(
    text: str, parent: Collection, position: int, excerpt: Callable[[int, int], str]
) -> tuple[list[_Entry], str, bool]:
    """Return the entries, the text behind the last one, and if a comma ends them. The first gap is at `position`."""
    spans = [(one[0].start, one[-1].end) for one in positions.entries(parent)]
    found: list[_Entry] = []
    comma = None
    for (start, end), (following, _) in pairwise([*spans, (parent.end - 1, parent.end)]):
        entry = _Entry(text[position:start], excerpt(start, end))
        comma = _comma(text, end, following)
        position = end
        if comma is not None:
            entry.before, position = text[end:comma], comma + 1
        entry.behind = lines.comment_in_brackets(text, position)
        position += len(entry.behind)
        found.append(entry)
    return found, text[position : parent.end - 1], comma is not None


def _comma(text: str, start: int, stop: int) -> int | None:
    """Return the position of the comma between two entries, which may be behind comments; None without one."""
    found = re.compile(r"(?:\s|#[^\n]*+)*+,").match(text, start, stop)
    return None if found is None else found.end() - 1


def _joined(made: list[_Entry], *, ends_in_comma: bool) -> str:
    """Return the entries as one text, with commas between them."""
    pieces: list[str] = []
    for entry in made:
        has_comma = entry is not made[-1] or ends_in_comma
        before = entry.before if has_comma or "#" in entry.before else entry.before.rstrip()
        # `:,` would be read as a part of the key, and `a#` as a part of the text.
        if not before and (entry.text.endswith(":") if has_comma else entry.behind.startswith("#")):
            before = " "
        pieces += entry.above, entry.text, before, "," if has_comma else "", entry.behind
    return "".join(pieces)
