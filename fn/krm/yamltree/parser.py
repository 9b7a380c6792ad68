"""The parser: it builds the tree of a YAML text from its events, and refuses a text that would cost too much.

docs/reference/lossless-yaml.md, "Parts that are read alone", has the limits.
"""

from __future__ import annotations

from yaml import events as kinds

from krm.yamltree import events
from krm.yamltree.events import ParseError
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from krm.yamltree.events import Event
    from krm.yamltree.nodes import Node

__all__ = ["Document", "ParseError", "lacks_colon", "parse", "parse_all", "roots"]

RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""The digits of the number of a key that its mapping has again."""

MAX_EXPANSION = 10_000
"""The most nodes that the aliases of a document may stand for, if each alias counts as a copy of its target."""

_TOO_MANY = f"the aliases of this document stand for more than {MAX_EXPANSION} nodes"


class Document:
    """One document of a text. It starts at its `---`. Its root is None if it is empty.

    An alias whose anchor is not in this document has no target. `shares` is True if a node may be at several places, by
    an alias or by `<<`. `events` is the number that `events.check` returns for the text up to its end. `repeated` is
    the error about the first key that a mapping has again, if such keys were numbered.
    """

    def __init__(self, start: int) -> None:
        self.start = start
        self.root: Node | None = None
        self.aliases: list[Alias] = []
        self.shares = False
        self.events = 0
        self.repeated: ParseError | None = None


def parse(text: str, *, numbers_keys: bool = False) -> Document:
    """Parse a text of at most one document, without a byte order mark.

    ParseError if it is no YAML, has a second document or a key twice, nests too deep, or has aliases of too many nodes.
    If it `numbers_keys`, a key that a mapping has again is another key: `a` and `a²`. A head that is there twice stays
    an error.
    """
    documents = parse_all(text, numbers_keys=numbers_keys)
    if len(documents) > 1:
        raise events.failure(text, documents[1].start, "a second document starts here, where there may be only one")
    return documents[0] if documents else Document(0)


def parse_all(text: str, *, numbers_keys: bool = False) -> list[Document]:
    """Parse every document of a text. ParseError as for `parse`."""
    builder = _Builder(text, numbers_keys=numbers_keys)
    events.read(text, builder.build)
    # A small text with aliases of aliases can stand for a billion nodes, and a walk that follows them would not end.
    for document in builder.documents:
        sizes: dict[int, int] = {}
        if document.aliases and sum(_size(alias, sizes) for alias in document.aliases) > MAX_EXPANSION:
            raise events.failure(text, document.aliases[-1].start, _TOO_MANY)
    return builder.documents


def roots(text: str, *, numbers_keys: bool = False) -> list[Node | None]:
    """Return the roots of the documents of a text, none if it is no YAML."""
    try:
        return [document.root for document in parse_all(text, numbers_keys=numbers_keys)]
    except ParseError:
        return []


HEAD = ("apiVersion", "kind", "metadata")
"""The keys that a resource has only once."""


def lacks_colon(text: str, key: Node, value: Node) -> bool:
    """True if `value` is the empty value of a key without a colon: `{key}`, `? key`."""
    return value.start == value.end and ":" not in text[key.end : value.start]


class _Builder:
    """Makes nodes of events. `open` are the collections without an end so far, `kids` those of the innermost."""

    def __init__(self, text: str, *, numbers_keys: bool) -> None:
        self.text = text
        self.numbers_keys = numbers_keys
        self.documents: list[Document] = []
        self.open: list[Mapping | Sequence] = []
        self.kids: list[Node] = []
        self.anchors: dict[str, Node] = {}

    def build(self, found: Iterator[Event]) -> None:
        """Add the documents that these events make.

        Most of an edit's time passes in this loop. So it adds scalars, two of three events, itself, and makes one call
        for each start and end of a collection.
        """
        structure: dict[type, Callable[[Event], None]] = {
            kinds.MappingStartEvent: self._start,
            kinds.SequenceStartEvent: self._start,
            kinds.MappingEndEvent: self._end,
            kinds.SequenceEndEvent: self._end,
            kinds.AliasEvent: self._alias,
            kinds.DocumentStartEvent: self._start_document,
            kinds.DocumentEndEvent: self._end_document,
        }
        append = self.kids.append
        count = 0
        for count, event in enumerate(found, start=1):  # noqa: B007 - the last one is used
            kind = type(event)
            if kind is kinds.ScalarEvent:
                start, end, anchor = event.start_mark.index, event.end_mark.index, event.anchor
                node = Scalar(start, end, event.value, event.style or "", anchor, event.tag)
                append(node)
                if anchor is not None:
                    self.anchors[anchor] = node
            elif kind in structure:
                structure[kind](event)
                append = self.kids.append
        if self.documents:
            self.documents[-1].events = count

    def _start_document(self, event: Event) -> None:
        self.documents.append(Document(event.start_mark.index))
        self.kids = []
        self.anchors = {}

    def _end_document(self, _: Event) -> None:
        root = self.kids[0]
        # The root of a document of comments alone is an empty scalar that nobody wrote.
        if not (isinstance(root, Scalar) and root.start == root.end):
            self.documents[-1].root = root

    def _start(self, event: Event) -> None:
        kind = Mapping if type(event) is kinds.MappingStartEvent else Sequence
        start, inside, flow = event.start_mark.index, event.end_mark, bool(event.flow_style)
        # The mark is behind the bracket, or at the first key or dash of a block collection.
        node = kind(start, inside.index - flow, inside.column - flow, flow, event.anchor, event.tag)
        if len(self.open) >= events.MAX_DEPTH:
            raise events.failure(self.text, node.start, events.TOO_DEEP)
        # The mark of a sequence that is not indented is behind its first dash.
        if type(node) is Sequence and not (node.flow or self.text.startswith("-", node.first)):
            node.first -= 1
            node.column -= 1
        self.kids.append(node)
        if node.anchor is not None:
            self.anchors[node.anchor] = node
        self.open.append(node)
        self.kids = node.kids

    def _end(self, event: Event) -> None:
        node, kids = self.open.pop(), self.kids
        if isinstance(node, Mapping):
            entries = node.entries = {}
            # A comprehension would be a call for each mapping.
            for key, value in zip(kids[::2], kids[1::2], strict=True):
                entries[key.value] = value
            if len(entries) < len(kids) // 2:
                self._number_keys(node)
            if "<<" in entries:
                self.documents[-1].shares = True
            if kids and kids[-1].start == kids[-1].end and lacks_colon(self.text, kids[-2], kids[-1]):
                # The parser puts such a value at the next token, behind comments that are outside of its mapping.
                kids[-1].start = kids[-1].end = kids[-2].end
        # The parser ends a block collection at the next token, behind comments and blank lines.
        node.end = event.end_mark.index if node.flow else kids[-1].end
        self.kids = self.open[-1].kids if self.open else [node]

    def _alias(self, event: Event) -> None:
        target = self.anchors.get(event.anchor)
        # The target has not ended yet: a walk through `&a [*a]` would not end.
        if isinstance(target, Collection) and target.end == target.start:
            raise events.failure(
                self.text, event.start_mark.index, "this alias names what it stands in: write the value out"
            )
        alias = Alias(event.start_mark.index, event.end_mark.index, event.anchor, target)
        self.kids.append(alias)
        document = self.documents[-1]
        document.aliases.append(alias)
        document.shares = True
        # No real text has more, and the text could make a walk over their targets take any time.
        if len(document.aliases) > MAX_EXPANSION:
            raise events.failure(self.text, alias.start, _TOO_MANY)

    def _number_keys(self, mapping: Mapping) -> None:
        """Number the repeated keys, or raise the ParseError about the first. Readers differ in which one counts."""
        found: dict[str, list[Scalar | Alias]] = {}
        for key in mapping.kids[::2]:
            if isinstance(key, Collection) or key.value is None:
                continue
            same = found.setdefault(key.value, [])
            same.append(key)
            # A repeated key of these comes more often from joined files than from a key that was written twice.
            is_numbered = self.numbers_keys and key.value not in HEAD and isinstance(key, Scalar)
            if len(same) > 1 and not is_numbered:
                raise self._repeated(mapping, same[0], key)
        for name, (first, *others) in found.items():
            for number, key in enumerate(others, start=2):
                numbered = name + "".join(RAISED[int(digit)] for digit in str(number))
                if numbered in found:
                    raise self._repeated(mapping, first, key)
                self.documents[-1].repeated = self.documents[-1].repeated or self._repeated(mapping, first, key)
                key.value = numbered
        mapping.entries = {key.value: value for key, value in mapping.pairs()}

    def _repeated(self, mapping: Mapping, first: Node, key: Node) -> ParseError:
        """Return the error about a repeated key, which names both lines."""
        is_head = key.value in HEAD and not (mapping.flow or any(type(one) is Mapping for one in self.open))
        hint = " (or files were joined without a line `---` between them)" if is_head else ""
        error = events.failure(self.text, key.start, f"the key `{key.value}` is here again{hint}, first")
        line = events.failure(self.text, first.start, "").line
        return ParseError(error.problem, error.line, error.column, line)


def _size(node: Node, sizes: dict[int, int]) -> int:
    """Return the number of nodes of `node` with its aliases followed. `sizes` remembers that of each collection."""
    if isinstance(node, Alias):
        return 1 if node.target is None else _size(node.target, sizes)
    if not isinstance(node, Collection):
        return 1
    if id(node) not in sizes:
        sizes[id(node)] = 1 + sum(_size(kid, sizes) for kid in node.kids)
    return sizes[id(node)]
