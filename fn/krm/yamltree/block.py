"""Entries and elements of a block collection that come, go and move, all at once, as edits of the text."""

from __future__ import annotations

from krm.yamltree import entries, lines, places
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import is_block_scalar
from krm.yamltree.places import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.nodes import Collection


def arranged(text: str, parent: Collection, wanted: list[int | list[str]]) -> list[Edit]:
    """Return the edits that leave in the block collection `parent` what is `wanted`, in that order.

    That is the number of an entry, which stays where it is, so these ascend; or lines that come in. An entry that is
    not among them goes, with its comments. Where lines that come in are comments that stand above the next entry
    already, they do not come twice: what is behind them comes in below those.
    """
    staying = [number for number in wanted if isinstance(number, int)]
    gone = sorted(set(range(places.size(parent))).difference(staying))
    coming: dict[int, list[str]] = {}
    made: list[Edit] = []
    for behind, run, ahead in _runs(wanted):
        known = _known(text, parent, run, ahead)
        coming[behind] = _lines(run[:known])
        if ahead is not None and known < len(run):
            made.append(_below_comments(text, parent, ahead, len(run[known]), _lines(run[known + 1 :])))
    in_front = coming.pop(-1, [])
    made += [_behind(text, parent, number, new) for number, new in coming.items() if new]
    if not lines.is_first(text, places.start(text, parent, 0)):
        return made + list(_behind_a_dash(text, parent, in_front, gone))
    if in_front:
        start = entries.extent(text, parent, 0)[0]
        made.append(Edit(start, start, _whole_lines(text, start, parent.column, in_front)))
    return made + [Edit(*entries.extent(text, parent, number), "") for number in gone]


def _runs(wanted: list[int | list[str]]) -> Iterator[tuple[int, list[list[str]], int | None]]:
    """Yield what comes in between two entries that stay, with their numbers: -1 in front of all, None behind all."""
    behind = -1
    run: list[list[str]] = []
    for part in wanted:
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
    there = [] if ahead is None else entries.comments(text, parent, ahead)
    found = (index for index, part in enumerate(run) if there[: len(part)] == part)
    return next(found, len(run))


def _lines(run: list[list[str]]) -> list[str]:
    return [line for part in run for line in part]


def _below_comments(text: str, parent: Collection, number: int, count: int, new: list[str]) -> Edit:
    """Put lines below the first `count` of the comments above an entry that stays."""
    start = entries.extent(text, parent, number)[0]
    for _ in range(count):
        start = lines.next_line(text, start)
    return Edit(start, start, _whole_lines(text, start, parent.column, new))


def _behind(text: str, parent: Collection, number: int, new: list[str]) -> Edit:
    """Put lines behind an entry that stays."""
    stop = entries.extent(text, parent, number)[1]
    if text.endswith("\n", 0, stop):
        return Edit(stop, stop, _whole_lines(text, stop, parent.column, new))
    if is_block_scalar(lines.last_leaf(parent)):
        raise NotSpliceable(places.ODD)  # a line end behind it would become its text
    return Edit(stop, stop, places.below(text, stop, new, parent.column))


def _behind_a_dash(text: str, parent: Collection, in_front: list[str], gone: list[int]) -> Iterator[Edit]:
    """Yield the edits that put lines before the first entry, which stands behind a dash, and take others away."""
    start, stop = entries.extent(text, parent, 0)
    if gone[:1] != [0]:
        if in_front:
            margin = lines.newline(text, start) + " " * parent.column
            yield Edit(start, start, places.joined(text, start, in_front, parent.column) + margin)
    elif in_front:
        yield Edit(start, stop, places.joined(text, start, in_front, parent.column) + lines.newline(text, start))
        gone = gone[1:]
    else:
        while len(gone) > 1 and gone[1] == gone[0] + 1:
            gone = gone[1:]
            above, (next_one, below) = stop, entries.extent(text, parent, gone[0])
            if text[above:next_one].strip():
                raise NotSpliceable("comments stand between what goes")
            stop = below
        places.require_implicit(text, parent, gone[0] + 1)
        yield Edit(start, lines.first_character(text, stop), "")
        gone = gone[1:]
    for number in gone:
        yield Edit(*entries.extent(text, parent, number), "")


def _whole_lines(text: str, position: int, column: int, new: list[str]) -> str:
    return " " * column + places.joined(text, position, new, column) + lines.newline(text, position)
