"""Merge facts of the built-in kinds of any version, as Kubernetes has them (docs/reference/merge.md, "Keyed lists").

The table is large, so this module is imported when a fact is needed: a merge in which nothing changes needs none.
"""

from __future__ import annotations

from functools import cache

from krm.fieldpath import leads
from krm.merge.kinds.list_facts import FACTS, KINDS, SAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import FieldPath
    from krm.workloads import PodSpecs

_METADATA = "Pod.metadata"
_POD_TEMPLATE = "PodTemplate.template"
_POD_SPEC = "Pod.spec"
_CONTAINER = "Pod.spec.containers"

_WORDS = frozenset(("atomic", "map", "merge", "replace", "retainKeys", "set"))

_EXTENSIONS = "extensions"
# The kinds of that group, which are in other groups now.
_MOVED = "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet"
# The other groups whose types are compiled into kubectl (client-go's scheme); no kind of them has a fact.
_WITHOUT_FACTS = (
    *("authentication.k8s.io", "authorization.k8s.io", "certificates.k8s.io", "coordination.k8s.io", "events.k8s.io"),
    *("flowcontrol.apiserver.k8s.io", "internal.apiserver.k8s.io", "node.k8s.io", "resource.k8s.io"),
    *("scheduling.k8s.io", "storagemigration.k8s.io"),
)


class Fact:
    """The facts that a type declares of a field, by the words of the table: its keys, and how kubectl patches it.

    kubectl knows only one of several keys, the `patch_key`: 53/TCP and 53/UDP are one port to it. A fact `is_known` if
    the type of the field is.
    """

    def __init__(self, declared: str, *, is_known: bool = True) -> None:
        words = declared.split()
        self.is_known = is_known
        self.keys = tuple([word for word in words if word not in _WORDS])
        self.is_set = "set" in words
        self.merges = "merge" in words
        self.replaces = "replace" in words
        self.retains = "retainKeys" in words
        self.patch_key = self.keys[0] if self.keys and self.merges else ""


UNKNOWN = Fact("", is_known=False)
_fact_of = cache(Fact)


def fact(group: str, kind: str, place: FieldPath, pod_specs: PodSpecs) -> Fact:
    """Return the fact that the types declare of a field. The fact of an element is that of its list."""
    names = [name for name, _, _ in _fields(group, kind, place, pod_specs)]
    return _fact_of(FACTS.get(names[-1], "")) if names else UNKNOWN


def below_pod_spec(group: str, kind: str, place: FieldPath, pod_specs: PodSpecs) -> FieldPath | None:
    """Return the rest of `place` from its pod spec on, None if it is outside of any pod spec."""
    fields = _fields(group, kind, place, pod_specs)
    return next((rest for _, type_name, rest in fields if type_name == _POD_SPEC), None)


def is_registered(group: str) -> bool:
    """True if kubectl has the Go types of a group: it patches those strategically, and all others by JSON merge."""
    return group in KINDS or group == _EXTENSIONS or group in _WITHOUT_FACTS


def _known_type(group: str, kind: str, place: FieldPath, pod_specs: PodSpecs) -> tuple[str, FieldPath] | None:
    """Return a known type, and the rest of `place` from there on.

    It is the type of the kind itself, or of a field above `place`: metadata, or the pod template of a custom kind.
    """
    if place[:1] == ("metadata",):
        return _METADATA, place[1:]
    if kind in _kinds(group):
        return SAME.get(kind, kind), place
    for template in (path[:-1] for path in pod_specs.of_kind(group, kind)):
        if leads(template, place):
            return _POD_TEMPLATE, place[len(template) :]
    containers = pod_specs.containers.get((group, kind), ())
    return next(((_CONTAINER, place[len(path) :]) for path in containers if leads(path, place)), None)


def _fields(group: str, kind: str, place: FieldPath, pod_specs: PodSpecs) -> Iterator[tuple[str, str, FieldPath]]:
    """Yield the name and the type of each known field on the way to `place`, and the rest of `place` from there on.

    An element has both names from its list.
    """
    known = _known_type(group, kind, place, pod_specs)
    if known is None:
        return
    name, (type_name, rest) = "", known
    yield name, type_name, rest
    for depth, step in enumerate(rest, 1):
        if isinstance(step, str):
            name = f"{type_name}.{step}"
            type_name = SAME.get(name, name)
        yield name, type_name, rest[depth:]


@cache
def _kinds(group: str) -> list[str]:
    return (_MOVED if group == _EXTENSIONS else KINDS.get(group, "")).split()
