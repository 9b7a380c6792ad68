"""The 2-way merge: local with the changes of update, an overlay (docs/reference/merge.md, "Overlays").

A field that only local has stays. Null deletes a field. Lists merge as in a 3-way merge. `$patch` in a map, or in an
element of a list with keys, says what to do with it; as the only key of an element it says what to do with the list:

    delete     the map, element or list is deleted
    replace    it is taken from update, without anything of local's
    merge      as without `$patch`
"""

from __future__ import annotations

from krm.merge import trees
from krm.merge.kubectl.strategic import DIRECTIVES, PATCH
from krm.merge.lists import pairing
from krm.merge.outcome import DUPLICATE_KEYS, NOT_PLACED, NOTHING_TO_DELETE, Merged, Note, Refused
from krm.merge.policy import Policy
from krm.merge.trees import Tree, Triple
from krm.merge.walk import Walk
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, list_elements, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import ListRule, Schema
    from krm.merge.lists.pairing import Key
    from krm.merge.lists.renames import Elements
    from krm.merge.walk import Choice, Decision, MergedField
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

_DELETE, _REPLACE = "delete", "replace"
_KNOWN = (_DELETE, _REPLACE, "merge")


def merge2(update: Tree, local: Tree, schema: Schema) -> Merged:
    """Return the merge. Refused if update has a directive that is not for overlays, or whose value is unknown."""
    # An overlay without an object does not delete it: only `$patch: delete` does.
    if update.root is None:
        return Merged(local.root, [], [])
    decider = _Merge2(schema)
    try:
        _refuse_operations(update.root)
        target = Walk(decider, Tree("", None), update, local).target(Policy())
    except Refused as reason:
        raise Refused(reason.path, str(reason), update) from None
    return Merged(target, [], decider.notes)


class _Merge2:
    """The decider of a 2-way merge."""

    def __init__(self, schema: Schema) -> None:
        self.notes: list[Note] = []
        self._schema = schema
        self._anew: list[FieldPath] = []

    def stays_local(self, _policy: Policy, sides: Triple) -> bool:
        """True if update does not have the field."""
        return sides.update is None

    def decide(self, field: MergedField) -> Decision:
        """Return what becomes of a field."""
        update = resolved(field.update)
        if scalars.is_null(update):
            return "gone"
        if isinstance(update, Mapping) and update.is_plain():
            return self._decide_map(field, update)
        return self._decide_list(field, update) if isinstance(update, Sequence) else "update"

    def keys_of_one_side(self, field: MergedField) -> dict[str, Choice]:
        """Return that each directive is deleted: it is no data."""
        return dict.fromkeys((key for key in trees.entries(field.update) if key == PATCH), "gone")

    def arranged(self, field: MergedField, elements: Elements, kept: dict[Key, Target]) -> list[Key]:
        """Return the order of the elements of a list, and note which of them share a key."""
        for name, side in (("update", elements.update), ("local", elements.local)):
            for key in pairing.duplicates(side):
                self.notes.append(Note(DUPLICATE_KEYS, field.path, f"{name} has several elements `{key}`"))
        return pairing.inserted(elements.update, elements.local, kept)

    def _decide_map(self, field: MergedField, update: Mapping) -> Decision:
        directive = _directive(field.path, update)
        is_of_list = bool(field.path) and not isinstance(field.path[-1], str)
        # Below a collection that is replaced, local counts as absent: nothing is noted there.
        if field.local is None and not any(field.path[: len(above)] == above for above in self._anew):
            self._note_absent(field, directive)
        # An element that is only a directive is about the list (see `_decide_list`), and is deleted itself.
        if directive == _DELETE or (is_of_list and _is_alone(update)):
            return "gone"
        local = resolved(field.local)
        if isinstance(local, Mapping) and directive != _REPLACE:
            return "merge"
        return self._brought(field, "merge")

    def _note_absent(self, field: MergedField, directive: str | None) -> None:
        """Note that local lacks the object or map of the overlay: its name may be misspelt."""
        if directive == _DELETE:
            self.notes.append(Note(NOTHING_TO_DELETE, field.path, f"`{PATCH}: delete` finds nothing here"))
        elif not field.path:
            self.notes.append(Note(NOT_PLACED, (), "local has no such object: the overlay is added to it"))

    def _decide_list(self, field: MergedField, update: Sequence) -> Decision:
        stated = [_directive(field.path, element) for element in update.kids if _is_alone(element)]
        if _DELETE in stated:
            return "gone"
        local = resolved(field.local)
        sides = [side.kids for side in (update, local) if isinstance(side, Sequence)]
        elements = [[kid for kid in kids if not _is_alone(kid)] for kids in sides]
        rule = self._schema.list_rule(field.path, elements)
        # First, since in a list without keys the directive of an element would be written into local as data.
        _require_keys(field.path, update, rule)
        if rule.is_keyless and not stated:
            return "update"
        if isinstance(local, Sequence) and _REPLACE not in stated and not rule.is_keyless:
            return rule
        return self._brought(field, rule)

    def _brought(self, field: MergedField, decision: Decision) -> Decision:
        """Return the decision that takes update alone: as a whole, or by `decision` if it has nulls or directives."""
        if _is_whole(field.update):
            return "update"
        if field.local is None:
            return decision
        # `anew` walks through update alone, and deletes its nulls and directives. A graft would keep them as data.
        self._anew.append(field.path)
        return "anew"


def _refuse_operations(root: Node) -> None:
    """Raise Refused for a list of operations, the other kind of patch that kustomize knows."""
    are_operations = [trees.entries(kid).keys() >= {"op", "path"} for kid in list_elements(root)]
    if are_operations and all(are_operations):
        raise Refused(
            (),
            "this is a list of operations (JSON6902), and an overlay is an object: write the fields that change, or "
            "apply it with `kubectl patch --type json`",
        )


def _is_whole(node: Node | None) -> bool:
    """True if there is no null and no directive in `node`."""
    node = resolved(node)
    if isinstance(node, Mapping):
        return all(not key.startswith(DIRECTIVES) and _is_whole(value) for key, value in node.items())
    if isinstance(node, Sequence):
        return all(map(_is_whole, node.kids))
    return not scalars.is_null(node)


def _is_alone(element: Node) -> bool:
    """True if an element of a list is a directive and nothing else: then it is about the list."""
    return [*trees.entries(element)] == [PATCH]


def _directive(path: FieldPath, node: Node) -> str | None:
    """Return the value of `$patch` in a mapping. Refused if the value is unknown, or for another directive."""
    entries = trees.entries(node)
    for key in entries:
        if key.startswith(DIRECTIVES) and key != PATCH:
            raise Refused((*path, key), f"`{key}` is for an API server: an overlay can say `{PATCH}`")
    said = resolved(entries.get(PATCH))
    if said is None:
        return None
    if isinstance(said, Scalar) and said.value in _KNOWN:
        return said.value
    raise Refused((*path, PATCH), f"`{PATCH}` can be {', '.join(_KNOWN)}")


def _require_keys(path: FieldPath, update: Sequence, rule: ListRule) -> None:
    """Raise Refused if a directive is in an element that no key identifies."""
    for index, element in enumerate(update.kids):
        entries = trees.entries(element)
        if PATCH in entries and not _is_alone(element):
            missing = [key for key in rule.keys if key not in entries and key not in rule.defaults]
            if missing or not rule.keys:
                needed = f"the key `{missing[0]}`" if missing else "a list whose elements have a key"
                raise Refused((*path, index, PATCH), f"`{PATCH}` in an element needs {needed}")
