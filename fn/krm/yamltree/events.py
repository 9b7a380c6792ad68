r"""The events of a YAML text as PyYAML reads them, with errors by line and column: the one module that reads by PyYAML.

libyaml reads if PyYAML has its binding, else PyYAML's own parser does: ten times slower, with the same events.

libyaml refuses surrogate pairs, which JSON has for an astral character (`\ud83d\ude00`), and ends a line at three
characters that end none in JSON. Private-use characters of the same length take their place in the text that libyaml
reads, so every position stays. The values of the events have the characters of the text again.
"""

from __future__ import annotations

import re
from itertools import takewhile

from yaml.error import MarkedYAMLError
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from krm.yamltree import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias, TypeVar

    Event: TypeAlias = Any  # the stubs do not say what each kind of event has
    T = TypeVar("T")

try:
    from yaml._yaml import CParser, ReaderError  # type: ignore[attr-defined]  # in the stubs it is not there
except ImportError:
    from yaml.reader import ReaderError

    CParser = None  # type: ignore[assignment,misc]  # there is no libyaml

MAX_DEPTH = 200
"""The deepest nesting that is read. No real document is as deep, and a walk with four calls a level stays within
Python's recursion limit."""
TOO_DEEP = f"more than {MAX_DEPTH} levels of nesting"

_STARTS, _ENDS = (MappingStartEvent, SequenceStartEvent), (MappingEndEvent, SequenceEndEvent)
_MANY_BRACKETS = 2_000
_KEY_LENGTH = 1024
_LONG_KEY = f"a key of more than {_KEY_LENGTH:,} characters"

# These patterns are compiled at their first use, so that a start costs less. Few texts have what they look for.
_LONE_SURROGATE = r"[\ud800-\udfff]"
_PAIR = r"(?is)\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)"
_HIDDEN = r"(?is)\\(?:u(e[89ab][0-9a-f]{2})\\u(e[c-f][0-9a-f]{2})|.)"
_HIDDEN_CHARACTERS = "[\ue800-\uebff][\uec00-\uefff]"
_LIKE_HIDDEN = r"(?i)(?:[\ue800-\uebff]|\\u0*e[89ab]..)(?:\\\s+)*(?:[\uec00-\uefff]|\\u0*e[c-f]..)"
_BREAK = "[\x85\u2028\u2029]"
_HIDDEN_BREAK = r"(?i)[\ue085\ue028\ue029]|\\ue0(?:85|28|29)"
_HIDE_BREAKS = {0x85: "\ue085", 0x2028: "\ue028", 0x2029: "\ue029"}
_SHOW_BREAKS = {0xE085: "\x85", 0xE028: "\u2028", 0xE029: "\u2029"}
_HIDE = str.maketrans("dD", "eE")
_RESTORE = str.maketrans("eE", "dD")

# What we say for a problem of the parser. The parser names what it expected: "did not find expected node content". The
# author has to find a bracket, a quote or an indentation. A problem that is not listed is passed on as it is.
_WITH_START = {
    "did not find expected ',' or ']'": "`,` or `]` is missing: the list starts",
    "did not find expected ',' or '}'": "`,` or `}` is missing: the mapping starts",
    "did not find expected key": "a key should start here: mend the indentation, or a quote above; the mapping starts",
    "did not find expected '-' indicator": "a `-` should start here: mend the indentation; the list starts",
    "could not find expected ':'": "`:` is missing: the key starts",
    "found unexpected end of stream": "a quote is missing: the text in quotes starts",
    "found unexpected document indicator": "a quote is missing: the text in quotes starts",
}
"""Sentences that end with the line in which the node starts: the mistake may be anywhere between the two places."""

_TAB = "a tab is no indentation: use spaces"
_COLON = "a `:` may not stand here: put the text in quotes, or mend the indentation"
_DASH = "a list may not start here: put it below its key"
_WITHOUT_START = {
    "did not find expected node content": "a value is missing here, or a bracket above is not closed",
    "mapping values are not allowed in this context": _COLON,
    "block sequence entries are not allowed in this context": _DASH,
    # PyYAML's own parser has other words for these two.
    "mapping values are not allowed here": _COLON,
    "sequence entries are not allowed here": _DASH,
    "found unknown escape character": "this `\\` starts no escape: write `\\\\`, or use single quotes",
    "did not find expected hexdecimal number": "a hexadecimal digit is missing in this escape",
    "did not find expected alphabetic or numeric character": "a name is missing behind `&` or `*`: put a text that "
    "starts with one of them in quotes",
    "found a tab character where an indentation space is expected": _TAB,
    "did not find expected comment or line break": "the text of `|` and `>` starts in the next line: move it there",
    "did not find expected <document start>": "a document starts here: put a line `---` above it",
    "found incompatible YAML document": "no reader knows this version of YAML: write `%YAML 1.2`, or delete the line",
    "found unknown directive name": "a line may start with `%` for `%YAML` and `%TAG` alone: delete it",
    "exceeded maximum nesting depth": TOO_DEEP,
    "found undefined tag handle": "no `%TAG` declares this tag: put a text that starts with `!` in quotes",
}
_NO_START = "found character that cannot start any token"
_MARKER = r"(?m)^(?:<{7}|>{7}) "
_CONFLICT = "this is the marker of a conflict: solve the conflict first"


