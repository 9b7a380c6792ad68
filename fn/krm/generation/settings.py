"""The settings of a generator, and the annotations in which it keeps its books.

The next run reads the annotations: they say who generated an item, from which template, and as what.
"""

from __future__ import annotations

from krm.generation import DOMAIN, GENERATED_BY, LAST_GENERATED
from krm.merge import trees
from krm.merge.options import MergeOptions
from krm.workloads import PodSpecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Protocol

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Scalar

    class Listed(Protocol):
        """The items of a run, which come and go: those of a text, or those of the files of a package."""

        items: tuple[Resource, ...]
        results: list[Result]

        @property
        def place(self) -> Callable[[Resource, str, int | None], None] | None:
            """Gives a new item its file, and its place in that; None where only annotations can say them."""

        def add(self, text: str) -> Resource:
            """Add a document behind the other items."""

        def remove(self, *items: Resource) -> None:
            """Remove items."""

    class Memory(Protocol):
        """The record of the texts that were rendered into an item."""

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

_PROGRAM = "config.kubernetes.io/function"
_KUSTOMIZE_ID = "kustomize.config.k8s.io/id"
_OURS = f"{DOMAIN}/"
_SKIP = f"{DOMAIN}/skip"  # which is the user's own
# kustomize's `vars` expand annotations: a `$(NAME)` of ours would be replaced there.
_DOLLAR = r"\u0024"


class Settings:
    """The generator of a run, and the rules by which its resources are merged.

    `function_config` is the owner of the resources: one without a name owns nothing. `owner` stands in for it. The
    annotations are under `domain`. `is_selected` is true for an item that may be changed at all. `references` returns
    the names that a text refers to: an entry of `env` stands behind those that it refers to. `memory` returns what an
    item remembers of texts that were rendered into it, None for nothing. `pod_specs` says which kinds have pod
    templates. Where nothing `is_remembered`, the items lose the annotations that they have.
    """

    __slots__ = (
        "function_config",
        "is_remembered",
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
        is_remembered: bool = True,
    ) -> None:
        self.function_config = function_config
        self.owner = owner
        self.tracking = Tracking(domain)
        self.merge = MergeOptions() if merge is None else merge
        self.pod_specs = PodSpecs() if pod_specs is None else pod_specs
        self.is_remembered = is_remembered
        self.prune = prune
        self.is_selected = is_selected
        self.references = references
        self.memory = memory


class Tracking:
    """The names of the annotations, which are under the domain of the function that generates."""

    __slots__ = ("generated_by", "last_generated")

    def __init__(self, domain: str = DOMAIN) -> None:
        self.generated_by = f"{domain}/{GENERATED_BY}"
        self.last_generated = f"{domain}/{LAST_GENERATED}"

    def owner(self, item: Resource) -> str:
        """Return the functionConfig that generated an item, empty where it names none."""
        return (item.annotation(self.generated_by) or "").partition(" ")[0]

    def template(self, item: Resource) -> str:
        """Return the template that an item was generated from, by its identity as it is written; empty if unknown."""
        return (item.annotation(self.generated_by) or "").partition(" ")[2].replace(_DOLLAR, "$")

    def has_origin(self, item: Resource) -> bool:
        """True if an item carries what it was generated as. The annotation is written by us: the text shows it."""
        return self.last_generated in item.text and item.annotation(self.last_generated) is not None

    def unreadable(self, item: Resource) -> str:
        """Return the message for an item of which one of the annotations is no text; empty where both can be read."""
        return item.unreadable(self.generated_by) or item.unreadable(self.last_generated)

    def origin(self, item: Resource) -> str:
        """Return the text of what an item that has an origin was generated as."""
        return item.annotation(self.last_generated) or ""

    def notes(self, last_generated: str, owner: str, template: str) -> dict[str, str]:
        """Return the annotations that say what an item was generated as, and its owner.

        That is empty for a generator that cannot own it.
        """
        by = {self.generated_by: f"{owner} {template}".replace("$", _DOLLAR)} if owner else {}
        return by | {self.last_generated: last_generated}

    def write(self, item: Resource, notes: dict[str, str]) -> None:
        """Write the annotations of an item that was generated."""
        # An owner of an earlier run would prune what nobody owns now.
        if self.generated_by not in notes:
            item.delete((*trees.ANNOTATIONS, self.generated_by))
        item.set_annotations(notes)

    def remove(self, item: Resource) -> None:
        """Remove both annotations from an item, and `annotations:` if it holds nothing else."""
        remove(item, {self.last_generated, self.generated_by})


def remove(item: Resource, keys: Collection[str]) -> None:
    """Remove annotations from an item, and `annotations:` if it holds nothing else."""
    there = item.annotation_keys or ()
    # An empty `annotations:` that we made would stay for ever, and be a change of each item that was ever generated.
    if there and not {*there} - {*keys}:
        item.delete(trees.ANNOTATIONS)
    else:
        for key in sorted({*there} & {*keys}):
            item.delete((*trees.ANNOTATIONS, key))


def forget(item: Resource) -> None:
    """Remove what an item that somebody pasted into a template remembers: it is about another resource."""
    # We wrote them without escapes, so the text shows them: a template is not parsed for this.
    if item.spells(_OURS):
        remove(item, [key for key in item.annotation_keys or () if key.startswith(_OURS) and key != _SKIP])


def is_note(key: str) -> bool:
    """Return True if an annotation is nothing that is generated: a note of an orchestrator, or one of ours."""
    return trees.is_bookkeeping(key) or key.startswith(_OURS)


def are_read_again(items: Sequence[Resource], function_config: Resource | None) -> bool:
    """True if the next run gets what is written on these items: everywhere but under `kustomize build`.

    kustomize gives each item an id. To a generator it shows nothing but the functionConfig, which names the program in
    an annotation and is from no file: a list that somebody made by hand has no reason to name one.
    """
    if any(_KUSTOMIZE_ID in item.source and _KUSTOMIZE_ID in item.annotations for item in items):
        return False
    # An empty list says nothing, and to write too much is the smaller mistake: the origin is what edits are saved by.
    if not items or function_config is None or _PROGRAM not in function_config.annotations:
        return True
    ref = function_config.ref.as_data()
    return any(item.file is not None or item.ref.as_data() != ref for item in items)
