"""docs/guides/scale.md is true: its lines are run, and what it says comes out."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from krm.commands.printing import DIFFERS
from tests.expand_vars.commands.test_fleet import KPTFILE, POD, git
from tests.krm.package.directories import contents, write
from tests.pages import Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("scale")
TESTED = {"Shards": "sh", "What changed": "sh", "On one machine": "sh sh", "In a workflow of GitHub": "yaml"}


def test_a_shard_has_a_part_of_the_packages(tmp_path: Path) -> None:
    [block] = PAGE.blocks("Shards")
    write(tmp_path / "fleet", {f"{name}/{file}": text for name in "abcdef" for file, text in FILES.items()})
    done = subprocess.run(["bash", "-euc", block.text], cwd=tmp_path, check=True, capture_output=True, text=True)
    *changed, total = done.stdout.splitlines()
    assert total == f"shard 0/4 has {len(changed)} of 6 packages: changes in {len(changed)}"
    assert 0 < len(changed) < 6


def test_a_run_over_what_changed_has_the_changed_package(tmp_path: Path) -> None:
    [block] = PAGE.blocks("What changed")
    write(tmp_path, {f"fleet/{name}/{file}": text for name in "abcdef" for file, text in FILES.items()})
    for arguments in ("init -q", "add -A", "commit -qm one", "update-ref refs/remotes/origin/main HEAD"):
        git(tmp_path, *arguments.split())
    write(tmp_path, {"fleet/b/new.yaml": POD})
    done = subprocess.run(["bash", "-c", block.text], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "this run has 1 of 1 packages that changed since origin/main: changes in 1"
    assert done.returncode == DIFFERS


def test_all_shards_side_by_side_and_a_process_for_each_package_do_the_same(tmp_path: Path) -> None:
    made = []
    for number, block in enumerate(PAGE.blocks("On one machine")):
        folder = tmp_path / str(number)
        write(folder / "fleet", {f"{name}/{file}": text for name in "abcdef" for file, text in FILES.items()})
        subprocess.run(["bash", "-euc", block.text], cwd=folder, check=True, capture_output=True)
        made.append(contents(folder))
    assert made[0] == made[1]
    assert all("args: [eu-west-1]" in text for path, text in made[0].items() if path.endswith("pod.yaml"))


def test_the_minutes_are_those_of_the_milliseconds() -> None:
    for _, first, again, *together in PAGE.tables("100,000 packages")[0]:
        for one, all_of_them in zip((first, again), together, strict=True):
            *hours, minutes = [int(word) for word in all_of_them.split() if word.isdigit()]
            assert round(float(one.split()[0]) * 100_000 / 60_000) == sum(hours) * 60 + minutes


FILES = {"Kptfile": KPTFILE, "pod.yaml": POD}
