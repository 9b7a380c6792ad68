"""The base rule, and policies: who wins a field that both sides changed (docs/reference/merge.md, "Policies").

The vocabularies of a merge stand here once. The JSON Schema, the command line and the SDK take their choices and their
defaults from here.
"""

from __future__ import annotations

from krm.fieldpath import BELOW, WILDCARD, Match
from krm.vocabulary import assert_never
from krm.yamltree.nodes import resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Literal, TypeAlias, TypeVar

    from krm.fieldpath import FieldPath, Segment
    from krm.selector import Selector
    from krm.yamltree.nodes import Node

    OnConflict: TypeAlias = Literal["TakeUpdate", "KeepLocal", "Error"]
    """The policy for a conflict: take update's value, keep local's, or keep local's and fail."""

    ConflictResolution: TypeAlias = OnConflict | Literal["KeepBoth"]
    """The result of a conflict: as the policy says, or with both changes."""

    Winner: TypeAlias = Literal["update", "local"]
    """The side that wins a conflict."""

    Strategy: TypeAlias = Literal["Merge3", "Apply"]
    """The rules of a merge: those of the 3-way merge, or those of `kubectl apply`."""

    _Value = TypeVar("_Value")

# The first word of each is the default.
ON_CONFLICT: tuple[OnConflict, ...] = ("TakeUpdate", "KeepLocal", "Error")
STRATEGIES: tuple[Strategy, ...] = ("Merge3", "Apply")

DEFAULT_ON_CONFLICT: OnConflict = ON_CONFLICT[0]
DEFAULT_STRATEGY: Strategy = STRATEGIES[0]


class FieldPolicy:
    """The policy of a field, and of all below it. If `on_conflict` is None, the policy of the field around it counts.

    With `enforce` the field gets update's value even if only local changed it. The policy is for the items that a
    selector of `select` matches, for all items if there is none.
    """

    def __init__(
        self,
        path: FieldPath,
        *,
        on_conflict: OnConflict | None = None,
        enforce: bool = False,
        select: tuple[Selector, ...] = (),
    ) -> None:
        self.path = path
        self.on_conflict = on_conflict
        self.enforce = enforce
        self.select = select


class Policy:
    """The policy that holds at one place of a resource.

    `ahead` are the field policies further down, each with the rest of the path to its field.
    """

    def __init__(
        self,
        on_conflict: OnConflict = DEFAULT_ON_CONFLICT,
        ahead: Iterable[tuple[FieldPath, FieldPolicy]] = (),
        *,
        enforce: bool = False,
    ) -> None:
        """Apply the field policies whose path ends here; of two of them the later one counts."""
        ahead = [one for path, field in ahead for one in _ways(path, field)]
        for path, field in ahead:
            if not path:
                on_conflict, enforce = field.on_conflict or on_conflict, field.enforce
        self.on_conflict = on_conflict
        self.enforce = enforce
        self._ahead = [(path, field) for path, field in ahead if path]
        self.forces = enforce or any(field.enforce for _, field in self._ahead)

    @property
    def winner(self) -> Winner:
        """The side that wins a conflict at this place."""
        return winner(self.on_conflict)

    def below_key(self, key: str) -> Policy:
        """Return the policy of the value of `key`."""
        if not self._ahead:
            return self
        return self._below(rest for rest in self._ahead if rest[0][0] in (key, WILDCARD, BELOW))

    def below_element(self, index: int, sides: Iterable[Node | None]) -> Policy:
        """Return the policy of an element of a list. `sides` are its nodes in the three trees."""
        if not self._ahead:
            return self
        elements = [resolved(side) for side in sides]
        return self._below(rest for rest in self._ahead if _is_element(rest[0][0], index, elements))

    def _below(self, met: Iterable[tuple[FieldPath, FieldPolicy]]) -> Policy:
        rest = [(path if path[0] is BELOW else path[1:], field) for path, field in met]
        return Policy(self.on_conflict, rest, enforce=self.enforce)


class MergeKeys:
    """The keys that identify the elements of a list of a kind. The group None stands for any group.

    A key may be a path into an element: `metadata.name`. Without keys an element is identified by its data.
    """

    def __init__(self, *, group: str | None, kind: str, field_path: FieldPath, keys: tuple[str, ...]) -> None:
        self.group = group
        self.kind = kind
        self.field_path = field_path
        self.keys = keys


class MergeOptions:
    """The options for the merge of a generated resource with the item that is there.

    `adopt` is the policy for an item that was there before it was generated. With None a run in place keeps the item's
    values, and a run that remembers nothing does as `on_conflict` says.
    """

    def __init__(  # noqa: PLR0913 - the keys of `merge`
        self,
        *,
        strategy: Strategy = DEFAULT_STRATEGY,
        on_conflict: OnConflict = DEFAULT_ON_CONFLICT,
        fields: tuple[FieldPolicy, ...] = (),
        merge_keys: tuple[MergeKeys, ...] = (),
        infer_list_keys: bool = True,
        duplicates: str = "Keep",
        adopt: OnConflict | None = None,
    ) -> None:
        self.strategy = strategy
        self.on_conflict = on_conflict
        self.fields = fields
        self.merge_keys = merge_keys
        self.infer_list_keys = infer_list_keys
        self.duplicates = duplicates
        self.adopt = adopt


def changed_by(origin: object, update: object, local: object) -> Winner | None:
    """Return the only side that changed a value, "local" if none did or both alike; None if both did: a conflict."""
    if update in (origin, local):
        return "local"
    return "update" if local == origin else None


def base_rule(origin: _Value, update: _Value, local: _Value) -> _Value | None:
    """Return the value of the only side that changed it. None for a conflict, so no side may be None."""
    side = changed_by(origin, update, local)
    return None if side is None else won(side, update=update, local=local)


def winner(on_conflict: OnConflict) -> Winner:
    """Return the side that wins a conflict."""
    match on_conflict:
        case "TakeUpdate":
            return "update"
        case "KeepLocal" | "Error":
            return "local"
        case _:
            return assert_never(on_conflict)


def decided(
    on_conflict: OnConflict, update: _Value, local: _Value, both: _Value | None
) -> tuple[_Value, ConflictResolution]:
    """Return the value after a conflict, and its resolution. `both` has both changes, if they are only neighbours."""
    # With Error somebody is to decide, also about neighbours.
    if both is not None and on_conflict != "Error":
        return both, "KeepBoth"
    return won(winner(on_conflict), update=update, local=local), on_conflict


def won(winner: Winner, *, update: _Value, local: _Value) -> _Value:
    """Return the value of a side: of the one that changed it, or of the winner of a conflict."""
    return {"update": update, "local": local}[winner]


def of_fields(on_conflict: OnConflict = DEFAULT_ON_CONFLICT, fields: Iterable[FieldPolicy] = ()) -> Policy:
    """Return the policy of a whole resource in which `fields` have policies of their own."""
    return Policy(on_conflict, [(field.path, field) for field in fields])


def _ways(path: FieldPath, field: FieldPolicy) -> Iterator[tuple[FieldPath, FieldPolicy]]:
    """Yield a path, and the path without each `**` that it begins with: `**` also stands for no step."""
    yield path, field
    while path and path[0] is BELOW:
        path = path[1:]
        yield path, field


def _is_element(segment: Segment, index: int, sides: Iterable[Node | None]) -> bool:
    if isinstance(segment, Match):
        return any(text_at(side, segment.key) == segment.value for side in sides)
    return segment in (WILDCARD, BELOW) or str(segment) == str(index)
