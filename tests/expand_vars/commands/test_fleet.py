"""Packages and shards: golden folders are testdata/expand_vars/eval/shard-*; here are the laws."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from argparse import ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from expand_vars import __main__ as cli
from expand_vars.commands import fleet
from expand_vars.commands.fleet import Outcome, Shard
from krm import stdio
from krm.stdio import InputError
from tests.krm.package.directories import contents, write
from tests.process import FILTER, run

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.lists(st.text(min_size=1, max_size=20), unique=True, max_size=30)
COUNTS = st.integers(1, 50)
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec: {containers: [{name: c, args: [$(REGION)]}]}\n"


def shards(names: list[str], count: int) -> list[list[str]]:
    """Return which packages each shard has."""
    every = [Shard(f"{index}/{count}") for index in range(count)]
    return [[name for name in names if shard.has(name)] for shard in every]


@given(NAMES, COUNTS)
def test_every_package_is_in_exactly_one_shard(names: list[str], count: int) -> None:
    assert sorted(name for shard in shards(names, count) for name in shard) == sorted(names)


@given(NAMES, st.text(min_size=1), COUNTS)
def test_a_new_package_moves_no_other(names: list[str], new: str, count: int) -> None:
    before, after = shards(names, count), shards([new, *names], count)
    assert [[name for name in shard if name != new] for shard in after] == [
        [name for name in shard if name != new] for shard in before
    ]


def test_shards_are_of_about_the_same_size_and_the_same_in_every_process() -> None:
    sizes = [len(shard) for shard in shards([f"region-{one % 20}/web-{one:05}" for one in range(8000)], 8)]
    assert sizes == [1001, 992, 987, 1002, 966, 1002, 1034, 1016]


@pytest.mark.parametrize(
    "text", ["4/4", "5/4", "-1/4", "1", "1/0", "0/0", "/", "a/b", "1/2/3", " 1/2", "1/2\n", "\uff11/\uff12"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        Shard(text)
    assert str(caught.value) == (f"`{text}` is not I/N, with I from 0 to N-1: 0/4 is the first of four shards")


def test_packages_are_the_outermost_directories_with_a_kptfile(tmp_path: Path) -> None:
    paths = ["a/Kptfile", "a/b/Kptfile", "eu/shop/Kptfile", "eu/shop/web.yaml", ".git/x/Kptfile", "README.md"]
    write(tmp_path, dict.fromkeys(paths, KPTFILE))
    (tmp_path / "link").symlink_to("eu")
    assert fleet.packages([str(tmp_path)]) == {f"{tmp_path}/a": "a", f"{tmp_path}/eu/shop": "eu/shop"}


def test_a_package_has_one_name_wherever_the_fleet_is_and_however_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "fleet", {"eu/shop/Kptfile": KPTFILE, "us/shop/Kptfile": KPTFILE})
    monkeypatch.chdir(tmp_path / "fleet")
    for path in (".", "./", str(tmp_path / "fleet"), "../fleet"):
        assert sorted(fleet.packages([path]).values()) == ["eu/shop", "us/shop"]
    assert fleet.packages(["eu/shop"]) == {"eu/shop": "shop"}
    monkeypatch.chdir("eu/shop")
    assert fleet.packages(["."]) == {".": "shop"}


def test_a_package_that_is_named_twice_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"eu/shop/Kptfile": KPTFILE})
    monkeypatch.chdir(tmp_path)
    assert fleet.packages([".", "eu", "eu/shop", "./eu/shop/"]) == {"./eu/shop": "eu/shop"}


def test_a_path_inside_of_a_package_adds_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"eu/shop/pod.yaml": POD, "eu/shop-2/pod.yaml": POD, "us/pod.yaml": POD})
    monkeypatch.chdir(tmp_path)
    assert fleet.packages(["eu/shop/pod.yaml", "us", "eu/shop-2", "eu/shop", "us/pod.yaml"]) == {
        "eu/shop": "shop",
        "eu/shop-2": "shop-2",
        "us": "us",
    }


def test_a_directory_that_cannot_be_read_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(InputError) as caught:
        fleet.packages([str(tmp_path)])
    assert str(caught.value) == f"{tmp_path}: Permission denied"


def test_an_interrupt_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"a/Kptfile": KPTFILE, "b/Kptfile": KPTFILE, "c/Kptfile": KPTFILE})
    monkeypatch.chdir(tmp_path)
    evaluated: list[str] = []

    def evaluate(path: str) -> Outcome:
        evaluated.append(path)
        outcome = Outcome()
        outcome.code = stdio.INTERRUPTED if path == "./b" else 0
        return outcome

    options = Namespace(paths=["."], shard=Shard("0/1"), changed_since=None, output=None, results=None)
    assert fleet.run(options, evaluate) == stdio.INTERRUPTED
    assert evaluated == ["./a", "./b"]
    assert capfd.readouterr() == ("", "")


def test_a_count_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    write(tmp_path, {"a/Kptfile": KPTFILE, "a/pod.yaml": POD})
    command = ("sh", "-c", 'exec "$@" > /dev/full', "sh", *FILTER)
    answer = run("eval", ".", "--shard", "0/1", "--check", "--restore", stdin=b"", folder=tmp_path, command=command)
    assert answer == (b"", "[error] standard output: No space left on device (InvalidInput)\n", 1)


FLEET = {f"fleet/{name}/{file}": text for name in "abc" for file, text in {"Kptfile": KPTFILE, "pod.yaml": POD}.items()}
NOTHING = "nothing changes\n"


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, and return what it prints."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with three packages, one commit, and the files that all packages use."""
    folder = write(tmp_path / "repository", {**FLEET, "all.env": "OTHER=eu\n", "config.yaml": CONFIG})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    monkeypatch.chdir(folder)
    return folder


