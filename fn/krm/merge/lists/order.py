"""The order of merged lists and mappings (docs/reference/merge.md, "Order").

Each side is the keys of its elements, in its order; `kept` are those that are in the result.
"""

from __future__ import annotations

from krm.merge import units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TypeVar

    K = TypeVar("K")


def merged(origin: Collection[K], update: Collection[K], local: Collection[K], kept: Collection[K]) -> list[K]:
    """Return `kept` in the order of a merge: local's, unless update has another one and local still has origin's."""
    if [*update] == [*local] == [*kept]:
        return [*kept]
    # One that a side deleted is kept for another reason than its place: it stands where the other side has it.
    shared = [key for key in origin if key in update and key in local]
    before, new, own = ([(key, None) for key in side if key in kept] for side in (shared, update, local))
    return [piece[0] for piece in units.merged(before, new, own, "free")]  # type: ignore[index, misc]  # no conflict


def inserted(update: Collection[K], local: Collection[K], kept: Collection[K]) -> list[K]:
    """Return `kept` in local's order, each new one behind the one before it in update."""
    return merged(update, update, local, kept)
