"""`expand-vars eval`: files and directories in place, without another tool (docs/packages.md, "eval")."""

from __future__ import annotations

import os
from contextlib import ExitStack

from expand_vars import pipeline
from expand_vars.commands import arguments, discovery, display, fleet
from expand_vars.commands.display import Progress
from expand_vars.expansion import findings
from expand_vars.functionconfig import GROUP, decoding
from expand_vars.functionconfig.model import PRESETS
from expand_vars.record import fields as records
from krm import fieldpath, newitem, resourcelist, results, stdio
from krm.package import paths, sink, source, transaction, wire
from krm.package.folder import Folder
from krm.results import ERROR, INFO, WARNING, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator, Sequence

    from krm.package.sink import Change
    from krm.resource import Resource
    from krm.resourcelist import ResourceList

_USAGE = (
    "PATH... [--fn-config FILE] [--env-file FILE] [--target PRESET] [--diff] [--show-secrets] [--check] [--stdout] "
    "[--restore] [--results FILE] [--shard I/N] [--no-color] [NAME=VALUE ...]"
)
_DESCRIPTION = """\
Expand $(VAR) references in files, and in all files of directories, in place: only what changes is written.

The functionConfig is that of --fn-config; else that which a Kptfile's pipeline, or a kustomization's transformers, give
to this function; else the one ExpandVars of the directory. Arguments win over its variables.
"""
_EPILOG = """\
Each expanded resource remembers its references in an annotation, so that the next run can give other values.
A path that holds `=` needs a `/` in front of that: ./a=b.yaml

exit codes: 0 done, 1 failed (standard error says why), 2 wrong usage, 3 with --check: something would change
"""
_STAYS = "this was changed by hand since it was expanded: it stays as it is"


