"""The text of a file whose documents are merged: which documents come out, in which order, and what is between them."""

from __future__ import annotations

import re

from krm import newitem
from krm.file import START, bare
from krm.merge import text, units
from krm.merge.files.matching import SIDES
from krm.merge.lines import pieces
from krm.merge.lines.pieces import Hunk, with_each
from krm.merge.units import Stretch
from krm.yamltree import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import TypeAlias

    from krm.file import File, Part
    from krm.merge.files.matching import Side
    from krm.merge.lines.pieces import Piece
    from krm.merge.units import Unit

    Keyed: TypeAlias = Sequence[tuple[Hashable | None, Part]]
    """The documents of a file, each with its key; those of comments alone, and empty ones, have none."""

_START = r"(?m)^---(?=\s|$)"


class FileLines:
    """Three files while their documents are put together.

    `documents` are those of each side. `becomes` says what each one with a key becomes, nothing if it goes. What is
    `contested` are the comments between them: local's are taken.
    """

    def __init__(
        self,
        files: dict[Side, File],
        documents: Mapping[Side, Keyed],
        becomes: Mapping[Hashable, list[Piece]],
    ) -> None:
        self._becomes = becomes
        self.contested: list[Hunk] = []
        origin, update, local = (files[side].text if files[side].text.strip() else "" for side in SIDES)
        # Of a file that is not there nobody has changed how it starts and how it ends.
        update, local = update or local, local or update
        self._texts = origin or update, update, local
        self._newline = lines.newline(local, len(local))
        self._origin, self._update, self._local = (self._units(documents[side]) for side in SIDES)

    def merged(self) -> list[Piece]:
        """Return the text. Its conflicts are those in the documents, and those of comments between them."""
        found: list[list[Piece]] = []
        for unit in placed(self._origin, self._update, self._local):
            if isinstance(unit, Stretch):
                # Comments alone: an entry that comes out is the same on all sides.
                sides = ("".join([line for _, line in side]) for side in (unit.origin, unit.update, unit.local))
                before, new, own = (side.splitlines(keepends=True) for side in sides)
                found.append([*pieces.of_lines(before, new, own, lambda _, local, __: local)])
                self.contested += [piece for piece in found[-1] if isinstance(piece, Hunk)]
            else:
                key, line = unit
                found.append([line] if key is None else self._started(self._becomes[key]))
        return [*pieces.joined(piece for document in self._trimmed([*filter(None, found)]) for piece in document)]

    def _units(self, documents: Keyed) -> list[Unit]:
        """Return the documents of a side that come out, and those without a key."""
        found: list[Unit] = []
        for key, part in documents:
            if key is not None:
                found += [(key, key)] if self._becomes.get(key) else []
            elif part.resource.source.strip():
                found.append((None, self._start(written(part)) + written(part)))
        return found

    def _start(self, document: str) -> str:
        """Return the line that starts a document, nothing if it has one."""
        return "" if re.search(_START, document) else f"{START}{self._newline}"

    def _started(self, document: list[Piece]) -> list[Piece]:
        """Return what a document becomes behind the line that starts it."""
        first = document[0]
        start = self._start("\n".join([first] if isinstance(first, str) else first))
        if len(document) == 1 and isinstance(first, Hunk) and not (first.update and first.local):
            return [with_each(first, lambda side: side and start + side)]
        return [start, *document]

    def _trimmed(self, found: list[list[Piece]]) -> list[list[Piece]]:
        """Return documents without the start of the first one and the end of the last line that nobody wrote."""
        if found and not text.settled(*(side.startswith(START) for side in self._texts)):
            found[0][0] = with_each(found[0][0], bare)
        has_end = text.settled(*(side.endswith("\n") for side in self._texts))
        for document in found if has_end else found[:-1]:
            last = document[-1]
            document[-1] = last if isinstance(last, Hunk) else newitem.ended(last)
        if found and not has_end:
            found[-1][-1] = pieces.without_end(found[-1][-1])
        return found


def placed(origin: list[Unit], update: list[Unit], local: list[Unit]) -> list[units.Piece]:
    """Return documents in their order. What both sides have says the same: of all others each has its own place.

    Without an origin update's places count, so that what is new comes behind the one before it there.
    """
    both = {*update} & {*local}
    shared = [unit for unit in origin or update if unit in both or (origin and unit[0] is None)]
    return units.merged(shared, update, local, "free")


def written(part: Part) -> str:
    """Return a document with an end of its last line, without the line that starts it."""
    return bare(newitem.ended(part.resource.source))
