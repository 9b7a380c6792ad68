"""The 3-way merge of lists in which no key tells elements apart (docs/merge.md, "Lists without keys").

An element is known by its data, and a mapping by its name where it has one of its own. What stands between elements
that all sides have, a stretch, is merged as the lines of a text are, and mapping by mapping.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from krm.merge import diff, policy, text, trees
from krm.merge.lists import renames
from krm.merge.trees import Triple
from krm.yamltree.nodes import Mapping, resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence
    from typing import TypeAlias

    from krm.merge.policy import Winner
    from krm.yamltree.nodes import Node

    Stretch: TypeAlias = list[list[Hashable]]
    """What origin, update and local have between two elements that all of them have."""
    Tokens: TypeAlias = dict[Hashable, Hashable]
    """What the mappings of a list are known by."""
    Cut: TypeAlias = tuple[int, int]
    """A place ahead of an element of origin: with 0 also ahead of what a side puts there, with 1 behind that."""

_NAME = "name"


class Spliced:
    """The elements of a merged list, in a conflict those of one side. One that is merged by its parts has an origin."""

    __slots__ = ("elements", "is_conflict")

    def __init__(self, elements: list[Triple], *, is_conflict: bool) -> None:
        self.elements = elements
        self.is_conflict = is_conflict


def merged(origin: Sequence[Node], update: Sequence[Node], local: Sequence[Node], *, winner: Winner) -> Spliced | None:
    """Return the merge of three lists, None where it is not plain which element is which.

    The elements of a conflict are those of the winner.
    """
    before, new, own = sides = [{trees.frozen(node): node for node in side} for side in (origin, update, local)]
    if [*map(len, sides)] != [*map(len, (origin, update, local))]:
        return None
    answers = _Answers([list(side) for side in sides], _tokens(sides))
    # An element that one side moved out of a conflict, or into one, would come twice, or not at all.
    if answers.contested & answers.settled:
        return None
    # Both answers: what is a conflict must not hang on who wins it.
    if not all(answers.are_plain(keys, before, new, own) for keys in (answers.update, answers.local)):
        return None
    keys = policy.won(winner, update=answers.update, local=answers.local)
    joint = {key: Triple(before[was], new[theirs], own[mine]) for key, (was, theirs, mine) in answers.joint.items()}
    elements = [joint.get(key) or Triple(None, new.get(key), own.get(key)) for key in keys]
    return Spliced(elements, is_conflict=answers.is_conflict)


class _Answers:
    """The two answers of a merge, by who wins its conflicts.

    `contested` are the elements that both sides changed, `settled` all others. `joint` has for those that are merged
    by their parts what origin, update and local have.
    """

    def __init__(self, sides: Stretch, tokens: Tokens) -> None:
        self.update: list[Hashable] = []
        self.local: list[Hashable] = []
        self.contested: set[Hashable] = set()
        self.settled: set[Hashable] = set()
        self.joint: dict[Hashable, tuple[Hashable, ...]] = {}
        self.is_conflict = False
        self._tokens = tokens
        for before, new, own in _stretches(sides, tokens):
            one = _settled(before, new, own)
            (self.contested if one is None else self.settled).update(before, new, own)
            self.update += new if one is None else one
            self.local += own if one is None else one
            if one is None and self._is_one_element(before, new, own):
                self.joint |= dict.fromkeys((*new, *own), (*before, *new, *own))
            elif one is None:
                self.is_conflict = True

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
        return len({self._tokens.get(key, key) for key in keys}) == len(keys) and all(
            (key in there) == _stays(key in origin, key in update, key in local) for key in self.settled
        )

    def _is_one_element(self, *stretch: list[Hashable]) -> bool:
        """Return True if each side has one mapping there, under one name, or none has a name and half of it stayed."""
        known = {self._tokens.get(key) for side in stretch for key in side}
        if None in known or any(len(side) != 1 for side in stretch):
            return False
        before, *others = (_fields(side[0]) for side in stretch)
        are_nameless = known <= self._tokens.keys()
        return len(known) == 1 or (are_nameless and all(renames.is_alike(before, other) for other in others))


def _fields(data: Hashable) -> frozenset[Hashable]:
    """Return the fields of a mapping, given its data; none where odd keys let no path lead in."""
    fields = data[-1] if isinstance(data, tuple) else None
    return fields if isinstance(fields, frozenset) else frozenset()


def _tokens(sides: Sequence[dict[Hashable, Node]]) -> Tokens:
    """Return what mappings are known by: the name, if no other of the same side has it, else the data."""
    named = [
        {key: text_at(node, _NAME) for key, node in side.items() if isinstance(resolved(node), Mapping)}
        for side in sides
    ]
    shared = {name for side in named for name, times in Counter(side.values()).items() if times > 1}
    return {key: (_NAME, name) if name and name not in shared else key for side in named for key, name in side.items()}


def _stretches(sides: Stretch, tokens: Tokens) -> Iterator[Stretch]:
    """Yield the stretches of a list. Of mappings each is one, and so is each place between two.

    Neighbours of another kind stay together, as with git: of two strings one may be the value of the other.
    """
    origin, update, local = sides
    for in_origin, in_update, in_local in text.chunks(origin, update, local):
        before, new, own = stretch = [origin[in_origin], update[in_update], local[in_local]]
        if before in (new, own) or not all(key in tokens for part in stretch for key in part):
            yield stretch
            continue
        theirs, mine = (_cuts(before, side, tokens) for side in (new, own))
        for start, end in pairwise(sorted(theirs.keys() & mine.keys())):
            yield [before[start[0] : end[0]], new[theirs[start] : theirs[end]], own[mine[start] : mine[end]]]


def _cuts(before: list[Hashable], side: list[Hashable], tokens: Tokens) -> dict[Cut, int]:
    """Return the index in a side of each place at which it can be cut.

    ```
    origin  [a, c]     (0, 0): 0, (0, 1): 0  nothing comes ahead of a
    side    [a, b, c]  (1, 0): 1, (1, 1): 2  b comes ahead of c
                       (2, 0): 3, (2, 1): 3  nothing comes behind c
    ```
    """
    cuts: dict[Cut, int] = {}
    start = first = 0
    same = diff.matches(*([tokens[key] for key in part] for part in (before, side)))
    for end, last in [*same.items(), (len(before), len(side))]:
        cuts |= {(start, 0): first, (end, 1): last}
        # A mapping with a name has not become one with another name: it is gone, and what is new stands behind it.
        if all(tokens[key] != key for key in (*before[start:end], *side[first:last])) or first == last:
            cuts |= {(number + gap, 1 - gap): first for number in range(start, end) for gap in (0, 1)}
        elif last - first == end - start:
            # Which of them another side's new element is to come between nobody knows: it is a conflict there.
            cuts |= {(start + number, 1): first + number for number in range(end - start)} | {(end, 0): last}
        start, first = end + 1, last + 1
    return cuts


def _settled(before: list[Hashable], new: list[Hashable], own: list[Hashable]) -> list[Hashable] | None:
    """Return what becomes of a stretch, None where it is a conflict."""
    one = text.settled(before, new, own)
    # That two deletions touch, or overlap, makes no difference to either.
    if one is None and all([key for key in before if key in side] == side for side in (new, own)):
        return [key for key in new if key in own]
    return one


def _stays(*sides: bool) -> bool:
    """Return what the base rule says of an element that origin, update and local have or have not."""
    in_origin, in_update, in_local = sides
    return (in_update and in_local) if in_origin else (in_update or in_local)
