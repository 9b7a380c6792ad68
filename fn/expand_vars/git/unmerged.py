"""Files that git left unmerged: which they are, and their three texts, as the index of the repository has them."""

from __future__ import annotations

import os

from expand_vars.git import program
from expand_vars.git.lines import Texts

# The stages of the index: what both sides started from, HEAD's, and the other side's.
_STAGES = _ORIGIN, _LOCAL, _UPDATE = ("1", "2", "3")
_WORDS_OF_AN_ENTRY = 3


def paths(endings: tuple[str, ...]) -> list[str]:
    """Return the files below this folder that git left unmerged and that end so. GitError outside of a repository."""
    listed = os.fsdecode(program.output("diff", "--name-only", "--diff-filter=U", "--relative", "-z"))
    return [path for path in listed.split("\0") if path.endswith(endings)]


def texts(path: str) -> Texts | None:
    """Return the three texts of an unmerged file, None if git has it merged. One that a side has not got is empty."""
    stages = _stages(path)
    if not stages:
        return None
    origin, local, update = (_blob(stages.get(number)) for number in _STAGES)
    folder, name = os.path.split(path)
    return Texts(origin, update, local, os.path.join(folder or ".", f".{name}"))


def is_on_both_sides(path: str) -> bool:
    """Return True if both sides still have a file: if one deleted it there is nothing to merge."""
    return {_LOCAL, _UPDATE} <= _stages(path).keys()


def _stages(path: str) -> dict[str, str]:
    """Return the blobs of an unmerged file by the number of the stage."""
    entries = os.fsdecode(program.output("ls-files", "--unmerged", "-z", "--", path)).split("\0")
    found = (entry.partition("\t")[0].split() for entry in entries)
    return {words[2]: words[1] for words in found if len(words) == _WORDS_OF_AN_ENTRY}


def _blob(name: str | None) -> bytes:
    return b"" if name is None else program.output("cat-file", "blob", name)
