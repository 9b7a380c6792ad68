"""The settings by which git calls the merge driver: its configuration, and lines of attributes."""

from __future__ import annotations

import os
from shutil import which

from krm.git import repository
from krm.git.repository import GitError
from krm.yamltree import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ATTRIBUTES = ".gitattributes"
OWN_ATTRIBUTES = ".git/info/attributes"
PATTERNS = ("*.yaml", "*.yml", "Kptfile", ".yamllint")
_DRIVER = "merge.krm"
_NAME = "YAML by fields, with krm"

# A driver that is missing, or fails, leaves the file without markers, and `git commit -a` would lose a side:
# then git's own merge writes them. What that refuses is a conflict: an exit code above 128 ends the whole merge.
_COMMAND = (
    "krm git-merge %O %A %B %L %P %S %X %Y; r=$?; test $r -lt 126 && exit $r; "
    "git merge-file --marker-size %L -L HEAD -L origin -L update %A %O %B || exit 1"
)


def install(*, is_local: bool = False) -> Iterator[str]:
    """Let git call the driver for YAML in this repository, and yield a sentence for each thing that was done.

    With `is_local` no file of the repository says so: git reads attributes of a clone alone, too.
    """
    name, path = [*_attributes()][is_local]
    for key, value in ((f"{_DRIVER}.name", _NAME), (f"{_DRIVER}.driver", _COMMAND)):
        repository.output("config", "--local", key, value)
        yield f"git config {key} is set"
    text = _text(path)
    there = text.splitlines()
    missing = [line for line in _wanted() if line not in there]
    if missing:
        newline = lines.newline(text, len(text))
        above = text if text.endswith("\n") or not text else f"{text}{newline}"
        _write(path, above + "".join(f"{line}{newline}" for line in missing))
    for line in _wanted():
        yield f"{name} {'has' if line in missing else 'had'} the line `{line}`"
    after = [*there, *missing]
    for line in filter(_is_of_another_merge, there):
        both = sorted((line, f"{line.split()[0]} merge=krm"), key=after.index)
        yield f"{name} has `{both[0]}` and, further down, `{both[1]}`, which counts"
    if which("krm") is None:
        yield "PATH has no `krm`, so git merges by lines: put its directory there"


def uninstall() -> Iterator[str]:
    """Take back what `install` did, and yield a sentence for each thing that was done."""
    attributes = [*_attributes()]
    try:
        repository.output("config", "--local", "--remove-section", _DRIVER)
        yield f"git config {_DRIVER} is removed"
    except GitError:
        yield f"git config {_DRIVER} was not set"
    for name, path in attributes:
        text = _text(path)
        kept = "".join(line for line in text.splitlines(keepends=True) if line.rstrip("\r\n") not in _wanted())
        if kept != text:
            _write(path, kept)
            yield f"{name} no longer names the driver"


def _wanted() -> list[str]:
    return [f"{pattern} merge=krm" for pattern in PATTERNS]


def _is_of_another_merge(line: str) -> bool:
    """Return True for a line of the user's that names another merge of the same files."""
    pattern, *words = line.split() or [""]
    return pattern in PATTERNS and line not in _wanted() and any("merge" in word for word in words)


def _attributes() -> Iterator[tuple[str, str]]:
    """Yield the names and paths of the attributes: those of the repository, and of this clone. GitError in none."""
    yield ATTRIBUTES, os.path.join(repository.top(), ATTRIBUTES)
    yield OWN_ATTRIBUTES, os.path.abspath(repository.text("rev-parse", "--git-path", "info/attributes"))


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _write(path: str, text: str) -> None:
    if not text:
        os.remove(path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
