r"""The events of a YAML text as PyYAML reads them, with errors by line and column: the one module that imports PyYAML.

libyaml's binding where PyYAML has it, else PyYAML's own parser: about ten times slower, with the same events.

libyaml refuses surrogate pairs, by which JSON writes an astral character (`\ud83d\ude00`), and takes three characters
for line breaks that are none in JSON. Both are hidden from it behind private-use characters of the same length, so that
every position stays, and are shown again in the values.
"""

from __future__ import annotations

import re
from itertools import takewhile

from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

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

    CParser = None  # type: ignore[assignment,misc]  # as there is no libyaml

__all__ = [
    "AliasEvent",
    "DocumentEndEvent",
    "DocumentStartEvent",
    "MappingEndEvent",
    "MappingStartEvent",
    "ParseError",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "check",
    "failure",
    "read",
]

MAX_DEPTH = 200
"""Levels of nesting that are read: more than any real document has, and within Python's own recursion limit where a
walk takes four calls for each."""
TOO_DEEP = f"more than {MAX_DEPTH} levels of nesting"

_STARTS, _ENDS = (MappingStartEvent, SequenceStartEvent), (MappingEndEvent, SequenceEndEvent)
_MANY_BRACKETS = 2_000
_KEY_LENGTH = 1024
_LONG_KEY = f"a key of more than {_KEY_LENGTH:,} characters"

# Compiled when they are needed: few texts have what they look for, and the start is part of each run.
_LONE_SURROGATE = r"[\ud800-\udfff]"
_PAIR = r"(?is)\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)"
_HIDDEN = r"(?is)\\(?:u(e[89ab][0-9a-f]{2})\\u(e[c-f][0-9a-f]{2})|.)"
_BREAK = "[\x85\u2028\u2029]"
_HIDDEN_BREAK = "[\ue085\ue028\ue029]"
_HIDE_BREAKS = {0x85: "\ue085", 0x2028: "\ue028", 0x2029: "\ue029"}
_ESCAPED_BREAKS = {0x85: r"\N", 0x2028: r"\L", 0x2029: r"\P"}
_HIDE = str.maketrans("dD", "eE")
_SHOW = str.maketrans("eE", "dD")

# Words for what a parser refuses. It names what it looked for, as in "did not find expected node content". The author
# of the text looks for a bracket, a quote or an indentation. A problem without words is passed on as it is.
_SINCE = {
    "did not find expected ',' or ']'": "`,` or `]` is missing: the list starts",
    "did not find expected ',' or '}'": "`,` or `}` is missing: the mapping starts",
    "did not find expected key": "a key should start here: mend the indentation, or a quote above; the mapping starts",
    "did not find expected '-' indicator": "a `-` should start here: mend the indentation; the list starts",
    "could not find expected ':'": "`:` is missing: the key starts",
    "found unexpected end of stream": "a quote is missing: the text in quotes starts",
    "found unexpected document indicator": "a quote is missing: the text in quotes starts",
}
"""Words that the line follows in which the node starts: the mistake may be anywhere between the two places."""

_COLON = "a `:` may not stand here: put the text in quotes, or mend the indentation"
_DASH = "a list may not start here: put it below its key"
_ALONE = {
    "did not find expected node content": "a value is missing here, or a bracket above is not closed",
    "mapping values are not allowed in this context": _COLON,
    "block sequence entries are not allowed in this context": _DASH,
    # PyYAML's own parser reads where libyaml is missing, and has other words for these two.
    "mapping values are not allowed here": _COLON,
    "sequence entries are not allowed here": _DASH,
    "found unknown escape character": "this `\\` starts no escape: write `\\\\`, or use single quotes",
    "did not find expected hexdecimal number": "a hexadecimal digit is missing in this escape",
    "did not find expected alphabetic or numeric character": "a name is missing behind `&` or `*`: put a text that "
    "starts with one of them in quotes",
    "found a tab character where an indentation space is expected": "a tab is no indentation: use spaces",
    "did not find expected comment or line break": "the text of `|` and `>` starts in the next line: move it there",
    "did not find expected <document start>": "a document starts here: put a line `---` above it",
    "found incompatible YAML document": "no reader knows this version of YAML: write `%YAML 1.2`, or delete the line",
    "found unknown directive name": "a line may start with `%` for `%YAML` and `%TAG` alone: delete it",
    "found undefined tag handle": "no `%TAG` declares this tag: put a text that starts with `!` in quotes",
}
_NO_START = "found character that cannot start any token"
_MARKER = r"(?m)^(?:<{7}|>{7}) "
_CONFLICT = "this is the marker of a conflict: solve the conflict first"


