"""The strategic merge patch, as `kubectl apply` computes it and an API server applies it.

The rules are those of docs/reference/merge.md, "As kubectl apply does". All is data: `patch` returns the patch that
kubectl sends, and `patched` the object after the server has applied it. The three sides have no directives. Some
results are strange: kubectl has the same ones, and `tests/krm/merge/test_kubectl.py` compares them.

If an element is in a list twice, the result depends on how Go sorts and removes duplicates. So this is done here step
by step as there (docs/reference/merge.md, "As kubectl apply does").
"""

from __future__ import annotations

from itertools import zip_longest

from krm.fieldpath import Match
from krm.merge.outcome import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.merge.kinds.facts import Fact
    from krm.merge.kubectl.godata import Data, GoMap

    GoMaps: TypeAlias = list[GoMap]
    FactOf: TypeAlias = Callable[[FieldPath], Fact]
    """Returns the fact that the type of an object declares of a field."""


PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
ORDER = "$setElementOrder/"
DELETE_FROM = "$deleteFromPrimitiveList/"
DIRECTIVES = (PATCH, RETAIN_KEYS, ORDER, DELETE_FROM)
"""The directives of a patch. The three sides may have none of them, and an overlay only `$patch`."""

_DELETED = {PATCH: "delete"}
TWICE = "an element is in this list twice, and one of the two changes: kubectl refuses that, leave it once"
_NOWHERE = 1 << 62
"""An index behind all others."""


def patch(origin: GoMap, update: GoMap, local: GoMap, fact: FactOf) -> GoMap:
    """Return the patch for local: update's fields, and the deletion of fields that only origin has."""
    # kubectl compares update with origin for deletions, and with local for changes: so what only local has stays.
    deletions = _Difference(fact, deletes=True).of_maps(origin, update, ())
    changes = _Difference(fact, deletes=False).of_maps(local, update, ())
    return _Merge(fact, into_patch=True).of_maps(deletions, changes, ())


def patched(target: GoMap, patch: GoMap, fact: FactOf) -> GoMap:
    """Return `target` after `patch`, as a server applies it: without the nulls and directives of the patch."""
    return _Merge(fact, into_patch=False).of_maps(target, patch, ())


def equal(one: Data, other: Data) -> bool:
    """True if two values are equal to Go: true is not 1."""
    # Go compares typed values, while in Python `1 == True == 1.0`.
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def without_nulls(value: Data) -> Data:
    """Return an added value as a server takes it: without its nulls, and without the directives of a patch."""
    if isinstance(value, dict):
        fields = ((key, without_nulls(of_key)) for key, of_key in value.items())
        return {key: of_key for key, of_key in fields if of_key is not None and not key.startswith(DIRECTIVES)}
    if isinstance(value, list):
        return [without_nulls(element) for element in value if not is_deletion(element)]
    return value


class _Difference:
    """The patch by which `update` differs from a base: its deletions if it `deletes`, else additions and changes."""

    def __init__(self, fact: FactOf, *, deletes: bool) -> None:
        self._fact = fact
        self._deletes = deletes

    def of_maps(self, base: GoMap, update: GoMap, place: FieldPath, *, retains: bool = False) -> GoMap:
        patch: GoMap = {}
        for name, value in update.items():
            # Where the types differ, Go puts the whole value into the patch.
            if name in base and type(base[name]) is type(value) and isinstance(value, dict | list):
                self._collect(patch, name, base[name], value, (*place, name))
            elif not self._deletes and not (name in base and equal(base[name], value)):
                patch[name] = value
        if self._deletes:
            patch.update((name, None) for name in base if name not in update)
        retained = sorted(name for name, value in update.items() if value is not None) if retains else []
        if retained and (patch or any(base[name] is not None for name in base if name not in update)):
            patch[RETAIN_KEYS] = retained
        return patch

    def _collect(self, patch: GoMap, name: str, base: Data, update: Data, place: FieldPath) -> None:
        """Add the difference of two maps or two lists to `patch`."""
        fact = self._fact(place)
        if isinstance(update, dict) and not fact.replaces:
            changes = self.of_maps(base, update, place, retains=fact.retains)
            patch.update({name: changes} if changes else {})
        elif isinstance(update, list) and fact.merges and (base or update):
            self._collect_list(patch, name, base, update, place)
        # Each patch has the maps with the strategy `replace`, also unchanged ones: a PodDisruptionBudget's selector.
        elif not self._deletes and (isinstance(update, dict) or not equal(base, update)):
            patch[name] = update

    def _collect_list(self, patch: GoMap, name: str, base: list[Data], update: list[Data], place: FieldPath) -> None:
        if not base:
            patch.update({} if self._deletes else {name: update})
            return
        elements, deleted, order = (
            self._of_elements(base, update, place) if holds_maps(place, base, update) else self._of_sets(base, update)
        )
        parts = {name: elements, f"{DELETE_FROM}{name}": deleted, f"{ORDER}{name}": order}
        patch.update((key, part) for key, part in parts.items() if part)

    def _of_elements(self, base: GoMaps, update: GoMaps, place: FieldPath) -> tuple[list[Data], list[Data], list[Data]]:
        fact = self._fact(place)
        key = fact.patch_key
        changed, deleted = [], []
        for before, now in _paired(base, update, key, place):
            if now is None:
                deleted.append({key: before[key], **_DELETED})
            elif before is not None:
                changes = self.of_maps(before, now, (*place, Match(key, str(now[key]))), retains=fact.retains)
                changed += [{**changes, key: now[key]}] if changes else []
            elif not self._deletes:
                changed.append(now)
        wanted = [element[key] for element in update]
        changed.sort(key=lambda element: _index_of(wanted, element[key]))
        # Deletions are the last elements of a patch, whatever their keys.
        changed += deleted if self._deletes else []
        moved = not self._deletes and [element[key] for element in base] != wanted
        return changed, [], [{key: value} for value in wanted] if changed or moved else []

    def _of_sets(self, base: list[Data], update: list[Data]) -> tuple[list[Data], list[Data], list[Data]]:
        # Equal elements are counted. If one of two is deleted, the patch deletes both.
        surplus, lacking = less(base, update), less(update, base)
        if self._deletes:
            deleted = sorted({*surplus}, key=str)
            return [], deleted, update if deleted else []
        # kubectl has sorted base when it compares the orders.
        moved = sorted(base, key=str) != update
        return sorted(lacking, key=update.index), [], update if moved else []


