"""The 2-way merge: local with the changes of update, an overlay (docs/reference/merge.md, "Overlays").

A field that only local has stays. Null deletes a field. Lists merge as in a 3-way merge. `$patch` in a map, or in an
element of a list with keys, says what to do with it; as the only key of an element it says what to do with the list:

    delete     the map, element or list is deleted
    replace    it has the data of update alone
    merge      as without `$patch`
"""

from __future__ import annotations

from krm.merge import trees
from krm.merge.decider import Decider
from krm.merge.kubectl.strategic import DIRECTIVES, PATCH
from krm.merge.outcome import NOT_PLACED, NOTHING_TO_DELETE, Merged, Refused
from krm.merge.policy import Policy
from krm.merge.trees import FieldSides, Tree, Triple, bookkeeping, has_bookkeeping
from krm.merge.value_walk import ValueWalk
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, list_elements, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import ListRule, Schema
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

_DELETE, _REPLACE = "delete", "replace"
_KNOWN = (_DELETE, _REPLACE, "merge")
_OF_TOOLS = f"`{PATCH}` would take notes of orchestrators away, and these stay: write `null` for each key that is to go"


def merge2(update: Tree, local: Tree, schema: Schema) -> Merged:
    """Return the merge. Refused if update has a directive that is not for overlays, or whose value is unknown."""
    # An overlay without an object does not delete it: only `$patch: delete` does.
    if update.root is None:
        return Merged(local.root, [], [])
    decider = Decider(Tree("", None), update, local, schema, Policy(enforce=True))
    try:
        _refuse_operations(update.root)
        target = _Overlay(decider).target()
    except Refused as reason:
        raise Refused(reason.path, str(reason), update) from None
    return Merged(target, [], decider.notes)


class _Overlay(ValueWalk):
    """An overlay, to be put over local. What it has counts, and its nulls and directives are no data."""

    def __init__(self, decider: Decider) -> None:
        super().__init__(decider)
        self._is_new = decider.trees[-1].root is None

    def merged(self, field: FieldSides) -> Target:
        """Return the target of a field, None if it is deleted, or is a directive."""
        node = resolved(field.update)
        # Bookkeeping stays local's (docs/reference/merge.md, "What is data").
        if not self._is_new and has_bookkeeping(field):
            if isinstance(node, Mapping) and _directive(field.path, node) in (_DELETE, _REPLACE):
                raise Refused((*field.path, PATCH), _OF_TOOLS)
            return self.mapping(field, bookkeeping(field))
        if node is None:
            return field.local if field.origin is None else None
        if scalars.is_null(node) or field.path[-1:] == (PATCH,):
            return None
        if isinstance(node, Mapping) and node.is_plain():
            return self._laid(node, field)
        return self._list(node, field) if isinstance(node, Sequence) else self.of_side("update", field)

    def _laid(self, update: Mapping, field: FieldSides) -> Target:
        directive = _directive(field.path, update)
        if field.local is None:
            if directive == _DELETE:
                self.decider.note(NOTHING_TO_DELETE, field, f"`{PATCH}: delete` finds nothing here")
            elif not field.path:  # its name may be misspelt
                self.decider.note(NOT_PLACED, field, "local has no such object: the overlay is added to it")
        if directive == _DELETE:
            return None
        found = _sides(field, Mapping, is_replaced=directive == _REPLACE)
        return self.mapping(found, {} if self._is_new else bookkeeping(field))

    def _list(self, update: Sequence, field: FieldSides) -> Target:
        stated = [_directive(field.path, element) for element in update.kids if _is_alone(element)]
        if _DELETE in stated:
            return None
        both = (list_elements(side) for side in (update, field.local) if isinstance(resolved(side), Sequence))
        listed = [[kid for kid in kids if not _is_alone(kid)] for kids in both]
        rule = self.decider.schema.list_rule(field.path, listed)
        # First, since in a list without keys the directive of an element would be written into local as data.
        _require_keys(field.path, update, rule)
        if rule.is_keyless and not stated:
            return self.of_side("update", field)
        return self.sequence(rule, _sides(field, Sequence, is_replaced=_REPLACE in stated or rule.is_keyless))


def _sides(field: FieldSides, kind: type, *, is_replaced: bool) -> FieldSides:
    """Return the sides of a collection. A value of another kind is none. What `is_replaced` counts as origin, too."""
    local = field.local if isinstance(resolved(field.local), kind) else None
    origin = local if is_replaced or field.origin is not None else None
    return FieldSides(field.path, field.policy, Triple(origin, field.update, local))


def _refuse_operations(root: Node) -> None:
    """Raise Refused for a list of operations, the other kind of patch that kustomize knows."""
    are_operations = [trees.entries(kid).keys() >= {"op", "path"} for kid in list_elements(root)]
    if are_operations and all(are_operations):
        raise Refused(
            (),
            "this is a list of operations (JSON6902), and an overlay is an object: write the fields that change, or "
            "apply it with `kubectl patch --type json`",
        )


def _is_alone(element: Node) -> bool:
    """True if an element of a list is a directive and nothing else: it is about the list, and nothing is left of it."""
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
