"""Packages below a directory, and the share of them that falls to one of several runs (docs/scale.md, "Shards")."""

from __future__ import annotations

import os
import re
from argparse import ArgumentTypeError

from expand_vars.commands import arguments
from krm import stdio
from krm.package import paths
from krm.package.paths import KPTFILE
from krm.stdio import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import NoReturn

_SHARD = re.compile(r"(\d+)/(\d+)", re.ASCII)
_GIT = ".git"


class Shard:
    """Shard `index` of `count`. The first is 0, as an Indexed Job of Kubernetes counts its Pods."""

    __slots__ = ("count", "index")

    def __init__(self, text: str) -> None:
        """Read I/N. ArgumentTypeError for anything else."""
        found = _SHARD.fullmatch(text)
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

    A package is the outermost directory with a Kptfile, in or below a path. A path without any is one package.
    """
    found: dict[str, tuple[str, str]] = {}
    for path in given:
        top = arguments.real(path)
        for package in [*(_outermost(path) if os.path.isdir(path) else ())] or [path]:
            below = os.path.relpath(package, path)
            # Not from the root: each machine of a fleet may have it in another place.
            name = os.path.basename(top) if below == os.curdir else below
            found.setdefault(arguments.real(package), (package, name))
    return dict(found.values())


def run(shard: Shard, given: Sequence[str], evaluate: Callable[[str], tuple[int, bool]]) -> int:
    """Evaluate each package of a shard by itself, and return the highest exit code.

    `evaluate` returns the exit code of a package, and whether it changed. One that fails does not stop the others.
    """
    found = packages(given)
    mine = sorted(path for path, name in found.items() if shard.has(name))
    codes, changed = [0], 0
    for path in mine:
        code, is_changed = evaluate(path)
        if code == stdio.INTERRUPTED:
            return code
        if code == 1:
            stdio.tell(f"[error] {path}: this package failed, for the reason above; the others go on")
        codes.append(code)
        changed += is_changed
    outcome = f"changes in {changed}" if changed else "nothing changes"
    failed = f"{codes.count(1)} failed, " if 1 in codes else ""
    is_told = stdio.write((f"shard {shard} has {len(mine)} of {len(found)} packages: {failed}{outcome}\n",))
    return 1 if 1 in codes or not is_told else max(codes)


def _outermost(path: str) -> Iterator[str]:
    """Yield the outermost directories with a Kptfile, in or below a path; tell of files that are in none of them."""
    strays: list[str] = []
    is_fleet = False
    for folder, folders, files in os.walk(path, onerror=_refuse):
        if KPTFILE in files:
            # What is below is part of this package, as it is for `kpt fn render`.
            folders.clear()
            is_fleet = True
            yield folder
        else:
            folders[:] = [name for name in folders if name != _GIT]
            strays += [os.path.join(folder, name) for name in files if paths.is_resource_file(name)]
    if is_fleet and strays:
        of = f"{len(strays)} files are" if len(strays) > 1 else "1 file is"
        first = paths.visible(min(strays))
        stdio.tell(f"[warning] {path}: {of} in no directory with a Kptfile and left alone, the first {first}")


def _refuse(error: OSError) -> NoReturn:
    raise InputError(f"{paths.visible(str(error.filename))}: {error.strerror}")
