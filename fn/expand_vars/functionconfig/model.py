"""The parts of a functionConfig, as data that nobody has to check again, and the words that its fields take.

Each vocabulary stands here once, in the order in which messages list it: the fields (`spec`) and the command line take
their words from here. The words of `merge` are those of `krm.merge`: every generator has them.
"""

from __future__ import annotations

from krm.fieldpath import WILDCARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, Literal, TypeAlias

    from krm.fieldpath import FieldPath
    from krm.selector import Selector

    Lookup: TypeAlias = Literal["Container", "Variables", "Services"]
    """Who may define a name."""

    Inline: TypeAlias = Literal["Literals", "Variables", "Services", "ConfigMaps", "Downward", "Resources", "Secrets"]
    """Whose values may be written into a manifest: one word for each kind of source."""

    Unresolved: TypeAlias = Literal["Ignore", "Warn", "Error"]
    """How a reference to a name that nothing could define is reported."""

    Escapes: TypeAlias = Literal["Keep", "Unescape"]
    """What becomes of `$$`."""

    Record: TypeAlias = Literal["Auto", "Always", "Never"]
    """Which items get comments with their references."""

    Preset: TypeAlias = Literal["All"]
    """A target's well-known fields."""

# The words of `inline`, and the one of `lookup` that is none of them.
LITERALS: Final = "Literals"
VARIABLES: Final = "Variables"
SERVICES: Final = "Services"
CONFIG_MAPS: Final = "ConfigMaps"
DOWNWARD: Final = "Downward"
RESOURCES: Final = "Resources"
SECRETS: Final = "Secrets"
CONTAINER: Final = "Container"

LOOKUP: tuple[Lookup, ...] = (CONTAINER, VARIABLES, SERVICES)
INLINE: tuple[Inline, ...] = (LITERALS, VARIABLES, SERVICES, CONFIG_MAPS, DOWNWARD, RESOURCES, SECRETS)
# The others are left to the kubelet: written down, a value would no longer follow the ConfigMap that an edit of the
# live object still changes (docs/reference/expansion.md, "Whose value").
INLINE_BY_DEFAULT = frozenset(INLINE[:3])
# Whoever changes files for a value does not ask for the literals that containers name themselves.
INLINE_IN_PLACE = frozenset(INLINE[1:3])
UNRESOLVED: tuple[Unresolved, ...] = ("Ignore", "Warn", "Error")
ESCAPES: tuple[Escapes, ...] = ("Keep", "Unescape")
RECORD: tuple[Record, ...] = ("Auto", "Always", "Never")
PRESETS: tuple[Preset, ...] = ("All",)


# The classes here are written out: to import `dataclasses` costs milliseconds
# (docs/reference/architecture.md, "Start-up is part of the product").
class Source:
    """An item of a kind, by name and namespace, and the part of it that is read; None matches any.

    That is the text under the `key` of the data of a ConfigMap or Secret, or a field of an item that is also of this
    group and version: the text at the `field_path`, or the part of it that `regex` gives. One that is `optional` may be
    absent. One with a `path` in the functionConfig is read for all of its keys, with `prefix` in front of each name.
    """

    __slots__ = (
        *("field_path", "group", "key", "kind", "name", "namespace"),
        *("optional", "path", "prefix", "regex", "version"),
    )

    def __init__(  # noqa: PLR0913 - the keys of `objectFieldRef` and `configMapKeyRef`
        self,
        kind: str,
        name: str,
        field_path: FieldPath = (),
        *,
        key: str = "",
        group: str | None = None,
        version: str | None = None,
        namespace: str | None = None,
        optional: bool = False,
        regex: Callable[[str], str | None] | None = None,
        prefix: str = "",
        path: str = "",
    ) -> None:
        self.kind = kind
        self.name = name
        self.field_path = field_path
        self.key = key
        # ConfigMaps and Secrets are of the core group.
        self.group = group if field_path else ""
        self.version = version
        self.namespace = namespace
        self.optional = optional
        self.regex = regex
        self.prefix = prefix
        self.path = path


class Variable:
    """A declared variable. It has a text, or a source from which the text is read.

    A literal text is inserted with every `$` doubled. Any other is text as in a container's `env`: its references are
    live. `path` is the field path in the functionConfig, None for an argument.
    """

    __slots__ = ("literal", "name", "path", "source", "text")

    def __init__(
        self,
        name: str,
        *,
        text: str | None = None,
        source: Source | None = None,
        literal: bool,
        path: str | None,
    ) -> None:
        self.name = name
        self.text = text
        self.source = source
        self.literal = literal
        self.path = path


class Target:
    """Fields of free text to expand: all of them by a preset, or those at `field_paths`.

    They are expanded in every item that `select` matches (all, if it is empty) and `reject` does not.
    """

    __slots__ = ("field_paths", "path", "preset", "reject", "required", "select")

    def __init__(  # noqa: PLR0913 - the keys of an entry
        self,
        path: str,
        *,
        preset: Preset | None = None,
        field_paths: tuple[FieldPath, ...] | None = None,
        select: tuple[Selector, ...] = (),
        reject: tuple[Selector, ...] = (),
        required: bool = False,
    ) -> None:
        """Take the path of the entry in the functionConfig, and what the entry has."""
        self.preset = preset
        self.field_paths = field_paths or ()
        self.select = select
        self.reject = reject
        self.required = required
        self.path = path

    @property
    def may_lead_into_secret(self) -> bool:
        """True if a field can be in the `stringData` of a Secret. No item is looked at."""
        selected = not self.select or any(selector.may_match_kind("Secret") for selector in self.select)
        leads = self.preset is not None or any(path[0] in ("stringData", WILDCARD) for path in self.field_paths)
        return selected and leads
