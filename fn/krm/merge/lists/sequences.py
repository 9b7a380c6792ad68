"""The 3-way merge of lists in which no key tells elements apart (docs/merge.md, "Lists without keys").

An element is known by its data. What stands between elements that all sides have, a stretch, is merged as the lines of
a text are.
"""

from __future__ import annotations

from krm.merge import text, trees
from krm.yamltree.nodes import Mapping, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence
    from typing import TypeAlias

    from krm.yamltree.nodes import Node

    Pair: TypeAlias = tuple[Node | None, Node | None]
    """An element as update and local have it."""
    Stretch: TypeAlias = list[list[Hashable]]
    """What origin, update and local have between two elements that all of them have."""


class Spliced:
    """The elements of a merged list, each as update and local have it. In a conflict they are those of one side."""

    __slots__ = ("elements", "is_conflict")

    def __init__(self, elements: list[Pair], *, is_conflict: bool) -> None:
        self.elements = elements
        self.is_conflict = is_conflict


def merged(
    origin: Sequence[Node], update: Sequence[Node], local: Sequence[Node], *, takes_update: bool
) -> Spliced | None:
    """Return the merge of three lists, None where it is not plain which element is which."""
    before, new, own = sides = [{trees.frozen(node): node for node in side} for side in (origin, update, local)]
    if [*map(len, sides)] != [*map(len, (origin, update, local))]:
        return None
    mappings = {key for side in sides for key, node in side.items() if isinstance(resolved(node), Mapping)}
    answers = _Answers([list(side) for side in sides], mappings)
    # An element that one side moved out of a conflict, or into one, would come twice, or not at all.
    if answers.contested & answers.settled:
        return None
    # Both answers: what is a conflict must not hang on who wins it.
    if not all(answers.are_plain(keys, before, new, own) for keys in (answers.update, answers.local)):
        return None
    keys = answers.update if takes_update else answers.local
    return Spliced([(new.get(key), own.get(key)) for key in keys], is_conflict=bool(answers.contested))


class _Answers:
    """The two answers of a merge, by who wins its conflicts.

    `contested` are the elements in conflicts, `settled` all others.
    """

    def __init__(self, sides: Stretch, mappings: Collection[Hashable]) -> None:
        self.update: list[Hashable] = []
        self.local: list[Hashable] = []
        self.contested: set[Hashable] = set()
        self.settled: set[Hashable] = set()
        for before, new, own in _stretches(sides, mappings):
            one = text.settled(before, new, own)
            (self.contested if one is None else self.settled).update(before, new, own)
            self.update += new if one is None else one
            self.local += own if one is None else one

    def are_plain(
        self,
        keys: list[Hashable],
        origin: Collection[Hashable],
        update: Collection[Hashable],
        local: Collection[Hashable],
    ) -> bool:
        """Return True if an answer has each element once, and those that the base rule gives for each by itself.

        By lines alone an element that one side moved and the other deleted would come back, and one that both added
        would be there twice.
        """
        there = {*keys}
        return len(there) == len(keys) and all(
            (key in there) == _stays(key in origin, key in update, key in local) for key in self.settled
        )


def _stretches(sides: Stretch, mappings: Collection[Hashable]) -> Iterator[Stretch]:
    """Yield the stretches of a list. Neighbours that are mappings are one each, where it is plain which is which.

    Neighbours of another kind stay together, as with git: of two strings one may be the value of the other.
    """
    origin, update, local = sides
    for in_origin, in_update, in_local in text.chunks(origin, update, local):
        before, new, own = stretch = [origin[in_origin], update[in_update], local[in_local]]
        if all(key in mappings for part in stretch for key in part) and _is_paired(before, new, own):
            yield from ([[one], [other], [third]] for one, other, third in zip(before, new, own, strict=True))
        else:
            yield stretch


def _is_paired(before: list[Hashable], *sides: list[Hashable]) -> bool:
    """Return True if each element is the one at its place in origin: no side added, took away or moved one."""
    return all(
        len(side) == len(before) and all(key == old or key not in before for key, old in zip(side, before, strict=True))
        for side in sides
    )


def _stays(*sides: bool) -> bool:
    """Return what the base rule says of an element that origin, update and local have or have not."""
    in_origin, in_update, in_local = sides
    return (in_update and in_local) if in_origin else (in_update or in_local)
