"""A model of what a careful person makes of three versions of some data, independent of the merge that it judges.

Lists whose elements have names go by these. Elements of others go by their neighbours, as lines do for git: one that is
the same in two versions is one element, and so is what stands between such elements if it is as many, or alike. A key
of a mapping that gives way to another one, with a value alike, is renamed. The order of the paths in a Kustomization
does not count, but two other paths in the place of one may be two new names of it.
"""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

GONE: Any = object()
"""What stands at a path of a version that has nothing there."""

_PATHS = ".resources", ".bases", ".components", ".crds"
_NAMES = "name", "containerPort", "mountPath", "key"


class Merge:
    """The merge of three versions of some data: `clashes` are the paths at which a person has to choose."""

    def __init__(self, origin: object, update: object, local: object) -> None:
        self.clashes: list[str] = []
        is_kustomization = isinstance(origin, dict) and origin.get("kind") in ("Kustomization", "Component")
        self._unordered = _PATHS if is_kustomization else ()
        self.value = self._merged((origin, update, local), "")

    def _merged(self, sides: tuple[Any, Any, Any], path: str) -> Any:  # noqa: ANN401 - data of any kind
        origin, update, local = sides
        # Null, {} and [] are values: what is empty is not what is not there.
        if _same(update, local) or _same(update, origin):
            return local
        if _same(local, origin):
            return update
        kinds = {type(side) for side in sides if side is not GONE}
        if GONE not in (update, local) and kinds == {dict}:
            return self._mappings(sides, path)
        if GONE not in (update, local) and kinds == {list}:
            return self._lists(sides, path)
        if kinds == {str} and all(side is not GONE and "\n" in side for side in sides):
            found = self._elements(origin.splitlines(), update.splitlines(), local.splitlines(), path)
            return "".join(f"{line}\n" for line in found)
        self.clashes.append(path)
        return local

    def _mappings(self, sides: tuple[Any, Any, Any], path: str) -> dict[Any, Any]:
        origin, update, local = ({} if side is GONE else side for side in sides)
        update, of_update = _named_before(origin, update)
        local, of_local = _named_before(origin, local)
        names = of_local | of_update
        if any(of_local.get(key, name) != name for key, name in of_update.items()):
            self.clashes.append(path)
        found = {}
        for key in {**origin, **local, **update}:
            value = self._merged((origin.get(key, GONE), update.get(key, GONE), local.get(key, GONE)), f"{path}.{key}")
            if value is not GONE:
                found[names.get(key, key)] = value
        return found

    def _lists(self, sides: tuple[Any, Any, Any], path: str) -> list[Any]:
        origin, update, local = ([] if side is GONE else side for side in sides)
        if path in self._unordered:
            return self._paths(origin, update, local, path)
        name = next((each for each in _NAMES if all(_is_name(each, side) for side in (origin, update, local))), None)
        if name is None:
            return self._elements(origin, update, local, path)
        before, new, mine = ({str(element[name]): element for element in side} for side in (origin, update, local))
        # An element whose name changed is the same element: two changes of one name are a conflict.
        named = (before, _named_before(before, new)[0], _named_before(before, mine)[0])
        merged = {
            key: self._merged(
                (named[0].get(key, GONE), named[1].get(key, GONE), named[2].get(key, GONE)), f"{path}.{key}"
            )
            for key in {**named[0], **named[2], **named[1]}
        }
        return [value for value in merged.values() if value is not GONE]

    def _paths(self, origin: list[Any], update: list[Any], local: list[Any], path: str) -> list[Any]:
        """Merge paths whose order does not count."""
        gone = [each for each in origin if each not in update or each not in local]
        mine, theirs = ([each for each in side if each not in origin] for side in (local, update))
        are_both_new = not {*mine} <= {*theirs} and not {*theirs} <= {*mine}
        if are_both_new and any(each not in update and each not in local for each in gone):
            self.clashes.append(path)
        return sorted(({*origin} - {*gone}) | {*mine, *theirs}, key=repr)

    def _elements(self, origin: list[Any], update: list[Any], local: list[Any], path: str) -> list[Any]:
        """Merge the elements of a list without names, or lines."""
        theirs, mine = _paired(origin, update), _paired(origin, local)
        found = self._inserted(-1, theirs, mine, path)
        for number, element in enumerate(origin):
            pair = theirs[0].get(number, GONE), mine[0].get(number, GONE)
            found += [self._merged((element, *pair), f"{path}[{number}]"), *self._inserted(number, theirs, mine, path)]
        return [element for element in found if element is not GONE]

    def _inserted(self, number: int, theirs: Paired, mine: Paired, path: str) -> list[Any]:
        """Return what the sides have put behind an element: which is first nobody knows if both did."""
        update, local = theirs[1].get(number, []), mine[1].get(number, [])
        if update and local and update != local:
            self.clashes.append(f"{path}[{number}+]")
        return local or update


