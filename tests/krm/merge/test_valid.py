"""Valid in, valid out: where a server takes all three sides it takes what comes of their merge.

What it takes is what the schemas of Kubernetes say of each field, and what they cannot say: that fields exclude each
other, and that elements of a list are told apart. References from one field to another, such as from a mount to its
volume, are not looked at: two sides that are each consistent may well disagree there.
"""

from __future__ import annotations

import functools
import os
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import kubernetes_validate
import pytest
import yaml
from kubernetes_validate import utils

from krm.merge.kinds.schema import Schema
from krm.merge.policy import Policy
from krm.merge.trees import Tree
from krm.merge.value_walk import merge_values
from krm.yamltree.editor import Editor
from tests.krm.merge import sides, triples
from tests.krm.merge.triples import SELECTOR, Drawing, Elements, Fields, OneOf, strings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.merge.policy import OnConflict

TIMES = 1500 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 60
KUBERNETES = "1.33"

# It reads its files anew for each object.
utils.schema_contents = functools.cache(utils.schema_contents)


class Either(NamedTuple):
    """A map of one of these shapes."""

    shapes: tuple[Fields, ...]


class DrawingEither(Drawing):
    """Draws such maps, too."""

    def of(self, shape: Any, base: Any = None) -> Any:
        if not isinstance(shape, Either):
            return super().of(shape, base)
        alike = [one for one in shape.shapes if base is not None and {*one.fixed, *one.always} <= base.keys()]
        keeps = alike and self.rng.random() < triples.KEPT
        return super().of(alike[0] if keeps else self.rng.choice(shape.shapes), base)


def elements(key: str, keys: tuple[str, ...], element: Any) -> Elements:
    """Return a list in which `key` identifies an element, which may be such a map."""
    return Elements(key, keys, element)


def either(more: dict[str, Any], **shapes: Any) -> Either:
    """Return a map with one of these fields, beside those that may be there with any."""
    return Either(tuple(Fields(more, always={name: shape}) for name, shape in shapes.items()))


PORT = {"port": OneOf((80, "web"))}
HANDLERS = {
    "httpGet": Fields({"path": OneOf(("/", "/up"))}, always=PORT),
    "tcpSocket": Fields({"host": OneOf(("a", "b"))}, always=PORT),
    "exec": Fields({"command": OneOf((["a"], ["b"]))}),
}
VALUE_FROM = either(
    {}, fieldRef=Fields({}, {"fieldPath": "metadata.name"}), secretKeyRef=Fields({}, {"name": "s", "key": "k"})
)
CONTAINER = Fields(
    {
        **triples.CONTAINER.fields,
        "env": elements("name", (*"ABCDE",), either({}, value=OneOf(("1", "$(A)", "$(B)")), valueFrom=VALUE_FROM)),
        "volumeMounts": Elements(
            "mountPath",
            ("/a", "/b", "/c"),
            Fields({"readOnly": OneOf((True, False))}, always={"name": OneOf(("v", "w"))}),
        ),
        "volumeDevices": Elements("devicePath", ("/dev/a", "/dev/b"), Fields({}, always={"name": OneOf(("v", "w"))})),
        "livenessProbe": either({"periodSeconds": OneOf((1, 5))}, **HANDLERS),
        "lifecycle": Fields({"preStop": either({}, **HANDLERS), "postStart": either({}, **HANDLERS)}),
    }
)
VOLUME = either(
    {},
    emptyDir=Fields({"medium": OneOf(("", "Memory"))}),
    configMap=Fields({"name": OneOf(("x", "z")), "items": OneOf(([], [{"key": "a", "path": "a"}]))}),
    secret=Fields({"secretName": OneOf(("x", "z"))}),
    hostPath=Fields({}, always={"path": OneOf(("/a", "/b"))}),
)
SPREAD = Fields({}, always={"maxSkew": OneOf((1, 2)), "whenUnsatisfiable": OneOf(("DoNotSchedule", "ScheduleAnyway"))})
POD = Fields(
    {
        **triples.POD.fields,
        "initContainers": Elements("name", ("init", "pre", "post"), CONTAINER),
        "volumes": elements("name", (*"vwxz",), VOLUME),
        "topologySpreadConstraints": Elements("topologyKey", ("zone", "host"), SPREAD),
    },
    always={"containers": Elements("name", ("web", "db", "log"), CONTAINER)},
)
TEMPLATE = Fields({"metadata": Fields({"labels": strings("a", "b")})}, always={"spec": POD})
ROLLING = Fields({"maxSurge": OneOf((1, "25%")), "maxUnavailable": OneOf((0, 1))})
PARTITION = Fields({"partition": OneOf((1, 2))})


def strategy(other: str, rolling: Fields) -> Either:
    return Either(
        (
            Fields({}, {"type": other}),
            Fields({"rollingUpdate": rolling}, {"type": "RollingUpdate"}),
            Fields({"rollingUpdate": rolling}),
        )
    )


SERVICE_PORT = {"name": OneOf(("a", "b")), "targetPort": OneOf((80, "web")), "protocol": OneOf(("TCP", "UDP"))}
NODE_PORT = {**SERVICE_PORT, "nodePort": OneOf((30000, 30001))}


def ports(fields: dict[str, Any]) -> Elements:
    return Elements("port", (80, 81, 443), Fields(fields))


