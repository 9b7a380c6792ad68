"""Markers: the lines around the two sides of a conflict in a text, as git writes them."""

from __future__ import annotations

from krm.git.labels import Labels
from krm.git.line_merge import FileMerge
from krm.merge.lines.pieces import refined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.merge.lines.pieces import Piece

_MARKERS = _FIRST, _ORIGIN, _MIDDLE, _LAST = (b"<", b"|", b"=", b">")


def marked(pieces: list[Piece], labels: Labels, size: int, *, shows_origin: bool) -> FileMerge:
    """Return a merge as one text, its conflicts between markers."""
    texts: list[str] = []
    conflicts = 0
    newline = "\r\n" if any("\r\n" in piece for piece in pieces if isinstance(piece, str)) else "\n"
    for piece in pieces if shows_origin else refined(pieces):
        if isinstance(piece, str):
            texts.append(piece)
            continue
        conflicts += 1
        texts += [_marker("<", size, labels.local), newline, _ended(piece.local, newline)]
        if shows_origin:
            texts += [_marker("|", size, labels.origin), newline, _ended(piece.origin, newline)]
        texts += [_marker("=", size), newline, _ended(piece.update, newline)]
        texts += [_marker(">", size, labels.update), newline]
    return FileMerge("".join(texts).encode(), conflicts)


class Hunk:
    """A conflict in a text: the number of its first line, and the lines of each side.

    `numbers` are those of the first line of local where local is chosen at each conflict, and of update likewise.
    """

    __slots__ = ("line", "local", "numbers", "update")

    def __init__(self, line: int, numbers: tuple[int, int]) -> None:
        self.line = line
        self.local: list[bytes] = []
        self.update: list[bytes] = []
        self.numbers = numbers


class Marked:
    """A text with markers: its conflicts, itself where a side is chosen at each of them, and what these are called.

    `shows_origin` says whether origin's lines are there too: a user can ask git for `diff3`.
    """

    __slots__ = ("hunks", "labels", "local", "shows_origin", "update")

    def __init__(self, text: bytes, size: int) -> None:
        self.hunks: list[Hunk] = []
        self.labels = Labels()
        self.shows_origin = False
        sides: dict[bytes, list[bytes]] = {_FIRST: [], _MIDDLE: []}
        into = _LAST
        for number, line in enumerate(text.splitlines(keepends=True), start=1):
            written = line.rstrip(b"\r\n")
            marker = _marker_in(written, size)
            # A text may hold what looks like the rest of a marker: only `<` opens a conflict.
            if marker == _FIRST or (marker is not None and into != _LAST):
                into = marker
                self._mark(number, marker, written[size + 1 :].decode(errors="replace"), sides)
                continue
            for side in sides if into == _LAST else {into} & sides.keys():
                sides[side].append(line)
            if into in sides:
                (self.hunks[-1].local if into == _FIRST else self.hunks[-1].update).append(written)
        self.local, self.update = (b"".join(side) for side in sides.values())

    def _mark(self, number: int, marker: bytes, label: str, sides: dict[bytes, list[bytes]]) -> None:
        self.shows_origin |= marker == _ORIGIN
        if marker == _FIRST:
            self.labels.local = label or self.labels.local
            self.hunks.append(Hunk(number, (len(sides[_FIRST]) + 1, len(sides[_MIDDLE]) + 1)))
        elif marker == _LAST:
            self.labels.update = label or self.labels.update

    @property
    def lines(self) -> int:
        """How many lines stand in conflicts: a reader has that much to look at."""
        return sum(len(hunk.local) + len(hunk.update) for hunk in self.hunks)


def without_labels(text: bytes, size: int) -> list[bytes]:
    """Return the lines of a text, each marker without its label."""
    return [line[:size] if _marker_in(line, size) else line for line in text.splitlines()]


def _marker_in(line: bytes, size: int) -> bytes | None:
    """Return the character of the marker that a line is, None for another line."""
    first = line[:1]
    return first if first in _MARKERS and _is_marker(line, first, size) else None


def _is_marker(line: bytes, character: bytes, size: int) -> bool:
    marker = character * size
    return line == marker or line.startswith(marker + b" ")


def _marker(character: str, size: int, label: str = "") -> str:
    return f"{character * size} {label}".rstrip()


def _ended(text: str, newline: str) -> str:
    """Return lines with an end for the last one, so that a marker can follow in a line of its own."""
    return text if not text or text.endswith("\n") else text + newline
