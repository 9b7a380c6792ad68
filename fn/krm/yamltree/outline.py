"""The outline of a text: the lines of each field, found by their indentation and without a parser.

    spec:
      containers:
      - name: web       spec.containers[0].name
        image: nginx    spec.containers[0].image

This is safe if each line closes the quotes and brackets that it opens, and no line refers to another one. Any other
text has no outline and is parsed whole (docs/reference/lossless-yaml.md, "Parts that are read alone").
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

from krm.yamltree import lines, scalars
from krm.yamltree.nodes import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from krm.yamltree.nodes import Place

    Span: TypeAlias = "tuple[int, int]"
    Spans: TypeAlias = "dict[str | int, Span]"

LONGEST_LIST = 16
"""The longest list whose elements are read alone. Each is parsed below empty elements, which give it its index."""

_KEY = r"[A-Za-z_][\w./-]*"
_IS_KEY = re.compile(_KEY)
_FIELD = rf"{_KEY}:(?: |$)"
_BELOW = r" *(?:#.*)?\n(?: *(?:#.*)?\n)*+ *"
_FIRST_OF_ELEMENT = re.compile(rf" *- +(?:#.*\n(?: *(?:#.*)?\n)*+ *)?(?={_FIELD})", re.MULTILINE)
_FIRST_OF_DOCUMENT = re.compile(rf"(?:---(?: +#.*| *)\n)?(?: *(?:#.*)?\n)*+ *(?={_FIELD})", re.MULTILINE)
_OF_KEY = re.compile(rf" *{_KEY}:{_BELOW}(?={_FIELD}|-(?: |$))", re.MULTILINE)
_OF_DASH = re.compile(rf" *-(?: +|{_BELOW})(?={_FIELD})", re.MULTILINE)
"""A key or dash with a block collection behind it, up to the first key or dash of that."""

_PLAIN = r"[\w/](?:[\w./@+=-]|:(?=[\w./@+=-]))*"
_SCALAR = rf"(?:({_PLAIN})|'([^'\n]*)'|\"([^\"\\\n]*)\")"
_END = r"(?: +#.*| *)\n(?: *(?:#.*)?\n)*"
_WORD = re.compile(rf" *(?:{_KEY}:|-) +{_SCALAR}{_END}")
_STYLES = ("", "'", '"')

# What has an effect beyond its line: anchors, aliases and tags, merge keys, `? `, other documents, blocks that keep the
# blank lines below them, tabs and line breaks of other kinds.
_REACHES = re.compile(
    "[\t\r\x85\u2028\u2029\ufeff]"
    r"|(?:^|[ \[{,-])(?:[&*][\w-]|!)|<<['\"]?\s*:|^ *+(?:- ++)*+\?(?:\s|\Z)|\n(?:---|\.\.\.|%)|[|>][1-9]?\+",
    re.MULTILINE,
)
_MAY_REACH = "\t\r&*!<?%+"

# Most lines open nothing, or a short value behind a key or dash: all of these together are one search.
_SHORT = r"""(?:"[^"\\\n]*+"|'[^'\n]*+'|[\[{][^\[\]{}"'#\n]*+[\]}])"""
_PLAINLY_CLOSED = re.compile(rf"""(?:[^"'\[{{]++(?<=[:-] ){_SHORT}(?: ++#.*)?+ *+$)*+[^"'\[{{]*+""", re.MULTILINE)


