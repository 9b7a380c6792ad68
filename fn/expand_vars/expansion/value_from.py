"""What an entry of `env` with `valueFrom` gets, as far as configuration tells (spec/expansion.md, 2.4 and 3)."""

from __future__ import annotations

from expand_vars.expansion.cluster import UnreadableError
from expand_vars.expansion.containers import at
from expand_vars.expansion.findings import MISSING_KEY
from expand_vars.expansion.values import ABSENT, CONFIG_MAPS, KNOWN, LITERALS, SECRETS, UNKNOWN, Value
from krm.yamltree.nodes import resolved
from krm.yamltree.scalars import data, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.cluster import Cluster
    from expand_vars.expansion.containers import Container
    from krm.yamltree.nodes import Mapping

_KEYS = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
WORDS = {"ConfigMap": CONFIG_MAPS, "Secret": SECRETS}


def value_of(source: Mapping | None, container: Container, cluster: Cluster) -> Value:
    """Return the value that a `valueFrom` gives: absent where it is optional and not there, so that it is skipped."""
    from expand_vars.expansion import downward  # noqa: PLC0415 - most containers do not ask

    for key, kind in _KEYS.items():
        reference = at(source, key)
        if reference is not None:
            return _of_key(kind, reference, container, cluster)
    field, resource, pod = at(source, "fieldRef"), at(source, "resourceFieldRef"), container.pod
    if field is not None:
        return downward.field(pod.workload, pod.spec, pod.metadata, field)
    if resource is not None:
        return downward.resource(pod.spec, container.node, resource)
    return Value(UNKNOWN, LITERALS, "its source is not one that can be read here")


def of_text(kind: str, name: str, key: str, text: str | None) -> Value:
    """Return what a key of a ConfigMap or Secret gives."""
    where = f"key `{key}` of {kind} `{name}`"
    if text is None:
        return Value(UNKNOWN, WORDS[kind], f"{where} is no text")
    return Value(KNOWN, WORDS[kind], where, text, is_secret=kind == "Secret")


def _of_key(kind: str, reference: Mapping, container: Container, cluster: Cluster) -> Value:
    name, key = (string(resolved(reference.get(one))) or "" for one in ("name", "key"))
    try:
        texts = cluster.texts(kind, name, container.pod.workload)
    except UnreadableError as error:
        return Value(UNKNOWN, WORDS[kind], str(error))
    if key in texts:
        return of_text(kind, name, key, texts[key])
    missing = f"{kind} `{name}` has no key `{key}`"
    if data(reference.get("optional")) is True:
        return Value(ABSENT, WORDS[kind], missing)
    return Value(UNKNOWN, WORDS[kind], f"{missing}, without which the container does not start", finding=MISSING_KEY)
