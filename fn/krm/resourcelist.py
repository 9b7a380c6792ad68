"""A text read into items, and emitted with its changes in the shape that it came in.

The shapes are a ResourceList of any version, a List, YAML documents, and JSON of those. A shape has the `kind` of its
envelope ("" for plain documents), the `items` as they were read and the `function_config`. A new item has to be JSON
unless the shape `keeps_comments`. A shape prints itself with the items that are present. It is a list cut into slices
(`krm.lists`), or a list parsed whole, or documents.
"""

from __future__ import annotations

from itertools import chain

from krm import envelope, lists, newitem
from krm.encoding import split_bom
from krm.envelope import ITEMS, RESOURCE_LIST
from krm.resource import FORMAT, IDS, KUSTOMIZATION, Resource
from krm.results import ERROR, FnError, Output, Result, failed, sort_key
from krm.textslice import Pending, holding
from krm.yamltree import cuts, nodes, positions, scalars, style
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.lines import newline
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from krm.envelope import Items, Pieces
    from krm.lists import SlicedList
    from krm.yamltree.cuts import DocumentSpan
    from krm.yamltree.outline import Span

    Shape: TypeAlias = "SlicedList | WholeList | Documents"


class ResourceList:
    """The items of a text, its functionConfig, and the results of this run.

    `items` are changed in place; they come and go by `add` and `remove`. Those of a List are items of their own;
    `entries` are the items as they stand in the text, with their Lists. `kind` is that of the envelope, "" for plain
    documents. `results` starts with an error for each item that is no mapping. Results of earlier functions stay in
    the text.
    """

    place = None  # an item of a text says its file in annotations
    root = "."

    def __init__(self, text: str) -> None:
        # The mark is no part of the first item, and comes out again in front of all.
        self._byte_order_mark, self._text = split_bom(text)
        self._shape = shape = _shape(self._text)
        self.kind = shape.kind
        self.entries = shape.items
        self.items = lists.opened(shape.items, shape.function_config)
        self.function_config = shape.function_config
        self.results: list[Result] = list(shape.mistakes())

    @property
    def kustomizations(self) -> list[Resource]:
        """The items that are kustomizations."""
        found = (item for item in holding(self.items, KUSTOMIZATION) if item.is_readable)
        return [item for item in found if item.kind == KUSTOMIZATION]

    def text_of(self, path: str) -> None:
        """Return None: a list brings no file beside its items."""

    def add(self, text: str, *, is_yaml: bool = False) -> Resource:
        """Add a YAML document behind the other items, with its comments, order and quotes.

        JSON and lists in brackets have no place for comments: an info tells that they are lost. FnError if the text is
        not exactly one mapping. If it `is_yaml`, as its author knows, it is not parsed for that.
        """
        label = f"the new item {len(self.items) + 1}"
        shape, keeps_comments = self._shape, self._shape.keeps_comments
        make = shape.add if isinstance(shape, Documents) else newitem.element
        item = make(text, label, is_yaml=is_yaml) if keeps_comments else newitem.json(text, label)
        if not keeps_comments and newitem.has_comments(text, label):
            self.results.append(item.notice("its comments are lost: the list has no place for them", "CommentsLost"))
        self.items += (item,)
        self.entries += (item,)
        return item

    def remove(self, *items: Resource) -> None:
        """Remove items, each with the comments that belong to it. ValueError for an item of another list.

        A List stays where it is when its last element goes.
        """
        self.items, self.entries = lists.without(items, self.items, self.entries)

    def sort_results(self) -> None:
        """Sort the results by file, severity and text; for kpt, which shows four lines, by severity first."""
        self.results.sort(key=sort_key)
        if self._is_of_kpt():
            self.results.sort(key=lambda one: sort_key(one)[1])

    def emit(self) -> Output:
        """Return the text with every change of its items, in the shape that it came in, and all results in their order.

        If a result is an error, a ResourceList comes out with its items byte for byte as they were read, and with its
        results. Every other shape has no place for results, so its text is empty then: nobody's pipe applies it.
        """
        # This is asked twice, as only the emitting finds the error of a text that cannot be written.
        pieces = () if failed(self.results) else self._emitted()
        # An item that cannot be read is found by each step that reads it.
        self.results = [*{id(result): result for result in self.results}.values()]
        if failed(self.results):
            if self.kind != RESOURCE_LIST:
                return Output((), self.results)
            as_read = _shape(self._text)
            pieces = as_read.emit(self._data(), as_read.items)
        return Output(chain((self._byte_order_mark,), pieces), self.results, is_shown=self._is_of_kpt())

    def _is_of_kpt(self) -> bool:
        """True if kpt runs the function on this list: kpt shows the results, which kustomize drops."""
        # `kpt fn source` writes the one annotation without the other, and no reader of its output shows results.
        # Asked of the text as it was read: all items of a list that is parsed whole share the present one.
        spelled = (one for one in (self.items if self.results else ()) if one.spells(FORMAT) and one.is_readable)
        whole = next((one.whole for one in spelled if one.annotation(FORMAT) is not None), "")
        return any(key in whole for key in IDS)

    def _emitted(self) -> Pieces:
        """Return the changed text. If it cannot be made, add an error and return nothing."""
        try:
            return self._shape.emit(self._data(), self.entries)
        except FnError as error:
            self.results += error.results
        except (EditError, ParseError) as refused:
            self.results.append(Result(f"an item cannot be added or removed: {refused}", ERROR, "NotEditable"))
        return ()

    def _data(self) -> list[dict[str, object]]:
        if self.kind != RESOURCE_LIST:
            return []
        return [result.as_data() for result in self.results]