def main(given: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    options = _options(given[1:])
    stdio.clean_up_when_terminated()
    if options.shard is None:
        return stdio.attempt(lambda: _Evaluation(options, options.paths).run())

    def evaluate(package: str) -> tuple[int, bool]:
        evaluation = _Evaluation(options, [package])
        return stdio.attempt(evaluation.run), evaluation.is_changed

    return stdio.attempt(lambda: fleet.run(options.shard, options.paths, evaluate))


def _options(given: Sequence[str]) -> Namespace:
    parser = arguments.parser("eval", _USAGE, _DESCRIPTION, _EPILOG)
    parser.add_argument("--fn-config", metavar="FILE", help="use this functionConfig in the place of any other")
    parser.add_argument("--env-file", metavar="FILE", help="variables, a line NAME=VALUE for each, taken literally")
    parser.add_argument(
        "--target", metavar="PRESET", choices=PRESETS, action="append", default=[], help=f"also {', '.join(PRESETS)}"
    )
    parser.add_argument("--diff", action="store_true", help="show the changes as a unified diff")
    arguments.add_show_secrets(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 3 if something would change")
    parser.add_argument("--stdout", action="store_true", help="write the resources to standard output, and no file")
    parser.add_argument("--restore", action="store_true", help="put the references back: the undo of all runs")
    arguments.add_results(parser)
    parser.add_argument(
        "--shard", metavar="I/N", type=fleet.Shard, help="only the packages of shard I of N, from 0 on, each by itself"
    )
    parser.add_argument("--no-color", action="store_true", help="no colours, as where NO_COLOR is set")
    # Paths and NAME=VALUE in any order, as in `kpt fn eval DIRECTORY -- NAME=VALUE` and in a shell's history.
    parser.add_argument("mixed", metavar="PATH", nargs="*", help="a file or a directory; or NAME=VALUE")
    options = arguments.parsed(parser, given)
    _sort(options, parser)
    return options


def _sort(options: Namespace, parser: ArgumentParser) -> None:
    """Separate the paths from the variables, and refuse what does not go together."""
    options.paths, variables = arguments.paths_and_variables(options.mixed, parser)
    options.variables = variables
    if not options.paths:
        parser.error("say what to expand: a file or a directory, such as `.`")
    if options.stdout and (options.check or options.diff):
        parser.error("--stdout shows the resources: neither --check nor --diff can be given with it")
    if options.shard and (options.stdout or options.results):
        parser.error(
            "with --shard each package is a run of its own: neither --stdout nor --results can be given with it"
        )
    if options.restore and (variables or options.env_file or options.fn_config or options.target):
        parser.error("--restore expands nothing: variables, --fn-config and --target cannot be given with it")


class _Evaluation:
    """One run over files and directories, in the directory that holds all of these."""

    def __init__(self, options: Namespace, given: Sequence[str]) -> None:
        self._options = options
        self._given = given
        self.is_changed = False
        self._is_written = not (options.check or options.stdout)
        found = [arguments.real(path) for path in given]
        folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in found]
        self._folders = sorted({*folders})
        # One list of all: a ConfigMap in one directory may be the source of a variable in another.
        self._base = os.path.commonpath(folders)
        self._below = [os.path.relpath(path, self._base).removeprefix(".") for path in found]
        self._tops = [below for below, path in zip(self._below, found, strict=True) if path in folders]

    def run(self) -> int:
        """Run, and return the exit code. InputError where a file of the options cannot be read."""
        try:
            with ExitStack() as stack, Progress() as progress:
                listed, changes = self._run(stack, progress)
        except FnError as error:
            self._tell(error.results)
            return 1
        return self._report(listed, changes)

    def _run(self, stack: ExitStack, progress: Progress) -> tuple[ResourceList, list[Change]]:
        """Return the list as it is in the end, and the changes that were made of it. FnError with all results."""
        directory = stack.enter_context(Folder(self._base))
        # Locked before it is read: the second of two runs reads what the first one wrote.
        if self._is_written:
            progress.do("waiting for another program that writes")
            stack.enter_context(transaction.locked([stack.enter_context(Folder(path)) for path in self._folders]))
        progress.do("reading")
        package = source.read(directory, self._below)
        listed = resourcelist.read("".join(source.text(package)))
        listed.results += map(self._of_named, package.left_alone)
        progress.do("expanding")
        try:
            self._change(directory, listed)
            listed = _emitted(listed)
        except FnError as error:
            package.locate(error.results)
            raise
        package.locate(listed.results)
        # Without items sink refuses, as no one means to empty a directory; here there was nothing to begin with.
        changes = sink.changes(directory, package, listed.entries) if listed.entries else []
        if self._is_written:
            progress.do("writing")
            listed.results += transaction.clean(directory, package.leftovers)
            transaction.commit(directory, changes)
        return listed, changes

    def _of_named(self, left_alone: Result) -> Result:
        """Return a result about a file that is left alone: an error if it was asked for by its name."""
        if left_alone.file in self._below:
            left_alone.severity = ERROR
        return left_alone

    def _change(self, directory: Folder, listed: ResourceList) -> None:
        """Expand the items of a list, or put their references back."""
        options = self._options
        if options.restore:
            listed.results += _restored(listed.items)
            return
        config = arguments.function_config(options.fn_config)
        if config is None:
            config = discovery.function_config(directory, self._tops, listed.items)
        variables = [*arguments.env_file(options.env_file), *options.variables]
        decoded = decoding.with_arguments(decoding.decode(config), variables)
        decoded = decoding.with_targets(decoded, options.target)
        if decoded.record == "Auto" and not options.stdout:
            decoded.record = "Always"  # what is written here is read by the next run
        pipeline.expand(listed, decoded, config)

    def _report(self, listed: ResourceList, changes: Sequence[Change]) -> int:
        """Write what the options ask for, and return the exit code."""
        options = self._options
        is_told = self._tell(listed.results)
        if options.stdout:
            shown = "---\n".join(newitem.ended(item.text) for item in _for_a_cluster(listed.entries))
        else:
            in_colour = not (options.no_color or os.environ.get("NO_COLOR"))
            shown = ""
            if options.diff:
                shown = display.diff(changes, self._name, in_colour=in_colour, show_secrets=options.show_secrets)
            summary = [*display.summary(changes, self._name, is_done=self._is_written)]
            if not listed.entries:
                summary = [f"there is no resource in {', '.join(map(paths.visible, self._given))}: nothing changes\n"]
            # The last line counts. In a fleet that is done once, for all packages of the shard.
            shown += "".join(summary if options.shard is None else summary[:-1])
        self.is_changed = bool(changes)
        if not (stdio.write((shown,)) and is_told):
            return 1
        return arguments.DIFFERS if options.check and changes else 0

    def _tell(self, found: Iterable[Result]) -> bool:
        """Tell results on standard error, and write them to the file for them. False if that failed."""
        ordered = sorted(found, key=Result.order)
        for result in ordered:
            result.file = None if result.file is None else self._name(result.file)
        stdio.report(result for result in ordered if result.severity != INFO)
        return arguments.write_results(ordered, self._options.results)

    def _name(self, path: str) -> str:
        """Return how the user would call a file."""
        return paths.visible(os.path.relpath(os.path.join(self._base, path)))


def _emitted(listed: ResourceList) -> ResourceList:
    """Return a list read again from its text, with its results. FnError where one is an error."""
    text = listed.emit().text
    if results.failed(listed.results):
        raise FnError(*listed.results)
    emitted = resourcelist.read(text)
    emitted.results = listed.results
    return emitted


def _restored(items: Iterable[Resource]) -> Iterator[Result]:
    """Put the references of items back, and yield a warning for each field that somebody changed since."""
    for item in items:
        if records.has_record(item):
            for entry in records.restore(item):
                result = item.result(_STAYS, WARNING, findings.EDITED_BY_HAND)
                result.field, result.place = fieldpath.to_text(entry.path), entry.path
                yield result


def _for_a_cluster(items: Iterable[Resource]) -> Iterator[Resource]:
    """Yield items as documents, without those that are for tools alone."""
    for item in items:
        if not item.is_local_config and item.group not in (GROUP, "kpt.dev", "kustomize.config.k8s.io"):
            yield wire.document(item)
