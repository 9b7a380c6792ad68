"""One change of a tree as an edit of its text: replace a value, insert an entry or element, delete one.

Each function answers with the edit or raises NotSpliceable, for the few forms in which the text around a node cannot
be changed without knowing more than spans: explicit keys, single pairs in flow lists, odd line breaks. None reads
through aliases. Rules: spec/lossless.md, sections 3 and 4.
"""

from __future__ import annotations

from fn.yamltree import lines, style
from fn.yamltree.edits import Edit
from fn.yamltree.nodes import Collection, Mapping, Scalar, Sequence
from fn.yamltree.scalars import leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fn.yamltree.nodes import Node
    from fn.yamltree.style import Layout, Value


class NotSpliceable(Exception):
    """The change cannot be made by splicing here; a larger node around it has to be replaced."""


def replace(text: str, parent: Collection | None, node: Node, value: Value, layout: Layout) -> Edit:
    """Return the edit that puts `value` in the place of `node`, a kid of `parent` (None: the root).

    A string keeps the quotes or the block style of the one before it. Anchor and tag of `node` go, a comment in its
    line stays.
    """
    layout = layout.inside(parent)
    old_style = node.style if isinstance(node, Scalar) else ""
    stays_block = old_style in ("|", ">") and isinstance(value, str) and style.fits_literal(value)
    inline = style.inline(value, layout, old_style.strip("|>"))
    if inline is not None and not stays_block:
        return _replace_inline(text, parent, node, inline)
    _require_plain_lines(text)
    return _replace_block(text, parent, node, value, layout)


def insert(text: str, parent: Collection, index: int, key: str | None, value: Value, layout: Layout) -> Edit:
    """Return the edit that makes `value` the element at `index` of a sequence, or the entry `key` there of a mapping.

    `index` counts elements or entries, from 0 to as many as there are.
    """
    layout = layout.inside(parent)
    if parent.flow:
        return _insert_flow(text, parent, index, key, value, layout)
    _require_plain_lines(text)
    if index < size(parent):
        return _insert_before(text, parent, index, lambda layout: _entry(key, value, layout), layout)
    return _insert_behind(text, parent, lambda layout: _entry(key, value, layout), layout)


def delete(text: str, parent: Collection, index: int) -> Edit:
    """Return the edit that takes the element or entry at `index` away, with the comments that belong to it.

    It must not be the only one: an empty collection has to be written as `{}` or `[]` instead.
    """
    if parent.flow:
        return _delete_flow(text, parent, index)
    _require_plain_lines(text)
    return _delete_block(text, parent, index)


def size(parent: Collection) -> int:
    """Return how many elements or entries `parent` has."""
    return len(parent.kids) // _width(parent)


# Replacing


def _replace_inline(text: str, parent: Collection | None, node: Node, new: str) -> Edit:
    end = lines.content_end(text, node)
    if _stands_below(text, parent, node):
        opening = _opening(text, parent, node)
        return Edit(opening, end, f" {new}{lines.comment_in(text, opening)}")
    before = text[node.start - 1 : node.start]
    if node.start == node.end:
        if text[: node.start].rstrip()[-1:] not in (":", "-"):
            raise NotSpliceable("the value of a key without a colon")
        new = new if before in (" ", "\t", "\n") else f" {new}"
    if isinstance(node, Scalar) and node.style in ("|", ">"):
        new += lines.comment_in(text, lines.body(text, node))
    return Edit(node.start, end, f"{new} " if text[end : end + 1] == "#" else new)


def _replace_block(text: str, parent: Collection | None, node: Node, value: Value, layout: Layout) -> Edit:
    """Put a value of several lines below the key or dash of `node`, the comment in that line kept."""
    end = lines.content_end(text, node)
    if parent is None:
        return Edit(node.start, end, _joined(text, node.start, style.block(value, layout), lines.column(text, node.start)))
    opening = _opening(text, parent, node)
    is_block_scalar = isinstance(node, Scalar) and node.style in ("|", ">")
    above = opening if is_block_scalar or _stands_below(text, parent, node) else end
    comment = lines.comment_in(text, above)
    stop = end + len(comment) if above == end else end
    new = _settled(text, stop, parent.column, lambda layout: style.block(value, layout), layout)
    head, margin = "", parent.column + 2
    if isinstance(value, str):
        head, margin, new = f" {new[0]}", parent.column, new[1:]
    elif isinstance(parent, Sequence) and not comment:
        return Edit(opening, stop, " " + _joined(text, opening, new, margin))
    elif isinstance(value, list) and isinstance(parent, Mapping) and not layout.wide:
        margin = parent.column
    return Edit(opening, stop, head + comment + _below(text, opening, new, margin))


