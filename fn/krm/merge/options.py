"""Options that a caller gives for the merge of one resource into another, as data."""

from __future__ import annotations

from krm.merge.policy import DEFAULT_ON_CONFLICT, DEFAULT_STRATEGY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.merge.policy import OnConflict, Strategy
    from krm.selector import Selector


class MergeKeys:
    """The keys that tell the elements of a list of a kind apart; a group that is None is any.

    A key may lead into an element: `metadata.name`. Without keys an element is known by its data.
    """

    __slots__ = ("field_path", "group", "keys", "kind")

    def __init__(self, *, group: str | None, kind: str, field_path: FieldPath, keys: tuple[str, ...]) -> None:
        self.group = group
        self.kind = kind
        self.field_path = field_path
        self.keys = keys


class FieldOptions:
    """The options of a field, and all below it, of the items that one of `select` matches, all where that is empty.

    It is `enforce`d, always the generated one, or `on_conflict` says what becomes of it when both sides changed it.
    """

    __slots__ = ("enforce", "field_path", "on_conflict", "select")

    def __init__(
        self, *, select: tuple[Selector, ...], field_path: FieldPath, on_conflict: OnConflict | None, enforce: bool
    ) -> None:
        self.select = select
        self.field_path = field_path
        self.on_conflict = on_conflict
        self.enforce = enforce


class MergeOptions:
    """The options by which a generated resource is merged with the one that is there."""

    __slots__ = ("duplicates", "fields", "infer_list_keys", "merge_keys", "on_conflict", "strategy")

    def __init__(  # noqa: PLR0913 - the keys of `merge`
        self,
        *,
        strategy: Strategy = DEFAULT_STRATEGY,
        on_conflict: OnConflict = DEFAULT_ON_CONFLICT,
        fields: tuple[FieldOptions, ...] = (),
        merge_keys: tuple[MergeKeys, ...] = (),
        infer_list_keys: bool = True,
        duplicates: str = "Keep",
    ) -> None:
        self.strategy = strategy
        self.on_conflict = on_conflict
        self.fields = fields
        self.merge_keys = merge_keys
        self.infer_list_keys = infer_list_keys
        self.duplicates = duplicates
