"""Options that a caller gives for the merge of one resource into another, as data."""

from __future__ import annotations

from krm.merge.policy import DEFAULT_ON_CONFLICT, DEFAULT_STRATEGY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.merge.policy import FieldPolicy, OnConflict, Strategy


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


class MergeOptions:
    """The options by which a generated resource is merged with the one that is there.

    `adopt` is what becomes of one that nobody has generated, where it differs: None to keep it in place, and to do as
    `on_conflict` says in a run that remembers nothing.
    """

    __slots__ = ("adopt", "duplicates", "fields", "infer_list_keys", "merge_keys", "on_conflict", "strategy")

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
