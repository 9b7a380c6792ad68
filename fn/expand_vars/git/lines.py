"""Git's own line merge, by `git merge-file`, and the line ends of what it merges."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.git.labels import Labels

MARKER_SIZE = 7
"""How many characters a marker has if git names no other number."""

# From here on the exit code of `git merge-file` is an error. Below, it is the number of conflicts.
_FAILED = 128

_COMMENT = re.compile(rb"(?:^|\s)(#.*?)\s*$", re.MULTILINE)


class LineMergeError(Exception):
    """Git cannot merge the three texts line by line: one is binary, or git itself is missing."""


class LineMerge:
    """A merge line by line: its text, and how many conflicts stand in it between markers."""

    __slots__ = ("conflicts", "text")

    def __init__(self, text: bytes, conflicts: int) -> None:
        self.text = text
        self.conflicts = conflicts


class Texts:
    """The three texts of one file. `workplace` is a path: the names of temporary files start with it."""

    __slots__ = ("local", "origin", "update", "workplace")

    def __init__(self, origin: bytes, update: bytes, local: bytes, workplace: str) -> None:
        self.origin = origin
        self.update = update
        self.local = local
        self.workplace = workplace


def merge(texts: Texts, labels: Labels, size: int) -> LineMerge:
    """Merge three texts as git does without a driver. LineMergeError if git cannot."""
    paths = [f"{texts.workplace}.{os.getpid()}.{side}" for side in ("local", "origin", "update")]
    try:
        for path, text in zip(paths, (texts.local, texts.origin, texts.update), strict=True):
            _write(path, text)
        # No option that is younger than git 2.30: the git of a build machine is often old.
        named = (argument for label in labels.in_order() for argument in ("-L", label))
        code = _run("git", "merge-file", "--quiet", f"--marker-size={size}", *named, *paths)
        if code >= _FAILED:
            raise LineMergeError("git cannot merge these texts line by line")
        return LineMerge(_read(paths[0]), code)
    finally:
        for path in paths:
            _remove(path)


def with_ends_of_one(texts: Texts) -> Texts:
    """Return the texts with the line ends of one side, where another has other ones in its whole text.

    Line ends are changed for a whole file at once. As lines all of it would be in conflict.
    """
    origin, update, local = (_line_end(text) for text in (texts.origin, texts.update, texts.local))
    if None in (origin, update, local) or len({origin, update, local} - {b""}) == 1:
        return texts
    end = (update if origin == local else local) or b"\n"
    return Texts(_ended(texts.origin, end), _ended(texts.update, end), _ended(texts.local, end), texts.workplace)


def with_ends_of(other: bytes, text: bytes) -> bytes:
    """Return a text with the line ends that another one has throughout."""
    end = _line_end(other)
    return _ended(text, end) if end else text


def _ended(text: bytes, end: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", end)


def _line_end(text: bytes) -> bytes | None:
    """Return the line end that a text has throughout, nothing where there is no line, None where they differ."""
    ends, returns = text.count(b"\n"), text.count(b"\r")
    if returns and (returns != ends or text.count(b"\r\n") != ends):
        return None
    return (b"\r\n" if returns else b"\n") if ends else b""


def has_new_comments(text: bytes, texts: Texts) -> bool:
    """Return True if a text has every comment that a side added or changed."""
    # By their text alone, wherever they stand: a merge by fields may move a comment with its field.
    origin, update, local, found = ({*_COMMENT.findall(one)} for one in (texts.origin, texts.update, texts.local, text))
    return (update | local) - origin <= found


def _run(*command: str) -> int:
    """Run a program to its end, and return its exit code. Cheaper than `subprocess` by the time of its import."""
    try:
        process = os.posix_spawnp(command[0], command, os.environ)
    except OSError as error:
        raise LineMergeError(f"git cannot be started: {error.strerror}") from None
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) % 256


def _write(path: str, text: bytes) -> None:
    with open(path, "xb") as file:
        file.write(text)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except FileNotFoundError:
        return
