"""The lists of an ExpandVars whose elements have keys, for merges of its files (docs/merge.md, "Keyed lists")."""

from __future__ import annotations

from expand_vars.functionconfig import GROUP, KIND
from krm.merge.options import MergeKeys

# A template is the object that it makes, as its author wrote it: two of one name differ in kind or namespace.
_TEMPLATE = ("kind", "apiVersion", "metadata.namespace", "metadata.name")
_KEYS = {
    "templates": _TEMPLATE,
    "variables": ("name",),
    "kustomizeVars": ("name",),
    "podTemplates": ("group", "kind", "fieldPath"),
    "targets": (),
}


def of_expandvars() -> list[MergeKeys]:
    """Return the keys of the elements of each list."""
    return [MergeKeys(group=GROUP, kind=KIND, field_path=("spec", name), keys=keys) for name, keys in _KEYS.items()]
