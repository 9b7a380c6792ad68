"""A merged object, as a document or as an element of a list, and the merge of an object by its fields.

If lines do not fit, origin and update are written as local is (docs/reference/merge.md, "Lines within structure").
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from krm import fieldpath
from krm.envelope import ITEMS
from krm.file import bare
from krm.merge import trees
from krm.merge.files.matching import SIDES
from krm.merge.lines import blocks
from krm.merge.lines.blocks import NotByLinesError
from krm.merge.lines.brackets import restored
from krm.merge.lines.line_walk import LineWalk, loses_comments, spelled_comments
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT, Note, Refused
from krm.merge.policy import base_rule
from krm.merge.text_merge import answers, of_texts, text_of, with_line_end, without_end
from krm.merge.trees import Tree, Triple
from krm.resource import LAST_APPLIED
from krm.results import ERROR, FnError, locate
from krm.yamltree import cuts, lines, parser, scalars
from krm.yamltree.editor import Editor
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import Collection, at, placed, written_at
from krm.yamltree.parser import Document
from krm.yamltree.target import Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self, TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.file import FileDocument, Object
    from krm.merge.decider import Decider
    from krm.merge.files.matching import MatchedObjects
    from krm.merge.lines.line_walk import ListedObjects
    from krm.merge.text_merge import Piece
    from krm.resource import Resource
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    SideDocuments: TypeAlias = "tuple[_SideDocument, _SideDocument, _SideDocument]"
    """Origin, update and local."""

# kpt notes in a comment which namespace and name a resource has upstream.
_KPTS = "# kpt-merge:"
_DELETED = "this is deleted, and a comment of local's with it"
_REPLACED = "update's value comes, and a comment of local's is deleted"
_LEFT_OUT = "update has another comment for this, which is gone"
_KEPT = "update has another comment here: local's stays"
_NO_JSON = f"local is JSON, and this is {scalars.NOT_JSON}"


class _SideDocument(Tree):
    """One side of an object, as a document of its own."""

    def __init__(self, text: str, document: Document) -> None:
        super().__init__(text, document.root)
        self.document = document

    @cached_property
    def places(self) -> dict[int, Place]:
        """The place of each collection and scalar that is written in it, by the `id()` of the node."""
        return {id(node): place for place, node in reversed([*placed(self.root, ())])}

    def editor(self) -> Editor:
        """Return an editor of its text."""
        return Editor(self.text, json=cuts.is_json(self.text), document=self.document)


class ObjectLines:
    """An object as a document of its own on each of the three `sides`. One without the object has an empty one."""

    def __init__(self, match: MatchedObjects) -> None:
        """Take the objects, none of which is an element of a list."""
        self._match = match
        origin, update, local = (_document(match.objects.get(side)) for side in SIDES)
        # Line ends are merged for the whole file, so all sides of an object get local's.
        newline = lines.newline(local.text, len(local.text))
        self.sides: SideDocuments = _with_ends(origin, newline), _with_ends(update, newline), local

    def merge(
        self, decide: Callable[[Tree, Tree, Tree], Decider], items: ListedObjects | None = None, *, has_markers: bool
    ) -> tuple[list[Piece], Decider]:
        """Merge the object, and return it with its decider. NotByLinesError if it has no lines, EditError as below.

        The decider has other trees than `sides` if origin or update had to be written in another form. `items` are the
        objects in a list of objects. If conflicts are marked (`has_markers`), so are those of comments. Else local's
        comments stay. Refused if kubectl's annotation in local cannot be read.
        """
        sides = self.sides if self._applied is None else (_written_as(self._applied, self.sides[1]), *self.sides[1:])
        if self._match.is_mixed:
            sides = _in_one_language(sides)
        decider = decide(*sides)
        walk = LineWalk(decider, items)
        try:
            pieces = _within_structure(walk, sides)
        except NotByLinesError:
            walk.odd_fields = [Triple(*(side.root for side in sides))]
        alike = walk.odd_fields if has_markers else walk.odd_fields + walk.commented_fields
        if not alike:
            return pieces, decider
        sides = _written_as_local(alike, sides)
        decider = decide(*sides)
        return _within_structure(LineWalk(decider, items), sides), decider

    @cached_property
    def _applied(self) -> Tree | None:
        """What kubectl noted in local: the origin of an object that has none. None without a note. Refused as above."""
        origin, update, local = self.sides
        if origin.root is not None or LAST_APPLIED not in local.text:
            return None
        from krm.merge.kubectl import godata  # noqa: PLC0415 - most merges have an origin

        applied = godata.last_applied(local)
        return None if applied.root is None else godata.authored(applied, update)

    def no_longer_applied(self, merged: str, decider: Decider) -> Iterator[Note]:
        """Yield notes on the deleted fields that kubectl applied last, that update lacks, and that are no conflict."""
        if self._applied is not None:
            from krm.merge.kubectl import apply, godata  # noqa: PLC0415 - as above

            after = godata.data(parser.parse(merged, numbers_keys=True).root)
            unapplied = apply.no_longer_applied(self._applied, self.sides[-1], after, decider.schema)
            contested = [conflict.path for conflict in decider.conflicts]
            yield from (note for note in unapplied if note.path not in contested)

    def left_out(self, merged: str) -> Iterator[Note]:
        """Yield notes on comments that are not in the merged object."""
        return comment_notes(*self.sides, merged)

    def loses_comments(self, pieces: list[Piece]) -> bool:
        """True if a comment that a side has added is missing, whichever side is taken in a conflict."""
        return loses_comments([side.text for side in self.sides], *answers(pieces))


def _in_one_language(given: SideDocuments) -> SideDocuments:
    """Return the sides, origin and update as JSON, or as YAML, as local is. Refused if their data would change."""
    origin, update, _ = given
    try:
        return _written_as_local([Triple(*(side.root for side in given))], given)
    except EditError:
        for side in (update, origin):
            for place, node in placed(side.root, ()):
                if scalars.is_ambiguous(node):
                    raise Refused(fieldpath.named(side.root, place), _NO_JSON, side) from None
        raise


def _written_as_local(fields: list[Triple], sides: SideDocuments) -> SideDocuments:
    """Return the sides, with some fields of origin and update in the form of local, or of update if local lacks them.

    EditError if they cannot be written so, ParseError if a key is there again.
    """
    origin, update, local = sides
    for repeated in (side.document.repeated for side in sides):
        if repeated is not None:
            raise repeated  # a numbered key is no text to write
    forms = [(update, field.update) if field.local is None else (local, field.local) for field in fields]
    origins, updates, _ = zip(*fields, strict=True)
    return _in_forms(origin, origins, forms), _in_forms(update, updates, forms), local


def _within_structure(walk: LineWalk, sides: SideDocuments) -> list[Piece]:
    """Return the merge of lines within structure. NotByLinesError if the lines do not fit."""
    found = [None if side.root is None else blocks.of_document(side.text, side.document) for side in sides]
    heads = ("" if block is None else bare(block.text(0, block.first)) for block in found)
    ends = ("" if block is None else block.text(block.end, len(block.source.lines)) for block in found)
    pieces = restored([*of_texts(heads), *walk.merged(found), *of_texts(ends)])
    if not base_rule(*(side.text.endswith("\n") for side in sides)):
        drop_end(pieces, [side.text for side in sides])
    # One side may have added an alias, and the other may have deleted its anchor: lines show no conflict there.
    if any(side.document.shares for side in sides):
        merged = parser.parse(text_of(pieces), numbers_keys=True)
        if any(alias.target is None for alias in merged.aliases):
            raise NotByLinesError
    return pieces


class MergedObject:
    """A merged object: one of local or update, with the pieces of its text, or with its target if it is in a list."""

    def __init__(self, found: Object, pieces: list[Piece], target: Target = None) -> None:
        self.original = found
        self._pieces = pieces
        self._target = target

    @classmethod
    def of_target(cls, found: Object, target: Target) -> Self:
        """Return an object that becomes a target. FnError if it is a document, and cannot become that."""
        # All changes of a list are made together, later. The tree of a document can be released.
        return cls(found, [] if found.is_element else [bare(amended(found.resource, (), target).text)], target)

    def document(self) -> list[Piece]:
        """Return the object as the text of a document, without `---`. FnError if it cannot be written."""
        resource = self.original.resource
        if self.original.is_element:
            return [amended(resource, resource.base, self._target).alone(resource.base)]
        return self._pieces

    def element(self, document: FileDocument) -> Target:
        """Return the object as an element of a list. FnError if it cannot be written."""
        resource = self.original.resource
        if self.original.document is document:
            return self._target
        if self.original.is_element:
            items = at(resource.editor.document.root, *ITEMS)
            changed = None if self._target is resource.root else self._target
            return Graft(resource.editor.text, items, resource.root, changed)  # type: ignore[arg-type]  # it is in a list
        from krm import newitem  # noqa: PLC0415 - most objects are documents of their own

        item = newitem.element(text_of(self._pieces), resource.label)
        listed = item.editor.document.root
        return Graft(item.editor.text, listed, listed.kids[0])  # type: ignore[arg-type, union-attr]  # a list of one


def amended(resource: Resource, place: Place, target: Target) -> Editor:
    """Return the document of a resource with a target at a place. FnError if the author would lose something."""
    own = resource.editor
    editor = Editor(own.text, json=own.json, document=own.document)
    try:
        if target is not editor.get(place):
            editor.amend(place, target)
    except EditError as error:
        raise not_editable(resource, error) from None
    return editor


def not_editable(resource: Resource, error: EditError | NotByLinesError) -> FnError:
    """Return the error about an object that cannot become its target."""
    result = resource.result(f"{resource.label}: {error}", ERROR, "NotEditable")
    locate(result, None)  # the error names the line
    return FnError(result)


def _document(found: Object | None) -> _SideDocument:
    """Return an object as a side of a merge."""
    if found is None:
        return _SideDocument("", Document(0))
    return _SideDocument(found.resource.editor.text, found.resource.editor.document)


def _with_ends(side: _SideDocument, newline: str) -> _SideDocument:
    """Return a document with other line ends."""
    written = with_line_end(side.text, newline)
    return side if written == side.text else _SideDocument(written, parser.parse(written, numbers_keys=True))


def _in_forms(
    side: _SideDocument, values: Sequence[Node | None], forms: list[tuple[_SideDocument, Node | None]]
) -> _SideDocument:
    """Return a document with values in the form of others, each with all brackets around both."""
    from krm.merge.replacing import Replacing  # noqa: PLC0415 - the lines of most objects fit as they are

    cut: dict[Place, tuple[_SideDocument, Place]] = {}
    for value, (form, like) in zip(values, forms, strict=True):
        here, there = side.places.get(id(value)), form.places.get(id(like))
        # A side may lack the field.
        if here is not None and there is not None and form is not side:
            depth = min(_ahead_of_brackets(side, here), _ahead_of_brackets(form, there))
            if not depth:
                return _written_as(side, form)
            cut[here[:depth]] = form, there[:depth]
    if not cut:
        return side
    editor = side.editor()
    changes = editor.changes()
    for here, (form, there) in cut.items():
        node, (parent, like) = editor.at(here)[1], form.editor().at(there)
        found = Replacing(side, form).replaced(node, node, like)
        # A value of another kind stays as it is.
        if found is not node:
            changes.put(here, Graft(form.text, parent, like, found))  # type: ignore[arg-type]  # it is of this node
    editor.make(changes)
    return _SideDocument(editor.text, editor.document)


def _ahead_of_brackets(side: _SideDocument, place: Place) -> int:
    """Return how many steps of a place lead to the outermost brackets around it, all steps if there are none."""
    around = (written_at(side.root, place[:depth]) for depth in range(len(place)))
    return next((depth for depth, node in enumerate(around) if isinstance(node, Collection) and node.flow), len(place))


def _written_as(side: Tree, form: _SideDocument) -> _SideDocument:
    """Return the data of a document in the form of another one: with the comments, the quotes and the order of that."""
    from krm.merge.replacing import Replacing  # noqa: PLC0415 - the lines of most objects fit as they are

    editor = form.editor()
    editor.amend((), Replacing(side, form).root())
    return _SideDocument(editor.text, editor.document)


# Lost comments.


def comment_notes(origin: Tree, update: Tree, local: Tree, merged: str) -> Iterator[Note]:
    """Yield a note for each field with comments of update or local that no side deleted, but the merge has not."""
    # Most merges lose no comment. To count their texts is quick, and to look at each node takes longer than the merge.
    was, come, had, stays = (spelled_comments(text) for text in (origin.text, update.text, local.text, merged))
    if had <= stays + (was - come) and come <= stays + (was | had):
        return
    after = Tree(merged, parser.parse(merged, numbers_keys=True).root)
    sides = origin, update, local, after
    before, new, own, there = (Counter(text for _, text in _comments(side)) for side in sides)
    # A comment that a side deleted is not lost. One that both sides have is noted once.
    for path, is_gone in _lost_of(local, after, there + (before - new)):
        yield Note(COMMENT_GONE, path, _DELETED if is_gone else _REPLACED)
    for path, is_gone in _lost_of(update, after, there + (before | own)):
        yield Note(COMMENT_KEPT, path, _LEFT_OUT if is_gone else _KEPT)


def _lost_of(side: Tree, after: Tree, known: Counter[str]) -> dict[tuple[FieldPath, bool], None]:
    """Return the fields of a side with comments that are not `known`, and whether the field is deleted, too.

    It is the outermost deleted field. Comments of kpt do not count.
    """
    found: dict[tuple[FieldPath, bool], None] = {}
    for path, comment in trees.lost_comments(_named_comments(side), {*_named_comments(after)}, known):
        if not comment.startswith(_KPTS):
            starts = (path[:number] for number in range(len(path) + 1))
            there = after.root
            deleted = next((one for one in starts if there is None or not any(fieldpath.find(there, one))), None)
            found[path if deleted is None else deleted, deleted is not None] = None
    return found


def _named_comments(side: Tree) -> Iterator[tuple[FieldPath, str]]:
    return ((fieldpath.named(side.root, place), comment) for place, comment in _comments(side))


def _comments(side: Tree) -> Iterator[tuple[Place, str]]:
    """Yield the comments of a document with the places of the nodes that they belong to."""
    if side.root is not None and "#" in side.text:
        from krm.yamltree import comments  # noqa: PLC0415 - git is told nothing of them

        yield from comments.by_place(side.text, side.root)


def drop_end(pieces: list[Piece], sides: Iterable[str]) -> None:
    """Take the end of the last line away, unless the last value has it in a block, and no side ends with the rest."""
    shorter = [*pieces[:-1], without_end(pieces[-1])]
    last = text_of(shorter).rpartition("\n")[2]
    is_of_a_side = last and last in [side.rpartition("\n")[2] for side in sides]
    if is_of_a_side or all(map(trees.same_documents, answers(pieces), answers(shorter))):
        pieces[:] = shorter
