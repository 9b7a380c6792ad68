"""The composition of a file from its merged objects. Each is a document, or is in a list.

An object keeps its place. A new object is inserted behind its predecessor in update (docs/reference/merge.md,
"Documents"). The comments between documents are merged like those between entries of a mapping.
"""

from __future__ import annotations

import re
from functools import partial

from krm import newitem
from krm.envelope import ITEMS
from krm.file import START, File, bare
from krm.merge import text_merge, trees, units
from krm.merge.files import line_judge
from krm.merge.files.matching import SIDES, only, paired
from krm.merge.files.object_merge import merged_as_text
from krm.merge.outcome import COMMENT_KEPT, DUPLICATE_KEYS, REFUSED
from krm.merge.policy import base_rule
from krm.merge.text_merge import Hunk, of_texts, text_of, with_each, with_line_end
from krm.merge.units import Stretch
from krm.results import ERROR, FnError, Result, locate, notice
from krm.yamltree import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from krm.file import FileDocument, Object
    from krm.merge.files.matching import Left, MatchedObjects, Pair, Side, Stage
    from krm.merge.files.merged_object import MergedObject
    from krm.merge.files.object_merge import Merging
    from krm.merge.text_merge import Piece
    from krm.merge.units import Unit

    KeyedParts: TypeAlias = Sequence[tuple[Hashable | None, FileDocument]]
    """The documents of a file with their keys. Empty ones, and those of comments alone, have no key."""


_START = r"(?m)^---(?=\s|$)"
_OTHER_LIST = "one side put an object into a list, or took it out of one, and only lines show where it is to be"
_UNDECIDED = (
    "update changed what stands beside the `items`, and nothing tells which of the lists of this kind it is: "
    "local's lists keep their fields"
)
_CHANGED = "local changed it too"
_NO_PLACE = "there is no place for it"


