"""`expand-vars explain`: every reference with its value, where the value comes from, or why there is none.

Its input are files, directories and standard input, with the functionConfig among them.
"""

from __future__ import annotations

import json
import os
from functools import partial

from expand_vars import pipeline
from expand_vars.commands import arguments, discovery, display
from expand_vars.commands.table import PROGRAM
from expand_vars.expansion import left_alone
from expand_vars.expansion.run import function_configs
from krm import resourcelist, results, stdio
from krm.commands import given
from krm.commands.options import STDIN, Parser, is_path
from krm.envelope import RESOURCE_LIST
from krm.package import files, folder
from krm.package.folder import Folder
from krm.results import ERROR, FnError, Result, sort_key
from krm.stdio import InputError
from krm.workloads import CONTAINERS
from krm.yamltree import style
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from expand_vars.expansion.explanation import ExplainedReference, Explanation
    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import Place
    from krm.resource import Resource


_DESCRIPTION = """\
Show every $(VAR) reference in files of YAML or JSON: where it stands, what its value is, and where that comes from or
why there is none. Nothing is changed. What is secret is not shown.
"""
_EPILOG = """\
A directory is read as `eval` reads it; `-` is standard input. The functionConfig is that of --fn-config; else that
which a Kptfile's pipeline, or a kustomization's transformers, give to this function; else the ExpandVars in the
nearest directory at or above a file. A path that holds `=` needs a `/` in front of that: ./a=b.yaml

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
_SECRET = "(secret)"  # noqa: S105 - what is shown in the place of one


class Row:
    """A reference and its position. `line` is None except in plain documents, `container` outside of containers."""

    __slots__ = ("container", "field", "field_in_container", "file", "line", "order", "reference", "resource")

    def __init__(self, reference: ExplainedReference, number: int) -> None:
        """Take a reference in the item of this number. A run changes items: shown is what was read."""
        item, place = reference.resource, reference.place
        self.reference = reference
        self.resource = written = item.written
        self.file = written.file or STDIN
        self.field = written.path_of(place)
        container = _container(place)
        self.container = (written.get((*container, "name")) or str(container[-1])) if container else None
        self.field_in_container = self.field.removeprefix(f"{written.path_of(container)}.") if container else self.field
        self.order = number, next((node.start for _, node in written.find(place)), 0)
        # In a ResourceList lines would count the orchestrator's (docs/reference/results.md, "What a result has").
        spot_of = item.document.spot_of
        self.line = None if spot_of is None else spot_of((*item.way, *place))[0]


def main(given: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "explain", _DESCRIPTION, _EPILOG)
    options = parser.parsed(given[1:])
    options.paths = [*filter(is_path, options.words)]
    if not options.paths:
        parser.error("say what to explain: a file, a directory, or `-` for standard input")
    return stdio.attempt(lambda: _run(options, parser))


def _run(options: Namespace, parser: Parser) -> int:
    """Write all references, and return the exit code. InputError, FnError where something cannot be read."""
    variables = arguments.variables(options, parser)
    package = Input(options.paths)
    config = arguments.function_config(options.fn_config)
    parts = [(package, config)] if config else [*package.parts()]
    if options.suggest:
        config = discovery.the_only([one for _, one in parts if one is not None])
    runs = [pipeline.explain(part, one, variables, lambda one: _settled(one, options)) for part, one in parts]
    found = sorted((note for _, notes in runs for note in notes), key=sort_key)
    if options.suggest:
        return _suggest(runs[0][0], config, found)
    hidden = given.names(given.beside(options.paths))
    for explained, _ in runs:
        explained.hide(hidden)
    references = [one for explained, _ in runs for one in explained.references()]
    shown = stdio.write((_shown(_rows(package.items, references), found, options.output),))
    if not references and options.output == "table" and not results.failed(found):
        stdio.tell("there are no references")
    # A warning that stands in the table as an explanation is not repeated; an error is, as it fails the run.
    told = {message for one in references for message in one.messages}
    stdio.report(one for one in found if one.severity == ERROR or one.message not in told)
    return int(results.failed(found) or not shown)


def _settled(config: Config, options: Namespace) -> Config:
    """Return a Config as `eval` has it for a directory, but that nothing is recorded: it is not written."""
    is_in_place = any(map(os.path.isdir, options.paths))
    config = arguments.settled(config.in_place() if is_in_place else config, options)
    if is_in_place:
        config.record = "Never"
    # What is to be suggested must not fail the run that finds it.
    if options.suggest:
        config.strict, config.unresolved = False, "Warn"
    return config


def _suggest(explained: Explanation, config: Resource | None, found: Sequence[Result]) -> int:
    """Write what to add to the functionConfig, and return the exit code."""
    stdio.report(one for one in found if one.severity == ERROR or one.reason == folder.LEFT_ALONE)
    if results.failed(found):
        return 1
    lines = left_alone.block(explained.untargeted(), explained.pod_specs, config)
    if not lines:
        stdio.tell("there is nothing to add to the functionConfig")
    return int(not stdio.write(f"{line}\n" for line in lines))


def _rows(items: Iterable[Resource], references: Iterable[ExplainedReference]) -> list[Row]:
    """Return the rows in the order of the input: a run meets containers, targets and other fields one after another."""
    numbers = {id(item): number for number, item in enumerate(items)}
    return sorted((Row(one, numbers[id(one.resource)]) for one in references), key=lambda row: row.order)


def _shown(rows: Sequence[Row], found: Sequence[Result], output: str) -> str:
    """Return the references, and for programs also the results of the run that meets them."""
    # A head alone would look like a table that was cut off.
    if output == "table" and not rows:
        return ""
    if output == "table":
        return display.table(_HEAD, [*map(_cells, rows)], _OF_CONTAINER)
    data: dict[str, Any] = {"references": [*map(_data, rows)], "results": [one.as_data() for one in found]}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n" if output == "json" else style.document(data)


def _cells(row: Row) -> list[str]:
    one, ref = row.reference, row.resource.ref
    return [
        row.file,
        "/".join(filter(None, (ref.kind, ref.namespace, ref.name))),
        row.container or "",
        "" if row.line is None else str(row.line),
        row.field_in_container,
        _SECRET if one.text is None else display.shortened(one.text),
        display.shortened(one.name),
        one.state,
        _SECRET if one.is_secret else display.shortened(one.value or ""),
        one.explanation,
    ]


def _data(row: Row) -> dict[str, object]:
    one = row.reference
    return {
        "file": row.file,
        "line": row.line,
        "resource": row.resource.ref.as_data(),
        "container": row.container,
        "field": row.field,
        "text": one.text,
        "name": one.name,
        "state": one.state,
        "value": one.value,
        "secret": one.is_secret,
        "explanation": one.explanation,
    }


def _container(place: Place) -> Place:
    """Return the place of the container around a field, () if there is none."""
    behind = next((index + 2 for index, step in enumerate(place) if step in CONTAINERS), len(place))
    return place[:behind] if behind < len(place) and isinstance(place[behind - 1], int) else ()


class Input:
    """The items of what paths name, as the filter reads a text and `eval` a directory, and the mistakes in it."""

    def __init__(self, given: Iterable[str]) -> None:
        """Read what is at some paths. InputError, FnError where one cannot be read.

        A file of a directory that is named, too, is read once.
        """
        self.items: list[Resource] = []
        self.kustomizations: list[Resource] = []
        self.results: list[Result] = []
        # What a ResourceList, or a tool that runs this function on a directory, says; and the ExpandVars of the others.
        self._said: list[Resource] = []
        self._found: list[Resource] = []
        given = [*dict.fromkeys(given)]
        directories = [os.path.realpath(path) for path in given if os.path.isdir(path)]
        for path in given:
            if path == STDIN:
                self._read_text(None, stdio.read())
            elif not _is_below(path, directories) and os.path.isdir(path):
                self._read_directory(path)
            elif not _is_below(path, directories):
                self._read_text(folder.called("", path), stdio.read_file(path))

    def parts(self) -> Iterator[tuple[Input, Resource | None]]:
        """Yield each functionConfig behind what it is for: one that was said, or the only ExpandVars, is for all.

        One of several is for what it is nearest to, as in `eval`. InputError where several could be meant for one item.
        """
        folders = {} if self._said else discovery.by_folder(self._found)
        if len(folders) <= 1:
            yield self, discovery.the_only(self._said or self._found)
            return
        for home in (*folders, None):
            part = Input(())
            has = partial(discovery.is_of, home, folders)
            part.items, part.kustomizations = [*filter(has, self.items)], [*filter(has, self.kustomizations)]
            # What reading told is told once.
            part.results = [] if home is not None else self.results
            yield part, None if home is None else folders[home]

    def text_of(self, path: str) -> str | None:
        """Return the text of a file that a kustomization names, None where it has none."""
        try:
            return stdio.read_file(path)
        except (InputError, FnError):
            return None

    def _read_text(self, name: str | None, text: str) -> None:
        """Read a text as the filter does."""
        try:
            listed = resourcelist.read(text)
        except ParseError as error:
            # One broken file must not hide what the others say.
            self.results.append(Result(str(error), ERROR, "InvalidInput", file=name or STDIN))
            return
        for result in listed.results:
            result.file = result.file or name
        self.results += listed.results
        self.kustomizations += listed.kustomizations
        said = [] if listed.function_config is None else [listed.function_config]
        for one in (*said, *listed.items):
            # The lines are those of this text, whatever an annotation says.
            one.document.path = name if one.document.has_lines else one.file or name
        self._take(listed.items, said, is_said=listed.kind == RESOURCE_LIST)

    def _read_directory(self, path: str) -> None:
        """Read a directory as `eval` does: `.krmignore` counts, and results name the files left alone."""
        with Folder(path) as directory, folder.naming(path):
            package = files.read(directory)
            for name, reason in package.odd(package.files).items():
                package.leave_alone(name, str(reason), reason.noun)
            # Kptfiles and kustomizations name files by their paths in the directory, as these items have them.
            of_tools = discovery.of_tools(directory, [""], package.items)
        self.results += folder.name_below(path, package.left_alone)
        said = [*filter(None, of_tools)]
        self.kustomizations += package.kustomizations
        # Once for each document: the elements of a List have one.
        for document in {
            id(one.document): one.document for one in (*package.items, *package.kustomizations, *said)
        }.values():
            document.path, document.position = folder.called(path, document.path or ""), None
        self._take(package.items, said, is_said=bool(of_tools))

    def _take(self, items: Iterable[Resource], said: Iterable[Resource], *, is_said: bool) -> None:
        """Take items. Where a functionConfig `is_said`, their ExpandVars are none of this run."""
        self.items += items
        self._said += said
        self._found += [] if is_said else function_configs(items)


def _is_below(path: str, directories: Iterable[str]) -> bool:
    """True if one of `directories` holds the file or directory at `path`."""
    real = os.path.realpath(path)
    return any(real != above and os.path.commonpath([real, above]) == above for above in directories)
