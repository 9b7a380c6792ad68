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
from krm.merge.replacing import Replacing
from krm.merge.trees import FieldSides, Triple, bookkeeping, has_bookkeeping
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, list_elements, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import ListRule, Schema
    from krm.merge.lists.pairing import Key
    from krm.merge.trees import Tree
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
    overlay = _Overlay(update, local, schema)
    try:
        _refuse_operations(update.root)
        target = overlay.target(update.root, local.root)
    except Refused as reason:
        raise Refused(reason.path, str(reason), update) from None
    return Merged(target, [], overlay.notes)


class _Overlay:
    """An overlay, to be put over local. The notes are about what it finds there."""

    def __init__(self, update: Tree, local: Tree, schema: Schema) -> None:
        self.notes: list[Note] = []
        self._is_new = local.root is None
        self._schema = schema
        self._replacing = Replacing(update, local)
        self._replaced: list[FieldPath] = []

    def target(self, update: Node, local: Node | None) -> Target:
        """Return the target in the place of local, None if nothing is left."""
        return self._replacing.placed(None, update, local, self._laid((), update, local))

    def _laid(self, path: FieldPath, update: Node, local: Node | None) -> Target:
        """Return the target of a field that the overlay has, None if the field is deleted."""
        sides, node = Triple(None, update, local), resolved(update)
        # Bookkeeping stays local's (docs/reference/merge.md, "What is data").
        if not self._is_new and has_bookkeeping(FieldSides(path, Policy(), sides)):
            if isinstance(node, Mapping) and _directive(path, node) in (_DELETE, _REPLACE):
                raise Refused((*path, PATCH), _OF_TOOLS)
            return self._entries(path, sides)
        if scalars.is_null(node):
            return None
        if isinstance(node, Mapping) and node.is_plain():
            return self._mapping(path, node, sides)
        if isinstance(node, Sequence):
            return self._list(path, node, sides)
        return self._replacing.replaced(update, update, local)

    def _mapping(self, path: FieldPath, update: Mapping, sides: Triple) -> Target:
        directive = _directive(path, update)
        # Below a collection that is replaced, local counts as absent: nothing is noted there.
        if sides.local is None and not any(path[: len(above)] == above for above in self._replaced):
            if directive == _DELETE:
                self.notes.append(Note(NOTHING_TO_DELETE, path, f"`{PATCH}: delete` finds nothing here"))
            elif not path:  # its name may be misspelt
                self.notes.append(Note(NOT_PLACED, (), "local has no such object: the overlay is added to it"))
        if directive == _DELETE:
            return None
        is_merged = isinstance(resolved(sides.local), Mapping) and directive != _REPLACE
        return self._entries(path, sides) if is_merged or sides.local is None else self._brought(path, sides)

    def _list(self, path: FieldPath, update: Sequence, sides: Triple) -> Target:
        stated = [_directive(path, element) for element in update.kids if _is_alone(element)]
        if _DELETE in stated:
            return None
        local = resolved(sides.local)
        both = [side.kids for side in (update, local) if isinstance(side, Sequence)]
        rule = self._schema.list_rule(path, [[kid for kid in kids if not _is_alone(kid)] for kids in both])
        # First, since in a list without keys the directive of an element would be written into local as data.
        _require_keys(path, update, rule)
        if rule.is_keyless and not stated:
            return self._replacing.replaced(sides.update, sides.update, sides.local)
        is_merged = isinstance(local, Sequence) and _REPLACE not in stated and not rule.is_keyless
        return self._elements(path, sides, rule) if is_merged or local is None else self._brought(path, sides)

    def _brought(self, path: FieldPath, sides: Triple) -> Target:
        """Return the target that takes update alone, without its nulls and directives."""
        self._replaced.append(path)
        kept = self._laid(path, sides.update, None)  # type: ignore[arg-type]  # it is there
        # Without any of these, the nodes of local stay that are equal.
        return self._replacing.replaced(sides.update, sides.update, sides.local) if kept is sides.update else kept

    def _entries(self, path: FieldPath, sides: Triple) -> Target:
        """Return the target of a mapping, entry by entry. A directive is no data."""
        _, update, local = map(trees.entries, sides)
        own = {} if self._is_new else bookkeeping(FieldSides(path, Policy(), sides))
        kept: dict[str, Target] = {**local}
        for key in update:
            if key not in own:
                kept[key] = None if key == PATCH else self._part((*path, key), sides, update[key], local.get(key))
        return self._replacing.mapping(sides, kept)

    def _elements(self, path: FieldPath, sides: Triple, rule: ListRule) -> Target:
        """Return the target of a list, element by element. Note which of them share a key."""
        found = pairing.Elements(rule, map(list_elements, sides))
        segments = pairing.segments(rule, pairing.indexes(found.local, found.update))
        kept: dict[Key, Target] = {**found.local}
        for key, element in found.update.items():
            kept[key] = self._part((*path, segments[key]), sides, element, found.local.get(key))
        for name, side in (("update", found.update), ("local", found.local)) if found.local else ():
            for text in pairing.duplicates(side):
                self.notes.append(Note(DUPLICATE_KEYS, path, f"{name} has several elements `{text}`"))
        keys = pairing.inserted(found.update, found.local, [key for key in kept if kept[key] is not None])
        return self._replacing.sequence(sides, [kept[key] for key in keys])

    def _part(self, path: FieldPath, parent: Triple, update: Node, local: Node | None) -> Target:
        kept = self._laid(path, update, local)
        return kept if parent.local is None else self._replacing.placed(parent.update, update, local, kept)


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
