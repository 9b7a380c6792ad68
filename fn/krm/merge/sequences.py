"""The 3-way merge of lists in which no key tells elements apart (docs/merge.md, "Lists without keys").

An element is known by its data. What stands between elements that all sides have is merged as the lines of a text are.
"""

from __future__ import annotations

from krm.merge import text, trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence
    from typing import TypeAlias

    from krm.yamltree.nodes import Node

    Pair: TypeAlias = tuple[Node | None, Node | None]
    """An element as update and local have it."""


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
    answers = _Answers(*map(list, sides))
    # Both answers: what is a conflict must not hang on who wins it.
    if not all(answers.are_plain(keys, before, new, own) for keys in (answers.update, answers.local)):
        return None
    keys = answers.update if takes_update else answers.local
    return Spliced([(new.get(key), own.get(key)) for key in keys], is_conflict=bool(answers.contested))


class _Answers:
    """The two answers of a merge, by who wins its conflicts: `contested` are the elements in these."""

    def __init__(self, origin: list[Hashable], update: list[Hashable], local: list[Hashable]) -> None:
        self.update: list[Hashable] = []
        self.local: list[Hashable] = []
        self.contested: set[Hashable] = set()
        for in_origin, in_update, in_local in text.chunks(origin, update, local):
            before, new, own = origin[in_origin], update[in_update], local[in_local]
            if before not in (new, own) and new != own:
                self.contested.update(before, new, own)
                self.update += new
                self.local += own
            else:
                self.update += new if own == before else own
                self.local += new if own == before else own

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
        certain = {*origin, *update, *local} - self.contested
        return len(there) == len(keys) and all(
            (key in there) == _stays(key in origin, key in update, key in local) for key in certain
        )


def _stays(*sides: bool) -> bool:
    """Return what the base rule says of an element that origin, update and local have or have not."""
    in_origin, in_update, in_local = sides
    return (in_update and in_local) if in_origin else (in_update or in_local)
