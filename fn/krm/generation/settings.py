"""The settings of a generator, and the identity and the mark by which the next run knows what it has generated."""

from __future__ import annotations

from krm.generation import DOMAIN, GENERATED_BY
from krm.merge import trees
from krm.merge.policy import MergeOptions
from krm.results import Result, severity_of
from krm.workloads import PodSpecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Protocol, TypeAlias

    from krm.resource import Resource

    Identity: TypeAlias = tuple[str, str, str, str]

    class Listed(Protocol):
        """The items of a run, which come and go: those of a text, or those of the files of a package."""

        items: tuple[Resource, ...]
        results: list[Result]

        @property
        def place(self) -> Callable[[Resource, str, int | None], None] | None:
            """Gives a new item its file, and its place in that; None where only annotations can say them."""

        def add(self, text: str, *, is_yaml: bool = False) -> Resource:
            """Add a document behind the other items, which nobody need look at again if it `is_yaml`."""

        def remove(self, *items: Resource) -> None:
            """Remove items."""

    class Current(Protocol):
        """The items of a run that show its values already, as texts tell."""

        def take(self, item: Resource, text: str) -> bool:
            """True if an item is one, by its text with the templates in comments. Nobody need expand it then."""

        def spelled(self, template: str) -> str:
            """Return how a run writes what it makes of a template, empty where only the field can tell."""


PRUNE, KEEP, PRUNE_ALL = "true", "false", "All"
"""What becomes of an item that is no longer generated; only with PRUNE_ALL may all of them go at once."""

LATER = "Later"
"""What becomes of two items that are called the same: the later is merged into the first, as what was generated."""

_OURS = f"{DOMAIN}/"
_SKIP = f"{DOMAIN}/skip"  # which is the user's own
# kustomize's `vars` expand annotations: a `$(NAME)` of ours would be replaced there.
_DOLLAR = r"\u0024"


class Settings:
    """The generator of a run, and the rules by which its resources are merged.

    `function_config` is the owner of the resources: one without a name owns nothing. `owner` stands in for it. The
    mark and the state are of `domain`. `is_selected` is true for an item that may be changed at all. What stands
    for a name that `is_secret` is shown to nobody. `rendered` returns what the references
    of what is generated become by themselves, None where no run expands them; `current` are the items that show that
    already. `pod_specs` says which kinds have pod
    templates. Only where a run `is_in_place`, so that the next one reads what it writes, a state or a mark is added.
    """

    def __init__(  # noqa: PLR0913 - all that generators differ in
        self,
        function_config: Resource | None = None,
        *,
        domain: str = DOMAIN,
        owner: str = "",
        merge: MergeOptions | None = None,
        prune: str = PRUNE,
        is_selected: Callable[[Resource], bool] = lambda _: True,
        is_secret: Callable[[str], bool] = lambda _: False,
        rendered: Callable[[Resource], Resource] | None = None,
        current: Current | None = None,
        pod_specs: PodSpecs | None = None,
        is_in_place: bool = False,
    ) -> None:
        self.function_config = function_config
        self.owner = owner
        self.tracking = Tracking(domain)
        self.merge = MergeOptions() if merge is None else merge
        self.pod_specs = PodSpecs() if pod_specs is None else pod_specs
        self.is_in_place = is_in_place
        self.prune = prune
        self.is_selected = is_selected
        self.is_secret = is_secret
        self.rendered = rendered
        self.current = current

    def result(self, message: str, severity: str, reason: str) -> Result:
        """Return a result about the generator."""
        config = self.function_config
        return Result(message, severity, reason, ref=None if config is None else config.ref)

    def notice(self, message: str, reason: str) -> Result:
        """Return a result about the generator, of which the reason alone says how serious it is."""
        return self.result(message, severity_of(reason), reason)


class Tracking:
    """The mark of a generated item: the annotation that names its functionConfig and its template."""

    __slots__ = ("domain", "generated_by")

    def __init__(self, domain: str = DOMAIN) -> None:
        self.domain = domain
        self.generated_by = f"{domain}/{GENERATED_BY}"

    def names(self, item: Resource) -> tuple[str, str]:
        """Return the functionConfig and the template that the mark of an item names, empty where it has none."""
        owner, _, template = (item.annotation(self.generated_by) or "").partition(" ")
        return owner, template.replace(_DOLLAR, "$")

    def mark(self, owner: str, template: str) -> dict[str, str]:
        """Return the annotation of an item that `owner` generates from a template."""
        return {self.generated_by: f"{owner} {template}".replace("$", _DOLLAR)}


def identity(resource: Resource) -> Identity:
    """Return the group, kind, namespace and name of an object. One without a namespace is in the default one."""
    return resource.group, resource.kind, namespace(resource.namespace), resource.name


def namespace(name: str) -> str:
    """Return the name of a namespace, empty for the one that needs no name."""
    return "" if name == "default" else name


def remove(item: Resource, keys: Collection[str]) -> None:
    """Remove annotations from an item, and `annotations:` if it holds nothing else."""
    there = item.annotation_keys or ()
    # An empty `annotations:` that we made would stay for ever, and be a change of each item that was ever generated.
    if there and not {*there} - {*keys}:
        item.delete(trees.ANNOTATIONS)
    else:
        item.delete(*((*trees.ANNOTATIONS, key) for key in there if key in keys))


def forget(item: Resource) -> None:
    """Remove what an item that somebody pasted into a template remembers: it is about another resource."""
    # We wrote them without escapes, so the text shows them: a template is not parsed for this.
    if item.spells(_OURS):
        remove(item, [key for key in item.annotation_keys or () if key.startswith(_OURS) and key != _SKIP])


def is_note(key: str) -> bool:
    """Return True if an annotation is nothing that is generated: a note of an orchestrator, or one of ours."""
    return trees.is_bookkeeping(key) or key.startswith(_OURS)
