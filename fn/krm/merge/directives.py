"""The directives of a patch, such as `$patch`: only an overlay may have them (docs/reference/merge.md, "Overlays")."""

from __future__ import annotations

from krm import fieldpath
from krm.merge.outcome import Refused
from krm.yamltree.nodes import Mapping, placed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.merge.trees import Tree

PATCH = "$patch"
RETAIN_KEYS = "$retainKeys"
ORDER = "$setElementOrder/"
DELETE_FROM = "$deleteFromPrimitiveList/"
ALL = (PATCH, RETAIN_KEYS, ORDER, DELETE_FROM)


def refuse(tree: Tree) -> None:
    """Raise Refused where a key is a directive of a patch: a 3-way merge would write it as data."""
    if tree.root is None or "$" not in tree.text or not any(directive in tree.text for directive in ALL):
        return
    for place, node in placed(tree.root, ()):
        for key, _ in node.items() if isinstance(node, Mapping) else ():
            if key.startswith(ALL):
                path = (*fieldpath.named(tree.root, place), key)
                message = "is a directive of a patch: a 3-way merge takes whole resources, and `merge2` takes patches"
                raise Refused(path, f"`{key}` {message}", tree)
