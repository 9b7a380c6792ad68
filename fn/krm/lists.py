"""Lists of items: Lists among the items of a text are opened, and a list is cut into slices.

A List is an object of a kind that ends in `List`, with mappings as its `items`, which are items of their own
(docs/reference/expansion.md, "Lists"). An element knows its List (`outer`), whose text has the changes of all elements.

Block lists and arrays of JSON are cut into slices, which are parsed one by one, and spliced into the text as it was
read. This also holds for the envelope of all items (`krm.resourcelist`).
"""

from __future__ import annotations

import re
from itertools import chain

from krm import envelope
from krm.envelope import ITEMS
from krm.resource import OF_KIND, Resource
from krm.results import ERROR, FnError, Result
from krm.textslice import Pending
from krm.yamltree import cuts, lines, positions, scalars
from krm.yamltree.editor import Editor
from krm.yamltree.edits import Edit
from krm.yamltree.events import failure
from krm.yamltree.nodes import Sequence, at, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from krm.envelope import Items, Pieces
    from krm.yamltree.cuts import Cut
    from krm.yamltree.nodes import Node
    from krm.yamltree.outline import Span

# The word of a ResourceList does not count, as most texts have one as the envelope of all items.
_OF_A_LIST = re.compile(rf"{OF_KIND}(?!ResourceList\b)\w*List\b")
_IS_MAPPING = re.compile(r" *-(?: +|\r?\n +)(?:#.*\n +)*(?:([A-Za-z][\w./-]*:)[ \r\n]|\{)|\{")


def opened(items: tuple[Resource, ...], function_config: Resource | None = None) -> tuple[Resource, ...]:
    """Return items with the elements of each List in its place, those of Lists among these elements too.

    A List that is the functionConfig stays closed, as its elements are no items. A List that cannot be parsed stays as
    it is, and is an error as soon as a field of it is read.
    """
    # One search of the text is cheaper than one of each item, and most texts have no List.
    texts = {id(item.whole): item.whole for item in items}
    if not any(map(_OF_A_LIST.search, texts.values())):
        return items
    # Orchestrators send the file of the functionConfig with the other files of the package.
    of_list = function_config is not None and function_config.kind.endswith(envelope.LIST)
    ref = str(function_config.ref) if function_config is not None and of_list else ""
    closed = {id(item) for item in items if ref and item.is_readable and str(item.ref) == ref}
    return (*chain.from_iterable((item,) if id(item) in closed else _opened(item) for item in items),)


def without(gone: Iterable[Resource], items: Items, entries: Items) -> tuple[Items, Items]:
    """Return the items and the entries of a text that stay when some items go. ValueError for an item of another text.

    A List stays where it is when its last element goes.
    """
    # By identity, so an equal item of another text is not taken for one of these.
    by_id = {id(item): item for item in gone}
    staying = tuple(item for item in items if id(item) not in by_id)
    if len(staying) + len(by_id) != len(items):
        raise ValueError("an item that is not in the list cannot be removed from it")
    for item in by_id.values():
        if item.outer is not None:
            _leave(item, item.outer)
    # An element of a List is no entry.
    return staying, tuple(item for item in entries if id(item) not in by_id)


def _leave(item: Resource, outer: Resource) -> None:
    """Remove an item from the List that it is in, which may be empty afterwards."""
    item.is_gone = True
    if item.pending is not None:
        item.pending.remove(item.base)
    listed = at(outer.root, *ITEMS)
    if isinstance(listed, Sequence) and item.number < len(listed.kids) - 1:
        outer.drop_ids()


def members(resource: Resource, listed: list[Node], pending: Pending) -> Iterator[Resource]:
    """Yield the elements of the `items` of an object, which share its text."""
    for number, written in enumerate(listed):
        node = resolved(written)
        if node is None:
            problem = "this is an alias, and nothing above it has its anchor"
            raise failure(resource.editor.text, written.start, problem)
        member = Resource(resource.whole, resource.span, f"items[{number}]", (*resource.base, *ITEMS, number))
        member.share(resource, node, pending)
        member.number = number
        yield member


