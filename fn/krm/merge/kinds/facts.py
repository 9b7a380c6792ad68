"""Merge facts of the built-in kinds, at any version, as Kubernetes declares them (docs/merge.md, "Keyed lists").

The table is large, so this module is imported where a fact is asked for: a merge in which nothing changes needs none.
"""

from __future__ import annotations

from krm.fieldpath import leads
from krm.merge.kinds.list_facts import FACTS, KINDS, TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Segment
    from krm.workloads import PodSpecs

    Fact: TypeAlias = Mapping[str, str | list[str]]
    """`patchStrategy`, `patchMergeKey`, `listType`, `listMapKeys` and `mapType`, as the types declare them."""

_METADATA = "Pod.metadata"
_POD_TEMPLATE = "PodTemplate.template"
_POD_SPEC = "Pod.spec"

# The groups whose types are compiled into kubectl (client-go's scheme).
_REGISTERED = frozenset(
    (
        "",
        "admissionregistration.k8s.io",
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "extensions",
        "flowcontrol.apiserver.k8s.io",
        "internal.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
        "storagemigration.k8s.io",
    )
)

# Where the kinds of `extensions` are now.
_MOVED = {
    "extensions/DaemonSet": "apps/DaemonSet",
    "extensions/Deployment": "apps/Deployment",
    "extensions/Ingress": "networking.k8s.io/Ingress",
    "extensions/NetworkPolicy": "networking.k8s.io/NetworkPolicy",
    "extensions/ReplicaSet": "apps/ReplicaSet",
}


def fact(group: str, kind: str, place: FieldPath, pod_specs: PodSpecs) -> Fact | None:
    """Return what the types declare of a field: an empty fact, or None where the type is not known at all."""
    known = _known(group, kind, place, pod_specs)
    return None if known is None else _fact(*known)


def below_pod_spec(group: str, kind: str, place: FieldPath, pod_specs: PodSpecs) -> FieldPath | None:
    """Return the rest of `place` from the pod spec on that it lies in, None where it lies in none."""
    known = _known(group, kind, place, pod_specs)
    return None if known is None else _below_pod_spec(*known)


def is_registered(group: str) -> bool:
    """Return True if kubectl has the Go types of a group: it patches those strategically, all others by JSON merge."""
    return group in _REGISTERED


def _known(group: str, kind: str, place: FieldPath, pod_specs: PodSpecs) -> tuple[str, FieldPath] | None:
    """Return a type that is known, and the rest of `place` from there on.

    It is the type of the kind itself, or of something above `place`: metadata, or the pod template of a kind that
    Kubernetes has not built in.
    """
    name = f"{group}/{kind}" if group else kind
    type_name = KINDS.get(_MOVED.get(name, name))
    if type_name is not None:
        return type_name, place
    if place[:1] == ("metadata",):
        return _METADATA, place[1:]
    workload = pod_specs.of_kind(group, kind)
    for template in (path[:-1] for path in (workload.pod_specs if workload else ())):
        if leads(template, place):
            return _POD_TEMPLATE, place[len(template) :]
    return None


def _fact(type_name: str, place: FieldPath) -> Fact:
    name = ""
    for step in place:
        type_name, name = _field(type_name, name, step)
    return FACTS.get(name, {})


def _below_pod_spec(type_name: str, place: FieldPath) -> FieldPath | None:
    for depth, step in enumerate(place):
        if type_name == _POD_SPEC:
            return place[depth:]
        type_name, _ = _field(type_name, "", step)
    return () if type_name == _POD_SPEC else None


def _field(type_name: str, name: str, step: Segment) -> tuple[str, str]:
    """Return the type of a field and the name of its fact. An element has those of its list."""
    return TYPES.get(type_name, {}).get(step, ("", "")) if isinstance(step, str) else (type_name, name)
