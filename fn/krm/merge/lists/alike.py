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
    Said: TypeAlias = frozenset[Leaf]

    K = TypeVar("K")
    V = TypeVar("V", Node, Node | None)

HALF = 0.5
"""The share of what a value says that it keeps at least, to be the same one."""

# A table of all pairs is made. Beyond, which entry is which is no question of a likeness.
_MOST = 10_000


def said(node: Node | None, but: Collection[str] = ()) -> Said:
    """Return what a value says: its leaves, without those of the keys `but`."""
    times: dict[tuple[tuple[str, ...], Hashable], int] = {}
    for leaf in trees.leaves(node):
        if {*leaf[0][:1]}.isdisjoint(but):
            times[leaf] = times.get(leaf, 0) + 1
    return frozenset((*leaf, number) for leaf, count in times.items() for number in range(count))


def common(one: Said, other: Said, least: int = 1) -> float:
    """Return the share of the larger one that two values have in common, 0 if that does not say the `least`."""
    # Of the larger one: else a short value, such as an empty ConfigMap, would be like every long one.
    longer = max(len(one), len(other))
    return len(one & other) / longer if longer >= least else 0.0


def of_mappings(origin: dict[K, V], update: dict[K, V], local: dict[K, V]) -> tuple[dict[K, V], dict[K, V]]:
    """Return update and local with each entry of a mapping that a side gave another key under origin's."""
    return under_old_keys(origin, update, local, share=2 / 3, least=4)


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
        if 0 < len(gone) * len(new) <= _MOST:
            ones, others = [said(origin[key]) for key in gone], [said(side[key]) for key in new]
            worth = [[common(one, other, least) for other in others] for one in ones]
            yield from ((new[place], gone[number]) for number, place in _pairs(worth, share))


def _pairs(worth: list[list[float]], share: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a `share` that agree most in sum, by dynamic programming: both sides keep their order."""
    ones, others = len(worth), len(worth[0])
    best = [[0.0] * (others + 1) for _ in range(ones + 1)]
    for i in range(ones - 1, -1, -1):
        for j in range(others - 1, -1, -1):
            joined = worth[i][j] + best[i + 1][j + 1] if worth[i][j] >= share else 0.0
            best[i][j] = max(joined, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < ones and j < others:
        if worth[i][j] >= share and best[i][j] == worth[i][j] + best[i + 1][j + 1]:
            yield i, j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
