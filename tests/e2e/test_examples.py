"""Every example does what its README says: its commands, run as they stand there, give the result that stands there.

`UPDATE=1` writes the results into the READMEs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.e2e import tekton

if TYPE_CHECKING:
    import docker

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("image")]

EXAMPLES = Path(__file__).parents[2] / "examples"


def blocks(example: str, language: str) -> list[str]:
    """Return the code blocks of a language, or of one of several, in the README of an example."""
    readme = (EXAMPLES / example / "README.md").read_text()
    return re.findall(rf"^```(?:{language})\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)


def result(example: str, command: str = "") -> str:
    """Return the result that the README of an example shows for a command, the next one below it.

    It is a diff of files, or what is printed.
    """
    below = (EXAMPLES / example / "README.md").read_text().partition(f"```sh\n{command}")[2]
    return re.findall(r"^```(?:diff|yaml)\n(.*?)^```$", below, re.DOTALL | re.MULTILINE)[0]


COMMANDS = [
    pytest.param(example.name, command, id=f"{example.name}: {' '.join(command.split()[:4])}")
    for example in sorted(EXAMPLES.iterdir())
    # Those of fleet and tekton need a cluster, those of wrap each other: test_fleet.py, test_wrap.py.
    if example.name not in ("fleet", "tekton", "wrap")
    for command in blocks(example.name, "sh")
]
assert COMMANDS, "no examples found"


@pytest.fixture
def copy(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Copy the example that the test is about."""
    target = tmp_path / "example"
    shutil.copytree(EXAMPLES / request.getfixturevalue("example"), target)
    return target


def changes(example: str, copy: Path) -> str:
    """Return how the files of `copy` differ from the example's."""
    diff = ""
    for path in sorted((EXAMPLES / example).rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            name = str(path.relative_to(EXAMPLES / example))
            before, after = (text.read_text().splitlines(keepends=True) for text in (path, copy / name))
            diff += "".join(unified_diff(before, after, name, name, n=1))
    return diff


@pytest.mark.parametrize(("example", "command"), COMMANDS)
def test_command_gives_the_result_in_the_readme(
    example: str, command: str, copy: Path, request: pytest.FixtureRequest
) -> None:
    program = command.split(maxsplit=1)[0]
    if program in {"kpt", "kubectl", "kustomize"}:
        request.getfixturevalue(program)
    done = subprocess.run(["bash", "-euc", command], cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = changes(example, copy) or done.stdout
    if "UPDATE" in os.environ:
        update(example, command, made)
    assert made == result(example, command)


def update(example: str, command: str, made: str) -> None:
    """Write what a command made into the README, in the place of the result that stands there."""
    readme = EXAMPLES / example / "README.md"
    above, shown, below = readme.read_text().partition(f"```sh\n{command}")
    readme.write_text(above + shown + below.replace(result(example, command), made, 1))


@pytest.mark.parametrize("example", ["tekton"])
def test_tekton_task(example: str, copy: Path, tmp_path: Path, engine: docker.DockerClient) -> None:
    scratch = tmp_path / "scripts"
    # As a Pod's volumes are for the container's user.
    for directory in copy, tmp_path, scratch:
        directory.mkdir(exist_ok=True)
        directory.chmod(0o777)
    task = yaml.safe_load((copy / "task.yaml").read_text())
    [expand] = tekton.run(engine, task, copy, scratch)
    assert (expand.code, expand.stderr) == (0, b"")
    assert f"```text\n{expand.stdout.decode()}```\n" in (EXAMPLES / example / "README.md").read_text()
    before, after = ((copy / name).read_text().splitlines(keepends=True) for name in ("deploy.yaml", "expanded.yaml"))
    assert "".join([*unified_diff(before, after, n=1)][2:]) == result(example)
