"""Proof that a change did what was asked and nothing else, from the trees before and after it.

However odd the text around a splice is, what is proven is right, and what cannot be proven is never written.
"""

from __future__ import annotations

from krm.yamltree import scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target

    Same: TypeAlias = Callable[[Node, Node | None], bool]

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


def amounts_to(node: Node | None, wanted: Target, text: str, stays: Same) -> bool:
    """Say whether `node`, of `text`, is what was wanted. `stays` compares a node that was to stay with one."""
    if isinstance(wanted, Graft):
        return amounts_to(node, wanted.amended or wanted.node, text, same_data)
    if isinstance(wanted, AmendedMapping | AmendedSequence):
        node = resolved(node)
        if stays is not same_data and (
            node is None or (node.anchor, node.tag) != (wanted.node.anchor, wanted.node.tag)
        ):
            return False
        if isinstance(wanted, AmendedMapping):
            return isinstance(node, Mapping) and _amounts_to_mapping(node, wanted, text, stays)
        return (
            isinstance(node, Sequence)
            and len(node.kids) == len(wanted.elements)
            and all(amounts_to(*pair, text, stays) for pair in zip(node.kids, wanted.elements, strict=True))
        )
    if isinstance(wanted, Scalar | Alias | Collection):
        return stays(wanted, node)
    return has(node, wanted, text)


def same_data(one: Node | None, other: Node | None) -> bool:
    """Say whether two nodes, of any texts, are the same to every reader: aliases followed, in whatever style."""
    one, other = resolved(one), resolved(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        entries, others = dict(one.items()), dict(other.items())
        return entries.keys() == others.keys() and all(same_data(entries[key], others[key]) for key in entries)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.kids) == len(other.kids) and all(map(same_data, one.kids, other.kids))
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return False
    if (one.tag, one.value, one.style == "") == (other.tag, other.value, other.style == ""):
        return True
    strings = scalars.string(one), scalars.string(other)
    if strings != (None, None):
        return strings[0] == strings[1]
    return one.tag == other.tag and repr(scalars.typed(one)) == repr(scalars.typed(other))


def stays_in(before: str, after: str, *, shares: bool) -> Same:
    """Return what says whether a node of one text is as it was in another: to the character, unless it `shares`."""

    def stays(node: Node, now: Node | None) -> bool:
        if shares or not isinstance(node, Collection) or not isinstance(now, Collection) or node.column != now.column:
            return _rest(node, ()) == _rest(now, ()) and all(map(same_data, _aliases(node), _aliases(now)))
        return type(node) is type(now) and before[node.start : node.end] == after[now.start : now.end]

    return stays


def _aliases(node: Node | None) -> Iterator[Alias]:
    if isinstance(node, Alias):
        yield node
    elif isinstance(node, Collection):
        for kid in node.kids:
            yield from _aliases(kid)


def _amounts_to_mapping(mapping: Mapping, wanted: AmendedMapping, text: str, stays: Same) -> bool:
    """Say whether a mapping has the entries that were wanted: where `<<` is one of them, all that it merges in too."""
    if not mapping.is_plain():
        return False
    entries: dict[str | None, Node] = dict(mapping.items())
    merge_key = mapping.merge_key()
    if merge_key is not None and "<<" in wanted.entries:
        merged = entries.keys() - wanted.entries.keys()
        entries = {key: entries[key] for key in entries if key not in merged or key in mapping.entries}
        entries["<<"] = merge_key
    return entries.keys() == wanted.entries.keys() and all(
        amounts_to(entries[key], of_key, text, stays) for key, of_key in wanted.entries.items()
    )


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
