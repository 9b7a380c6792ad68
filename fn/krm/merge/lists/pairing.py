"""Pairing of entries: which of the three sides are the same, and their order after the merge.

An element is known by its keys, or by its data if it has none (docs/reference/merge.md, "Keyed lists"). Elements with
the same key are numbered. An element without a partner is then paired with the one that is most like it: it has a new
key, or it has no key and was edited. The order, also of the entries of mappings, is that of docs/reference/merge.md,
"Order".
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import count

from krm.fieldpath import Match
from krm.merge import diff, trees, units
from krm.yamltree.nodes import Mapping, resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
    from typing import TypeAlias, TypeVar

    from krm.merge.kinds.schema import ListRule
    from krm.yamltree.nodes import Node

    KeyTexts: TypeAlias = "tuple[str | None, ...]"
    Key: TypeAlias = "tuple[KeyTexts | None, Hashable, Hashable]"
    """The texts of an element's keys; else its data; and how many elements with the same are before it."""

    Keyed: TypeAlias = "dict[Key, Node]"
    CountedLeaf: TypeAlias = tuple[tuple[str, ...], Hashable, int]
    """A path, what stands there, and how many leaves before it are the same."""
    Leaves: TypeAlias = frozenset[CountedLeaf]
    K = TypeVar("K")
    V = TypeVar("V", Node, Node | None)

HALF = 0.5
"""The share of its leaves that a value keeps at least, to count as the same value."""

# The share of its words that an element without a name keeps at least, to be the same in its place.
_NEARLY_ALL = 0.9

MOST = 10_000
"""The most pairs that are compared. In longer lists these are the pairs near each other, or none."""


def keyed(rule: ListRule, elements: Iterable[Node]) -> Keyed:
    """Return the elements of one side, in their order, each under its key."""
    return _numbered((_texts(rule, element), element) for element in elements)


def named(sides: Iterable[Iterable[Node]]) -> list[Keyed]:
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
    """Return `kept` in the order of a merge (docs/reference/merge.md, "Order")."""
    if [*update] == [*local] == [*kept]:
        return [*kept]
    # An element may be kept though a side deleted it: then its place is the one on the other side.
    shared = [key for key in origin if key in update and key in local]
    there = {*kept}
    before, new, own = ([(key, None) for key in side if key in there] for side in (shared, update, local))
    return [piece[0] for piece in units.merged(before, new, own, "free")]  # type: ignore[index, misc]  # no conflict


def inserted(update: Collection[K], local: Collection[K], kept: Collection[K]) -> list[K]:
    """Return `kept` in local's order, each new one behind the one before it in update."""
    return ordered(update, update, local, kept)


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


# Entries without a partner: between the same two entries that both sides have, those that have most in common.


def leaves_of(node: Node | None, but: Collection[str] = ()) -> Leaves:
    """Return the leaves of a value, without those below the keys `but`."""
    times: dict[tuple[tuple[str, ...], Hashable], int] = {}
    for leaf in trees.leaves(node):
        if {*leaf[0][:1]}.isdisjoint(but):
            times[leaf] = times.get(leaf, 0) + 1
    return frozenset((*leaf, number) for leaf, count in times.items() for number in range(count))


def common(one: Leaves, other: Leaves, least: int = 1) -> float:
    """Return the share of the larger value that both have in common, 0 if it has fewer leaves than `least`."""
    # Of the larger value: else a short one, such as an empty ConfigMap, would be like any long one.
    longer = max(map(len, (one, other)))
    return len(one & other) / longer if longer >= least else 0.0


def under_old_keys(
    origin: dict[K, V],
    update: dict[K, V],
    local: dict[K, V],
    *,
    least: int = 1,
    but: Collection[str] = (),
) -> tuple[dict[K, V], dict[K, V]]:
    """Return update and local with origin's key for each renamed entry: one that keeps half of its leaves.

    Then for each that has a word in common with one in its place, unless the other side has that one: two names for it,
    or a name and a deletion, are no agreement. An entry keeps its new key if the other side has both keys. If the other
    side has the new key alone, it renamed it, too.
    """
    sides: list[dict[K, V]] = [update, local]
    # In most collections no entry is new.
    if all(side.keys() <= origin.keys() for side in sides):
        return update, local
    for has_share in (True, False):
        found: list[dict[K, K]] = []
        for number, was in enumerate((local, update)):
            other = sides[1 - number]
            # The other side lacks what it renamed, but has an element without a name that it changed.
            there = was.keys() | {key for key in other if _is_unnamed(key)}
            names = renamed(origin, sides[number], None if has_share else there, HALF, least, but)
            found.append({new: old for new, old in names.items() if not {new, old} <= other.keys()})
        for keys in found:
            sides = [under(side, keys) for side in sides]
    return sides[0], sides[1]


def under(side: dict[K, V], keys: dict[K, K]) -> dict[K, V]:
    """Return a side with other keys for some entries, unless it has such a key."""
    return {key if keys.get(key) in side else keys.get(key, key): node for key, node in side.items()}


