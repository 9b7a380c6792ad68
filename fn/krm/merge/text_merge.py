"""The pieces of a merge: texts, and hunks, which are the conflicts between them."""

from __future__ import annotations

import re
from itertools import groupby

from krm.merge import diff, units
from krm.merge.policy import base_rule, changed_by, won
from krm.yamltree.lines import TEMPLATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.merge.units import Stretch, Units

    Piece: TypeAlias = "str | Hunk"
    Take: TypeAlias = Callable[[str, str, str | None], str]
    """Decides a conflict: it gets the lines of update and local, and those of both if these are only neighbours."""

# As in git: two conflicts with at most so many equal lines between them are one.
_FEW = 3


class Hunk:
    """The whole lines of origin, update and local in one place that both sides changed.

    `result` has the lines of the merge if the conflict is not marked: those of the winner, say.
    """

    def __init__(self, origin: str, update: str, local: str, result: str) -> None:
        self.origin = origin
        self.update = update
        self.local = local
        self.result = result

    def __iter__(self) -> Iterator[str]:
        return iter((self.origin, self.update, self.local, self.result))


def joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces without empty ones. Neighbours of one kind are joined: two texts, or two hunks."""
    for is_hunk, together in groupby(filter(None, pieces), key=lambda piece: isinstance(piece, Hunk)):
        if is_hunk:
            origin, update, local, result = map("".join, zip(*together, strict=True))
            yield Hunk(origin, update, local, result)
        else:
            yield "".join(together)  # type: ignore[arg-type]  # all of them are texts


def with_each(piece: Piece, change: Callable[[str], str]) -> Piece:
    """Return a piece with a change of its text, or of each side of it."""
    return Hunk(*map(change, piece)) if isinstance(piece, Hunk) else change(piece)


def without_end(piece: Piece) -> Piece:
    """Return a piece without the end of its last line."""
    return with_each(piece, lambda side: side.removesuffix("\n").removesuffix("\r"))


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces whose conflicts are not marked."""
    return "".join([piece.result if isinstance(piece, Hunk) else piece for piece in pieces])


def answers(pieces: Iterable[Piece]) -> tuple[str, str]:
    """Return the text of pieces if update's lines are taken at each conflict, and if local's are."""
    sides = [(piece.update, piece.local) if isinstance(piece, Hunk) else (piece, piece) for piece in pieces]
    return "".join([update for update, _ in sides]), "".join([local for _, local in sides])


def conflict(stretch: Stretch, result: str) -> Hunk:
    """Return a stretch of units as a conflict."""
    return Hunk(written(stretch.origin), written(stretch.update), written(stretch.local), result)


def written(units: Units) -> str:
    """Return the lines of some units."""
    return "".join([text for _, text in units])


def of_comments(origin: str | None, update: str | None, local: str | None) -> Piece:
    """Return the merge of lines that differ at most in comments and layout. In a conflict local's are taken.

    A side that changed only blanks gives way to one that changed more.
    """
    side = changed_by(origin, update, local) or changed_by(*((text or "").split() for text in (origin, update, local)))
    found = None if side is None else won(side, update=update, local=local)
    return Hunk(origin or "", update or "", local or "", local or "") if found is None else found


def of_lines(origin: list[str], update: list[str], local: list[str], take: Take) -> Iterator[Piece]:
    """Yield the merge of lines (docs/reference/merge.md, "Lines of a text"). `take` decides each conflict.

    A change of one side is taken. Different changes of the same lines are a conflict, and so are changes that touch.
    """
    old, updated, edited = ([(None, line) for line in side] for side in (origin, update, local))
    for part in units.parts(old, updated, edited, "lines"):
        before, new, own = ([line for _, line in side] for side in part)
        one = base_rule(before, new, own)
        if one is None:
            both = _side_by_side(before, new, own)
            was, theirs, ours = map("".join, (before, new, own))
            yield Hunk(was, theirs, ours, take(theirs, ours, None if both is None else "".join(both)))
        elif one:
            yield "".join(one)


def of_texts(sides: Iterable[str], take: Take = lambda _, local, __: local) -> Iterator[Piece]:
    """Return the merge of texts, line by line. `take` decides each conflict; by default local's lines are taken."""
    before, new, own = sides
    one = base_rule(before, new, own)
    if one is not None:
        return iter([one] if one else [])
    # The lines keep their ends: a missing end of the last line is a difference, too.
    origin, update, local = (side.splitlines(keepends=True) for side in (before, new, own))
    return of_lines(origin, update, local, take)


def from_below(sides: Iterable[str]) -> str | None:
    """Return the merge of texts by lines that are paired from the last one up, None if it has a conflict."""
    origin, update, local = (_with_end(side.splitlines(keepends=True))[::-1] for side in sides)
    merged = [*of_lines(origin, update, local, lambda _, local, __: local)]
    has_conflict = any(isinstance(piece, Hunk) for piece in merged)
    return None if has_conflict else "".join(text_of(merged).splitlines(keepends=True)[::-1])


def _side_by_side(*sides: list[str]) -> list[str] | None:
    """Return the lines of a place with the changes of both sides, None unless these are only neighbours."""
    # A last line without an end does not change when another line follows it.
    ends = [not side or side[-1].endswith("\n") for side in sides]
    found = units.side_by_side([(None, line) for line in _with_end(side)] for side in sides)
    if found is None:
        return None
    lines = [line for _, line in found]
    return lines if base_rule(*ends) else [*lines[:-1], lines[-1].removesuffix("\n")]


