"""Changes at paths: all of them make one target tree, so that the text is planned, parsed and proven only once.

A place is a tuple of keys and list indices from the root. It counts in the tree after the earlier changes. It may lead
through aliases and merge keys: a change there has an effect at that place only.
"""

from __future__ import annotations

from krm.yamltree import nodes, scalars
from krm.yamltree.difference import Difference, copied
from krm.yamltree.nodes import Collection, Mapping, Scalar, Sequence
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Rewritten,
    dereferenced,
    elements_of,
    entries_of,
    in_its_place,
    is_list,
    is_mapping,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sized
    from typing import Any, TypeAlias

    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node, Place
    from krm.yamltree.style import PlainData
    from krm.yamltree.target import Target

    Holder: TypeAlias = "AmendedMapping | AmendedSequence | dict[str, Any] | list[Any]"


_OPEN = (AmendedMapping, AmendedSequence, dict, list)
_NOTHING: Any = object()  # None is the target of a null


class NoSuchPlaceError(KeyError):
    """A place is empty and nothing can be added there. The message says what is at the place `above` it."""

    def __init__(self, problem: str, above: Place = ()) -> None:
        super().__init__(problem)
        self.above = above

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError puts it in quotes


class Changes:
    """Changes of the tree below `root`, which stays. `target` is the tree after them.

    `moves` tells if an element moves, comes or goes before the end of a list, or a node changes its kind. `difference`
    returns what makes the target of a new value for a node.
    """

    def __init__(self, root: Node | None, difference: Callable[[], Difference] = Difference) -> None:
        self.root = root
        self.target: Target = root
        self.moves = False
        self._difference = difference

    def get(self, place: Place) -> Target:
        """Return the target at `place`, None if there is none."""
        depth, innermost = self._innermost(place)
        return dereferenced(innermost) if depth == len(place) else None

    def has(self, place: Place) -> bool:
        """True if there is a target at `place`."""
        return self._innermost(place)[0] == len(place)

    def set(self, place: Place, value: PlainData) -> dict[Place, dict[int, int]]:
        """Put `value` at `place`. Mappings that are missing on the way are added.

        Only what differs from the old value changes, in mappings and lists too. A new entry goes to the end of its
        mapping. KeyError if a list has no such element, or a scalar is on the way.
        Return, for each list that changes, the new index of each element that stays by its old one.
        """
        depth, innermost = self._innermost(place)
        # The old value may hold comments and anchors of its author, so only the difference is written.
        if depth == len(place):
            difference = self._difference()
            self.put(place, difference.target(innermost, value, place))
            self._note(difference.moves)
            return difference.moved
        # The innermost old collection gets one new value, which holds all that is new below it.
        collection = dereferenced(innermost)
        of_lists = (n for n, step in enumerate(place) if n >= depth and not isinstance(step, str))
        end = depth if is_list(collection) else next(of_lists, None)
        if end is not None:
            raise NoSuchPlaceError(_clause(self.get(place[:end])), place[:end])  # the list is too short or missing
        for step in reversed(place[depth + 1 :]):
            value = {str(step): value}
        name = str(place[depth])
        if is_mapping(collection):
            self.put(place[: depth + 1], copied(value))
        # People write an empty mapping as `labels:`. So a mapping replaces a null, and no other scalar.
        elif collection is None or (isinstance(collection, Scalar) and scalars.typed(collection) is None):
            self.put(place[:depth], {name: copied(value)})
        else:
            raise NoSuchPlaceError(_clause(collection), place[:depth])
        return {}

    def insert(self, place: Place, index: int, value: PlainData) -> None:
        """Insert `value` at `index` into the list at `place`. KeyError if there is no list, or it is shorter.

        `insert(("a",), 1, "x")` makes

            a:          a:
            - 1         - 1
            # of 2      - x
            - 2         # of 2
                        - 2
        """
        elements = self.elements(place)
        if index not in range(len(elements) + 1):
            raise _no_index(elements, index)
        self._note(index != len(elements))
        elements.insert(index, copied(value))

    def move(self, place: Place, index: int) -> None:
        """Move the list element at `place` to `index`, with its comments. KeyError if there is no such element."""
        elements = self.elements(place[:-1])
        at = place[-1]
        if not isinstance(at, int) or at not in range(len(elements)) or index not in range(len(elements)):
            raise _no_index(elements, index)
        self._note(index != at)
        elements.insert(index, elements.pop(at))

    def delete(self, place: Place) -> bool:
        """Delete the entry or element at `place`, with its comments. True if it was there. KeyError for the root."""
        if not place:
            raise KeyError(place)
        # A missing entry is no error: after a deletion it has to be missing.
        if not self.has(place):
            return False
        holder = self._opened(place[:-1])
        if isinstance(holder, AmendedMapping | dict):
            if place[-1] not in entries_of(holder):
                raise NoSuchPlaceError("`<<` is no field")
            del entries_of(holder)[str(place[-1])]
        else:
            elements, index = elements_of(holder), int(place[-1])
            self._note(index != len(elements) - 1)
            del elements[index]
        return True

    def rewrite(self, place: Place, changes: list[Edit]) -> None:
        """Change parts of the scalar at `place`. The edits count in its value. KeyError if there is no scalar."""
        there = self.get(place)
        if not isinstance(there, Scalar):
            raise KeyError(place)
        self.put(place, Rewritten(there, changes))

    def put(self, place: Place, target: Target) -> None:
        """Put `target` at `place`, in the place of another target or under a new key of a mapping."""
        if not place:
            self.target = target
            return
        holder = self._opened(place[:-1])
        if is_list(holder) and not has_kid(holder, place[-1]):
            raise KeyError(place)
        _put(holder, place[-1], target)

    def elements(self, place: Place) -> list[Target]:
        """Return the elements of the list at `place`, to be changed. KeyError if there is no list."""
        listed = self.get(place)
        if not is_list(listed):
            what = "a mapping and " if is_mapping(listed) else "" if listed is None else "a scalar and "
            raise NoSuchPlaceError(f"there is {what}no list")
        return elements_of(self._opened(place))  # type: ignore[arg-type]  # a list

    def _note(self, moves: bool) -> None:  # noqa: FBT001 - what is noted
        self.moves = self.moves or moves

    def _innermost(self, place: Place) -> tuple[int, Target]:
        """Return the longest part of `place` that leads to a target: its length, and the target."""
        reached = self.target
        for depth, step in enumerate(place):
            below = kid_of(dereferenced(reached), step, _NOTHING)
            if below is _NOTHING:
                return depth, reached
            reached = below
        return len(place), reached

    def _opened(self, place: Place) -> Holder:
        """Return the collection at `place` in a form whose entries can be changed."""
        holder = _open(self.target)
        self.target = holder
        for step in place:
            kid = kid_of(holder, step)
            below = _open(kid)
            if below is not kid:  # no earlier change has opened it
                _put(holder, step, below)
            holder = below
        return holder


