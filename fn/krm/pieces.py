"""A text in pieces, with what has become of the items in it: those that come, go and change."""

from __future__ import annotations

from krm.yamltree.edits import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.resource import Resource
    from krm.yamltree.cuts import Span

    Items: TypeAlias = tuple[Resource, ...]
    Pieces: TypeAlias = Iterable[str]

_CHUNK = 1 << 16


def come_and_gone(read: Items, present: Items) -> tuple[list[Resource], dict[int, Resource]]:
    """Return the present items that were not read, and by their numbers those that were and are no longer present."""
    if present is read:
        return [], {}
    were, are = set(map(id, read)), set(map(id, present))
    come = [item for item in present if id(item) not in were]
    return come, {number: item for number, item in enumerate(read) if id(item) not in are}


def changes(items: Items) -> Iterator[Edit]:
    """Yield what makes of each item that was changed what it now is."""
    for item in items:
        if item.is_changed:
            yield Edit(*item.span, item.text)


def of(text: str, region: Span, made: Iterable[Edit]) -> Iterator[str]:
    """Yield what stands at `region` of a text, with edits made in the order of the text.

    What is not changed comes in pieces too, so that a long text is never in memory a second time.
    """
    position, end = region
    for edit in made:
        yield from _chunks(text, position, edit.start)
        yield edit.text
        position = edit.end
    yield from _chunks(text, position, end)


def _chunks(text: str, start: int, end: int) -> Iterator[str]:
    for position in range(start, end, _CHUNK):
        yield text[position : min(position + _CHUNK, end)]
