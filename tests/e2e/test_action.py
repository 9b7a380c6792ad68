"""`action.yml`, its steps run as a runner of GitHub runs them: those that the pages and our own workflow use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path  # noqa: TC003 - the fields of a NamedTuple
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from krm.commands.printing import DIFFERS
from tests.expand_vars.commands.test_fleet import KPTFILE, POD
from tests.krm.package.directories import contents, write
from tests.pages import ROOT, Page

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.e2e

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
INSTALL, CHECK = ACTION["runs"]["steps"]
IN_CI = yaml.safe_load(Page("gitops").blocks("In CI")[1].text)["steps"][-1]["with"]
SHARDS = yaml.safe_load(Page("scale").blocks("In a workflow of GitHub")[0].text)["jobs"]["check"]
INPUT = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")
SHOP = {"shop/pod.yaml": POD, "eu.env": "REGION=eu\n"}


class Runner(NamedTuple):
    """The directories of a runner."""

    action: Path
    temporary: Path

    def run(self, step: Mapping[str, Any], folder: Path, given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run a step with these inputs, and the defaults of the others, as `shell: bash` does."""
        inputs = {**{name: one["default"] for name, one in ACTION["inputs"].items()}, **given}
        environment = {
            name: INPUT.sub(lambda found: inputs[found[1]], text) for name, text in step.get("env", {}).items()
        }
        there = {"RUNNER_TEMP": str(self.temporary), "GITHUB_ACTION_PATH": str(self.action)}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        variables = {**os.environ, **there, **environment}
        return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Install the program as the action does, from a copy of the project: pip builds in its folder."""
    action, temporary = tmp_path_factory.mktemp("action"), tmp_path_factory.mktemp("temporary")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().splitlines():
        if (ROOT / name).is_file() and not name.startswith(("tests/", "testdata/", "docs/")):
            (action / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, action / name)
    made = Runner(action, temporary)
    done = made.run(INSTALL, action, {})
    assert done.returncode == 0, done.stderr
    return made


def test_the_step_of_the_page_fails_until_somebody_renders(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, SHOP)
    done = runner.run(CHECK, tmp_path, IN_CI)
    assert (done.returncode, done.stderr) == (DIFFERS, "")
    assert contents(tmp_path) == SHOP
    program = runner.temporary / "expand-vars" / "bin" / "expand-vars"
    subprocess.run([program, "eval", *IN_CI["arguments"].splitlines()], cwd=tmp_path, check=True, capture_output=True)
    done = runner.run(CHECK, tmp_path, IN_CI)
    assert (done.returncode, done.stdout, done.stderr) == (0, "nothing changes\n", "")


def test_a_reference_that_stays_is_an_annotation_at_its_line(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, {**SHOP, "shop/my pod.yaml": POD.replace("REGION", "ZONE").replace("name: p\n", "name: q\n")})
    done = runner.run(CHECK, tmp_path, IN_CI)
    assert done.returncode == 1
    assert re.search(r"^::error file=shop/my pod\.yaml,line=5,.*ZONE", done.stderr, re.MULTILINE)


def test_without_inputs_all_that_is_there_is_checked(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"pod.yaml": POD})
    assert runner.run(CHECK, tmp_path, {}).returncode == 1
    write(tmp_path, {"pod.yaml": POD.replace("$(REGION)", "eu")})
    assert runner.run(CHECK, tmp_path, {}).stdout == "nothing changes\n"


def test_an_input_is_text_to_the_shell(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"a $(touch b).yaml": POD})
    done = runner.run(CHECK, tmp_path, {"arguments": "\na $(touch b).yaml\n\nREGION=`touch c`; touch d | cat\n"})
    assert done.returncode == DIFFERS
    assert contents(tmp_path) == {"a $(touch b).yaml": POD}


def test_each_job_of_the_matrix_has_its_shard(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path / "fleet", {f"{name}/{file}": text for name in "abcdefgh" for file, text in FILES.items()})
    told = []
    for shard in SHARDS["strategy"]["matrix"]["shard"]:
        given = {name: text.replace("${{ matrix.shard }}", shard) for name, text in SHARDS["steps"][-1]["with"].items()}
        told.append(runner.run(CHECK, tmp_path, given).stdout)
    counts = [re.findall(r"shard (./4) has (\d) of 8 packages", text)[0] for text in told]
    assert [shard for shard, _ in counts] == ["0/4", "1/4", "2/4", "3/4"]
    assert sum(int(count) for _, count in counts) == 8


FILES = {"Kptfile": KPTFILE, "pod.yaml": POD.replace("$(REGION)", "eu")}
