"""Fields that exclude each other: which side they come from."""

from __future__ import annotations

import pytest

from krm.fieldpath import Match, to_text
from krm.merge.kinds.schema import Schema
from krm.merge.trees import Triple
from krm.merge.unions import Ruling, Unions
from krm.yamltree.nodes import Mapping, Node, Sequence
from krm.yamltree.parser import parse

POD = ("spec", "template", "spec")
CONTAINER = (*POD, "containers", Match("name", "web"))
ENTRY = (*CONTAINER, "env", Match("name", "A"))
PROBE = (*CONTAINER, "livenessProbe")
VOLUME = (*POD, "volumes", 0)
STRATEGY = ("spec", "strategy")


def node(text: str) -> Mapping | None:
    root = parse(text).root
    assert root is None or isinstance(root, Mapping)
    return root


def told(ruling: Ruling | None) -> str:
    """Return a ruling as text: `update: emptyDir hostPath`, `spec: a b` for a conflict there, `-` for none."""
    if ruling is None:
        return "-"
    return f"{ruling.side or to_text(ruling.path)}: {' '.join(sorted(ruling.keys))}"


def rule(kind: str, path: tuple[str | int | Match, ...], origin: str, update: str, local: str) -> str:
    schema = Schema(*kind.split("/"))
    return told(Unions(schema, None, None, None).ruling(path, Triple(node(origin), node(update), node(local))))


A, B, C = "{name: v, emptyDir: {}}", "{name: v, configMap: {name: c}}", "{name: v, hostPath: {path: /}}"
A2 = "{name: v, emptyDir: {medium: Memory}}"

# origin, update, local of a volume
VOLUMES = {
    "none changed": (A, A, A, "-"),
    "update took another source": (A, B, A, "update: configMap emptyDir"),
    "local did": (A, A, B, "local: configMap emptyDir"),
    "both did, the same": (A, B, B, "-"),
    "both did, differently": (A, B, C, f"{to_text(VOLUME)}: configMap emptyDir hostPath"),
    "update did, local changed what is in it": (A, B, A2, f"{to_text(VOLUME)}: configMap emptyDir"),
    "local did, update changed what is in it": (A, A2, B, f"{to_text(VOLUME)}: configMap emptyDir"),
    "both made one": ("", B, A, f"{to_text(VOLUME)}: configMap emptyDir"),
    "local has none": (A, B, "{name: v}", "-"),
    "update has none": (A, "{name: v}", A, "-"),
    "null is none": (A, "{name: v, emptyDir: null, configMap: {name: c}}", A, "update: configMap emptyDir"),
    "local has both": (A, B, "{name: v, emptyDir: {}, configMap: {name: c}}", "-"),
    "update is not there": (A, "", B, "-"),
    "local is not there": (A, B, "", "-"),
}


@pytest.mark.parametrize(("origin", "update", "local", "ruling"), VOLUMES.values(), ids=VOLUMES)
def test_the_sources_of_a_volume(origin: str, update: str, local: str, ruling: str) -> None:
    assert rule("apps/v1/Deployment", VOLUME, origin, update, local) == ruling


# A place in a Deployment, and two mappings there that exclude each other, if they do.
PLACES = {
    "env": (ENTRY, "{name: A, value: a}", "{name: A, valueFrom: {}}", "value valueFrom"),
    "valueFrom": ((*ENTRY, "valueFrom"), "{fieldRef: {}}", "{secretKeyRef: {}}", "fieldRef secretKeyRef"),
    "liveness": (PROBE, "{exec: {}, periodSeconds: 1}", "{httpGet: {}, failureThreshold: 1}", "exec httpGet"),
    "readiness": ((*CONTAINER, "readinessProbe"), "{tcpSocket: {}}", "{grpc: {}}", "grpc tcpSocket"),
    "startup": ((*CONTAINER, "startupProbe"), "{tcpSocket: {}}", "{grpc: {}}", "grpc tcpSocket"),
    "postStart": ((*CONTAINER, "lifecycle", "postStart"), "{sleep: {}}", "{exec: {}}", "exec sleep"),
    "preStop": ((*CONTAINER, "lifecycle", "preStop"), "{sleep: {}}", "{exec: {}}", "exec sleep"),
    "lifecycle": ((*CONTAINER, "lifecycle"), "{preStop: {}}", "{postStart: {}}", None),
    "init container": ((*POD, "initContainers", 0, "env", 0), "{value: a}", "{valueFrom: {}}", "value valueFrom"),
    "subPath": ((*CONTAINER, "volumeMounts", 0), "{subPath: a}", "{subPathExpr: b}", "subPath subPathExpr"),
    "claim": (
        (*POD, "resourceClaims", 0),
        "{name: c, resourceClaimName: a}",
        "{name: d, template: b}",
        "resourceClaimName template",
    ),
    "elsewhere": (("spec", "env", 0), "{value: a}", "{valueFrom: {}}", None),
    "the pod spec": (POD, "{volumes: []}", "{containers: []}", None),
    "the root": ((), "{spec: {}}", "{status: {}}", None),
}


@pytest.mark.parametrize(("path", "one", "other", "keys"), PLACES.values(), ids=PLACES)
def test_where_there_are_unions(path: tuple[str | int | Match, ...], one: str, other: str, keys: str | None) -> None:
    assert rule("apps/v1/Deployment", path, one, other, one) == ("-" if keys is None else f"update: {keys}")
    assert rule("example.com/v1/Widget", path, one, other, one) == "-"


ROLLING, RECREATE = "{type: RollingUpdate}", "{type: Recreate}"
SURGE, SURGE2 = (
    "{type: RollingUpdate, rollingUpdate: {maxSurge: 1}}",
    "{type: RollingUpdate, rollingUpdate: {maxSurge: 2}}",
)
UNTYPED = "{rollingUpdate: {maxSurge: 1}}"

