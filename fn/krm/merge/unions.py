"""Unions: fields of which only one may be set (docs/reference/merge.md, "Fields that exclude each other").

A merge key by key could set them all, which no API server takes. So if update and local have different ones, all are
taken from one side: from the side that changed them or, if both did, from the winner of the conflict.
"""

from __future__ import annotations

from krm.merge import trees
from krm.merge.trees import Triple
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, at, kid, list_elements, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import Schema
    from krm.merge.policy import Winner
    from krm.yamltree.nodes import Node

    Union: TypeAlias = "OneOf | ByType"


class Ruling:
    """The `keys` of a mapping that are taken from one `side`, also if that side lacks them.

    It is the side that changed them: `updated` by update, `edited` by local. If both did, `side` is None: the keys are
    a conflict of the field at `path`, and are taken from its winner. If that field is outside of the mapping, the
    conflict is noted there.
    """

    def __init__(self, keys: frozenset[str], path: FieldPath, *, updated: bool, edited: bool) -> None:
        self.keys = keys
        self.path = path
        self.side: Winner | None = (None if edited else "update") if updated else "local"


class OneOf:
    """Keys that exclude each other: those in `only` or, if that is empty, all keys but those in `but`."""

    def __init__(self, *only: str, but: tuple[str, ...] = ()) -> None:
        self.only = only
        self.but = but

    def ruling(self, path: FieldPath, sides: Triple) -> Ruling | None:
        """Return from which side the keys are taken, None if the keys of update and local do not exclude each other."""
        update, local = self._members(sides.update), self._members(sides.local)
        # If one side has all keys of the other, and more, these are additions or deletions, for the base rule.
        if not (update - local and local - update):
            return None
        keys = update | local | self._members(sides.origin)
        updated, edited = _changed(sides, sides.update, keys), _changed(sides, sides.local, keys)
        return Ruling(keys, path, updated=updated, edited=edited)

    def _members(self, side: Node | None) -> frozenset[str]:
        keys = (key for key, value in trees.entries(side).items() if not scalars.is_null(value))
        return frozenset(key for key in keys if (key in self.only if self.only else key not in self.but))


class ByType:
    """Keys that only some values of `type` allow. A mapping without a type has the `default` one."""

    def __init__(self, default: str, **allowed: tuple[str, ...]) -> None:
        self.default = default
        self.allowed = allowed

    def ruling(self, path: FieldPath, sides: Triple) -> Ruling | None:
        """Return from which side the type and its keys are taken, None if no key is allowed by only one type."""
        keys = self.contested(sides)
        return self.of_one_side(keys, path, sides) if keys else None

    def of_one_side(self, keys: frozenset[str], path: FieldPath, sides: Triple) -> Ruling:
        """Return from which side the type is taken, with its `keys`.

        A key that only local has is no change of local's: API servers add the keys that belong to a type.
        """
        known = {key for key in keys if kid(sides.origin, key) is not None}
        updated = _changed(sides, sides.update, keys | {"type"})
        edited = _changed(sides, sides.local, known | {"type"})
        is_of_types = all(_changed(sides, side, {"type"}) for side in (sides.update, sides.local))
        at = (*path, "type") if is_of_types else path
        return Ruling(keys | {"type"}, at, updated=updated, edited=edited)

    def _type(self, side: Node | None) -> str:
        """Return the type of a mapping, the default one if it has none."""
        value = at(side, "type")
        return value.value if isinstance(value, Scalar) and not scalars.is_null(value) else self.default

    def contested(self, sides: Triple) -> frozenset[str]:
        """Return the keys of update or local that only one of the two types allows."""
        there = {key for side in (sides.update, sides.local) for key in self.allowed if kid(side, key) is not None}
        return frozenset(key for key in there if self.is_contested(self.allowed[key], sides))

    def is_contested(self, allowed: tuple[str, ...], sides: Triple) -> bool:
        """True if one of the two types is among those `allowed`, and the other is not."""
        return (self._type(sides.update) in allowed) != (self._type(sides.local) in allowed)


_HANDLERS = OneOf("exec", "grpc", "httpGet", "sleep", "tcpSocket")

