"""Comments that an editor refuses: the merge is made without them, as its data is right (docs/merge.md, "Comments")."""

from __future__ import annotations

from krm.yamltree import target
from krm.yamltree.editor import Editor
from krm.yamltree.edits import EditError
from krm.yamltree.target import AmendedMapping, AmendedSequence, Commented, Replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import Place
    from krm.yamltree.target import Target


class _Given:
    """The comments that a target gives to a place, which can be taken away for a while."""

    __slots__ = ("_comments", "_target", "place")

    def __init__(self, place: Place, target: Commented) -> None:
        self._comments = target.above, target.behind, target.below, target.apart
        self._target = target
        self.place = place

    def give(self) -> None:
        one = self._target
        one.above, one.behind, one.below, one.apart = self._comments

    def take(self) -> None:
        one = self._target
        one.above = one.behind = one.below = one.apart = None


def left_out(editor: Editor, place: Place, wanted: Target) -> list[Place]:
    """Make what is wanted of a place, but for the comments that the editor refuses, and return where these were.

    EditError where the data cannot be written either.
    """
    given = [*_given(place, wanted)]
    refused = _refused(editor, place, wanted, given)
    editor.amend(place, wanted)
    return refused


def _refused(editor: Editor, place: Place, wanted: Target, given: list[_Given]) -> list[Place]:
    """Take away what the editor refuses of the comments that are given, and return where these were."""
    for one in given:
        one.take()
    _attempt(editor, place, wanted)
    # Few are refused, and each attempt is an edit of the whole text: so by halves.
    waiting = [given]
    found: list[Place] = []
    while waiting:
        group = waiting.pop()
        for one in group:
            one.give()
        try:
            _attempt(editor, place, wanted)
        except EditError:
            for one in group:
                one.take()
            half = len(group) // 2
            waiting += [group[half:], group[:half]] if half else []
            found += [] if half else [group[0].place]
    return found


def _attempt(editor: Editor, place: Place, wanted: Target) -> None:
    """Make a change of a copy. EditError where it is refused."""
    Editor(editor.text, json=editor.json, document=editor.document).amend(place, wanted)


def _given(place: Place, wanted: Target) -> Iterator[_Given]:
    while isinstance(wanted, Commented | Replaced):
        if isinstance(wanted, Commented):
            yield _Given(place, wanted)
        wanted = wanted.target
    if isinstance(wanted, AmendedMapping):
        for key, below in wanted.entries.items():
            yield from _given((*place, key), below)
    elif isinstance(wanted, AmendedSequence):
        for number, below in zip(target.numbers(wanted), wanted.elements, strict=True):
            # What comes in has its comments in its own text.
            if number is not None:
                yield from _given((*place, number), below)
