"""A package as a ResourceList for other programs, and such a list as changes of its files, none of which is made yet.

The directory gets what the list has: a resource that the list no longer holds goes from its file, and a file that
held no other goes too. A file whose resources are as they were is not among the changes (docs/reference/packages.md,
"What is written"). The programs between source and sink may print YAML again, with other quotes, margins and blank
lines, and without comments: none of that is a change of a resource.
"""

from __future__ import annotations

import re

from krm.merge.trees import Tree
from krm.merge.walk import Replacing
from krm.package import files, paths, wire
from krm.package.changes import change, of_places, rewritten
from krm.package.folder import refused
from krm.resource import Resource
from krm.results import ERROR, FnError
from krm.yamltree import lines, parser, style
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Scalar, leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from krm.file import File
    from krm.package.changes import Change
    from krm.package.files import Package
    from krm.package.folder import Folder
    from krm.package.paths import Place

_HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


def read(directory: Folder, below: Iterable[str] = ("",)) -> Package:
    """Read a directory, or what is at some paths in it, as elements. FnError where one cannot be read.

    A file is left alone if one of its resources cannot be an element.
    """
    package = files.read(directory, below)
    for path, file in [*package.files.items()]:
        try:
            package.elements |= {id(one): wire.element(one) for one in file.resources.values()}
        except FnError as error:
            package.leave_alone(path, error.results[0].message, files.NOT_YAML)
    package.left_alone.sort(key=lambda result: result.file or "")
    return package


def text(package: Package, function_config: str = "") -> Iterator[str]:
    """Yield the ResourceList of a package, in pieces; `function_config` is a mapping in block style at column 0."""
    yield _HEAD
    yield "items:\n" if package.elements else "items: []\n"
    yield from package.elements.values()
    if function_config:
        yield "functionConfig:\n"
        yield "\n".join(style.indented(function_config.split("\n"), 2))


def changes(directory: Folder, package: Package, items: Iterable[Resource]) -> list[Change]:
    """Return the changes by which the files of a package get the resources of a list. FnError with every refusal."""
    places = paths.places(items)
    if package.elements and not places:
        # A program that failed often prints such a list, and nobody means to empty a directory that way.
        kept = "nothing is deleted; delete the files if you mean that"
        message = f"the list has no resource, and the directory has {len(package.elements)}: {kept}"
        raise FnError(refused("", message))
    # kpt lists documents that are no resources too: those of a file stay in it as they are.
    wanted = [one for one in places if one.path not in package.files or (one.item.api_version and one.item.kind)]
    return of_places(directory, package, wanted, lambda file, there: _changed(file, there, package.elements))


def _changed(file: File, places: list[Place], elements: dict[int, str]) -> list[Change]:
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
    """Return a document with the data of an item: the item's own text if it is laid out as the document is."""
    own = file.resources[number]
    update = wire.document(item, own)
    edited = Resource(file.text, own.span, item.label, json=file.is_json)
    try:
        _amend(edited, update)
    except EditError as error:
        raise FnError(item.result(f"its document cannot be changed: {error}", ERROR, "NotEditable")) from None
    # The item's own text has changes of comments too, but it must be the file's in everything else. JSON is never so:
    # the annotations that it was sent with are not written as JSON.
    source = own.source
    if file.is_json or not wire.is_exact(element, own):
        return edited.text
    body = update.text if source.endswith("\n") else update.text.removesuffix("\n")
    written = source[: wire.head(source)] + body.replace("\n", lines.newline(source, len(source)))
    return written if _is_laid_out_alike(written, edited.text) else edited.text


def _paired(file: File, places: Iterable[Place], sent: dict[int, str]) -> dict[Place, int]:
    """Return the number of the document that each place has the resource of: by what it is called, else by its index.

    By name first, so that a run that was cut short can be run again: the indexes may then be those of another text.
    """
    # Each rule goes over all places before the next: a weaker one must not take what a stronger one would pair.
    left = dict(file.resources)
    pairs: dict[Place, int] = {}
    for is_one in (_is_same, _is_called_alike, _has_index):
        for place in places:
            if place not in pairs:
                found = next((number for number, one in left.items() if is_one(place, one, sent[number])), None)
                if found is not None:
                    pairs[place] = found
                    del left[found]
    return pairs


def _is_same(place: Place, own: Resource, element: str) -> bool:
    return _has_index(place, own, element) and _is_called_alike(place, own, element)


def _has_index(place: Place, own: Resource, _: str) -> bool:
    return place.index == own.index


def _is_called_alike(place: Place, own: Resource, element: str) -> bool:
    one = place.item
    # Most items come back as they were sent: equal texts need no parsing.
    if one.text == element:
        return True
    return (one.group, one.kind, one.namespace, one.name) == (own.group, own.kind, own.namespace, own.name)


# In YAML a `#` starts a comment only behind white space: `a#b` is text.
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)


def _amend(document: Resource, update: Resource) -> None:
    """Make a document say what another one says, with as few changes of its text as that takes. EditError."""
    new: Any = update.root
    replacing = Replacing(Tree(update.text, new), Tree(document.text, document.root))
    wanted: Any = replacing.replaced(new, document.root)
    document.editor.amend((), replacing.graft(None, new) if wanted is new else wanted)


def _is_laid_out_alike(one: str, other: str) -> bool:
    """True if two texts of the same data differ in nothing but comments, quotes and blank lines.

    A text that has fewer comments than the other is not: many programs lose them, and few mean to.
    """
    (gaps, comments), (others, other_comments) = _gaps(one), _gaps(other)
    return gaps == others and comments >= other_comments


def _gaps(text: str) -> tuple[list[str], int]:
    """Return what stands between the scalars of a text, without its comments, and how many of these there are."""
    root = parser.parse(text).root
    gaps, comments, position = [], 0, 0
    for leaf in [] if root is None else leaves(root):
        gaps.append(text[position : leaf.start])
        comments += isinstance(leaf, Scalar) and lines.comment_inside(text, leaf) != ""
        position = leaf.end
    gaps.append(text[position:])
    comments += sum(len(_COMMENT.findall(gap)) for gap in gaps)
    return [_without_blank_lines(_COMMENT.sub("", gap)) for gap in gaps], comments


def _without_blank_lines(text: str) -> str:
    """Return a text without the blanks ahead of line ends, and with one line end in the place of several."""
    *whole, last = text.split("\n")
    ends = (line.rstrip(" \t\r") for line in whole)
    return "\n".join([*(line for number, line in enumerate(ends) if line or not number), last])
