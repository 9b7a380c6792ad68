"""Alpine: `pip install .` and the main job where no compiler is, and a C library for which RE2 has no wheel.

Where neither the machine nor a registry has the image, the test says so as an expected failure. The public CI pulls it
first. ALPINE names another image on musl, with pip and a `python3` of 3.11 or later.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import docker

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PIPE = ROOT / "examples" / "pipe"
ALPINE = os.environ.get("ALPINE", "python:3.13-alpine")
JOB = """\
! command -v cc gcc g++ clang >&2
cp -r /given/clone /clone
cd /clone
pip install --quiet --disable-pip-version-check --root-user-action ignore --no-index --find-links /given/wheels .
expand-vars REGION=eu-west-1 TAG=1.4.2 < examples/pipe/deploy.yaml
"""
FACTS = (
    "import sys, sysconfig, yaml; "
    "print('%d.%d' % sys.version_info[:2], sysconfig.get_config_var('EXT_SUFFIX'), yaml.__with_libyaml__)"
)


def test_the_main_job_runs_without_a_compiler(engine: docker.DockerClient, tmp_path: Path) -> None:
    if not engine.images.list(ALPINE):
        pytest.xfail(f"{ALPINE} is not on this machine: docker pull {ALPINE}")
    version = told("python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
        (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / "clone" / name)
    there = ["--only-binary", ":all:", "--platform", "musllinux_1_2_x86_64", "--python-version", version]
    needed = ["PyYAML", "setuptools>=77", "wheel"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", f"{tmp_path}/wheels", *there, *needed]
    subprocess.run(command, check=True, capture_output=True)
    *done, facts = told("sh", "-euc", f'{JOB}python3 -c "{FACTS}"', given=tmp_path).splitlines(keepends=True)
    assert f"```yaml\n{''.join(done)}```" in (PIPE / "README.md").read_text()
    assert facts == f"{version} .cpython-{version.replace('.', '')}-x86_64-linux-musl.so True\n"


def told(*command: str, given: Path | None = None) -> str:
    """Return what a command in the image writes, without a network."""
    mounted = ["--volume", f"{given}:/given:ro"] if given else []
    run = ["docker", "run", "--rm", "--network", "none", *mounted, ALPINE, *command]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
