"""How serious a reason is: the one table of what is told as a warning, and what as a remark.

A result is a warning if the run took, changed, deleted or renamed something of a person's, or if something that was
asked for was not done. All else is an info. The table is that of docs/reference/results.md, "Results".
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

CONFLICT = "Conflict"
VALUE_CHANGED = "ValueChanged"
BROKEN_MANIFEST = "BrokenManifest"
UNPLACED_TEMPLATE = "UnplacedTemplate"
DAMAGED_STATE = "DamagedState"

_INFOS = frozenset(
    (
        *("RuntimeName", "UnknownService", "Shadowed", "EscapeKept", "OwnSyntax", "UnusedVariable", "OfKustomize"),
        *(VALUE_CHANGED, "KeptLastValue", "CommentsLost", "NotExported", "Taken"),
        *("MarkedAgain", "LocalOverride", "Pruned", "HandedOver", "NotSelected"),
        *("Matched", "KeptAddition", "EnvReordered", "UpdatedByItself"),
    )
)


def severity(reason: str) -> Literal["warning", "info"]:
    """Return `warning` or `info`: how serious a result with this reason is, unless it fails the run.

    >>> severity("Renamed"), severity("Pruned")
    ('warning', 'info')
    """
    return "info" if reason in _INFOS else "warning"
