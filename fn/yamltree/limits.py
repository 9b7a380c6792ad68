"""How much a hostile text may ask for before it is refused (spec/lossless.md, trap 14)."""

from __future__ import annotations

from fn.yamltree.nodes import Alias, Collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fn.yamltree.nodes import Node

MAX_DEPTH = 500
"""Levels of nesting that are read: deeper than any real document, and well within Python's own recursion limit."""

MAX_EXPANSION = 100_000
"""Nodes that aliases may stand for in a document, each read as a copy of what it names."""

_DEEP_BLOCKS = "- " * (MAX_DEPTH // 2), "? " * (MAX_DEPTH // 2)


def is_shallow(text: str) -> bool:
    """Say whether `text` is plainly nested at most MAX_DEPTH deep.

    Brackets are counted because libyaml takes time quadratic in their depth. Closing ones are not subtracted: those
    inside of strings would hide how deep the others go.
    """
    if text.count("[") + text.count("{") > MAX_DEPTH:
        return False
    return not any(deep in text for deep in _DEEP_BLOCKS)


def expands_too_far(root: Node | None) -> bool:
    """Say whether the aliases below `root` stand for more than MAX_EXPANSION nodes ("billion laughs")."""
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
