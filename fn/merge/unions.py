"""Fields that exclude each other: setting one side of them clears the other (spec/merge.md, 4.18 and 4.27).

Merged key by key they could all be there in the end, which no API server takes. So where update and local hold
different ones, all come from one side: from the one that changed them or, where both did, from the one that wins.
"""

from __future__ import annotations

from fn.merge import trees
from fn.yamltree.nodes import Mapping, Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TypeAlias

    from fn.krm.fieldpath import FieldPath
    from fn.merge.schema import Schema
    from fn.yamltree.nodes import Node

    Roots: TypeAlias = tuple[Node | None, Node | None, Node | None]
    Union: TypeAlias = "OneOf | ByType | NodePort"

UPDATE = "update"
LOCAL = "local"


class Ruling:
    """The `keys` of a mapping that come from one `side`, as they are or are not there.

    A `side` of None is a conflict of the field at `path`: they come from the side that wins there. Where that field is
    not in the mapping, it is a conflict of its own, told there.
    """

    __slots__ = ("keys", "path", "side")

    def __init__(self, keys: frozenset[str], side: str | None, path: FieldPath) -> None:
        self.keys = keys
        self.side = side
        self.path = path


class Sides:
    """One mapping as the three trees have it, None where origin lacks it; `roots` are those of the trees."""

    __slots__ = ("local", "origin", "path", "roots", "update")

    def __init__(self, path: FieldPath, roots: Roots, origin: Mapping | None, update: Mapping, local: Mapping) -> None:
        self.path = path
        self.roots = roots
        self.origin = origin
        self.update = update
        self.local = local

    def ruling(self, keys: frozenset[str], path: FieldPath, *, updated: bool, edited: bool) -> Ruling:
        """Return that `keys` come from the side that changed them: `updated` by update, `edited` by local."""
        side = (None if edited else UPDATE) if updated else LOCAL
        return Ruling(keys, side, path)

    def changed(self, side: Mapping, keys: Collection[str]) -> bool:
        """Say whether a side has something else than origin under one of `keys`."""
        return any(trees.frozen(side.get(key)) != trees.frozen(_get(self.origin, key)) for key in keys)


class OneOf:
    """Keys of which there is one at a time: `only` these where any are named, all `but` those otherwise."""

    __slots__ = ("but", "only")

    def __init__(self, *only: str, but: tuple[str, ...] = ()) -> None:
        self.only = only
        self.but = but

    def ruling(self, sides: Sides) -> Ruling | None:
        """Return where the keys come from, None where update and local do not exclude each other."""
        update, local = self._members(sides.update), self._members(sides.local)
        if not (update - local and local - update):
            return None
        keys = update | local | self._members(sides.origin)
        updated, edited = sides.changed(sides.update, keys), sides.changed(sides.local, keys)
        return sides.ruling(keys, sides.path, updated=updated, edited=edited)

    def _members(self, mapping: Mapping | None) -> frozenset[str]:
        keys = () if mapping is None else (key for key, value in mapping.items() if not trees.is_null(value))
        return frozenset(key for key in keys if (key in self.only if self.only else key not in self.but))


