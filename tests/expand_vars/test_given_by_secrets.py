"""What a Secret gave is secret wherever it was written: no diff shows it, and no other message."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from krm.commands import given
from tests import process
from tests.krm.package.directories import write

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = "S3CR3Told", "S3CR3Tnew"
MANIFEST = "apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{pw: {}, k: {}}}\n"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    env:
    - {name: PW, valueFrom: {secretKeyRef: {name: s, key: pw}}}
    - {name: URL, value: "http://$(PW)/"}
    args: ["--pw=$(PW)", "--region=$(REGION)"]
    command: [run, $(URL), $(DSN)]
  - name: d
    args:
    - $(DSN)
    - >-
      a
      $(TOKEN)
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: m}
  data: {token: $(TOKEN), region: $(REGION)}
"""
CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: f, annotations: {config.kubernetes.io/local-config: "true"}}
spec:
  inline: [Variables, Literals, Secrets]
  record: RECORD
  variables:
  - {name: REGION, value: eu}
  - {name: TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}
  - {name: DSN, value: db://$(TOKEN)}
  targets: [{select: {kind: ConfigMap}, fieldPaths: ["data[*]"]}]
  templates:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: g}
    data: {token: x $(TOKEN), list: y, region: $(REGION)}
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: h}
    data: {dsn: $(DSN)}
"""
H = CONFIG[CONFIG.rindex("  - apiVersion") :]


def said(folder: Path, capfd: pytest.CaptureFixture[str], command: str) -> str:
    """Run a command in a folder, and return all that it says, its results too."""
    os.chdir(folder)
    assert process.main(command.split()) in (0, 1, 3)
    results = folder / "r.yaml"
    streams = capfd.readouterr()
    return streams.out + streams.err + (results.read_text() if results.exists() else "")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, {"p/s.yaml": MANIFEST.format(OLD, OLD), "p/p.yaml": POD, "p/f.yaml": CONFIG})


# What somebody does between two runs, each with the arguments of the second one.
NEXT = {
    "nothing": "",
    "another region": "REGION=us",
    "no secrets any more": "REGION=us --inline Literals",
    "the templates again": "--restore",
    "another output": "--output out",
}


@pytest.mark.parametrize("record", ["Always", "Never"])
def test_no_diff_of_a_first_run_shows_it(record: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(folder, {"p/f.yaml": CONFIG.replace("RECORD", record)})
    told = said(folder, capfd, "eval p --check --diff --verbose --results r.yaml")
    assert "***" in told
    assert "S3CR3T" not in told
    assert '"--region=eu"' in told, "what is not secret is hidden"


@pytest.mark.parametrize("arguments", NEXT.values(), ids=NEXT)
@pytest.mark.parametrize("secret", [OLD, NEW])
def test_no_diff_of_the_next_run_shows_it(
    secret: str, arguments: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"p/f.yaml": CONFIG.replace("RECORD", "Always")})
    said(folder, capfd, "eval p")
    assert OLD in (folder / "p/p.yaml").read_text()
    write(
        folder,
        {"p/s.yaml": MANIFEST.format(secret, secret), "p/f.yaml": CONFIG.replace("RECORD", "Always").replace(H, "")},
    )
    told = said(folder, capfd, f"eval p {arguments} --check --diff --verbose --results r.yaml")
    told += said(folder, capfd, "explain p") + said(folder, capfd, "explain p --output json")
    assert "S3CR3T" not in told


def test_a_comment_beside_it_is_not_quoted_where_an_item_goes(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(folder, {"p/f.yaml": CONFIG.replace("RECORD", "Always")})
    said(folder, capfd, "eval p")
    there = folder / "p/configmap_h.yaml"
    there.write_text(f"# was {OLD}\n{there.read_text()}")
    write(folder, {"p/f.yaml": CONFIG.replace("RECORD", "Always").replace(H, "")})
    told = said(folder, capfd, "eval p --check --diff --verbose --results r.yaml")
    assert "S3CR3T" not in told
    assert "and is deleted; it had 1 comment, not shown as it holds a secret" in told


def test_a_conflict_of_a_generated_resource_does_not_show_it(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(folder, {"p/f.yaml": CONFIG.replace("RECORD", "Always")})
    said(folder, capfd, "eval p")
    there = folder / "p/configmap_g.yaml"
    there.write_text(there.read_text().replace("x ", "S3CR3Tmine ").replace("list: y", "list: S3EN"))
    changed = CONFIG.replace("RECORD", "Always").replace("token: x", "token: z").replace("list: y", "list: other")
    write(folder, {"p/f.yaml": changed})
    told = said(folder, capfd, "eval p --check --diff --verbose --results r.yaml")
    assert "S3CR3T" not in told
    assert "both sides changed this, origin has another one, update a secret, local a secret: " in told
    assert "both sides changed this, origin has another one, update `other`, local `S3EN`: " in told


def test_who_asks_for_secrets_sees_them(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(folder, {"p/f.yaml": CONFIG.replace("RECORD", "Always")})
    assert OLD in said(folder, capfd, "eval p --check --diff --show-secrets")


def test_explain_shows_no_template_of_a_secret_in_another_object(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inner = "kind: Secret\n    metadata: {name: s}\n    stringData:\n      k: S3CR3T-eu # expand: S3CR3T-$(A)\n"
    write(folder, {"t/a.yaml": f"apiVersion: e.com/v1\nkind: T\nmetadata: {{name: t}}\nspec:\n  objects:\n  - {inner}"})
    told = said(folder, capfd, "explain t A=us") + said(folder, capfd, "explain t --output json")
    assert "objects[0].stringData.k" in told
    assert "S3CR3T" not in told


def test_of_what_is_no_yaml_nothing_is_known() -> None:
    assert given.fields([("a: 'x\n---\nb: c\n", "a: [\n")], []) == {}


@pytest.mark.parametrize("sides", ["o u l", "o/p.yaml u/p.yaml l/p.yaml"], ids=["directories", "files"])
@pytest.mark.parametrize("strategy", ["--on-conflict Error", "--on-conflict TakeUpdate"])
def test_no_conflict_of_a_merge_shows_it(
    sides: str, strategy: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for side in "oul":
        config = CONFIG.replace("RECORD", "Always").partition("  templates:")[0].replace("value: eu", f"value: {side}")
        files = {"s.yaml": MANIFEST.format(f"S3CR3T{side}", f"S3CR3T{side}"), "p.yaml": POD, "f.yaml": config}
        write(folder / side, files)
        said(folder, capfd, f"eval {side}")
        assert f"S3CR3T{side}" in (folder / side / "p.yaml").read_text()
    told = said(folder, capfd, f"merge3 {sides} {strategy} --results r.yaml --output out")
    # What a file of its own gives is not known where it is not among the files of the merge.
    shown = told if sides == "o u l" else "\n".join(line for line in told.splitlines() if "name=c" in line)
    assert "both sides changed this" in shown
    assert "S3CR3T" not in shown