def _opened(resource: Resource) -> Iterable[Resource]:
    """Yield a resource, or the elements of a List. They do not know the List itself: no object is in a circle."""
    found = _cut(resource) or _shared(resource) if _OF_A_LIST.search(resource.whole, *resource.span) else None
    if found is None:
        return (resource,)
    editor, items = found
    outer = resource.as_read(editor)
    for item in items:
        item.outer = outer
    return chain.from_iterable(map(_opened, items))


def _cut(resource: Resource) -> tuple[Editor, tuple[Resource, ...]] | None:
    """Return the elements of a List that can be cut, and the text around them. No tree is built of a long List."""
    if resource.base or resource.pending is not None:
        return None
    sliced = cut(resource.whole, resource.span, envelope.is_list)
    if sliced is None or not all(_IS_MAPPING.match(resource.whole, item.span[0]) for item in sliced.items):
        return None
    resource.elements = sliced
    return sliced.frame, sliced.items


def _shared(resource: Resource) -> tuple[Editor, tuple[Resource, ...]] | None:
    """Return the elements of a List in a text that is parsed whole: it is in a list itself, or is written oddly."""
    listed = envelope.elements(resource.root) if resource.is_readable else None
    if listed is None:
        return None
    pending = resource.pending or Pending(resource.editor)
    resource.elements = pending
    return resource.editor, (*members(resource, listed.kids, pending),)


def cut(whole: str, span: Span, is_list: Callable[[Node | None], object]) -> SlicedList | None:
    """Return the list at `span` of a text if it can be cut, and `is_list` is true of the mapping around it."""
    text = whole[slice(*span)]
    of_json = cuts.json_list(text, "items")
    found = of_json or cuts.block_list(text, "items")
    if found is None or not is_list(found.document.root):
        return None
    return SlicedList(whole, span[0], found, json=found is of_json)


