"""`expand-vars eval`: files and directories in place, without another tool (docs/guides/eval.md, "In place")."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from contextlib import ExitStack

from expand_vars import pipeline
from expand_vars.commands import arguments, discovery, fleet, rendering
from expand_vars.commands.fleet import Outcome, Shard
from expand_vars.commands.rendering import Rendering
from expand_vars.commands.table import PROGRAM
from expand_vars.expansion.findings import UNUSED_ARGUMENT
from expand_vars.expansion.history import History
from expand_vars.expansion.kustomize import Kustomize
from expand_vars.expansion.left_alone import is_anothers
from expand_vars.functionconfig import decoding
from krm import results, secrets, stdio
from krm.commands import masks, printing
from krm.commands.options import STDIN, Parser
from krm.encoding import visible
from krm.generation.settings import remove
from krm.package import file_changes, files, transaction
from krm.package.folder import LEFT_ALONE, Folder, left_alone
from krm.resource import GENERATED_MARK
from krm.results import ERROR, FnError, Result, notice
from krm.stdio import InputError
from krm.template_comments import writing
from krm.textslice import holding
from krm.vocabulary import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self, TypeVar

    from expand_vars.functionconfig.config import Config
    from krm.commands.masks import SecretFields
    from krm.fieldpath import Place
    from krm.package.file_changes import FileChange
    from krm.package.files import NotRead, Package, PackagePart
    from krm.resource import Resource

    T = TypeVar("T")

_DESCRIPTION = """\
Expand $(VAR) references in files, and in all files of directories, in place: only what changes is written.

The functionConfig is that of --fn-config; else that which a Kptfile's pipeline, or a kustomization's transformers, give
to this function; else, of these files, the ExpandVars in the nearest directory at or above a manifest. Arguments win
over its variables. `-` is standard input, which is written, expanded, to standard output.
"""
_EPILOG = """\
Each expanded field keeps its reference in a comment, so that the next run can give another value.
A path that holds `=` needs a `/` in front of that: ./a=b.yaml

