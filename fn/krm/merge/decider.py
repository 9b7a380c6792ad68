"""The decider of a 3-way merge (docs/reference/merge.md, "The base rule", "Mappings", "Deletions").

The side that changed a field wins it. If both did, differently, that is a conflict at the smallest node, and the policy
says who wins. No rule decides against the policy.
"""

from __future__ import annotations

from krm.merge import outcome, trees
from krm.merge import policy as policies
from krm.merge.lists import pairing
from krm.merge.outcome import Conflict, Note
from krm.merge.trees import Triple, has_bookkeeping
from krm.merge.unions import Unions
from krm.resource import UPSTREAM
from krm.yamltree.nodes import Alias, Sequence, at, list_elements, resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal, TypeAlias, TypeVar

    from krm.merge.kinds.schema import ListRule, Schema
    from krm.merge.lists.pairing import Elements, Key
    from krm.merge.policy import ConflictResolution, Policy, Winner
    from krm.merge.trees import FieldSides, Tree
    from krm.merge.unions import Ruling
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Decision: TypeAlias = Winner | Literal["merge"] | ListRule | None
    """What becomes of a field: it gets one side's value, or is merged by its keys, or by the keys of its elements.

    None: both sides changed it, and its parts have no keys. They are lines of a text, or elements of a list.
    """
    _Value = TypeVar("_Value")


