"""What was generated and is no longer: whether it goes, or somebody has made it their own."""

from __future__ import annotations

from krm import fieldpath
from krm.generation import origins
from krm.generation.local import Local
from krm.merge import trees
from krm.results import INFO, WARNING
from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import Place
    from krm.generation.settings import Settings
    from krm.merge.trees import Tree
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Node

PRUNED = "Pruned"
KEPT_CHANGED = "KeptChanged"

# What other functions set in every object, a later one of the same pipeline say: it makes nobody its owner.
_NOT_COUNTED = frozenset(("metadata", key) for key in ("annotations", "labels", "name", "namespace"))
# Label setters reach the pod template and its selector too, and make what is not there.
_METADATA = "metadata"
_ADDED_TO = frozenset(("annotations", "labels", "matchLabels", "selector"))


def pruned(item: Resource, settings: Settings) -> Result:
    """Return what becomes of an item that is generated no longer: Pruned, or why it is not."""
    tracking = settings.tracking
    stays = f"it stays until you delete it, and is yours without the annotation `{tracking.generated_by}`"
    origin = origins.read(item, tracking) if tracking.has_origin(item) else None
    local = Local(item, settings.memory).tree
    if origin is None:
        message = f"this is no longer generated, and nothing tells what it was generated as: {stays}"
        return item.result(message, WARNING, KEPT_CHANGED)
    field = changed(origin.tree(local), local)
    if field is None:
        return item.result("this is no longer generated, and goes", INFO, PRUNED)
    result = item.result(f"this is no longer generated, but was changed here since: {stays}", WARNING, KEPT_CHANGED)
    result.field = field
    return result


def changed(origin: Tree, local: Tree) -> str | None:
    """Return the path of a field that is not as it was generated, None where nobody has changed anything."""
    found = next(_changed((), origin, origin.root, local, local.root), None)
    return None if found is None or local.root is None else fieldpath.printed(local.root, found)


def _changed(place: Place, origin: Tree, was: Node | None, local: Tree, now: Node | None) -> Iterator[Place]:
    """Yield the places of what was changed, removed or added."""
    key = place[-1] if place else ""
    is_added_to = key in _ADDED_TO
    if place in _NOT_COUNTED or (is_added_to and was is None):
        return
    before, after = resolved(was), resolved(now)
    is_mapping = isinstance(before, Mapping) or (before is None and key == _METADATA)
    if is_mapping and isinstance(after, Mapping):
        old, new = trees.entries(before), trees.entries(after)
        for key in old if is_added_to else old | new:
            yield from _changed((*place, key), origin, old.get(key), local, new.get(key))
    elif isinstance(before, Sequence) and isinstance(after, Sequence) and len(before.kids) == len(after.kids):
        for index, (old_kid, new_kid) in enumerate(zip(before.kids, after.kids, strict=True)):
            yield from _changed((*place, index), origin, old_kid, local, new_kid)
    elif not trees.same(origin, was, local, now):
        yield place
