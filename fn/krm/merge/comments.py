"""Comments of a merge: they belong to nodes, and follow the base rule as values do (docs/merge.md, "Comments").

What is wanted of the data is known by then. This adds the comments, node by node: those above it, the one behind it,
those below it. A node that comes new from update has update's comments without more ado.
"""

from __future__ import annotations

from krm.merge import pairing, trees
from krm.merge.outcome import COMMENT_KEPT, Note
from krm.yamltree import commenting, comments, target
from krm.yamltree.comments import Comments
from krm.yamltree.nodes import Mapping, Sequence, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, Commented, Graft, elements_of, entries_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypeVar

    from krm.fieldpath import FieldPath, Segment
    from krm.merge.pairing import Key
    from krm.merge.schema import Schema
    from krm.merge.trees import Tree
    from krm.yamltree.comments import Place
    from krm.yamltree.target import Target

    Sides: TypeAlias = tuple[Place | None, Place | None, Place]
    """A place in origin, update and local."""

    _Part = TypeVar("_Part", str, tuple[str, ...])

_NONE = Comments()


class CommentMerge:
    """The merge of the comments of three trees, once their data is merged. `notes` are the comments that both changed.

    Of these local's stay, or update's come if that is what the caller asks for.
    """

    def __init__(self, schema: Schema, *, takes_update: bool) -> None:
        self.notes: list[Note] = []
        self._schema = schema
        self._takes_update = takes_update
        self._has_origin = False

    def of_root(self, wanted: Target, origin: Tree, update: Tree, local: Tree) -> Target:
        """Return what is wanted of local's root, with comments."""
        self._has_origin = origin.root is not None
        place = _place(local)
        return wanted if place is None else self._of_node(wanted, (), (_place(origin), _place(update), place))

    def _of_node(self, wanted: Target, path: FieldPath, sides: Sides) -> Target:
        """Return what is wanted of a node of local, `sides[2]`, with the comments of it and of all below it."""
        origin, update, local = sides
        if update is None:
            return wanted
        # Most of a text is as it was: there update has changed no comment.
        if wanted is local.node and origin is not None and origin.is_written_as(update):
            return wanted
        return self._own(self._below(wanted, path, sides), path, sides)

    def _pinned(self, wanted: Target, local: Place) -> Target:
        """Return what is wanted of a node beside which others come in, so that it keeps the comments above it.

        Without an origin a comment above both is taken for one. With an origin, what each has is known.
        """
        above = local.comments().above
        if isinstance(wanted, Commented):
            wanted.above = above if wanted.above is None else wanted.above
            return wanted
        return Commented(wanted, above=above) if above and self._has_origin else wanted

    # Below a node.

    def _below(self, wanted: Target, path: FieldPath, sides: Sides) -> Target:
        local = sides[2].node
        if isinstance(local, Mapping) and isinstance(wanted, Mapping | AmendedMapping) and trees.is_plain(local):
            return self._entries(wanted, local, path, sides)
        if isinstance(local, Sequence) and isinstance(wanted, Sequence | AmendedSequence):
            return self._elements(wanted, local, path, sides)
        return wanted

    def _entries(self, wanted: Mapping | AmendedMapping, local: Mapping, path: FieldPath, sides: Sides) -> Target:
        origin, update, own = map(_entries, sides)
        before = entries_of(wanted)
        after = dict(before)
        staying = [key for key in before if local.own(key) is not None]
        for key in staying:
            after[key] = self._of_node(before[key], (*path, key), (origin.get(key), update.get(key), own[key]))
            if len(staying) < len(before):
                after[key] = self._pinned(after[key], own[key])
        if all(after[key] is before[key] for key in before):
            return wanted
        return AmendedMapping(local, after)

    def _elements(self, wanted: Sequence | AmendedSequence, local: Sequence, path: FieldPath, sides: Sides) -> Target:
        pairs = _Pairs(self._schema, wanted, path, sides)
        before = elements_of(wanted)
        after = [*before]
        numbers = target.numbers(AmendedSequence(local, before))
        for index, number in enumerate(numbers):
            if number is not None:
                below = pairs.sides(index, number)
                after[index] = self._of_node(before[index], (*path, pairs.segment(number)), below)
                if None in numbers:
                    after[index] = self._pinned(after[index], below[2])
        if all(one is other for one, other in zip(before, after, strict=True)):
            return wanted
        return AmendedSequence(local, after)

    # One node.

    def _own(self, wanted: Target, path: FieldPath, sides: Sides) -> Target:
        origin, update = (_NONE if side is None else side.comments() for side in sides[:2])
        comes = isinstance(wanted, Graft | str)
        if origin == update and (update == _NONE or not comes):
            return wanted
        place = sides[2]
        local = place.comments()
        merged = self._merged(path, origin, update, local)
        if merged == local and not comes:
            return wanted
        commented = Commented(
            wanted,
            above=None if merged.above == local.above else merged.above,
            behind=None if merged.behind == local.behind and not comes else merged.behind,
            below=None if merged.below == local.below and not comes else merged.below,
        )
        if commenting.can_be_given(place.text, place.parent, place.node, commented):
            return commented
        if merged != local:
            self._tell(path, "update has another comment, for which there is no place")
        return wanted

    def _merged(self, path: FieldPath, origin: Comments, update: Comments, local: Comments) -> Comments:
        return Comments(
            self._part(path, "above", origin.above, update.above, local.above),
            self._part(path, "behind", origin.behind, update.behind, local.behind),
            self._part(path, "below", origin.below, update.below, local.below),
        )

    def _part(self, path: FieldPath, name: str, origin: _Part, update: _Part, local: _Part) -> _Part:
        if update in (origin, local):
            return local
        if origin == local:
            return update
        kept = "update's comes" if self._takes_update else "local's stays"
        self._tell(path, f"both sides changed the comment {name} this: {kept}")
        return update if self._takes_update else local

    def _tell(self, path: FieldPath, detail: str) -> None:
        self.notes.append(Note(COMMENT_KEPT, path, detail))


