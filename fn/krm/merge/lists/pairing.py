"""Pairing of elements: which of them are the same on the three sides of a list, and their order after the merge.

An element is known by its keys, or by its data if it has none (docs/reference/merge.md, "Keyed lists",
"Lists without keys"). Elements with the same key are numbered. The order, also of the entries of mappings, is that of
docs/reference/merge.md, "Order".
"""

from __future__ import annotations

from collections import Counter
from itertools import count

from krm.fieldpath import Match
from krm.merge import diff, trees, units
from krm.merge.lists import likeness
from krm.yamltree.nodes import Mapping, resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator
    from typing import TypeAlias

    from krm.merge.kinds.schema import ListRule
    from krm.merge.lists.likeness import K
    from krm.merge.units import Order
    from krm.yamltree.nodes import Node

    KeyTexts: TypeAlias = "tuple[str | None, ...]"
    Key: TypeAlias = "tuple[KeyTexts | None, Hashable, Hashable]"
    """The texts of an element's keys; else its data; and how many elements with the same are before it."""

    Keyed: TypeAlias = "dict[Key, Node]"

_VALUE = "value"


class Elements:
    """The elements of a list in the three trees, by their keys, each tree in its own order.

    A renamed element has one key in all of them: local's, or origin's if both sides renamed it. `renamed` are the old
    and the new key of each element that one side renamed and the other changed.
    """

    def __init__(self, rule: ListRule, sides: Iterable[list[Node]]) -> None:
        listed = [*sides]
        self.renamed: list[tuple[Key, Key]] = []
        self.order: Order = "free"
        but: tuple[str, ...] = ()
        if rule.is_keyless or not have_keys(rule, listed):
            # An option and the argument behind it may belong together, so neighbouring changes are one conflict.
            are_options = any((text_at(node) or "").startswith("-") for side in listed for node in side)
            self.order = "touching" if are_options else "apart"
            self.origin, update, local = _keyless(listed)
        else:
            self.origin, self.update, self.local = (keyed(rule, side) for side in listed)
            if not rule.keys:  # the data are the key
                return
            update, local = (_by_likeness(self.origin, side) for side in (self.update, self.local))
            # Another entry of `env` may have an equal `value`.
            but = (*rule.keys, _VALUE)
        self.update, self.local = likeness.under_old_keys(self.origin, update, local, but=but)
        both = (self.update, update, local), (self.local, local, update)
        self.renamed = [
            (old, new)
            for side, named, other in both
            for old, new in _names(side, named)
            if old != new and old in other and trees.frozen(self.origin[old]) != trees.frozen(other[old])
        ]
        own = {old: new for old, new in _names(self.local, local) if (old in update) == (old in self.update)}
        found = self.origin, self.update, self.local
        self.origin, self.update, self.local = (likeness.under(side, own) for side in found)


def _names(side: Keyed, named: Keyed) -> Iterator[tuple[Key, Key]]:
    """Yield the key that each element with a name has in `side`, and the one that it has in `named`."""
    return ((old, new) for old, new in zip(side, named, strict=True) if None not in (old[0], new[0]))


def _by_likeness(origin: Keyed, side: Keyed) -> Keyed:
    """Return a side in which each edited element without a key has the key of origin, if it is clear which one.

    The key is the data: so an element that both sides edited would become two.
    """
    before, after = ({key: node for key, node in each.items() if key[0] is None} for each in (origin, side))
    gone, new = ([key for key in one if key not in other] for one, other in ((before, after), (after, before)))
    if len(gone) == len(new) == 1:
        return likeness.under(side, dict(zip(new, gone, strict=True)))
    return likeness.under(side, likeness.renamed(before, after, share=0))


def keyed(rule: ListRule, elements: Iterable[Node]) -> Keyed:
    """Return the elements of one side, in their order, each under its key."""
    return _numbered((_texts(rule, element), element) for element in elements)


def _keyless(sides: Iterable[Iterable[Node]]) -> list[Keyed]:
    """Return the elements of a list without keys: each mapping under its name, if that is on no side twice.

    Equal elements of a side are paired with those of the first side by their places.
    """
    listed = [[(text_at(node, "name"), node) for node in side] for side in sides]
    times = [Counter(name for name, _ in side) for side in listed]
    found = [
        _numbered(((name,) if name and all(each[name] <= 1 for each in times) else None, node) for name, node in side)
        for side in listed
    ]
    has_doubles = any(number for side in found for _, _, number in side)
    return [_in_place(found[0], side) for side in found] if has_doubles else found


