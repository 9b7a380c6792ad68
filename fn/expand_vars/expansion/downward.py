"""What `fieldRef` and `resourceFieldRef` give, as far as the manifest tells (spec/expansion.md, 2.4 and 3)."""

from __future__ import annotations

from expand_vars.expansion import quantities
from expand_vars.expansion.values import DOWNWARD, KNOWN, RESOURCES, UNKNOWN, Value
from krm.resource import BOOKKEEPING
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.scalars import data, is_json_value, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

# Where a pod spec says it: what an older API called it stands last.
_OF_POD_SPEC = {
    "spec.nodeName": ("nodeName",),
    "spec.host": ("nodeName",),
    "spec.serviceAccountName": ("serviceAccountName", "serviceAccount"),
}
_OF_METADATA = {"metadata.labels": "labels", "metadata.annotations": "annotations"}

# Keys of labels and annotations that a pod does not have, or not with the value of its template.
_SET_LATER = (
    *BOOKKEEPING,
    "apps.kubernetes.io/",
    "batch.kubernetes.io/",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "pod-template-",
    "statefulset.kubernetes.io/",
)
_RESOURCES = ("cpu", "memory", "ephemeral-storage")


def field(workload: Resource, pod_spec: Mapping, metadata: Mapping | None, reference: Mapping) -> Value:
    """Return what a `fieldRef` gives. `metadata` is that of the pod template, of a Pod its own."""
    path = _text(reference, "fieldPath")
    text = _of_path(path, workload, pod_spec, metadata) if _text(reference, "apiVersion") in ("", "v1") else None
    if text is None or "$(" in text:  # what holds a reference is not yet the text that it will be
        return Value(UNKNOWN, DOWNWARD, f"`{path}` is decided in the cluster")
    return Value(KNOWN, DOWNWARD, f"`{path}` of the pod", text)


def resource(pod_spec: Mapping, container: Mapping, reference: Mapping) -> Value:
    """Return what a `resourceFieldRef` of a container gives, which may ask for the resources of another one."""
    path = _text(reference, "resource")
    name = _text(reference, "containerName") or _text(container, "name")
    owner = _named(pod_spec, name) if _text(reference, "containerName") else container
    if owner is None:
        return Value(UNKNOWN, RESOURCES, f"there is no container `{name}`")
    text = _amount(path, owner, reference)
    if text is None:
        return Value(UNKNOWN, RESOURCES, f"`{path}` of container `{name}` is decided in the cluster")
    return Value(KNOWN, RESOURCES, f"`{path}` of container `{name}`", text)


def _of_path(path: str, workload: Resource, pod_spec: Mapping, metadata: Mapping | None) -> str | None:
    """Return the text of a pod's field, None where the manifest does not decide it."""
    if path in _OF_POD_SPEC:
        return next(filter(None, (_text(pod_spec, key) for key in _OF_POD_SPEC[path])), None)
    if path == "metadata.namespace":
        return workload.namespace or None
    if path == "metadata.name" and (workload.group, workload.kind) == ("", "Pod"):
        return workload.name or None
    parent, _, rest = path.partition("['")
    if parent not in _OF_METADATA or not rest.endswith("']") or rest.startswith(_SET_LATER):
        return None
    texts = resolved(metadata.get(_OF_METADATA[parent])) if metadata is not None else None
    return string(resolved(texts.get(rest[:-2]))) if isinstance(texts, Mapping) else None


def _amount(path: str, container: Mapping, reference: Mapping) -> str | None:
    """Return the amount of a resource, None where the manifest does not decide it.

    A request that is not said is the limit. A limit that is not said, or is zero, is what the node has.
    """
    kind, _, name = path.partition(".")
    if kind not in ("limits", "requests") or not (name in _RESOURCES or name.startswith("hugepages-")):
        return None
    limit = _quantity(container, "limits", name)
    if kind == "limits":
        quantity = None if limit is None or quantities.parse(limit) == 0 else limit
    else:
        request = _quantity(container, "requests", name)
        quantity = limit if request is None else request
    divisor = _number(reference.get("divisor"))
    if quantity is None:
        return None
    return quantities.ceiling(quantity, "0" if divisor is None else divisor, of_cpu=name == "cpu")


def _quantity(container: Mapping, kind: str, name: str) -> str | None:
    node: Node | None = container
    for key in ("resources", kind, name):
        mapping = resolved(node)
        node = mapping.get(key) if isinstance(mapping, Mapping) else None
    return _number(node)


def _number(node: Node | None) -> str | None:
    """Return the text of a quantity, None where there is none: a plain number has one if all readers agree on it."""
    scalar = resolved(node)
    if data(scalar) is None:
        return None
    text = string(scalar)
    if text is None and isinstance(scalar, Scalar) and is_json_value(scalar.value):
        text = scalar.value
    return text or ""


def _named(pod_spec: Mapping, name: str) -> Mapping | None:
    """Return the container of that name; an init container where no other has it."""
    for key in ("containers", "initContainers"):
        listed = resolved(pod_spec.get(key))
        for kid in listed.kids if isinstance(listed, Sequence) else ():
            container = resolved(kid)
            if isinstance(container, Mapping) and _text(container, "name") == name:
                return container
    return None


def _text(mapping: Mapping, key: str) -> str:
    return string(resolved(mapping.get(key))) or ""
