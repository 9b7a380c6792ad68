"""The comments of one node after a merge: each of its four places follows the base rule, as values do.

Where both sides changed the lines over a node, above it or apart from it, these are merged line by line, as one text:
a blank line that somebody put between two of them makes those that are above it stand apart.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from krm.merge import text
from krm.yamltree.comments import Comments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TypeAlias, TypeVar

    Lines: TypeAlias = tuple[str, ...]
    _Part = TypeVar("_Part", str, tuple[str, ...])


class NodeComments:
    """The merge of the comments of a node. `merged` has the result, `conflicts` the places that both sides changed.

    In these places local's comments stay.
    """

    def __init__(self, origin: Comments, update: Comments, local: Comments) -> None:
        self.conflicts: list[str] = []
        above, apart = self._over(origin, update, local)
        below = self._part("below", origin.below, update.below, local.below)
        merged = _by_lines(origin.below, update.below, local.below) if "below" in self.conflicts else None
        if merged is not None:
            self.conflicts.remove("below")
            below = merged
        behind = self._part("behind", origin.behind, update.behind, local.behind)
        self.merged = Comments(above, behind, below, apart)

    def _part(self, name: str, origin: _Part, update: _Part, local: _Part) -> _Part:
        settled = text.settled(origin, update, local)
        if settled is not None:
            return settled
        self.conflicts.append(name)
        return local

    def _over(self, origin: Comments, update: Comments, local: Comments) -> tuple[Lines, Lines]:
        """Return the lines above the node, and those apart from it."""
        apart = self._part("apart from", origin.apart, update.apart, local.apart)
        above = self._part("above", origin.above, update.above, local.above)
        if not self.conflicts:
            return _without_returned(above, apart, origin, update, local)
        merged = _by_lines(*map(_joined, (origin, update, local)))
        if merged is not None:
            self.conflicts.clear()
            return _parted(merged)
        return local.above, local.apart


def replaced(  # noqa: PLR0913 - one parameter for each place
    of: Comments,
    *,
    above: Lines | None = None,
    behind: str | None = None,
    below: Lines | None = None,
    apart: Lines | None = None,
    inside: Lines | None = None,
) -> Comments:
    """Return comments with others in the places that are given."""
    return Comments(
        of.above if above is None else above,
        of.behind if behind is None else behind,
        of.below if below is None else below,
        of.apart if apart is None else apart,
        of.inside if inside is None else inside,
    )


def groups(comments: Comments) -> list[Lines]:
    """Return the lines over a node, in the groups that blank lines make of them."""
    found: list[list[str]] = [[]]
    for line in _joined(comments):
        found = [*found, []] if not line else [*found[:-1], [*found[-1], line]]
    return [tuple(group) for group in found if group]


def without(comments: Comments, gone: Collection[Lines]) -> Comments:
    """Return comments without such groups of the lines over their node."""
    above = () if comments.above in gone else comments.above
    apart = tuple(
        line for group in groups(Comments(apart=comments.apart)) if group not in gone for line in ("", *group)
    )
    return Comments(above, comments.behind, comments.below, apart[1:], comments.inside)


def _without_returned(
    above: Lines, apart: Lines, origin: Comments, update: Comments, local: Comments
) -> tuple[Lines, Lines]:
    """Return lines over a node without those that one side moved between the two places and the other took away."""
    before, new, own = (Counter(_joined(side)) for side in (origin, update, local))
    found: list[str] = []
    for line in reversed((*apart, "", *above)):
        most = new[line] if new[line] == own[line] else new[line] + own[line] - before[line]
        if not line or found.count(line) < most:
            found.append(line)
    merged = tuple(reversed(found))
    if len(merged) == len(apart) + len(above) + 1:
        return above, apart
    blank = len(merged) - 1 - merged[::-1].index("")
    kept = without(Comments(apart=merged[:blank]), ())
    return merged[blank + 1 :], kept.apart


def _by_lines(*sides: Lines) -> Lines | None:
    """Return the lines that both sides changed, None if they changed the same ones, or such that touch."""
    found: list[tuple[str, bool]] = []
    tokens = [_tokens(side) for side in sides]
    for chunk in text.chunks(*tokens):
        settled = text.settled(*(side[part] for side, part in zip(tokens, chunk, strict=True)))
        if settled is None:
            return None
        found += settled
    # A line that one side moved and the other took away comes back in a merge of lines.
    after, before, new, own = (Counter(line for line, _ in side) for side in (found, *tokens))
    if any(after[line] != new[line] + own[line] - before[line] for line in after if new[line] != own[line]):
        return None
    merged: list[str] = []
    for line, is_behind_blank in found:
        merged += ["", line] if is_behind_blank and merged else [line]
    return tuple(merged[:-1])


def _tokens(side: Lines) -> list[tuple[str, bool]]:
    """Return the lines, each with whether a blank one is above it, and the end: blank lines are all alike."""
    return [(line, above == "") for above, line in pairwise(("#", *side, "")) if line] + [("", side[-1:] == ("",))]


def _joined(comments: Comments) -> Lines:
    return (*comments.apart, "", *comments.above) if comments.apart else comments.above


def _parted(lines: Lines) -> tuple[Lines, Lines]:
    """Return the lines behind the last blank one, and those before it."""
    blank = max((number for number, line in enumerate(lines) if not line), default=-1)
    return lines[blank + 1 :], lines[: max(blank, 0)]
