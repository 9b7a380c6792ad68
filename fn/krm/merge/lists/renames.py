"""The elements of a list on three sides: which are the same (docs/merge.md, "Keyed lists", "Lists without keys").

One that a side gave another key, or that it edited where nothing names it, is one element all the same.
"""

from __future__ import annotations

from collections import Counter

from krm.merge import trees
from krm.merge.lists import alike, pairing
from krm.merge.lists.alike import HALF
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from krm.merge.kinds.schema import ListRule
    from krm.merge.lists.alike import Said
    from krm.merge.lists.pairing import Key, Keyed
    from krm.merge.units import Order
    from krm.yamltree.nodes import Node

_VALUE = ("value",)


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
            self.update, self.local = alike.under_old_keys(self.origin, update, local, share=HALF)
            self._tell(_names(self.update, update), local)
            self._tell(_names(self.local, local), self.update)
            return
        self.origin, self.update, self.local = (pairing.keyed(rule, side) for side in listed)
        if not self.origin.keys() <= self.update.keys() & self.local.keys():
            self._follow(rule)

    def _follow(self, rule: ListRule) -> None:
        """Put each element that a side renamed under one key."""
        self.update, self.local = (_by_likeness(rule, self.origin, side) for side in (self.update, self.local))
        self._join_both(rule)
        own, theirs = self._alone(rule, self.local, self.update), self._alone(rule, self.update, self.local)
        self.origin = _under(self.origin, own)
        self.update = _under(self.update, own | {new: old for old, new in theirs.items()})

    def _join_both(self, rule: ListRule) -> None:
        """Put what both sides renamed under origin's key: by their keys alone one container would be two."""
        sides = self.update, self.local
        gone = [key for key in self.origin if key[0] is not None and not any(key in side for side in sides)]
        if not gone:
            return
        before = _said(rule, self.origin, gone)
        by_update, by_local = (_pairs(before, _said(rule, side, side.keys() - self.origin.keys())) for side in sides)
        # What both renamed alike is one element already.
        both = [key for key in by_update.keys() & by_local.keys() if by_update[key] != by_local[key]]
        self.update, self.local = (
            _under(side, {names[key]: key for key in both})
            for side, names in zip(sides, (by_update, by_local), strict=True)
        )

    def _alone(self, rule: ListRule, side: Keyed, other: Keyed) -> dict[Key, Key]:
        """Return the new key of each element that this side has renamed, and that the other has under the old one."""
        gone, new = (self.origin.keys() & other.keys()) - side.keys(), side.keys() - self.origin.keys() - other.keys()
        if not (rule.keys and gone and new):
            return {}
        before, after = _said(rule, self.origin, self.origin), _said(rule, side, side)
        old_of, new_of = _telling(before), _telling(after)
        pairs = dict.fromkeys((old, new_of[leaf]) for leaf, old in old_of.items() if old in gone and leaf in new_of)
        found = _unique(each for each in pairs if each[1] in new and _have(before[each[0]], after[each[1]], HALF))
        self._tell(found.items(), other)
        return found

    def _tell(self, renamed: Iterable[tuple[Key, Key]], other: Keyed) -> None:
        """Note the old and the new key of each element that the other side changed."""
        for old, new in renamed:
            if old != new and old in other and trees.frozen(self.origin[old]) != trees.frozen(other[old]):
                self.followed.append((old, new))


def _names(side: Keyed, named: Keyed) -> Iterator[tuple[Key, Key]]:
    """Yield under which key each element with a name is, and by which it is named."""
    return ((old, new) for old, new in zip(side, named, strict=True) if None not in (old[0], new[0]))


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
    before, after = _said(rule, origin, gone), _said(rule, side, new)
    found = _pairs(before, after)
    # Beside what was added, the one that has something left of another is that one.
    left = {key: said for key, said in before.items() if key not in found}
    others = {key: said for key, said in after.items() if key not in found.values()}
    found |= _pairs(left, others, share=0)
    return _under(side, {new: old for old, new in found.items()})


def _pairs(gone: dict[Key, Said], new: dict[Key, Said], share: float = HALF) -> dict[Key, Key]:
    """Return the new key of each element that is gone and may be a new one, where no second one comes into question."""
    return _unique(
        (old, key) for old, before in gone.items() for key, after in new.items() if _have(before, after, share)
    )


def _unique(pairs: Iterable[tuple[Key, Key]]) -> dict[Key, Key]:
    """Return the new key of each old one, where neither has a second one."""
    found = [*pairs]
    olds, news = Counter(old for old, _ in found), Counter(new for _, new in found)
    return {old: new for old, new in found if olds[old] == news[new] == 1}


def _telling(side: dict[Key, Said]) -> dict[Hashable, Key]:
    """Return the leaves that one element of a side has alone, with its key. The value of a name is none of them."""
    # Of `{name: A, value: "true"}` the name is all that tells it from another.
    times = Counter(leaf for said in side.values() for leaf in said)
    return {leaf: key for key, said in side.items() for leaf in said if times[leaf] == 1 and leaf[0][:1] != _VALUE}


def _have(one: Said, other: Said, share: float) -> bool:
    """Return True if two values have that share in common, and something at least."""
    return alike.common(one, other) >= share and not one.isdisjoint(other)


def _said(rule: ListRule, side: Keyed, keys: Iterable[Key]) -> dict[Key, Said]:
    """Return what elements say besides the keys by which they are known."""
    return {key: alike.said(side[key], but=rule.keys) for key in keys}


def _under(side: Keyed, keys: dict[Key, Key]) -> Keyed:
    return {keys.get(key, key): node for key, node in side.items()}
