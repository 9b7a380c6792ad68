"""Update's value in the place of local's: all of its data, and of local's text what says the same (4.10)."""

from __future__ import annotations

from krm.merge import order, pairing, trees
from krm.merge.lists import ATOMIC
from krm.yamltree import lcs
from krm.yamltree.nodes import Mapping, Sequence, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Amended: TypeAlias = AmendedMapping | AmendedSequence


class Replacing:
    """Values of one tree taken in the place of those of another."""

    __slots__ = ("_local", "_update")

    def __init__(self, update: Tree, local: Tree) -> None:
        self._update = update
        self._local = local

    def graft(self, parent: Node | None, node: Node, amended: Amended | None = None) -> Graft:
        """Return what brings in the node that update has in `parent`, None for its root."""
        collection = resolved(parent)
        if isinstance(collection, Mapping):
            return Graft(self._update.text, trees.holder(collection, node), node, amended)
        return Graft(self._update.text, collection, node, amended)  # type: ignore[arg-type]  # else it is a Sequence

    def replaced(self, update: Node, local: Node | None) -> Target:
        """Return what has the data of `update`, with those nodes of local in which no data changes; or `update`."""
        if local is None or trees.same(self._update, update, self._local, local):
            return update if local is None else local
        new, old = resolved(update), resolved(local)
        if isinstance(new, Mapping) and isinstance(old, Mapping) and trees.is_plain(new) and trees.is_plain(old):
            return self._entries(new, old)
        if isinstance(new, Sequence) and isinstance(old, Sequence) and new.kids and old.kids:
            return self._elements(new, old)
        return update

    def _entries(self, update: Mapping, local: Mapping) -> Target:
        new, old = trees.entries(update), trees.entries(local)
        kept = {key: self._part(update, new[key], old.get(key)) for key in order.inserted(new, old, new)}
        return AmendedMapping(local, kept)

    def _elements(self, update: Sequence, local: Sequence) -> Target:
        """Equal elements stay, wherever they go.

        Others take the place of local's where as many come as go between the same neighbours: which is which is a
        guess elsewhere, and a comment would come to stand with an element that it says nothing of.
        """
        new, old = pairing.keyed(ATOMIC, update.kids), pairing.keyed(ATOMIC, local.kids)
        number_of = {key: number for number, key in enumerate(old)}
        own = [number_of.get(key) for key in new]
        there = {index: local.kids[number] for index, number in enumerate(own) if number is not None}
        for start, gone in lcs.exchanges(own, len(old)):
            there.update((index, local.kids[number]) for index, number in enumerate(gone, start))
        kept = [self._part(update, node, there.get(index)) for index, node in enumerate(update.kids)]
        return AmendedSequence(local, kept)

    def _part(self, parent: Mapping | Sequence, update: Node, local: Node | None) -> Target:
        replaced = self.replaced(update, local)
        return self.graft(parent, update) if replaced is update else replaced
