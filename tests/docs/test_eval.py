"""docs/guides/eval.md is true: its lines are run, and what it shows is what comes out."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import yaml

from tests.krm.package.directories import contents
from tests.pages import ROOT, Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("eval")
TESTED = {"In place": "sh", "pre-commit": "yaml", "Another directory": "sh"}


def test_the_command_in_place(tmp_path: Path) -> None:
    [command] = PAGE.blocks("In place")
    shop = shutil.copytree(ROOT / "examples" / "pipe", tmp_path / "shop")
    shown = subprocess.run(
        ["bash", "-euc", command.text], cwd=tmp_path, check=True, capture_output=True
    ).stdout.decode()
    assert "+        - --region=eu-west-1 # expand: --region=$(REGION)\n" in shown
    assert shown.endswith("1 changed\n")
    assert "--region=eu-west-1" in (shop / "deploy.yaml").read_text()


def test_the_command_to_another_directory(tmp_path: Path) -> None:
    [command] = PAGE.blocks("Another directory")
    shop = shutil.copytree(ROOT / "examples" / "pipe", tmp_path / "shop")
    before = contents(shop)
    subprocess.run(["bash", "-euc", command.text], cwd=tmp_path, check=True)
    rendered = contents(tmp_path / "rendered" / "eu")
    assert rendered.keys() == {*before, ".expand-vars"}
    assert "--region=eu-west-1" in rendered["deploy.yaml"]
    assert contents(shop) == before
    subprocess.run(["sha256sum", "--strict", "--check", ".expand-vars"], cwd=tmp_path / "rendered" / "eu", check=True)


def test_the_hook_is_there() -> None:
    """It is run by the real pre-commit: tests/e2e/test_pre_commit.py."""
    [block] = PAGE.blocks("pre-commit")
    [repository] = yaml.safe_load(block.text)["repos"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in repository["hooks"]} < {hook["id"] for hook in hooks}
