"""The merge of three files: a composition of merged objects, each a document or an element of an open list.

An object keeps its place. A new object is inserted behind its predecessor in update (docs/reference/merge.md,
"Documents"). The comments between documents are merged like those between entries of a mapping.
"""

from __future__ import annotations

import re
from functools import cached_property

from krm.envelope import ITEMS
from krm.file import START, File, bare, detach_comments
from krm.merge import text_merge, units
from krm.merge.files import matching
from krm.merge.files.matching import SIDES, STEPS, STEPS_BY_IDENTITY
from krm.merge.files.merged_object import amended, drop_end
from krm.merge.files.object_merge import BaseRule, Merging
from krm.merge.outcome import COMMENT_KEPT
from krm.merge.policy import base_rule
from krm.merge.text_merge import Hunk, of_texts, text_of, with_each, with_line_end, written_alike
from krm.merge.units import Stretch
from krm.results import ERROR, FnError, Output, Result, notice, sort_key
from krm.yamltree import lines
from krm.yamltree.nodes import Sequence, at
from krm.yamltree.positions import ended
from krm.yamltree.target import AmendedSequence, is_unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Hashable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from krm.file import FileDocument, Object
    from krm.merge.files.matching import MatchedObjects, Side
    from krm.merge.files.merged_object import MergedObject
    from krm.merge.files.object_merge import Merge, Secrets
    from krm.merge.text_merge import Piece
    from krm.merge.units import Unit

    KeyedParts: TypeAlias = abc.Sequence[tuple[Hashable | None, FileDocument]]
    """The documents of a file with their keys. Empty ones, and those of comments alone, have no key."""


_START = r"(?m)^---(?=\s|$)"
_CHANGED = "local changed it too"
_NO_PLACE = "there is no place for it"


