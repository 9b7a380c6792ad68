"""The values of `valueFrom` and `envFrom`, as far as the items have them (docs/expansion.md, "Sources of env")."""

from __future__ import annotations

from expand_vars.expansion.cluster import UnreadableError
from expand_vars.expansion.findings import MISSING_KEY, near_key
from expand_vars.expansion.resolution import ABSENT, KNOWN, UNKNOWN, Value
from expand_vars.functionconfig.model import CONFIG_MAPS, LITERALS, SECRETS
from krm.yamltree.nodes import list_elements, mapping_at
from krm.yamltree.scalars import data, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.cluster import Cluster
    from expand_vars.expansion.containers import Container
    from expand_vars.functionconfig.model import Inline
    from krm.resource import Resource
    from krm.yamltree.nodes import Mapping

_KEY_REFERENCES = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_SOURCES: dict[str, Inline] = {"ConfigMap": CONFIG_MAPS, "Secret": SECRETS}


def value_from(source: Mapping | None, container: Container, cluster: Cluster) -> Value:
    """Return the value that a `valueFrom` gives: absent where it is optional and not there, so that it is skipped."""
    from expand_vars.expansion import downward  # noqa: PLC0415 - most containers do not ask

    # The API takes one source for an entry. Of several the first is read, for a cluster refuses them all anyway.
    for key, kind in _KEY_REFERENCES.items():
        reference = mapping_at(source, key)
        if reference is not None:
            return _of_key(kind, reference, container, cluster)
    field, resource, pod = mapping_at(source, "fieldRef"), mapping_at(source, "resourceFieldRef"), container.pod
    if field is not None:
        return downward.field(pod, field)
    if resource is not None:
        return downward.resource(pod.spec, container.node, resource)
    return Value(UNKNOWN, LITERALS, "its source is not one that can be read here")


class EnvFrom:
    """The names that the sources of a container's `envFrom` declare, in their order: a later one wins.

    A source that cannot be read, optional or not, may define any name with its prefix. Such a name of an earlier
    source is unknown from there on, until a later source that can be read declares it.
    """

    def __init__(self, container: Container, cluster: Cluster) -> None:
        self.declared: dict[str, Value] = {}
        self._unread: list[tuple[str, Value]] = []
        for element in list_elements(container.node.get("envFrom")):
            source = mapping_at(element)
            if source is not None:
                self._add(source, container.pod.workload, cluster)

    def taint(self, name: str) -> Value | None:
        """Return why a name may be declared by an unread source, None for a name that none of them may define."""
        return next((value for prefix, value in self._unread if name.startswith(prefix)), None)

    def _add(self, source: Mapping, workload: Resource, cluster: Cluster) -> None:
        # A prefix is put in front as it is: `P` and `_K` are `P_K`, with no separator of the kubelet's own.
        prefix = string_at(source, "prefix") or ""
        for key, kind in _REFERENCES.items():
            reference = mapping_at(source, key)
            if reference is not None:
                name = string_at(reference, "name") or ""
                try:
                    texts = cluster.texts(kind, name, workload)
                    self.declared |= {f"{prefix}{key}": _of_text(kind, name, key, text) for key, text in texts.items()}
                except UnreadableError as error:
                    self._declare_any(prefix, Value(UNKNOWN, _SOURCES[kind], str(error)))

    def _declare_any(self, prefix: str, value: Value) -> None:
        """Make every name with a prefix unknown."""
        # Sources behind this one declare their names again: a later source wins.
        self._unread.append((prefix, value))
        for name in self.declared:
            if name.startswith(prefix):
                self.declared[name] = value


def _of_key(kind: str, reference: Mapping, container: Container, cluster: Cluster) -> Value:
    """Return what a `configMapKeyRef` or `secretKeyRef` gives."""
    name, key = (string_at(reference, one) or "" for one in ("name", "key"))
    try:
        texts = cluster.texts(kind, name, container.pod.workload)
    except UnreadableError as error:
        return Value(UNKNOWN, _SOURCES[kind], str(error))
    # Keys with a value that is no text are there as well, so that the entry is unknown and not skipped.
    if key in texts:
        return _of_text(kind, name, key, texts[key])
    missing = f"{kind} `{name}` has no key `{key}`"
    # The kubelet skips the entry then, so that an earlier value of the name stays.
    if data(reference.get("optional")) is True:
        return Value(ABSENT, _SOURCES[kind], missing)
    reason = f"{missing}, without which the container does not start: {near_key(key, texts)}"
    return Value(UNKNOWN, _SOURCES[kind], reason, finding=MISSING_KEY)


def _of_text(kind: str, name: str, key: str, text: str | None) -> Value:
    """Return what a key of a ConfigMap or Secret gives."""
    where = f"key `{key}` of {kind} `{name}`"
    if text is None:
        return Value(UNKNOWN, _SOURCES[kind], f"{where} is no text")
    return Value(KNOWN, _SOURCES[kind], where, text, is_secret=kind == "Secret")
