"""A value that is set, as a difference: the target that changes what differs and leaves the rest as written.

Entries are paired by their keys. Elements that are equal are the same, wherever they go; else those are that have one
`name`, and those that give way to as many others between the same neighbours: docs/lossless-yaml.md, "What stays".
"""

from __future__ import annotations

from collections import Counter

from krm.yamltree import sameness
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Commented,
    Instead,
    Rewritten,
    elements_of,
    entries_of,
    exchanges,
    is_list,
    is_mapping,
    shown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target


def difference(there: Target, value: Value, text: str) -> Target:
    """Return the target that says `value`, with what of `there` says the same left as it is written."""
    node = shown(there)
    if isinstance(node, Scalar | Mapping | Sequence) and sameness.has(node, value, text):
        return there
    return commented_as(there, _changed(node, value, text))


def commented_as(there: Target, target: Target) -> Target:
    """Return `target` with the comments that `there` was given, unless it was given some itself."""
    while isinstance(there, Instead):
        there = there.target
    if not isinstance(there, Commented) or isinstance(target, Commented):
        return target
    return Commented(target, above=there.above, behind=there.behind, below=there.below, apart=there.apart)


def in_its_place(there: Target, target: Target) -> Target:
    """Return `target` for the place of a list element, with the comments that it was given.

    If that is an element of the text, it stands in its stead: so the comments around it stay too.
    """
    target = commented_as(there, target)
    while isinstance(there, Commented):
        there = there.target
    if isinstance(there, AmendedMapping | AmendedSequence | Instead | Rewritten):
        there = there.node
    is_there = isinstance(there, Scalar | Alias | Mapping | Sequence)
    return Instead(there, target) if is_there and target is not there else target  # type: ignore[arg-type]  # a node


def _changed(node: Target, value: Value, text: str) -> Target:
    """Return the target that says `value`, which `node` does not."""
    if isinstance(value, dict) and is_mapping(node) and _is_named(node):
        old = entries_of(node)
        entries = {key: difference(old[key], one, text) if key in old else copied(one) for key, one in value.items()}
        return _amended(node, entries)
    if isinstance(value, list) and is_list(node):
        return _amended(node, _paired(elements_of(node), value, text))
    return copied(value)


def _paired(old: list[Target], new: list[Value], text: str) -> list[Target]:
    """Return the elements for a list of values: of `old` what pairs with them."""
    # Equal elements first: an element that only moved must not be rewritten because another one has its name.
    pairs = _equal(old, new)
    _pair_by_name(old, new, pairs)
    own = [pairs.get(index) for index in range(len(new))]
    # Where elements change their order too, nobody can say which of them gives way to which.
    if [number for number in own if number is not None] == sorted(pairs.values()):
        for start, gone in exchanges(own, len(old)):
            pairs.update(
                (index, number) for index, number in enumerate(gone, start) if _are_alike(old[number], new[index])
            )
    return [
        in_its_place(old[pairs[index]], difference(old[pairs[index]], one, text)) if index in pairs else copied(one)
        for index, one in enumerate(new)
    ]


def _equal(old: list[Target], new: list[Value]) -> dict[int, int]:
    """Return the numbers of equal elements by the index of each value: of several, the first one with the first."""
    there: dict[object, list[int]] = {}
    for number in reversed(range(len(old))):
        there.setdefault(sameness.meaning(old[number]), []).append(number)
    found = ((index, there.get(sameness.meaning(one))) for index, one in enumerate(new))
    return {index: numbers.pop() for index, numbers in found if numbers}


def _pair_by_name(old: list[Target], new: list[Value], pairs: dict[int, int]) -> None:
    """Pair elements that have one `name`, which no others have."""
    paired = set(pairs.values())
    left = {number: _name(one) for number, one in enumerate(old) if number not in paired}
    coming = {index: _name(one) for index, one in enumerate(new) if index not in pairs}
    # A name that two elements have tells nothing: ports of two protocols share one, for example.
    counts, others = Counter(left.values()), Counter(coming.values())
    numbers = {name: number for number, name in left.items() if name is not None and counts[name] == 1}
    pairs.update((index, numbers[name]) for index, name in coming.items() if name in numbers and others[name] == 1)


def _name(target: Target) -> object:
    target = shown(target)
    return sameness.meaning(entries_of(target)["name"]) if is_mapping(target) and "name" in entries_of(target) else None


def _are_alike(there: Target, value: Value) -> bool:
    there = shown(there)
    # Two elements with names of their own are two things, whatever place they have.
    if _name(there) != _name(value):
        return False
    if isinstance(value, dict | list):
        return is_mapping(there) if isinstance(value, dict) else is_list(there)
    return not is_mapping(there) and not is_list(there)


def _amended(node: Target, found: Target) -> Target:
    """Return what makes of a collection these entries or elements."""
    if isinstance(found, dict):
        node = node.node if isinstance(node, AmendedMapping) else node
        return AmendedMapping(node, found) if isinstance(node, Mapping) else found
    node = node.node if isinstance(node, AmendedSequence) else node
    return AmendedSequence(node, found) if isinstance(node, Sequence) else found  # type: ignore[arg-type]  # a list


def _is_named(node: Target) -> bool:
    """True if all keys of a mapping are scalars, so that its entries are the whole of it."""
    return not isinstance(node, Mapping) or node.is_plain()


def copied(value: Value) -> Value:
    """Return a value whose dicts and lists are its own: later changes may change them."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value
