"""`krm source` and `krm sink`: a directory as a ResourceList, and back (docs/reference/packages.md)."""

from __future__ import annotations

from krm import newitem, resourcelist, results, stdio
from krm.commands.options import Parser
from krm.commands.table import PROGRAM
from krm.package import changes, folder, transaction, wire
from krm.package.folder import Folder
from krm.results import FnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

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


def main(given: Sequence[str]) -> int:
    """Run `source` or `sink`, and return the exit code. SystemExit for help and wrong usage."""
    command, *words = given
    options = Parser(PROGRAM, command, _DESCRIPTIONS[command], _EPILOG).parsed(words)
    stdio.clean_up_when_terminated()
    return stdio.attempt(lambda: (_source if command == "source" else _sink)(options))


def _source(options: Namespace) -> int:
    with Folder(options.directory) as directory, folder.naming(options.directory):
        package = wire.read(directory)
    stdio.report(folder.name_below(options.directory, package.left_alone))
    if results.failed(package.left_alone):
        return 1
    text = ""
    if options.fn_config is not None:
        text = newitem.document(stdio.read_file(options.fn_config), options.fn_config, "\n").text
    return int(not stdio.write(wire.text(package, text)))


def _sink(options: Namespace) -> int:
    listed = resourcelist.read(stdio.read(_EMPTY))
    if results.failed(listed.results):
        raise FnError(*listed.results)
    # After the list is read and judged: a wrong list must not leave an empty directory behind.
    name = options.directory
    with Folder(name, is_made=True) as directory, transaction.locked([directory]), folder.naming(name):
        package = wire.read(directory)
        found = [*package.left_alone, *transaction.clean(directory, package.leftovers)]
        stdio.report(folder.name_below(name, found))
        transaction.commit(directory, changes.of_list(directory, package, listed.entries))
    return 0
