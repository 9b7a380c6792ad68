"""Comments of a merge: they belong to nodes, and follow the base rule as values do (docs/merge.md, "Comments").

What is wanted of the data is known by then. This adds the comments, node by node: those above it, the one behind it,
those below it. A node that comes new from update has update's comments without more ado.
"""

from __future__ import annotations

from krm.merge import pairing, trees
from krm.merge.outcome import COMMENT_KEPT, Note
from krm.yamltree import commenting, comments, target
from krm.yamltree.comments import Comments
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, Commented, Graft, elements_of, entries_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypeVar

    from krm.fieldpath import FieldPath, Segment
    from krm.merge.pairing import Key
    from krm.merge.schema import Schema
    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Nodes: TypeAlias = tuple[Node | None, Node | None, Node]
    """A place in origin, update and local."""

    _Part = TypeVar("_Part", str, tuple[str, ...])

_NONE = Comments()


class CommentMerge:
    """The merge of the comments of three trees, once their data is merged. `notes` are the comments that both changed.

    Of these local's stay, or update's come if that is what the caller asks for.
    """

    def __init__(self, origin: Tree, update: Tree, local: Tree, schema: Schema, *, takes_update: bool) -> None:
        self.notes: list[Note] = []
        self._schema = schema
        self._takes_update = takes_update
        self._local = local
        self._root = origin.root, update.root
        self._texts = origin.text, update.text
        self._origins = _found(origin)
        self._updates = _found(update)

    def of_root(self, wanted: Target) -> Target:
        """Return what is wanted of local's root, with comments."""
        origin, update = self._root
        if self._local.root is None:
            return wanted
        return self._of_node(wanted, (), self._local.parent, (origin, update, self._local.root))

    def _of_node(self, wanted: Target, path: FieldPath, parent: Mapping | Sequence | None, sides: Nodes) -> Target:
        """Return what is wanted of a node of local, `sides[2]`, with the comments of it and of all below it."""
        origin, update, local = sides
        if update is None or (wanted is local and self._are_alike(origin, update)):
            return wanted
        return self._own(self._below(wanted, path, sides), path, parent, sides)

    def _are_alike(self, origin: Node | None, update: Node | None) -> bool:
        """Return True if it is quick to see that update has changed no comment of a node or below it."""
        before, after = self._origins.get(id(origin)), self._updates.get(id(update))
        if before is None or after is None or before != after:
            return before is after
        if isinstance(origin, Mapping) and isinstance(update, Mapping) and len(origin.kids) == len(update.kids):
            # In another order the keys that a comment stands above are others.
            return all(
                key.value == other.value and self._are_alike(value, now)
                for (key, value), (other, now) in zip(origin.pairs(), update.pairs(), strict=True)
            )
        if isinstance(origin, Sequence) and isinstance(update, Sequence) and len(origin.kids) == len(update.kids):
            # Elements that are written alike are the same; of others somebody has to know which is which.
            return all(
                self._texts[0][one.start : one.end] == self._texts[1][other.start : other.end]
                and self._are_alike(one, other)
                for one, other in zip(origin.kids, update.kids, strict=True)
            )
        return isinstance(origin, Scalar) and isinstance(update, Scalar)

    def _pinned(self, wanted: Target, parent: Mapping | Sequence, local: Node) -> Target:
        """Return what is wanted of a node beside which others come in, so that it keeps the comments above it.

        Without an origin a comment above both is taken for one. With an origin, what each has is known.
        """
        above = comments.of(self._local.text, parent, local).above
        if isinstance(wanted, Commented):
            wanted.above = above if wanted.above is None else wanted.above
            return wanted
        return Commented(wanted, above=above) if above and self._root[0] is not None else wanted

    # Below a node.

    def _below(self, wanted: Target, path: FieldPath, sides: Nodes) -> Target:
        local = sides[2]
        if isinstance(local, Mapping) and isinstance(wanted, Mapping | AmendedMapping) and trees.is_plain(local):
            return self._entries(wanted, local, path, sides)
        if isinstance(local, Sequence) and isinstance(wanted, Sequence | AmendedSequence):
            return self._elements(wanted, local, path, sides)
        return wanted

    def _entries(self, wanted: Mapping | AmendedMapping, local: Mapping, path: FieldPath, sides: Nodes) -> Target:
        origin, update = map(trees.entries, sides[:2])
        before = entries_of(wanted)
        after = dict(before)
        own = {key: node for key in before if (node := local.own(key)) is not None}
        for key, node in own.items():
            after[key] = self._of_node(before[key], (*path, key), local, (origin.get(key), update.get(key), node))
            if len(own) < len(before):
                after[key] = self._pinned(after[key], local, node)
        if all(after[key] is before[key] for key in before):
            return wanted
        return AmendedMapping(local, after)

    def _elements(self, wanted: Sequence | AmendedSequence, local: Sequence, path: FieldPath, sides: Nodes) -> Target:
        pairs = _Pairs(self._schema, wanted, path, sides)
        before = elements_of(wanted)
        after = [*before]
        numbers = target.numbers(AmendedSequence(local, before))
        for index, number in enumerate(numbers):
            if number is not None:
                below = pairs.sides(index, number)
                after[index] = self._of_node(before[index], (*path, pairs.segment(number)), local, below)
                if None in numbers:
                    after[index] = self._pinned(after[index], local, local.kids[number])
        if all(one is other for one, other in zip(before, after, strict=True)):
            return wanted
        return AmendedSequence(local, after)

    # One node.

    def _own(self, wanted: Target, path: FieldPath, parent: Mapping | Sequence | None, sides: Nodes) -> Target:
        origin, update = self._origins.get(id(sides[0]), _NONE), self._updates.get(id(sides[1]), _NONE)
        comes = isinstance(wanted, Graft | str)
        if origin == update and (update == _NONE or not comes):
            return wanted
        local = comments.of(self._local.text, parent, sides[2])
        merged = self._merged(path, origin, update, local)
        if merged == local and not comes:
            return wanted
        commented = Commented(
            wanted,
            above=None if merged.above == local.above else merged.above,
            behind=None if merged.behind == local.behind and not comes else merged.behind,
            below=None if merged.below == local.below and not comes else merged.below,
        )
        if commenting.can_be_given(self._local.text, parent, sides[2], commented):
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

    def __init__(self, schema: Schema, wanted: Sequence | AmendedSequence, path: FieldPath, sides: Nodes) -> None:
        lists = [resolved(side) for side in sides]
        elements = [found.kids if isinstance(found, Sequence) else [] for found in lists]
        rule = schema.list_rule(path, elements)
        origin, update, local = (pairing.keyed(rule, side) for side in elements)
        self._origin = origin
        self._update = update
        self._keys: list[Key] = [*local]
        self._segments = pairing.segments(rule, pairing.indexes(local, update))
        # A list that is one value has update's elements or local's, in their order.
        self._is_update = rule.is_atomic and isinstance(wanted, AmendedSequence)
        self._of_update = elements[1]
        self._of_local = elements[2]

    def sides(self, index: int, number: int) -> Nodes:
        """Return the sides of local's element `number`, which is the one at `index` in the result."""
        key = self._keys[number]
        update = self._of_update[index] if self._is_update else self._update.get(key)
        return self._origin.get(key), update, self._of_local[number]

    def segment(self, number: int) -> Segment:
        """Return how local's element `number` is called in a path."""
        return self._segments[self._keys[number]]


def _found(tree: Tree) -> dict[int, Comments]:
    """Return the comments of a tree, by the ids of their nodes."""
    return {} if tree.root is None or "#" not in tree.text else comments.found(tree.text, tree.parent, tree.root)
