"""Positions of the entries of a collection in its text, lines laid out for them, and excerpts.

An excerpt is an entry or a value as lines that can be inserted at another place, or into another text, with its
comments and quotes. The lines start at column 0. At their new place they get the margin and the line ends of their
neighbours. NotSpliceable if the lines alone would mean something else there.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from krm.yamltree import edits, lines, parser, style
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, is_block_scalar, leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.yamltree.nodes import Node

ODD = "it cannot be changed in place"


class NotSpliceable(Exception):  # noqa: N818 - it is no error yet
    """The change cannot be made by a splice here, at `start` of the text if that is known."""

    def __init__(self, problem: str, start: int = -1) -> None:
        super().__init__(problem)
        self.start = start


def size(parent: Collection) -> int:
    """Return the number of elements or entries of `parent`."""
    return len(parent.kids) // _width(parent)


def entry(parent: Collection, index: int) -> list[Node]:
    """Return the element at `index` or, of a mapping, the key and the value."""
    width = _width(parent)
    return parent.kids[index * width : (index + 1) * width]


def entries(parent: Collection) -> list[list[Node]]:
    """Return the elements of `parent`, each alone in a list or, of a mapping, the keys with their values."""
    kids, width = parent.kids, _width(parent)
    return [kids[number : number + width] for number in range(0, len(kids), width)]


def index_of(parent: Collection, node: Node | Collection) -> int:
    """Return the index of the element `node`, or of the entry with the key or value `node`."""
    # It is found by a bisection, since callers ask for each element of a list of 10,000.
    kids = parent.kids
    number = bisect_left(kids, node.start, key=attrgetter("start"))
    # An empty node may start where its key or the node before it does.
    while kids[number] is not node:
        number += 1
    return number // _width(parent)


def start(text: str, parent: Collection, index: int) -> int:
    """Return where the entry or element at `index` starts: its key, its dash or, in brackets, the element itself."""
    if isinstance(parent, Mapping) or parent.flow:
        return parent.kids[_width(parent) * index].start
    return dash(text, parent, index, floor(text, parent, index))


def dash(text: str, parent: Collection, index: int, behind: int) -> int:
    """Return the position of the dash of an element of a block list. `behind` is the end of the one before."""
    # Only the first dash is marked by the parser. The others are found by their column, above their element.
    if index == 0:
        return parent.first
    start, stop = " " * parent.column + "-", parent.kids[index].start
    at = text.find(f"\n{start}", max(behind - 1, 0), stop)
    # A parser takes other characters for line ends, too.
    at = max(text.rfind(end + start, 0, stop) for end in "\r\x85\u2028\u2029") if at < 0 else at
    return at + len(start)


def floor(text: str, parent: Collection, index: int) -> int:
    """Return the end of the entry or element before the one at `index`."""
    return lines.content_end(text, entry(parent, index - 1)[-1]) if index else 0


def extent(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return where the entry or element at `index` of a block collection starts and stops, with its comments.

    It starts and stops at the start of a line. An entry in the line of a dash starts behind the dash.
    """
    require_implicit(text, parent, index)
    first = start(text, parent, index)
    # An entry behind a dash has no lines above it.
    if lines.is_first(text, first):
        first = lines.own_comments(text, first, parent.column, floor(text, parent, index))
    return first, stop(text, parent, index)


def stop(text: str, parent: Collection, index: int) -> int:
    """Return the end of the lines of the entry or element at `index` of a block collection, with deeper comments."""
    below = lines.line_below(text, entry(parent, index)[-1], start(text, parent, index))
    return lines.past_deeper_comments(text, below, parent.column)


def opening(text: str, parent: Collection, node: Node | Collection) -> int:
    """Return the position behind the colon or dash before `node`. In a flow list it is the start of `node`."""
    index = index_of(parent, node)
    if isinstance(parent, Mapping):
        require_implicit(text, parent, index)
        return text.index(":", parent.kids[2 * index].end) + 1
    return node.start if parent.flow else start(text, parent, index) + 1


