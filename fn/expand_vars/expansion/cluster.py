"""The items as a container sees them: ConfigMaps, Secrets and Services (spec/expansion.md 3, decisions 17 and 18)."""

from __future__ import annotations

from expand_vars.expansion import secrets
from krm.yamltree.nodes import Mapping, resolved
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from expand_vars.expansion.values import Value
    from krm.resource import Resource

    Key: TypeAlias = tuple[str, str, str]
    """Package, namespace and name."""

_PACKAGE = "internal.config.kubernetes.io/package-path"
SOURCES = ("ConfigMap", "Secret", "Service")


class UnreadableError(Exception):
    """What a container reads cannot be read here: the message says why."""


class Cluster:
    """The items, indexed by kind when a container first asks for one of that kind, and read when it asks for that one.

    What is in another namespace or package is no source, nor is what is never applied. A namespace that only one of
    the two sides names may be the other's, which nobody knows: that is not found either.
    """

    def __init__(self, items: Sequence[Resource], *, reads_secrets: bool) -> None:
        self._items = items
        self._reads_secrets = reads_secrets
        self._kinds: dict[str, _Objects] = {}
        self._texts: dict[int, dict[str, str | None]] = {}
        self._services: dict[tuple[str, str], dict[str, Value]] = {}

    def texts(self, kind: str, name: str, workload: Resource) -> dict[str, str | None]:
        """Return the texts of a ConfigMap or Secret by their keys, None for what is no text. UnreadableError for none.

        A Secret is not even read unless the functionConfig allows to write it down.
        """
        if kind == "Secret" and not self._reads_secrets:
            raise UnreadableError(f"Secret `{name}` is read only with `Secrets` in `inline`")
        found = self._objects(kind).find(_package(workload), workload.namespace, name)
        if not found:
            where = f" of namespace `{workload.namespace}`" if workload.namespace else ""
            raise UnreadableError(f"{kind} `{name}` is not among the items{where}")
        if len(found) > 1:
            raise UnreadableError(f"{kind} `{name}` is among the items {len(found)} times")
        texts = self._texts.get(id(found[0]))
        if texts is None:
            texts = self._texts[id(found[0])] = _texts(found[0])
        return texts

    def service_variables(self, workload: Resource) -> dict[str, Value]:
        """Return what the Services of a workload's namespace give its containers."""
        from expand_vars.expansion import services  # noqa: PLC0415 - few containers refer to a Service

        key = _package(workload), workload.namespace
        if key not in self._services:
            self._services[key] = services.variables(self._objects("Service").of_namespace(*key))
        return self._services[key]

    def _objects(self, kind: str) -> _Objects:
        if kind not in self._kinds:
            self._kinds[kind] = _Objects(_of_kind(self._items, kind))
        return self._kinds[kind]


class _Objects:
    """All objects of one kind, by the names that they have, and by those that they had in this build."""

    def __init__(self, objects: Iterable[Resource]) -> None:
        self._present: dict[Key, list[Resource]] = {}
        self._previous: dict[Key, list[Resource]] = {}
        for one in objects:
            package = _package(one)
            self._present.setdefault((package, one.namespace, one.name), []).append(one)
            for name in {name for _, name in one.identities} - {one.name}:
                self._previous.setdefault((package, one.namespace, name), []).append(one)

    def find(self, package: str, namespace: str, name: str) -> list[Resource]:
        """Return the objects that have a name now or, failing that, had it."""
        key = package, namespace, name
        return self._present.get(key) or self._previous.get(key) or []

    def of_namespace(self, package: str, namespace: str) -> list[Resource]:
        """Return the objects of a namespace, without those of which there are two."""
        found = ((key, listed) for key, listed in self._present.items() if key[:2] == (package, namespace))
        return [listed[0] for _, listed in found if len(listed) == 1]


def is_source(item: Resource) -> bool:
    """Say whether containers may read an item."""
    return any(item.may_contain(kind) for kind in SOURCES) and item.group == "" and item.kind in SOURCES


def _of_kind(items: Iterable[Resource], kind: str) -> Iterator[Resource]:
    for item in items:
        if item.may_contain(kind):
            if item.kind == kind and item.group == "" and not item.is_local_config:
                yield item
            item.release()


def _package(item: Resource) -> str:
    return item.annotations.get(_PACKAGE, "")


def _texts(item: Resource) -> dict[str, str | None]:
    if item.kind == "Secret":
        return secrets.texts(item)
    data = next((resolved(node) for _, node in item.find(("data",))), None)
    return {key: string(resolved(node)) for key, node in data.items()} if isinstance(data, Mapping) else {}
