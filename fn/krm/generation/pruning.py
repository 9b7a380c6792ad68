"""Pruning: an item that is generated no longer goes, unless somebody has made it their own."""

from __future__ import annotations

from krm import fieldpath
from krm.generation import origin
from krm.generation.local import Local
from krm.generation.mirror import Mirroring
from krm.generation.settings import is_note
from krm.merge import trees
from krm.results import INFO, WARNING
from krm.yamltree import comments
from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Sequence as ListOf

    from krm.fieldpath import Place
    from krm.generation.settings import Settings
    from krm.generation.state import Entry
    from krm.merge.trees import Tree
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Collection, Node

PRUNED = "Pruned"
KEPT_CHANGED = "KeptChanged"

# What other functions set in every object, a later one of the same pipeline say: it makes nobody its owner.
_NOT_COUNTED = frozenset(("metadata", key) for key in ("annotations", "labels", "name", "namespace"))
_NAMES = (("metadata", "name"), ("metadata", "namespace"))
# Label setters reach the pod template and its selector too, and make what is not there.
_METADATA = "metadata"
_ADDED_TO = frozenset(("annotations", "labels", "matchLabels", "selector"))
# A comment is quoted to be found in git again: so many of them, and so many characters of each, are enough for that.
_COMMENTS, _LONGEST = 5, 60


def pruned(item: Resource, entry: Entry | None, settings: Settings) -> Result:
    """Return what becomes of an item that is generated no longer: Pruned, or why it is not."""
    stays = f"it stays until you delete it, and is yours without the annotation `{settings.tracking.generated_by}`"
    local = Local(item, settings.memory).tree
    if entry is None:
        message = f"this is no longer generated, and no state tells what was generated: {stays}"
        return item.result(message, WARNING, KEPT_CHANGED)
    was = origin.tree(entry, Mirroring(entry.identity).of(local.root), local)
    differences = list(_differences((), was, was.root, local, local.root))
    changed = next((place for place, before in differences if _is_counted(place, before)), None)
    if changed is None:
        added = [place for place, _ in differences if place not in _NAMES]
        return item.result(f"this is no longer generated, and is deleted{_lost(item, added)}", INFO, PRUNED)
    result = item.result(f"this is no longer generated, but was changed here since: {stays}", WARNING, KEPT_CHANGED)
    result.field = _printed(item, changed)
    return result


def _differences(
    place: Place, origin: Tree, was: Node | None, local: Tree, now: Node | None
) -> Iterator[tuple[Place, Node | None]]:
    """Yield the places of what was changed, removed or added, each with what origin has there."""
    key = place[-1] if place else ""
    before, after = resolved(was), resolved(now)
    is_mapping = isinstance(before, Mapping) or (before is None and key in (_METADATA, *_ADDED_TO))
    if is_mapping and isinstance(after, Mapping):
        old, new = trees.entries(before), trees.entries(after)
        for name in dict.fromkeys((*old, *new)):
            if place != trees.ANNOTATIONS or not is_note(name):
                yield from _differences((*place, name), origin, old.get(name), local, new.get(name))
    elif isinstance(before, Sequence) and isinstance(after, Sequence) and len(before.kids) == len(after.kids):
        for index, (old_kid, new_kid) in enumerate(zip(before.kids, after.kids, strict=True)):
            yield from _differences((*place, index), origin, old_kid, local, new_kid)
    elif not trees.same(origin, was, local, now):
        yield place, was


def _is_counted(place: Place, was: Node | None) -> bool:
    """True if a difference shows that somebody has made an item their own."""
    is_added = was is None and not _ADDED_TO.isdisjoint(place[-2:])
    return place[:2] not in _NOT_COUNTED and not is_added


def _lost(item: Resource, added: ListOf[Place]) -> str:
    """Return the end of the message about an item that goes: what of its author goes with it.

    Whose a comment is, the template's or the user's, nobody knows any more: the template is gone.
    """
    fields = ", ".join(f"`{_printed(item, place)}`" for place in added)
    # Comments stand in the text as it is written, and templates that are shown stand nowhere in it.
    item.show({})
    # kpt writes what stands above the first line behind the dash of the item, in a list of items.
    found = [] if item.root is None else list(_comments(item.editor.text, *item.editor.at(item.base)))
    lost = "; ".join(filter(None, (fields and f"deleted with it: {fields}", _named(found, item))))
    return lost and f"; {lost}"


def _named(found: ListOf[str], item: Resource) -> str:
    if not found:
        return ""
    # Whoever takes a value out of service for a while makes a comment of it.
    if item.kind == "Secret":
        return f"it had {len(found)} {'comment' if len(found) == 1 else 'comments'}, not shown as it is a Secret"
    quoted = ", ".join(f"`{one[:_LONGEST]}`" for one in found[:_COMMENTS])
    more = f" and {len(found) - _COMMENTS} more" if len(found) > _COMMENTS else ""
    return f"its comments were {quoted}{more}"


def _comments(text: str, parent: Collection | None, node: Node) -> Iterator[str]:
    """Yield the comments of a node and of what is below it, in their order."""
    own = comments.of(text, parent, node)
    yield from filter(None, (*own.apart, *own.above))
    yield from filter(None, (own.behind, *own.inside))
    if isinstance(node, Mapping | Sequence):
        for kid in node.kids[1::2] if isinstance(node, Mapping) else node.kids:
            yield from _comments(text, node, kid)
    yield from filter(None, own.below)


def _printed(item: Resource, place: Place) -> str:
    return fieldpath.to_text(place) if item.root is None else fieldpath.printed(item.root, place)
