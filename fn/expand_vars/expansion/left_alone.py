"""Which items no run changes, and why (docs/reference/expansion.md, "Which items")."""

from __future__ import annotations

from expand_vars.functionconfig import GROUP
from krm.generation import DOMAIN, GENERATED_BY
from krm.selector import is_selected
from krm.yamltree.nodes import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from expand_vars.functionconfig.config import Config
    from krm.resource import Resource

SKIP = f"{GROUP}/skip"
"""The annotation of an item that is not to be touched."""

_GENERATED_BY = f"{DOMAIN}/{GENERATED_BY}"
ANNOTATIONS = ("skip", GENERATED_BY)
"""The annotations of our group that items have."""


def why(item: Resource, config: Config) -> str:
    """Return why expansion leaves an item alone, a clause about it; empty for an item that it may change."""
    # What configures tools has `$(...)` of its own, and documents that say nothing pass as they are.
    if item.is_state or item.kind == "Kptfile" or item.group == GROUP or not isinstance(item.root, Mapping):
        return "it configures a tool"
    if item.is_local_config:
        return "it is `local-config`"
    return "it is the functionConfig" if is_config(item, config) else why_unselected(item, config)


def why_unselected(item: Resource, config: Config) -> str:
    """Return why expansion and generation leave an item alone though it is of a kind that they change."""
    if item.inherited(SKIP) == "true":
        return f"it has the annotation `{SKIP}`"
    return "" if is_selected(item, config.selectors, config.exclude) else "`selectors` or `exclude` leave it out"


def is_config(item: Resource, config: Config) -> bool:
    """True if an item is the functionConfig of a run."""
    return config.ref is not None and config.ref.kind == item.kind and config.ref.as_data() == item.ref.as_data()


def is_anothers(item: Resource, generated: Collection[int]) -> bool:
    """True if an ExpandVars has generated an item, but not in this run: it takes its variables from that one alone."""
    # So its expanded fields and those in the final form always agree, and an item that is no longer generated stays as
    # it is (docs/reference/runs-in-place.md, "What a name gets").
    if id(item) in generated or not item.may_contain(_GENERATED_BY):
        return False
    item.cut()
    return (item.annotation(_GENERATED_BY) or "").startswith("ExpandVars/")
