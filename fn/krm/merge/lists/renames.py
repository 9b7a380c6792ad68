"""The elements of a list on three sides: which are the same (docs/merge.md, "Keyed lists", "Lists without keys").

One that a side gave another key, or that it edited where nothing names it, is one element all the same.
"""

from __future__ import annotations

from collections import Counter

from krm.merge import trees
from krm.merge.lists import alike, pairing
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import TypeAlias

    from krm.merge.kinds.schema import ListRule
    from krm.merge.lists.pairing import Key, Keyed
    from krm.merge.units import Order
    from krm.yamltree.nodes import Node

    Field: TypeAlias = tuple[str, Hashable]
    Fields: TypeAlias = frozenset[Field]
    """The fields of an element besides its keys, with their data."""

_VALUE = "value"
_HALF = 0.5


class Elements:
    """The elements of a list in the three trees, each under its key and in its order.

    One that was renamed is under the same key in all of them: local's, or origin's if both sides renamed it. `followed`
    are the old and the new key of those that one side renamed and the other changed.
    """

    __slots__ = ("followed", "local", "order", "origin", "update")

    def __init__(self, rule: ListRule, sides: Iterable[list[Node]]) -> None:
        listed = [*sides]
        self.followed: list[tuple[Key, Key]] = []
        self.order: Order = "free"
        if rule.is_atomic or not pairing.have_keys(rule, listed):
            # Of two arguments one may be the value of the other.
            are_options = any((text_at(node) or "").startswith("-") for side in listed for node in side)
            self.order = "touching" if are_options else "apart"
            self.origin, update, local = pairing.named(listed)
            self.update = self._likened(update, local)
            self.local = self._likened(local, self.update)
            return
        self.origin, self.update, self.local = (pairing.keyed(rule, side) for side in listed)
        if not self.origin.keys() <= self.update.keys() & self.local.keys():
            self._follow(rule)

    def _likened(self, side: Keyed, other: Keyed) -> Keyed:
        """Return a side of a list without keys with each element that is like one of origin's under the key of that."""
        found = alike.under_old_keys(self.origin, side, other, share=_HALF)
        for old, new in zip(found, side, strict=True):
            is_renamed = old != new and None not in (old[0], new[0]) and old in other
            if is_renamed and trees.frozen(self.origin[old]) != trees.frozen(other[old]):
                self.followed.append((old, new))
        return found

    def _follow(self, rule: ListRule) -> None:
        """Put each element that a side renamed under one key."""
        self.update, self.local = (_by_likeness(rule, self.origin, side) for side in (self.update, self.local))
        self._join_both(rule)
        own, theirs = (
            self._alone(rule, side, other) for side, other in ((self.local, self.update), (self.update, self.local))
        )
        self.origin = _under(self.origin, own)
        self.update = _under(self.update, own | {new: old for old, new in theirs.items()})

    def _join_both(self, rule: ListRule) -> None:
        """Put what both sides renamed under origin's key: by their keys alone one container would be two."""
        origin, update, local = self.origin, self.update, self.local
        gone = [key for key in origin if key[0] is not None and key not in update and key not in local]
        if not gone:
            return
        before = {key: _fields(rule, origin[key]) for key in gone}
        by_update, by_local = (
            _pairs(before, {key: _fields(rule, node) for key, node in side.items() if key not in origin}, _are_alike)
            for side in (update, local)
        )
        # What both renamed alike is one element already.
        both = [key for key in by_update.keys() & by_local.keys() if by_update[key] != by_local[key]]
        self.update = _under(update, {by_update[key]: key for key in both})
        self.local = _under(local, {by_local[key]: key for key in both})

    def _alone(self, rule: ListRule, side: Keyed, other: Keyed) -> dict[Key, Key]:
        """Return the new key of each element that this side has renamed, and that the other has under the old one."""
        gone = {key for key in self.origin if key in other and key not in side}
        new = {key for key in side if key not in self.origin and key not in other}
        if not (rule.keys and gone and new):
            return {}
        before, after = ({key: _fields(rule, node) for key, node in each.items()} for each in (self.origin, side))
        old_of, new_of = _telling(before), _telling(after)
        pairs = dict.fromkeys((old, new_of.get(field)) for field, old in old_of.items())
        alike = [(old, key) for old, key in pairs if old in gone and key in new and _are_alike(before[old], after[key])]
        found = _unique(alike)
        self.followed += [(old, key) for old, key in found.items() if before[old] != _fields(rule, other[old])]
        return found


def _by_likeness(rule: ListRule, origin: Keyed, side: Keyed) -> Keyed:
    """Return a side with its elements without a key under the data that they had in origin, where it is plain which.

    By its data alone an element that both sides changed would be two.
    """
    gone, new = (
        [key for key in one if key[0] is None and key not in other] for one, other in ((origin, side), (side, origin))
    )
    if not (rule.keys and gone and new):
        return side
    if len(gone) == len(new) == 1:
        return _under(side, dict(zip(new, gone, strict=True)))
    before, after = ({key: _fields(rule, one[key]) for key in keys} for one, keys in ((origin, gone), (side, new)))
    alike = _pairs(before, after, _are_alike)
    # Beside what was added, the one that has a field left of another is that one.
    others = {key: fields for key, fields in after.items() if key not in alike.values()}
    left = {key: fields for key, fields in before.items() if key not in alike}
    found = alike | _pairs(left, others, lambda one, other: not one.isdisjoint(other))
    return _under(side, {new: old for old, new in found.items()})


def _pairs(
    gone: dict[Key, Fields], new: dict[Key, Fields], are_one: Callable[[Fields, Fields], bool]
) -> dict[Key, Key]:
    """Return the new key of each element that is gone and may be a new one, where no second one comes into question."""
    return _unique((key, other) for key, one in gone.items() for other, fields in new.items() if are_one(one, fields))


def _unique(pairs: Iterable[tuple[Key, Key]]) -> dict[Key, Key]:
    """Return the new key of each old one, where neither has a second one."""
    found = [*pairs]
    olds, news = Counter(old for old, _ in found), Counter(new for _, new in found)
    return {old: new for old, new in found if olds[old] == news[new] == 1}


def _telling(side: dict[Key, Fields]) -> dict[Field, Key]:
    """Return the fields that one element of a side has alone, with its key. The value of a name is none of them."""
    # Of `{name: A, value: "true"}` the name is all that tells it from another.
    times = Counter(field for fields in side.values() for field in fields)
    return {field: key for key, fields in side.items() for field in fields if times[field] == 1 and field[0] != _VALUE}


def _fields(rule: ListRule, node: Node) -> Fields:
    return frozenset((key, trees.frozen(value)) for key, value in trees.entries(node).items() if key not in rule.keys)


def _are_alike(one: Fields, other: Fields) -> bool:
    """Return True if at least half of the fields are the same."""
    common = len(one & other)
    return common > 0 and max(len(one), len(other)) <= 2 * common


def _under(side: Keyed, keys: dict[Key, Key]) -> Keyed:
    return {keys.get(key, key): node for key, node in side.items()}
