"""The 3-way merge of texts, line by line (docs/reference/merge.md, "Lines of a text").

What only one side changed is that side's. What both changed, differently, is a conflict, and so are changes that touch.
"""

from __future__ import annotations

from krm.merge import units
from krm.yamltree.nodes import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias, TypeGuard, TypeVar

    from krm.merge.policy import OnConflict
    from krm.yamltree.nodes import Node

    _Part = TypeVar("_Part")
    Sides: TypeAlias = tuple[list[str], list[str], list[str]]
    """What origin, update and local have."""


class Lines:
    """A merged text. At each conflict it has the lines of the side that wins, or of both if these are neighbours.

    `conflicts` and `neighbours` are the numbers of the lines of local at which such places start.
    """

    __slots__ = ("conflicts", "neighbours", "text")

    def __init__(self, text: str, conflicts: list[int], neighbours: list[int]) -> None:
        self.text = text
        self.conflicts = conflicts
        self.neighbours = neighbours

    @property
    def is_conflict(self) -> bool:
        """True if both sides changed the same lines, or lines that touch."""
        return bool(self.conflicts or self.neighbours)


def has_lines(node: Node | None) -> TypeGuard[Scalar]:
    """Return True for a block literal: in folded and quoted texts a line break is layout, and none of the author's."""
    return isinstance(node, Scalar) and node.style == "|"


def merged(origin: str, update: str, local: str, *, on_conflict: OnConflict) -> Lines:
    """Return the merge of three texts. The lines of a conflict are those of the side that wins by the policy."""
    from krm.merge import policy  # noqa: PLC0415 - lines in conflict have markers in most merges, and no winner

    # With their line ends: that the last one is missing is a difference too, and must not be lost.
    sides = [side.splitlines(keepends=True) for side in (origin, update, local)]
    found: list[str] = []
    conflicts: list[int] = []
    neighbours: list[int] = []
    number = 1
    for before, new, own in places(*sides):
        one = settled(before, new, own)
        if one is None:
            one = side_by_side(before, new, own) if policy.keeps_neighbours(on_conflict) else None
            (conflicts if one is None else neighbours).append(number)
        found += policy.won(policy.winner(on_conflict), update=new, local=own) if one is None else one
        number += len(own)
    return Lines("".join(found), conflicts, neighbours)


def side_by_side(*sides: list[str]) -> list[str] | None:
    """Return the lines of a place with the changes of both sides, None unless they only lie side by side."""
    # A line without an end is the last one: that another follows is no change of it.
    ends = [not side or side[-1].endswith("\n") for side in sides]
    origin, update, local = ([(None, line) for line in with_end(side)] for side in sides)
    found = units.side_by_side(origin, update, local)
    if found is None:
        return None
    lines = [line for _, line in found]
    return lines if settled(*ends) else [*lines[:-1], lines[-1].removesuffix("\n")]


def with_end(lines: list[str]) -> list[str]:
    """Return lines of which the last one ends."""
    return lines if not lines or lines[-1].endswith("\n") else [*lines[:-1], f"{lines[-1]}\n"]


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


def with_ends_of_one(sides: Sequence[str]) -> list[str]:
    """Return the texts of origin, update and local with equal line ends (docs/reference/merge.md, "Lines first").

    Line ends are changed for a whole file at once. As lines all of it would be in conflict. Where they differ within a
    text all stay.
    """
    ends = [line_end(side) for side in sides]
    if None in ends or len({*ends} - {""}) <= 1:
        return [*sides]
    end = settled(*ends) or ends[-1] or "\n"
    return [with_line_end(side, end) for side in sides]


def with_line_end(text: str, end: str) -> str:
    """Return a text with other line ends."""
    return text.replace("\r\n", "\n").replace("\n", end)


def line_end(text: str) -> str | None:
    """Return the line end that a text has throughout, nothing where there is no line, None where they differ."""
    ends, returns = text.count("\n"), text.count("\r")
    if returns and (returns != ends or text.count("\r\n") != ends):
        return None
    return ("\r\n" if returns else "\n") if ends else ""
