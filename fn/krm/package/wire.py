"""A package as a ResourceList for other programs: each document as an element that says where it is from; and back.

Both ways keep every line of the document as it is, but for its margin: what comes back unchanged is the same bytes.
"""

from __future__ import annotations

import re

from krm import newitem
from krm.package import files, paths
from krm.resource import FORMAT, FORMS, INDEX, PATH, Resource
from krm.results import ERROR, FnError
from krm.yamltree import edits, events, lines, parser, positions, style
from krm.yamltree.editor import EditError
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.package.files import Package
    from krm.package.folder import Folder
    from krm.yamltree.nodes import Node

_METADATA = ("metadata",)
_ANNOTATIONS = (*_METADATA, "annotations")
# Comments above a `---` are the file's and stay in it. All others go along with the resource.
_HEAD = re.compile(
    r"""(?:[ \t\r]*(?:\#[^\n]*)?\n)* ---(?:[ \t]+\#[^\n]*|[ \t\r]*)\n (?:[ \t\r]*\n)*
      | (?:[ \t\r]*\n)+""",
    re.VERBOSE,
)
# The start and the end of a list; of a mapping the same, and its key.
_EVENTS_OF_A_LIST = 2
_EVENTS_OF_A_MAPPING = 3


def read(directory: Folder, below: Iterable[str] = ("",)) -> Package:
    """Read a directory, or what is at some paths in it, as elements. FnError if one cannot be read.

    A file is left alone if one of its resources cannot be an element.
    """
    package = files.read(directory, below)
    for path, file in [*package.files.items()]:
        try:
            package.elements |= {id(one): element(one) for one in file.resources.values()}
        except FnError as error:
            package.leave_alone(path, error.results[0].message, files.NOT_YAML)
    package.left_alone.sort(key=lambda result: result.file or "")
    package.elements = dict(_with_unique_anchors(package.elements))
    return package


def text(package: Package, function_config: str = "") -> Iterator[str]:
    """Yield the ResourceList of a package, in pieces; `function_config` is a mapping in block style at column 0."""
    yield "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
    yield "items:\n" if package.elements else "items: []\n"
    yield from package.elements.values()
    if function_config:
        yield "functionConfig:\n"
        yield "\n".join(style.indented(function_config.split("\n"), 2))


def _with_unique_anchors(elements: dict[int, str]) -> Iterator[tuple[int, str]]:
    """Yield the elements, with another name for an anchor that an earlier one has: PyYAML refuses the second one."""
    taken: set[str] = set()
    for number, (key, text) in enumerate(elements.items()):
        own = {name for _, name in _anchors(text)}
        names = {name: _free(f"{name}-{number}", taken | own) for name in own & taken}
        taken |= own | {*names.values()}
        yield key, _renamed(text, names)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-"
    return name


def _anchors(text: str) -> list[tuple[int, str]]:
    """Return the names of the anchors and aliases of a text, each behind the position of its `&` or `*`."""
    if "&" not in text:
        return []
    found = events.read(text, lambda read: [(one.start_mark.index, getattr(one, "anchor", None)) for one in read])
    # A tag may be in front of an anchor.
    return [(start if text[start] == "*" else text.index(f"&{name}", start), name) for start, name in found if name]


def _renamed(text: str, names: dict[str, str]) -> str:
    """Return a text with other names for some of its anchors."""
    found = _anchors(text) if names else ()
    return edits.apply(text, [Edit(at + 1, at + 1 + len(name), names[name]) for at, name in found if name in names])


def element(document: Resource) -> str:
    """Return a document of a file as an element of a list at column 0. FnError if it cannot be one."""
    place = _place(document)
    found = _shifted(body(document.source), place)
    if found is None:
        item = newitem.element(body(document.source), "it")
        item.set_annotations(place)
        found = item.text
    return found


def head(source: str) -> int:
    """Return where the part of a document starts that an element has: behind its `---`, and comments above that."""
    found = _HEAD.match(source)
    return found.end() if found else 0


def document(item: Resource, own: Resource | None = None, sent: str = "") -> Resource:
    """Return an item as a document of its own, without its place.

    `own` is the document that its file has for it, and was `sent` as that element. The document gets back the names of
    its anchors, and what of these annotations the file has: some tools leave them there. Lines end in LF. FnError if an
    item cannot stand alone.
    """
    # By its lines if that works: the editor would give the same data, but might print another layout.
    try:
        text = _unshifted(item) or item.editor.alone(item.base)
    except EditError as error:
        raise FnError(item.result(f"it cannot be a document of its own: {error}", ERROR, "NotEditable")) from None
    if own is not None and "&" in sent:
        # Its aliases do not count: one in the place of the annotations was written out.
        names = ([name for at, name in _anchors(one) if one[at] == "&"] for one in (sent, own.source))
        text = _renamed(text, {name: old for name, old in zip(*names, strict=True) if name != old})
    found = Resource.alone(text, item.label)
    _take_place_away(found, own)
    return Resource.alone(found.text, item.label)


def is_exact(element: str, own: Resource) -> bool:
    """True if the part of a document that its element has comes back from it to the character, line ends aside."""
    item = Resource.alone(element, own.label, (0,))
    is_mixed = own.source.count("\r\n") not in (0, own.source.count("\n"))
    return not is_mixed and document(item, own, element).text == body(own.source)


