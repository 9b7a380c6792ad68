"""`krm new`: what it makes passes its own test at once, and nothing of somebody else's is overwritten."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests import process
from tests.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("set_team.py", "test_set_team.py", "testdata/replicas/input.yaml", "testdata/replicas/expected.yaml",
         "Dockerfile")  # fmt: skip


def new(name: str, folder: Path) -> process.Answer:
    return process.run("new", name, stdin=b"", command=process.KRM, folder=folder)


def test_what_is_made_passes_at_once(tmp_path: Path) -> None:
    assert new("set-team", tmp_path) == ("".join(f"set-team/{file}\n" for file in FILES).encode(), "", 0)
    made = tmp_path / "set-team"
    tested = process.run(
        "-q", "-p", "no:cacheprovider", stdin=b"", command=(sys.executable, "-m", "pytest"), folder=made
    )
    assert (tested.stdout.splitlines()[-1][:8], tested.code) == (b"1 passed", 0)
    # It is a program, and a second run changes nothing.
    expected = (made / "testdata/replicas/expected.yaml").read_bytes()
    answer = process.run(stdin=expected, command=(sys.executable, str(made / "set_team.py")))
    assert answer == (expected, "", 0)
    assert os.access(made / "set_team.py", os.X_OK)
    recipe = (ROOT / "examples/sdk/python.Dockerfile").read_text()
    assert (made / "Dockerfile").read_text() == recipe.replace("set_labels", "set_team")


@pytest.mark.parametrize("name", ["set-team", "team"])
def test_what_is_there_stays(name: str, tmp_path: Path) -> None:
    # To Python a directory is a package without a file of its own.
    (tmp_path / name).mkdir()
    assert new(name, tmp_path) == (b"", f"[error] {name}: File exists (InvalidInput)\n", 1)
    assert [*(tmp_path / name).iterdir()] == []


def test_a_name_is_one_of_python(tmp_path: Path) -> None:
    stdout, stderr, code = new("2nd", tmp_path)
    assert stderr == (
        "usage: krm new NAME\n"
        "krm new: error: `2nd` is no name for a function: it has letters, digits, `-` and `_`, such as `set-team`\n"
        "`krm new --help` lists the options\n"
    )
    assert (stdout, code, [*tmp_path.iterdir()]) == (b"", 2, [])


@pytest.mark.parametrize("name", ["krm", "yaml", "re", "types", "class"])
def test_a_name_that_python_has_already_is_refused(name: str, tmp_path: Path) -> None:
    """A file of that name would hide the module from the program itself."""
    problem = f"`{name}` is a word or a module of Python already: take another name, such as `set-{name}`"
    assert new(name, tmp_path) == (b"", process.refusal("krm new", "NAME", problem), 2)
    assert list(tmp_path.iterdir()) == []
