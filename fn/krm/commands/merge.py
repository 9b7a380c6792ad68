"""`krm merge3` and `merge2`: the merge of files or of directories, with every conflict reported."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import cache

from krm import results, stdio
from krm.commands import masks, printing
from krm.commands.options import STDIN, Parser
from krm.commands.table import PROGRAM
from krm.file import File, SeveralError
from krm.merge import merge2
from krm.merge.files import composition
from krm.merge.files.directories import MergedDirectory
from krm.merge.files.matching import SIDES
from krm.merge.files.object_merge import BaseRule
from krm.merge.kubectl import apply
from krm.merge.outcome import NOT_PLACED, NOTHING_TO_DELETE
from krm.merge.policy import Policy
from krm.package import folder, package_merge, transaction
from krm.package.folder import Folder
from krm.results import ERROR, WARNING, FnError, Output, Result, is_printed
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Sequence

    from krm.commands.masks import SecretFields
    from krm.merge.files.object_merge import Merge, Secrets
    from krm.merge.policy import OnConflict
    from krm.package.package_merge import PackageMerge

_DESCRIPTIONS = {
    "merge3": """\
Bring what changed from ORIGIN to UPDATE into LOCAL, and keep what changed from ORIGIN to LOCAL.

What neither changed stays byte for byte. What both changed, differently, is a conflict: each one is told on standard
error, and decided as --on-conflict says.

Given three directories, LOCAL is changed in place. Objects are followed to the files that they moved to.
""",
    "merge2": """\
Put the fields of UPDATE over those of LOCAL. In UPDATE null takes a field away, and `$patch` directives are obeyed.
""",
}
_EPILOG = """\
A file may hold several documents: they are matched by group, kind, namespace and name. `-` is standard input; an empty
file is one that is not there. `krm git-merge --install` lets git merge by the same rules.

