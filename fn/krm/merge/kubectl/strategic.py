"""The strategic merge patch, as `kubectl apply` computes it and an API server applies it.

All is data: `patch` is what kubectl sends, `patched` what the server makes of it. The three sides hold no directives.
Some of what comes out is strange; kubectl does just that, and `tests/krm/merge/test_kubectl.py` asks it.
"""

from __future__ import annotations

from itertools import zip_longest

from krm.merge.outcome import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import Place
    from krm.merge.kubectl.godata import Data, Fields
    from krm.merge.schema import Schema

    Elements: TypeAlias = list[Fields]

_PATCH = "$patch"
_RETAIN_KEYS = "$retainKeys"
_ORDER = "$setElementOrder/"
_DELETE = "$deleteFromPrimitiveList/"
_DELETED = {_PATCH: "delete"}


def patch(origin: Fields, update: Fields, local: Fields, schema: Schema) -> Fields:
    """Return what turns local into what update says, without what origin says and update does not."""
    # kubectl looks for deletions in what was applied last and for changes in what is live: so what is live alone stays.
    deletions = _Difference(schema, deletes=True).of_maps(origin, update, ())
    changes = _Difference(schema, deletes=False).of_maps(local, update, ())
    return _joined(deletions, changes, (), schema)


def patched(target: Fields, patch: Fields, schema: Schema, place: Place = ()) -> Fields:
    """Return `target` after `patch`, as a server reads it: what the patch brings is without nulls and directives."""
    # First: a server clears the keys that are not retained, before it adds any. So a Deployment gets rid of the
    # `rollingUpdate` that the server filled in, when its strategy becomes Recreate.
    retained = patch.get(_RETAIN_KEYS)
    result = {key: value for key, value in target.items() if retained is None or key in retained}
    for name in dict.fromkeys(key.partition("/")[2] if key.startswith("$") else key for key in patch):
        if name in patch and patch[name] is None:
            result.pop(name, None)
        elif name in patch or name in result:
            result[name] = _patched_field(result.get(name), patch, name, (*place, name), schema)
    return result


def equal(one: Data, other: Data) -> bool:
    """Return True if two values are one: true is not 1."""
    # Go compares typed values, while in Python `1 == True == 1.0`.
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def without_nulls(value: Data) -> Data:
    """Return a value that comes in as a server reads it: without nulls, and without what a patch said of its parts."""
    if isinstance(value, dict):
        fields = ((key, without_nulls(of_key)) for key, of_key in value.items())
        return {key: of_key for key, of_key in fields if of_key is not None and not key.startswith("$")}
    if isinstance(value, list):
        return [without_nulls(element) for element in value if not _is_deletion(element)]
    return value


class _Difference:
    """The patch where `update` differs from a base: what it `deletes` from it, else what it adds or changes."""

    def __init__(self, schema: Schema, *, deletes: bool) -> None:
        self._schema = schema
        self._deletes = deletes

    def of_maps(self, base: Fields, update: Fields, place: Place, *, retains: bool = False) -> Fields:
        patch: Fields = {}
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
            patch[_RETAIN_KEYS] = retained
        return patch

    def _collect(self, patch: Fields, name: str, base: Data, update: Data, place: Place) -> None:
        """Add to `patch` in what two maps or two lists differ."""
        strategy = _Strategy(self._schema, place)
        if isinstance(update, dict) and not strategy.replaces:
            changes = self.of_maps(base, update, place, retains=strategy.retains)
            patch.update({name: changes} if changes else {})
        elif isinstance(update, list) and strategy.merges and (base or update):
            self._collect_list(patch, name, base, update, place)
        # A map with the strategy `replace` is in each patch, changed or not: the selector of a PodDisruptionBudget.
        elif not self._deletes and (isinstance(update, dict) or not equal(base, update)):
            patch[name] = update

    def _collect_list(self, patch: Fields, name: str, base: list[Data], update: list[Data], place: Place) -> None:
        if not base:
            patch.update({} if self._deletes else {name: update})
            return
        elements, deleted, order = (
            self._of_elements(base, update, place) if _holds_maps(place, base, update) else self._of_sets(base, update)
        )
        parts = {name: elements, f"{_DELETE}{name}": deleted, f"{_ORDER}{name}": order}
        patch.update((key, part) for key, part in parts.items() if part)

    def _of_elements(self, base: Elements, update: Elements, place: Place) -> tuple[list[Data], list[Data], list[Data]]:
        strategy = _Strategy(self._schema, place)
        key = strategy.key
        changed, deleted = [], []
        for before, now in _paired(base, update, key, place):
            if now is None:
                deleted.append({key: before[key], **_DELETED})
            elif before is not None:
                changes = self.of_maps(before, now, (*place, 0), retains=strategy.retains)
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
        if self._deletes:
            deleted = sorted({value for value in base if value not in update}, key=str)
            return [], deleted, update if deleted else []
        # kubectl has sorted base when it compares the orders.
        moved = sorted(base, key=str) != update
        added = sorted((value for value in update if value not in base), key=update.index)
        return added, [], update if moved else []


