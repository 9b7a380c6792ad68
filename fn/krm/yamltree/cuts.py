"""Cuts: a long text becomes parts, and a part that nobody asks about is never parsed.

A text is cut only if each part, parsed alone, is certain to give what a parser of the whole text gives
(docs/reference/lossless-yaml.md, "Parts that are read alone"). Otherwise the answer is None, and the text has to be
parsed whole.
"""

from __future__ import annotations

import re

from krm.yamltree import events, lines, parser
from krm.yamltree.lines import ODD_BREAKS
from krm.yamltree.nodes import Mapping, Scalar, Sequence
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from krm.yamltree.outline import Span
    from krm.yamltree.parser import Document

    DocumentSpan: TypeAlias = tuple[Span, bool]

_ODD = "[\x85\u2028\u2029\ufeff]"
_ALIAS = r"\*[\w-]"
_AHEAD_OF_ALIAS = "-?:,[{\n\r\x85\u2028\u2029\ufeff"
_KEY_LINE = r"[A-Za-z_][\w.-]*:[ \r\n]"
_DOCUMENT_START = r"(?m)^---(?=\s|\Z)"
_EVENTS_OF_NOTHING = 2
_EVENTS_OF_A_SCALAR = 5


class Cut:
    """The parts of a text and what is around them. `spans` are the parts, which follow each other.

    `frame` is the text with the one element `0` in place of all parts, or the whole text if it has no parts.
    `document` is the parsed frame.
    """

    def __init__(self, spans: list[Span], frame: str, document: Document) -> None:
        self.spans = spans
        self.frame = frame
        self.document = document


def block_list(text: str, key: str) -> Cut | None:
    """Cut the elements out of the block list that a block mapping at column 0 has under `key`.

    Each part is whole lines, from its dash to the line before the next one.
    """
    # The first dash stands directly below its key.
    key_line = re.compile(rf"(?:\A|\n){key}:(?: +#[^\r\n]*)?\r?\n(?= *-[ \r\n])").search(text)
    if key_line is None or not _has_plain_breaks(text):
        return None
    start = key_line.end()
    column = text.index("-", start) - start
    spans = _spans(text, start, column)
    end = spans[-1][1]
    newline = "\r\n" if text.endswith("\r\n", 0, start) else "\n"
    frame = f"{text[:start]}{' ' * column}- 0{newline}{text[end:]}"
    # A key of the envelope must end the list. Any other line could be part of a block or of a string.
    if end < len(text) and not re.compile(_KEY_LINE).match(text, end):
        return None
    # Only the frame is searched: within the elements such a line would have ended the list.
    if _has_directives(frame) or frame.find("\n---", 1) >= 0:
        return None
    if not _stand_alone(text, spans):
        return None
    document = _plain_frame(frame, key, start + column + len("- "))
    return None if document is None else Cut(spans, frame, document)


def json_list(text: str, key: str) -> Cut | None:
    """Cut the elements out of the array that a JSON object has under `key`; None if the text is no such JSON."""
    start = lines.first_character(text, 0)
    if not text.startswith("{", start):
        return None
    decode, name = _json_decoder(), None
    try:
        # That each key and value is followed by the right sign is proven below, by the frame.
        while name != key:
            name, end = decode(text, lines.first_character(text, start + 1))
            value = lines.first_character(text, lines.first_character(text, end) + 1)
            start = value if name == key else lines.first_character(text, decode(text, value)[1])
    except (ValueError, RecursionError):
        return None
    first = lines.first_character(text, start + 1)
    spans = [] if text.startswith("]", first) else _json_spans(text, first, ",")
    if spans is None or not text.startswith("[", start):
        return None
    # The parts need no proof: the JSON decoder has read each of them.
    frame = f"{text[:first]}0{text[spans[-1][1] :]}" if spans else text
    try:
        return Cut(spans, frame, parser.parse(frame)) if events.is_json(frame) else None
    except ParseError:
        return None  # the parser of the whole text names the line of the error


def is_json(text: str) -> bool:
    """True if `text`, perhaps behind `---`, is one JSON object or array, so that new text in it must be JSON too."""
    text = text.lstrip().removeprefix("---").lstrip()
    return text[:1] in ("{", "[") and events.is_json(text)


def json_values(text: str) -> list[Span] | None:
    """Return the spans of JSON objects that follow each other without `---`, as `jq -c` prints them.

    None for a single object, and for any other text.
    """
    first = lines.first_character(text, 0)
    spans = _json_spans(text, first, "") if text.startswith("{", first) else None
    return spans if spans and len(spans) > 1 and all(text[start] == "{" for start, _ in spans) else None


def documents(text: str) -> list[DocumentSpan]:
    """Return the span of each document of `text`, and whether it holds a collection: `holds_more`."""
    return [(span, holds_more(text, span)) for span in document_spans(text)]


