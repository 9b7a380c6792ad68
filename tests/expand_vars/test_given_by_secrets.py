"""What a Secret gave is secret wherever it was written: no diff shows it, and no other message."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from krm.commands import masks
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
    assert "both sides changed this, origin has another value, update a secret, local a secret: " in told
    assert "both sides changed this, origin has another value, update `other`, local `S3EN`: " in told


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
    assert masks.secret_fields(["a: 'xecret\n---\nb: c\n", "a: [ecret\n"]) == {}


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


HAND = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    env:
    - {name: PW, valueFrom: {secretKeyRef: {name: s, key: pw}}}
    args:
    - --x=S3CR3T # expand: --pw=$(PW)$(REGION)
    - a-S3CR3T-b-c # expand: a-$(PW)-$(REGION)
---
apiVersion: e.com/v1
kind: T
metadata: {name: t}
spec:
  objects:
  - kind: Secret
    metadata: {name: s}
    data:
      k: UzNDUjNU # expand: x$(REGION)
"""


def test_a_warning_about_a_text_that_does_not_follow_does_not_quote_it(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"h/p.yaml": HAND})
    told = said(folder, capfd, "eval h REGION=us --results r.yaml") + said(folder, capfd, "explain h REGION=us")
    assert "what stands here is not what the template in its comment can become" in told
    assert "what stands here can be read in several ways" in told
    assert "S3CR3T" not in told
    assert "UzND" not in told


ALONE = {
    "merge3": "merge3 o/p.yaml u/p.yaml l/p.yaml --on-conflict TakeUpdate --output out.yaml --results r.yaml",
    "eval": "eval o/p.yaml REGION=us --check --diff --verbose",
    "explain": "explain o/p.yaml --output json",
}


@pytest.mark.parametrize("command", ALONE)
def test_a_file_that_is_read_alone_is_known_by_what_is_declared_beside_it(
    command: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = CONFIG.replace("RECORD", "Always").partition("  templates:")[0]
    for side in "oul":
        files = {"s.yaml": MANIFEST.format(f"S3CR3T{side}", f"S3CR3T{side}"), "p.yaml": POD, "f.yaml": config}
        write(folder / side, files)
        said(folder, capfd, f"eval {side}")
    told = said(folder, capfd, ALONE[command])
    assert told
    assert "S3CR3T" not in told


def test_a_file_of_a_package_is_known_by_what_is_declared_above_it(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = CONFIG.replace("RECORD", "Always").partition("  templates:")[0]
    write(folder / "k", {"Kptfile": "", "f.yaml": config, "s.yaml": MANIFEST.format(OLD, OLD), "a/b/p.yaml": POD})
    said(folder, capfd, "eval k")
    assert OLD in (folder / "k/a/b/p.yaml").read_text()
    assert "S3CR3T" not in said(folder, capfd, "eval k/a/b/p.yaml REGION=us --check --diff --verbose")


@pytest.mark.parametrize("policy", ["--on-conflict Error", "--strategy Apply"])
def test_a_side_that_has_the_reference_tells_of_one_that_has_the_value(
    policy: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The template of a field stands in one side, and a value without a comment in the others; so does a state."""
    config = CONFIG.replace("RECORD", "Always")
    for side in "oul":
        pw = f"S3CR3T{side}"
        write(folder / side, {"s.yaml": MANIFEST.format(pw, pw), "p.yaml": POD, "f.yaml": config})
    for side in "ol":
        said(folder, capfd, f"eval {side}")
        there = folder / side / "p.yaml"
        there.write_text(
            "".join(line for line in there.read_text().splitlines(keepends=True) if "# expand" not in line)
        )
    told = said(folder, capfd, f"merge3 o u l {policy} --diff --results r.yaml --output out")
    assert "S3CR3T" not in told
    assert "***" in told


WRAPPED = {
    "a List": "apiVersion: v1\nkind: SecretList\nitems:\n- metadata: {name: s}\n  stringData: {k: S3CR3T}\n",
    "a comment": "# S3CR3T\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: v} # S3CR3T\n",
    "a text over lines": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  k: >-\n    a\n    S3CR3T\n",
    "a key twice": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: S3CR3T, k: x}\n",
    "what it gave": f"{HAND}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\n",
}


@pytest.mark.parametrize("items", WRAPPED.values(), ids=WRAPPED)
def test_an_error_of_wrap_quotes_no_line_of_a_secret(items: str, folder: Path) -> None:
    told = process.krm("wrap", "--", "sh", "-c", "cat >&2; exit 3", stdin=items.encode(), folder=folder)
    error = "".join(line for line in told.stderr.splitlines(keepends=True) if not line.startswith("| "))
    assert "exit code 3" in error
    assert "S3CR3T" not in error
    assert "UzND" not in error