def _stands_below(text: str, parent: Collection | None, node: Node) -> bool:
    """Say whether `node` starts in a line below its key or dash, as block mappings do."""
    if parent is None or parent.flow or _is_explicit(text, parent, parent.kids.index(node) // _width(parent)):
        return False
    start = node.first if isinstance(node, Collection) else node.start
    return "\n" in text[_opening(text, parent, node) : start]


def _opening(text: str, parent: Collection, node: Node) -> int:
    """Return the position behind the colon or dash that `node` follows."""
    position = parent.kids.index(node)
    if isinstance(parent, Mapping):
        _require_implicit(text, parent, position // 2)
        return text.index(":", parent.kids[position - 1].end) + 1
    return _start(text, parent, position) + 1


# Inserting


def _insert_before(
    text: str, parent: Collection, index: int, make: Callable[[Layout], list[str]], layout: Layout
) -> Edit:
    _require_implicit(text, parent, index)
    start = _start(text, parent, index)
    margin = " " * parent.column
    if not lines.is_first(text, start):
        new = _joined(text, start, make(layout), parent.column)
        return Edit(start, start, new + lines.newline(text, start) + margin)
    floor = lines.content_end(text, parent.kids[index * _width(parent) - 1]) if index else 0
    at = lines.own_comments(text, start, parent.column, floor)
    new = _joined(text, at, make(layout), parent.column)
    return Edit(at, at, margin + new + lines.newline(text, start))


def _insert_behind(text: str, parent: Collection, make: Callable[[Layout], list[str]], layout: Layout) -> Edit:
    end = lines.content_end(text, parent)
    at = end if text[end - 1 : end] == "\n" else lines.next_line(text, end)
    new = _settled(text, max(at - 1, end), parent.column, make, layout)
    if text[at - 1 : at] == "\n":
        return Edit(at, at, " " * parent.column + _joined(text, at, new, parent.column) + lines.newline(text, at))
    last = lines.last_leaf(parent)
    if isinstance(last, Scalar) and last.style in ("|", ">"):
        raise NotSpliceable("a line end behind a block scalar that has none would become its text")
    return Edit(at, at, _below(text, at, new, parent.column))


def _insert_flow(text: str, parent: Collection, index: int, key: str | None, value: Value, layout: Layout) -> Edit:
    _require_brackets(text, parent)
    new = style.inline(value, layout)
    new = f"{leaf(key, flow=True, json=layout.json)}: {new}" if key is not None else str(new)
    if not parent.kids:
        return Edit(parent.first + 1, parent.first + 1, new)
    first = parent.kids[0].start
    own_lines = "\n" in text[parent.first : first] and lines.is_first(text, first)
    gap = lines.newline(text, first) + " " * lines.column(text, first) if own_lines else " "
    if index < size(parent):
        at = parent.kids[index * _width(parent)].start
        return Edit(at, at, f"{new},{gap}")
    at = parent.kids[-1].end
    return Edit(at, at, f" ,{gap}{new}" if text[at - 1] == ":" else f",{gap}{new}")


# Deleting


def _delete_block(text: str, parent: Collection, index: int) -> Edit:
    _require_implicit(text, parent, index)
    start = _start(text, parent, index)
    width = _width(parent)
    stop = lines.content_end(text, parent.kids[index * width + width - 1])
    stop = lines.past_deeper_comments(text, lines.next_line(text, max(stop - 1, start)), parent.column)
    if lines.is_first(text, start):
        floor = lines.content_end(text, parent.kids[index * width - 1]) if index else 0
        return Edit(lines.own_comments(text, start, parent.column, floor), stop, "")
    _require_implicit(text, parent, index + 1)
    return Edit(start, lines.first_character(text, stop), "")


def _delete_flow(text: str, parent: Collection, index: int) -> Edit:
    _require_brackets(text, parent)
    width = _width(parent)
    kids = parent.kids
    start, end = kids[index * width].start, kids[index * width + width - 1].end
    if index + 1 < size(parent):
        behind = text.index(",", end) + 1
        following = lines.first_character(text, behind)
        return Edit(start, behind if text[following] == "#" else following, "")
    return Edit(kids[index * width - 1].end, end, "")


# What the text around a node looks like


def _width(parent: Collection) -> int:
    return 2 if isinstance(parent, Mapping) else 1


def _start(text: str, parent: Collection, index: int) -> int:
    """Return where the entry or element at `index` of a block collection starts: its key or dash."""
    if isinstance(parent, Mapping):
        return parent.kids[2 * index].start
    if index == 0:
        return parent.first
    above = lines.content_end(text, parent.kids[index - 1])
    return text.index("\n" + " " * parent.column + "-", max(above - 1, 0)) + 1 + parent.column


def _entry(key: str | None, value: Value, layout: Layout) -> list[str]:
    return style.item(value, layout) if key is None else style.pair(key, value, layout)


def _settled(text: str, end: int, column: int, make: Callable[[Layout], list[str]], layout: Layout) -> list[str]:
    """Return the new lines that end at `end`, without a literal block where it would take in what follows it."""
    new, quoted = make(layout), make(layout.quoted())
    if new[-1] == quoted[-1]:
        return new
    below = lines.next_line(text, end)
    cut_off = below == len(text) and not text.endswith("\n")
    return quoted if cut_off or lines.swallows(text, below, column + 1) else new


def _joined(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text, all but the first one indented to `column`."""
    return lines.newline(text, position).join([new[0], *style.indented(new[1:], column)])


def _below(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text that starts with a line end."""
    return "".join(lines.newline(text, position) + line for line in style.indented(new, column))


def _is_explicit(text: str, parent: Collection, index: int) -> bool:
    """Say whether the entry at `index` is written with `? `: then its key does not stand at the mapping's column."""
    return isinstance(parent, Mapping) and lines.column(text, parent.kids[2 * index].start) != parent.column


def _require_implicit(text: str, parent: Collection, index: int) -> None:
    if _is_explicit(text, parent, index):
        raise NotSpliceable("an explicit key")


def _require_brackets(text: str, parent: Collection) -> None:
    if text[parent.first] != ("{" if isinstance(parent, Mapping) else "["):
        raise NotSpliceable("a single pair in a flow list")


def _require_plain_lines(text: str) -> None:
    if lines.ODD_BREAKS.search(text):
        raise NotSpliceable("line breaks other than LF and CRLF")
