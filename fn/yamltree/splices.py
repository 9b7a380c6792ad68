"""One change of a tree as an edit of its text: replace a value, insert an entry or element, delete one.

Each function answers with the edit that fits all but the oddest text, which the caller has to prove, or raises
NotSpliceable for the few forms that it knows it cannot change: explicit keys, single pairs in flow lists. None reads
through aliases. Rules: spec/lossless.md, sections 3 and 4.
"""

from __future__ import annotations

from fn.yamltree import lines, parser, style
from fn.yamltree.edits import Edit
from fn.yamltree.nodes import Collection, Mapping, Scalar, Sequence, is_block_scalar
from fn.yamltree.scalars import leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fn.yamltree.nodes import Node
    from fn.yamltree.style import Layout, Value


ODD = "it cannot be changed in place"


class NotSpliceable(Exception):  # noqa: N818 - it is no error yet
    """The change cannot be made by splicing here; a larger node around it has to be replaced."""


def replace(text: str, parent: Collection | None, node: Node, value: Value, layout: Layout) -> Edit:
    """Return the edit that puts `value` in the place of `node`, a kid of `parent` (None: the root).

    A string keeps the quotes or the block style of the one before it, a collection its brackets. Anchor and tag of
    `node` go, a comment in its line stays.
    """
    layout = layout.inside(parent).inside(node if isinstance(node, Collection) and node.kids else None)
    old_style = node.style if isinstance(node, Scalar) else ""
    stays_block = layout.literals and is_block_scalar(node) and isinstance(value, str) and style.fits_literal(value)
    inline = style.inline(value, layout, old_style.strip("|>"))
    if inline is not None and not stays_block:
        return _replace_inline(text, parent, node, inline)
    return _replace_block(text, parent, node, value, layout)


def rewrite(text: str, parent: Collection | None, scalar: Scalar, value: str, layout: Layout) -> Edit:
    """Return the edit that makes `value` the text of `scalar`, which keeps an anchor and what is around it."""
    if scalar.anchor is None:
        return replace(text, parent, scalar, value, layout)
    new = style.inline(value, layout.inside(parent).quoted(), scalar.style.strip("|>"))
    comment = lines.comment_inside(text, scalar) if is_block_scalar(scalar) else ""
    return Edit(lines.body(text, scalar), lines.content_end(text, scalar), f"{new}{comment}")


def insert(text: str, parent: Collection, index: int, key: str | None, value: Value, layout: Layout) -> Edit:  # noqa: PLR0913 - a place, an entry, a layout
    """Return the edit that makes `value` the element at `index` of a sequence, or the entry `key` there of a mapping.

    `index` counts elements or entries, from 0 to as many as there are.
    """
    layout = layout.inside(parent)
    if parent.flow:
        name = "" if key is None else f"{leaf(key, flow=True, json=layout.json)}: "
        return _insert_flow(text, parent, index, f"{name}{style.inline(value, layout)}")
    new = style.item(value, layout) if key is None else style.pair(key, value, layout)
    return _insert_before(text, parent, index, new) if index < size(parent) else _insert_behind(text, parent, new)


def extend(text: str, parent: Collection, values: list[Value], layout: Layout) -> Edit:
    """Return the edit that puts `values` behind the elements of the list `parent`, which must have some."""
    layout = layout.inside(parent)
    if parent.flow:
        return _insert_flow(text, parent, size(parent), ", ".join(str(style.inline(value, layout)) for value in values))
    return _insert_behind(text, parent, style.block(values, layout))


def delete(text: str, parent: Collection, index: int) -> Edit:
    """Return the edit that takes the element or entry at `index` away, with the comments that belong to it.

    It must not be the only one: an empty collection has to be written as `{}` or `[]` instead.
    """
    if parent.flow:
        return _delete_flow(text, parent, index)
    return _delete_block(text, parent, index)


def size(parent: Collection) -> int:
    """Return how many elements or entries `parent` has."""
    return len(parent.kids) // _width(parent)


def entry(parent: Collection, index: int) -> list[Node]:
    """Return the element at `index` or, of a mapping, the key and the value."""
    width = _width(parent)
    return parent.kids[index * width : (index + 1) * width]


# Replacing


