"""Blocks: the lines of a collection, the entries in it, and its sides: the entries by their keys on each of the three.

Each line of a block belongs to an entry, or is a comment or a blank line by itself. A comment below an entry belongs to
the entry if it is indented deeper than that. In brackets it does not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import chain

from krm.file import START
from krm.merge.lines import brackets
from krm.merge.lists import likeness, pairing
from krm.merge.policy import changed_by
from krm.merge.trees import FieldSides, Triple, frozen
from krm.yamltree import lines, positions
from krm.yamltree.nodes import Collection, Mapping, Sequence, at, is_block_scalar
from krm.yamltree.parser import RAISED
from krm.yamltree.style import shifted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import Segment
    from krm.merge.kinds.schema import ListRule, Schema
    from krm.merge.lists.pairing import Elements, Key
    from krm.merge.units import Order, Unit
    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document

    BlockForm: TypeAlias = tuple[type, bool, bool, bool]
    EntryKeys: TypeAlias = list[Hashable]


class NotByLinesError(Exception):
    """A collection is not written line by line: it has an explicit key, say."""

    def __init__(self) -> None:
        super().__init__("its lines do not tell what becomes of it: merge it by hand")


class BlockLines:
    """The text of one side as lines, and the document that was read from it.

    `starts` are the positions of the lines. `inner` has the margin of each that starts within a line of the text.
    `opened` are the ids of the collections in brackets of which each entry has a line.
    """

    def __init__(self, text: str, document: Document) -> None:
        self.text = text
        self.document = document
        self.lines, self.starts, self.inner, self.opened = brackets.cut(text, document.root)

    def line(self, position: int) -> int:
        """Return the number of the line in which a character stands."""
        return bisect_right(self.starts, position) - 1

    def is_content(self, number: int) -> bool:
        """True if a line is neither blank nor a comment."""
        return self.lines[number].strip()[:1] not in ("", "#")


class Entry:
    """An entry of a block: its key, its value, and its lines from `first` to the one ahead of `end`.

    An element of a list has no key. The lines from `below` on are comments.
    """

    __slots__ = ("below", "block", "end", "first", "key", "node")

    def __init__(self, block: Block, key: Node | None, node: Node, first: int) -> None:
        self.block = block
        self.key = key
        self.node = node
        self.first = first
        self.below = self.end = first + 1

    @property
    def text(self) -> str:
        """The lines of the entry, moved as the block is."""
        return self.block.text(self.first, self.end)

    @property
    def head(self) -> str:
        """The first line of the entry, moved as the block is."""
        return self.block.line(self.first)

    @property
    def line(self) -> str:
        """The whole line of the text in which the entry starts, moved as the block is. In brackets it is `head`."""
        if self.block.is_in_brackets:
            return self.head
        text, start = self.block.source.text, self.block.source.starts[self.first]
        whole = text[start : lines.next_line(text, start)].removesuffix("\n")
        return self.block.moved(f"{whole}\n", is_first=self.first == self.block.first)

    def inner(self) -> Block | None:
        """Return the value as a block, None if it is no collection with lines of its own."""
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

    A `node` of None stands for a collection of comments alone. `column` is the column of its entries in the source. If
    it `is_behind_dash`, its first line starts with the dash of the list around it, which does not belong to the block.
    If it `is_in_brackets`, the line `end` closes them. It `is_over_lines` if its first entry starts a line of text.
    """

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
        self.is_behind_dash = is_behind_dash
        self.is_emptied = False
        self.is_in_brackets = node is not None and node.flow
        self.is_over_lines = self.is_in_brackets and first not in source.inner

    @property
    def form(self) -> BlockForm:
        """What two blocks have to have in common before their lines can be mixed."""
        return type(self.node), self.is_behind_dash, self.is_in_brackets, self.is_over_lines

    @property
    def is_empty(self) -> bool:
        """True for empty brackets, also after `drop_brackets`."""
        return self.is_emptied or (self.node is not None and not self.node.kids)

    def drop_brackets(self) -> None:
        """Make empty brackets a collection of comments alone, which takes entries of any form."""
        self.is_emptied = self.node is not None
        self.node = None
        self.is_in_brackets = self.is_over_lines = False

    def text(self, first: int, end: int) -> str:
        """Return the lines from `first` to the one ahead of `end`, moved as the block is."""
        # Each collection around asks for the same lines again, so most are joined without a look at each.
        if not self.shift and not (self.is_behind_dash and first == self.first):
            return "".join(self.source.lines[first:end])
        return "".join([self.line(number) for number in range(first, end)])

    def line(self, number: int) -> str:
        """Return a line of the block, moved as the block is, without the dash of the list around it."""
        line = self.source.lines[number]
        return self.moved(line, is_first=number == self.first) if number not in self.source.inner else line

    def moved(self, line: str, *, is_first: bool) -> str:
        """Return a line of the text, moved as the block is."""
        if is_first and self.is_behind_dash:
            line = " " * self.column + line[self.column :]
        return shifted(line, self.shift)

    def entries(self) -> list[Entry]:
        """Return the entries of the block, in their order. NotByLinesError if they are not written line by line."""
        node, source, text = self.node, self.source, self.source.text
        if node is None:
            return []
        found: list[Entry] = []
        behind = 0
        for index, kids in enumerate(positions.entries(node)):
            key, value = kids[0] if len(kids) > 1 else None, kids[-1]
            start = kids[0].start if key or node.flow else positions.dash(text, node, index, behind)
            entry = Entry(self, key, value, source.line(start))
            ahead = source.lines[entry.first][: start - source.starts[entry.first]].strip()
            is_dash = entry.first == self.first and self.is_behind_dash and not ahead.strip(" -")
            if ahead and not is_dash and (key or not node.flow):
                raise NotByLinesError  # something else stands ahead of it in its line
            if node.flow:
                # A value that is not written is empty, and its position is that of what follows.
                entry.below = entry.end = max(entry.first, source.line(value.end - 1)) + 1
            else:
                behind = lines.line_below(text, value, start)
                end = lines.past_deeper_comments(text, behind, node.column)
                entry.below = entry.end = bisect_left(source.starts, behind)
                if end > behind:
                    entry.end = bisect_left(source.starts, end)
            found.append(entry)
        return found


