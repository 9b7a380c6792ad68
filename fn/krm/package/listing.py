"""The files below a directory that `.krmignore` does not leave out (docs/reference/packages.md, "What is read").

A `Directory` has the contents of all these files, for a merge or for rendering.
"""

from __future__ import annotations

import os
import re

from krm.package import folder, paths
from krm.resource import KPTFILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from typing import Final, Literal, TypeAlias

    from krm.package.folder import Folder

    FileKind: TypeAlias = Literal["file", "leftover", "link", "linked directory"]

NOT_UTF_8: Final = "not UTF-8"
DEEP: Final = "deep path"
IGNORE = ".krmignore"
HIDDEN = ".*"
"""The pattern of the names that shells and most tools do not show."""


class FolderEntry:
    """A file or a link. A `leftover` is the staged file of a run that was killed.

    `parent` is the descriptor of the directory that it is in, which is open until the next entry is asked for.
    """

    def __init__(self, path: str, kind: FileKind, parent: int) -> None:
        self.path = path
        self.name = path.rpartition("/")[2]
        self.kind: FileKind = kind
        self.parent = parent


class DirectoryWalk:
    """A walk over a directory.

    `leave_alone` gets each `.krmignore` that is no text, and each directory too deep: its path, why, and what such
    things are counted as.

    `patterns` count in the place of those that `.krmignore` files have.
    """

    def __init__(self, leave_alone: Callable[[str, str, str], None], patterns: Patterns | None = None) -> None:
        self._leave_alone = leave_alone
        self._given = patterns
        self._packages: dict[str, Patterns] = {}

    def leaves_out(self, path: str) -> bool:
        """True if the patterns that were met leave out a file, or a directory that it is in, there or to come."""
        base = max((each for each in self._packages if path.startswith(each)), key=len, default="")
        inside = path.removeprefix(base)
        patterns = self._packages.get(base, Patterns())
        is_below = any(patterns.leave_out(each, is_folder=True) for each in paths.folders_above(inside))
        return is_below or patterns.leave_out(inside, is_folder=False)

    def entries(
        self, descriptor: int, above: str = "", around: tuple[Patterns, str] | None = None
    ) -> Iterator[FolderEntry]:
        """Yield what is in an open directory, and below it. FnError if a directory in it cannot be opened.

        `above` is its path with a `/` behind it. `around` are the patterns of the package that it is in, and where that
        starts; None for the directory that was asked for.
        """
        with os.scandir(descriptor) as scanned:
            found = {entry.name: entry for entry in scanned}
        patterns, base = around or (Patterns(), above)
        if around is None or KPTFILE in found:
            patterns, base = self._patterns(descriptor, above, found), above
            self._packages[base] = patterns
        # Directories among the files, by name: the order in which Go walks a tree, and so kpt.
        for name in sorted(found):
            path = f"{above}{name}"
            # A link to a directory would be followed out of the package, or in a circle.
            is_folder = found[name].is_dir(follow_symlinks=False)
            if paths.is_staged(name) and found[name].is_file(follow_symlinks=False):
                yield FolderEntry(path, "leftover", descriptor)
            elif paths.unread(path) is not None or patterns.leave_out(path.removeprefix(base), is_folder=is_folder):
                continue
            elif not is_folder:
                yield FolderEntry(path, _kind(found[name]), descriptor)
            # A file at the end of it would be one step more.
            elif (reason := paths.unread(f"{path}/.")) is not None:
                self._leave_alone(path, f"a path in it {reason}", DEEP)
            else:
                with folder.failing(path):
                    below = os.open(name, folder.BELOW, dir_fd=descriptor)
                try:
                    yield from self.entries(below, f"{path}/", (patterns, base))
                finally:
                    os.close(below)

    def _patterns(self, descriptor: int, above: str, names: Iterable[str]) -> Patterns:
        """Return what a package leaves out. A package inside of another has patterns of its own, and no others."""
        if self._given is not None or IGNORE not in names:
            return self._given or Patterns()
        try:
            with folder.failing(f"{above}{IGNORE}"):
                return Patterns(folder.read(IGNORE, descriptor)[0].decode())
        except UnicodeDecodeError:
            self._leave_alone(f"{above}{IGNORE}", "it is not UTF-8", NOT_UTF_8)
            return Patterns()


