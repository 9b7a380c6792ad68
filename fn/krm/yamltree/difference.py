"""The difference of a node and a new value: the target that changes the parts that differ, and leaves the others.

    containers:              # the value is [sidecar, *containers]
    - name: web # do not rename
      image: nginx

keeps the element `web` with its comments, quotes and order, and adds one in front of it. Entries are paired by their
keys, and elements with their `partners`.
"""

from __future__ import annotations

from krm.yamltree import sameness, scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence
from krm.yamltree.partners import are_alike, partner_numbers
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    dereferenced,
    elements_of,
    entries_of,
    in_its_place,
    is_list,
    is_mapping,
    own_node,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Place
    from krm.yamltree.style import PlainData
    from krm.yamltree.target import Target


class Difference:
    """The targets by which nodes get new values.

    A subclass that refuses losses overrides `on_remove` or `is_alike`. One with another equality
    of nodes and values overrides `meaning`. `moves` becomes True if an element is moved, or inserted or
    deleted elsewhere than at the end of a list, or if a node changes its kind. `moved` has, for each list by its place,
    the new index of each element that stays by its old one.
    """

    def __init__(self) -> None:
        self.moves = False
        self.moved: dict[Place, dict[int, int]] = {}

    def target(self, there: Target, value: PlainData, place: Place) -> Target:
        """Return a target with `value` at `place`. Parts of `there` that are equal keep their text."""
        node = dereferenced(there)
        # Equal values keep their text: `0777` is not written as 511, nor are quotes changed.
        if isinstance(node, Scalar | Mapping | Sequence) and self.meaning(node) == self.meaning(value):
            return there
        return self._changed(node, value, place)

    def meaning(self, target: Target) -> object:
        """Return a value by which nodes, values and the elements of lists are compared: equal ones mean the same."""
        return sameness.meaning(target)

    def on_remove(self, parent: Target, kid: Target) -> None:
        """Take note of a deleted entry or element; without a parent, of a node that one of another kind replaces."""

    def is_alike(self, there: Target, value: Target) -> bool:
        """True if an element at the place of an old one is the old one with a change."""
        return are_alike(there, value)

    def _changed(self, node: Target, value: PlainData, place: Place) -> Target:
        """Return a target with `value`, which differs from `node`."""
        # With a key that is no scalar, its entries are not the whole of a mapping.
        is_whole = not isinstance(node, Mapping) or node.is_plain()
        if isinstance(value, dict) and is_mapping(node) and is_whole:
            return self._mapping(node, value, place)
        if isinstance(value, list) and is_list(node):
            return self._sequence(node, value, place)
        if isinstance(node, Mapping | Sequence) or (isinstance(node, Scalar) and isinstance(value, dict | list)):
            self.moves = self.moves or not scalars.is_null(node)
            self.on_remove(None, node)
        return copied(value)

    def _mapping(self, node: Target, value: dict[str, PlainData], place: Place) -> Target:
        old = entries_of(node)  # type: ignore[arg-type]  # a mapping
        for key, kid in old.items():
            if key not in value:
                self.on_remove(node, kid)
        entries = {
            key: self.target(old[key], one, (*place, key)) if key in old else copied(one) for key, one in value.items()
        }
        own = own_node(node)
        return AmendedMapping(own, entries) if isinstance(own, Mapping) else entries

    def _sequence(self, node: Target, value: list[PlainData], place: Place) -> Target:
        old = elements_of(node)  # type: ignore[arg-type]  # a list
        partners = partner_numbers(old, value, self.meaning, self.is_alike)
        staying = set(partners)
        for number, kid in enumerate(old):
            if number not in staying:
                self.on_remove(node, kid)
        self.moves = self.moves or partners[: len(old)] != [*range(len(old))][: len(partners)]
        self.moved[place] = {number: new for new, number in enumerate(partners) if number is not None}
        elements = [
            copied(one)
            if number is None
            else in_its_place(old[number], self.target(old[number], one, (*place, number)))
            for number, one in zip(partners, value, strict=True)
        ]
        own = own_node(node)
        return AmendedSequence(own, elements) if isinstance(own, Sequence) else elements


def copied(value: PlainData) -> PlainData:
    """Return a value whose dicts and lists are its own: later changes may change them."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value
