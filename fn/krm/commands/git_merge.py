"""`krm git-merge`: the merge driver of git, and its set-up (docs/guides/git.md, "The merge driver")."""

from __future__ import annotations

import os
import sys

from krm import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = """\
Merge YAML in git field by field. `--install` lets git do so in this repository: git then calls this command with the
names of files, `git-merge %O %A %B %L %P %S %X %Y`. With KRM_MERGE=0 in the environment the merge is git's own.
"""
_EPILOG = "exit codes for git: 0 merged, 1 a conflict is left between markers, 129 the file is untouched\n"
_SWITCH = "KRM_MERGE"
_CONFLICT = 1
# Git takes a code above 128 for a driver that failed. Its own merge then takes over (docs/guides/git.md, "If it
# fails").
FAILED = 129
_FEWEST, _MOST = 5, 8


def main(arguments: Sequence[str]) -> int:
    """Merge the files that git names, or set the driver up, and return the exit code. SystemExit for help and usage."""
    _, *words = arguments
    if len(words) in (_FEWEST, _MOST) and words[3].isdecimal():
        return _attempt(words)
    from krm.commands.options import Parser  # noqa: PLC0415 - as above
    from krm.commands.table import PROGRAM  # noqa: PLC0415 - git calls the driver once for each file

    parser = Parser(PROGRAM, "git-merge", _DESCRIPTION, _EPILOG)
    # Git never passes an option here: with one this is a person at a terminal, for whom 2 is wrong usage.
    if not words or not words[0].startswith("-"):
        parser.print_usage(sys.stderr)
        return FAILED
    options = parser.parsed(words)
    if options.install == options.uninstall:
        parser.error("give --install or --uninstall")
    return stdio.attempt(lambda: _set_up(is_installed=options.install, is_local=options.local))


def _attempt(words: Sequence[str]) -> int:
    """Merge for git, and return the exit code. From 126 on git's own merge takes over."""
    try:
        return _drive(*words)
    except KeyboardInterrupt:
        return stdio.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever it is, git's own merge has to take over
        stdio.tell(f"krm: {words[4]}: {type(error).__name__}: {error}: git's own merge is taken")
        return FAILED


def _drive(origin: str, local: str, update: str, size: str, name: str, *named: str) -> int:
    from krm.git import cascade, line_merge  # noqa: PLC0415 - the set-up does without them

    texts = line_merge.ThreeTexts(_read(origin), _read(update), _read(local), (local, origin, update))
    # Git passes %S, %X and %Y: the names of origin, local and update.
    called = line_merge.labels_of_a_merge(*(named[1], named[0], named[2]) if named else ())
    if os.environ.get(_SWITCH) == "0":
        result = line_merge.merge(texts, called, int(size))
    else:
        result = cascade.merge(texts, name, called, int(size))
    # Before anything is told: if standard error is gone, the merge still is there.
    _replace(local, result.text)
    if result.note:
        stdio.tell(f"krm: {name}: {result.note}")
    return _CONFLICT if result.conflicts else 0


def _set_up(*, is_installed: bool, is_local: bool) -> int:
    from krm.git import repository  # noqa: PLC0415 - the driver does without them

    done = repository.install_driver(is_local=is_local) if is_installed else repository.remove_driver()
    try:
        sentences = [f"{sentence}\n" for sentence in done]
    except OSError as error:
        return stdio.fail(f"{error.filename}: {error.strerror}")
    return int(not stdio.write(sentences))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _replace(path: str, text: bytes) -> None:
    """Write a whole file or nothing of it: git reads what stands there."""
    written = f"{path}.{os.getpid()}.merged"
    with open(written, "xb") as file:
        file.write(text)
    os.replace(written, path)
