"""The difference of two sequences: which elements both have, in one order (Myers, "An O(ND) Difference Algorithm").

```
one    a b c a     matches {0: 0, 2: 1, 3: 3}
other  a c x a
```
"""

from __future__ import annotations

from collections import Counter

from krm.yamltree.target import ascending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    Items: TypeAlias = "Sequence[Hashable]"
    Keys: TypeAlias = "Sequence[Hashable | None]"

# The time grows with the square of it. Beyond, what is there once parts the sequences, and else what such a run starts.
_MOST = 1000
_RUNS = 1, 8


def matches(one: Items, other: Items) -> dict[int, int]:
    """Return where the elements of a sequence are in another one: a longest common subsequence of the two.

    Where there are several, elements that come or go stand as far behind as they can, as in git.
    """
    start, end = _affixes(one, other)
    found = {number: number for number in range(start)}
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    found |= {start + x: start + y for x, y in _between(a, b)}
    return found | {len(one) - number: len(other) - number for number in range(end, 0, -1)}


def gaps(one: Keys, other: Keys) -> Iterator[tuple[int, int, int, int]]:
    """Yield where what stands between keys that both have starts and ends on both sides, in one order.

    What has no key, None, is in no pair. No key is twice.
    """
    places = {key: number for number, key in enumerate(one) if key is not None}
    there = {places[key]: number for number, key in enumerate(other) if key in places}
    start = first = 0
    for number in [*ascending([*there]), len(one)]:
        place = there.get(number, len(other))
        yield start, number, first, place
        start, first = number + 1, place + 1


def by_unique(one: Items, other: Items) -> list[tuple[int, int]]:
    """Return pairs of elements that are there once on both sides, as many as stand in one order."""
    times, others = Counter(one), Counter(other)
    places = {item: number for number, item in enumerate(other) if others[item] == 1}
    pairs = {places[item]: number for number, item in enumerate(one) if times[item] == 1 and item in places}
    return [(pairs[place], place) for place in ascending([*pairs])]


def _between(one: Items, other: Items) -> Iterable[tuple[int, int]]:
    """Return the pairs of two sequences that start and end differently."""
    if not one or not other:
        return []
    times = Counter(one)
    times.subtract(Counter(other))
    found = _shortest(one, other) if sum(map(abs, times.values())) <= _MOST else None
    return _parted(one, other) if found is None else found


def _parted(one: Items, other: Items) -> Iterator[tuple[int, int]]:
    """Yield the pairs between elements that are there once on both sides, or between runs that are."""
    anchors = next(filter(None, (by_unique(_runs(one, size), _runs(other, size)) for size in _RUNS)), [])
    start = first = 0
    for number, place in [*anchors, (len(one), len(other))] if anchors else []:
        yield from ((start + x, first + y) for x, y in matches(one[start:number], other[first:place]).items())
        if number < len(one):
            yield number, place
        start, first = number + 1, place + 1


def _runs(items: Items, size: int) -> Items:
    """Return the runs of a size that start at each element but the last ones."""
    return items if size == 1 else [*zip(*(items[number:] for number in range(size)), strict=False)]


def _affixes(one: Items, other: Items) -> tuple[int, int]:
    """Return how many elements two sequences share at their starts, and at the ends of what is left."""
    most = min(len(one), len(other))
    start = 0
    while start < most and one[start] == other[start]:
        start += 1
    end = 0
    while end < most - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return start, end


def _shortest(one: Items, other: Items) -> list[tuple[int, int]] | None:
    """Return the pairs of a shortest difference, None if that has more than `_MOST` elements."""
    # By the number of differences: on each diagonal, from the lowest on, how far one gets in `one`.
    reached: list[list[int]] = []
    for differences in range(min(_MOST, len(one) + len(other)) + 1):
        row: list[int] = []
        before = reached[-1] if reached else [0]
        for index in range(differences + 1):
            x = _step(before, index, differences)
            y = x - 2 * index + differences
            while x < len(one) and y < len(other) and one[x] == other[y]:
                x, y = x + 1, y + 1
            row.append(x)
            if x >= len(one) and y >= len(other):
                return [*_traced([*reached, row], index)][::-1]
        reached.append(row)
    return None


def _step(before: list[int], index: int, differences: int) -> int:
    """Return where a diagonal is entered: from the one above by an element of `other`, else by one of `one`."""
    if not differences:
        return 0
    if index == 0 or (index < differences and before[index - 1] < before[index]):
        return before[index]
    return before[index - 1] + 1


def _traced(reached: list[list[int]], index: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs on the way to the end of the last row, from the last one on."""
    for differences in range(len(reached) - 1, -1, -1):
        x, shift = reached[differences][index], differences - 2 * index
        before = reached[differences - 1] if differences else [0]
        start = _step(before, index, differences)
        yield from ((number, number + shift) for number in range(x - 1, start - 1, -1))
        is_down = index == 0 or (index < differences and before[index - 1] < before[index])
        index -= not is_down
