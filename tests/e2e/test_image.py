"""The image does its work whoever runs it, without network, without anything to write to."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e import container

if TYPE_CHECKING:
    import docker

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
DEPLOY_FILE = ROOT / "examples" / "pipe" / "deploy.yaml"
DEPLOY = DEPLOY_FILE.read_bytes()
REQUIREMENTS = (ROOT / "image-requirements.txt").read_text()
OVER_THE_BASE = 15_000_000
BASE, LOCAL_BASE = "python:3.13-slim", "expand-vars-base:bookworm"
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


def found(engine: docker.DockerClient, image: str, *expression: str, **options: Any) -> bytes:
    """Return what `find` prints in the image."""
    command = ["find", "/", "-xdev", *expression]
    return container.run(engine, image, entrypoint=command, **options).stdout


def test_nothing_gives_rights_away(engine: docker.DockerClient, image: str) -> None:
    assert found(engine, image, "-perm", "/6000", "-type", "f", user="root") == b""


@pytest.mark.parametrize("user", ["65534:65534", "12345:54321"])
def test_nothing_can_be_written_to(engine: docker.DockerClient, image: str, user: str) -> None:
    writable = found(engine, image, "-writable", "!", "-type", "l", "!", "-type", "c", user=user, read_only=False)
    # Docker's own, of each container.
    assert [path for path in writable.decode().split() if not path.startswith(("/proc", "/dev", "/sys"))] == []


def test_nothing_installs_packages_for_python(engine: docker.DockerClient, image: str) -> None:
    names = ("-name", "pip", "-o", "-name", "pip-*", "-o", "-name", "ensurepip", "-o", "-name", "rich")
    assert found(engine, image, *names, "-o", "-path", "*/bin/pip[0-9]*", user="root") == b""


def test_it_is_small(engine: docker.DockerClient, image: str) -> None:
    base = engine.images.get(LOCAL_BASE if engine.images.list(LOCAL_BASE) else BASE)
    assert 0 < engine.images.get(image).attrs["Size"] - base.attrs["Size"] < OVER_THE_BASE


def test_on_a_terminal_it_writes_without_rich(engine: docker.DockerClient, image: str) -> None:
    volumes = {str(DEPLOY_FILE): {"bind": "/deploy.yaml", "mode": "ro"}}
    shown = engine.containers.run(
        image, ["explain", "/deploy.yaml", *ARGUMENTS], remove=True, network_mode="none", tty=True, volumes=volumes
    )
    assert b"eu-west-1" in shown
    assert b"Traceback" not in shown


@pytest.mark.usefixtures("image")
def test_the_bill_names_what_is_pinned() -> None:
    # The image is the one that the other tests run: it is not to be built anew beside them.
    subprocess.run(["make", "sbom", "--old-file=image"], cwd=ROOT, check=True, capture_output=True)
    bill = json.loads((ROOT / "build" / "sbom.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    distributions = {one["name"]: one["version"] for one in bill["components"] if one["purl"].startswith("pkg:pypi/")}
    pinned = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", REQUIREMENTS, re.MULTILINE))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    del pinned["pip"], pinned["setuptools"]
    assert distributions == {"krm-expand-vars": version, **pinned}
    assert "python" in {one["name"] for one in bill["components"]}


def test_every_package_is_pinned_by_hash() -> None:
    entries = re.findall(
        r"^([a-z0-9-]+)==\S+ \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", REQUIREMENTS, re.MULTILINE
    )
    names = [line.partition("=")[0] for line in REQUIREMENTS.splitlines() if re.match("[a-z]", line)]
    assert [name for name, _ in entries] == names
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.split("[>=]", one)[0].lower() for one in needed} - {"rich"} < {*names}
