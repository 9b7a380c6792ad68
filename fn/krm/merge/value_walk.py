"""The merge by values: a decider says what becomes of each field of a generated resource and its item.

`merge2` lays an overlay over a resource by the same walk, and says itself what becomes of a field.
"""

from __future__ import annotations

from functools import partial

from krm.merge import trees, units
from krm.merge.decider import Decider
from krm.merge.kinds.schema import ListRule
from krm.merge.lists import pairing
from krm.merge.outcome import Merged
from krm.merge.policy import won
from krm.merge.replacing import Replacing
from krm.merge.text_merge import of_texts, text_of
from krm.merge.trees import FieldSides, Triple, bookkeeping
from krm.merge.units import Stretch
from krm.yamltree.nodes import Scalar, Sequence, list_elements, resolved
from krm.yamltree.target import in_its_place, is_unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TypeGuard

    from krm.fieldpath import Segment
    from krm.merge.kinds.schema import Schema
    from krm.merge.lists.pairing import Elements, Key
    from krm.merge.policy import Policy, Winner
    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target


def merge_values(origin: Tree, update: Tree, local: Tree, schema: Schema, policy: Policy) -> Merged:
    """Return the merge by values. A directive of a patch, such as `$patch`, is data like any other key."""
    decider = Decider(origin, update, local, schema, policy)
    return Merged(ValueWalk(decider).target(), decider.conflicts, decider.notes)


