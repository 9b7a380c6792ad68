"""The changes of a package's files, none of which is made yet: a file without a changed resource is not among them.

In a file that changes, every other byte stays (docs/reference/packages.md, "What is written").

A directory also gets what a list of another program has: a resource that the list no longer holds goes from its file,
and a file that held no other goes too. The programs between `source` and `sink` may print YAML again, with other
quotes, margins and blank lines, and without comments: none of that is a change of a resource.
"""

from __future__ import annotations

import re
import stat
from collections import deque

from krm import envelope, newitem
from krm.package import paths, wire
from krm.package.paths import FilePlace, refused
from krm.resource import OF_STATE, STATE, Resource
from krm.results import ERROR, FnError
from krm.yamltree import cuts, lines, parser, positions
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable, Sequence

    from krm.file import File
    from krm.package.files import Package

_UNREAD = "it is there and was not read, so it is not written: choose another path"
_LEFT_ALONE = "it was left alone: {}; so it is not written: mend it, delete it, or choose another path"
_CONFLICT = "it has a conflict in line {}, so it was not read: resolve or delete it, and run again"
_MARKER = re.compile(rb"^<{7}(?: |\r?$)", re.MULTILINE)
_ONE_OBJECT = "a JSON file holds one object, and several have this path: give each a path of its own"

EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
"""The permissions of a file that are the business of its source, as in git."""


class FileChange:
    """A file before and after: `before` is None for one that is not there yet, `after` for one that goes.

    `state` is that of the file as it was read. `mode` has the permissions to execute the new file if they change.
    """

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


def of(package: Package) -> list[FileChange]:
    """Return the changes by which the files of a package get its items as they are now. FnError with every refusal."""
    present = set(map(id, package.entries))
    there = [FilePlace(one, one.path or "", one.index) for one in package.resources if id(one) in present]
    return _of_places(package, [*there, *paths.places(package.added, package.placed)], _changed)


def _of_places(
    package: Package, places: Iterable[FilePlace], changed: Callable[[File, list[FilePlace]], list[FileChange]]
) -> list[FileChange]:
    """Return the changes by which each file gets the items that have a place in it. FnError with every refusal.

    `changed` returns the change of a file that is there.
    """
    files = package.files
    by_path: dict[str, list[FilePlace]] = {path: [] for path in files}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    staying = [path for path, together in by_path.items() if together or not files[path].resources]
    mistakes = [*paths.clashes(by_path.keys() - files.keys(), staying, by_path.keys() - {*staying})]
    found: list[FileChange] = []
    for path, together in by_path.items():
        try:
            together.sort(key=FilePlace.order)
            found += changed(files[path], together) if path in files else [_new(package, path, together)]
        except FnError as error:
            mistakes += error.results
    if mistakes:
        raise FnError(*mistakes)
    return found


def _new(package: Package, path: str, places: list[FilePlace]) -> FileChange:
    if package.leaves_out(path):
        raise FnError(refused(path, "`.krmignore` leaves it out, so it would not be read again: choose another path"))
    # Ignored, no YAML, a template of Helm: what was not understood is not overwritten.
    there = package.folder.read(path)
    if there is not None:
        marker = _MARKER.search(there[0])
        problem = _LEFT_ALONE.format(package.reasons[path]) if path in package.reasons else _UNREAD
        if marker is not None:
            problem = _CONFLICT.format(there[0].count(b"\n", 0, marker.start()) + 1)
        raise FnError(refused(path, problem))
    texts = [wire.document(place.item).text for place in places]
    if path.endswith(".json"):
        if len(texts) > 1:
            raise FnError(refused(path, _ONE_OBJECT))
        after = newitem.json(texts[0], path).text
    else:
        after = positions.ended(newitem.joined(texts, "---\n"))
    return FileChange(path, None, after.encode(), None)


def change(file: File, after: str | None) -> list[FileChange]:
    """Return the change of a file that is to have another text, None for no file; [] if it has that text already."""
    # An unchanged file keeps its time of change, which `make` and editors look at.
    if after == file.written:
        return []
    return [FileChange(file.path, file.data, None if after is None else (file.bom + after).encode(), file.state)]


