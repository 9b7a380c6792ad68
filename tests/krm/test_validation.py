"""What a field may hold: the grammars, held against Kubernetes' own validation, and which field has which."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from krm import fieldpath, validation
from krm.fieldtypes import TYPES
from krm.resource import Resource
from krm.workloads import PodSpecs
from scripts.fields import read
from tests.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Of each grammar, a field of that grammar in an object, what it takes and what it refuses. All are asked of Kubernetes.
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "a"}}
CONTAINER = {"name": "a", "image": "a", "terminationMessagePolicy": "File", "imagePullPolicy": "Always"}


def _pod(**spec: object) -> dict[str, object]:
    return {**POD, "spec": {"containers": [CONTAINER], "restartPolicy": "Always", "dnsPolicy": "Default", **spec}}


def _container(**given: object) -> dict[str, object]:
    return _pod(containers=[{**CONTAINER, **given}])


def _deployment(**update: object) -> dict[str, object]:
    template = {"metadata": {"labels": {"a": "a"}}, "spec": _pod()["spec"]}
    strategy = {"type": "RollingUpdate", "rollingUpdate": update}
    spec = {"selector": {"matchLabels": {"a": "a"}}, "strategy": strategy, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "a"}, "spec": spec}


def _number(text: str) -> object:
    """Return what a reader of YAML makes of a plain scalar, as far as it is a whole number or a text."""
    if re.fullmatch("-?0[0-7]+", text):
        return int(text, 8)
    return int(text) if re.fullmatch(r"-?\d+", text) else text


PROBE = {"timeoutSeconds": 1, "periodSeconds": 1, "successThreshold": 1, "failureThreshold": 1}
LONG = "a" * 63
SUBDOMAIN = ".".join((LONG, LONG, LONG, "a" * 61))
GRAMMARS: dict[str, tuple[Callable[[str], object], list[str], list[str]]] = {
    "subdomain": (
        lambda text: {**POD, **_pod(), "metadata": {"name": text, "namespace": "a"}},
        ["a", "a-b", "a.b", "1", "a.b-c.d1", SUBDOMAIN],
        ["A", "a_b", "-a", "a-", "a..b", ".a", "a b", "", "é", f"{SUBDOMAIN}a", "a/b", "a$(B)"],
    ),
    "label": (
        lambda text: _pod(hostname=text),
        ["a", "a-b", "1", LONG],
        ["A", "a.b", "-a", "a-", f"{LONG}a", "a$(B)"],
    ),
    "label-value": (
        lambda text: {**_pod(), "metadata": {"name": "a", "namespace": "a", "labels": {"a": text}}},
        ["", "a", "A.b_c-d", "1", LONG],
        ["-a", "a-", "a b", "a/b", f"{LONG}a", "é", "a$(B)"],
    ),
    "label-key": (
        lambda text: _pod(tolerations=[{"key": text, "operator": "Exists"}]),
        ["a", "A_b", "a.b/c", f"{SUBDOMAIN}/{LONG}"],
        ["a/b/c", "A/b", "/a", "a/", f"{LONG}a", "a$(B)"],
    ),
    "port-name": (
        lambda text: _container(ports=[{"containerPort": 1, "name": text, "protocol": "TCP"}]),
        ["http", "h2-c", "a1"],
        ["80", "-a", "a-", "a--b", "HTTP", "a" * 16, "a$(B)"],
    ),
    "quantity": (
        lambda text: _container(resources={"limits": {"cpu": text}}),
        ["1", "500m", "1Gi", "1.5", ".5", "+1", "1e3", "1E3", "100k", "0"],
        ["1g", "one", "1 Gi", "1KB", "", "a$(B)"],
    ),
    "integer": (
        lambda text: _pod(tolerations=[
            {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _number(text)},
        ]),
        ["0", "3", "-1", "100"],
        ["two", "1.5", "", "a$(B)"],
    ),
    "0..": (
        lambda text: {
            "apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "a", "namespace": "a"},
            "spec": {"replicas": _number(text), "selector": {"a": "a"}, "template": {
                "metadata": {"labels": {"a": "a"}}, "spec": _pod()["spec"],
            }},
        },
        ["0", "3", "100", "2147483647"],
        ["-1", "two", "1.5", "", "a$(B)"],
    ),
    "1..": (
        lambda text: _container(startupProbe={
            **PROBE, "tcpSocket": {"port": 1}, "terminationGracePeriodSeconds": _number(text),
        }),
        ["1", "30", "99999"],
        ["0", "-1", "two", "1.5"],
    ),
    "1..65535": (
        lambda text: _container(ports=[{"containerPort": _number(text), "protocol": "TCP"}]),
        ["1", "80", "65535"],
        ["0", "65536", "99999", "-80", "http", "80.0"],
    ),
    "0..65535": (
        lambda text: _container(ports=[{"containerPort": 1, "hostPort": _number(text), "protocol": "TCP"}]),
        ["0", "80"],
        ["65536", "-1", "http"],
    ),
    "0..511": (
        lambda text: _pod(volumes=[{"name": "a", "emptyDir": {}}, {"name": "b", "configMap": {
            "name": "a", "defaultMode": _number(text),
        }}]),
        ["0", "420", "511", "0644", "0777"],
        ["512", "644", "777", "01000", "-1", "r"],
    ),
    "1..100": (
        lambda text: _pod(affinity={"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": _number(text), "podAffinityTerm": {"topologyKey": "a", "labelSelector": {}}},
        ]}}),
        ["1", "100"],
        ["0", "101", "-1", "1%"],
    ),
    "port-or-name": (
        lambda text: _container(startupProbe={**PROBE, "tcpSocket": {"port": _number(text)}}),
        ["1", "80", "9999", "10000", "59999", "65535", "http", "a-b"],
        ["0", "65536", "70000", "99999", "-80", "25%", "HTTP", "a--b", "-a", "a" * 16, "a$(B)"],
    ),
    "target-port": (
        lambda text: {
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "a"},
            "spec": {"ports": [{"port": 1, "protocol": "TCP", "targetPort": _number(text)}]},
        },
        ["0", "1", "80", "65535", "http"],
        ["65536", "-80", "25%", "HTTP", "a$(B)"],
    ),
    "percentage": (
        lambda text: _deployment(maxSurge=_number(text), maxUnavailable=1),
        ["0", "1", "100", "25%", "100%", "101%"],
        ["-1", "-1%", "http", "1.5%", "%", ""],
    ),
    "share": (
        lambda text: _deployment(maxSurge=1, maxUnavailable=_number(text)),
        ["0", "1", "101", "25%", "100%"],
        ["101%", "1000%", "-1", "-1%", "http", "1.5%", "%", ""],
    ),
    "host": (
        lambda text: {
            "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "a", "namespace": "a"},
            "spec": {
                "defaultBackend": {"service": {"name": "a", "port": {"number": 1}}}, "rules": [{"host": text}],
            },
        },
        ["", "a.b", "*.a.b", "a"],
        ["A.b", "*.*.a", "a_b", "a/b", "a:80", "a$(B)"],
    ),
    "base64": (
        lambda text: {
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "a"}, "data": {"a": text},
        },
        ["", "YQ==", "YWJj", "YW\nJj", "YW\r\nJj"],
        ["YQ", "a", "a$(B)", "plain text", "YQ===", "YWJj\u00e9", "YW\u2028Jj"],
    ),
    "data-key": (
        lambda text: _container(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "a", "key": text}}}]),
        ["a", "app.yaml", "A_b-1", ".a", "a" * 253],
        ["", "a b", "a/b", ".", "..", "..a", "a" * 254, "a$(B)"],
    ),
    "name": (
        lambda text: {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": text, "namespace": "a"}, "rules": [],
        },
        ["a", "system:node", "A b"],
        ["a/b", "a%b", ".", "..", ""],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAMMARS)
def test_a_grammar(name: str) -> None:
    _, taken, refused = GRAMMARS[name]
    assert [text for text in [*taken, *refused] if validation.expected(name, text) is None] == taken


@pytest.mark.parametrize("name", GRAMMARS)
def test_kubernetes_takes_what_the_table_takes(name: str, validation_oracle: str) -> None:
    holding, taken, refused = GRAMMARS[name]
    texts = [*taken, *refused]
    asked = "".join(f"{json.dumps(holding(text))}\n" for text in texts)
    ran = subprocess.run([validation_oracle], input=asked, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [text for text, answer in zip(texts, answers, strict=True) if not answer] == taken


# The runtime decides about images: this is the grammar of github.com/distribution/reference.
IMAGES = {
    "nginx": True,
    "nginx:1.27": True,
    "library/nginx": True,
    "registry.example.com:5000/a/b:v1": True,
    "localhost/a": True,
    "[::1]:5000/a": True,
    "a__b/c---d": True,
    "a@sha256:" + "0" * 64: True,
    "a:1@sha256:" + "0" * 64: True,
    "nginx:": False,
    "nginx: 1": False,
    'nginx:"1"': False,
    "nginx:1\n": False,
    "Nginx": False,
    "": False,
    ":1": False,
    "a@sha256:0": False,
    "ko://example.com/a": False,
    "a$(B)": False,
}


@pytest.mark.parametrize("text", IMAGES)
def test_an_image(text: str) -> None:
    assert (validation.expected("image", text) is None) is IMAGES[text]


def test_words_of_a_list_and_what_nobody_judges() -> None:
    assert validation.expected("Always|Never", "Always") is None
    assert validation.expected("Always|Never", "never") == "one of `Always`, `Never`"
    assert validation.expected("boolean", "yes") == "`true` or `false`"
    assert validation.expected("0..", "two") == "a whole number, such as `3`"
    assert validation.expected("0..", "-1") == "a whole number from 0 on"
    assert validation.expected("1..65535", "99999") == "a whole number from 1 to 65535"
    assert validation.expected("0..", "9" * 5000) == "a whole number from 0 on"
    assert validation.expected("share", "101%") == "a number, or a percentage up to `100%`, such as `25%`"
    assert validation.expected("token", "any text") is None
    assert validation.expected("", "any text") is None


# A field, as `apiVersion kind path`, and its grammar.
FIELDS = {
    "v1 Pod spec.containers[0].image": "image",
    "v1 Pod spec.volumes[0].configMap.name": "subdomain",
    "v1 Pod spec.containers[0].args[0]": "",
    "v1 Pod spec.containers[0].env[0].name": "",
    "v1 Pod spec.containers[0].ports[0].containerPort": "1..65535",
    "v1 Pod spec.containers[0].ports[0].hostPort": "0..65535",
    "v1 Pod spec.containers[0].livenessProbe.terminationGracePeriodSeconds": "1..",
    "v1 Pod spec.terminationGracePeriodSeconds": "integer",
    "v1 Pod spec.securityContext.supplementalGroups[0]": "0..2147483647",
    "v1 Pod spec.volumes[0].secret.defaultMode": "0..511",
    "v1 Service spec.ports[0].nodePort": "0..65535",
    "v1 Service spec.ports[0].targetPort": "target-port",
    "apps/v1 Deployment spec.strategy.rollingUpdate.maxSurge": "percentage",
    "policy/v1 PodDisruptionBudget spec.minAvailable": "share",
    "v1 Pod metadata.labels.a": "label-value",
    "v1 Pod metadata.annotations.a": "",
    "v1 Pod spec": "",
    "v1 Pod spec.containers": "",
    "apps/v1 Deployment spec.replicas": "0..",
    "apps/v1 Deployment spec.template.metadata.labels.a": "label-value",
    "apps/v1 Deployment spec.template.spec.nodeSelector.a": "label-value",
    "apps/v1 Deployment spec.template.spec.containers[0].resources.limits.cpu": "quantity",
    "apps/v1 Deployment spec.nothing": "",
    "serving.kserve.io/v1beta1 InferenceService spec.predictor.model.args[0]": "",
    "example.com/v1 Deployment spec.replicas": "",
    "example.com/v1 Thing metadata.namespace": "label",
    "argoproj.io/v1alpha1 Rollout spec.replicas": "0..",
    "argoproj.io/v1alpha1 Rollout spec.selector.matchLabels.a": "label-value",
    "argoproj.io/v1alpha1 Rollout spec.strategy.canary": "",
    "argoproj.io/v1alpha1 Rollout spec.template.metadata.labels.a": "label-value",
    "argoproj.io/v1alpha1 Rollout spec.template.spec.containers[0].imagePullPolicy": "Always|IfNotPresent|Never",
    "rbac.authorization.k8s.io/v1 Role metadata.name": "name",
    "v1 Secret data.a": "base64",
    "v1 Secret stringData.a": "",
    "v1 ConfigMap data.a": "",
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_has_its_grammar(field: str) -> None:
    resource, path = _resource(field)
    assert validation.grammar(resource, path, PodSpecs()) == FIELDS[field]


def _resource(field: str) -> tuple[Resource, fieldpath.Place]:
    api_version, kind, path = field.split()
    text = f"apiVersion: {api_version}\nkind: {kind}\n"
    return Resource(text, (0, len(text)), "item"), fieldpath.parse(path)  # type: ignore[return-value]  # no wildcard


def test_every_type_that_is_named_is_there() -> None:
    named = {held.lstrip("*-") for kind in TYPES for held in _held(kind)}
    assert {one for one in named if one[:1].isupper() and "|" not in one} <= TYPES.keys()


def test_the_table_is_what_kubernetes_says(validation_oracle: str) -> None:
    """Of every field with a grammar it refuses a text with a reference; of what the kubelet expands it refuses none."""
    if shutil.which("go") is None:
        pytest.skip("needs Go, which has the schema")
    found = subprocess.run(
        ["go", "mod", "download", "-json", "k8s.io/kubernetes"],
        cwd=ROOT / "tests" / "validation_oracle", capture_output=True, text=True, check=True,
    )  # fmt: skip
    table = read(json.loads(found.stdout)["Dir"])
    table.ask(validation_oracle)
    assert {kind: " ".join(_printed(held)) for kind, held in table.types.items()} == TYPES
    expanded = [f"v1 Pod spec.containers[0].{field}" for field in ("args[0]", "command[0]", "env[0].value")]
    expanded += [
        "v1 Pod spec.containers[0].volumeMounts[0].subPathExpr",
        "v1 Pod spec.containers[0].livenessProbe.exec.command[0]",
    ]
    assert [validation.grammar(*_resource(one), PodSpecs()) for one in expanded] == [""] * len(expanded)


def _printed(held: dict[str, str]) -> Iterator[str]:
    yield from (f"{key}:{one}" if one else key for key, one in held.items())


def _held(kind: str) -> Iterator[str]:
    yield from (one.partition(":")[2] for one in TYPES[kind].split())
