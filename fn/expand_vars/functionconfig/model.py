"""The parts of a functionConfig, as checked data, and the words that its fields take.

Each vocabulary is defined here once, in the order in which messages list it. The fields of `spec` and the command line
use these words. The words of `merge` are in `krm.merge`, because every generator has them.
"""

from __future__ import annotations

from krm.fieldpath import WILDCARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, Literal, TypeAlias

    from krm.fieldpath import FieldPath
    from krm.selector import Selector

    LookupStep: TypeAlias = Literal["Container", "Variables", "Services"]
    """The sources that may define a name."""

    Inline: TypeAlias = Literal["Literals", "Variables", "Services", "ConfigMaps", "Downward", "Resources", "Secrets"]
    """The kinds of sources whose values may be written into a manifest."""

    Unresolved: TypeAlias = Literal["Ignore", "Warn", "Error"]
    """How a reference to an undefined name is reported."""

    Escapes: TypeAlias = Literal["Keep", "Unescape"]
    """What becomes of `$$`."""

    RecordWord: TypeAlias = Literal["Auto", "Always", "Never"]
    """Which items get comments with their references."""

    Preset: TypeAlias = Literal["All"]
    """The fields of a target that have a common name."""

# The words of `inline`, and `Container`, a word of `lookup` alone.
LITERALS: Final = "Literals"
VARIABLES: Final = "Variables"
SERVICES: Final = "Services"
CONFIG_MAPS: Final = "ConfigMaps"
DOWNWARD: Final = "Downward"
RESOURCES: Final = "Resources"
SECRETS: Final = "Secrets"
CONTAINER: Final = "Container"

LOOKUP: tuple[LookupStep, ...] = (CONTAINER, VARIABLES, SERVICES)
INLINE: tuple[Inline, ...] = (LITERALS, VARIABLES, SERVICES, CONFIG_MAPS, DOWNWARD, RESOURCES, SECRETS)
# The values of other sources are left to the kubelet. A written value would not follow a later change of its ConfigMap
# in the cluster (docs/reference/expansion.md, "Whose value").
INLINE_BY_DEFAULT = frozenset(INLINE[:3])
# A run in place brings values into files. The literals of containers are in the files already.
INLINE_IN_PLACE = frozenset(INLINE[1:3])
UNRESOLVED: tuple[Unresolved, ...] = ("Ignore", "Warn", "Error")
ESCAPES: tuple[Escapes, ...] = ("Keep", "Unescape")
RECORD: tuple[RecordWord, ...] = ("Auto", "Always", "Never")
PRESETS: tuple[Preset, ...] = ("All",)


# The classes here are written out: to import `dataclasses` costs milliseconds
# (docs/reference/architecture.md, "Start-up is part of the product").
class _Decoded:
    """A mapping of a functionConfig. The decoder gives each attribute that is not to have its default."""

    def __init__(self, **given: object) -> None:
        vars(self).update(given)


class Source(_Decoded):
    """An item, by kind, name and namespace, and the part of it that is read. None matches any.

    The part is the text under the `key` of the data of a ConfigMap or Secret, or the text at the `field_path` of an
    item of this group and version. `regex` returns the part of that text that is the value. An `optional` source may be
    absent. A source with a `path` in the functionConfig gives all its keys, with `prefix` in front of each name.
    """

    kind: str
    name: str
    field_path: FieldPath = ()
    key: str = ""
    group: str | None = None
    version: str | None = None
    namespace: str | None = None
    optional: bool = False
    regex: Callable[[str], str | None] | None = None
    prefix: str = ""
    path: str = ""


class Variable(_Decoded):
    """A declared variable. It has a text, or a source from which the text is read.

    A literal text is inserted with every `$` doubled. Any other text is like one in a container's `env`: its references
    are expanded. `path` is the field path in the functionConfig, None for an argument.
    """

    name: str
    text: str | None = None
    source: Source | None = None
    literal: bool
    path: str | None = None


class FieldsToExpand(_Decoded):
    """Fields to expand: the fields at `field_paths`, or with a preset all fields of free text.

    They are expanded in every item that `select` matches and `reject` does not. An empty `select` matches every item.
    `path` is that of the entry in the functionConfig.
    """

    path: str
    preset: Preset | None
    field_paths: tuple[FieldPath, ...]
    select: tuple[Selector, ...]
    reject: tuple[Selector, ...]
    required: bool

    @property
    def may_lead_into_secret(self) -> bool:
        """True if a field may be in the `stringData` of a Secret. No item is read for this."""
        selected = not self.select or any(selector.may_match_kind("Secret") for selector in self.select)
        leads = self.preset is not None or any(path[0] in ("stringData", WILDCARD) for path in self.field_paths)
        return selected and leads
