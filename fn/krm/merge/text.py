"""The 3-way merge of texts, line by line, and of any other sequences, element by element.

A chunk is what stands between elements that all three sides have (docs/merge.md, "Lines of a text"). If only one side
changed it, that side's elements come out. If both changed it, differently, it is a conflict. Changes that touch each
other are one chunk, as in git.
"""

from __future__ import annotations

from krm.merge import diff, policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence
    from typing import TypeAlias, TypeVar

    from krm.merge.policy import Winner

    _Part = TypeVar("_Part")
    Chunk: TypeAlias = tuple[slice, slice, slice]
    """The part of origin, update and local between two elements that all of them have."""


class Lines:
    """A merged text. At each conflict it has the lines of the side that wins.

    `conflicts` are the numbers of the lines of local at which the conflicts start.
    """

    __slots__ = ("conflicts", "text")

    def __init__(self, text: str, conflicts: list[int]) -> None:
        self.text = text
        self.conflicts = conflicts

    @property
    def is_conflict(self) -> bool:
        """True if both sides changed the same lines, or lines that touch."""
        return bool(self.conflicts)


def merged(origin: str, update: str, local: str, *, winner: Winner) -> Lines:
    """Return the merge of three texts. The lines of a conflict are those of the winner."""
    # With their line ends: that the last one is missing is a difference too, and must not be lost.
    sides = [side.splitlines(keepends=True) for side in (origin, update, local)]
    found: list[str] = []
    conflicts: list[int] = []
    for chunk in chunks(*sides):
        before, new, own = (side[part] for side, part in zip(sides, chunk, strict=True))
        one = settled(before, new, own)
        if one is None:
            conflicts.append((chunk[2].start or 0) + 1)
            one = policy.won(winner, update=new, local=own)
        found += one
    return Lines("".join(found), conflicts)


def settled(before: _Part, new: _Part, own: _Part) -> _Part | None:
    """Return what the base rule makes of a part of origin, update and local, None where it is a conflict."""
    if new in (before, own):
        return own
    return new if own == before else None


def chunks(origin: Sequence[Hashable], update: Sequence[Hashable], local: Sequence[Hashable]) -> Iterator[Chunk]:
    """Yield the chunks of three sequences, those that all sides have alike included."""
    a = b = c = 0
    for start, in_update, in_local, size in _common(origin, update, local):
        yield slice(a, start), slice(b, in_update), slice(c, in_local)
        a, b, c = start + size, in_update + size, in_local + size
        yield slice(start, a), slice(in_update, b), slice(in_local, c)
    yield slice(a, None), slice(b, None), slice(c, None)


def _common(
    origin: Sequence[Hashable], update: Sequence[Hashable], local: Sequence[Hashable]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the runs that all three have: where they start in each, and their length."""
    in_update, in_local = diff.matches(origin, update), diff.matches(origin, local)
    position = 0
    while position < len(origin):
        size = 0
        while _follows(in_update, position, size) and _follows(in_local, position, size):
            size += 1
        if size:
            yield position, in_update[position], in_local[position], size
        position += size or 1


def _follows(matches: dict[int, int], start: int, size: int) -> bool:
    """Return True if the element `size` behind `start` is as far behind in the other sequence, too."""
    return start in matches and matches.get(start + size) == matches[start] + size
