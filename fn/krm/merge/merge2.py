"""The 2-way merge: update, an overlay, put over local (docs/reference/merge.md, "Overlays").

What only local has stays, null takes a field away, lists merge as in a 3-way merge. `$patch` says it otherwise:

    delete     of a map, in one element of a keyed list, or as an element alone: of the list
    replace    takes that of update and nothing of local's
    merge      is what happens without it
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
    """Return what becomes of local. Refused where a directive is none that an overlay may use, or says nothing."""
    # An overlay that lacks an object says nothing of it: only `$patch: delete` takes one away.
    if update.root is None:
        return Merged(local.root, [], [])
    decider = _Merge2(schema)
    try:
        _refuse_operations(update.root)
        wanted = Walk(decider, Tree("", None), update, local).wanted(Policy())
    except Refused as reason:
        raise Refused(reason.path, str(reason), update) from None
    return Merged(wanted, [], decider.notes)


class _Merge2:
    """The decider of a 2-way merge."""

    def __init__(self, schema: Schema) -> None:
        self.notes: list[Note] = []
        self._schema = schema
        self._anew: list[FieldPath] = []

    def stays_local(self, _policy: Policy, sides: Triple) -> bool:
        """Return True if update has nothing to put over local."""
        return sides.update is None

    def decide(self, field: MergedField) -> Decision:
        """Return what becomes of a field."""
        update = resolved(field.update)
        if scalars.is_null(update):
            return "gone"
        if isinstance(update, Mapping) and trees.is_plain(update):
            return self._decide_map(field, update)
        return self._decide_list(field, update) if isinstance(update, Sequence) else "update"

    def keys_of_one_side(self, field: MergedField) -> dict[str, Choice]:
        """Return that no directive is data."""
        return dict.fromkeys((key for key in trees.entries(field.update) if key == PATCH), "gone")

    def arranged(self, field: MergedField, elements: Elements, kept: dict[Key, Target]) -> list[Key]:
        """Return the order of the elements of a list, and tell which of them share a key."""
        for name, side in (("update", elements.update), ("local", elements.local)):
            for key in pairing.duplicates(side):
                self.notes.append(Note(DUPLICATE_KEYS, field.path, f"{name} has several elements `{key}`"))
        return pairing.inserted(elements.update, elements.local, kept)

    def _decide_map(self, field: MergedField, update: Mapping) -> Decision:
        directive = _directive(field.path, update)
        is_of_list = bool(field.path) and not isinstance(field.path[-1], str)
        # What local has is seen once: in what takes its place, nothing of it is there to be found.
        if field.local is None and not any(field.path[: len(above)] == above for above in self._anew):
            self._note_absent(field, directive)
        # A directive that stands alone in a list is about the list (see `_decide_list`): no element comes of it.
        if directive == _DELETE or (is_of_list and _is_alone(update)):
            return "gone"
        local = resolved(field.local)
        if isinstance(local, Mapping) and directive != _REPLACE:
            return "merge"
        return self._brought(field, "merge")

    def _note_absent(self, field: MergedField, directive: str | None) -> None:
        """Note what the overlay is about if local has not got it: a misspelt name looks like that."""
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
        # Ahead of any choice: in a list without keys an element's directive would be written into local as data.
        _require_keys(field.path, update, rule)
        if rule.is_keyless and not stated:
            return "update"
        if isinstance(local, Sequence) and _REPLACE not in stated and not rule.is_keyless:
            return rule
        return self._brought(field, rule)

    def _brought(self, field: MergedField, decision: Decision) -> Decision:
        """Return what brings update in without anything of local's: whole, or by `decision` where it says what goes."""
        if _is_whole(field.update):
            return "update"
        if field.local is None:
            return decision
        # `anew` walks update alone, so that its nulls and directives go: grafted whole, they would come in as data.
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
    """Return True if there is neither null nor directive in `node`."""
    node = resolved(node)
    if isinstance(node, Mapping):
        return all(not key.startswith(DIRECTIVES) and _is_whole(value) for key, value in node.items())
    if isinstance(node, Sequence):
        return all(map(_is_whole, node.kids))
    return not scalars.is_null(node)


def _is_alone(element: Node) -> bool:
    """Return True if an element of a list is a directive and nothing else: it is about the list."""
    return [*trees.entries(element)] == [PATCH]


def _directive(path: FieldPath, node: Node) -> str | None:
    """Return what `$patch` says in a mapping. Refused where that is not known, or another directive is there."""
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
    """Raise Refused where a directive is about an element that no key tells from the others."""
    for index, element in enumerate(update.kids):
        entries = trees.entries(element)
        if PATCH in entries and not _is_alone(element):
            missing = [key for key in rule.keys if key not in entries and key not in rule.defaults]
            if missing or not rule.keys:
                needed = f"the key `{missing[0]}`" if missing else "a list whose elements have a key"
                raise Refused((*path, index, PATCH), f"`{PATCH}` in an element needs {needed}")
