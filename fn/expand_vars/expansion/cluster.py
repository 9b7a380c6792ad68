"""The objects that a container reads: ConfigMaps, Secrets, and Services with their variables.

docs/reference/expansion.md, "Which objects a container sees" and "Service variables":

    NAME_SERVICE_HOST            the address
    NAME_SERVICE_PORT            the first port
    NAME_SERVICE_PORT_PORTNAME   each port that has a name
    NAME_PORT                    protocol://address:port of the first port
    NAME_PORT_n_PROTOCOL         protocol://address:n of each port
    ..._PROTO, ..._PORT, ..._ADDR   the parts of that

NAME is the name of the Service in upper case with `_` for `-`, and PORTNAME is that of the port. If the manifest has no
address, the cluster chooses one, and every value that contains the address is unknown.
"""

from __future__ import annotations

import re
from itertools import chain

from expand_vars.expansion.findings import AMBIGUOUS_SERVICE_VARIABLE, SERVICE_WITHOUT_ADDRESS
from expand_vars.expansion.resolution import ABSENT, KNOWN, UNKNOWN, EnvValue
from expand_vars.functionconfig.model import CONFIG_MAPS, SECRETS, SERVICES
from krm import secrets
from krm.resource import PACKAGE
from krm.yamltree.nodes import Scalar, list_elements, mapping_at, resolved
from krm.yamltree.scalars import data, string, typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from expand_vars.functionconfig.model import Inline
    from krm.resource import Resource
    from krm.yamltree.nodes import Mapping, Node

    _Name: TypeAlias = tuple[bool, str, str, str]
    """Whether an object has a name now, the package, the namespace, and the name."""

# Patterns as texts, not compiled: most runs read no Service.
_ADDRESS = r"[0-9]+(?:\.[0-9]+){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*"
_PORT = r"[1-9][0-9]{0,4}"
_API_SERVER = "kubernetes"
_NAME = r"[A-Z0-9_]+_(?:SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_\d+_[A-Z]+(?:_[A-Z]+)?)?)"
_NAME_OF_API_SERVER = r"KUBERNETES_(?:SERVICE_HOST|(?:SERVICE_)?PORT(?:_.*)?)"
SOURCES = ("ConfigMap", "Secret", "Service")
_AHEAD_OF_A_KIND = "'\":>|- \t\r\n"


class Cluster:
    """The items as sources. A kind is indexed, and an object is read, when a container first refers to it.

    An object of another namespace or package is no source. An object that is never applied (`local-config`) is none
    either. If only one of workload and object has a namespace, the object is not found, as the two may differ.
    """

    def __init__(self, items: Sequence[Resource], *, reads_secrets: bool) -> None:
        self._items = items
        self._reads_secrets = reads_secrets
        self._kinds: dict[str, dict[_Name, list[Resource]]] = {}
        self._values: dict[tuple[int, str], dict[str, EnvValue]] = {}
        self._services: dict[tuple[str, str], dict[str, EnvValue]] = {}

    def values(self, kind: str, name: str, workload: Resource) -> dict[str, EnvValue] | EnvValue:
        """Return the values of a ConfigMap or Secret by key. One that is no text is unknown.

        A Secret is read only if the functionConfig allows its values in the output. An unknown value if there is no
        such object, or more than one.
        """
        # A Secret that is not read cannot leak through a message or a mistake of this program.
        if kind == "Secret" and not self._reads_secrets:
            return EnvValue(UNKNOWN, f"Secret `{name}` is read only with `Secrets` in `inline`", SECRETS)
        found, key = self._objects(kind), (_package(workload), workload.namespace, name)
        # During a build, references have the names without prefixes and hashes.
        objects = found.get((True, *key)) or found.get((False, *key), [])
        if not objects:
            where = f" of namespace `{workload.namespace}`" if workload.namespace else ""
            return EnvValue(UNKNOWN, f"{kind} `{name}` is not among the items{where}", source_of(kind))
        if len(objects) > 1:
            return EnvValue(UNKNOWN, f"{kind} `{name}` is among the items {len(objects)} times", source_of(kind))
        # Inside of `kustomize build` an object has several names.
        of = id(objects[0]), name
        if of not in self._values:
            self._values[of] = _values(objects[0], name)
        return self._values[of]

    def service_variables(self, workload: Resource) -> dict[str, EnvValue]:
        """Return the variables that the containers of a workload get from the Services of its namespace."""
        # kpt may send several packages at once. The objects of another package may be for another cluster.
        key = _package(workload), workload.namespace
        # Services are read once for each namespace, because every container with a reference needs them.
        if key not in self._services:
            there = [found for name, found in self._objects("Service").items() if name[:3] == (True, *key)]
            self._services[key] = service_variables(chain.from_iterable(there))
        return self._services[key]

    def _objects(self, kind: str) -> dict[_Name, list[Resource]]:
        """Return the objects of a kind by name, and by the names that they had before in a kustomize build."""
        if kind not in self._kinds:
            found = self._kinds[kind] = {}
            for one in (item for item in self._items if item.may_contain(kind)):
                # Other groups have a kind Service, too, such as Knative. Containers get no variables from it.
                if one.kind == kind and one.group == "" and not one.is_local_config:
                    for name in {one.name, *(name for _, name in one.identities)}:
                        key = name == one.name, _package(one), one.namespace, name
                        found.setdefault(key, []).append(one)
                one.release()  # only the objects that a container refers to are parsed again
        return self._kinds[kind]


