"""`expand-vars explain`: every reference with its value, where the value comes from, or why there is none.

Its input are files, directories and standard input, with the functionConfig among them.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from io import StringIO
from itertools import groupby

from expand_vars import pipeline
from expand_vars.commands import arguments, discovery
from expand_vars.commands.table import PROGRAM
from expand_vars.expansion import left_alone
from expand_vars.expansion.explanation import Explanation
from expand_vars.expansion.kustomize import Kustomize
from expand_vars.expansion.run import function_configs
from expand_vars.functionconfig import decoding
from krm import resourcelist, results, stdio
from krm.commands import masks
from krm.commands.options import STDIN, Parser
from krm.commands.printing import is_terminal
from krm.encoding import visible
from krm.envelope import RESOURCE_LIST
from krm.package import files, folder
from krm.package.files import PackagePart
from krm.package.folder import Folder
from krm.results import ERROR, Result, sort_key
from krm.stdio import InputError
from krm.yamltree import style
from krm.yamltree.nodes import at
from krm.yamltree.parser import ParseError
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from expand_vars.expansion.explanation import ExplainedReference
    from expand_vars.expansion.kustomize import RunItems
    from krm.resource import Resource

    Parts: TypeAlias = list[tuple[RunItems, Resource | None]]
    ReferenceRow: TypeAlias = tuple[dict[str, Any], str]
    Rows: TypeAlias = Sequence[Sequence[str]]


_DESCRIPTION = """\
Show every $(VAR) reference in files of YAML or JSON: where it stands, what its value is, and where that comes from or
why there is none. Nothing is changed. What is secret is not shown.
"""
_EPILOG = """\
A directory is read as `eval` reads it; `-` is standard input. The functionConfig is that of --fn-config; else that
which a Kptfile's pipeline, or a kustomization's transformers, give to this function; else, of these files, the
ExpandVars in the nearest directory at or above one. A path that holds `=` needs a `/` in front of that: ./a=b.yaml

states:
  known       it is replaced by its value
  left        it is for the kubelet to fill in, which knows its value or may know it
  forward     it stays: its container declares the name further down
  undefined   it stays: nothing defines the name
  unexpanded  it stays: it stands in a field that nobody expands, or may not be written there
  escape      it is none, but $$(NAME), the text $(NAME)
  shell       it is none either, but text for a shell