def _open(target: Target) -> Holder:
    """Return a collection in a form whose entries can be changed. KeyError for anything else."""
    target = dereferenced(target)
    if isinstance(target, Mapping):
        return AmendedMapping(target, dict(target.items()))
    if isinstance(target, Sequence):
        return AmendedSequence(target, [*target.kids])
    if isinstance(target, _OPEN):
        return target
    raise NoSuchPlaceError(_clause(target))


def _put(holder: Holder, step: str | int, target: Target) -> None:
    if isinstance(holder, AmendedMapping | dict):
        entries_of(holder)[str(step)] = target
    else:
        elements = elements_of(holder)
        elements[int(step)] = in_its_place(elements[int(step)], target)


def _clause(target: Target) -> str:
    """Return the clause of a message that names the target in the place of another collection."""
    if is_mapping(target):
        return "there is a mapping and no list"
    if not is_list(target):
        found = f"`{target.value if isinstance(target, Scalar) else target}`, and "
        return f"there is {'' if target is None else found}neither a mapping nor a list"
    size = len(elements_of(target))
    return f"there is a list of {size} element{'' if size == 1 else 's'}"


def has_kid(target: Target, step: str | int) -> bool:
    """True if a mapping has this key, or a list this index. Its value may be a null."""
    return kid_of(target, step, _NOTHING) is not _NOTHING


def kid_of(target: Target, step: str | int, otherwise: Any = None) -> Target:  # noqa: ANN401 - of the caller
    """Return the target at a key of a mapping or an index of a list, `otherwise` without one."""
    # A copy of all kids would be too slow: a loop may ask for each of thousands.
    if isinstance(target, Collection):
        return nodes.kid(target, step) or otherwise
    if isinstance(step, str):
        return entries_of(target).get(step, otherwise) if is_mapping(target) else otherwise
    return elements_of(target)[step] if is_list(target) and 0 <= step < len(elements_of(target)) else otherwise


def _no_index(elements: Sized, index: int) -> NoSuchPlaceError:
    count = len(elements)
    return NoSuchPlaceError(f"the list has {count} {'element' if count == 1 else 'elements'}, and no place {index!r}")
