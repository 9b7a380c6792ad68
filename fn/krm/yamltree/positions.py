"""Positions of the entries of a collection in its text, and lines laid out for them."""

from __future__ import annotations

from bisect import bisect_left

from krm.yamltree import lines, style
from krm.yamltree.nodes import Collection, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node

ODD = "it cannot be changed in place"


class NotSpliceable(Exception):  # noqa: N818 - it is no error yet
    """The change cannot be made by a splice here: a larger node around it, `blame`, has to be written again."""

    def __init__(self, problem: str, blame: Collection | None = None) -> None:
        super().__init__(problem)
        self.blame = blame


def size(parent: Collection) -> int:
    """Return how many elements or entries `parent` has."""
    return len(parent.kids) // _width(parent)


def entry(parent: Collection, index: int, count: int = 1) -> list[Node]:
    """Return the element at `index` or, of a mapping, the key and the value; `count` of these from there on."""
    width = _width(parent)
    return parent.kids[index * width : (index + count) * width]


def entries(parent: Collection) -> list[list[Node]]:
    """Return the elements of `parent`, each alone in a list or, of a mapping, the keys with their values."""
    return [entry(parent, index) for index in range(size(parent))]


def index_of(parent: Collection, node: Node | Collection) -> int:
    """Return which element `node` is, or which entry it is the key or value of."""
    # Found by its position, for a list of 10,000 elements is asked for each of them.
    kids = parent.kids
    number = bisect_left(kids, node.start, key=_start)
    # An empty node may start where its key or the node before it does.
    while kids[number] is not node:
        number += 1
    return number // _width(parent)


def start(text: str, parent: Collection, index: int) -> int:
    """Return where the entry or element at `index` starts: its key, its dash or, in brackets, the element itself."""
    if isinstance(parent, Mapping) or parent.flow:
        return parent.kids[_width(parent) * index].start
    # Only the first dash is marked by the parser. The others are found by their column, above their element.
    if index == 0:
        return parent.first
    above = floor(text, parent, index)
    return text.index("\n" + " " * parent.column + "-", max(above - 1, 0)) + 1 + parent.column


def floor(text: str, parent: Collection, index: int) -> int:
    """Return where the entry or element before that at `index` ends."""
    return lines.content_end(text, entry(parent, index - 1)[-1]) if index else 0


def extent(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return where the entry or element at `index` of a block collection starts and stops, its comments included.

    It starts and stops at the start of a line, but for one in the line of a dash, which starts behind that.
    """
    require_implicit(text, parent, index)
    first = start(text, parent, index)
    # Behind a dash there is no line above that could be its own.
    if lines.is_first(text, first):
        first = lines.own_comments(text, first, parent.column, floor(text, parent, index))
    return first, stop(text, parent, index)


def stop(text: str, parent: Collection, index: int) -> int:
    """Return where the lines of the entry or element at `index` of a block collection stop, with deeper comments."""
    last = entry(parent, index)[-1]
    end = lines.content_end(text, last)
    below = lines.next_line(text, max(end - 1, start(text, parent, index)))
    return lines.past_deeper_comments(text, below, parent.column)


def comments_above(text: str, parent: Collection, index: int) -> list[str]:
    """Return the comment lines that belong to an entry or element of a block collection, without their margin."""
    above = text[extent(text, parent, index)[0] : start(text, parent, index)]
    return [line.strip() for line in above.splitlines() if line.strip()]


def opening(text: str, parent: Collection, node: Node | Collection) -> int:
    """Return the position behind the colon or dash that `node` follows; in a flow list, where it starts."""
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
    """Raise NotSpliceable where the entry at `index` has an explicit key."""
    if _is_explicit(text, parent, index):
        raise NotSpliceable("its key is written with `?`")


def require_brackets(text: str, parent: Collection) -> None:
    """Raise NotSpliceable where the flow collection `parent` has none: `[a: b]` is a list of one such mapping."""
    if text[parent.first] != ("{" if isinstance(parent, Mapping) else "["):
        raise NotSpliceable("it is a single pair in a flow list")


def spread(text: str, position: int, written: str) -> str:
    """Return what is written in brackets, on several lines perhaps, as a text to put at `position`."""
    return joined(text, position, written.split("\n"), lines.indentation(text, position))


def joined(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text to put at `position`, all but the first one indented to `column`."""
    return lines.newline(text, position).join([new[0], *style.indented(new[1:], column)])


def below(text: str, position: int, new: list[str], column: int) -> str:
    """Return lines as one text to put at `position` that starts with a line end."""
    return "".join(lines.newline(text, position) + line for line in style.indented(new, column))


def _start(node: Node) -> int:
    return node.start


def _width(parent: Collection) -> int:
    return 2 if isinstance(parent, Mapping) else 1


def _is_explicit(text: str, parent: Collection, index: int) -> bool:
    """True if the entry at `index` is written with `? `: then its key does not stand at the mapping's column."""
    if not isinstance(parent, Mapping) or parent.flow:
        return False
    return lines.column(text, parent.kids[2 * index].start) != parent.column
