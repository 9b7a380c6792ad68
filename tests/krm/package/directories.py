"""Directories of files for the tests of a package: written, read back, and changed by way of a ResourceList."""

from __future__ import annotations

import hashlib
import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from krm import resourcelist
from krm.package import file_changes, transaction, wire
from krm.package.folder import Folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from krm.resource import Resource
    from krm.resourcelist import ResourceList

NOBODY = 65534


def write(directory: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, by their paths, and return the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return directory


def contents(directory: Path) -> dict[str, str]:
    """Return what the files of a directory hold, by their paths, line ends as they are."""
    found = sorted(path for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(directory)): path.read_bytes().decode(errors="replace") for path in found}


def text(directory: Path) -> str:
    """Return the ResourceList of a directory."""
    with Folder(str(directory)) as opened:
        return "".join(wire.text(wire.read(opened)))


def sunk(directory: Path, items: Iterable[Resource]) -> list[str]:
    """Write items to a directory, and return the paths of the files that are written."""
    with Folder(str(directory)) as opened, transaction.locked([opened], 0):
        package = wire.read(opened)
        transaction.clean(opened, package.leftovers)
        made = file_changes.of_list(package, items)
        transaction.commit(opened, made)
    return [change.path for change in made]


def changed(directory: Path, change: Callable[[ResourceList], object]) -> list[str]:
    """Change a directory by way of its ResourceList, and return the paths of the files that are written."""
    listed = resourcelist.read(text(directory))
    change(listed)
    return sunk(directory, resourcelist.read(listed.emit().text).entries)


def staged(after: str, before: str, number: int = 0) -> str:
    """Return the name of a staged file of a run that was killed."""
    hashes = (hashlib.sha256(each.encode()).hexdigest()[:16] for each in (after, before))
    return f".1-{number}-{'-'.join(hashes)}.krm-staged"


def config(name: str, value: str = "1") -> str:
    """Return the text of a ConfigMap."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  k: {value}\n"


def tries(in_ci: int, *, nightly: int) -> int:
    """Return how often something is tried that happens at random moments: `make laws` tries more."""
    return nightly if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else in_ci


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Path]:
    """Return a directory in memory, where the machine has one: on a disk each sync takes milliseconds."""
    folder = Path("/dev/shm")  # noqa: S108 - a file system, and a name of our own in it
    with TemporaryDirectory(dir=folder if folder.is_dir() else tmp_path) as made:
        yield Path(made)


@contextmanager
def nobody(package: Path) -> Iterator[None]:
    """Go on as a user who owns the package and is not root, who may do anything."""
    user = os.geteuid()
    if user == 0:
        for path in (package, *package.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        for path in [*package.parents][:-2]:
            path.chmod(path.stat().st_mode | 0o055)
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