SERVICE = Either(
    (
        Fields(
            {"selector": strings("a", "b"), "clusterIP": OneOf(("None", "10.0.0.1"))},
            always={"ports": ports(SERVICE_PORT)},
        ),
        Fields({"selector": strings("a", "b")}, {"type": "ClusterIP"}, {"ports": ports(SERVICE_PORT)}),
        Fields(
            {"externalTrafficPolicy": OneOf(("Local", "Cluster"))}, {"type": "NodePort"}, {"ports": ports(NODE_PORT)}
        ),
        Fields({"healthCheckNodePort": OneOf((30002,))}, {"type": "LoadBalancer"}, {"ports": ports(NODE_PORT)}),
        Fields({}, {"type": "ExternalName", "externalName": "a.example.com"}),
    )
)
METADATA = Fields(
    {
        **triples.METADATA.fields,
        "ownerReferences": Elements(
            "uid", (*"123",), Fields({}, {"apiVersion": "v1", "kind": "Node"}, {"name": OneOf(("a", "b"))})
        ),
    },
    {"name": "web"},
)
JOB = Fields({"backoffLimit": OneOf((1, 2))}, always={"template": TEMPLATE})
KINDS = {
    "Deployment": (
        "apps/v1",
        Fields(
            {"replicas": OneOf((1, 2)), "strategy": strategy("Recreate", ROLLING)}, SELECTOR, {"template": TEMPLATE}
        ),
    ),
    "StatefulSet": (
        "apps/v1",
        Fields(
            {
                "updateStrategy": strategy("OnDelete", PARTITION),
                "volumeClaimTemplates": OneOf(([], [triples.CLAIM])),
            },
            {**SELECTOR, "serviceName": "web"},
            {"template": TEMPLATE},
        ),
    ),
    "Pod": ("v1", POD),
    "CronJob": (
        "batch/v1",
        Fields(
            {"suspend": OneOf((True, False))},
            {"schedule": "* * * * *"},
            {"jobTemplate": Fields({}, always={"spec": JOB})},
        ),
    ),
    "Service": ("v1", SERVICE),
}


def drawn(rng: Random, kind: str) -> tuple[Any, Any, Any]:
    """Return origin and two variations of it."""
    version, shape = KINDS[kind]
    drawing, whole = (
        DrawingEither(rng),
        Fields({}, {"apiVersion": version, "kind": kind}, {"metadata": METADATA, "spec": shape}),
    )
    origin = drawing.of(whole)
    return origin, drawing.of(whole, origin), drawing.of(whole, origin)


EXCLUSIVE = (
    HANDLERS.keys(),
    {"value", "valueFrom"},
    {"emptyDir", "configMap", "secret", "hostPath"},
    {"fieldRef", "secretKeyRef"},
)
KEYS = {"containers": "name", "initContainers": "name", "volumes": "name", "volumeMounts": "mountPath", "env": "name"}


def faults(resource: Any) -> list[str]:
    """Return what a server would say against a resource."""
    try:
        kubernetes_validate.validate(resource, KUBERNETES, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{error.json_path}: {error.message}"]
    return [
        *faults_of(resource["spec"], "spec"),
        *(faults_of_service(resource["spec"]) if resource["kind"] == "Service" else ()),
    ]


def faults_of(value: Any, path: str) -> Iterator[str]:
    """Yield what the schemas cannot say of a value and all below it."""
    if isinstance(value, list):
        for index, element in enumerate(value):
            yield from faults_of(element, f"{path}[{index}]")
    if not isinstance(value, dict):
        return
    for excluding in EXCLUSIVE:
        if len(value.keys() & excluding) > 1:
            yield f"{path}: one of {sorted(value.keys() & excluding)}"
    if value.get("type") in ("Recreate", "OnDelete") and "rollingUpdate" in value:
        yield f"{path}: nothing rolls"
    for key, below in value.items():
        yield from faults_of(below, f"{path}.{key}")
        if key in KEYS and len({element[KEYS[key]] for element in below}) < len(below):
            yield f"{path}.{key}: two of one key"


def faults_of_service(spec: Any) -> Iterator[str]:
    kind = spec.get("type", "ClusterIP")
    if kind not in ("NodePort", "LoadBalancer"):
        if any("nodePort" in port for port in spec.get("ports", ())):
            yield f"spec.ports: no nodePort under {kind}"
        if "externalTrafficPolicy" in spec:
            yield f"spec.externalTrafficPolicy: none under {kind}"
    if kind != "LoadBalancer" and "healthCheckNodePort" in spec:
        yield f"spec.healthCheckNodePort: none under {kind}"
    if (kind == "ExternalName") != ("externalName" in spec):
        yield f"spec.externalName: for {kind}"
    if kind == "ExternalName" and "clusterIP" in spec:
        yield f"spec.clusterIP: none under {kind}"


def merged(origin: Any, update: Any, local: Any, on_conflict: OnConflict) -> Any:
    """Return what comes of the sides as text, read again."""
    group, _, version = origin["apiVersion"].rpartition("/")
    rules = Schema(group, version, origin["kind"]), Policy(on_conflict)
    editor = Editor(triples.text(local))
    tree = Tree(editor.text, editor.document.root)
    wanted = merge_values(sides.tree(triples.text(origin)), sides.tree(triples.text(update)), tree, *rules).target
    assert wanted is not None
    editor.amend((), wanted)
    return yaml.load(editor.text, yaml.CSafeLoader)


@pytest.mark.parametrize("kind", KINDS)
def test_valid_in_valid_out(kind: str) -> None:
    for number in range(TIMES):
        origin, update, local = drawn(Random(f"{kind} {number}"), kind)  # noqa: S311 - for tests
        assert [faults(side) for side in (origin, update, local)] == [[], [], []], number
        for on_conflict in ("TakeUpdate", "KeepLocal", "Error"):
            assert faults(merged(origin, update, local, on_conflict)) == [], (number, on_conflict)
