"""A model of what a careful person makes of three versions of some data, independent of the merge that it judges.

Lists whose elements have names go by these. Elements of others go by their neighbours, as lines do for git: one that is
the same in two versions is one element, and so is what stands between such elements if it is as many, or alike. A key
of a mapping that gives way to another one, with a value alike, is renamed. The order of the paths in a Kustomization
does not count, but two other paths in the place of one may be two new names of it.

A person has to look where both changed lines side by side, and where one changed what the other has written anew. There
nobody knows what became of which element.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

GONE: Any = object()
"""What stands at a path of a version that has nothing there."""

# By such a name kustomize knows a file that does not say its kind.
_FILES = "kustomization.yaml", "kustomization.yml"
_PATHS = ".resources", ".bases", ".components", ".crds"
_HALF = 0.5
_NAMES = "name", "containerPort", "mountPath", "key"


class Merge:
    """The merge of three versions of some data: `clashes` are the paths at which a person has to choose.

    At `meetings` both changes are in the merge, but a person has to look whether they fit together.
    """

    def __init__(self, origin: object, update: object, local: object, name: str = "") -> None:
        self.clashes: list[str] = []
        self.meetings: list[str] = []
        kind = origin.get("kind", name) if isinstance(origin, dict) else ""
        is_kustomization = kind in ("Kustomization", "Component", *_FILES)
        self._unordered = _PATHS if is_kustomization else ()
        self.value = self._merged((origin, update, local), "")

    def is_in(self, found: object) -> bool:
        """Return True if some data are the merge, in any order of elements that have names: it is not judged."""
        return bool(self._without_order(found) == self._without_order(self.value))

    def _without_order(self, value: object, path: str = "") -> object:
        if isinstance(value, dict):
            return {key: self._without_order(below, f"{path}.{key}") for key, below in value.items()}
        if not isinstance(value, list) or not value:
            return value
        if path in self._unordered:
            return sorted(value, key=repr)
        name = next((each for each in _NAMES if _is_name(each, value)), None)
        found = [self._without_order(each, f"{path}[]") for each in value]
        return found if name is None else {str(each[name]): below for each, below in zip(value, found, strict=True)}

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
            origin, update, local = (side.split("\n") for side in sides)
            return "\n".join(self._elements(origin, update, local, path, are_lines=True))
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

    def _elements(
        self, origin: list[Any], update: list[Any], local: list[Any], path: str, *, are_lines: bool = False
    ) -> list[Any]:
        """Merge the elements of a list without names, or lines."""
        theirs, mine = _paired(origin, update), _paired(origin, local)
        are_lines = are_lines or _are_options(origin, update, local)
        if any(_meet(origin, *sides, are_lines=are_lines) for sides in ((theirs, mine), (mine, theirs))):
            self.meetings.append(path)
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
    likely = {(before, after): _likeness(origin[before], side[after]) for before in old for after in new}
    # Only where no second candidate is as near for either.
    names = {
        before: after
        for (before, after), likeness in likely.items()
        if likeness >= _HALF
        and all(
            likeness > other
            for pair, other in likely.items()
            if pair != (before, after) and (pair[0] == before or pair[1] == after)
        )
    }
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
    likely = ((_likeness(origin[number], side[there]), -number, -there) for number in old for there in new)
    # Those with most in common come first. Each pair keeps the order of all before it.
    for _, number, there in sorted((each for each in likely if each[0] >= _HALF), reverse=True):
        if all((-number - one) * (-there - other) > 0 for one, other in found.items()):
            found[-number] = -there
    return found


def _are_options(*sides: list[Any]) -> bool:
    """Return True if some element starts with a dash: the one behind it may be its value."""
    return any(isinstance(element, str) and element.startswith("-") for side in sides for element in side)


def _meet(origin: list[Any], one: Paired, other: Paired, *, are_lines: bool) -> bool:
    """Return True if a side changed what a change of the other one reaches, and not alike.

    Of lines that are the places beside: what one says may hold for the next.
    """
    changed, others = _changes(origin, one), _changes(origin, other)
    own, theirs = ({at for at in side if changed.get(at) != others.get(at)} for side in (changed, others))
    beside = {near for at in theirs for near in range(at - 1 - at % 2, at + 2 + at % 2)}
    return not own.isdisjoint(beside if are_lines else _written_anew(origin, other))


def _changes(origin: list[Any], side: Paired) -> dict[int, str]:
    """Return what a side changed: an element at its odd place, what is new behind it at the even one that follows.

    An element that is gone became what is new in its place, if there is something.
    """
    pairs, new = side
    changed = {2 * number + 2: repr(added) for number, added in new.items()}
    behind = -1
    for number, element in enumerate(origin):
        behind = number if number in pairs else behind
        if not _same(element, pairs.get(number, GONE)):
            changed[2 * number + 1] = repr(pairs.get(number, new.get(behind)))
    return changed


def _written_anew(origin: list[Any], side: Paired) -> set[int]:
    """Return the places that a side has written anew: nobody knows what became of which element there."""
    pairs, new = side
    kept = (number for number, one in pairs.items() if _same(one, origin[number]) or _alike(one, origin[number]))
    found: set[int] = set()
    start = 0
    for end in [*sorted(kept), len(origin)]:
        run = range(start, end)
        if start - 1 in new or any(number in pairs for number in run):
            found |= {2 * number + 1 for number in run if number not in pairs} | {2 * number for number in run[1:]}
        start = end + 1
    return found


def _alike(one: object, other: object) -> bool:
    """Return True if two values have their name or half of their leaves in common."""
    return _likeness(one, other) >= _HALF


def _likeness(one: object, other: object) -> float:
    """Return which share of leaves two collections or texts have in common, and one more if they have one name."""
    are_texts = all(isinstance(each, str) and "\n" in each for each in (one, other))
    if not (isinstance(one, dict | list) or are_texts) or type(one) is not type(other):
        return 0
    leaves, others = {*_leaves(one)}, {*_leaves(other)}
    is_of_name = int(isinstance(one, dict) and isinstance(other, dict) and one.get("name", GONE) == other.get("name"))
    return is_of_name + len(leaves & others) / max(len(leaves), len(others), 1)


def _leaves(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _leaves(below, f"{path}.{key}")
    elif isinstance(value, list):
        for below in value:
            yield from _leaves(below, f"{path}[]")
    elif isinstance(value, str):
        yield from (f"{path}={line!r}" for line in value.splitlines() or [""])
    else:
        yield f"{path}={value!r}"