exit codes: 0 done, 1 failed (standard error says why), 2 wrong usage
"""
_HEAD = ("FILE", "RESOURCE", "CONTAINER", "LINE", "FIELD", "TEXT", "NAME", "STATE", "VALUE", "EXPLANATION")
_OF_CONTAINER = 3  # so many of them are the same for all references in a container
_LONGEST = 48  # of the characters of a cell for a text of any length
_UNBROKEN = 24  # a column is not broken if none of its cells has more characters
_GAP = 2
_SECRET = "(secret)"  # noqa: S105 - what is shown in the place of one


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "explain", _DESCRIPTION, _EPILOG)
    options = parser.parsed(argv[1:])
    arguments.find_paths(options, parser, "explain: a file, a directory, or `-` for standard input")
    return stdio.attempt(lambda: _run(options, parser))


def _run(options: Namespace, parser: Parser) -> int:
    """Write all references, and return the exit code. InputError, FnError where something cannot be read."""
    options.variables = arguments.variables(options, parser)
    # As `eval` has it: only standard input is no place.
    options.is_in_place = options.paths != [STDIN]
    # `eval` leaves a file with a ResourceList to a pipe.
    path, *others = options.paths
    is_list = not others and os.path.isfile(path) and RESOURCE_LIST in stdio.read_file(path)
    is_package = options.is_in_place and not is_list
    base = arguments.InputPaths(options.paths).base if is_package else ""
    top = base if not base or os.path.isabs(options.paths[0]) else os.path.relpath(base)
    with ExitStack() as stack:
        # The first line is the directory, and its files follow.
        directory = stack.enter_context(Folder(top)) if is_package else None
        stack.enter_context(folder.naming(top))
        items, parts = _listed(options) if directory is None else _package(options, directory)
        explanations = [_explained(part, config, options) for part, config in parts]
        told = folder.name_below(top, sorted((one for part, _ in parts for one in part.results), key=sort_key))
        if options.suggest:
            config = discovery.the_only([one for _, one in parts if one is not None], top)
            return _suggest(explanations[0], config, told)
        hidden = masks.secret_names(masks.texts_beside(options.paths))
        references = [one for explained in explanations for one in explained.references(hidden)]
        shown = stdio.write((_text_of(_rows(items, references, top), told, options.output),))
    if not references and options.output == "table" and not results.failed(told):
        has_templates = any(one is not None and one.at("spec", "templates") is not None for _, one in parts)
        stdio.tell("there are no references" + " outside of templates and what they generate" * has_templates)
    # A warning that stands in the table as an explanation is not repeated; an error is, as it fails the run.
    messages = {message for one in references for message in one.messages}
    stdio.report(one for one in told if one.severity == ERROR or one.message not in messages)
    return int(results.failed(told) or not shown)


def _listed(options: Namespace) -> tuple[Sequence[Resource], Parts]:
    """Return the items of a ResourceList or of standard input, as the filter reads them, with its functionConfig."""
    (path,) = options.paths
    name = None if path == STDIN else folder.called("", path)
    try:
        listed = resourcelist.read(stdio.read() if name is None else stdio.read_file(path))
    except ParseError as error:
        raise InputError(f"{name or STDIN}: {error}") from None
    for result in listed.results:
        result.file = result.file or name
    said = [] if listed.function_config is None else [listed.function_config]
    for one in (*said, *listed.items):
        # The lines are those of this text, whatever an annotation says.
        one.document.path = name if one.document.has_lines else one.file or name
    among = [] if listed.kind == RESOURCE_LIST else [*function_configs(listed.items)]
    config = arguments.function_config(options.fn_config)
    return listed.items, [(listed, config or discovery.the_only(said or among))]


def _package(options: Namespace, directory: Folder) -> tuple[Sequence[Resource], Parts]:
    """Return the items of files and directories as `eval` reads them, in parts, each with its functionConfig."""
    at = arguments.InputPaths(options.paths)
    package = files.read(directory, at.below)
    for name, reason in package.unreadable(package.files).items():
        package.leave_alone(name, str(reason), reason.noun)
    package.excuse_patches(Kustomize(package).patches)
    config = arguments.function_config(options.fn_config, at.base)
    parts: Parts = [(package, config)] if config else [*discovery.parts(at.tops, package)]
    if all(part is not package for part, _ in parts):
        taken = {id(item) for part, _ in parts for item in (*part.items, *part.kustomizations)}
        left = ([item for item in of if id(item) not in taken] for of in (package.items, package.kustomizations))
        parts = [*parts, (PackagePart(package, *left), None)]
        parts[-1][0].results += package.results
    parts[-1][0].results += map(at.graded, package.left_alone)
    return package.items, parts


def _explained(part: RunItems, function_config: Resource | None, options: Namespace) -> Explanation:
    """Expand items as `eval` does in a directory, but that nothing is recorded: they are not written."""
    config = decoding.with_arguments(decoding.decode(function_config), options.variables)
    config = arguments.with_options(config.in_place() if options.is_in_place else config, options)
    if options.is_in_place:
        config.record = "Never"
    # A missing entry must not fail the run that suggests it.
    if options.suggest:
        config.strict, config.unresolved = False, "Warn"
    explanation = Explanation(config)
    pipeline.expand(part, config, explanation=explanation)
    return explanation


def _suggest(explained: Explanation, config: Resource | None, found: Sequence[Result]) -> int:
    """Write what to add to the functionConfig, and return the exit code."""
    stdio.report(one for one in found if one.severity == ERROR or one.reason == folder.LEFT_ALONE)
    if results.failed(found):
        return 1
    lines = left_alone.suggested_lines(explained.untargeted(), explained.pod_specs, config)
    if not lines:
        stdio.tell("there is nothing to add to the functionConfig")
    return int(not stdio.write(f"{line}\n" for line in lines))


def _rows(items: Iterable[Resource], references: Iterable[ExplainedReference], top: str) -> list[ReferenceRow]:
    """Return the references in the order of the input: a run meets containers, targets and others one after another."""
    numbers = {id(item): number for number, item in enumerate(items)}

    def order(one: ExplainedReference) -> tuple[int, int]:
        # A kustomization that says no `kind` is no item.
        start = next((node.start for _, node in one.resource.written.find(one.place)), 0)
        return numbers.get(id(one.resource), len(numbers)), start

    return [_row(one, top) for one in sorted(references, key=order)]


def _row(one: ExplainedReference, top: str) -> ReferenceRow:
    """Return a reference as data, and its field as it is called in its container. A run changes items: told is the old.

    The line is None except in plain documents, the container outside of containers.
    """
    written = one.resource.written
    field, container = written.path_of(one.place), one.container
    # In a ResourceList lines would count the orchestrator's (docs/reference/results.md, "What a result has").
    spot_of = one.resource.document.spot_of
    data = {
        "file": folder.called(top, written.file or STDIN),
        "line": None if spot_of is None else spot_of((*one.resource.place_in_document, *one.place))[0],
        "resource": written.ref.as_data(),
        "container": (string(at(written.root, *container, "name")) or str(container[-1])) if container else None,
        "field": field,
        "text": one.text,
        "name": one.name,
        "state": one.state,
        "value": one.value,
        "secret": one.is_secret,
        "explanation": one.explanation,
    }
    return data, field.removeprefix(f"{written.path_of(container)}.") if container else field


def _text_of(rows: Sequence[ReferenceRow], found: Sequence[Result], output: str) -> str:
    """Return the references, and for programs also the results of the run that meets them."""
    if output == "table":
        # A head alone would look like a table that was cut off.
        return table(_HEAD, [_cells(*row) for row in rows], _OF_CONTAINER) if rows else ""
    data: dict[str, Any] = {"references": [data for data, _ in rows], "results": [one.as_data() for one in found]}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n" if output == "json" else style.document(data)


def _cells(data: dict[str, Any], field: str) -> list[str]:
    return [
        data["file"],
        "/".join(filter(None, map(data["resource"].get, ("kind", "namespace", "name")))),
        data["container"] or "",
        str(data["line"] or ""),
        field,
        _SECRET if data["text"] is None else _shortened(data["text"]),
        _shortened(data["name"]),
        data["state"],
        _SECRET if data["secret"] else _shortened(data["value"] or ""),
        data["explanation"],
    ]


def table(head: Sequence[str], rows: Rows, shared: int) -> str:
    """Return rows as a table. Rows with the same first `shared` cells stand below these; empty columns are left out."""
    kept = [index for index in range(len(head)) if index < shared or any(row[index] for row in rows)]
    shown = [[visible(row[index]) for index in kept] for row in rows]
    return (_for_terminal if is_terminal() else _for_pipe)([head[index] for index in kept], shown, shared)


def _shortened(text: str) -> str:
    """Return a text, shortened if it is too long for a cell."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _for_pipe(head: Sequence[str], rows: Rows, shared: int) -> str:
    """Return rows as one table. Each row is one line of any length, so that it can be searched and cut."""
    widths = [max(map(len, column)) + _GAP for column in zip(*(row[shared:] for row in (head, *rows)), strict=True)]
    lines = [_line(head[shared:], widths)]
    for titles, group in _grouped(rows, shared):
        lines += [*titles, *(_line(row[shared:], widths) for row in group)]
    return "".join(stdio.inert(f"{line}\n") for line in lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return " " * 2 * _GAP + "".join(map(str.ljust, row, widths)).rstrip()


def _grouped(rows: Rows, shared: int) -> Iterator[tuple[list[str], Iterator[Sequence[str]]]]:
    """Yield the rows with the same first cells, behind the lines that say these; the very first cell is said once."""
    gap, above = " " * _GAP, ""
    for cells, group in groupby(rows, key=lambda row: row[:shared]):
        titles = ([] if cells[0] == above else [cells[0]]) + [gap + gap.join(filter(None, cells[1:]))]
        yield titles, group
        above = cells[0]


def _for_terminal(head: Sequence[str], rows: Rows, shared: int) -> str:
    import shutil  # noqa: PLC0415 - as below

    from rich.console import Console  # noqa: PLC0415 - it takes longer than most runs, and a pipe has no use for it
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    made = StringIO()
    width = shutil.get_terminal_size().columns
    console = Console(file=made, width=width, force_terminal=True, markup=False, highlight=False, emoji=False)
    for titles, group in _grouped(rows, shared):
        console.print("\n".join(titles), style="bold")
        table, cells = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim"), [*group]
        for index, name in enumerate(head[shared:], shared):
            # rich breaks any column to save width, names of fields first. Broken names cannot be copied.
            is_short = all(len(row[index]) <= _UNBROKEN for row in cells)
            table.add_column(name, overflow="fold", no_wrap=is_short)
        for row in cells:
            table.add_row(*map(Text, row[shared:]))
        console.print(table)
    return made.getvalue()
