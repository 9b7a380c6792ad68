"""No command writes results or its output over a file that it reads, by whatever name that is given."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.process import either, run

if TYPE_CHECKING:
    from pathlib import Path

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, args: [$(A)]}]}\n"
CONFIG = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: f}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("d", "o", "u"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pod.yaml").write_text(POD)
    (tmp_path / "f.yaml").write_text(CONFIG)
    (tmp_path / "v.env").write_text("A=1\n")
    (tmp_path / "link.yaml").symlink_to("d/pod.yaml")
    os.link(tmp_path / "d/pod.yaml", tmp_path / "hard.yaml")
    return tmp_path


RESULTS = {
    "a manifest": ("eval d A=1 --results d/pod.yaml", "d/pod.yaml"),
    "a link to a manifest": ("eval d A=1 --results link.yaml", "link.yaml"),
    "another name of a manifest": ("eval d A=1 --results hard.yaml", "hard.yaml"),
    "the functionConfig": ("eval d --fn-config f.yaml --results f.yaml", "f.yaml"),
    "an env file": ("eval d --env-file v.env --results v.env", "v.env"),
    "update of merge3": ("merge3 o u d --results u/pod.yaml", "u/pod.yaml"),
    "a file of local of merge3": ("merge3 o u d --results d/pod.yaml", "d/pod.yaml"),
}


@pytest.mark.parametrize("command", ["eval d A=1", "merge3 o u d"])
@pytest.mark.parametrize("place", ["none/r.yaml", "d"])
def test_where_results_cannot_be_written_nothing_is(command: str, place: str, folder: Path) -> None:
    (folder / "u/pod.yaml").write_text(POD.replace("c,", "b,"))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    answer = either(*command.split(), "--results", place, stdin=b"", folder=folder)
    message = f"--results {place}: this is no file that you may write: name one in a directory that is there"
    assert answer.code == 2
    assert answer.stderr.splitlines()[-2].endswith(message)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("command", ["eval d A=1", "merge3 o u d"])
def test_results_may_be_written_to_the_directory_that_a_run_makes(command: str, folder: Path) -> None:
    answer = either(*command.split(), "--output", "new", "--results", "new/r.yaml", stdin=b"", folder=folder)
    assert answer.code == 0
    assert (folder / "new/r.yaml").read_text().startswith("results:")


@pytest.mark.parametrize(("command", "named"), RESULTS.values(), ids=RESULTS)
def test_results_are_written_over_nothing_else(command: str, named: str, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    answer = either(*command.split(), stdin=b"", folder=folder)
    message = f"--results {named}: this file is there, and holds no results: name another one"
    assert answer.code == 2
    assert answer.stderr.splitlines()[-2].endswith(message)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


OUTPUTS = {
    "the file itself": "eval d/pod.yaml A=1 --output d/pod.yaml",
    "a hard link of it": "eval d/pod.yaml A=1 --output hard.yaml",
    "the functionConfig": "eval d/pod.yaml --fn-config f.yaml --output f.yaml",
    "an env file": "eval d/pod.yaml --env-file v.env --output v.env",
    "update": "merge3 o/pod.yaml u/pod.yaml d/pod.yaml --output u/pod.yaml",
}


@pytest.mark.parametrize("command", OUTPUTS.values(), ids=OUTPUTS)
def test_an_output_is_written_over_nothing_that_is_read(command: str, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    answer = either(*command.split(), stdin=b"", folder=folder)
    message = f"--output {command.rsplit(maxsplit=1)[-1]}: this file is read, too: name another one"
    assert answer.code == 2
    assert answer.stderr.splitlines()[-2].endswith(message)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("content", [None, "", "results: []\n", "packages: []\n"])
def test_results_take_the_place_of_results(content: str | None, folder: Path) -> None:
    if content is not None:
        (folder / "r").write_text(content)
    assert run("eval", "d", "A=1", "--results", "r", stdin=b"", folder=folder).code == 0
    assert (folder / "r").read_text() == "results: []\n"


def test_merge3_may_write_over_local(folder: Path) -> None:
    command = "merge3 o/pod.yaml u/pod.yaml d/pod.yaml --output d/pod.yaml"
    assert either(*command.split(), stdin=b"", folder=folder).code == 0
