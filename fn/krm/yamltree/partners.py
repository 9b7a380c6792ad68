"""The partner of each element of a new list in the old one: the element that it was.

    old: [web, db:1]    new: [cache, web, db:2]    `cache` is new, and `db:2` is `db:1` with a change

Elements are partners if they are equal, even if they move; else by a key; else if as many are inserted as deleted
between the same neighbours, and they are alike (docs/reference/lossless-yaml.md, "What stays").
"""

from __future__ import annotations

from krm.yamltree import sameness
from krm.yamltree.edits import affixes
from krm.yamltree.target import ascending, dereferenced, is_list, is_mapping, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from krm.yamltree.target import Target

# `name` first, as everything in Kubernetes has it; `path` and `type` last, which many lists repeat.
_KEYS = ("name", "key", "mountPath", "devicePath", "ip", "id", "containerPort", "port", "path", "host", "type")
"""Keys that identify the elements of a list, if each element on both sides has a value of its own."""


def are_alike(there: Target, value: Target) -> bool:
    """True if an element at the place of an old one is the old one with a change."""
    there, value = dereferenced(there), dereferenced(value)
    # Two elements with different names are two things, even at the same place.
    has_same_name = text_of(there, "name") == text_of(value, "name")
    return has_same_name and is_mapping(there) == is_mapping(value) and is_list(there) == is_list(value)


def partner_numbers(
    old: Sequence[Target],
    new: Sequence[Target],
    meaning: Callable[[Target], object] = sameness.meaning,
    is_alike: Callable[[Target, Target], bool] = are_alike,
) -> list[int | None]:
    """Return for each new element the number of the old one that it was, None for an added one.

    Elements with equal `meaning` are equal. `is_alike` tells if one in the place of another is a change of that one.
    """
    pairs = _Pairs(old, new)
    # Equal elements first: an element that only moved must not be rewritten because another one has its name.
    pairs.equal(meaning)
    pairs.by_key()
    pairs.between(is_alike)
    return pairs.numbers


class _Pairs:
    """Pairs of `old` and `new` elements. `numbers` has the number of the old element for each new one, or None."""

    def __init__(self, old: Sequence[Target], new: Sequence[Target]) -> None:
        self._old = old
        self._new = new
        self.numbers: list[int | None] = [None] * len(new)
        self._unpaired = dict(enumerate(old))

    def equal(self, meaning: Callable[[Target], object]) -> None:
        """Pair equal elements: those at both ends first, so that most stay, then each with the first one left."""
        olds, news = [*map(meaning, self._old)], [*map(meaning, self._new)]
        start, stop = affixes(olds, news)
        for number in range(start):
            self._pair(number, number)
        for number in range(1, stop + 1):
            self._pair(len(news) - number, len(olds) - number)
        # A table, so that a list in reverse takes no time that grows with the square of its length.
        by_content: dict[object, list[int]] = {}
        for old in reversed(range(start, len(olds) - stop)):
            by_content.setdefault(olds[old], []).append(old)
        for new in range(start, len(news) - stop):
            if by_content.get(news[new]):
                self._pair(new, by_content[news[new]].pop())

    def by_key(self) -> None:
        """Pair elements by the first key that tells all of them apart, else by names that no others have."""
        for key in _KEYS:
            olds, news = _apart(self._old, key), _apart(self._new, key)
            # A second key could pair what the first one parts.
            if olds is not None and news is not None:
                self._pair_same(olds, news)
                return
        # A name that two elements have tells nothing: ports of two protocols share one, for example.
        olds = _only(((number, text_of(one, "name")) for number, one in self._unpaired.items()))
        news = _only(((new, text_of(self._new[new], "name")) for new, old in enumerate(self.numbers) if old is None))
        self._pair_same(olds, news)

    def _pair_same(self, olds: dict[str, int], news: dict[str, int]) -> None:
        for text, new in news.items():
            if self.numbers[new] is None and olds.get(text) in self._unpaired:
                self._pair(new, olds[text])

    def between(self, is_alike: Callable[[Target, Target], bool]) -> None:
        """Pair what is left if as many come as go between two neighbours that stay in order, and they are alike."""
        # A scalar that gives way to another between the same neighbours keeps its comment.
        staying = {*ascending([old for old in self.numbers if old is not None])}
        above, start = -1, 0
        for new, old in [*enumerate(self.numbers), (len(self.numbers), len(self._old))]:
            if old is None or (new < len(self.numbers) and old not in staying):
                continue
            gone = [number for number in range(above + 1, old) if number in self._unpaired]
            come = [number for number in range(start, new) if self.numbers[number] is None]
            for one, place in zip(gone, come, strict=True) if len(gone) == len(come) else ():
                if is_alike(self._old[one], self._new[place]):
                    self._pair(place, one)
            above, start = old, new + 1

    def _pair(self, new: int, old: int) -> None:
        self.numbers[new] = old
        del self._unpaired[old]


def _apart(elements: Sequence[Target], key: str) -> dict[str, int] | None:
    """Return the number of each element by its text under `key`; None if one has none, or two have the same."""
    found: dict[str, int] = {}
    for number, one in enumerate(elements):
        text = text_of(one, key)
        if text is None or text in found:
            return None
        found[text] = number
    return found


def _only(texts: Iterable[tuple[int, str | None]]) -> dict[str, int]:
    """Return the number of each text that no other number has."""
    found: dict[str, list[int]] = {}
    for number, text in texts:
        if text is not None:
            found.setdefault(text, []).append(number)
    return {text: numbers[0] for text, numbers in found.items() if len(numbers) == 1}
