"""Likeness of entries without a partner: a side gave one another key, or edited an element that has no key.

The entries between two common neighbours are paired by what they have in common, in their order.
"""

from __future__ import annotations

from krm.merge import diff, trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator
    from typing import TypeAlias, TypeVar

    from krm.yamltree.nodes import Node

    Leaf: TypeAlias = tuple[tuple[str, ...], Hashable, int]
    """A path, the data there, and how many equal leaves are before it."""
    Leaves: TypeAlias = frozenset[Leaf]

    K = TypeVar("K")
    V = TypeVar("V", Node, Node | None)

HALF = 0.5
"""The share of its leaves that a value keeps at least, to count as the same value."""

# The most pairs that are compared. In longer lists these are the pairs of elements near each other.
MOST = 10_000


def leaves_of(node: Node | None, but: Collection[str] = ()) -> Leaves:
    """Return the leaves of a value, without those below the keys `but`."""
    times: dict[tuple[tuple[str, ...], Hashable], int] = {}
    for leaf in trees.leaves(node):
        if {*leaf[0][:1]}.isdisjoint(but):
            times[leaf] = times.get(leaf, 0) + 1
    return frozenset((*leaf, number) for leaf, count in times.items() for number in range(count))


def common(one: Leaves, other: Leaves, least: int = 1) -> float:
    """Return the share of the larger value that both have in common, 0 if that has fewer leaves than `least`."""
    # Of the larger value: else a short one, such as an empty ConfigMap, would be like any long one.
    longer = max(len(one), len(other))
    return len(one & other) / longer if longer >= least else 0.0


def under_old_keys(
    origin: dict[K, V], update: dict[K, V], local: dict[K, V], *, share: float, least: int = 1
) -> tuple[dict[K, V], dict[K, V]]:
    """Return update and local with origin's key for each renamed entry: one that keeps this `share` of its leaves.

    It keeps its new key if the other side has both keys.
    """
    update = _under_old_keys(origin, update, local, share, least)
    return update, _under_old_keys(origin, local, update, share, least)


def _under_old_keys(origin: dict[K, V], side: dict[K, V], other: dict[K, V], share: float, least: int) -> dict[K, V]:
    renamed = _renamed(origin, side, share, least)
    names = {new: old for new, old in renamed if not {new, old} <= other.keys()}
    return {names.get(key, key): node for key, node in side.items()}


def _renamed(origin: dict[K, V], side: dict[K, V], share: float, least: int) -> Iterator[tuple[K, K]]:
    """Yield the new key and origin's key of each renamed entry."""
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
    """Yield the pairs, each with this `share` at least, whose sum is the largest: both sides keep their order."""
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
