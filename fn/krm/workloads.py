"""Kinds with pod templates: the facts of each kind, the fields of a pod spec that the kubelet expands, and maps.

This is the one table of such kinds, for expansion and for merge. A kind is known by group and kind, at any version. A
functionConfig adds kinds of its own (`podTemplates`). Pod-like shapes of other kinds are left alone: Tekton and Argo
Workflows use `$(...)` for a syntax of their own.
"""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource

_TEMPLATE = ("spec", "template", "spec")


class Workload:
    """The facts of a kind with a pod template: the path of its pod spec, and whether its `spec.replicas` scales it."""

    __slots__ = ("pod_spec", "scales")

    def __init__(self, pod_spec: FieldPath, *, scales: bool = True) -> None:
        self.pod_spec = pod_spec
        self.scales = scales


_KINDS: dict[tuple[str, str], Workload] = {
    ("", "Pod"): Workload(("spec",), scales=False),
    ("", "PodTemplate"): Workload(("template", "spec"), scales=False),
    ("", "ReplicationController"): Workload(_TEMPLATE),
    ("apps", "DaemonSet"): Workload(_TEMPLATE, scales=False),
    ("apps", "Deployment"): Workload(_TEMPLATE),
    ("apps", "ReplicaSet"): Workload(_TEMPLATE),
    ("apps", "StatefulSet"): Workload(_TEMPLATE),
    ("batch", "CronJob"): Workload(("spec", "jobTemplate", *_TEMPLATE), scales=False),
    ("batch", "Job"): Workload(_TEMPLATE, scales=False),
    # Where the apps kinds were before they had a group of their own.
    ("extensions", "DaemonSet"): Workload(_TEMPLATE, scales=False),
    ("extensions", "Deployment"): Workload(_TEMPLATE),
    ("extensions", "ReplicaSet"): Workload(_TEMPLATE),
    ("argoproj.io", "Rollout"): Workload(_TEMPLATE),
    ("serving.knative.dev", "Service"): Workload(_TEMPLATE, scales=False),
}

# The maps that hold strings alone, whatever stands in front of them.
STRING_MAPS = frozenset(("annotations", "labels", "matchLabels", "nodeSelector", "selector"))

# The maps whose keys are their author's own. One of them with anything but scalars in it is another thing of that name,
# such as the `selector` of a Deployment.
AUTHORED_MAPS = STRING_MAPS | {
    "binaryData",
    "capacity",
    "data",
    "hard",
    "limits",
    "overhead",
    "parameters",
    "requests",
    "stringData",
    "volumeAttributes",
}

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")

# Fields of a container that the kubelet expands, from the container on; None is any index.
_EXPANDED: frozenset[tuple[str | None, ...]] = frozenset(
    (
        ("env", None, "value"),
        ("command", None),
        ("args", None),
        ("volumeMounts", None, "subPathExpr"),
        *((probe, "exec", "command", None) for probe in PROBES),
    )
)


class PodSpecs:
    """The kinds with pod templates: those of the table, and `pod_templates` by group and kind."""

    __slots__ = ("_kinds",)

    def __init__(self, pod_templates: Mapping[tuple[str, str], FieldPath] = MappingProxyType({})) -> None:
        self._kinds = _KINDS | {kind: Workload((*path, "spec")) for kind, path in pod_templates.items()}

    def path_of(self, resource: Resource) -> FieldPath | None:
        """Return where the pod spec of a workload is, None for any other resource."""
        return self.path_of_kind(resource.group, resource.kind)

    def path_of_kind(self, group: str, kind: str) -> FieldPath | None:
        """Return where the pod spec of a kind is, None where it has none."""
        workload = self._kinds.get((group, kind))
        return None if workload is None else workload.pod_spec

    def scales(self, resource: Resource) -> bool:
        """Return True for a workload whose `spec.replicas` says how many Pods it has."""
        workload = self._kinds.get((resource.group, resource.kind))
        return workload is not None and workload.scales

    def is_expanded(self, resource: Resource, place: Place) -> bool:
        """Return True if the kubelet expands the field at `place` of a resource."""
        pod_spec = self.path_of(resource)
        if pod_spec is None or not any(place[: len(pod_spec) + 1] == (*pod_spec, key) for key in CONTAINERS):
            return False
        field = tuple(None if isinstance(step, int) else step for step in place[len(pod_spec) + 1 :])
        # A container is an element: of a mapping in the place of the list the kubelet reads nothing.
        return field[:1] == (None,) and field[1:] in _EXPANDED