def may_be_source(item: Resource) -> bool:
    """True if containers may read an item. Only its text is searched, nothing is parsed."""
    behind = item.own_text.split("kind")[1:]
    return any(one.lstrip(_AHEAD_OF_A_KIND).startswith(SOURCES) for one in behind)


def _package(item: Resource) -> str:
    return item.annotations.get(PACKAGE, "")


def source_of(kind: str) -> Inline:
    """Return the word of `inline` for the values of a ConfigMap or a Secret."""
    return SECRETS if kind == "Secret" else CONFIG_MAPS


def _values(item: Resource, name: str) -> dict[str, EnvValue]:
    """Return the values of a ConfigMap or Secret by key. Containers get nothing from `binaryData` of a ConfigMap."""
    is_secret, held = item.kind == "Secret", mapping_at(item.root, "data")
    texts = {} if held is None else {key: string(resolved(node)) for key, node in held.items()}
    values: dict[str, EnvValue] = {}
    for key, text in (secrets.texts(item) if is_secret else texts).items():
        where = f"key `{key}` of {item.kind} `{name}`"
        if text is None:
            values[key] = EnvValue(UNKNOWN, f"{where} is no text", source_of(item.kind))
        else:
            values[key] = EnvValue(KNOWN, where, source_of(item.kind), text, is_secret=is_secret)
    return values


def service_variables(services: Iterable[Resource]) -> dict[str, EnvValue]:
    """Return the variables of the Services of one namespace. A value may be known, unknown or absent.

    A variable is absent if its Service has no address.
    """
    by_name: dict[str, list[Resource]] = {}
    for service in services:
        by_name.setdefault(service.name, []).append(service)
    given: dict[str, dict[str, EnvValue]] = {}
    for service_name, twins in by_name.items():
        for name, value in chain.from_iterable(map(_given_by, twins)):
            values = given.setdefault(name, {})
            if len(twins) == 1 or value.state == ABSENT:
                values.setdefault(service_name, value)
            else:  # the cluster has one of them, and gives its variables
                values[service_name] = _ambiguous(
                    f"Service `{service_name}` is among the items {len(twins)} times: remove all but one"
                )
    return {name: _decided(by_service) for name, by_service in given.items()}


def may_give(name: str) -> bool:
    """True if a variable with this name can come from a Service."""
    return re.fullmatch(_NAME, name) is not None


def is_of_api_server(name: str) -> bool:
    """True if a variable comes from the Service of the API server. Every container has it, in any namespace."""
    return re.fullmatch(_NAME_OF_API_SERVER, name) is not None