class Composition:
    """The composition of a file, from its three sides and the merged objects, which are keyed by their matches.

    `by_lines` is the merge of the file by its lines alone, as git makes it: known when the composition is.
    """

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
        # A side without the file counts as one that did not change the start and the end of the file.
        update = self._files["update"] if self._files["update"].text.strip() else self._base
        origin = self._files["origin"] if self._files["origin"].text.strip() else update
        self._ends = origin, update, self._base
        self._bom = base_rule(*(file.bom for file in self._ends)) or ""
        self._above = [*of_texts(file.above for file in (self._files["origin"], update, self._base))]
        self._contested = [piece for piece in self._above if isinstance(piece, Hunk)]
        self.by_lines: list[Piece] = []
        matches = _matched_lists(self._files, by_object)
        new = [match for match in matches if self._is_new_list(match)]
        self._old_lists = [match for match in matches if match not in new]
        taken = [match for match in matches if self._side in match.objects or match in new]
        self._list_matches = {id(match.first.document): match for match in taken}
        self._lists: dict[Hashable, FileDocument] = {id(part): part for part in self._base.documents if part.is_list}
        self._lists |= {id(found.document): match.first.document for match in taken for found in match.objects.values()}
        self._has_list = any(part.is_list for part in self._files["update"].documents)
        self._is_mixed = self._mixes_lists(matches)
        # If update has no list, all its new objects get into the list of local.
        self._are_alike = merging.has_markers or (merging.is_base_rule and self._has_list and not self._is_mixed)
        self._homes = self._found_homes()

    def text(self) -> str:
        """Return the text, and add the results about comments that are left out. FnError if it cannot be written."""
        documents = self._composed()
        right = self._right(self._joined(documents))
        if right is not None:
            return right
        for hunk in self._contested:
            self._tell_left_out("update" if hunk.update else "origin", hunk.update or hunk.origin, _CHANGED)
        return text_of(self._joined([text] for document in documents if (text := text_of(document))))

    def pieces(self) -> list[Piece]:
        """Return the text with its conflicts. FnError if it cannot be written."""
        found = self._joined(self._composed())
        right = self._right(found)
        return found if right is None else [right]

    def _right(self, found: list[Piece]) -> str | None:
        """Return the merge by lines if it is at least as good as ours, which is `found`. Then drop our results."""
        if not self._merging.is_base_rule:
            return None
        sides = [self._bom + text if (text := self._files[side].text) else "" for side in SIDES]
        self.by_lines = [*of_texts(sides)]
        by_lines = text_of(self.by_lines)
        if any(isinstance(piece, Hunk) for piece in self.by_lines) or not all(sides):
            return None
        if not line_judge.is_right(by_lines, found, sides, has_one_value=self._merging.has_one_value):
            return None
        # A comment that is lost in our merge may be elsewhere in that by lines.
        self._merging.forget({self._key(each) for file in self._files.values() for each in file.objects})
        return by_lines

    def _joined(self, documents: Iterable[list[Piece]]) -> list[Piece]:
        """Return documents as a file, behind the byte order mark and the comments of the file."""
        found = [piece for document in self._trimmed([*documents]) for piece in document]
        return [*text_merge.joined([self._bom, *self._above, *found])] if found else []

    def _composed(self) -> list[list[Piece]]:
        """Return the documents of the merge. They, and the comments between them, may have conflicts."""
        if self._is_mixed and self._merging.has_markers:
            raise FnError(Result(_OTHER_LIST, ERROR, REFUSED))
        self._tell_undecided()
        documents = {side: [*self._keyed(side)] for side in SIDES}
        keys = {key: None for keyed in documents.values() for key, _ in keyed if key is not None}
        becomes = {key: self._becomes(key) for key in keys}
        if self._base.is_json:
            self._check_json(becomes)
        found: list[list[Piece]] = []
        for unit in _placed(*(self._units(documents[side], becomes) for side in SIDES)):
            if isinstance(unit, Stretch):
                # A stretch has comments alone: a merged object has the same unit on all sides.
                found.append([*of_texts(map(text_merge.written, unit))])
                self._contested += [piece for piece in found[-1] if isinstance(piece, Hunk)]
            else:
                key, line = unit
                found.append([line] if key is None else self._started(becomes[key]))
        return [*filter(None, found)]

    def _units(self, documents: KeyedParts, becomes: Mapping[Hashable, list[Piece]]) -> list[Unit]:
        """Return the documents of a side that are in the merge, and those without a key."""
        found: list[Unit] = []
        for key, part in documents:
            if key is not None:
                found += [(key, key)] if becomes.get(key) else []
            elif part.resource.source.strip():
                found.append((None, self._start(_text_of(part)) + _text_of(part)))
        return found

    def _start(self, document: str) -> str:
        """Return the line that starts a document, nothing if the document has one."""
        return "" if re.search(_START, document) else f"{START}{lines.newline(self._base.text, len(self._base.text))}"

    def _started(self, document: list[Piece]) -> list[Piece]:
        """Return a merged document behind the line that starts it."""
        first = document[0]
        start = self._start("\n".join([first] if isinstance(first, str) else first))
        if len(document) == 1 and isinstance(first, Hunk) and not (first.update and first.local):
            return [with_each(first, lambda side: side and start + side)]
        return [start, *document]

    def _trimmed(self, found: list[list[Piece]]) -> list[list[Piece]]:
        """Return documents without the `---` of the first one and without the last line end, if the sides have none."""
        if found and not base_rule(*(file.text.startswith(START, len(file.above)) for file in self._ends)):
            found[0][0] = with_each(found[0][0], bare)
        has_end = base_rule(*(file.text.endswith("\n") for file in self._ends))
        for document in found if has_end else found[:-1]:
            last = document[-1]
            document[-1] = last if isinstance(last, Hunk) else newitem.ended(last)
        if found and not has_end:
            found[-1][-1] = text_merge.without_end(found[-1][-1])
        return found

    # The places of objects.

    def _found_homes(self) -> dict[int, FileDocument | None]:
        """Return the list of each object, by its match, None for a document."""
        documents = [part for part in self._base.documents if part.objects or part.is_list]
        homes = {self._key(found): self._lists.get(id(part)) for part in documents for found in part.objects}
        # A new object ahead of a List becomes its first item. It cannot be a document beside a List.
        home = self._lists.get(id(documents[0])) if documents else None
        for found in self._files["update"].objects:
            key, own = self._key(found), self._lists.get(id(found.document))
            if key not in homes and key in self._merged_objects:
                homes[key] = own if self._are_alike else own or home
            # An object behind a new list is not added to that list.
            home = home if own is found.document else homes.get(key, home)
        return homes

    def _mixes_lists(self, lists: list[MatchedObjects]) -> bool:
        """True if an object is in a list on one side, and elsewhere on another."""
        list_of = {id(found.document): id(match) for match in lists for found in match.objects.values()}
        listed = (each for match in lists for found in match.objects.values() for each in found.document.objects)
        matches = (self._by_object[id(each)] for each in listed)
        return any(len({list_of.get(id(found.document)) for found in match.objects.values()}) > 1 for match in matches)

    def _is_new_list(self, match: MatchedObjects) -> bool:
        """True for a list that only update has, with objects that only update has: it is taken as it is."""
        if self._merging.has_markers:  # a list that local deleted may be a conflict
            return "update" in match.objects and self._side not in match.objects
        alone = {"update"}
        objects = match.first.document.objects if match.objects.keys() == alone and self._merging.is_base_rule else []
        return bool(objects) and all(self._by_object[id(found)].objects.keys() == alone for found in objects)

    def _key(self, found: Object) -> int:
        return id(self._by_object[id(found)])

    def _keyed(self, side: Side) -> Iterator[tuple[Hashable | None, FileDocument]]:
        """Yield the documents of a side, each with the key of its object or list."""
        has_comments = side == self._side or (self._merging.is_base_rule and not self._base.is_json)
        seen: set[int] = set()
        for part in self._files[side].documents:
            if has_comments and not (part.objects or part.is_list):
                yield None, part
            for key in dict.fromkeys(self._keys(part)):
                if key not in seen:
                    yield key, part
                    seen.add(key)

    def _keys(self, part: FileDocument) -> Iterator[int]:
        if id(part) in self._lists:
            yield id(self._lists[id(part)])
        for key in map(self._key, part.objects):
            if key in self._homes:
                home = self._homes[key]
                yield key if home is None else id(home)

    # The texts of documents.

    def _becomes(self, key: Hashable) -> list[Piece]:
        """Return the merged text of a document or a list, nothing if it is deleted."""
        part, merged_object = self._lists.get(key), self._merged_objects.get(key)
        if part is not None:
            file, written = part.file, self._list(part)
        elif merged_object is not None:
            file, written = merged_object.original.document.file, merged_object.document()
        else:
            return []
        if file is not self._base:
            own = self._base.text
            end = lines.newline(own, len(own))
            written = [with_each(piece, lambda side: with_line_end(side, end)) for piece in written]
        return [piece for piece in written if piece]

    def _list(self, part: FileDocument) -> list[Piece]:
        """Return the merged text of a list, nothing if it lost all objects and is useless."""
        match = self._list_matches.get(id(part))
        there = {} if match is None else match.objects
        whole = merged_as_text(there) if self._merging.has_markers else None
        if whole is not None:
            return whole
        sides: list[list[Unit]] = [
            [(key, key) for key in map(self._key, self._files[side].objects) if self._homes.get(key) is part]
            for side in SIDES
        ]
        # There is no stretch: a merged object has the same unit on all sides.
        keys = [piece[0] for piece in _placed(*sides)]  # type: ignore[index]
        elements = [self._merged_objects[key].element(part) for key in keys if key in self._merged_objects]
        if not elements and self._is_of_no_use(part, there):
            return []
        items = [
            [self._by_object[id(found)] for found in there[side].document.objects] if side in there else []
            for side in SIDES
        ]
        return self._merging.merge_list(match, part, elements, items, are_alike=self._are_alike)

    def _is_of_no_use(self, part: FileDocument, there: Mapping[Side, Object]) -> bool:
        """True for a list that is deleted when it is empty."""
        if self._side == "update":
            return bool(part.objects) or "origin" in there
        # An empty list, as `kubectl get` prints it, is useless in a package. It stays if update has a list and did not
        # delete this one.
        is_deleted = "origin" in there and "update" not in there
        return bool(part.objects) and (is_deleted or not self._has_list)

    # What is left out.

    def _tell_undecided(self) -> None:
        """Warn of the lists of update whose own fields are not merged: nobody can tell which of local's they are."""
        for document in _undecided(self._old_lists) if self._merging.is_base_rule else ():
            result = document.resource.notice(_UNDECIDED, DUPLICATE_KEYS)
            result.file = document.document.file.name
            locate(result, document.lines())
            self._merging.tell(result)

    def _check_json(self, becomes: Mapping[Hashable, list[Piece]]) -> None:
        """Report the comments, as JSON has no place for them. FnError if a second object is added."""
        if sum(map(bool, becomes.values())) > 1:
            message = f"{self._base.name} is JSON, which holds one object: no other can be added to it"
            raise FnError(Result(message, ERROR, "NotEditable"))
        old, new = (
            [_text_of(part) for part in self._files[side].documents if not (part.objects or part.is_list)]
            for side in ("origin", "update")
        )
        for written in (each for each in new if each not in old):
            self._tell_left_out("update", written, _NO_PLACE)

    def _tell_left_out(self, side: Side, written: str, reason: str) -> None:
        """Report comments by their line number: a comment may hold a secret."""
        if "#" in written:
            text = self._files[side].text
            number = lines.number(text, max(text.find(bare(written).strip()), 0))
            message = f"update changed the comments in line {number} of {side}, and {reason}: local's stays"
            self._merging.tell(notice(message, COMMENT_KEPT, file=self._files["local"].named))