def _with_end(lines: list[str]) -> list[str]:
    """Return lines, the last one with an end."""
    return lines if not lines or lines[-1].endswith("\n") else [*lines[:-1], f"{lines[-1]}\n"]


def refined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces, each conflict without origin, and split at long runs of lines that both sides have."""
    for piece in pieces:
        if not isinstance(piece, Hunk):
            yield piece
            continue
        update, local = (side.splitlines(keepends=True) for side in (piece.update, piece.local))
        start = first = 0
        for number, place, size in _runs(diff.matches(local, update), len(local), len(update)):
            if start < number or first < place:
                yield Hunk("", "".join(update[first:place]), "".join(local[start:number]), "")
            yield "".join(local[number : number + size])
            start, first = number + size, place + size


def _runs(matches: dict[int, int], end: int, last: int) -> Iterator[tuple[int, int, int]]:
    """Yield the runs of equal lines: where each starts on both sides, and its length. The last one is empty."""
    pairs = enumerate(matches.items())
    for _, run in groupby(pairs, key=lambda pair: (pair[1][0] - pair[0], pair[1][1] - pair[0])):
        (_, (number, place)), *others = run
        size = 1 + len(others)
        is_at_edge = (number == place == 0) or (number + size == end and place + size == last)
        if is_at_edge or size > _FEW:
            yield number, place, size
    yield end, last, 0


# Texts written alike.


# What stands ahead of the last dash or key of a line. A text without one may go on at its own column.
_AHEAD = r"[ \t]*(?:-[ \t]+(?=-[ \t]|[^\s-][^#]*?:[ \t]))*(?=-[ \t]|[^\s-][^#]*?:[ \t])|[ \t]*?(?=[ \t]?\S)"
# The key or dash ahead of a value, the value, and the comment of its author.
_LINE = (
    r"""([ \t]*(?:-[ \t]+)*(?:(?:"[^"]*"|'[^']*'|[^\s"'#\[\]{},-][^:#]*?)[ \t]*:[ \t]+)?)"""
    r"""("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|(?:\S|[ \t]++(?=[^#]))*+)([ \t]+#.*|)"""
)


def written_alike(origin: str, update: str, local: str) -> list[str]:
    """Return the three texts with equal spellings: another line end, or an expanded line, is no change of a side.

    The line end is merged once for the whole file (docs/reference/merge.md, "Lines first"). Otherwise each line would
    be in conflict. A text with several line ends keeps them all. A line with a template behind its value is the line
    of origin that a run has expanded (docs/reference/merge.md, "What is data").
    """
    sides = [origin, update, local]
    ends = [line_end(side) for side in sides]
    if None not in ends and len({*ends} - {""}) > 1:
        end = base_rule(*ends) or ends[-1] or "\n"
        sides = [with_line_end(side, end) for side in sides]
    has_templates = "$(" in origin and any(TEMPLATE in side for side in (update, local))
    return _expanded_alike(*sides) if has_templates else sides


def _expanded_alike(*texts: str) -> list[str]:
    """Return the texts with each line of origin as one side has expanded it, where the other side has it still.

    A line that both sides have expanded differently stays, and so does one that goes on in the next line.
    """
    origin, *sides = (text.splitlines(keepends=True) for text in texts)
    places = [diff.matches(origin, [_template(line) for line in side]) for side in sides]
    for number, template in enumerate([*origin]):
        there = [(side, of[number]) for side, of in zip(sides, places, strict=True) if number in of]
        expanded = [*{side[place] for side, place in there} - {template}]
        if len(expanded) == 1 and not any(_goes_on(side, place) for side, place in there):
            for side, place in [*there, (origin, number)]:
                side[place] = expanded[0]
    return ["".join(side) for side in (origin, *sides)]


def _template(line: str) -> str:
    """Return the line before its expansion, by the template behind it; the line itself if the value does not fit."""
    if TEMPLATE not in line:
        return line
    from krm.template_comments.patterns import Pattern  # noqa: PLC0415 - most merges meet no template

    shown, _, template = line.rstrip("\r\n").rpartition(f"{TEMPLATE} ")
    found = re.fullmatch(_LINE, shown.rstrip(" \t"))
    if found is None or not Pattern.of(template).readings(found[2]):
        return line
    return found[1] + template + found[3] + line[len(f"{shown}{TEMPLATE} {template}") :]


def _goes_on(lines: list[str], number: int) -> bool:
    """True if the value in a line may go on below it: the next line is deeper than its key or dash."""
    head = re.match(_AHEAD, lines[number])[0]  # type: ignore[index]  # it matches any line
    below = next((lines[place] for place in range(number + 1, len(lines)) if lines[place].strip()), "")
    return not below.lstrip().startswith("#") and len(below) - len(below.lstrip(" ")) > len(head)


def with_line_end(text: str, end: str) -> str:
    """Return a text with other line ends."""
    return text.replace("\r\n", "\n").replace("\n", end)


def line_end(text: str) -> str | None:
    """Return the line end of all lines of a text, nothing if it has no line end, None if they differ."""
    ends, returns = text.count("\n"), text.count("\r")
    if returns and (returns != ends or text.count("\r\n") != ends):
        return None
    return ("\r\n" if returns else "\n") if ends else ""
