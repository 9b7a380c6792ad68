"""The ids by which kpt and kustomize find an item again in what a function returns.

They copy the comments of the item that they sent to the one that comes back, list elements by their position. Where
those have moved the comments would stand on the wrong elements, and where a node has changed its kind the run would
fail: such an item must not be found again, and loses nothing, for its text has all comments (decision 10).
"""

from __future__ import annotations

from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import Place
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value

KEYS = ("internal.config.kubernetes.io/id", "config.k8s.io/id")
"""The annotations that hold an id, in the present form and in the old one."""


def loses_place(lists: Node | None, place: Place) -> bool:
    """Say whether elements move up when what is at `place` of the list `lists` goes."""
    parent = resolved(lists)
    return isinstance(parent, Sequence) and place[-1] != len(parent.kids) - 1


def rearranges(node: Node | None, value: Value) -> bool:
    """Say whether `value` in the place of `node` moves elements of a list, or changes the kind of a node.

    A list may only lose elements at its end, or get some there. What is null has no kind.
    """
    node = resolved(node)
    if isinstance(node, Mapping) and isinstance(value, dict):
        return any(rearranges(node.get(key), of_key) for key, of_key in value.items())
    if isinstance(node, Sequence) and isinstance(value, list):
        return any(scalars.data(kid) != element for kid, element in zip(node.kids, value, strict=False))
    if isinstance(node, Scalar):
        return isinstance(value, dict | list) and scalars.typed(node) is not None
    return node is not None
