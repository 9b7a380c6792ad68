"""Entries without a partner that are alike: a renamed key, an element without a key that a side edited.

Between the same two entries that both sides have, those are pairs that have most in common, in their order.
"""

from __future__ import annotations

from krm.merge import diff, trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator
    from typing import TypeAlias, TypeVar

    from krm.yamltree.nodes import Node

    Leaf: TypeAlias = tuple[tuple[str, ...], Hashable, int]
    """A path, what stands there, and how many leaves before it are the same."""
    Leaves: TypeAlias = frozenset[Leaf]

    K = TypeVar("K")
    V = TypeVar("V", Node, Node | None)

HALF = 0.5
"""The share of what a value says that it keeps at least, to be the same one."""

# A table of the pairs is made. Of longer lists it has those that stand near each other.
MOST = 10_000


def leaves_of(node: Node | None, but: Collection[str] = ()) -> Leaves:
    """Return what a value says: its leaves, without those of the keys `but`."""
    times: dict[tuple[tuple[str, ...], Hashable], int] = {}
    for leaf in trees.leaves(node):
        if {*leaf[0][:1]}.isdisjoint(but):
            times[leaf] = times.get(leaf, 0) + 1
    return frozenset((*leaf, number) for leaf, count in times.items() for number in range(count))


def common(one: Leaves, other: Leaves, least: int = 1) -> float:
    """Return the share of the larger one that two values have in common, 0 if that does not say the `least`."""
    # Of the larger one: else a short value, such as an empty ConfigMap, would be like every long one.
    longer = max(len(one), len(other))
    return len(one & other) / longer if longer >= least else 0.0


def under_old_keys(
    origin: dict[K, V], update: dict[K, V], local: dict[K, V], *, share: float, least: int = 1
) -> tuple[dict[K, V], dict[K, V]]:
    """Return update and local with each entry under origin's key that has that `share` of its leaves, of `least`.

    It keeps its new key where the other side has both.
    """
    update = _under_old_keys(origin, update, local, share, least)
    return update, _under_old_keys(origin, local, update, share, least)


def _under_old_keys(origin: dict[K, V], side: dict[K, V], other: dict[K, V], share: float, least: int) -> dict[K, V]:
    renamed = _renamed(origin, side, share, least)
    names = {new: old for new, old in renamed if not {new, old} <= other.keys()}
    return {names.get(key, key): node for key, node in side.items()}


def _renamed(origin: dict[K, V], side: dict[K, V], share: float, least: int) -> Iterator[tuple[K, K]]:
    """Yield the new key and origin's of each entry that is alike."""
    if side.keys() <= origin.keys():
        return
    before, after = [*origin], [*side]
    for start, end, first, last in diff.gaps(before, after):
        gone = [key for key in before[start:end] if key not in side]
        new = [key for key in after[first:last] if key not in origin]
        if gone and new:
            ones, others = [leaves_of(origin[key]) for key in gone], [leaves_of(side[key]) for key in new]
            yield from ((new[place], gone[number]) for number, place in in_order(ones, others, share, least))


def in_order(ones: list[Leaves], others: list[Leaves], share: float, least: int = 1) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a `share` that agree most in sum, by dynamic programming: both sides keep their order."""
    longer = max(len(ones), len(others))
    near = longer if len(ones) * len(others) <= MOST else MOST // longer
    worth: dict[tuple[int, int], float] = {}
    best: dict[tuple[int, int], float] = {}
    for i in range(len(ones) - 1, -1, -1):
        for j in range(min(len(others) - 1, i + near), max(-1, i - near - 1), -1):
            found = common(ones[i], others[j], least)
            worth[i, j] = found if found >= share else 0.0
            joined = worth[i, j] and worth[i, j] + best.get((i + 1, j + 1), 0.0)
            best[i, j] = max(joined, best.get((i + 1, j), 0.0), best.get((i, j + 1), 0.0))
    i = j = 0
    while i < len(ones) and j < len(others):
        agree = worth.get((i, j), 0.0)
        if agree and best[i, j] == agree + best.get((i + 1, j + 1), 0.0):
            yield i, j
            i, j = i + 1, j + 1
        elif best.get((i, j), 0.0) == best.get((i + 1, j), 0.0):
            i += 1
        else:
            j += 1
