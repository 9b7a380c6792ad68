"""Alignment of a list with an earlier version of it: the elements that were there before somebody changed it."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def pairs(before: Sequence[Hashable], after: Sequence[Hashable]) -> dict[int, int]:
    """Return the index in `before` of each element of `after` that was there, by its index.

    An element is the same if it is inside a block that both lists have, in the same order as the other blocks. One
    that stands in the list more often than it did is known only by the one in front of it as well, since one of them
    is new: `--region eu` is found again beside `--fallback eu`. Where that tells no better, none of them is.
    """
    if before == after:
        return {index: index for index in range(len(after))}
    from difflib import SequenceMatcher  # noqa: PLC0415 - only for what was changed by hand

    grown = _grown(before, after)
    before, after = _known_by(before, grown), _known_by(after, grown)
    ambiguous = _grown(before, after)
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    same = ((block.b + step, block.a + step) for block in blocks for step in range(block.size))
    return {new: old for new, old in same if after[new] not in ambiguous}


def _grown(before: Sequence[Hashable], after: Sequence[Hashable]) -> set[Hashable]:
    """Return the elements that are in a list more often than they were."""
    return set(Counter(after) - Counter(before))


def _known_by(elements: Sequence[Hashable], grown: set[Hashable]) -> list[Hashable]:
    """Return what each element is known by: itself, or where that is not enough, its place and what is in front of it.

    Of equal elements beside each other all are new if one is: they are known by their number as well.
    """
    known: list[Hashable] = []
    previous: Hashable = None
    for element, equal in groupby(elements):
        count = len(list(equal))
        known += ((previous, element, count, index) if element in grown else element for index in range(count))
        previous = element
    return known