def read(text: str) -> ResourceList:
    """Read a ResourceList, a List, or YAML documents, as YAML or JSON. ParseError if the text is not YAML."""
    return ResourceList(text)


def _shape(text: str) -> Shape:
    """Return the shape of a text. ParseError if it is not YAML."""
    # Each envelope has one of these words. Without them the whole text need not be parsed.
    may_be_envelope = envelope.RESOURCE_LIST in text or "functionConfig" in text
    cut = lists.cut(text, (0, len(text)), envelope.kind) if may_be_envelope else None
    if cut is not None:
        return cut
    # `jq -c` prints objects one behind the other without `---`, which no YAML parser reads.
    values = cuts.json_values(text)
    if values is not None:
        return Documents(text, [(span, True) for span in values], between="")
    parts = cuts.documents(text)
    spans = [span for span, holds_more in parts if holds_more]
    if len(spans) == 1 and may_be_envelope:
        editor = Editor(text[slice(*spans[0])], json=cuts.is_json(text))
        if envelope.kind(editor.document.root):
            return WholeList(text, spans[0], editor)
    return Documents(text, parts, between="---")


class WholeList:
    """A list that is parsed whole, because its items share anchors or are written in an unusual way."""

    def __init__(self, text: str, span: Span, editor: Editor) -> None:
        """Take the list at `span` of `text`. The documents around it hold no items."""
        self._around = text[: span[0]], text[span[1] :]
        self._editor = editor
        self.kind = envelope.kind(editor.document.root)
        items, root = editor.get(ITEMS), editor.get(())
        listed = nodes.list_elements(items)
        # In brackets, and behind those that an alias shows, new items come in as values, and values have no comments.
        in_brackets = isinstance(root, Mapping) and root.flow
        has_lines = isinstance(items, Sequence) and not items.flow and items is nodes.kid(root, *ITEMS)
        self.keeps_comments = not in_brackets and (has_lines or not listed)
        self._pending = Pending(editor)
        frame = Resource.within(editor, (), self.kind)
        self.items: Items = (*lists.members(frame, listed, self._pending),)
        self.function_config = envelope.function_config(editor)

    def mistakes(self) -> Iterator[Result]:
        """Yield an error for `items` that is no list or is called otherwise, and for what is no mapping."""
        yield from envelope.unless_config(self._editor)
        items, root = self._editor.get(ITEMS), self._editor.get(())
        # The run would not change a list under another key.
        for key, node in root.entries.items() if items is None and isinstance(root, Mapping) else ():
            if isinstance(node, Sequence) and key != "results":
                yield Result(f"`items` is not there, and `{key}` is a list: write `items`", ERROR, "InvalidInput")
        if not isinstance(items, Sequence) and scalars.data(items) is not None:
            yield Result(f"`items` is {envelope.described(items)}, it must be a list", ERROR, "InvalidInput")
        for item in self.items:
            yield from envelope.unless_mapping(item)

    def emit(self, found: list[Any], present: Items) -> Pieces:
        """Return the text with the present items as they are now, and `found` behind earlier results.

        FnError or EditError if a comment or an anchor in use would be lost.
        """
        added, gone = envelope.added_and_removed(self.items, present)
        if added and not isinstance(self._editor.get(ITEMS), Sequence):
            self._editor.set(ITEMS, [])
        if added and not self.items and self.keeps_comments:
            self._editor.set(ITEMS, [0])  # the indentation of this element is that of new ones
            # In brackets and without a final line break there are no lines for them, and an alias behind them could
            # take an anchor of theirs.
            items: Any = self._editor.get(ITEMS)
            is_plain = self._editor.text.endswith("\n") and not self._editor.document.aliases
            if is_plain and not items.flow:
                return self._filled(added, found)
        for number in gone:
            self._pending.remove((*ITEMS, number))
        self._pending.make_rewrites()
        if added and self.keeps_comments:
            self._editor.graft(ITEMS, "".join(item.text for item in added))
        elif added:
            self._editor.extend(ITEMS, [scalars.exact(item.root) for item in added])
        if added and self.keeps_comments and not self.items:
            self._editor.delete((*ITEMS, 0))
        self._pending.make_removals()
        envelope.append_results(self._editor, found)
        before, behind = self._around
        return before, self._editor.text, behind

    def _filled(self, added: list[Resource], found: list[Any]) -> Pieces:
        """Return the text of an empty list with new items. Each was read alone, so no tree has all of them."""
        editor = self._editor
        envelope.append_results(editor, found)
        start, end = envelope.element_line(editor)
        column = editor.text.index("-", start) - start
        ending = newline(editor.text, start)
        new = (envelope.indented(item, column, ending) for item in added)
        before, behind = self._around
        return chain((before, editor.text[:start]), new, (editor.text[end:], behind))


