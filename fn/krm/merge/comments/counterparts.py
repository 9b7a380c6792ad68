"""The entries and elements of a collection of local, with those of origin and update that are the same.

They are known by their places: a comment belongs to the place where it is written (docs/merge.md, "Comments").
"""

from __future__ import annotations

from krm.merge import trees
from krm.merge.lists import pairing
from krm.merge.lists.renames import Elements
from krm.yamltree import comments
from krm.yamltree.nodes import Mapping, Sequence, resolved
from krm.yamltree.target import AmendedSequence, Graft, exchanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Segment
    from krm.merge.kinds.schema import Schema
    from krm.merge.lists.pairing import Key
    from krm.merge.trees import Tree
    from krm.yamltree.comments import CommentedNode
    from krm.yamltree.target import Target

    Sides: TypeAlias = tuple[CommentedNode | None, CommentedNode | None, CommentedNode]
    """A place in origin, update and local."""

# kpt notes in a comment which namespace and name a resource has upstream.
_KPTS = "# kpt-merge:"


class Parts:
    """The parts of a collection, by their names: what is `wanted`, what local has, and what is `coming` from update.

    `paired` are the sides of what local has; what of that is not wanted goes.
    """

    __slots__ = ("coming", "paired", "wanted")

    def __init__(
        self, wanted: dict[Any, Target], paired: dict[Any, Sides], coming: dict[Any, CommentedNode | None]
    ) -> None:
        self.wanted = wanted
        self.paired = paired
        self.coming = coming


class Pairs:
    """The elements of a list in origin and update that are those of local."""

    def __init__(self, schema: Schema, wanted: Sequence | AmendedSequence, path: FieldPath, sides: Sides) -> None:
        self._places = [_elements(side) for side in sides]
        nodes = [[element.node for element in side] for side in self._places]
        rule = schema.list_rule(path, nodes)
        elements = Elements(rule, *(pairing.keyed(rule, side) for side in nodes))
        origin, update, local = elements.origin, elements.update, elements.local
        keys = [[*side] for side in (origin, update, local)]
        self._keys = keys[2]
        self._segments = pairing.segments(rule, pairing.indexes(local, update, origin))
        # By the number of local's element, the numbers of origin's and of update's.
        self._in_origin = _numbers(keys[2], keys[0], is_atomic=rule.is_atomic)
        in_origin = _numbers(keys[1], keys[0], is_atomic=rule.is_atomic)
        self._in_update = _numbers(keys[2], keys[1], is_atomic=False)
        if rule.is_atomic:
            # An element without a key that somebody changed is known by the one that it was.
            of_origin = {number: update for update, number in in_origin.items()}
            for number, before in self._in_origin.items():
                if before in of_origin:
                    self._in_update.setdefault(number, of_origin[before])
        # Without keys the merge of the data tells which of the others' an element is: nothing else knows an edited one.
        number_of = {id(place.node): number for side in self._places[:2] for number, place in enumerate(side)}
        sources = wanted.sources if isinstance(wanted, AmendedSequence) else []
        self._of_wanted = [(number_of.get(id(before)), number_of.get(id(new))) for before, new in sources]
        self._origin_of_update = in_origin
        self._update_keys = keys[1]

    def sides(self, number: int, index: int | None = None) -> Sides:
        """Return the sides of local's element `number`, which is the one at `index` in the result, None if it goes."""
        known = (None, None) if index is None or not self._of_wanted else self._of_wanted[index]
        of_origin, of_update = known
        if of_origin is None:
            of_origin = self._in_origin.get(number)
        if of_update is None:
            of_update = self._in_update.get(number)
        origin, update, local = self._places
        return _at(origin, of_origin), _at(update, of_update), local[number]

    def coming(self, wanted: Target) -> CommentedNode | None:
        """Return the place of an element that comes in from update, None for another one."""
        node = wanted.node if isinstance(wanted, Graft) else None
        return next((place for place in self._places[1] if place.node is node), None)

    def gone(
        self, taken: list[CommentedNode | None], numbers: list[int]
    ) -> Iterator[tuple[Segment, CommentedNode | None, CommentedNode | None, CommentedNode | None]]:
        """Yield what is not in the result: how it is called, and its places in origin, update and local.

        `taken` are the places of update that are in the result, `numbers` are of local's elements that are not.
        """
        origin, update, local = self._places
        ids = set(map(id, taken))
        for number, place in enumerate(update):
            if id(place) not in ids:
                before = _at(origin, self._origin_of_update.get(number))
                yield self._segments[self._update_keys[number]], before, place, None
        for number in numbers:
            yield self._segments[self._keys[number]], _at(origin, self._in_origin.get(number)), None, local[number]

    def segment(self, number: int) -> Segment:
        """Return how local's element `number` is called in a path."""
        return self._segments[self._keys[number]]