class _Merge:
    """The merge of a patch into a live object or, with `into_patch`, into another patch, which keeps directives."""

    def __init__(self, fact: FactOf, *, into_patch: bool) -> None:
        self._fact = fact
        self._into_patch = into_patch

    def of_maps(self, base: GoMap, patch: GoMap, place: FieldPath) -> GoMap:
        result = self._retained(base, patch, place)
        for name in dict.fromkeys(key.partition("/")[2] if key.startswith(DIRECTIVES) else key for key in patch):
            if f"{ORDER}{name}" in patch and None in (patch.get(name, name), result.get(name, name)):
                raise Refused((*place, name), TWICE)
            if patch.get(name, name) is None and not self._into_patch:
                result.pop(name, None)
            elif name in patch or name in result:
                result[name] = self._field(result.get(name), patch, name, (*place, name))
        return result

    def _retained(self, base: GoMap, patch: GoMap, place: FieldPath) -> GoMap:
        """Return the part of `base` that stays, before anything is added."""
        if self._into_patch:
            directives = {key: value for key, value in patch.items() if key.startswith(DIRECTIVES)}
            if any(not equal(base.get(key, value), value) for key, value in directives.items()):
                raise Refused(place, TWICE)
            return {**base, **directives}
        # A server first deletes the keys that are not retained, and then adds others. So a Deployment loses the
        # `rollingUpdate` that the server has set, when its strategy becomes Recreate.
        retained = patch.get(RETAIN_KEYS)
        if retained is None:
            return {**base}
        if any(
            value is not None and key not in retained for key, value in patch.items() if not key.startswith(DIRECTIVES)
        ):
            raise Refused(place, TWICE)
        return {key: value for key, value in base.items() if key in retained}

    def _field(self, base: Data, patch: GoMap, name: str, place: FieldPath) -> Data:
        fact = self._fact(place)
        value = patch.get(name, [])
        if isinstance(value, dict) and isinstance(base, dict) and not fact.replaces:
            return self.of_maps(base, value, place)
        if fact.merges and isinstance(value, list) and (isinstance(base, list) or f"{ORDER}{name}" in patch):
            deleted = () if self._into_patch else patch.get(f"{DELETE_FROM}{name}", ())
            merged = self._list(base, patch, name, fact.patch_key, place)
            return [element for element in merged if element not in deleted]
        return value if self._into_patch else without_nulls(value)

    def _list(self, base: Data, patch: GoMap, name: str, key: str, place: FieldPath) -> list[Data]:
        """Return a list after its changes. Go sorts it by the changes, and then by the order in the patch."""
        if not isinstance(base, list | None):
            raise Refused(place, "what is live is no list here, and kubectl merges lists: write one, or none")
        there = base or []
        changes, order = patch.get(name, []), patch.get(f"{ORDER}{name}")
        listing = ListElements(key if holds_maps(place, there, changes) else None, place)
        if order is not None:
            if not there and not changes:
                raise Refused(place, TWICE)
            listing.require(changes, order)
        merged = there
        if base is None:
            merged = changes if self._into_patch else without_nulls(changes)
        elif name in patch and listing.key is None:
            merged, there = joined([*there], changes)
            merged = listing.ordered(merged, changes, there)
        elif name in patch:
            deleted = [listing.identity(element) for element in changes if is_deletion(element)]
            stays = [element for element in there if listing.identity(element) not in deleted]
            added = remaining(changes)
            merged = self._elements(stays, added, listing)
            # In Go, new elements overwrite the deleted ones, so that as many of them seem to have been there before.
            there = merged[: len(there)]
            merged = listing.ordered(merged, added, stays)
        return merged if order is None else listing.ordered(merged, order, there)

    def _elements(self, base: GoMaps, changes: GoMaps, listing: ListElements) -> GoMaps:
        elements = [*base]
        index_of = {listing.identity(element): index for index, element in reversed([*enumerate(elements)])}
        for change in changes:
            index = index_of.setdefault(listing.identity(change), len(elements))
            if index == len(elements):
                elements.append(change if self._into_patch else without_nulls(change))
            else:
                elements[index] = self.of_maps(elements[index], change, (*listing.place, listing.segment(change)))
        return elements


