"""Git's own line merge, by `git merge-file`: what it merges, and what its markers call the two sides.

They call them what git would (docs/guides/git.md, "Labels").
"""

from __future__ import annotations

import os

from krm.merge import text_merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


MARKER_SIZE = 7
"""How many characters a marker has if git names no other number."""

# From here on the exit code of `git merge-file` is an error. Below, it is the number of conflicts.
_FAILED = 128

# An encoding of which each byte is a character: what git merges need not be UTF-8.
_BYTES = "latin-1"

_HEAD = "HEAD"
_ORIGIN = "origin"
_UPDATE = "update"

# Git passes the names of the branches by these letters since 2.44. Before that it passes the letters as they are.
_LETTERS = ("%X", "%S", "%Y")
_VARIABLE = "GITHEAD_"
_STEPS_OF_A_REBASE = ("rebase-merge", "done")


class LineMergeError(Exception):
    """Git cannot merge the three texts line by line: one is binary, or git itself is missing."""


class FileMerge:
    """The text that a file becomes, how many conflicts stand in it, and one line on what git alone would have done.

    `note` is empty if git alone would have done as well. `obstacle` is why there is no merge by fields.
    """

    def __init__(self, text: bytes, conflicts: int, note: str = "") -> None:
        self.text = text
        self.conflicts = conflicts
        self.note = note
        self.obstacle = ""


class ThreeTexts:
    """The three texts of one file. `paths` are the files that hold local, origin and update, if there are such."""

    def __init__(self, origin: bytes, update: bytes, local: bytes, paths: Sequence[str] = ()) -> None:
        self.origin = origin
        self.update = update
        self.local = local
        self.paths = paths


class Labels:
    """The names of local, origin and update in markers."""

    def __init__(self, local: str = _HEAD, origin: str = _ORIGIN, update: str = _UPDATE) -> None:
        self.local = local
        self.origin = origin
        self.update = update


def merge(texts: ThreeTexts, labels: Labels, size: int) -> FileMerge:
    """Merge three texts as git does without a driver. LineMergeError if git cannot."""
    # The files that git made for a driver are left as they are: a driver that is killed leaves no others behind.
    if texts.paths:
        return _merged(texts.paths, labels, size)
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - it takes longer than a small merge

    with TemporaryDirectory() as folder:
        paths = [os.path.join(folder, side) for side in ("local", "origin", "update")]
        for path, text in zip(paths, (texts.local, texts.origin, texts.update), strict=True):
            with open(path, "xb") as file:
                file.write(text)
        return _merged(paths, labels, size)


def _merged(paths: Sequence[str], labels: Labels, size: int) -> FileMerge:
    # No option that is younger than git 2.30: the git of a build machine is often old.
    # The name of a branch need not be a text of the locale.
    called = (label.encode(errors="surrogateescape") for label in (labels.local, labels.origin, labels.update))
    named = (argument for label in called for argument in ("-L", label))
    written, code = _output("git", "merge-file", "-p", "--quiet", f"--marker-size={size}", *named, *paths)
    if code >= _FAILED:
        raise LineMergeError("git cannot merge these texts line by line")
    return FileMerge(written, code)


def labels_of_a_merge(*named: str) -> Labels:
    """Return the labels of the merge that git runs now. `named` are those that git passes, if it does: local first."""
    if len(named) == len(_LETTERS) and not set(named) & set(_LETTERS):
        return Labels(*named)
    # Git sets such a variable for each head of a merge; an octopus has several, and then no one name is right.
    merged = [name for variable, name in os.environ.items() if variable.startswith(_VARIABLE)]
    if len(merged) == 1:
        return Labels(update=merged[0])
    return Labels(update=_commit_of_a_rebase() or _UPDATE)


def _commit_of_a_rebase() -> str | None:
    """Return the commit that a rebase applies now, as git names it: `0a1b2c3 (its subject)`."""
    try:
        with open(os.path.join(os.environ.get("GIT_DIR", ".git"), *_STEPS_OF_A_REBASE), encoding="utf-8") as steps:
            words = steps.read().splitlines()[-1].split(maxsplit=2)
    except (OSError, UnicodeDecodeError, IndexError):
        return None
    return f"{words[1][:7]} ({words[2].removeprefix('# ')})" if len(words) == 3 else None  # noqa: PLR2004 - verb, commit, subject


def written_alike(texts: ThreeTexts) -> ThreeTexts:
    """Return the texts, written alike as for every other merge."""
    sides = [side.decode(_BYTES) for side in (texts.origin, texts.update, texts.local)]
    alike = text_merge.written_alike(*sides)
    origin, update, local = (side.encode(_BYTES) for side in alike)
    return texts if alike == sides else ThreeTexts(origin, update, local)


def with_ends_of(other: bytes, written: bytes) -> bytes:
    """Return a text with the line ends that another one has throughout."""
    end = text_merge.line_end(other.decode(_BYTES))
    return text_merge.with_line_end(written.decode(_BYTES), end).encode(_BYTES) if end else written


def _output(*command: str | bytes) -> tuple[bytes, int]:
    """Return what a program prints, and its exit code. Cheaper than `subprocess` by the time of its import."""
    reading, writing = os.pipe()
    try:
        process = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
    except OSError as error:
        os.close(reading)
        raise LineMergeError(f"git cannot be started: {error.strerror}") from None
    finally:
        os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read()
    return text, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) % 256
