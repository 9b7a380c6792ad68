"""`krm solve`: merge again, field by field, what git left unmerged (docs/guides/git.md, "After a merge")."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from shlex import quote

from krm import stdio
from krm.commands.options import Parser
from krm.commands.table import PROGRAM
from krm.encoding import visible
from krm.git import cascade, line_merge, repository
from krm.git.markers import ConflictFields, Marked
from krm.package import transaction
from krm.package.file_changes import FileChange
from krm.package.folder import Folder
from krm.results import FnError
from krm.stdio import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from krm.git.line_merge import FileMerge, ThreeTexts
    from krm.git.markers import MarkedHunk

_DESCRIPTION = """\
Merge again, field by field, what `git merge` left unmerged. Nothing has to be installed before.

A file is written only if it still is as git left it. A line for each conflict that is solved says why it is none.
Look at the files with `git diff`, then `git add` them.
"""
_FILE = "100"
_CHANGED = (
    "it has changed since git left it: `git checkout --merge -- {}` brings git's text back; if a filter of git writes "
    "this file, merge it by hand"
)
_GONE = "it is gone from the folder: `git checkout --merge -- {}` brings git's text back"
_DELETED = "one side deleted it: keep it with `git add`, or delete it with `git rm`"
_ELSEWHERE = (
    "a side has it under another name, or as something else: take out its markers, if there are any, then "
    "`git add` or `git rm` each name in `git status`"
)
_EPILOG = "exit codes: 0 nothing is left to decide, 1 a conflict is left or a file could not be merged, 2 wrong usage"


def main(argv: Sequence[str]) -> int:
    """Solve what the arguments name, and return the exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "solve", _DESCRIPTION, _EPILOG)
    options = parser.parsed(argv[1:])
    if options.all == bool(options.words):
        parser.error("name files, or give --all")
    stdio.clean_up_when_terminated()
    return stdio.attempt(lambda: _run(options))


def _run(options: Namespace) -> int:
    files = options.words
    if options.all:
        left = repository.unmerged(os.curdir)
        files = [path for path in left if any(fnmatchcase(os.path.basename(path), one) for one in repository.PATTERNS)]
    are_solved = [_solve(path) for path in files]
    if not files:
        stdio.write(("git left no YAML file unmerged below this folder\n",))
    return 0 if all(are_solved) else 1


def _solve(path: str) -> bool:
    """Merge one file again, and say what became of it. True if nothing is left to decide."""
    try:
        sentences, is_solved = _merge(path, _texts(path))
    except (FnError, line_merge.LineMergeError, InputError) as error:
        problem = error.results[0].message if isinstance(error, FnError) else error
        sentences, is_solved = iter([f": {problem}"]), False
    stdio.write(stdio.inert(f"{visible(path + sentence)}\n") for sentence in sentences)
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
        there = Marked(present, size)
        by_lines = line_merge.merge(texts, there.labels, size)
        result = cascade.merge(texts, path, there.labels, size)
        # Its merge compares lines in another way than its `merge-file` does: now and then the conflicts are others.
        is_by_git = any(there.sides == Marked(text, size).sides for text in (*repository.left(path), by_lines.text))
        if not is_by_git:
            # A decision of the user's would be lost.
            if there.sides != Marked(result.text, size).sides:
                raise FnError(_CHANGED.format(quote(path)))
            # The merge driver, or an earlier `solve`, has left this text.
            return _left(Marked(result.text, size), "", "it is merged: `git add` it"), not result.conflicts
        # Otherwise git alone has done as well, and its text is there already.
        if result.text != by_lines.text:
            # Git may have written other line ends than those in its index (`core.autocrlf`).
            written = line_merge.with_ends_of(present, result.text)
            transaction.commit(directory, [FileChange(name, present, written, state)])
    return _sentences(by_lines, result, size), not result.conflicts


def _texts(path: str) -> ThreeTexts:
    """Return the three texts of a file. FnError if there are no three to merge."""
    above, name = os.path.split(path)
    stages = repository.unmerged(above or os.curdir).get(name) if os.path.isdir(above or os.curdir) else None
    if stages is None:
        is_there = os.path.lexists(path)
        if os.path.isdir(path):
            raise FnError("it is a directory: name files, or give --all in it")
        raise FnError("git has it merged: there is nothing to solve" if is_there else "there is no such file")
    if not {repository.LOCAL, repository.UPDATE} <= stages.keys():
        raise FnError(_ELSEWHERE if len(stages) == 1 else _DELETED)
    if not all(mode.startswith(_FILE) for mode, _ in stages.values()):
        raise FnError("git alone merges symbolic links and submodules: choose a side, then `git add` it")
    return repository.texts(path, stages)


def _sentences(by_lines: FileMerge, result: FileMerge, size: int) -> Iterator[str]:
    """Yield what was solved, with the reasons, and what is left."""
    lines = result.text.splitlines()
    git, ours = (Marked(text, size) for text in (by_lines.text, result.text))
    named = ConflictFields(git)
    for hunk in git.hunks:
        # A conflict that is left may be a part of this one.
        if not any({*one.local} <= {*hunk.local} and {*one.update} <= {*hunk.update} for one in ours.hunks):
            yield f":{hunk.line}: {_reason(hunk, lines, named)}"
    if result.obstacle:
        yield f": it cannot be merged by fields, so git's markers stay: {result.obstacle}"
        return
    merged = result.note or "one side changed line ends, and the other fields: both are kept"
    yield from _left(ours, f"{result.note}, " if result.note else "", merged)


def _left(ours: Marked, solved: str, merged: str) -> Iterator[str]:
    """Yield what is left, and how much: after what was solved. `merged` says that nothing is."""
    named = ConflictFields(ours)
    for hunk in ours.hunks:
        fields = named.fields(hunk, hunk.local, hunk.update)
        yield f":{hunk.line}: both sides changed {fields}: choose one of the two"
    count = len(ours.hunks)
    yield f": {solved}{count} left, where both sides changed the same fields" if count else f": {merged}"


def _reason(hunk: MarkedHunk, result: list[bytes], named: ConflictFields) -> str:
    """Return why a conflict of lines is none. It names fields alone: a line may hold a secret."""
    local = named.fields(hunk, [line for line in hunk.local if line not in hunk.update and line in result], [])
    update = named.fields(hunk, [], [line for line in hunk.update if line not in hunk.local and line in result])
    return f"{local} of HEAD and {update} of the other side are no conflict: both changes are made"
