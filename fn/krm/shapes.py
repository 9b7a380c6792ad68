"""The shapes in which a text holds items: a list cut into parts, a list parsed whole, plain documents.

Each shape knows its `kind` (that of the envelope, empty for plain documents), its `items`, its `function_config`, and
how to print itself again. Which shape a text has is told by `of`.
"""

from __future__ import annotations

import re
from itertools import chain

from fn.krm.resource import Resource
from fn.krm.results import ERROR, FnError, Result
from fn.yamltree import cuts, lines
from fn.yamltree.editor import EditError, Editor
from fn.yamltree.nodes import Mapping, Sequence, resolved
from fn.yamltree.scalars import data, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    from fn.krm.fieldpath import Place
    from fn.yamltree.cuts import Cut, Part, Span
    from fn.yamltree.edits import Edit
    from fn.yamltree.nodes import Node

    Changes: TypeAlias = dict[Place, list[Edit]]
    Pieces: TypeAlias = Iterable[str]
    Shape: TypeAlias = "CutList | WholeList | Documents"

RESOURCE_LIST = "ResourceList"
LIST = "List"

_CHUNK = 1 << 16
_BEHIND_ITEMS = ("functionConfig", "results", "kind", "metadata", "apiVersion")
_IS_MAPPING = re.compile(r" *- +(?:[A-Za-z][\w./-]*:[ \n]|\{)|\{")
_FUNCTION_CONFIG = ("functionConfig",)
_RESULTS = ("results",)
_WRAPPED_RESULTS = ("results", "items")


def of(text: str) -> Shape:
    """Return the shape of a text. ParseError where it is not YAML."""
    json_cut = cuts.json_list(text, "items")
    cut = json_cut or cuts.block_list(text, "items", _BEHIND_ITEMS)
    if cut is not None and _envelope_kind(cut.document.root):
        return CutList(text, cut, json=json_cut is not None)
    parts = cuts.documents(text)
    json = cuts.is_json(text)
    spans = [span for span, holds_more in parts if holds_more]
    if len(spans) == 1 and ("items" in text or "functionConfig" in text):
        editor = Editor(text[slice(*spans[0])], json=json)
        if _envelope_kind(editor.document.root):
            return WholeList(text, spans[0], editor, json=json)
    return Documents(text, parts, json=json)


class CutList:
    """A list whose items are parts of the text that can be parsed alone."""

    def __init__(self, text: str, cut: Cut, *, json: bool) -> None:
        self._text = text
        self._cut = cut
        self._json = json
        self._frame = Editor(cut.frame, json=json, document=cut.document)
        self.kind = _envelope_kind(cut.document.root)
        base = () if json else (0,)
        self.items = tuple(
            Resource(text, span, f"items[{number}]", base, json=json) for number, span in enumerate(cut.spans)
        )
        self.function_config = _function_config(self._frame)

    def mistakes(self) -> Iterator[Result]:
        """Yield what cannot be an item or a functionConfig."""
        yield from _unless_config(self._frame)
        for item in self.items:
            if not _IS_MAPPING.match(self._text, item.span[0]):
                yield from _unless_mapping(item)

    def emit(self, found: list[Any]) -> Pieces:
        """Return the text with every change of its items and with `found` behind earlier results."""
        return self._framed(_pieces(self._text, self._region(), self.items), self._frame, found)

    def emit_unchanged(self, found: list[Any]) -> Pieces:
        """Return the text as it was read, but for `found` behind earlier results."""
        frame = Editor(self._cut.frame, json=self._json, document=self._cut.document)
        return self._framed(_pieces(self._text, self._region(), ()), frame, found)

    def _region(self) -> Span:
        """Return the span of all items in the text."""
        spans = self._cut.spans
        return (spans[0][0], spans[-1][1]) if spans else (0, 0)

    def _framed(self, pieces: Pieces, frame: Editor, found: list[Any]) -> Pieces:
        """Return the frame with the items in the place of the element that stands for them."""
        _append_results(frame, found)
        if not self._cut.spans:
            return (frame.text,)
        items: Any = frame.get(("items",))
        start, end = items.kids[0].start, items.kids[0].end
        if not self._json:
            start, end = lines.line_start(frame.text, start), lines.next_line(frame.text, end)
        return chain((frame.text[:start],), pieces, (frame.text[end:],))


