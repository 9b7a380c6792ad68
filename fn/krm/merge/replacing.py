"""The replacement of values of local by those of update, as a target tree.

In the target a node of local stands for a value that does not change, `Amended` for one with a change inside, and a
`Graft` for a value from update.
"""

from __future__ import annotations

from itertools import repeat

from krm.merge import trees
from krm.merge.lists import pairing
from krm.yamltree import sameness
from krm.yamltree.nodes import Mapping, Sequence, list_elements, resolved
from krm.yamltree.partners import partner_numbers
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, in_its_place, is_unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Sequence as Listed
    from typing import Any, TypeAlias

    from krm.merge.trees import Tree, Triple
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Amended: TypeAlias = AmendedMapping | AmendedSequence


class Replacing:
    """The replacement of values of local by those of update, with as many of local's nodes as possible."""

    __slots__ = ("_local", "_update")

    def __init__(self, update: Tree, local: Tree) -> None:
        self._update = update
        self._local = local

    def root(self) -> Target:
        """Return the target of local's root, with the data of update's."""
        return self._part(None, self._update.root, self._local.root)  # type: ignore[arg-type]  # update has a root

    def graft(self, parent: Node | None, node: Node, amended: Amended | None = None) -> Graft:
        """Return the graft of a node of update. `parent` is its collection there, None for the root."""
        around = None if parent is None else trees.holder(resolved(parent), node)  # type: ignore[arg-type]  # it has kids
        return Graft(self._update.text, around, node, amended)

    def replaced(self, update: Node, local: Node | None) -> Target:
        """Return a target with the data of `update`: with local's nodes where these are equal, or `update` itself."""
        if local is None or trees.same(self._update, update, self._local, local):
            return update if local is None else local
        new, old = resolved(update), resolved(local)
        if isinstance(new, Mapping) and isinstance(old, Mapping) and new.is_plain() and old.is_plain():
            return self._entries(new, old)
        if isinstance(new, Sequence) and isinstance(old, Sequence) and new.kids and old.kids:
            return self._elements(new, old)
        return update

    def _entries(self, update: Mapping, local: Mapping) -> Target:
        new, old = trees.entries(update), trees.entries(local)
        kept = {key: self._part(update, new[key], old.get(key)) for key in pairing.inserted(new, old, new)}
        return AmendedMapping(local, kept)

    def _elements(self, update: Sequence, local: Sequence) -> Target:
        there = partners(local.kids, update.kids)
        return AmendedSequence(local, [*map(self._element, repeat(update), update.kids, there)])

    def spliced(self, update: Sequence, local: Sequence, elements: list[Triple]) -> AmendedSequence:
        """Return local's list with these elements, in which local's nodes are kept."""
        wanted: list[Any] = [one.update if one.local is None else one.local for one in elements]
        # Local's nodes are themselves: no equal element of update stands for one of them.
        there = partners(local.kids, wanted, id)
        kept = [one if one is old else self._element(update, one, old) for one, old in zip(wanted, there, strict=True)]
        return AmendedSequence(local, kept)

    def placed(self, parent: Node | None, update: Node | None, local: Node | None, kept: Target) -> Target:
        """Return a target for a place in local: a node of update becomes a graft. `parent` is its collection there."""
        # A generated item shows update's own template in a field that follows it: there local has its place.
        if update is None or kept is local:
            return kept
        amended = kept if isinstance(kept, (AmendedMapping, AmendedSequence)) else None
        is_of_update = kept is update if amended is None else amended.node is resolved(update)
        return self.graft(parent, update, amended) if is_of_update else kept

    def mapping(self, sides: Triple, kept: dict[str, Target]) -> Target:
        """Return the target of a mapping with the entries that are `kept`: None stands for a deleted one.

        Local's order stays: the order of keys is no data. A mapping that one side lacks goes if nothing is left of it.
        """
        kept = {key: target for key, target in kept.items() if target is not None}
        update, local = trees.entries(sides.update), trees.entries(sides.local)
        if not kept.keys() <= local.keys():
            kept = {key: kept[key] for key in pairing.inserted(update, local, kept)}
        base, entries = (sides.update, update) if sides.local is None else (sides.local, local)
        if is_unchanged(kept.values(), entries.values()):
            return base
        if not kept and None in (sides.update, sides.local):
            return None
        return AmendedMapping(resolved(base), kept)  # type: ignore[arg-type]  # only of mappings do keys decide

    def sequence(self, sides: Triple, kept: list[Target]) -> Target:
        """Return the target of a list with these elements, None if one side lacks it, and nothing is left of it."""
        base = sides.update if sides.local is None else sides.local
        if is_unchanged(kept, list_elements(base)):
            return base
        if not kept and None in (sides.update, sides.local):
            return None
        return AmendedSequence(resolved(base), kept)  # type: ignore[arg-type]  # only of lists do elements decide

    def _element(self, parent: Sequence, update: Node, local: Node | None) -> Target:
        return in_its_place(local, self._part(parent, update, local))

    def _part(self, parent: Mapping | Sequence | None, update: Node, local: Node | None) -> Target:
        return self.placed(parent, update, local, self.replaced(update, local))


def partners(
    old: Listed[Node], new: Listed[Target], meaning: Callable[[Target], object] = sameness.meaning
) -> list[Node | None]:
    """Return for each new element the old one that it was, None for an added one."""
    return [None if number is None else old[number] for number in partner_numbers(old, new, meaning)]
