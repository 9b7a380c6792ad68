"""Markers: the lines around the two sides of a conflict in a text, as git writes them."""

from __future__ import annotations

from expand_vars.git.labels import Labels
from expand_vars.git.line_merge import FileMerge
from krm.merge.lines.pieces import refined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """A conflict in a text: the number of its first line, the lines of each side, and how many lines it takes up.

    `numbers` are those of the first line of local where local is chosen at each conflict, and of update likewise.
    """

    __slots__ = ("length", "line", "local", "numbers", "update")

    def __init__(
        self, line: int, length: int, local: list[bytes], update: list[bytes], numbers: tuple[int, int]
    ) -> None:
        self.line = line
        self.length = length
        self.local = local
        self.update = update
        self.numbers = numbers


def hunks(text: bytes, size: int) -> Iterator[Hunk]:
    """Yield the conflicts of a text that git marked."""
    sides: dict[bytes, list[bytes]] = {}
    into: list[bytes] = []
    start = outside = of_local = of_update = 0
    for number, line in enumerate(text.splitlines(), start=1):
        marker = _marker_in(line, size)
        if marker == _FIRST:
            start, sides = number, {}  # a text may hold what looks like the rest of a marker: only `<` opens one
        if marker is not None:
            into = sides.setdefault(marker, [])
        elif sides:
            into.append(line)
        else:
            outside += 1
        if marker == _LAST:
            local, update = sides.get(_FIRST, []), sides.get(_MIDDLE, [])
            yield Hunk(start, number - start + 1, local, update, (outside + of_local + 1, outside + of_update + 1))
            of_local, of_update = of_local + len(local), of_update + len(update)
            sides = {}


def marked_lines(text: bytes, size: int) -> int:
    """Return how many lines stand in conflicts: a reader has that much to look at."""
    return sum(len(hunk.local) + len(hunk.update) for hunk in hunks(text, size))


def sides(text: bytes, size: int) -> tuple[bytes, bytes]:
    """Return what a text with markers is where local is chosen at each conflict, and where update is."""
    chosen: dict[bytes, list[bytes]] = {_FIRST: [], _MIDDLE: []}
    into: bytes | None = None
    for line in text.splitlines(keepends=True):
        marker = _marker_in(line.rstrip(b"\r\n"), size)
        if marker is not None:
            into = None if marker == _LAST else marker
            continue
        for side in chosen if into is None else {into} & chosen.keys():
            chosen[side].append(line)
    return b"".join(chosen[_FIRST]), b"".join(chosen[_MIDDLE])


def shows_origin(text: bytes, size: int) -> bool:
    """Return True if the conflicts of a text have origin's lines too: a user can ask git for `diff3`."""
    return any(_is_marker(line, _ORIGIN, size) for line in text.splitlines())


def labels_in(text: bytes, size: int) -> Labels:
    """Return what the markers of a text call the sides, as far as they do."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        for marker, side in ((_FIRST, "local"), (_LAST, "update")):
            if line.startswith(marker * size + b" "):
                found.setdefault(side, line[size + 1 :].decode(errors="replace"))
    return Labels(**found)


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
