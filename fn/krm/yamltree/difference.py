"""The difference of a node and a new value: the target that changes the parts that differ, and leaves the others.

    containers:              # the value is [sidecar, *containers]
    - name: web # do not rename
      image: nginx

keeps the element `web` with its comments, quotes and order, and adds one in front of it. Entries are paired by their
keys. Elements are paired if they are equal, even if they move; else by a key; else if as many are inserted as deleted
between the same neighbours: docs/reference/lossless-yaml.md, "What stays".
"""

from __future__ import annotations

from krm.yamltree import sameness, scalars
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence
from krm.yamltree.proof import Proof
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Replaced,
    Rewritten,
    ascending,
    dereferenced,
    elements_of,
    entries_of,
    is_list,
    is_mapping,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.yamltree.nodes import Node, Place
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target


# `name` first, as everything in Kubernetes has it; `path` and `type` last, which many lists repeat.
_KEYS = ("name", "key", "mountPath", "devicePath", "ip", "id", "containerPort", "port", "path", "host", "type")
"""Keys that identify the elements of a list, if each element on both sides has a value of its own."""


class Difference:
    """The targets by which nodes of `text` get new values.

    A subclass that refuses or notes losses overrides `on_remove`, `on_replace`, `on_reorder` or `is_alike`. One with
    another equality of nodes and values overrides `is_same` and `meaning`. `moves` becomes True if an element is moved,
    or inserted or deleted elsewhere than at the end of a list, or if a node changes its kind.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.moves = False

    def target(self, there: Target, value: Value, place: Place) -> Target:
        """Return a target with `value` at `place`. Parts of `there` that are equal keep their text."""
        node = dereferenced(there)
        # Equal values keep their text: `0777` is not written as 511, nor are quotes changed.
        if isinstance(node, Scalar | Mapping | Sequence) and self.is_same(node, value):
            return there
        return self._changed(node, value, place)

    def is_same(self, node: Node, value: Value) -> bool:
        """True if `value` changes nothing of `node`."""
        return Proof(self._text, sameness.same_data).amounts_to(node, value)

    def meaning(self, target: Target) -> object:
        """Return a value by which elements of a list are compared: equal values mean the same element."""
        return sameness.meaning(target)

    def on_remove(self, parent: Target, kid: Target) -> None:
        """Take note of a deleted entry or element."""

    def on_replace(self, node: Node) -> None:
        """Take note of a node that is replaced by a value of another kind."""

    def on_reorder(self, place: Place, partners: list[int | None]) -> None:
        """Take note of a list: the number that each element had before, None for a new one."""

    def is_alike(self, there: Target, value: Value) -> bool:
        """True if an element in the place of another one is a change of that one."""
        there = dereferenced(there)
        # Two elements with different names are two things, even at the same place.
        if text_of(there, "name") != text_of(value, "name"):
            return False
        if isinstance(value, dict | list):
            return is_mapping(there) if isinstance(value, dict) else is_list(there)
        return not is_mapping(there) and not is_list(there)

    def _changed(self, node: Target, value: Value, place: Place) -> Target:
        """Return a target with `value`, which differs from `node`."""
        if isinstance(value, dict) and is_mapping(node) and _is_named(node):
            return self._mapping(node, value, place)
        if isinstance(value, list) and is_list(node):
            return self._sequence(node, value, place)
        if isinstance(node, Mapping | Sequence) or (isinstance(node, Scalar) and isinstance(value, dict | list)):
            self.moves = self.moves or not scalars.is_null(node)
            self.on_replace(node)
        return copied(value)

    def _mapping(self, node: Target, value: dict[str, Value], place: Place) -> Target:
        old = entries_of(node)  # type: ignore[arg-type]  # a mapping
        for key, kid in old.items():
            if key not in value:
                self.on_remove(node, kid)
        entries = {
            key: self.target(old[key], one, (*place, key)) if key in old else copied(one) for key, one in value.items()
        }
        node = node.node if isinstance(node, AmendedMapping) else node
        return AmendedMapping(node, entries) if isinstance(node, Mapping) else entries

    def _sequence(self, node: Target, value: list[Value], place: Place) -> Target:
        old = elements_of(node)  # type: ignore[arg-type]  # a list
        partners = _Pairs(self, old, value).numbers
        staying = set(partners)
        for number, kid in enumerate(old):
            if number not in staying:
                self.on_remove(node, kid)
        self.moves = self.moves or partners[: len(old)] != [*range(len(old))][: len(partners)]
        self.on_reorder(place, partners)
        elements = [
            copied(one)
            if number is None
            else in_its_place(old[number], self.target(old[number], one, (*place, number)))
            for number, one in zip(partners, value, strict=True)
        ]
        node = node.node if isinstance(node, AmendedSequence) else node
        return AmendedSequence(node, elements) if isinstance(node, Sequence) else elements


class _Pairs:
    """Pairs of `old` and `new` elements. `numbers` has the number of the old element for each new one, or None."""

    def __init__(self, difference: Difference, old: list[Target], new: list[Value]) -> None:
        self._difference = difference
        self._old = old
        self._new = new
        self.numbers: list[int | None] = [None] * len(new)
        self._unpaired = dict(enumerate(old))
        # Equal elements first: an element that only moved must not be rewritten because another one has its name.
        self._equal()
        self._by_key()
        self._between()

    def _equal(self) -> None:
        """Pair equal elements: those at both ends first, so that most stay, then each with the first one left."""
        meaning = self._difference.meaning
        olds, news = [*map(meaning, self._old)], [*map(meaning, self._new)]
        start = stop = 0
        both = min(len(olds), len(news))
        while start < both and olds[start] == news[start]:
            start += 1
        while stop < both - start and olds[-stop - 1] == news[-stop - 1]:
            stop += 1
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

    def _by_key(self) -> None:
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

    def _between(self) -> None:
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
                if self._difference.is_alike(self._old[one], self._new[place]):
                    self._pair(place, one)
            above, start = old, new + 1

    def _pair(self, new: int, old: int) -> None:
        self.numbers[new] = old
        del self._unpaired[old]


def _apart(elements: list[Target] | list[Value], key: str) -> dict[str, int] | None:
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


def in_its_place(there: Target, target: Target) -> Target:
    """Return `target` for the place of a list element.

    If that is an element of the text, it stands in its stead: so the comments around it stay too.
    """
    if isinstance(there, AmendedMapping | AmendedSequence | Replaced | Rewritten):
        there = there.node
    is_there = isinstance(there, Scalar | Alias | Mapping | Sequence)
    return Replaced(there, target) if is_there and target is not there else target  # type: ignore[arg-type]  # a node


def _is_named(node: Target) -> bool:
    """True if all keys of a mapping are scalars, so that its entries are the whole of it."""
    return not isinstance(node, Mapping) or node.is_plain()


def copied(value: Value) -> Value:
    """Return a value whose dicts and lists are its own: later changes may change them."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value