def body(source: str) -> str:
    """Return the part of a document that an element has, its lines ended with LF."""
    return positions.ended(source[head(source) :].replace("\r\n", "\n"))


def _shifted(body: str, place: dict[str, str]) -> str | None:
    """Return a body as an element by moving its lines; None if that cannot be shown to be the same.

    All lines are moved by the same number of columns, so that nothing changes for a parser that looks at columns.
    It is asked how many events it sees, in the body and in the element.
    """
    # These could be text inside of a scalar, where they are harmless; the editor's way can tell, and is slower.
    if "\n..." in body or "\n---" in body or lines.ODD_BREAKS.search(body):
        return None
    try:
        read = parser.parse(body)
        addressed, added = _addressed(body, read.root, place)
        written = "- " + "\n".join(style.indented(addressed.split("\n"), 2)).removeprefix("  ")
        is_same = events.check(written) == read.events + added + _EVENTS_OF_A_LIST
    except (ParseError, _OddError):
        return None
    return written if is_same else None


class _OddError(Exception):
    """The text has no place for lines of our own, or not one that is easy to find."""


def _addressed(body: str, root: Node | None, place: dict[str, str]) -> tuple[str, int]:
    """Return a body with lines that say where it is from, and the number of events that they are.

    They are the first annotations, above all comments, so that no comment counts as theirs. Without annotations they
    are last in the metadata, as those of the next program would be.
    """
    if _block(root).column or _block(root).start != _block(root).first:
        raise _OddError
    metadata = _block(_block(root).entries.get("metadata"))
    annotations = metadata.entries.get("annotations")
    if annotations is None:
        _behind_key(body, _block(root), "metadata", metadata)
        start = lines.line_below(body, metadata, metadata.first)
        margin = " " * metadata.column
        above, column = f"{margin}annotations:\n", f"{margin}  "
    else:
        start = _behind_key(body, metadata, "annotations", _block(annotations))
        above, column = "", " " * _block(annotations).column
        # A second key of one name would be ambiguous: the editor replaces the one that is there.
        if any(key in _block(annotations).entries for key in paths.KEYS):
            raise _OddError
    # In single quotes, where a path needs no escape but for the quote itself; an index in quotes stays a string.
    quoted = {key: value.replace("'", "''") for key, value in place.items()}
    written = "".join(f"{column}{key}: '{value}'\n" for key, value in quoted.items())
    events = 2 * written.count("\n") + (_EVENTS_OF_A_MAPPING if above else 0)
    return body[:start] + above + written + body[start:], events


def _block(node: Node | None) -> Mapping:
    if not isinstance(node, Mapping) or node.flow:
        raise _OddError
    return node


def _behind_key(body: str, parent: Mapping, name: str, value: Mapping) -> int:
    """Return where the line below a key starts; its value must stand below it."""
    key = next(key for key, _ in parent.pairs() if key.value == name)
    place = lines.next_line(body, key.start)
    if place > value.first or not lines.is_first(body, value.first):
        raise _OddError
    return place


def _place(document: Resource) -> dict[str, str]:
    """Return the annotations that say where a document is from."""
    found = _LIST.search(document.source)
    is_wide = found is not None and len(found[1]) < len(found[2])
    values = {INDEX: str(document.index), PATH: str(document.file)}
    place = {f"{form}{key}": value for form in reversed(FORMS) for key, value in values.items()}
    return {**place, FORMAT: "wide" if is_wide else "compact"}


_HAS_ANNOTATIONS = re.compile(r"^metadata:\n(?=  \S)(?:  .*\n)*?  annotations:\n    [^\s#-].*: *[^\s#]", re.MULTILINE)
# The first list in lines of its own: the margin of its key, and its own.
_LIST = re.compile(r"^( *)[^\s#-].*:\n( *)- ", re.MULTILINE)


def _unshifted(item: Resource) -> str | None:
    """Return the lines of an element of a block list at their own margin; None if it is written in another way."""
    if not item.base:
        return body(item.text)
    found = re.match(r" *- +", item.text)
    if found is None or len(item.base) != 1:
        return None
    margin = " " * found.end()
    first, *others = item.text.split("\n")
    # A comment may stand further left: cut at the margin, it would lose characters.
    if any(line.strip() and not line.startswith(margin) for line in others):
        return None
    return "\n".join([first[found.end() :], *(line[found.end() :] for line in others)])


def _take_place_away(found: Resource, own: Resource | None) -> None:
    """Delete the annotations of a place, and what is empty without them, as kpt does, unless it is so in the file."""
    if own is None and _HAS_ANNOTATIONS.search(found.source) and not any(map(found.may_contain, paths.KEYS)):
        return
    theirs = {} if own is None else own.annotations
    for key in (key for key in paths.KEYS if key in theirs):
        found.set((*_ANNOTATIONS, key), theirs[key])
    ours = {*paths.KEYS} - theirs.keys()
    if found.annotations.keys() <= ours:
        found.delete(_ANNOTATIONS)
        if found.get("metadata") == {}:
            found.delete("metadata")
    else:
        found.delete(*((*_ANNOTATIONS, key) for key in ours))
    if own is None:
        return
    for place in (_METADATA, _ANNOTATIONS):
        if own.find(place) and not own.get(place) and not found.get(place):
            found.set(place, own.get(place))
