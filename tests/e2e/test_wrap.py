"""The example of `wrap` does what its README says, as an image and as a script, each run three times."""

from __future__ import annotations

import re
import shutil
import subprocess
from difflib import unified_diff
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

EXAMPLE = Path(__file__).parents[2] / "examples" / "wrap"


def blocks(language: str) -> list[str]:
    """Return the code blocks of a language in the README of the example."""
    readme = (EXAMPLE / "README.md").read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)


BUILD, AS_IMAGE, AS_SCRIPT, CHANGE = blocks("sh")


def run(command: str, folder: Path) -> None:
    done = subprocess.run(["bash", "-euc", command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def changes(before: dict[str, str], after: dict[str, str]) -> str:
    diff = ""
    for name in sorted(before):
        old, new = (files[name].splitlines(keepends=True) for files in (before, after))
        diff += "".join(unified_diff(old, new, name, name, n=1))
    return diff


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "package"))


@pytest.mark.usefixtures("image", "kustomize")
def test_as_an_image(package: Path) -> None:
    run(BUILD, package)
    three_runs(AS_IMAGE, package)


@pytest.mark.usefixtures("kpt")
def test_as_a_script(package: Path) -> None:
    three_runs(AS_SCRIPT, package)


def three_runs(command: str, package: Path) -> None:
    run(command, package)
    first = files(package)
    assert {*first} - {*files(EXAMPLE)} == {"config/my-instance_deployment.yaml", "config/my-instance_service.yaml"}
    assert [first["config/my-instance_service.yaml"]] == blocks("yaml")
    run(CHANGE, package)
    run(command, package)
    second = files(package)
    assert [changes(first, second)] == blocks("diff")
    run(command, package)
    assert files(package) == second
