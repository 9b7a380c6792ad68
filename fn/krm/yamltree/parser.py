"""Build the tree of a YAML text from the events of PyYAML: the one module that imports it.

libyaml's binding where PyYAML has it, else PyYAML's own parser: about ten times slower, with the same results.
"""

from __future__ import annotations

import re
from itertools import takewhile

from yaml.error import MarkedYAMLError
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

from krm.yamltree import limits, surrogates
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias, TypeVar

    from krm.yamltree.nodes import Node

    Event: TypeAlias = Any  # the stubs do not say what each kind of event has
    T = TypeVar("T")

try:
    from yaml._yaml import CParser, ReaderError  # type: ignore[attr-defined]  # in the stubs it is not there
except ImportError:
    from yaml.reader import ReaderError

    CParser = None  # type: ignore[assignment,misc]  # as there is no libyaml

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_TOO_MANY = f"the aliases of this document stand for more than {limits.MAX_EXPANSION} nodes"
_KEY_LENGTH = 1024
_LONG_KEY = f"a key of more than {_KEY_LENGTH:,} characters"
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

    def moved(self, lines: int, columns: int = 0) -> ParseError:
        """Return this error as one in a text that has more above what was parsed, and more before its first line."""
        column = self.column + (columns if self.line == 1 else 0)
        return ParseError(self.problem, self.line + lines, column, self.first + lines if self.first else 0)


