"""Files that git left unmerged: which they are, and their three texts, as the index of the repository has them."""

from __future__ import annotations

import os

from expand_vars.git import program
from expand_vars.git.line_merge import MARKER_SIZE, Texts

# The stages of the index: what both sides started from, HEAD's, and the other side's.
_STAGES = _ORIGIN, _LOCAL, _UPDATE = ("1", "2", "3")
_WORDS_OF_AN_ENTRY = 3


def paths(endings: tuple[str, ...]) -> list[str]:
    """Return the files below this folder that git left unmerged and that end so. GitError outside of a repository."""
    entries = os.fsdecode(program.output("ls-files", "--unmerged", "-z")).split("\0")
    found = dict.fromkeys(entry.partition("\t")[2] for entry in entries)
    return [path for path in found if path.endswith(endings)]


class UnmergedFile:
    """An unmerged file as the index has it: the modes and the blobs of its stages."""

    __slots__ = ("_blobs", "_path", "modes")

    def __init__(self, path: str, stages: dict[str, tuple[str, str]]) -> None:
        self._path = path
        self._blobs = {number: blob for number, (_, blob) in stages.items()}
        self.modes = {mode for mode, _ in stages.values()}

    @property
    def is_on_both_sides(self) -> bool:
        """True if both sides still have the file: if one deleted it there is nothing to merge."""
        return {_LOCAL, _UPDATE} <= self._blobs.keys()

    def texts(self) -> Texts:
        """Return the three texts. One that a side has not got is empty."""
        origin, local, update = (_blob(self._blobs.get(number)) for number in _STAGES)
        return Texts(origin, update, local)


def entry(path: str) -> UnmergedFile | None:
    """Return an unmerged file, None if git has it merged, or does not know it."""
    # A path is no pattern, whatever characters it has.
    listed = program.output("--literal-pathspecs", "ls-files", "--unmerged", "-z", "--", path)
    entries = (one.partition("\t")[0].split() for one in os.fsdecode(listed).split("\0"))
    stages = {words[2]: (words[0], words[1]) for words in entries if len(words) == _WORDS_OF_AN_ENTRY}
    return UnmergedFile(path, stages) if stages else None


def marker_size(path: str) -> int:
    """Return how many characters the markers in a file have, as `.gitattributes` say."""
    value = program.output("check-attr", "-z", "conflict-marker-size", "--", path).split(b"\0")[2]
    return int(value) if value.isdigit() else MARKER_SIZE


def _blob(name: str | None) -> bytes:
    return b"" if name is None else program.output("cat-file", "blob", name)
