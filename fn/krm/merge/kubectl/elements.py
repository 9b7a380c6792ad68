"""Lists of a strategic merge patch: what their elements are known by, their order, and what kubectl refuses in them.

Where an element is in a list twice, the answer hangs on how Go sorts and removes duplicates: so that is done here step
by step as there (docs/merge.md, "As kubectl apply does").
"""

from __future__ import annotations

from krm.fieldpath import Match
from krm.merge.directives import PATCH
from krm.merge.outcome import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from krm.fieldpath import FieldPath
    from krm.merge.kubectl.godata import Data

TWICE = "an element is in this list twice, and one of the two changes: kubectl refuses that, leave it once"

_NOWHERE = 1 << 62
"""An index behind all others."""


class Listing:
    """The elements of one list, known by their `key`, or by their value where that is None."""

    def __init__(self, key: str | None, place: FieldPath) -> None:
        self.key = key
        self.place = place

    def identity(self, element: Data) -> Hashable:
        """Return what an element is known by. Refused where it has no key."""
        if self.key is not None and self.key not in element:
            message = f"each element of this list needs a `{self.key}`: kubectl tells them apart by it"
            raise Refused(self.place, message)
        value = element if self.key is None else element[self.key]
        return type(value), str(value)

    def segment(self, element: Data) -> Match:
        """Return how a mapping is called in a path."""
        return Match(str(self.key), str(element[self.key]))

    def require(self, changes: list[Data], order: list[Data]) -> None:
        """Raise Refused where changes do not come in the order that the patch gives: an element is there twice."""
        rest = map(self.identity, order)
        for change in remaining(changes):
            if self.identity(change) not in rest:
                raise Refused(self.place, TWICE)

    def ordered(self, elements: list[Data], order: list[Data], there: list[Data]) -> list[Data]:
        """Return elements in an order; those that are not in it keep to their places among what is `there`."""
        wanted, known = self._indexes(order), self._indexes(there)
        listed = self._sorted([element for element in elements if self.identity(element) in wanted], wanted)
        others = self._sorted([element for element in elements if self.identity(element) not in wanted], known)
        result = []
        for element in listed:
            index = known.get(self.identity(element), -1)
            while others and known.get(self.identity(others[0]), index) < index:
                result.append(others.pop(0))
            result.append(element)
        return result + others

    def _indexes(self, elements: list[Data]) -> dict[Hashable, int]:
        return {self.identity(element): index for index, element in reversed([*enumerate(elements)])}

    def _sorted(self, elements: list[Data], indexes: dict[Hashable, int]) -> list[Data]:
        """Return elements by their indexes, deletions last. To Go, what has no index is less than all others."""
        result: list[Data] = []
        for element in remaining(elements):
            index, position = indexes.get(self.identity(element), -1), len(result)
            # The insertion sort of Go, step by step: by no other would such a comparison give the same.
            while position and index < indexes.get(self.identity(result[position - 1]), _NOWHERE):
                position -= 1
            result.insert(position, element)
        return result + [element for element in elements if is_deletion(element)]


def holds_maps(place: FieldPath, *lists: list[Data]) -> bool:
    """Return True if the elements are maps. kubectl does not merge lists in which some are and some are not."""
    kinds = {type(element) for elements in lists for element in elements}
    if len(kinds) > 1 or list in kinds:
        raise Refused(place, "this list must have mappings alone, or scalars alone: kubectl merges no other")
    return kinds == {dict}


def is_deletion(element: Data) -> bool:
    """Return True if an element of a patch takes one away."""
    return isinstance(element, dict) and PATCH in element


def remaining(elements: list[Data]) -> list[Data]:
    """Return the elements of a patch that take none away."""
    return [element for element in elements if not is_deletion(element)]


def less(values: list[Data], others: list[Data]) -> list[Data]:
    """Return values without as many of each as `others` have."""
    rest = [*others]
    found = []
    for value in values:
        if value in rest:
            rest.remove(value)
        else:
            found.append(value)
    return found


def joined(base: list[Data], added: list[Data]) -> tuple[list[Data], list[Data]]:
    """Return two sets as one, and what Go then takes for `base`."""
    found = [*base, *added]
    # Go appends where the memory of the first list has room, to the next power of two. Then it is the new list's start.
    is_shared = bool(base) and len(found) <= 1 << (len(base) - 1).bit_length()
    index = 0
    while index < len(found):
        if found[index] in found[:index]:
            found[index] = found[-1]  # to remove duplicates, Go puts the last element into the place of one that goes
            found.pop()
        else:
            index += 1
    return found, found[: len(base)] if is_shared else base
