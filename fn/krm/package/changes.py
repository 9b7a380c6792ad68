"""The changes of a package's files, none of which is made yet: a file without a changed resource is not among them.

In a file that changes, every other byte stays (docs/reference/packages.md, "What is written").
"""

from __future__ import annotations

import re
from collections import deque

from krm import envelope, newitem
from krm.package import paths, wire
from krm.package.folder import refused
from krm.package.paths import Place
from krm.resource import STATE
from krm.results import FnError
from krm.yamltree import cuts, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Sequence

    from krm.file import File
    from krm.package.files import Package
    from krm.package.folder import Folder
    from krm.resource import Resource

_UNREAD = "it is there and was not read, so it is not written: choose another path"
_LEFT_ALONE = "it was left alone: {}; so it is not written: mend it, delete it, or choose another path"
_CONFLICT = "it has a conflict in line {}, so it was not read: resolve or delete it, and run again"
_MARKER = re.compile(rb"^<{7}(?: |\r?$)", re.MULTILINE)
_ONE_OBJECT = "a JSON file holds one object, and several have this path: give each a path of its own"
# A `---` or a blank line parts the comments of the file from those of its first resource, which go with it.
_DETACHED = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?\n)*?(?=---\s)|(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t\r]*\n")


class Change:
    """A file before and after: `before` is None for one that is not there yet, `after` for one that goes.

    `state` is that of the file as it was read. `mode` has the permissions of the new file where they are to be others.
    """

    __slots__ = ("after", "before", "mode", "path", "state")

    def __init__(
        self,
        path: str,
        before: bytes | None,
        after: bytes | None,
        state: os.stat_result | None,
        mode: int | None = None,
    ) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.state = state
        self.mode = mode

    @property
    def has_state(self) -> bool:
        """True if the file remembers what was generated, or did."""
        return STATE.encode() in (self.after or self.before or b"")


def of(directory: Folder, package: Package) -> list[Change]:
    """Return the changes by which the files of a package get its items as they are now. FnError with every refusal."""
    present = set(map(id, package.entries))
    there = [Place(one, one.path or "", one.index) for one in package.resources if id(one) in present]
    return of_places(directory, package, [*there, *paths.places(package.added, package.placed)], _changed)


def of_places(
    directory: Folder,
    package: Package,
    places: Iterable[Place],
    changed: Callable[[File, list[Place]], list[Change]],
) -> list[Change]:
    """Return the changes by which each file gets the items that have a place in it. FnError with every refusal.

    `changed` returns the change of a file that is there.
    """
    files = package.files
    by_path: dict[str, list[Place]] = {path: [] for path in files}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    staying = [path for path, together in by_path.items() if together or not files[path].resources]
    mistakes = [*paths.clashes(by_path.keys() - files.keys(), staying, by_path.keys() - {*staying})]
    found: list[Change] = []
    for path, together in by_path.items():
        try:
            together.sort(key=Place.order)
            found += changed(files[path], together) if path in files else [_new(directory, package, path, together)]
        except FnError as error:
            mistakes += error.results
    if mistakes:
        raise FnError(*mistakes)
    return found


def _new(directory: Folder, package: Package, path: str, places: list[Place]) -> Change:
    if package.leaves_out(path):
        raise FnError(refused(path, "`.krmignore` leaves it out, so it would not be read again: choose another path"))
    # Ignored, no YAML, a template of Helm: what was not understood is not overwritten.
    there = directory.read(path)
    if there is not None:
        marker = _MARKER.search(there[0])
        line = 0 if marker is None else there[0].count(b"\n", 0, marker.start()) + 1
        raise FnError(refused(path, _CONFLICT.format(line) if line else _unread(package, path)))
    texts = [text(place.item) for place in places]
    if path.endswith(".json"):
        if len(texts) > 1:
            raise FnError(refused(path, _ONE_OBJECT))
        after = newitem.json(texts[0], path).text
    else:
        after = newitem.ended(newitem.joined(texts, "\n"))
    return Change(path, None, after.encode(), None)


def _unread(package: Package, path: str) -> str:
    """Return why a file that is there is not written, with the reason for which it was not read where that is known."""
    return _LEFT_ALONE.format(package.reasons[path]) if path in package.reasons else _UNREAD


def change(file: File, after: str | None) -> list[Change]:
    """Return the change of a file that is to have another text, None for no file; [] if it has that text already."""
    # An unchanged file keeps its time of change, which `make` and editors look at.
    if after == file.written:
        return []
    return [Change(file.path, file.data, None if after is None else (file.mark + after).encode(), file.state)]


def rewritten(file: File, wanted: Sequence[int | Resource], texts: dict[int, str]) -> str | None:
    """Return the text of a file with other resources, None where nothing is left of it but comments.

    `wanted` are the numbers of the documents that stay, and the items that come, in the order that they get. `texts`
    are new texts of documents, by their numbers.
    """
    if file.is_json and len(wanted) > 1:
        raise FnError(refused(file.path, _ONE_OBJECT))
    newline = lines.newline(file.text, len(file.text))
    gone = file.resources.keys() - {one for one in wanted if isinstance(one, int)}
    parts = []
    for one in _order(file, wanted, gone):
        if not isinstance(one, int):
            new = newitem.json(text(one), file.path).text if file.is_json else text(one)
            parts.append(new.replace("\n", newline))
        elif one not in gone:
            parts.append(texts[one] if one in texts else file.parts[one].resource.source)
    joined = (_comments_of_file(file.parts[0].resource.source) if 0 in gone else "") + newitem.joined(parts, newline)
    return joined if any(holds_more for _, holds_more in cuts.documents(joined)) else None


def text(item: Resource) -> str:
    """Return an item as a document of its own."""
    return wire.document(item).text


def _changed(file: File, places: list[Place]) -> list[Change]:
    """Return the change of a file whose resources have changed, and to and from which some may have come and gone."""
    numbers = {id(one): number for number, one in file.resources.items()}
    wanted = [numbers.get(id(place.item), place.item) for place in places]
    if wanted == [*file.resources]:
        made = [*envelope.changes(tuple(file.resources.values()))]
        is_same = not made and (file.text == file.written or not file.text)
        return [] if is_same else change(file, "".join(envelope.spliced(file.text, (0, len(file.text)), made)))
    taken: dict[tuple[str, int], Resource] = {}
    for place in places:
        place.take(taken)
    return change(file, rewritten(file, wanted, {number: one.text for number, one in file.resources.items()}))


def _order(file: File, wanted: Iterable[int | Resource], gone: Collection[int]) -> list[int | Resource]:
    """Return the documents of the file to be: where resources have changed places, each takes the part of another.

    Documents that are no resources stay where they are.
    """
    left = deque(wanted)
    order: list[int | Resource] = []
    for number in range(len(file.parts)):
        if number in gone or number not in file.resources:
            order.append(number)
            continue
        while not isinstance(one := left.popleft(), int):
            order.append(one)
        order.append(one)
    return [*order, *left]


def _comments_of_file(first: str) -> str:
    """Return the comments that the first document of a file has above it, and which are the file's: a licence say."""
    found = _DETACHED.match(first)
    return found[0] if found else ""
