"""The pieces of a merge: texts, and hunks, which are the conflicts between them."""

from __future__ import annotations

from itertools import groupby

from krm.merge import diff, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.merge.units import Stretch, Units

    Piece: TypeAlias = "str | Hunk"

# As in git: conflicts with no more equal lines between them are one.
_FEW = 3


class Hunk:
    """What local, origin and update have in one place that both sides changed: whole lines.

    With `is_remark` they say the same on both sides, but for comments and layout. `both` has the changes of both sides
    where these only lie side by side. Hunks that are joined tell neither.
    """

    __slots__ = ("both", "is_remark", "local", "origin", "update")

    def __init__(
        self, origin: str, update: str, local: str, *, is_remark: bool = False, both: str | None = None
    ) -> None:
        self.both = both
        self.origin = origin
        self.update = update
        self.local = local
        self.is_remark = is_remark

    def __iter__(self) -> Iterator[str]:
        return iter((self.origin, self.update, self.local))


def joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces without empty ones, those of a kind that follow each other as one."""
    for is_hunk, together in groupby(filter(None, pieces), key=lambda piece: isinstance(piece, Hunk)):
        if is_hunk:
            yield Hunk(*map("".join, zip(*together, strict=True)))
        else:
            yield "".join(together)  # type: ignore[arg-type]  # all of them are texts


def with_each(piece: Piece, change: Callable[[str], str]) -> Piece:
    """Return a piece with a change of its text, or of each side of it."""
    return Hunk(*map(change, piece)) if isinstance(piece, Hunk) else change(piece)


def conflict(stretch: Stretch, *, is_remark: bool = False, both: Units | None = None) -> Hunk:
    """Return the conflict that a stretch of units is, with the changes of both sides where that can be."""
    sides = map(written, (stretch.origin, stretch.update, stretch.local))
    return Hunk(*sides, is_remark=is_remark, both=None if both is None else written(both))


def written(units: Units) -> str:
    """Return the lines of some units."""
    return "".join([text for _, text in units])


def remark(origin: str | None, update: str | None, local: str | None) -> Piece:
    """Return lines that say the same, but for comments and layout, by the base rule."""
    one = text.settled(origin, update, local)
    return Hunk(origin or "", update or "", local or "", is_remark=True) if one is None else one


def of_lines(origin: list[str], update: list[str], local: list[str]) -> Iterator[Piece]:
    """Yield the merge of lines."""
    for before, new, own in text.places(origin, update, local):
        one = text.settled(before, new, own)
        if one is None:
            both = text.side_by_side(before, new, own)
            yield Hunk(*map("".join, (before, new, own)), both=None if both is None else "".join(both))
        elif one:
            yield "".join(one)


def refined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces, each conflict without origin, and without the lines that both sides have but for a few in it."""
    for piece in pieces:
        if isinstance(piece, Hunk):
            yield from _refined(piece)
        else:
            yield piece


def _refined(hunk: Hunk) -> Iterator[Piece]:
    update, local = (side.splitlines(keepends=True) for side in (hunk.update, hunk.local))
    start = first = 0
    for number, place, size in _runs(diff.matches(local, update), len(local), len(update)):
        if start < number or first < place:
            yield Hunk("", "".join(update[first:place]), "".join(local[start:number]))
        yield "".join(local[number : number + size])
        start, first = number + size, place + size


def _runs(matches: dict[int, int], end: int, last: int) -> Iterator[tuple[int, int, int]]:
    """Yield where the runs of equal lines start on both sides, and how long they are; at last the end."""
    runs: list[list[int]] = []
    for number, place in matches.items():
        if runs and (number, place) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            runs[-1][2] += 1
        else:
            runs.append([number, place, 1])
    for number, place, size in runs:
        is_at_edge = (number == place == 0) or (number + size == end and place + size == last)
        if is_at_edge or size > _FEW:
            yield number, place, size
    yield end, last, 0
