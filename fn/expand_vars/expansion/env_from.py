"""What `envFrom` declares, and what it may declare that nobody can know (spec/expansion.md 2.3, and the taint rule)."""

from __future__ import annotations

from expand_vars.expansion import names
from expand_vars.expansion.cluster import UnreadableError
from expand_vars.expansion.containers import at, elements, mapping
from expand_vars.expansion.value_from import WORDS, of_text
from expand_vars.expansion.values import UNKNOWN, Value
from krm.yamltree.nodes import resolved
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.cluster import Cluster
    from expand_vars.expansion.containers import Container
    from krm.resource import Resource
    from krm.yamltree.nodes import Mapping

_REFERENCES = {"configMapRef": "ConfigMap", "secretRef": "Secret"}


class EnvFrom:
    """What the sources of a container's `envFrom` declare, in their order: a later one wins.

    One that cannot be read, optional or not, may define any name with its prefix. From there on such a name of an
    earlier source is unknown, until a later one that can be read declares it.
    """

    def __init__(self, container: Container, cluster: Cluster) -> None:
        self.declared: dict[str, Value] = {}
        self._unread: list[tuple[str, Value]] = []
        for element in elements(container.node.get("envFrom")):
            source = mapping(element)
            if source is not None:
                self._add(source, container.pod.workload, cluster)

    def taint(self, name: str) -> Value | None:
        """Return why nobody can know whether a name is declared, None for one that no unread source may define."""
        return next((value for prefix, value in self._unread if name.startswith(prefix)), None)

    def _add(self, source: Mapping, workload: Resource, cluster: Cluster) -> None:
        prefix = string(resolved(source.get("prefix"))) or ""
        for key, kind in _REFERENCES.items():
            reference = at(source, key)
            if reference is not None:
                name = string(resolved(reference.get("name"))) or ""
                try:
                    self._declare(prefix, kind, name, cluster.texts(kind, name, workload))
                except UnreadableError as error:
                    self._declare_any(prefix, Value(UNKNOWN, WORDS[kind], str(error)))

    def _declare(self, prefix: str, kind: str, name: str, texts: dict[str, str | None]) -> None:
        for key, text in texts.items():
            value = of_text(kind, name, key, text)
            if not names.is_name(prefix + key):
                value = Value(UNKNOWN, WORDS[kind], f"{value.reason} is no name to older kubelets, which skip it")
            self.declared[prefix + key] = value

    def _declare_any(self, prefix: str, value: Value) -> None:
        self._unread.append((prefix, value))
        for name in self.declared:
            if name.startswith(prefix):
                self.declared[name] = value
