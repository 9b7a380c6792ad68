"""Blocks: a block collection of one side as its lines, and the entries in it.

Every line of a block belongs to an entry, or is a comment or a blank line by itself. A comment below an entry is inside
of it while it is indented deeper than the entry.
"""

from __future__ import annotations

from bisect import bisect_right

from krm.file import START
from krm.yamltree.nodes import Mapping, Scalar, Sequence, is_block_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document


class OddError(Exception):
    """A collection is not written line by line: it has an explicit key, say."""

    def __init__(self) -> None:
        super().__init__("a document is not written line by line, with one key or one dash in a line")


class BlockLines:
    """The text of one side as lines, and the document that was read from it."""

    __slots__ = ("_starts", "document", "lines", "text")

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.document = document
        self.lines = [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def line(self, position: int) -> int:
        """Return the number of the line in which a character stands."""
        return bisect_right(self._starts, position) - 1

    def column(self, position: int) -> int:
        """Return the column of a character."""
        return position - self._starts[self.line(position)]

    def is_content(self, number: int) -> bool:
        """Return True if a line is neither blank nor a comment."""
        return self.lines[number].strip()[:1] not in ("", "#")

    def last_line(self, node: Node) -> int:
        """Return the number of the last line of a node. Blank lines behind a text are in it if the text keeps them."""
        first = self.line(node.start)
        # Most values stand in one line.
        if node.end <= self._starts[first + 1]:
            return first
        keeps = is_block_scalar(node) and "+" in self.lines[first]
        written = self.text[node.start : node.end]
        return self.line(max(node.start, node.start + len(written if keeps else written.rstrip()) - 1))


class Entry:
    """An entry of a block: its key, its value, and its lines from `first` to the one ahead of `end`.

    An element of a list has no key.
    """

    __slots__ = ("block", "end", "first", "key", "node")

    def __init__(self, block: Block, key: Node | None, node: Node, first: int, end: int) -> None:
        self.block = block
        self.key = key
        self.node = node
        self.first = first
        self.end = end

    @property
    def text(self) -> str:
        """The lines of the entry as they come out."""
        return self.block.text(self.first, self.end)

    @property
    def head(self) -> str:
        """The first line of the entry as it comes out."""
        return self.block.line(self.first)

    def inner(self) -> Block | None:
        """Return the value as a block, None where it is none."""
        node, block = self.node, self.block
        if not isinstance(node, (Mapping, Sequence)) or node.flow:
            return Block(block.source, None, self.first + 1, self.end, block.shift) if is_empty(node) else None
        first = block.source.line(node.first)
        if first > self.first:
            is_apart = any(map(block.source.is_content, range(self.first + 1, first)))
            return None if is_apart else Block(block.source, node, self.first + 1, self.end, block.shift)
        return Block(block.source, node, first, self.end, block.shift, is_behind_dash=True)


class Block:
    """The lines of a collection from `first` to the one ahead of `end`, moved by `shift` columns.

    A `node` of None stands for a collection of comments alone. With `is_behind_dash` the first line starts with the
    dash of the list around it, which does not belong to the block.
    """

    __slots__ = ("end", "first", "is_behind_dash", "node", "outer", "shift", "source")

    def __init__(  # noqa: PLR0913 - where a block is
        self,
        source: BlockLines,
        node: Mapping | Sequence | None,
        first: int,
        end: int,
        shift: int,
        *,
        is_behind_dash: bool = False,
    ) -> None:
        self.source = source
        self.node = node
        self.first = first
        self.end = end
        self.shift = shift
        self.outer = 0
        self.is_behind_dash = is_behind_dash

    @property
    def column(self) -> int:
        """The column of the entries in the source."""
        return 0 if self.node is None else self.node.column

    @property
    def _margin(self) -> int:
        return self.column + self.shift

    def text(self, first: int, end: int) -> str:
        """Return lines of the block as they come out."""
        # At each depth the lines below are put together again.
        if not self.shift and not (self.is_behind_dash and first == self.first):
            return "".join(self.source.lines[first:end])
        return "".join([self.line(number) for number in range(first, end)])

    def line(self, number: int) -> str:
        """Return a line of the block as it comes out, without the dash of the list around it."""
        line = self.source.lines[number]
        if number == self.first and self.is_behind_dash:
            line = " " * self.column + line[self.column :]
        return shifted(line, self.shift)

    def entries(self) -> list[Entry]:
        """Return the entries of the block, in their order. OddError if they do not stand line by line."""
        found = [*self._entries()]
        for number, entry in enumerate(found):
            end = found[number + 1].first if number + 1 < len(found) else self.end
            entry.end = self._end_of_comments(entry.end, end)
        return found

    def _entries(self) -> Iterator[Entry]:
        node, source = self.node, self.source
        if isinstance(node, Mapping):
            for key, value in node.pairs():
                first = source.line(key.start)
                self._check_ahead(first, source.column(key.start))
                yield Entry(self, key, value, first, max(first, source.last_line(value)) + 1)
        elif node is not None:
            end = self.first
            for value in node.kids:
                first = self._dash(end)
                end = max(first, source.last_line(value)) + 1
                yield Entry(self, None, value, first, end)

    def _check_ahead(self, number: int, column: int) -> None:
        """Raise OddError if something but a dash stands ahead of a key in its line."""
        ahead = self.source.lines[number][:column].strip()
        if ahead and not (number == self.first and self.is_behind_dash and not ahead.strip(" -")):
            raise OddError

    def _dash(self, number: int) -> int:
        """Return the number of the line of the next dash."""
        for line in range(number, self.end):
            if self.source.is_content(line) and self.line(line)[self._margin :][:1] == "-":
                return line
        raise OddError

    def _end_of_comments(self, number: int, end: int) -> int:
        """Return the end of an entry: comments below it that are indented deeper are inside."""
        for line in range(number, end):
            written = self.source.lines[line]
            if written.strip():
                if len(written) - len(written.lstrip(" ")) <= self.column:
                    break
                number = line + 1
        return number


def of_document(text: str, document: Document) -> Block:
    """Return a document as a block, behind the line that starts it. OddError if it is no block collection."""
    root = document.root
    if not isinstance(root, (Mapping, Sequence)) or root.flow:
        raise OddError
    source = BlockLines(text, document)
    start = next(filter(source.is_content, range(len(source.lines))))
    is_start = source.lines[start].split("#")[0].rstrip() == START
    return Block(source, root, start + 1 if is_start else 0, len(source.lines), 0)


def is_empty(node: Node) -> bool:
    """Return True for what may become a collection: a value that is not written, `{}` or `[]`."""
    if isinstance(node, Scalar):
        return node.start == node.end
    return isinstance(node, (Mapping, Sequence)) and node.flow and not node.kids and node.start == node.first


def shifted(line: str, columns: int) -> str:
    """Return a line that stands some columns further to the right, or to the left as far as there is room."""
    if not columns or not line.strip("\r\n"):
        return line
    room = len(line) - len(line.lstrip(" "))
    return " " * columns + line if columns > 0 else line[min(room, -columns) :]
