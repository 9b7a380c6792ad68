"""The image does its work whoever runs it, without network, without anything to write to."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e import container

if TYPE_CHECKING:
    import docker

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
DEPLOY = (ROOT / "examples" / "pipe" / "deploy.yaml").read_bytes()
ARGUMENTS = ["REGION=eu-west-1", "TAG=1.4.2"]


@pytest.fixture(scope="module")
def expected() -> bytes:
    """What the package itself makes of the example, outside any container."""
    command = [sys.executable, "-m", "expand_vars", *ARGUMENTS]
    return subprocess.run(command, input=DEPLOY, stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.parametrize("user", ["nobody", "12345", "12345:54321", "root"])
def test_runs_as_any_user(engine: docker.DockerClient, image: str, user: str, expected: bytes) -> None:
    assert b"eu-west-1" in expected
    done = container.run(engine, image, DEPLOY, command=ARGUMENTS, user=user, cap_drop=["ALL"])
    assert done == (0, expected, b"")


def test_runs_as_the_orchestrators_start_it(engine: docker.DockerClient, image: str, expected: bytes) -> None:
    # kustomize's environment, and a caller's that would lead a Python astray.
    environment = {
        "LOG_TO_STDERR": "true",
        "STRUCTURED_RESULTS": "true",
        "PYTHONPATH": "/proc",
        "LC_ALL": "C",
    }
    done = container.run(engine, image, DEPLOY, command=ARGUMENTS, environment=environment)
    assert done == (0, expected, b"")


def test_text_is_utf_8_in_any_locale(engine: docker.DockerClient, image: str) -> None:
    text = DEPLOY.replace(b"--region", "--größe=😀".encode())
    done = container.run(engine, image, text, command=["REGION=Zürich", "TAG=1.4.2"], environment={"LC_ALL": "C"})
    assert "--größe=😀=Zürich\n".encode() in done.stdout


def test_help_reads_no_input(engine: docker.DockerClient, image: str) -> None:
    """As `kpt fn doc` asks for it: with no standard input at all."""
    help_text = engine.containers.run(image, ["--help"], remove=True, network_mode="none", user="nobody")
    assert b"expand-vars" in help_text


def test_empty_input_says_what_is_missing(engine: docker.DockerClient, image: str) -> None:
    done = container.run(engine, image)
    assert (done.code, done.stdout) == (1, b"")
    assert b"standard input is empty; with docker run, give -i" in done.stderr


def test_start_needs_no_compiler(engine: docker.DockerClient, image: str) -> None:
    """Every module that the function imports has its bytecode in the image, and PyYAML its libyaml."""
    script = (
        "import sys; sys.path.insert(0, '/opt/expand-vars')\n"
        "import expand_vars.__main__, expand_vars.cli, krm.yamltree.parser, jsonschema, yaml, os\n"
        "assert yaml.__with_libyaml__\n"
        "print([name for name, module in sys.modules.items()\n"
        "       if getattr(module, '__cached__', None) and not os.path.exists(module.__cached__)])\n"
    )
    done = container.run(engine, image, entrypoint=["python3", "-IS", "-c", script])
    assert done == (0, b"[]\n", b"")


def test_labels_say_what_it_is(engine: docker.DockerClient, image: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    labels = engine.images.get(image).labels
    kinds = {name.removeprefix("org.opencontainers.image.") for name in labels}
    assert kinds == {"title", "description", "version", "licenses", "source", "documentation"}
    for label, value in [
        ("title", *project["scripts"]),
        ("description", project["description"]),
        ("version", project["version"]),
        ("licenses", project["license"]),
        ("source", project["urls"]["Source"]),
    ]:
        assert labels[f"org.opencontainers.image.{label}"] == value
