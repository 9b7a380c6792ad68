"""Entries and elements that come and go, each change as an edit of the text.

Each function answers with the edit that fits all but the oddest text, which the caller has to prove, or raises
NotSpliceable for the few forms that it knows it cannot change. None reads through aliases.
"""

from __future__ import annotations

from krm.yamltree import lines, places, style
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import is_block_scalar
from krm.yamltree.scalars import leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Collection
    from krm.yamltree.style import Layout, Value


def add(text: str, parent: Collection, key: str, value: Value, layout: Layout) -> Edit:
    """Return the edit that puts the entry `key` behind those of the mapping `parent`."""
    layout = layout.inside(parent)
    if not parent.flow:
        return _insert_behind(text, parent, style.pair(key, value, layout))
    new = f"{leaf(key, flow=True, json=layout.json)}: {style.inline(value, layout)}"
    return _insert_flow(text, parent, places.size(parent), new)


def insert(text: str, parent: Collection, index: int, values: list[Value], layout: Layout) -> Edit:
    """Return the edit that puts `values` before the element at `index` of a sequence, behind all if there is none."""
    layout = layout.inside(parent)
    if parent.flow:
        return _insert_flow(text, parent, index, ", ".join(str(style.inline(value, layout)) for value in values))
    new = style.block(values, layout)
    return _insert_before(text, parent, index, new) if index < len(parent.kids) else _insert_behind(text, parent, new)


def delete(text: str, parent: Collection, index: int) -> Edit:
    """Return the edit that takes the element or entry at `index` away, with the comments that belong to it.

    It must not be the only one: an empty collection has to be written as `{}` or `[]` instead.
    """
    return _delete_flow(text, parent, index) if parent.flow else _delete_block(text, parent, index)


def append(text: str, parent: Collection, new: list[str]) -> Edit:
    """Return the edit that puts the lines of an element behind those of a block sequence, and behind their comments."""
    stop = extent(text, parent, places.size(parent) - 1)[1]
    if text.endswith("\n", 0, stop):
        return Edit(
            stop, stop, " " * parent.column + places.joined(text, stop, new, parent.column) + lines.newline(text, stop)
        )
    return _insert_behind(text, parent, new)


def extent(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return where the entry or element at `index` of a block collection starts and stops, its comments included.

    It starts and stops at the start of a line, but for one in the line of a dash, which starts behind that.
    """
    places.require_implicit(text, parent, index)
    start = places.start(text, parent, index)
    stop = lines.content_end(text, places.entry(parent, index)[-1])
    stop = lines.past_deeper_comments(text, lines.next_line(text, max(stop - 1, start)), parent.column)
    if lines.is_first(text, start):
        start = lines.own_comments(text, start, parent.column, places.floor(text, parent, index))
    return start, stop


def comments(text: str, parent: Collection, index: int) -> list[str]:
    """Return the comment lines that belong to an entry or element of a block collection, without their margin."""
    start = extent(text, parent, index)[0]
    return [line.strip() for line in text[start : places.start(text, parent, index)].splitlines() if line.strip()]


def _insert_before(text: str, parent: Collection, index: int, new: list[str]) -> Edit:
    start = places.start(text, parent, index)
    margin = " " * parent.column
    if not lines.is_first(text, start):
        return Edit(start, start, places.joined(text, start, new, parent.column) + lines.newline(text, start) + margin)
    at = lines.own_comments(text, start, parent.column, places.floor(text, parent, index))
    return Edit(at, at, margin + places.joined(text, at, new, parent.column) + lines.newline(text, start))


def _insert_behind(text: str, parent: Collection, new: list[str]) -> Edit:
    end = lines.content_end(text, parent)
    at = end if text.endswith("\n", 0, end) else lines.next_line(text, end)
    if text.endswith("\n", 0, at):
        return Edit(at, at, " " * parent.column + places.joined(text, at, new, parent.column) + lines.newline(text, at))
    below = places.below(text, at, new, parent.column)
    last = lines.last_leaf(parent)
    if not is_block_scalar(last):
        return Edit(at, at, below)
    # A line end behind a block that has none would become its text, were it not for a `-` in the header.
    start, header = lines.body(text, last), lines.header(text, last)
    return Edit(start, at, header.strip("+-") + "-" + text[start + len(header) : at] + below)


def _insert_flow(text: str, parent: Collection, index: int, new: str) -> Edit:
    places.require_brackets(text, parent)
    if not parent.kids:
        return Edit(parent.first + 1, parent.first + 1, new)
    first = parent.kids[0].start
    own_lines = "\n" in text[parent.first : first] and lines.is_first(text, first)
    gap = lines.newline(text, first) + " " * lines.column(text, first) if own_lines else " "
    if index < places.size(parent):
        at = places.entry(parent, index)[0].start
        return Edit(at, at, f"{new},{gap}")
    at = parent.kids[-1].end
    comma = " ," if text[at - 1] == ":" else ","
    comma_there = lines.past_blanks(text, at)
    if text.startswith(",", comma_there):
        at, comma, new = comma_there + 1, "", f"{new},"
    comment = lines.comment_at(text, at) if own_lines else ""
    return Edit(at, at + len(comment), f"{comma}{comment}{gap}{new}")


def _delete_block(text: str, parent: Collection, index: int) -> Edit:
    start, stop = extent(text, parent, index)
    if start == lines.line_start(text, start):
        return Edit(start, stop, "")
    places.require_implicit(text, parent, index + 1)
    return Edit(start, lines.first_character(text, stop), "")


def _delete_flow(text: str, parent: Collection, index: int) -> Edit:
    places.require_brackets(text, parent)
    gone = places.entry(parent, index)
    start, end = gone[0].start, gone[-1].end
    above = places.entry(parent, index - 1)[-1].end if index else parent.first + 1
    comma = lines.past_blanks(text, end)
    is_last = not text.startswith(",", comma)
    behind = end if is_last else comma + 1
    behind += len(lines.comment_at(text, behind))
    if lines.is_first(text, start) and behind == lines.line_end(text, behind):
        return _delete_lines(text, start, behind, above, is_last=is_last)
    if is_last:
        return Edit(above, end, "")
    following = lines.first_character(text, behind)
    return Edit(start, behind if text.startswith("#", following) else following, "")


def _delete_lines(text: str, start: int, end: int, above: int, *, is_last: bool) -> Edit:
    """Delete an entry or element of a flow collection that has its lines for itself, with its comments.

    Of the last one the comma before it goes too, as JSON has none behind the last.
    """
    start = lines.own_comments(text, start, lines.column(text, start), above)
    end = lines.next_line(text, end)
    comma = lines.past_blanks(text, above)
    if is_last and text.startswith(",", comma):
        return Edit(above, end, text[comma + 1 : start])
    return Edit(start, end, "")
