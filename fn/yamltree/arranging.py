"""Entries and elements of a block collection that come, go and move, all at once, as edits of the text."""

from __future__ import annotations

from fn.yamltree import entries, lines, places
from fn.yamltree.edits import Edit
from fn.yamltree.nodes import is_block_scalar
from fn.yamltree.places import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from fn.yamltree.nodes import Collection


def arranged(text: str, parent: Collection, wanted: list[int | list[str]]) -> list[Edit]:
    """Return the edits that leave in the block collection `parent` what is `wanted`, in that order.

    That is the number of an entry, which stays where it is, so these ascend; or the lines of one that comes in. One
    that is not among them goes, with its comments.
    """
    staying = [number for number in wanted if isinstance(number, int)]
    coming: dict[int, list[str]] = {}
    behind = -1
    for part in wanted:
        if isinstance(part, int):
            behind = part
        else:
            coming.setdefault(behind, []).extend(part)
    gone = sorted(set(range(places.size(parent))).difference(staying))
    in_front = coming.pop(-1, [])
    made = [_behind(text, parent, number, new) for number, new in coming.items()]
    if not lines.is_first(text, places.start(text, parent, 0)):
        return made + list(_behind_a_dash(text, parent, in_front, gone))
    if in_front:
        start = entries.extent(text, parent, 0)[0]
        made.append(Edit(start, start, _whole_lines(text, start, parent.column, in_front)))
    return made + [Edit(*entries.extent(text, parent, number), "") for number in gone]


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
