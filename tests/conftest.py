"""What the tests take from the machine: its tools, a Docker engine, the image; and how hard hypothesis tries."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docker
import pytest
from hypothesis import settings

from tests import cases

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

ROOT = Path(__file__).parents[1]
IMAGE = "ghcr.io/expand-vars/expand-vars:v0.1"
CAT_IMAGE = "ghcr.io/expand-vars/cat:v0.1"
LOCAL_BASE = "expand-vars-base:bookworm"

# An orchestrator, hypothesis' first example and a busy machine are all slow: time is never what is tested.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("nightly", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "default"))

os.environ["PATH"] = os.pathsep.join(
    [str(Path(sys.executable).parent), str(ROOT / ".tools" / "bin"), os.environ["PATH"]]
)


# What the make that runs the tests was given is not for the makes that tests run.
for name in ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "COVERAGE"):
    os.environ.pop(name, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Show where the case of a failure stands. Make a skip a failure in CI, which has no excuse for not looking."""
    report = yield
    if report.skipped and "CI" in os.environ and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not accept: {report.longrepr[2]}"
    if report.failed:
        report.sections += [(f"case: {place}", "") for place in cases.places(item)]
    return report


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not on this machine: `make e2e-tools` may bring it")
    return path


@pytest.fixture(scope="session")
def kpt() -> str:
    return _tool("kpt")


@pytest.fixture(scope="session")
def zsh() -> str:
    return _tool("zsh")


@pytest.fixture(scope="session")
def fish() -> str:
    return _tool("fish")


@pytest.fixture(scope="session")
def helm() -> str:
    return _tool("helm")


@pytest.fixture(scope="session")
def actionlint() -> str:
    return _tool("actionlint")


@pytest.fixture(scope="session")
def kubelet_oracle() -> str:
    return _tool("kubelet-oracle")


@pytest.fixture(scope="session")
def manifest_oracle() -> str:
    return _tool("manifest-oracle")


@pytest.fixture(scope="session")
def validation_oracle() -> str:
    return _tool("validation-oracle")


@pytest.fixture(scope="session")
def setters_oracle() -> str:
    return _tool("setters-oracle")


@pytest.fixture(scope="session")
def kubectl() -> str:
    return _tool("kubectl")


@pytest.fixture(scope="session")
def kustomize() -> str:
    return _tool("kustomize")


@pytest.fixture(scope="session")
def envsubst() -> str:
    return _tool("envsubst")


@pytest.fixture(scope="session")
def flux_envsubst() -> str:
    return _tool("flux-envsubst")


@pytest.fixture(scope="session")
def engine() -> Iterator[docker.DockerClient]:
    # Asked by the client program: the SDK leaves a socket open where nothing answers.
    if subprocess.run([_tool("docker"), "version"], capture_output=True, check=False).returncode:
        pytest.skip("no Docker engine answers on this machine: `make e2e-tools` may bring one")
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture(scope="session")
def image(engine: docker.DockerClient, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the images as `make image` does, and beside them one that is `cat`: once for all workers of a run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    with (shared / "image.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "image.built").exists():
            base = [f"BASE={LOCAL_BASE}"] if engine.images.list(LOCAL_BASE) else []
            found = subprocess.run(
                ["make", "--silent", "base", *base], cwd=ROOT, capture_output=True, text=True, check=False
            )
            if found.returncode:
                pytest.skip(f"{found.stderr.splitlines()[0]}; `make e2e-tools` makes one")
            # CI has compiled the wheel for other tests; elsewhere it would take minutes.
            wheel = "WHEEL=compiled" if os.environ.get("CI") else "WHEEL=pure"
            subprocess.run(["make", "image", wheel, *base], cwd=ROOT, check=True, capture_output=True)
            dockerfile = f'FROM {IMAGE}-shell\nENTRYPOINT ["cat"]\n'.encode()
            subprocess.run(
                ["docker", "build", "--tag", CAT_IMAGE, "-"],
                input=dockerfile,
                check=True,
                capture_output=True,
            )
            (shared / "image.built").touch()
    return IMAGE
