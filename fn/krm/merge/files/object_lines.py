"""The text that an object becomes: its lines merged within its structure, with the data that its fields decide.

Comments, blank lines, quotes and order come from the merge of lines, data from that of the fields (docs/merge.md,
"Lines first").
"""

from __future__ import annotations

from krm.file import START, bare
from krm.merge import comments, policy, text, trees
from krm.merge.files.matching import SIDES
from krm.merge.lines import blocks
from krm.merge.lines.blocks import OddError
from krm.merge.lines.pieces import Hunk
from krm.merge.trees import Tree
from krm.merge.unions import Unions
from krm.merge.walk import Replacing
from krm.yamltree import extracting, lines, parser
from krm.yamltree.editor import Editor
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import Mapping, Scalar, Sequence
from krm.yamltree.parser import ParseError
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, uncommented

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from krm.fieldpath import Place
    from krm.file import Object
    from krm.merge.files.matching import Side
    from krm.merge.kinds.schema import Schema
    from krm.merge.lines.blocks import Block
    from krm.merge.lines.sides import Keys
    from krm.merge.outcome import Merged, Note
    from krm.merge.policy import Winner
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Wanted: TypeAlias = "Target | WholeText | None"

_NOTHING = Tree("", None)


class WholeText:
    """The target of an object that is all of its text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class ObjectLines:
    """An object on the sides that have it, each as a document of its own.

    `items` are the keys of the objects in a list of objects, None for another object.
    """

    __slots__ = ("_items", "_objects", "_origin", "_own", "_schema", "_update", "is_whole")

    def __init__(self, objects: dict[Side, Object], schema: Schema, items: list[Keys] | None = None) -> None:
        """Take the objects. EditError if one cannot be taken out of its list."""
        self._items = items
        self._objects = objects
        self._schema = schema
        self.is_whole = True
        origin, update, self._own = (_document(objects.get(side)) for side in SIDES)
        # Line ends are the file's, and not this object's alone.
        newline = lines.newline(self._own.text, len(self._own.text))
        self._origin, self._update = (_with_ends(side, newline) for side in (origin, update))

    def merged(self, by_fields: Merged) -> tuple[Wanted, list[Note]]:
        """Return what is wanted of local, and notes on comments that are not in it. EditError if it cannot be written.

        What comes in from update comes as it is. From then on it `is_whole` if no comment is missing.
        """
        wanted = by_fields.wanted
        if wanted is not None and "local" not in self._objects:
            return wanted, []
        after = _NOTHING
        if wanted is not None:
            written = self._written(wanted)
            after = comments.with_templates(self._update, self._own, written)
        notes = [*comments.lost(self._origin, self._update, self._own, after)]
        self.is_whole = not notes
        if notes and self._items is not None:
            notes = [*comments.lost(self._origin, self._update, self._own, after, self._is_apart())]
        is_same = wanted is None or self._shows_aliases or bare(after.text) == bare(self._own.text)
        return wanted if is_same else WholeText(bare(after.text)), notes

    def _is_apart(self) -> Callable[[Place], bool]:
        """Return whether a place is of a list itself: comments in its objects are told with these."""
        texts = [{found.text for found in listed.part.objects} for listed in self._objects.values()]
        objects = self._objects["update"].part.objects
        same = {number for number, found in enumerate(objects) if all(found.text in each for each in texts)}
        return lambda place: comments.is_apart(place, same)

    @property
    def _shows_aliases(self) -> bool:
        """True for an element of a list that cannot be replaced by a document: that has copies of what aliases show."""
        local = self._objects["local"].resource
        return bool(local.base) and local.editor.document.shares

    def _written(self, wanted: Target) -> Tree:
        """Return local with what is wanted, and with all lines of both sides that this leaves room for."""
        if self._shows_aliases:
            return self._amended(wanted)
        editor = self._objects["local"].resource.editor
        source = editor.text
        by_lines = self._by_lines()
        if by_lines is not None and _says(source, wanted, by_lines, by_lines.root):
            return by_lines
        found = self._within_structure("local")
        # An edit writes out the aliases of what it changes, and lines do not: so of these update's are asked, too.
        others = [self._within_structure("update")] if editor.document.shares else []
        for each in [found, *others]:
            if each is not None and _says(source, wanted, each, each.root) and not self._doubles(each):
                return each
        by_fields = self._amended(wanted)
        found = None if found is None else _with_data(found, by_fields)
        return by_fields if found is None or self._doubles(found) else found

    def _doubles(self, found: Tree) -> bool:
        return comments.are_doubled(self._origin, self._update, self._own, found)

    def _by_lines(self) -> Tree | None:
        """Return the merge by lines as git makes it, None where it is not clean."""
        texts = [bare(side.text) for side in (self._origin, self._update, self._own)]
        # The lines that part documents are the file's, and not this object's alone.
        if any(map(_has_marker, texts)):
            return None
        merged = text.merged(*texts, winner="local")
        return None if merged.is_conflict else _parsed(merged.text)

    def _within_structure(self, winner: Winner) -> Tree | None:
        """Return the merge of lines within structure, with the winner's at a conflict, None where there is none."""
        sides = [self._origin, self._update, self._own]
        if self._update.root is None:
            return None
        from krm.merge.lines.walking import LineWalk  # noqa: PLC0415 - of most objects the merge by lines is right

        unions = Unions(self._schema, *(side.root for side in sides))
        try:
            pieces = LineWalk(self._schema, unions, self._items).merged([_block(side) for side in sides])
        except OddError:
            return None
        merged = "".join(
            policy.won(winner, update=piece.update, local=piece.local) if isinstance(piece, Hunk) else piece
            for piece in pieces
        )
        if not text.settled(*(side.text.endswith("\n") for side in sides)):
            merged = merged.removesuffix("\n").removesuffix("\r")
        is_same_start = _has_marker(merged) == _has_marker(bare(self._own.text))
        return _parsed(merged) if is_same_start else None

    def _amended(self, wanted: Target) -> Tree:
        """Return local's text with what is wanted. EditError if it cannot be written."""
        resource = self._objects["local"].resource
        editor = Editor(resource.editor.text, json=resource.editor.json, document=resource.editor.document)
        editor.amend(resource.base, wanted)
        return _taken_out(editor, resource.base)


