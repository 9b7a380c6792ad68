"""The comments of a node, and comments that are given to it.

Above an entry or element stand the comment lines right over its key or dash, at its column. Behind it stands the
comment in its line: behind a value of one line, in the header of a block scalar, in the line of the key where a
collection starts below that. Below it stand the comment lines that follow its last line and are indented deeper than
it. Apart from it stand all others between the entry before it and those above it. Inside of it are those in brackets,
and between a key and its value: docs/reference/lossless-yaml.md, "Which comment belongs to which node".
"""

from __future__ import annotations

import re

from krm.yamltree import lines, positions
from krm.yamltree.nodes import Collection, Mapping, Scalar, is_block_scalar, leaves
from krm.yamltree.positions import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.nodes import Node


class Comments:
    """The comments of a node, each from its `#` on: the lines `above` and `below` it, and the one `behind` it.

    Where a blank line stands between two of them, an empty text does. Those `inside` can be read, and not be given.
    """

    __slots__ = ("above", "apart", "behind", "below", "inside")

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

    def parts(self) -> tuple[tuple[str, ...], str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the comments of all places."""
        return self.above, self.behind, self.below, self.apart, self.inside

    def __repr__(self) -> str:
        shown = list(self.parts())
        while len(shown) > len(("above", "behind", "below")) and not shown[-1]:
            shown.pop()
        return f"Comments({', '.join(map(repr, shown))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comments) and self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(self.parts())


_NONE = Comments()
_START = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\S)#[^\r\n]*")


class CommentedNode:
    """A node in its text, and the part of the text that its comments are in: from what is above it to what comes next.

    `number` tells which entry or element of `parent` the node is, which is None for the root of the text.
    """

    __slots__ = ("node", "number", "parent", "start", "stop", "text")

    def __init__(self, text: str, parent: Collection | None, number: int, node: Node, start: int, stop: int) -> None:  # noqa: PLR0913 - a place is all of these
        self.text = text
        self.parent = parent
        self.number = number
        self.node = node
        self.start = start
        self.stop = stop

    def comments(self) -> Comments:
        """Return the comments of the node."""
        text, node, parent = self.text, self.node, self.parent
        inside = node.kids[0].start if isinstance(node, Collection) and not node.flow and node.kids else self.stop
        # To ask a node for its comments costs more than to read it, and few have one in front or behind.
        if text.find("#", self.start, inside) < 0 and text.find("#", node.end, self.stop) < 0:
            return _NONE
        if parent is None:
            return of(text, None, node)
        return _NONE if parent.flow else _of_entry(text, parent, self.number)

    def below(self) -> list[CommentedNode]:
        """Return the entries or elements of the node, none for a scalar, or for an alias of some."""
        text, collection = self.text, self.node
        if not isinstance(collection, Collection):
            return []
        start, stop = self._inside(), self.stop
        kids, found = collection.kids, []
        width = 2 if isinstance(collection, Mapping) else 1
        for first in range(0, len(kids), width):
            node, following = kids[first + width - 1], first + width
            end = kids[following].start if following < len(kids) else stop
            found.append(CommentedNode(text, collection, first // width, node, start, end))
            # What stands behind a value in its line is not above the next one.
            start = text.find("\n", max(node.end - 1, 0), end) + 1 or end
        return found

    def _inside(self) -> int:
        """Return where what is in the node may start: behind its key."""
        return self.parent.kids[2 * self.number].end if isinstance(self.parent, Mapping) else self.start


def commented_root(text: str, root: Node) -> CommentedNode:
    """Return the root of a text with all of its comments."""
    return CommentedNode(text, None, 0, root, 0, len(text))


def of(text: str, parent: Collection | None, node: Node) -> Comments:
    """Return the comments of `node`, a value or element of `parent`, None for the root of the text.

    Above a root are the comments before those of its first entry; below it all behind its last one. Where a document
    starts with `---`, the comment in that line is behind it, and those before that are apart from it.
    """
    if parent is None:
        start, stop = span_behind_root(text, node)
        below, end = span_below_root(text, node)
        in_brackets = _loose(text, node.first, node.end, node) if isinstance(node, Collection) and node.flow else ()
        return Comments(
            listed(text, span_above_root(text, node)),
            text[start:stop].strip(),
            listed(text, (below, end)),
            listed(text, span_apart_from_root(text, node)),
            in_brackets + _loose(text, end, len(text)),
        )
    # In brackets lines are shared: all comments there are those of the outermost pair.
    if parent.flow:
        return Comments()
    return _of_entry(text, parent, positions.index_of(parent, node))


def _of_entry(text: str, parent: Collection, index: int) -> Comments:
    node = positions.entry(parent, index)[-1]
    try:
        above, apart = span_above(text, parent, index), span_apart(text, parent, index)
        start, stop = span_behind(text, parent, node)
    except NotSpliceable:
        return Comments(inside=_around_explicit(text, parent, index))  # `?` stands where its comments would
    below = span_below(text, parent, index)
    inside = _inside(text, parent, node)
    return Comments(listed(text, above), text[start:stop].strip(), listed(text, below), listed(text, apart), inside)


def span_above(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the lines above an entry; where it stands behind a dash, an empty one."""
    positions.require_implicit(text, parent, index)
    start = positions.start(text, parent, index)
    if not lines.is_first(text, start):
        return start, start
    return positions.extent(text, parent, index)[0], lines.line_start(text, start)


def span_apart(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the lines between an entry, with the comments above it, and what stands before it.

    Those before the first entry of a document are the document's.
    """
    start = stop = positions.extent(text, parent, index)[0]
    # Nearly all entries follow another one at once.
    if text[lines.line_start(text, stop - 1) : stop].lstrip()[:1] not in ("", "#"):
        return stop, stop
    if index:
        return positions.stop(text, parent, index - 1), stop
    # Above a first entry stand blank lines and comments, up to the line of the key or dash that it is below.
    while start > 0 and lines.is_first(text, stop):
        above = lines.line_start(text, start - 1)
        if text[above:start].lstrip()[:1] not in ("", "#"):
            return (stop, stop) if _START.match(text, above) else (start, stop)
        start = above
    return stop, stop


def span_below(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the deeper comment lines below an entry, behind those that belong to its own last entry."""
    node = positions.entry(parent, index)[-1]
    if isinstance(node, Collection) and not node.flow and node.kids:
        below = positions.stop(text, node, positions.size(node) - 1)
    else:
        below = lines.next_line(text, max(lines.content_end(text, node) - 1, positions.start(text, parent, index)))
    return below, positions.stop(text, parent, index)


def span_behind(text: str, parent: Collection, node: Node) -> tuple[int, int]:
    """Return the span of the comment in the line of a value, with the blanks before it; an empty one where none is."""
    if isinstance(node, Collection) and not node.flow:
        # `- a: 1 # c`: the comment is of the entry in that line, not of the element.
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
        # That in the line of the key is behind the collection.
        return _loose(text, lines.next_line(text, opening), _first(text, node))
    if isinstance(node, Collection):
        return _loose(text, opening, node.end, node)
    return _loose(text, opening, lines.body(text, node))


def _around_explicit(text: str, parent: Collection, index: int) -> tuple[str, ...]:
    """Return all comments of an entry with an explicit key but those of the entries of a block collection below it."""
    key, node = positions.entry(parent, index)
    # Those above the first entry are inside of the collection.
    start = positions.stop(text, parent, index - 1) if index else lines.line_start(text, key.start)
    stop = positions.stop(text, parent, index)
    if not isinstance(node, Collection) or node.flow:
        return _loose(text, start, stop, key, node)
    last = positions.stop(text, node, positions.size(node) - 1)
    return _loose(text, start, _first(text, node), key) + _loose(text, last, stop)


def _first(text: str, node: Collection) -> int:
    """Return where the first entry of a block collection starts, with all comments that are its own."""
    try:
        return span_apart(text, node, 0)[0]
    except NotSpliceable:
        return lines.line_start(text, node.first)


def _loose(text: str, start: int, stop: int, *nodes: Node) -> tuple[str, ...]:
    """Return the comments of a part of a text, as `loose` finds them."""
    return tuple([comment for _, comment in loose(text, start, stop, *nodes)])


def loose(text: str, start: int, stop: int, *nodes: Node) -> Iterator[tuple[int, str]]:
    """Yield each comment of a part of a text, in which the leaves of these nodes are, behind its position."""
    for leaf in (leaf for node in nodes for leaf in leaves(node)):
        for found in _COMMENT.finditer(text, start, lines.body(text, leaf)):
            yield found.start(), found[0]
        if is_block_scalar(leaf) and (inside := lines.comment_inside(text, leaf)):
            yield leaf.start, inside.strip()
        start = leaf.end
    for found in _COMMENT.finditer(text, start, max(start, stop)):
        yield found.start(), found[0]


def span_above_root(text: str, root: Node) -> tuple[int, int]:
    """Return the span of the comment lines above the first entry of a root, and above the comments of that."""
    top = _top(text, root)
    marker = _START.search(text, 0, top)
    return _commented(text, 0 if marker is None else lines.next_line(text, marker.start()), top)


def span_apart_from_root(text: str, root: Node) -> tuple[int, int]:
    """Return the span of the comment lines above the `---` of a document."""
    marker = _START.search(text, 0, _top(text, root))
    return (0, 0) if marker is None else _commented(text, 0, marker.start())


def span_behind_root(text: str, root: Node) -> tuple[int, int]:
    """Return the span of the comment behind the `---` of a document, with the blanks before it."""
    marker = _START.search(text, 0, _top(text, root))
    return (0, 0) if marker is None else _in_line(text, marker.end())


def _top(text: str, root: Node) -> int:
    """Return where the first entry of a root starts with the comments above it, at the start of a line."""
    if isinstance(root, Collection) and not root.flow and root.kids:
        try:
            return positions.extent(text, root, 0)[0]
        except NotSpliceable:
            pass
    return lines.line_start(text, root.start)


def _commented(text: str, start: int, stop: int) -> tuple[int, int]:
    """Return the span from the first to the last comment line of a part of a text, an empty one at its end if none."""
    found = [line for line in _line_starts(text, start, stop) if text[line:stop].lstrip(" \t").startswith("#")]
    return (found[0], lines.next_line(text, found[-1])) if found else (stop, stop)


def span_below_root(text: str, root: Node) -> tuple[int, int]:
    """Return the span of the lines behind the last entry of a root."""
    if isinstance(root, Collection) and not root.flow and root.kids:
        end = positions.stop(text, root, positions.size(root) - 1)
    else:
        end = lines.next_line(text, max(lines.content_end(text, root) - 1, 0))
    # What stands behind the end mark of a document is of no document.
    stop = next((start for start in _line_starts(text, end, len(text)) if text.startswith("...", start)), len(text))
    return end, stop


def _line_starts(text: str, start: int, stop: int) -> list[int]:
    found = []
    while start < stop:
        found.append(start)
        start = lines.next_line(text, start)
    return found


def listed(text: str, span: tuple[int, int]) -> tuple[str, ...]:
    """Return the lines of a part of a text without their margin, from the first comment to the last one."""
    start, stop = span
    return tuple([line.strip() for line in text[start:stop].strip().splitlines()])
