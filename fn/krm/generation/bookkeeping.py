"""What we write on a generated item, for the next run: what it was generated as, and by whom."""

from __future__ import annotations

from krm.generation import GENERATED_BY, LAST_GENERATED
from krm.resource import LAST_APPLIED
from krm.yamltree.nodes import Mapping, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krm.resource import Resource

LARGEST = 200_000
"""The bytes of bookkeeping from which on there is a warning: Kubernetes takes 262,144 of all annotations."""

_KUSTOMIZE_ID = "kustomize.config.k8s.io/id"
_ANNOTATIONS = ("metadata", "annotations")


def is_kept(items: Sequence[Resource], function_config: Resource | None) -> bool:
    """Say whether what is written on these items can be read again: everywhere but under `kustomize build`.

    That gives each item an id; to a generator it shows nothing but the functionConfig, which is from no file then.
    """
    if any(_KUSTOMIZE_ID in item.source and _KUSTOMIZE_ID in item.annotations for item in items):
        return False
    return not items or any(item.file is not None or not _is_same(item, function_config) for item in items)


def _is_same(item: Resource, function_config: Resource | None) -> bool:
    """Say whether an item is the functionConfig itself (decision 20)."""
    return function_config is not None and item.ref.as_data() == function_config.ref.as_data()


def write(item: Resource, last_generated: str, owner: str) -> None:
    """Let an item tell what it was generated as, and by whom unless that is nobody who can own it."""
    if owner:
        item.set_annotation(GENERATED_BY, owner)
    else:
        item.delete((*_ANNOTATIONS, GENERATED_BY))
    item.set_annotation(LAST_GENERATED, last_generated)


def forget(item: Resource) -> None:
    """Take away what we wrote on an item, with `annotations:` if that is all."""
    ours = {LAST_GENERATED, GENERATED_BY} & item.annotations.keys()
    annotations = next((resolved(node) for _, node in item.find(_ANNOTATIONS)), None)
    if isinstance(annotations, Mapping) and {key for key, _ in annotations.items()} == ours:
        item.delete(_ANNOTATIONS)
    else:
        for key in sorted(ours):
            item.delete((*_ANNOTATIONS, key))


def is_large(item: Resource) -> bool:
    """Say whether what an item remembers comes near to what Kubernetes takes: kubectl's copy of it has ours in it."""
    kept = item.annotations
    ours, applied = (len(kept.get(key, "").encode()) for key in (LAST_GENERATED, LAST_APPLIED))
    return ours + max(ours, applied) > LARGEST
