"""The comments of a node, by their places: docs/reference/lossless-yaml.md, "Which comment belongs to which node".

- `above` an entry or element are the comment lines directly over its key or dash, at its column;
- `behind` it is the comment in its line: behind a value on one line, a block's header, or the key above a collection;
- `below` it are the comment lines that follow its last line and are indented deeper than it;
- `apart` from it are all others between the entry before it and the comments above it;
- `inside` of it are the comments in brackets, and those between a key and its value.
"""

from __future__ import annotations

import re

from krm.yamltree import lines, positions
from krm.yamltree.nodes import Collection, Mapping, Scalar, is_block_scalar
from krm.yamltree.positions import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.nodes import Node, Place


class Comments:
    """The comments of a node, each from its `#` on: the lines `above` and `below` it, and the one `behind` it.

    An empty text stands for a blank line between two of them. Those `inside` can be read, but not written.
    """

    def __init__(
        self,
        above: tuple[str, ...] = (),
        behind: str = "",
        below: tuple[str, ...] = (),
        apart: tuple[str, ...] = (),
        inside: tuple[str, ...] = (),
    ) -> None:
        self.above = above
        self.behind = behind
        self.below = below
        self.apart = apart
        self.inside = inside


_START = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_END = re.compile(r"^\.\.\.", re.MULTILINE)
_COMMENT_LINE = re.compile(r"^[ \t]*+#.*", re.MULTILINE)


def by_place(text: str, root: Node) -> Iterator[tuple[Place, str]]:
    """Yield the comments of a text, each behind the place of the node that it belongs to."""
    yield from _below(text, None, 0, root, (), (0, len(text)))


def _below(  # noqa: PLR0913 - a place is all of these
    text: str, parent: Collection | None, number: int, node: Node, place: Place, span: tuple[int, int]
) -> Iterator[tuple[Place, str]]:
    """Yield the comments of a node and of those in it. `span` is the text from the node before it to the next one."""
    start, stop = span
    inside = node.kids[0].start if isinstance(node, Collection) and not node.flow and node.kids else stop
    # To find the comments of a node costs more than to parse it, and few nodes have one before or behind them.
    if text.find("#", start, inside) >= 0 or text.find("#", node.end, stop) >= 0:
        own = _of_root(text, node) if parent is None else _of_entry(text, parent, number)
        yield from ((place, one) for one in (*own.apart, *own.above, own.behind, *own.inside, *own.below) if one)
    if not isinstance(node, Collection):
        return
    # The kids of the node start behind its key.
    start = parent.kids[2 * number].end if isinstance(parent, Mapping) else start
    entries = positions.entries(node)
    ends = [*(first.start for first, *_ in entries[1:]), stop]
    for index, (entry, end) in enumerate(zip(entries, ends, strict=False)):
        step = (entry[0].value or "") if isinstance(node, Mapping) else index
        yield from _below(text, node, index, entry[-1], (*place, step), (start, end))
        # A comment behind a value in its line is not above the next one.
        start = text.find("\n", max(entry[-1].end - 1, 0), end) + 1 or end


def of(text: str, parent: Collection | None, node: Node) -> Comments:
    """Return the comments of `node`, a value or element of `parent`, None for the root of the text.

    Above a root are the comments before those of its first entry, and below it all behind its last one. If a document
    starts with `---`, the comment in that line is behind the root, and those before that line are apart from it.
    """
    if parent is None:
        return _of_root(text, node)
    return _of_entry(text, parent, positions.index_of(parent, node))


def _of_root(text: str, root: Node) -> Comments:
    top = _first(text, root, is_root=True)
    marker = _START.search(text, 0, top)
    start, end = (0, 0) if marker is None else marker.span()
    behind = "" if marker is None else lines.comment_in(text, end).strip()
    below = _bottom(text, root)
    # Comments behind the end mark of a document belong to no document.
    mark = _END.search(text, below)
    stop = len(text) if mark is None else mark.start()
    # A comment behind the last line of a block is of the last entry. One in the line of a `---` is `behind`.
    is_block = isinstance(root, Collection) and not root.flow
    last = root.end if marker is not None and "\n" not in text[end : root.end] else below
    inside = () if is_block else _loose(text, root.start, last, root)
    return Comments(
        _between(text, 0 if marker is None else lines.next_line(text, start), top),
        behind,
        comment_lines(text, (below, stop)),
        _between(text, 0, start),
        inside + _loose(text, stop, len(text)),
    )


def _of_entry(text: str, parent: Collection, index: int) -> Comments:
    # Entries in brackets share lines: all comments there belong to the outermost brackets.
    if parent.flow:
        return Comments()
    node = positions.entry(parent, index)[-1]
    try:
        above, apart = span_above(text, parent, index), span_apart(text, parent, index)
        start, stop = span_behind(text, parent, node)
    except NotSpliceable:
        return Comments(inside=_around_explicit(text, parent, index))  # its key is explicit, behind a `?`
    below = comment_lines(text, span_below(text, parent, index))
    inside = _inside(text, parent, node)
    return Comments(comment_lines(text, above), text[start:stop].strip(), below, comment_lines(text, apart), inside)


