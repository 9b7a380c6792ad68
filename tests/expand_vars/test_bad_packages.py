"""Directories that cannot be read or written: one sentence with the file, and nothing changed, in every command."""

from __future__ import annotations

import os
import resource
import sys
from typing import TYPE_CHECKING

import pytest

from krm.function import running
from krm.package import files
from tests.krm.package.directories import config, contents, nobody, write
from tests.process import krm, main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from krm.resourcelist import ResourceList

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: c, args: ['$(TAG)']}\n"
LARGE = "x" * 5000
SMALL = 4096


def sides(folder: Path, more: str) -> tuple[str, ...]:
    """Return the arguments of a merge that changes two files of a package."""
    files = {"a.yaml": config("a"), "b.yaml": config("b")}
    write(folder / "origin", files)
    write(folder / "update", {"a.yaml": config("a", "2"), "b.yaml": config("b", more)})
    return "merge3", str(folder / "origin"), str(folder / "update"), str(folder / "package")


def change(listed: ResourceList) -> None:
    for item in listed.items:
        item.set(("data", "k"), "2")


def eval_(package: Path) -> int:
    large = POD.replace("name: p", f"name: q, labels: {{x: {LARGE}}}")
    return full(write(package, {"a.yaml": POD, "b.yaml": large}), lambda: main(["eval", str(package), "TAG=1"]))


def merge3(package: Path) -> int:
    arguments = sides(package.parent, LARGE)
    return full(package, lambda: main(arguments))


def sdk(package: Path) -> int:
    write(package, {"b.yaml": config("b", f"1\n  l: {LARGE}")})
    return full(package, lambda: running.change_files({}, [str(package)], change))


def sink(package: Path) -> int:
    listed = krm("source", str(package), stdin=b"").stdout.replace(b"name: b", f"name: b{LARGE}".encode())
    given = write(package.parent, {"list": listed.replace(b"k: 1", b"k: 2")}) / "list"
    stdin = os.dup(0)
    with given.open() as file:
        os.dup2(file.fileno(), 0)
    try:
        return full(package, lambda: main(["sink", str(package)]))
    finally:
        os.dup2(stdin, 0)
        os.close(stdin)


def full(package: Path, run: Callable[[], int]) -> int:
    """Run while no file may have more than 4 KiB, as if the disk was full behind that: nothing changes."""
    before, (soft, hard) = contents(package), resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python would write half of what it compiles then, and read that in the next run.
    writes_no_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, hard))
    try:
        return run()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = writes_no_bytecode
        assert contents(package) == before


@pytest.mark.parametrize("run", [eval_, merge3, sdk, sink])
def test_a_full_disk_is_told_with_the_file(
    run: Callable[[Path], int], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write(tmp_path / "package", {"a.yaml": config("a"), "b.yaml": config("b")})
    monkeypatch.chdir(package)
    assert run(package) == 1
    out, err = capfd.readouterr()
    above = "" if run in (eval_, sdk) else f"{package}/"
    assert (out, err) == ("", f"[error] {above}b.yaml: File too large (InvalidInput)\n")


@pytest.mark.parametrize("command", ["eval", "source", "merge3", "explain"])
def test_a_closed_directory_is_named_by_its_own_path(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write(tmp_path / "package", {"a.yaml": POD, "in/closed/b.yaml": POD})
    arguments = sides(tmp_path, "1") if command == "merge3" else (command, str(package))
    monkeypatch.chdir(tmp_path)
    (package / "in" / "closed").chmod(0)
    with nobody(tmp_path):
        code = main(arguments)
    above = "package/" if command == "eval" else f"{package}/"
    assert (capfd.readouterr().err, code) == (f"[error] {above}in/closed: Permission denied (InvalidInput)\n", 1)
    assert (package / "a.yaml").read_text() == POD


def test_a_file_that_grows_while_it_is_expanded_is_told_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, {"a.yaml": POD}) / "a.yaml"
    real = files.read

    def read(*arguments: object) -> files.Package:
        package = real(*arguments)  # type: ignore[arg-type]
        with file.open("a") as growing:
            growing.write("# more\n")
        return package

    monkeypatch.setattr(files, "read", read)
    monkeypatch.chdir(tmp_path)
    assert main(["eval", ".", "TAG=1"]) == 1
    assert capfd.readouterr().err == "[error] a.yaml: it was changed while this ran: nothing is written (FileChanged)\n"
    assert file.read_text() == f"{POD}# more\n"
