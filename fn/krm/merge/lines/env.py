"""The lines of a container's `env` in an order that the kubelet can expand (docs/merge.md, "The order of env")."""

from __future__ import annotations

from itertools import chain

from krm.merge.lists import envorder
from krm.merge.units import Stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from krm.merge.lines.sides import Side
    from krm.merge.lists.envorder import Names
    from krm.merge.units import Piece


def ordered(pieces: list[Piece], sides: list[Side], names: Names) -> list[Piece]:
    """Return merged entries so that one that refers to another stands behind it, each with the comments above it."""
    chunks: dict[Hashable, list[Piece]] = {}
    waiting: list[Piece] = []
    for piece in pieces:
        waiting.append(piece)
        key = piece.key if isinstance(piece, Stretch) else piece[0]
        if key is not None:
            chunks[key], waiting = waiting, []
    _, update, local = sides
    new = {*update.units}
    nodes = {
        key: (update if chunk[-1] in new or key not in local.entries else local).entries[key].node
        for key, chunk in chunks.items()
    }
    above, own = ({key: entry.node for key, entry in side.entries.items()} for side in (update, local))
    keys = envorder.ordered(nodes, above, own, names).keys  # type: ignore[arg-type]  # elements have keys and nodes
    return [*chain.from_iterable(chunks[key] for key in keys), *waiting]