class _Strategy:
    """The way kubectl patches the field at a place, in the words of the Go types.

    Of several keys kubectl knows one only, so that 53/TCP and 53/UDP are one port to it.
    """

    __slots__ = ("key", "merges", "replaces", "retains")

    def __init__(self, schema: Schema, place: Place) -> None:
        fact = schema.fact(place)
        strategies = str(fact.get("patchStrategy", "")).split(",")
        self.key = str(fact.get("patchMergeKey", ""))
        self.merges = "merge" in strategies
        self.replaces = "replace" in strategies
        self.retains = "retainKeys" in strategies


def _joined(deletions: Fields, changes: Fields, place: Place, schema: Schema) -> Fields:
    """Return one patch for two: where both say something of a field, the changes come on top."""
    patch = {**deletions}
    for name, value in changes.items():
        if name.startswith(_ORDER):
            _require_ordered(changes, name.removeprefix(_ORDER), place, schema)
        before = patch.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            patch[name] = _joined(before, value, (*place, name), schema)
        elif isinstance(before, list) and isinstance(value, list) and _Strategy(schema, (*place, name)).key:
            order = deletions.get(f"{_ORDER}{name}", [])
            patch[name] = _joined_elements(before, value, order, (*place, name), schema)
        else:
            patch[name] = value
    return patch


def _joined_elements(deletions: Elements, changes: Elements, order: Elements, place: Place, schema: Schema) -> Elements:
    key = _Strategy(schema, place).key
    elements = [*deletions]
    _require_keys(changes, key, place)
    for element in changes:
        index = _index(elements, key, element[key])
        if index is None:
            elements.append(element)
        else:
            elements[index] = _joined(elements[index], element, (*place, 0), schema)
    wanted = [element[key] for element in order]
    kept = sorted(_remaining(elements), key=lambda element: _index_of(wanted, element[key]))
    return kept + [element for element in elements if _is_deletion(element)]


def _patched_field(target: Data, patch: Fields, name: str, place: Place, schema: Schema) -> Data:
    strategy = _Strategy(schema, place)
    value = patch.get(name, [])
    if isinstance(value, dict) and isinstance(target, dict) and not strategy.replaces:
        return patched(target, value, schema, place)
    if isinstance(value, list) and isinstance(target, list) and strategy.merges:
        # A patch gives an order only where content or order changed: else that of the elements it brings counts.
        order = patch.get(f"{_ORDER}{name}", value)
        if _holds_maps(place, target, value):
            _require_keys([*value, *order], strategy.key, place)
            _require_order(_remaining(value), order, strategy.key, place)
            return _patched_elements(target, value, order, place, schema)
        _require_order(value, order, None, place)
        return _patched_set(target, value, order, patch.get(f"{_DELETE}{name}", ()))
    return without_nulls(value) if name in patch else target


def _patched_set(target: list[Data], added: list[Data], order: list[Data], deleted: Iterable[Data]) -> list[Data]:
    members = list(dict.fromkeys((*target, *added))) if added else target
    members = _in_order(members, members, order, target)
    return [member for member in members if member not in deleted]


