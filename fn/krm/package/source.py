"""A directory read as a list of resources: which files it has, and the ResourceList that they are.

Which files are read, in which order, and how they are counted is as kpt does it (docs/packages.md, "What is read").
"""

from __future__ import annotations

import os
import stat

from krm.package import folder, paths
from krm.package.files import File, NotRead, SeveralError
from krm.package.listing import Listing
from krm.yamltree import style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.package.files import Document
    from krm.package.folder import Folder
    from krm.results import Result

_HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


class Package:
    """The files of a directory that hold YAML, by path, in the order in which kpt reads them.

    `left_alone` tells of each file that might hold resources and was not read, and why. `leftovers` are the staged
    files of a run that was killed. `listings` are the walks that found the files.
    """

    __slots__ = ("files", "left_alone", "leftovers", "listings")

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.left_alone: list[Result] = []
        self.leftovers: list[str] = []
        self.listings: list[Listing] = []

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

    def leaves_out(self, path: str) -> bool:
        """True if a `.krmignore` leaves out a file: written there, it would not be read again."""
        return any(listing.leaves_out(path) for listing in self.listings)

    def leave_alone(self, path: str, reason: str) -> None:
        """Note that a file is left alone, and why."""
        self.left_alone.append(folder.left_alone(path, reason))


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
                # With `/.` behind it the directory itself is a step, too: no step follows a link.
                with directory.parent(f"{path}/." if path else ".") as (descriptor, _):
                    _read_all(package, descriptor, f"{path}/" if path else "")
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


def _read_all(package: Package, descriptor: int, above: str) -> None:
    """Read the files of an open directory and of those below it. `above` is its path with a `/` behind it."""
    listing = Listing(package.leave_alone)
    package.listings.append(listing)
    for entry in listing.entries(descriptor, above):
        if entry.kind == "staged":
            package.leftovers.append(entry.path)
        elif entry.kind == "linked directory":
            package.leave_alone(entry.path, folder.LINK)
        elif paths.is_resource_file(entry.name):
            _read(package, entry.path, entry.name, entry.folder)


def _read(package: Package, path: str, name: str, descriptor: int) -> None:
    """Read a file in an open directory, or note why it is left alone."""
    if paths.has_unseen(path):
        package.leave_alone(path, "its name has control characters")
        return
    try:
        package.files[path] = File(path, *folder.read(name, descriptor))
    except (NotRead, OSError) as reason:
        package.leave_alone(path, getattr(reason, "strerror", None) or str(reason))
    except SeveralError as error:
        package.left_alone += error.results
