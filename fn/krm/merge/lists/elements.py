"""The elements of a list on three sides (docs/reference/merge.md, "Keyed lists", "Lists without keys").

An element is still the same after a side gave it another key, or edited one that has no key.
"""

from __future__ import annotations

from krm.merge import trees
from krm.merge.lists import pairing
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.merge.kinds.schema import ListRule
    from krm.merge.lists.pairing import Key, Keyed, Leaves
    from krm.merge.units import Order
    from krm.yamltree.nodes import Node

    LeavesByField: TypeAlias = dict[str, Leaves]

_VALUE = "value"


class Elements:
    """The elements of a list in the three trees, by their keys, each tree in its own order.

    A renamed element has one key in all of them: local's, or origin's if both sides renamed it. `followed` are the old
    and the new key of each element that one side renamed and the other changed.
    """

    def __init__(self, rule: ListRule, sides: Iterable[list[Node]]) -> None:
        listed = [*sides]
        self.followed: list[tuple[Key, Key]] = []
        self.order: Order = "free"
        but: tuple[str, ...] = ()
        if rule.is_keyless or not pairing.have_keys(rule, listed):
            # An option and the argument behind it may belong together, so neighbouring changes are one conflict.
            are_options = any((text_at(node) or "").startswith("-") for side in listed for node in side)
            self.order = "touching" if are_options else "apart"
            self.origin, update, local = pairing.named(listed)
        else:
            self.origin, self.update, self.local = (pairing.keyed(rule, side) for side in listed)
            if not rule.keys:  # the data are the key
                return
            update, local = (_by_likeness(self.origin, side) for side in (self.update, self.local))
            # Another entry of `env` may have an equal `value`.
            but = (*rule.keys, _VALUE)
        self.update, self.local = pairing.under_old_keys(self.origin, update, local, but=but)
        self._tell(_names(self.update, update), local)
        self._tell(_names(self.local, local), update)
        own = {old: new for old, new in _names(self.local, local) if (old in update) == (old in self.update)}
        found = self.origin, self.update, self.local
        self.origin, self.update, self.local = (pairing.under(side, own) for side in found)

    def _tell(self, renamed: Iterable[tuple[Key, Key]], other: Keyed) -> None:
        """Note the old and the new key of each element that the other side changed."""
        for old, new in renamed:
            if old != new and old in other and trees.frozen(self.origin[old]) != trees.frozen(other[old]):
                self.followed.append((old, new))


def _names(side: Keyed, named: Keyed) -> Iterator[tuple[Key, Key]]:
    """Yield the key that each element with a name has in `side`, and the one that it has in `named`."""
    return ((old, new) for old, new in zip(side, named, strict=True) if None not in (old[0], new[0]))


def _by_likeness(origin: Keyed, side: Keyed) -> Keyed:
    """Return a side in which each edited element without a key has the key of origin, if it is clear which one.

    The key is the data: so an element that both sides edited would become two.
    """
    before, after = ({key: node for key, node in each.items() if key[0] is None} for each in (origin, side))
    gone, new = ([key for key in one if key not in other] for one, other in ((before, after), (after, before)))
    if len(gone) == len(new) == 1:
        return pairing.under(side, dict(zip(new, gone, strict=True)))
    return pairing.under(side, pairing.renamed(before, after, None, share=0))