# The paths begin at the pod spec. `containers` stands for all three lists of containers.
_OF_PODS: dict[str, OneOf] = {
    "volumes[]": OneOf(but=("name",)),
    "resourceClaims[]": OneOf(but=("name",)),
    "containers[].env[]": OneOf("value", "valueFrom"),
    "containers[].env[].valueFrom": OneOf(),
    "containers[].volumeMounts[]": OneOf("subPath", "subPathExpr"),
    "containers[].livenessProbe": _HANDLERS,
    "containers[].readinessProbe": _HANDLERS,
    "containers[].startupProbe": _HANDLERS,
    "containers[].lifecycle.postStart": _HANDLERS,
    "containers[].lifecycle.preStop": _HANDLERS,
}
_ROLLING = ByType("RollingUpdate", rollingUpdate=("RollingUpdate",))
_WITH_NODE_PORTS = ("NodePort", "LoadBalancer")
_SERVICE = ByType(
    "ClusterIP",
    allocateLoadBalancerNodePorts=("LoadBalancer",),
    clusterIP=("ClusterIP", *_WITH_NODE_PORTS),
    clusterIPs=("ClusterIP", *_WITH_NODE_PORTS),
    externalName=("ExternalName",),
    externalTrafficPolicy=_WITH_NODE_PORTS,
    healthCheckNodePort=("LoadBalancer",),
    loadBalancerClass=("LoadBalancer",),
)
_OF_KINDS: dict[tuple[str, str], dict[str, Union]] = {
    ("", "Service"): {"spec": _SERVICE},
    ("apps", "DaemonSet"): {"spec.updateStrategy": _ROLLING},
    ("apps", "Deployment"): {"spec.strategy": _ROLLING},
    ("apps", "StatefulSet"): {"spec.updateStrategy": _ROLLING},
    ("policy", "PodDisruptionBudget"): {"spec": OneOf("maxUnavailable", "minAvailable")},
}
_LAST_STEPS = frozenset(shape.rpartition(".")[2] for shape in _OF_PODS)
_CONTAINERS = {"initContainers": "containers", "ephemeralContainers": "containers"}


class Unions:
    """The unions in the mappings of one resource, given its schema and its three trees."""

    def __init__(self, schema: Schema, origin: Node | None, update: Node | None, local: Node | None) -> None:
        self._schema = schema
        self._by_path = _OF_KINDS.get((schema.group, schema.kind), {})
        self._node_ports = _node_ports(origin, update, local) if self._by_path.get("spec") is _SERVICE else None
        ports = [*_ports(update), *_ports(local)] if self._node_ports else ()
        self._reached = frozenset(map(id, ports))

    def reaches(self, *sides: Node | None) -> bool:
        """True if one of these nodes cannot be taken as a whole: a port of a Service whose type differs."""
        return bool(self._reached) and not self._reached.isdisjoint(map(id, sides))

    def reaches_below(self, path: FieldPath) -> bool:
        """True if `reaches` may be true for an entry of the collection at `path`."""
        return bool(self._reached) and path in (("spec",), ("spec", "ports"))

    def ruling(self, path: FieldPath, sides: Triple) -> Ruling | None:
        """Return which keys of the mappings at `path` are taken from one side, None if each is merged by itself.

        A mapping that only one side has is no union. A port is: the type of the other side may forbid its `nodePort`.
        """
        shape = _shape(path)
        # Ahead of the next test, because a port may be on one side alone.
        if shape == "spec.ports[]" and self._node_ports:
            return self._node_ports
        if sides.update is None or sides.local is None:
            return None
        union = self._by_path.get(shape)
        # The last step and the keys are compared first: to find the pod spec above a mapping takes long.
        if union is None and shape.rpartition(".")[2] in _LAST_STEPS:
            update, local = map(trees.entries, (sides.update, sides.local))
            below = self._schema.below_pod_spec(path) if update.keys() != local.keys() else None
            union = None if below is None else _OF_PODS.get(_shape(below))
        return None if union is None else union.ruling(path, sides)


def _node_ports(*roots: Node | None) -> Ruling | None:
    """Return from which side the `nodePort`s of a Service are taken, None if both types allow them, or none does."""
    origin, update, local = (at(root, "spec") for root in roots)
    if not (isinstance(update, Mapping) and isinstance(local, Mapping)):
        return None
    sides = Triple(origin, update, local)
    if not _SERVICE.is_contested(_WITH_NODE_PORTS, sides):
        return None
    found = _SERVICE.of_one_side(_SERVICE.contested(sides), ("spec",), sides)
    found.keys = frozenset(("nodePort",))
    return found


def _changed(sides: Triple, side: Node | None, keys: Collection[str]) -> bool:
    """True if a side differs from origin under one of `keys`."""
    return any(trees.frozen(kid(side, key)) != trees.frozen(kid(sides.origin, key)) for key in keys)


def _ports(root: Node | None) -> list[Node | None]:
    """Return the list of the ports of a Service, and each port in it."""
    ports = kid(at(root, "spec"), "ports")
    return [ports, *list_elements(ports)] if isinstance(resolved(ports), Sequence) else []


def _shape(path: FieldPath) -> str:
    """Return a path with `[]` for any element, and `containers` for all three lists of these: `containers[].env[]`."""
    steps = ("." + _CONTAINERS.get(step, step) if isinstance(step, str) else "[]" for step in path)
    return "".join(steps).removeprefix(".")
