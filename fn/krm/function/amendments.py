"""Edits of one object, gathered as a target tree and made at once: one parse and one proof for all of them.

A place is a tuple of keys and indexes in the tree as it is wanted so far. A step along a place makes a collection of
the text an `Amended` one, whose entries can be exchanged.
"""

from __future__ import annotations

from krm.fieldpath import Match, Wildcard
from krm.function.difference import Difference
from krm.yamltree import scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place, Segment
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target

    Steps: TypeAlias = Iterable[tuple[str | int, Target]]


class NoSuchPlaceError(Exception):
    """A path leads to no field, and none can be added there: the message says why."""


class Amendments:
    """The edits of the object `root` of `text`, as the `target` that they amount to.

    `moves` is True once an element of a list moved, or a node changed its kind: kpt and kustomize must not find the
    object again then (docs/sdk.md, "Comments and orchestrators").
    """

    def __init__(self, root: Node, text: str) -> None:
        self.target: Target = root
        self._difference = Difference(text)
        self.is_empty = True

    @property
    def moves(self) -> bool:
        """True if a list was rearranged or a node changed its kind."""
        return self._difference.moves

    @property
    def moved(self) -> dict[Place, dict[int, int]]:
        """The new index of each element that stayed when its list was set, by the place of the list and its old one."""
        return self._difference.moved

    def places(self, path: FieldPath) -> list[Place]:
        """Return every place that a path leads to."""
        found: list[tuple[Place, Target]] = [((), self.target)]
        for segment in path:
            found = [((*place, step), kid) for place, target in found for step, kid in _steps(target, segment)]
        return [place for place, _ in found]

    def at(self, place: Place) -> Target | None:
        """Return the target at a place, None if there is none. A null of a plain value is None too."""
        target: Target | None = self.target
        for step in place:
            target = next((kid for _, kid in _steps(target, step)), None)
        return target

    def set(self, place: Place, value: Value) -> None:
        """Make `value` stand at a place, as a difference of what is there. NoSuchPlaceError, EditError."""
        # The object itself is in no collection that could be opened.
        if not place:
            self.target = self._difference.target(self.target, value, place)
            self.is_empty = False
            return
        parent = self._opened(place[:-1])
        step = place[-1]
        if isinstance(parent, list):
            if not isinstance(step, int) or not 0 <= step < len(parent):
                raise NoSuchPlaceError("there is no such list or mapping")
            parent[step] = self._difference.target(parent[step], value, place)
        elif isinstance(step, int):
            raise NoSuchPlaceError("there is a mapping and no list")
        else:
            key = step
            there = self.at(place)
            parent[key] = value if there is None else self._difference.target(there, value, place)
        self.is_empty = False

    def delete(self, place: Place) -> None:
        """Delete the entry or element at a place, with its comments."""
        parent, step = self._opened(place[:-1]), place[-1]
        if isinstance(parent, list):
            index = int(step)
            # What stands below moves up, and kpt would copy comments by the old positions.
            self._difference.moves = self.moves or index != len(parent) - 1
            del parent[index]
        else:
            key = str(step)
            if key not in parent:
                raise NoSuchPlaceError(f"`{key}` is merged in by `<<` and can only be deleted where it is written")
            del parent[key]
        self.is_empty = False

    def insert(self, place: Place, index: int, target: Target) -> None:
        """Insert an element into the list at a place. NoSuchPlaceError if there is no list of that length."""
        elements = self._opened_list(place)
        if not 0 <= index <= len(elements):
            raise NoSuchPlaceError(f"the list has {len(elements)} elements")
        # At the end nothing moves, and kpt may copy comments by position.
        self._difference.moves = self.moves or index != len(elements)
        elements.insert(index, target)
        self.is_empty = False

    def move(self, place: Place, index: int) -> None:
        """Move the element at a place to `index` of its list, with its comments."""
        elements = self._opened_list(place[:-1])
        if not 0 <= index < len(elements):
            raise NoSuchPlaceError(f"the list has {len(elements)} elements")
        elements.insert(index, elements.pop(int(place[-1])))
        self._difference.moves = self.moves or index != place[-1]
        self.is_empty = False

    def length(self, place: Place) -> int:
        """Return the number of elements of the list at a place, 0 for null or nothing."""
        target = self.at(place)
        # `containers:` with nothing behind it is a list without elements to its author.
        if target is None or _is_null(target):
            return 0
        return len(self._opened_list(place))

    def _opened_list(self, place: Place) -> list[Target]:
        found = self._opened(place, [])
        if not isinstance(found, list):
            raise NoSuchPlaceError("there is a mapping and no list")
        return found

    def _opened(self, place: Place, empty: Any = None) -> Any:  # noqa: ANN401 - the dict or list to be changed
        """Return the entries or elements of the collection at a place, ready to be changed. Absent ones are added.

        `empty` is what to add at the end of the place where nothing is, a mapping unless said.
        """
        # Opened from the root: a collection that stays as it is needs no entries of its own.
        self.target = opened = _open(self.target, {} if place or empty is None else empty)
        found = _inside(opened)
        for depth, step in enumerate(place, 1):
            below: Any = {} if depth < len(place) or empty is None else empty
            if isinstance(found, list):
                if not isinstance(step, int) or not 0 <= step < len(found):
                    raise NoSuchPlaceError("there is no such list or mapping")
                found[step] = opened = _open(found[step], below)
            else:
                there = found.get(str(step))
                # What `<<` shows is copied on the way, so that the change shows in one place only.
                there = _merged(opened, str(step)) if there is None else there
                found[str(step)] = opened = _open(there, below)
            found = _inside(opened)
        return found


