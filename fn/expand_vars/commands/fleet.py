"""A fleet: the packages below a directory, the share of one run, and the outcome of each (docs/guides/scale.md)."""

from __future__ import annotations

import os
import re
from argparse import ArgumentTypeError

from expand_vars.commands import arguments, rendering
from expand_vars.commands.rendering import INVENTORY
from krm import results, stdio
from krm.commands import printing
from krm.encoding import visible
from krm.generation.pruning import ORPHANED
from krm.package import paths
from krm.package.folder import LEFT_ALONE
from krm.resource import KPTFILE, KUSTOMIZATIONS
from krm.results import notice
from krm.stdio import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn

    from krm.results import Result

_GONE = "the package that was rendered here is gone: delete this directory"


class Shard:
    """Shard `index` of `count`. The first is 0, as an Indexed Job of Kubernetes counts its Pods."""

    def __init__(self, text: str) -> None:
        """Read I/N. ArgumentTypeError for anything else."""
        found = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
        self.index, self.count = map(int, found.groups()) if found else (0, 0)
        if self.index >= self.count:
            raise ArgumentTypeError(f"`{text}` is not I/N, with I from 0 to N-1: 0/4 is the first of four shards")

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def has(self, name: str) -> bool:
        """True if the package of this name falls to this shard."""
        # Of the name alone: what other packages there are, and in which order, must not move this one. `hash` would
        # give every process an answer of its own.
        from hashlib import sha256  # noqa: PLC0415 - `eval` without a shard does without it

        return int.from_bytes(sha256(os.fsencode(name)).digest()) % self.count == self.index


def packages(given: Iterable[str]) -> dict[str, str]:
    """Return the path of each package by what it is called. InputError where a directory cannot be read.

    A package is the outermost directory with a Kptfile or kustomization, in or below a path. A path without any is one.
    """
    found: dict[str, tuple[str, str]] = {}
    for path in given:
        top = arguments.real(path)
        for package in [*(_outermost(path) if os.path.isdir(path) else ())] or [path]:
            below = os.path.relpath(package, path)
            # Not from the root: each machine of a fleet may have it in another place.
            name = os.path.basename(top) if below == os.curdir else below
            found.setdefault(arguments.real(package), (package, name))
    # What is below goes with it, whoever named it.
    return dict(one for real, one in found.items() if found.keys().isdisjoint(paths.folders_above(real)))


class Outcome:
    """The end of a run: its exit code, whether something changed, and the results."""

    def __init__(self) -> None:
        self.code = 0
        self.is_changed = False
        self.results: list[Result] = []

    def as_data(self, package: str) -> dict[str, Any]:
        """Return the entry of the file of results."""
        found = [data for result in self.results for data in results.by_field(result)]
        reasons = [*dict.fromkeys(result.reason for result in self.results)]
        changed = {"package": package, "exitCode": self.code, "changed": self.is_changed}
        return {**changed, "reasons": reasons, "results": found}


def run(options: Namespace, evaluate: Callable[[str], Outcome]) -> int:
    """Evaluate each package that the options choose by itself, and return the highest exit code.

    One that fails does not stop the others. InputError where git cannot say what changed.
    """
    chosen = packages(options.paths)
    if options.output is not None:
        _tell_what_is_gone(options, chosen)
    if options.changed_since is not None:
        chosen = _changed(chosen, options)
    codes, changes, data = [0], 0, []
    for path in sorted(path for path, name in chosen.items() if options.shard is None or options.shard.has(name)):
        outcome = evaluate(path)
        if outcome.code == stdio.INTERRUPTED:
            return outcome.code
        if outcome.code == 1:
            stdio.fail(f"{path}: this package failed, for the reason above; the others go on")
        codes.append(outcome.code)
        changes += outcome.is_changed
        # As data: a result keeps the texts of its package, and a fleet has thousands.
        data += [outcome.as_data(visible(os.path.normpath(path)))] if options.results else []
    is_told = stdio.write((_last_line(options, codes[1:], changes, len(chosen)),))
    if not printing.write_data({"packages": data}, options.results) or not is_told or 1 in codes:
        return 1
    return max(codes)


def _changed(found: dict[str, str], options: Namespace) -> dict[str, str]:
    """Return the packages in which git sees a change: all, if a file changed that every one of them uses."""
    from krm.git import repository  # noqa: PLC0415 - programs are started by few runs

    folders = {path if os.path.isdir(path) else os.path.dirname(path) or os.curdir for path in options.paths}
    files = {file for folder in folders for file in repository.changed_since(options.changed_since, folder)}
    if any(path and os.path.realpath(path) in files for path in (options.fn_config, options.env_file)):
        return found
    around = files | {above for file in files for above in paths.folders_above(file)}
    # To git a submodule is one file, and packages are below it.
    below = {path for path in found if not files.isdisjoint(paths.folders_above(arguments.real(path)))}
    return {path: name for path, name in found.items() if path in below or arguments.real(path) in around}


def _tell_what_is_gone(options: Namespace, found: Iterable[str]) -> None:
    """Tell of the directories of the output that were rendered from packages which the fleet no longer has."""
    there = {rendering.place(path, options.paths, options.output) for path in found}
    for top in options.paths:
        place = rendering.place(top, options.paths, options.output)
        for folder, folders, files in os.walk(place):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            if INVENTORY in files:
                folders.clear()
                name = os.path.relpath(folder, place)
                if folder not in there and (options.shard is None or options.shard.has(name)):
                    stdio.report([notice(_GONE, ORPHANED, file=visible(folder))])


def _last_line(options: Namespace, codes: list[int], changes: int, total: int) -> str:
    """Return the last line: the numbers of packages that were evaluated, changed and failed, of so many."""
    outcome = f"changes in {changes}" if changes else "nothing changes"
    failed = f"{codes.count(1)} failed, " if 1 in codes else ""
    who = "this run" if options.shard is None else f"shard {options.shard}"
    which = "" if options.changed_since is None else f" that changed since {options.changed_since}"
    return f"{who} has {len(codes)} of {total} packages{which}: {failed}{outcome}\n"


def _outermost(path: str) -> Iterator[str]:
    """Yield the outermost directories that are packages, in or below a path; tell of files that are in none of them."""
    strays: list[str] = []
    is_fleet = False

    def refuse(error: OSError) -> NoReturn:
        raise InputError(f"{visible(str(error.filename))}: {error.strerror}")

    for folder, folders, files in os.walk(path, onerror=refuse):
        if not {KPTFILE, *KUSTOMIZATIONS}.isdisjoint(files):
            # What is below is part of this package, as it is for `kpt fn render` and `kustomize build`.
            folders.clear()
            is_fleet = True
            yield folder
        else:
            folders[:] = [name for name in folders if name != ".git"]
            strays += [os.path.join(folder, name) for name in files if paths.is_resource_file(name)]
    if is_fleet and strays:
        of = f"{len(strays)} files are" if len(strays) > 1 else "1 file is"
        first = visible(min(strays))
        message = f"{of} in no directory with a Kptfile or kustomization and left alone, the first {first}"
        stdio.report([notice(message, LEFT_ALONE, file=path)])
