"""When nodes, values and targets say the same to a reader.

Two texts say the same if readers of YAML 1.1 and of 1.2 both take the same data from them. So a string in quotes is
one without them, and `on`, a string to one reader and true to the other, is neither `"on"` nor `true`.
"""

from __future__ import annotations

from krm.yamltree import scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.scalars import Verbatim
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Graft,
    Rewritten,
    elements_of,
    entries_of,
    without_place,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value
    from krm.yamltree.target import Plain, Target

_END = ("end",)


def has(node: Node | None, value: Value, text: str) -> bool:
    """True if `node` has `value`, of the same type to every reader; the order of keys does not matter."""
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
    # By repr, for in Python 1 == 1.0 == True, and these are three values to a reader.
    return repr(scalars.typed(node)) == repr(value)


def same(node: Node | None, other: Node | None) -> bool:
    """Return whether two trees are the same to a reader, anchors, aliases and the order of keys included."""
    return seen(node) == seen(other)


def same_data(one: Node | None, other: Node | None) -> bool:
    """True if two nodes, of any texts, are the same to every reader: aliases followed, in whatever style."""
    one, other = resolved(one), resolved(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        entries, others = dict(one.items()), dict(other.items())
        return entries.keys() == others.keys() and all(same_data(entries[key], others[key]) for key in entries)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.kids) == len(other.kids) and all(map(same_data, one.kids, other.kids))
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return False
    # Nearly always: what types a scalar is asked for the rest alone.
    if (one.tag, one.value, one.style == "") == (other.tag, other.value, other.style == ""):
        return True
    strings = scalars.string(one), scalars.string(other)
    # A string is the same in whatever style; a value that one reader takes for another type is compared as written.
    if strings != (None, None):
        return strings[0] == strings[1]
    return one.tag == other.tag and repr(scalars.typed(one)) == repr(scalars.typed(other))


def meaning(target: Target) -> object:
    """Return what a target says to every reader, to be compared with what another one says."""
    bare = without_place(target)
    if isinstance(bare, Graft):
        bare = bare.amended or bare.node
    if isinstance(bare, Alias):
        bare = bare.target or bare
    if isinstance(bare, Rewritten):
        return ("string", bare.value) if scalars.string(bare.node) is not None else (bare.node.tag, bare.value)
    if isinstance(bare, Mapping | AmendedMapping | dict):
        return _meaning_of_entries(bare)
    if isinstance(bare, Sequence | AmendedSequence | list):
        return "list", tuple(map(meaning, elements_of(bare)))
    return _meaning_of_scalar(bare)


def seen(root: Node | None) -> list[tuple[object, ...]]:
    """Return what a reader sees of the tree, in the order of the text."""
    found: list[tuple[object, ...]] = []
    _see(root, found)
    return found


def _has_entries(mapping: Mapping, value: dict[str, Value], text: str) -> bool:
    entries = dict(mapping.items())
    return (
        mapping.is_plain()
        and entries.keys() == value.keys()
        and all(has(entries[key], value[key], text) for key in value)
    )


def _meaning_of_entries(target: Mapping | AmendedMapping | dict[str, Any]) -> object:
    node = target.node if isinstance(target, AmendedMapping) else target
    if isinstance(node, Mapping) and not node.is_plain():
        return target  # what its keys say cannot be compared: it is like itself alone
    return "mapping", frozenset((key, meaning(one)) for key, one in entries_of(target).items())


def _meaning_of_scalar(target: Scalar | Alias | Plain) -> object:
    if isinstance(target, Verbatim):
        return "verbatim", str(target)
    if isinstance(target, Alias):
        return target  # its anchor is elsewhere: it is like itself alone
    if not isinstance(target, Scalar):
        return ("string", target) if isinstance(target, str) else ("plain", repr(target))
    text = scalars.string(target)
    if text is not None:
        return "string", text
    return (target.tag, target.value) if scalars.is_custom(target.tag) else ("plain", repr(scalars.typed(target)))


def _see(node: Node | None, seen: list[tuple[object, ...]]) -> None:
    if isinstance(node, Collection):
        seen.append((type(node), node.anchor, node.tag))
        for kid in node.kids:
            _see(kid, seen)
        seen.append(_END)
    elif isinstance(node, Alias):
        seen.append((Alias, node.name, node.target is None))
    elif node is not None:
        seen.append((node.value, node.style == "", node.anchor, node.tag))