def of_tree(tree: Tree) -> CommentedNode | None:
    """Return the place of the root of a side, None where it has none."""
    return None if tree.root is None else comments.commented_node(tree.text, tree.parent, tree.root)


def entries(place: CommentedNode | None) -> dict[str, CommentedNode]:
    """Return the places of the entries of a mapping by key, merged ones included; none for another node."""
    mapping = None if place is None else resolved(place.node)
    if place is None or not isinstance(mapping, Mapping):
        return {}
    keys = [key.value for key in mapping.kids[::2]]
    found = dict(zip(keys, place.below(), strict=True))
    if "<<" not in found and None not in found:
        return found  # type: ignore[return-value]  # no key is None
    shown = trees.entries(mapping)
    holders = {key: trees.holder(mapping, node) for key, node in shown.items()}
    return {key: comments.commented_node(place.text, holders[key], node) for key, node in shown.items()}


def parts(place: CommentedNode | None) -> list[CommentedNode]:
    """Return the places of what a mapping or a list writes itself, none for another node."""
    return place.below() if place is not None and isinstance(place.node, Mapping | Sequence) else []


def has_new_comments(origin: CommentedNode, side: CommentedNode, *, apart: bool = True) -> bool:
    """Return True if a node or something below it has a comment on a side that it had not in origin.

    What stands `apart` from the node itself may count or not. A comment of kpt's own is nobody's.
    """
    if origin.is_written_as(side):
        return False
    without = () if apart else side.comments().apart
    new = {*_comments(side)} - {*_comments(origin), *without}
    return any(not comment.startswith(_KPTS) for comment in new)


def alike_below(origin: CommentedNode, update: CommentedNode) -> Iterator[tuple[CommentedNode, CommentedNode]]:
    """Yield the entries that a mapping has in origin and in update, and the elements with the same numbers."""
    before, new = entries(origin), entries(update)
    yield from ((before[key], place) for key, place in new.items() if key in before)
    yield from zip(_elements(origin), _elements(update), strict=False)


def takes_apart(sides: Sides) -> bool:
    """Return True if a part of local that goes takes along what stands apart from it: update took both away."""
    origin, update, local = sides
    apart = local.comments().apart
    return bool(apart) and update is None and origin is not None and origin.comments().apart == apart


def _comments(place: CommentedNode) -> Iterator[str]:
    own = place.comments()
    yield from (*own.apart, *own.above, own.behind, *own.inside, *own.below)
    # What an alias shows has its comments elsewhere.
    for below in parts(place):
        yield from _comments(below)


def _elements(place: CommentedNode | None) -> list[CommentedNode]:
    """Return the places of the elements of a list, none for another node."""
    return place.below() if place is not None and isinstance(resolved(place.node), Sequence) else []


def _at(places: list[CommentedNode], number: int | None) -> CommentedNode | None:
    return None if number is None else places[number]


def _numbers(keys: list[Key], others: list[Key], *, is_atomic: bool) -> dict[int, int]:
    """Return the numbers of elements with the same keys in another list.

    Of a list that `is_atomic`, an element is also the one that it gave way to: as many come as go between the same
    neighbours.
    """
    number_of = {key: number for number, key in enumerate(others)}
    own = [number_of.get(key) for key in keys]
    found = {number: other for number, other in enumerate(own) if other is not None}
    if is_atomic:
        for start, gone in exchanges(own, len(others)):
            found.update(enumerate(gone, start))
    return found
