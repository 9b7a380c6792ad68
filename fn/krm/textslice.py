"""A slice of a long text that holds one object: it is parsed when a field is read, and edited in place.

Most items of a ResourceList are never looked into, so reading one costs a slice and not a parse.
"""

from __future__ import annotations

import re

from krm.results import ERROR, FnError, Result
from krm.yamltree import lines, nodes, parser
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Self, TypeVar

    from krm.fieldpath import Place
    from krm.sections import Sections
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node, Scalar
    from krm.yamltree.parser import Document

    S = TypeVar("S", bound="TextSlice")

_NOT_AS_WRITTEN = re.compile(r"['\s]")


class TextSlice:
    """The object at `base` of the YAML document that stands at `span` of a text.

    `label` is what messages call an object that cannot be parsed. `elements` are those of a List that was opened:
    they have its text, with their changes. `pending` are the changes of all objects that share this text. A merge
    `numbers_keys` that a mapping has again.
    """

    __slots__ = (
        "_document",
        "_editor",
        "_json",
        "_mistake",
        "_own_span",
        "_root",
        "_sections",
        "_substitutes",
        "base",
        "elements",
        "label",
        "numbers_keys",
        "pending",
        "span",
        "whole",
    )

    def __init__(self, whole: str, span: tuple[int, int], label: str, base: Place = (), *, json: bool = False) -> None:
        """Take the object at `base` of the YAML document that stands at `span` of `whole`."""
        self.whole = whole
        self.span = span
        self.base = base
        self._json = json
        self._editor: Editor | None = None
        self._mistake: Result | None = None
        self._document: Document | None = None
        self._root: Node | None = None
        self._sections: Sections | None = None
        self._substitutes: dict[Place, Scalar] = {}
        self._own_span = span
        self.label = label
        self.numbers_keys = False
        self.elements: Any = None  # a list of slices, or what is pending
        self.pending: Pending | None = None

    @classmethod
    def within(cls, editor: Editor, base: Place, label: str) -> Self:
        """Return the object at `base` of a text that also holds other objects."""
        part = cls(editor.text, (0, len(editor.text)), label, base)
        part._editor = editor
        return part

    @classmethod
    def alone(cls, text: str, label: str, base: Place = (), *, json: bool = False) -> Self:
        """Return the object that is all of a text."""
        return cls(text, (0, len(text)), label, base, json=json)

    def share(self, other: TextSlice, node: Node, pending: Pending) -> None:
        """Take `node` of another object's text for this one; `pending` gathers the changes of all who share it."""
        self._editor = other.editor
        self.pending = pending
        # An alias may show any other part of the text.
        if self._editor.text.find("*", node.start, node.end) < 0:
            text = self._editor.text
            end = node.end + len(lines.comment_at(text, node.end))  # that of its last value
            self._own_span = self.span[0] + node.start, self.span[0] + end

    def may_contain(self, text: str) -> bool:
        """True if `text` can be part of a key or value; nothing is parsed.

        An escape can stand for any character, and quotes and blanks are not always written as they are read: these
        always count as a match.
        """
        # A false alarm costs a parse, and a missed reference breaks the promise: so doubt is a match.
        if _NOT_AS_WRITTEN.search(text):
            return True
        if self.is_changed:
            return text in self.text or "\\" in self.text
        # Most items of a list have no reference, and cost no more than this.
        return self.spells(text) or self.spells("\\")

    def spells(self, text: str) -> bool:
        """True if the object's text, as it was read, has `text` in it, character by character."""
        return self.whole.find(text, *self._own_span) >= 0

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """True if a pattern is found in the object's text, as it was read."""
        return pattern.search(self.whole, *self._own_span) is not None

    def spells_a_head_twice(self, first: int) -> bool:
        """True if lines at the margin look like a key that each resource has once, and is here twice.

        `first` is where the first key stands. The lines may be text in quotes: only a parse tells.
        """
        margin = " " * (first - lines.line_start(self.whole, first))
        for key in parser.HEAD:
            count = self.whole.count(f"\n{margin}{key}:", *self.span)
            # The first one may stand behind a dash, or where the text starts.
            is_counted = self.whole.startswith("\n", max(first - len(margin) - 1, self.span[0]))
            if count + (not is_counted and self.whole.startswith(f"{key}:", first)) > 1:
                return True
        return False

    @property
    def source(self) -> str:
        """The text as it was read. Objects that share a text have the same source."""
        return self.whole[slice(*self.span)]

    @property
    def text(self) -> str:
        """The text with every change made to it."""
        if self.elements is not None:
            text: str = self.elements.text
            return text
        return self.source if self._editor is None else self._editor.text

    @property
    def own_text(self) -> str:
        """The object's own part of a text, which may hold other objects too."""
        return self.text if self.is_changed else self.whole[slice(*self._own_span)]

    @property
    def is_changed(self) -> bool:
        """True if the text is no longer the one that was read."""
        if self.elements is not None:
            is_changed: bool = self.elements.is_changed
            return is_changed
        if self._editor is None:
            return False
        # Many objects share that text, so it is not compared for each of them.
        if self.pending is not None:
            return self.pending.is_text_changed
        # A slice to compare would be a copy, and each item is asked several times.
        start, end = self.span
        text = self._editor.text
        return len(text) != end - start or not self.whole.startswith(text, start)

    @property
    def is_parsed(self) -> bool:
        """True if the tree of the present text is there, so that a question about the object costs no parse."""
        return self._editor is not None and self._editor.parsed is not None

    @property
    def sections(self) -> Sections | None:
        """The sections of the present text, if it was cut and has no tree."""
        editor, found = self._editor, self._sections
        # An editor changes the text without a call of this object.
        is_present = editor is None or (editor.parsed is None and found is not None and editor.text is found.text)
        return found if is_present else None

    @sections.setter
    def sections(self, found: Sections | None) -> None:
        self._sections = found

    def become(self, text: str) -> None:
        """Replace the present text. No other object shares it."""
        self._editor = Editor(text, json=self._json)

    @property
    def editor(self) -> Editor:
        """The editor of the text that holds the object. FnError if that text is not YAML."""
        # The text is parsed at the first question about the object, and most objects have none.
        if self._editor is None:
            source = self.source
            self._editor = Editor(source, json=self._json, document=self._parsed(source))
        return self._editor

    def _parsed(self, source: str) -> Document:
        """Return the document of the text as it was read. FnError if that is not YAML."""
        try:
            return parser.parse(source, numbers_keys=self.numbers_keys)
        except ParseError as error:
            # Each call raises the same result, so that it is reported once.
            self._mistake = self._mistake or self.mistake(error)
            raise FnError(self._mistake) from None

    def mistake(self, error: ParseError) -> Result:
        """Return the result about an error of the text. It counts lines in the whole input, where the user looks."""
        moved = error.moved(self.lines_above, lines.column(self.whole, self.span[0]))
        return Result(f"{self.label}: {moved}", ERROR, "InvalidInput", file=self._written_file)

    @property
    def is_readable(self) -> bool:
        """True if the text can be parsed, and is not empty. The expansion of the object reports why it cannot."""
        try:
            return self.root is not None
        except FnError:
            return False

    @property
    def root(self) -> Node | None:
        """The object's tree, None for an empty document."""
        # An item is asked for its tree a dozen times, so a tree that is there costs no call.
        editor = self._editor or self.editor
        try:
            document = editor.parsed or editor.document
        except ParseError:  # an edit of a word parses nothing: the text as it was read names the line
            document = self._parsed(self.source)
        # A changed text has another tree, and the present one is returned.
        if document is not self._document:
            root = editor.get(self.base)
            self._document = document
            self._root = nodes.overlaid(root, self._substitutes) if self._substitutes else root
        return self._root

    def show(self, substitutes: dict[Place, Scalar]) -> None:
        """Replace scalars in what readers see from now on. The text stays as it is."""
        if substitutes or self._substitutes:
            self._substitutes = substitutes
            self._document = None

    def release(self) -> None:
        """Drop the tree to free its memory. It is parsed again when it is needed."""
        # Other objects share this tree.
        if self.pending is not None or self.elements is not None:
            return
        self._document = self._root = self._sections = None
        if self._editor is not None and self.is_changed:
            self._editor.parsed = None
        else:
            self._editor = None

    @property
    def lines_above(self) -> int:
        """The number of lines in the whole text above this slice."""
        return lines.number(self.whole, self.span[0]) - 1

    @property
    def _written_file(self) -> str | None:
        """The path annotation of a text that cannot be parsed, found by its spelling."""
        annotation = re.search(r"""config\.kubernetes\.io/path['"]?: *['"]?([^'"\s,}]+)""", self.source)
        return None if annotation is None else annotation[1]


