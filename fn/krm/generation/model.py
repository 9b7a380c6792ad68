"""What a run generates, and how it is to be merged."""

from __future__ import annotations

from krm.generation import DOMAIN
from krm.generation.tracking import Tracking
from krm.merge.options import MergeOptions
from krm.workloads import PodSpecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Protocol

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Scalar

    class Memory(Protocol):
        """What an item remembers of texts that were rendered into it."""

        @property
        def shown(self) -> dict[Place, Scalar]:
            """The template of each field that still holds what was rendered from it: a merge compares these."""

        @property
        def secrets(self) -> Collection[Place]:
            """The fields that something secret was rendered into."""

        def move(self, item: Resource, places: dict[Place, Place]) -> None:
            """Write what still holds after a merge: each field stands at its new place, one without is gone."""


PRUNE, KEEP, PRUNE_ALL = "true", "false", "All"
"""What becomes of an item that is no longer generated; only with PRUNE_ALL may all of them go at once."""


LATER = "Later"
"""What becomes of two items that are called the same: the later is merged into the first, as what was generated."""


class Generated:
    """A resource as it is generated now: the text of a YAML document. `place` is what to call it in messages.

    `folder` is where its file goes if it is new and does not say that itself (docs/wrap.md), None to leave that open.
    At `secrets` of it something secret was inserted. `template` is the identity of its template as it is written, which
    stays the same when a variable in the name changes.
    """

    __slots__ = ("folder", "place", "secrets", "template", "text")

    def __init__(
        self, text: str, place: str, folder: str | None = None, secrets: Collection[Place] = (), template: str = ""
    ) -> None:
        self.text = text
        self.place = place
        self.folder = folder
        self.secrets = secrets
        self.template = template


class Settings:
    """Who generates, and how the resources are merged.

    `function_config` is the owner of the resources: one without a name owns nothing. `owner` stands in for it. The
    annotations are under `domain`. `is_selected` is true for an item that may be changed at all. `references` returns
    the names that a text refers to: an entry of `env` stands behind those that it refers to. `memory` returns what an
    item remembers of texts that were rendered into it, None for nothing. `pod_specs` says which kinds have pod
    templates.
    """

    __slots__ = (
        "function_config",
        "is_selected",
        "memory",
        "merge",
        "owner",
        "pod_specs",
        "prune",
        "references",
        "tracking",
    )

    def __init__(  # noqa: PLR0913 - all that generators differ in
        self,
        function_config: Resource | None = None,
        *,
        domain: str = DOMAIN,
        owner: str = "",
        merge: MergeOptions | None = None,
        prune: str = PRUNE,
        is_selected: Callable[[Resource], bool] = lambda _: True,
        references: Callable[[str], Iterable[str]] = lambda _: (),
        memory: Callable[[Resource], Memory | None] = lambda _: None,
        pod_specs: PodSpecs | None = None,
    ) -> None:
        self.function_config = function_config
        self.owner = owner
        self.tracking = Tracking(domain)
        self.merge = MergeOptions() if merge is None else merge
        self.pod_specs = PodSpecs() if pod_specs is None else pod_specs
        self.prune = prune
        self.is_selected = is_selected
        self.references = references
        self.memory = memory
