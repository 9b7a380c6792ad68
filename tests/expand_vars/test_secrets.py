"""A text is planted in a Secret, and looked for in all that each command says."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from tests.krm.package.directories import write
from tests.process import either, krm, run

if TYPE_CHECKING:
    from pathlib import Path

PLANTED = "S3CR3Tzz"
ENCODED = base64.b64encode(PLANTED.encode()).decode()
SECRET = f"""\
apiVersion: v1
kind: Secret
metadata:
  name: s
  labels: {{region: $(REGION)}}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{{"kind":"Secret","stringData":{{"a":"{PLANTED}"}}}}'
data: {{encoded: {ENCODED}}}
stringData:
  # the last one was {PLANTED}
  token: {PLANTED}
  url: https://$(REGION)/{PLANTED}
  block: |
    {PLANTED}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: s, key: token}}}]
    args: [$(TOKEN), $(REGION)]
"""
CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: f}
spec:
  variables: [{name: REGION, value: eu}]
  targets:
  - select: {kind: Secret}
    fieldPaths: [metadata.labels.region, stringData.url]
"""
KUSTOMIZATION = """\
resources: [pod.yaml, secret.yaml]
vars: [{name: TOKEN, objref: {kind: Secret, name: s, apiVersion: v1}, fieldref: {fieldpath: stringData.token}}]
"""

SAYS = {
    "eval --check --diff": "eval p --fn-config f.yaml --check --diff",
    "eval --diff": "eval p --fn-config f.yaml --diff --results r.yaml",
    "eval of a file": "eval p/secret.yaml --fn-config f.yaml --diff",
    "eval --restore": "eval p --restore --diff --check",
    "explain": "explain p --fn-config f.yaml",
    "explain as JSON": "explain p --fn-config f.yaml --output json",
    "explain --suggest": "explain p --suggest",
    "merge3 of directories": "merge3 p update local --diff --results r.yaml",
    "merge3 of directories with a conflict": "merge3 p update local --diff --on-conflict Error",
    "merge3 of files": "merge3 p/secret.yaml update/secret.yaml local/secret.yaml --output o.yaml --results r.yaml",
    "merge2": "merge2 update/secret.yaml local/secret.yaml --output o.yaml --results r.yaml",
    "sink": "sink p",
    "migrate": "migrate k",
}
GIVES = {
    "the filter": "REGION=eu",
    "source": "source p",
    "eval --stdout": "eval p --fn-config f.yaml --stdout",
    "wrap": "wrap -- cat",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a directory with a package, two changed copies of it, and a functionConfig."""
    update = SECRET.replace("token: ", "token: new-").replace("name: s\n", "name: s\n  namespace: n\n")
    local = SECRET.replace("token: ", "token: local-").replace("{region:", "{mine: x, region:")
    for name, secret in (("p", SECRET), ("update", update), ("local", local), ("k", SECRET)):
        write(tmp_path / name, {"secret.yaml": secret, "pod.yaml": POD})
    write(tmp_path / "p", {"template.yaml": f"{{{{ if x }}}}\n{SECRET}"})
    return write(tmp_path, {"f.yaml": CONFIG, "k/kustomization.yaml": KUSTOMIZATION})


@pytest.mark.parametrize("command", SAYS)
def test_a_text_of_a_secret_is_in_nothing_that_a_command_says(command: str, folder: Path) -> None:
    listed = krm("source", str(folder / "p"), stdin=b"").stdout.replace(b"name: p", b"name: q")
    if "--restore" in SAYS[command]:
        run(*SAYS["eval --diff"].split(), stdin=b"", folder=folder)
    told = either(*SAYS[command].split(), stdin=listed, folder=folder)
    said = told.stdout.decode() + told.stderr
    results = folder / "r.yaml"
    said += results.read_text() if results.exists() else ""
    assert "Traceback" not in said
    assert told.code != 2
    assert (PLANTED in said, ENCODED in said) == (False, False)
    assert ("***" in said) == ("--diff" in SAYS[command]), "the Secret itself is shown"


@pytest.mark.parametrize("command", GIVES)
def test_a_text_of_a_secret_is_in_no_message_beside_the_resources(command: str, folder: Path) -> None:
    told = either(*GIVES[command].split(), stdin=f"{SECRET}---\n{POD}".encode(), folder=folder)
    assert told.code != 2
    assert (PLANTED in told.stderr, ENCODED in told.stderr) == (False, False)


@pytest.mark.parametrize("command", ["eval p --fn-config f.yaml --check", "merge3 p update local"])
def test_who_wants_to_see_secrets_sees_them(command: str, folder: Path) -> None:
    told = either(*command.split(), "--diff", "--show-secrets", stdin=b"", folder=folder)
    assert PLANTED in told.stdout.decode()
