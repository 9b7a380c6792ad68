"""The words that fields of a functionConfig take: each vocabulary once, in the order in which messages list them.

The JSON Schema, the decoders and the command line have the same words: tests compare them. The words of `merge` are
those of `krm.merge`, because every generator has them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Lookup: TypeAlias = Literal["Container", "Variables", "Services"]
    """Who may define a name."""

    Inline: TypeAlias = Literal["Literals", "Variables", "Services", "ConfigMaps", "Downward", "Resources", "Secrets"]
    """Whose values may be written into a manifest."""

    Unresolved: TypeAlias = Literal["Ignore", "Warn", "Error"]
    """How a reference to a name that nothing could define is reported."""

    Escapes: TypeAlias = Literal["Keep", "Unescape"]
    """What becomes of `$$`."""

    Record: TypeAlias = Literal["Auto", "Always", "Never"]
    """Which items carry a record of their references."""

    Preset: TypeAlias = Literal["Images", "Replicas", "Labels", "Annotations", "IngressHosts"]
    """A target's well-known fields."""


LOOKUP: tuple[Lookup, ...] = ("Container", "Variables", "Services")
INLINE: tuple[Inline, ...] = ("Literals", "Variables", "Services", "ConfigMaps", "Downward", "Resources", "Secrets")
INLINE_BY_DEFAULT = frozenset(INLINE[:3])
UNRESOLVED: tuple[Unresolved, ...] = ("Ignore", "Warn", "Error")
ESCAPES: tuple[Escapes, ...] = ("Keep", "Unescape")
RECORD: tuple[Record, ...] = ("Auto", "Always", "Never")
PRESETS: tuple[Preset, ...] = ("Images", "Replicas", "Labels", "Annotations", "IngressHosts")

OPTIONS: dict[str, tuple[str, ...]] = {
    "unresolved": UNRESOLVED,
    "escapes": ESCAPES,
    "inline": INLINE,
    "record": RECORD,
    "targets": PRESETS,
}
"""The words of each option that a ConfigMap can set."""
