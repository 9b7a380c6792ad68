"""Git's own line merge, by `git merge-file`, and the markers of conflicts."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from expand_vars.git.labels import Labels

MARKER_SIZE = 7
"""How many characters a marker has if git names no other number."""

# From here on the exit code of `git merge-file` is an error. Below, it is the number of conflicts.
_FAILED = 128


_COMMENT = re.compile(rb"(?:^|\s)(#.*?)\s*$", re.MULTILINE)
_MARKERS = _FIRST, _ORIGIN, _MIDDLE, _LAST = (b"<", b"|", b"=", b">")


class LineMergeError(Exception):
    """Git cannot merge the three texts line by line: one is binary, or git itself is missing."""


class LineMerge:
    """A merge line by line: its text, and how many conflicts stand in it between markers."""

    __slots__ = ("conflicts", "text")

    def __init__(self, text: bytes, conflicts: int) -> None:
        self.text = text
        self.conflicts = conflicts


class Texts:
    """The three texts of one file. `local` is the path of a file whose folder takes temporary files."""

    __slots__ = ("local", "origin", "update", "workplace")

    def __init__(self, origin: bytes, update: bytes, local: bytes, workplace: str) -> None:
        """Take the texts. `workplace` is a path: the names of temporary files start with it."""
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


def marked(local: bytes, update: bytes, labels: Labels, size: int) -> LineMerge:
    """Return `local` with markers around each run of lines in which `update` differs.

    ```
    local        update       marked
    replicas: 2  replicas: 3  <<<<<<< HEAD
    paused: no   paused: no   replicas: 2
                              =======
                              replicas: 3
                              >>>>>>> feature
                              paused: no
    ```
    """
    from difflib import SequenceMatcher  # noqa: PLC0415 - most merges have no conflict

    mine, others = local.splitlines(keepends=True), update.splitlines(keepends=True)
    newline = b"\r\n" if b"\r\n" in local else b"\n"
    # Without autojunk: it takes lines that occur often, such as `- name:`, for no lines at all in long files.
    pieces: list[bytes] = []
    runs = SequenceMatcher(None, mine, others, autojunk=False).get_opcodes()
    for kind, start, end, other_start, other_end in runs:
        if kind == "equal":
            pieces += mine[start:end]
        else:
            pieces += [_marker("<", size, labels.local), newline, *_ended(mine[start:end], newline)]
            pieces += [_marker("=", size), newline, *_ended(others[other_start:other_end], newline)]
            pieces += [_marker(">", size, labels.update), newline]
    return LineMerge(b"".join(pieces), sum(kind != "equal" for kind, *_ in runs))


class Hunk:
    """A conflict in a text: the number of its first line, the lines of each side, and how many lines it takes up."""

    __slots__ = ("length", "line", "local", "update")

    def __init__(self, line: int, length: int, local: list[bytes], update: list[bytes]) -> None:
        self.line = line
        self.length = length
        self.local = local
        self.update = update


def hunks(text: bytes, size: int) -> Iterator[Hunk]:
    """Yield the conflicts of a text that git marked."""
    sides: dict[bytes, list[bytes]] = {}
    into: list[bytes] = []
    start = 0
    for number, line in enumerate(text.splitlines(), start=1):
        marker = next((one for one in _MARKERS if _is_marker(line, one, size)), None)
        if marker == _FIRST:
            start, sides = number, {}  # a text may hold what looks like the rest of a marker: only `<` opens one
        if marker is not None:
            into = sides.setdefault(marker, [])
        elif sides:
            into.append(line)
        if marker == _LAST:
            yield Hunk(start, number - start + 1, sides.get(_FIRST, []), sides.get(_MIDDLE, []))
            sides = {}


def has_new_comments(text: bytes, texts: Texts) -> bool:
    """Return True if a text has every comment that a side added or changed."""
    # By their text alone, wherever they stand: a merge by fields may move a comment with its field.
    origin, update, local, found = ({*_COMMENT.findall(one)} for one in (texts.origin, texts.update, texts.local, text))
    return (update | local) - origin <= found


def without_labels(text: bytes) -> list[bytes]:
    """Return the lines of a text, each marker without its label."""
    lines = text.splitlines()
    return [
        line[:MARKER_SIZE] if any(_is_marker(line, one, MARKER_SIZE) for one in _MARKERS) else line for line in lines
    ]


def _is_marker(line: bytes, character: bytes, size: int) -> bool:
    marker = character * size
    return line == marker or line.startswith(marker + b" ")


def _marker(character: str, size: int, label: str = "") -> bytes:
    return f"{character * size} {label}".rstrip().encode()


def _ended(run: list[bytes], newline: bytes) -> list[bytes]:
    """Return lines with an end for the last one, so that a marker can follow in a line of its own."""
    return [*run[:-1], run[-1].rstrip(b"\r\n") + newline] if run else []


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
