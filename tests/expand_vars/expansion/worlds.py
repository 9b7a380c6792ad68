"""Random workloads, the items beside them, clusters that agree with those, and functionConfigs.

A case is drawn from one number. Drawn choice by choice, as hypothesis likes to, most cases would be small changes of a
few others, and rare meetings would be rarer still. For the same reason each case has few names and texts, which it uses
again and again.
"""

from __future__ import annotations

import base64
import json
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from hypothesis import strategies as st

from tests.expand_vars.expansion.kubelet import PROBES, Variable
from tests.expand_vars.expansion.kubelet_sources import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

    Object = dict[str, Any]

INLINE = ["Literals", "Variables", "Services", "ConfigMaps", "Downward", "Resources", "Secrets"]
OWN = ["A", "B"]
"""What containers declare."""
KEYS = ["A", "K", "WEB_SERVICE_PORT", "1X"]
"""What ConfigMaps and Secrets have; the last is a name since Kubernetes 1.30."""
VARIABLES = ["A", "B", "K", "P_K", "V", "WEB_SERVICE_PORT", "FOO_SERVICE_HOST"]
OF_SERVICES = [
    "WEB_SERVICE_HOST", "WEB_SERVICE_PORT", "WEB_SERVICE_PORT_HTTP", "WEB_PORT", "WEB_PORT_80_TCP_PROTO",
    "FOO_SERVICE_HOST", "FOO_SERVICE_PORT", "FOO_SERVICE_SERVICE_PORT", "V6_PORT_443_TCP", "HEADLESS_SERVICE_PORT",
    "TWICE_SERVICE_PORT", "LOCAL_SERVICE_PORT", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "ONLY_THERE_PORT",
]  # fmt: skip
PREFIXES = ["", "P_"]

STATED = ["metadata.name", "metadata.namespace", "metadata.labels['app']", "metadata.annotations['note']"]
PATHS = [
    *STATED, *STATED, "spec.nodeName", "spec.serviceAccountName", "metadata.labels['added']", "metadata.labels['none']",
    "metadata.uid", "status.podIP",
]  # fmt: skip
RESOURCES = [f"{kind}.{name}" for kind in ("limits", "requests") for name in ("cpu", "memory")]
DIVISORS = {"cpu": ["0", "1", "1m"], "memory": ["0", "1", "1Mi", "1k"]}
QUANTITIES = {"cpu": ["0", "250m", "1.5", "2"], "memory": ["0", "64Mi", "1e3", "0.5Ki", "1500m"]}

_NAMES = [*(4 * ["K", "P_K", "1X", "WEB_SERVICE_PORT"]), *(3 * ["V"]), *OF_SERVICES, "DB_PORT", "U", "DEVICE"]
_OTHERS = ["$$(A)", "$$", "$", "$(", "(A)", ")", "x", "é", "/", "$(date +%s)"]
_BREAKS = ["\u2028", "\u2029", "\x85", " "]
"""What YAML takes for the end of a line where it stands as it is, with the space that is lost beside one."""
_VALUES = ["", "x", "p$w", "$(A)", "$$", "$", "$(X", "é", "a\nb", "$(K)"]