CONFIG = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: all}\nspec: {}\n"
ALL, OF_B = ["a", "b", "c"], ["b"]
CHANGES: dict[str, tuple[dict[str, str], tuple[str, ...], list[str]]] = {
    "nothing": ({}, ("fleet",), []),
    "a file": ({"fleet/b/pod.yaml": POD + "#\n"}, ("fleet",), OF_B),
    "a new file": ({"fleet/b/sub/new.txt": "a"}, ("fleet",), OF_B),
    "a file of a package that is named": ({"fleet/b/pod.yaml": POD + "#\n"}, ("fleet/a", "fleet/b"), OF_B),
    "a file beside the packages": ({"fleet/README.md": "a"}, ("fleet",), []),
    "the functionConfig of all": ({"config.yaml": f"{CONFIG}#"}, ("fleet", "--fn-config", "config.yaml"), ALL),
    "the variables of all": ({"all.env": "OTHER=us"}, ("fleet", "--env-file", "all.env"), ALL),
    "a functionConfig that is not used": ({"config.yaml": f"{CONFIG}#"}, ("fleet",), []),
    "one file as a package": ({"fleet/b/pod.yaml": POD + "#\n"}, ("fleet/b/pod.yaml",), ["b/pod.yaml"]),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_package_is_evaluated_if_git_sees_a_change(
    name: str, repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    changed, arguments, expected = CHANGES[name]
    write(repository, changed)
    assert cli.run(["eval", *arguments, "--changed-since", "main", "--check", "X=1", "--results", "../r.yaml"]) == 0
    evaluated = yaml.safe_load((repository.parent / "r.yaml").read_text())["packages"]
    assert [one["package"] for one in evaluated] == [f"fleet/{package}" for package in expected]
    count = len(expected)
    assert capfd.readouterr().out == f"this run has {count} of {count} packages that changed since main: {NOTHING}"


def test_a_deleted_and_a_moved_file_are_changes_and_a_shard_takes_its_share(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (repository / "fleet/a/pod.yaml").unlink()
    git(repository, "mv", "fleet/b/pod.yaml", "fleet/c/moved.yaml")
    git(repository, "commit", "-q", "-m", "two")
    for shard in ("0/2", "1/2"):
        assert cli.run(["eval", ".", "--shard", shard, "--changed-since", "HEAD~1", "--restore"]) == 0
    taken = re.findall(r"shard ./2 has (.) of 3 packages that changed since HEAD~1: nothing", capfd.readouterr().out)
    assert sum(map(int, taken)) == len(ALL)


def test_the_packages_of_a_submodule_have_changed_if_it_has(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inner = write(repository / "fleet/sub", {"d/Kptfile": KPTFILE, "d/pod.yaml": POD})
    git(inner, "init", "-q")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "one")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "two")
    given = ["eval", "fleet", "--check", "--changed-since", "main", "REGION=eu"]
    assert cli.run(given) == 0
    git(inner, "commit", "-q", "--allow-empty", "-m", "two")
    assert cli.run(given) == 3
    assert capfd.readouterr().out == (
        f"this run has 0 of 0 packages that changed since main: {NOTHING}"
        "changed  fleet/sub/d/pod.yaml  +2 -1\n"
        "this run has 1 of 1 packages that changed since main: changes in 1\n"
    )


def test_a_commit_that_is_none_is_told(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for commit in ("absent", "0" * 40):
        assert cli.run(["eval", "fleet", "--changed-since", commit]) == 1
    assert capfd.readouterr().err == "".join(
        f"[error] git has no commit `{commit}` here (InvalidInput)\n" for commit in ("absent", "0" * 40)
    )
    assert git(repository, "status", "--porcelain") == ""


def test_a_commit_that_a_shallow_clone_lacks_says_how_to_clone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    first = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "clone")
    monkeypatch.chdir(tmp_path / "clone")
    assert cli.run(["eval", "fleet", "--changed-since", first]) == 1
    advice = "this clone is shallow: clone it whole, with `fetch-depth: 0` in a workflow of GitHub"
    assert capfd.readouterr() == ("", f"[error] git has no commit `{first}` here, and {advice} (InvalidInput)\n")


def test_outside_of_a_repository_git_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(write(tmp_path, FLEET))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert cli.run(["eval", "fleet", "--changed-since", "main"]) == 1
    assert capfd.readouterr().err == (
        "[error] git finds no repository here: go to a directory of a clone, and run this again (InvalidInput)\n"
    )


def test_a_package_that_goes_while_the_shard_runs_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(write(tmp_path, FLEET))
    real = fleet.packages

    def packages(given: list[str]) -> dict[str, str]:
        found = real(given)
        shutil.rmtree("fleet/b")
        return found

    monkeypatch.setattr(fleet, "packages", packages)
    assert cli.run(["eval", "fleet", "--shard", "0/1", "--results", "results.yaml", "REGION=eu"]) == 1
    assert capfd.readouterr().err == (
        "[error] fleet/b: No such file or directory; name a path that is there, such as `.` (InvalidInput)\n"
        "[error] fleet/b: this package failed, for the reason above; the others go on (InvalidInput)\n"
    )
    found = yaml.safe_load((tmp_path / "results.yaml").read_text())["packages"]
    assert [(one["package"], one["exitCode"], one["changed"], one["reasons"]) for one in found] == [
        ("fleet/a", 0, True, []),
        ("fleet/b", 1, False, ["InvalidInput"]),
        ("fleet/c", 0, True, []),
    ]


def test_results_that_cannot_be_written_are_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(write(tmp_path, FLEET))
    assert cli.run(["eval", "fleet", "--shard", "0/1", "--results", "/dev/full", "--check", "--restore"]) == 1
    assert capfd.readouterr().err == "[error] /dev/full: No space left on device (InvalidInput)\n"


def test_what_changed_is_rendered_alone(repository: Path, tmp_path: Path) -> None:
    """The same as without a shard, where the path is one package."""
    write(repository, {"fleet/b/pod.yaml": POD + "#\n"})
    given = ["--output", f"{tmp_path}/out", "REGION=eu"]
    assert cli.run(["eval", "fleet", "--changed-since", "main", *given]) == 0
    assert contents(tmp_path / "out").keys() == {"b/Kptfile", "b/pod.yaml", "b/.expand-vars"}
    assert cli.run(["eval", "fleet/b", "--check", "--output", f"{tmp_path}/out/b", "REGION=eu"]) == 0
