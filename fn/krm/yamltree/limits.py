"""How much a hostile text may ask for before it is refused: docs/lossless-yaml.md, "Parts that are read alone"."""

from __future__ import annotations

from krm.yamltree.nodes import Alias, Collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node

MAX_DEPTH = 200
"""Levels of nesting that are read: more than any real document has, and within Python's own recursion limit where a
walk takes four calls for each."""

MAX_EXPANSION = 10_000
"""Nodes that the aliases of a document may stand for, each read as a copy of what it names."""

_MANY_BRACKETS = 2_000


def may_be_deep(text: str) -> bool:
    """True if libyaml, which takes time quadratic in the depth of brackets, might take long over `text`.

    Closing brackets are not subtracted: those inside of strings would hide how deep the others go.
    """
    return text.count("[") + text.count("{") > _MANY_BRACKETS


def expands_too_far(root: Node | None) -> bool:
    """True if the aliases below `root` stand for more than MAX_EXPANSION nodes ("billion laughs")."""
    return root is not None and _aliased(root, {}) > MAX_EXPANSION


def _aliased(node: Node, sizes: dict[int, int]) -> int:
    """Return how many nodes stand behind the aliases below `node`; `sizes` remembers what each collection holds."""
    if isinstance(node, Alias):
        return 0 if node.target is None else _size(node.target, sizes)
    return sum(_aliased(kid, sizes) for kid in node.kids) if isinstance(node, Collection) else 0


def _size(node: Node, sizes: dict[int, int]) -> int:
    """Return how many nodes `node` is with its aliases followed."""
    if isinstance(node, Alias):
        return 1 if node.target is None else _size(node.target, sizes)
    if not isinstance(node, Collection):
        return 1
    if id(node) not in sizes:
        sizes[id(node)] = 1 + sum(_size(kid, sizes) for kid in node.kids)
    return sizes[id(node)]
