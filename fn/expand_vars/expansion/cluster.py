"""The items as a container sees them: ConfigMaps, Secrets, and Services with the variables that these give.

docs/reference/expansion.md, "Which objects a container sees" and "Service variables":

    NAME_SERVICE_HOST            the address
    NAME_SERVICE_PORT            the first port
    NAME_SERVICE_PORT_PORTNAME   each port that has a name
    NAME_PORT                    protocol://address:port of the first port
    NAME_PORT_n_PROTOCOL         protocol://address:n of each port
    ..._PROTO, ..._PORT, ..._ADDR   the parts of that

NAME is the Service's name in upper case with `_` for `-`, and so is PORTNAME. Where the manifest states no address, the
cluster chooses one, and every value that contains it is unknown.
"""

from __future__ import annotations

import re
from itertools import chain

from expand_vars.expansion.findings import AMBIGUOUS_SERVICE_VARIABLE, SERVICE_WITHOUT_ADDRESS
from expand_vars.expansion.resolution import ABSENT, KNOWN, UNKNOWN, Value
from expand_vars.functionconfig.model import SERVICES
from krm import secrets
from krm.resource import PACKAGE
from krm.yamltree.nodes import Scalar, list_elements, mapping_at, resolved
from krm.yamltree.scalars import data, string, typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from krm.resource import Resource
    from krm.yamltree.nodes import Mapping, Node

    Key: TypeAlias = tuple[str, str, str]
    """Package, namespace and name."""

# As texts: most runs read no Service, and compile none of them.
_ADDRESS = r"[0-9]+(?:\.[0-9]+){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*"
_PORT = r"[1-9][0-9]{0,4}"
_API_SERVER = "kubernetes"
_NAME = r"[A-Z0-9_]+_(?:SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_\d+_[A-Z]+(?:_[A-Z]+)?)?)"
_NAME_OF_API_SERVER = r"KUBERNETES_(?:SERVICE_HOST|(?:SERVICE_)?PORT(?:_.*)?)"
SOURCES = ("ConfigMap", "Secret", "Service")
_AHEAD_OF_A_KIND = "'\":>|- \t\r\n"


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
        # kpt may send several packages at once. What lies in another one may never reach this cluster.
        key = _package(workload), workload.namespace
        # Read once for a namespace: every container with a reference asks.
        if key not in self._services:
            self._services[key] = service_variables(self._objects("Service").of_namespace(*key))
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
    behind = item.own_text.split("kind")[1:]
    return any(one.lstrip(_AHEAD_OF_A_KIND).startswith(SOURCES) for one in behind)


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
    held = mapping_at(item.root, "data")
    return {} if held is None else {key: string(resolved(node)) for key, node in held.items()}


def service_variables(services: Iterable[Resource]) -> dict[str, Value]:
    """Return the variables of Services of one namespace, known or unknown.

    The variables that a Service without an address would give if it had one are absent.
    """
    by_name: dict[str, list[Resource]] = {}
    for service in services:
        by_name.setdefault(service.name, []).append(service)
    given: dict[str, dict[str, Value]] = {}
    for service_name, twins in by_name.items():
        for name, value in chain.from_iterable(map(_given_by, twins)):
            values = given.setdefault(name, {})
            if len(twins) == 1 or value.state == ABSENT:
                values.setdefault(service_name, value)
            else:  # whichever of them the cluster has, its names are taken
                values[service_name] = _ambiguous(
                    f"Service `{service_name}` is among the items {len(twins)} times: remove all but one"
                )
    return {name: _decided(by_service) for name, by_service in given.items()}


def may_give(name: str) -> bool:
    """True if a Service could give a container a variable of that name."""
    return re.fullmatch(_NAME, name) is not None


def is_of_api_server(name: str) -> bool:
    """True if the API server's own Service gives that name. It gives it to every container, in any namespace."""
    return re.fullmatch(_NAME_OF_API_SERVER, name) is not None


