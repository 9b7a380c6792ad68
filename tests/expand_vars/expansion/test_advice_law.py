"""Advice as a law: obeyed, it makes its message go away; in the end nothing is said, and the API takes the object."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.expand_vars.expansion.obedience import Package, faults, obey, warnings

if TYPE_CHECKING:
    from collections.abc import Callable

    Object = dict[str, Any]
    Mistake = Callable[[Package, Object], None]

VARIABLES = {"REGION": "eu", "TAG": "1.27", "COUNT": "3"}
_MOST = 30


def _head(api_version: str, kind: str) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "w"}}


def _workload(rng: Random) -> tuple[Object, Object]:
    """Return a workload, and the spec of its Pods."""
    spec: Object = {"containers": [_container(rng, name) for name in ("web", "log")[: rng.randint(1, 2)]]}
    template = {"metadata": {"labels": {"app": "a"}}, "spec": spec}
    job = {"spec": {"template": {**template, "spec": spec}}}
    spec["restartPolicy"] = "Always"
    shape = rng.choice(("Pod", "Deployment", "CronJob", "Fleet"))
    if shape == "Pod":
        return {**_head("v1", "Pod"), "spec": spec}, spec
    if shape == "Deployment":
        return {
            **_head("apps/v1", "Deployment"),
            "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template},
        }, spec
    if shape == "CronJob":
        return {**_head("batch/v1", "CronJob"), "spec": {"schedule": "@daily", "jobTemplate": job}}, spec
    return {**_head("example.com/v1", "Fleet"), "spec": {"members": [{"name": "m", "template": template}]}}, spec


def _container(rng: Random, name: str) -> Object:
    container: Object = {"name": name, "image": "nginx:1"}
    container["args"] = rng.sample(["--quiet", "--region=$(REGION)", "--port=80", "$$(date)"], rng.randint(0, 3))
    container["env"] = rng.sample(
        [{"name": "HOST", "value": "db"}, {"name": "LEVEL", "value": "$(REGION)-1"}, {"name": "EMPTY", "value": ""}], 2
    )
    return container


def _package(rng: Random) -> tuple[Package, Object]:
    """Return a package, started in one of the ways in which people start the function, and the spec of its Pods."""
    workload, spec = _workload(rng)
    way = rng.choice(("arguments", "ExpandVars", "ConfigMap", "kpt"))
    config: Object | None = None
    if way == "ExpandVars":
        variables = [{"name": name, "value": value} for name, value in VARIABLES.items()]
        head = {"apiVersion": "expandvars.dev/v1alpha1", "kind": "ExpandVars", "metadata": {"name": "vars"}}
        config = {**head, "spec": {"variables": variables}}
    elif way != "arguments":
        name = "function-input" if way == "kpt" else "settings"
        config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {**VARIABLES}}
    package = Package(rng, [workload], config, {**VARIABLES} if way == "arguments" else {})
    # All are used, so that whatever is said of a name is about a mistake.
    spec["containers"][0]["args"].append("$(REGION)-$(TAG)-$(COUNT)")
    return package, spec


def _one(package: Package, spec: Object) -> Object:
    containers = spec["containers"]
    found: Object = package.rng.choice([*containers.values()] if isinstance(containers, dict) else containers)
    return found


def _words(package: Package, container: Object) -> list[Any]:
    """Return a list of words of a container to which one more may be added."""
    key = package.rng.choice(("args", "command"))
    words = container.setdefault(key, [])
    return words if isinstance(words, list) else []


def _entries(container: Object) -> list[Any]:
    entries = container["env"]
    return entries if isinstance(entries, list) else []


def no_quotes(package: Package, spec: Object) -> None:
    _words(package, _one(package, spec)).append({"--url": "http://$(REGION)"})


def values(package: Package, spec: Object) -> None:
    _entries(_one(package, spec)).append({"name": "ZONE", "values": "$(REGION)-a"})


def entry_without_name(package: Package, spec: Object) -> None:
    _entries(_one(package, spec)).append({"ZONE": "$(REGION)-a"})


def entry_as_text(package: Package, spec: Object) -> None:
    _entries(_one(package, spec)).append("ZONE=$(REGION)")


def json_without_quotes(package: Package, spec: Object) -> None:
    _entries(_one(package, spec)).append({"name": "SETTINGS", "value": {"zone": "$(REGION)", "size": 3}})


def args_as_mapping(package: Package, spec: Object) -> None:
    _one(package, spec)["args"] = {"--zone": "$(REGION)", "--tag": "$(TAG)"}


def args_as_text(package: Package, spec: Object) -> None:
    _one(package, spec)["args"] = "--zone=$(REGION)"


def env_as_mapping(package: Package, spec: Object) -> None:
    _one(package, spec)["env"] = {"HOST": "db", "ZONE": "$(REGION)", "EMPTY": "x"}


def misspelt_field(package: Package, spec: Object) -> None:
    key = package.rng.choice(("args", "command"))
    at = package.rng.randrange(len(key))
    _one(package, spec)[key[:at] + key[at + 1 :]] = ["$(REGION)"]


def containers_as_mapping(_: Package, spec: Object) -> None:
    if isinstance(spec["containers"], list):
        spec["containers"] = {one.pop("name"): one for one in spec["containers"]}


def no_kind(package: Package, _: Object) -> None:
    package.items[0].pop("kind", None)


def no_api_version(package: Package, _: Object) -> None:
    if package.head["kind"] in ("Deployment", "CronJob"):
        package.items[0].pop("apiVersion", None)


def of_another_group(package: Package, _: Object) -> None:
    if package.head["kind"] in ("Deployment", "CronJob"):
        package.items[0]["apiVersion"] = "v1"


def misspelt_kind(package: Package, _: Object) -> None:
    if package.head["kind"] != "Fleet":
        package.items[0]["kind"] = package.head["kind"] + "s"


def declared_below(package: Package, spec: Object) -> None:
    entries = _entries(_one(package, spec))
    entries += [{"name": "URL", "value": "http://$(BASE)"}, {"name": "BASE", "value": "b"}]


def itself(package: Package, spec: Object) -> None:
    _entries(_one(package, spec)).append({"name": "PATH", "value": "$(PATH):/opt"})


def misspelt(package: Package, spec: Object) -> None:
    _words(package, _one(package, spec)).append(package.rng.choice(["--r=$(REGIO)", "$(region)", "$(HOTS)"]))


def undeclared(package: Package, spec: Object) -> None:
    _words(package, _one(package, spec)).append(package.rng.choice(["$(NOWHERE)", "--q=$(QUX)/$(QUUX)"]))


def no_text(package: Package, spec: Object) -> None:
    value = package.rng.choice([8080, True, 1.5, False])
    _entries(_one(package, spec)).append({"name": "PORT", "value": value})


def two_sources(package: Package, spec: Object) -> None:
    source = {"fieldRef": {"fieldPath": "metadata.name"}}
    _entries(_one(package, spec)).append({"name": "NAME", "value": "web", "valueFrom": source})


def image(package: Package, spec: Object) -> None:
    _one(package, spec)["image"] = "nginx:$(TAG)"


def label(package: Package, _: Object) -> None:
    package.items[0]["metadata"]["labels"] = {"tag": "$(TAG)"}


def annotation(package: Package, _: Object) -> None:
    package.items[0]["metadata"]["annotations"] = {"example.com/tag": "$(TAG)"}


def replicas(package: Package, _: Object) -> None:
    if package.head["kind"] == "Deployment":
        package.items[0]["spec"]["replicas"] = "$(COUNT)"


def working_directory(package: Package, spec: Object) -> None:
    _one(package, spec)["workingDir"] = "/srv/$(TAG)"


def port(package: Package, spec: Object) -> None:
    _one(package, spec)["ports"] = [{"containerPort": "$(COUNT)"}]


def grace(_: Package, spec: Object) -> None:
    spec["terminationGracePeriodSeconds"] = "$(COUNT)"


def hook(package: Package, spec: Object) -> None:
    exec_, http = {"exec": {"command": ["echo", "$(HOSTED)"]}}, {"httpGet": {"port": 80, "path": "/$(HOSTED)"}}
    container = _one(package, spec)
    _entries(container).append({"name": "HOSTED", "value": "h"})
    container["lifecycle"] = {"preStop": package.rng.choice([exec_, http])}


def raw_probe(package: Package, spec: Object) -> None:
    container = _one(package, spec)
    entries = _entries(container)
    entries += [{"name": "INNER", "value": "i"}, {"name": "OUTER", "value": "$(INNER)o"}]
    container["livenessProbe"] = {"exec": {"command": ["check", "--host=$(OUTER)"]}}


def probe_of_a_source(package: Package, spec: Object) -> None:
    container = _one(package, spec)
    source = {"fieldRef": {"fieldPath": "metadata.name"}}
    _entries(container).append({"name": "MY_NAME", "valueFrom": source})
    container["readinessProbe"] = {"exec": {"command": ["check", "$(MY_NAME)"]}}


def empty_path(package: Package, spec: Object) -> None:
    container = _one(package, spec)
    _entries(container).append({"name": "VOID", "value": ""})
    container["volumeMounts"] = [{"name": "v", "mountPath": "/v", "subPathExpr": "logs/$(VOID)"}]
    spec["volumes"] = [{"name": "v", "emptyDir": {}}]


def missing_key(package: Package, spec: Object) -> None:
    container = _one(package, spec)
    key = package.rng.choice(["hosst", "nothing"])
    source = {"configMapKeyRef": {"name": "settings", "key": key}}
    _entries(container).append({"name": "SETTING", "valueFrom": source})
    _words(package, container).append("$(SETTING)")
    if not any(one["kind"] == "ConfigMap" for one in package.items[1:]):
        package.items.append(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"host": "h"}}
        )


def headless(package: Package, spec: Object) -> None:
    package.items.append(_service("db", {"clusterIP": "None"}))
    _words(package, _one(package, spec)).append("$(DB_SERVICE_HOST)")


def ambiguous(package: Package, spec: Object) -> None:
    package.items += [_service("foo", {"clusterIP": "10.0.0.1"}), _service("foo-service", {"clusterIP": "10.0.0.2"})]
    _words(package, _one(package, spec)).append("$(FOO_SERVICE_PORT)")


def of_a_shell(package: Package, spec: Object) -> None:
    package.declare("STAGE", "prod")
    _words(package, _one(package, spec)).append("--stage=${STAGE}")


def unused(package: Package, _: Object) -> None:
    package.declare("NOBODY", "x")


def nearly_used(package: Package, spec: Object) -> None:
    package.declare("CLUSTRE", "x")
    _words(package, _one(package, spec)).append("--cluster=$(CLUSTER)")


def selects_nothing(package: Package, _: Object) -> None:
    if package.config is not None and package.config["kind"] == "ExpandVars":
        package.config["spec"]["exclude"] = [{"kind": "Podd"}]


def leads_nowhere(package: Package, _: Object) -> None:
    if package.config is not None and package.config["kind"] == "ExpandVars":
        package.spec.setdefault("targets", []).append({"fieldPaths": ["spec.imagge"]})


def no_template(package: Package, _: Object) -> None:
    if package.config is not None and package.config["kind"] == "ExpandVars":
        package.spec["podTemplates"] = [{"group": "example.com", "kind": "Fleett", "fieldPath": "spec.template"}]


def _service(name: str, spec: Object) -> Object:
    ports = [{"port": 80}]
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": {**spec, "ports": ports}}


MISTAKES: list[Mistake] = [
    no_quotes, values, entry_without_name, entry_as_text, json_without_quotes, args_as_mapping, args_as_text,
    env_as_mapping, containers_as_mapping, no_kind, no_api_version, of_another_group, misspelt_kind, declared_below,
    itself, misspelt, undeclared, no_text, two_sources, image, label, annotation, replicas, working_directory, port,
    grace, hook, raw_probe, probe_of_a_source, empty_path, missing_key, headless, ambiguous, of_a_shell, unused,
    nearly_used, selects_nothing, leads_nowhere, no_template, misspelt_field,
]  # fmt: skip


def hold(number: int, *planted: Mistake) -> list[str]:
    """Check the law for a case, with mistakes of its own where none are given. Return the reasons of all messages."""
    rng = Random(number)  # noqa: S311 - a case, and no secret
    package, spec = _package(rng)
    planted = planted or tuple(rng.sample(MISTAKES, rng.choice((1, 1, 2, 3))))
    for mistake in planted:
        mistake(package, spec)
    case = number, [mistake.__name__ for mistake in planted]
    reasons: list[str] = []
    output = package.run()
    while found := warnings(output):
        result = rng.choice(found)
        reasons.append(result.reason)
        obey(package, result)
        output = package.run()
        assert str(result) not in map(str, warnings(output)), (case, result, package.items, package.config)
        assert len(reasons) < _MOST, (case, [*map(str, found)], package.items)
    for resource in yaml.load_all(output.text, Loader=yaml.CSafeLoader):
        assert faults(resource) == [], (case, faults(resource), resource)
    return reasons


@given(st.integers(0, 1 << 32))
@example(1306)
@example(4297)
@example(752)
@example(288679982)
@example(992722)
@settings(max_examples=max(800, settings().max_examples))
def test_advice_obeyed_makes_its_message_go_away_and_the_object_valid(number: int) -> None:
    hold(number)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_each_mistake_is_told(mistake: Mistake) -> None:
    assert any(hold(number, mistake) for number in range(100))
