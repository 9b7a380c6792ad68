"""Likeness: what two values have in common, and which entries are still the same under another key.

An entry without a partner is paired with the one that is most like it, between the same two entries that both sides
have or else anywhere: it has a new key, or it has no key and was edited (docs/reference/merge.md, "Keyed lists").
"""

from __future__ import annotations

import re

from krm.merge import diff, trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator
    from typing import TypeAlias, TypeVar

    from krm.yamltree.nodes import Node

    CountedLeaf: TypeAlias = tuple[tuple[str, ...], Hashable, int]
    """A path, what stands there, and how many leaves before it are the same."""
    Leaves: TypeAlias = frozenset[CountedLeaf]
    K = TypeVar("K")
    V = TypeVar("V", Node, Node | None)

HALF = 0.5
"""The share of its leaves that a value keeps at least, to count as the same value."""

# The share of its words that an element without a name keeps at least, to be the same in its place.
_NEARLY_ALL = 0.9

MOST = 10_000
"""The most pairs that are compared. In longer lists these are the pairs near each other, or none."""


def leaves_of(node: Node | None, but: Collection[str] = ()) -> Leaves:
    """Return the leaves of a value, without those below the keys `but`."""
    times: dict[tuple[tuple[str, ...], Hashable], int] = {}
    for leaf in trees.leaves(node):
        if {*leaf[0][:1]}.isdisjoint(but):
            times[leaf] = times.get(leaf, 0) + 1
    return frozenset((*leaf, number) for leaf, count in times.items() for number in range(count))


def common(one: Leaves, other: Leaves) -> float:
    """Return the share of the larger value that both have in common."""
    # Of the larger value: else a short one, such as an empty ConfigMap, would be like any long one.
    return len(one & other) / max(len(one), len(other), 1)


def _is_enough(one: Leaves, other: Leaves, least: int, is_telling: Callable[[Leaves], bool]) -> bool:
    """True if what two values have in common is telling: each leaf of it, and all are alike, if they are fewer."""
    if max(len(one), len(other)) >= least:
        return is_telling(one & other)
    return one == other and len(one) > 1 and all(is_telling(frozenset({leaf})) for leaf in one)


def under_old_keys(
    origin: dict[K, V],
    update: dict[K, V],
    local: dict[K, V],
    *,
    least: int = 1,
    but: Collection[str] = (),
) -> tuple[dict[K, V], dict[K, V]]:
    """Return update and local with origin's key for each renamed entry: one that keeps half of its leaves.

    Then for each that has a word in common with one in its place, unless the other side has that one: two names for it,
    or a name and a deletion, are no agreement. An entry keeps its new key if the other side has both keys. If the other
    side has the new key alone, it renamed it, too.
    """
    sides: list[dict[K, V]] = [update, local]
    # In most collections no entry is new.
    if all(side.keys() <= origin.keys() for side in sides):
        return update, local
    for has_share in (True, False):
        found: list[dict[K, K]] = []
        for number, was in enumerate((local, update)):
            side, other = sides[number], sides[1 - number]
            # The other side lacks what it renamed, but has an element without a name that it changed.
            there = was.keys() | {key for key in other if _is_unnamed(key)}
            names = renamed(origin, side, HALF, least, but) if has_share else _by_words(origin, side, there, least, but)
            found.append({new: old for new, old in names.items() if not {new, old} <= other.keys()})
        for keys in found:
            sides = [under(side, keys) for side in sides]
    return sides[0], sides[1]


def under(side: dict[K, V], keys: dict[K, K]) -> dict[K, V]:
    """Return a side with other keys for some entries, unless it has such a key."""
    return {key if keys.get(key) in side else keys.get(key, key): node for key, node in side.items()}


def renamed(
    origin: dict[K, V], side: dict[K, V], share: float = HALF, least: int = 1, but: Collection[str] = ()
) -> dict[K, K]:
    """Return origin's key for each renamed key of a side: first for an entry in its place, then for all others.

    An entry keeps this `share` of its leaves. What it keeps, without the keys `but`, is in no other entry.
    """
    old: list[K] = [*origin]
    new: list[K] = [*side]
    left, there = {*old} - {*new}, {*new} - {*old}
    if not (left and there):
        return {}
    ones, others = ([leaves_of(node, but) for node in each.values()] for each in (origin, side))
    is_telling = _telling(ones, others)
    found: dict[K, K] = {}
    for start, end, first, last in (*diff.gaps(old, new), (0, len(old), 0, len(new))):
        gone = [number for number in range(start, end) if old[number] in left]
        come = [number for number in range(first, last) if new[number] in there]
        here, new_here = [ones[number] for number in gone], [others[number] for number in come]
        for number, place in in_order(here, new_here, share, least, is_telling):
            found[new[come[place]]] = old[gone[number]]
            left.remove(old[gone[number]])
            there.remove(new[come[place]])
    return found