_PORTS: list[list[Object]] = [
    [{"port": 80}],
    [{"name": "http", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"}],
]
_CLASHING: list[tuple[str, Object]] = [
    ("foo", {}),
    ("foo-service", {"clusterIP": "10.0.0.3"}),
    ("kubernetes-service", {"clusterIP": "10.0.0.4"}),
]
_OTHER: list[tuple[str, Object]] = [
    ("v6", {"clusterIP": "fd00::2", "ports": [{"port": 443}]}),
    ("headless", {"clusterIP": "None"}),
]
_THEMES: list[tuple[list[tuple[str, Object]], list[str]]] = [
    ([], []),
    (_CLASHING, ["FOO_SERVICE_PORT", "KUBERNETES_SERVICE_PORT"]),
    ([_CLASHING[0], *_CLASHING], ["FOO_SERVICE_PORT"]),
    (_OTHER, ["HEADLESS_SERVICE_PORT"]),
]
"""The Services that an item beside `web` is, some of them twice, and the names about which that makes a case."""


class Chance(Random):
    """A case's source of chance, with the pieces of which its texts consist."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.variables = self.sample(VARIABLES, self.randint(0, 3))
        self.services, of_services = self.choice(_THEMES)
        names = [*(3 * OWN), *self.variables, *of_services, *self.choices(_NAMES, k=3)]
        self.breaks = self.random() < 0.2
        breaks = 2 * _BREAKS if self.breaks else []
        self.parts = [*(f"$({name})" for name in names), *self.sample(_OTHERS, 2), *breaks]
        self.values = [*_VALUES, *(6 * [" lead" if self.breaks else self.choice(["", "x"])])]


class World(NamedTuple):
    """Everything that a case of the law needs."""

    workload: Object
    items: list[Object]
    clusters: list[Cluster]
    variables: list[Variable]
    lookup: list[str]
    inline: list[str]
    text: str
    """The workload in one of the ways in which YAML or JSON writes it."""

    @property
    def spec(self) -> str:
        """What the functionConfig says. Literal variables are read from a ConfigMap, which `documents` has too."""
        variables = [
            {"name": one.name, "valueFrom": {"configMapKeyRef": {"name": "values", "key": one.name}}}
            if one.literal
            else {"name": one.name, "value": one.text}
            for one in self.variables
        ]
        spec = {"variables": variables, "lookup": self.lookup, "inline": self.inline}
        return json.dumps(spec)

    def load(self, output: str) -> Object:
        """Return the workload of an output, read as its input is: JSON if it was that."""
        if self.text.startswith('{"'):
            return json.loads(output.partition("\n---\n")[0])
        return next(yaml.load_all(output, Loader=yaml.CSafeLoader))

    @property
    def readable(self) -> frozenset[tuple[str, str]]:
        """The kinds and names of the ConfigMaps and Secrets that the function may read."""
        return self.clusters[0].readable

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

_OF_KIND = {
    "ConfigMap": ("configMap", ["settings", "settings", "hidden"]),
    "Secret": ("secret", ["token", "token", "vault"]),
}


def _text(chance: Chance) -> str:
    return "".join(chance.choices(chance.parts, k=chance.randint(1, 4)))


def _optional(chance: Chance) -> bool:
    return chance.random() < 0.9


def _key(chance: Chance, kind: str) -> Object:
    prefix, listed = _OF_KIND[kind]
    key = chance.choice(["A", "A", "K", "K", "Z"])
    return {f"{prefix}KeyRef": {"name": chance.choice(listed), "key": key, "optional": _optional(chance)}}


def _resource_field(chance: Chance) -> Object:
    resource = chance.choice(RESOURCES)
    reference = {"resource": resource, "divisor": chance.choice(DIVISORS[resource.partition(".")[2]])}
    if chance.random() < 0.2:
        reference["containerName"] = chance.choice(["app", "app", "init"])
    return {"resourceFieldRef": reference}


_SOURCES: dict[str, Callable[[Chance], Object]] = {
    "Downward": lambda chance: {"fieldRef": {"fieldPath": chance.choice(PATHS)}},
    "Resources": _resource_field,
    "ConfigMaps": lambda chance: _key(chance, "ConfigMap"),
    "Secrets": lambda chance: _key(chance, "Secret"),
}


def _entry(chance: Chance, word: str) -> Object:
    """Return an entry of `env` whose value is of the kind that a word of `inline` stands for, if there is one."""
    entry = {"name": chance.choice(OWN)}
    if word in _SOURCES:
        return entry | chance.choice([{}, {"value": ""}]) | {"valueFrom": _SOURCES[word](chance)}
    value = chance.choice([_text(chance), _text(chance), *chance.choices(chance.values, k=2), None])
    return entry if value is None else entry | {"value": value}


def _env_from(chance: Chance) -> Object:
    prefix, listed = _OF_KIND[chance.choice(["ConfigMap", "ConfigMap", "Secret"])]
    source: Object = {f"{prefix}Ref": {"name": chance.choice(listed), "optional": _optional(chance)}}
    return source | chance.choice([{}, *({"prefix": prefix} for prefix in PREFIXES)])


def _container(chance: Chance, name: str, word: str) -> Object:
    """Return a container in which most entries of `env` are of one kind."""
    container: Object = {"name": name}
    if chance.random() < 0.5:
        container["envFrom"] = [_env_from(chance) for _ in range(chance.randint(1, 3))]
    words = chance.choices([word, word, "Literals", *_SOURCES], k=chance.randint(1, 4))
    container["env"] = [_entry(chance, word) for word in words]
    container["command"] = [_text(chance) for _ in range(chance.randint(0, 1))]
    container["args"] = [_text(chance) for _ in range(chance.randint(2, 3))]
    if chance.random() < 0.3:
        container["volumeMounts"] = [_mount(chance) for _ in range(chance.randint(1, 2))]
    for kind in PROBES:
        if chance.random() < 0.2:
            container[kind] = {"exec": {"command": [_text(chance) for _ in range(chance.randint(1, 2))]}}
    container["resources"] = {
        kind: {name: chance.choice(listed) for name, listed in QUANTITIES.items() if chance.random() < 0.5}
        for kind in ("limits", "requests")
    }
    return container


def _mount(chance: Chance) -> Object:
    variable = f"$({chance.choice(chance.variables or OWN)})"
    return {"name": "data", "mountPath": "/data"} | chance.choice(
        [{}, {"subPathExpr": _text(chance)}, {"subPathExpr": f"x-{variable}"}, {"subPathExpr": variable}]
    )


_TEMPLATE = ("spec", "template")
_KINDS = [
    *(6 * [("Pod", "v1")]),
    *(3 * [("Deployment", "apps/v1", *_TEMPLATE)]),
    ("DaemonSet", "apps/v1", *_TEMPLATE),
    ("ReplicaSet", "apps/v1", *_TEMPLATE),
    ("StatefulSet", "apps/v1", *_TEMPLATE),
    ("Job", "batch/v1", *_TEMPLATE),
    ("CronJob", "batch/v1", "spec", "jobTemplate", *_TEMPLATE),
    ("PodTemplate", "v1", "template"),
    ("ReplicationController", "v1", *_TEMPLATE),
    ("Rollout", "argoproj.io/v1alpha1", *_TEMPLATE),
    ("Service", "serving.knative.dev/v1", *_TEMPLATE),
]
"""Each kind of workload, its version, and where it has its pod template."""


def _workload(chance: Chance, word: str) -> Object:
    spec: Object = {"containers": [_container(chance, "app", word)]}
    if chance.random() < 0.2:
        spec["initContainers"] = [_container(chance, "init", word)]
    spec |= chance.choice([{}, {}, {}, {"enableServiceLinks": False}, {"enableServiceLinks": True}])
    spec |= chance.choice([{}, {"serviceAccountName": "me"}, {"serviceAccount": "me", "nodeName": "node"}])
    labels = chance.choice([{}, {"labels": {"app": "web"}}, {"labels": {"app": "$x"}, "annotations": {"note": ""}}])
    kind, version, *path = chance.choice(_KINDS)
    workload = _object(kind, "web", chance.choice(["", "shop"])) | {"apiVersion": version}
    if kind == "Pod":
        workload["metadata"] |= labels
        return workload | {"spec": spec}
    template: Object = {"metadata": labels, "spec": spec}
    for key in reversed(path):
        template = {key: template}
    return workload | template


# What is beside the workload: objects that it can read, and what its cluster has.


def _services(chance: Chance, namespace: str) -> list[Object]:
    """Return the Services that are items."""
    stated = ("web", chance.choice([{}, {"clusterIP": "10.0.0.2"}]))
    specs = [stated, *chance.services, ("twice", {"ports": [{"port": 1}]})]
    ports = chance.choice(_PORTS)
    local = _service("local", namespace, ports=[{"port": 1}])
    local["metadata"]["annotations"] = {"config.kubernetes.io/local-config": "true"}
    twice = _service("twice", namespace, ports=[{"port": 2}])
    return [*(_service(name, namespace, **{"ports": ports} | spec) for name, spec in specs), twice, local]


def _service(name: str, namespace: str, **spec: Any) -> Object:
    return _object("Service", name, namespace, spec=spec)


def _running(chance: Chance, namespace: str, items: list[Object]) -> list[Object]:
    """Return the Services of a cluster: each of the items once, with an address, and others."""
    named = {item["metadata"]["name"]: item for item in chance.sample(items, len(items))}
    others = [_service("only-there", namespace, ports=[{"port": 7}]), _service("db", namespace, ports=[{"port": 5432}])]
    of_api_server = _service("kubernetes", "default", clusterIP="10.0.0.9", ports=[{"port": 443}])
    there = [one for name, one in named.items() if name != "local"] + chance.sample(others, chance.randint(0, 2))
    address = chance.choice(["10.0.0.1", "fd00::1"])
    running = [one | {"spec": {"clusterIP": address} | one["spec"]} for one in (*there, of_api_server)]
    return chance.sample(running, len(running))


def _data(chance: Chance) -> dict[str, str]:
    return {key: chance.choice(chance.values) for key in KEYS if chance.random() < 0.7}


def _secret(name: str, namespace: str, data: dict[str, str]) -> Object:
    plain = {key: text for key, text in data.items() if key == "K"}
    under = data | dict.fromkeys(plain, "under it")
    encoded = {key: base64.b64encode(text.encode()).decode() for key, text in under.items()}
    return _object("Secret", name, namespace, data=encoded, stringData=plain)


def _hidden(chance: Chance, namespace: str) -> list[Object]:
    """Return items called `hidden` that no container may read."""
    hidden = _object("ConfigMap", "hidden", namespace, data=_data(chance))
    local = {"annotations": {"config.kubernetes.io/local-config": "true"}}
    return chance.choice(
        [
            [],
            [hidden, hidden],
            [hidden | {"metadata": hidden["metadata"] | local}],
            [hidden | {"metadata": {"name": "hidden", "namespace": "other"}}],
        ]
    )


CLUSTERS = 3


def _surroundings(
    chance: Chance, namespace: str, taken: set[str], *, reads_secrets: bool
) -> tuple[list[Object], list[Cluster]]:
    """Return items, and clusters that agree with them, in which no unread source defines what is `taken`."""
    settings, token = ("ConfigMap", "settings"), ("Secret", "token")
    texts = {settings: _data(chance), token: _data(chance)}
    readable = {settings, token} if reads_secrets else {settings}
    texts = {named: data if named in readable else _without(data, taken) for named, data in texts.items()}
    services = _services(chance, namespace)
    items = [*services, *_hidden(chance, namespace)]
    items += _object(*settings, namespace, data=texts[settings]), _secret("token", namespace, texts[token])
    clusters = []
    for _ in range(CLUSTERS):
        unread = {named: _without(_data(chance), taken) for named in (("ConfigMap", "hidden"), ("Secret", "vault"))}
        cluster = Cluster(
            texts | dict(chance.sample([*unread.items()], chance.randint(0, 2))),
            _running(chance, namespace, services),
            decided=_decided(chance, namespace),
            labels={"added": chance.choice(["$(A)", "x"])},
            allocatable=chance.choice([{"cpu": "4", "memory": "8Gi"}, {"cpu": "1500m", "memory": "1Gi"}]),
            devices=chance.choice([{"DEVICE": "/dev/$$"}, {}]),
            readable=frozenset(readable),
        )
        clusters.append(cluster)
    return chance.sample(items, len(items)), clusters


def _decided(chance: Chance, namespace: str) -> dict[str, str]:
    addresses = {"status.podIP": chance.choice(["10.1.0.7", "fd00::7"]), "status.hostIP": "192.168.0.2"}
    by_chance = {path: f"<{path}-{chance.randint(0, 9)}>" for path in PATHS}
    return by_chance | addresses | {"metadata.namespace": namespace or "chosen"}


def _without(data: dict[str, str], taken: set[str]) -> dict[str, str]:
    return {key: text for key, text in data.items() if taken.isdisjoint(prefix + key for prefix in PREFIXES)}


# The functionConfig, and all of it.

_LOOKUP = ["Container", "Variables", "Services"]


def _variables(chance: Chance) -> list[Variable]:
    return [
        Variable(name, chance.choice(texts), literal=chance.random() < 0.5)
        for name in chance.variables
        for texts in [[_text(chance), chance.choice(chance.values), f"x-$({chance.choice(OWN)})"]]
    ]


def _world(number: int) -> World:
    """Return the case of a number, which is about one word of `inline` more than about the others."""
    chance = Chance(number)
    word = chance.choice(INLINE)
    workload, variables = _workload(chance, word), _variables(chance)
    inline = chance.choice([INLINE[:3], INLINE, INLINE, [word], [word], sorted({"Literals", word})])
    lookup = chance.choice([_LOOKUP, _LOOKUP, chance.sample(_LOOKUP, chance.randint(1, 3))])
    # The kubelet asks the container before the Services, and any other order is refused.
    if {"Container", "Services"} <= {*lookup} and lookup.index("Services") < lookup.index("Container"):
        lookup = lookup[::-1]
    namespace = workload["metadata"].get("namespace", "")
    taken = {one.name for one in variables}
    items, clusters = _surroundings(chance, namespace, taken, reads_secrets="Secrets" in inline)
    world = World(workload, items, clusters, variables, lookup, inline, _written(chance, workload))
    return world._replace(workload=world.load(world.text))


worlds = st.integers(0, 2**63).map(_world)


class _Quoting(yaml.CSafeDumper):
    """Writes every string in double quotes, and nothing else."""


_Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


def _written(chance: Chance, value: Any) -> str:
    """Return a value in one of the ways in which YAML and JSON write it, with what ends a line in YAML as it is."""
    way = chance.choice(["block", "flow", "quoted", "JSON"])
    if way == "JSON":
        return json.dumps(value, ensure_ascii=not chance.breaks) + "\n"
    unshared, dumper = json.loads(json.dumps(value)), _Quoting if way == "quoted" else yaml.CSafeDumper
    text = yaml.dump(unshared, Dumper=dumper, default_flow_style=way == "flow", sort_keys=False, width=60)
    return text.replace("\\L", "\u2028").replace("\\P", "\u2029").replace("\\N", "\x85") if chance.breaks else text
