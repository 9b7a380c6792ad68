"""What to add to a functionConfig so that every variable in the items is expanded: one block, to be pasted."""

from __future__ import annotations

from expand_vars.expansion.targets import POD_TEMPLATES, TARGETS, remedy_of
from expand_vars.functionconfig import API_VERSION, KIND
from krm.yamltree import style
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from expand_vars.expansion.explanation import Explanation
    from krm.resource import Resource

_METADATA = {"name": "vars", "annotations": {"config.kubernetes.io/local-config": "true"}}
_IN_PLACE = "# These keys of `spec` take the place of those that are there."


def lines(explained: Explanation, config: Resource | None) -> list[str]:
    """Return the lines of `podTemplates` and `targets`, with the entries that are there already; [] for nothing new.

    For an ExpandVars they are a part of its `spec`. Without one they are a whole ExpandVars.
    """
    untargeted = explained.untargeted()
    if not untargeted:
        return []
    is_expand_vars = config is not None and config.kind == KIND
    spec: dict[str, Any] = {POD_TEMPLATES: [], TARGETS: []}
    if is_expand_vars:
        spec |= {key: there for key in spec if (there := config.get(("spec", key)))}  # type: ignore[union-attr]  # as above
    for resource, place in untargeted:
        key, entry = remedy_of(resource, place, explained.pod_specs)
        _add(spec[key], entry)
    added: dict[str, Any] = {key: entries for key, entries in spec.items() if entries}
    if is_expand_vars:
        return [_IN_PLACE, *style.block(added, Layout())]
    new: dict[str, Any] = {"apiVersion": API_VERSION, "kind": KIND, "metadata": _METADATA, "spec": added}
    return style.block(new, Layout())


def _add(entries: list[dict[str, Any]], new: dict[str, Any]) -> None:
    """Add an entry, or its field path to that for the same objects."""
    if new in entries:
        return
    for entry in entries:
        if entry.keys() == {"select", "fieldPaths"} and entry["select"] == new.get("select"):
            entry["fieldPaths"] += [path for path in new["fieldPaths"] if path not in entry["fieldPaths"]]
            return
    entries.append(new)
