"""Sections of a text: the lines of one field, which are parsed and edited alone, below the keys that they stand in.

    apiVersion: v1
    metadata:           metadata:
      name: web
      labels:             labels:
        app: web            app: web
    spec: {}

To the right is the section of `metadata.labels`. A text is cut by the indentation of its keys. That is safe where each
line leaves quotes and brackets closed, and where nothing refers to another line: else the text has no sections, and is
parsed whole (docs/lossless-yaml.md, "Parts that are read alone").
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from krm.yamltree import amendment, lines, parser
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Scalar, at
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.yamltree.cuts import Span
    from krm.yamltree.nodes import Mapping, Place, Sequence
    from krm.yamltree.parser import Document
    from krm.yamltree.target import Target

    Spans: TypeAlias = "dict[str, Span]"

_KEY = r"[A-Za-z_][\w./-]*"
_FIRST_OF_ELEMENT = re.compile(rf" *- +(?={_KEY}:(?: |$))", re.MULTILINE)
_FIRST_OF_DOCUMENT = re.compile(rf"(?:---\n)?(?: *(?:#.*)?\n)*? *(?={_KEY}:(?: |$))", re.MULTILINE)
_BLOCK = re.compile(rf"{_KEY}: *(?:#.*)?\n(?: *(?:#.*)?\n)* *(?={_KEY}:(?: |$))", re.MULTILINE)
"""A key whose value is a block mapping, up to the first key of that."""

_WORD = re.compile(rf" *{_KEY}: (\w[\w./-]*)\n")

# What reaches beyond its line: anchors, aliases and tags, merge keys, `? `, other documents, blocks that keep the blank
# lines below them, tabs and line breaks of other kinds.
_REACHES = re.compile(
    "[\t\r\x85\u2028\u2029\ufeff]"
    r"|(?:^|[ \[{,-])(?:[&*][\w-]|!)|<<['\"]?\s*:|^ *(?:- +)*\?(?:\s|\Z)|\n(?:---|\.\.\.|%)|[|>][1-9]?\+",
    re.MULTILINE,
)
_MAY_REACH = "\t\r&*!<?%+"

_OPENING = re.compile(r"""["'\[{]""")
_QUOTED = r"""(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\n]|'')*+')"""
_WORDS = r"""(?:(?:-(?=[^\s,\[\]{}]))?+[^\s\[\]{}"'#,:&*!|>%@`?-](?:[^\[\]{}"'#,:\n]|:(?![\s,\[\]{}]))*+)"""


def _brackets(inner: str) -> str:
    """Return the pattern of a list or mapping in brackets, on one line, with such values in it."""
    value = rf"(?:{_QUOTED}|{_WORDS}{inner}) *+"
    entry = rf"{value}(?:: *+(?:{value})?+)?+"
    return rf"(?:[\[{{] *+(?:{entry}(?:, *+{entry})*+(?:, *+)?+)?+[\]}}])"


# Whatever a line opens is closed in it: a comment, or dashes and a key before quotes, brackets or a plain scalar.
_CLOSED = re.compile(
    rf" *+(?:#.*|(?:- ++)*+(?:(?:{_QUOTED}|[^\s\"'\[\]{{}}#&*!|>%@`,?:][^\s:]*+) *+:(?: ++|$))?+"
    rf"(?:(?:{_QUOTED}|{_brackets('|' + _brackets('|' + _brackets('')))})(?: ++#.*)?+ *+"
    r"""|[^\s"'\[\]{}#&*!|>%@`](?:[^:\n#]|:(?=\S)|(?<=\S)#)*+(?:#.*)?+)?+)$""",
    re.MULTILINE,
)


class Section:
    """The lines of the field at `place`, from `start` up to `end` of a text, with the keys of `frame` above them."""

    __slots__ = ("_document", "_whole", "end", "frame", "place", "start")

    def __init__(self, whole: str, place: Place, span: Span, frame: str) -> None:
        self.place = place
        self.start, self.end = span
        self.frame = frame
        self._whole = whole
        self._document: Document | None = None

    @property
    def text(self) -> str:
        """The text that is parsed: a document that has this field alone."""
        return self.frame + self._whole[self.start : self.end]

    @property
    def document(self) -> Document:
        """The tree of the section. ParseError where it cannot be read."""
        if self._document is None:
            self._document = parser.parse(self.text)
        return self._document

    @property
    def is_parsed(self) -> bool:
        """True if the tree is there."""
        return self._document is not None

    @property
    def lines_above(self) -> int:
        """The number of lines that stand above the section in the whole text, and not in its own."""
        return self._whole.count("\n", 0, self.start) - self.frame.count("\n")

    @property
    def is_followed(self) -> bool:
        """True if a comment follows the field, which may belong to it, or to what stands below."""
        last = self._whole[: self.end].rstrip()
        return last.startswith("#", lines.past_blanks(last, lines.line_start(last, len(last))))

    def word(self) -> Scalar | None:
        """Return the value if it is a plain word in the line of its key, None for anything else."""
        found = _WORD.fullmatch(self._whole, self.start, self.end)
        if found is None:
            return None
        start, end = (position - self.start + len(self.frame) for position in found.span(1))
        return Scalar(start, end, found[1], "", None, None)

    def edit(self, target: Target) -> Edit:
        """Return the edit of the whole text after which the section is `target`. EditError as for `amendment.made`."""
        try:
            layout = Layout(root=self.document.root, around=self._whole)
            made, _ = amendment.made(self.text, self.document, target, layout)
        except EditError as error:
            raise EditError(error.problem, error.line + self.lines_above) from None
        assert made.startswith(self.frame), "what is above a section is none of its lines"  # noqa: S101
        return Edit(self.start, self.end, made[len(self.frame) :])


