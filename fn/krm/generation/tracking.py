"""The annotations of a generated item: what it was generated as, and by whom. The next run reads them."""

from __future__ import annotations

from krm.generation import DOMAIN, GENERATED_BY, LAST_GENERATED
from krm.yamltree.nodes import Mapping, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krm.resource import Resource

_KUSTOMIZE_ID = "kustomize.config.k8s.io/id"
_ANNOTATIONS = ("metadata", "annotations")
_DOLLAR = r"\u0024"


class Tracking:
    """The names of the annotations, which are under the domain of the function that generates."""

    __slots__ = ("generated_by", "last_generated")

    def __init__(self, domain: str = DOMAIN) -> None:
        self.generated_by = f"{domain}/{GENERATED_BY}"
        self.last_generated = f"{domain}/{LAST_GENERATED}"

    def owner(self, item: Resource) -> str:
        """Return the functionConfig that generated an item, empty where it names none."""
        return item.annotations.get(self.generated_by, "").partition(" ")[0]

    def template(self, item: Resource) -> str:
        """Return the template that an item was generated from, by its identity as it is written; empty if unknown."""
        return item.annotations.get(self.generated_by, "").partition(" ")[2].replace(_DOLLAR, "$")

    def has_origin(self, item: Resource) -> bool:
        """True if an item carries what it was generated as. The annotation is written by us: the text shows it."""
        return self.last_generated in item.text and self.last_generated in item.annotations

    def write(self, item: Resource, last_generated: str, owner: str, template: str) -> None:
        """Write what an item was generated as, and its owner, which is empty for a generator that cannot own it."""
        if owner:
            # kustomize's `vars` expand annotations.
            item.set_annotation(self.generated_by, f"{owner} {template}".replace("$", _DOLLAR))
        else:
            item.delete((*_ANNOTATIONS, self.generated_by))
        item.set_annotation(self.last_generated, last_generated)

    def remove(self, item: Resource) -> None:
        """Remove both annotations from an item, and `annotations:` if it holds nothing else."""
        ours = {self.last_generated, self.generated_by} & item.annotations.keys()
        annotations = next((resolved(node) for _, node in item.find(_ANNOTATIONS)), None)
        if isinstance(annotations, Mapping) and {key for key, _ in annotations.items()} == ours:
            item.delete(_ANNOTATIONS)
        else:
            for key in sorted(ours):
                item.delete((*_ANNOTATIONS, key))


def are_read_again(items: Sequence[Resource], function_config: Resource | None) -> bool:
    """True if the next run gets what is written on these items: everywhere but under `kustomize build`.

    kustomize gives each item an id; to a generator it shows nothing but the functionConfig, which is from no file then.
    """
    if any(_KUSTOMIZE_ID in item.source and _KUSTOMIZE_ID in item.annotations for item in items):
        return False
    return not items or any(item.file is not None or not _is_same(item, function_config) for item in items)


def _is_same(item: Resource, function_config: Resource | None) -> bool:
    return function_config is not None and item.ref.as_data() == function_config.ref.as_data()
