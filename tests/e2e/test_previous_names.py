"""Names under the real kustomize, which renames objects before a transformer runs and references to them after it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("kustomize")]

ROOT = Path(__file__).parents[2]
KUSTOMIZATION = """\
namePrefix: pre-
namespace: shop
resources: [pod.yaml]
configMapGenerator:
- {name: settings, literals: [region=eu]}
- {name: plain, literals: [tag=v1], options: {disableNameSuffixHash: true}}
secretGenerator:
- {name: db, literals: [password=hunter2]}
transformers: [config.yaml]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    args: [ARGUMENT]
    env:
    - name: OWN
      valueFrom: {configMapKeyRef: {name: settings, key: region}}
    - name: PASSWORD
      valueFrom: {secretKeyRef: {name: db, key: password}}
    envFrom:
    - configMapRef: {name: plain}
"""
CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: names
  annotations:
    config.kubernetes.io/function: "exec: {path: ./function}"
spec:
"""
# What an argument becomes, by what the functionConfig says.
ARGUMENTS = {
    "a key of a ConfigMap": (
        "$(X)",
        "variables: [{name: X, valueFrom: {configMapKeyRef: {name: settings, key: region}}}]",
        "eu",
    ),
    "a key of a ConfigMap by its new name": (
        "$(X)",
        "variables: [{name: X, valueFrom: {configMapKeyRef: {name: pre-settings, namespace: shop, key: region}}}]",
        "eu",
    ),
    "a key of a ConfigMap in the namespace that it had": (
        "$(X)",
        "variables: [{name: X, valueFrom: {configMapKeyRef: {name: settings, namespace: default, key: region}}}]",
        "eu",
    ),
    "all keys of a ConfigMap": ("$(tag)", "variablesFrom: [{configMapRef: {name: plain}}]\nlookup: [Variables]", "v1"),
    "a key of a Secret": (
        "$(X)",
        "variables: [{name: X, valueFrom: {secretKeyRef: {name: db, key: password}}}]\ninline: [Secrets, Variables]",
        "hunter2",
    ),
    "the name of an object": (
        "$(X)",
        "variables: [{name: X, valueFrom: {objectFieldRef: {kind: Pod, name: web, fieldPath: metadata.name}}}]",
        "pre-web",
    ),
    "the name of an object that gets no hash": (
        "$(X)", "kustomizeVars: [{name: X, objref: {kind: ConfigMap, name: plain}}]", "pre-plain",
    ),
    "a selected item": ("$(X)", "variables: [{name: X, value: x}]\nselectors: {name: web}", "x"),
    "a container's ConfigMap": ("$(OWN)", "inline: [ConfigMaps]", "eu"),
    "a container's ConfigMap as a whole": ("$(tag)", "inline: [ConfigMaps]", "v1"),
    "a container's Secret": ("$(PASSWORD)", "inline: [Secrets]", "hunter2"),
    "what may not be written": ("$(OWN)$(tag)$(PASSWORD)", "{}", "$(OWN)$(tag)$(PASSWORD)"),
}  # fmt: skip
HASHED = "kustomizeVars: [{name: X, objref: {kind: ConfigMap, name: settings}}]"


@pytest.fixture
def build(tmp_path: Path) -> Any:
    """Build a kustomization of a Pod with one argument, and return the Pod and what is told."""
    function = tmp_path / "function"
    function.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "fn"}" exec "{sys.executable}" -m expand_vars\n')
    function.chmod(0o755)

    def build(word: str, spec: str) -> tuple[Any, str]:
        indented = "".join(f"  {line}\n" for line in spec.splitlines())
        files = {
            "kustomization.yaml": KUSTOMIZATION,
            "pod.yaml": POD.replace("ARGUMENT", word),
            "config.yaml": CONFIG + indented,
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        command = ("kustomize", "build", "--enable-alpha-plugins", "--enable-exec", ".")
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (pod,) = [item for item in yaml.safe_load_all(done.stdout) if item["kind"] == "Pod"]
        return pod, done.stderr

    return build


@pytest.mark.parametrize(("word", "spec", "expected"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_what_was_renamed_is_found(build: Any, word: str, spec: str, expected: str) -> None:
    pod, _ = build(word, spec)
    (container,) = pod["spec"]["containers"]
    assert container["args"] == [expected]
    # kustomize has made the references follow, hashes included, behind the function.
    assert container["env"][0]["valueFrom"]["configMapKeyRef"]["name"].startswith("pre-settings-")
    assert container["envFrom"] == [{"configMapRef": {"name": "pre-plain"}}]


def test_a_name_that_gets_a_hash_later_is_not_final(build: Any) -> None:
    pod, seen = build("$(X)", HASHED)
    assert pod["spec"]["containers"][0]["args"] == ["$(X)"]
    assert "`metadata.name` of ConfigMap `settings` gets a hash suffix after this function has run" in seen
