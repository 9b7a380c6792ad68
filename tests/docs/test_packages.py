"""docs/reference/packages.md is true: its lines are run, and what it shows is what comes out."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from tests.pages import ROOT, Page
from tests.process import krm

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("packages")
TESTED = {"Packages": "sh", "What is read": "yaml"}


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


def test_the_annotations_of_a_place(tmp_path: Path) -> None:
    [block] = PAGE.blocks("What is read")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "web.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n")
    listed = krm("source", str(tmp_path), stdin=b"").stdout.decode()
    lines = [line.strip() for line in listed.splitlines()]
    assert "".join(f"{line}\n" for line in lines if "config.kubernetes.io/" in line and "v1" not in line) == block.text