def plain(value: Any) -> Value:  # noqa: ANN401 - checked here
    """Return a value as dicts, lists and scalars. TypeError for a type that YAML does not have."""
    if value is None or isinstance(value, str | int | float):
        return value
    # Any mapping will do, one of the author's own too. A str has no keys.
    if isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        if wrong := next((key for key in value if not isinstance(key, str)), None):
            raise TypeError(f"a key of a mapping is a str, found {wrong!r} of type `{type(wrong).__name__}`")
        return {key: plain(value[key]) for key in value}
    # No other iterables: a set has no order, and a generator would be empty the second time.
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    raise TypeError(f"YAML has no values of type `{type(value).__name__}`: write {value!r} as a str")


def _open(target: Target | None, empty: Any) -> Any:  # noqa: ANN401 - a collection of any kind
    """Return a target whose entries or elements can be changed; a copy of `empty` in place of nothing or null."""
    node = resolved(target) if isinstance(target, Scalar | Alias | Collection) else target
    if isinstance(node, Mapping):
        return AmendedMapping(node, dict(node.entries))  # type: ignore[arg-type]
    if isinstance(node, Sequence):
        return AmendedSequence(node, [*node.kids])
    if isinstance(node, dict | list):
        return node.copy()
    if node is None or _is_null(node):
        return empty.copy()
    if isinstance(node, AmendedMapping | AmendedSequence):
        return node
    raise NoSuchPlaceError("there is no such list or mapping")


def _inside(target: Any) -> Any:  # noqa: ANN401 - the dict or list of a collection of any kind
    if isinstance(target, AmendedMapping):
        return target.entries
    return target.elements if isinstance(target, AmendedSequence) else target


def _merged(target: Any, key: str) -> Target | None:  # noqa: ANN401 - a collection of any kind
    return target.node.get(key) if isinstance(target, AmendedMapping) and "<<" in target.entries else None


def _is_null(target: Target) -> bool:
    return target is None or (isinstance(target, Scalar) and scalars.typed(target) is None)


def _steps(target: Target | None, segment: Segment) -> Steps:
    """Return the targets below one that `segment` leads to, each with its key or index."""
    node = resolved(target) if isinstance(target, Scalar | Alias | Collection) else target
    if isinstance(node, Mapping | AmendedMapping | dict):
        return _values(node, segment)
    if isinstance(node, Sequence):
        return _elements(node.kids, segment)
    if isinstance(node, AmendedSequence):
        return _elements(node.elements, segment)
    return _elements(node, segment) if isinstance(node, list) else ()


def _values(target: Mapping | AmendedMapping | dict[str, Any], segment: Segment) -> Steps:
    if isinstance(segment, str):
        inside = {} if isinstance(target, Mapping) else _inside(target)
        # An entry of the mapping itself wins over one that `<<` merges in.
        if segment in inside:  # the value may be None, a null that was set
            return ((segment, inside[segment]),)
        merged = target.get(segment) if isinstance(target, Mapping) else _merged(target, segment)
        return () if merged is None else ((segment, merged),)
    if not isinstance(segment, Wildcard):
        return ()
    return [*(target.items() if isinstance(target, Mapping) else _inside(target).items())]


def _elements(elements: list[Any], segment: Segment) -> Steps:
    if isinstance(segment, Wildcard):
        return [*enumerate(elements)]
    if isinstance(segment, Match):
        return [(index, one) for index, one in enumerate(elements) if _text(one, segment.key) == segment.value]
    return [(index, one) for index, one in enumerate(elements) if str(index) == str(segment)]


def _text(element: Target, key: str) -> str | None:
    """Return the text of the scalar under `key` of an element, None if there is none."""
    found = next((one for _, one in _steps(element, key)), None)
    found = resolved(found) if isinstance(found, Scalar | Alias | Collection) else found
    if isinstance(found, Scalar):
        return found.value
    if found is None or isinstance(found, dict | list | Collection | AmendedMapping | AmendedSequence):
        return None
    return found if isinstance(found, str) else scalars.leaf(found, flow=False)  # type: ignore[arg-type]
