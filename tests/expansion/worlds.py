"""Random workloads, the items beside them, clusters that agree with those, and functionConfigs (decision 43)."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from hypothesis import strategies as st

from tests.expansion.kubelet import PROBES, Variable
from tests.expansion.kubelet_sources import Cluster

if TYPE_CHECKING:
    Object = dict[str, Any]

INLINE = ["Literals", "Variables", "Services", "ConfigMaps", "Downward", "Resources", "Secrets"]
OWN = ["A", "B", "C"]
"""What containers declare."""
KEYS = ["A", "K", "L", "1X"]
"""What ConfigMaps and Secrets have; the last is no name to an older kubelet."""
VARIABLES = ["A", "B", "K", "P_K", "V", "WEB_SERVICE_PORT", "FOO_SERVICE_HOST"]
OF_SERVICES = [
    "WEB_SERVICE_HOST", "WEB_SERVICE_PORT", "WEB_SERVICE_PORT_HTTP", "WEB_PORT", "WEB_PORT_80_TCP_PROTO",
    "FOO_SERVICE_HOST", "FOO_SERVICE_PORT", "FOO_SERVICE_SERVICE_PORT", "V6_PORT_443_TCP", "HEADLESS_SERVICE_PORT",
    "TWICE_SERVICE_PORT", "LOCAL_SERVICE_PORT", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "ONLY_THERE_PORT",
]  # fmt: skip
PREFIXES = ["", "P_"]

PATHS = [
    "metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels['app']", "metadata.labels['added']",
    "metadata.labels['none']", "metadata.annotations['note']", "spec.nodeName", "spec.serviceAccountName",
    "status.podIP",
]  # fmt: skip
RESOURCES = [f"{kind}.{name}" for kind in ("limits", "requests") for name in ("cpu", "memory")]
DIVISORS = {"cpu": ["0", "1", "1m"], "memory": ["0", "1", "1Mi", "1k"]}
QUANTITIES = {"cpu": ["0", "250m", "1.5", "2"], "memory": ["0", "64Mi", "1e3", "0.5Ki", "1500m"]}

_NAMES = [*(10 * OWN), *(5 * ["V", "K", "P_K"]), *(2 * OF_SERVICES), "L", "P_L", "1X", "U", "DEVICE"]
_OTHERS = ["$$(A)", "$$", "$", "$(", "(A)", ")", "x", "é", "/", "$(date +%s)"]
_PARTS = [*(f"$({name})" for name in _NAMES), *_OTHERS, *_OTHERS]
texts = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=3).map("".join)
values = st.sampled_from(["", "x", "p$w", "$(A)", "$$", "$", "$(X", "é", "a\nb", "$(K)"])


class World(NamedTuple):
    """Everything that a case of the law needs."""

    workload: Object
    items: list[Object]
    cluster: Cluster
    variables: list[Variable]
    lookup: list[str]
    inline: list[str]

    @property
    def spec(self) -> str:
        """What the functionConfig says. Literal variables are read from a ConfigMap, which `documents` has too."""
        variables = [
            {"name": one.name, "valueFrom": {"configMapKeyRef": {"name": "values", "key": one.name}}}
            if one.literal
            else {"name": one.name, "value": one.text}
            for one in self.variables
        ]
        spec = {"variables": variables, "lookup": self.lookup, "inline": self.inline, "unresolved": "Ignore"}
        return json.dumps(spec)

    @property
    def known(self) -> list[Variable]:
        """The variables that may be written down."""
        return self.variables if "Variables" in self.inline else []

    def documents(self) -> list[str]:
        """Return the items but for the workload, as JSON."""
        data = {one.name: one.text for one in self.variables if one.literal}
        values = _object("ConfigMap", "values", data=data)
        values["metadata"]["annotations"] = {"expandvars.dev/skip": "true"}
        return [json.dumps(item) + "\n" for item in (*self.items, values)]


def _object(kind: str, name: str, namespace: str = "", **fields: Any) -> Object:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}


# Entries of `env`, and sources of `envFrom`.

_OPTIONAL = st.sampled_from([True, True, True, True, True, False])
_OF_KIND = {"ConfigMap": ("configMap", ["settings", "hidden"]), "Secret": ("secret", ["token", "vault"])}


def _with_value(name: str, value: str | None) -> Object:
    return {"name": name} if value is None else {"name": name, "value": value}


@st.composite
def _key(draw: st.DrawFn) -> Object:
    prefix, listed = _OF_KIND[draw(st.sampled_from(["ConfigMap", "ConfigMap", "Secret"]))]
    key = draw(st.sampled_from(["A", "K", "Z"]))
    optional = draw(_OPTIONAL)
    return {f"{prefix}KeyRef": {"name": draw(st.sampled_from(listed)), "key": key, "optional": optional}}


@st.composite
def _resource_field(draw: st.DrawFn) -> Object:
    resource = draw(st.sampled_from(RESOURCES))
    reference = {"resource": resource, "divisor": draw(st.sampled_from(DIVISORS[resource.partition(".")[2]]))}
    if draw(st.integers(0, 3)) == 0:
        reference["containerName"] = draw(st.sampled_from(["app", "app", "init"]))
    return {"resourceFieldRef": reference}


_fields = st.sampled_from(PATHS).map(lambda path: {"fieldRef": {"fieldPath": path}})
_sources = st.one_of(_key(), _fields, _resource_field())
_literals = st.builds(_with_value, st.sampled_from(OWN), st.one_of(texts, texts, texts, values, st.none()))
_sourced = st.builds(
    lambda name, empty, source: {"name": name, **({"value": ""} if empty else {}), "valueFrom": source},
    st.sampled_from(OWN), st.booleans(), _sources,
)  # fmt: skip
_entries = st.one_of(_literals, _literals, _sourced)


@st.composite
def _env_from(draw: st.DrawFn) -> Object:
    kind = draw(st.sampled_from(["ConfigMap", "ConfigMap", "Secret"]))
    prefix, listed = _OF_KIND[kind]
    reference = {"name": draw(st.sampled_from(listed)), "optional": draw(_OPTIONAL)}
    source: Object = {f"{prefix}Ref": reference}
    if draw(st.booleans()):
        source["prefix"] = draw(st.sampled_from(PREFIXES))
    return source


@st.composite
def _containers(draw: st.DrawFn, name: str) -> Object:
    container: Object = {"name": name}
    if draw(st.integers(0, 2)) == 0:
        container["envFrom"] = draw(st.lists(_env_from(), min_size=1, max_size=2))
    container["env"] = draw(st.lists(_entries, min_size=2, max_size=4))
    container["command"] = draw(st.lists(texts, max_size=1))
    container["args"] = draw(st.lists(texts, min_size=2, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        paths = draw(st.lists(st.one_of(st.none(), texts), min_size=1, max_size=2))
        container["volumeMounts"] = [_mount(path) for path in paths]
    for kind in PROBES:
        if draw(st.integers(0, 7)) == 0:
            container[kind] = {"exec": {"command": draw(st.lists(texts, min_size=1, max_size=2))}}
    amounts = {
        kind: {name: draw(st.sampled_from(listed)) for name, listed in QUANTITIES.items() if draw(st.booleans())}
        for kind in ("limits", "requests")
        if draw(st.booleans())
    }
    return container | ({"resources": amounts} if amounts else {})


def _mount(path: str | None) -> Object:
    return {"name": "data", "mountPath": "/data"} | ({} if path is None else {"subPathExpr": path})


@st.composite
def _workloads(draw: st.DrawFn) -> Object:
    spec: Object = {"containers": [draw(_containers("app"))]}
    if draw(st.integers(0, 3)) == 0:
        spec["initContainers"] = [draw(_containers("init"))]
    spec |= draw(st.sampled_from([{}, {}, {}, {"enableServiceLinks": False}, {"enableServiceLinks": True}]))
    spec |= draw(st.sampled_from([{}, {"serviceAccountName": "me"}, {"serviceAccount": "me", "nodeName": "node"}]))
    metadata = draw(
        st.sampled_from([{}, {"labels": {"app": "web"}}, {"labels": {"app": "$x"}, "annotations": {"note": ""}}])
    )
    namespace = draw(st.sampled_from(["", "shop"]))
    kind = draw(st.sampled_from(["Pod", "Deployment", "Job"]))
    workload = _object(kind, "web", namespace)
    if kind == "Pod":
        workload["metadata"] |= metadata
        return workload | {"spec": spec}
    workload["apiVersion"] = {"Deployment": "apps/v1", "Job": "batch/v1"}[kind]
    return workload | {"spec": {"template": {"metadata": metadata, "spec": spec}}}


# What is beside the workload: objects that it can read, and what its cluster has.

_data = st.dictionaries(st.sampled_from(KEYS), values, min_size=2, max_size=4)
_ADDRESSES = ["10.0.0.1", "fd00::1"]


@st.composite
def _services(draw: st.DrawFn, namespace: str) -> tuple[list[Object], list[Object]]:
    """Draw the Services that are items, and those of the cluster, in which each has an address."""
    ports = draw(
        st.sampled_from([[{"port": 80}], [{"name": "http", "port": 80}, {"port": 53, "protocol": "UDP", "name": "d"}]])
    )
    clash = draw(st.sampled_from([[], [], [("foo", {}), ("foo-service", {"clusterIP": "10.0.0.3"})]]))
    specs = [("web", draw(st.sampled_from([{}, {"clusterIP": "10.0.0.2"}]))), *clash]
    specs += draw(
        st.sampled_from(
            [[], [("v6", {"clusterIP": "fd00::2", "ports": [{"port": 443}]}), ("headless", {"clusterIP": "None"})]]
        )
    )
    items = [_object("Service", name, namespace, spec={"ports": ports} | spec) for name, spec in specs]
    local = _object("Service", "local", namespace, spec={"ports": [{"port": 1}]})
    local["metadata"]["annotations"] = {"config.kubernetes.io/local-config": "true"}
    twice = [_object("Service", "twice", namespace, spec={"ports": [{"port": port}]}) for port in (1, 2)]
    there = [
        _object("Service", "only-there", namespace, spec={"ports": [{"port": 7}]}),
        _object("Service", "kubernetes", "default", spec={"clusterIP": "10.0.0.9", "ports": [{"port": 443}]}),
        draw(st.sampled_from(twice)),
    ]
    address = draw(st.sampled_from(_ADDRESSES))
    running = [one | {"spec": {"clusterIP": address} | one["spec"]} for one in (*items, *there)]
    return [*items, local, *twice], draw(st.permutations(running))


def _of_data(kind: str, name: str, namespace: str, data: dict[str, str]) -> Object:
    if kind == "ConfigMap":
        return _object(kind, name, namespace, data=data)
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in data.items() if key != "L"}
    plain = {key: text for key, text in data.items() if key == "L"}
    return _object(kind, name, namespace, data=encoded, stringData=plain)


def _hidden(way: str, namespace: str, data: dict[str, str]) -> list[Object]:
    """Return items called `hidden` that no container may read."""
    hidden = _object("ConfigMap", "hidden", namespace, data=data)
    if way == "twice":
        return [hidden, hidden]
    if way == "local-config":
        hidden["metadata"]["annotations"] = {"config.kubernetes.io/local-config": "true"}
    if way == "in another namespace":
        hidden["metadata"]["namespace"] = "other"
    return [] if way == "not there" else [hidden]


_ways = st.sampled_from(["twice", "local-config", "in another namespace", "not there"])


@st.composite
def _surroundings(
    draw: st.DrawFn, namespace: str, taken: set[str], *, reads_secrets: bool
) -> tuple[list[Object], Cluster]:
    """Draw items, and a cluster that agrees with them, in which no unread source defines what is `taken`."""
    readable, hidden, token, vault = (draw(_data) for _ in range(4))
    hidden, vault = _without(hidden, taken), _without(vault, taken)
    token = token if reads_secrets else _without(token, taken)
    items, services = draw(_services(namespace))
    items += _hidden(draw(_ways), namespace, draw(_data))
    items += _of_data("ConfigMap", "settings", namespace, readable), _of_data("Secret", "token", namespace, token)
    objects = {("ConfigMap", "settings"): readable, ("Secret", "token"): token}
    objects |= draw(st.sampled_from([{("ConfigMap", "hidden"): hidden, ("Secret", "vault"): vault}, {}]))
    decided = {path: f"<{path}>" for path in PATHS} | {"metadata.namespace": namespace or "chosen"}
    cluster = Cluster(
        objects,
        services,
        decided,
        {"added": "$(A)"},
        {"cpu": "4", "memory": "8Gi"},
        {"DEVICE": "/dev/$$"},
        draw(st.booleans()),
    )
    return draw(st.permutations(items)), cluster


def _without(data: dict[str, str], taken: set[str]) -> dict[str, str]:
    return {key: text for key, text in data.items() if taken.isdisjoint(prefix + key for prefix in PREFIXES)}


# The functionConfig.

_variable = st.builds(Variable, st.sampled_from(VARIABLES), st.one_of(texts, values), st.booleans())
_variables = st.lists(_variable, max_size=3, unique_by=lambda one: one.name)
_default = ["Container", "Variables", "Services"]
_lookups = st.one_of(st.just(_default), st.lists(st.sampled_from(_default), min_size=1, max_size=3, unique=True))
_inlines = st.one_of(
    st.just(INLINE[:3]),
    st.just(INLINE),
    st.sampled_from(INLINE).map(lambda word: [word]),
    st.lists(st.sampled_from(INLINE), unique=True),
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw a case of the law."""
    workload, variables, inline = draw(_workloads()), draw(_variables), draw(_inlines)
    namespace = workload["metadata"].get("namespace", "")
    taken = {one.name for one in variables}
    items, cluster = draw(_surroundings(namespace, taken, reads_secrets="Secrets" in inline))
    return World(workload, items, cluster, variables, draw(_lookups), inline)


class _Quoting(yaml.CSafeDumper):
    """Writes every string in double quotes, and nothing else."""


_Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Draw one of the ways in which YAML writes a value."""
    text = json.dumps(value)
    way = draw(st.sampled_from(["block", "flow", "quoted", "JSON"]))
    if way == "JSON":
        return text + "\n"
    unshared, dumper = json.loads(text), _Quoting if way == "quoted" else yaml.CSafeDumper
    return yaml.dump(unshared, Dumper=dumper, default_flow_style=way == "flow", sort_keys=False, width=60)
