"""The merge of whole files as lines within structure: a document that both sides changed is merged by its parts."""

from __future__ import annotations

import re

from krm import newitem
from krm.file import START, bare
from krm.merge import directives, text, units
from krm.merge.files import list_documents, matching
from krm.merge.files.matching import SIDES
from krm.merge.files.schemas import Schemas
from krm.merge.lines import blocks
from krm.merge.lines.pieces import conflict, joined, with_each
from krm.merge.lines.walking import LineWalk
from krm.merge.trees import Tree
from krm.merge.unions import Unions
from krm.merge.units import Stretch
from krm.yamltree import lines, parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from krm.file import File, Part
    from krm.merge.files.matching import Side
    from krm.merge.kinds.schema import Schema
    from krm.merge.lines.blocks import Block
    from krm.merge.lines.pieces import Piece
    from krm.merge.lists.envorder import Names
    from krm.merge.options import MergeKeys

_ONLY = "only"
_START = r"(?m)^---(?=\s|$)"


class FileLines:
    """Three files while their lines are merged. `names` gives those that a text refers to, for the order of `env`."""

    def __init__(self, files: dict[Side, File], lists: Iterable[MergeKeys] = (), names: Names | None = None) -> None:
        self._files = files
        self._names = names
        self._lists = [*lists]
        self._schemas = Schemas(files[side] for side in ("local", "origin", "update"))
        matches = matching.matched({side: file.objects for side, file in files.items()}, matching.STEPS)
        matching.check_names(matches)
        self._by_object = matching.by_object(matches)
        lists_of = list_documents.matched(files, self._by_object)
        self._list_of = {id(found.part): match for match in lists_of for found in match.objects.values()}
        self._is_single = all(len(file.parts) <= 1 for file in files.values())
        self._parts: list[dict[Hashable, Part]] = []

    def merged(self) -> list[Piece]:
        """Return local's text with what both sides changed. OddError if a document is not written line by line."""
        sides: list[list[units.Unit]] = []
        for side in SIDES:
            parts = self._keyed(self._files[side])
            self._parts.append(parts)
            sides.append([(key, self._text(part)) for key, part in parts.items()])
        pieces: list[Piece] = []
        origin, update, local = sides
        for piece in units.merged(origin, update, local, "free"):
            pieces += self._stretch(piece) if isinstance(piece, Stretch) else [piece[1]]
        return [*self._trimmed([*joined(pieces)])]

    def _keyed(self, file: File) -> dict[Hashable, Part]:
        """Return the documents of a file by what they are known by."""
        if self._is_single:
            return {_ONLY: file.parts[0]} if file.text.strip() else {}
        found: dict[Hashable, Part] = {}
        for part in file.parts:
            match = self._list_of.get(id(part)) if part.is_list else None
            if match is None and part.objects and not part.is_list:
                match = self._by_object[id(part.objects[0])]
            key: Hashable = id(match) if match is not None else (bare(part.resource.source), 0)
            while key in found:
                key = (bare(part.resource.source), key[1] + 1 if isinstance(key, tuple) else 0)
            found[key] = part
        return found

    def _stretch(self, stretch: Stretch) -> list[Piece]:
        return (
            [conflict(stretch)]
            if stretch.key is None
            else self._entered([side.get(stretch.key) for side in self._parts])
        )

    def _entered(self, parts: list[Part | None]) -> list[Piece]:
        """Return the merge of a document that update and local have."""
        sides = [None if part is None else self._block(part) for part in parts]
        roots = [None if block is None else block.node for block in sides]
        schema = self._schema(parts)
        unions = Unions(schema, roots[0], roots[1], roots[2])
        return LineWalk(schema, unions, self._items(parts), self._names).merged(sides)

    def _block(self, part: Part) -> Block:
        """Return a document as a block. OddError if it is no block collection, Refused if it is a patch."""
        written, resource = self._text(part), part.resource
        root = resource.root if written.startswith(resource.source) else parser.parse(written).root
        block = blocks.of_document(written, root)
        directives.refuse(Tree(written, root))
        return block

    def _text(self, part: Part) -> str:
        """Return a document with an end of its last line and, beside others, with the line that starts it."""
        source = part.resource.source
        start = "" if self._is_single or re.search(_START, source) else f"{START}{lines.newline(source, len(source))}"
        return newitem.ended(start + source)

    def _schema(self, parts: list[Part | None]) -> Schema:
        objects = {
            side: part.list_document or part.objects[0]
            for side, part in zip(SIDES, parts, strict=True)
            if part is not None and (part.list_document or part.objects)
        }
        return self._schemas.of(objects).including(self._lists)

    def _items(self, parts: list[Part | None]) -> list[list[Hashable]] | None:
        """Return the keys of the objects in lists of objects, None for other documents."""
        if not all(part is None or part.is_list for part in parts):
            return None
        return [[] if part is None else [id(self._by_object[id(found)]) for found in part.objects] for part in parts]

    def _trimmed(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces without the start of the first document and the end of the last line that nobody wrote."""
        files = self._files.values()
        if not text.settled(*(file.text.startswith(START) for file in files)) and pieces:
            pieces[0] = with_each(pieces[0], bare)
        if not text.settled(*(file.text.endswith("\n") for file in files)) and pieces:
            pieces[-1] = with_each(pieces[-1], lambda written: written.removesuffix("\n").removesuffix("\r"))
        return pieces