class Sections:
    """The sections of `text`, a document or an element of a list whose first key stands at `first`."""

    __slots__ = ("_entries", "_first", "_known", "text")

    def __init__(self, text: str, first: int) -> None:
        self.text = text
        self._first = first
        self._entries: dict[Place, Spans | None] = {}
        self._known: dict[Place, Section] = {}

    @property
    def is_cut(self) -> bool:
        """True if the text is a mapping of plain keys, each with lines of its own."""
        return self._of(()) is not None

    def at(self, *keys: str) -> Scalar | Mapping | Sequence | None:
        """Return the node at the path of `keys`, None where there is none. ParseError as for `Section.document`."""
        section = self.around(keys)
        if section is None:
            return None
        # Most kinds and names are one word, which takes no parser.
        word = None if section.is_parsed or len(section.place) < len(keys) else section.word()
        return word or at(section.document.root, *keys)

    def has_mapping(self, keys: tuple[str, ...]) -> bool:
        """True if a block mapping stands at the path of `keys`, with plain keys; False if that takes a tree to tell."""
        return all(key in (self._of(keys[:depth]) or ()) for depth, key in enumerate(keys)) and bool(self._of(keys))

    def around(self, keys: tuple[str, ...]) -> Section | None:
        """Return the innermost section that the field at `keys` is in, to be read; None if there is no such field."""
        place = self._innermost(keys)
        entries = self._of(place)
        # All keys of a mapping that was cut are known: to look for another one takes no tree.
        is_absent = entries is not None and keys[len(place)] not in entries if len(place) < len(keys) else False
        return None if is_absent else self.section(place)

    def to_edit(self, keys: tuple[str, ...]) -> Section | None:
        """Return the innermost section to which all belongs that the edit of an entry of the mapping at `keys` needs.

        None if that is the whole text.
        """
        place = self._innermost(keys)
        while place and self.section(place).is_followed:
            place = place[:-1]
        return self.section(place) if place else None

    def section(self, place: Place) -> Section:
        """Return the section at a place that was cut."""
        if place not in self._known:
            self._known[place] = Section(self.text, place, self._span(place), self._frame(place))
        return self._known[place]

    def _innermost(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        """Return the longest part of a path of keys that leads to an entry of a mapping that was cut."""
        for depth, key in enumerate(keys):
            # A tree that is there has all that is below it.
            if depth and keys[:depth] in self._known and self._known[keys[:depth]].is_parsed:
                return keys[:depth]
            if key not in (self._of(keys[:depth]) or ()):
                return keys[:depth]
        return keys

    def _span(self, place: Place) -> Span:
        entries = self._of(place[:-1])
        assert entries is not None, "it was cut"  # noqa: S101 - for mypy
        return entries[str(place[-1])]

    def _frame(self, place: Place) -> str:
        spans = [self._span(place[:depth]) for depth in range(1, len(place) + 1)]
        above = zip(place, spans[:-1], strict=False)
        frame = "".join(f"{' ' * self._column(span[0])}{key}:\n" for key, span in above)
        # The first key of an element stands behind a dash.
        start = spans[-1][0]
        return frame + " " * lines.column(self.text, start)

    def _column(self, position: int) -> int:
        return lines.past_blanks(self.text, position) - lines.line_start(self.text, position)

    def _of(self, place: Place) -> Spans | None:
        """Return the spans of the entries of the mapping at a place, None where it is not cut."""
        if place not in self._entries:
            self._entries[place] = self._cut(place)
        return self._entries[place]

    def _cut(self, place: Place) -> Spans | None:
        if not place:
            return _entries(self.text, self._first, len(self.text))
        start, end = self._span(place)
        block = _BLOCK.match(self.text, lines.past_blanks(self.text, start), end)
        if block is None or lines.column(self.text, block.end()) <= self._column(start):
            return None
        return _entries(self.text, block.end(), end)


def sections(text: str, *, is_element: bool) -> Sections | None:
    """Return the sections of a text that is known to be YAML, a document or an element of a list; None without any."""
    first = (_FIRST_OF_ELEMENT if is_element else _FIRST_OF_DOCUMENT).match(text)
    if first is None or not text.endswith("\n") or not _is_closed(text):
        return None
    found = Sections(text, first.end())
    return found if found.is_cut else None


def _is_closed(text: str) -> bool:
    """True if nothing in a text reaches beyond its line, but for blocks."""
    # To look for single characters is ten times as fast, and most texts have none of these.
    if (not text.isascii() or any(map(text.__contains__, _MAY_REACH)) or "\n--" in text or "\n.." in text) and (
        _REACHES.search(text)
    ):
        return False
    behind = 0
    for opening in _OPENING.finditer(text):
        if opening.start() >= behind:
            line = _CLOSED.match(text, lines.line_start(text, opening.start()))
            if line is None:
                return False
            behind = line.end()
    return True


def _entries(text: str, first: int, end: int) -> Spans | None:
    """Return the spans of the entries of the block mapping whose first key stands at `first`, None for odd ones."""
    # The first one may stand behind a dash.
    start = lines.line_start(text, first) if lines.is_first(text, first) else first
    starts = {text[first : text.index(":", first)]: start}
    for found in _margin(lines.column(text, first)).finditer(text, first, end):
        key: str | None = found[1]
        # Two of a name are refused by the parser, and so is what is no key.
        if key is None or key in starts:
            return None
        starts[key] = found.start() + 1
    return dict(zip(starts, pairwise((*starts.values(), end)), strict=True))


@cache
def _margin(column: int) -> re.Pattern[str]:
    """Return the pattern of what stands at a column in a line, but for comments and dashes of a list below its key."""
    return re.compile(rf"\n {{{column}}}(?:({_KEY}):(?=[ \n])|(?!- |-\n)[^ #\n])")
