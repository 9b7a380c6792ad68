"""Packages and shards: golden folders are testdata/expand_vars/eval/shard-*; here are the laws."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expand_vars.commands import fleet
from expand_vars.commands.fleet import Shard
from krm import stdio
from krm.stdio import InputError
from tests.krm.package.directories import write
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

    def evaluate(path: str) -> tuple[int, bool]:
        evaluated.append(path)
        return (stdio.INTERRUPTED if path == "./b" else 0), False

    assert fleet.run(Shard("0/1"), ["."], evaluate) == stdio.INTERRUPTED
    assert evaluated == ["./a", "./b"]
    assert capfd.readouterr() == ("", "")


def test_a_count_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    write(tmp_path, {"a/Kptfile": KPTFILE, "a/pod.yaml": POD})
    command = ("sh", "-c", 'exec "$@" > /dev/full', "sh", *FILTER)
    answer = run("eval", ".", "--shard", "0/1", "--check", "--restore", stdin=b"", folder=tmp_path, command=command)
    assert answer == (b"", "[error] standard output: No space left on device\n", 1)
