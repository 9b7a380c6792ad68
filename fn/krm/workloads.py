"""Where pod specs are, kind by kind, and what in them the kubelet expands (spec/expansion.md, 2.5 and 3).

Kinds are recognised by group and kind at any version, those of Kubernetes and those that a functionConfig adds
(decision 21). Pod-like shapes elsewhere are left alone: Tekton and Argo Workflows use `$(...)` for syntax of their own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource

_TEMPLATE = ("spec", "template", "spec")
_PATHS: dict[tuple[str, str], FieldPath] = {
    ("", "Pod"): ("spec",),
    ("", "PodTemplate"): ("template", "spec"),
    ("", "ReplicationController"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", *_TEMPLATE),
    ("batch", "Job"): _TEMPLATE,
    # Where the apps kinds were before they had a group of their own.
    ("extensions", "DaemonSet"): _TEMPLATE,
    ("extensions", "Deployment"): _TEMPLATE,
    ("extensions", "ReplicaSet"): _TEMPLATE,
    ("argoproj.io", "Rollout"): _TEMPLATE,
    ("serving.knative.dev", "Service"): _TEMPLATE,
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
    """Where the pod specs of all kinds of workloads are, those with the pod templates of a functionConfig included."""

    def __init__(self, pod_templates: dict[tuple[str, str], FieldPath]) -> None:
        self._paths = _PATHS | {kind: (*path, "spec") for kind, path in pod_templates.items()}

    def path_of(self, resource: Resource) -> FieldPath | None:
        """Return where the pod spec of a workload is, None for any other resource."""
        return self._paths.get((resource.group, resource.kind))

    def is_expanded(self, resource: Resource, place: Place) -> bool:
        """Say whether the kubelet expands the field at `place` of a resource."""
        pod_spec = self.path_of(resource)
        if pod_spec is None or not any(place[: len(pod_spec) + 1] == (*pod_spec, key) for key in CONTAINERS):
            return False
        field = tuple(None if isinstance(step, int) else step for step in place[len(pod_spec) + 2 :])
        return field in _EXPANDED
