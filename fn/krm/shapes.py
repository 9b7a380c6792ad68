"""The shapes in which a text holds items: a list cut into parts, a list parsed whole, plain documents.

Each shape knows its `kind` (that of the envelope, empty for plain documents), its `items` as they were read, its
`function_config`, how a new item is written in it, whether that `keeps_comments`, and how to print itself again with
the items that are present then. Which shape a text has is told by `of`.
"""

from __future__ import annotations

import re
from itertools import chain

from fn.krm import additions, envelope
from fn.krm.resource import Resource
from fn.krm.results import ERROR, FnError, Result
from fn.yamltree import cuts, entries, lines, parser, style
from fn.yamltree.editor import EditError, Editor
from fn.yamltree.edits import Edit
from fn.yamltree.nodes import Mapping, Sequence
from fn.yamltree.parser import ParseError
from fn.yamltree.scalars import data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    from fn.krm.fieldpath import Place
    from fn.yamltree.cuts import Cut, Part, Span

    Changes: TypeAlias = dict[Place, list[Edit]]
    Items: TypeAlias = tuple[Resource, ...]
    Pieces: TypeAlias = Iterable[str]
    Shape: TypeAlias = "BlockList | JsonList | WholeList | Documents"

_CHUNK = 1 << 16
_BEHIND_ITEMS = ("functionConfig", "results", "kind", "metadata", "apiVersion")
_IS_MAPPING = re.compile(r" *- +(?:[A-Za-z][\w./-]*:[ \n]|\{)|\{")
_ITEMS = ("items",)


def of(text: str) -> Shape:
    """Return the shape of a text. ParseError where it is not YAML."""
    cut = cuts.json_list(text, "items")
    if cut is not None and envelope.kind(cut.document.root):
        return JsonList(text, cut)
    cut = cut or cuts.block_list(text, "items", _BEHIND_ITEMS)
    if cut is not None and envelope.kind(cut.document.root):
        return BlockList(text, cut)
    parts = cuts.documents(text)
    json = cuts.is_json(text)
    spans = [span for span, holds_more in parts if holds_more]
    if len(spans) == 1 and ("items" in text or "functionConfig" in text):
        editor = Editor(text[slice(*spans[0])], json=json)
        if envelope.kind(editor.document.root):
            return WholeList(text, spans[0], editor, json=json)
    return Documents(text, parts, json=json)


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
        return _pieces(self._text, (spans[0][0], spans[-1][1]), made) if spans else ()

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
        made = _changes(self.items) if present is self.items else self._arranged(present)
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
        added, gone = _come_and_gone(self.items, present)
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
        return start + first if number else start, start + stop

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
        added, gone = _come_and_gone(self.items, present)
        stays = len(gone) < len(self.items)
        if added:
            self._frame.extend(_ITEMS, [additions.value(item.root) for item in added])
        if gone and not stays:
            self._frame.delete((*_ITEMS, 0))
        if not stays:
            envelope.append_results(self._frame, found)
            return (self._frame.text,)
        made = self._arranged(gone) if gone else _changes(self.items)
        return self._framed(self._pieces(made), self._frame, found)

    def _arranged(self, gone: list[int]) -> Iterator[Edit]:
        """Yield the edits that take items away, each with the comma before or behind it."""
        last = max(set(range(len(self.items))).difference(gone))
        for number, item in enumerate(self.items):
            start, end = item.span
            if number not in gone:
                yield Edit(start, end, item.text)
            elif number < last:
                yield Edit(start, self.items[number + 1].span[0], "")
            else:
                yield Edit(self.items[number - 1].span[1], end, "")