class Outline:
    """The lines of the fields of `text`, a document or an element of a list whose first key stands at `first`."""

    def __init__(self, text: str, first: int) -> None:
        self.text = text
        self._first = first
        self._spans: dict[Place, Spans | None] = {}
        self._columns: dict[Place, int] = {}

    def spans(self, place: Place) -> Spans | None:
        """Return the spans of the entries of the block mapping, or of the elements of the list, at a place.

        None if it is neither, or if only a parser can read it.
        """
        if place not in self._spans:
            self._spans[place] = self._below(place) if place else self._entries(place, self._first, len(self.text))
        return self._spans[place]

    def entries(self, *keys: str) -> Spans:
        """Return the spans of the entries of the mapping at a path; none if only a parser can read it."""
        is_there = all(key in (self.spans(keys[:depth]) or ()) for depth, key in enumerate(keys))
        return (self.spans(keys) or {}) if is_there else {}

    def deepest(self, path: tuple[object, ...]) -> Place:
        """Return the place of the deepest field on a path that the outline has; that of the whole text is `()`."""
        place: Any
        for depth, step in enumerate(path):
            place = path[:depth]
            if step not in (self._spans.get(place) or self.spans(place) or ()):
                return place  # type: ignore[no-any-return]  # all its steps are known
        return path  # type: ignore[return-value]  # as above

    def span(self, place: Place) -> Span:
        """Return the span of a field: whole lines, but without the dash in front of the first key of an element."""
        if not place:
            return 0, len(self.text)
        spans = self.spans(place[:-1])
        assert spans is not None, "its field is known"  # noqa: S101 - for mypy
        return spans[place[-1]]

    def margin(self, place: Place) -> str:
        """Return the indentation of the entries or elements of the block at a place."""
        return " " * self._columns[place]

    def frame(self, place: Place) -> str:
        """Return the text that makes the lines of a field, put below it, the field at this place."""
        frame = ""
        for depth, step in enumerate(place):
            margin = self.margin(place[:depth])
            if isinstance(step, int):
                frame += f"{margin}-\n" * (step + (depth + 1 < len(place)))
            elif depth + 1 < len(place):
                frame += f"{margin}{step}:\n"
        # The first key of an element stands behind a dash.
        return frame + " " * lines.column(self.text, self.span(place)[0])

    def _below(self, place: Place) -> Spans | None:
        """Return the spans of the entries or elements in the field at a place."""
        start, end = self.span(place)
        found = (_OF_DASH if isinstance(place[-1], int) else _OF_KEY).match(self.text, start, end)
        if found is None:
            return None
        first = found.end()
        is_list = self.text.startswith("-", first)
        return self._elements(place, first, end) if is_list else self._entries(place, first, end)

    def _entries(self, place: Place, first: int, end: int) -> Spans | None:
        """Return the spans of the entries of the block mapping whose first key stands at `first`, None for odd ones."""
        text = self.text
        line = lines.line_start(text, first)
        column = self._columns[place] = first - line
        start = first if text[line:first].strip() else line  # the first key may stand behind a dash
        key: Any = text[first : text.index(":", first)]  # None after a line that is no key
        spans: Spans = {}
        # What starts at the column. Comments, and dashes of a list below its key, do not match.
        starts = rf"\n{' ' * column}(?=[^ #\n])(?:({_KEY}):(?=[ \n])|(?!- |-\n))"
        for found in re.compile(starts).finditer(text, first, end):
            below = found.start() + 1
            spans[key] = start, below
            key, start = found[1], below
            # The parser refuses a second key of the same name, and a line that is no key.
            if not key or key in spans:
                return None
        spans[key] = start, end
        return spans

    def _elements(self, place: Place, first: int, end: int) -> Spans | None:
        """Return the spans of the elements of the block list whose first dash stands at `first`; None for long ones."""
        line = lines.line_start(self.text, first)
        column = self._columns[place] = first - line
        # The dashes at the column. Within a list nothing else can start there.
        found = re.compile(rf"\n {{{column}}}-(?=[ \n])").finditer(self.text, first, end)
        starts = [line, *(dash.start() + 1 for dash in found), end]
        return dict(enumerate(pairwise(starts))) if len(starts) <= LONGEST_LIST + 1 else None


def outline(text: str, *, is_element: bool) -> Outline | None:
    """Return the outline of a text that is known to be YAML, a document or an element of a list; None without one."""
    first = (_FIRST_OF_ELEMENT if is_element else _FIRST_OF_DOCUMENT).match(text)
    if first is None or not text.endswith("\n") or not is_closed(text):
        return None
    found = Outline(text, first.end())
    return None if found.spans(()) is None else found


@lru_cache
def is_key(text: str) -> bool:
    """True if a text can be a key in an outline."""
    return _IS_KEY.fullmatch(text) is not None and not scalars.is_retyped(text)


def word(text: str, span: Span) -> Scalar | None:
    """Return the scalar behind the key or dash of a line; None if it needs a parser."""
    found = _WORD.fullmatch(text, *span)
    if found is None:
        return None
    group = found.lastindex or 1
    start, end = found.span(group)
    quotes = group > 1
    return Scalar(start - quotes, end + quotes, found[group], _STYLES[group - 1], None, None)


def is_closed(text: str) -> bool:
    """True if nothing in a text has an effect beyond its line, except blocks."""
    # A search for single characters is ten times as fast, and most texts have none of these.
    if (not text.isascii() or any(map(text.__contains__, _MAY_REACH)) or "\n--" in text or "\n.." in text) and (
        _REACHES.search(text)
    ):
        return False
    position = 0
    while True:
        plainly = _PLAINLY_CLOSED.match(text, position)
        position = plainly.end() if plainly else position
        if position == len(text):
            return True
        line = _closed().match(text, lines.line_start(text, position))
        if line is None:
            return False
        position = line.end()


@cache
def _closed() -> re.Pattern[str]:
    """Return the pattern of a line that closes whatever it opens. Few texts have lines that need it."""
    # It matches a comment, and dashes and a key before quotes, brackets on three levels or a plain scalar.
    quoted = r"""(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\n]|'')*+')"""
    words = r"""(?:(?:-(?=[^\s,\[\]{}]))?+[^\s\[\]{}"'#,:&*!|>%@`?-](?:[^\[\]{}"'#,:\n]|:(?![\s,\[\]{}]))*+)"""
    value = brackets = ""
    for _ in range(3):
        value = f"(?:{quoted}|{words}{brackets and '|'}{brackets})"
        brackets = rf"(?:[\[{{] *+(?:{value} *+(?=[:,\]}}])|[:,] *+)*+[\]}}])"
    key = rf"(?:{quoted}|[^\s\"'\[\]{{}}#&*!|>%@`,?:](?:[^\s:]| (?!#))*+) *+:(?: ++|$)"
    plain = r"""[^\s"'\[\]{}#&*!|>%@`](?:[^:\n#]|:(?=\S)|(?<=\S)#)*+(?:#.*)?+"""
    return re.compile(
        rf" *+(?:#.*|(?:- ++)*+(?:{key})?+(?:(?:{quoted}|{brackets})(?: ++#.*)?+ *+|{plain})?+)$", re.MULTILINE
    )
