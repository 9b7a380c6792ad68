"""Who wins a field that both sides changed: globally, and for a field and all below it (decision 31)."""

from __future__ import annotations

from krm.fieldpath import Match, Wildcard
from krm.yamltree.nodes import Mapping, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.fieldpath import FieldPath, Segment
    from krm.yamltree.nodes import Node

TAKE_UPDATE = "TakeUpdate"
KEEP_LOCAL = "KeepLocal"
ERROR = "Error"


class FieldPolicy:
    """What is said of one field: `on_conflict` is None where that is left to the field that it is in.

    An `enforce`d field follows update even where only local changed it (spec/merge.md, 4.29).
    """

    __slots__ = ("enforce", "on_conflict", "path")

    def __init__(self, path: FieldPath, *, on_conflict: str | None = None, enforce: bool = False) -> None:
        self.path = path
        self.on_conflict = on_conflict
        self.enforce = enforce


class Policy:
    """What holds at one place: who wins a conflict there, and whether update is followed.

    `ahead` are the fields further down of which something else is said, each with the rest of the path to it.
    """

    __slots__ = ("_ahead", "enforce", "forces", "on_conflict")

    def __init__(
        self,
        on_conflict: str = TAKE_UPDATE,
        ahead: Iterable[tuple[FieldPath, FieldPolicy]] = (),
        *,
        enforce: bool = False,
    ) -> None:
        """Let the fields that are reached have their say; of two whose paths lead here the later one has it."""
        ahead = list(ahead)
        for path, field in ahead:
            if not path:
                on_conflict, enforce = field.on_conflict or on_conflict, field.enforce
        self.on_conflict = on_conflict
        self.enforce = enforce
        self._ahead = [(path, field) for path, field in ahead if path]
        self.forces = enforce or any(field.enforce for _, field in self._ahead)

    def below_key(self, key: str) -> Policy:
        """Return what holds at the value of `key`."""
        if not self._ahead:
            return self
        return self._below(rest for rest in self._ahead if _is_key(rest[0][0], key))

    def below_element(self, index: int, sides: Iterable[Node | None]) -> Policy:
        """Return what holds at an element of a list: `sides` are what the trees have of it."""
        if not self._ahead:
            return self
        elements = [resolved(side) for side in sides]
        return self._below(rest for rest in self._ahead if _is_element(rest[0][0], index, elements))

    def _below(self, met: Iterable[tuple[FieldPath, FieldPolicy]]) -> Policy:
        return Policy(self.on_conflict, [(path[1:], field) for path, field in met], enforce=self.enforce)


def of_fields(on_conflict: str = TAKE_UPDATE, fields: Iterable[FieldPolicy] = ()) -> Policy:
    """Return what holds at the root of a resource: `fields` are those that are meant for it."""
    return Policy(on_conflict, [(field.path, field) for field in fields])


def _is_key(segment: Segment, key: str) -> bool:
    return segment == key or isinstance(segment, Wildcard)


def _is_element(segment: Segment, index: int, sides: Iterable[Node | None]) -> bool:
    if isinstance(segment, Match):
        return any(_text(side, segment.key) == segment.value for side in sides)
    return isinstance(segment, Wildcard) or str(segment) == str(index)


def _text(element: Node | None, key: str) -> str | None:
    value = resolved(element.get(key)) if isinstance(element, Mapping) else None
    return None if value is None else value.value