def _document(found: Object | None) -> Tree:
    """Return an object as a document of its own."""
    return _NOTHING if found is None else _taken_out(found.resource.editor, found.resource.base)


def _with_ends(side: Tree, newline: str) -> Tree:
    """Return a document with other line ends."""
    written = text.with_line_end(side.text, newline)
    return side if written == side.text else Tree(written, parser.parse(written).root)


def _taken_out(editor: Editor, base: Place) -> Tree:
    if not base:
        return Tree(editor.text, editor.document.root)
    written = extracting.document(editor, base)
    return Tree(written, parser.parse(written).root)


def _has_marker(written: str) -> bool:
    """Return True if a line of a text may be the start of a document."""
    return f"\n{START}" in f"\n{written}"


def _block(side: Tree) -> Block | None:
    """Return a document as a block, without the line that starts it. OddError if it is no block collection."""
    if side.root is None:
        return None
    block = blocks.of_document(side.text, side.root)
    block.first = 0 if side.text == bare(side.text) else 1
    return block


def _parsed(written: str) -> Tree | None:
    try:
        return Tree(written, parser.parse(written).root)
    except ParseError:
        return None


def _with_data(written: Tree, fields: Tree) -> Tree | None:
    """Return a text with the data of another, None where it cannot be written so."""
    editor = Editor(written.text)
    wanted = Replacing(fields, Tree(written.text, None)).replaced(fields.root, editor.document.root)  # type: ignore[arg-type]  # it is an object
    if wanted is fields.root:
        return None
    comments.stay(wanted, written.text)
    try:
        editor.amend((), wanted)
    except EditError:
        return None
    return Tree(editor.text, editor.document.root)


def _says(source: str, wanted: Target, tree: Tree, node: Node | None) -> bool:
    """Return True if a node of the merge by lines is what is wanted there. Nodes in `wanted` are of `source`."""
    bare = uncommented(wanted)
    if isinstance(bare, Graft):
        return _says(bare.text, bare.amended or bare.node, tree, node)
    if isinstance(bare, AmendedMapping):
        return isinstance(node, Mapping) and _has_entries(source, bare, tree, node)
    if isinstance(bare, AmendedSequence):
        kids = node.kids if isinstance(node, Sequence) and node.tag == bare.node.tag else ()
        return len(bare.elements) == len(kids) and all(
            _says(source, element, tree, kid) for element, kid in zip(bare.elements, kids, strict=True)
        )
    if isinstance(bare, str):
        return isinstance(node, Scalar) and trees.typed(node) == (str, bare)
    return trees.same_by_name(Tree(source, None), bare, tree, node)  # type: ignore[arg-type]  # else a node


def _has_entries(source: str, wanted: AmendedMapping, tree: Tree, node: Mapping) -> bool:
    found = trees.entries(node)
    return (
        node.tag == wanted.node.tag
        and trees.is_plain(node)
        and found.keys() == wanted.entries.keys()
        and all(_says(source, below, tree, found[key]) for key, below in wanted.entries.items())
    )