class SlicedList:
    """A list whose items can be parsed alone. The frame is the text around them, with one element for them all.

    The slice of an item of a block list is whole lines, from its dash to the line before the next one; that of an array
    of JSON is the element without the comma behind it.
    """

    def __init__(self, text: str, start: int, cut: Cut, *, json: bool) -> None:
        """Take the list that `cut` found in `text` from `start` on."""
        self.keeps_comments = not json
        self._text = text
        self._newline = lines.newline(text, len(text))
        self._cut = cut
        self._json = json
        self.frame = Editor(cut.frame, json=json, document=cut.document)
        self.kind = envelope.kind(cut.document.root)
        base = () if json else (0,)
        self.items: Items = tuple(
            Resource(text, (start + first, start + end), f"items[{number}]", base, json=json)
            for number, (first, end) in enumerate(cut.spans)
        )
        for number, item in enumerate(self.items):
            item.number = number
        self.function_config = envelope.function_config(self.frame)

    def mistakes(self) -> Iterator[Result]:
        """Yield an error for each item, and for a functionConfig, that is no mapping."""
        yield from envelope.unless_config(self.frame)
        for item in self.items:
            # The text of its first key proves a mapping, without a parse of every item.
            found = _IS_MAPPING.match(self._text, item.span[0])
            if found is None:
                yield from envelope.unless_mapping(item)
            elif found[1]:
                yield from envelope.unless_one(item, found.start(1))

    @property
    def is_changed(self) -> bool:
        """True if the text is no longer the one that was read."""
        is_same = self.frame.text == self._cut.frame
        return not is_same or any(item.is_gone or item.is_changed for item in self.items)

    @property
    def text(self) -> str:
        """The text with the changes of its items, and without those that are gone."""
        return "".join(self.emit([], tuple(item for item in self.items if not item.is_gone)))

    def emit(self, found: list[Any], present: Items) -> Pieces:
        """Return the text with the present items as they are now, and `found` behind earlier results."""
        added, gone = envelope.added_and_removed(self.items, present)
        # The text may end without a line end, and what comes behind the last item needs one.
        if (found or added) and self.keeps_comments and not self._text.endswith("\n"):
            self.items[-1].become(positions.ended(self.items[-1].text))
        if self._json and added:
            self.frame.extend(ITEMS, [scalars.exact(item.root) for item in added])
        if gone and (len(gone) == len(self.items) if self._json else not present):
            return self._emptied(found)
        made = self._of_json(gone) if self._json else self._of_block(added, gone)
        # A removal can fail, and has to be an error of the run. Texts are not all kept at once.
        return self._framed([*made] if gone or added else made, found)

    def _framed(self, made: Iterable[Edit], found: list[Any]) -> Pieces:
        """Return the frame with the items, after edits, in place of the element that stands for them."""
        frame = self.frame
        envelope.append_results(frame, found)
        if not self.items:
            return (frame.text,)
        items: Any = frame.get(ITEMS)
        start, end = (items.kids[0].start, items.kids[0].end) if self._json else envelope.element_line(frame)
        pieces = envelope.spliced(self._text, (self.items[0].span[0], self.items[-1].span[1]), made)
        return chain((frame.text[:start],), pieces, (frame.text[end:],))

    def _emptied(self, found: list[Any]) -> Pieces:
        """Return the text without items. Comments that stood between them stand below the empty list."""
        text = self.frame.text
        if not self._json:
            _listed(self.items)  # what cannot be read is told by its own line
            text = "".join(self._framed((), []))
        editor = Editor(text, json=self._json)
        editor.delete(*((*ITEMS, number) for number in range(1 if self._json else len(self.items))))
        envelope.append_results(editor, found)
        return (editor.text,)

    def _of_block(self, added: list[Resource], gone: dict[int, Resource]) -> Iterator[Edit]:
        """Yield the edits that leave the present items of a block list, and the new ones behind them.

        An item goes from a list of itself and its neighbours, so that these alone have to be read.
        """
        last = len(self.items) - 1
        near = {beside for number in gone for beside in (number - 1, number, number + 1)} | {last if added else -1}
        together: list[Resource] = []
        for number, item in enumerate(self.items):
            if number in near:
                together.append(item)
            elif item.is_changed:
                yield Edit(*item.span, item.text)
            if together and (number == last or number + 1 not in near):
                new = added if number == last else []
                yield Edit(together[0].span[0], item.span[1], self._text_of(together, new, gone))
                together = []

    def _text_of(self, together: list[Resource], added: list[Resource], gone: dict[int, Resource]) -> str:
        """Return the lines of neighbouring items after the removals, with the new items behind them."""
        editor = _listed(together)
        if added:
            # Comments below the last item stay below it, above whatever is added.
            listed: Any = editor.document.root
            stop = positions.stop(editor.text, listed, len(together) - 1)
            new = "".join(envelope.indented(item, listed.column, self._newline) for item in added)
            editor = Editor(editor.text[:stop] + new + editor.text[stop:])
        places = [(number,) for number, item in enumerate(together) if item.number in gone]
        if places:  # without removals the new items need no parse
            editor.delete(*places)
        return editor.text

    def _of_json(self, gone: dict[int, Resource]) -> Iterator[Edit]:
        """Yield the edits that change elements of an array, and remove absent ones with the comma before or behind."""
        last = max((number for number in range(len(self.items)) if number not in gone), default=0)
        for number, item in enumerate(self.items):
            start, end = item.span
            if number not in gone:
                if item.is_changed:
                    yield Edit(start, end, item.text)
            elif number < last:
                yield Edit(start, self.items[number + 1].span[0], "")
            else:
                yield Edit(self.items[number - 1].span[1], end, "")


def _listed(items: collections.abc.Sequence[Resource]) -> Editor:
    """Return the lines of neighbouring items, parsed as a list. FnError if they cannot be parsed."""
    editor = Editor("".join(item.text for item in items))
    try:
        _ = editor.document
    except ParseError as error:
        problem = f"{items[0].label}: {error.moved(items[0].lines_above)}"
        raise FnError(Result(problem, ERROR, "InvalidInput")) from None
    return editor
