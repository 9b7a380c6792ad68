"""Files of a merge: their documents, the objects in them, and the text that a file becomes.

A document is one object, or a list of objects (`kind: List`, or any kind that ends so and has `items`), or none. It is
parsed when something is asked of its object: a document that all sides have alike never is.
"""

from __future__ import annotations

import re

from krm import newitem
from krm.merge.trees import Tree
from krm.resource import DocumentResource, Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import cuts, extracting, lines
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Collection, Mapping, Sequence, at, resolved
from krm.yamltree.target import AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from krm.fieldpath import FieldPath, Place
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

_ITEMS = ("items",)
_START = "---"
_BYTE_ORDER_MARK = "\ufeff"
# Documents are judged by their spelling before anybody parses them; where that can mislead, the answer is to parse.
# A line that is neither blank nor a comment nor a bare `---`.
_HOLDS_MORE = re.compile(r"^(?!---[ \t\r]*(?:#|$)|[ \t\r]*(?:#|$))", re.MULTILINE)
_IS_LIST = re.compile(r"""(?:^|[\s{,'"])kind['"]?\s*:\s*['"]?\w*List\b""")
# In a block mapping at the margin: its lines that start there, but for comments, elements and a bare `---`.
_AT_MARGIN = re.compile(r"^(?!#|- |-[ \t\r]*$|---[ \t\r]*(?:#|$))\S.*", re.MULTILINE)
_PLAIN_KEY = re.compile(r"([A-Za-z][\w./-]*):(?=\s|$)")
_HEAD = ("apiVersion", "kind", "metadata")


class Object:
    """One object of a file: a document, or an element of a document that is a list.

    `keys` has what the object is known by in the steps of the matching, as far as that was asked for.
    """

    __slots__ = ("_span", "keys", "part", "resource")

    def __init__(self, part: Part, resource: Resource, span: tuple[int, int] | None = None) -> None:
        """Take an object. `span` is where it is written in its document, None for all of that."""
        self.part = part
        self.resource = resource
        self._span = span
        self.keys: dict[str, Hashable | None] = {}

    @property
    def text(self) -> str:
        """The text of the object, without the `---` above it."""
        source = self.resource.source
        return _bare(source) if self._span is None else source[slice(*self._span)]

    @property
    def head(self) -> Resource:
        """Its apiVersion, kind and metadata: to match objects by these, most of the text need not be parsed."""
        is_one_of_many = self._span is None and len(self.part.file.parts) > 1
        text = _head(self.resource.source) if is_one_of_many else None
        return self.resource if text is None else Resource(text, (0, len(text)), self.resource.label)

    @property
    def tree(self) -> Tree:
        """The object as one side of a merge."""
        resource = self.resource
        items = at(resource.editor.document.root, *_ITEMS) if resource.base else None
        return Tree(resource.editor.text, resource.root, items if isinstance(items, Sequence) else None)

    def lines(self) -> Callable[[FieldPath], int]:
        """Return a function that gives the line of a field, in the file as it was read."""
        # The object's own resource keeps the tree of the text that it becomes. This one is parsed when a line is shown.
        file, base = self.part.file, self.resource.base
        document = DocumentResource(file.text, self.part.span, file.name, json=file.is_json)
        return lambda place: document.line((*base, *place))

    def release(self) -> None:
        """Drop the tree. It is parsed again when it is needed."""
        # The elements of a list share one tree: without it each of them would parse the whole list.
        if not self.part.is_list:
            self.resource.release()


class Part:
    """One document of a file, and its objects. `is_list` if these are the elements of a list."""

    __slots__ = ("file", "is_list", "objects", "resource", "span")

    def __init__(self, file: File, resource: DocumentResource) -> None:
        """Find the objects. FnError if the document has to be parsed for that, and cannot be."""
        self.file = file
        self.span = resource.span
        self.resource: Resource = resource
        source = resource.source
        # The plain search first: the pattern takes ten times as long, and most texts have no such word.
        items = _items(resource.root) if "List" in source and _IS_LIST.search(source) else None
        self.is_list = items is not None
        if items is not None:
            self.objects = [self._member(number, node) for number, node in enumerate(items.kids)]
        else:
            self.objects = [Object(self, resource)] if holds_more(source) else []
        if "*" in source:
            _check_aliases(resource)

    def _member(self, number: int, node: Node) -> Object:
        editor = self.resource.editor
        label = f"{self.resource.label}: items[{number}]"
        return Object(self, Resource.within(editor, (*_ITEMS, number), label), (node.start, node.end))