# origin, update, local of a Deployment's strategy
STRATEGIES = {
    "no type changed": (SURGE, SURGE2, SURGE, "-"),
    "update changed it": (SURGE, RECREATE, SURGE, "update: rollingUpdate type"),
    "local changed it": (SURGE, SURGE, RECREATE, "local: rollingUpdate type"),
    "what local alone has the server added": (ROLLING, RECREATE, SURGE, "update: rollingUpdate type"),
    "what local changed it did not": (SURGE, RECREATE, SURGE2, "spec.strategy: rollingUpdate type"),
    "update changed what goes with local's change": (SURGE, SURGE2, RECREATE, "spec.strategy: rollingUpdate type"),
    "update added to what goes": (ROLLING, SURGE, RECREATE, "spec.strategy: rollingUpdate type"),
    "both made it": ("", SURGE, RECREATE, "spec.strategy.type: rollingUpdate type"),
    "both changed it, differently": ("{type: X}", SURGE, RECREATE, "spec.strategy.type: rollingUpdate type"),
    "only the type differs": (ROLLING, RECREATE, ROLLING, "-"),
    "the default": (UNTYPED, RECREATE, UNTYPED, "update: rollingUpdate type"),
    "null is the default": (SURGE, SURGE, "{type: null, rollingUpdate: {maxSurge: 1}}", "-"),
    "a type that is no scalar is the default": (SURGE, SURGE, "{type: [], rollingUpdate: {maxSurge: 1}}", "-"),
}


@pytest.mark.parametrize(("origin", "update", "local", "ruling"), STRATEGIES.values(), ids=STRATEGIES)
def test_a_strategy(origin: str, update: str, local: str, ruling: str) -> None:
    assert rule("apps/v1/Deployment", STRATEGY, origin, update, local) == ruling


@pytest.mark.parametrize("kind", ["DaemonSet", "StatefulSet"])
def test_an_update_strategy(kind: str) -> None:
    path = ("spec", "updateStrategy")
    assert rule(f"apps/v1/{kind}", path, SURGE, "{type: OnDelete}", SURGE) == "update: rollingUpdate type"


def test_a_disruption_budget() -> None:
    sides = "{minAvailable: 1}", "{maxUnavailable: 1}", "{minAvailable: 1}"
    assert rule("policy/v1/PodDisruptionBudget", ("spec",), *sides) == "update: maxUnavailable minAvailable"


# The specs of a Service, origin, update, local; what becomes of a spec, and of a port with a nodePort in local.
SERVICES = {
    "no type changed": ("{}", "{type: ClusterIP}", "{clusterIP: 10.0.0.1}", "-", "-"),
    "update wants none": ("{type: NodePort}", "{type: ClusterIP}", "{type: NodePort}", "-", "update: nodePort"),
    "by default": ("{type: NodePort}", "{}", "{type: NodePort}", "-", "update: nodePort"),
    "local wants none": ("{type: NodePort}", "{type: NodePort}", "{}", "-", "local: nodePort"),
    "both types have them": ("{type: NodePort}", "{type: LoadBalancer}", "{type: NodePort}", "-", "-"),
    "both changed it": ("{type: NodePort}", "{}", "{type: LoadBalancer}", "-", "spec.type: nodePort"),
    "what a load balancer has": (
        "{type: LoadBalancer}",
        "{type: NodePort}",
        "{type: LoadBalancer, healthCheckNodePort: 30000, externalTrafficPolicy: Local}",
        "update: healthCheckNodePort type",
        "-",
    ),
    "a name elsewhere": (
        "{type: ClusterIP}",
        "{type: ExternalName, externalName: db}",
        "{type: ClusterIP, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}",
        "update: clusterIP clusterIPs externalName type",
        "-",
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "spec", "port"), SERVICES.values(), ids=SERVICES)
def test_a_service(origin: str, update: str, local: str, spec: str, port: str) -> None:
    roots: list[Node | None] = [node(f"spec: {side}") for side in (origin, update, local)]
    unions = Unions(Schema("", "v1", "Service"), *roots)
    assert told(unions.ruling(("spec",), Triple(node(origin), node(update), node(local)))) == spec
    sides = Triple(node("{port: 80}"), node("{port: 80}"), node("{port: 80, nodePort: 30080}"))
    assert told(unions.ruling(("spec", "ports", 0), sides)) == port


def test_ports_are_reached_where_the_type_is_another() -> None:
    origin, update = node("spec: {type: NodePort, ports: [{port: 80}]}"), node("spec: {ports: [{port: 80}]}")
    assert origin is not None
    assert update is not None
    spec = update.get("spec")
    assert isinstance(spec, Mapping)
    ports = spec.get("ports")
    assert isinstance(ports, Sequence)
    unions = Unions(Schema("", "v1", "Service"), origin, update, origin)
    assert [unions.reaches(each) for each in (spec, ports, *ports.kids)] == [False, True, True]
    assert [unions.reaches(None, each) for each in (None, spec, ports)] == [False, False, True]
    turned = Unions(Schema("", "v1", "Service"), origin, origin, update)
    assert [turned.reaches(None, each) for each in (spec, ports)] == [False, True]
    assert not Unions(Schema("", "v1", "Service"), origin, update, update).reaches(ports)


@pytest.mark.parametrize("text", ["spec: []", "spec:", "[]", ""])
def test_a_service_without_a_spec(text: str) -> None:
    root = parse(text).root
    assert (
        Unions(Schema("", "v1", "Service"), root, root, root).ruling((), Triple(None, node("a: b"), node("c: d")))
        is None
    )