def renamed(  # noqa: PLR0913 - one parameter for each limit of the comparison
    origin: dict[K, V],
    side: dict[K, V],
    other: Collection[K] | None,
    share: float,
    least: int = 1,
    but: Collection[str] = (),
) -> dict[K, K]:
    """Return origin's key for each renamed key of a side: first for an entry in its place, then for all others.

    What they have in common, without the keys `but`, is in no other entry. If the `other` side is given, a word in
    common is enough between the same neighbours for what the other side lacks. For an element without a name it is, if
    no other element has that word, or nearly all words are the same.
    """
    old: list[K] = [*origin]
    new: list[K] = [*side]
    left, there = {*old} - {*new}, {*new} - {*old}
    if not (left and there):
        return {}
    ones, others = ([leaves_of(node, but) for node in each.values()] for each in (origin, side))
    gaps = [*diff.gaps(old, new)]
    if other is None:
        gaps.append((0, len(old), 0, len(new)))
    else:
        ones, others = ([_words(leaves, least) for leaves in each] for each in (ones, others))
    is_telling = _telling(ones, others)
    found: dict[K, K] = {}
    for start, end, first, last in gaps:
        gone = [number for number in range(start, end) if old[number] in left]
        come = [number for number in range(first, last) if new[number] in there]
        here, new_here = [ones[number] for number in gone], [others[number] for number in come]
        if other is None:
            pairs = in_order(here, new_here, share, least, is_telling)
        else:  # if as many come as go, in their order
            in_turn = ((number, number) for number in range(len(come)))
            pairs = in_turn if len(gone) == len(come) else in_order(here, new_here, share=0)
        for number, place in pairs:
            key, words = old[gone[number]], (here[number], new_here[place])
            if other is None or (key not in other and words[0] & words[1]) or _is_known(key, *words, is_telling):
                found[new[come[place]]] = key
                left.remove(key)
                there.remove(new[come[place]])
    return found


def _is_known(key: Hashable, words: Leaves, others: Leaves, is_telling: Callable[[Leaves], bool]) -> bool:
    """True if an element without a name is known by the words that two sides have in common."""
    both = words & others
    is_near = len(both) >= _NEARLY_ALL * min(map(len, (words, others))) or is_telling(both)
    return _is_unnamed(key) and bool(both) and is_near


def _is_unnamed(key: Hashable) -> bool:
    return isinstance(key, tuple) and key[0] is None


def _telling(*sides: list[Leaves]) -> Callable[[Leaves], bool]:
    """Return a predicate: True if exactly one value on each side has all these leaves."""
    found: list[dict[CountedLeaf, set[int]]] = [{} for _ in sides]
    for places, side in zip(found, sides, strict=True):
        for number, leaves in enumerate(side):
            for leaf in leaves:
                places.setdefault(leaf, set()).add(number)

    def is_in_one(places: dict[CountedLeaf, set[int]], leaves: Leaves) -> bool:
        # The rarest leaf comes first, so that the intersections are short.
        return len(set.intersection(*sorted(map(places.__getitem__, leaves), key=len))) == 1

    return lambda leaves: bool(leaves) and all(is_in_one(places, leaves) for places in found)


def _words(leaves: Leaves, least: int) -> Leaves:
    """Return the words in the fields of a value, none if it has fewer leaves than `least`.

    `actions/checkout@v4` and `actions/checkout@v6` have two of three words in common.
    """
    fields = [leaf for leaf in leaves if leaf[0]] if len(leaves) >= least else []
    texts = ((path, str(value[-1] if isinstance(value, tuple) else value)) for path, value, _ in fields)
    return frozenset((path, word, 0) for path, text in texts for word in re.findall(r"[\w.-]+", text))


def in_order(
    ones: list[Leaves], others: list[Leaves], share: float, least: int = 1, is_telling: Callable[[Leaves], bool] = bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs, each with this `share` at least, whose sum is the largest: both sides keep their order.

    What a pair has in common `is_telling`: leaves that many entries have identify none. A pair with a second candidate
    is left out.
    """
    longer = max(len(ones), len(others))
    near = longer if len(ones) * len(others) <= MOST else MOST // longer
    worth: dict[tuple[int, int], float] = {}
    best: dict[tuple[int, int], float] = {}
    for i in range(len(ones) - 1, -1, -1):
        for j in range(min(len(others) - 1, i + near), max(-1, i - near - 1), -1):
            found = common(ones[i], others[j], least)
            worth[i, j] = found if found >= share and is_telling(ones[i] & others[j]) else 0.0
            joined = worth[i, j] and worth[i, j] + best.get((i + 1, j + 1), 0.0)
            best[i, j] = max(joined, best.get((i + 1, j), 0.0), best.get((i, j + 1), 0.0))
    steps = range(-near, near + 1)
    i = j = 0
    while i < len(ones) and j < len(others):
        agree = worth.get((i, j), 0.0)
        if agree and best[i, j] == agree + best.get((i + 1, j + 1), 0.0):
            rivals = {(i, j + step) for step in steps} | {(i + step, j) for step in steps}
            if agree not in map(worth.get, rivals - {(i, j)}):
                yield i, j
            i, j = i + 1, j + 1
        elif best.get((i, j), 0.0) == best.get((i + 1, j), 0.0):
            i += 1
        else:
            j += 1
