"""The directives of a patch, such as `$patch`: an overlay may have them, a side may not (docs/merge.md, "Overlays")."""

from __future__ import annotations

from krm import fieldpath
from krm.merge.outcome import Refused
from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import Place
    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node

PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
ORDER = "$setElementOrder/"
DELETE_FROM = "$deleteFromPrimitiveList/"
ALL = (PATCH, RETAIN_KEYS, ORDER, DELETE_FROM)


def refuse(tree: Tree) -> None:
    """Raise Refused where a key is a directive of a patch: a 3-way merge would write it as data."""
    if tree.root is None or "$" not in tree.text or not any(directive in tree.text for directive in ALL):
        return
    for place, key in _keys((), tree.root):
        if key.startswith(ALL) and place[:1] != (tree.elsewhere,):
            raise Refused(
                (*fieldpath.named(tree.root, place), key),
                f"`{key}` is a directive of a patch: a 3-way merge takes whole resources, and `merge2` takes patches",
                tree,
            )


def _keys(place: Place, node: Node | None) -> Iterator[tuple[Place, str]]:
    """Yield every key behind the place of its mapping."""
    node = resolved(node)
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield place, key
            yield from _keys((*place, key), value)
    elif isinstance(node, Sequence):
        for index, element in enumerate(node.kids):
            yield from _keys((*place, index), element)
