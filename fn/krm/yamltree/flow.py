"""Entries and elements of a flow collection that come, go and move, as one edit of what is between its brackets."""

from __future__ import annotations

from krm.yamltree import lines, places
from krm.yamltree.edits import Edit
from krm.yamltree.places import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.excerpts import Excerpts
    from krm.yamltree.nodes import Collection


def arranged(excerpts: Excerpts, parent: Collection, wanted: list[int | list[str]]) -> Edit:
    """Return the edit that puts what is `wanted` between the brackets of `parent`: its own by number, or new text.

    The gaps between those that stay are as they were. NotSpliceable where a comment is in one.
    """
    text = excerpts.text
    places.require_brackets(text, parent)
    spans = [
        (gone[0].start, gone[-1].end)
        for gone in map(places.entry, [parent] * places.size(parent), range(places.size(parent)))
    ]
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    gaps = [text[end:start] for end, start in zip([parent.first + 1, *ends], [*starts, parent.end - 1], strict=True)]
    if any("#" in gap for gap in gaps):
        raise NotSpliceable("comments stand between its entries")
    between = _separator(text, parent)
    pieces = [gaps[0]] if spans else []
    for position, part in enumerate(wanted):
        if position:
            colon = " " if pieces[-1].endswith(":") else ""
            pieces.append(colon + (gaps[part] if isinstance(part, int) and part else between))
        pieces.append(excerpts.part(*spans[part]) if isinstance(part, int) else part[0])
    pieces.append(gaps[-1] if spans else "")
    return Edit(parent.first + 1, parent.end - 1, "".join(pieces))


def _separator(text: str, parent: Collection) -> str:
    """Return what to write between two entries: entries that have a line each go on having one."""
    if not parent.kids:
        return ", "
    first = parent.kids[0].start
    if "\n" in text[parent.first : first] and lines.is_first(text, first):
        return "," + lines.newline(text, first) + " " * lines.column(text, first)
    return ", "
