"""Lists whose items are parts of the text: a block list, and an array of JSON."""

from __future__ import annotations

import re
from itertools import chain

from krm import additions, envelope, pieces
from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import entries, lines, parser, style
from krm.yamltree.editor import Editor
from krm.yamltree.edits import Edit
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from krm.pieces import Items, Pieces
    from krm.yamltree.cuts import Cut, Span

_IS_MAPPING = re.compile(r" *- +(?:[A-Za-z][\w./-]*:[ \n]|\{)|\{")
_ITEMS = ("items",)


class _CutList:
    """A list whose items are parts of the text that can be parsed alone; its frame is what is around them."""

    def __init__(self, text: str, cut: Cut, *, json: bool) -> None:
        self._text = text
        self._cut = cut
        self._json = json
        self._frame = Editor(cut.frame, json=json, document=cut.document)
        self.kind = envelope.kind(cut.document.root)
        base = () if json else (0,)
        self.items: Items = tuple(
            Resource(text, span, f"items[{number}]", base, json=json) for number, span in enumerate(cut.spans)
        )
        self.function_config = envelope.function_config(self._frame)

    def mistakes(self) -> Iterator[Result]:
        """Yield what cannot be an item or a functionConfig."""
        yield from envelope.unless_config(self._frame)
        for item in self.items:
            if not _IS_MAPPING.match(self._text, item.span[0]):
                yield from envelope.unless_mapping(item)

    def emit_unchanged(self, found: list[Any]) -> Pieces:
        """Return the text as it was read, but for `found` behind earlier results."""
        frame = Editor(self._cut.frame, json=self._json, document=self._cut.document)
        return self._framed(self._pieces(()), frame, found)

    def _pieces(self, made: Iterable[Edit]) -> Pieces:
        """Return the part of the text where the items are, with edits."""
        spans = self._cut.spans
        return pieces.of(self._text, (spans[0][0], spans[-1][1]), made) if spans else ()

    def _framed(self, pieces: Pieces, frame: Editor, found: list[Any]) -> Pieces:
        """Return the frame with the items in the place of the element that stands for them."""
        envelope.append_results(frame, found)
        if not self._cut.spans:
            return (frame.text,)
        start, end = self._placeholder(frame)
        return chain((frame.text[:start],), pieces, (frame.text[end:],))

    def _placeholder(self, frame: Editor) -> Span:
        """Return where the element is that stands for the items."""
        items: Any = frame.get(_ITEMS)
        start, end = items.kids[0].start, items.kids[0].end
        if self._json:
            return start, end
        return lines.line_start(frame.text, start), lines.next_line(frame.text, end)


class BlockList(_CutList):
    """A block list: each part is whole lines, from its dash to the line before the next one."""

    keeps_comments = True

    def __init__(self, text: str, cut: Cut) -> None:
        super().__init__(text, cut, json=False)

    def add(self, text: str, place: str) -> Resource:
        """Return a new item, which is written among the others when they are emitted."""
        return additions.element(text, place)

    def emit(self, found: list[Any], present: Items) -> Pieces:
        """Return the text with the items that are present, as they now are, and `found` behind earlier results."""
        if not present:
            return self._emptied(found)
        made = pieces.changes(self.items) if present is self.items else self._arranged(present)
        return self._framed(self._pieces(made), self._frame, found)

    def _emptied(self, found: list[Any]) -> Pieces:
        """Return the text without items: what else stood among them, comments say, stands below the empty list."""
        _, end = self._placeholder(self._frame)
        left = "".join(self._pieces(self._arranged(())))
        frame = Editor(self._frame.text[:end] + left + self._frame.text[end:])
        frame.delete((*_ITEMS, 0))
        envelope.append_results(frame, found)
        return (frame.text,)

    def _arranged(self, present: Items) -> list[Edit]:
        """Return the edits that leave the present items: of what goes also the comments above it, in another part."""
        added, gone = pieces.come_and_gone(self.items, present)
        extents = {number: self._extent(number) for number in gone}
        behind = self._extent(len(self.items) - 1)[1] if added else self.items[-1].span[1]
        made = []
        for number, item in enumerate(self.items):
            start, stop = item.span
            if number in extents:
                made.append(Edit(*extents[number], ""))
            elif item.is_changed:
                stop = extents[number + 1][0] if number + 1 in extents else min(stop, behind)
                made.append(Edit(start, stop, item.text.removesuffix(self._text[stop : item.span[1]])))
        return [*made, Edit(behind, behind, "".join(map(self._placed, added)))]

    def _extent(self, number: int) -> Span:
        """Return where an item starts and stops with its own comments, some of which may stand in the part before."""
        above = max(number - 1, 0)
        start = self.items[above].span[0]
        part = self._text[start : self.items[number].span[1]]
        try:
            listed: Any = parser.parse(part).root
        except ParseError as error:
            moved = error.moved(self.items[above].lines_above)
            raise FnError(Result(f"{self.items[above].place}: {moved}", ERROR, "InvalidInput")) from None
        first, stop = entries.extent(part, listed, number - above)
        return start + first, start + stop

    def _placed(self, item: Resource) -> str:
        """Return the lines of a new item where the others stand."""
        start = self.items[0].span[0]
        return "\n".join(style.indented(item.text.split("\n"), self._text.index("-", start) - start))


class JsonList(_CutList):
    """An array of JSON: each part is an element, without the comma behind it."""

    keeps_comments = False

    def __init__(self, text: str, cut: Cut) -> None:
        super().__init__(text, cut, json=True)

    def add(self, text: str, place: str) -> Resource:
        """Return a new item, which is written among the others when they are emitted."""
        return additions.json(text, place)

    def emit(self, found: list[Any], present: Items) -> Pieces:
        """Return the text with the items that are present, as they now are, and `found` behind earlier results."""
        added, gone = pieces.come_and_gone(self.items, present)
        stays = len(gone) < len(self.items)
        if added:
            self._frame.extend(_ITEMS, [additions.value(item.root) for item in added])
        if gone and not stays:
            self._frame.delete((*_ITEMS, 0))
        if not stays:
            envelope.append_results(self._frame, found)
            return (self._frame.text,)
        made = self._arranged(gone) if gone else pieces.changes(self.items)
        return self._framed(self._pieces(made), self._frame, found)

    def _arranged(self, gone: dict[int, Resource]) -> Iterator[Edit]:
        """Yield the edits that take items away, each with the comma before or behind it."""
        last = max(number for number in range(len(self.items)) if number not in gone)
        for number, item in enumerate(self.items):
            start, end = item.span
            if number not in gone:
                yield Edit(start, end, item.text)
            elif number < last:
                yield Edit(start, self.items[number + 1].span[0], "")
            else:
                yield Edit(self.items[number - 1].span[1], end, "")
