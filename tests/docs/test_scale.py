"""docs/scale.md is true: its lines are run, and what it says comes out."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.expand_vars.commands.test_fleet import KPTFILE, POD
from tests.krm.package.directories import write
from tests.pages import Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("scale")
TESTED = {"Shards": "sh"}


def test_a_shard(tmp_path: Path) -> None:
    [block] = PAGE.blocks("Shards")
    write(tmp_path / "fleet", {f"{name}/{file}": text for name in "abcdef" for file, text in FILES.items()})
    done = subprocess.run(["bash", "-euc", block.text], cwd=tmp_path, check=True, capture_output=True, text=True)
    *changed, total = done.stdout.splitlines()
    assert total == f"shard 0/4 has {len(changed)} of 6 packages: changes in {len(changed)}"
    assert 0 < len(changed) < 6


FILES = {"Kptfile": KPTFILE, "pod.yaml": POD}
