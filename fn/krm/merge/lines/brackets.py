"""The merge of collections in brackets that stand in one line: entry by entry, as in a block."""

from __future__ import annotations

from krm.merge import units
from krm.merge.kinds.schema import KEYLESS
from krm.merge.lists.renames import Elements
from krm.merge.units import Stretch
from krm.yamltree.nodes import Collection, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeAlias

    from krm.merge.units import Order
    from krm.yamltree.nodes import Node

    Written: TypeAlias = "tuple[str, Node | None]"
    """A text, and a node in it."""

_BETWEEN = ", "


def merged(sides: Sequence[Written]) -> str | None:
    """Return the merge of origin, update and local as it is written, None if they are one value, or in conflict."""
    kinds = {type(node) for _, node in sides}
    nodes = [(text, node) for text, node in sides if isinstance(node, Collection)]
    # An anchor and a tag stand ahead of the brackets.
    if len(kinds) > 1 or len(nodes) < len(sides) or len({text[node.start : node.first] for text, node in nodes}) > 1:
        return None
    keys, order = _keys([node for _, node in nodes])
    origin, update, local = ([*zip(each, _parts(*side), strict=True)] for each, side in zip(keys, nodes, strict=True))
    pieces = units.merged(origin, update, local, order)
    if any(isinstance(piece, Stretch) for piece in pieces):
        return None
    start, end = _edges(*nodes[-1])
    return start + _BETWEEN.join([written for _, written in pieces]) + end  # type: ignore[misc]  # none is a Stretch


def _keys(nodes: list[Collection]) -> tuple[list[list[Hashable]], Order]:
    """Return the keys of the entries or elements on each side, and whether their order is data."""
    if all(isinstance(node, Mapping) for node in nodes):
        return [[key.value or id(key) for key in node.kids[::2]] for node in nodes], "free"
    elements = Elements(KEYLESS, [node.kids for node in nodes])
    return [[*elements.origin], [*elements.update], [*elements.local]], elements.order


def _parts(text: str, node: Collection) -> list[str]:
    """Return the entries of a mapping, or the elements of a list, as they are written."""
    if isinstance(node, Mapping):
        return [text[key.start : max(key.end, value.end)] for key, value in node.pairs()]
    return [text[kid.start : kid.end] for kid in node.kids]


def _edges(text: str, node: Collection) -> tuple[str, str]:
    """Return the brackets, with what stands ahead of them, and with the blanks at their insides."""
    if not node.kids:
        return text[node.start : node.first + 1], text[node.end - 1]
    return text[node.start : node.kids[0].start], text[node.kids[-1].end : node.end]