class Pending:
    """Changes of the objects that share a text. They are made together: each alone would cost a parse of it all."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self.as_read = Editor(editor.text)
        self._rewrites: dict[Place, list[Edit]] = {}
        self._splices: dict[Edit, None] = {}
        self._removals: set[Place] = set()
        # The object of an open block whose edits are of the present tree: they are made before all others.
        self.waiting: Any = None

    @property
    def is_text_changed(self) -> bool:
        """True if the shared text is no longer the one that was read."""
        return self._editor.text is not self.as_read.text

    @property
    def is_changed(self) -> bool:
        """True if there is a change, made or not."""
        return self.is_text_changed or bool(self._rewrites or self._splices or self._removals)

    @property
    def text(self) -> str:
        """The text with all changes made."""
        self.make_rewrites()
        self.make_removals()
        return self._editor.text

    def rewrite(self, changes: dict[Place, list[Edit]]) -> None:
        """Gather changes of parts of scalars."""
        self._rewrites.update(changes)

    def splice(self, edits: Iterable[Edit]) -> None:
        """Gather edits of the present text. Two objects that share a node by an alias may both make the same edit."""
        self._splices.update(dict.fromkeys(edits))

    def remove(self, place: Place) -> None:
        """Gather the removal of a list element."""
        self._removals.add(place)

    def make_rewrites(self) -> None:
        """Change the scalars. FnError if that cannot be done."""
        # Without a rewrite there is nothing to refuse, even with aliases in keys.
        gone = {place for place in self._rewrites if any(place[:n] in self._removals for n in range(len(place)))}
        rewrites = {place: edits for place, edits in self._rewrites.items() if place not in gone}
        self._rewrites = {}
        try:
            self.make_splices()
            if rewrites:
                self._editor.rewrite(rewrites)
        except EditError as error:
            raise FnError(Result(f"a field cannot be changed: {error}", ERROR, "NotEditable")) from None

    def make_splices(self) -> None:
        """Make the edits of the text, before another change moves their positions. EditError if that cannot be done."""
        splices, self._splices = self._splices, {}
        if splices:
            self._editor.splice([*splices])

    def make_removals(self) -> None:
        """Remove elements. EditError if that cannot be done."""
        gone, self._removals = self._removals, set()
        if gone:
            self._editor.delete(*gone)


def holding(slices: Iterable[S], text: str) -> Iterator[S]:
    """Yield the objects that may contain a text, as `may_contain` says.

    Most texts that are searched in thousands of items are in none of them: one search of the whole text shows that.
    """
    if _NOT_AS_WRITTEN.search(text):
        yield from slices
        return
    whole, spellings = None, []
    for one in slices:
        if one.whole is not whole:
            whole = one.whole
            spellings = [spelling for spelling in (text, "\\") if spelling in whole]
        is_there = one.may_contain(text) if one.is_changed else any(map(one.spells, spellings))
        if is_there:
            yield one
