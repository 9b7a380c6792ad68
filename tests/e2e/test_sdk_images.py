"""The recipes of docs/guides/sdk.md make images of a function."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.conftest import LOCAL_BASE
from tests.e2e import container
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import docker

pytestmark = pytest.mark.e2e

EXAMPLES = ROOT / "examples" / "sdk"
CASE = EXAMPLES / "testdata" / "set_labels" / "cron-job"
INSTALL = "RUN pip install --no-cache-dir krm-expand-vars\n"
FROM_HERE = """\
COPY wheels /wheels
RUN python3 "$(echo /wheels/pip-*.whl)/pip" install --no-cache-dir --no-index --find-links /wheels \\
      --break-system-packages --root-user-action ignore krm-expand-vars
"""


def built(folder: Path, recipe: str) -> str:
    """Build the image of a recipe, and return its name."""
    shutil.copy(EXAMPLES / "set_labels.py", folder)
    (folder / "Dockerfile").write_text(recipe)
    name = f"expand-vars-test-{folder.name}".lower()
    subprocess.run(["docker", "build", "--quiet", "--tag", name, folder], check=True, capture_output=True)
    return name


def test_an_image_on_ours(engine: docker.DockerClient, image: str, tmp_path: Path) -> None:
    recipe = (EXAMPLES / "Dockerfile").read_text()
    assert recipe.startswith(f"FROM {image}\n")
    assert labels(engine, built(tmp_path, recipe))


def test_an_image_on_pythons(engine: docker.DockerClient, image: str, tmp_path: Path) -> None:
    """As the recipe has it, but for the network: the wheels, pip's among them, come from the build of our image."""
    del image
    recipe = (EXAMPLES / "python.Dockerfile").read_text()
    base = LOCAL_BASE if engine.images.list(LOCAL_BASE) else "python:3.13-slim"
    wheels = tmp_path / "wheels"
    shutil.copytree(ROOT / "build" / "wheels", wheels)
    recipe = recipe.replace("FROM python:3.13-slim", f"FROM {base}").replace(INSTALL, FROM_HERE)
    assert labels(engine, built(tmp_path, recipe))


def labels(engine: docker.DockerClient, image: str) -> bool:
    """Return whether the image sets labels as the golden folder has it."""
    config = (CASE / "function-config.yaml").read_text().replace("\n", "\n  ").rstrip()
    item = (CASE / "input.yaml").read_text().replace("\n", "\n  ").rstrip()
    text = f"kind: ResourceList\nitems:\n- {item}\nfunctionConfig:\n  {config}\n"
    expected = (CASE / "expected.yaml").read_text().replace("\n", "\n  ").rstrip()
    done = container.run(engine, image, text.encode())
    assert (done.code, done.stderr) == (0, b"")
    return done.stdout.decode().startswith(f"kind: ResourceList\nitems:\n- {expected}\n")
