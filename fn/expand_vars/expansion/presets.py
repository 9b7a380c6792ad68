"""Where the presets of `targets` point in a resource, and the fields that kustomize's `vars` would expand there."""

from __future__ import annotations

from krm.fieldpath import WILDCARD, parse
from krm.workloads import CONTAINERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.fieldpath import FieldPath
    from krm.resource import Resource
    from krm.workloads import PodSpecs

    Preset = Callable[[Resource, PodSpecs], list[FieldPath]]

_OF_KUSTOMIZE = {
    "Deployment": ("spec.template.metadata.annotations[*]",),
    "Ingress": ("spec.rules[*].host", "spec.tls[*].hosts[*]", "spec.tls[*].secretName"),
    "PersistentVolume": ("spec.nfs.server",),
    "Service": ("spec.ports[*].port", "spec.ports[*].targetPort"),
}
_OF_POD_SPECS = (
    "containers[*].volumeMounts[*].mountPath",
    "initContainers[*].volumeMounts[*].mountPath",
    "volumes[*].nfs.server",
)
_SCALED = frozenset(("Deployment", "ReplicaSet", "ReplicationController", "Rollout", "StatefulSet"))


def _images(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the images of all containers of a workload."""
    pod_spec = pod_specs.path_of(resource)
    return [] if pod_spec is None else [(*pod_spec, key, WILDCARD, "image") for key in CONTAINERS]


def _replicas(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the replica count of a workload that has one."""
    return _paths("spec.replicas") if pod_specs.path_of(resource) and resource.kind in _SCALED else []


def _labels(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the labels of any object and of a pod template, and the selectors that have to match them."""
    selectors = _paths("spec.selector[*]", "spec.selector.matchLabels[*]")
    selects = pod_specs.path_of(resource) is not None or (resource.group, resource.kind) == ("", "Service")
    return [*_metadata(resource, pod_specs, "labels"), *(selectors if selects else ())]


def _annotations(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the annotations of any object and of a pod template."""
    return _metadata(resource, pod_specs, "annotations")


def _ingress_hosts(resource: Resource, _: PodSpecs) -> list[FieldPath]:
    """Return the hosts of an Ingress, in its rules and in its certificates."""
    return _paths("spec.rules[*].host", "spec.tls[*].hosts[*]") if resource.kind == "Ingress" else []


def kustomize_vars(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the fields of kustomize's default varReference that the kubelet does not expand (spec/expansion.md, 5)."""
    paths = _paths("metadata.labels[*]", "metadata.annotations[*]", *_OF_KUSTOMIZE.get(resource.kind, ()))
    pod_spec = pod_specs.path_of(resource)
    if pod_spec is not None:
        paths += [(*pod_spec, *path) for path in _paths(*_OF_POD_SPECS)]
    return paths


def _paths(*texts: str) -> list[FieldPath]:
    """Return field paths. They are parsed when used: at every start, compiling the pattern for it would be felt."""
    return [parse(text) for text in texts]


def _metadata(resource: Resource, pod_specs: PodSpecs, key: str) -> list[FieldPath]:
    """Return the values under `key` of the metadata of an object and of its pod template."""
    pod_spec = pod_specs.path_of(resource)
    own: FieldPath = ("metadata", key, WILDCARD)
    return [own] if pod_spec is None or len(pod_spec) == 1 else [own, (*pod_spec[:-1], *own)]


PRESETS: dict[str, Preset] = {
    "Images": _images,
    "Replicas": _replicas,
    "Labels": _labels,
    "Annotations": _annotations,
    "IngressHosts": _ingress_hosts,
}