exit codes: 0 done, 1 failed (standard error says why), 2 wrong usage, 3 with --check: something would change
"""
_IGNORED = (
    "git ignores this file, so nobody else's run knows what was generated: take it out of `.gitignore` and commit it"
)
_STDERR = 2
_SILENT = 1.0
_PAUSE = 0.2
_CLEAR = "\r\x1b[K"
_BAR = 30
_GENERATED = "this was generated, so its references are in the functionConfig"


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "eval", _DESCRIPTION, _EPILOG, shard=Shard)
    options = parser.parsed(argv[1:])
    arguments.find_paths(options, parser, "expand: a file or a directory, such as `.`")
    options.is_fleet = options.shard is not None or options.changed_since is not None
    return stdio.attempt(lambda: _run(options, parser))


def _run(options: Namespace, parser: Parser) -> int:
    options.variables = arguments.variables(options, parser)
    if options.paths == [STDIN]:
        # As `expand-vars` without a command answers it.
        config = arguments.function_config(options.fn_config)
        settle: Callable[[Config], Config] = lambda one: arguments.with_options(one, options)  # noqa: E731
        return stdio.serve(lambda text: pipeline.run(text, config, options.variables, settle))
    stdio.clean_up_when_terminated()
    if options.output is not None:
        rendering.check(options.paths, options.output)
    if options.is_fleet:
        return fleet.run(options, lambda package: _evaluated(options, [package]))
    return _evaluated(options, options.paths).code


def _evaluated(options: Namespace, sources: Sequence[str]) -> Outcome:
    """Evaluate some paths in one run, and return the outcome."""
    outcome = Outcome()

    def evaluate() -> int:
        try:
            return _Evaluation(options, sources, outcome).run()
        except InputError as error:
            outcome.results.append(Result(str(error), ERROR, "InvalidInput"))
            raise

    outcome.code = stdio.attempt(evaluate)
    return outcome


class Progress:
    """A line on standard error that shows what is being done, how far that is, and for how long.

    It appears on a terminal, and after a second: most runs are over before that. It is deleted when all is done.
    """

    def __init__(self) -> None:
        self._doing = ""
        self._done = self._total = 0
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True) if os.isatty(_STDERR) else None

    def __enter__(self) -> Self:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        if self._thread is not None:
            self._thread.join()

    def do(self, doing: str) -> None:
        """Show from now on that this is being done."""
        self._doing, self._total = doing, 0

    def over(self, things: Sequence[T]) -> Iterator[T]:
        """Yield things, and show how many of them are done."""
        for self._done, thing in enumerate(things):
            self._total = len(things)
            yield thing

    def _show(self) -> None:
        began = time.monotonic()
        # Most runs are over by now, and a line that flashes would only confuse.
        if self._is_done.wait(_SILENT):
            return
        while not self._is_done.wait(_PAUSE):
            stdio.pass_on(f"{_CLEAR}{self._doing}{self._bar()}, {time.monotonic() - began:.0f} s")
        stdio.pass_on(_CLEAR)

    def _bar(self) -> str:
        done, total = self._done, self._total
        return f" [{'=' * (done * _BAR // total):{_BAR}}] {done} of {total}" if total else ""


class _Evaluation:
    """One run over files and directories, in the directory that holds all of these."""

    def __init__(self, options: Namespace, sources: Sequence[str], outcome: Outcome) -> None:
        self._options = options
        self._sources = sources
        self._outcome = outcome
        self._left_alone: Counter[str] = Counter()
        self._is_written = not (options.check or options.stdout)
        self._paths = arguments.InputPaths(sources)
        self._rendering: Rendering | None = None
        if options.output is not None:
            places = [rendering.place(path, options.paths, options.output) for path in sources]
            self._rendering = Rendering(self._paths.base, dict(zip(self._paths.below, places, strict=True)))

    def run(self) -> int:
        """Run, and return the exit code. InputError where a file of the options cannot be read."""
        try:
            with ExitStack() as stack, Progress() as progress:
                package, changed = self._run(stack, progress)
        except FnError as error:
            self._tell(error.results)
            return 1
        return self._report(package, changed)

    def _run(self, stack: ExitStack, progress: Progress) -> tuple[Package, list[FileChange]]:
        """Return the package as it is in the end, and the changes that were made of it. FnError with all results."""
        directory = stack.enter_context(Folder(self._paths.base))
        if self._rendering is not None:
            package = self._expanded(directory, progress)
            progress.do("writing")
            return package, self._rendering.render(directory, package, is_written=self._is_written)
        # Locked before it is read: the second of two runs reads what the first one wrote.
        if self._is_written:
            progress.do("waiting for another program that writes")
            stack.enter_context(transaction.locked([stack.enter_context(Folder(path)) for path in self._paths.folders]))
        progress.do("reading")
        package = self._expanded(directory, progress)
        changed = file_changes.of(package)
        if self._is_written:
            progress.do("writing")
            package.results += transaction.clean(directory, package.leftovers)
            transaction.commit(directory, changed, over=progress.over)
            package.results += self._ignored(changed)
        return package, changed

    def _ignored(self, changed: Iterable[FileChange]) -> list[Result]:
        """Return a warning for each state that was written, and that `git add` leaves out."""
        states = [change.path for change in changed if change.has_state and change.after is not None]
        if not states:
            return []
        from krm.git.repository import is_ignored  # noqa: PLC0415 - most runs generate nothing

        found = (path for path in states if is_ignored(self._paths.base, path))
        return [notice(_IGNORED, "IgnoredState", file=path) for path in found]

    def _expanded(self, directory: Folder, progress: Progress) -> Package:
        """Return the package with its items expanded. FnError with all results."""
        # Most files are never parsed. One that turns out to be no YAML is left alone, and the others are read again.
        odd: dict[str, NotRead] = {}
        while True:
            package = files.read(directory, self._paths.below)
            for path, reason in odd.items():
                package.leave_alone(path, str(reason), reason.noun)
            package.excuse_patches(Kustomize(package).patches)
            package.results += map(self._paths.graded, package.left_alone)
            self._left_alone = Counter(
                one.noun
                for path, one in package.reasons.items()
                if one.noun not in (files.BROKEN, files.HEADLESS) and not self._paths.asks_for(path)
            )
            progress.do("expanding")
            try:
                self._change(package, progress)
            except FnError as error:
                found = package.unreadable(result.file for result in error.results if result.severity == ERROR)
                if not found:
                    raise
                odd |= found
            else:
                return package

    def _change(self, package: Package, progress: Progress) -> None:
        """Expand the items of a package, or put their references back."""
        options = self._options
        if options.restore:
            self._restore(package)
            return
        config = arguments.function_config(options.fn_config, self._paths.base)
        parts = [(package, config)] if config else [*discovery.parts(self._paths.tops, package)]
        for part, one in parts:
            # A mistake in one part hides none of another.
            try:
                pipeline.tighten(package.results, self._expand(part, one, progress))
            except FnError as error:
                part.results += error.results
        if len(parts) > 1:
            # An argument has no effect if no part of the package uses it.
            of_parts = [part.results for part, _ in parts]
            unused = [{one.tags["name"]: one for one in of if one.reason == UNUSED_ARGUMENT} for of in of_parts]
            package.results += (one for of in of_parts for one in of if one.reason != UNUSED_ARGUMENT)
            package.results += (one for name, one in unused[0].items() if all(name in of for of in unused))
        if results.failed(package.results):
            raise FnError(*package.results)
        # No run generates into this output.
        for item in holding(package.items, GENERATED_MARK) if options.stdout or options.output else ():
            remove(item, {GENERATED_MARK})
            item.release()

    def _restore(self, package: Package) -> None:
        """Put the references of a package back. What is generated has none."""
        history = History(None, package.items)
        hidden = masks.secret_names(masks.texts_beside(self._sources))

        def note(name: str, item: Resource, place: Place, text: str) -> None:
            is_secret = name in hidden or secrets.is_secret(item, place)
            history.change(name, item, place, text, f"$({name})", is_secret=is_secret)

        package.results += writing.restore(package.items, note)
        package.results += history.results()
        for item in package.items:
            if is_anothers(item, ()):
                package.results.append(left_alone(str(item.file), _GENERATED))
                self._left_alone["generated resource"] += 1

    def _expand(self, package: Package | PackagePart, config: Resource | None, progress: Progress) -> Config:
        """Expand the items of a package, or of a part of it, by a functionConfig, and return what that says."""
        options = self._options
        decoded = decoding.with_arguments(decoding.decode(config), options.variables)
        is_elsewhere = options.stdout or options.output
        decoded = arguments.with_options(decoded if is_elsewhere else decoded.in_place(), options)
        decoded.is_part = options.is_fleet  # another package may use the arguments
        if decoded.record == "Auto" and is_elsewhere:
            decoded.record = "Never"  # nobody runs on this output again
        made = pipeline.expand(package, decoded, progress.over, takes_files=bool(options.output))
        if self._rendering is not None:
            self._rendering.take(made)
        return decoded

    def _report(self, package: Package, changed: Sequence[FileChange]) -> int:
        """Write what the options ask for, and return the exit code."""
        options = self._options
        is_told = self._tell(package.results)
        if options.stdout:
            shown = "---\n".join(rendering.for_a_cluster(package))
        else:
            of_secrets = lambda: self._of_secrets(package, changed)  # noqa: E731
            shown = printing.asked_diff(changed, self._name_of_change, of_secrets, options)
            summary = [*printing.summary(changed, self._name_of_change, is_done=self._is_written)]
            if not (package.entries or changed):
                summary = [f"there is no resource in {', '.join(map(visible, self._sources))}: nothing changes\n"]
            # The last line counts. In a fleet that is done once, for all packages of the shard.
            shown += "".join(summary[:-1] if options.is_fleet else summary)
        self._outcome.is_changed = bool(changed)
        if not (stdio.write((shown,)) and is_told):
            return 1
        if options.check and any(file.is_unmerged for file in package.files.values()):
            return 1
        return printing.DIFFERS if options.check and changed else 0

    def _tell(self, found: Iterable[Result]) -> bool:
        """Tell results on standard error, and write them to the file for them. False if that failed."""
        ordered = sorted(found, key=lambda one: (one.file or "", one.index or 0, str(one)))
        for result in ordered:
            result.file = None if result.file is None else self._name(result.file)
        is_verbose = self._options.verbose
        form = self._options.format
        printed = (one for one in ordered if results.is_printed(one))
        told = ordered if is_verbose else (one for one in printed if one.severity == ERROR or one.reason != LEFT_ALONE)
        stdio.report(told, form)
        is_short = form == "text" and not is_verbose  # a program reads nothing but results
        if self._left_alone and is_short:
            counts = self._left_alone.most_common()
            named = (f"{count} {noun}" if noun.startswith("not ") else counted(count, noun) for noun, count in counts)
            stdio.tell(f"left alone: {', '.join(named)} (--verbose names them)")
        if is_short:
            stdio.tell_rest(ordered, "--verbose tells them")
        self._outcome.results += ordered
        return self._options.is_fleet or printing.write_results(ordered, self._options.results)

    def _of_secrets(self, package: Package, changed: Sequence[FileChange]) -> SecretFields:
        """Return the fields of the changed files that show a value of a Secret."""
        items = {id(item): item for item in (*package.resources, *package.items)}
        texts = (text for change in changed for text in printing.texts(change))
        return masks.secret_fields((*texts, *masks.texts_beside(self._sources)), items.values())

    def _name_of_change(self, path: str) -> str:
        return self._name(path if self._rendering is None else os.path.join(self._rendering.directory, path))

    def _name(self, path: str) -> str:
        """Return how the user would call a file."""
        return visible(os.path.relpath(os.path.join(self._paths.base, path)))
