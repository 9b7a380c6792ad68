"""All files of a directory as they are, whatever they hold: what is merged, and what is rendered."""

from __future__ import annotations

import os

from krm.package import folder
from krm.package.listing import Listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from krm.package.folder import Folder
    from krm.package.listing import FolderEntry, Patterns


class Directory:
    """A directory as it was read: the contents of its files by their paths, and their states.

    `links` are symbolic links with their targets, which are never followed. `left_alone` has the paths that were not
    read, and why.
    """

    __slots__ = ("contents", "left_alone", "links", "listing", "name", "states")

    def __init__(self, opened: Folder, patterns: Patterns | None = None, known: Container[str] = ()) -> None:
        """Read a directory but for the files that are `known`. FnError where one cannot be read.

        `patterns` leave out files in the place of those of each `.krmignore`.
        """
        self.name = opened.name
        self.contents: dict[str, bytes] = {}
        self.states: dict[str, os.stat_result] = {}
        self.links: dict[str, str] = {}
        self.left_alone: dict[str, str] = {}
        self.listing = Listing(self._leave_alone, patterns)
        for entry in self.listing.entries(opened.descriptor):
            # Its target is compared, and never read: that could lie outside of the directory.
            if entry.kind != "file":
                self.links[entry.path] = os.readlink(entry.name, dir_fd=entry.folder)
            elif entry.path not in known:
                self._read(entry)

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

    def _read(self, entry: FolderEntry) -> None:
        try:
            self.contents[entry.path], self.states[entry.path] = folder.read(entry.name, entry.folder)
        except OSError as error:
            raise folder.failure(entry.path, error) from None

    def _leave_alone(self, path: str, reason: str, _: str) -> None:
        self.left_alone[path] = reason
