"""Entries without a partner that are alike: a renamed key, an element without a key that a side edited.

Between the same two entries that both sides have, those are pairs whose leaves agree most, in their order.
"""

from __future__ import annotations

from collections import Counter

from krm.merge import trees
from krm.yamltree.target import ascending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import TypeVar

    from krm.yamltree.nodes import Node

    K = TypeVar("K")
    V = TypeVar("V", Node, Node | None)

# A table of all pairs is made. Beyond, which entry is which is no question of a likeness.
_MOST = 10_000


def under_old_keys(
    origin: dict[K, V], side: dict[K, V], other: dict[K, V], *, share: float, least: int = 1
) -> dict[K, V]:
    """Return a side with each entry under origin's key that has that `share` of its leaves, and `least` of them.

    It keeps its new key where the other side has both.
    """
    renamed = _renamed(origin, side, share, least)
    names = {new: old for new, old in renamed if not {new, old} <= other.keys()}
    return {names.get(key, key): node for key, node in side.items()}


def _renamed(origin: dict[K, V], side: dict[K, V], share: float, least: int) -> Iterator[tuple[K, K]]:
    """Yield the new key and origin's of each entry that is alike."""
    if side.keys() <= origin.keys():
        return
    for gone, new in _gaps([*origin], [*side]):
        if len(gone) * len(new) <= _MOST:
            before, after = [_leaves(origin, key) for key in gone], [_leaves(side, key) for key in new]
            worth = [[_worth(one, each, share, least) for each in after] for one in before]
            yield from ((new[place], gone[number]) for number, place in _pairs(worth))


def _leaves(entries: dict[K, V], key: K) -> Counter[Hashable]:
    return Counter(trees.leaves(entries[key]))


def _gaps(before: list[K], after: list[K]) -> Iterator[tuple[list[K], list[K]]]:
    """Yield the keys that have no partner between entries that both have, in one order."""
    places = {key: number for number, key in enumerate(before)}
    there = {places[key]: number for number, key in enumerate(after) if key in places}
    known = {*after}
    start = first = 0
    for number in [*ascending([*there]), len(before)]:
        place = there.get(number, len(after))
        gone = [key for key in before[start:number] if key not in known]
        new = [key for key in after[first:place] if key not in places]
        if gone and new:
            yield gone, new
        start, first = number + 1, place + 1


def _pairs(worth: list[list[float]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs that agree most in sum, by dynamic programming: both sides keep their order."""
    ones, others = len(worth), len(worth[0])
    best = [[0.0] * (others + 1) for _ in range(ones + 1)]
    for i in range(ones - 1, -1, -1):
        for j in range(others - 1, -1, -1):
            joined = worth[i][j] + best[i + 1][j + 1] if worth[i][j] else 0.0
            best[i][j] = max(joined, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < ones and j < others:
        if worth[i][j] and best[i][j] == worth[i][j] + best[i + 1][j + 1]:
            yield i, j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1


def _worth(one: Counter[Hashable], other: Counter[Hashable], share: float, least: int) -> float:
    """Return the share of leaves that two entries have in common, 0 if that is too little."""
    longer = max(one.total(), other.total())
    common = (one & other).total() / longer if longer else 0.0
    return common if longer >= least and common >= share else 0.0
