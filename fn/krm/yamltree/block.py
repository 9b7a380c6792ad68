"""Block style: entries and elements that come, go and move in a collection of lines, as edits of the text."""

from __future__ import annotations

from bisect import bisect_left

from krm.yamltree import comments, lines, positions
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from krm.yamltree.nodes import Collection


def arranged(
    text: str,
    parent: Collection,
    parts: list[int | list[str]],
    headed: Container[int] = (),
    *,
    clears: bool = False,
) -> list[Edit]:
    """Return the edits that leave in the block collection `parent` these parts, in this order.

    A part is the number of an entry, which stays where it is, so these ascend, or the lines of a new one: `[1, [new]]`
    makes

        # of a        # of b
        a: 1          b: 2
        # of b        new: 3
        b: 2

    An entry that is not among the parts goes, with its comments, and if that `clears`, with those apart from it.
    Skips new comment lines that already stand above the next entry, unless that is `headed`: it gets other comments. A
    new entry stands right behind the one before it; a new element right before the one behind it, below the blank lines
    that may part the two, unless it has some itself, or comments stand between the two.
    """
    staying = [number for number in parts if isinstance(number, int)]
    gone = sorted(set(range(positions.size(parent))).difference(staying))
    made: list[Edit] = []
    in_front: list[str] = []
    for behind, run, ahead in _runs(parts):
        known = len(run) if ahead in headed else _known(text, parent, run, ahead)
        new = _lines(run[:known])
        if behind < 0:
            in_front = new[next((number for number, line in enumerate(new) if line), 0) :]
        elif (
            ahead is not None
            and isinstance(parent, Sequence)
            and new[:1] != [""]
            and _above_all(text, parent, ahead) == positions.extent(text, parent, ahead)[0]
        ):
            made += _whole_lines(text, positions.extent(text, parent, ahead)[0], parent.column, new)
        else:
            made += _behind(text, parent, behind, new)
        if ahead is not None and known < len(run):
            made += _below_comments(text, parent, ahead, len(_inked(run[known])), _lines(run[known + 1 :]))
    # `- a: 1` has its first entry in the line of the dash: lines cannot simply be put above it or taken away.
    if (in_front or gone[:1] == [0]) and not lines.is_first(text, positions.start(text, parent, 0)):
        return made + list(_behind_a_dash(text, parent, in_front, gone))
    if in_front:
        made += _whole_lines(text, _above_all(text, parent, 0), parent.column, in_front)
    return made + [_taken(text, parent, number, staying, clears=clears) for number in gone]


def _taken(text: str, parent: Collection, number: int, staying: list[int], *, clears: bool) -> Edit:
    """Return the edit that takes an entry away, with the comments apart from it if it `clears` these."""
    start, stop = positions.extent(text, parent, number)
    # The blank lines below would become text of a block above.
    above = bisect_left(staying, number)
    if above:
        stop = lines.past_blanks_of(text, positions.entry(parent, staying[above - 1])[-1], stop)
    return Edit(_above_all(text, parent, number) if clears else start, stop, "")


def _above_all(text: str, parent: Collection, number: int) -> int:
    """Return where the comments start that are apart from an entry, else those above it, else the entry itself."""
    start, stop = comments.span_apart(text, parent, number)
    inside = text[start:stop]
    return stop if not inside.strip() else lines.line_start(text, start + len(inside) - len(inside.lstrip()))


def _runs(parts: list[int | list[str]]) -> Iterator[tuple[int, list[list[str]], int | None]]:
    """Yield what comes in between two entries that stay, with their numbers: -1 in front of all, None behind all."""
    behind = -1
    run: list[list[str]] = []
    for part in parts:
        if isinstance(part, list):
            run.append(part)
            continue
        if run:
            yield behind, run, part
        behind, run = part, []
    if run:
        yield behind, run, None


def _known(text: str, parent: Collection, run: list[list[str]], ahead: int | None) -> int:
    """Return which of the lines that come in are the first comments above the entry `ahead`, their number if none."""
    # A merge brings an entry with the comments above it. Both sides may have had them above the next entry already.
    there = [] if ahead is None else positions.comments_above(text, parent, ahead)
    parts = map(_inked, run)
    return next((index for index, part in enumerate(parts) if there[: len(part)] == part), len(run))


def _inked(part: list[str]) -> list[str]:
    return [line for line in part if line]


def _lines(run: list[list[str]]) -> list[str]:
    return [line for part in run for line in part]


def _below_comments(text: str, parent: Collection, number: int, count: int, new: list[str]) -> list[Edit]:
    """Put lines below the first `count` of the comments above an entry that stays."""
    start = positions.extent(text, parent, number)[0]
    for _ in range(count):
        start = lines.next_line(text, start)
    return _whole_lines(text, start, parent.column, new)


def _behind(text: str, parent: Collection, number: int, new: list[str]) -> list[Edit]:
    """Put lines behind an entry that stays."""
    stop = positions.stop(text, parent, number)
    if not new or text.endswith("\n", 0, stop):
        return _whole_lines(text, stop, parent.column, new)
    return [Edit(stop, stop, positions.below(text, stop, new, parent.column))]


def _behind_a_dash(text: str, parent: Collection, in_front: list[str], gone: list[int]) -> Iterator[Edit]:
    """Yield the edits that put lines before the first entry, which stands behind a dash, and take others away."""
    # Comments above what comes to stand there begin a line: behind the dash they would be those of the whole element.
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
    """Put lines where a line starts, if there are any."""
    if not new:
        return []
    margin = " " * column if new[0] else ""
    written = margin + positions.joined(text, position, new, column) + lines.newline(text, position)
    return [Edit(position, position, written)]
