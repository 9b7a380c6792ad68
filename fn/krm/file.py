"""Files: their documents, and the objects in these.

A document is one object, or none. So is a list of objects (`kind: List`, or any kind that ends so and has `items`),
until it is opened: then its elements are objects. A document is parsed when something is asked of it: one in which
nothing changes never is.
"""

from __future__ import annotations

import re

from krm import envelope
from krm.encoding import split_bom
from krm.envelope import ITEMS
from krm.resource import OF_KIND, OF_STATE, PERSONS, STATE, Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import cuts, lines, parser
from krm.yamltree.nodes import Collection, Mapping, at
from krm.yamltree.parser import HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from krm.fieldpath import FieldPath
    from krm.results import Spot
    from krm.yamltree.nodes import Node
    from krm.yamltree.outline import Span

BYTES = "surrogateescape"
"""How the bytes of a state that is no UTF-8 stand in its text."""

START = "---"

# Documents are judged by their spelling before anybody parses them; where that can mislead, the answer is to parse.
# A line that is neither blank nor a comment nor a bare `---` or `...` nor a directive.
_HOLDS_MORE = re.compile(r"^(?!(?:---|\.\.\.)?[ \t\r]*(?:#|$)|%)", re.MULTILINE)
# A `---` or a blank line parts the comments of the file from those of its first resource, which go with it.
_DETACHED = r"(?:[ \t\r]*(?:#[^\n]*)?\n)*?(?=---\s)|(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t\r]*\n"
_IS_LIST = rf"{OF_KIND}\w*List\b"
_FIRST, _BETWEEN, _LAST = "<" * 7, ("|" * 7, "=" * 7), ">" * 7
# These patterns are of states, and compiled at their first use, as most runs meet none.
# A hash in a state, and the start of the lines that say what was generated.
_HASH = r"""([ /"'])[A-Za-z]{6}(?=["']?(?:[ /,}\r]|$))"""
_GENERATED = "generated: {"
_GENERATED_BY = "generatedBy"
# A line of each document that holds the state of what was generated, in KYAML and JSON too, and what stands in a
# document that holds nothing.
_OF_STATE = (
    rf"""(?m)^(?:['"]?kind['"]?: *['"]?{STATE}\b| +"?kind"?: *"{STATE}",|  {_GENERATED_BY}: .*\n  resources:|"""
    rf"""# What \S+ {re.escape(OF_STATE)})"""
)
_OF_NOTHING = r"(?:[ \t]*(?:#.*)?\n)*\Z"

# The first line at the margin with another key.
_BEHIND_HEAD = re.compile(rf"^(?!(?:{'|'.join(HEAD)}):)[A-Za-z_][\w.-]*:(?=[ \r\n])", re.MULTILINE)


class SeveralError(FnError):
    """A document is several, of files that were joined without `---`. It is no file to leave alone."""


class Object:
    """One object of a file: a document, or an element of a list."""

    def __init__(self, document: FileDocument, resource: Resource, span: tuple[int, int] | None = None) -> None:
        """Take an object. `span` is where it is written in its document, None for all of that."""
        self.document = document
        self.resource = resource
        self._span = span
        self.is_element = bool(resource.base)
        """True for an element of a list."""
        self._head: Resource | None = None

    @property
    def text(self) -> str:
        """The text of the object, without the `---` above it."""
        source = self.resource.source
        return bare(source) if self._span is None else source[slice(*self._span)]

    @property
    def head(self) -> Resource:
        """Its apiVersion, kind and metadata: to match objects by these, most of the text need not be parsed."""
        if self._head is None:
            behind = _BEHIND_HEAD.search(self.resource.source) if self._span is None else None
            self._head = self.resource if behind is None else self._above(behind.start())
        return self._head

    def _above(self, end: int) -> Resource:
        """Return what stands above `end` in the document, if all of apiVersion, kind and metadata do; else all of it.

        None of the three is there once more below: no parser takes that.
        """
        whole = self.resource
        above = Resource(whole.source[:end], (0, end), whole.label)
        try:
            has_all = isinstance(above.root, Mapping) and above.root.entries.keys() == {*HEAD}
        except FnError:  # a quote or a bracket is open, say
            has_all = False
        return above if has_all else whole

    def lines(self) -> Callable[[FieldPath], Spot]:
        """Return a function that gives the line and column of a field, in the file as it was read."""
        document, base = self.document.resource, self.resource.base
        return lambda place: document.spot((*base, *place))

    def release(self) -> None:
        """Drop the tree. It is parsed again when it is needed."""
        # The elements of a list share one tree: without it each of them would parse the whole list.
        if not self.is_element:
            self.resource.release()