class Decider:
    """The decider of a 3-way merge, by fields and by values. It collects the conflicts and notes.

    `policy` is the policy of the whole resource.
    """

    def __init__(self, origin: Tree, update: Tree, local: Tree, schema: Schema, policy: Policy) -> None:
        # By the nodes of update and local: several places of one list, or of one text, are one conflict.
        self._conflicts: dict[object, Conflict] = {}
        self.notes: list[Note] = []
        self.trees = self._origin, self._update, self._local = origin, update, local
        self.policy = policy
        self.schema = schema
        self.unions = Unions(schema, origin.root, update.root, local.root)

    @property
    def conflicts(self) -> list[Conflict]:
        """The conflicts, in the order in which they were noted."""
        return [*self._conflicts.values()]

    def decide(self, field: FieldSides) -> Decision:
        """Return what becomes of a field, by the base rule, and whether it is merged by its parts."""
        # Two mappings are merged by their keys first: so a conflict is one of the smallest field. Annotations with
        # bookkeeping are, even if a side has none: bookkeeping stays local's (docs/reference/merge.md, "What is data").
        # An alias is no mapping: it stands for a value as a whole.
        sides = field.update, field.local
        are_maps = all(trees.plain_mapping(side) is not None and not isinstance(side, Alias) for side in sides)
        if are_maps or has_bookkeeping(field):
            return "merge"
        side = self.changed_by(field)
        decision: Decision
        if side is None:
            decision = self.by_elements(field) or self._by_policy(field)
        elif side == "update":
            # If update deleted a list that local did not change, the whole list goes. So does an empty one.
            decision = (field.update and self.by_elements(field)) or self._take_update(field)
        # Local alone changed it. But a field inside may be enforced, or may depend on a field that update changed.
        elif (field.policy.forces or self.unions.reaches(*field)) and not self._are_alike(field):
            decision = self.by_elements(field) or (self._take_update(field) if field.policy.enforce else "local")
        else:
            return "local"
        return "merge" if self._is_part_of_union(field, decision) else decision

    def decide_keys(self, field: FieldSides) -> tuple[dict[str, Winner], frozenset[str]]:
        """Return the side from which keys are taken that exclude each other, and those keys that both sides changed."""
        ruling = self.unions.ruling(field.path, Triple(*map(trees.plain_mapping, field)))
        if ruling is None:
            return {}, frozenset()
        choice = self._conflict_of_union(ruling, field) if ruling.side is None else ruling.side
        # A mapping that one side alone has is taken from it.
        one_side: Winner = "local" if field.update is None else "update"
        keys = trees.entries(field.update or field.local) if None in (field.update, field.local) else ()
        contested = ruling.keys if ruling.side is None else frozenset()
        return dict.fromkeys(keys, one_side) | dict.fromkeys(ruling.keys, choice), contested

    def checkpoint(self) -> tuple[int, int]:
        """Return the numbers of conflicts and notes: a checkpoint for `reset`."""
        return len(self._conflicts), len(self.notes)

    def reset(self, checkpoint: tuple[int, int]) -> None:
        """Forget the conflicts and notes that were added since a checkpoint."""
        while len(self._conflicts) > checkpoint[0]:
            self._conflicts.popitem()
        del self.notes[checkpoint[1] :]

    def decide_as_one(self, field: FieldSides) -> tuple[Winner, bool]:
        """Return whose value is taken for a field that is merged as a whole, and whether that is a conflict."""
        side = self.changed_by(field)
        return (self.note_conflict(field), True) if side is None else (side, False)

    def tell_elements(self, field: FieldSides, elements: Elements, kept: Iterable[Key]) -> None:
        """Note what is odd about the elements of a list, and about those that are `kept` of them."""
        for name, side in (("update", elements.update), ("local", elements.local)):
            for key in pairing.duplicates(side):
                self.note(outcome.DUPLICATE_KEYS, field, f"{name} has several elements `{key}`")
        self.tell_renamed_elements(field, elements)
        if field.origin is not None and (field.update is None or field.local is None):
            there = {**elements.update, **elements.local}
            new = (key for key in kept if key not in elements.origin)
            added = [pairing.key_text(key) or text_at(there[key]) or "{...}" for key in new]
            self._tell_kept(outcome.KEPT_ELEMENTS, field, added)

    def is_env(self, field: FieldSides) -> bool:
        """True for an `env` that may have references (docs/reference/merge.md, "The order of env")."""
        if field.path[-1:] != ("env",):
            return False
        from krm.merge.lists import envorder  # noqa: PLC0415 - few mappings that both sides changed are of a container

        sides = (self._update.text, field.update), (self._local.text, field.local)
        return envorder.may_refer(sides) and self.schema.below_pod_spec(field.path) is not None

    def changed_by(self, field: FieldSides) -> Winner | None:
        """Return the only side that changed the data of a field, as `policy.changed_by` does.

        For a whole resource the bookkeeping of orchestrators does not count.
        """
        if self._is_same(field, self._update, field.update):
            return "local"
        if self._is_same(field, self._local, field.local):
            return "update"
        # Of two equal values the one with a new anchor is taken: an alias elsewhere may need it.
        anchors = (side and side.anchor for side in field)
        return (policies.changed_by(*anchors) or "local") if self._are_alike(field) else None

    def _are_alike(self, field: FieldSides) -> bool:
        return trees.same(self._update, field.update, self._local, field.local)

    def _is_same(self, field: FieldSides, tree: Tree, node: Node | None) -> bool:
        """True if a side has the same data as origin."""
        if field.path:
            return trees.same_by_name(self._origin, field.origin, tree, node)
        # `kpt pkg get` writes the upstream into each resource: that is no edit.
        upstream = [UPSTREAM] if field.update is None or field.local is None else []
        return trees.same_resource(self._origin, field.origin, tree, node, *upstream)

    def _by_policy(self, field: FieldSides) -> Decision:
        """Return what becomes of a field that both sides changed, and whose elements have no keys."""
        if field.policy.enforce:
            return self._take_update(field)
        # Behind `enforce`, which also drops what local added.
        if self._keep_additions(field):
            return "merge"
        return self.note_conflict(field) if None in (field.update, field.local) else None

    def resolve(self, field: FieldSides, update: _Value, local: _Value, both: _Value | None) -> _Value:
        """Note a conflict of lines or elements. Return those of the winner, or those with `both` changes."""
        found, resolution = policies.decided(field.policy.on_conflict, update, local, both)
        self.note_conflict(field, resolution)
        return found

    def _is_part_of_union(self, field: FieldSides, decision: Decision) -> bool:
        """True if the chosen side alone has the field, and the Service's type on the other side may forbid a part."""
        sides = {"update": field.update, "local": field.local}
        chosen = sides.get(decision) if None in sides.values() and isinstance(decision, str) else None
        return trees.plain_mapping(chosen) is not None and self.unions.reaches(chosen)

    def _take_update(self, field: FieldSides) -> Winner:
        """Return "update", but "local" for a field that only local has: update did not delete it."""
        return "local" if field.origin is None and field.update is None else "update"

    def by_elements(self, field: FieldSides) -> ListRule | None:
        """Return the rule of a list that merges element by element, None for any other field.

        Both sides have the list, or one side deleted it, or its ports depend on the Service's type. An empty list is
        taken as a whole.
        """
        sides = [side for side in (field.update, field.local) if side is not None]
        is_merged = len(sides) == 2 or _is_list(field.origin) or self.unions.reaches(*sides)  # noqa: PLR2004 - both
        if not is_merged or not all(map(_is_list, sides)):
            return None
        listed = [list_elements(side) for side in field if _is_list(side)]
        rule = self.schema.list_rule(field.path, listed)
        return None if rule.is_keyless or not (any(listed) and pairing.have_keys(rule, listed)) else rule

    def _keep_additions(self, field: FieldSides) -> bool:
        """True if a map that one side deleted keeps the entries that the other side added.

        It does if its keys are the author's own. A label is of use by itself, half of a probe is not.
        """
        origin, mapping = trees.plain_mapping(field.origin), trees.plain_mapping(field.update or field.local)
        if origin is None or mapping is None or (field.update is not None and field.local is not None):
            return False
        if not self.schema.keeps_additions(field.path, [origin, mapping]):
            return False
        added = {key: trees.frozen(value) for key, value in mapping.items() if origin.get(key) is None}
        # A new key for the value of another one is no addition: the other side deleted what this side renamed.
        if any(mapping.get(key) is None and trees.frozen(value) in added.values() for key, value in origin.items()):
            return False
        self._tell_kept(outcome.KEPT_ADDITION, field, [*added])
        return True

    def note_conflict(self, field: FieldSides, resolution: ConflictResolution | None = None) -> Winner:
        """Note a conflict of a field, once, and return the winner.

        A conflict that was noted as KeepBoth gets another resolution if a second place of the field needs that.
        """
        found = Conflict(field.path, field, resolution or field.policy.on_conflict)
        one = self._conflicts.setdefault((id(field.update), id(field.local)), found)
        if one.resolution == "KeepBoth":
            one.resolution = found.resolution
        return field.policy.winner

    def _conflict_of_union(self, ruling: Ruling, field: FieldSides) -> Winner:
        """Return the winner of a conflict of keys that exclude each other. Note the conflict if it is of `field`."""
        is_here = ruling.path[: len(field.path)] == field.path
        # The `nodePort`s of a Service depend on `spec.type`, which is outside of a port: its policy starts at the root.
        policy = field.policy if is_here else self.policy
        keys = [str(key) for key in ruling.path[len(field.path) if is_here else 0 :]]
        for key in keys:
            policy = policy.below_key(key)
        if is_here:
            sides = Triple(*(at(side, *keys) for side in field))
            found = Conflict(ruling.path, sides, policy.on_conflict, is_one_value=True)
            self._conflicts[len(self._conflicts)] = found
        return policy.winner

    def env_order(self, field: FieldSides, elements: Elements, kept: Mapping[Key, Target]) -> list[Key]:
        """Return the order in which each entry stands behind those that it refers to."""
        from krm.merge.lists import envorder  # noqa: PLC0415 - as above

        keys, moved, unresolved = envorder.ordered(kept, elements.update, elements.local)
        for name in moved:
            self.note(outcome.ENV_REORDERED, field, f"`{name}` was moved ahead of what refers to it")
        for name in unresolved:
            self.note(outcome.FORWARD_REFERENCE, field, f"`{name}` refers to an entry below it")
        return keys

    def tell_renamed(self, field: FieldSides, names: list[str | None]) -> None:
        """Note that an entry with a new name is the one that origin has. `names` are those on the sides."""
        shown = " and ".join(f"`{name}`" for name in dict.fromkeys(names) if name is not None)
        how = "both sides renamed it" if names[1] == names[2] else "one side renamed it, the other changed it"
        self.note(outcome.MATCHED, field, f"{shown} are one entry: {how}")

    def tell_renamed_elements(self, field: FieldSides, elements: Elements) -> None:
        """Note which elements count as the same, though one side renamed them."""
        for renamed in elements.renamed:
            names = (f"`{name}`" if name else "one without a key" for name in map(pairing.key_text, renamed))
            message = f"{' and '.join(names)} are one element: one side renamed it, the other changed it"
            self.note(outcome.MATCHED, field, message)

    def _tell_kept(self, reason: str, field: FieldSides, added: list[str]) -> None:
        if added:
            gone, there = ("update", "local") if field.update is None else ("local", "update")
            names = ", ".join(f"`{name}`" for name in added)
            self.note(reason, field, f"{gone} no longer has this, but what {there} added to it stays: {names}")

    def note(self, reason: str, field: FieldSides, detail: str) -> None:
        """Note what is odd about a field."""
        self.notes.append(Note(reason, field.path, detail))


def _is_list(node: Node | None) -> bool:
    return isinstance(resolved(node), Sequence)
