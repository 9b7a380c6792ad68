"""Random triples of origin, update and local for `kubectl apply`: one seed, the same triples.

The three are variations of one object, from small pools, so that they meet often: in the same value, in the key of a
list, in what is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from tests.krm.merge.kubectl import Triple

if TYPE_CHECKING:
    from random import Random

KEPT = 0.7  # how often a variation keeps a value
SOME = 0.5  # how often an optional field is there
NULL = 0.02  # how often a field of what is applied is an explicit null


class OneOf(NamedTuple):
    """A value of these, whole."""

    values: tuple[Any, ...]


class Fields(NamedTuple):
    """A map of these fields, each there or not; `always` there are those, and with just that value `fixed`."""

    fields: dict[str, Any]
    fixed: dict[str, Any] = {}  # noqa: RUF012 - no field of a class, and nobody writes to it
    always: dict[str, Any] = {}  # noqa: RUF012 - as above


class Elements(NamedTuple):
    """A list in which `key` identifies an element."""

    key: str
    keys: tuple[Any, ...]
    element: Fields


class Members(NamedTuple):
    """A set of strings, as a list."""

    values: tuple[str, ...]


Shape = OneOf | Fields | Elements | Members


class Drawing:
    """Draws values of shapes, or variations of what is given.

    `nulls` is how often a field is an explicit null, `twins` how often an element has another with its key.
    """

    def __init__(self, rng: Random, nulls: float = 0, twins: float = 0) -> None:
        self.rng = rng
        self.nulls = nulls
        self.twins = twins

    def _happens(self, probability: float) -> bool:
        return self.rng.random() < probability

    def of(self, shape: Shape, base: Any = None) -> Any:
        if isinstance(shape, Fields):
            return self._fields(shape, base)
        if isinstance(shape, Elements):
            return self._elements(shape, base)
        if isinstance(shape, Members):
            return self._members(shape.values, base)
        return base if base is not None and self._happens(KEPT) else self.rng.choice(shape.values)

    def _fields(self, shape: Fields, base: dict | None) -> dict:
        found = {**shape.fixed, **{name: self.of(of, (base or {}).get(name)) for name, of in shape.always.items()}}
        for name, of in shape.fields.items():
            before = (base or {}).get(name)
            keeps = base is not None and self._happens(KEPT)
            if self._happens(self.nulls):
                found[name] = None
            elif before is not None if keeps else self._happens(SOME):
                found[name] = self.of(of, before if keeps else None)
        return found

    def _elements(self, shape: Elements, base: list[dict] | None) -> list[dict]:
        before = {element[shape.key]: element for element in base or ()}
        keys = self._members(shape.keys, None if base is None else [*before])
        return [{shape.key: key, **self.of(shape.element, before.get(key))} for key in keys]

    def _twinned(self, values: list) -> list:
        found = [*values]
        for value in values if self.twins else ():
            if self._happens(self.twins):
                found.insert(self.rng.randrange(len(found) + 1), value)
        return found

    def _members(self, values: tuple, base: list | None) -> list:
        if base is None:
            return self._twinned(self.rng.sample(values, self.rng.randrange(len(values))))
        found = [value for value in base if self._happens(KEPT)]
        for value in self.rng.sample(values, self.rng.randrange(3)):
            if value not in found:
                found.insert(self.rng.randrange(len(found) + 1), value)
        if not self._happens(KEPT):
            self.rng.shuffle(found)
        return self._twinned(found)


def strings(*names: str) -> Fields:
    return Fields({name: OneOf(("1", "2", "3")) for name in names})


FIELD_REF = Fields({}, {"fieldRef": {"fieldPath": "metadata.name"}})
PROBE = Fields(
    {
        "httpGet": Fields({"path": OneOf(("/", "/up"))}, {"port": 80}),
        "tcpSocket": Fields({}, {"port": 81}),
        "periodSeconds": OneOf((1, 5)),
    }
)
CONTAINER = Fields(
    {
        "image": OneOf(("web:1", "web:2", "db:1")),
        "command": OneOf((["sh"], ["sh", "-c"], [])),
        "args": OneOf((["a"], ["a", "b"], ["b", "a"], [])),
        "env": Elements(
            "name", ("A", "B", "C", "D", "E"), Fields({"value": OneOf(("1", "2", "$(A)")), "valueFrom": FIELD_REF})
        ),
        "envFrom": OneOf(([], [{"configMapRef": {"name": "x"}}])),
        "ports": Elements(
            "containerPort", (80, 81, 443), Fields({"name": OneOf(("a", "b")), "protocol": OneOf(("TCP", "UDP"))})
        ),
        "volumeMounts": Elements(
            "mountPath", ("/a", "/b", "/c"), Fields({"name": OneOf(("x", "z")), "readOnly": OneOf((True, False))})
        ),
        "volumeDevices": Elements("devicePath", ("/dev/a", "/dev/b"), Fields({"name": OneOf(("x", "z"))})),
        "resources": Fields({"limits": strings("cpu", "memory"), "requests": strings("cpu", "memory")}),
        "livenessProbe": PROBE,
        "securityContext": Fields(
            {"runAsUser": OneOf((0, 1000)), "capabilities": Fields({"add": OneOf((["A"], ["A", "B"], []))})}
        ),
    }
)
VOLUME = Fields(
    {
        "emptyDir": Fields({"medium": OneOf(("", "Memory"))}),
        "configMap": Fields({"name": OneOf(("x", "z")), "items": OneOf(([], [{"key": "a", "path": "a"}]))}),
        "secret": Fields({"secretName": OneOf(("x", "z"))}),
    }
)
POD = Fields(
    {
        "initContainers": Elements("name", ("web", "init", "pre"), CONTAINER),
        "volumes": Elements("name", ("v", "w", "x", "z"), VOLUME),
        "imagePullSecrets": Elements("name", ("a", "b", "c"), Fields({})),
        "hostAliases": Elements("ip", ("10.0.0.1", "10.0.0.2"), Fields({"hostnames": OneOf((["a"], ["b", "a"]))})),
        "topologySpreadConstraints": Elements(
            "topologyKey", ("zone", "host"), Fields({"maxSkew": OneOf((1, 2)), "whenUnsatisfiable": OneOf(("A", "B"))})
        ),
        "tolerations": OneOf(([], [{"key": "a"}], [{"key": "a"}, {"key": "b"}])),
        "nodeSelector": strings("a", "b", "c"),
        "securityContext": Fields({"fsGroup": OneOf((1, 2)), "supplementalGroups": OneOf(([1], [1, 2]))}),
        "serviceAccountName": OneOf(("a", "b")),
        "terminationGracePeriodSeconds": OneOf((0, 30)),
    },
    always={"containers": Elements("name", ("web", "db", "log", "aux"), CONTAINER)},
)
METADATA = Fields(
    {
        "labels": strings("a", "b", "c"),
        "annotations": strings("a", "b", "example.com/c"),
        "finalizers": Members(("a.io/x", "b.io/x", "c.io/x", "d.io/x")),
        "ownerReferences": Elements(
            "uid", ("1", "2", "3"), Fields({"name": OneOf(("a", "b"))}, {"apiVersion": "v1", "kind": "Node"})
        ),
    }
)
TEMPLATE = Fields(
    {"metadata": Fields({"labels": strings("a", "b"), "annotations": strings("a", "b")})},
    always={"spec": POD},
)
SELECTOR = {"selector": {"matchLabels": {"app": "web"}}}
ROLLING = Fields({"maxSurge": OneOf((1, "25%")), "maxUnavailable": OneOf((0, 1))})
STRATEGY = Fields({"type": OneOf(("Recreate", "RollingUpdate")), "rollingUpdate": ROLLING})
CLAIM = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
ANYTHING = OneOf(
    (1, 2, 1.5, "1", True, False, "", "a", [], ["a"], ["a", "b"], [{"name": "a"}, {"name": "b"}], {}, {"a": 1})
)
ANY_FIELDS = Fields(dict.fromkeys("abc", ANYTHING))

SPECS = {
    "Deployment": Fields(
        {
            "replicas": OneOf((1, 2, 5)),
            "minReadySeconds": OneOf((0, 5)),
            "paused": OneOf((True, False)),
            "strategy": STRATEGY,
        },
        SELECTOR,
        {"template": TEMPLATE},
    ),
    "StatefulSet": Fields(
        {
            "replicas": OneOf((1, 2, 5)),
            "serviceName": OneOf(("a", "b")),
            "updateStrategy": Fields(
                {"type": OneOf(("OnDelete", "RollingUpdate")), "rollingUpdate": Fields({"partition": OneOf((1, 2))})}
            ),
            "volumeClaimTemplates": OneOf(([], [CLAIM])),
        },
        SELECTOR,
        {"template": TEMPLATE},
    ),
    "DaemonSet": Fields({"minReadySeconds": OneOf((0, 5))}, SELECTOR, {"template": TEMPLATE}),
    "Pod": POD,
    "Service": Fields(
        {
            "type": OneOf(("ClusterIP", "NodePort")),
            "selector": strings("a", "b"),
            "ports": Elements(
                "port",
                (80, 81, 443),
                Fields(
                    {"name": OneOf(("a", "b")), "targetPort": OneOf((80, "web")), "nodePort": OneOf((30000, 30001))}
                ),
            ),
            "externalIPs": OneOf((["1.1.1.1"], ["1.1.1.1", "2.2.2.2"])),
            "sessionAffinityConfig": Fields({"clientIP": Fields({"timeoutSeconds": OneOf((1, 2))})}),
        }
    ),
    "CronJob": Fields(
        {
            "schedule": OneOf(("* * * * *", "0 * * * *")),
            "suspend": OneOf((True, False)),
            "jobTemplate": Fields(
                {
                    "metadata": Fields({"labels": strings("a", "b")}),
                    "spec": Fields({"template": TEMPLATE, "backoffLimit": OneOf((1, 2))}),
                }
            ),
        }
    ),
    "PodDisruptionBudget": Fields(
        {
            "minAvailable": OneOf((1, "50%")),
            "selector": Fields(
                {
                    "matchLabels": strings("a", "b"),
                    "matchExpressions": OneOf(([], [{"key": "a", "operator": "Exists"}])),
                }
            ),
        }
    ),
    "ConfigMap": Fields(
        {"data": strings("a", "b", "c"), "binaryData": strings("d"), "immutable": OneOf((True, False))}
    ),
    "Widget": Fields({"x": Fields({"y": ANY_FIELDS, **ANY_FIELDS.fields}), **ANY_FIELDS.fields}),
}
WITHOUT_SPEC = ("ConfigMap", "Widget")
VERSIONS = {
    "Pod": "v1",
    "Service": "v1",
    "ConfigMap": "v1",
    "CronJob": "batch/v1",
    "PodDisruptionBudget": "policy/v1",
    "Widget": "example.com/v1",
}


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, _: object) -> bool:
        return True


def text(of: dict) -> str:
    """Return an object as YAML in block style."""
    return yaml.dump(of, Dumper=_Dumper, sort_keys=False)


def triple(rng: Random, kind: str, name: str, twins: float = 0) -> Triple:
    """Return a triple of `kind`, in a namespace of its own."""
    base = _object(Drawing(rng, twins=twins), kind, name)
    origin, update = (_object(Drawing(rng, NULL, twins), kind, name, base) for _ in "12")
    if None in (origin["metadata"].get("annotations") or {}).values():
        del origin["metadata"]["annotations"]  # kubectl has not written them
    return Triple(origin if rng.random() < 0.9 else None, update, _object(Drawing(rng, twins=twins), kind, name, base))


def _object(drawing: Drawing, kind: str, name: str, base: dict | None = None) -> dict:
    """Return an object of `kind` by that name: its metadata and what else it has, drawn."""
    metadata = drawing.of(METADATA, base and base["metadata"])
    fixed = {
        "apiVersion": VERSIONS.get(kind, "apps/v1"),
        "kind": kind,
        "metadata": {**metadata, "name": name, "namespace": name},
    }
    if kind in WITHOUT_SPEC:
        return fixed | drawing.of(SPECS[kind], base)
    return fixed | {"spec": drawing.of(SPECS[kind], base and base["spec"])}
