"""`make release`: all that a tag builds, and nothing where the image is a pure one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e import container

if TYPE_CHECKING:
    import docker

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PURE = "the image has the pure wheel: a release takes one that is compiled for the Python of its base"
FILES = {
    "SHA256SUMS",
    "images.txt",
    "krm-0.1.0-py3-none-any.whl",
    "krm-0.1.0.tar.gz",
    "krm_expand_vars-0.1.0-py3-none-any.whl",
    "krm_expand_vars-0.1.0.tar.gz",
    "sbom.json",
}


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
    command = ["make", "--silent", "release", "--old-file=image", "--old-file=venv", *given]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def test_a_release(image: str, engine: docker.DockerClient, checkout: Path) -> None:
    done = release(checkout)
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
    assert tags == ["v0.1", "v0.1-shell", "v0.1.0", "v0.1.0-shell"]
    assert "krm-expand-vars" in {one["name"] for one in json.loads((dist / "sbom.json").read_text())["components"]}


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
