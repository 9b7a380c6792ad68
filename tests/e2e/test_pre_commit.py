"""The hook in `.pre-commit-hooks.yaml`, run by the real pre-commit in a repository of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path  # noqa: TC003 - the fields of a NamedTuple
from typing import NamedTuple

import pytest
import yaml

from tests.process import ROOT

pytestmark = pytest.mark.e2e

SHOP = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec: {containers: [{name: c, args: [$(REGION)]}]} # c\n"


def git(*arguments: str, folder: Path) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    """Return a repository that has the hook: this project as it is now."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    folder = tmp_path / "hook"
    for path in listed.stdout.decode().splitlines():
        if (ROOT / path).is_file() and not path.startswith(("tests/", "testdata/", "docs/")):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, folder / path)
    git("init", "-q", folder=folder)
    git("add", "-A", folder=folder)
    git("commit", "-qm", "hook", folder=folder)
    return folder


class Repository(NamedTuple):
    """A repository with one hook, which has a home of its own."""

    folder: Path
    home: Path

    def commit(self) -> subprocess.CompletedProcess[str]:
        """Run the hook on all files, as a commit does, and add what it did."""
        environment = {**os.environ, "PRE_COMMIT_HOME": str(self.home)}
        command = (sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never")
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        git("add", "-A", folder=self.folder)
        return done


def repository(hook: Path, folder: Path, name: str) -> Repository:
    """Make a repository with this hook of the project."""
    made = Repository(folder / "repository", folder / "home")
    (made.folder / "shop").mkdir(parents=True)
    (made.folder / "shop" / "pod.yaml").write_text(SHOP)
    config = {"repos": [{"repo": str(hook), "rev": "HEAD", "hooks": [{"id": name, "args": ["shop", "REGION=eu"]}]}]}
    (made.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git("init", "-q", folder=made.folder)
    git("add", "-A", folder=made.folder)
    return made


def test_the_hook_expands_and_fails_when_a_file_changes(hook: Path, tmp_path: Path) -> None:
    there = repository(hook, tmp_path, "expand-vars")
    first, second = there.commit(), there.commit()
    assert (first.returncode, second.returncode) == (1, 0), first.stdout + second.stdout
    assert "files were modified by this hook" in first.stdout
    assert "1 changed" in first.stdout
    assert "args: [eu]}]} # c\n" in (there.folder / "shop" / "pod.yaml").read_text()


def test_the_hook_that_checks_writes_nothing(hook: Path, tmp_path: Path) -> None:
    there = repository(hook, tmp_path, "expand-vars-check")
    failed = there.commit()
    assert failed.returncode == 1
    assert "1 changed; nothing is written" in failed.stdout
    assert (there.folder / "shop" / "pod.yaml").read_text() == SHOP
    subprocess.run(["expand-vars", "eval", "shop", "REGION=eu"], cwd=there.folder, check=True, capture_output=True)
    git("add", "-A", folder=there.folder)
    assert there.commit().returncode == 0
