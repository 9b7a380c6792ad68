"""Blocks: a collection of one side as its lines, and the entries in it.

Every line of a block belongs to an entry, or is a comment or a blank line by itself. Without brackets a comment below
an entry is inside of it while it is indented deeper than the entry.
"""

from __future__ import annotations

from bisect import bisect_right

from krm.file import START
from krm.merge.lines import brackets
from krm.yamltree.nodes import Mapping, Sequence, is_block_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document

    Form: TypeAlias = tuple[type, bool, bool, bool]


class OddError(Exception):
    """A collection is not written line by line: it has an explicit key, say."""

    def __init__(self) -> None:
        super().__init__("its lines do not tell what becomes of it: merge it by hand")


class BlockLines:
    """The text of one side as lines, and the document that was read from it.

    `starts` has their places in the text, and `inner` the numbers of those that start within a line of the text.
    """

    __slots__ = ("_opened", "document", "inner", "lines", "starts", "text")

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.document = document
        self.lines, self.starts, self.inner, self._opened = brackets.cut(text, document.root)

    def line(self, position: int) -> int:
        """Return the number of the line in which a character stands."""
        return bisect_right(self.starts, position) - 1

    def whole(self, number: int) -> str:
        """Return the rest of the text's line in which a line starts."""
        start = self.starts[number]
        end = self.text.find("\n", start)
        return f"{self.text[start : end if end >= 0 else len(self.text)]}\n"

    def column(self, position: int) -> int:
        """Return the column of a character."""
        return position - self.starts[self.line(position)]

    def is_opened(self, node: Node) -> bool:
        """Return True for a collection in brackets of which each entry has a line."""
        return id(node) in self._opened

    def is_content(self, number: int) -> bool:
        """Return True if a line is neither blank nor a comment."""
        return self.lines[number].strip()[:1] not in ("", "#")

    def last_line(self, node: Node) -> int:
        """Return the number of the last line of a node. Blank lines behind a text are in it if the text keeps them."""
        first = self.line(node.start)
        # Most values stand in one line.
        if node.end <= self.starts[first + 1]:
            return first
        keeps = is_block_scalar(node) and "+" in self.lines[first]
        written = self.text[node.start : node.end]
        return self.line(max(node.start, node.start + len(written if keeps else written.rstrip()) - 1))


class Entry:
    """An entry of a block: its key, its value, and its lines from `first` to the one ahead of `end`.

    An element of a list has no key. From the line `below` on there are comments alone.
    """

    __slots__ = ("below", "block", "end", "first", "key", "node")

    def __init__(self, block: Block, key: Node | None, node: Node, first: int, end: int) -> None:
        self.block = block
        self.key = key
        self.node = node
        self.first = first
        self.below = self.end = end

    @property
    def text(self) -> str:
        """The lines of the entry as they come out."""
        return self.block.text(self.first, self.end)

    @property
    def head(self) -> str:
        """The first line of the entry as it comes out."""
        return self.block.line(self.first)

    @property
    def line(self) -> str:
        """The line of the text in which the entry starts, as it comes out; in brackets its own line."""
        if self.block.is_in_brackets:
            return self.head
        return self.block.moved(self.block.source.whole(self.first), is_first=self.first == self.block.first)

    def inner(self) -> Block | None:
        """Return the value as a block, None where it is none."""
        node, source, shift = self.node, self.block.source, self.block.shift
        if not isinstance(node, (Mapping, Sequence)):
            is_written = node.start < node.end
            return None if is_written else Block(source, None, self.first + 1, self.end, shift, 0)
        first = source.line(node.first)
        if node.flow:
            return _in_brackets(source, node, shift, self.block.column) if first == self.first else None
        if first > self.first:
            is_apart = any(map(source.is_content, range(self.first + 1, first)))
            return None if is_apart else Block(source, node, self.first + 1, self.end, shift, node.column)
        return Block(source, node, first, self.end, shift, node.column, is_behind_dash=True)


