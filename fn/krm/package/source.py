"""A directory read as a list of resources: which files it has, and the ResourceList that they are.

Which files are read, in which order, and how they are counted is as kpt does it (docs/packages.md, "What is read").
"""

from __future__ import annotations

import os
import stat

from krm.package import folder, ignore, paths
from krm.package.files import File, NotRead
from krm.package.ignore import Patterns
from krm.results import WARNING, Result
from krm.yamltree import style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.package.files import Document
    from krm.package.folder import Folder

LEFT_ALONE = "LeftAlone"
_GIT = ".git"
_HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


class Package:
    """The files of a directory that hold YAML, by path, in the order in which kpt reads them.

    `left_alone` tells of each file that might hold resources and was not read, and why. `leftovers` are the staged
    files of a run that was killed.
    """

    __slots__ = ("files", "left_alone", "leftovers")

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.left_alone: list[Result] = []
        self.leftovers: list[str] = []

    def documents(self) -> Iterator[Document]:
        """Yield the resources of all files."""
        for file in self.files.values():
            yield from file.documents

    def locate(self, found: Iterable[Result]) -> None:
        """Let results about the resources of these files name the lines of the files."""
        documents = {(path, one.index): one.resource for path, file in self.files.items() for one in file.documents}
        for result in found:
            document = documents.get((result.file or "", -1 if result.index is None else result.index))
            if document is not None:
                result.line_of = document.line

    def leave_alone(self, path: str, reason: str) -> None:
        """Note that a file is left alone, and why."""
        self.left_alone.append(Result(f"left alone: {reason}", WARNING, LEFT_ALONE, file=paths.visible(path)))


def read(directory: Folder, below: Iterable[str] = ("",)) -> Package:
    """Read a directory; given paths in it, the files and directories at these. FnError where one cannot be read."""
    package = Package()
    for path in below:
        place = path or directory.name
        try:
            with directory.parent(path or ".") as (descriptor, name):
                is_folder = not path or stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
                if not is_folder:
                    _read(package, path, name, descriptor)
            if is_folder:
                with directory.parent(f"{path}/." if path else ".") as (descriptor, _):
                    _walk(package, descriptor, f"{path}/" if path else "", None, "")
        except OSError as error:
            raise folder.failure(place, error) from None
    return package


def text(package: Package, function_config: str = "") -> Iterator[str]:
    """Yield the ResourceList of a package, in pieces; `function_config` is a mapping in block style at column 0."""
    elements = [document.element for document in package.documents()]
    yield _HEAD
    yield "items:\n" if elements else "items: []\n"
    yield from elements
    if function_config:
        yield "functionConfig:\n"
        yield "\n".join(style.indented(function_config.split("\n"), 2))


def _walk(package: Package, descriptor: int, above: str, patterns: Patterns | None, base: str) -> None:
    """Read the files of an open directory and of those below it.

    `above` is its path with a `/` behind it. `patterns` are those of the package that it is in, which starts at `base`;
    None for the directory that was asked for.
    """
    with os.scandir(descriptor) as scanned:
        entries = {entry.name: entry for entry in scanned}
    if patterns is None or paths.KPTFILE in entries:
        patterns, base = _patterns(package, descriptor, above, entries), above
    # Directories among the files, by name: the order in which Go walks a tree, and so kpt.
    for name in sorted(entries):
        path = f"{above}{name}"
        is_folder = entries[name].is_dir(follow_symlinks=False)
        if name.endswith(paths.STAGED):
            package.leftovers.append(path)
        # Branches are files in `.git`, and one may be called `a.yaml`.
        if not (is_folder or paths.is_resource_file(name)) or name == _GIT:
            continue
        if patterns.leave_out(path.removeprefix(base), is_folder=is_folder):
            continue
        if is_folder:
            below = os.open(name, folder.BELOW, dir_fd=descriptor)
            try:
                _walk(package, below, f"{path}/", patterns, base)
            finally:
                os.close(below)
        else:
            _read(package, path, name, descriptor)


def _patterns(package: Package, descriptor: int, above: str, entries: Iterable[str]) -> Patterns:
    """Return what a package leaves out. A package inside of another has patterns of its own, and no others."""
    if ignore.FILE not in entries:
        return Patterns()
    data, _ = folder.read(ignore.FILE, descriptor)
    try:
        return Patterns(data.decode())
    except UnicodeDecodeError:
        package.leave_alone(f"{above}{ignore.FILE}", "it is not UTF-8")
        return Patterns()


def _read(package: Package, path: str, name: str, descriptor: int) -> None:
    """Read a file in an open directory, or note why it is left alone."""
    if paths.has_unseen(path):
        package.leave_alone(path, "its name has control characters")
        return
    try:
        package.files[path] = File(path, *folder.read(name, descriptor))
    except (NotRead, OSError) as reason:
        package.leave_alone(path, getattr(reason, "strerror", None) or str(reason))