def document_spans(text: str) -> list[Span]:
    """Return the spans of the documents of `text`, each from its `---` to the next one: together they cover it."""
    # The search is slow, and most texts are plain.
    has_odd_breaks = ("\r" in text or not text.isascii()) and ODD_BREAKS.search(text)
    if has_odd_breaks or _has_directives(text):
        starts = [document.start for document in parser.parse_all(text)]
    else:
        # The pattern takes ten times as long as this look at the characters, and most texts have one document.
        is_plain = not text.startswith("---") and "\n---" not in text
        starts = [] if is_plain else [match.start() for match in re.finditer(_DOCUMENT_START, text)]
    # Comments above the first one belong to it.
    if not starts or events.check(text[: starts[0]]) > _EVENTS_OF_NOTHING:
        starts.insert(0, 0)
    starts[0] = 0
    return [*zip(starts, [*starts[1:], len(text)], strict=True)]


def holds_more(text: str, span: Span) -> bool:
    """True if a document holds more than comments or a scalar. ParseError, with its line in the whole text."""
    start, end = span
    try:
        return events.check(text[start:end]) > _EVENTS_OF_A_SCALAR
    except ParseError as error:
        raise error.moved(text.count("\n", 0, start)) from None


def may_have_alias(text: str) -> bool:
    """False if no `*` of a text can start an alias: none stands at the start of a line or behind an indicator.

    True does not mean that there is an alias: the `*` may be in a string.
    """
    for found in re.finditer(_ALIAS, text) if "*" in text else ():
        before = found.start()
        while before and text[before - 1] in " \t":
            before -= 1
        if not before or text[before - 1] in _AHEAD_OF_ALIAS:
            return True
    return False


def _has_directives(text: str) -> bool:
    return text.startswith("%") or "\n%" in text or "\n..." in text


def _has_plain_breaks(text: str) -> bool:
    """True if all lines end in LF, or all in CRLF."""
    # A parser starts a new line at a lone `\r`, and an editor does not: they would count other columns.
    if "\r" in text and not text.count("\r") == text.count("\n") == text.count("\r\n"):
        return False
    return text.isascii() or re.search(_ODD, text) is None


def _spans(text: str, start: int, column: int) -> list[Span]:
    """Return the spans of the elements whose dashes stand at `column`, the first one at `start`."""
    # The list ends at the first line that is not indented deeper and has no dash. The caller proves that.
    # One search of the whole text runs in C. A loop over its lines would run in Python.
    at_margin = re.compile(rf"\n(?= {{0,{column}}}+[^ \r\n#])")
    dash = re.compile(rf" {{{column}}}-[ \r\n]")
    starts, end = [start], len(text)
    for line in at_margin.finditer(text, start):
        if not dash.match(text, line.end()):
            end = line.end()
            break
        starts.append(line.end())
    return [*zip(starts, [*starts[1:], end], strict=True)]


def _plain_frame(frame: str, key: str, position: int) -> Document | None:
    """Return the parsed frame if it is a mapping of plain keys at column 0 without anchors, tags and aliases.

    None also if `position` is not that of the one element under `key`: it could be inside of a string.
    """
    try:
        document = parser.parse(frame)
    except ParseError:
        return None
    # An element could have an alias of an anchor of the frame, and a tag could change what the list is.
    root = document.root
    if not isinstance(root, Mapping) or root.flow or root.column or root.anchor or root.tag or document.aliases:
        return None
    listed = root.entries.get(key)
    elements = listed.kids if isinstance(listed, Sequence) else []
    is_plain = all(isinstance(node, Scalar) and not (node.style or node.anchor or node.tag) for node in root.kids[::2])
    return document if is_plain and [element.start for element in elements] == [position] else None


def _stand_alone(text: str, spans: list[Span]) -> bool:
    """True if every part can be parsed alone, and no alias in it has its anchor in another part."""
    # A tree, in which aliases are found, costs ten times as much as a bare parse, and few lists have any.
    aliased = "&" in text and may_have_alias(text)
    try:
        for start, end in spans:
            part = text[start:end]
            events.check(part)
            if aliased and may_have_alias(part) and any(alias.target is None for alias in parser.parse(part).aliases):
                return False
    except ParseError:
        return False
    return True


def _json_spans(text: str, start: int, sign: str) -> list[Span] | None:
    """Return the spans of the JSON values from `start` on that have a `sign` between them, None if one is no JSON."""
    decode = _json_decoder()
    spans: list[Span] = []
    try:
        while True:
            spans.append((start, decode(text, start)[1]))
            behind = lines.first_character(text, spans[-1][1])
            if behind == len(text) or not text.startswith(sign, behind):
                return spans
            start = lines.first_character(text, behind + len(sign))
    except (ValueError, RecursionError):
        return None


def _json_decoder() -> Callable[[str, int], tuple[Any, int]]:
    """Return the function of the JSON decoder that returns a value and where it ends. It runs in C."""
    import json  # noqa: PLC0415 - for JSON alone: every other start would pay for it

    return json.JSONDecoder().raw_decode