class WholeList:
    """A list that is parsed as one, because its items share anchors or are written in an unusual way."""

    def __init__(self, text: str, span: Span, editor: Editor, *, json: bool) -> None:
        """Take the list that stands at `span` of `text`; around it are documents that hold nothing."""
        self._around = text[: span[0]], text[span[1] :]
        self._editor = editor
        self._read = Editor(editor.text, json=json, document=editor.document)
        self.kind = envelope.kind(editor.document.root)
        items, root = editor.get(_ITEMS), editor.get(())
        count = len(items.kids) if isinstance(items, Sequence) else 0
        in_brackets = isinstance(root, Mapping) and root.flow
        self.keeps_comments = not (in_brackets or (isinstance(items, Sequence) and items.flow and count))
        self._rewrites: Changes = {}
        self.items: Items = tuple(_Member(editor, number, self._rewrites) for number in range(count))
        self.function_config = envelope.function_config(editor)

    def mistakes(self) -> Iterator[Result]:
        """Yield what cannot be an item or a functionConfig, or is no list of items."""
        yield from envelope.unless_config(self._editor)
        items = self._editor.get(_ITEMS)
        if not isinstance(items, Sequence) and data(items) is not None:
            yield Result(f"`items` is {envelope.described(items)}, it must be a list", ERROR, "InvalidInput")
        for item in self.items:
            yield from envelope.unless_mapping(item)

    def add(self, text: str, place: str) -> Resource:
        """Return a new item, which is written among the others when they are emitted."""
        return additions.element(text, place) if self.keeps_comments else additions.json(text, place)

    def emit(self, found: list[Any], present: Items) -> Pieces:
        """Return the text with the items that are present, as they now are, and `found` behind earlier results.

        FnError where the gathered changes would lose something of the author's.
        """
        added, gone = _come_and_gone(self.items, present)
        try:
            self._editor.rewrite(
                {place: of_place for place, of_place in self._rewrites.items() if place[1] not in gone}
            )
        except EditError as error:
            raise FnError(Result(f"a field cannot be changed: {error}", ERROR, "NotEditable")) from None
        self._put(added)
        for number in reversed(gone):
            self._editor.delete((*_ITEMS, number))
        return self._with_results(self._editor, found)

    def emit_unchanged(self, found: list[Any]) -> Pieces:
        """Return the text as it was read, but for `found` behind earlier results."""
        return self._with_results(self._read, found)

    def _put(self, added: list[Resource]) -> None:
        """Put new items behind the others."""
        if not added:
            return
        if not isinstance(self._editor.get(_ITEMS), Sequence):
            self._editor.set(_ITEMS, [])
        if not self.keeps_comments:
            self._editor.extend(_ITEMS, [additions.value(item.root) for item in added])
            return
        if not self.items:
            self._editor.set(_ITEMS, [0])
        self._editor.graft(_ITEMS, "".join(item.text for item in added))
        if not self.items:
            self._editor.delete((*_ITEMS, 0))

    def _with_results(self, editor: Editor, found: list[Any]) -> Pieces:
        envelope.append_results(editor, found)
        before, behind = self._around
        return before, editor.text, behind


class _Member(Resource):
    """An item of a text that is parsed as one. Its rewrites are made when all are known: each would cost a parse."""

    __slots__ = ("_rewrites",)

    def __init__(self, editor: Editor, number: int, rewrites: Changes) -> None:
        super().__init__(editor.text, (0, len(editor.text)), f"items[{number}]", (*_ITEMS, number))
        self._editor = editor
        self._rewrites = rewrites

    def rewrite(self, changes: Changes) -> None:
        self._rewrites.update({self.base + place: edits for place, edits in changes.items()})

    def release(self) -> None:
        """Keep the tree, which is that of the other items too."""


class Documents:
    """A stream of documents. It has no place for results.

    Each is an item, but for those that hold nothing: comments alone, or a single word. They pass through.
    """

    kind = ""
    function_config = None

    def __init__(self, text: str, parts: list[Part], *, json: bool) -> None:
        self._text = text
        self._json = json
        self._newline = lines.newline(text, len(text))
        self.keeps_comments = not json
        self.items: Items = tuple(
            Resource(text, span, f"document {number}", json=json)
            for number, (span, holds_more) in enumerate(parts, start=1)
            if holds_more
        )

    def mistakes(self) -> Iterator[Result]:
        """Yield nothing: a document may be anything (decision 4)."""
        return iter(())

    def add(self, text: str, place: str) -> Resource:
        """Return a new item, which is written as a document behind the others when they are emitted."""
        return additions.json(text, place) if self._json else additions.document(text, place, self._newline)

    def emit(self, _: list[Any], present: Items) -> Pieces:
        """Return the text with the documents that are present, as they now are."""
        whole = 0, len(self._text)
        if present is self.items:
            return _pieces(self._text, whole, _changes(self.items))
        added, gone = _come_and_gone(self.items, present)
        made = [
            Edit(*item.span, "" if number in gone else item.text)
            for number, item in enumerate(self.items)
            if number in gone or item.is_changed
        ]
        pieces = _pieces(self._text, whole, made)
        return self._followed("".join(pieces), added) if added else pieces

    def _followed(self, above: str, added: list[Resource]) -> Pieces:
        """Return documents, where there are any, with others behind them."""
        start = f"---{self._newline}"
        first = [additions.ended(above), start] if above.strip() else []
        between = chain.from_iterable((start, additions.ended(item.text)) for item in added[1:])
        return chain(first, [additions.ended(added[0].text)], between)


def _come_and_gone(read: Items, present: Items) -> tuple[list[Resource], list[int]]:
    """Return the items that were not read, and the numbers of those that were and are no longer there."""
    if present is read:
        return [], []
    were, are = set(map(id, read)), set(map(id, present))
    return [item for item in present if id(item) not in were], [n for n, item in enumerate(read) if id(item) not in are]


def _changes(items: Items) -> Iterator[Edit]:
    """Yield what makes of each item that was changed what it now is."""
    for item in items:
        if item.is_changed:
            yield Edit(*item.span, item.text)


def _pieces(text: str, region: Span, made: Iterable[Edit]) -> Iterator[str]:
    """Yield what stands at `region` of a text, with edits made in the order of the text.

    What is not changed comes in pieces too, so that a long text is never in memory a second time.
    """
    position, end = region
    for edit in made:
        yield from _chunks(text, position, edit.start)
        yield edit.text
        position = edit.end
    yield from _chunks(text, position, end)


def _chunks(text: str, start: int, end: int) -> Iterator[str]:
    for position in range(start, end, _CHUNK):
        yield text[position : min(position + _CHUNK, end)]
