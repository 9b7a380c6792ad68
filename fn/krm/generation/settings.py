"""The settings of a generator, and the identity and the mark by which the next run finds its items again."""

from __future__ import annotations

import re

from krm.merge import trees
from krm.merge.policy import MergeOptions
from krm.resource import DOMAIN, GENERATED_BY, is_bookkeeping
from krm.workloads import PodSpecs
from krm.yamltree import comments, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Protocol, TypeAlias

    from krm.resource import Resource
    from krm.results import ResourceRef, Result

    Identity: TypeAlias = tuple[str, str, str, str]
    GeneratedMark: TypeAlias = tuple[str, str]

    class ItemList(Protocol):
        """The items of a run, which come and go: those of a text, or those of the files of a package."""

        items: tuple[Resource, ...]
        results: list[Result]

        @property
        def place(self) -> Callable[[Resource, str, int | None], None] | None:
            """Gives a new item its file, and its index there; None if only annotations can do this."""

        def add(self, text: str, *, is_yaml: bool = False) -> Resource:
            """Add a document behind the other items. It is not checked if it `is_yaml`."""

        def remove(self, *items: Resource) -> None:
            """Remove items."""

    class CurrentTexts(Protocol):
        """The items that already have the values of this run, which a comparison of texts shows."""

        def take(self, item: Resource, text: str) -> bool:
            """True if an item is current, by its `text` with the templates in comments. Then it is not expanded."""

        def spelled(self, template: str) -> str:
            """Return the text that a run writes for a template, empty if that depends on the field."""


PRUNE, KEEP, PRUNE_ALL = "true", "false", "All"
"""Whether items that are no longer generated are deleted. Only PRUNE_ALL may delete all of them at once."""

LATER = "Later"
"""Of two items with the same identity, the later one is merged into the first, as its update."""

NO_MARK = "", ""

_REFERENCE = re.compile(r"\\\$\\\([^)$]*\\\)")
_OURS = f"{DOMAIN}/"
_SKIP = f"{DOMAIN}/skip"  # which is the user's own
# kustomize's `vars` expand annotations: a `$(NAME)` of ours would be replaced there.
_DOLLAR = r"\u0024"


class Settings:
    """The generator of a run, and the rules by which its resources are merged.

    `function_config` is the owner of the resources; without a name it owns nothing. `owner` is used in its place.
    `domain` is the domain of the mark and the state. `is_selected` is true for an item that may be changed. The text of
    a name that `is_secret` is never shown. `rendered` returns a generated resource with its references expanded; it is
    None if no run expands them. `current` are the items that have these values already. `pod_specs` has the kinds
    with pod templates. A run `is_in_place` if the next one reads its output: only then a state or a mark is added.
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
        current: CurrentTexts | None = None,
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

    @property
    def ref(self) -> ResourceRef | None:
        """The functionConfig, as results name it."""
        return None if self.function_config is None else self.function_config.ref


class Tracking:
    """The mark of a generated item: the annotation that names its functionConfig and its template."""

    def __init__(self, domain: str = DOMAIN) -> None:
        self.domain = domain
        self.generated_by = f"{domain}/{GENERATED_BY}"

    def mark(self, item: Resource) -> GeneratedMark:
        """Return the mark of an item: the functionConfig and the template that it names, both empty without one."""
        written = (item.annotation(self.generated_by) or "").replace(_DOLLAR, "$")
        owner, _, template_name = written.partition(" ")
        return (owner, template_name) if owner else NO_MARK

    def annotation(self, mark: GeneratedMark) -> dict[str, str]:
        """Return the annotation with a mark."""
        return {self.generated_by: " ".join(mark).replace("$", _DOLLAR)}


def identity(resource: Resource) -> Identity:
    """Return the group, kind, namespace and name of an object. One without a namespace is in the default one."""
    return resource.group, resource.kind, namespace(resource.namespace), resource.name


def namespace(name: str) -> str:
    """Return the name of a namespace, empty for the one that needs no name."""
    return "" if name == "default" else name


def may_be(written: str, name: str) -> bool:
    """True if a name, such as an identity, can come of one as `written` in a template: a reference can be any text."""
    return re.fullmatch(_REFERENCE.sub("[^/]*", re.escape(written)), name) is not None


def remove(item: Resource, keys: Collection[str]) -> None:
    """Remove annotations from an item, and `annotations:` if it holds nothing else and has no comment."""
    present = item.annotation_keys
    gone = [(*trees.ANNOTATIONS, key) for key in present if key in keys]
    # An empty `annotations:` of ours would stay for ever, as a change of each item that was once generated.
    item.delete(*([trees.ANNOTATIONS] if gone and len(gone) == len(present) and not _is_commented(item) else gone))


def _is_commented(item: Resource) -> bool:
    """True if a comment belongs to `annotations:` or is in it."""
    whole = item.base + trees.ANNOTATIONS
    text, root = item.editor.text, item.editor.document.root
    return root is not None and any(place[: len(whole)] == whole for place, _ in comments.by_place(text, root))


def forget(item: Resource) -> None:
    """Remove our annotations from an item that somebody pasted into a template: they are about another resource.

    `annotations: null` goes, too: it is no mapping, which the mark needs.
    """
    # We write them without escapes, so a search of the text finds them, and the template is not parsed.
    if item.spells(_OURS):
        remove(item, [key for key in item.annotation_keys if key.startswith(_OURS) and key != _SKIP])
    item.cut()
    if item.may_contain(trees.ANNOTATIONS[-1]) and scalars.is_null(item.at(*trees.ANNOTATIONS)):
        item.delete(trees.ANNOTATIONS)


def is_of_tools(key: str) -> bool:
    """True if an annotation is one of an orchestrator, or one of ours: these are not generated."""
    return is_bookkeeping(key) or key.startswith(_OURS)