class ByType:
    """Keys that only some values of `type` allow; where there is no type it is the `default`."""

    __slots__ = ("allowed", "default")

    def __init__(self, default: str, **allowed: tuple[str, ...]) -> None:
        self.default = default
        self.allowed = allowed

    def ruling(self, sides: Sides) -> Ruling | None:
        """Return where the type and its keys come from, None where the type makes no difference to them.

        A key that local alone has is no change of local's: API servers fill in what goes with a type.
        """
        keys = self._contested(sides)
        if not keys:
            return None
        known = {key for key in keys if _get(sides.origin, key) is not None}
        updated, edited = sides.changed(sides.update, keys | {"type"}), sides.changed(sides.local, known | {"type"})
        types_differ = self.type_of(sides.origin) not in (self.type_of(sides.update), self.type_of(sides.local))
        path = (*sides.path, "type") if types_differ else sides.path
        return sides.ruling(keys | {"type"}, path, updated=updated, edited=edited)

    def type_of(self, mapping: Node | None) -> str:
        """Return the type that a mapping says or means."""
        value = _get(resolved(mapping), "type")
        return value.value if isinstance(value, Scalar) and not trees.is_null(value) else self.default

    def _contested(self, sides: Sides) -> frozenset[str]:
        """Return the keys that are there and that only one of the two types allows."""
        update, local = self.type_of(sides.update), self.type_of(sides.local)
        there = {key for side in (sides.update, sides.local) for key in self.allowed if side.get(key) is not None}
        return frozenset(key for key in there if (update in self.allowed[key]) != (local in self.allowed[key]))


class NodePort:
    """The `nodePort` of a port, which only some types of the Service allow: that of another mapping."""

    __slots__ = ()

    def ruling(self, sides: Sides) -> Ruling | None:
        """Return where it comes from, None where the types of update and local make no difference to it."""
        origin, update, local = (_SERVICE.type_of(_get(resolved(root), "spec")) for root in sides.roots)
        if (update in _WITH_NODE_PORTS) == (local in _WITH_NODE_PORTS):
            return None
        keys, path = frozenset(("nodePort",)), ("spec", "type")
        return sides.ruling(keys, path, updated=update != origin, edited=local != origin)


_HANDLERS = OneOf("exec", "grpc", "httpGet", "sleep", "tcpSocket")

# From the pod spec on; the three lists of containers have the same.
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
    ("", "Service"): {"spec": _SERVICE, "spec.ports[]": NodePort()},
    ("apps", "DaemonSet"): {"spec.updateStrategy": _ROLLING},
    ("apps", "Deployment"): {"spec.strategy": _ROLLING},
    ("apps", "StatefulSet"): {"spec.updateStrategy": _ROLLING},
    ("policy", "PodDisruptionBudget"): {"spec": OneOf("maxUnavailable", "minAvailable")},
}
_LAST_STEPS = frozenset(shape.rpartition(".")[2] for shape in _OF_PODS)
_CONTAINERS = {"initContainers": "containers", "ephemeralContainers": "containers"}


class Unions:
    """What excludes each other in the mappings of one resource, given its schema and its three trees."""

    __slots__ = ("_by_path", "_roots", "_schema")

    def __init__(self, schema: Schema, origin: Node | None, update: Node | None, local: Node | None) -> None:
        self._schema = schema
        self._by_path = _OF_KINDS.get((schema.group, schema.kind), {})
        self._roots = origin, update, local

    def ruling(
        self, path: FieldPath, origin: Mapping | None, update: Mapping | None, local: Mapping | None
    ) -> Ruling | None:
        """Return which keys of the mapping at `path` come from one side; None where each is merged by itself."""
        if update is None or local is None:
            return None
        shape = _shape(path)
        union = self._by_path.get(shape)
        if union is None and shape.rpartition(".")[2] in _LAST_STEPS and _keys(update) != _keys(local):
            union = self._of_pod(path)
        return None if union is None else union.ruling(Sides(path, self._roots, origin, update, local))

    def _of_pod(self, path: FieldPath) -> Union | None:
        below = self._schema.below_pod_spec(path)
        return None if below is None else _OF_PODS.get(_shape(below))


def _shape(path: FieldPath) -> str:
    """Return a path without telling elements or the three kinds of containers apart: `containers[].env[]`."""
    steps = ("." + _CONTAINERS.get(step, step) if isinstance(step, str) else "[]" for step in path)
    return "".join(steps).removeprefix(".")


def _get(mapping: Node | None, key: str) -> Node | None:
    return mapping.get(key) if isinstance(mapping, Mapping) else None


def _keys(mapping: Mapping) -> set[str]:
    return {key for key, _ in mapping.items()}
