"""`make release`: all that a tag builds, and nothing where the image is a pure one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e import container

if TYPE_CHECKING:
    import docker

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PURE = "the image has the pure wheel: a release takes one that is compiled for the Python of its base"
VERSION = "0.1.0rc1"
FILES = {
    "SHA256SUMS",
    "images.txt",
    f"krm-{VERSION}-py3-none-any.whl",
    f"krm-{VERSION}.tar.gz",
    f"krm_expand_vars-{VERSION}-py3-none-any.whl",
    f"krm_expand_vars-{VERSION}.tar.gz",
    "sbom.json",
    "site.tar.gz",
}
PIPE = ROOT / "examples" / "pipe"
JOB = ("REGION=eu-west-1", "TAG=1.4.2")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Copy the project, with its environment: other tests build in its folder."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    (tmp_path / "build").mkdir()
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path


def release(checkout: Path, *given: str) -> subprocess.CompletedProcess[str]:
    """Run the target with the image that is there: the other tests use it."""
    command = ["make", "--silent", "release", "--old-file=image", "--old-file=venv", "--old-file=.venv/made", *given]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def test_a_candidate(image: str, engine: docker.DockerClient, checkout: Path) -> None:
    """One command, and each artifact of it does the main job. The image is the one that is there, by another name."""
    for target in ("", "-shell"):
        engine.images.get(f"{image}{target}").tag(image.partition(":")[0], f"v{VERSION}{target}")
    done = release(checkout, f"VERSION={VERSION}")
    if container.run(engine, image, command=["--version"]).stdout.endswith(b"(pure)\n"):
        assert PURE in done.stderr
        assert done.returncode == 2
        return
    assert done.returncode == 0, done.stdout + done.stderr
    dist = checkout / "dist"
    assert {path.name for path in dist.iterdir()} == FILES
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=dist, check=True)
    assert len((dist / "SHA256SUMS").read_text().splitlines()) == len(FILES) - 1
    tags = [line.split()[0].rpartition(":")[2] for line in (dist / "images.txt").read_text().splitlines()]
    assert tags == [f"v{VERSION}", f"v{VERSION}-shell"]
    assert "krm-expand-vars" in {one["name"] for one in json.loads((dist / "sbom.json").read_text())["components"]}
    with tarfile.open(dist / "site.tar.gz") as site:
        assert {"./index.html", "./search.json", "./terminal.svg"} <= {*site.getnames()}
    for tag in tags:
        done_there = container.run(engine, f"{image.partition(':')[0]}:{tag}", command=[*JOB], stdin=GIVEN)
        assert done_there == (0, made(), b"")
    for name in sorted(path.name for path in dist.glob("krm*")):
        installed(checkout / "dist" / name, dist, checkout / "installed" / name)


GIVEN = (PIPE / "deploy.yaml").read_bytes()


def made() -> bytes:
    """Return what the main job gives."""
    return (PIPE / "README.md").read_text().partition("```yaml\n")[2].partition("```")[0].encode()


def installed(file: Path, others: Path, folder: Path) -> None:
    """Install a file of the release in an environment with nothing else, and let it do the main job."""
    venv.create(folder, with_pip=True)
    install = (folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--pre", "--find-links", others, file)
    subprocess.run(install, check=True, capture_output=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE"))}
    done = subprocess.run(
        [folder / "bin" / "expand-vars", *JOB], input=GIVEN, env=clean, capture_output=True, check=True
    )
    assert done.stdout == made()
    told = subprocess.run([folder / "bin" / "krm", "--version"], env=clean, capture_output=True, text=True, check=True)
    assert told.stdout == f"krm {VERSION} (pure)\n"


@pytest.mark.usefixtures("engine")
def test_a_release_with_a_pure_image_fails_in_one_sentence(image: str, checkout: Path) -> None:
    name = "expand-vars-test/pure"
    entry = b'ENTRYPOINT ["echo", "expand-vars 0.1.0 (pure)"]\n'
    for tag, recipe in (("v0.1.0-shell", b""), ("v0.1.0", entry)):
        text = f"FROM {image}-shell\n".encode() + recipe
        command = ["docker", "build", "--quiet", "--tag", f"{name}:{tag}", "-"]
        subprocess.run(command, input=text, capture_output=True, check=True)
    done = release(checkout, f"NAME={name}", "--old-file=dist")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == PURE
