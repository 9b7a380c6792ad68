"""The lines of a container's `env` in an order that the kubelet can expand (docs/merge.md, "The order of env")."""

from __future__ import annotations

from itertools import chain

from krm.merge.units import Stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any

    from krm.merge.lines.sides import Sides
    from krm.merge.units import Piece
    from krm.yamltree.nodes import Node


def ordered(pieces: list[Piece], sides: Sides, order: Callable[[dict[Any, Node]], list[Any]]) -> list[Piece]:
    """Return merged entries in the `order` of their values, each with the comments above it."""
    chunks: dict[Hashable, list[Piece]] = {}
    waiting: list[Piece] = []
    for piece in pieces:
        waiting.append(piece)
        key = piece.key if isinstance(piece, Stretch) else piece[0]
        if key is not None:
            chunks[key], waiting = waiting, []
    new = {*sides.update.units}
    nodes = {
        key: (sides.update if chunk[-1] in new or key not in sides.local.entries else sides.local).entries[key].node
        for key, chunk in chunks.items()
    }
    keys = order(nodes)  # type: ignore[arg-type]  # elements have nodes
    return [*chain.from_iterable(chunks[key] for key in keys), *waiting]
