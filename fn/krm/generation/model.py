"""What a run generates, and how it is to be merged."""

from __future__ import annotations

from expand_vars.functionconfig.model import Merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from krm.fieldpath import Place
    from krm.resource import Resource

PRUNE, KEEP, PRUNE_ALL = "true", "false", "All"
"""What becomes of an item that is no longer generated; only with PRUNE_ALL may all of them go at once."""


LATER = "Later"
"""What becomes of two items that are called the same: the later is merged into the first, as what was generated."""


class Generated:
    """A resource as it is generated now: the text of a YAML document. `place` is what to call it in messages.

    `folder` is where its file goes if it is new and does not say that itself (decision 38), None to leave that open.
    At `secrets` of it something secret was inserted.
    """

    __slots__ = ("folder", "place", "secrets", "text")

    def __init__(self, text: str, place: str, folder: str | None = None, secrets: Collection[Place] = ()) -> None:
        self.text = text
        self.place = place
        self.folder = folder
        self.secrets = secrets


class Settings:
    """Who generates, and how that is merged.

    `function_config` is the owner of what is generated: one without a name owns nothing. `is_selected` says whether an
    item may be changed at all (decision 19).
    """

    __slots__ = ("function_config", "is_selected", "merge", "prune")

    def __init__(
        self,
        function_config: Resource | None = None,
        *,
        merge: Merge | None = None,
        prune: str = PRUNE,
        is_selected: Callable[[Resource], bool] = lambda _: True,
    ) -> None:
        self.function_config = function_config
        self.merge = Merge() if merge is None else merge
        self.prune = prune
        self.is_selected = is_selected