class ValueWalk:
    """The merge of three trees by their values.

    Most fields do not change. Such a field keeps local's node, and the decider is not asked.
    """

    def __init__(self, decider: Decider) -> None:
        self.decider = decider
        self._replacing = Replacing(*decider.trees[1:])

    def target(self) -> Target | None:
        """Return the target in the place of local, None if nothing is left."""
        root = FieldSides((), self.decider.policy, Triple(*(tree.root for tree in self.decider.trees)))
        return self._replacing.placed(None, root.update, root.local, self.merged(root))

    def merged(self, field: FieldSides) -> Target:
        """Return the target of a field: a node of local or update, or an `Amended` of one, or a new text.

        None if the field is deleted.
        """
        decision = self.decider.decide(field)
        if isinstance(decision, ListRule):
            return self.sequence(decision, field)
        if decision == "merge":
            return self.mapping(field, {**self.decider.decide_keys(field)[0], **bookkeeping(field)})
        return self._both(field) if decision is None else self.of_side(decision, field)

    def of_side(self, side: Winner, field: FieldSides) -> Target:
        """Return the target that takes the value of a side, with the nodes of local that are equal."""
        kept = won(side, update=field.update, local=field.local)
        return kept if kept is None or kept is field.local else self._replacing.replaced(kept, kept, field.local)

    def mapping(self, field: FieldSides, choices: Mapping[str, Winner]) -> Target:
        """Return the target of a mapping, entry by entry. `choices` has the side from which some are taken."""
        origin, update, local = map(trees.entries, field)
        kept: dict[str, Target] = {}
        for key in local | update:
            sides = Triple(origin.get(key), update.get(key), local.get(key))
            kept[key] = self._part(field, key, field.policy.below_key(key), sides, choices.get(key))
        return self._replacing.mapping(field, kept)

    def sequence(self, rule: ListRule, field: FieldSides) -> Target:
        """Return the target of a list, element by element."""
        elements = pairing.Elements(rule, map(list_elements, field))
        kept: dict[Key, Target] = {}
        indexes = pairing.indexes(elements.local, elements.update)
        for key, segment in pairing.segments(rule, indexes).items():
            sides = Triple(elements.origin.get(key), elements.update.get(key), elements.local.get(key))
            found = self._part(field, segment, field.policy.below_element(indexes[key], sides), sides)
            if found is not None:
                kept[key] = in_its_place(sides.local, found)
        self.decider.tell_elements(field, elements, kept)
        keys = pairing.ordered(elements.origin, elements.update, elements.local, kept)
        if self.decider.is_env(field):
            keys = self.decider.env_order(field, elements, {key: kept[key] for key in keys})
        return self._replacing.sequence(field, [kept[key] for key in keys])

    def _both(self, field: FieldSides) -> Target:
        """Return the target of a field that both sides changed, and whose parts have no keys."""
        text = self._text(field)
        if text is not None:
            return text
        if all(isinstance(resolved(side), Sequence) for side in field):
            return self._spliced(field)
        return self.of_side(self.decider.note_conflict(field), field)

    def _text(self, field: FieldSides) -> str | None:
        """Return the merge of a text of lines, as a block or in quotes; None for another value."""
        origin, update, local = map(resolved, field)
        if not (_has_lines(update) and _has_lines(local) and isinstance(origin, Scalar)):
            return None
        if ">" in (update.style, local.style):  # there a line break is layout
            return None
        return text_of(of_texts((origin.value, update.value, local.value), partial(self.decider.resolve, field)))

    def _spliced(self, field: FieldSides) -> Target:
        """Return the target of a list without keys, which is merged as lines are."""
        listed = [*map(list_elements, field)]
        elements = pairing.Elements(self.decider.schema.list_rule(field.path, listed), listed)
        self.decider.tell_renamed_elements(field, elements)
        found = [*self._elements(field, elements)]
        if is_unchanged([None if is_joint else one.local for one, is_joint in found], listed[2]):
            return field.local
        update, local = resolved(field.update), resolved(field.local)
        spliced = self._replacing.spliced(update, local, [one for one, _ in found])  # type: ignore[arg-type]  # they are lists
        number_of = {id(node): number for number, node in enumerate(listed[2])}
        for index, joint in ((index, one) for index, (one, is_joint) in enumerate(found) if is_joint):
            number = number_of[id(joint.local)]
            merged = self._part(field, number, field.policy.below_element(number, joint), joint)
            spliced.elements[index] = in_its_place(joint.local, merged)
        return spliced

    def _elements(self, field: FieldSides, elements: Elements) -> Iterator[tuple[Triple, bool]]:
        """Yield the elements of a merged list without keys, each with True if its parts are still to be merged."""
        sides: list[dict[Any, Node]] = [elements.origin, elements.update, elements.local]
        origin, update, local = ([(key, trees.frozen(node)) for key, node in side.items()] for side in sides)
        stays = dict(zip(local, sides[2].values(), strict=True))
        for piece in units.merged(origin, update, local, elements.order):
            if not isinstance(piece, Stretch):
                coming = [piece]
            elif piece.key_of_both is None:
                both = units.side_by_side(piece, elements.order)
                coming = self.decider.resolve(field, piece.update, piece.local, both)
            else:
                coming = []
                yield Triple(*(side.get(piece.key_of_both) for side in sides)), True
            yield from ((Triple(None, sides[1].get(unit[0]), stays.get(unit)), False) for unit in coming)

    def _part(
        self, parent: FieldSides, segment: Segment, policy: Policy, sides: Triple, side: Winner | None = None
    ) -> Target:
        """Return the target of an entry or element, as a part of the target of `parent`."""
        decider = self.decider
        origin, update, _ = decider.trees
        # An enforced field gets update's value in any case. The `nodePort` of a port depends on its Service's type.
        depends = side or policy.forces or decider.unions.reaches(sides.update, sides.local)
        # First the quick test: most fields never change, and need no path and no FieldSides.
        if not depends and trees.same_spelling(origin, sides.origin, update, sides.update):
            return sides.local
        field = FieldSides((*parent.path, segment), policy, sides)
        kept = self.merged(field) if side is None else self.of_side(side, field)
        # If local lacks the parent, the whole parent is grafted later, so its parts are not grafted.
        return kept if parent.local is None else self._replacing.placed(parent.update, field.update, field.local, kept)


def _has_lines(node: Node | None) -> TypeGuard[Scalar]:
    return isinstance(node, Scalar) and "\n" in node.value
