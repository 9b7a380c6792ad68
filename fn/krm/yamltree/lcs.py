"""Longest common subsequence of two lists: the elements that keep their place when a list is rearranged."""

from __future__ import annotations

from bisect import bisect

from krm.yamltree.nodes import Alias, Collection, Scalar, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, Commented, Graft, Instead, Rewritten, uncommented

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.target import Target


def numbers(wanted: AmendedSequence) -> list[int | None]:
    """Return which of the list's own each wanted element is, or takes the place of; None for one that comes in.

    A scalar takes the place of one that goes where as many come as go between the same neighbours, one for one: so
    comments stay.
    """
    own = _own_numbers(wanted)
    found = list(own)
    for start, gone in exchanges(own, len(wanted.node.kids)):
        if _give_way(wanted, gone, start):
            found[start : start + len(gone)] = gone
    return found


def exchanges(own: list[int | None], size: int) -> Iterator[tuple[int, range]]:
    """Yield where elements come and the numbers of those that go, if these are as many between the same neighbours.

    `own` tells of each wanted element which of the list's `size` own it is, None of one that comes in.
    """
    staying = set(own)
    above, start = -1, 0
    for stop, below in [*enumerate(own), (len(own), size)]:
        if below is not None:
            gone = range(above + 1, below)
            if len(gone) == stop - start and staying.isdisjoint(gone):
                yield start, gone
            above, start = below, stop + 1


def ascending(numbers: list[int]) -> list[int]:
    """Return the longest part of `numbers` that ascends: elements that can stay where they are."""
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect(ends, number)
        before[number] = ends[at - 1] if at else None
        ends[at : at + 1] = [number]
    found: list[int] = []
    last = ends[-1] if ends else None
    while last is not None:
        found.append(last)
        last = before[last]
    return found[::-1]


def _own_numbers(wanted: AmendedSequence) -> list[int | None]:
    """Return which of the list's own each wanted element is; an alias may also be told by what it shows."""
    kids = wanted.node.kids
    numbers_of: dict[int, list[int]] = {}
    for number in reversed(range(len(kids))):
        for node in {id(kids[number]), id(resolved(kids[number]))}:
            numbers_of.setdefault(node, []).append(number)
    found: list[int | None] = []
    taken: set[int] = set()
    for element in wanted.elements:
        numbers = numbers_of.get(id(_node_of(element)), [])
        while numbers and numbers[-1] in taken:
            numbers.pop()
        found.append(numbers[-1] if numbers else None)
        taken.update(numbers[-1:])
    return found


def _node_of(wanted: Target) -> Target:
    if isinstance(wanted, Commented):
        wanted = wanted.target
    return wanted.node if isinstance(wanted, AmendedMapping | AmendedSequence | Instead | Rewritten) else wanted


def _give_way(wanted: AmendedSequence, gone: range, start: int) -> bool:
    """True if the elements that go are scalars, and those wanted from `start` on are scalars too."""
    return all(
        isinstance(wanted.node.kids[number], Scalar) and _is_scalar(wanted.elements[index])
        for index, number in enumerate(gone, start)
    )


def _is_scalar(wanted: Target) -> bool:
    wanted = uncommented(wanted)
    if isinstance(wanted, Graft):
        return isinstance(wanted.node, Scalar)
    return not isinstance(wanted, Collection | Alias | AmendedMapping | AmendedSequence | dict | list)
