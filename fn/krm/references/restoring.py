"""The end of templates in comments: they go back into their fields, the undo of all runs in place, or are forgotten."""

from __future__ import annotations

from krm.references import comments, writing
from krm.references import memory as references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.resource import Resource
    from krm.results import Result

_STAYS = "this is not what the template in its comment can become: it stays as it is, with its comment"


def restore(items: Iterable[Resource]) -> Iterator[Result]:
    """Put the templates of items back, and yield a warning for each field that is not of its template's shape."""
    for item in items:
        memory = references.read(item, lambda _: False)
        if memory is not None:
            yield from memory.results
            made = []
            for reference in memory.references.values():
                parts = memory.parts[reference.place]
                shown = [field.shown.value for field in parts if field.shown is not None]
                if len(shown) == len(parts):
                    made += writing.restored(item, reference, "".join(shown[:1]))
                else:
                    yield item.notice(_STAYS, references.EDITED_BY_HAND, reference.place)
            item.splice(made)
            item.release()


def forget(items: Iterable[Resource]) -> None:
    """Remove the comments that are templates of items; each field keeps what it says."""
    for item in items:
        if item.spells(comments.MARK):
            found = comments.read(item.editor.text, item.root).references
            item.splice([one.removal for one in found])
            item.release()