def _given_by(service: Resource) -> Iterator[tuple[str, EnvValue]]:
    """Yield the variables of one Service."""
    called = f"Service `{service.name}`"
    spec = mapping_at(service.root, "spec")
    if spec is None:
        return
    is_headless = _text(spec, "clusterIP") == "None"
    why_none = "is an ExternalName" if _text(spec, "type") == "ExternalName" else "is headless" if is_headless else ""
    for suffix, text in _written(spec):
        name = _mangled(service.name) + suffix
        if why_none and is_of_api_server(name):
            continue  # then every container has the variable from the Service of the API server
        if why_none:
            reason = f"{called} {why_none}, so it gives no variables: write its name, `{service.name}`, which DNS knows"
            yield name, EnvValue(ABSENT, reason, SERVICES, finding=SERVICE_WITHOUT_ADDRESS)
        elif service.name != _API_SERVER and is_of_api_server(name):
            yield (
                name,
                _ambiguous(f"{called} and that of the API server may both define it: rename yours, or write the value"),
            )
        elif text is None:
            # The manifest has no address. The cluster chooses one before the pod starts.
            yield name, EnvValue(UNKNOWN, f"the manifest of {called} does not say it", SERVICES)
        else:
            yield name, EnvValue(KNOWN, called, SERVICES, text)


def _decided(by_service: dict[str, EnvValue]) -> EnvValue:
    """Return the value of a name that Services give. If they differ, a container gets any of their values."""
    present = {name: value for name, value in by_service.items() if value.state != ABSENT}
    first, *others = (present or by_service).values()
    if all((other.state, other.text) == (first.state, first.text) for other in others):
        return first
    named = " and ".join(f"`{name}`" for name in present)
    return _ambiguous(f"Services {named} both define it, and chance decides: rename one, or write the value")


def _ambiguous(reason: str) -> EnvValue:
    return EnvValue(UNKNOWN, reason, SERVICES, finding=AMBIGUOUS_SERVICE_VARIABLE)


def _written(spec: Mapping) -> Iterator[tuple[str, str | None]]:
    """Yield the suffixes of the variables of a Service with their texts, None for a text that the manifest lacks."""
    written = _text(spec, "clusterIP")
    address = written if re.fullmatch(_ADDRESS, written) else None
    yield "_SERVICE_HOST", address
    for index, port in enumerate(filter(None, map(mapping_at, list_elements(spec.get("ports"))))):
        number = _number(port.get("port"))
        stated = data(port.get("protocol")) or "TCP"
        protocol = stated if stated in ("TCP", "UDP", "SCTP") else None
        # Programs for links of Docker read these two variables. Such a link had one port.
        if index == 0:
            yield "_SERVICE_PORT", number
            yield "_PORT", _url(protocol, address, number)
        name = _text(port, "name")
        if name:
            yield f"_SERVICE_PORT_{_mangled(name)}", number
        # If readers of YAML disagree about the port or protocol, the names are uncertain.
        if number and protocol:
            link = f"_PORT_{number}_{protocol}"
            yield link, _url(protocol, address, number)
            yield f"{link}_PROTO", protocol.lower()
            yield f"{link}_PORT", number
            yield f"{link}_ADDR", address


def _url(protocol: str | None, address: str | None, number: str | None) -> str | None:
    if protocol is None or address is None or number is None:
        return None
    # The kubelet uses net.JoinHostPort of Go, which writes this form.
    host = f"[{address}]" if ":" in address else address
    return f"{protocol.lower()}://{host}:{number}"


def _number(node: Node | None) -> str | None:
    """Return the text of a port, None if readers of YAML disagree about the number, as for `010`."""
    scalar = resolved(node)
    if not isinstance(scalar, Scalar) or not isinstance(typed(scalar), int):
        return None
    return scalar.value if re.fullmatch(_PORT, scalar.value) else None


def _text(spec: Mapping, key: str) -> str:
    """Return the string under a key, empty if there is none. An address that YAML 1.1 reads as a number is a string."""
    text = data(spec.get(key))
    return text if isinstance(text, str) else ""


def _mangled(name: str) -> str:
    return name.upper().replace("-", "_")
