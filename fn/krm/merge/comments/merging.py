"""Comments of a merge: they belong to nodes, and follow the base rule as values do (docs/merge.md, "Comments").

What is wanted of the data is known by then. This adds the comments, node by node: those above it, the one behind it,
those below it. A node that comes new from update has update's comments without more ado.
"""

from __future__ import annotations

from krm.merge import trees
from krm.merge.comments import counterparts, inside
from krm.merge.comments.counterparts import Pairs, Parts, entries, has_new_comments, of_tree, takes_apart
from krm.merge.comments.nodecomments import NodeComments, groups, replaced, without
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT, Note
from krm.yamltree import commenting, target
from krm.yamltree.comments import Comments
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.target import AmendedMapping, AmendedSequence, Commented, Graft, elements_of, entries_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from krm.fieldpath import FieldPath
    from krm.merge.comments.counterparts import Sides
    from krm.merge.comments.nodecomments import Lines
    from krm.merge.kinds.schema import Schema
    from krm.merge.trees import Tree
    from krm.yamltree.comments import CommentedNode
    from krm.yamltree.target import Target

_NONE = Comments()


class CommentMerge:
    """The merge of the comments of three trees, once their data is merged. `notes` are the comments that both changed.

    Of these local's stay.
    """

    def __init__(self, schema: Schema) -> None:
        self.notes: list[Note] = []
        self._schema = schema
        self._has_origin = False
        self._first: FieldPath | None = None
        self._heading: Lines | None = None
        self._roots: tuple[CommentedNode | None, ...] = ()
        self._tops: set[FieldPath] = set()
        self._left: list[FieldPath] = []
        self._claimed: dict[FieldPath, set[Lines]] = {}

    def of_root(self, wanted: Target | None, origin: Tree, update: Tree, local: Tree) -> Target | None:
        """Return what is wanted of local's root, with comments; None where that is nothing."""
        self._has_origin = origin.root is not None
        place = of_tree(local)
        if wanted is None:
            self._tell_gone((), of_tree(origin), of_tree(update), place)
        if wanted is None or place is None:
            return wanted
        sides = of_tree(origin), of_tree(update), place
        if local.parent is None:
            self._know_top(sides)
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

    def _pinned(self, wanted: Target, local: CommentedNode) -> Target:
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
        # One of the two has something else in the place of this, and no comment below the other's has a place.
        origin, update, own = sides
        comes = isinstance(wanted, Graft | str)
        lost = own if comes else update
        if origin is not None and lost is not None and isinstance(lost.node, Mapping | Sequence):
            for was, place in counterparts.alike_below(origin, lost):
                self._tell_gone(path, was, None if comes else place, place if comes else None, stays_apart=False)
        return wanted

    def _entries(self, wanted: Mapping | AmendedMapping, local: Mapping, path: FieldPath, sides: Sides) -> Target:
        origin, update, own = map(entries, sides)
        before = entries_of(wanted)
        after: dict[str, Target] = dict(before)
        paired = {
            key: (origin.get(key), update.get(key), place) for key, place in own.items() if local.own(key) is not None
        }
        self._claim(path, paired.values(), sides[0])
        for key in before:
            if key in paired:
                after[key] = self._of_node(before[key], (*path, key), paired[key])
        for key in dict.fromkeys((*update, *paired)):
            if key not in before:
                self._tell_gone(
                    (*path, key), origin.get(key), update.get(key), paired[key][2] if key in paired else None
                )
        parts = Parts(after, paired, {key: update.get(key) for key in before if key not in paired})
        clearing = self._arranged(parts, path, is_document=sides[2].parent is None)
        if all(after[key] is before[key] for key in before) and not clearing:
            return wanted
        amended = AmendedMapping(local, after)
        amended.clearing = clearing
        return amended

    def _elements(self, wanted: Sequence | AmendedSequence, local: Sequence, path: FieldPath, sides: Sides) -> Target:
        pairs = Pairs(self._schema, wanted, path, sides)
        before = elements_of(wanted)
        numbers = target.numbers(AmendedSequence(local, before))
        after: dict[int, Target] = dict(enumerate(before))
        self._claim(path, map(pairs.sides, range(len(local.kids))), sides[0])
        paired: dict[int, Sides] = {}
        for index, number in enumerate(numbers):
            if number is not None:
                paired[index] = pairs.sides(number, index)
                after[index] = self._of_node(before[index], (*path, pairs.segment(number)), paired[index])
        # Elements that go have a place of local alone: their names are behind those of all that are wanted.
        gone = [number for number in range(len(local.kids)) if number not in numbers]
        paired |= {len(before) + number: pairs.sides(number) for number in gone}
        coming = {index: pairs.coming(before[index]) for index, number in enumerate(numbers) if number is None}
        taken = [side for name, (_, side, _) in paired.items() if name < len(before)]
        for segment, *places in pairs.gone([*taken, *coming.values()], gone):
            self._tell_gone((*path, segment), *places)
        is_moved = numbers != sorted(numbers, key=lambda number: -1 if number is None else number)
        parts = Parts(after, paired, coming)
        clearing = self._arranged(parts, path, is_document=sides[2].parent is None, is_moved=is_moved)
        if all(after[index] is one for index, one in enumerate(before)) and not clearing:
            return wanted
        amended = AmendedSequence(local, [*after.values()])
        amended.clearing = clearing
        return amended

    def _claim(self, path: FieldPath, parts: Iterable[Sides], origin: CommentedNode | None) -> None:
        """Remember the comments that local's own parts of a collection took from above those of origin.

        They are there already. Where update has them above something else by now, they do not come a second time.
        """
        listed = [*parts]
        mine = [own for before, update, own in listed if before is None and update is None]
        taken = {group for own in mine for group in groups(own.comments())}
        if taken:
            kept = {id(before.node): groups(own.comments()) for before, _, own in listed if before is not None}
            left = {
                group
                for place in counterparts.parts(origin)
                for group in groups(place.comments())
                if group not in kept.get(id(place.node), ())
            }
            self._claimed[path] = taken & left

    def _arranged(self, parts: Parts, path: FieldPath, *, is_document: bool, is_moved: bool = False) -> frozenset[int]:
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
        here += self._brought_apart(parts, path, here, is_document=is_document)
        clearing = {sides[2].number for sides in gone if takes_apart(sides)}
        # What is left of a part that goes belongs to another one from then on: nobody knows to which.
        if any(sides[2].number not in clearing and sides[2].comments().apart for sides in gone):
            self._leave_apart(wanted, path)
        elif any(here):
            for name, update in coming.items():
                # A deeper one of local's would be below what comes in above it.
                part = wanted[name]
                wanted[name] = part = part if isinstance(part, Commented) else Commented(part)
                part.below = () if update is None else update.comments().below
            for name, place in staying.items():
                # The comments above the first entry of a document are the document's.
                if not (is_document and name == next(iter(wanted))):
                    wanted[name] = _kept_apart(wanted[name], place)
        return frozenset(clearing)

    def _brought_apart(self, parts: Parts, path: FieldPath, here: list[Lines], *, is_document: bool) -> list[Lines]:
        """Give parts that come in from update what stands apart from them there, and return that.

        `here` is what stands apart from local's. No comment comes that a part of local's has taken over.
        """
        brought: list[Lines] = []
        claimed = self._claimed.get(path, set())
        for name, update in parts.coming.items():
            part = parts.wanted[name]
            own = _NONE if update is None else update.comments()
            # The comments above the first entry of a document are the document's.
            is_first = is_document and update is not None and update.number == 0
            apart = () if is_first else without(own, claimed).apart
            # Without an origin the same comment on both sides is one.
            if isinstance(part, Graft) and (self._has_origin or not (apart in here or apart in brought)):
                part.loose_comments = apart
                brought.append(apart)
            if own.above in claimed:
                parts.wanted[name] = Commented(part, above=())
        return brought

    def _leave_apart(self, wanted: dict[Any, Target], path: FieldPath) -> None:
        """Leave what stands apart from the parts of a collection as it is, and tell what does not come for that."""
        self._left.append(path)
        changed = [part for part in wanted.values() if isinstance(part, Commented) and part.apart is not None]
        for part in changed:
            part.apart = None
        if changed:
            detail = "update has another comment between these, beside one of local's above what is gone: local's stay"
            self._tell(path, detail)

    # One node.

    def _own(self, wanted: Target, path: FieldPath, sides: Sides) -> Target:
        place = sides[2]
        before, new, local = [_NONE if side is None else side.comments() for side in sides]
        if before.inside or new.inside or local.inside:
            wanted, remarks = inside.merged(wanted, sides, [before, new, local])
            self.notes += [Note(reason, path, detail) for reason, detail in remarks]
            before, new, local = [replaced(one, inside=()) for one in (before, new, local)]
        if path[:-1] in self._claimed:
            new = without(new, self._claimed[path[:-1]].difference(groups(before)))
        origin, update, own = self._at_the_top(path, before, new, local)
        # Behind the last part that stays it would stand below this, and give way to what update has there.
        if any(left[: len(path)] == path for left in self._left) and update.below not in (origin.below, own.below):
            self._tell(path, "update has another comment below this, beside one of local's below what is gone")
            update = replaced(update, below=origin.below)
        comes = isinstance(wanted, Graft | str)
        if any(TEMPLATE in line for one in (update, own) for line in (*one.above, one.behind)):
            origin, update, own = _of_value(sides, origin, update, own, comes=wanted is not place.node)
        if origin == update and (update == _NONE or not comes):
            return wanted
        merged = self._merged(path, origin, update, own)
        if path == self._first:
            self._heading, merged.apart = merged.apart, ()
        if merged == local and not comes:
            return wanted
        commented = _given(wanted, merged, local, comes=comes)
        if commenting.can_be_given(place.text, place.parent, place.node, commented):
            return commented
        if merged != local:
            self._tell(path, "update has another comment here, and there is no place for it: local's stays")
        return wanted

    def _merged(self, path: FieldPath, origin: Comments, update: Comments, local: Comments) -> Comments:
        found = NodeComments(origin, update, local)
        for name in found.conflicts:
            self._tell(path, f"both sides changed the comment {name} this: local's stays")
        return found.merged

    # What stands above the first entry of a document is the document's, and merged with the lines above that entry:
    # a blank line between the two is all that parts them.

    def _know_top(self, sides: Sides) -> None:
        """Remember the entries that stand first in a document, and what is above them."""
        roots = [side.node for side in sides if side is not None]
        first = {root.kids[0].value if isinstance(root, Mapping) and root.kids else None for root in roots}
        keys = [key for key in first if key is not None]
        if len(first) == len(keys) == 1:
            self._first = (keys[0],)
            self._roots = sides
        # Without a comment apart from any entry, none can come to stand above the document.
        elif any(place.comments().apart for side in sides for place in counterparts.parts(side)):
            self._tops = {(), *((key,) for key in keys)}

    def _at_the_top(
        self, path: FieldPath, origin: Comments, update: Comments, local: Comments
    ) -> tuple[Comments, Comments, Comments]:
        """Return the comments of a node with those of the document where they are merged as one."""
        if path == self._first:
            before, new, own = (() if root is None else root.comments().above for root in self._roots)
            return replaced(origin, apart=before), replaced(update, apart=new), replaced(local, apart=own)
        if path == () and self._heading is not None:
            return replaced(origin, above=local.above), replaced(update, above=self._heading), local
        if path not in self._tops:
            return origin, update, local
        # Where another entry stands first on one side, nobody knows whose it was.
        name = "apart from" if path else "above"
        before, new, own = (one.apart if path else one.above for one in (origin, update, local))
        if new not in (before, own):
            self._tell(path, f"update changed the comment {name} this, and another entry is the first: local's stays")
        return origin, replaced(update, apart=before) if path else replaced(update, above=before), local

    def _tell_gone(
        self,
        path: FieldPath,
        origin: CommentedNode | None,
        update: CommentedNode | None,
        local: CommentedNode | None,
        *,
        stays_apart: bool = True,
    ) -> None:
        """Tell the comments that somebody wrote at what is not in the result. What is apart from it may stay."""
        if origin is None:
            return  # nobody but update or local had it: a conflict, if it goes
        if update is not None and has_new_comments(origin, update):
            self._tell(path, "update has another comment for this, which is gone")
        if local is not None and has_new_comments(origin, local, apart=not stays_apart):
            self.notes.append(Note(COMMENT_GONE, path, "update deleted this, and a comment of local's with it"))

    def _tell(self, path: FieldPath, detail: str) -> None:
        self.notes.append(Note(COMMENT_KEPT, path, detail))


