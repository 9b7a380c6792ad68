"""The walk through the fields of origin, update and local, which builds the target tree of a merge.

At each field the walk asks a decider, which knows the rules of one kind of merge. In the target a node of local stands
for a value that does not change, `Amended` for one with a change inside, and a `Graft` for a value from update.
"""

from __future__ import annotations

import operator
from itertools import repeat

from krm.merge import trees
from krm.merge.kinds.schema import ListRule
from krm.merge.lists import pairing
from krm.merge.trees import Triple
from krm.resource import KPTFILE, is_bookkeeping
from krm.yamltree.nodes import Mapping, Sequence, at, list_elements, resolved, text_at
from krm.yamltree.partners import are_alike, partner_numbers
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, exchanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection as Sized
    from collections.abc import Mapping as Mapped
    from typing import Literal, Protocol, TypeAlias

    from krm.fieldpath import FieldPath, Segment
    from krm.merge.lists.pairing import Key
    from krm.merge.lists.renames import Elements, Spliced
    from krm.merge.policy import Policy, Winner
    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Amended: TypeAlias = AmendedMapping | AmendedSequence
    Choice: TypeAlias = Winner | Literal["gone", "merge", "anew"]
    """What becomes of a field: it gets one side's value, is deleted, or is merged by its parts.

    With `anew` it gets update's value, part by part: each part is decided as if local had none.
    """


class NewText:
    """A text that no side has: the merge of a text line by line."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class MergedField(Triple):
    """A field on the three sides, with its path and the policy that holds there."""

    __slots__ = ("path", "policy")

    def __init__(self, path: FieldPath, policy: Policy, sides: Triple) -> None:
        super().__init__(sides.origin, sides.update, sides.local)
        self.path = path
        self.policy = policy


if TYPE_CHECKING:
    Decision: TypeAlias = "Choice | ListRule | NewText | Spliced"

    class Decider(Protocol):
        """The rules of a merge. A field that is null on a side is there: it has a node."""

        def stays_local(self, policy: Policy, sides: Triple) -> bool:
            """True if local's value stays, by a quick test. Most fields pass it, since most never change."""

        def decide(self, field: MergedField) -> Decision:
            """Return what becomes of a field: `merge` to decide its keys one by one, a ListRule for its elements."""

        def keys_of_one_side(self, field: MergedField) -> Mapped[str, Choice]:
            """Return the decisions for those keys of a mapping that are not decided one by one: a union, say."""

        def arranged(self, field: MergedField, elements: Elements, kept: dict[Key, Target]) -> list[Key]:
            """Return the order of the elements of a list that are `kept`."""


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
        numbers = partner_numbers(local.kids, update.kids)
        there = [None if number is None else local.kids[number] for number in numbers]
        return AmendedSequence(local, [*map(self._part, repeat(update), update.kids, there)])

    def spliced(self, update: Sequence, local: Sequence, elements: list[Triple]) -> AmendedSequence:
        """Return local's list with these elements, in which local's nodes are kept.

        A new element replaces one of local's only if as many are inserted as deleted between the same neighbours.
        Elsewhere the pairs would be a guess, and comments would get to elements that they are not about.
        """
        number_of = {id(node): number for number, node in enumerate(local.kids)}
        own = [None if one.local is None else number_of[id(one.local)] for one in elements]
        there: dict[int, Node] = {}
        for start, gone in exchanges(own, len(local.kids)):
            pairs = ((index, local.kids[number]) for index, number in enumerate(gone, start))
            there.update((index, node) for index, node in pairs if are_alike(node, elements[index].update))
        kept = [
            self._part(update, one.update, there.get(index))
            if one.local is None and one.update is not None
            else one.local
            for index, one in enumerate(elements)
        ]
        return AmendedSequence(local, kept)

    def _part(self, parent: Mapping | Sequence | None, update: Node, local: Node | None) -> Target:
        replaced = self.replaced(update, local)
        # A generated item shows update's own template in a field that follows it: there local has its place.
        return self.graft(parent, update) if replaced is update is not local else replaced


