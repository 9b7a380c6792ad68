"""Sides: the entries of a collection on one side by their keys, and the units that it is merged as."""

from __future__ import annotations

from krm.merge.lines.blocks import OddError
from krm.merge.lists import alike
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Collection, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import Schema
    from krm.merge.lines.blocks import Block, Entry
    from krm.merge.units import Order, Unit

    Keys: TypeAlias = list[Hashable]

_START_OF_DOCUMENT = ("---",)


class Side:
    """One side of a collection; nothing where it has none. `templates` are those in the lines above some entries."""

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
    """Return where the template in the lines above an entry starts, the entry's first line if there is none."""
    written, number = entry.block.source.lines, entry.first
    if isinstance(entry.node, Collection) and not entry.node.flow:
        return entry.first
    while number > floor and written[number - 1].lstrip(" ").startswith("#"):
        number -= 1
        if written[number].lstrip(" ").startswith(TEMPLATE):
            return number
    return entry.first


def of_collections(
    blocks: list[Block | None], path: FieldPath, schema: Schema, items: list[Keys] | None
) -> tuple[list[Side], Order]:
    """Return the sides, and whether their order is data. OddError if one is not written line by line."""
    found = [[] if block is None else block.entries() for block in blocks]
    keys: list[Keys]
    order: Order = "free"
    if items is not None and path == ("items",):
        keys = items
    elif any(block is not None and isinstance(block.node, Sequence) for block in blocks):
        keys, order = _of_elements(found, path, schema)
    else:
        keys = _of_entries(found)
    return [Side(*each) for each in zip(blocks, found, keys, strict=True)], order


def _of_entries(sides: list[list[Entry]]) -> list[Keys]:
    """Return the keys of mappings: one that a side gave to a value that is alike is origin's."""
    origin, update, local = ({_key(entry): entry.node for entry in side} for side in sides)
    return [[*origin], *([*side] for side in alike.of_mappings(origin, update, local))]


def _key(entry: Entry) -> Hashable:
    """Return the key of an entry of a mapping. OddError if it is no scalar."""
    key = _START_OF_DOCUMENT if entry.key is None else entry.key.value
    if key is None:
        raise OddError
    return key


def _of_elements(sides: list[list[Entry]], path: FieldPath, schema: Schema) -> tuple[list[Keys], Order]:
    """Return the keys of the elements of a list, and whether their order is data. OddError if it is one value."""
    nodes = [[entry.node for entry in side if entry.node is not None] for side in sides]
    rule = schema.list_rule(path, nodes)
    if rule.is_whole:
        raise OddError
    from krm.merge.lists.renames import Elements  # noqa: PLC0415 - most that both sides change are mappings

    elements = Elements(rule, nodes)
    keyed = elements.origin, elements.update, elements.local
    # What starts a document stands above the first element of its root.
    starts: list[Keys] = [[_START_OF_DOCUMENT] * (len(one) - len(two)) for one, two in zip(sides, nodes, strict=True)]
    return [[*start, *side] for start, side in zip(starts, keyed, strict=True)], elements.order
