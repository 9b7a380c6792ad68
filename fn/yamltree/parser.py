"""Build the tree of a YAML text from the events of PyYAML: the one module that imports it.

libyaml's binding where PyYAML has it, else PyYAML's own parser: about ten times slower, with the same results.
"""

from __future__ import annotations

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from fn.yamltree import limits, surrogates
from fn.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    from yaml.events import Event

    from fn.yamltree.nodes import Node

    T = TypeVar("T")

if yaml.__with_libyaml__:
    from yaml.cyaml import CParser

_TOO_DEEP = f"more than {limits.MAX_DEPTH} levels of nesting"


class ParseError(Exception):
    """The text is no YAML that can be read safely. `line` and `column` count from 1; the text is never quoted.

    `first` is the line of what is there twice, 0 where nothing is.
    """

    def __init__(self, problem: str, line: int, column: int, first: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {problem}{f', first in line {first}' if first else ''}")
        self.problem = problem
        self.line = line
        self.column = column
        self.first = first

    def moved(self, lines: int) -> ParseError:
        """Return this error with the lines of a text that has `lines` more above what was parsed."""
        return ParseError(self.problem, self.line + lines, self.column, self.first + lines if self.first else 0)


class Document:
    """One document of a text: where it starts, its `---` included, and its root, None where it is empty.

    `aliases` are all that it holds; one whose anchor is not in this document has no target. It `shares` if a node may
    show at several places, by an alias or by `<<`.
    """

    __slots__ = ("aliases", "root", "shares", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.root: Node | None = None
        self.aliases: list[Alias] = []
        self.shares = False


def parse(text: str) -> Document:
    """Parse a text of at most one document.

    ParseError where it is not YAML, holds a second document or a key twice, or is past what `limits` allow. A leading
    byte order mark must have been taken off.
    """
    documents = parse_all(text)
    if len(documents) > 1:
        raise _error(text, documents[1].start, "a second document starts here, where there may be only one")
    return documents[0] if documents else Document(0)


def parse_all(text: str) -> list[Document]:
    """Parse every document of a text. ParseError as for `parse`."""
    builder = _Builder(text)
    _guarded(text, builder.build)
    for document in builder.documents:
        if document.aliases and limits.expands_too_far(document.root):
            problem = f"the aliases of this document stand for more than {limits.MAX_EXPANSION} nodes"
            raise _error(text, document.aliases[-1].start, problem)
    return builder.documents


def check(text: str) -> int:
    """Return the number of events of `text`, its start and end included, at the speed of C.

    ParseError as for `parse`, but duplicate keys and aliases are not looked at.
    """
    return _guarded(text, _count)


def _guarded(text: str, read: Callable[[str], T]) -> T:
    """Return `read` of what PyYAML can read of `text`, with each of its exceptions turned into a ParseError."""
    try:
        return read(surrogates.hidden(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ParseError(error.problem or "this is not YAML", mark.line + 1, mark.column + 1) from None
    except yaml.reader.ReaderError as error:
        character = error.character if isinstance(error.character, str) else chr(error.character)
        problem = f"the character U+{ord(character):04X} is not allowed in YAML"
        raise _error(text, max(text.find(character), 0), problem) from None


def lacks_colon(text: str, key: Node, value: Node) -> bool:
    """Say whether `value` is the empty one of a key without a colon: `{key}`, `? key`."""
    return value.start == value.end and ":" not in text[key.end : value.start]


class _Builder:
    """Makes nodes of events. `stack` holds the kids of every collection that is open, and last `kids`, the innermost."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.documents: list[Document] = []
        self.stack: list[list[Node]] = []
        self.kids: list[Node] = []
        self.anchors: dict[str, Node] = {}

    def build(self, readable: str) -> None:
        """Add the documents of `readable`: the text, or what hides its surrogate pairs at the same positions."""
        structure: dict[type, Callable[[Any], None]] = {
            MappingStartEvent: self._start_mapping,
            SequenceStartEvent: self._start_sequence,
            MappingEndEvent: self._end_mapping,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: self._start_document,
            DocumentEndEvent: self._end_document,
        }
        hides = readable is not self.text
        for event in _events(readable):
            kind = type(event)
            if kind is ScalarEvent:
                anchor = event.anchor
                start, end = event.start_mark.index, event.end_mark.index
                value = _shown(event.value, self.text[start:end]) if hides else event.value
                node = Scalar(start, end, value, event.style or "", anchor, event.tag)
                self.kids.append(node)
                if anchor is not None:
                    self.anchors[anchor] = node
            elif kind in structure:
                structure[kind](event)

    def _start_document(self, event: Event) -> None:
        self.documents.append(Document(event.start_mark.index))
        self.kids = []
        self.stack = [self.kids]
        self.anchors = {}

    def _end_document(self, _: Event) -> None:
        root = self.stack[0][0]
        if not (isinstance(root, Scalar) and root.start == root.end):
            self.documents[-1].root = root

    def _start_mapping(self, event: MappingStartEvent) -> None:
        inside = event.end_mark
        behind_bracket = bool(event.flow_style)
        self._start(Mapping, event, inside.index - behind_bracket, inside.column - behind_bracket)

    def _start_sequence(self, event: SequenceStartEvent) -> None:
        inside = event.end_mark
        # The mark stands behind a bracket, and behind the first dash of a sequence that is not indented.
        behind = event.flow_style or self.text[inside.index : inside.index + 1] != "-"
        self._start(Sequence, event, inside.index - behind, inside.column - behind)

    def _start(self, made: type[Mapping | Sequence], event: Any, first: int, column: int) -> None:
        if len(self.stack) > limits.MAX_DEPTH:
            raise _error(self.text, event.start_mark.index, _TOO_DEEP)
        anchor = event.anchor
        node = made(event.start_mark.index, first, column, bool(event.flow_style), anchor, event.tag)
        self.kids.append(node)
        if anchor is not None:
            self.anchors[anchor] = node
        self.kids = node.kids
        self.stack.append(self.kids)

    def _end_mapping(self, event: MappingEndEvent) -> None:
        kids = self.kids
        mapping = self.stack[-2][-1]
        entries = mapping.entries = dict(zip([key.value for key in kids[::2]], kids[1::2], strict=True))
        if len(entries) < len(kids) // 2:
            self._refuse_duplicates(mapping)
        if "<<" in entries:
            self.documents[-1].shares = True
        if kids and lacks_colon(self.text, kids[-2], kids[-1]):
            # Such a value is marked at the next token, behind comments that are none of its mapping's.
            kids[-1].start = kids[-1].end = kids[-2].end
        self._end(event)

    def _end(self, event: CollectionEndEvent) -> None:
        kids = self.stack.pop()
        self.kids = self.stack[-1]
        node = self.kids[-1]
        node.end = event.end_mark.index if node.flow else kids[-1].end

    def _alias(self, event: Event) -> None:
        target = self.anchors.get(event.anchor)
        if isinstance(target, Collection) and target.end == target.start:
            raise _error(self.text, event.start_mark.index, "an alias stands inside of what it names")
        alias = Alias(event.start_mark.index, event.end_mark.index, event.anchor, target)
        self.kids.append(alias)
        self.documents[-1].aliases.append(alias)
        self.documents[-1].shares = True

    def _refuse_duplicates(self, mapping: Mapping) -> None:
        """Raise the ParseError that names both lines of a repeated key: Go and Python take different ones of the two."""
        lines: dict[str, int] = {}
        for key, _ in mapping.pairs():
            error = _error(self.text, key.start, "")
            if key.value in lines:
                problem = f"the key `{key.value}` is here again"
                raise ParseError(problem, error.line, error.column, lines[key.value])
            if key.value is not None:
                lines[key.value] = error.line


def _shown(value: str, written: str) -> str:
    """Return the value of a scalar whose surrogate pairs were hidden from PyYAML."""
    joined = surrogates.joined(written)
    return value if joined == written else next(event.value for event in _events(joined) if type(event) is ScalarEvent)


def _events(text: str) -> Iterator[Event]:
    if yaml.__with_libyaml__:
        return iter(CParser(text).get_event, None)
    return yaml.parse(text, Loader=yaml.SafeLoader)


def _count(text: str) -> int:
    if yaml.__with_libyaml__ and limits.is_shallow(text):
        return CParser(text).raw_parse()
    count = depth = 0
    for event in _events(text):
        count += 1
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > limits.MAX_DEPTH:
            raise _error(text, event.start_mark.index, _TOO_DEEP)
    return count


def _error(text: str, position: int, problem: str) -> ParseError:
    line_start = text.rfind("\n", 0, position) + 1
    return ParseError(problem, text.count("\n", 0, position) + 1, position - line_start + 1)
