"""Entries without a partner that are alike: a renamed key, an element without a key that a side edited.

Between the same two entries that both sides have, those are pairs whose lines agree most, in their order.
"""

from __future__ import annotations

from collections import Counter

from krm.yamltree.target import ascending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence
    from typing import TypeAlias

    from krm.merge.lines.units import Unit

    Gap: TypeAlias = tuple[list[Unit], list[Unit]]

# A table of all pairs is made. Beyond, which entry is which is no question of a likeness.
_MOST = 10_000


def renamed(origin: Sequence[Unit], side: Sequence[Unit], *, share: float, least: int) -> dict[Hashable, Hashable]:
    """Return origin's key for each new key of a side whose entry has that `share` of lines, and `least` of them."""
    before = [unit for unit in origin if unit[0] is not None]
    after = [unit for unit in side if unit[0] is not None]
    if {key for key, _ in after} <= {key for key, _ in before}:
        return {}
    found: dict[Hashable, Hashable] = {}
    for ones, others in _gaps(before, after):
        if len(ones) * len(others) <= _MOST:
            found |= _pairs([*map(_lines, ones)], [*map(_lines, others)], ones, others, share, least)
    return found


def _gaps(before: list[Unit], after: list[Unit]) -> Iterator[Gap]:
    """Yield what has no partner between entries that both have, in one order."""
    places = {key: number for number, (key, _) in enumerate(before)}
    there = {places[key]: number for number, (key, _) in enumerate(after) if key in places}
    known = {key for key, _ in after}
    start = first = 0
    for number in [*ascending([*there]), len(before)]:
        place = there.get(number, len(after))
        ones = [unit for unit in before[start:number] if unit[0] not in known]
        others = [unit for unit in after[first:place] if unit[0] not in places]
        if ones and others:
            yield ones, others
        start, first = number + 1, place + 1


def _lines(unit: Unit) -> Counter[str]:
    return Counter(line.strip().removeprefix("- ").strip() for line in unit[1].splitlines() if line.strip("- \r\n"))


def _pairs(  # noqa: PLR0913 - both sides, and what is asked of a pair
    ones: list[Counter[str]],
    others: list[Counter[str]],
    before: list[Unit],
    after: list[Unit],
    share: float,
    least: int,
) -> dict[Hashable, Hashable]:
    """Return the pairs that agree most in sum, by dynamic programming: both sides keep their order."""
    worth = [[_worth(one, other, share, least) for other in others] for one in ones]
    best = [[0.0] * (len(others) + 1) for _ in range(len(ones) + 1)]
    for i in range(len(ones) - 1, -1, -1):
        for j in range(len(others) - 1, -1, -1):
            joined = worth[i][j] + best[i + 1][j + 1] if worth[i][j] else 0.0
            best[i][j] = max(joined, best[i + 1][j], best[i][j + 1])
    found: dict[Hashable, Hashable] = {}
    i = j = 0
    while i < len(ones) and j < len(others):
        if worth[i][j] and best[i][j] == worth[i][j] + best[i + 1][j + 1]:
            found[after[j][0]] = before[i][0]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _worth(one: Counter[str], other: Counter[str], share: float, least: int) -> float:
    """Return the share of lines that two entries have in common, 0 if that is too little."""
    longer = max(one.total(), other.total())
    common = (one & other).total() / longer if longer else 0.0
    return common if longer >= least and common >= share else 0.0
