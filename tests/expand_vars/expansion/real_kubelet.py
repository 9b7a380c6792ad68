"""The kubelet's own code, as the program that `tests/tools/kubelet-oracle` builds of it.

The program starts the containers of one Pod in one cluster. What stands between a workload and that is done here: the
controller that makes a Pod of a template, and what admission and the scheduler decide of it.
"""

from __future__ import annotations

import base64
import json
import subprocess
from typing import TYPE_CHECKING, Any

from tests.expand_vars.expansion.kubelet import Started

if TYPE_CHECKING:
    from typing import Self

    from tests.expand_vars.expansion.kubelet_sources import Cluster, Pod

    Object = dict[str, Any]


class RealKubelet:
    """A running program, which answers each world in turn."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def start(self, pod: Pod, cluster: Cluster) -> list[Started]:
        """Start every container of a pod, init containers first."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(_world(pod, cluster)).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert isinstance(answer, list), answer["refused"]
        return [_started(container) for container in answer]


def _started(container: Object) -> Started:
    if container["error"]:
        return Started(container["error"], {}, [], [], [], [])
    sub_paths = [path["error"] or path["path"] or None for path in container["subPaths"]]
    return Started(
        "", container["environment"], container["command"], container["args"], sub_paths, container["probes"]
    )


def _world(pod: Pod, cluster: Cluster) -> Object:
    namespace = pod.namespace or cluster.decided["metadata.namespace"]
    placed = {**pod.spec, "nodeName": pod.spec.get("nodeName") or cluster.decided["spec.nodeName"]}
    if not placed.keys() & {"serviceAccount", "serviceAccountName"}:
        placed["serviceAccountName"] = cluster.decided["spec.serviceAccountName"]
    metadata = {
        "name": pod.name if pod.is_bare else cluster.decided["metadata.name"],
        "namespace": namespace,
        "uid": cluster.decided["metadata.uid"],
        "labels": pod.metadata.get("labels", {}) | cluster.labels,
        "annotations": pod.metadata.get("annotations", {}) | cluster.labels,
    }
    texts = cluster.objects.items()
    return {
        "pod": {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": placed},
        "services": [_in(namespace, service) for service in cluster.services],
        "configMaps": [_object(namespace, name, data) for (kind, name), data in texts if kind == "ConfigMap"],
        "secrets": [_object(namespace, name, _encoded(data)) for (kind, name), data in texts if kind == "Secret"],
        "allocatable": cluster.allocatable,
        "podIPs": [cluster.decided["status.podIP"]],
        "hostIPs": [cluster.decided["status.hostIP"]],
        "devices": cluster.devices,
    }


def _in(namespace: str, item: Object) -> Object:
    return {**item, "metadata": {"namespace": namespace} | item["metadata"]}


def _object(namespace: str, name: str, data: dict[str, str]) -> Object:
    return {"metadata": {"name": name, "namespace": namespace}, "data": data}


def _encoded(data: dict[str, str]) -> dict[str, str]:
    return {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
