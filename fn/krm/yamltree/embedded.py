r"""Texts that are files in a language of their own: a value is written into one in the spelling of that language.

    data:
      app.yaml: |                      NOTE is `say "hi": yes`, PORT is `80`
        note: $(NOTE)                  note: "say \"hi\": yes"
      app.json: '{"port": $(PORT)}'    {"port": 80}
      run.sh: echo $(NOTE)             echo say "hi": yes

docs/reference/expansion.md, "Files in a field". The ending of the key names the language. A text that cannot be read in
it is plain text, and so is one without a mapping or a list.
"""

from __future__ import annotations

import re
from itertools import chain

from krm.yamltree import edits, events, lines, parser, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, Mapping, Scalar, Sequence, is_block_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.yamltree.nodes import Node

    Make: TypeAlias = Callable[[str], list[Edit]]
    """A function that returns the edits of a text."""

    ContentLeaf: TypeAlias = tuple[Scalar, bool]
    ScalarSpan: TypeAlias = tuple[int, int, Scalar]
    """The start and end of a scalar without its anchor and tag, and the scalar."""

_JSON = ".json"
_ENDINGS = (".yaml", ".yml", _JSON)
# These patterns are compiled at their first use, as most runs meet no file.
_BARE = r'"(?:[^"\\]|\\[\s\S])*+(?:"|\Z)|\$\([^()"$]*+\)'
_QUOTED = r""""(?:[^"\\]|\\[\s\S])*+"|'(?:[^']|'')*+'"""


class Content:
    """A text and its `parts`, in which references are expanded: the `scalars` of a file, keys too, or the whole text.

    `found` are the scalars below the `roots` of a file, each with True if it is in brackets.
    """

    def __init__(self, key: str, text: str, roots: list[Mapping | Sequence], found: Iterable[ContentLeaf] = ()) -> None:
        self._key = key
        self.text = text
        self.roots = roots
        self._leaves = [*found]
        self.scalars = [leaf for leaf, _ in self._leaves]
        self.parts = [leaf.value for leaf in self.scalars] if roots else [text]

    def only(self, nodes: Iterable[Node]) -> Content:
        """Return the same file with these of its scalars alone as parts."""
        kept = {*map(id, nodes)}
        return Content(self._key, self.text, self.roots, (one for one in self._leaves if id(one[0]) in kept))

    def edits(self, make: Make) -> list[Edit]:
        """Return the edits of the text for the edits of each part. ParseError if no parser reads the result."""
        if not self.roots:
            return make(self.text)
        made = [edit for leaf, flow in self._leaves for edit in self._of_leaf(leaf, make(leaf.value), flow=flow)]
        if made:
            parser.parse_all(edits.apply(self.text, made))
        return made

    def _of_leaf(self, leaf: Scalar, made: list[Edit], *, flow: bool) -> list[Edit]:
        from krm.yamltree import splices  # noqa: PLC0415 - most runs meet no file
        from krm.yamltree.target import Rewritten  # noqa: PLC0415 - as above

        target = Rewritten(leaf, made)
        if made and takes_type(leaf, made) and scalars.is_json_value(target.value):
            return [Edit(leaf.start, leaf.end, target.value)]
        return splices.spelled(self.text, target, flow=flow, json=self._key.endswith(_JSON)) if made else []

    def lines(self, *, apart: bool) -> list[str | Line]:
        """Return the lines of the text if `apart`, else the whole text. Those with scalars of a file are a Line."""
        if not self.roots:
            return [*self.text.split("\n")] if apart else [self.text]
        return [*self._read_lines()] if apart else [Line(self.text, (0, len(self.text)), self._spans, self._key)]

    @property
    def _spans(self) -> list[ScalarSpan]:
        return [(lines.body(self.text, leaf), lines.ink_end(self.text, leaf), leaf) for leaf, _ in self._leaves]

    def _read_lines(self) -> Iterator[str | Line]:
        rest = self._spans[::-1]
        start = 0
        for line in self.text.split("\n"):
            stop = start + len(line)
            of_line: list[ScalarSpan] = []
            is_cut = False
            while rest and rest[-1][0] <= stop:
                begin, end, leaf = rest[-1]
                is_one = start <= begin and end <= stop
                of_line += [rest[-1]] if is_one else []
                is_cut = is_cut or not (is_one or is_block_scalar(leaf))
                if end > stop:
                    break
                rest.pop()
            yield Line(self.text, (start, stop), of_line) if of_line or is_cut else line
            start = stop + 1

    def requoted(self, new: str, *, apart: bool) -> str:
        """Return a new text, but with the lines of this one that differ from the new ones in quotes alone."""
        old, new_lines = self.lines(apart=apart), new.split("\n") if apart else [new]
        if len(old) != len(new_lines):
            return new
        pairs = zip(old, new_lines, strict=True)
        return "\n".join(one.text if isinstance(one, Line) and one.says(other) else other for one, other in pairs)