class Composition:
    """The composition of a file, from its three sides and the merged objects, which are keyed by their matches."""

    def __init__(
        self,
        files: Mapping[Side, File],
        by_object: Mapping[int, MatchedObjects],
        merged_objects: Mapping[Hashable, MergedObject],
        merging: Merging,
    ) -> None:
        self._merged_objects = merged_objects
        self._by_object = by_object
        self._files: dict[Side, File] = {side: files.get(side) or File("", "") for side in SIDES}
        self._merging = merging
        # A file that local lacks is taken from update.
        self._side: Side = "local" if self._files["local"].text.strip() else "update"
        self._base = self._files[self._side]
        # If a side lacks the file, the other two decide about its start and its end.
        update = self._files["update"] if self._files["update"].text.strip() else self._base
        origin = self._files["origin"] if self._files["origin"].text.strip() else update
        self._ends = origin, update, self._base
        self._newline = base_rule(*(lines.newline(file.text, len(file.text)) for file in self._ends)) or "\n"
        self._bom = base_rule(*(file.bom for file in self._ends)) or ""
        self._above = [*of_texts(file.above for file in (self._files["origin"], update, self._base))]
        self._texts = [self._bom + text if (text := self._files[side].text) else "" for side in SIDES]
        self._lists: dict[Hashable, FileDocument] = {id(part): part for part in self._base.documents if part.is_open}
        self._list_of = self._found_lists()

    def text(self) -> str:
        """Return the text, and add the results about comments that are left out. FnError if it cannot be written."""
        documents = self._compose()
        right = self._by_lines_if_better(self._joined(document for _, document in documents))
        if right is not None:
            return right
        comments = [self._above, *(document for key, document in documents if key is None)]
        for hunk in (piece for pieces in comments for piece in pieces if isinstance(piece, Hunk)):
            self._tell_left_out("update" if hunk.update else "origin", hunk.update or hunk.origin, _CHANGED)
        # If the winner of a conflict deleted the first document, the next one is the first.
        return text_of(self._joined([text] for _, document in documents if (text := text_of(document))))

    def pieces(self) -> list[Piece]:
        """Return the text with its conflicts. FnError if it cannot be written."""
        found = self._joined(document for _, document in self._compose())
        right = self._by_lines_if_better(found)
        return found if right is None else [right]

    @cached_property
    def by_lines(self) -> list[Piece]:
        """The merge of the whole file by its lines, as git makes it."""
        return [*of_texts(self._texts)]

    def _by_lines_if_better(self, found: list[Piece]) -> str | None:
        """Return the merge by lines if the judge prefers it to ours, which is `found`. Then drop our results."""
        is_possible = self._merging.is_base_rule and all(self._texts)
        if not is_possible or any(isinstance(piece, Hunk) for piece in self.by_lines):
            return None
        files = {*self._files.values()}
        matches = [self._by_object[id(each)] for file in files for each in file.objects]
        # Lines tell nothing about an object that a side has in another file.
        if any(each.document.file not in files for match in matches for each in match.objects.values()):
            return None
        from krm.merge.files import line_judge  # noqa: PLC0415 - many merges by lines have a conflict

        keys = {*map(id, matches)}
        has_one_value, is_split = (
            not keys.isdisjoint(each) for each in (self._merging.one_values, self._merging.split)
        )
        by_lines = text_of(self.by_lines)
        if not line_judge.is_right(by_lines, found, self._texts, has_one_value=has_one_value, is_split=is_split):
            return None
        # A comment that is lost in our merge may be elsewhere in that by lines.
        self._merging.forget(keys)
        return by_lines

    def _joined(self, documents: Iterable[list[Piece]]) -> list[Piece]:
        """Return documents as a file, behind the byte order mark and the comments of the file."""
        trimmed = self._trimmed([[*text_merge.joined(document)] for document in documents])
        found = [piece for document in trimmed for piece in document]
        # Comments of the file go with its last document, unless a side changed them.
        is_left = found or text_of(self._above) != self._files["origin"].above
        return [*text_merge.joined([self._bom, *self._above, *found])] if is_left else []

    def _compose(self) -> list[tuple[Hashable | None, list[Piece]]]:
        """Return the documents of the merge by their keys, and the comments between them. Both may have conflicts."""
        documents = {side: [*self._keyed(side)] for side in SIDES}
        keys = {key: None for keyed in documents.values() for key, _ in keyed if key is not None}
        becomes = {key: self._document(key) for key in keys}
        if self._base.is_json:
            self._check_json(becomes)
        found: list[tuple[Hashable | None, list[Piece]]] = []
        for unit in _placed(*(self._units(documents[side], becomes) for side in SIDES)):
            if isinstance(unit, Stretch):
                # A stretch has comments alone: a merged object has the same unit on all sides.
                found.append((None, [*of_texts(map(text_merge.written, unit))]))
            else:
                key, line = unit
                found.append((key, [line] if key is None else self._with_start(becomes[key])))
        return [(key, document) for key, document in found if document]

    def _units(self, documents: KeyedParts, becomes: Mapping[Hashable, list[Piece]]) -> list[Unit]:
        """Return the documents of a side that are in the merge, and those without a key."""
        found: list[Unit] = []
        for key, part in documents:
            if key is not None:
                found += [(key, key)] if becomes.get(key) else []
            elif part.resource.source.strip():
                found.append((None, self._start_line(text := _document_text(part)) + text))
        return found

    def _start_line(self, document: str) -> str:
        """Return the line that starts a document, nothing if the document has one."""
        has_start = START in document and re.search(_START, document)
        return "" if has_start else f"{START}{self._newline}"

    def _with_start(self, document: list[Piece]) -> list[Piece]:
        """Return a merged document behind the line that starts it. Each side of a conflict may have its own."""
        first, *others = document
        if isinstance(first, str):
            return [self._start_line(first), *document]
        # A side that deleted the document has no line for it.
        is_whole = not (others or (first.update and first.local))
        if is_whole or re.search(_START, "\n".join(first)):
            own = with_each(first, lambda side: side if is_whole and not side else self._start_line(side) + side)
            # Blanks behind a `---` are no conflict.
            is_same = own.update.split() == own.local.split()  # type: ignore[union-attr]  # a conflict stays one
            return [own.local if is_same else own, *others]  # type: ignore[union-attr]  # as above
        return [self._start_line(""), *document]

    def _trimmed(self, found: list[list[Piece]]) -> list[list[Piece]]:
        """Return documents without the `---` of the first one and without the last line end, if the sides have none."""
        is_started = any(re.search(_START, above) for above in text_merge.answers(self._above))
        if found and (
            is_started or not base_rule(*(each.text.startswith(START, len(each.above)) for each in self._ends))
        ):
            found[0][0] = with_each(found[0][0], bare)
        has_end = base_rule(*(file.text.endswith("\n") for file in self._ends))
        for document in found if has_end else found[:-1]:
            last = document[-1]
            if isinstance(last, str) and not last.endswith("\n"):
                # What stands below a conflict may start at any column: alone it cannot be read.
                document[-1] = ended(last) if len(document) == 1 else last + self._newline
        if found and not has_end:
            drop_end(found[-1], [file.text for file in self._ends])
        return found

    # The places of objects.

    def _found_lists(self) -> dict[int, int]:
        """Return the key of the open list of each object that is in one, or comes into one, by its match."""
        documents = [part for part in self._base.documents if part.objects or part.is_open]
        list_of = {self._key(found): id(part) for part in documents if part.is_open for found in part.objects}
        # If the first document is a List, a new object ahead of it becomes its first item.
        own = id(documents[0]) if documents and documents[0].is_open else None
        for found in self._files["update"].objects if self._lists else ():
            if own is not None and self._side not in self._by_object[id(found)].objects:
                list_of[self._key(found)] = own
            own = list_of.get(self._key(found))
        return list_of

    def _key(self, found: Object) -> int:
        return id(self._by_object[id(found)])

    def _keyed(self, side: Side) -> Iterator[tuple[Hashable | None, FileDocument]]:
        """Yield the documents of a side, each with the key of its object or list."""
        has_comments = side == self._side or (self._merging.is_base_rule and not self._base.is_json)
        seen: set[int] = set()
        for part in self._files[side].documents:
            keys = [id(part)] if part.is_open else []
            keys = [self._list_of.get(key, key) for key in map(self._key, part.objects)] or keys
            if has_comments and not keys:
                yield None, part
            for key in (key for key in keys if key not in seen):
                yield key, part
                seen.add(key)

    # The texts of documents.

    def _document(self, key: Hashable) -> list[Piece]:
        """Return the merged text of a document or a list, nothing if it is deleted."""
        part, merged_object = self._lists.get(key), self._merged_objects.get(key)
        if part is not None:
            file, written = part.file, self._list(part)
        elif merged_object is not None:
            file, written = merged_object.original.document.file, merged_object.document()
        else:
            return []
        if file is not self._base:
            written = [with_each(piece, lambda side: with_line_end(side, self._newline)) for piece in written]
        return [piece for piece in written if piece]

    def _list(self, part: FileDocument) -> list[Piece]:
        """Return the text of an open list with its objects, nothing if it lost all of them."""
        sides: list[list[Unit]] = [
            [(key, key) for key in map(self._key, self._files[side].objects) if self._list_of.get(key) == id(part)]
            for side in SIDES
        ]
        # There is no stretch: a merged object has the same unit on all sides.
        keys = [piece[0] for piece in _placed(*sides)]  # type: ignore[index]
        elements = [self._merged_objects[key].element(part) for key in keys if key in self._merged_objects]
        if part.objects and not elements:
            return []
        own: Sequence = at(part.resource.root, *ITEMS)  # type: ignore[assignment]  # an open list has items
        listed = own if is_unchanged(elements, own.kids) else AmendedSequence(own, elements)
        return [bare(amended(part.resource, ITEMS, listed).text)]

    # What is left out.

    def _check_json(self, becomes: Mapping[Hashable, list[Piece]]) -> None:
        """Report the comments, as JSON has no place for them. FnError if a second object is added."""
        if sum(map(bool, becomes.values())) > 1:
            message = f"{self._base.name} is JSON, which holds one object: no other can be added to it"
            raise FnError(Result(message, ERROR, "NotEditable"))
        old, new = (
            [_document_text(part) for part in self._files[side].documents if not part.objects]
            for side in ("origin", "update")
        )
        for written in (each for each in new if each not in old):
            self._tell_left_out("update", written, _NO_PLACE)

    def _tell_left_out(self, side: Side, written: str, reason: str) -> None:
        """Report comments by their line number: a comment may hold a secret. In git, where nobody reads it: FnError."""
        if "#" in written:
            text = self._files[side].text
            number = lines.number(text, max(text.find(bare(written).strip()), 0))
            message = f"update changed the comments in line {number} of {side}, and {reason}: local's stays"
            found = notice(message, COMMENT_KEPT, file=self._files["local"].named)
            if self._merging.has_markers:
                raise FnError(found)
            self._merging.tell(found)


