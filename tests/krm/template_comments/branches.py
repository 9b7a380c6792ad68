"""Two branches of a package brought together: by lines and by our driver, in a merge and in a rebase of the real git.

In a conflict one side is taken, as somebody does who resolves it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from krm.git import cascade
from krm.git.line_merge import Labels, ThreeTexts
from tests.krm.git.repository import Repository

Files = dict[str, str]

_CONFLICT = re.compile(r"<{7} .*\n((?:.*\n)*?)={7}\n((?:.*\n)*?)>{7} .*\n")


def merged_by_lines(side: int, base: Files, ours: Files, theirs: Files) -> Files:
    """Return what git makes of two sides."""
    return {
        file: _lines(side, *(one.get(file, "") for one in (base, ours, theirs)))
        for file in dict.fromkeys([*ours, *base, *theirs])
    }


def merged_by_driver(side: int, base: Files, ours: Files, theirs: Files) -> Files:
    """Return what our driver makes of two sides. Git asks no driver about a file that a side does not have."""
    merged = merged_by_lines(side, base, ours, theirs)
    for file in base.keys() & ours.keys() & theirs.keys():
        texts = ThreeTexts(base[file].encode(), theirs[file].encode(), ours[file].encode())
        text = cascade.merge(texts, file, Labels(), 7).text.decode()
        merged[file] = _CONFLICT.sub(lambda conflict: conflict[1 + side], text)
    return merged


def rebased(base: Files, ours: list[Files], theirs: Files, side: int, *, has_driver: bool = False) -> Files | None:
    """Return what git makes of the commits of a branch that it puts on another one. None if it gives up."""
    with TemporaryDirectory() as name:
        repository = Repository(Path(name))
        if has_driver:
            repository.krm("git-merge", "--install")
        _commit(repository, base)
        repository.git("checkout", "-q", "-b", "feature")
        for files in ours:
            _commit(repository, files)
        repository.git("checkout", "-q", "main")
        _commit(repository, theirs)
        # To a rebase "ours" is the branch that it puts commits on.
        done = repository.git("rebase", "-X", ("theirs", "ours")[side], "main", "feature")
        while done.returncode and has_driver and _resolve(Path(name), repository.unmerged(), side):
            repository.git("add", "-A")
            done = repository.git("rebase", "--continue")
        return None if done.returncode else _read(Path(name))


def _lines(side: int, base: str, ours: str, theirs: str) -> str:
    with TemporaryDirectory() as name:
        paths = [Path(name) / str(number) for number in range(3)]
        for path, text in zip(paths, (ours, base, theirs), strict=True):
            path.write_text(text)
        command = ["git", "merge-file", "-p", ("--ours", "--theirs")[side], *map(str, paths)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _commit(repository: Repository, files: Files) -> None:
    for path in Path(repository.folder).rglob("*.yaml"):
        path.unlink()
    for file, text in files.items():
        (repository.folder / file).parent.mkdir(exist_ok=True)
        (repository.folder / file).write_text(text)
    repository.git("add", "-A")
    repository.git("commit", "-q", "--allow-empty", "-m", "A version.")


def _resolve(folder: Path, unmerged: list[str], side: int) -> bool:
    """Take one side in the conflicts of files. False where a file stands in conflict as a whole."""
    texts = {folder / file: (folder / file).read_text() for file in unmerged if (folder / file).exists()}
    for path, text in texts.items():
        path.write_text(_CONFLICT.sub(lambda conflict: conflict[2 - side], text))
    return bool(unmerged) and all("<<<<<<<" in text for text in texts.values()) and len(texts) == len(unmerged)


def _read(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.yaml"))}
