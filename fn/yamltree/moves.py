"""Which elements of a list stay where they are, which move, and which give way to another in their place."""

from __future__ import annotations

from bisect import bisect

from fn.yamltree.nodes import Alias, Collection, Scalar, resolved
from fn.yamltree.wanted import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fn.yamltree.wanted import Wanted


def numbers(wanted: AmendedSequence) -> list[int | None]:
    """Return which of the list's own each wanted element is, or takes the place of; None for one that comes in.

    A scalar takes the place of one that goes where as many come as go between the same neighbours, one for one: so
    comments stay.
    """
    own = _own_numbers(wanted)
    found = list(own)
    above, start = -1, 0
    for stop, below in [*enumerate(own), (len(own), len(wanted.node.kids))]:
        if below is not None:
            between = [*range(above + 1, below)]
            if len(between) == stop - start and _give_way(wanted, own, between, start):
                found[start:stop] = between
            above, start = below, stop + 1
    return found


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
    number_of: dict[int, int] = {}
    for number, kid in enumerate(wanted.node.kids):
        number_of.setdefault(id(resolved(kid)), number)
        number_of[id(kid)] = number
    return [number_of.pop(id(_node_of(element)), None) for element in wanted.elements]


def _node_of(wanted: Wanted) -> Wanted:
    return wanted.node if isinstance(wanted, AmendedMapping | AmendedSequence) else wanted


def _give_way(wanted: AmendedSequence, own: list[int | None], between: list[int], start: int) -> bool:
    """Say whether the elements `between` are scalars that go, and those wanted from `start` on are scalars too."""
    return all(
        number not in own and isinstance(wanted.node.kids[number], Scalar) and _is_scalar(wanted.elements[index])
        for index, number in enumerate(between, start)
    )


def _is_scalar(wanted: Wanted) -> bool:
    if isinstance(wanted, Graft):
        return isinstance(wanted.node, Scalar)
    return not isinstance(wanted, Collection | Alias | AmendedMapping | AmendedSequence | dict | list)
