"""The 3-way merge of texts, line by line (docs/merge.md, "Lines of a text").

What only one side changed is that side's. What both changed, differently, is a conflict, and so are changes that touch.
"""

from __future__ import annotations

from krm.merge import policy, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias, TypeVar

    from krm.merge.policy import Winner

    _Part = TypeVar("_Part")
    Sides: TypeAlias = tuple[list[str], list[str], list[str]]
    """What origin, update and local have."""


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
    number = 1
    for before, new, own in places(*sides):
        one = settled(before, new, own)
        if one is None:
            conflicts.append(number)
            one = policy.won(winner, update=new, local=own)
        found += one
        number += len(own)
    return Lines("".join(found), conflicts)


def places(*sides: list[str]) -> Iterator[Sides]:
    """Yield the lines of origin, update and local place by place: what a side changed, and what is between."""
    origin, update, local = ([(None, line) for line in side] for side in sides)
    for place in units.places(origin, update, local, "lines"):
        before, new, own = ([line for _, line in side] for side in place)
        yield before, new, own


def settled(before: _Part, new: _Part, own: _Part) -> _Part | None:
    """Return what the base rule makes of a part of origin, update and local, None where it is a conflict."""
    if new in (before, own):
        return own
    return new if own == before else None
