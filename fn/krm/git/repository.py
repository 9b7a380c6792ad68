"""A repository, by the program git: what changed in it, what a merge left unmerged, and how git calls our driver.

The driver is in the configuration of the repository, and lines of attributes name the files that it is for.
"""

from __future__ import annotations

import os
import subprocess
from shutil import which

from krm.git.line_merge import MARKER_SIZE, ThreeTexts
from krm.stdio import InputError
from krm.yamltree import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Stages: TypeAlias = dict[str, tuple[str, str]]
    """The mode and the blob of each stage of a file."""

# The stages of the index: what both sides started from, HEAD's, and the other side's.
ORIGIN, LOCAL, UPDATE = ("1", "2", "3")
_NO_REPOSITORY = "git finds no repository here: go to a directory of a clone, and run this again"

ATTRIBUTES = ".gitattributes"
OWN_ATTRIBUTES = ".git/info/attributes"
PATTERNS = ("*.yaml", "*.yml", "Kptfile", ".yamllint")
_MERGE = "krm"
_DRIVER = f"merge.{_MERGE}"
_DRIVER_LINES = [f"{pattern} merge={_MERGE}" for pattern in PATTERNS]
_NAME = "YAML by fields, with krm"

# A driver that is missing, or fails, leaves the file without markers, and `git commit -a` would lose a side:
# then git's own merge writes them. What that refuses is a conflict: an exit code above 128 ends the whole merge.
_COMMAND = (
    "krm git-merge %O %A %B %L %P %S %X %Y; r=$?; test $r -lt 126 && exit $r; "
    "git merge-file --marker-size %L -L HEAD -L origin -L update %A %O %B || exit 1"
)


class GitError(InputError):
    """Git refuses what it was asked for: the message is git's own, unless there is no repository."""


