"""The functionConfig: the settings of the user, decoded and checked once, before anything else.

decoding      the entry: a Config from a functionConfig of either kind, and the mistakes that no schema can express
config        `Config`, and the fields of `spec`: each is declared once, for the JSON Schema too
parts         the fields of the mappings inside `spec`, declared with `krm.declarations`
model         the classes of the parts, and the words that the fields take
"""

from __future__ import annotations

from krm.resource import DOMAIN, EXPAND_VARS, GENERATED_BY, LOCAL_CONFIG

GROUP = DOMAIN
API_VERSION = f"{GROUP}/v1alpha1"
KIND = EXPAND_VARS
ANNOTATIONS = ("skip", GENERATED_BY)
"""The annotations of our group that items may have, and so a ConfigMap that is a functionConfig."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krm.resource import Resource


def manifest(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an ExpandVars that no tool applies to a cluster."""
    metadata = {"name": "vars", "annotations": {LOCAL_CONFIG: "true"}}
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": metadata, "spec": spec}


def is_config(item: Resource) -> bool:
    """True if an item is an ExpandVars."""
    # The text of an ExpandVars has the group with a version. Our annotations, in thousands of items, have none.
    may_be = item.may_contain(f"{GROUP}/v") and not item.is_state
    return may_be and (item.group, item.kind) == (GROUP, KIND)
