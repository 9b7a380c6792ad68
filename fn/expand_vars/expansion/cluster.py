"""The items as a container sees them: ConfigMaps, Secrets and Services.

docs/reference/expansion.md, "Which objects a container sees".
"""

from __future__ import annotations

from itertools import chain

from krm import secrets
from krm.resource import PACKAGE
from krm.yamltree.nodes import mapping_at, resolved
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from expand_vars.expansion.resolution import Value
    from krm.resource import Resource

    Key: TypeAlias = tuple[str, str, str]
    """Package, namespace and name."""

SOURCES = ("ConfigMap", "Secret", "Service")


class UnreadableObjectError(Exception):
    """An object that a container reads cannot be read here. The message says why."""


class Cluster:
    """The items, indexed by kind when a container first asks for that kind, and read when it asks for the object.

    An object of another namespace or package is no source, nor is one that is never applied (`local-config`). Where
    only the workload or only the object names a namespace, the two may differ: the object is not found.
    """

    def __init__(self, items: Sequence[Resource], *, reads_secrets: bool) -> None:
        self._items = items
        self._reads_secrets = reads_secrets
        self._kinds: dict[str, _Objects] = {}
        self._texts: dict[int, dict[str, str | None]] = {}
        self._services: dict[tuple[str, str], dict[str, Value]] = {}

    def texts(self, kind: str, name: str, workload: Resource) -> dict[str, str | None]:
        """Return the texts of a ConfigMap or Secret by key, None for a value that is no text.

        A Secret is not even read unless the functionConfig allows to write it down. Raises UnreadableError where there
        is no such object, or more than one.
        """
        # What is not read cannot leak, by a message or by a mistake in here.
        if kind == "Secret" and not self._reads_secrets:
            raise UnreadableObjectError(f"Secret `{name}` is read only with `Secrets` in `inline`")
        found = self._objects(kind).find(_package(workload), workload.namespace, name)
        if not found:
            where = f" of namespace `{workload.namespace}`" if workload.namespace else ""
            raise UnreadableObjectError(f"{kind} `{name}` is not among the items{where}")
        if len(found) > 1:
            raise UnreadableObjectError(f"{kind} `{name}` is among the items {len(found)} times")
        texts = self._texts.get(id(found[0]))
        if texts is None:
            texts = self._texts[id(found[0])] = _texts(found[0])
        return texts

    def service_variables(self, workload: Resource) -> dict[str, Value]:
        """Return the variables that the Services of a workload's namespace give its containers."""
        from expand_vars.expansion import services  # noqa: PLC0415 - few containers refer to a Service

        # kpt may send several packages at once. What lies in another one may never reach this cluster.
        key = _package(workload), workload.namespace
        # Read once for a namespace: every container with a reference asks.
        if key not in self._services:
            self._services[key] = services.variables(self._objects("Service").of_namespace(*key))
        return self._services[key]

    def _objects(self, kind: str) -> _Objects:
        if kind not in self._kinds:
            self._kinds[kind] = _Objects(_of_kind(self._items, kind))
        return self._kinds[kind]


class _Objects:
    """All objects of one kind, by their names, and by the names that they had earlier in a kustomize build."""

    def __init__(self, objects: Iterable[Resource]) -> None:
        self._present: dict[Key, list[Resource]] = {}
        self._previous: dict[Key, list[Resource]] = {}
        for one in objects:
            package = _package(one)
            self._present.setdefault((package, one.namespace, one.name), []).append(one)
            for name in {name for _, name in one.identities} - {one.name}:
                self._previous.setdefault((package, one.namespace, name), []).append(one)

    def find(self, package: str, namespace: str, name: str) -> list[Resource]:
        """Return the objects that have a name now, else those that had it before."""
        # Inside of a build references still have the names that objects had before prefixes and hashes.
        key = package, namespace, name
        return self._present.get(key) or self._previous.get(key) or []

    def of_namespace(self, package: str, namespace: str) -> list[Resource]:
        """Return the objects of a namespace, objects with the same name included."""
        found = (listed for key, listed in self._present.items() if key[:2] == (package, namespace))
        return [*chain.from_iterable(found)]


def may_be_source(item: Resource) -> bool:
    """True if containers may read an item, by its text alone: nothing is parsed."""
    text = item.own_text
    return any(f"kind: {kind}" in text or f'"{kind}"' in text for kind in SOURCES)


def _of_kind(items: Iterable[Resource], kind: str) -> Iterator[Resource]:
    for item in items:
        if item.may_contain(kind):
            # Other groups have a Service too, Knative for one, and those give a container no variables.
            if item.kind == kind and item.group == "" and not item.is_local_config:
                yield item
            item.release()  # only the objects that a container asks for are parsed again


def _package(item: Resource) -> str:
    return item.annotations.get(PACKAGE, "")


def _texts(item: Resource) -> dict[str, str | None]:
    """Return the texts of a ConfigMap or Secret by key. A ConfigMap's `binaryData` gives a container nothing."""
    if item.kind == "Secret":
        return secrets.texts(item)
    data = mapping_at(item.root, "data")
    return {} if data is None else {key: string(resolved(node)) for key, node in data.items()}
