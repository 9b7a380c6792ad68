"""The merge of collections in brackets that stand in one line: entry by entry, as in a block."""

from __future__ import annotations

from krm.merge.kinds.schema import KEYLESS
from krm.merge.lines import units
from krm.merge.lines.units import Stretch
from krm.merge.lists import pairing
from krm.yamltree.nodes import Collection, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from krm.merge.lines.units import Unit
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
    origin, update, local = (_units(*side) for side in nodes)
    pieces = units.merged(origin, update, local, is_free=kinds == {Mapping})
    if any(isinstance(piece, Stretch) for piece in pieces):
        return None
    start, end = _edges(*nodes[-1])
    return start + _BETWEEN.join([written for _, written in pieces]) + end  # type: ignore[misc]  # none is a Stretch


def _units(text: str, node: Collection) -> list[Unit]:
    """Return the entries of a mapping, or the elements of a list, which are known by their data."""
    if isinstance(node, Mapping):
        return [(key.value or id(key), text[key.start : max(key.end, value.end)]) for key, value in node.pairs()]
    return [(key, text[kid.start : kid.end]) for key, kid in pairing.keyed(KEYLESS, node.kids).items()]


def _edges(text: str, node: Collection) -> tuple[str, str]:
    """Return the brackets, with what stands ahead of them, and with the blanks at their insides."""
    if not node.kids:
        return text[node.start : node.first + 1], text[node.end - 1]
    return text[node.start : node.kids[0].start], text[node.kids[-1].end : node.end]