def rewritten(file: File, wanted: Sequence[int | Resource], texts: dict[int, str]) -> str | None:
    """Return the text of a file with other resources, None if nothing is left of it but comments.

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
            own = wire.document(one).text
            new = newitem.json(own, file.path).text if file.is_json else own
            parts.append(new.replace("\n", newline))
        elif one not in gone:
            parts.append(texts[one] if one in texts else file.documents[one].resource.source)
    joined = newitem.joined(parts, f"---{newline}")
    if 0 in gone:
        joined = file.comments + joined
    return joined if any(holds_more for _, holds_more in cuts.documents(joined)) else None


def _changed(file: File, places: list[FilePlace]) -> list[FileChange]:
    """Return the change of a file whose resources were changed, added or removed."""
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
    for number in range(len(file.documents)):
        if number in gone or number not in file.resources:
            order.append(number)
            continue
        while not isinstance(one := left.popleft(), int):
            order.append(one)
        order.append(one)
    return [*order, *left]


# The way around by a list for other programs.


def of_list(package: Package, items: Iterable[Resource]) -> list[FileChange]:
    """Return the changes by which the files of a package get the resources of a list. FnError with every refusal."""
    places = paths.places(items)
    if package.elements and not places:
        # A program that failed often prints such a list, and nobody means to empty a directory that way.
        kept = "nothing is deleted; delete the files if you mean that"
        message = f"the list has no resource, and the directory has {len(package.elements)}: {kept}"
        raise FnError(refused("", message))
    # kpt lists documents that are no resources too: those of a file stay in it as they are.
    wanted = [one for one in places if one.path not in package.files or (one.item.api_version and one.item.kind)]
    return _of_places(package, wanted, lambda file, there: _replaced(file, there, package.elements))


def _replaced(file: File, places: list[FilePlace], elements: dict[int, str]) -> list[FileChange]:
    """Return the change of a file that is there. `elements` are its resources as they were sent, by their `id()`."""
    sent = {number: elements[id(resource)] for number, resource in file.resources.items()}
    # What came back as it was sent needs no parsing: most files of a package.
    if [place.item.text for place in places] == [*sent.values()]:
        return []
    pairs = _paired(file, places, sent)
    texts = {
        number: _edited(file, number, place.item, sent[number])
        for place, number in pairs.items()
        if place.item.text != sent[number]
    }
    return change(file, rewritten(file, [pairs.get(place, place.item) for place in places], texts))


def _edited(file: File, number: int, item: Resource, element: str) -> str:
    """Return a document with the data of an item: the item's own text if that has other comments, laid out alike."""
    from krm.merge.replacing import Reprinted  # noqa: PLC0415 - few runs have a list of another program
    from krm.merge.trees import Tree  # noqa: PLC0415 - as above

    own = file.resources[number]
    update = wire.document(item, own, element)
    edited = Resource(file.text, own.span, item.label, json=file.is_json)
    try:
        # As few changes of its text as that takes.
        edited.editor.amend((), Reprinted(Tree(update.text, update.root), Tree(edited.text, edited.root)).root())
    except EditError as error:
        raise FnError(item.result(f"its document cannot be changed: {error}", ERROR, "NotEditable")) from None
    source = own.source
    body = update.text if source.endswith("\n") else update.text.removesuffix("\n")
    written = source[: wire.head(source)] + body.replace("\n", lines.newline(source, len(source)))
    # The item's own text has changes of comments too, but it must be the file's in everything else. JSON is never so:
    # the annotations that it was sent with are not written as JSON.
    if written == edited.text or file.is_json or not wire.is_exact(element, own):
        return edited.text
    # A state is read by its lines: brackets in brackets, as a difference may be written, would count as damage.
    return written if OF_STATE in written or _has_other_comments(written, edited.text) else edited.text


def _paired(file: File, places: Iterable[FilePlace], sent: dict[int, str]) -> dict[FilePlace, int]:
    """Return the number of the document for the resource of each place: by its name, else by its index.

    By name first, so that a run that was cut short can be run again: the indexes may then be those of another text.
    """
    # Each rule goes over all places before the next: a weaker one must not take what a stronger one would pair.
    left = dict(file.resources)
    pairs: dict[FilePlace, int] = {}
    for is_one in (
        lambda place, own, element: place.index == own.index and _is_called_alike(place, own, element),
        _is_called_alike,
        lambda place, own, _: place.index == own.index,
    ):
        for place in (one for one in places if one not in pairs):
            found = next((number for number, one in left.items() if is_one(place, one, sent[number])), None)
            if found is not None:
                pairs[place] = found
                del left[found]
    return pairs


def _is_called_alike(place: FilePlace, own: Resource, element: str) -> bool:
    one = place.item
    # Most items come back as they were sent: equal texts need no parsing.
    if one.text == element:
        return True
    return (one.group, one.kind, one.namespace, one.name) == (own.group, own.kind, own.namespace, own.name)


def _has_other_comments(one: str, other: str) -> bool:
    """True if two texts of the same data differ in comments, and else in nothing but quotes and blank lines.

    A text that has fewer comments does not count: many programs lose them, and few mean to.
    """
    (gaps, comments), (others, other_comments) = _gaps(one), _gaps(other)
    return gaps == others and comments != other_comments and len(comments) >= len(other_comments)


def _gaps(text: str) -> tuple[list[str], list[str]]:
    """Return what stands between the scalars of a text, without its comments, and these comments."""
    root = parser.parse(text).root
    found = [] if root is None else [*leaves(root)]
    between = zip(
        [0, *(lines.ink_end(text, leaf) for leaf in found)], [*(leaf.start for leaf in found), len(text)], strict=True
    )
    gaps = [_without_blank_lines(re.sub(lines.COMMENT, "", text[start:end])) for start, end in between]
    return gaps, [comment for _, comment in lines.loose_comments(text, 0, len(text), *found)]


def _without_blank_lines(text: str) -> str:
    """Return a text without the blanks ahead of line ends, and with one line end in the place of several."""
    *whole, last = text.split("\n")
    ends = (line.rstrip(" \t\r") for line in whole)
    return "\n".join([*(line for number, line in enumerate(ends) if line or not number), last])