class File:
    """The text of a file and its objects. `name` is how messages call it, `path` where it is in a directory."""

    __slots__ = ("is_json", "name", "objects", "parts", "path", "text")

    def __init__(self, text: str, name: str, path: str | None = None) -> None:
        """Read a file. ParseError or FnError if it is not YAML, or an alias in it names nothing."""
        self.text = text
        self.name = name
        self.path = path
        self.is_json = cuts.is_json(text)
        spans = cuts.document_spans(text)
        # Numbers of documents only where there are several: most files have one, and a number would be noise.
        labels = [f"{name}: document {number}" if len(spans) > 1 else name for number in range(1, len(spans) + 1)]
        resources = [
            DocumentResource(text, span, label, json=self.is_json) for span, label in zip(spans, labels, strict=True)
        ]
        self.parts = [Part(self, resource) for resource in resources]
        self.objects = [found for part in self.parts for found in part.objects]


class Added:
    """An object that is new in a file, with what is wanted of it. `is_whole` if that is all of it, as it is written."""

    __slots__ = ("_object", "_wanted", "is_whole")

    def __init__(self, found: Object, wanted: Graft) -> None:
        self._object = found
        self._wanted = wanted
        self.is_whole = wanted.amended is None

    def document(self) -> str:
        """Return the object as the text of a document, without `---`."""
        resource = self._object.resource
        if self._wanted.amended is not None:
            _amend(resource, self._wanted.amended, resource.base)
        if not resource.base:
            return _bare(resource.text)
        return extracting.document(resource.editor, resource.base)

    def element(self) -> Target:
        """Return the object as an element of a list."""
        resource = self._object.resource
        if resource.base:
            items = at(resource.editor.document.root, *_ITEMS)
            return Graft(resource.editor.text, items, self._wanted.node, self._wanted.amended)  # type: ignore[arg-type]  # it is in a list
        item = newitem.element(self.document(), resource.label)
        listed = item.editor.document.root
        return Graft(item.editor.text, listed, listed.kids[0])  # type: ignore[arg-type, union-attr]  # a list of one


class Writing:
    """The text that a file becomes: what is wanted of its objects, and the objects that are new."""

    def __init__(self, file: File, *, keeps_empty_lists: bool) -> None:
        self._file = file
        self._keeps_empty_lists = keeps_empty_lists
        self._wanted: dict[int, Target | None] = {}
        self._added: dict[int, list[Added]] = {}

    def put(self, found: Object, wanted: Target | None) -> None:
        """Take the target of an object, None if it goes. FnError if it cannot be written."""
        # An element of a list waits: all that happens to a list is one change of its text.
        if found.part.is_list or wanted is None:
            self._wanted[id(found)] = wanted
        elif wanted is not found.resource.root:
            _amend(found.resource, wanted)
            # A resource that is changed keeps its tree for further changes, of which there are none.
            text = found.resource.text
            found.resource = Resource(text, (0, len(text)), found.resource.label, json=self._file.is_json)
            found.part.resource = found.resource

    def take_out(self, found: Object) -> Added:
        """Remove a document that goes to another file, and return it as it comes into that."""
        self._wanted[id(found)] = None
        root = found.resource.root
        return Added(found, Graft(found.resource.text, None, root))  # type: ignore[arg-type]  # an object has a root

    def is_gone(self, found: Object) -> bool:
        """True if an object is not to stay."""
        return self._wanted.get(id(found), found) is None

    def add(self, added: Added, predecessor: Object | None) -> None:
        """Add an object behind another one, or in front of all."""
        self._added.setdefault(id(predecessor), []).append(added)

    def text(self) -> str:
        """Return the text. FnError if it cannot be written, or there is no place for a new object."""
        parts = self._file.parts
        ahead = self._added.get(id(None), [])
        # Ahead of a list means into it, as its first elements: a document in front of a List would be a second object.
        lists = [part for part in parts if part.objects][:1] if ahead else []
        joined = _Joined(self._file)
        if not (lists and lists[0].is_list):
            joined.add_new(ahead)
            ahead = []
        for part in parts:
            if part.is_list:
                joined.add_old(self._list(part, ahead if part in lists else []))
            else:
                joined.add_old(self._document(part))
                joined.add_new([added for found in part.objects for added in self._added.get(id(found), ())])
        return joined.text

    def _document(self, part: Part) -> str:
        """Return the text of a document, nothing if its object goes."""
        return "" if any(map(self.is_gone, part.objects)) else part.resource.text

    def _list(self, part: Part, ahead: list[Added]) -> str:
        """Return the text of a list, nothing if all of its objects go and it is of no use any more."""
        elements = [added.element() for added in ahead]
        for found in part.objects:
            wanted = self._wanted.get(id(found), found.resource.root)
            elements += [] if wanted is None else [wanted]
            elements += [added.element() for added in self._added.get(id(found), ())]
        # `kubectl get` prints `items: []`, and a package has no use for it: it stays only where update has a list too.
        if part.objects and not elements and not self._keeps_empty_lists:
            return ""
        items = at(part.resource.root, *_ITEMS)
        _amend(part.resource, AmendedSequence(items, elements), _ITEMS)  # type: ignore[arg-type]  # it is a list
        return part.resource.text