def _replace_inline(text: str, parent: Collection | None, node: Node, new: str) -> Edit:
    end = lines.content_end(text, node)
    if parent is not None and isinstance(node, Collection) and _stands_below(text, parent, node):
        opening = _opening(text, parent, node)
        end = lines.last_line_end(text, node, parent.column)
        return Edit(opening, end, f" {new}{lines.comment_in(text, opening)}")
    if node.start == node.end:
        return _fill(text, parent, node, new)
    if isinstance(node, Scalar):
        new += lines.comment_inside(text, node)
    return Edit(node.start, end, f"{new} " if text.startswith("#", end) else new)


def _fill(text: str, parent: Collection | None, node: Node, new: str) -> Edit:
    """Put `new` where nothing is written yet, behind a colon or a dash."""
    if parent is None:
        raise NotSpliceable("the document is empty")
    key = parent.kids[parent.kids.index(node) - 1]
    if isinstance(parent, Mapping) and parser.lacks_colon(text, key, node):
        return Edit(key.end, key.end, f": {new}")
    opening = _opening(text, parent, node)
    stop = lines.past_blanks(text, opening)
    return Edit(opening, stop if text.startswith((",", "}", "]"), stop) else opening, f" {new}")


def _replace_block(text: str, parent: Collection | None, node: Node, value: Value, layout: Layout) -> Edit:
    """Put a value of several lines below the key or dash of `node`, the comment in that line kept."""
    new = style.literal(value) if isinstance(value, str) else style.block(value, layout)
    opening = node.start if parent is None else _opening(text, parent, node)
    if parent is None or (not isinstance(node, Collection) and "#" in text[opening : node.start]):
        return _replace_in_place(text, node, value, new)
    comment, stop = _comment_of(text, parent, node, opening)
    if isinstance(value, str):
        return Edit(opening, stop, f" {new[0]}{comment}{_below(text, opening, new[1:], parent.column)}")
    if isinstance(parent, Sequence) and not comment:
        return Edit(opening, stop, " " + _joined(text, opening, new, parent.column + 2))
    compact = isinstance(value, list) and isinstance(parent, Mapping) and not layout.wide
    return Edit(opening, stop, comment + _below(text, opening, new, parent.column + (0 if compact else 2)))


def _replace_in_place(text: str, node: Node, value: Value, new: list[str]) -> Edit:
    """Put lines where `node` starts: comments stand between it and its key, or there is no key."""
    end = lines.content_end(text, node)
    column = lines.column(text, node.start)
    if not isinstance(value, str):
        return Edit(node.start, end, _joined(text, node.start, new, column))
    inside = lines.comment_inside(text, node) if isinstance(node, Scalar) else ""
    behind = lines.comment_at(text, end)
    return Edit(node.start, end + len(behind), f"{new[0]}{inside or behind}{_below(text, end, new[1:], column)}")


def _comment_of(text: str, parent: Collection, node: Node, opening: int) -> tuple[str, int]:
    """Return the comment that a new value keeps in the line of its key, and where what it replaces ends."""
    end = lines.content_end(text, node)
    if _stands_below(text, parent, node):
        stop = lines.last_line_end(text, node, parent.column) if isinstance(node, Collection) else end
        return lines.comment_in(text, opening), stop
    if isinstance(node, Scalar) and (inside := lines.comment_inside(text, node)):
        return inside, end
    behind = lines.comment_at(text, end)
    return behind, end + len(behind)