def of_document(text: str, document: Document) -> Block:
    """Return a document as a block, without its `---`. NotByLinesError if its entries are not written line by line."""
    root, source = document.root, BlockLines(text, document)
    if not isinstance(root, (Mapping, Sequence)):
        raise NotByLinesError
    if root.flow:
        found = _in_brackets(source, root, 0, 0)
        if found is None:
            raise NotByLinesError
        return found
    start = next(filter(source.is_content, range(len(source.lines))))
    is_start = source.lines[start].split("#")[0].rstrip() == START
    return Block(source, root, start + 1 if is_start else 0, len(source.lines), 0, root.column)


def _in_brackets(source: BlockLines, node: Mapping | Sequence, shift: int, column: int) -> Block | None:
    """Return a collection in brackets as a block, None if it is not cut into lines. `column` is that of its parent."""
    if id(node) not in source.opened:
        return None
    first = source.line(node.first) + 1
    if node.kids and first not in source.inner:
        start = node.kids[0].start
        column = start - source.starts[source.line(start)]
    return Block(source, node, first, source.line(node.end - 1), shift, column)


class CollectionSide:
    """One side of a collection; empty if the side has none. `templates` are the comment lines above some entries."""

    def __init__(self, block: Block | None, found: list[Entry], keys: EntryKeys) -> None:
        """Take the entries with their keys, and all lines between them."""
        self.entries = dict(zip(keys, found, strict=True))
        self.units: list[Unit] = []
        self.templates: dict[Hashable, str] = {}
        if block is None:
            return
        number = block.first
        for key, entry in self.entries.items():
            template = _template(entry, number)
            self.units += [(None, block.line(line)) for line in range(number, template)]
            self.templates[key] = block.text(template, entry.first)
            self.units.append((key, self.templates[key] + entry.text))
            number = entry.end
        self.units += [(None, block.line(line)) for line in range(number, block.end)]

    def takes_blank_lines(self, key: Hashable) -> bool:
        """True if the entry under a key ends in a text that the blank lines below it belong to."""
        if key not in self.entries:
            return False
        text, leaf = self.entries[key].block.source.text, lines.last_leaf(self.entries[key].node)
        return is_block_scalar(leaf) and lines.keeps_blank_lines(text, leaf)


def _template(entry: Entry, floor: int) -> int:
    """Return the first line of the template above an entry, the entry's first line if there is none."""
    written, number = entry.block.source.lines, entry.first
    if isinstance(entry.node, Collection) and not entry.node.flow:
        return entry.first
    while number > floor and written[number - 1].lstrip(" ").startswith("#"):
        number -= 1
        if written[number].lstrip(" ").startswith(lines.TEMPLATE):
            return number
    return entry.first


