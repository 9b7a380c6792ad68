"""Documents of comments alone, merged by the base rule (docs/merge.md, "Comments").

Nothing names such a document. It is known by its text, else by the object that it follows, and its number behind that.
"""

from __future__ import annotations

from collections import Counter

from krm.file import bare
from krm.merge import text
from krm.merge.files.matching import SIDES
from krm.merge.outcome import COMMENT_KEPT
from krm.results import WARNING, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.file import File, Object, Part
    from krm.merge.files.matching import MatchedObjects, Side
    from krm.merge.files.writing import Added, Writing

    Key: TypeAlias = tuple[int, int]


class _CommentDocument:
    """A document of comments alone. `match` is of the object that it `follows`, None in front of all."""

    __slots__ = ("key", "match", "part", "text")

    def __init__(self, part: Part, follows: Object | None, match: MatchedObjects | None, number: int) -> None:
        # An object of origin that others were likened to has no match.
        self.key = id(match or follows), number
        self.match = match
        self.part = part
        self.text = bare(part.resource.source).replace("\r\n", "\n")


def merge(
    sides: dict[Side, File], by_object: dict[int, MatchedObjects], added: dict[int, Added], writing: Writing
) -> Iterator[Result]:
    """Write the documents of comments alone that update changed in a file, and yield what is not as update has it.

    `added` are the objects that are new in the file, by their matches.
    """
    origin, update, local = ([*_comment_documents(sides.get(side), by_object)] for side in SIDES)
    before, after = _changed(origin, update), _changed(update, origin)
    for key in {**before, **after}:
        was, new = before.get(key), after.get(key)
        own = _own(local, was, new)
        merged = text.merged(*(one.text if one else "" for one in (was, new, own)), winner="local")
        if merged.is_conflict:
            yield _left(was, new, "local changed it too", sides)
        elif own is not None:
            writing.rewrite(own.part, merged.text)
        elif new is not None and merged.text and not _is_placed(new, added, writing):
            yield _left(was, new, "there is no place for it", sides)


def are_in(file: File) -> bool:
    """Return True if a file has a document of comments alone."""
    return any(map(_is_of_comments, file.parts))


def _is_of_comments(part: Part) -> bool:
    return not (part.objects or part.is_list) and "#" in part.resource.source


def _comment_documents(file: File | None, by_object: dict[int, MatchedObjects]) -> Iterator[_CommentDocument]:
    follows: Object | None = None
    number = 0
    for part in file.parts if file is not None else ():
        if part.objects:
            follows, number = part.objects[-1], 0
        elif _is_of_comments(part):
            yield _CommentDocument(part, follows, by_object.get(id(follows)), number)
            number += 1


def _changed(documents: Iterable[_CommentDocument], others: Iterable[_CommentDocument]) -> dict[Key, _CommentDocument]:
    """Return the documents of comments that the other side has not with the same text."""
    left = Counter(one.text for one in others)
    found = {}
    for one in documents:
        left[one.text] -= 1
        if left[one.text] < 0:
            found[one.key] = one
    return found


def _own(
    local: list[_CommentDocument], was: _CommentDocument | None, new: _CommentDocument | None
) -> _CommentDocument | None:
    """Return what local has of a document of comments: the same text, else what stands in the same place."""
    texts = [one.text for one in (was, new) if one is not None]
    keys = {one.key for one in (was, new) if one is not None}
    same = [one for text in texts for one in local if one.text == text]
    return next(iter(same or [one for one in local if one.key in keys]), None)


def _is_placed(new: _CommentDocument, added: dict[int, Added], writing: Writing) -> bool:
    """Put a document of comments behind the object that it follows, and return whether that is in the file."""
    behind = None if new.match is None else new.match.objects.get("local")
    if new.match is None or behind is not None:
        return writing.add_comments(new.text, behind)
    if id(new.match) in added:
        added[id(new.match)].comments_behind.append(new.text)
    return id(new.match) in added


def _left(was: _CommentDocument | None, new: _CommentDocument | None, reason: str, sides: dict[Side, File]) -> Result:
    shown = next(line for one in (new, was) if one for line in one.text.splitlines() if line.strip())
    message = f"update changed the document of comments `{shown.strip()}`, and {reason}: local's stays"
    return Result(message, WARNING, COMMENT_KEPT, file=sides["local"].named)
