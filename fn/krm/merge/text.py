"""The base rule, and the line ends of the texts of three sides (docs/reference/merge.md, "The base rule")."""

from __future__ import annotations

from krm.yamltree.nodes import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeGuard, TypeVar

    from krm.yamltree.nodes import Node

    _Part = TypeVar("_Part")


def has_lines(node: Node | None) -> TypeGuard[Scalar]:
    """Return True for a block literal: in folded and quoted texts a line break is layout, and none of the author's."""
    return isinstance(node, Scalar) and node.style == "|"


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