def _by_words(
    origin: dict[K, V], side: dict[K, V], other: Collection[K], least: int, but: Collection[str]
) -> dict[K, K]:
    """Return origin's key for each key of a side that has a word in common with one between the same neighbours.

    That is enough if the `other` side lacks origin's key. For an element without a name it is, if no other element has
    that word, or nearly all words are the same. If as many come as go, they are compared in their order.
    """
    old, new = [*origin], [*side]
    if side.keys() <= origin.keys() or origin.keys() <= side.keys():
        return {}
    ones, others = ([_words(leaves_of(node, but), least) for node in each.values()] for each in (origin, side))
    is_telling = _telling(ones, others)
    found: dict[K, K] = {}
    for start, end, first, last in diff.gaps(old, new):
        gone = [number for number in range(start, end) if old[number] not in side]
        come = [number for number in range(first, last) if new[number] not in origin]
        here, new_here = [ones[number] for number in gone], [others[number] for number in come]
        pairs = enumerate(range(len(come))) if len(gone) == len(come) else in_order(here, new_here, share=0)
        for number, place in pairs:
            key, both = old[gone[number]], here[number] & new_here[place]
            is_near = len(both) >= _NEARLY_ALL * min(len(here[number]), len(new_here[place])) or is_telling(both)
            if both and (key not in other or (_is_unnamed(key) and is_near)):
                found[new[come[place]]] = key
    return found


def _is_unnamed(key: Hashable) -> bool:
    return isinstance(key, tuple) and key[0] is None


def _telling(*sides: list[Leaves]) -> Callable[[Leaves], bool]:
    """Return a predicate: True if exactly one value on each side has all these leaves."""
    found: list[dict[CountedLeaf, set[int]]] = [{} for _ in sides]
    for places, side in zip(found, sides, strict=True):
        for number, leaves in enumerate(side):
            for leaf in leaves:
                places.setdefault(leaf, set()).add(number)

    def is_in_one(places: dict[CountedLeaf, set[int]], leaves: Leaves) -> bool:
        # The rarest leaf comes first, so that the intersections are short.
        return len(set.intersection(*sorted(map(places.__getitem__, leaves), key=len))) == 1

    return lambda leaves: bool(leaves) and all(is_in_one(places, leaves) for places in found)


def _words(leaves: Leaves, least: int) -> Leaves:
    """Return the words in the fields of a value, none if it has fewer leaves than `least`.

    `actions/checkout@v4` and `actions/checkout@v6` have two of three words in common.
    """
    fields = [leaf for leaf in leaves if leaf[0]] if len(leaves) >= least else []
    texts = ((path, str(value[-1] if isinstance(value, tuple) else value)) for path, value, _ in fields)
    return frozenset((path, word, 0) for path, text in texts for word in re.findall(r"[\w.-]+", text))


def in_order(
    ones: list[Leaves], others: list[Leaves], share: float, least: int = 1, is_telling: Callable[[Leaves], bool] = bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs, each with this `share` at least, whose sum is the largest: both sides keep their order.

    What a pair has in common `is_telling`: leaves that many entries have identify none. A pair with a second candidate
    is left out.
    """
    longer = max(len(ones), len(others))
    near = longer if len(ones) * len(others) <= MOST else MOST // longer
    worth: dict[tuple[int, int], float] = {}
    best: dict[tuple[int, int], float] = {}
    for i in range(len(ones) - 1, -1, -1):
        for j in range(min(len(others) - 1, i + near), max(-1, i - near - 1), -1):
            found = common(ones[i], others[j])
            worth[i, j] = found if found >= share and _is_enough(ones[i], others[j], least, is_telling) else 0.0
            joined = worth[i, j] and worth[i, j] + best.get((i + 1, j + 1), 0.0)
            best[i, j] = max(joined, best.get((i + 1, j), 0.0), best.get((i, j + 1), 0.0))
    steps = range(-near, near + 1)
    i = j = 0
    while i < len(ones) and j < len(others):
        agree = worth.get((i, j), 0.0)
        if agree and best[i, j] == agree + best.get((i + 1, j + 1), 0.0):
            rivals = {(i, j + step) for step in steps} | {(i + step, j) for step in steps}
            if agree not in map(worth.get, rivals - {(i, j)}):
                yield i, j
            i, j = i + 1, j + 1
        elif best.get((i, j), 0.0) == best.get((i + 1, j), 0.0):
            i += 1
        else:
            j += 1
