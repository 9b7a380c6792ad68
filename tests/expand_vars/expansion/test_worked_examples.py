"""Worked examples of docs/reference/expansion.md, "The three forms", from a workload to what its container gets."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.expand_vars.expansion.kubelet import start
from tests.expand_vars.expansion.kubelet_sources import Cluster, Pod
from tests.expand_vars.expansion.running import config_map, pod, run
from tests.grammar import EXAMPLES, KNOWN, ONLY_AT_RUN_TIME

CLUSTER = Cluster(
    {("ConfigMap", "known"): KNOWN, ("ConfigMap", "only-there"): ONLY_AT_RUN_TIME},
    [],
    {"metadata.namespace": "default"},
    labels={},
    allocatable={},
    devices={},
)
ENV_FROM = "envFrom: [{configMapRef: {name: only-there}}, {configMapRef: {name: known}}]"


def _written(text: str, escapes: str) -> str:
    """Return what becomes of a text that is an argument of a container."""
    container = f"{ENV_FROM}\nargs: [{json.dumps(text)}]"
    spec = f"inline: [ConfigMaps]\nescapes: {escapes}\nunresolved: Ignore"
    return str(run(pod(container), config_map("known", json.dumps(KNOWN)), spec=spec).container["args"][0])


def _given(text: str) -> str:
    """Return what the kubelet makes of a text that is an argument of a container."""
    workload = yaml.safe_load(pod(f"{ENV_FROM}\nargs: [{json.dumps(text)}]"))
    (started,) = start(Pod(workload), CLUSTER, [], [])
    return started.args[0]


@pytest.mark.parametrize(("text", "given", "kept", "unescaped", "given_then"), EXAMPLES)
def test_what_a_text_becomes_in_both_forms(text: str, given: str, kept: str, unescaped: str, given_then: str) -> None:
    assert _given(text) == given
    assert _written(text, "Keep") == kept
    assert _given(kept) == given
    assert _written(kept, "Keep") == kept
    assert _written(text, "Unescape") == unescaped
    assert _given(unescaped) == given_then


def test_a_whole_container() -> None:
    container = """\
env:
- {name: URL, value: "pg://$(HOST)"}      # forward reference: the kubelet never resolves it
- {name: HOST, value: db}
- {name: PW, value: "pa$$word"}           # pa$word
- {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
args: ["$(URL)", "$(HOST)", "$(PW)", "$(POD)", "$$(HOST)"]
"""
    expected = container.replace('"$(HOST)", "$(PW)", "$(POD)"', '"db", "pa$$word", "$(POD)"')
    assert run(pod(container)).text == pod(expected)


# A field of a container, and what it becomes when it declares `H: db` and `URL: http://$(H)` and is given `E: ""`.
FIELDS = {
    "command: ['$(URL)']": "command: ['http://db']",
    "args: ['$(URL)']": "args: ['http://db']",
    "args: ['$(PORT)']": "args: ['8080']",
    "volumeMounts: [{subPathExpr: $(H)}]": "volumeMounts: [{subPathExpr: db}]",
    "volumeMounts: [{subPathExpr: x$(E)}]": "volumeMounts: [{subPathExpr: x$(E)}]",
    "livenessProbe: {exec: {command: [$(H)]}}": "livenessProbe: {exec: {command: [db]}}",
    "livenessProbe: {exec: {command: ['$(URL)']}}": "livenessProbe: {exec: {command: ['http://$$(H)']}}",
    "livenessProbe: {exec: {command: [$(OF)]}}": "livenessProbe: {exec: {command: [$(OF)]}}",
    "livenessProbe: {httpGet: {path: $(H)}}": "livenessProbe: {httpGet: {path: $(H)}}",
    "lifecycle: {preStop: {exec: {command: [$(H)]}}}": "lifecycle: {preStop: {exec: {command: [$(H)]}}}",
    "image: $(H)": "image: $(H)",
    "workingDir: /$(H)": "workingDir: /$(H)",
}


@pytest.mark.parametrize(("written", "becomes"), FIELDS.items())
def test_a_rule_of_a_field(written: str, becomes: str) -> None:
    env = """\
env:
- {name: H, value: db}
- {name: PORT, value: "8080"}
- {name: E}
- {name: URL, value: "http://$(H)"}
- {name: OF, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
"""
    expanded = env.replace("$(H)", "db")
    assert run(pod(env + written), spec="unresolved: Ignore").text == pod(expanded + becomes)