def _stands_below(text: str, parent: Collection, node: Node) -> bool:
    """Say whether `node` starts in a line below its key or dash, as block mappings do."""
    if parent.flow or _is_explicit(text, parent, parent.kids.index(node) // _width(parent)):
        return False
    start = node.first if isinstance(node, Collection) else node.start
    return "\n" in text[_opening(text, parent, node) : start]


def _opening(text: str, parent: Collection, node: Node) -> int:
    """Return the position behind the colon or dash that `node` follows."""
    position = parent.kids.index(node)
    if isinstance(parent, Mapping):
        _require_implicit(text, parent, position // 2)
        return _find(text, ":", parent.kids[position - 1].end) + 1
    return _start(text, parent, position) + 1 if not parent.flow else node.start


# Inserting


def _insert_before(text: str, parent: Collection, index: int, new: list[str]) -> Edit:
    _require_implicit(text, parent, index)
    start = _start(text, parent, index)
    margin = " " * parent.column
    if not lines.is_first(text, start):
        return Edit(start, start, _joined(text, start, new, parent.column) + lines.newline(text, start) + margin)
    at = lines.own_comments(text, start, parent.column, _floor(text, parent, index))
    return Edit(at, at, margin + _joined(text, at, new, parent.column) + lines.newline(text, start))


def _insert_behind(text: str, parent: Collection, new: list[str]) -> Edit:
    end = lines.content_end(text, parent)
    at = end if text.endswith("\n", 0, end) else lines.next_line(text, end)
    if text.endswith("\n", 0, at):
        return Edit(at, at, " " * parent.column + _joined(text, at, new, parent.column) + lines.newline(text, at))
    below = _below(text, at, new, parent.column)
    last = lines.last_leaf(parent)
    if not is_block_scalar(last):
        return Edit(at, at, below)
    # A line end behind a block that has none would become its text, were it not for a `-` in the header.
    start, header = lines.body(text, last), lines.header(text, last)
    return Edit(start, at, header.strip("+-") + "-" + text[start + len(header) : at] + below)


def _insert_flow(text: str, parent: Collection, index: int, new: str) -> Edit:
    _require_brackets(text, parent)
    if not parent.kids:
        return Edit(parent.first + 1, parent.first + 1, new)
    first = parent.kids[0].start
    own_lines = "\n" in text[parent.first : first] and lines.is_first(text, first)
    gap = lines.newline(text, first) + " " * lines.column(text, first) if own_lines else " "
    if index < size(parent):
        at = entry(parent, index)[0].start
        return Edit(at, at, f"{new},{gap}")
    at = parent.kids[-1].end
    comma = " ," if text[at - 1] == ":" else ","
    comma_there = lines.past_blanks(text, at)
    if text.startswith(",", comma_there):
        at, comma, new = comma_there + 1, "", f"{new},"
    comment = lines.comment_at(text, at) if own_lines else ""
    return Edit(at, at + len(comment), f"{comma}{comment}{gap}{new}")


# Deleting


def _delete_block(text: str, parent: Collection, index: int) -> Edit:
    _require_implicit(text, parent, index)
    start = _start(text, parent, index)
    stop = lines.content_end(text, entry(parent, index)[-1])
    stop = lines.past_deeper_comments(text, lines.next_line(text, max(stop - 1, start)), parent.column)
    if lines.is_first(text, start):
        return Edit(lines.own_comments(text, start, parent.column, _floor(text, parent, index)), stop, "")
    _require_implicit(text, parent, index + 1)
    return Edit(start, lines.first_character(text, stop), "")


def _delete_flow(text: str, parent: Collection, index: int) -> Edit:
    _require_brackets(text, parent)
    gone = entry(parent, index)
    start, end = gone[0].start, gone[-1].end
    above = entry(parent, index - 1)[-1].end if index else parent.first + 1
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


# What the text around a node looks like


def _width(parent: Collection) -> int:
    return 2 if isinstance(parent, Mapping) else 1


def _floor(text: str, parent: Collection, index: int) -> int:
    """Return where the entry or element before that at `index` ends."""
    return lines.content_end(text, entry(parent, index - 1)[-1]) if index else 0


def _start(text: str, parent: Collection, index: int) -> int:
    """Return where the entry or element at `index` of a block collection starts: its key or dash."""
    if isinstance(parent, Mapping):
        return parent.kids[2 * index].start
    if index == 0:
        return parent.first
    above = _floor(text, parent, index)
    return _find(text, "\n" + " " * parent.column + "-", max(above - 1, 0)) + 1 + parent.column


def _find(text: str, what: str, start: int) -> int:
    found = text.find(what, start)
    if found < 0:
        raise NotSpliceable(ODD)
    return found


def _joined(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text, all but the first one indented to `column`."""
    return lines.newline(text, position).join([new[0], *style.indented(new[1:], column)])


def _below(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text that starts with a line end."""
    return "".join(lines.newline(text, position) + line for line in style.indented(new, column))


def _is_explicit(text: str, parent: Collection, index: int) -> bool:
    """Say whether the entry at `index` is written with `? `: then its key does not stand at the mapping's column."""
    return (
        isinstance(parent, Mapping)
        and not parent.flow
        and lines.column(text, parent.kids[2 * index].start) != parent.column
    )


def _require_implicit(text: str, parent: Collection, index: int) -> None:
    if _is_explicit(text, parent, index):
        raise NotSpliceable("its key is written with `?`")


def _require_brackets(text: str, parent: Collection) -> None:
    if text[parent.first] != ("{" if isinstance(parent, Mapping) else "["):
        raise NotSpliceable("it is a single pair in a flow list")
