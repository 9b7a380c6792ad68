"""The files below a directory, without those that `.krmignore` leaves out (docs/packages.md, "What is read")."""

from __future__ import annotations

import os

from krm.package import folder, ignore, paths
from krm.package.ignore import Patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Literal, TypeAlias

    Kind: TypeAlias = Literal["file", "staged"]

_GIT = ".git"


class Entry:
    """A file, or a staged file of a run that was killed.

    `folder` is the descriptor of the directory that it is in, which is open until the next entry is asked for.
    """

    __slots__ = ("folder", "kind", "name", "path")

    def __init__(self, path: str, kind: Kind, folder: int) -> None:
        self.path = path
        self.name = path.rpartition("/")[2]
        self.kind: Kind = kind
        self.folder = folder


class Listing:
    """A walk over a directory. `leave_alone` gets each `.krmignore` that cannot be read, and why."""

    def __init__(self, leave_alone: Callable[[str, str], None]) -> None:
        self._leave_alone = leave_alone
        self._packages: dict[str, Patterns] = {}

    def leaves_out(self, path: str) -> bool:
        """True if the patterns that were met leave out a file, or a directory that it is in."""
        base = max((each for each in self._packages if path.startswith(each)), key=len, default="")
        parts = path.removeprefix(base).split("/")
        patterns = self._packages.get(base, Patterns())
        folders = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
        return patterns.leave_out("/".join(parts), is_folder=False) or any(
            patterns.leave_out(each, is_folder=True) for each in folders
        )

    def entries(self, descriptor: int, above: str = "", around: tuple[Patterns, str] | None = None) -> Iterator[Entry]:
        """Yield what is in an open directory, and below it.

        `above` is its path with a `/` behind it. `around` are the patterns of the package that it is in, and where that
        starts; None for the directory that was asked for.
        """
        with os.scandir(descriptor) as scanned:
            found = {entry.name: entry for entry in scanned}
        patterns, base = around or (Patterns(), above)
        if around is None or paths.KPTFILE in found:
            patterns, base = self._patterns(descriptor, above, found), above
            self._packages[base] = patterns
        # Directories among the files, by name: the order in which Go walks a tree, and so kpt.
        for name in sorted(found):
            path = f"{above}{name}"
            # A link to a directory would be followed out of the package, or in a circle.
            is_folder = found[name].is_dir(follow_symlinks=False)
            # Branches are files in `.git`, and one may be called `a.yaml`.
            if name == _GIT:
                continue
            if name.endswith(paths.STAGED):
                yield Entry(path, "staged", descriptor)
            elif patterns.leave_out(path.removeprefix(base), is_folder=is_folder):
                continue
            elif is_folder:
                below = os.open(name, folder.BELOW, dir_fd=descriptor)
                try:
                    yield from self.entries(below, f"{path}/", (patterns, base))
                finally:
                    os.close(below)
            else:
                yield Entry(path, "file", descriptor)

    def _patterns(self, descriptor: int, above: str, names: Iterable[str]) -> Patterns:
        """Return what a package leaves out. A package inside of another has patterns of its own, and no others."""
        if ignore.FILE not in names:
            return Patterns()
        data, _ = folder.read(ignore.FILE, descriptor)
        try:
            return Patterns(data.decode())
        except UnicodeDecodeError:
            self._leave_alone(f"{above}{ignore.FILE}", "it is not UTF-8")
            return Patterns()
