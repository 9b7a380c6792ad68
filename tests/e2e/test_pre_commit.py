"""The hook in `.pre-commit-hooks.yaml`, run by the real pre-commit in a repository of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

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


def test_the_hook_expands_and_fails_when_a_file_changes(hook: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / "shop").mkdir(parents=True)
    (repository / "shop" / "pod.yaml").write_text(SHOP)
    hooks = [{"id": "expand-vars", "args": ["shop", "REGION=eu"]}]
    config = {"repos": [{"repo": str(hook), "rev": "HEAD", "hooks": hooks}]}
    (repository / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git("init", "-q", folder=repository)
    git("add", "-A", folder=repository)
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")}
    command = (sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never")
    answers = []
    for _ in range(2):
        answers.append(subprocess.run(command, cwd=repository, env=environment, capture_output=True, check=False))
        git("add", "-A", folder=repository)
    told = [answer.stdout.decode() for answer in answers]
    assert [answer.returncode for answer in answers] == [1, 0], told
    assert "files were modified by this hook" in told[0]
    assert "1 changed" in told[0]
    assert "args: [eu]}]} # c\n" in (repository / "shop" / "pod.yaml").read_text()
