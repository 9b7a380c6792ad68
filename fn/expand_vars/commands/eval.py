"""`expand-vars eval`: files and directories in place, without another tool (docs/packages.md, "eval")."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack

from expand_vars import pipeline
from expand_vars.commands import arguments, discovery, display, fleet, rendering
from expand_vars.commands.display import Progress
from expand_vars.commands.fleet import Outcome
from expand_vars.commands.rendering import Rendering
from expand_vars.functionconfig import decoding
from expand_vars.functionconfig.model import INLINE
from expand_vars.references import restoring
from krm import results, stdio
from krm.package import changes, files, paths, transaction
from krm.package.folder import LEFT_ALONE, Folder
from krm.results import ERROR, WARNING, FnError, Result
from krm.stdio import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Sequence

    from expand_vars.functionconfig.model import Config
    from krm.package.changes import Change
    from krm.package.files import NotRead, Package

_USAGE = (
    "PATH...|- [--output DIR] [--fn-config FILE] [--env-file FILE] [--env NAME,...] [--target PRESET] "
    "[--inline SOURCE] [--strict] [--diff] [--show-secrets] [--check] [--stdout] [--restore] [--results FILE] "
    "[--shard I/N] [--changed-since COMMIT] [--verbose] [--no-color] [NAME=VALUE ...]"
)
_DESCRIPTION = """\
Expand $(VAR) references in files, and in all files of directories, in place: only what changes is written.

The functionConfig is that of --fn-config; else that which a Kptfile's pipeline, or a kustomization's transformers, give
to this function; else the one ExpandVars of the directory. Arguments win over its variables. `-` is standard input,
which is written, expanded, to standard output.
"""
_EPILOG = """\
Each expanded field keeps its reference in a comment, so that the next run can give another value.
A path that holds `=` needs a `/` in front of that: ./a=b.yaml

