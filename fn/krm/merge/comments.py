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
    from typing import Any, TypeAlias, TypeVar

    from krm.fieldpath import FieldPath, Segment
    from krm.merge.pairing import Key
    from krm.merge.schema import Schema
    from krm.merge.trees import Tree
    from krm.yamltree.comments import Place
    from krm.yamltree.target import Target

    Sides: TypeAlias = tuple[Place | None, Place | None, Place]
    """A place in origin, update and local."""

    Lines: TypeAlias = tuple[str, ...]
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
        self._tops: set[FieldPath] = set()

    def of_root(self, wanted: Target, origin: Tree, update: Tree, local: Tree) -> Target:
        """Return what is wanted of local's root, with comments."""
        self._has_origin = origin.root is not None
        place = _place(local)
        if place is None:
            return wanted
        sides = _place(origin), _place(update), place
        roots = [tree.root for tree in (origin, update, local) if tree.parent is None]
        tops = {next(iter(root.entries), None) for root in roots if isinstance(root, Mapping)}
        if len(tops) > 1:
            self._tops = {(), *((key,) for key in tops if key is not None)}
        return self._of_node(wanted, (), sides)

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
        after: dict[str, Target] = dict(before)
        paired = {
            key: (origin.get(key), update.get(key), place) for key, place in own.items() if local.own(key) is not None
        }
        for key in before:
            if key in paired:
                after[key] = self._of_node(before[key], (*path, key), paired[key])
        parts = _Parts(after, paired, {key: update.get(key) for key in before if key not in paired})
        clearing = self._arranged(parts, is_document=sides[2].parent is None)
        if all(after[key] is before[key] for key in before) and not clearing:
            return wanted
        amended = AmendedMapping(local, after)
        amended.clearing = clearing
        return amended

    def _elements(self, wanted: Sequence | AmendedSequence, local: Sequence, path: FieldPath, sides: Sides) -> Target:
        pairs = _Pairs(self._schema, wanted, path, sides)
        before = elements_of(wanted)
        numbers = target.numbers(AmendedSequence(local, before))
        after: dict[int, Target] = dict(enumerate(before))
        paired: dict[int, Sides] = {}
        for index, number in enumerate(numbers):
            if number is not None:
                paired[index] = pairs.sides(index, number)
                after[index] = self._of_node(before[index], (*path, pairs.segment(number)), paired[index])
        # Elements that go have a place of local alone: their names are behind those of all that are wanted.
        gone = [number for number in range(len(local.kids)) if number not in numbers]
        paired |= {len(before) + number: pairs.gone(number) for number in gone}
        coming = {index: pairs.coming(before[index]) for index, number in enumerate(numbers) if number is None}
        is_moved = numbers != sorted(numbers, key=lambda number: -1 if number is None else number)
        clearing = self._arranged(_Parts(after, paired, coming), is_document=sides[2].parent is None, is_moved=is_moved)
        if all(after[index] is one for index, one in enumerate(before)) and not clearing:
            return wanted
        amended = AmendedSequence(local, [*after.values()])
        amended.clearing = clearing
        return amended

    def _arranged(self, parts: _Parts, *, is_document: bool, is_moved: bool = False) -> frozenset[int]:
        """Give the parts of a collection what stands above and apart from them, if some come, go or move.

        Return the numbers of those that go with what stands apart from them.
        """
        wanted, paired, coming = parts.wanted, parts.paired, parts.coming
        gone = [sides for name, sides in paired.items() if name not in wanted]
        if not (coming or gone or is_moved):
            return frozenset()
        staying = {name: paired[name][2] for name in wanted if name in paired}
        if coming:
            for name, place in staying.items():
                wanted[name] = self._pinned(wanted[name], place)
        here = [place.comments().apart for place in staying.values()]
        for name, update in coming.items():
            part = wanted[name]
            apart = () if update is None else update.comments().apart
            # Without an origin the same comment on both sides is one.
            if isinstance(part, Graft) and (self._has_origin or apart not in here):
                part.apart = apart
                here.append(apart)
        clearing = {sides[2].number for sides in gone if _takes_apart(sides)}
        # What is left of a part that goes belongs to another one from then on: nobody knows to which.
        if any(here) and all(sides[2].number in clearing or not sides[2].comments().apart for sides in gone):
            for name, place in staying.items():
                # The comments above the first entry of a document are the document's.
                if not (is_document and name == next(iter(wanted))):
                    wanted[name] = _kept_apart(wanted[name], place)
        return frozenset(clearing)

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
            apart=None if merged.apart == local.apart else merged.apart,
        )
        if commenting.can_be_given(place.text, place.parent, place.node, commented):
            return commented
        if merged != local:
            self._tell(path, "update has another comment here, and there is no place for it: local's stays")
        return wanted

    def _merged(self, path: FieldPath, origin: Comments, update: Comments, local: Comments) -> Comments:
        return Comments(
            self._lines(path, "above", origin.above, update.above, local.above),
            self._part(path, "behind", origin.behind, update.behind, local.behind),
            self._lines(path, "below", origin.below, update.below, local.below),
            self._lines(path, "apart from", origin.apart, update.apart, local.apart),
        )

    def _lines(self, path: FieldPath, name: str, origin: Lines, update: Lines, local: Lines) -> Lines:
        # What stands above the first entry of a document is the document's. Where that is another entry on one side,
        # nobody knows whose it was.
        if path in self._tops and name == ("apart from" if path else "above") and update not in (origin, local):
            self._tell(path, f"update changed the comment {name} this, and another entry is the first: local's stays")
            return local
        return self._part(path, name, origin, update, local)

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


class _Parts:
    """The parts of a collection, by their names: what is `wanted`, what local has, and what is `coming` from update.

    `paired` are the sides of what local has; what of that is not wanted goes.
    """

    __slots__ = ("coming", "paired", "wanted")

    def __init__(self, wanted: dict[Any, Target], paired: dict[Any, Sides], coming: dict[Any, Place | None]) -> None:
        self.wanted = wanted
        self.paired = paired
        self.coming = coming


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

    def gone(self, number: int) -> Sides:
        """Return the sides of local's element `number`, which is not in the result."""
        key = self._keys[number]
        return self._origin.get(key), self._update.get(key), self._of_local[number]

    def coming(self, wanted: Target) -> Place | None:
        """Return the place of an element that comes in from update, None for another one."""
        node = wanted.node if isinstance(wanted, Graft) else None
        return next((place for place in self._of_update if place.node is node), None)

    def segment(self, number: int) -> Segment:
        """Return how local's element `number` is called in a path."""
        return self._segments[self._keys[number]]


def _takes_apart(sides: Sides) -> bool:
    """Return True if a part of local that goes takes along what stands apart from it: update took both away."""
    origin, update, local = sides
    apart = local.comments().apart
    return bool(apart) and update is None and origin is not None and origin.comments().apart == apart


def _kept_apart(wanted: Target, local: Place) -> Target:
    """Return what is wanted of a node of local beside which others come, go or move, so that it keeps what is apart."""
    if not isinstance(wanted, Commented):
        return Commented(wanted, apart=local.comments().apart)
    wanted.apart = local.comments().apart if wanted.apart is None else wanted.apart
    return wanted


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
