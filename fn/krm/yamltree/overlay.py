"""A tree that shows other scalars at some places: a copy of the ways there, which shares all the rest with the tree."""

from __future__ import annotations

from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypeVar

    from krm.yamltree.nodes import Node, Place

    Scalars: TypeAlias = "dict[Place, Scalar]"
    C = TypeVar("C", Mapping, Sequence)


def overlaid(node: Node | None, scalars: Scalars) -> Node:
    """Return `node` with `scalars` at their places below it. Each place has to lead to something.

    What is shown there by an alias or `<<` is another scalar there alone. KeyError for a place that leads nowhere.
    """
    if () in scalars:
        return scalars[()]
    below: dict[str | int, Scalars] = {}
    for (step, *rest), scalar in scalars.items():
        below.setdefault(step, {})[tuple(rest)] = scalar
    node = resolved(node)
    if isinstance(node, Mapping):
        return _mapping(node, below)
    if isinstance(node, Sequence):
        return _sequence(node, below)
    raise KeyError(*below)


def _mapping(mapping: Mapping, below: dict[str | int, Scalars]) -> Mapping:
    copy = _copy(mapping)
    copy.entries = dict(mapping.entries)
    # One pass: a search for each of thousands of keys would take the square of their number.
    positions = {id(kid): number for number, kid in enumerate(mapping.kids)}
    for step, scalars in below.items():
        key = str(step)
        own = mapping.own(key)
        node = overlaid(mapping.get(key), scalars)
        copy.entries[key] = node
        # It is merged in by `<<`: an entry of its own shows here alone, and not where the anchor is.
        if own is None:
            copy.kids += Scalar(node.start, node.start, key, "", None, None), node
        else:
            copy.kids[positions[id(own)]] = node
    return copy


def _sequence(sequence: Sequence, below: dict[str | int, Scalars]) -> Sequence:
    copy = _copy(sequence)
    for step, scalars in below.items():
        copy.kids[int(step)] = overlaid(sequence.kids[int(step)], scalars)
    return copy


def _copy(collection: C) -> C:
    copy = type(collection)(
        collection.start, collection.first, collection.column, collection.flow, collection.anchor, collection.tag
    )
    copy.end = collection.end
    copy.kids = list(collection.kids)
    return copy
