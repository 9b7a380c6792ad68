"""Presets: the fields of a kind that many functionConfigs want as targets, each under one word.

docs/expansion.md, "Further fields: targets". A preset is a function from a resource to the paths of its fields.
"""

from __future__ import annotations

from krm.fieldpath import WILDCARD, parse
from krm.workloads import CONTAINERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.resource import Resource
    from krm.workloads import PodSpecs

    Preset: TypeAlias = Callable[[Resource, PodSpecs], list[FieldPath]]

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


def covering(resource: Resource, path: FieldPath, pod_specs: PodSpecs) -> str | None:
    """Return the word of the preset that leads to all fields of a path, None where there is none."""
    return next(
        (word for word, preset in PRESETS.items() if any(_covers(one, path) for one in preset(resource, pod_specs))),
        None,
    )


def _covers(preset: FieldPath, path: FieldPath) -> bool:
    """True if a preset's path leads to all fields of `path`."""
    return len(preset) == len(path) and all(
        step in (WILDCARD, of_path) for step, of_path in zip(preset, path, strict=True)
    )


def _images(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the images of all containers of a workload."""
    return [(*path, key, WILDCARD, "image") for path in pod_specs.paths_of(resource) for key in CONTAINERS]


def _replicas(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the replica count of a workload that has one."""
    return _paths("spec.replicas") if pod_specs.scales(resource) else []


def _labels(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the labels of an object and of its pod template, and the selectors that have to match them."""
    # A label that changes without its selector leaves a Service or a workload without Pods.
    selectors = _paths("spec.selector[*]", "spec.selector.matchLabels[*]")
    selects = pod_specs.of(resource) is not None or (resource.group, resource.kind) == ("", "Service")
    return [*_metadata(resource, pod_specs, "labels"), *(selectors if selects else ())]


def _annotations(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the annotations of an object and of its pod template."""
    return _metadata(resource, pod_specs, "annotations")


def _ingress_hosts(resource: Resource, _: PodSpecs) -> list[FieldPath]:
    """Return the hosts of an Ingress: those of its rules and of its certificates."""
    return _paths("spec.rules[*].host", "spec.tls[*].hosts[*]") if resource.kind == "Ingress" else []


def of_kustomize(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the fields of kustomize's default varReference that the kubelet does not expand."""
    paths = _paths("metadata.labels[*]", "metadata.annotations[*]", *_OF_KUSTOMIZE.get(resource.kind, ()))
    # As api/internal/konfig/builtinpluginconsts of kustomize lists them, for every kind with Pods.
    return paths + [(*above, *path) for above in pod_specs.paths_of(resource) for path in _paths(*_OF_POD_SPECS)]


def _paths(*texts: str) -> list[FieldPath]:
    """Return field paths, parsed when they are used: that compiles a pattern, which every start would feel."""
    return [parse(text) for text in texts]


def _metadata(resource: Resource, pod_specs: PodSpecs, key: str) -> list[FieldPath]:
    """Return the values under `key` of the metadata of an object and of its pod templates."""
    own: FieldPath = ("metadata", key, WILDCARD)
    # A Pod is its own template.
    return [*dict.fromkeys((own, *((*path[:-1], *own) for path in pod_specs.paths_of(resource))))]


PRESETS: dict[str, Preset] = {
    "Images": _images,
    "Replicas": _replicas,
    "Labels": _labels,
    "Annotations": _annotations,
    "IngressHosts": _ingress_hosts,
}
