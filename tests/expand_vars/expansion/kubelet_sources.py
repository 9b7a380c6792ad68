"""What a pod reads of its cluster, written from the rules of the kubelet alone: nothing knows the implementation."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import Any, NamedTuple

SUFFIXES = {
    "Ki": Decimal(1 << 10),
    "Mi": Decimal(1 << 20),
    "Gi": Decimal(1 << 30),
    "m": Decimal("1e-3"),
    "k": Decimal(1000),
}


class CannotStartError(Exception):
    """A container needs what the cluster does not have."""


class Cluster(NamedTuple):
    """What a running cluster has. `services` are in the order of chance in which the kubelet comes across them."""

    objects: dict[tuple[str, str], dict[str, str]]
    """The texts of ConfigMaps and Secrets of the pod's namespace, by kind and name."""
    services: list[dict[str, Any]]
    decided: dict[str, str]
    """By field path, what it decides of a pod."""
    labels: dict[str, str]
    """What controllers and webhooks add to a pod's labels and annotations."""
    allocatable: dict[str, str]
    devices: dict[str, str]
    readable: frozenset[tuple[str, str]] = frozenset()
    """Those of `objects` that the function can read too, so that it knows which keys are not there."""


_TEMPLATES = {
    "Pod": (),
    "PodTemplate": ("template",),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
"""Where a kind has its pod template, for those that do not have it at `spec.template`."""


class Pod:
    """What a workload says of its pods, and which containers they have."""

    def __init__(self, workload: dict[str, Any]) -> None:
        self.is_bare = workload["kind"] == "Pod"
        template = workload
        for key in _TEMPLATES.get(workload["kind"], ("spec", "template")):
            template = template[key]
        self.name: str = workload["metadata"]["name"]
        self.namespace: str = workload["metadata"].get("namespace", "")
        self.metadata: dict[str, Any] = template.get("metadata", {})
        # Knative's own default, the other way round than that of the API.
        default = {"enableServiceLinks": False} if workload["kind"] == "Service" else {}
        self.spec: dict[str, Any] = default | template["spec"]
        self.containers: list[dict[str, Any]] = [*self.spec.get("initContainers", ()), *self.spec["containers"]]


def service_variables(pod: Pod, cluster: Cluster) -> dict[str, str]:
    """Return the variables of section 2.2. The Service of the API server is the one of namespace default."""
    namespace = pod.namespace or cluster.decided["metadata.namespace"]
    linked: dict[str, dict[str, Any]] = {}
    for service in cluster.services:
        name, spec = service["metadata"]["name"], service["spec"]
        if spec.get("clusterIP", "") in ("", "None"):
            continue
        if service["metadata"].get("namespace") == "default" and name == "kubernetes":
            linked.setdefault(name, spec)
        elif service["metadata"].get("namespace", namespace) == namespace and pod.spec.get("enableServiceLinks", True):
            linked.pop(name, None)
            linked[name] = spec
    found: dict[str, str] = {}
    for name, spec in linked.items():
        found |= _of_service(name, spec)
    return found


def _of_service(name: str, spec: dict[str, Any]) -> dict[str, str]:
    prefix, address = _upper(name), spec["clusterIP"]
    found = {f"{prefix}_SERVICE_HOST": address, f"{prefix}_SERVICE_PORT": str(spec["ports"][0]["port"])}
    host = f"[{address}]" if ":" in address else address
    for number, port in enumerate(spec["ports"]):
        protocol = port.get("protocol", "TCP")
        url = f"{protocol.lower()}://{host}:{port['port']}"
        link = f"{prefix}_PORT_{port['port']}_{protocol}"
        if number == 0:
            found[f"{prefix}_PORT"] = url
        if "name" in port:
            found[f"{prefix}_SERVICE_PORT_{_upper(port['name'])}"] = str(port["port"])
        found |= {link: url, f"{link}_PROTO": protocol.lower(), f"{link}_PORT": str(port["port"])}
        found[f"{link}_ADDR"] = address
    return found


def _upper(name: str) -> str:
    return name.upper().replace("-", "_")


def read_by(source: dict[str, Any]) -> tuple[tuple[str, str], dict[str, Any]]:
    """Return the kind and name of what a source of `envFrom` or `valueFrom` reads, and the reference to it."""
    key = next(key for key in source if key != "prefix")
    return ("ConfigMap" if key.startswith("configMap") else "Secret", source[key]["name"]), source[key]


def env_from(container: dict[str, Any], cluster: Cluster) -> dict[str, str]:
    """Return what the sources of `envFrom` declare, the later ones over the earlier."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", ()):
        read, reference = read_by(source)
        texts = cluster.objects.get(read)
        if texts is None and not reference.get("optional"):
            raise CannotStartError(f"no {read}")
        for key, text in (texts or {}).items():
            found[source.get("prefix", "") + key] = text
    return found


def entry_value(entry: dict[str, Any], pod: Pod, container: dict[str, Any], cluster: Cluster) -> str | None:
    """Return what an entry of `env` without a value gets, None for one that is skipped."""
    source = entry.get("valueFrom")
    if source is None:
        return ""
    if "fieldRef" in source:
        return _field(source["fieldRef"]["fieldPath"], pod, cluster)
    if "resourceFieldRef" in source:
        return _resource(source["resourceFieldRef"], pod, container, cluster)
    read, reference = read_by(source)
    text = cluster.objects.get(read, {}).get(reference["key"])
    if text is None and not reference.get("optional"):
        raise CannotStartError(f"no {read} with key {reference['key']}")
    return text


def is_skipped(entry: dict[str, Any], cluster: Cluster) -> bool:
    """True if an entry of `env` is known to declare nothing: what it reads is optional, among the items, and absent."""
    source = entry.get("valueFrom", {})
    if not source.keys() & {"configMapKeyRef", "secretKeyRef"}:
        return False
    read, reference = read_by(source)
    return read in cluster.readable and reference["key"] not in cluster.objects[read]


def _field(path: str, pod: Pod, cluster: Cluster) -> str:
    subscript = re.fullmatch(r"metadata\.(labels|annotations)\['(.+)'\]", path)
    if subscript:
        texts = pod.metadata.get(subscript[1], {}) | cluster.labels
        return str(texts.get(subscript[2], ""))
    spec = pod.spec
    stated = {
        "metadata.name": pod.name if pod.is_bare else "",
        "metadata.namespace": pod.namespace,
        "spec.nodeName": spec.get("nodeName"),
        "spec.serviceAccountName": spec.get("serviceAccountName") or spec.get("serviceAccount"),
    }
    return stated.get(path) or cluster.decided[path]


def _resource(reference: dict[str, Any], pod: Pod, container: dict[str, Any], cluster: Cluster) -> str:
    """Return a request or limit. An init container that is referred to by name has no limit but its own."""
    capped = True
    if "containerName" in reference:
        named = [one for one in _named(pod) if one["name"] == reference["containerName"]]
        if not named:
            raise CannotStartError(f"no container {reference['containerName']}")
        container = named[0]
        capped = container in pod.spec["containers"]
    resources = container.get("resources", {})
    kind, _, name = reference["resource"].partition(".")
    limit = resources.get("limits", {}).get(name)
    if kind == "requests":
        quantity = resources.get("requests", {}).get(name, limit or "0")
    elif limit is not None and _amount(limit):
        quantity = limit
    else:
        quantity = cluster.allocatable[name] if capped else "0"
    divisor = _amount(reference.get("divisor", "0")) or Decimal(1)
    return str(int((_amount(quantity) / divisor).to_integral_value(ROUND_CEILING)))


def _named(pod: Pod) -> list[dict[str, Any]]:
    return [*pod.spec["containers"], *pod.spec.get("initContainers", ())]


def _amount(quantity: str) -> Decimal:
    try:
        return Decimal(quantity)
    except InvalidOperation:
        suffix = next(suffix for suffix in SUFFIXES if quantity.endswith(suffix))
        return Decimal(quantity.removesuffix(suffix)) * SUFFIXES[suffix]