def _given_by(service: Resource) -> Iterator[tuple[str, Value]]:
    """Yield the variables of one Service."""
    called = f"Service `{service.name}`"
    spec = mapping_at(service.root, "spec")
    if spec is None:
        return
    why_none = _why_none(spec)
    for suffix, text in _written(spec):
        name = _mangled(service.name) + suffix
        if why_none and is_of_api_server(name):
            continue  # every container has it from the API server's own Service then
        if why_none:
            reason = f"{called} {why_none}, so it gives no variables: write its name, `{service.name}`, which DNS knows"
            yield name, Value(ABSENT, SERVICES, reason, finding=SERVICE_WITHOUT_ADDRESS)
        elif service.name != _API_SERVER and is_of_api_server(name):
            yield (
                name,
                _ambiguous(f"{called} and that of the API server may both define it: rename yours, or write the value"),
            )
        elif text is None:
            # The cluster chooses an address where the manifest states none, and it is fixed before the pod starts.
            yield name, Value(UNKNOWN, SERVICES, f"the manifest of {called} does not say it")
        else:
            yield name, Value(KNOWN, SERVICES, called, text)


def _decided(by_service: dict[str, Value]) -> Value:
    """Return the value of a name that Services give. Where they differ, a container gets any of their values."""
    present = {name: value for name, value in by_service.items() if value.state != ABSENT}
    first, *others = (present or by_service).values()
    if all((other.state, other.text) == (first.state, first.text) for other in others):
        return first
    named = " and ".join(f"`{name}`" for name in present)
    return _ambiguous(f"Services {named} both define it, and chance decides: rename one, or write the value")


def _ambiguous(reason: str) -> Value:
    return Value(UNKNOWN, SERVICES, reason, finding=AMBIGUOUS_SERVICE_VARIABLE)


def _why_none(spec: Mapping) -> str:
    """Return why a Service has no address, empty for one that has or gets one."""
    if _text(spec, "type") == "ExternalName":
        return "is an ExternalName"
    return "is headless" if _text(spec, "clusterIP") == "None" else ""


def _written(spec: Mapping) -> Iterator[tuple[str, str | None]]:
    """Yield the suffixes of a Service's variables with their texts, None where the manifest states none."""
    written = _text(spec, "clusterIP")
    address = written if re.fullmatch(_ADDRESS, written) else None
    yield "_SERVICE_HOST", address
    for index, port in enumerate(filter(None, map(mapping_at, list_elements(spec.get("ports"))))):
        number = _number(port.get("port"))
        stated = data(port.get("protocol")) or "TCP"
        protocol = stated if stated in ("TCP", "UDP", "SCTP") else None
        # Programs written for links of Docker read these two, and a link had one port.
        if index == 0:
            yield "_SERVICE_PORT", number
            yield "_PORT", _url(protocol, address, number)
        name = _text(port, "name")
        if name:
            yield f"_SERVICE_PORT_{_mangled(name)}", number
        # A port or protocol that readers of YAML disagree about would give a name that may be wrong.
        if number and protocol:
            link = f"_PORT_{number}_{protocol}"
            yield link, _url(protocol, address, number)
            yield f"{link}_PROTO", protocol.lower()
            yield f"{link}_PORT", number
            yield f"{link}_ADDR", address


def _url(protocol: str | None, address: str | None, number: str | None) -> str | None:
    if protocol is None or address is None or number is None:
        return None
    # As net.JoinHostPort of Go writes it, which the kubelet calls.
    host = f"[{address}]" if ":" in address else address
    return f"{protocol.lower()}://{host}:{number}"


def _number(node: Node | None) -> str | None:
    """Return the text of a port, None where readers of YAML disagree about the number, as for `010`."""
    scalar = resolved(node)
    if not isinstance(scalar, Scalar) or not isinstance(typed(scalar), int):
        return None
    return scalar.value if re.fullmatch(_PORT, scalar.value) else None


def _text(spec: Mapping, key: str) -> str:
    """Return a string, empty where there is none. YAML 1.1 may read a number in an address, which is a string."""
    text = data(spec.get(key))
    return text if isinstance(text, str) else ""


def _mangled(name: str) -> str:
    return name.upper().replace("-", "_")