class FileDocument:
    """One document of a file, and its objects, which are found when somebody asks for them.

    If it `is_open`, it is a list, and the objects are its elements.
    """

    def __init__(self, file: File, resource: Resource) -> None:
        self.file = file
        self.span = resource.span
        self.resource = resource
        self.is_open = False
        self._objects: list[Object] | None = None

    @property
    def objects(self) -> list[Object]:
        """The objects. FnError for a document that is several, or has to be parsed to find them, and cannot be."""
        if self._objects is None:
            self.require_one()
            source = self.resource.source
            if cuts.may_have_alias(source):
                _check_aliases(self.resource)
            self._objects = [Object(self, self.resource)] if holds_more(source) else []
        return self._objects

    def require_one(self) -> None:
        """Raise SeveralError for a document that is several."""
        # A template may have a key in each of two branches.
        if not self.resource.spells("{{") and (mistakes := [*envelope.unless_one(self.resource, self.span[0])]):
            raise SeveralError(*mistakes)

    def elements(self) -> list[Object] | None:
        """Return the objects in a list, None for any other document. FnError as for `objects`."""
        items = None
        if self.objects and self.resource.spells("List") and re.search(_IS_LIST, self.resource.source):
            items = envelope.elements(self.resource.root)
        # No path leads into a list with odd keys: it is one object.
        if items is None or not all(map(_is_object, items.kids)) or not self.resource.root.is_plain():  # type: ignore[union-attr]  # a list has keys
            return None
        return [self._member(number, node) for number, node in enumerate(items.kids)]

    def open(self) -> None:
        """Take a list for the objects in it."""
        elements = self.elements()
        if elements is not None:
            self.is_open = True
            self._objects = elements

    def _member(self, number: int, node: Node) -> Object:
        editor = self.resource.editor
        label = f"{self.resource.label}: items[{number}]"
        return Object(self, Resource.within(editor, (*ITEMS, number), label), (node.start, node.end))


class File:
    """The text of a file and its documents, which are all of it. `path` is where it is, "" for standard input.

    `name` is how messages call it, "" where results say its path. `bom` is the byte order mark that it starts with, if
    it does: no object has it in its text. `written` is what stands there: the state of what was generated is read
    without conflicts, since a machine's file asks nobody. `state` is what the system says of it. `resources` are those
    of its documents that a package has as items, by their numbers.
    """

    def __init__(self, text: str, name: str, path: str = "", state: os.stat_result | None = None) -> None:
        """Read a file. ParseError if it cannot be split into documents."""
        self.bom, self.written = split_bom(text)
        self.text = _without_conflicts(self.written) if holds_states_alone(self.written) else self.written
        self.name = name
        self.path = path
        self.named = name if path else None
        """The file that results are about, None for standard input."""
        self.state = state
        self._numbers_keys = False
        self.is_json = cuts.is_json(self.text)
        spans = cuts.document_spans(self.text)
        self.documents = [self._document(span, number, len(spans)) for number, span in enumerate(spans, 1)]
        self.resources: dict[int, Resource] = {}

    def _document(self, span: Span, number: int, count: int) -> FileDocument:
        # Numbers only where there are several: most files have one document, and a number would be noise.
        names = [self.name, f"document {number}" if count > 1 or not self.name else ""]
        label = ": ".join(filter(None, names))
        resource = Resource(self.text, span, label, json=self.is_json, has_lines=True)
        resource.numbers_keys = self._numbers_keys
        return FileDocument(self, resource)

    def number_keys(self) -> None:
        """Take a key that a mapping has again for another key, as a merge by fields does."""
        self._numbers_keys = True
        for document in self.documents:
            document.resource.numbers_keys = True

    @property
    def objects(self) -> list[Object]:
        """The objects of all documents. FnError as for those of one, or if an alias in it names nothing."""
        return [found for document in self.documents for found in document.objects]

    @property
    def comments(self) -> str:
        """The comments above the first document that are the file's: a licence say."""
        found = None if self.text[:1].isalpha() else re.match(_DETACHED, self.text)
        return found[0] if found else ""

    @property
    def above(self) -> str:
        """What stands above the first document: nothing, unless these comments are detached."""
        return self.text[: self.documents[0].span[0]]

    def detach_comments(self) -> None:
        """Let the comments of the file be no part of its first document, nor a `---` that parts the two."""
        comments, (_, end) = self.comments, self.documents[0].span
        first = bare(self.text[len(comments) : end])
        # What is nothing but comments is a document of these.
        if comments and holds_more(first):
            self.documents[0] = self._document((end - len(first), end), 1, len(self.documents))

    def require_plain_lines(self) -> None:
        """Raise FnError if a line ends in another way than LF and CRLF: nobody can tell what stands in which line."""
        # Nearly no text has such a character at all.
        if lines.odd_break(self.text) is not None:
            documents = parser.parse_all(self.text, numbers_keys=self._numbers_keys)
            odd = lines.odd_break(self.text, *(document.root for document in documents))
            if odd is not None:
                message = f"line {lines.number(self.text, odd)}: {lines.ODD}"
                raise FnError(Result(": ".join(filter(None, (self.name, message))), ERROR, "NotEditable"))

    @property
    def data(self) -> bytes:
        """The file as it was read."""
        return (self.bom + self.written).encode(errors=BYTES)

    @property
    def is_unmerged(self) -> bool:
        """True if a conflict stands in a state: the file is read without, but git waits for somebody."""
        return self.text != self.written


