"""The merge of whole files as lines within structure: a document that both sides changed is merged by its parts."""

from __future__ import annotations

from krm import newitem
from krm.file import bare, close_lists
from krm.merge import outcome
from krm.merge.files import file_lines, list_documents, matching
from krm.merge.files.file_lines import FileLines
from krm.merge.files.matching import SIDES
from krm.merge.files.schemas import Schemas
from krm.merge.lines import blocks
from krm.merge.lines.pieces import Hunk
from krm.merge.lines.walking import Items, LineWalk
from krm.merge.merge3 import Merge3, Rules
from krm.merge.trees import Tree
from krm.results import ERROR, FnError, Result
from krm.yamltree import parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from krm.file import File, Object, Part
    from krm.merge.files.matching import Side
    from krm.merge.lines.blocks import Block
    from krm.merge.lines.pieces import Piece

_ONLY = "only"
_TWICE = "an object would come out twice: one side put it into a list, or took it out of one, and the other changed it"


class DocumentLines:
    """Three files while their lines are merged."""

    def __init__(self, files: dict[Side, File]) -> None:
        self._files = files
        self._schemas = Schemas(files[side] for side in ("local", "origin", "update"))
        close_lists(files.values())
        matches = matching.matched({side: file.objects for side, file in files.items()}, matching.STEPS)
        matching.check_names(matches)
        self._by_object = matching.by_object(matches)
        self.guesses = [match.named for match in matches if match.is_a_guess]
        lists_of = list_documents.matched(files, self._by_object)
        self._list_of = {id(found.part): match for match in lists_of for found in match.objects.values()}
        self._is_single = all(len(file.parts) <= 1 for file in files.values())

    def merged(self) -> list[Piece]:
        """Return local's text with what both sides changed.

        OddError if a document is not written line by line, FnError if an object would come out twice.
        """
        documents = {side: [(self._key(part), part) for part in file.parts] for side, file in self._files.items()}
        keyed = [dict(documents[side]) for side in SIDES]
        keys = {key: None for side in reversed(keyed) for key in side if key is not None}
        becomes = {key: self._merged([side.get(key) for side in keyed]) for key in keys}
        if any(part.is_list for side in keyed for part in side.values()):
            self._check_lists([[side.get(key) for side in keyed] for key in keys if becomes[key]])
        return FileLines(self._files, documents, becomes).merged()

    def _key(self, part: Part) -> Hashable | None:
        """Return what a document is known by, None for one without an object."""
        match = self._list_of.get(id(part))
        if match is None and part.objects:
            match = self._by_object[id(part.objects[0])]
        if self._is_single:
            return None if match is None else _ONLY
        return None if match is None else id(match)

    def _check_lists(self, documents: list[list[Part | None]]) -> None:
        """Raise FnError if an object would come out in a list and elsewhere too."""
        found: set[int] = set()
        for there in map(self._there, documents):
            if there & found:
                raise FnError(Result(_TWICE, ERROR, outcome.REFUSED))
            found |= there

    def _there(self, parts: list[Part | None]) -> set[int]:
        """Return which objects come out in a document: not those that one side took out of a list unchanged."""
        texts = [
            {id(self._by_object[id(found)]): found.text for found in part.objects} if part is not None else {}
            for part in parts
        ]
        origin, update, local = texts
        if not all(part is not None and part.is_list for part in parts[1:]):
            return {*update, *local}
        changed = (update.items() | local.items()) - origin.items()
        return {*(update.keys() & local.keys()), *(key for key, _ in changed)}

    def _merged(self, parts: list[Part | None]) -> list[Piece]:
        """Return what becomes of a document by the base rule, nothing if it goes."""
        texts = [None if part is None else file_lines.written(part) for part in parts]
        origin, update, local = texts
        if update in (origin, local) or local == origin:
            kept = parts[SIDES.index("update" if local == origin else "local")]
            return [] if kept is None else [bare(kept.resource.source)]
        if update is None or local is None:
            return [Hunk(*(side or "" for side in texts))]
        found = [None if part is None else _block(part) for part in parts]
        sides = (Tree("", None) if block is None else Tree(block.source.text, block.node) for block in found)
        objects = {
            side: part.list_document or part.objects[0]
            for side, part in zip(SIDES, parts, strict=True)
            if part is not None and (part.list_document or part.objects)
        }
        return LineWalk(self._decider(objects, *sides), self._items(parts), marks=True).merged(found)

    def _decider(self, objects: dict[Side, Object], *sides: Tree) -> Merge3:
        origin, update, local = sides
        return Merge3(origin, update, local, Rules(self._schemas.of(objects)))

    def _items(self, parts: list[Part | None]) -> Items | None:
        """Return the objects in lists of objects, None for other documents."""
        if not all(part is None or part.is_list for part in parts):
            return None
        matches = [[] if part is None else [self._by_object[id(found)] for found in part.objects] for part in parts]
        return Items(matches, lambda match, *sides: self._decider(match.objects, *sides))


def _block(part: Part) -> Block:
    """Return a document as a block. OddError if it is no block collection."""
    resource = part.resource
    source = resource.source
    written = newitem.ended(source)
    document = resource.editor.document if written.startswith(source) else parser.parse(written)
    block = blocks.of_document(written, document)
    # The line that starts a document stands between it and others.
    block.first = 0 if written == bare(written) else 1
    return block