class Documents:
    """A stream of documents, which has no place for results.

    A document without content, or with a scalar alone, is no item and passes through. Each document stays what it is,
    YAML or JSON.
    """

    kind = ""
    function_config = None

    def __init__(self, text: str, parts: list[DocumentSpan], *, between: str) -> None:
        """Take the documents of a text. New ones are parted by `---`, or by nothing if all are JSON."""
        self._text = text
        self._newline = newline(text, len(text))
        self._between = between and f"{between}{self._newline}"
        found = [(number, span) for number, (span, holds_more) in enumerate(parts, start=1) if holds_more]
        is_json = [cuts.is_json(text[slice(*span)]) for _, span in found]
        self.keeps_comments = not (found and all(is_json))
        self.items: Items = tuple(
            Resource(text, span, f"document {number}", json=json, has_lines=True)
            for (number, span), json in zip(found, is_json, strict=True)
        )

    def mistakes(self) -> Iterator[Result]:
        """Yield an error for each document that is several, or a list of its own.

        Nothing else is judged, as it may stay untouched.
        """
        for item in self.items:
            yield from envelope.unless_one(item, item.span[0])
            # A ResourceList beside other documents would pass through unread.
            if item.may_contain(RESOURCE_LIST) and item.is_readable and envelope.kind(item.root) == RESOURCE_LIST:
                message = "a ResourceList stands here beside other documents: give each ResourceList by itself"
                yield item.result(message, ERROR, "InvalidInput")

    def add(self, text: str, label: str, *, is_yaml: bool) -> Resource:
        """Return a new item as a document. It is written behind the others when they are emitted."""
        # A document with another first character is no KYAML, and not parsed.
        last = self.items[-1] if self.items and self.items[-1].source.lstrip("- \r\n").startswith("{") else None
        if last is not None and isinstance(root := last.root, Mapping) and style.is_kyaml(last.editor.text, root, root):
            return newitem.kyaml(text, label, self._newline)
        return newitem.document(text, label, self._newline, is_yaml=is_yaml)

    def emit(self, _: list[Any], present: Items) -> Pieces:
        """Return the text with the present documents as they are now."""
        added, gone = envelope.added_and_removed(self.items, present)
        made = [*envelope.changes(self.items, gone)]
        left = envelope.spliced(self._text, (0, len(self._text)), made)
        if not added:
            return left
        above = "".join(left)
        texts = [above if above.strip() else "", *(item.text for item in added)]
        return [positions.ended(newitem.joined(texts, self._between))]