if TYPE_CHECKING:
    Paired = tuple[dict[int, Any], dict[int, list[Any]]]


def _same(one: object, other: object) -> bool:
    return one is other or (GONE not in (one, other) and repr(one) == repr(other))


def _is_name(key: str, elements: list[Any]) -> bool:
    names = [element.get(key) if isinstance(element, dict) else None for element in elements]
    return None not in names and len({*map(str, names)}) == len(names)


def _named_before(origin: dict[Any, Any], side: dict[Any, Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return a side by the keys that origin has, and the new names of those that it has renamed."""
    old, new = [key for key in origin if key not in side], [key for key in side if key not in origin]
    likely = [(before, after) for before in old for after in new if _alike(origin[before], side[after])]
    # Only where there is no second candidate for either.
    counts = Counter(key for pair in likely for key in pair)
    names = {before: after for before, after in likely if counts[before] == counts[after] == 1}
    keys = {after: before for before, after in names.items()}
    return {keys.get(key, key): value for key, value in side.items()}, names


def _paired(origin: list[Any], side: list[Any]) -> Paired:
    """Return the elements of a side by the number that origin has for them, and the new ones by that ahead of them."""
    blocks = SequenceMatcher(None, [*map(repr, origin)], [*map(repr, side)], autojunk=False).get_matching_blocks()
    pairs: dict[int, int] = {}
    start, other_start = 0, 0
    for block in blocks:
        pairs |= _between(origin, side, range(start, block.a), range(other_start, block.b))
        pairs |= {block.a + step: block.b + step for step in range(block.size)}
        start, other_start = block.a + block.size, block.b + block.size
    numbers = {there: number for number, there in pairs.items()}
    new: dict[int, list[Any]] = {}
    behind = -1
    for number, element in enumerate(side):
        behind = numbers.get(number, behind)
        if number not in numbers:
            new.setdefault(behind, []).append(element)
    return {number: side[there] for number, there in pairs.items()}, new


def _between(origin: list[Any], side: list[Any], old: range, new: range) -> dict[int, int]:
    """Pair what stands between elements that are the same: all if they are as many, else those that are alike."""
    if len(old) == len(new):
        return dict(zip(old, new, strict=True))
    found: dict[int, int] = {}
    left = [*new]
    for number in old:
        pair = next((there for there in left if _alike(origin[number], side[there])), None)
        if pair is not None:
            found[number] = pair
            left = [there for there in left if there > pair]
    return found


def _alike(one: object, other: object) -> bool:
    """Return True if two values have their name or half of their leaves in common."""
    leaves, others = {*_leaves(one)}, {*_leaves(other)}
    is_of_name = isinstance(one, dict) and isinstance(other, dict) and one.get("name", GONE) == other.get("name")
    return is_of_name or (isinstance(one, dict) and 2 * len(leaves & others) >= max(len(leaves), len(others)))


def _leaves(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _leaves(below, f"{path}.{key}")
    elif isinstance(value, list):
        for below in value:
            yield from _leaves(below, f"{path}[]")
    else:
        yield f"{path}={value!r}"
