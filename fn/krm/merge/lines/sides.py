"""Sides: the entries of a collection on one side by their keys, and the units that it is merged as."""

from __future__ import annotations

from krm.merge.lines import alike
from krm.merge.lines.blocks import OddError
from krm.merge.lists import pairing
from krm.merge.lists.renames import Elements
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Collection, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import Schema
    from krm.merge.lines.blocks import Block, Entry
    from krm.merge.lines.units import Unit

    Keys: TypeAlias = list[Hashable]

# Which share of its lines an entry keeps under another key, and how many lines it has at least.
_ELEMENTS = 0.5, 1
_VALUES = 0.6, 4
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

    def rename(self, names: dict[Hashable, Hashable]) -> None:
        """Give entries other keys."""
        if names:
            self.units = [(names.get(key, key), written) for key, written in self.units]
            self.entries = {names.get(key, key): entry for key, entry in self.entries.items()}
            self.templates = {names.get(key, key): template for key, template in self.templates.items()}


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
) -> tuple[list[Side], bool]:
    """Return the sides, and whether the order of entries is no data. OddError if one is not written line by line."""
    found = [[] if block is None else block.entries() for block in blocks]
    is_list = any(block is not None and isinstance(block.node, Sequence) for block in blocks)
    keys: list[Keys]
    if items is not None and path == ("items",):
        keys, is_free = items, True
    elif is_list:
        keys, is_free = _of_elements(found, path, schema)
    else:
        keys, is_free = [*map(_of_entries, found)], True
    sides = [Side(*each) for each in zip(blocks, found, keys, strict=True)]
    if not (is_list and is_free):
        _pair_alike(sides, *(_ELEMENTS if is_list else _VALUES))
    return sides, is_free


def _of_entries(entries: list[Entry]) -> Keys:
    """Return the keys of a mapping. OddError for one that is no scalar."""
    keys: Keys = [_START_OF_DOCUMENT if entry.key is None else entry.key.value for entry in entries]
    if None in keys:
        raise OddError
    return keys


def _of_elements(entries: list[list[Entry]], path: FieldPath, schema: Schema) -> tuple[list[Keys], bool]:
    """Return the keys of the elements of a list, and whether its order is no data. OddError if it is one value."""
    nodes = [[entry.node for entry in side if entry.node is not None] for side in entries]
    rule = schema.list_rule(path, nodes)
    if rule.is_whole:
        raise OddError
    keyed = [pairing.keyed(rule, side) for side in nodes]
    if rule.keys and pairing.have_keys(rule, nodes):
        elements = Elements(rule, *keyed)
        keyed = [elements.origin, elements.update, elements.local]
    # What starts a document stands above the first element of its root.
    starts: list[Keys] = [[_START_OF_DOCUMENT] * (len(one) - len(two)) for one, two in zip(entries, nodes, strict=True)]
    return [[*start, *side] for start, side in zip(starts, keyed, strict=True)], not rule.is_atomic


def _pair_alike(sides: list[Side], share: float, least: int) -> None:
    """Give entries that are like one of origin's its key, unless the other side has both."""
    origin, update, local = sides
    for side, other in ((update, local), (local, update)):
        names = alike.renamed(origin.units, side.units, share=share, least=least)
        side.rename({new: old for new, old in names.items() if not {new, old} <= other.entries.keys()})
