"""Markers: the lines around the two sides of a conflict in a text, as git writes them."""

from __future__ import annotations

from krm import fieldpath
from krm.git.line_merge import FileMerge, Labels
from krm.merge.text_merge import refined
from krm.yamltree import lines, nodes, parser, positions
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from krm.fieldpath import Place
    from krm.merge.text_merge import Piece
    from krm.yamltree.nodes import Node

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
    # The name of a branch need not be UTF-8.
    return FileMerge("".join(texts).encode(errors="surrogateescape"), conflicts)


class MarkedHunk:
    """A conflict in a text: the number of its first line, and the lines of each side.

    `numbers` are those of the first line of local if local is chosen at each conflict, and of update likewise.
    """

    def __init__(self, line: int, numbers: tuple[int, int]) -> None:
        self.line = line
        self.local: list[bytes] = []
        self.update: list[bytes] = []
        self.numbers = numbers


class Marked:
    """A text with markers: its conflicts, itself if a side is chosen at each of them, and what these are called.

    `shows_origin` says whether origin's lines are there too: a user can ask git for `diff3`.
    """

    def __init__(self, text: bytes, size: int) -> None:
        self.hunks: list[MarkedHunk] = []
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
                label = written[size + 1 :].decode(errors="surrogateescape")
                self.shows_origin |= marker == _ORIGIN
                if marker == _FIRST:
                    self.labels.local = label or self.labels.local
                    self.hunks.append(MarkedHunk(number, (len(sides[_FIRST]) + 1, len(sides[_MIDDLE]) + 1)))
                elif marker == _LAST:
                    self.labels.update = label or self.labels.update
                continue
            for side in sides if into == _LAST else {into} & sides.keys():
                sides[side].append(line)
            if into in sides:
                (self.hunks[-1].local if into == _FIRST else self.hunks[-1].update).append(written)
        self.local, self.update = (b"".join(side) for side in sides.values())

    @property
    def sides(self) -> tuple[list[bytes], list[bytes]]:
        """The lines of local and of update: whatever the labels, the style of the conflicts and the line ends are."""
        return self.local.splitlines(), self.update.splitlines()

    @property
    def lines(self) -> int:
        """How many lines stand in conflicts: a reader has that much to look at."""
        return sum(len(hunk.local) + len(hunk.update) for hunk in self.hunks)


def _marker_in(line: bytes, size: int) -> bytes | None:
    """Return the character of the marker that a line is, None for another line."""
    first = line[:1]
    is_marker = first in _MARKERS and (line == first * size or line.startswith(first * size + b" "))
    return first if is_marker else None


def _marker(character: str, size: int, label: str = "") -> str:
    return f"{character * size} {label}".rstrip()


def _ended(text: str, newline: str) -> str:
    """Return lines with an end for the last one, so that a marker can follow in a line of its own."""
    return text if not text or text.endswith("\n") else text + newline


class ConflictFields:
    """The fields in the conflicts of a text, by their paths."""

    def __init__(self, marked: Marked) -> None:
        self._local, self._update = map(paths_by_line, (marked.local, marked.update))

    def fields(self, hunk: MarkedHunk, local: Sequence[bytes], update: Sequence[bytes]) -> str:
        """Return the paths of some lines of each side, for a sentence. What is in one of them is not named as well."""
        found: dict[str, None] = {}
        sides = (self._local, hunk.local, local), (self._update, hunk.update, update)
        for first, (by_line, lines_of_side, wanted) in zip(hunk.numbers, sides, strict=True):
            for number, line in enumerate(lines_of_side, first):
                path = by_line.get(number) if line in wanted else None
                if path is not None and not any(path.startswith((f"{outer}.", f"{outer}[")) for outer in found):
                    found[path] = None
        if found:
            return ", ".join(f"`{path}`" for path in found)
        return "lines" if local or update else "what is gone"


def paths_by_line(text: bytes) -> dict[int, str]:
    """Return the path of the outermost field that starts in a line, or has it in its text, by the number of the line.

    ```
    1  spec:                    spec
    2    containers:            spec.containers
    3    - name: web            spec.containers[name=web]
    4      image: web:1         spec.containers[name=web].image
    ```

    Nothing for a text that is no YAML, as of a Helm template.
    """
    found: dict[int, str] = {}
    try:
        source = text.decode()
        documents = parser.parse_all(source, numbers_keys=True)
    except (ParseError, UnicodeDecodeError):
        return found
    for root in (document.root for document in documents if document.root is not None):
        for place, first, last in _below(root, ()):
            path = fieldpath.to_text(fieldpath.named(root, place))
            for number in range(lines.number(source, first), lines.number(source, last) + 1):
                found.setdefault(number, path)
    return found


def _below(node: Node, place: Place) -> Iterator[tuple[Place, int, int]]:
    """Yield what stands in a block collection, the outer one first: its place, and where its lines start and end."""
    if not isinstance(node, nodes.Collection) or node.flow:
        return
    for number, kids in enumerate(positions.entries(node)):
        start, kid = kids[0].start, kids[-1]
        step = number if len(kids) == 1 else kids[0].value or ""
        is_block = isinstance(kid, nodes.Mapping | nodes.Sequence) and not kid.flow
        yield (*place, step), start, start if is_block else max(start, kid.end - 1)
        yield from _below(kid, (*place, step))
