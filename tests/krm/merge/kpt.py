"""The real `kpt pkg update`, asked what it makes of origin, update and local: kyaml's merge, as kpt runs it.

The upstream is a repository of git in a folder: one commit is origin, the next one update. The package is got from the
first, edited to be local, and updated to the second. All cases are files of one package, so that they cost three
processes of kpt and git each; a side that is empty has no file.
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_AUTHOR = {f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Triple(NamedTuple):
    """Three texts, each empty where there is no file."""

    origin: str
    update: str
    local: str


def updated(triples: Mapping[str, Triple], folder: Path) -> dict[str, str]:
    """Return what each local becomes by `kpt pkg update`. `folder` is an empty one."""
    package = prepared(triples, folder)
    done = update(package)
    assert done.returncode == 0, done.stderr
    return {name: _read(package / f"{name}.yaml") for name in triples}


def refusal(triple: Triple, folder: Path) -> str:
    """Return what `kpt pkg update` says to a triple that it refuses, and the whole package with it."""
    done = update(prepared({"refused": triple}, folder))
    assert done.returncode == 1
    return done.stderr.partition("Error: ")[2].strip() + "\n"


def prepared(triples: Mapping[str, Triple], folder: Path) -> Path:
    """Return a package of these files that is to be updated."""
    upstream, package = folder / "upstream", folder / "local"
    for side in ("origin", "update"):
        _write(upstream / "package", {name: getattr(triple, side) for name, triple in triples.items()})
        (upstream / "package" / "README.md").write_text(side)  # a folder without any file is none for git
        commit(upstream)
        run("git", "tag", side, folder=upstream)
    run("kpt", "pkg", "get", f"file://{upstream}.git/package@origin", str(package), folder=folder)
    _write(package, {name: triple.local for name, triple in triples.items()})
    commit(folder)
    return package


def update(package: Path) -> subprocess.CompletedProcess[str]:
    """Run `kpt pkg update`."""
    return _try("kpt", "pkg", "update", f"{package}@update", "--strategy", "resource-merge", folder=package.parent)


def _read(path: Path) -> str:
    return without_notes(path.read_text() if path.exists() else "")


def without_notes(text: str) -> str:
    """Return a text without what kpt notes in each resource."""
    text = re.sub(" # kpt-merge: .*", "", text)
    note = r" +internal\.kpt\.dev/upstream-identifier: .*\n"
    return re.sub(rf"^(?: +annotations:\n{note}(?!    )|{note})", "", text, flags=re.MULTILINE)


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = folder / f"{name}.yaml"
        path.write_text(text) if text else path.unlink(missing_ok=True)


def commit(folder: Path) -> None:
    for arguments in (("init",), ("add", "."), ("commit", "--message", "A version.")):
        run("git", *arguments, folder=folder)


def run(*command: str, folder: Path) -> None:
    done = _try(*command, folder=folder)
    assert done.returncode == 0, done.stderr


def _try(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    # Below HOME git keeps its settings, and kpt what it fetched.
    own = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), **_AUTHOR}
    return subprocess.run(command, cwd=folder, env=os.environ | own, capture_output=True, check=False, text=True)
