"""The values of `valueFrom` and `envFrom` (docs/reference/expansion.md, "Sources of env", "The downward API").

Of the downward API they have what the manifest decides. Quantities (`500m`, `1.5Gi`, `2e3`) are
exact numbers here: Kubernetes keeps nothing finer than a billionth and rounds away from zero to it, so a quantity is
its count of billionths.
"""

from __future__ import annotations

import re

from expand_vars.expansion.cluster import source_of
from expand_vars.expansion.containers import boolean
from expand_vars.expansion.findings import MISSING_KEY, near_key
from expand_vars.expansion.resolution import ABSENT, KNOWN, UNKNOWN, EnvValue
from expand_vars.functionconfig.model import DOWNWARD, RESOURCES
from krm.resource import FOR_TOOLS
from krm.yamltree.nodes import Scalar, at, list_elements, mapping_at, resolved
from krm.yamltree.scalars import data, is_json_value, string, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.cluster import Cluster
    from expand_vars.expansion.containers import Container, Pod
    from krm.yamltree.nodes import Mapping, Node

_KEY_REFERENCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}


def value_from(source: Mapping | None, container: Container, cluster: Cluster) -> EnvValue:
    """Return the value that a `valueFrom` gives. It is absent for a missing optional source, which is skipped."""
    # The API refuses several sources of an entry, so it does not matter which of them is read.
    for key, kind in _KEY_REFERENCES.items():
        reference = mapping_at(source, key)
        if reference is not None:
            return _of_key(kind, reference, container, cluster)
    field, resource, pod = mapping_at(source, "fieldRef"), mapping_at(source, "resourceFieldRef"), container.pod
    if field is not None:
        return of_field(pod, field)
    if resource is not None:
        return of_resource(pod.spec, container.node, resource)
    return EnvValue(UNKNOWN, "its source is not one that can be read here")


class EnvFrom:
    """The names that the sources of a container's `envFrom` declare, in their order: a later one wins.

    A source that cannot be read, optional or not, may define any name with its prefix. Such a name of an earlier
    source is unknown from there on, until a later source that can be read declares it.
    """

    def __init__(self, container: Container, cluster: Cluster) -> None:
        self.declared: dict[str, EnvValue] = {}
        self._unread: list[tuple[str, EnvValue]] = []
        for source in filter(None, map(mapping_at, list_elements(container.node.get("envFrom")))):
            # A prefix is put in front as it is: `P` and `_K` are `P_K`, with no separator of the kubelet's own.
            prefix = string_at(source, "prefix") or ""
            for key, kind in _REFERENCES.items():
                reference = mapping_at(source, key)
                if reference is None:
                    continue
                values = cluster.values(kind, string_at(reference, "name") or "", container.pod.workload)
                if isinstance(values, EnvValue):
                    # Sources behind this one declare their names again: a later source wins.
                    self._unread.append((prefix, values))
                    values = dict.fromkeys((one for one in self.declared if one.startswith(prefix)), values)
                elif prefix:
                    values = {f"{prefix}{key}": value for key, value in values.items()}
                self.declared |= values

    def taint(self, name: str) -> EnvValue | None:
        """Return the reason why an unread source may declare a name, None if none of them may."""
        return next((value for prefix, value in self._unread if name.startswith(prefix)), None)


def _of_key(kind: str, reference: Mapping, container: Container, cluster: Cluster) -> EnvValue:
    """Return what a `configMapKeyRef` or `secretKeyRef` gives."""
    name, key = (string_at(reference, one) or "" for one in ("name", "key"))
    values = cluster.values(kind, name, container.pod.workload)
    if isinstance(values, EnvValue):
        return values
    # Keys with a value that is no text are there as well, so that the entry is unknown and not skipped.
    if key in values:
        return values[key]
    missing = f"{kind} `{name}` has no key `{key}`"
    # The kubelet skips the entry then, so that an earlier value of the name stays.
    if boolean(reference.get("optional")):
        return EnvValue(ABSENT, missing, source_of(kind))
    reason = f"{missing}, without which the container does not start: {near_key(key, values)}"
    return EnvValue(UNKNOWN, reason, source_of(kind), finding=MISSING_KEY)


# Where the pod spec states a field. The last key is its name in an older API.
_OF_POD_SPEC = {
    "spec.nodeName": ("nodeName",),
    "spec.host": ("nodeName",),
    "spec.serviceAccountName": ("serviceAccountName", "serviceAccount"),
}
_OF_METADATA = {"metadata.labels": "labels", "metadata.annotations": "annotations"}

# Keys of labels and annotations that a pod does not have, or not with the value in its template.
_SET_LATER = (
    *FOR_TOOLS,
    "apps.kubernetes.io/",
    "batch.kubernetes.io/",
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "pod-template-",
    "statefulset.kubernetes.io/",
    # The API server writes these over those of the template when the Pod is bound (since 1.35).
    "topology.kubernetes.io/",
)
_RESOURCES = ("cpu", "memory", "ephemeral-storage")

_ONE = 10**9
_MILLI = 10**6
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

# More digits than any quantity needs are refused, since the time for a number grows with its length. As a text: few
# runs read a quantity.
_QUANTITY = (
    r"(?P<sign>[-+]?)(?=\.?[0-9])(?P<whole>[0-9]{0,40})(?:\.(?P<part>[0-9]{0,40}))?"
    r"(?:[eE](?P<exponent>[-+]?[0-9]{1,2})|(?P<suffix>[numkMGTPE]?|[KMGTPE]i))"
)
_LARGEST = (2**63 - 1) * _ONE