class _Pairs:
    """The elements of a list in origin and update that are those of local."""

    def __init__(self, schema: Schema, wanted: Sequence | AmendedSequence, path: FieldPath, sides: Sides) -> None:
        elements = [_elements(side) for side in sides]
        nodes = [[element.node for element in side] for side in elements]
        rule = schema.list_rule(path, nodes)
        origin, update, local = (pairing.keyed(rule, side) for side in nodes)
        self._origin = dict(zip(origin, elements[0], strict=True))
        self._update = dict(zip(update, elements[1], strict=True))
        self._keys: list[Key] = [*local]
        self._segments = pairing.segments(rule, pairing.indexes(local, update))
        # A list that is one value has update's elements or local's, in their order.
        self._is_update = rule.is_atomic and isinstance(wanted, AmendedSequence)
        self._of_update = elements[1]
        self._of_local = elements[2]

    def sides(self, index: int, number: int) -> Sides:
        """Return the sides of local's element `number`, which is the one at `index` in the result."""
        key = self._keys[number]
        update = self._of_update[index] if self._is_update else self._update.get(key)
        return self._origin.get(key), update, self._of_local[number]

    def segment(self, number: int) -> Segment:
        """Return how local's element `number` is called in a path."""
        return self._segments[self._keys[number]]


def _place(tree: Tree) -> Place | None:
    return None if tree.root is None else comments.place(tree.text, tree.parent, tree.root)


def _elements(place: Place | None) -> list[Place]:
    """Return the places of the elements of a list, none for another node."""
    return place.below() if place is not None and isinstance(resolved(place.node), Sequence) else []


def _entries(place: Place | None) -> dict[str, Place]:
    """Return the places of the entries of a mapping by key, merged ones included; none for another node."""
    mapping = None if place is None else resolved(place.node)
    if place is None or not isinstance(mapping, Mapping):
        return {}
    keys = [key.value for key in mapping.kids[::2]]
    found = dict(zip(keys, place.below(), strict=True))
    if "<<" not in found and None not in found:
        return found  # type: ignore[return-value]  # no key is None
    entries = trees.entries(mapping)
    holders = {key: trees.holder(mapping, node) for key, node in entries.items()}
    return {key: comments.place(place.text, holders[key], node) for key, node in entries.items()}
