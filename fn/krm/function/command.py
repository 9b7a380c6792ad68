"""The command line of a function: a directory or files that it changes in place, and its `--help`."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from contextlib import contextmanager

from krm import newitem, resourcelist, results, stdio
from krm.commands.options import is_path
from krm.package import changes, folder, transaction, wire
from krm.package.folder import Folder
from krm.resource import FUNCTION_INPUT
from krm.results import FnError
from krm.yamltree import style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator, Sequence

    from krm.function.object_list import Processes
    from krm.resourcelist import ResourceList
    from krm.yamltree.style import Value

_EPILOG = """\
without arguments: a ResourceList, a List or YAML documents on standard input, the same on standard output
exit codes: 0 done, 1 failed (the results or standard error say why), 2 wrong usage
"""


def main(process: Processes, arguments: Sequence[str], change: Callable[[ResourceList], object]) -> int:
    """Run a function on the files that the arguments name, and return the exit code. SystemExit for help and usage.

    `process` has the docstring for `--help`; `change` has it change a list, whatever it raises.
    """
    parser = _parser(process)
    # Paths and values may stand on both sides of an option, as in `DIR --fn-config F key=value`.
    options = parser.parse_intermixed_args(arguments)
    paths = [*filter(is_path, options.arguments)]
    values = [one for one in options.arguments if not is_path(one)]
    if not paths:
        parser.error("say what to change: a directory, or files")
    # Two functionConfigs: orchestrators send one.
    if values and options.fn_config:
        parser.error("give either --fn-config or KEY=VALUE")
    return stdio.attempt(lambda: _run(paths, _config(options.fn_config, values), change))


@contextmanager
def opened(paths: list[str], config: str = "") -> Iterator[tuple[ResourceList, list[str]]]:
    """Yield the resources of files as a list, and the names of those that are written at the end of the block.

    FnError, and nothing is written, if a file that was asked for cannot be read, or the list has an error.
    """
    name, names = _located(paths)
    # Locked before it is read: another program's change in between would be overwritten.
    with Folder(name) as directory, transaction.locked([directory]), folder.naming(name):
        package = wire.read(directory, names)
        found = [*package.left_alone, *transaction.clean(directory, package.leftovers)]
        # Somebody asked for a file that is left alone, or a file cannot be meant as it is.
        if results.failed(package.left_alone) or any(result.file in names for result in package.left_alone):
            raise FnError(*found)
        stdio.report(folder.name_below(name, found))
        # In a list as orchestrators send it, so that a function sees the same in both ways to run.
        read = resourcelist.read("".join(wire.text(package, config)))
        written: list[str] = []
        yield read, written
        package.locate(read.results)
        if results.failed(read.results):
            raise FnError(*read.results)
        made = changes.of_list(directory, package, read.entries)
        transaction.commit(directory, made)
        folder.name_below(name, read.results)
    written += (os.path.join(name, change.path) for change in made)


def _run(paths: list[str], config: str, change: Callable[[ResourceList], object]) -> int:
    """Change files in place, name those that changed on standard output, and return the exit code."""
    with opened(paths, config) as (read, written):
        change(read)
    stdio.report(read.results)
    return int(not stdio.write(f"{path}\n" for path in written))


def _located(paths: list[str]) -> tuple[str, list[str]]:
    """Return the directory that holds all paths, and the paths in it: "" for the directory itself."""
    # One directory for all paths: what is written is locked and staged there.
    whole = map(os.path.abspath, paths)
    top = os.path.commonpath([path if os.path.isdir(path) else os.path.dirname(path) for path in whole])
    names = [os.path.relpath(path, top) for path in paths]
    return os.path.relpath(top), ["" if name == "." else name for name in names]


def _config(path: str | None, values: list[str]) -> str:
    """Return the text of the functionConfig: that of a file, or a ConfigMap of KEY=VALUE."""
    if path is not None:
        return newitem.document(stdio.read_file(path), path, "\n").text
    if not values:
        return ""
    data: dict[str, Value] = {name: text for name, _, text in (value.partition("=") for value in values)}
    whole: Value = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": FUNCTION_INPUT}, "data": data}
    return style.document(whole)


def _parser(process: Processes) -> ArgumentParser:
    several = {"": process} if callable(process) else process
    described = [f"{kind}{': ' * bool(kind)}{inspect.getdoc(one) or ''}" for kind, one in several.items()]
    parser = argparse.ArgumentParser(
        prog=os.path.basename(sys.argv[0]),
        usage="%(prog)s [PATH...] [--fn-config FILE] [KEY=VALUE ...] [--debug]",
        description="\n\n".join(described),
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("arguments", metavar="PATH", nargs="*", help="a directory, or files, to change in place")
    parser.add_argument("--fn-config", metavar="FILE", help="the functionConfig; KEY=VALUE makes a ConfigMap")
    return parser