def merge(origin: File, update: File, local: File, decide: Merge, secrets: Secrets = lambda _: set()) -> Output:
    """Return local's text with each object as `decide` merges it, and the results.

    `secrets` finds secret fields of kinds that are no Secret. FnError if an object cannot be merged.
    """
    files: dict[Side, File] = {"origin": origin, "update": update, "local": local}
    documents = [part for file in files.values() for part in file.documents]
    for part in documents:
        part.require_one()
    if isinstance(decide, BaseRule):
        # The base rule for whole files first: a file that only one side changed is taken byte for byte.
        whole = base_rule(*((file.bom, file.text) for file in files.values()))
        if whole is not None:
            for part in update.documents if whole != (local.bom, local.text) else ():
                # FnError unless it is YAML up to its end: its first lines may have told its name.
                part.resource.find(())
            return Output(whole, [])
        files = for_lines(files)
    else:
        for part in documents:
            part.open()
    merging = Merging(files.values(), decide, secrets)
    return Output((composed(files, merging).text(),), sorted(merging.results, key=sort_key))


def for_lines(files: Mapping[Side, File]) -> dict[Side, File]:
    """Return the sides of a file for their merge by lines. FnError if nobody can tell what stands in which line.

    They are written alike. A key that a mapping has again is another key. The comments of the file are no part of its
    first document.
    """
    texts = written_alike(*[files[side].text if side in files else "" for side in SIDES])
    found: dict[Side, File] = {}
    for side, written in zip(SIDES, texts, strict=True):
        if side in files:
            file = files[side]
            found[side] = file if written == file.text else File(file.bom + written, file.name, file.path, file.state)
            found[side].number_keys()
            found[side].require_plain_lines()
    detach_comments(found.values())
    return found


