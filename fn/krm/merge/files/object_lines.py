"""The text that an object becomes: git's lines where these are right, else lines merged within their structure.

An object that is not written line by line is merged by its fields (docs/reference/merge.md, "Lines first").
"""

from __future__ import annotations

from krm.file import bare
from krm.merge import comments, text, trees
from krm.merge.files.matching import SIDES
from krm.merge.lines import blocks
from krm.merge.lines.blocks import OddError
from krm.merge.lines.walking import LineWalk
from krm.merge.merge3 import Merge3
from krm.merge.trees import Tree
from krm.resource import LAST_APPLIED
from krm.yamltree import extracting, lines, parser
from krm.yamltree.editor import Editor
from krm.yamltree.nodes import Alias, leaves
from krm.yamltree.parser import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from krm.fieldpath import Place
    from krm.file import Object
    from krm.merge.files.matching import Side
    from krm.merge.lines.blocks import Block
    from krm.merge.lines.walking import Items
    from krm.merge.merge3 import Rules
    from krm.merge.outcome import Note
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Wanted: TypeAlias = "Target | WholeText | None"


class WholeText:
    """The target of an object that is all of its text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class _Alone(Tree):
    """A side of an object as a document of its own."""

    __slots__ = ("document",)

    def __init__(self, text: str, document: Document) -> None:
        super().__init__(text, document.root)
        self.document = document


class ObjectLines:
    """An object on the sides that have it, each as a document of its own."""

    __slots__ = ("_objects", "_own", "sides")

    def __init__(self, objects: dict[Side, Object]) -> None:
        """Take the objects. EditError if one cannot be taken out of its list."""
        self._objects = objects
        origin, update, self._own = (_document(objects.get(side)) for side in SIDES)
        # Line ends are the file's, and not this object's alone.
        newline = lines.newline(self._own.text, len(self._own.text))
        self.sides = _with_ends(origin, newline), _with_ends(update, newline), self._own

    def merged(self, rules: Rules, items: Items | None = None) -> tuple[str, Merge3]:
        """Return what local's object becomes, and who decided. OddError where its fields have to be asked as a whole.

        `items` are the objects in a list of objects.
        """
        origin, update, local = self.sides
        if self._shows_aliases or rules.policy.forces or (origin.root is None and LAST_APPLIED in local.text):
            raise OddError
        decider = Merge3(origin, update, local, rules)
        found, by_lines = self._within_structure(decider, items), self._by_lines()
        # No other proof is needed, but for aliases: git joins a new one and the deletion of its anchor without a word.
        if found == by_lines and not any(side.document.shares for side in self.sides):
            return found, decider
        merged = _parsed(found)
        if merged.root is None or ("*" in found and any(map(_is_of_nothing, leaves(merged.root)))):
            raise OddError
        # What wins a conflict brings its comments along, beside those of what the other side has for it.
        if found != by_lines and not decider.conflicts and comments.are_doubled(*self.sides, found):
            raise OddError
        if by_lines is not None and not decider.conflicts:
            clean = _parsed(by_lines)
            found = by_lines if trees.same(merged, merged.root, clean, clean.root) else found
        return found, decider

    def is_own(self, merged: str) -> bool:
        """Return True if a text is local's."""
        return merged == bare(self._own.text)

    def left_out(self, merged: str) -> Iterator[Note]:
        """Yield notes on comments that are not in what the object becomes."""
        return comments.lost(*self.sides, merged)

    def left_out_of_list(self, merged: str) -> Iterator[Note]:
        """Yield notes on comments that are not there: beside the own fields of a list, and between its objects."""
        texts = [{found.text for found in listed.part.objects} for listed in self._objects.values()]
        objects = self._objects["update"].part.objects
        same = {number for number, found in enumerate(objects) if all(found.text in each for each in texts)}
        return comments.lost(*self.sides, merged, lambda place: comments.is_apart(place, same))

    def amended(self, wanted: Target) -> str:
        """Return local's text with what is wanted, nothing for None. EditError if it cannot be written."""
        resource = self._objects["local"].resource
        editor = Editor(resource.editor.text, json=resource.editor.json, document=resource.editor.document)
        editor.amend(resource.base, wanted)
        return _taken_out(editor, resource.base).text

    @property
    def _shows_aliases(self) -> bool:
        """True for an element of a list that cannot be replaced by a document: that has copies of what aliases show."""
        local = self._objects["local"].resource
        return bool(local.base) and local.editor.document.shares

    def _within_structure(self, decider: Merge3, items: Items | None) -> str:
        """Return the merge of lines within structure. OddError if that is none."""
        pieces = LineWalk(decider, items, marks=False).merged([*map(_block, self.sides)])
        merged = "".join(pieces)  # type: ignore[arg-type]  # without marks all are texts
        if not text.settled(*(side.text.endswith("\n") for side in self.sides)):
            merged = merged.removesuffix("\n").removesuffix("\r")
        return merged

    def _by_lines(self) -> str | None:
        """Return the merge by lines as git makes it, None where it is not clean."""
        merged = text.merged(*(bare(side.text) for side in self.sides), on_conflict="Error")
        return None if merged.is_conflict else merged.text


def _parsed(written: str) -> Tree:
    """Return a document, one without a root for what is none."""
    roots = trees.roots(written)
    return Tree(written, roots[0] if len(roots) == 1 else None)


def _is_of_nothing(leaf: Node) -> bool:
    return isinstance(leaf, Alias) and leaf.target is None


def _document(found: Object | None) -> _Alone:
    """Return an object as a document of its own."""
    return _Alone("", Document(0)) if found is None else _taken_out(found.resource.editor, found.resource.base)


def _with_ends(side: _Alone, newline: str) -> _Alone:
    """Return a document with other line ends."""
    written = side.text.replace("\r\n", "\n").replace("\n", newline)
    return side if written == side.text else _Alone(written, parser.parse(written))


def _taken_out(editor: Editor, base: Place) -> _Alone:
    if not base:
        return _Alone(editor.text, editor.document)
    written = extracting.document(editor, base)
    return _Alone(written, parser.parse(written))


def _block(side: _Alone) -> Block | None:
    """Return a document as a block, without the line that starts it. OddError if it is no block collection."""
    if side.root is None:
        return None
    block = blocks.of_document(side.text, side.document)
    block.first = 0 if side.text == bare(side.text) else 1
    return block