class WholeList:
    """A list that is parsed as one, because its items share anchors or are written in an unusual way."""

    def __init__(self, text: str, span: Span, editor: Editor, *, json: bool) -> None:
        """Take the list that stands at `span` of `text`; around it are documents that hold nothing."""
        self._around = text[: span[0]], text[span[1] :]
        self._editor = editor
        self._read = Editor(editor.text, json=json, document=editor.document)
        self.kind = _envelope_kind(editor.document.root)
        items = editor.get(("items",))
        count = len(items.kids) if isinstance(items, Sequence) else 0
        self._rewrites: Changes = {}
        self.items: tuple[Resource, ...] = tuple(_Member(editor, number, self._rewrites) for number in range(count))
        self.function_config = _function_config(editor)

    def mistakes(self) -> Iterator[Result]:
        """Yield what cannot be an item or a functionConfig, or is no list of items."""
        yield from _unless_config(self._editor)
        items = self._editor.get(("items",))
        if not isinstance(items, Sequence) and data(items) is not None:
            yield Result(f"`items` is {_described(items)}, it must be a list", ERROR, "InvalidInput")
        for item in self.items:
            yield from _unless_mapping(item)

    def emit(self, found: list[Any]) -> Pieces:
        """Return the text with every change of its items and with `found` behind earlier results.

        FnError where the gathered rewrites would lose something of the author's.
        """
        try:
            self._editor.rewrite(self._rewrites)
        except EditError as error:
            raise FnError(Result(f"a field cannot be changed: {error}", ERROR, "NotEditable")) from None
        return self._with_results(self._editor, found)

    def emit_unchanged(self, found: list[Any]) -> Pieces:
        """Return the text as it was read, but for `found` behind earlier results."""
        return self._with_results(self._read, found)

    def _with_results(self, editor: Editor, found: list[Any]) -> Pieces:
        _append_results(editor, found)
        before, behind = self._around
        return before, editor.text, behind


class _Member(Resource):
    """An item of a text that is parsed as one. Its rewrites are made when all are known: each would cost a parse."""

    __slots__ = ("_rewrites",)

    def __init__(self, editor: Editor, number: int, rewrites: Changes) -> None:
        super().__init__(editor.text, (0, len(editor.text)), f"items[{number}]", ("items", number))
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
        self.items = tuple(
            Resource(text, span, f"document {number}", json=json)
            for number, (span, holds_more) in enumerate(parts, start=1)
            if holds_more
        )

    def mistakes(self) -> Iterator[Result]:
        """Yield nothing: a document may be anything (decision 4)."""
        return iter(())

    def emit(self, _: list[Any]) -> Pieces:
        """Return the text with every change of its items."""
        return _pieces(self._text, (0, len(self._text)), self.items)


def _pieces(text: str, region: Span, items: Iterable[Resource]) -> Iterator[str]:
    """Yield what stands at `region` of a text, with the changed items in the place of what was read.

    What was not changed comes in pieces too, so that a long text is never in memory a second time.
    """
    position, end = region
    for item in items:
        if item.is_changed:
            yield from _chunks(text, position, item.span[0])
            yield item.text
            position = item.span[1]
    yield from _chunks(text, position, end)


def _chunks(text: str, start: int, end: int) -> Iterator[str]:
    for position in range(start, end, _CHUNK):
        yield text[position : min(position + _CHUNK, end)]


def _envelope_kind(root: Node | None) -> str:
    """Return ResourceList or List if `root` is one, as kyaml tells them: by kind and by what it holds."""
    root = resolved(root)
    if not isinstance(root, Mapping) or (root.get("items") is None and root.get("functionConfig") is None):
        return ""
    kind = string(resolved(root.get("kind")))
    return kind if kind in (RESOURCE_LIST, LIST) else ""


def _unless_mapping(item: Resource) -> Iterator[Result]:
    try:
        root = item.root
    except FnError as error:
        yield from error.results
        return
    if not isinstance(root, Mapping):
        message = f"`{item.place}` is {_described(root)}, it must be a mapping"
        yield Result(message, ERROR, "InvalidInput")


def _described(node: Node | None) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    return "empty" if data(node) is None else "a scalar"


def _unless_config(frame: Editor) -> Iterator[Result]:
    node = frame.get(_FUNCTION_CONFIG)
    if not isinstance(node, Mapping) and data(node) is not None:
        yield Result(f"`functionConfig` is {_described(node)}, it must be a mapping", ERROR, "InvalidInput")


def _function_config(frame: Editor) -> Resource | None:
    node = frame.get(_FUNCTION_CONFIG)
    return Resource.within(frame, _FUNCTION_CONFIG, "functionConfig") if isinstance(node, Mapping) else None


def _append_results(frame: Editor, found: list[Any]) -> None:
    if not found:
        return
    place = _WRAPPED_RESULTS if isinstance(frame.get(_RESULTS), Mapping) else _RESULTS
    try:
        if isinstance(frame.get(place), Sequence):
            frame.extend(place, found)
        else:
            frame.set(place, found)
    except EditError:
        # They are told on standard error too: what earlier functions found is worth more than their copy.
        return
