"""A list of resources as changes of the files of a directory, none of which is made yet.

The directory gets what the list has: a resource that the list no longer holds goes from its file, and a file that
held no other goes too. A file whose resources are as they were is not among the changes (docs/packages.md, "What is
written").
"""

from __future__ import annotations

import re

from krm import newitem
from krm.package import layout, paths, wire
from krm.package.folder import refused
from krm.resource import Resource
from krm.results import ERROR, FnError
from krm.yamltree import cuts, lines
from krm.yamltree.editor import EditError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from krm.package.files import Document, File
    from krm.package.folder import Folder
    from krm.package.paths import Place
    from krm.package.source import Package

_ONE_OBJECT = "a JSON file holds one object, and several have this path: give each a path of its own"


class Change:
    """A file before and after: `before` is None for one that is not there yet, `after` for one that goes."""

    __slots__ = ("after", "before", "path", "state")

    def __init__(self, path: str, before: bytes | None, after: bytes | None, state: os.stat_result | None) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.state = state


def changes(directory: Folder, package: Package, items: Iterable[Resource]) -> list[Change]:
    """Return the changes by which the files of a package get the resources of a list. FnError with every refusal."""
    places = paths.places(items)
    count = len([*package.documents()])
    if count and not places:
        # A program that failed often prints such a list, and nobody means to empty a directory that way.
        kept = "nothing is deleted; delete the files if you mean that"
        message = f"the list has no resource, and the directory has {count}: {kept}"
        raise FnError(refused(directory.name, message))
    by_path: dict[str, list[Place]] = {path: [] for path in package.files}
    for place in places:
        # kpt lists documents that are no resources too: those of a file stay in it as they are.
        if place.path not in package.files or (place.item.api_version and place.item.kind):
            by_path.setdefault(place.path, []).append(place)
    found: list[Change] = []
    mistakes = [*paths.clashes(by_path.keys() - package.files.keys(), _staying(package, by_path))]
    for path, together in by_path.items():
        try:
            file = package.files.get(path)
            change = _new(directory, package, path, together) if file is None else _changed(file, together)
        except FnError as error:
            mistakes += error.results
            continue
        # An unchanged file keeps its time of change, which `make` and editors look at.
        if change.before != change.after:
            found.append(change)
    if mistakes:
        raise FnError(*mistakes)
    return found


def _staying(package: Package, by_path: dict[str, list[Place]]) -> list[str]:
    """Return the paths of the files that will be there."""
    return [path for path, together in by_path.items() if together or not package.files[path].documents]


def _new(directory: Folder, package: Package, path: str, places: list[Place]) -> Change:
    if package.leaves_out(path):
        raise FnError(refused(path, "`.krmignore` leaves it out, so it would not be read again: choose another path"))
    # Ignored, no YAML, a template of Helm: what was not understood is not overwritten.
    if directory.read(path) is not None:
        raise FnError(refused(path, "it is there and was not read, so it is not written: choose another path"))
    texts = [_text(place.item) for place in sorted(places, key=paths.Place.order)]
    if path.endswith(".json"):
        if len(texts) > 1:
            raise FnError(refused(path, _ONE_OBJECT))
        after = newitem.json(texts[0], path).text
    else:
        after = "---\n".join(map(newitem.ended, texts))
    return Change(path, None, after.encode(), None)


def _changed(file: File, places: list[Place]) -> Change:
    """Return the change of a file that is there."""
    places = sorted(places, key=paths.Place.order)
    after: str | None = file.text
    # What came back as it was sent needs no parsing: most files of a package.
    if [place.item.text for place in places] != [document.element for document in file.documents]:
        after = _Rewriting(file, places).text()
    data = None if after is None else (file.mark + after).encode()
    return Change(file.path, file.data, data, file.state)