# Lists of objects. A list has no name, and is known by its kind; several lists of a kind are known by their objects.


def _matched_lists(sides: Mapping[Side, File], by_object: Mapping[int, MatchedObjects]) -> list[MatchedObjects]:
    """Return the matches of the lists of a file, given the matches of the objects in them."""
    kinds: dict[str, dict[Side, list[Object]]] = {}
    for side, file in sides.items():
        for document in (part.list_document for part in file.documents if part.list_document is not None):
            kinds.setdefault(document.resource.kind, {each: [] for each in sides})[side].append(document)
    stages: list[Stage] = [("identity", partial(_sharing, by_object)), ("identity", _last_pair)]
    return [match for documents in kinds.values() for match in paired(documents, stages, {})]


def _undecided(matches: list[MatchedObjects]) -> Iterator[Object]:
    """Yield the lists of update whose own fields cannot be merged: nobody can tell which of local's lists they are.

    Such a list is new, or has other fields than in origin. Local has lists of its kind that update lacks, and none of
    these has the same fields.
    """
    for match in matches:
        origin, update = (match.objects.get(side) for side in ("origin", "update"))
        if update is None or "local" in match.objects or (origin and _fields(origin) == _fields(update)):
            continue
        own = [
            _fields(other.objects["local"])
            for other in matches
            if "local" in other.objects
            and other.objects.keys().isdisjoint({"update"} if origin is None else match.objects)
            and other.first.resource.kind == update.resource.kind
        ]
        if own and _fields(update) not in own:
            yield update


