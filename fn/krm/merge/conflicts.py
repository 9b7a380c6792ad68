"""What a merge tells beside its result: conflicts and notes. They are data; the caller makes sentences of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.yamltree.nodes import Node

CONFLICT = "Conflict"
"""Both sides changed a field, differently."""

KEPT_ADDITION = "KeptAddition"
"""A map is gone on one side; the keys that the other side added to it stay."""

KEPT_ELEMENTS = "KeptElements"
"""A list is gone on one side; the elements that the other side added to it stay."""

DUPLICATE_KEYS = "DuplicateKeys"
"""Several elements of a list have the same key: the first was matched with the first, and so on."""

NO_LONGER_APPLIED = "NoLongerApplied"
"""A field goes since `kubectl apply` has applied it before, and it is not applied now."""

ENV_REORDERED = "EnvReordered"
"""A definition was moved ahead of what refers to it."""

FORWARD_REFERENCE = "ForwardReference"
"""An env entry refers to one below it, and did so before."""


class Conflict:
    """A field that origin, update and local each have differently; a side that lacks it has None.

    `path` leads to the smallest node that both sides changed. `resolution` is what the policy says of it: one of
    `policy.TAKE_UPDATE`, `KEEP_LOCAL`, `ERROR`; the result has local's value for the last two.
    """

    __slots__ = ("local", "origin", "path", "resolution", "update")

    reason = CONFLICT

    def __init__(
        self,
        path: FieldPath,
        *,
        origin: Node | None,
        update: Node | None,
        local: Node | None,
        resolution: str,
    ) -> None:
        self.path = path
        self.origin = origin
        self.update = update
        self.local = local
        self.resolution = resolution


class Note:
    """Something else worth telling of the field at `path`: `reason` is one of the words above."""

    __slots__ = ("detail", "path", "reason")

    def __init__(self, reason: str, path: FieldPath, detail: str) -> None:
        self.reason = reason
        self.path = path
        self.detail = detail


class Refused(Exception):  # noqa: N818 - what the caller reports is the sentence
    """The sides cannot be merged, since what stands at `path` is no data: the message says what, and what to do."""

    def __init__(self, path: FieldPath, message: str) -> None:
        super().__init__(message)
        self.path = path