def _of_value(
    sides: Sides, origin: Comments, update: Comments, local: Comments, *, comes: bool
) -> tuple[Comments, Comments, Comments]:
    """Return the comments of a value with its template: where the sides differ, those of the side whose value stays."""
    _, other, own = sides
    if other is None or trees.frozen(other.node) == trees.frozen(own.node):
        return origin, update, local
    won = update if comes else local
    # Of update's value its comment comes, in the place of local's; where local's stays, nobody has changed that.
    before = local if comes else won
    return (
        replaced(origin, above=before.above, behind=before.behind),
        replaced(update, above=won.above, behind=won.behind),
        local,
    )


def _kept_apart(wanted: Target, local: CommentedNode) -> Target:
    """Return what is wanted of a node of local beside which others come, go or move, so that it keeps what is apart."""
    if not isinstance(wanted, Commented):
        return Commented(wanted, apart=local.comments().apart)
    wanted.apart = local.comments().apart if wanted.apart is None else wanted.apart
    return wanted


def _given(wanted: Target, merged: Comments, local: Comments, *, comes: bool) -> Commented:
    """Return a node with the comments of a merge. Those that a node of local has already stay as they are written."""
    return Commented(
        wanted,
        above=None if merged.above == local.above else merged.above,
        behind=None if merged.behind == local.behind and not comes else merged.behind,
        below=None if merged.below == local.below and not comes else merged.below,
        apart=None if merged.apart == local.apart else merged.apart,
    )
