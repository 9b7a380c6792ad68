"""`expand-vars migrate`: every folder of testdata/expand_vars/migrate, with the real `kubectl kustomize`.

A folder holds a directory `input`, in which the command runs, and `arguments.txt`, its arguments. `expand-vars.yaml` is
what it prints, `output.txt` what it says and the exit code, and `changed` what the files are that it changes. `UPDATE=1
pytest` writes these.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli
from expand_vars import pipeline
from tests.krm.package.directories import contents
from tests.pages import ROOT, resource
from tests.process import refusal

if TYPE_CHECKING:
    from pathlib import Path

# Not marked as e2e: kubectl alone is needed, and nothing is applied.
pytestmark = pytest.mark.usefixtures("kubectl")

CASES = sorted(path.parent for path in ROOT.glob("testdata/expand_vars/migrate/*/input"))
assert CASES, "no cases under testdata/expand_vars/migrate"

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@every_case
def test_what_migrate_prints_and_says(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(case / "input", tmp_path / "folder")
    monkeypatch.chdir(folder)
    code = cli.run(["migrate", *(case / "arguments.txt").read_text().split()])
    said = capfd.readouterr()
    told = re.sub(re.escape(str(tmp_path)), "", said.err) + f"--- exit code {code}\n"
    if "UPDATE" in os.environ:
        (case / "output.txt").write_text(told)
        (case / "expand-vars.yaml").write_text(said.out)
    assert told == (case / "output.txt").read_text()
    assert said.out == (case / "expand-vars.yaml").read_text()
    before = contents(case / "input")
    changed = {path: data for path, data in contents(folder).items() if data != before.get(path)}
    if changed and "UPDATE" in os.environ:
        for path, data in changed.items():
            (case / "changed" / path).parent.mkdir(parents=True, exist_ok=True)
            (case / "changed" / path).write_text(data)
    assert changed == (contents(case / "changed") if (case / "changed").exists() else {})


@pytest.mark.parametrize("name", ["layers", "namespaces"])
def test_the_build_without_vars_comes_out_the_same(name: str, tmp_path: Path) -> None:
    """What the command says of itself, by hand."""
    case = ROOT / "testdata" / "expand_vars" / "migrate" / name
    folder = shutil.copytree(case / "input", tmp_path / "folder")
    directory = folder / (case / "arguments.txt").read_text().strip()
    before = built(directory)
    for path in folder.rglob("kustomization.yaml"):
        path.write_text(re.sub(r"^vars:.*\n(?:[- ].*\n)+", "", path.read_text(), flags=re.MULTILINE))
    assert "vars" not in (directory / "kustomization.yaml").read_text()
    output = pipeline.run(built(directory), resource((case / "expand-vars.yaml").read_text()))
    assert (output.text, output.results) == (before, [])


def built(directory: Path) -> str:
    return subprocess.run(["kubectl", "kustomize", str(directory)], capture_output=True, check=True, text=True).stdout


def test_what_no_build_reads_is_not_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A socket, such as git's own in `.git`, a file of somebody else, and links in a base inside of the directory."""
    case = ROOT / "testdata/expand_vars/migrate/keys-in-any-case"
    folder = shutil.copytree(case / "input", tmp_path / "folder")
    (folder / ".git").mkdir()
    base = folder / "base"
    base.mkdir()
    (folder / "web.yaml").rename(base / "real.yaml")
    (base / "web.yaml").symlink_to("real.yaml")
    (base / "kustomization.yaml").write_text("resources: [web.yaml]\n")
    above = (folder / "kustomization.yaml").read_text()
    (folder / "kustomization.yaml").write_text(above.replace("web.yaml", "base"))
    for path in (folder / ".git" / "monitor", folder / "pipe"):
        os.mkfifo(path)
    (folder / "link").symlink_to("nowhere")
    (folder / "closed").write_text("")
    is_open = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("closed") and is_open(path, mode))
    monkeypatch.chdir(folder)
    assert cli.run(["migrate", "."]) == 0
    assert capfd.readouterr().out == (case / "expand-vars.yaml").read_text()


def test_without_kubectl_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    written = "vars: [{name: A, objref: {apiVersion: v1, kind: Service, name: a}}]\n"
    (tmp_path / "kustomization.yaml").write_text(written)
    monkeypatch.setenv("PATH", "")
    assert cli.run(["migrate", str(tmp_path)]) == 1
    assert capfd.readouterr() == ("", "[error] `kubectl` cannot be started: No such file or directory (InvalidInput)\n")


def test_the_argument_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        cli.run(["migrate"])
    assert raised.value.code == 2
    problem = "the following arguments are required: KUSTOMIZATION"
    assert capfd.readouterr().err == refusal("expand-vars migrate", "[OPTION]... KUSTOMIZATION", problem)