class _Joined:
    """Documents put together again: those of the file as they stand in it, new ones with `---` around them."""

    def __init__(self, file: File) -> None:
        self._pieces: list[str] = []
        self._file = file
        self._newline = lines.newline(file.text, len(file.text))
        # In front of the first document again, whichever that is: further down it would be no YAML.
        self._mark = _BYTE_ORDER_MARK if file.text.startswith(_BYTE_ORDER_MARK) else ""
        self._has_start = file.text.removeprefix(self._mark).startswith(_START)
        self._is_behind_new = False

    @property
    def text(self) -> str:
        return "".join([self._mark, *self._pieces]) if self._pieces else ""

    def add_old(self, text: str) -> None:
        text = text.removeprefix(_BYTE_ORDER_MARK)
        if not self._pieces and not self._has_start:
            text = _bare(text)
        if text and self._is_behind_new:
            self._pieces[-1] = newitem.ended(self._pieces[-1])
            text = text if text.startswith(_START) else f"{_START}{self._newline}{text}"
        self._pieces += [text] if text else []
        self._is_behind_new = self._is_behind_new and not text

    def add_new(self, added: list[Added]) -> None:
        if added and self._file.is_json and self._pieces:
            message = f"{self._file.name} is JSON, which holds one object: no other can be added to it"
            raise FnError(Result(message, ERROR, "NotEditable"))
        for one in added:
            text = one.document().removeprefix(_BYTE_ORDER_MARK)
            if self._file.text:
                text = text.replace("\r\n", "\n").replace("\n", self._newline)
            if self._pieces:
                self._pieces[-1] = newitem.ended(self._pieces[-1])
                text = f"{_START}{self._newline}{text}"
            self._pieces += [text] if text else []
            self._is_behind_new = True


def _amend(resource: Resource, wanted: Target, place: Place = ()) -> None:
    """Write what is wanted at a place of a document. FnError if the author would lose something."""
    try:
        resource.editor.amend(place, wanted)
    except EditError as error:
        result = resource.result(f"{resource.label}: {error}", ERROR, "NotEditable")
        result.line_of = None  # the error names the line
        raise FnError(result) from None


def _items(root: Node | None) -> Sequence | None:
    """Return the elements of a list of objects, None for another document."""
    kind, items = at(root, "kind"), at(root, *_ITEMS)
    is_list = kind is not None and (kind.value or "").endswith("List")
    if is_list and isinstance(items, Sequence) and all(isinstance(resolved(kid), Mapping) for kid in items.kids):
        return items
    return None


def _head(text: str) -> str | None:
    """Return the lines of apiVersion, kind and metadata, None where these are not plain to see.

    A line at the margin can be part of a bracket or of a quoted text. Then the key is there twice, or not plain.
    """
    starts: list[tuple[str, int]] = []
    for line in _AT_MARGIN.finditer(text):
        key = _PLAIN_KEY.match(line[0])
        if key is None:
            return None
        starts.append((key[1], line.start()))
    ends = [*(start for _, start in starts[1:]), len(text)]
    found = [(key, text[start:end]) for (key, start), end in zip(starts, ends, strict=False) if key in _HEAD]
    lines_of_head = "".join(newitem.ended(written) for _, written in found)
    is_plain = sorted(key for key, _ in found) == [*_HEAD] and "*" not in lines_of_head
    return lines_of_head if is_plain else None


def holds_more(text: str) -> bool:
    """Return True if a text has more than comments and blank lines."""
    return _HOLDS_MORE.search(text) is not None


def is_template(node: Node | None) -> bool:
    """Return True if a key is a mapping in brackets: so YAML reads `{{ .Values.name }}`, a template of Helm."""
    if isinstance(node, Mapping) and node.flow and any(isinstance(key, Mapping) for key in node.kids[::2]):
        return True
    return isinstance(node, Collection) and any(map(is_template, node.kids))


def _bare(text: str) -> str:
    """Return a document without the line that starts it."""
    return text.removeprefix(f"{_START}\n").removeprefix(f"{_START}\r\n")


def _check_aliases(document: Resource) -> None:
    """Raise FnError for an alias without an anchor, which no other reader takes."""
    editor = document.editor
    for alias in editor.document.aliases:
        if alias.target is None:
            line = editor.text.count("\n", 0, alias.start) + document.lines_above + 1
            message = f"{document.label}: line {line}: the alias `*{alias.name}` names nothing above it"
            raise FnError(Result(message, ERROR, "InvalidInput"))