def _sharing(by_object: Mapping[int, MatchedObjects], one: Side, other: Side, left: Left) -> Iterator[Pair]:
    """Yield the pairs of lists that have an object in common, if neither has one in common with a second list."""
    ones, others = left
    holders = {id(by_object[id(each)]): match for match in others for each in match.objects[other].document.objects}
    shared = [
        (match, holders[id(by_object[id(each)])])
        for match in ones
        for each in match.objects[one].document.objects
        if id(by_object[id(each)]) in holders
    ]
    pairs = {(id(one), id(other)): (one, other) for one, other in shared}
    yield from only([*pairs.values()])


def _last_pair(_: Side, __: Side, left: Left) -> Iterator[Pair]:
    """Yield the pair of lists, if each side has only one left."""
    ones, others = left
    if len(ones) == len(others) == 1:
        yield ones[0], others[0]


def _fields(document: Object) -> Hashable:
    """Return the data of a list without its objects."""
    entries = trees.entries(document.resource.root)
    return frozenset((key, trees.frozen(node)) for key, node in entries.items() if key not in ITEMS)


# Documents.


def _placed(origin: list[Unit], update: list[Unit], local: list[Unit]) -> list[units.MergedUnit]:
    """Return documents in their order. A document of both sides comes once.

    Without an origin update's order counts, so that a new document follows its predecessor in update.
    """
    both = {*update} & {*local}
    shared = [unit for unit in origin or update if unit in both or (origin and unit[0] is None)]
    return units.merged(shared, update, local, "free")


def _text_of(part: FileDocument) -> str:
    """Return the text of a document with a last line end, without the line that starts it."""
    return bare(newitem.ended(part.resource.source))
