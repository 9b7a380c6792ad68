"""`krm source` and `krm sink`: directories as a ResourceList, and back; files too (docs/reference/packages.md)."""

from __future__ import annotations

import os
from contextlib import contextmanager

from krm import newitem, resourcelist, results, stdio
from krm.commands.options import Parser
from krm.commands.table import PROGRAM
from krm.package import file_changes, folder, transaction, wire
from krm.package.folder import Folder
from krm.results import FnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from krm.package.files import Package
    from krm.resourcelist import ResourceList

_DESCRIPTIONS = {
    "source": """\
Print the resources of a directory as a ResourceList.

Files that cannot be read, templates of Helm among them, and symbolic links are left alone, and named on standard error.
""",
    "sink": """\
Write a ResourceList to a directory, which is made where it is not there.

The directory gets the resources of the list: one that is not in the list is deleted. Only files of which a resource
changed are written, and in those only what changed. Each file is replaced as a whole, after all contents are on the
disk.
""",
}
_EMPTY = "standard input is empty: give the ResourceList that a function printed, or `krm source DIRECTORY`"
_EPILOG = "exit codes: 0 done, 1 failed (standard error says why), 2 wrong usage\n"


def main(argv: Sequence[str]) -> int:
    """Run `source` or `sink`, and return the exit code. SystemExit for help and wrong usage."""
    command, *words = argv
    options = Parser(PROGRAM, command, _DESCRIPTIONS[command], _EPILOG).parsed(words)
    stdio.clean_up_when_terminated()
    return stdio.attempt(lambda: (_source if command == "source" else _sink)(options))


def _source(options: Namespace) -> int:
    with Folder(options.directory) as directory, folder.naming(options.directory):
        package = wire.read(directory)
    stdio.report(folder.name_below(options.directory, package.left_alone))
    if results.failed(package.left_alone):
        return 1
    return int(not stdio.write(wire.text(package, function_config(options.fn_config))))


def _sink(options: Namespace) -> int:
    listed = resourcelist.read(stdio.read(_EMPTY))
    if results.failed(listed.results):
        raise FnError(*listed.results)
    # After the list is read and judged: a wrong list must not leave an empty directory behind.
    with _locked(options.directory, is_made=True) as package:
        transaction.commit(package.folder, file_changes.of_list(package, listed.entries))
    return 0


def function_config(path: str | None) -> str:
    """Return the text of the functionConfig that `--fn-config` names, empty if it is not given."""
    return "" if path is None else newitem.document(stdio.read_file(path), path, "\n").text


@contextmanager
def opened(paths: list[str], config: str = "", file: str | None = None) -> Iterator[tuple[ResourceList, list[str]]]:
    """Yield the resources of files as a list, and the names of those that are written at the end of the block.

    The functionConfig is the text `config`, or stands in a `file`.
    FnError, and nothing is written, if a file that was asked for cannot be read, or the list has an error.
    """
    # One directory for all paths: what is written is locked and staged there.
    top, names = folder.around([*map(os.path.abspath, paths)])
    name = os.path.relpath(top)
    with _locked(name, names) as package:
        # In a list as orchestrators send it, so that a function sees the same in both ways to run.
        read = resourcelist.read("".join(wire.text(package, config or function_config(file))))
        if read.function_config is not None and file is not None:
            read.function_config.path = os.path.relpath(file, name)
        written: list[str] = []
        yield read, written
        package.locate(read.results)
        if results.failed(read.results):
            raise FnError(*read.results)
        made = file_changes.of_list(package, read.entries)
        transaction.commit(package.folder, made)
        folder.name_below(name, read.results)
    written += (os.path.join(name, change.path) for change in made)


@contextmanager
def _locked(name: str, names: Sequence[str] = (), *, is_made: bool = False) -> Iterator[Package]:
    """Yield what is in a directory, or in the paths of it that somebody asked for, and tell what is left alone.

    FnError for such a path that cannot be read.
    """
    # Locked before it is read: another program's change in between would be overwritten.
    with Folder(name, is_made=is_made) as directory, transaction.locked([directory]), folder.naming(name):
        package = wire.read(directory, names or ("",))
        found = [*package.left_alone, *transaction.clean(directory, package.leftovers)]
        # Somebody asked for a file that is left alone, or a file cannot be meant as it is.
        if names and (results.failed(package.left_alone) or any(one.file in names for one in package.left_alone)):
            raise FnError(*found)
        stdio.report(folder.name_below(name, found))
        yield package