def _paired(base: GoMaps, update: GoMaps, key: str, place: FieldPath) -> Iterator[tuple[Data, Data]]:
    """Yield the pairs of elements that kubectl compares. Those with the same key are paired from the last one on."""
    before, now = _by_key(base, key, place), _by_key(update, key, place)
    for text in sorted(before.keys() | now.keys()):
        yield from zip_longest(before.get(text, ()), now.get(text, ()))


def _by_key(elements: GoMaps, key: str, place: FieldPath) -> dict[str, GoMaps]:
    found: dict[str, GoMaps] = {}
    for index, element in reversed([*enumerate(elements)]):
        if key not in element:
            raise Refused(
                (*place, index), f"this element needs a `{key}`: kubectl tells the elements of the list apart by it"
            )
        found.setdefault(str(element[key]), []).append(element)
    return found


def _index_of(values: list[Data], value: Data) -> int:
    """Return the first index of a value in a list, the length of the list if it is not there."""
    return next((index for index, other in enumerate(values) if equal(other, value)), len(values))


class ListElements:
    """The elements of one list, identified by their `key`, or by their value if that is None."""

    def __init__(self, key: str | None, place: FieldPath) -> None:
        self.key = key
        self.place = place

    def identity(self, element: Data) -> Hashable:
        """Return the identity of an element. Refused if it has no key."""
        if self.key is not None and self.key not in element:
            message = f"each element of this list needs a `{self.key}`: kubectl tells them apart by it"
            raise Refused(self.place, message)
        value = element if self.key is None else element[self.key]
        return type(value), str(value)

    def segment(self, element: Data) -> Match:
        """Return the step to a mapping in a path."""
        return Match(str(self.key), str(element[self.key]))

    def require(self, changes: list[Data], order: list[Data]) -> None:
        """Raise Refused if the changes are not in the order of the patch: then an element is there twice."""
        rest = map(self.identity, order)
        for change in remaining(changes):
            if self.identity(change) not in rest:
                raise Refused(self.place, TWICE)

    def ordered(self, elements: list[Data], order: list[Data], there: list[Data]) -> list[Data]:
        """Return elements in an order. Those that are not in it keep their places among those that were `there`."""
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
        """Return elements sorted by their indexes, deletions last. An element without an index is the least to Go."""
        result: list[Data] = []
        for element in remaining(elements):
            index, position = indexes.get(self.identity(element), -1), len(result)
            # This is the insertion sort of Go, step by step. Another sort has another result with this comparison.
            while position and index < indexes.get(self.identity(result[position - 1]), _NOWHERE):
                position -= 1
            result.insert(position, element)
        return result + [element for element in elements if is_deletion(element)]


def holds_maps(place: FieldPath, *lists: list[Data]) -> bool:
    """True if the elements are maps. kubectl merges no list in which some are maps and others are not."""
    kinds = {type(element) for elements in lists for element in elements}
    if len(kinds) > 1 or list in kinds:
        raise Refused(place, "this list must have mappings alone, or scalars alone: kubectl merges no other")
    return kinds == {dict}


def is_deletion(element: Data) -> bool:
    """True if an element of a patch deletes one."""
    return isinstance(element, dict) and PATCH in element


def remaining(elements: list[Data]) -> list[Data]:
    """Return the elements of a patch that delete none."""
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
    """Return two sets as one, and the list that Go has as `base` afterwards."""
    found = [*base, *added]
    # Go's memory for a list has the size of the next power of two. If it has room, both lists share it.
    is_shared = bool(base) and len(found) <= 1 << (len(base) - 1).bit_length()
    index = 0
    while index < len(found):
        other = index + 1
        while other < len(found):
            if found[other] == found[index]:
                found[other] = found[-1]  # Go puts the last element into the place of one that goes
                found.pop()
            else:
                other += 1
        index += 1
    return found, found[: len(base)] if is_shared else base
