"""docs/guides/helm.md is true: helm runs its commands on a public chart, with the plugin of packaging/helm."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest
import yaml

from tests.pages import ROOT, Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("helm")
TESTED = {"Helm 4": "yaml sh sh", "What Helm does with it": "sh"}
PLUGIN, INSTALL, RENDER = (block.text for block in PAGE.blocks("Helm 4"))
PIPE = PAGE.blocks("What Helm does with it")[0].text
CHART = ROOT / ".tools" / "guestbook"
IMAGE = "quay.io/argoprojlabs/argocd-e2e-container"
# What any post-renderer makes of a chart.
CAT = PLUGIN.replace("name: expand-vars", "name: cat").replace("command: expand-vars", "command: cat")


class Helm(NamedTuple):
    """A folder with the chart, in which helm has directories of its own."""

    folder: Path

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run commands of the page there."""
        own = {f"HELM_{name}_HOME": str(self.folder / name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
        environment = {**os.environ, **own}
        command = ["bash", "-eo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def guestbook(helm: str, tmp_path: Path) -> Helm:
    """Copy the chart and the plugin beside each other, and install the plugin."""
    assert helm
    shutil.copytree(CHART, tmp_path / "guestbook")
    shutil.copytree(ROOT / "packaging" / "helm", tmp_path / "packaging" / "helm")
    made = Helm(tmp_path)
    done = made.run(INSTALL)
    assert done.returncode == 0, done.stderr
    return made


def image(rendered: str) -> str:
    """Return the image of the chart's one container."""
    [deployment] = [one for one in yaml.safe_load_all(rendered) if one["kind"] == "Deployment"]
    return str(deployment["spec"]["template"]["spec"]["containers"][0]["image"])


def test_the_plugin_is_that_of_the_page() -> None:
    assert (ROOT / "packaging" / "helm" / "plugin.yaml").read_text() == PLUGIN


def test_the_plugin_has_the_version_of_the_project() -> None:
    assert f'\nversion = "{yaml.safe_load(PLUGIN)["version"]}"\n' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.e2e
def test_the_post_renderer_gives_a_value_its_value(guestbook: Helm) -> None:
    done = guestbook.run(RENDER)
    assert (done.stderr, done.returncode) == ("", 0)
    assert image(done.stdout) == f"{IMAGE}:1.4.2"


@pytest.mark.e2e
def test_what_an_install_would_send_is_the_same(guestbook: Helm) -> None:
    done = guestbook.run(RENDER.replace("helm template", "helm install --dry-run=client"))
    assert f'image: "{IMAGE}:1.4.2"' in done.stdout


@pytest.mark.e2e
def test_helm_fails_without_a_word_where_a_pipe_tells_why(guestbook: Helm) -> None:
    done = guestbook.run(RENDER.replace("TAG=1.4.2", "OTHER=1"))
    assert done.returncode == 1
    assert "TAG" not in done.stderr
    done = guestbook.run(PIPE.replace("TAG=1.4.2", "OTHER=1"))
    assert done.returncode == 1
    assert "no variable defines `$(TAG)`" in done.stderr


@pytest.mark.e2e
def test_the_pipe_changes_the_value_alone_and_helm_the_margins(guestbook: Helm) -> None:
    template = "helm template shop guestbook --set image.tag=1.4.2"
    expected = guestbook.run(template).stdout
    assert guestbook.run(PIPE).returncode == 0
    assert (guestbook.folder / "shop.yaml").read_text() == expected
    (guestbook.folder / "packaging" / "cat").mkdir()
    (guestbook.folder / "packaging" / "cat" / "plugin.yaml").write_text(CAT)
    assert guestbook.run("helm plugin install packaging/cat").returncode == 0
    by_helm = guestbook.run(f"{template} --post-renderer cat").stdout
    assert guestbook.run(RENDER).stdout == by_helm != expected