class Walk:
    """A merge of three trees by the rules of a decider."""

    __slots__ = ("_decider", "_replacing", "_roots")

    def __init__(self, decider: Decider, origin: Tree, update: Tree, local: Tree) -> None:
        self._decider = decider
        self._roots = Triple(origin.root, update.root, local.root)
        self._replacing = Replacing(update, local)

    def target(self, policy: Policy) -> Target | None:
        """Return the target in the place of local, None if nothing is left."""
        root = MergedField((), policy, self._roots)
        kept = self._target_of(root)
        return None if kept is None else self._placed(kept, None, root)

    def _target_of(self, field: MergedField, choice: Choice | None = None) -> Target:
        """Return the target of a field: a node of local or update, or an `Amended` of local's node, else of update's.

        None if the field is deleted.
        """
        # Annotations with bookkeeping are merged one by one, even if a side has none: bookkeeping stays local's
        # (docs/reference/merge.md, "What is data").
        decision = choice or ("merge" if has_bookkeeping(field) else self._decider.decide(field))
        if isinstance(decision, NewText):
            return decision.text
        if not isinstance(decision, str):
            return self._sequence(decision, field) if isinstance(decision, ListRule) else self._spliced(decision, field)
        if decision == "merge":
            return self._mapping(field)
        if decision == "anew":
            return self._target_of(MergedField(field.path, field.policy, Triple(None, field.update, None)))
        kept = whole(decision, field)
        return kept if kept is None or kept is field.local else self._replacing.replaced(kept, field.local)

    def _mapping(self, field: MergedField) -> Target:
        origin, update, local = map(trees.entries, field)
        choices = {**self._decider.keys_of_one_side(field), **bookkeeping(field)}
        found: dict[str, Target] = {}
        for key in local | update:
            sides = Triple(origin.get(key), update.get(key), local.get(key))
            kept = self._part(field, key, field.policy.below_key(key), sides, choices.get(key))
            if kept is not None:
                found[key] = kept
        # Without new keys local's order stays: the order of keys is no data.
        if not found.keys() <= local.keys():
            found = {key: found[key] for key in pairing.inserted(update, local, found)}
        base, entries = (field.update, update) if field.local is None else (field.local, local)
        if is_unchanged(found.values(), entries.values()):
            return base
        # A mapping that one side deleted goes if nothing of it is left. One that both sides have stays, even if empty.
        if not found and _is_lacking(field):
            return None
        return AmendedMapping(resolved(base), found)  # type: ignore[arg-type]  # only of mappings do keys decide

    def _sequence(self, rule: ListRule, field: MergedField) -> Target:
        from krm.merge.lists import renames  # noqa: PLC0415 - most lists are merged by their lines

        elements = renames.Elements(rule, map(list_elements, field))
        found: dict[Key, Target] = {}
        indexes = pairing.indexes(elements.local, elements.update)
        for key, segment in pairing.segments(rule, indexes).items():
            sides = Triple(elements.origin.get(key), elements.update.get(key), elements.local.get(key))
            kept = self._part(field, segment, field.policy.below_element(indexes[key], sides), sides)
            if kept is not None:
                found[key] = kept
        wanted = [found[key] for key in self._decider.arranged(field, elements, found)]
        base = field.update if field.local is None else field.local
        if is_unchanged(wanted, list_elements(base)):
            return base
        if not wanted and _is_lacking(field):
            return None
        return AmendedSequence(resolved(base), wanted)  # type: ignore[arg-type]  # only of lists do elements decide

    def _spliced(self, decision: Spliced, field: MergedField) -> Target:
        update, local = resolved(field.update), resolved(field.local)
        if not decision.joint and is_unchanged([one.local for one in decision.elements], list_elements(local)):
            return field.local
        spliced = self._replacing.spliced(update, local, decision.elements)  # type: ignore[arg-type]  # they are lists
        number_of = {id(node): number for number, node in enumerate(list_elements(local))}
        for index, sides in decision.joint.items():
            number = number_of[id(sides.local)]
            spliced.elements[index] = self._part(field, number, field.policy.below_element(number, sides), sides)
        return spliced

    def _part(
        self, parent: MergedField, segment: Segment, policy: Policy, sides: Triple, choice: Choice | None = None
    ) -> Target:
        """Return the target of an entry or element, as a part of the target of `parent`."""
        # First the quick test: most fields never change, and need no path and no MergedField.
        if choice is None and self._decider.stays_local(policy, sides):
            return sides.local
        field = MergedField((*parent.path, segment), policy, sides)
        kept = self._target_of(field, choice)
        return kept if kept is None else self._placed(kept, parent, field)

    def _placed(self, kept: Target, parent: MergedField | None, field: MergedField) -> Target:
        """Return the target of a field as it stands in that of `parent`: a node of update becomes a Graft there."""
        # Local has no parent: then the parent is grafted as a whole, and its parts need no Graft.
        if field.update is None or kept is field.local or (parent is not None and parent.local is None):
            return kept
        collection = None if parent is None else parent.update
        if kept is field.update:
            return self._replacing.graft(collection, field.update)
        if isinstance(kept, (AmendedMapping, AmendedSequence)) and kept.node is resolved(field.update):
            return self._replacing.graft(collection, field.update, kept)
        return kept


def whole(choice: Choice, field: MergedField) -> Node | None:
    """Return the value of the chosen side, None if the choice is no side."""
    return {"update": field.update, "local": field.local}.get(choice)


def _is_lacking(field: MergedField) -> bool:
    """True if a side lacks the field: then the field goes if the deletions of its parts leave it empty."""
    return field.update is None or field.local is None


def is_unchanged(wanted: Sized[Target | None], nodes: Sized[Node]) -> bool:
    """True if targets are these nodes, in this order."""
    return len(wanted) == len(nodes) and all(map(operator.is_, wanted, nodes))


def has_bookkeeping(field: MergedField) -> bool:
    """True for annotations with bookkeeping, and for metadata that has such annotations on both sides."""
    sides = [side for side in (field.update, field.local) if side is not None]
    if field.path == trees.ANNOTATIONS[:1] and len(sides) == 2:  # noqa: PLR2004 - both
        sides = [notes for side in sides if (notes := at(side, *trees.ANNOTATIONS[1:])) is not None]
    elif field.path != trees.ANNOTATIONS:
        return False
    is_mapping = all(isinstance(resolved(side), Mapping) for side in sides)
    return is_mapping and any(is_bookkeeping(key) for side in sides for key in trees.entries(side))


def bookkeeping(field: MergedField) -> dict[str, Winner]:
    """Return the keys with notes of orchestrators, which stay local's: annotations, and the status of a Kptfile."""
    if not field.path and KPTFILE in (text_at(side, "kind") for side in field):
        return {"status": "local"}
    keys = trees.entries(field.local) | trees.entries(field.update) if field.path == trees.ANNOTATIONS else ()
    return {key: "local" for key in keys if is_bookkeeping(key)}
