"""Sides: the entries of a collection by their keys, and its units, on each of the three sides."""

from __future__ import annotations

from krm.merge.lines.blocks import NotByLinesError
from krm.merge.lists import alike, pairing
from krm.merge.trees import Triple
from krm.merge.walk import MergedField
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Collection, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Segment
    from krm.merge.kinds.schema import Schema
    from krm.merge.lines.blocks import Block, Entry
    from krm.merge.lists.pairing import Key
    from krm.merge.lists.renames import Elements
    from krm.merge.units import Order, Unit

    Keys: TypeAlias = list[Hashable]


class Side:
    """One side of a collection; empty if the side has none. `templates` are the comment lines above some entries."""

    __slots__ = ("entries", "templates", "units")

    def __init__(self, block: Block | None, found: list[Entry], keys: Keys) -> None:
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


def _template(entry: Entry, floor: int) -> int:
    """Return the first line of the template above an entry, the entry's first line if there is none."""
    written, number = entry.block.source.lines, entry.first
    if isinstance(entry.node, Collection) and not entry.node.flow:
        return entry.first
    while number > floor and written[number - 1].lstrip(" ").startswith("#"):
        number -= 1
        if written[number].lstrip(" ").startswith(TEMPLATE):
            return number
    return entry.first


class Sides:
    """A collection on the three sides. `order` says whether the order of its entries is data.

    `elements` are the elements of a list, None for a mapping and for a list of objects.
    """

    __slots__ = ("_segments", "elements", "local", "order", "origin", "update")

    def __init__(
        self, blocks: list[Block | None], field: MergedField, schema: Schema, items: list[Keys] | None
    ) -> None:
        """Take the blocks of a field, and the keys `items` of objects. NotByLinesError as in `Block.entries`."""
        found = [[] if block is None else block.entries() for block in blocks]
        self.elements: Elements | None = None
        self.order: Order = "free"
        self._segments: dict[Key, tuple[int, Segment]] = {}
        if items is not None:
            keys = items
        elif any(block is not None and isinstance(block.node, Sequence) for block in blocks):
            keys = self._of_elements(found, field.path, schema)
        else:
            keys = _of_entries(found)
        self.origin, self.update, self.local = (Side(*each) for each in zip(blocks, found, keys, strict=True))

    def __iter__(self) -> Iterator[Side]:
        return iter((self.origin, self.update, self.local))

    def entries(self, key: Hashable) -> list[Entry | None]:
        """Return the entry of each side under a key."""
        return [side.entries.get(key) for side in self]

    def field(self, parent: MergedField, key: Hashable) -> MergedField:
        """Return the field under a key."""
        entries = self.entries(key)
        nodes = Triple(*(None if entry is None else entry.node for entry in entries))
        there = next(entry for entry in reversed(entries) if entry is not None)
        if there.key is not None:
            name = there.key.value or ""
            return MergedField((*parent.path, name), parent.policy.below_key(name), nodes)
        index, segment = self._segments.get(key, (0, 0))  # type: ignore[call-overload]  # of a list without objects
        return MergedField((*parent.path, segment), parent.policy.below_element(index, nodes), nodes)

    def _of_elements(self, sides: list[list[Entry]], path: FieldPath, schema: Schema) -> list[Keys]:
        """Return the keys of the elements of a list."""
        nodes = [[entry.node for entry in side] for side in sides]
        from krm.merge.lists import renames  # noqa: PLC0415 - most that both sides change are mappings

        rule = schema.list_rule(path, nodes)
        self.elements = elements = renames.Elements(rule, nodes)
        self.order = elements.order
        sides_of = (elements.local, elements.update) if self.order == "free" else (elements.update, elements.local)
        indexes = pairing.indexes(*sides_of)
        segments = pairing.segments(rule, indexes)
        self._segments = {key: (index, segments[key]) for key, index in indexes.items()}
        return [[*elements.origin], [*elements.update], [*elements.local]]


def _of_entries(sides: list[list[Entry]]) -> list[Keys]:
    """Return the keys of the entries of mappings. An entry that a side renamed keeps the key that origin has."""
    origin, update, local = ({_key(entry): entry.node for entry in side} for side in sides)
    named = [[*origin], [*update], [*local]]
    keys = [[*origin], *([*side] for side in alike.under_old_keys(origin, update, local, share=2 / 3, least=4))]
    pairs = {pair for each in zip(named, keys, strict=True) for pair in zip(*each, strict=True)}
    # If another entry has the new key as well, no entry counts as renamed: the key would come out twice.
    return keys if len({name for name, _ in pairs}) == len(pairs) else named


def _key(entry: Entry) -> Hashable:
    """Return the key of an entry of a mapping. NotByLinesError if it is no scalar."""
    if entry.key is None or entry.key.value is None:
        raise NotByLinesError
    return entry.key.value