exit codes: 0 done, 1 failed (standard error says why), 2 wrong usage, 3 with --check: something would change
"""
STDIN = "-"


def main(given: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    options = _options(given[1:])
    if options.paths == [STDIN]:
        return stdio.attempt(lambda: _filter(options))
    stdio.clean_up_when_terminated()
    if options.is_fleet:
        return stdio.attempt(lambda: fleet.run(options, lambda package: _evaluated(options, [package])))
    return _evaluated(options, options.paths).code


def _options(given: Sequence[str]) -> Namespace:
    parser = arguments.parser("eval", _USAGE, _DESCRIPTION, _EPILOG)
    parser.add_argument("--output", metavar="DIR", help="write the files of the one PATH there, expanded")
    parser.add_argument("--fn-config", metavar="FILE", help="use this functionConfig in the place of any other")
    parser.add_argument("--env-file", metavar="FILE", help="variables, a line NAME=VALUE for each, taken literally")
    arguments.add_env(parser)
    arguments.add_targets(parser)
    arguments.add_words(parser, "--inline", "SOURCE", INLINE, "write values of")
    arguments.add_strict(parser)
    parser.add_argument("--diff", action="store_true", help="show the changes as a unified diff")
    arguments.add_show_secrets(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 3 if something would change")
    parser.add_argument("--stdout", action="store_true", help="write the resources to standard output, and no file")
    parser.add_argument("--restore", action="store_true", help="put the references back: the undo of all runs")
    arguments.add_results(parser)
    parser.add_argument(
        "--shard", metavar="I/N", type=fleet.Shard, help="only the packages of shard I of N, from 0 on, each by itself"
    )
    parser.add_argument(
        "--changed-since", metavar="COMMIT", help="only the packages in which git sees a change since then"
    )
    parser.add_argument("--verbose", action="store_true", help="name what is left alone, and tell infos too")
    parser.add_argument("--no-color", action="store_true", help="no colours, as where NO_COLOR is set")
    # Paths and NAME=VALUE in any order, as in `kpt fn eval DIRECTORY -- NAME=VALUE` and in a shell's history.
    parser.add_argument("mixed", metavar="PATH", nargs="*", help="a file, a directory, or `-`; or NAME=VALUE")
    options = arguments.parsed(parser, given)
    _sort(options, parser)
    return options


def _sort(options: Namespace, parser: ArgumentParser) -> None:
    """Separate the paths from the variables, and refuse what does not go together."""
    options.paths, variables = arguments.paths_and_variables(options.mixed, parser)
    options.variables = [*arguments.of_environment(options.env, parser), *variables]
    if not options.paths:
        parser.error("say what to expand: a file or a directory, such as `.`")
    options.is_fleet = options.shard is not None or options.changed_since is not None
    writes = any((options.output, options.diff, options.check, options.restore, options.results, options.is_fleet))
    if STDIN in options.paths and (writes or len(options.paths) > 1):
        parser.error("`-` is standard input, which is no file to change: no path and no option of files goes with it")
    if options.stdout and (options.check or options.diff):
        parser.error("--stdout shows the resources: neither --check nor --diff can be given with it")
    if options.output is not None and (len(options.paths) > 1 or options.stdout or options.restore or options.is_fleet):
        parser.error("--output is for one package: no other path, --stdout, --restore, --shard or --changed-since")
    if options.is_fleet and options.stdout:
        parser.error(
            "with --shard or --changed-since each package is a run of its own: --stdout cannot be given with it"
        )
    stated = options.variables or options.env_file or options.fn_config or options.target or options.inline
    if options.restore and stated:
        parser.error("--restore expands nothing: variables, --fn-config, --target and --inline cannot be given with it")


def _filter(options: Namespace) -> int:
    """Answer standard input as `expand-vars` without a command does, with the options of this one."""
    config = arguments.function_config(options.fn_config)
    variables = _variables(options)
    return stdio.serve(lambda text: pipeline.run(text, config, variables, lambda one: _settled(one, options)))


def _variables(options: Namespace) -> list[tuple[str, str]]:
    return [*arguments.env_file(options.env_file), *options.variables]


def _settled(config: Config, options: Namespace) -> Config:
    """Return a Config with what the options add to it."""
    config = decoding.with_command_line(config, options.target, strict=options.strict)
    config.arguments = frozenset(name for name, _ in options.variables)
    config.is_part = options.is_fleet  # another package may use the arguments
    return config.with_inline(options.inline) if options.inline else config


def _evaluated(options: Namespace, given: Sequence[str]) -> Outcome:
    """Evaluate what is at some paths in one run, and return how that ended."""
    outcome = Outcome()

    def evaluate() -> int:
        try:
            return _Evaluation(options, given, outcome).run()
        except InputError as error:
            outcome.results.append(Result(str(error), ERROR, "InvalidInput"))
            raise

    outcome.code = stdio.attempt(evaluate)
    return outcome


class _Evaluation:
    """One run over files and directories, in the directory that holds all of these."""

    def __init__(self, options: Namespace, given: Sequence[str], outcome: Outcome) -> None:
        self._options = options
        self._given = given
        self._outcome = outcome
        self._left_alone: Counter[str] = Counter()
        self._is_written = not (options.check or options.stdout)
        self._rendering = None if options.output is None else Rendering(given[0], options.output)
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
                package, changed = self._run(stack, progress)
        except FnError as error:
            self._tell(error.results)
            return 1
        return self._report(package, changed)

    def _run(self, stack: ExitStack, progress: Progress) -> tuple[Package, list[Change]]:
        """Return the package as it is in the end, and the changes that were made of it. FnError with all results."""
        directory = stack.enter_context(Folder(self._base))
        if self._rendering is not None:
            package = self._expanded(directory, progress)
            progress.do("writing")
            return package, self._rendering.render(directory, package, is_written=self._is_written)
        # Locked before it is read: the second of two runs reads what the first one wrote.
        if self._is_written:
            progress.do("waiting for another program that writes")
            stack.enter_context(transaction.locked([stack.enter_context(Folder(path)) for path in self._folders]))
        progress.do("reading")
        package = self._expanded(directory, progress)
        changed = changes.of(directory, package)
        if self._is_written:
            progress.do("writing")
            package.results += transaction.clean(directory, package.leftovers)
            transaction.commit(directory, changed)
        return package, changed

    def _expanded(self, directory: Folder, progress: Progress) -> Package:
        """Return the package with its items expanded. FnError with all results.

        Most files are never parsed. One that turns out to be no YAML is left alone, and the others are read again.
        """
        odd: dict[str, NotRead] = {}
        while True:
            package = files.read(directory, self._below)
            for path, reason in odd.items():
                package.leave_alone(path, str(reason), reason.noun)
            package.results += map(self._of_named, package.left_alone)
            self._left_alone = Counter(noun for path, noun in package.nouns.items() if not self._is_asked_for(path))
            progress.do("expanding")
            try:
                self._change(directory, package)
            except FnError as error:
                found = package.odd(result.file for result in error.results if result.severity == ERROR)
                if not found:
                    raise
                odd |= found
            else:
                return package

    def _of_named(self, left_alone: Result) -> Result:
        """Return a result about a file that is left alone: an error if it was asked for."""
        if self._is_asked_for(left_alone.file or ""):
            left_alone.severity = ERROR
        return left_alone

    def _is_asked_for(self, path: str) -> bool:
        """True for a file that was named, and for a Kptfile: to go on without it would be another run."""
        return path in self._below or path.rpartition("/")[2] == paths.KPTFILE

    def _change(self, directory: Folder, package: Package) -> None:
        """Expand the items of a package, or put their references back."""
        options = self._options
        if options.restore:
            package.results += restoring.restore(package.items)
            return
        config = arguments.function_config(options.fn_config)
        if config is None:
            config = discovery.function_config(directory, self._tops, package.items)
        decoded = decoding.with_arguments(decoding.decode(config), _variables(options))
        decoded = _settled(decoded.in_place(), options)
        if decoded.record == "Auto" and (options.stdout or options.output):
            decoded.record = "Never"  # nobody runs on this output again
        pipeline.expand(package, decoded, config)
        if results.failed(package.results):
            raise FnError(*package.results)

    def _report(self, package: Package, changed: Sequence[Change]) -> int:
        """Write what the options ask for, and return the exit code."""
        options = self._options
        is_told = self._tell(package.results)
        if options.stdout:
            shown = "---\n".join(rendering.for_a_cluster(package.entries))
        else:
            in_colour = not (options.no_color or os.environ.get("NO_COLOR"))
            shown = ""
            if options.diff:
                shown = display.diff(
                    changed, self._name_of_change, in_colour=in_colour, show_secrets=options.show_secrets
                )
            summary = [*display.summary(changed, self._name_of_change, is_done=self._is_written)]
            if not (package.entries or changed):
                summary = [f"there is no resource in {', '.join(map(paths.visible, self._given))}: nothing changes\n"]
            # The last line counts. In a fleet that is done once, for all packages of the shard.
            shown += "".join(summary[:-1] if options.is_fleet else summary)
        self._outcome.is_changed = bool(changed)
        if not (stdio.write((shown,)) and is_told):
            return 1
        return arguments.DIFFERS if options.check and changed else 0

    def _tell(self, found: Iterable[Result]) -> bool:
        """Tell results on standard error, and write them to the file for them. False if that failed."""
        ordered = sorted(found, key=_order)
        for result in ordered:
            result.file = None if result.file is None else self._name(result.file)
        is_verbose = self._options.verbose
        stdio.report((result for result in ordered if is_verbose or _is_told(result)), by_line=True)
        if self._left_alone and not is_verbose:
            counts = ", ".join(_counted(noun, count) for noun, count in self._left_alone.most_common())
            stdio.tell(f"left alone: {counts} (--verbose names them)")
        self._outcome.results += ordered
        return self._options.is_fleet or arguments.write_results(ordered, self._options.results)

    def _name_of_change(self, path: str) -> str:
        return self._name(path if self._rendering is None else os.path.join(self._rendering.directory, path))

    def _name(self, path: str) -> str:
        """Return how the user would call a file."""
        return paths.visible(os.path.relpath(os.path.join(self._base, path)))


def _order(result: Result) -> tuple[str, int, str]:
    """Return the key by which results are sorted: by files and the resources in them."""
    return result.file or "", result.index or 0, str(result)


def _is_told(result: Result) -> bool:
    return result.severity == ERROR or (result.severity == WARNING and result.reason != LEFT_ALONE)


def _counted(noun: str, count: int) -> str:
    return f"{count} {noun}" if count == 1 or noun.startswith("not ") else f"{count} {noun}s"