class ParseError(Exception):
    """The text is no YAML that can be read safely. `line` and `column` count from 1; no value is quoted.

    `first` is the line that the end of `problem` speaks of, where a key was before or a list starts; 0 for none.
    """

    def __init__(self, problem: str, line: int, column: int, first: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {problem}{f' in line {first}' if first else ''}")
        self.problem = problem
        self.line = line
        self.column = column
        self.first = first

    def moved(self, lines: int, columns: int = 0) -> ParseError:
        """Return this error as one in a text that has more above what was parsed, and more before its first line."""
        column = self.column + (columns if self.line == 1 else 0)
        return ParseError(self.problem, self.line + lines, column, self.first + lines if self.first else 0)


def failure(text: str, position: int, problem: str) -> ParseError:
    """Return the error that says what is wrong at a position of a text."""
    return ParseError(problem, _line(text, position), position - text.rfind("\n", 0, position))


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def read(text: str, use: Callable[[Iterator[Event]], T]) -> T:
    """Return what `use` makes of the events of `text`. ParseError where PyYAML cannot read it."""
    readable = _hidden(text)
    return _guarded(text, lambda: use(_events(text) if readable is text else _shown_events(readable, text)))


def check(text: str, is_flat: Callable[[str], bool] = lambda _: False) -> int:
    """Return the number of events of `text`, its start and end included, at the speed of C.

    ParseError as for `read`; duplicate keys and aliases are not looked at. `is_flat` tells whether the brackets of a
    text that has many are known to be few levels deep.
    """
    return _guarded(text, lambda: _count(_hidden(text), is_flat))


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
    # Its position counts bytes of UTF-8, so the character itself is looked for.
    except ReaderError as refused:
        character = refused.character if isinstance(refused.character, str) else chr(refused.character)
        raise _not_allowed(text, max(text.find(character), 0)) from None
    # Half of a surrogate pair cannot be handed to libyaml, which takes UTF-8.
    except UnicodeEncodeError as surrogate:
        raise _not_allowed(text, surrogate.start) from None


def _in_words(text: str, error: MarkedYAMLError, mark: Any) -> ParseError:  # noqa: ANN401 - untyped in the stubs
    """Return the error that says what is wrong for the author of a text."""
    # A text that is YAML may have such a marker, in a block scalar. So only one that is no YAML is asked.
    marker = re.search(_MARKER, text)
    if marker is not None:
        return failure(text, marker.start(), _CONFLICT)
    problem, has_start = _words(error.problem or "this is not YAML", text[mark.index : mark.index + 1])
    # libyaml counts lines as YAML 1.1 does, which ends one at U+2028, too. No editor does.
    found = failure(text, mark.index, problem)
    start: Any = error.context_mark if has_start else None
    return found if start is None else ParseError(problem, found.line, found.column, _line(text, start.index))


def _words(problem: str, character: str) -> tuple[str, bool]:
    """Return what a problem is in words, and True if these are to be followed by the line in which the node starts.

    `character` is the one at which the parser stopped.
    """
    if problem == _NO_START:
        # A tab shows as spaces in an editor, so that its author sees nothing wrong.
        shown = "a backtick" if character == "`" else f"`{character}`"
        tab = "a tab is no indentation: use spaces"
        return tab if character == "\t" else f"a text may not start with {shown}: put it in quotes", False
    if problem in _SINCE:
        return _SINCE[problem], True
    return _ALONE.get(problem, problem), False


def _not_allowed(text: str, position: int) -> ParseError:
    return failure(text, position, f"the character U+{ord(text[position]):04X} is not allowed in YAML")


def _events(text: str) -> Iterator[Event]:
    # No generator of our own around it: it would be called for each event.
    if CParser is not None:
        return iter(CParser(text).get_event, None)
    return _pure_events(text)


def _pure_events(text: str) -> Iterator[Event]:
    """Yield the events of PyYAML's own parser, which unlike libyaml lets escapes of half a surrogate pair through."""
    import yaml  # noqa: PLC0415 - the modules that libyaml's binding does without

    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        mark: Any = event.start_mark
        if type(event) is ScalarEvent and re.search(_LONE_SURROGATE, event.value):
            raise failure(text, mark.index, "half of a surrogate pair is no character")
        yield event


def _count(text: str, is_flat: Callable[[str], bool]) -> int:
    # libyaml takes time quadratic in the depth of brackets. Closing brackets are not subtracted: those inside of
    # strings would hide how deep the others go. A short text is not searched: it cannot hold so many.
    few = len(text) <= _MANY_BRACKETS or text.count("[") + text.count("{") <= _MANY_BRACKETS
    if CParser is not None and (few or is_flat(text)):
        return CParser(text).raw_parse()
    count = depth = 0
    for event in _events(text):
        count += 1
        depth += isinstance(event, _STARTS) - isinstance(event, _ENDS)
        if depth > MAX_DEPTH:
            raise failure(text, event.start_mark.index, TOO_DEEP)
    return count


# A key that is too long. libyaml says no more of one than that a colon stands where none may.


def _start_of_long_key(text: str, colon: int, error: Any) -> int | None:  # noqa: ANN401 - as the stubs of marks are
    """Return where the key starts that is too long for YAML, if that is what is wrong with the colon behind it."""
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
        # What stands at `stop` is what cannot be read.
        pass
    return start, end


def _tokens(text: str) -> Iterator[Event]:
    if CParser is not None:
        return iter(CParser(text).get_token, None)
    import yaml  # noqa: PLC0415 - as for `_pure_events`

    return yaml.scan(text)


# What is hidden from libyaml.


def _hidden(text: str) -> str:
    """Return `text` as libyaml can read it, of the same length; the very same object where there is nothing to hide."""
    # A text that has pairs and also what would hide them stays as it is: nobody could tell them apart again. So does
    # one with line breaks of YAML 1.1, unless it is JSON, to which these are no line breaks.
    text = text if text.isascii() else _without_breaks(text)
    # One character first: it is found five times as fast as two, and few texts have it.
    if "\\" not in text or ("\\ud" not in text and "\\uD" not in text):
        return text
    # What would hide a pair is there already: afterwards nobody could say which was which.
    if any(escape[1] for escape in re.finditer(_HIDDEN, text)):
        return text
    return re.sub(_PAIR, lambda escape: _with_both(escape, _HIDE), text)


def _without_breaks(text: str) -> str:
    """Return JSON with each character that YAML 1.1 takes for a line break hidden behind a private-use character."""
    if not re.search(_BREAK, text) or re.search(_HIDDEN_BREAK, text):
        return text
    import json  # noqa: PLC0415 - few texts have such a character

    # What stands behind `---` is a stream of YAML, as for kubectl: the first character of an input decides for it all.
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text.translate(_HIDE_BREAKS)


def _shown_events(readable: str, text: str) -> Iterator[Event]:
    """Yield the events of `text`, read from `readable`, which hides parts of it."""
    for event in _events(readable):
        if isinstance(event, ScalarEvent):
            event.value = _shown(event, text)
        yield event


def _shown(scalar: Event, text: str) -> str:
    """Return the value of a scalar of `text` in which parts were hidden."""
    value: str = scalar.value
    written = text[scalar.start_mark.index : scalar.end_mark.index]
    if scalar.style != '"':
        return re.sub(_HIDDEN, lambda escape: _with_both(escape, _SHOW), value)
    # YAML has one escape for each pair, and one for each of its line breaks: these libyaml can read.
    escaped = written.translate(_ESCAPED_BREAKS) if re.search(_HIDDEN_BREAK, value) else written
    joined = re.sub(_PAIR, _joined, escaped)
    if joined != written:
        value = next(alone.value for alone in _events(joined) if isinstance(alone, ScalarEvent))
    return value


def _with_both(escape: re.Match[str], table: dict[int, int]) -> str:
    """Return the escapes of a pair with the first digit of each exchanged, and any other escape as it is."""
    if escape[1] is None:
        return escape[0]
    first, second = (digits[0].translate(table) + digits[1:] for digits in (escape[1], escape[2]))
    return rf"\u{first}\u{second}"


def _joined(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    character = 0x10000 + ((int(escape[1], 16) - 0xD800) << 10) + (int(escape[2], 16) - 0xDC00)
    return rf"\U{character:08x}"