def stands_below(text: str, parent: Collection, node: Node | Collection) -> bool:
    """True if `node` starts in a line below its key or dash, as block mappings do."""
    if parent.flow or _is_explicit(text, parent, index_of(parent, node)):
        return False
    first = node.first if isinstance(node, Collection) else node.start
    return "\n" in text[opening(text, parent, node) : first]


def require_implicit(text: str, parent: Collection, index: int) -> None:
    """Raise NotSpliceable if the entry at `index` has an explicit key."""
    if _is_explicit(text, parent, index):
        raise NotSpliceable("its key is written with `?`")


def require_plain_lines(text: str, root: Node | None) -> None:
    """Raise EditError for a line that ends in another way than LF and CRLF."""
    # This is checked before anything is written: to YAML such a line is two lines, so positions by lines are wrong.
    odd = lines.odd_break(text, root)
    if odd is not None:
        raise EditError(lines.ODD, lines.number(text, odd))


def spread(text: str, position: int, written: str) -> str:
    """Return a text in brackets, on one or several lines, laid out for `position`."""
    return joined(text, position, written.split("\n"), lines.indentation(text, position))


def joined(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text for `position`. All but the first one are indented to `column`."""
    return lines.newline(text, position).join([new[0], *style.indented(new[1:], column)])


def below(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text for `position`. It starts with a line end."""
    return "".join(lines.newline(text, position) + line for line in style.indented(new, column))


def _width(parent: Collection) -> int:
    return 2 if isinstance(parent, Mapping) else 1


def _is_explicit(text: str, parent: Collection, index: int) -> bool:
    """True if the entry at `index` is written with `? `: then its key is not at the column of the mapping."""
    if not isinstance(parent, Mapping) or parent.flow:
        return False
    return lines.column(text, parent.kids[2 * index].start) != parent.column


def closed(text: str, node: Node | Collection, changes: list[Edit]) -> list[Edit]:
    """Return the edit after which `node` has the same data above other lines, none if it has already.

    At the end of a text a block scalar may have no line end. A line end that is added would belong to its text, unless
    there is a `-` in its header. The other `changes` may delete the block.
    """
    last = lines.last_leaf(node)
    if last.end < len(text) or not is_block_scalar(last) or last.value[-1:] in ("", "\n"):
        return []
    start, header = lines.body(text, last), lines.header(text, last)
    edit = Edit(start, start + len(header), header.replace("+", "") + "-")
    is_left = not any(one.start < edit.end and edit.start < one.end for one in changes)
    return [edit] if is_left and "-" not in header else []


def ended(text: str) -> str:
    r"""Return a document that ends with a line end.

    A block scalar at its end keeps its value: `a: |\n  x` without a line end becomes `a: |-\n  x\n`.
    """
    # Without a line end the next `---` would become a part of the last line.
    if text.endswith("\n"):
        return text
    documents = parser.parse_all(text)
    root = documents[-1].root if documents else None
    return edits.apply(text, () if root is None else closed(text, root, [])) + lines.newline(text, len(text))


class Excerpts:
    """Takes excerpts of `text` after its `edits`.

    `indents_lists` is true if lists at the new place of the lines are indented more than their keys. None keeps
    all lists as they are written.
    """

    def __init__(self, text: str, changes: list[Edit], *, indents_lists: bool | None = None) -> None:
        self.text = text
        self.edits = sorted(changes, key=edits.position)
        self._starts = [edit.start for edit in self.edits]
        # After an edit of the lines, positions in the source do not show any more which lines belong to a list.
        self.indents_lists = None if changes else indents_lists

    def entry(self, parent: Collection, index: int) -> list[str]:
        """Return the lines of an entry or element of a block collection, with the comments that belong to it."""
        return self._lines(*extent(self.text, parent, index), parent.column, parent, entry(parent, index))

    def below(self, parent: Collection | None, node: Mapping | Sequence) -> list[str]:
        """Return the lines of a block collection and of the comments above it, without its key."""
        if node.tag is not None:
            raise NotSpliceable(ODD)
        start = node.first
        if parent is not None and stands_below(self.text, parent, node):
            start = lines.next_line(self.text, opening(self.text, parent, node))
        margin = -1 if parent is None else parent.column
        stop = lines.next_line(self.text, lines.last_line_end(self.text, node, margin))
        return self._lines(start, stop, node.column, node, node.kids)

    def beside_key(self, parent: Collection | None, node: Node) -> list[str]:
        """Return the lines of a scalar or a flow collection, as if its key stood at column 0."""
        column = 0 if parent is None else parent.column
        return self._lines(node.start, lines.content_end(self.text, node), column, None, [node])

    def alone(self, parent: Collection, node: Mapping | Sequence) -> list[str]:
        """Return the lines of an element, or of the value of an entry, as those of a document."""
        if not node.flow:
            return self.below(parent, node)
        line = self.text[lines.line_start(self.text, node.first) : node.first]
        stop = node.end + len(lines.comment_at(self.text, node.end))
        return self._lines(node.first, stop, len(line) - len(line.lstrip(" ")), None, [node])

    def part(self, start: int, stop: int, also: Iterable[Edit] = ()) -> str:
        """Return the characters from `start` up to `stop`, with the edits that are made, and those in `also`.

        NotSpliceable if an edit goes beyond them.
        """
        first = bisect_left(self._starts, start)
        # Edits are sorted, so those of one entry are a slice: a list of 10,000 moves in linear time.
        inside = self.edits[first : bisect_left(self._starts, stop + 1)]
        if any(edit.end > start for edit in self.edits[max(first - 1, 0) : first]) or any(e.end > stop for e in inside):
            raise NotSpliceable(ODD)
        return edits.part(self.text, start, stop, (*inside, *also))

    def _lines(self, start: int, stop: int, column: int, parent: Collection | None, kids: list[Node]) -> list[str]:
        # At the new place, other lines may follow.
        part = self.part(start, stop, closed(self.text, kids[-1], self.edits))
        # A parser sees two lines in such a line, and only the first one would be moved. In quotes no column counts.
        quoted = (leaf for kid in kids for leaf in leaves(kid) if isinstance(leaf, Scalar) and leaf.style in ("'", '"'))
        if lines.ODD_BREAKS.search(part) and lines.odd_break(self.text[:stop], *quoted, start=start) is not None:
            raise NotSpliceable(ODD)
        found = part.replace("\r\n", "\n").removesuffix("\n").split("\n")
        # The first line starts in the middle of a line (after `- ` or `key: `), so it has no margin to remove.
        with_margin = 0 if start == lines.line_start(self.text, start) else 1
        found[with_margin:] = [style.moved_left(line, column) for line in found[with_margin:]]
        if self.indents_lists is not None:
            for first, last, columns in self._habits(parent, kids):
                self._shift(found, start, first, last, columns)
        return found

    def _habits(self, parent: Collection | None, kids: list[Node]) -> Iterator[tuple[int, int, int]]:
        """Yield the start and the end of lists that are indented otherwise than at their new place, and by how much."""
        for kid in kids:
            if not isinstance(kid, Collection) or kid.flow:
                continue
            # `key:\n- a` and `key:\n  - a` are the same data. A text has one of the two, and inserted lines get it.
            if isinstance(parent, Mapping) and isinstance(kid, Sequence):
                indented = kid.column - parent.column
                if (indented > 0) != self.indents_lists:
                    yield (
                        kid.first,
                        lines.last_line_end(self.text, kid, kid.column),
                        2 if self.indents_lists else -indented,
                    )
            yield from self._habits(kid, kid.kids)

    def _shift(self, found: list[str], start: int, first: int, last: int, columns: int) -> None:
        """Move the lines of `found`, which were at `start`, that were between `first` and `last`."""
        top = self.text.count("\n", start, first)
        below = top + self.text.count("\n", first, last) + 1
        while top > 0 and found[top - 1].lstrip().startswith("#"):
            top -= 1
        for index in range(top, below):
            found[index] = style.shifted(found[index], columns)


def is_self_contained(node: Node) -> bool:
    """True if `node` means the same in another text: no anchor, alias or merge key is in it."""
    if isinstance(node, Alias) or node.anchor is not None:
        return False
    if isinstance(node, Scalar):
        return True
    if isinstance(node, Mapping) and node.merge_key() is not None:
        return False
    return all(map(is_self_contained, node.kids))
