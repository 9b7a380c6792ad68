"""The 3-way merge of lists in which no key tells elements apart (docs/reference/merge.md, "Lists without keys").

An element is known by its data or its name, or by what a side left of it. The elements are merged as lines are.
"""

from __future__ import annotations

from krm.merge import policy, trees, units
from krm.merge.trees import Triple
from krm.merge.units import Stretch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krm.merge.lists.renames import Elements
    from krm.merge.policy import OnConflict
    from krm.yamltree.nodes import Node


class Spliced:
    """The elements of a merged list: in a conflict those of one side. The `joint` ones are merged by their parts.

    It `has_neighbours` where changes of both sides lie side by side: these are all there.
    """

    __slots__ = ("elements", "has_neighbours", "is_conflict", "joint")

    def __init__(self) -> None:
        self.elements: list[Triple] = []
        self.joint: dict[int, Triple] = {}
        self.is_conflict = self.has_neighbours = False


def merged(elements: Elements, on_conflict: OnConflict) -> Spliced:
    """Return the merge of a list on three sides. The elements of a conflict are those of the policy's side."""
    sides: list[dict[Any, Node]] = [elements.origin, elements.update, elements.local]
    origin, update, local = ([(key, trees.frozen(node)) for key, node in side.items()] for side in sides)
    stays = dict(zip(local, sides[2].values(), strict=True))
    found = Spliced()
    for piece in units.merged(origin, update, local, elements.order):
        if not isinstance(piece, Stretch):
            coming = [piece]
        elif piece.key is not None:
            found.joint[len(found.elements)] = Triple(*(side.get(piece.key) for side in sides))
            coming = piece.local
        else:
            both = units.neighbours(piece, elements.order) if policy.keeps_neighbours(on_conflict) else None
            found.has_neighbours |= both is not None
            found.is_conflict |= both is None
            winner = policy.winner(on_conflict)
            coming = policy.won(winner, update=piece.update, local=piece.local) if both is None else both
        found.elements += [Triple(None, sides[1].get(unit[0]), stays.get(unit)) for unit in coming]
    return found