def composed(files: dict[Side, File], merging: Merging) -> Composition:
    """Return the composition of a file, whose objects are matched and merged. FnError if one cannot be merged."""
    objects = {side: file.objects for side, file in files.items()}
    matches = matching.matched(objects, STEPS if merging.is_base_rule else STEPS_BY_IDENTITY)
    (matching.check if merging.is_base_rule else matching.check_overlay)(matches)
    merged_objects: dict[Hashable, MergedObject] = {
        id(match): made for match in matches if (made := merging.merge(match)) is not None
    }
    if not merging.is_base_rule:
        del files["origin"]  # by other rules local's order and line ends stay
    return Composition(files, matching.by_object(matches), merged_objects, merging)


# Documents.


def _placed(origin: list[Unit], update: list[Unit], local: list[Unit]) -> list[units.MergedUnit]:
    """Return documents in their order. A document of both sides comes once.

    If the file has no origin, update's order stands for it: a new document follows its predecessor in update.
    """
    both = {*update} & {*local}
    shared = [unit for unit in origin or update if unit in both or (origin and unit[0] is None)]
    return units.merged(shared, update, local, "free")


def _document_text(part: FileDocument) -> str:
    """Return the text of a document with a last line end, without the line that starts it."""
    return bare(ended(part.resource.source))
