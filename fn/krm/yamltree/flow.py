"""Flow style: entries and elements between brackets that come, go and move, as one edit of what stands between them."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from krm.yamltree import lines, positions, style
from krm.yamltree.edits import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.yamltree.nodes import Collection


class _Entry:
    """An entry as it stands: the gap `above` it, its `text`, what is `before` its comma, the comment `behind` that."""

    __slots__ = ("above", "before", "behind", "text")

    def __init__(self, above: str, text: str, before: str = "", behind: str = "") -> None:
        self.above = above
        self.text = text
        self.before = before
        self.behind = behind


def arranged(
    text: str, parent: Collection, parts: list[int | list[str]], excerpt: Callable[[int, int], str], *, spread: bool
) -> Edit:
    """Return the edit that leaves between the brackets of `parent` these parts, in this order.

    A part is the number of an entry, which keeps its comments, or the text of a new one: `[1, [new], 0]` makes

        a: [          a: [
          1, # one      2,
          2             new,
        ]               1 # one
                      ]

    `excerpt` gives the changed text of a span. Where no entry stays, the new ones may be `spread` over lines.
    NotSpliceable where there are no brackets.
    """
    positions.require_brackets(text, parent)
    start = parent.first + 1
    new = [part[0] for part in parts if isinstance(part, list)]
    if spread and len(new) == len(parts) and not lines.has_comments(text, parent):
        written = style.spread(text[parent.first] + text[parent.end - 1], new)
        return Edit(parent.first, parent.end, positions.spread(text, parent.first, written))
    if not parent.kids:
        return Edit(start, start, positions.spread(text, start, ", ".join(new)))
    # A comment behind the opening bracket is of the bracket, whatever comes in first.
    start += len(lines.comment_at(text, start))
    found, tail, ends_in_comma = _entries(text, parent, start, excerpt)
    first = parent.kids[0].start
    # One line each stays one line each: a new entry starts as the first one does.
    has_lines = "\n" in text[parent.first : first] and lines.is_first(text, first)
    gap = lines.newline(text, first) + " " * lines.column(text, first) if has_lines else " "
    below = lines.newline(text, first) + " " * lines.column(text, parent.kids[-1].start)
    first_gap = found[0].above
    placed = partial(positions.spread, text, first)
    made = [_Entry(gap, placed(part[0])) if isinstance(part, list) else found[part] for part in parts]
    for before, entry in pairwise(made):
        # The first entry has no gap of its own if it follows the bracket at once, and needs one behind another.
        if entry is found[0]:
            entry.above = entry.above or gap
        # Behind a comment the line is over: whatever followed would become a part of the comment.
        if "\n" not in entry.above and "#" in before.before + before.behind:
            entry.above = below
    if "#" not in made[0].above and ("\n" not in gap or "\n" not in made[0].above):
        made[0].above = gap if "\n" in gap else first_gap.partition("#")[0]
    # A trailing comma is a habit of its author: `[a, b,]` keeps it.
    inside = _joined(made, ends_in_comma=ends_in_comma)
    if "\n" not in tail and "#" in made[-1].before + made[-1].behind:
        inside += below
    return Edit(start, parent.end - 1, inside + tail)


def _entries(
    text: str, parent: Collection, position: int, excerpt: Callable[[int, int], str]
) -> tuple[list[_Entry], str, bool]:
    """Return the entries, the first gap at `position`, what stands behind them, and whether a comma ends the last."""
    spans = [(one[0].start, one[-1].end) for one in positions.entries(parent)]
    found: list[_Entry] = []
    comma = None
    for (start, end), (following, _) in pairwise([*spans, (parent.end - 1, parent.end)]):
        entry = _Entry(text[position:start], excerpt(start, end))
        comma = _comma(text, end, following)
        position = end
        if comma is not None:
            entry.before, position = text[end:comma], comma + 1
        entry.behind = lines.comment_at(text, position)
        position += len(entry.behind)
        found.append(entry)
    return found, text[position : parent.end - 1], comma is not None


def _comma(text: str, start: int, stop: int) -> int | None:
    """Return where the comma stands between two entries, which may be behind comments; None without one."""
    while start < stop:
        start = lines.first_character(text, start)
        if text.startswith(",", start) and start < stop:
            return start
        start = lines.next_line(text, start) if text.startswith("#", start) else stop
    return None


def _joined(made: list[_Entry], *, ends_in_comma: bool) -> str:
    """Return the entries as one text, with commas between them."""
    pieces: list[str] = []
    for entry in made:
        has_comma = entry is not made[-1] or ends_in_comma
        before = entry.before if has_comma or "#" in entry.before else entry.before.rstrip()
        if has_comma and not before and entry.text.endswith(":"):
            before = " "  # `:,` would be read as a part of the key
        pieces += entry.above, entry.text, before, "," if has_comma else "", entry.behind
    return "".join(pieces)
