"""Proof that a change did what was asked and nothing else, from the trees before and after it.

However odd the text around a splice is, what is proven is right, and what cannot be proven is never written.
"""

from __future__ import annotations

from fn.yamltree import scalars
from fn.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from fn.yamltree.nodes import Node
    from fn.yamltree.style import Value

_END = ("end",)


def same_but(before: Node | None, gone: Iterable[Node], after: Node | None, added: Iterable[Node]) -> bool:
    """Say whether two trees are the same but for the nodes `gone` of the one and `added` of the other."""
    return _rest(before, gone) == _rest(after, added)


def same(node: Node | None, other: Node | None) -> bool:
    """Say whether two trees are the same to a reader."""
    return same_but(node, (), other, ())


def ends_with(added: list[Node], values: list[Value], text: str) -> bool:
    """Say whether the last nodes of `added` are `values`; before a value there may be its key."""
    last = added[len(added) - len(values) :]
    return len(last) == len(values) and all(map(has, last, values, [text] * len(values)))


def has(node: Node | None, value: Value, text: str) -> bool:
    """Say whether `node` has `value`, of the same type to every reader; the order of keys does not matter."""
    node = resolved(node)
    if isinstance(value, dict):
        return isinstance(node, Mapping) and _has_entries(node, value, text)
    if isinstance(value, list):
        return (
            isinstance(node, Sequence)
            and len(node.kids) == len(value)
            and all(has(kid, element, text) for kid, element in zip(node.kids, value, strict=True))
        )
    if not isinstance(node, Scalar):
        return False
    if isinstance(value, scalars.Verbatim):
        return text[node.start : node.end] == value
    if isinstance(value, str):
        return scalars.string(node) == value
    return repr(scalars.typed(node)) == repr(value)


def _has_entries(mapping: Mapping, value: dict[str, Value], text: str) -> bool:
    entries = dict(mapping.items())
    return (
        mapping.is_plain()
        and entries.keys() == value.keys()
        and all(has(entries[key], value[key], text) for key in value)
    )


def _rest(root: Node | None, without: Iterable[Node]) -> list[tuple[object, ...]]:
    """Return what a reader sees of the tree, in the order of the text."""
    seen: list[tuple[object, ...]] = []
    _see(root, {id(node) for node in without}, seen)
    return seen


def _see(node: Node | None, without: set[int], seen: list[tuple[object, ...]]) -> None:
    if node is None or id(node) in without:
        return
    if isinstance(node, Collection):
        seen.append((type(node), node.anchor, node.tag))
        for kid in node.kids:
            _see(kid, without, seen)
        seen.append(_END)
    elif isinstance(node, Alias):
        seen.append((Alias, node.name, node.target is None))
    else:
        seen.append((node.value, node.style == "", node.anchor, node.tag))
