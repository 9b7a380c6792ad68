"""docs/guides/gitops.md is true: each recipe is run as its tool runs it.

The plugin in its image: tests/e2e/test_gitops.py. The action of GitHub: tests/e2e/test_action.py.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from krm.commands.printing import DIFFERS
from tests.expand_vars.commands.test_fleet import POD, git
from tests.krm.package.directories import contents, write
from tests.pages import Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("gitops")
TESTED = {
    "A branch that Argo CD writes": "yaml",
    "A rendered directory": "sh",
    "In CI": "sh yaml",
    "A rendered branch": "sh",
    "A plugin of Argo CD": "yaml yaml yaml",
}
IN_EU = POD.replace("$(REGION)", "eu")
HYDRATED = yaml.safe_load(PAGE.blocks("A branch that Argo CD writes")[0].text)
PLUGIN, SIDECAR, APPLICATION = (yaml.safe_load(block.text) for block in PAGE.blocks("A plugin of Argo CD"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a package and its variables in a clone of a repository, which has a branch for what is rendered."""
    files = {"shop/pod.yaml": POD, "eu.env": "REGION=eu\n", "us.env": "REGION=us\n"}
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "origin.git")
    git(tmp_path, "clone", "-q", "origin.git", "clone")
    clone = write(tmp_path / "clone", files)
    git(clone, "config", "user.name", "a")
    git(clone, "config", "user.email", "a@b")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "one")
    return clone


def run(section: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the commands of a section."""
    block = PAGE.blocks(section)[0]
    return subprocess.run(["bash", "-euc", block.text], cwd=folder, check=False, capture_output=True, text=True)


def test_a_rendered_directory_is_what_ci_wants(repository: Path) -> None:
    assert run("In CI", repository).returncode == DIFFERS
    assert run("A rendered directory", repository).returncode == 0
    assert contents(repository / "rendered" / "eu")["pod.yaml"] == IN_EU
    assert run("In CI", repository).stdout == "nothing changes\n"


def test_ci_fails_of_a_reference_that_stays(repository: Path) -> None:
    write(repository, {"shop/more.yaml": POD.replace("REGION", "ZONE")})
    failed = run("In CI", repository)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "nothing defines `$(ZONE)`" in failed.stderr


def test_a_rendered_branch_gets_a_commit_when_something_changes(repository: Path) -> None:
    _, _, once = PAGE.sections()["A rendered branch"].partition("To make the branch, once: `")
    subprocess.run(["bash", "-euc", once.partition("`")[0]], cwd=repository, check=True, capture_output=True)
    for _ in range(2):
        done = run("A rendered branch", repository)
        assert done.returncode == 0, done.stderr
    assert git(repository, "show", "origin/env/eu:shop/pod.yaml") == IN_EU
    head = git(repository, "rev-parse", "--short", "HEAD").strip()
    assert git(repository, "log", "--format=%s", "origin/env/eu") == f"Render {head}\nStart\n"


def test_the_plugin_gets_its_variable_from_the_application(repository: Path) -> None:
    generate = PLUGIN["spec"]["generate"]
    [variable] = APPLICATION["source"]["plugin"]["env"]
    environment = {"PATH": os.environ["PATH"], f"ARGOCD_ENV_{variable['name']}": variable["value"]}
    command = [*generate["command"], *generate["args"]]
    done = subprocess.run(command, cwd=repository / "shop", check=True, capture_output=True, env=environment)
    assert done.stdout.decode() == POD.replace("$(REGION)", "eu-west-1")
    assert contents(repository / "shop") == {"pod.yaml": POD}


def test_the_parts_of_the_plugin_fit_together() -> None:
    assert HYDRATED["spec"]["sourceHydrator"]["drySource"]["plugin"] == APPLICATION["source"]["plugin"]
    assert PLUGIN["kind"] == "ConfigManagementPlugin"
    assert PLUGIN["metadata"]["name"] == APPLICATION["source"]["plugin"]["name"]
    assert PLUGIN["spec"].keys() == {"generate"}
    assert {"/var/run/argocd", "/tmp"} < {mount["mountPath"] for mount in SIDECAR["volumeMounts"]}  # noqa: S108