class ParseError(Exception):
    """The text is no YAML that can be read safely. `line` and `column` count from 1; no value is quoted.

    `first` is the line at the end of the message, of an equal key or of the start of a list; 0 for none.
    """

    def __init__(self, problem: str, line: int, column: int, first: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {problem}{f' in line {first}' if first else ''}")
        self.problem = problem
        self.line = line
        self.column = column
        self.first = first

    def moved(self, above: int, columns: int = 0) -> ParseError:
        """Return this error for a text with so many lines above what was parsed, and columns before its first line."""
        column = self.column + (columns if self.line == 1 else 0)
        return ParseError(self.problem, self.line + above, column, self.first + above if self.first else 0)


def failure(text: str, position: int, problem: str) -> ParseError:
    """Return the error that says what is wrong at a position of a text."""
    return ParseError(problem, lines.number(text, position), position - text.rfind("\n", 0, position))


def read(text: str, use: Callable[[Iterator[Event]], T]) -> T:
    """Return what `use` makes of the events of `text`. ParseError if PyYAML cannot read it."""
    readable = _hidden(text)
    return _guarded(text, lambda: use(_events(text) if readable is text else _restored_events(readable, text)))


def check(text: str) -> int:
    """Return the number of events of `text`, its start and end included. No Python code runs for an event.

    ParseError as for `read`. Duplicate keys and aliases are not checked.
    """
    return _guarded(text, lambda: _count(_hidden(text)))


def is_string(text: str) -> bool:
    """True if PyYAML reads a string in plain text, and prints it so. `1e3` and `019` are numbers to kubectl alone."""
    from yaml.nodes import ScalarNode  # noqa: PLC0415 - most runs compare no values that a program printed
    from yaml.resolver import Resolver  # noqa: PLC0415 - as above

    tag: str = Resolver().resolve(ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return tag == Resolver.DEFAULT_SCALAR_TAG


def _guarded(text: str, use: Callable[[], T]) -> T:
    """Return what `use` returns, with each exception of PyYAML turned into a ParseError."""
    try:
        return use()
    except MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        key = _start_of_long_key(text, mark.index, error)
        if key is not None:
            raise failure(text, key, _LONG_KEY) from None
        raise _in_words(text, error, mark) from None
    # The position of this error counts bytes of UTF-8, so the character is searched.
    except ReaderError as refused:
        character = refused.character if isinstance(refused.character, str) else chr(refused.character)
        raise _not_allowed(text, max(text.find(character), 0)) from None
    # Half of a surrogate pair cannot be handed to libyaml, which takes UTF-8.
    except UnicodeEncodeError as surrogate:
        raise _not_allowed(text, surrogate.start) from None


def _in_words(text: str, error: MarkedYAMLError, mark: Any) -> ParseError:  # noqa: ANN401 - untyped in the stubs
    """Return the error in words for the author of a text."""
    # A text that is YAML may have a conflict marker in a block scalar, so only one that is no YAML is searched.
    marker = re.search(_MARKER, text)
    if marker is not None:
        return failure(text, marker.start(), _CONFLICT)
    said = error.problem or "this is not YAML"
    problem = _WITH_START.get(said) or _WITHOUT_START.get(said, said)
    if said == _NO_START:
        # An editor shows a tab as spaces, so the author does not see it.
        character = text[mark.index : mark.index + 1]
        shown = "a backtick" if character == "`" else f"`{character}`"
        problem = _TAB if character == "\t" else f"a text may not start with {shown}: put it in quotes"
    # libyaml counts lines as YAML 1.1 does, which ends one at U+2028, too. No editor does.
    found = failure(text, mark.index, problem)
    start: Any = error.context_mark if said in _WITH_START else None
    return found if start is None else ParseError(problem, found.line, found.column, lines.number(text, start.index))


def _not_allowed(text: str, position: int) -> ParseError:
    return failure(text, position, f"the character U+{ord(text[position]):04X} is not allowed in YAML")


def _events(text: str) -> Iterator[Event]:
    # A generator of our own would cost a call for each event.
    if CParser is not None:
        return iter(CParser(text).get_event, None)
    return _pure_events(text)


def _pure_events(text: str) -> Iterator[Event]:
    """Yield the events of PyYAML's own parser, which accepts the escape of half a surrogate pair. libyaml does not."""
    import yaml  # noqa: PLC0415 - the modules that libyaml's binding does without

    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        mark: Any = event.start_mark
        if type(event) is ScalarEvent and re.search(_LONE_SURROGATE, event.value):
            raise failure(text, mark.index, "half of a surrogate pair is no character")
        yield event


def _count(text: str) -> int:
    # The time of libyaml is quadratic in the depth of brackets. Closing brackets are not subtracted, as some may be in
    # strings. A short text is not searched: it cannot hold so many.
    is_flat = len(text) <= _MANY_BRACKETS or text.count("[") + text.count("{") <= _MANY_BRACKETS
    if CParser is not None and not is_flat:
        from krm.yamltree import outline  # noqa: PLC0415 - few texts have so many brackets

        is_flat = outline.is_closed(text)  # each line closes what it opens, on three levels at most
    if CParser is not None and is_flat:
        return CParser(text).raw_parse()
    count = depth = 0
    for event in _events(text):
        count += 1
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)
        if depth > MAX_DEPTH:
            raise failure(text, event.start_mark.index, TOO_DEEP)
    return count


# A key that is too long. libyaml says only that a colon may not stand there.


def _start_of_long_key(text: str, colon: int, error: Any) -> int | None:  # noqa: ANN401 - as the stubs of marks are
    """Return the start of the key before a refused colon if the key is too long for YAML; else None."""
    if not text.startswith(":", colon):
        return None
    if error.context == "while scanning a simple key":
        start, end = error.context_mark.index, colon
    else:
        start, end = _last_token(text, colon)
    return start if end - start > _KEY_LENGTH and "\n" not in text[start:end] else None


def _last_token(text: str, stop: int) -> tuple[int, int]:
    """Return where the last token before `stop` starts and ends."""
    start = end = 0
    tokens = _tokens(text)
    try:
        for token in takewhile(lambda token: token.start_mark.index < stop, tokens):
            start, end = token.start_mark.index, token.end_mark.index
    except MarkedYAMLError:
        pass  # the text at `stop` cannot be read
    return start, end


def _tokens(text: str) -> Iterator[Event]:
    if CParser is not None:
        return iter(CParser(text).get_token, None)
    import yaml  # noqa: PLC0415 - as for `_pure_events`

    return yaml.scan(text)


# What is hidden from libyaml.


def _hidden(text: str) -> str:
    """Return a text of the same length that libyaml can read; `text` itself if there is nothing to hide."""
    text = text if text.isascii() else _without_breaks(text)
    # One character is found five times as fast as two, and few texts have it.
    if "\\" not in text or ("\\ud" not in text and "\\uD" not in text):
        return text
    # The text has what would hide a pair. After a replacement nobody could tell the two apart.
    if re.search(_LIKE_HIDDEN, text):
        return text
    return re.sub(_PAIR, lambda escape: _exchanged(escape, _HIDE), text)


def _without_breaks(text: str) -> str:
    """Return JSON with a private-use character for each line break of YAML 1.1, which is none in JSON."""
    if not re.search(_BREAK, text) or re.search(_HIDDEN_BREAK, text):
        return text
    # A text behind `---` is YAML, as for kubectl: the first character of an input decides for all of it.
    return text.translate(_HIDE_BREAKS) if is_json(text) else text


def is_json(text: str) -> bool:
    """True if a text is JSON."""
    import json  # noqa: PLC0415 - for JSON alone: every other start would pay for it

    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _restored_events(readable: str, text: str) -> Iterator[Event]:
    """Yield the events of `text`, which are read from `readable`."""
    breaks = _SHOW_BREAKS if re.search(_BREAK, text) and not re.search(_BREAK, readable) else {}
    for event in _events(readable):
        if isinstance(event, ScalarEvent):
            # In double quotes an escape has become its character. Elsewhere it is no escape, but text.
            if event.style == '"':
                event.value = re.sub(_HIDDEN_CHARACTERS, _joined, event.value).translate(breaks)
            else:
                event.value = re.sub(_HIDDEN, lambda escape: _exchanged(escape, _RESTORE), event.value)
        yield event


def _exchanged(escape: re.Match[str], table: dict[int, int]) -> str:
    """Return a pair of escapes with their first digits exchanged. Any other escape stays."""
    if escape[1] is None:
        return escape[0]
    first, second = (digits[0].translate(table) + digits[1:] for digits in (escape[1], escape[2]))
    return rf"\u{first}\u{second}"


def _joined(pair: re.Match[str]) -> str:
    first, second = map(ord, pair[0])
    return chr(0x10000 + ((first - 0xE800) << 10) + second - 0xEC00)
