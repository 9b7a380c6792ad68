"""docs/guides/flux.md is true: before and after give the same objects, by Flux's own code."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.krm.package.directories import contents, write
from tests.pages import Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("flux")
TESTED = {"Before": "yaml yaml", "After": "yaml yaml sh"}
BEFORE, KUSTOMIZATION = (block.text for block in PAGE.blocks("Before"))
AFTER, CONFIG, COMMAND = (block.text for block in PAGE.blocks("After"))
SCRIPT = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {script: 'echo ${HOME}', text: $$(NAME)}
"""
DISABLED = SCRIPT.replace("{name: a}", "{name: a, annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}")


def rendered(folder: Path) -> Path:
    """Run what the page says, and return the directory that Flux reads then."""
    write(folder, {"shop/web.yaml": AFTER, "shop/place.yaml": CONFIG})
    subprocess.run(["bash", "-euc", COMMAND], cwd=folder, check=True, capture_output=True)
    return folder / "rendered" / "eu"


def test_the_page_renders_the_deployment_alone(tmp_path: Path) -> None:
    made = contents(rendered(tmp_path))
    assert made.keys() == {"web.yaml", ".expand-vars"}
    values = AFTER.replace("$(region)", "eu-west-1").replace("$(tag)", "1.4.2")
    assert made["web.yaml"] == values


def flux(oracle: str, directory: Path, kustomization: str) -> subprocess.CompletedProcess[str]:
    """Run Flux's build of a directory for a Kustomization."""
    file = write(directory.parent, {"kustomization-of-flux.yml": kustomization}) / "kustomization-of-flux.yml"
    return subprocess.run([oracle, "flux", directory, file], capture_output=True, text=True, check=False)


def without_post_build() -> str:
    return KUSTOMIZATION.partition("  postBuild:")[0]


@pytest.mark.e2e
def test_the_cluster_gets_the_same(manifest_oracle: str, tmp_path: Path) -> None:
    before = flux(manifest_oracle, write(tmp_path / "before", {"web.yaml": BEFORE}), KUSTOMIZATION)
    after = flux(manifest_oracle, rendered(tmp_path), without_post_build())
    assert (before.stderr, after.stderr) == ("", "")
    assert objects(before.stdout) == objects(after.stdout)
    assert "--region=eu-west-1" in after.stdout


def objects(text: str) -> list[Any]:
    return [*yaml.safe_load_all(text)]


@pytest.mark.e2e
def test_what_post_build_does_to_what_was_rendered(manifest_oracle: str, tmp_path: Path) -> None:
    failed = flux(manifest_oracle, write(tmp_path / "strict", {"a.yaml": SCRIPT}), KUSTOMIZATION)
    assert 'variable not set (strict mode): "HOME"' in failed.stderr
    doubled = SCRIPT.replace("${HOME}", "$region")
    done = flux(manifest_oracle, write(tmp_path / "doubled", {"a.yaml": doubled}), KUSTOMIZATION)
    assert objects(done.stdout)[0]["data"]["text"] == "$(NAME)"
    for name, text, kustomization in (("off", DISABLED, KUSTOMIZATION), ("none", SCRIPT, without_post_build())):
        done = flux(manifest_oracle, write(tmp_path / name, {"a.yaml": text}), kustomization)
        assert objects(done.stdout)[0]["data"] == {"script": "echo ${HOME}", "text": "$$(NAME)"}


FILE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  a.json: |
    {"regex": "^/system\\\\.slice", "place": "REFERENCE"}
"""


@pytest.mark.e2e
def test_backslashes_and_quotes_in_a_file_of_a_configmap(manifest_oracle: str, tmp_path: Path) -> None:
    wanted = {"regex": r"^/system\.slice", "place": 'the "north"'}
    place = 'the "north"'
    substitute = KUSTOMIZATION.replace("eu-west-1", f"'{place}'")
    there = write(tmp_path / "flux", {"a.yaml": FILE.replace("REFERENCE", "${region}")})
    made = objects(flux(manifest_oracle, there, substitute).stdout)[0]["data"]["a.json"]
    assert made == '{"regex": "^/system\\\\.slice", "place": "the "north""}\n'
    here = write(tmp_path / "here", {"a.yaml": FILE.replace("REFERENCE", "$(region)")})
    command = ["expand-vars", "eval", str(here), "--target", "All", "--stdout", f"region={place}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(objects(done.stdout)[0]["data"]["a.json"]) == wanted