def output(*arguments: str) -> bytes:
    """Return what `git ARGUMENTS` prints. GitError if git fails, or is missing."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)  # noqa: S603, S607 - the user's git
    except OSError as error:
        raise GitError(f"git cannot be started: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise GitError(_NO_REPOSITORY if said.startswith("fatal: not a git repository") else said)
    return done.stdout


def text(*arguments: str) -> str:
    """Return what `git ARGUMENTS` prints, without the end of its last line. GitError as for `output`."""
    return os.fsdecode(output(*arguments)).removesuffix("\n")


def top(folder: str = os.curdir) -> str:
    """Return the path of the repository around a folder. GitError if there is none."""
    return text("-C", folder, "rev-parse", "--show-toplevel")


def changed_since(commit: str, folder: str) -> set[str]:
    """Return the paths, without links, of what is not as in a commit, in the repository around a folder.

    New files that git does not ignore are among them, and deleted ones. GitError if there is no such commit.
    """
    root = top(folder)
    differ = text("-C", root, "diff", "--name-only", "--no-renames", "-z", _commit(commit, root), "--")
    new = text("-C", root, "ls-files", "--others", "--exclude-standard", "-z")
    return {os.path.join(os.path.realpath(root), path) for path in (differ + new).split("\0") if path}


def is_ignored(directory: str, path: str) -> bool:
    """True if git ignores a file in a directory: never outside of a repository, or without git."""
    try:
        output("-C", directory, "check-ignore", "--quiet", "--", path)
    except GitError:
        return False
    return True


def unmerged(folder: str) -> dict[str, Stages]:
    """Return the stages of all that git left unmerged below a folder. GitError outside of a repository."""
    found: dict[str, Stages] = {}
    # Without a pathspec: variables of the environment say how git reads these.
    for entry in filter(None, text("-C", folder, "ls-files", "--unmerged", "-z").split("\0")):
        words, _, path = entry.partition("\t")
        mode, blob, stage = words.split()
        found.setdefault(path, {})[stage] = mode, blob
    return found


def texts(path: str, stages: Stages) -> ThreeTexts:
    """Return the three texts of an unmerged file. One that a side has not got is empty."""
    show = ("-C", os.path.dirname(path), "cat-file", "blob")
    origin, local, update = (output(*show, stages[one][1]) if one in stages else b"" for one in (ORIGIN, LOCAL, UPDATE))
    return ThreeTexts(origin, update, local)


def left(path: str) -> list[bytes]:
    """Return the text that a merge of git has left in a file, if git has noted it: most merges do since 2.34."""
    try:
        return [output("-C", os.path.dirname(path), "show", f"AUTO_MERGE:./{os.path.basename(path)}")]
    except GitError:
        return []


def marker_size(path: str) -> int:
    """Return how many characters the markers in a file have, as `.gitattributes` say."""
    folder, name = os.path.split(path)
    value = output("-C", folder, "check-attr", "-z", "conflict-marker-size", "--", name).split(b"\0")[2]
    return int(value) if value.isdigit() else MARKER_SIZE


def _commit(commit: str, root: str) -> str:
    try:
        return text("-C", root, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}")
    except GitError:
        problem = f"git has no commit `{commit}` here"
        if text("-C", root, "rev-parse", "--is-shallow-repository") == "true":
            problem += ", and this clone is shallow: clone it whole, with `fetch-depth: 0` in a workflow of GitHub"
        raise GitError(problem) from None


# The merge driver.


def install_driver(*, is_local: bool = False) -> Iterator[str]:
    """Let git call the driver for YAML in this repository, and yield a sentence for each thing that was done.

    With `is_local` no file of the repository says so: git reads attributes of a clone alone, too.
    """
    name, path = [*_attributes()][is_local]
    # Git follows no link there, so that a clone reads no file from elsewhere.
    if os.path.isdir(path) or (os.path.islink(path) and not is_local):
        raise GitError(f"{name} is a directory or a link, in which git reads nothing: put a file in its place")
    before = _merges()
    for key, value in ((f"{_DRIVER}.name", _NAME), (f"{_DRIVER}.driver", _COMMAND)):
        output("config", "--local", key, value)
        yield f"git config {key} is set"
    written = _read(path)
    there = written.splitlines()
    missing = [line for line in _DRIVER_LINES if line not in there]
    if missing:
        newline = lines.newline(written, len(written))
        above = written if written.endswith("\n") or not written else f"{written}{newline}"
        _write(path, above + "".join(f"{line}{newline}" for line in missing))
    for line in _DRIVER_LINES:
        yield f"{name} {'has' if line in missing else 'had'} the line `{line}`"
    for pattern, merge in _merges().items():
        if merge != _MERGE:
            yield f"`{pattern}` still has the merge `{merge}`: take it out of the attributes that count more"
        elif before[pattern] not in (_MERGE, "unspecified"):
            yield f"`{pattern}` had the merge `{before[pattern]}`, which no longer counts"
    if which("krm") is None:
        yield "PATH has no `krm`, so git merges by lines: put its directory there"


def remove_driver() -> Iterator[str]:
    """Take back what `install_driver` did, and yield a sentence for each thing that was done."""
    attributes = [*_attributes()]
    if _DRIVER in text("config", "--local", "--name-only", "--list"):
        output("config", "--local", "--remove-section", _DRIVER)
        yield f"git config {_DRIVER} is removed"
    else:
        yield f"git config {_DRIVER} was not set"
    for name, path in attributes:
        written = _read(path)
        lines_there = written.splitlines(keepends=True)
        kept = "".join(line for line in lines_there if line.rstrip("\r\n") not in _DRIVER_LINES)
        if kept != written:
            _write(path, kept)
            yield f"{name} no longer names the driver"


def _merges() -> dict[str, str]:
    """Return the merge of the files of each pattern, by all attributes that git reads for the top directory."""
    names = (pattern.replace("*", "a") for pattern in PATTERNS)
    said = output("-C", top(), "check-attr", "-z", "merge", "--", *names).decode(errors="replace").split("\0")
    return dict(zip(PATTERNS, said[2::3], strict=True))


def _attributes() -> Iterator[tuple[str, str]]:
    """Yield the names and paths of the attributes: those of the repository, and of this clone. GitError in none."""
    yield ATTRIBUTES, os.path.join(top(), ATTRIBUTES)
    yield OWN_ATTRIBUTES, os.path.abspath(text("rev-parse", "--git-path", "info/attributes"))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _write(path: str, written: str) -> None:
    if not written:
        os.remove(path)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(written)
