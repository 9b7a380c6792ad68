"""The merge of a collection as lines: what both sides changed is entered, every other entry keeps its lines."""

from __future__ import annotations

import re
from collections import Counter

from krm.merge import trees, units
from krm.merge.lines import entering, leaves, sides
from krm.merge.lines.blocks import OddError
from krm.merge.lines.pieces import conflict, joined
from krm.merge.trees import Triple
from krm.merge.units import Stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import Schema
    from krm.merge.lines.blocks import Block, Entry
    from krm.merge.lines.pieces import Piece
    from krm.merge.lines.sides import Keys, Side
    from krm.merge.lists.envorder import Names
    from krm.merge.unions import Unions
    from krm.merge.units import Unit

_COMMENT = r"(?m)(?:^|\s)(#.*?)\s*$"


class LineWalk:
    """The merge of an object: its schema, and its unions. `items` has the keys of what a list of objects lists.

    `names` gives those that a text refers to, None where the order of `env` is left alone.
    """

    __slots__ = ("_items", "_names", "_schema", "_unions")

    def __init__(
        self, schema: Schema, unions: Unions, items: list[Keys] | None = None, names: Names | None = None
    ) -> None:
        self._items = items
        self._names = names
        self._schema = schema
        self._unions = unions

    def merged(self, blocks: list[Block | None], path: FieldPath = ()) -> list[Piece]:
        """Return the merge of origin, update and local. OddError if one is not written line by line."""
        found, order = sides.of_collections(blocks, path, self._schema, self._items)
        pieces: list[Piece] = []
        origin, update, local = (side.units for side in found)
        merged = units.merged(origin, update, local, order)
        if path[-1:] == ("env",) and order == "free":
            merged = self._in_order(merged, found, path)
        for piece in merged:
            pieces += self._stretch(piece, found, path) if isinstance(piece, Stretch) else [piece[1]]
        return [*joined(pieces)]

    def _in_order(self, merged: list[units.Piece], found: list[Side], path: FieldPath) -> list[units.Piece]:
        """Return the entries of an `env` so that one that refers to another stands behind it."""
        may_refer = any("$" in written for side in found for _, written in side.units)
        if self._names is None or not may_refer or self._schema.below_pod_spec(path) is None:
            return merged
        from krm.merge.lines import env  # noqa: PLC0415 - most lists of env refer to nothing

        return env.ordered(merged, found, self._names)

    def _stretch(self, stretch: Stretch, found: list[Side], path: FieldPath) -> list[Piece]:
        """Return what becomes of a stretch: of one entry its parts, of more a conflict."""
        entries = [side.entries.get(stretch.key) for side in found]
        # A value and its template are one.
        templates = {side.templates.get(stretch.key, "") for side in found[1:]}
        entered = None if stretch.key is None or len(templates) > 1 else self._entered(entries, path)
        if entered is not None:
            return [*templates, *entered]
        if _is_only_gone(stretch, found):
            return []
        return [conflict(stretch)]

    def _entered(self, entries: list[Entry | None], path: FieldPath) -> list[Piece] | None:
        """Return the merge of an entry by its parts, None where it is one value."""
        own = leaves.merged(entries)
        if own is not None:
            return own
        inside = entering.blocks(entries)
        head = None if inside is None else entering.head(entries, inside)
        if inside is None or head is None:
            return None
        # No rule of a schema depends on the number of an element.
        below = (*path, next((entry.key.value or "" for entry in entries if entry is not None and entry.key), 0))
        nodes = Triple(*(None if entry is None else entry.node for entry in entries))
        if self._schema.is_atomic_map(below) or self._unions.ruling(below, nodes) is not None:
            return None
        try:
            return entering.whole(head, self.merged(inside, below), inside)
        except OddError:
            return None


def _is_only_gone(stretch: Stretch, found: list[Side]) -> bool:
    """Return True if a side deleted entries in which the other changed no more than comments, and wrote no new one."""
    origin, update, local = found
    if bool(stretch.update) == bool(stretch.local):
        return False
    there, side = (stretch.update, update) if stretch.update else (stretch.local, local)
    keys, others = ([key for key, _ in units if key is not None] for units in (stretch.origin, there))
    if keys != others or _comments(there) - _comments(stretch.origin):
        return False
    return all(_is_same(origin.entries[key], side.entries[key]) for key in keys)


def _is_same(one: Entry, other: Entry) -> bool:
    keys = [None if entry.key is None else entry.key.value for entry in (one, other)]
    # An alias that the other side wrote for the same value is a change.
    return keys[0] == keys[1] and trees.frozen(one.node, by_name=True) == trees.frozen(other.node, by_name=True)


def _comments(units: list[Unit]) -> Counter[str]:
    return Counter(comment for _, written in units for comment in re.findall(_COMMENT, written))