exit codes: 0 done, 1 failed or a conflict left (standard error says which), 2 wrong usage
"""
_ABSENT = (NOT_PLACED, NOTHING_TO_DELETE)


def main(argv: Sequence[str]) -> int:
    """Merge the files that the arguments name, and return the exit code. SystemExit for help and wrong usage."""
    command, *words = argv
    parser = Parser(PROGRAM, command, _DESCRIPTIONS[command], _EPILOG)
    options = parser.parsed(words)
    options.sides = [getattr(options, side) for side in SIDES if side in options]
    if options.sides.count(STDIN) > 1:
        parser.error("only one file can be standard input")
    options.are_directories = _are_directories(options, parser)
    return stdio.attempt(lambda: _run(options))


def _run(options: Namespace) -> int:
    """Merge, write and tell what was found, and return the exit code. InputError where a file cannot be read."""
    try:
        if options.are_directories:
            return _merge_directories(options)
        output = _merged(options)
    except FnError as error:
        _tell(error.results, options)
        return 1
    is_done = _tell(output.results, options) and _write(output, options)
    return output.exit_code if is_done else 1


def _are_directories(options: Namespace, parser: Parser) -> bool:
    """Return True for three directories, False for files. SystemExit for both at once."""
    kinds = {side: side != STDIN and os.path.isdir(side) for side in options.sides}
    if not any(kinds.values()):
        if getattr(options, "diff", False):
            parser.error("--diff is for directories: `diff` shows how two files differ")
        return False
    if len(options.sides) < len(SIDES):
        parser.error("merge2 takes two files, and no directory")
    if not all(kinds.values()):
        one, other = (next(side for side in options.sides if kinds[side] == kind) for kind in (True, False))
        parser.error(f"`{one}` is a directory and `{other}` is none: give three files, or three directories")
    if options.output == STDIN:
        parser.error("directories are not written to standard output: --output takes a directory")
    return True


def _merge_directories(options: Namespace) -> int:
    """Merge directories, write, report what was found and what changed, and return the exit code. FnError."""
    stdio.clean_up_when_terminated()
    top = options.local if options.output is None else options.output
    merged, of_secrets = _merged_directories(options, top)
    name: Callable[[str], str] = lambda path: os.path.join(top, path)  # noqa: E731
    shown = printing.asked_diff(merged.changes, name, of_secrets, options)
    shown += "".join(printing.summary(merged.changes, name, is_done=True))
    is_done = _tell(merged.results, options) and stdio.write((shown,))
    return int(not is_done or results.failed(merged.results))


def _merged_directories(options: Namespace, top: str) -> tuple[PackageMerge, Callable[[], SecretFields]]:
    """Merge directories, write what comes of it, and return what shows Secrets, too. FnError where that fails."""
    with ExitStack() as stack:
        folders = {side: stack.enter_context(Folder(getattr(options, side))) for side in SIDES}
        # Locked before it is read: the second of two runs reads what the first one wrote.
        if options.output is None:
            stack.enter_context(transaction.locked([folders["local"]]))
        sides = package_merge.read(folders)
        texts = (text.decode(errors="replace") for side in sides.values() for text in side.contents.values())
        of_secrets = _of_secrets(options, texts)
        merged = package_merge.merge(sides, _merge(options), options.on_conflict, _finder(of_secrets))
        if options.output is None:
            cleaned = transaction.clean(folders["local"], merged.local.leftovers)
            merged.results += folder.name_below(top, cleaned)
        with folder.naming(top):
            if options.output is None:
                transaction.commit(folders["local"], merged.changes)
                transaction.remove_emptied(folders["local"], merged.changes)
            else:
                _write_anew(top, merged, stack)
    return merged, of_secrets


def _of_secrets(options: Namespace, texts: Iterable[str]) -> Callable[[], SecretFields]:
    """Return a function that finds the fields that show what a Secret gave, in the texts of all sides, once."""
    return cache(lambda: masks.secret_fields((*texts, *masks.texts_beside(options.sides)), of_any=True))


def _finder(of_secrets: Callable[[], SecretFields]) -> Secrets:
    return lambda item: of_secrets().get((item.kind, item.name), set())


def _write_anew(path: str, merged: PackageMerge, stack: ExitStack) -> None:
    """Write a merged directory to one that is new, or empty. FnError where it is not."""
    directory = stack.enter_context(Folder(path, is_made=True))
    stack.enter_context(transaction.locked([directory]))
    # Behind the lock: until then another run may be writing there.
    if os.listdir(directory.descriptor):
        raise FnError(Result("it is not empty: --output takes a new directory", ERROR, "InvalidInput", file=""))
    transaction.commit(directory, merged.everything())


def _merged(options: Namespace) -> Output:
    """Return the merge of the files. InputError where one of them cannot be read, FnError where it cannot be made."""
    sides = [*map(_read, options.sides)]
    of_secrets = _of_secrets(options, [text for text, _, _ in sides])
    decide = _merge(options)
    try:
        origin, update, local = [File("", ""), *(_file(*each) for each in sides)][-len(SIDES) :]
        output = composition.merge(origin, update, local, decide, _finder(of_secrets))
    except FnError as error:
        if isinstance(error, SeveralError) or not isinstance(decide, BaseRule):
            raise
        return _by_lines(sides, decide, options.on_conflict, error)
    absent = [result for result in output.results if result.reason in _ABSENT]
    if absent and getattr(options, "strict", False):
        for result in absent:
            result.severity = ERROR
        raise FnError(*output.results)
    return output


def _by_lines(sides: Sequence[Sequence[str]], decide: BaseRule, on_conflict: OnConflict, error: FnError) -> Output:
    """Return the merge of files by their lines, as in a directory, with the `error` that says why as a warning."""
    texts = {side: {"": text.encode()} for side, (text, _, _) in zip(SIDES, sides, strict=True)}
    merged = MergedDirectory(texts, decide, on_conflict, package_of=lambda _: None, named=lambda *_: sides[-1][1])
    merged.merge()
    for result in error.results:
        result.message, result.severity = f"merged line by line, since {result.message}", WARNING
    text = merged.contents.get("", texts["local"][""]) or b""
    return Output([text.decode()], [*error.results, *merged.results])


def _merge(options: Namespace) -> Merge:
    """Return the merge of one object that the options ask for."""
    if len(options.sides) < len(SIDES):
        return lambda _, update, local, schema: merge2.merge2(update, local, schema)
    if options.strategy == "Apply":
        return apply.apply
    return BaseRule(Policy(options.on_conflict))


def _read(path: str) -> tuple[str, str, str]:
    """Return the text of a file, its name and its path. InputError where it cannot be read."""
    return (stdio.read(), "standard input", "") if path == STDIN else (stdio.read_marked(path), path, path)


def _file(text: str, name: str, path: str) -> File:
    """Return a text as a file. An empty one is one that is not there. FnError where it is no YAML."""
    try:
        return File(text, name, path)
    except ParseError as error:
        raise FnError(Result(f"{name}: {error}", ERROR, "InvalidInput")) from None


def _tell(results: Iterable[Result], options: Namespace) -> bool:
    """Tell what was found where it is asked for, and say whether that could be done."""
    stdio.report(filter(is_printed, results), options.format)
    if options.format == "text":
        stdio.tell_rest(results, "--results FILE has them")
    return printing.write_results(results, options.results)


def _write(output: Output, options: Namespace) -> bool:
    # A file is written by us and not by the shell, which would empty LOCAL before it is read if both are one file.
    if options.output in (None, STDIN):
        return stdio.write(output.pieces)
    # A full disk must not cost LOCAL. What is no file cannot be replaced, and Windows has no directory to do it in.
    if not (os.path.isfile(options.output) and folder.IS_SUPPORTED):
        return stdio.write(output.pieces, options.output)
    transaction.replace(options.output, output.text.encode())
    return True