def _in_place(origin: Keyed, side: Keyed) -> Keyed:
    """Return a side whose elements have the numbers of origin's at the same places, others the next free number.

    The number of an added element also names the element before it. So two that both sides add at two places stay two.
    """
    before = [*origin]
    places = diff.matches([key[:2] for key in before], [key[:2] for key in side])
    stays = {place: before[number] for number, place in places.items()}
    taken = {*stays.values()}
    left: dict[Hashable, Iterator[int]] = {}
    found: Keyed = {}
    behind: Key | None = None
    for place, ((texts, data, _), node) in enumerate(side.items()):
        key = stays.get(place)
        if key is not None:
            behind = key
        else:
            numbers = left.setdefault((texts, data), count())
            key = next(key for key in ((texts, data, number) for number in numbers) if key not in taken)
            if key not in origin and (texts, data, 0) in origin:
                more = left.setdefault((texts, data, behind), count())
                key = texts, data, (behind, next(more))
        found[key] = node
    return found


def _numbered(elements: Iterable[tuple[KeyTexts | None, Node]]) -> Keyed:
    found: Keyed = {}
    times: dict[tuple[KeyTexts | None, Hashable], int] = {}
    for texts, element in elements:
        # An element without a key is known by its data: after an edit it is another element.
        known = texts, trees.frozen(element) if texts is None else None
        number = times.get(known, 0)
        times[known] = number + 1
        found[*known, number] = element
    return found


def have_keys(rule: ListRule, sides: Iterable[Iterable[Node]]) -> bool:
    """True if an element of a side has a key of the rule, or if there are no elements at all."""
    elements = [element for side in sides for element in side]
    return not (rule.keys and elements) or any(_texts(rule, element) is not None for element in elements)


def indexes(*sides: Iterable[Key]) -> dict[Key, int]:
    """Return the index of each element in the last side that has it. The order is that of the sides."""
    return {key: index for side in sides for index, key in enumerate(side)}


def segments(rule: ListRule, indexes: dict[Key, int]) -> dict[Key, int | Match]:
    """Return the step to each element in a path: its first key if that is unique and known, else its index."""
    names = {key: key[0][0] for key in indexes if key[0] is not None and rule.keys}
    times = Counter(names.values())
    known = ((key, name) for key, name in names.items() if name and not name.startswith(trees.UNKNOWN))
    named = {key: Match(_first_key(rule, key), name) for key, name in known if times[name] == 1}
    return indexes | named


def duplicates(side: Keyed) -> list[str]:
    """Return each key that several elements of a side have, as a text: `80/TCP`."""
    return [key_text(key) for key in side if key[0] is not None and key[2] == 1]


def key_text(key: Key) -> str:
    """Return the key of an element as a text for messages."""
    return "/".join(filter(None, key[0] or ()))


def ordered(origin: Collection[K], update: Collection[K], local: Collection[K], kept: Collection[K]) -> list[K]:
    """Return `kept` in the order of a merge (docs/reference/merge.md, "Order").

    Without an origin update's order stands for it: what is new comes behind the one before it in update.
    """
    if [*update] == [*local] == [*kept]:
        return [*kept]
    # An element may be kept though a side deleted it: then its place is the one on the other side.
    shared = [key for key in origin or update if key in update and key in local]
    there = {*kept}
    before, new, own = ([(key, None) for key in side if key in there] for side in (shared, update, local))
    return [piece[0] for piece in units.merged(before, new, own, "free")]  # type: ignore[index, misc]  # no conflict


def _texts(rule: ListRule, element: Node) -> KeyTexts | None:
    """Return the texts of the keys of an element, None if it has none of the keys."""
    mapping = resolved(element)
    if not isinstance(mapping, Mapping):
        return None
    texts = _at(mapping, rule.keys)
    if None not in texts:
        return texts or None
    # A default counts only beside a written key: `{}` is no port, though the default of its protocol is TCP.
    if not any(texts):
        others = _at(mapping, rule.otherwise)
        return others if any(others) else None
    return tuple([rule.defaults.get(key) if text is None else text for key, text in zip(rule.keys, texts, strict=True)])


def _first_key(rule: ListRule, key: Key) -> str:
    return (rule.keys if len(key[0] or ()) == len(rule.keys) else rule.otherwise)[0]


def _at(mapping: Mapping, keys: tuple[str, ...]) -> KeyTexts:
    return tuple([text_at(mapping, *key.split(".")) for key in keys])