class _Rewriting:
    """A file while it is given other resources. Its parts are its documents, whole, each with its `---`."""

    def __init__(self, file: File, places: list[Place]) -> None:
        self._file = file
        self._places = places
        self._pairs = _paired(file.documents, places)
        # By number: a search for each part would take the square of their number.
        self._documents = {document.number: document for document in file.documents}
        self._kept = {document.number: place for place, document in self._pairs.items()}
        self._newline = lines.newline(file.text, len(file.text))

    def text(self) -> str | None:
        """Return the text of the file, None where nothing is left of it but comments."""
        if self._file.is_json and len(self._places) > 1:
            raise FnError(refused(self._file.path, _ONE_OBJECT))
        parts = [self._part(one) if isinstance(one, int) else self._added(one) for one in self._order()]
        text = _joined(parts, self._newline)
        return text if _count(text) else None

    def _order(self) -> list[int | Place]:
        """Return the numbers of the parts and the places that are new, in the order of the file to be.

        Where resources have changed places, each takes the part of another; documents that are none stay.
        """
        wanted = [self._pairs[place].number if place in self._pairs else place for place in self._places]
        order: list[int | Place] = []
        for number in range(len(self._file.spans)):
            if number not in self._kept:
                order.append(number)
                continue
            while not isinstance(one := wanted.pop(0), int):
                order.append(one)
            order.append(one)
        return order + wanted

    def _part(self, number: int) -> str:
        """Return the text that a part of the file gets."""
        start, end = self._file.spans[number]
        part = self._file.text[start:end]
        document = self._documents.get(number)
        if document is None:
            return part
        place = self._kept.get(number)
        if place is None:
            return _comments_of_file(document) if number == 0 else ""
        return part if place.item.text == document.element else self._edited(document, place.item)

    def _edited(self, document: Document, item: Resource) -> str:
        """Return a document with the data of an item: the item's own text if it is laid out as the document is."""
        own, update = document.resource, wire.document(item, document.resource)
        edited = Resource(self._file.text, own.span, item.label, json=self._file.is_json)
        try:
            layout.amend(edited, update)
        except EditError as error:
            raise FnError(item.result(f"its document cannot be changed: {error}", ERROR, "NotEditable")) from None
        # The item's own text has changes of comments too, but it must be the file's in everything else. JSON is never
        # so: the annotations that it was sent with are not written as JSON.
        source = own.source
        if self._file.is_json or not wire.is_exact(document.element, own):
            return edited.text
        body = update.text if source.endswith("\n") else update.text.removesuffix("\n")
        written = source[: wire.head(source)] + body.replace("\n", lines.newline(source, len(source)))
        return written if layout.is_laid_out_alike(written, edited.text) else edited.text

    def _added(self, place: Place) -> str:
        return _text(place.item).replace("\n", self._newline)


# Comments may stand above a document's own `---`: it needs no second one.
_OWN_START = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?\n)*---(?:\s|\Z)")
# A `---` or a blank line parts the comments of the file from those of its first resource, which go with it.
_DETACHED = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?\n)*?(?=---\s)|(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t\r]*\n")


def _comments_of_file(document: Document) -> str:
    """Return the comments that the first document of a file has above it, and which are the file's: a licence say."""
    found = _DETACHED.match(document.resource.source)
    return found[0] if found else ""


def _joined(parts: list[str], newline: str) -> str:
    """Return the text of parts, each but the first with a `---` above it."""
    text = ""
    for part in filter(None, parts):
        # Above the first document that holds something comments may stand, and they need no `---` behind them.
        if text and not _OWN_START.match(part) and _count(text):
            text = f"{newitem.ended(text)}---{newline}"
        text = (newitem.ended(text) if text else "") + part
    return text


def _count(text: str) -> int:
    """Return the number of documents that hold something."""
    return sum(holds_more for _, holds_more in cuts.documents(text))


def _paired(documents: Sequence[Document], places: Iterable[Place]) -> dict[Place, Document]:
    """Return the document that each place has the resource of: by what it is called, else by its index.

    By name first, so that a run that was cut short can be run again: the indexes may then be those of another text.
    """
    # Each rule goes over all places before the next: a weaker one must not take what a stronger one would pair.
    left = [*documents]
    pairs: dict[Place, Document] = {}
    for is_one in (_is_same, _is_called_alike, _has_index):
        for place in places:
            found = None if place in pairs else next((one for one in left if is_one(place, one)), None)
            if found is not None:
                pairs[place] = found
                left.remove(found)
    return pairs


def _is_same(place: Place, document: Document) -> bool:
    return _has_index(place, document) and _is_called_alike(place, document)


def _has_index(place: Place, document: Document) -> bool:
    return place.index == document.index


def _is_called_alike(place: Place, document: Document) -> bool:
    one, other = place.item, document.resource
    # Most items come back as they were sent: equal texts need no parsing.
    if one.text == document.element:
        return True
    return (one.group, one.kind, one.namespace, one.name) == (other.group, other.kind, other.namespace, other.name)


def _text(item: Resource) -> str:
    """Return an item as a document of its own."""
    return wire.document(item).text
