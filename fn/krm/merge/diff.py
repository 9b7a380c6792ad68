"""The elements that two sequences have in common, in one order (Myers, "An O(ND) Difference Algorithm").

```
one    a b c a     matches {0: 0, 2: 1, 3: 3}
other  a c x a
```
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, zip_longest

from krm.yamltree.edits import affixes
from krm.yamltree.target import ascending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence
    from typing import TypeAlias

    Hashables: TypeAlias = "Sequence[Hashable]"
    Keys: TypeAlias = "Sequence[Hashable | None]"
    EqualRun: TypeAlias = "tuple[int, int, int, EqualRun | None]"
    """Where a run of equal elements starts and ends, the diagonal on which it is, and the run before it."""

# The time grows with its square. Beyond it, elements that each sequence has once split both, or else such runs.
_MOST = 1000
_RUNS = 1, 8


def matches(one: Hashables, other: Hashables) -> dict[int, int]:
    """Return where the elements of a sequence are in another one: a longest common subsequence of the two.

    If there are several, inserted and deleted elements stand as late as they can, as in git.
    """
    start, end = affixes(one, other)
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    between = [(start + x, start + y) for x, y in _between(a, b)]
    behind = [(len(one) - number, len(other) - number) for number in range(end, 0, -1)]
    found = {number: number for number in range(start)}
    # What only one sequence has is as late as it can be: the starts were compared first.
    return found | dict(_late([*between, *behind], start, one, other) if a and b else behind)


def _late(pairs: list[tuple[int, int]], start: int, one: Hashables, other: Hashables) -> list[tuple[int, int]]:
    """Return the pairs behind a start, with each insertion and deletion as late as the elements behind it permit."""
    found = []
    first = start
    for number, place in pairs:
        # The elements from `start` and `first` on have no partner. An equal one gets that of the element behind them.
        is_inserted, is_deleted = number == start and place > first, place == first and number > start
        x = start if is_deleted and one[start] == one[number] else number
        y = first if is_inserted and other[first] == other[place] else place
        found.append((x, y))
        start, first = x + 1, y + 1
    return found


def gaps(one: Keys, other: Keys) -> Iterator[tuple[int, int, int, int]]:
    """Yield the gaps between keys that both sequences have in one order: start and end in `one`, and in `other`.

    None stands for an element without a key. No key is twice.
    """
    places = {key: number for number, key in enumerate(one) if key is not None}
    there = {places[key]: number for number, key in enumerate(other) if key in places}
    start = first = 0
    for number in [*ascending([*there]), len(one)]:
        place = there.get(number, len(other))
        yield start, number, first, place
        start, first = number + 1, place + 1


def _between(one: Hashables, other: Hashables) -> Iterable[tuple[int, int]]:
    """Return the pairs of two sequences whose first elements differ, and whose last ones do."""
    if not one or not other:
        return []
    times = Counter(one)
    times.subtract(Counter(other))
    found = _shortest(one, other) if sum(map(abs, times.values())) <= _MOST else None
    return _parted(one, other) if found is None else found


def _parted(one: Hashables, other: Hashables) -> Iterator[tuple[int, int]]:
    """Yield the pairs of long sequences, split at elements that each has once, or else at such runs of elements."""
    keys: list[Keys] = next(filter(lambda found: any(found[0]), (_unique(one, other, size) for size in _RUNS)), [])
    for start, end, first, last in gaps(*keys) if keys else ():
        yield from ((start + x, first + y) for x, y in matches(one[start:end], other[first:last]).items())
        if end < len(one):
            yield end, last


def _unique(one: Hashables, other: Hashables, size: int) -> list[Keys]:
    """Return for each element the run of `size` elements from it on, None unless both sequences have that run once."""
    sides = [[*zip_longest(*(items[number:] for number in range(size)))] for items in (one, other)]
    times, others = map(Counter, sides)
    return [[run if times[run] == others[run] == 1 else None for run in side] for side in sides]


def _shortest(one: Hashables, other: Hashables) -> list[tuple[int, int]] | None:
    """Return the pairs of a shortest difference, None if that has more than `_MOST` elements."""
    # For each number of differences: how far each diagonal reaches in `one`, and over which runs of equal elements.
    most = min(_MOST, len(one) + len(other))
    # The diagonals below 0 are at the end.
    reached: list[int] = [-1] * (2 * most + 3)
    runs: list[EqualRun | None] = [None] * (2 * most + 3)
    reached[1] = 0
    for differences in range(most + 1):
        for diagonal in range(-differences, differences + 1, 2):
            # A diagonal is entered from the one above by an element of `other`, or from the one below by one of `one`.
            above, below = reached[diagonal + 1], reached[diagonal - 1]
            start = x = above if above > below else below + 1
            run = runs[diagonal + 1 if above > below else diagonal - 1]
            while x < len(one) and x - diagonal < len(other) and one[x] == other[x - diagonal]:
                x += 1
            if x > start:
                run = start, x, diagonal, run
            if x >= len(one) and x - diagonal >= len(other):
                return _pairs(run)
            reached[diagonal], runs[diagonal] = x, run
    return None


def _pairs(run: EqualRun | None) -> list[tuple[int, int]]:
    """Return the pairs of a run, and of all runs before it."""
    runs: list[list[tuple[int, int]]] = []
    while run is not None:
        start, end, diagonal, run = run
        runs.append([*zip(range(start, end), range(start - diagonal, end - diagonal), strict=True)])
    return [*chain.from_iterable(reversed(runs))]
