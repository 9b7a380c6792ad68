"""The shapes in which a text holds items: a list cut into parts, a list parsed whole, plain documents.

Each shape knows its `kind` (that of the envelope, empty for plain documents), its `items` as they were read, its
`function_config`, how a new item is written in it, whether that `keeps_comments`, and how to print itself again with
the items that are present then. Which shape a text has is told by `of`.
"""

from __future__ import annotations

from itertools import chain

from krm import additions, envelope, pieces
from krm.cutlists import BlockList, JsonList
from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import cuts, lines
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.scalars import data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from krm.fieldpath import Place
    from krm.pieces import Items, Pieces
    from krm.yamltree.cuts import Part, Span

    Changes: TypeAlias = dict[Place, list[Edit]]
    Shape: TypeAlias = "BlockList | JsonList | WholeList | Documents"

_BEHIND_ITEMS = ("functionConfig", "results", "kind", "metadata", "apiVersion")
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

        FnError or EditError where a change would lose something of the author's.
        """
        added, gone = pieces.come_and_gone(self.items, present)
        self._rewrite({place: of_place for place, of_place in self._rewrites.items() if place[1] not in gone})
        self._put(added)
        for number in reversed(gone):
            self._editor.delete((*_ITEMS, number))
        return self._with_results(self._editor, found)

    def emit_unchanged(self, found: list[Any]) -> Pieces:
        """Return the text as it was read, but for `found` behind earlier results."""
        return self._with_results(self._read, found)

    def _rewrite(self, changes: Changes) -> None:
        """Make the gathered changes, if there are any: an alias that stands in the way of one may be there without."""
        try:
            if changes:
                self._editor.rewrite(changes)
        except EditError as error:
            raise FnError(Result(f"a field cannot be changed: {error}", ERROR, "NotEditable")) from None

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
            # A list has to stand there to show how its elements do.
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
            return pieces.of(self._text, whole, pieces.changes(self.items))
        added, gone = pieces.come_and_gone(self.items, present)
        made = [
            Edit(*item.span, "" if number in gone else item.text)
            for number, item in enumerate(self.items)
            if number in gone or item.is_changed
        ]
        left = pieces.of(self._text, whole, made)
        return self._followed("".join(left), added) if added else left

    def _followed(self, above: str, added: list[Resource]) -> Pieces:
        """Return documents, where there are any, with others behind them."""
        start = f"---{self._newline}"
        first = [additions.ended(above), start] if above.strip() else []
        between = chain.from_iterable((start, additions.ended(item.text)) for item in added[1:])
        return chain(first, [additions.ended(added[0].text)], between)