def holds_states_alone(text: str) -> bool:
    """True if a text holds states and nothing else. What a person wrote beside one is in conflict until they decide."""
    if not any(map(text.__contains__, (STATE, _GENERATED_BY, OF_STATE))):
        return False
    documents = re.split(r"^---.*\n", text, flags=re.MULTILINE)
    return all(re.search(_OF_STATE, document) or re.match(_OF_NOTHING, document) for document in documents)


def _without_conflicts(text: str) -> str:
    """Return the text of a state in which nobody knows what stands between the markers of a conflict.

    The first side stands there, and what the other one has more, unless the head of the state is in conflict too.
    """
    kept: list[str] = []
    sides: list[list[str]] | None = None
    for line in text.split("\n"):
        marker = line[:8].rstrip()
        if sides is None and marker != _FIRST:
            kept.append(line)
        elif sides is None:
            sides = [[]]
        elif marker == _LAST:
            has_head = any(not line.startswith("    ") for line in (*sides[0], *sides[-1]))
            kept += map(_of_nobody, sides[0] if has_head else _both_sides(sides[0], sides[-1]))
            sides = None
        elif marker in _BETWEEN:
            sides.append([])
        else:
            sides[-1].append(line)
    # Nobody knows where a conflict without its last marker ends: all below it is in conflict.
    kept += map(_of_nobody, _both_sides(sides[0], sides[-1]) if sides else ())
    return "\n".join(kept)


def _both_sides(*sides: list[str]) -> list[str]:
    """Return the lines of two sides, each once, and below the line that it stands below."""
    found: dict[tuple[str, ...], str] = {}
    for side in sides:
        way: tuple[str, ...] = ()
        for line in side:
            key = line.partition(":")[0]
            way = (*(one for one in way if lines.past_blanks(one, 0) < lines.past_blanks(key, 0)), key)
            found.setdefault(way, line)
    # The lines that go on with what stands above the conflict come first.
    order = {way: (-lines.past_blanks(way[-1], 0), number) for number, way in enumerate(found)}
    return [found[way] for way in sorted(found, key=lambda way: [order[way[:n]] for n in range(1, len(way) + 1)])]


def _of_nobody(line: str) -> str:
    """Return a line of a state that says of its fields that nobody knows them to be generated."""
    return line if line.lstrip().startswith(_GENERATED) else re.sub(_HASH, rf"\1{PERSONS}", line)


def holds_more(text: str) -> bool:
    """Return True if a text has more than comments, blank lines and directives."""
    return _HOLDS_MORE.search(text) is not None


def is_template(node: Node | None) -> bool:
    """Return True if a key is a mapping in brackets: so YAML reads `{{ .Values.name }}`, a template of Helm."""
    if isinstance(node, Mapping) and node.flow and any(isinstance(key, Mapping) for key in node.kids[::2]):
        return True
    return isinstance(node, Collection) and any(map(is_template, node.kids))


def bare(text: str) -> str:
    """Return a document without the line that starts it."""
    return text.removeprefix(f"{START}\n").removeprefix(f"{START}\r\n")


def detach_comments(files: Iterable[File]) -> None:
    """Let the comments of files be no part of their first documents: another one may come first.

    Where they are attached in one file, they are in all.
    """
    found = [*files]
    if not any(map(_is_attached, found)):
        for file in found:
            file.detach_comments()


def _is_attached(file: File) -> bool:
    """Return True if comments stand right above the first key or behind the first `---`. JSON has no place for them."""
    is_above_a_key = file.text.startswith("#") and not file.comments
    return file.is_json or is_above_a_key or file.text.startswith("--- ", len(file.comments))


def _is_object(node: Node) -> bool:
    """Return True if an element of a list says what object it is. A server's list leaves out what its own kind says."""
    return any(at(node, key) is not None for key in HEAD)


def _check_aliases(document: Resource) -> None:
    """Raise FnError for an alias without an anchor, which no other reader takes."""
    editor = document.editor
    for alias in editor.document.aliases:
        if alias.target is None:
            line = lines.number(editor.text, alias.start) + document.lines_above
            message = f"{document.label}: line {line}: the alias `*{alias.name}` names nothing above it"
            raise FnError(Result(message, ERROR, "InvalidInput"))