class Directory:
    """A directory as it was read: the contents of its files by their paths, and their states.

    `links` are symbolic links with their targets, which are never followed. `left_alone` has the paths that were not
    read, and why. `leftovers` are the staged files of a run that was killed.
    """

    def __init__(self, opened: Folder, patterns: Patterns | None = None, known: Container[str] = ()) -> None:
        """Read a directory but for the files that are `known`. FnError if one cannot be read.

        `patterns` leave out files in the place of those of each `.krmignore`.
        """
        self.name = opened.name
        self.contents: dict[str, bytes] = {}
        self.states: dict[str, os.stat_result] = {}
        self.links: dict[str, str] = {}
        self.left_alone: dict[str, str] = {}
        self.leftovers: list[str] = []
        self.listing = DirectoryWalk(self._leave_alone, patterns)
        for entry in self.listing.entries(opened.descriptor):
            if entry.kind == "leftover":
                self.leftovers.append(entry.path)
            # Its target is compared, and never read: that could lie outside of the directory.
            elif entry.kind != "file":
                self.links[entry.path] = os.readlink(entry.name, dir_fd=entry.parent)
            elif entry.path not in known:
                with folder.failing(entry.path):
                    self.contents[entry.path], self.states[entry.path] = folder.read(entry.name, entry.parent)

    def named(self, path: str) -> str:
        """Return how the user calls a file."""
        return folder.called(self.name, path)

    def forget_left_out(self, by: Iterable[Directory]) -> None:
        """Forget files that some side leaves out: what nobody was to see is neither new nor deleted."""
        listings = [side.listing for side in by]
        for path in [each for each in self.contents if any(listing.leaves_out(each) for listing in listings)]:
            del self.contents[path]

    def below(self, package: str) -> dict[str, bytes]:
        """Return the files of a package that is in a directory."""
        return {path: data for path, data in self.contents.items() if path.startswith(f"{package}/")}

    def _leave_alone(self, path: str, reason: str, _: str) -> None:
        self.left_alone[path] = reason


def leftovers(directory: Folder) -> list[str]:
    """Return the staged files of a run that was killed, which are below a directory. FnError as for `entries`."""
    listing = DirectoryWalk(lambda *_: None, Patterns(HIDDEN))
    return [entry.path for entry in listing.entries(directory.descriptor) if entry.kind == "leftover"]


def _kind(entry: os.DirEntry[str]) -> FileKind:
    """Return what something in a directory is that is no directory itself."""
    if not entry.is_symlink():
        return "file"
    try:
        return "linked directory" if entry.is_dir() else "link"
    except OSError:  # it leads to itself, or through a closed directory
        return "link"


# The patterns, as kpt reads them.


class Patterns:
    """The patterns of one `.krmignore`. Paths are relative to its directory.

    A pattern with `/` in front is compared with the first parts of a path, any other with the last ones, as many as
    the pattern has. A pattern with `/` at its end leaves out directories alone. What `!` lets in stays in, wherever
    that stands in the file: kpt asks for these first.
    """

    def __init__(self, text: str = "") -> None:
        lines = [line.strip(" ") for line in text.splitlines()]
        written = [
            line.removeprefix("\\") if line.startswith("\\#") else line for line in lines if line[:1] not in ("", "#")
        ]
        self._let_in = [_compiled(line[1:]) for line in written if line.startswith("!") and line.strip("!/")]
        self._left_out = [_compiled(line) for line in written if not line.startswith("!") and line.strip("/")]

    def leave_out(self, path: str, *, is_folder: bool) -> bool:
        """True if a file, or a directory with all below it, is left out."""
        # gitignore lets the last matching line decide. kpt does not, and a package must have the same files to both.
        let_in, left_out = (
            any((is_folder or not only_folders) and pattern.fullmatch(path) for pattern, only_folders in patterns)
            for patterns in (self._let_in, self._left_out)
        )
        return left_out and not let_in


def _compiled(written: str) -> tuple[re.Pattern[str], bool]:
    """Return the regular expression of a pattern for a whole path, and True if it is for directories alone."""
    pattern, only_folders = "".join(_translated(written.strip("/"))), written.endswith("/")
    if not written.startswith("/"):
        pattern = f"(?:.*/)?{pattern}"
    # The first parts of a longer path name a directory: it has been asked about already, as one.
    elif not only_folders:
        pattern = f"{pattern}(?:/.*)?"
    return re.compile(pattern, re.DOTALL), only_folders


_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<star>\*+)|(?P<any>\?)|\[(?P<not>\^?)(?P<class>(?:\\.|[^\\\]]){1,255})\]|(?P<one>.)",
    re.DOTALL,
)
_RANGE = re.compile(r"\\?(.)(?:-\\?(.))?", re.DOTALL)


def _translated(pattern: str) -> Iterator[str]:
    """Yield the regular expressions of the parts of a pattern: no `*` goes across a `/`."""
    for token in _TOKEN.finditer(pattern):
        if token["star"]:
            # `**` is no more than `*` to kpt: it matches with Go's filepath.Match.
            yield "[^/]*"
        elif token["any"]:
            yield "[^/]"
        elif token["class"]:
            ranges = ((re.escape(first), re.escape(last or first)) for first, last in _RANGE.findall(token["class"]))
            # A range that runs backwards has no character. No name has that of an empty class.
            inside = "".join(f"{first}-{last}" for first, last in ranges if first[-1] <= last[-1])
            yield f"(?!/)[{token['not']}{inside or chr(0)}]"
        else:
            yield re.escape(token["escaped"] or token["one"])
