"""What holds of merges of many kinds: each field comes out as a model says that knows nothing but its shape.

A shape says how a field merges: in parts, by a key, as a set or, of lists, whole. The model merges plain data by it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from krm.merge.kinds.schema import Schema
from krm.merge.policy import Policy
from tests.krm.merge.sides import data, declared, merged, places

ABSENT = object()
TEXTS = st.sampled_from(["a", "b", "c"])


class Parts(NamedTuple):
    """A mapping that merges entry by entry; all others keep the shape `of` theirs."""

    of: dict[str, Any]


class Listed(NamedTuple):
    """A list: with `keys` its elements are mappings that these tell apart, else it is a set."""

    keys: dict[str, st.SearchStrategy[Any]]
    fields: tuple[str, ...] = ()


DEFINED = declared("""\
byId: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id, zone]}
tags: {x-kubernetes-list-type: set}
ref: {x-kubernetes-map-type: atomic}
""")
PORTS = {"port": st.sampled_from([80, 81, 53]), "protocol": st.sampled_from(["TCP", "UDP"])}
NAMES = {"name": st.sampled_from("pqrs")}
STRINGS = Parts(dict.fromkeys("xyz"))
SHAPES: list[tuple[Schema, Parts]] = [
    (Schema("", "v1", "ConfigMap"), Parts({"data": STRINGS})),
    (Schema("", "v1", "Service"), Parts({"spec": Parts({"selector": STRINGS, "ports": Listed(PORTS, ("name",))})})),
    (
        Schema("rbac.authorization.k8s.io", "v1", "RoleBinding"),
        Parts({"metadata": Parts({"labels": STRINGS, "finalizers": Listed({})}), "roleRef": STRINGS}),
    ),
    (
        Schema("example.com", "v1", "Widget", definitions=DEFINED),
        Parts(
            {
                "byId": Listed({"id": st.sampled_from("pq"), "zone": st.sampled_from("rs")}, ("v", "w")),
                "tags": Listed({}),
                "ref": STRINGS,
            }
        ),
    ),
    (Schema("example.com", "v1", "Gadget"), Parts({"items": Listed(NAMES, ("v", "w")), "more": STRINGS})),
]


def drawn(shape: Any) -> st.SearchStrategy[Any]:
    if isinstance(shape, Parts):
        nested = {key: drawn(of) for key, of in shape.of.items() if of is not None}
        return st.fixed_dictionaries(nested, optional={key: TEXTS for key, of in shape.of.items() if of is None})
    if not shape.keys:
        return st.lists(TEXTS, min_size=1, max_size=3, unique=True)
    element = st.fixed_dictionaries(shape.keys, optional=dict.fromkeys(shape.fields, TEXTS))
    return st.lists(element, min_size=1, max_size=3, unique_by=lambda each: known_by(shape, each))


def known_by(shape: Listed, element: Any) -> Any:
    return tuple(element[key] for key in shape.keys) if shape.keys else element


def keyed(shape: Listed, elements: Any) -> dict[Any, Any]:
    return {known_by(shape, element): element for element in elements}


class Model:
    """A merge of plain data: `conflicts` counts what both sides changed, differently."""

    def __init__(self, *, takes_update: bool) -> None:
        self.conflicts = 0
        self.takes_update = takes_update

    def of(self, shape: Any, origin: Any, update: Any, local: Any) -> Any:
        if update in (origin, local):
            return local
        if origin == local:
            return update
        is_there = ABSENT not in (origin, update, local)
        if is_there and isinstance(shape, Parts):
            return self._entries(shape.of, origin, update, local)
        if is_there and isinstance(shape, Listed):
            sides = [keyed(shape, side) for side in (origin, update, local)]
            below = dict.fromkeys(sides[0] | sides[1] | sides[2], Parts(dict.fromkeys((*shape.keys, *shape.fields))))
            return [*self._entries(below, *sides).values()]
        if shape is not None and origin is ABSENT and isinstance(shape, Parts):
            return self._entries(shape.of, {}, update, local)
        self.conflicts += 1
        return update if self.takes_update else local

    def _entries(self, shapes: dict[Any, Any], *sides: dict[Any, Any]) -> dict[Any, Any]:
        merged = {key: self.of(of, *(side.get(key, ABSENT) for side in sides)) for key, of in shapes.items()}
        return {key: value for key, value in merged.items() if value is not ABSENT}


def in_order(shape: Any, value: Any) -> Any:
    """Return a value in which lists that merge by element are sorted: their order is another subject."""
    if isinstance(shape, Parts):
        return {key: in_order(shape.of[key], of) for key, of in value.items()}
    if isinstance(shape, Listed):
        return sorted(value, key=lambda element: str(sorted(element.items()) if shape.keys else element))
    return value


def is_renamed(shape: Any, origin: Any, update: Any, local: Any) -> bool:
    """Return True if a side may have given an element another key: those are one (lists/test_renames.py)."""
    if isinstance(shape, Parts):
        return any(is_renamed(of, origin.get(key), update.get(key), local.get(key)) for key, of in shape.of.items())
    if not isinstance(shape, Listed):
        return False
    before, *sides = (keyed(shape, side) for side in (origin, update, local))
    are_gone = any(key not in sides[0] and key not in sides[1] for key in before)
    return are_gone or any(has_successor(shape, before, side) for side in sides)


def has_successor(shape: Listed, before: dict[Any, Any], side: dict[Any, Any]) -> bool:
    """Return True if a new element of a side has a field of one that is gone there."""
    gone, new = ([one[key] for key in one.keys() - other.keys()] for one, other in ((before, side), (side, before)))
    return any(one.get(name, 0) == other.get(name, 1) for name in shape.fields for one in gone for other in new)


@given(st.data(), st.sampled_from(SHAPES), st.booleans())
def test_each_field_comes_out_as_its_shape_says(draw: Any, kind: tuple[Schema, Parts], takes_update: bool) -> None:  # noqa: FBT001
    schema, shape = kind
    sides = [draw.draw(drawn(shape)) for _ in range(3)]
    assume(not is_renamed(shape, *sides))
    model = Model(takes_update=takes_update)
    expected = model.of(shape, *sides)
    policy = Policy("TakeUpdate" if takes_update else "KeepLocal")
    result = merged(*(yaml.safe_dump(side, sort_keys=False) for side in sides), schema=schema, policy=policy)
    assert in_order(shape, data(result.target)) == in_order(shape, expected)
    assert len(places(result)) == model.conflicts
