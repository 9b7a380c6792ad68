"""`krm solve`: merge again, field by field, what git left unmerged (docs/guides/git.md, "After a merge")."""

from __future__ import annotations

import os
from shlex import quote

from krm import stdio
from krm.commands import printing
from krm.commands.options import Parser
from krm.commands.table import PROGRAM
from krm.git import cascade, line_merge, markers, repository
from krm.git.markers import Marked, Named
from krm.package import paths, transaction
from krm.package.file_changes import FileChange
from krm.package.folder import Folder
from krm.results import FnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from argparse import Namespace
    from collections.abc import Iterator

    from krm.git.line_merge import FileMerge, ThreeTexts
    from krm.git.markers import MarkedHunk

_DESCRIPTION = """\
Merge again, field by field, what `git merge` left unmerged. Nothing has to be installed before.

A file is written only if it still is as git left it. A line for each conflict that is solved says why it is none.
Look at the files with `git diff`, then `git add` them.
"""
_LINK = "120000"
_CHANGED = (
    "it has changed since git left it: `git checkout --merge -- {}` brings git's text back; if a filter of git writes "
    "this file, merge it by hand"
)
_GONE = "it is gone from the folder: `git checkout --merge -- {}` brings git's text back"
_EPILOG = "exit codes: 0 nothing is left to decide, 1 a conflict is left or a file could not be merged, 2 wrong usage"


def main(argv: collections.abc.Sequence[str]) -> int:
    """Solve what the arguments name, and return the exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "solve", _DESCRIPTION, _EPILOG)
    options = parser.parsed(argv[1:])
    if options.all == bool(options.words):
        parser.error("name files, or give --all")
    stdio.clean_up_when_terminated()
    return stdio.attempt(lambda: _run(options))


def _run(options: Namespace) -> int:
    named = (f":(glob)**/{pattern}" for pattern in repository.PATTERNS)
    files = [*repository.unmerged(*named)] if options.all else options.words
    are_solved = [_solve(path) for path in files]
    if not files:
        stdio.write(("git left no YAML file unmerged below this folder\n",))
    return 0 if all(are_solved) else 1


def _solve(path: str) -> bool:
    """Merge one file again, and say what became of it. True if nothing is left to decide."""
    try:
        sentences, is_solved = _merge(path, _texts(path))
    except (FnError, line_merge.LineMergeError) as error:
        problem = error.results[0].message if isinstance(error, FnError) else error
        sentences, is_solved = iter([f": {problem}"]), False
    stdio.write(printing.inert(f"{paths.visible(path + sentence)}\n") for sentence in sentences)
    return is_solved


def _merge(path: str, texts: ThreeTexts) -> tuple[Iterator[str], bool]:
    """Merge one file again. Return what became of it, and True if nothing is left to decide."""
    size = repository.marker_size(path)
    above, name = os.path.split(path)
    with Folder(above or os.curdir) as directory, transaction.locked([directory]):
        found = directory.read(name)
        if found is None:
            raise FnError(_GONE.format(quote(path)))
        present, state = found
        labels = Marked(present, size).labels
        by_lines = line_merge.merge(texts, labels, size)
        result = cascade.merge(texts, path, labels, size)
        # Its merge compares lines in another way than its `merge-file` does: now and then the conflicts are others.
        by_git = [*repository.left(path), by_lines.text]
        # A decision of the user's would be lost.
        if not any(_is_text(present, text, size) for text in (*by_git, result.text)):
            raise FnError(_CHANGED.format(quote(path)))
        # The merge driver, or an earlier `solve`, has left this text.
        if _is_text(present, result.text, size) and not any(_is_text(present, text, size) for text in by_git):
            return _rest(result, size), not result.conflicts
        # Otherwise git alone has done as well, and its text is there already.
        if result.text != by_lines.text:
            # Git may have written other line ends than those in its index (`core.autocrlf`).
            written = line_merge.with_ends_of(present, result.text)
            transaction.commit(directory, [FileChange(name, present, written, state)])
    return _sentences(path, by_lines, result, size), not result.conflicts


def _texts(path: str) -> ThreeTexts:
    """Return the three texts of a file. FnError if there are no three to merge."""
    if os.path.isdir(path) and not os.path.islink(path):
        raise FnError("it is a directory: name files, or give --all in it")
    # A path is no pattern, whatever characters it has.
    stages = next(iter(repository.unmerged(f":(literal){path}").values()), None)
    if stages is None:
        is_there = os.path.lexists(path)
        raise FnError("git has it merged: there is nothing to solve" if is_there else "there is no such file")
    if not {repository.LOCAL, repository.UPDATE} <= stages.keys():
        raise FnError("one side deleted it: keep it with `git add`, or delete it with `git rm`")
    if any(mode == _LINK for mode, _ in stages.values()):
        raise FnError("it is a symbolic link: choose one with `git checkout --ours` or `--theirs`")
    return repository.texts(stages)


def _is_text(there: bytes, text: bytes, size: int) -> bool:
    """Return True if a file has this text, but for the labels of markers."""
    return markers.without_labels(there, size) == markers.without_labels(text, size)


def _sentences(path: str, by_lines: FileMerge, result: FileMerge, size: int) -> Iterator[str]:
    """Yield what was solved, with the reasons, and what is left."""
    merged = result.text.splitlines()
    git, ours = (Marked(text, size) for text in (by_lines.text, result.text))
    named = Named(git)
    for hunk in git.hunks:
        # A conflict that is left may be a part of this one.
        if not any({*one.local} <= {*hunk.local} and {*one.update} <= {*hunk.update} for one in ours.hunks):
            yield f":{hunk.line}: {_reason(hunk, merged, named)}"
    if result.obstacle:
        yield f": it cannot be merged by fields, so git's markers stay: {result.obstacle.removeprefix(f'{path}: ')}"
        return
    yield from _left(ours)
    if ours.hunks:
        solved = f"{result.note}, " if result.note else ""
        yield f": {solved}{len(ours.hunks)} left, where both sides changed the same fields"
    else:
        yield f": {result.note or 'one side changed line ends, and the other fields: both are kept'}"


def _rest(result: FileMerge, size: int) -> Iterator[str]:
    """Yield what is left of a file that is merged by fields already."""
    left = Marked(result.text, size)
    yield from _left(left)
    count = len(left.hunks)
    yield f": {count} left, where both sides changed the same fields" if count else ": it is merged: `git add` it"


def _left(ours: Marked) -> Iterator[str]:
    named = Named(ours)
    for hunk in ours.hunks:
        fields = named.fields(hunk, hunk.local, hunk.update)
        yield f":{hunk.line}: both sides changed {fields}: choose one of the two"


def _reason(hunk: MarkedHunk, result: list[bytes], named: Named) -> str:
    """Return why a conflict of lines is none. It names fields alone: a line may hold a secret."""
    local = named.fields(hunk, [line for line in hunk.local if line not in hunk.update and line in result], [])
    update = named.fields(hunk, [], [line for line in hunk.update if line not in hunk.local and line in result])
    return f"{local} of HEAD and {update} of the other side are no conflict: both changes are made"
