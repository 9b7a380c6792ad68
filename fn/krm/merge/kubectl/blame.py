"""The side that is the reason for a refusal: kubectl refuses data, and a user wants the file and the line of it."""

from __future__ import annotations

from krm import fieldpath
from krm.merge import trees
from krm.merge.kubectl import godata
from krm.merge.outcome import Refused
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import Schema
    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node


def located(reason: Refused, sides: Iterable[Tree], schema: Schema) -> Refused:
    """Return a refusal with the first of the sides that has something odd on the way to its place."""
    # What was refused may be the difference of two sides, or have been merged by then: so it is looked for again.
    odd = (side for side in sides if side.root is not None and _is_odd_on_the_way(side.root, reason.path, schema))
    return Refused(reason.path, str(reason), reason.tree or next(odd, None))


def _is_odd_on_the_way(root: Node, path: FieldPath, schema: Schema) -> bool:
    # Fields alone: what is said of a list is said of the place of each of its elements, too.
    ways = (path[: length + 1] for length, segment in enumerate(path) if isinstance(segment, str))
    return any(_is_odd(node, schema, way) for way in ways for _, node in fieldpath.find(root, way))


def _is_odd(node: Node, schema: Schema, path: FieldPath) -> bool:
    """Return True for what kubectl cannot read or not merge, such as a list with an element that is there twice."""
    found = resolved(node)
    if isinstance(found, Mapping) and not trees.is_plain(found):
        return True
    fact = schema.fact(path)
    if not fact.merges or scalars.is_null(found):
        return False
    key = fact.patch_key
    if not isinstance(found, Sequence):
        return bool(key)
    elements = [godata.data(kid) for kid in found.kids]
    known = [element.get(key) if isinstance(element, dict) else None for element in elements] if key else elements
    kinds, texts = {*map(type, elements)}, {(type(each), str(each)) for each in known}
    return None in known or list in kinds or len(kinds) > 1 or len(texts) < len(known)