def span_above(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the comment lines above an entry. It is empty behind a dash."""
    positions.require_implicit(text, parent, index)
    start = positions.start(text, parent, index)
    if not lines.is_first(text, start):
        return start, start
    return positions.extent(text, parent, index)[0], lines.line_start(text, start)


def span_apart(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the lines between an entry, with the comments above it, and the entry before it.

    The lines before the first entry of a document belong to the document.
    """
    stop = positions.extent(text, parent, index)[0]
    # Nearly all entries directly follow another one.
    if text[lines.line_start(text, stop - 1) : stop].lstrip()[:1] not in ("", "#"):
        return stop, stop
    if index:
        return positions.stop(text, parent, index - 1), stop
    # Above a first entry are blank lines and comments, up to the line of the parent's key or dash.
    start = lines.loose_above(text, stop)
    is_of_document = start == 0 or _START.match(text, lines.line_start(text, start - 1))
    return (stop, stop) if is_of_document else (start, stop)


def span_below(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the deeper comment lines below an entry, behind those that belong to its own last entry."""
    below = _bottom(text, positions.entry(parent, index)[-1], positions.start(text, parent, index))
    return below, positions.stop(text, parent, index)


def span_behind(text: str, parent: Collection, node: Node) -> tuple[int, int]:
    """Return the span of the comment in the line of a value, with the blanks before it. Without one it is empty."""
    if isinstance(node, Collection) and not node.flow:
        # In `- a: 1 # c` the comment belongs to the entry, not to the element.
        if not positions.stands_below(text, parent, node):
            end = positions.opening(text, parent, node)
            return end, end
        return _in_line(text, positions.opening(text, parent, node))
    if isinstance(node, Scalar) and is_block_scalar(node):
        return _in_line(text, lines.body(text, node) + len(lines.header(text, node)))
    end = lines.ink_end(text, node)
    # An empty value may be marked at its key, before the colon.
    if node.start == node.end:
        end = max(end, positions.opening(text, parent, node))
    return end, end + len(lines.comment_at(text, end))


def _in_line(text: str, position: int) -> tuple[int, int]:
    end = lines.line_end(text, position)
    return end - len(lines.comment_in(text, position)), end


def _inside(text: str, parent: Collection, node: Node) -> tuple[str, ...]:
    """Return the comments between the key or dash of a node and the node itself, and those in brackets."""
    opening = positions.opening(text, parent, node)
    if isinstance(node, Collection) and not node.flow:
        # The comment in the line of the key is behind the collection, not inside.
        return _loose(text, lines.next_line(text, opening), _first(text, node))
    if isinstance(node, Collection):
        return _loose(text, opening, node.end, node)
    return _loose(text, opening, lines.body(text, node))


def _around_explicit(text: str, parent: Collection, index: int) -> tuple[str, ...]:
    """Return all comments of an entry with an explicit key, without those of the entries in its block collection."""
    key, node = positions.entry(parent, index)
    # The comments above the first entry are inside of the collection.
    start = positions.stop(text, parent, index - 1) if index else lines.line_start(text, key.start)
    stop = positions.stop(text, parent, index)
    if not isinstance(node, Collection) or node.flow:
        return _loose(text, start, stop, key, node)
    last = positions.stop(text, node, positions.size(node) - 1)
    return _loose(text, start, _first(text, node), key) + _loose(text, last, stop)


def _first(text: str, node: Node | Collection, *, is_root: bool = False) -> int:
    """Return where the first entry of a node starts with all its comments, or with those above it if it `is_root`."""
    if isinstance(node, Collection) and not node.flow and node.kids:
        try:
            return span_apart(text, node, 0)[is_root]
        except NotSpliceable:
            pass
    return lines.line_start(text, node.first if isinstance(node, Collection) else node.start)


def _loose(text: str, start: int, stop: int, *nodes: Node) -> tuple[str, ...]:
    """Return the comments of a part of a text, as `lines.loose_comments` finds them."""
    return tuple([comment for _, comment in lines.loose_comments(text, start, stop, *nodes)])


def _bottom(text: str, node: Node, start: int = 0) -> int:
    """Return where the lines behind the last entry of a node start, or behind a node without any from `start` on."""
    if isinstance(node, Collection) and not node.flow and node.kids:
        return positions.stop(text, node, positions.size(node) - 1)
    return lines.line_below(text, node, start)


def _between(text: str, start: int, stop: int) -> tuple[str, ...]:
    """Return the lines of a part of a text from the first comment line to the last one."""
    found = [*_COMMENT_LINE.finditer(text, start, stop)]
    return comment_lines(text, (found[0].start(), found[-1].end())) if found else ()


def comment_lines(text: str, span: tuple[int, int]) -> tuple[str, ...]:
    """Return the lines of a part of a text without their margin, from the first comment to the last one."""
    start, stop = span
    return tuple([line.strip() for line in text[start:stop].strip().splitlines()])