class Block:
    """The lines of a collection from `first` to the one ahead of `end`, moved by `shift` columns.

    A `node` of None stands for a collection of comments alone. The `column` is that of its entries in the source. With
    `is_behind_dash` the first line starts with the dash of the list around it, which does not belong to the block. What
    `is_in_brackets` ends with the line behind the block. It `is_over_lines` if its first entry starts a line of text.
    """

    __slots__ = (
        *("column", "end", "first", "is_behind_dash", "is_emptied", "is_in_brackets", "is_over_lines", "node"),
        *("outer", "shift", "source"),
    )

    def __init__(  # noqa: PLR0913 - where a block is
        self,
        source: BlockLines,
        node: Mapping | Sequence | None,
        first: int,
        end: int,
        shift: int,
        column: int,
        *,
        is_behind_dash: bool = False,
    ) -> None:
        self.source = source
        self.node = node
        self.first = first
        self.end = end
        self.shift = shift
        self.column = column
        self.outer = 0
        self.is_behind_dash = is_behind_dash
        self.is_emptied = False
        self.is_in_brackets = node is not None and node.flow
        self.is_over_lines = self.is_in_brackets and first not in source.inner

    @property
    def form(self) -> Form:
        """What two blocks have in common whose lines can stand beside each other."""
        return type(self.node), self.is_behind_dash, self.is_in_brackets, self.is_over_lines

    @property
    def is_empty(self) -> bool:
        """True for empty brackets, whatever form they take."""
        return self.is_emptied or (self.node is not None and not self.node.kids)

    def empty(self) -> None:
        """Take empty brackets for a collection of comments alone, which may become one of any form."""
        self.is_emptied = self.node is not None
        self.node = None
        self.is_in_brackets = self.is_over_lines = False

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
        return self.moved(line, is_first=number == self.first) if number not in self.source.inner else line

    def moved(self, line: str, *, is_first: bool) -> str:
        """Return a line of the text as it comes out."""
        if is_first and self.is_behind_dash:
            line = " " * self.column + line[self.column :]
        return shifted(line, self.shift)

    def entries(self) -> list[Entry]:
        """Return the entries of the block, in their order. OddError if they do not stand line by line."""
        found = [*self._entries()]
        if self.is_in_brackets:
            return found
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
                # A value that is not written ends where what is behind it starts.
                last = source.line(value.end - 1) if node.flow else source.last_line(value)
                yield Entry(self, key, value, first, max(first, last) + 1)
        elif node is not None:
            end = self.first
            for value in node.kids:
                first = self.source.line(value.start) if node.flow else self._dash(end)
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
    """Return a document as a block, behind the line that starts it. OddError if its entries are no lines."""
    root, source = document.root, BlockLines(text, document)
    if not isinstance(root, (Mapping, Sequence)):
        raise OddError
    if root.flow:
        found = _in_brackets(source, root, 0, 0)
        if found is None:
            raise OddError
        return found
    start = next(filter(source.is_content, range(len(source.lines))))
    is_start = source.lines[start].split("#")[0].rstrip() == START
    return Block(source, root, start + 1 if is_start else 0, len(source.lines), 0, root.column)


def _in_brackets(source: BlockLines, node: Mapping | Sequence, shift: int, column: int) -> Block | None:
    """Return what is in brackets as a block, None if its entries are no lines. `column` is that of what is around."""
    if not source.is_opened(node):
        return None
    first = source.line(node.first) + 1
    column = source.column(node.kids[0].start) if node.kids and first not in source.inner else column
    return Block(source, node, first, source.line(node.end - 1), shift, column)


def shifted(line: str, columns: int) -> str:
    """Return a line that stands some columns further to the right, or to the left as far as there is room."""
    if not columns or not line.strip("\r\n"):
        return line
    room = len(line) - len(line.lstrip(" "))
    return " " * columns + line if columns > 0 else line[min(room, -columns) :]
