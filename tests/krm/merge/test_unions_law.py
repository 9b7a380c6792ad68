"""Whatever the three sides hold, a merge of valid ones holds nothing that excludes each other."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from krm.merge.kinds.schema import Schema
from krm.merge.policy import Policy
from tests.krm.merge.sides import data, merged

if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.merge.policy import OnConflict

POD = "{spec: {template: {spec: {%s}}}}"
CONTAINER = POD % "containers: [{name: c, %s}]"


def one(*keys: str) -> Callable[[Any], bool]:
    """Return what says that at most one of `keys` is in a value, however deep."""

    def is_valid(value: Any) -> bool:
        if isinstance(value, list):
            return all(map(is_valid, value))
        return not isinstance(value, dict) or (len(value.keys() & keys) < 2 and all(map(is_valid, value.values())))

    return is_valid


def is_strategy(resource: Any) -> bool:
    strategy = resource.get("spec", {}).get("strategy", {})
    return strategy.get("type", "RollingUpdate") == "RollingUpdate" or "rollingUpdate" not in strategy


def is_service(resource: Any) -> bool:
    spec = resource["spec"]
    kind = spec.get("type", "ClusterIP")
    return (
        (kind in ("NodePort", "LoadBalancer") or not any("nodePort" in port for port in spec.get("ports", ())))
        and (kind == "LoadBalancer" or "healthCheckNodePort" not in spec)
        and (kind == "ExternalName" or "externalName" not in spec)
        and (kind != "ExternalName" or "clusterIP" not in spec)
    )


# Of a kind a text with a gap, what may stand in it, and what then holds of the resource.
UNIONS = {
    "volume": (
        ("apps", "v1", "Deployment"),
        POD % "volumes: [{name: v, %s}]",
        ["", "emptyDir: {}", "emptyDir: {medium: Memory}", "configMap: {name: c}", "hostPath: {path: /}"],
        one("emptyDir", "configMap", "hostPath"),
    ),
    "env": (
        ("apps", "v1", "Deployment"),
        CONTAINER % "env: [{name: A, %s}]",
        ["", "value: a", "value: b", "valueFrom: {fieldRef: {}}", "valueFrom: {secretKeyRef: {}}"],
        one("value", "valueFrom", "fieldRef", "secretKeyRef"),
    ),
    "probe": (
        ("apps", "v1", "Deployment"),
        CONTAINER % "livenessProbe: {periodSeconds: 1, %s}",
        ["", "exec: {command: [a]}", "exec: {command: [b]}", "httpGet: {port: 1}", "grpc: {port: 1}"],
        one("exec", "httpGet", "grpc"),
    ),
    "strategy": (
        ("apps", "v1", "Deployment"),
        "{spec: {strategy: {%s}}}",
        [
            "",
            "type: Recreate",
            "type: RollingUpdate",
            "type: RollingUpdate, rollingUpdate: {maxSurge: 1}",
            "rollingUpdate: {maxSurge: 2}",
        ],
        is_strategy,
    ),
    "service": (
        ("", "v1", "Service"),
        "{spec: {%s}}",
        [
            "ports: [{port: 80}]",
            "type: NodePort, ports: [{port: 80, nodePort: 30080}]",
            "type: LoadBalancer, ports: [{port: 80, nodePort: 30081}]",
            "type: LoadBalancer, healthCheckNodePort: 30000, ports: [{port: 80}]",
            "type: ClusterIP, clusterIP: 10.0.0.1, ports: [{port: 80}]",
            "type: ExternalName, externalName: db, ports: [{port: 80}]",
        ],
        is_service,
    ),
}


@pytest.mark.parametrize("on_conflict", ["TakeUpdate", "KeepLocal"])
@pytest.mark.parametrize("name", UNIONS)
def test_nothing_that_excludes_each_other(name: str, on_conflict: OnConflict) -> None:
    kind, text, fillings, is_valid = UNIONS[name]
    for sides in product([text % filling for filling in fillings], repeat=3):
        result = merged(*sides, schema=Schema(*kind), policy=Policy(on_conflict))
        assert is_valid(data(result.target)), sides
