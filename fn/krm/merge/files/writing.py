"""The text that a file of a merge becomes: what is wanted of its objects, and the objects that are new in it."""

from __future__ import annotations

from krm import newitem
from krm.file import ITEMS, START, Object, bare
from krm.merge.files.object_lines import WholeText
from krm.resource import Resource
from krm.results import ERROR, FnError, Result, locate
from krm.yamltree import extracting, lines
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import at
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import Place
    from krm.file import File, Part
    from krm.yamltree.target import Target


class Added:
    """An object that is new in a file, with what is wanted of it. `is_whole` if that is all of it, as it is written.

    `comments_behind` are documents of comments alone that come behind it.
    """

    __slots__ = ("_object", "_wanted", "comments_behind", "is_whole")

    def __init__(self, found: Object, wanted: Graft) -> None:
        self._object = found
        self._wanted = wanted
        self.is_whole = wanted.amended is None
        self.comments_behind: list[str] = []

    def document(self) -> str:
        """Return the object as the text of a document, without `---`."""
        resource = self._object.resource
        if self._wanted.amended is not None:
            _amend(resource, self._wanted.amended, resource.base)
        if not resource.base:
            return bare(resource.text)
        return extracting.document(resource.editor, resource.base)

    def element(self) -> Target:
        """Return the object as an element of a list."""
        resource = self._object.resource
        if resource.base:
            items = at(resource.editor.document.root, *ITEMS)
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
        self._comments: dict[int, list[str]] = {}
        self._rewritten: dict[int, str] = {}
        self._newline = lines.newline(file.text, len(file.text))

    def put(self, found: Object, wanted: Target | WholeText | None) -> None:
        """Take the target of an object, None if it goes. FnError if it cannot be written."""
        # An element of a list waits: all that happens to a list is one change of its text.
        if wanted is None or found.part.is_list:
            self._wanted[id(found)] = _in_list(found, wanted.text) if isinstance(wanted, WholeText) else wanted
        elif isinstance(wanted, WholeText):
            self._rewrite(found, wanted.text)
        elif wanted is not found.resource.root:
            _amend(found.part.resource, wanted)
            # A resource that is changed keeps its tree for further changes, of which there are none.
            self._take_text(found, found.resource.text)

    def _rewrite(self, found: Object, text: str) -> None:
        """Take the text of an object, without `---`."""
        source = found.resource.source
        self._take_text(found, source.removesuffix(bare(source)) + text)

    def _take_text(self, found: Object, text: str) -> None:
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

    def add(self, added: Added, place: Object | Part | None) -> None:
        """Add an object behind another one, as the first of a list, or in front of all."""
        self._added.setdefault(id(place), []).append(added)

    def rewrite(self, part: Part, text: str) -> None:
        """Take the text of a document without an object, without `---` and with plain line ends: an empty one goes."""
        source = part.resource.source
        written = text.replace("\n", lines.newline(source, len(source)))
        self._rewritten[id(part)] = source.removesuffix(bare(source)) + written if text else ""

    def add_comments(self, text: str, place: Object | None) -> bool:
        """Add a document of comments alone behind an object, or in front of all. False where there can be none."""
        if not self._file.is_json:
            self._comments.setdefault(id(place), []).append(text)
        return not self._file.is_json

    def text(self) -> str:
        """Return the text. FnError if it cannot be written, or there is no place for a new object."""
        parts = self._file.parts
        ahead = self._added.get(id(None), [])
        # Ahead of a list means into it, as its first elements: a document in front of a List would be a second object.
        lists = [part for part in parts if part.objects or part.is_list][:1] if ahead else []
        into_list = ahead if lists and lists[0].is_list else []
        texts = [*self._comments.get(id(None), []), *_documents(ahead, are_elements=bool(into_list))]
        pieces = self._new(texts, [])
        for part in parts:
            old = self._list(part, into_list if part in lists else []) if part.is_list else self._document(part)
            # What comes to stand first has no `---` above it, unless the file had one there.
            pieces.append(old if any(pieces) or self._file.text.startswith(START) else bare(old))
            for place in (part, *part.objects):
                texts = _documents(self._added.get(id(place), []), are_elements=part.is_list)
                pieces += self._new([*self._comments.get(id(place), []), *texts], pieces)
        text = newitem.joined(pieces, self._newline)
        # The mark is in front of the first document again, whichever that is: further down it would be no YAML.
        return self._file.mark + text if text else ""

    def _new(self, documents: list[str], above: list[str]) -> list[str]:
        """Return new documents with the line ends of the file. FnError where it has no place for them."""
        if documents and self._file.is_json and any(above):
            message = f"{self._file.name} is JSON, which holds one object: no other can be added to it"
            raise FnError(Result(message, ERROR, "NotEditable"))
        if not self._file.text:
            return documents
        return [document.replace("\r\n", "\n").replace("\n", self._newline) for document in documents]

    def _document(self, part: Part) -> str:
        """Return the text of a document, nothing if its object goes."""
        if id(part) in self._rewritten:
            return self._rewritten[id(part)]
        return "" if any(map(self.is_gone, part.objects)) else part.resource.text

    def _list(self, part: Part, ahead: list[Added]) -> str:
        """Return the text of a list, nothing if all of its objects go and it is of no use any more."""
        elements = [added.element() for added in (*ahead, *self._added.get(id(part), ()))]
        for found in part.objects:
            wanted = self._wanted.get(id(found), found.resource.root)
            elements += [] if wanted is None else [wanted]
            elements += [added.element() for added in self._added.get(id(found), ())]
        # `kubectl get` prints `items: []`, and a package has no use for it: it stays only where update has a list too.
        if part.objects and not elements and not self._keeps_empty_lists:
            return ""
        items = at(part.resource.root, *ITEMS)
        listed = AmendedSequence(items, elements)  # type: ignore[arg-type]  # it is a list
        document = self._wanted.get(id(part.list_document))
        if isinstance(document, AmendedMapping):
            document.entries[ITEMS[0]] = listed
            _amend(part.resource, document)
        else:
            _amend(part.resource, listed, ITEMS)
        return part.resource.text


def _documents(added: list[Added], *, are_elements: bool) -> list[str]:
    """Return the documents that come in with new objects, unless these are elements of a list."""
    return [text for one in added for text in ([] if are_elements else [one.document()]) + one.comments_behind]


def _in_list(found: Object, text: str) -> Target:
    """Return the text of an object as an element in the place of that."""
    item = newitem.element(text, found.resource.label)
    listed = item.editor.document.root
    return Graft(item.editor.text, listed, listed.kids[0])  # type: ignore[arg-type, union-attr]  # a list of one


def _amend(resource: Resource, wanted: Target, place: Place = ()) -> None:
    """Write what is wanted at a place of a document. FnError if the author would lose something."""
    try:
        resource.editor.amend(place, wanted)
    except EditError as error:
        result = resource.result(f"{resource.label}: {error}", ERROR, "NotEditable")
        locate(result, None)  # the error names the line
        raise FnError(result) from None
