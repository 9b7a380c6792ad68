"""An entry or value of a text as lines that can be put into another place, or into another text.

Comments, quotes and everything inside come with it. The lines start at column 0; where they come in they get the
margin and the line ends of their new neighbours. NotSpliceable where lines would not tell all.
"""

from __future__ import annotations

from bisect import bisect_left

from krm.yamltree import edits, lines, positions, splices
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence
from krm.yamltree.positions import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.yamltree.nodes import Node


class Excerpts:
    """Takes excerpts of `text`, with the changes of it that are `made`.

    With `indents_lists`, lists are indented more than their keys, as where the lines come in. None leaves them as they
    are written.
    """

    __slots__ = ("_starts", "indents_lists", "made", "text")

    def __init__(self, text: str, made: list[Edit], *, indents_lists: bool | None = None) -> None:
        self.text = text
        self.made = sorted(made, key=edits.position)
        self._starts = [edit.start for edit in self.made]
        # Once lines are changed, positions in the source no longer say which of them belong to which list.
        self.indents_lists = None if made else indents_lists

    def entry(self, parent: Collection, index: int) -> list[str]:
        """Return the lines of an entry or element of a block collection, with the comments that belong to it."""
        return self.entries(parent, index, 1, positions.extent(self.text, parent, index))

    def entries(self, parent: Collection, index: int, count: int, span: tuple[int, int]) -> list[str]:
        """Return the lines of a span that has so many entries or elements of a block collection, from `index` on."""
        return self._lines(*span, parent.column, parent, positions.entry(parent, index, count))

    def below(self, parent: Collection | None, node: Mapping | Sequence) -> list[str]:
        """Return the lines of a block collection and of the comments above it, without its key."""
        if node.tag is not None:
            raise NotSpliceable(positions.ODD)
        start = node.first
        if parent is not None and positions.stands_below(self.text, parent, node):
            start = lines.next_line(self.text, positions.opening(self.text, parent, node))
        margin = -1 if parent is None else parent.column
        stop = lines.next_line(self.text, lines.last_line_end(self.text, node, margin))
        return self._lines(start, stop, node.column, node, node.kids)

    def beside_key(self, parent: Collection | None, node: Node) -> list[str]:
        """Return the lines of a scalar or a flow collection, as if its key stood at column 0."""
        column = 0 if parent is None else parent.column
        return self._lines(node.start, lines.content_end(self.text, node), column, None, [node])

    def alone(self, parent: Collection, node: Mapping | Sequence) -> list[str]:
        """Return the lines of an element, or of the value of an entry, as those of a document, with its comments."""
        above = [] if parent.flow else self._comments(parent, node)
        if not node.flow:
            return [*above, *self.below(parent, node)]
        line = self.text[lines.line_start(self.text, node.first) : node.first]
        stop = node.end + len(lines.comment_at(self.text, node.end))
        return [*above, *self._lines(node.first, stop, len(line) - len(line.lstrip(" ")), None, [node])]

    def part(self, start: int, stop: int, also: Iterable[Edit] = ()) -> str:
        """Return the characters from `start` up to `stop`, changed, `also` by edits that are not made.

        NotSpliceable where a change goes beyond them.
        """
        first = bisect_left(self._starts, start)
        # Edits are sorted, so those of one entry are a slice: a list of 10,000 moves in linear time.
        inside = self.made[first : bisect_left(self._starts, stop + 1)]
        if any(edit.end > start for edit in self.made[max(first - 1, 0) : first]) or any(e.end > stop for e in inside):
            raise NotSpliceable(positions.ODD)
        moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in (*inside, *also)]
        return edits.apply(self.text[start:stop], moved)

    def _comments(self, parent: Collection, node: Node) -> list[str]:
        """Return the comments above the key or dash of `node`, and in the line of that if `node` stands below it."""
        index = positions.index_of(parent, node)
        start = positions.start(self.text, parent, index)
        above = lines.own_comments(self.text, start, parent.column, positions.floor(self.text, parent, index))
        found = [line.strip() for line in self.text[above : lines.line_start(self.text, start)].splitlines()]
        if positions.stands_below(self.text, parent, node):
            found.append(lines.comment_in(self.text, positions.opening(self.text, parent, node)).strip())
        return [comment for comment in found if comment]

    def _lines(self, start: int, stop: int, column: int, parent: Collection | None, kids: list[Node]) -> list[str]:
        # Where lines come in, others may follow.
        part = self.part(start, stop, splices.closed(self.text, kids[-1], self.made))
        # Moved to another column, such a line would be cut where a parser sees two.
        if lines.ODD_BREAKS.search(part):
            raise NotSpliceable(positions.ODD)
        found = part.replace("\r\n", "\n").removesuffix("\n").split("\n")
        # The first line starts in the middle of a line (after `- ` or `key: `), so it has no margin to remove.
        with_margin = 0 if start == lines.line_start(self.text, start) else 1
        found[with_margin:] = [_moved_left(line, column) for line in found[with_margin:]]
        if self.indents_lists is not None:
            for first, last, columns in self._habits(parent, kids):
                self._shift(found, start, first, last, columns)
        return found

    def _habits(self, parent: Collection | None, kids: list[Node]) -> Iterator[tuple[int, int, int]]:
        """Yield where lists start and end that are indented in another way than those where they come in."""
        for kid in kids:
            if not isinstance(kid, Collection) or kid.flow:
                continue
            # `key:\n- a` and `key:\n  - a` say the same. A text keeps to one of them, and so does what comes in.
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
            line = found[index]
            found[index] = " " * columns + line if columns > 0 and line else _moved_left(line, -columns)


def is_self_contained(node: Node) -> bool:
    """True if `node` means the same in another text: no anchor, alias or merge key is in it."""
    if isinstance(node, Alias) or node.anchor is not None:
        return False
    if isinstance(node, Scalar):
        return True
    if isinstance(node, Mapping) and node.merge_key() is not None:
        return False
    return all(map(is_self_contained, node.kids))


def _moved_left(line: str, columns: int) -> str:
    """Return `line` without as much of its margin; of a smaller one nothing is left."""
    margin = " " * columns
    return line[columns:] if line.startswith(margin) else line.lstrip(" ")
