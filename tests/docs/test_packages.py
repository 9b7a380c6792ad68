"""docs/reference/packages.md is true: its lines are run, and what it shows is what comes out."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import yaml

from tests.krm.package.directories import contents
from tests.pages import ROOT, Page
from tests.process import krm

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("packages")
TESTED = {"Packages": "sh", "eval": "sh", "pre-commit": "yaml", "Another directory": "sh", "What is read": "yaml"}


def test_a_function_between_source_and_sink(tmp_path: Path) -> None:
    [block] = PAGE.blocks("Packages")
    shop = shutil.copytree(ROOT / "examples" / "pipe", tmp_path / "shop")
    before = (shop / "deploy.yaml").read_text()
    subprocess.run(["bash", "-euo", "pipefail", "-c", block.text], cwd=tmp_path, check=True)
    after = (shop / "deploy.yaml").read_text()
    assert "- --region=$(REGION)\n" in before
    assert "- --region=eu-west-1 # expand: --region=$(REGION)\n" in after
    again = block.text.replace("eu-west-1", "us-east-1")
    subprocess.run(["bash", "-euo", "pipefail", "-c", again], cwd=tmp_path, check=True)
    assert (shop / "deploy.yaml").read_text() == after.replace("eu-west-1", "us-east-1")


def test_the_command_in_place(tmp_path: Path) -> None:
    [command] = PAGE.blocks("eval")
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


def test_the_annotations_of_a_place(tmp_path: Path) -> None:
    [block] = PAGE.blocks("What is read")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "web.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n")
    listed = krm("source", str(tmp_path), stdin=b"").stdout.decode()
    lines = [line.strip() for line in listed.splitlines()]
    assert "".join(f"{line}\n" for line in lines if "config.kubernetes.io/" in line and "v1" not in line) == block.text