class Document:
    """One document of a text: where it starts, its `---` included, and its root, None where it is empty.

    `aliases` are all that it holds; one whose anchor is not in this document has no target. It `shares` if a node may
    show at several places, by an alias or by `<<`. `events` counts as `check` does, what is before it included.
    """

    __slots__ = ("aliases", "events", "root", "shares", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.root: Node | None = None
        self.aliases: list[Alias] = []
        self.shares = False
        self.events = 0


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
            raise _error(text, document.aliases[-1].start, _TOO_MANY)
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
    except MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        key = _start_of_long_key(text, mark.index, error)
        if key is not None:
            raise _error(text, key, _LONG_KEY) from None
        raise ParseError(error.problem or "this is not YAML", mark.line + 1, mark.column + 1) from None
    except ReaderError as error:
        character = error.character if isinstance(error.character, str) else chr(error.character)
        raise _not_allowed(text, max(text.find(character), 0)) from None
    except UnicodeEncodeError as error:
        raise _not_allowed(text, error.start) from None


def lacks_colon(text: str, key: Node, value: Node) -> bool:
    """True if `value` is the empty one of a key without a colon: `{key}`, `? key`."""
    return value.start == value.end and ":" not in text[key.end : value.start]


class _Builder:
    """Makes nodes of events. `open` are the collections that have not ended yet, `kids` those of the innermost."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.documents: list[Document] = []
        self.open: list[Mapping | Sequence] = []
        self.kids: list[Node] = []
        self.anchors: dict[str, Node] = {}

    def build(self, readable: str) -> None:
        """Add the documents of `readable`: the text, or what hides its surrogate pairs at the same positions."""
        structure: dict[type, Callable[[Event], None]] = {
            MappingStartEvent: self._start_mapping,
            SequenceStartEvent: self._start_sequence,
            MappingEndEvent: self._end_mapping,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: self._start_document,
            DocumentEndEvent: self._end_document,
        }
        hides = readable is not self.text
        count = 0
        for count, event in enumerate(_events(readable), start=1):  # noqa: B007 - the last one is used
            kind = type(event)
            if kind is ScalarEvent:
                anchor = event.anchor
                start, end = event.start_mark.index, event.end_mark.index
                value = _shown(event, self.text[start:end]) if hides else event.value
                node = Scalar(start, end, value, event.style or "", anchor, event.tag)
                self.kids.append(node)
                if anchor is not None:
                    self.anchors[anchor] = node
            elif kind in structure:
                structure[kind](event)
        if self.documents:
            self.documents[-1].events = count

    def _start_document(self, event: Event) -> None:
        self.documents.append(Document(event.start_mark.index))
        self.kids = []
        self.anchors = {}

    def _end_document(self, _: Event) -> None:
        root = self.kids[0]
        if not (isinstance(root, Scalar) and root.start == root.end):
            self.documents[-1].root = root

    def _start_mapping(self, event: Event) -> None:
        inside = event.end_mark
        behind_bracket = bool(event.flow_style)
        index, column = inside.index - behind_bracket, inside.column - behind_bracket
        self._start(Mapping(event.start_mark.index, index, column, behind_bracket, event.anchor, event.tag))

    def _start_sequence(self, event: Event) -> None:
        inside = event.end_mark
        flow = bool(event.flow_style)
        # The mark stands behind a bracket, and behind the first dash of a sequence that is not indented.
        behind = flow or self.text[inside.index : inside.index + 1] != "-"
        index, column = inside.index - behind, inside.column - behind
        self._start(Sequence(event.start_mark.index, index, column, flow, event.anchor, event.tag))

    def _start(self, node: Mapping | Sequence) -> None:
        if len(self.open) >= limits.MAX_DEPTH:
            raise _error(self.text, node.start, _TOO_DEEP)
        self.kids.append(node)
        if node.anchor is not None:
            self.anchors[node.anchor] = node
        self.open.append(node)
        self.kids = node.kids

    def _end_mapping(self, event: Event) -> None:
        kids = self.kids
        mapping: Any = self.open[-1]
        entries = mapping.entries = dict(zip([key.value for key in kids[::2]], kids[1::2], strict=True))
        if len(entries) < len(kids) // 2:
            self._refuse_duplicates(mapping)
        if "<<" in entries:
            self.documents[-1].shares = True
        if kids and kids[-1].start == kids[-1].end and lacks_colon(self.text, kids[-2], kids[-1]):
            # Such a value is marked at the next token, behind comments that are none of its mapping's.
            kids[-1].start = kids[-1].end = kids[-2].end
        self._end(event)

    def _end(self, event: Event) -> None:
        node = self.open.pop()
        node.end = event.end_mark.index if node.flow else self.kids[-1].end
        self.kids = self.open[-1].kids if self.open else [node]

    def _alias(self, event: Event) -> None:
        target = self.anchors.get(event.anchor)
        if isinstance(target, Collection) and target.end == target.start:
            raise _error(self.text, event.start_mark.index, "an alias stands inside of what it names")
        alias = Alias(event.start_mark.index, event.end_mark.index, event.anchor, target)
        self.kids.append(alias)
        document = self.documents[-1]
        document.aliases.append(alias)
        document.shares = True
        if len(document.aliases) > limits.MAX_EXPANSION:
            raise _error(self.text, alias.start, _TOO_MANY)

    def _refuse_duplicates(self, mapping: Mapping) -> None:
        """Raise the ParseError that names both lines of a repeated key: readers differ in which of them they take."""
        first: dict[str, Node] = {}
        for key, _ in mapping.pairs():
            if key.value in first:
                # A resource has each of these once, so a second one starts here more often than a key is there twice.
                is_joined = key.value in ("apiVersion", "kind") and not (mapping.flow or mapping.column)
                hint = " (or a `---` is missing above it)" if is_joined else ""
                error = _error(self.text, key.start, f"the key `{key.value}` is here again{hint}")
                line = _error(self.text, first[key.value].start, "").line
                raise ParseError(error.problem, error.line, error.column, line)
            if key.value is not None:
                first[key.value] = key


def _shown(event: Event, written: str) -> str:
    """Return the value of a scalar in a text of which parts were hidden from PyYAML."""
    value: str = event.value
    if event.style != '"':
        return surrogates.shown(value)
    joined = surrogates.joined(surrogates.with_escaped_breaks(written) if surrogates.hides_breaks(value) else written)
    if joined != written:
        value = next(alone.value for alone in _events(joined) if type(alone) is ScalarEvent)
    return value


def _events(text: str) -> Iterator[Event]:
    if CParser is not None:
        return iter(CParser(text).get_event, None)
    return _pure_events(text)


def _pure_events(text: str) -> Iterator[Event]:
    """Yield the events of PyYAML's own parser, which unlike libyaml lets escapes of half a surrogate pair through."""
    import yaml  # noqa: PLC0415 - the modules that libyaml's binding does without

    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        mark: Any = event.start_mark
        if type(event) is ScalarEvent and _LONE_SURROGATE.search(event.value):
            raise _error(text, mark.index, "half of a surrogate pair is no character")
        yield event


def _start_of_long_key(text: str, colon: int, error: Any) -> int | None:  # noqa: ANN401 - as the stubs of marks are
    """Return where the key starts that is too long for YAML, if that is what is wrong with the colon behind it."""
    if not text.startswith(":", colon):
        return None
    if error.context == "while scanning a simple key":
        start, end = error.context_mark.index, colon
    else:
        start, end = _last_token(text, colon)
    return start if end - start > _KEY_LENGTH and "\n" not in text[start:end] else None


def _tokens(text: str) -> Iterator[Any]:
    if CParser is not None:
        return iter(CParser(text).get_token, None)
    import yaml  # noqa: PLC0415 - as for `_pure_events`

    return yaml.scan(text)


def _last_token(text: str, stop: int) -> tuple[int, int]:
    """Return where the last token before `stop` starts and ends."""
    start = end = 0
    tokens = _tokens(text)
    try:
        for token in takewhile(lambda token: token.start_mark.index < stop, tokens):
            start, end = token.start_mark.index, token.end_mark.index
    except MarkedYAMLError:
        # What stands at `stop` is what cannot be read.
        pass
    return start, end


def _count(text: str) -> int:
    if CParser is not None and not limits.may_be_deep(text):
        return CParser(text).raw_parse()
    count = depth = 0
    for event in _events(text):
        count += 1
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > limits.MAX_DEPTH:
            raise _error(text, event.start_mark.index, _TOO_DEEP)
    return count


def _not_allowed(text: str, position: int) -> ParseError:
    return _error(text, position, f"the character U+{ord(text[position]):04X} is not allowed in YAML")


def _error(text: str, position: int, problem: str) -> ParseError:
    line_start = text.rfind("\n", 0, position) + 1
    return ParseError(problem, text.count("\n", 0, position) + 1, position - line_start + 1)