_CPU_DIVISORS = frozenset((_ONE, _MILLI))
_DIVISORS = frozenset(
    (*(_ONE * 10**power for power in _DECIMAL.values() if power >= 0), *(_ONE << power for power in _BINARY.values()))
)
_LARGEST_FLOAT = 2**53


def of_field(pod: Pod, reference: Mapping) -> EnvValue:
    """Return what a `fieldRef` gives."""
    path = _text(reference, "fieldPath")
    text = _of_path(path, pod) if _text(reference, "apiVersion") in ("", "v1") else None
    if text is None or "$(" in text:  # a text with a reference is not final yet
        return EnvValue(UNKNOWN, f"`{path}` is decided in the cluster", DOWNWARD)
    return EnvValue(KNOWN, f"`{path}` of the pod", DOWNWARD, text)


def of_resource(pod_spec: Mapping, container: Mapping, reference: Mapping) -> EnvValue:
    """Return what a `resourceFieldRef` of a container gives. With `containerName` it asks for another container's."""
    path = _text(reference, "resource")
    other = _text(reference, "containerName")
    name, owner = other or _text(container, "name"), None if other else container
    if other:
        # An init container counts where no other has the name.
        listed = (kid for key in ("containers", "initContainers") for kid in list_elements(pod_spec.get(key)))
        owner = next((one for one in map(mapping_at, listed) if one is not None and _text(one, "name") == name), None)
    if owner is None:
        return EnvValue(UNKNOWN, f"there is no container `{name}`", RESOURCES)
    text = _amount(path, owner, reference)
    if text is None:
        return EnvValue(UNKNOWN, f"`{path}` of container `{name}` is decided in the cluster", RESOURCES)
    return EnvValue(KNOWN, f"`{path}` of container `{name}`", RESOURCES, text)


def billionths(text: str) -> int | None:
    """Return a quantity in billionths, None for a text that is no quantity, or one too large for Kubernetes."""
    match = re.fullmatch(_QUANTITY, text)
    if match is None:
        return None
    part = match["part"] or ""
    digits = int(match["whole"] + part)
    power = int(match["exponent"] or _DECIMAL.get(match["suffix"], 0)) - len(part) + 9
    amount = digits << _BINARY.get(match["suffix"], 0)
    counted = amount * 10**power if power >= 0 else _divided(amount, 10**-power)
    if counted > _LARGEST:
        return None
    return -counted if match["sign"] == "-" else counted


def ceiling(quantity: str, divisor: str, *, of_cpu: bool) -> str | None:
    """Return `quantity` divided by `divisor`, rounded up: decimal, without a suffix, as `resourceFieldRef` gives it.

    A divisor of zero counts as one. None where either is no quantity, where the divisor is not allowed, or where the
    kubelet may round: it counts thousandths of cpu, and ones of anything else, in floats.
    """
    amount = billionths(quantity)
    by = billionths(divisor)
    # The API allows a divisor of zero, which is what one that is not stated becomes in Go: it counts as one.
    if by == 0:
        by = _ONE
    if amount is None or by is None or by not in (_CPU_DIVISORS if of_cpu else _DIVISORS):
        return None
    # From here on a float skips whole numbers, so the kubelet may give a neighbour.
    if abs(amount) > _LARGEST_FLOAT * (_MILLI if of_cpu else _ONE):
        return None
    return str(_divided(amount, by))


def _of_path(path: str, pod: Pod) -> str | None:
    """Return the text of a pod's field, None where the manifest does not decide it."""
    workload = pod.workload
    if path in _OF_POD_SPEC:
        return next(filter(None, (_text(pod.spec, key) for key in _OF_POD_SPEC[path])), None)
    # Without one in the manifest it is the namespace that somebody applies to, `kubectl -n` for one.
    if path == "metadata.namespace":
        return workload.namespace or None
    # A controller gives each of its pods another name.
    if path == "metadata.name" and (workload.group, workload.kind) == ("", "Pod"):
        return workload.name or None
    # A label that is not stated is unknown, not empty: a webhook or a controller may add it.
    parent, _, rest = path.partition("['")
    if parent not in _OF_METADATA or not rest.endswith("']") or rest.startswith((*_SET_LATER, *pod.facts.labels)):
        return None
    return string_at(pod.metadata, _OF_METADATA[parent], rest[:-2])


def _amount(path: str, container: Mapping, reference: Mapping) -> str | None:
    """Return the amount of a resource, None where the manifest does not decide it."""
    # A request that is not stated is the limit. A limit that is not stated, or is zero, is what the node has.
    kind, _, name = path.partition(".")
    # The API takes no other resource in an environment, so an answer for one would be a guess.
    if kind not in ("limits", "requests") or not (name in _RESOURCES or name.startswith("hugepages-")):
        return None
    limit = _number(at(container, "resources", "limits", name))
    if kind == "limits":
        # The kubelet takes a limit of zero for none, and then gives what the node can allot.
        quantity = None if limit is None or billionths(limit) == 0 else limit
    else:
        request = _number(at(container, "resources", "requests", name))
        quantity = limit if request is None else request
    divisor = _number(reference.get("divisor"))
    if quantity is None:
        return None
    return ceiling(quantity, "0" if divisor is None else divisor, of_cpu=name == "cpu")


def _number(node: Node | None) -> str | None:
    """Return the text of a quantity, None for null. A plain number has one if every reader of YAML agrees on it."""
    scalar = resolved(node)
    if data(scalar) is None:
        return None
    text = string(scalar)
    if text is None and isinstance(scalar, Scalar) and is_json_value(scalar.value):
        text = scalar.value
    return text or ""


def _text(mapping: Mapping, key: str) -> str:
    return string_at(mapping, key) or ""


def _divided(amount: int, by: int) -> int:
    """Return `amount / by`, rounded up."""
    return -(-amount // by)