class CollectionSides:
    """A collection on the three sides. `order` says whether the order of its entries is data.

    `elements` are the elements of a list, None for a mapping and for a list of objects.
    """

    def __init__(
        self, blocks: list[Block | None], field: FieldSides, schema: Schema, items: list[EntryKeys] | None
    ) -> None:
        """Take the blocks of a field, and the keys `items` of objects. NotByLinesError as in `Block.entries`."""
        found = [[] if block is None else block.entries() for block in blocks]
        self.elements: Elements | None = None
        self.order: Order = "free"
        self._segments: dict[Key, tuple[int, Segment]] = {}
        if items is not None:
            keys = items
        elif any(block is not None and isinstance(block.node, Sequence) for block in blocks):
            nodes = [[entry.node for entry in side] for side in found]
            rule = schema.list_rule(field.path, nodes)
            self.elements = elements = pairing.Elements(rule, nodes)
            self.order = elements.order
            self._segments = _segments(rule, elements)
            keys = [[*elements.origin], [*elements.update], [*elements.local]]
        else:
            keys = _of_entries(found)
            _give_comments([*chain.from_iterable(map(zip, keys, found))])
        self.origin, self.update, self.local = (CollectionSide(*each) for each in zip(blocks, found, keys, strict=True))

    def __iter__(self) -> Iterator[CollectionSide]:
        return iter((self.origin, self.update, self.local))

    def entries(self, key: Hashable) -> list[Entry | None]:
        """Return the entry of each side under a key."""
        return [side.entries.get(key) for side in self]

    def field(self, parent: FieldSides, key: Hashable) -> FieldSides:
        """Return the field under a key. A side that has no entry of this name may have the value by `<<`."""
        entries = self.entries(key)
        first = next(entry for entry in reversed(entries) if entry is not None)
        if first.key is not None:
            name = first.key.value or ""
            there = (entry.node if entry else at(side, name) for entry, side in zip(entries, parent, strict=True))
            return FieldSides((*parent.path, name), parent.policy.below_key(name), Triple(*there))
        nodes = Triple(*(None if entry is None else entry.node for entry in entries))
        index, segment = self._segments.get(key, (0, 0))  # type: ignore[call-overload]  # of a list without objects
        return FieldSides((*parent.path, segment), parent.policy.below_element(index, nodes), nodes)


def _segments(rule: ListRule, elements: Elements) -> dict[Key, tuple[int, Segment]]:
    """Return the index of each element of a list, and the step to it."""
    sides = (elements.local, elements.update) if elements.order == "free" else (elements.update, elements.local)
    indexes = pairing.indexes(*sides)
    segments = pairing.segments(rule, indexes)
    return {key: (index, segments[key]) for key, index in indexes.items()}


def _of_entries(sides: list[list[Entry]]) -> list[EntryKeys]:
    """Return the keys of the entries of mappings. An entry that a side renamed keeps the key that origin has."""
    _check_repeated(sides)
    origin, update, local = ({_key(entry): entry.node for entry in side} for side in sides)
    named = [*likeness.under_old_keys(origin, update, local, least=4)]
    gone, new = origin.keys() - update.keys() - local.keys(), update.keys() & local.keys() - origin.keys()
    if gone and new:
        # Of what both sides renamed alike two fields will do.
        left = {key: node for key, node in origin.items() if key in gone}
        there = ({key: node for key, node in side.items() if key in new} for side in (update, local))
        one, other = (likeness.renamed(left, side, least=3) for side in there)
        named = [likeness.under(side, dict(one.items() & other.items())) for side in named]
    return [[*side] for side in (origin, *named)]


def _check_repeated(sides: list[list[Entry]]) -> None:
    """Raise ParseError if both sides changed the values of a key that is there again: nobody knows which is which."""
    entries = [(entry, entry.block.source.document.repeated) for side in sides for entry in side]
    again = {_key(entry).rstrip(RAISED): error for entry, error in entries if error and _key(entry)[-1:] in RAISED}
    values: list[dict[str, list[Hashable]]] = [{}, {}, {}]
    for found, side in zip(values, sides, strict=True):
        for entry in side if again else ():
            found.setdefault(_key(entry).rstrip(RAISED), []).append(frozen(entry.node))
    for name, error in again.items():
        if changed_by(*(found.get(name) for found in values)) is None:
            raise error


def _give_comments(entries: list[tuple[Hashable, Entry]]) -> None:
    """Let comments below a key without a value belong to it if the key has a list there on another side.

    a:         a:
    # c        # c
    - x
    """
    lists = {key for key, entry in entries if isinstance(entry.node, Sequence) and not entry.node.flow}
    for entry in (entry for key, entry in entries if key in lists and entry.node.start == entry.node.end):
        written = entry.block.source.lines
        while entry.end < entry.block.end and written[entry.end].lstrip(" ").startswith("#"):
            entry.end += 1


def _key(entry: Entry) -> str:
    """Return the key of an entry of a mapping. NotByLinesError if it is no scalar."""
    if entry.key is None or entry.key.value is None:
        raise NotByLinesError
    return entry.key.value