class Line:
    """A line of a file, or all of it: its `text`, the `values` of its scalars, and the `gaps` around these.

    A line with a part of a quoted scalar of several lines has no values, and is compared by its text.
    """

    def __init__(self, text: str, span: tuple[int, int], found: list[ScalarSpan], key: str = "") -> None:
        self._key = key
        start, stop = span
        self.text = text[start:stop]
        self.values = [scalar.value for *_, scalar in found]
        starts, ends = [start, *(end for _, end, _ in found)], [*(begin for begin, *_ in found), stop]
        self.gaps = [text[one:other] for one, other in zip(starts, ends, strict=True)]

    def says(self, other: str) -> bool:
        """True if another line has the same scalars, perhaps in other quotes."""
        return self.values_of(other) == self.values

    def values_of(self, other: str) -> list[str] | None:
        """Return the values of another line with the same gaps between its scalars, None for any other line."""
        if self._key:
            (whole,) = content(self._key, other).lines(apart=False)
            return whole.values if isinstance(whole, Line) and whole.gaps == self.gaps else None
        first, *behind = self.gaps
        if not other.startswith(first):
            return None
        found: list[str] = []
        position = len(first)
        for number, gap in enumerate(behind, 1):
            quoted = re.compile(_QUOTED).match(other, position)
            is_last = number == len(behind)
            end = quoted.end() if quoted else len(other) - len(gap) if is_last else other.find(gap, position)
            value = _value(other[position:end]) if end >= position and other.startswith(gap, end) else None
            if value is None:
                return None
            found.append(value)
            position = end + len(gap)
        return found if position == len(other) else None


def is_file(key: str | int) -> bool:
    """True if a key names a language, so that its text may be a file."""
    return isinstance(key, str) and key.endswith(_ENDINGS)


def content(key: str | int, text: str) -> Content:
    """Return the text under a key, read in the language that the ending of the key names."""
    if not is_file(key):
        return Content("", text, [])
    name = str(key)
    # In JSON a reference outside of quotes stands for a value.
    given = re.sub(_BARE, lambda one: "0" if one[0][0] == "$" else one[0], text) if name.endswith(_JSON) else ""
    roots = _roots(text) if not given or events.is_json(given) else []
    return Content(name, text, roots, chain.from_iterable(map(_leaves, roots)))


def takes_type(scalar: Scalar, made: list[Edit]) -> bool:
    """True if a scalar takes the type of its new text: it is one reference, without quotes and without a tag."""
    # With quotes or a tag the author says that a value is a string.
    is_one = len(made) == 1 and (made[0].start, made[0].end) == (0, len(scalar.value))
    return is_one and scalar.style == "" and scalar.tag is None


def _value(source: str) -> str | None:
    """Return the value of the scalar that `source` is, None if it is no scalar."""
    if scalars.fits_plain(source, flow=False):
        return source
    found = parser.roots(source)
    return found[0].value if len(found) == 1 and isinstance(found[0], Scalar) else None


def _roots(text: str) -> list[Mapping | Sequence]:
    """Return the roots of the documents of a text; none if it is no YAML, or one of them is a scalar."""
    found = parser.roots(text)
    roots = [root for root in found if isinstance(root, Mapping | Sequence)]
    return roots if len(roots) == sum(root is not None for root in found) else []


def _leaves(root: Collection) -> Iterator[ContentLeaf]:
    """Yield the scalars below a node that have a text, keys too, each with True if it is in brackets."""
    waiting: list[tuple[Node | Collection, bool]] = [(root, False)]
    while waiting:
        node, flow = waiting.pop()
        if isinstance(node, Collection):
            waiting += [(kid, node.flow) for kid in reversed(node.kids)]
        elif isinstance(node, Scalar) and node.start < node.end:
            yield node, flow
