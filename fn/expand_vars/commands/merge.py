"""`expand-vars merge3` and `merge2`: files of YAML merged, and every conflict told."""

from __future__ import annotations

from expand_vars.commands import arguments
from expand_vars.expansion import syntax
from krm import stdio
from krm.merge import documents, merge2
from krm.merge.files import File
from krm.merge.kubectl import apply
from krm.results import INFO, FnError
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence

    from krm.merge.documents import Merge
    from krm.resourcelist import Output
    from krm.results import Result

_SIDES = {"merge3": ("origin", "update", "local"), "merge2": ("update", "local")}

_USAGES = {
    "merge3": "ORIGIN UPDATE LOCAL [--strategy Apply] [--on-conflict KeepLocal|Error] [--output FILE] [--results FILE]",
    "merge2": "UPDATE LOCAL [--output FILE] [--results FILE]",
}
_DESCRIPTIONS = {
    "merge3": """\
Bring what changed from ORIGIN to UPDATE into LOCAL, and keep what changed from ORIGIN to LOCAL.

What neither changed stays byte for byte. What both changed, differently, is a conflict: each one is told on standard
error, and decided as --on-conflict says.
""",
    "merge2": """\
Put the fields of UPDATE over those of LOCAL. In UPDATE null takes a field away, and `$patch` directives are obeyed.
""",
}
_EPILOG = """\
A file may hold several documents: they are matched by group, kind, namespace and name. `-` is standard input; an empty
file is one that is not there. As a merge driver of git: expand-vars merge3 --on-conflict Error --output %A %O %B %A

exit codes: 0 done, 1 failed or a conflict left (standard error says which), 2 wrong usage
"""
_STDIO = "-"


def main(given: Sequence[str]) -> int:
    """Merge the files that the arguments name, and return the exit code. SystemExit for help and wrong usage."""
    options = _options(given)
    return stdio.attempt(lambda: _run(options))


def _run(options: Namespace) -> int:
    """Merge, write and tell what was found, and return the exit code. InputError where a file cannot be read."""
    try:
        output = _merged(options)
    except FnError as error:
        _tell(error.results, options)
        return 1
    is_done = _tell(output.results, options) and _write(output, options)
    return output.exit_code if is_done else 1


def _options(given: Sequence[str]) -> Namespace:
    command, *words = given
    parser = arguments.parser(command, _USAGES[command], _DESCRIPTIONS[command], _EPILOG)
    for side in _SIDES[command]:
        parser.add_argument(side, metavar=side.upper())
    if command == "merge3":
        arguments.add_policies(parser)
    parser.add_argument(
        "--output", metavar="FILE", default=_STDIO, help="write here, at the end, and not to standard output"
    )
    arguments.add_results(parser)
    options = parser.parse_args(words)
    options.sides = [getattr(options, side) for side in _SIDES[command]]
    if options.sides.count(_STDIO) > 1:
        parser.error("only one file can be standard input")
    if command == "merge3":
        arguments.check_policies(options, parser)
    return options


def _merged(options: Namespace) -> Output:
    """Return the merge of the files. InputError where one of them cannot be read, FnError where it cannot be made."""
    *origin, update, local = map(_file, options.sides)
    return documents.merge(
        origin[0] if origin else File("", ""), update, local, _merge(options), by_identity=_is_by_identity(options)
    )


def _merge(options: Namespace) -> Merge:
    """Return the merge of one object that the options ask for."""
    if len(options.sides) < len(_SIDES["merge3"]):
        return lambda _, update, local, schema: merge2.merge2(update, local, schema)
    if options.strategy == "Apply":
        return apply.apply
    return documents.by_fields(options.on_conflict, syntax.names)


def _is_by_identity(options: Namespace) -> bool:
    """Return True if objects are known by their identity alone, as by kubectl, and in an overlay."""
    return len(options.sides) < len(_SIDES["merge3"]) or options.strategy == "Apply"


def _file(path: str) -> File:
    """Read a file. An empty one is one that is not there."""
    if path == _STDIO:
        return _parsed(stdio.read(), "standard input")
    return _parsed(stdio.read_file(path), path)


def _parsed(text: str, name: str) -> File:
    try:
        return File(text, name)
    except ParseError as error:
        raise stdio.InputError(f"{name}: {error}") from None


def _tell(found: Iterable[Result], options: Namespace) -> bool:
    """Tell what was found where it is asked for, and say whether that could be done."""
    stdio.report(result for result in found if result.severity != INFO)
    return arguments.write_results(found, options.results)


def _write(output: Output, options: Namespace) -> bool:
    if options.output == _STDIO:
        return stdio.write(output.pieces)
    return stdio.write_file(options.output, output.pieces)
