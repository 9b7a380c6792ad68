"""The example of `wrap` does what its README says: as an image, as a script, in a plain pipe, each run three times."""

from __future__ import annotations

import re
import shutil
import subprocess
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e import container

if TYPE_CHECKING:
    import docker

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
@pytest.mark.parametrize("export", ["NAME,REPLICAS", "'*'"])
def test_as_a_script(package: Path, export: str) -> None:
    script = package / "nginx-template.sh"
    script.write_text(script.read_text().replace("NAME,REPLICAS", export))
    three_runs(AS_SCRIPT, package)


def three_runs(command: str, package: Path) -> None:
    run(command, package)
    first = files(package)
    made = {"config/my-instance_deployment.yaml", "config/my-instance_service.yaml", "nginx.generated.yaml"}
    assert {*first} - {*files(EXAMPLE)} == made
    assert [first["config/my-instance_service.yaml"]] == blocks("yaml")
    run(CHANGE, package)
    run(command, package)
    second = files(package)
    assert [changes(first, second)] == blocks("diff")
    run(command, package)
    assert files(package) == second


def test_in_the_pipeline_of_a_subpackage(kpt: str, package: Path) -> None:
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: NAME}\n"
    pipeline = f"pipeline: {{mutators: [{{exec: {package}/sub/nginx-template.sh, configPath: nginx.yaml}}]}}\n"
    files_of_it = [package / "nginx.yaml", package / "nginx-template.sh"]
    (package / "sub").mkdir()
    for path in files_of_it:
        path.rename(package / "sub" / path.name)
    (package / "Kptfile").write_text(kptfile)
    (package / "sub" / "Kptfile").write_text(kptfile + pipeline)
    run(f"{kpt} fn render --allow-exec", package)
    once = files(package)
    made = {"sub/config/my-instance_deployment.yaml", "sub/config/my-instance_service.yaml", "sub/nginx.generated.yaml"}
    assert made < {*once}
    run(f"{kpt} fn render --allow-exec", package)
    assert files(package) == once


def test_as_a_generator_of_a_build(kustomize: str, package: Path) -> None:
    """What a build makes is for a cluster: nobody reads it again, and it has nothing of ours."""
    config = package / "nginx.yaml"
    config.write_text(
        config.read_text()
        .replace("container:", "exec:")
        .replace("image: nginx-template:v1", "path: ./nginx-template.sh")
    )
    (package / "kustomization.yaml").write_text("generators: [nginx.yaml]\nnamePrefix: a-\n")
    command = [kustomize, "build", "--enable-alpha-plugins", "--enable-exec", str(package)]
    built = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert built.count("  name: a-my-instance\n") == 2
    assert "annotations" not in built


PIPED = """\
kind: ResourceList
items:
- apiVersion: v1
  kind: Service
  metadata: # the user's
    name: mine
    annotations: {example.com/owner:   'team a'}  # nobody else's
functionConfig:
  kind: Nginx
  metadata: {name: my-instance}
  spec: {replicas: 5}
"""


@pytest.mark.usefixtures("image")
def test_in_a_plain_pipe(engine: docker.DockerClient, package: Path) -> None:
    """Nothing is remembered: what is there already keeps what the user added, and each value that differs is told."""
    run(BUILD, package)
    (image,) = re.findall(r"--tag (\S+)", BUILD)
    first = container.run(engine, image, PIPED.encode())
    items, _, config = PIPED.partition("functionConfig:")
    assert (first.code, first.stderr) == (0, b"")
    assert first.stdout.startswith(items.encode())
    assert first.stdout.endswith(config.encode())
    assert b"expandvars.dev" not in first.stdout
    image_line = b"\n          image: nginx:1.7.9\n"
    assert first.stdout.count(image_line) == 1
    changed = first.stdout.replace(image_line, image_line + b"          tty: true # by hand\n")
    second = container.run(engine, image, changed.replace(b"{replicas: 5}", b"{replicas: 3}"))
    expected = changed.replace(b"replicas: 5", b"replicas: 3")
    assert second.stdout.partition(b"results:")[0] == expected
    assert b"spec.replicas: " in second.stderr
    third = container.run(engine, image, second.stdout)
    assert (third.stdout.partition(b"results:")[0], third.stderr) == (expected, b"")