def _patched_elements(target: Elements, changes: Elements, order: Elements, place: Place, schema: Schema) -> Elements:
    key = _Strategy(schema, place).key
    deleted = [element[key] for element in changes if _is_deletion(element)]
    elements = [element for element in target if element.get(key) not in deleted]
    for change in _remaining(changes):
        index = _index(elements, key, change[key])
        if index is None:
            elements.append(without_nulls(change))
        else:
            elements[index] = patched(elements[index], change, schema, (*place, 0))
    # In Go, new elements are written over those that were deleted, so that as many of them seem to have been there.
    keys = [element.get(key) for element in elements]
    return _in_order(elements, keys, [element[key] for element in order], keys[: len(target)])


def _in_order(elements: list[Data], keys: list[Data], wanted: list[Data], live: list[Data]) -> list[Data]:
    """Return elements in the order of the keys `wanted`, each other one before the first that came later in `live`."""
    by_key = [*zip(keys, elements, strict=True)]
    listed = sorted((pair for pair in by_key if pair[0] in wanted), key=lambda pair: wanted.index(pair[0]))
    others = sorted((pair for pair in by_key if pair[0] not in wanted), key=lambda pair: live.index(pair[0]))
    result = []
    for pair in listed:
        while others and pair[0] in live and live.index(others[0][0]) < live.index(pair[0]):
            result.append(others.pop(0))
        result.append(pair)
    return [element for _, element in result + others]


def _holds_maps(place: Place, *lists: list[Data]) -> bool:
    """Return True if the elements are maps. kubectl does not merge lists in which some are and some are not."""
    kinds = {type(element) for elements in lists for element in elements}
    if len(kinds) > 1 or list in kinds:
        raise Refused(place, "kubectl merges a list of mappings or one of scalars, and this is neither")
    return kinds == {dict}


def _paired(base: Elements, update: Elements, key: str, place: Place) -> Iterator[tuple[Data, Data]]:
    """Yield the pairs of elements that kubectl compares. Of those with one key the last is compared with the last."""
    before, now = _by_key(base, key, place), _by_key(update, key, place)
    for text in sorted(before.keys() | now.keys()):
        yield from zip_longest(before.get(text, ()), now.get(text, ()))


def _by_key(elements: Elements, key: str, place: Place) -> dict[str, Elements]:
    found: dict[str, Elements] = {}
    for index, element in reversed([*enumerate(elements)]):
        if key not in element:
            raise Refused(
                (*place, index), f"kubectl tells the elements of this list apart by `{key}`, and this one has none"
            )
        found.setdefault(str(element[key]), []).append(element)
    return found


def _index(elements: Elements, key: str, value: Data) -> int | None:
    return next((index for index, element in enumerate(elements) if equal(element.get(key), value)), None)


def _index_of(values: list[Data], value: Data) -> int:
    """Return where a value is first in a list, behind all where it is not."""
    return next((index for index, other in enumerate(values) if equal(other, value)), len(values))


def _require_ordered(patch: Fields, name: str, place: Place, schema: Schema) -> None:
    """Raise Refused where the changes of a list do not come in the order that a patch gives for it."""
    place = (*place, name)
    _require_order(
        _remaining(patch.get(name, [])), patch[f"{_ORDER}{name}"], _Strategy(schema, place).key or None, place
    )


def _require_keys(elements: Elements, key: str, place: Place) -> None:
    """Raise Refused where an element of a patch has not the key that tells elements apart."""
    if any(key not in element for element in elements):
        raise Refused(place, f"kubectl tells the elements of this list apart by `{key}`, and one of them has none")


def _require_order(changes: list[Data], order: list[Data], key: str | None, place: Place) -> None:
    """Raise Refused where changes do not come in the order that the patch gives: an element is there twice."""
    rest = iter(order)
    for change in changes:
        if not any(_is_one(change, other, key) for other in rest):
            raise Refused(place, "kubectl refuses a list in which an element is twice, and one of them changes")


def _is_one(change: Data, other: Data, key: str | None) -> bool:
    return equal(change, other) if key is None else equal(change[key], other[key])


def _is_deletion(element: Data) -> bool:
    return isinstance(element, dict) and _PATCH in element


def _remaining(elements: Elements) -> Elements:
    return [element for element in elements if not _is_deletion(element)]
