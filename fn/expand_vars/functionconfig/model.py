"""A functionConfig as data that nobody has to check again: `Config`, the classes of its parts, and their words.

Each vocabulary stands here once, in the order in which messages list it. The JSON Schema, the decoders and the command
line have the same words: tests compare them. The words of `merge` are those of `krm.merge`: every generator has them.
"""

from __future__ import annotations

import re

from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.selector import selectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final, Literal, TypeAlias

    from krm.fieldpath import FieldPath
    from krm.merge.options import MergeOptions
    from krm.results import ResourceRef
    from krm.selector import Fullmatch, Selector

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

    Preset: TypeAlias = Literal["Images", "Replicas", "Labels", "Annotations", "IngressHosts"]
    """A target's well-known fields."""

    Options: TypeAlias = dict[str, tuple[str, ...]]
    """The words of some options, by name."""

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
# live object still changes (docs/expansion.md, "Whose value").
INLINE_BY_DEFAULT = frozenset(INLINE[:3])
# Whoever changes files for a value does not ask for the literals that containers name themselves.
INLINE_IN_PLACE = frozenset(INLINE[1:3])
UNRESOLVED: tuple[Unresolved, ...] = ("Ignore", "Warn", "Error")
ESCAPES: tuple[Escapes, ...] = ("Keep", "Unescape")
RECORD: tuple[Record, ...] = ("Auto", "Always", "Never")
PRESETS: tuple[Preset, ...] = ("Images", "Replicas", "Labels", "Annotations", "IngressHosts")

OPTIONS: Options = {
    "unresolved": UNRESOLVED,
    "escapes": ESCAPES,
    "inline": INLINE,
    "record": RECORD,
    "strict": ("true", "false"),
    "targets": PRESETS,
}
"""The words of each option that a ConfigMap can set."""


# The classes here are written out: to import `dataclasses` costs milliseconds
# (docs/architecture.md, "Start-up is part of the product").
class Source:
    """An item of a kind, by name and namespace: None matches any. One that is `optional` may be absent."""

    __slots__ = ("kind", "name", "namespace", "optional")

    def __init__(self, kind: str, ref: dict[str, Any]) -> None:
        """Take a reference as a functionConfig has it."""
        self.kind = kind
        self.name: str = ref["name"]
        self.namespace: str | None = ref.get("namespace")
        self.optional: bool = ref.get("optional", False)


class ObjectField(Source):
    """A field of the one item that is also of this group and version. None matches any.

    `part` gives the part of its text that is meant, None where the text has no such part.
    """

    __slots__ = ("field_path", "group", "part", "version")

    def __init__(self, ref: dict[str, Any], part: Callable[[str], str | None] | None = None) -> None:
        super().__init__(ref["kind"], ref)
        self.group: str | None = ref.get("group")
        self.version: str | None = ref.get("version")
        self.field_path = fieldpath.parse(ref["fieldPath"])
        self.part = part


class DataKey(Source):
    """One key in the data of a ConfigMap or Secret: `kind` is one of these two."""

    __slots__ = ("key",)

    def __init__(self, kind: str, ref: dict[str, Any]) -> None:
        super().__init__(kind, ref)
        self.key: str = ref["key"]


class VariablesFrom(Source):
    """All keys of a ConfigMap or Secret as literal variables. `prefix` stands in front of each name."""

    __slots__ = ("path", "prefix")

    def __init__(self, kind: str, ref: dict[str, Any], *, prefix: str, path: str) -> None:
        super().__init__(kind, ref)
        self.prefix = prefix
        self.path = path


class Template:
    """A resource to generate: its text as a document, with its references unexpanded.

    `path` is its field path in the functionConfig.
    """

    __slots__ = ("path", "text")

    def __init__(self, text: str, *, path: str) -> None:
        self.text = text
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
        source: ObjectField | DataKey | None = None,
        literal: bool,
        path: str | None,
    ) -> None:
        self.name = name
        self.text = text
        self.source = source
        self.literal = literal
        self.path = path


class Target:
    """Fields to expand beside those that the kubelet expands: those of a preset, or those at `field_paths`.

    They are expanded in every item that `select` matches (all, if it is empty) and `reject` does not.
    """

    __slots__ = ("field_paths", "path", "preset", "reject", "required", "select")

    def __init__(self, entry: dict[str, Any], path: str) -> None:
        """Take an entry as a functionConfig has it, and its field path there."""
        self.preset: Preset | None = entry.get("preset")
        self.field_paths = tuple(map(fieldpath.parse, entry.get("fieldPaths", ())))
        self.select = selectors(entry.get("select", []))
        self.reject = selectors(entry.get("reject", []))
        self.required: bool = entry.get("required", False)
        self.path = path

    @property
    def may_lead_into_secret(self) -> bool:
        """True if a field can be in the `stringData` of a Secret. No item is looked at."""
        selected = not self.select or any(selector.may_match_kind("Secret") for selector in self.select)
        return selected and any(path[0] in ("stringData", WILDCARD) for path in self.field_paths)


class Config:
    """A functionConfig, decoded. A new one has the defaults of one that is absent; a decoder sets what is given."""

    variables: tuple[Variable, ...] = ()
    """Each may refer to those above it. No name is in it twice."""

    variables_from: tuple[VariablesFrom, ...] = ()
    kustomize_vars: tuple[Variable, ...] = ()
    lookup: tuple[Lookup, ...] = LOOKUP
    inline: frozenset[Inline] = INLINE_BY_DEFAULT
    selectors: tuple[Selector, ...] = ()
    exclude: tuple[Selector, ...] = ()
    pod_templates: dict[tuple[str, str], list[FieldPath]]
    """The paths of the pod templates of each further kind, by group and kind."""

    targets: tuple[Target, ...] = ()
    runtime_names: tuple[Fullmatch, ...] = ()
    """What matches the names that come into containers at run time."""

    unresolved: Unresolved = "Warn"
    strict: bool = False
    """True if a warning about a reference, or about what was said without effect, fails the run."""

    arguments: frozenset[str] = frozenset()
    """The variables that the command line names. Those of an env file are none: not every package uses each."""

    is_part: bool = False
    """True for a run beside others of one call, which may use the arguments that this one does not."""

    escapes: Escapes = "Keep"
    record: Record = "Auto"
    templates: tuple[Template, ...] | None = None
    """None without that key: then nothing is generated, and nothing that was generated is pruned."""

    merge: MergeOptions | None = None
    """None without that key: then each option has its default."""

    prune: str = "true"

    is_in_place: bool = False
    """True if the output is written over the input, so that the next run reads what this one remembers."""

    stated: frozenset[str] = frozenset()
    """The names of the options that are given. Any other has its default."""

    def __init__(self, ref: ResourceRef | None = None) -> None:
        """Take the reference by which messages name the functionConfig."""
        self.ref = ref
        self.pod_templates = {}

    def with_variables(self, given: dict[str, Variable]) -> Config:
        """Return a copy in which variables, by their names, win over all others."""
        config = self._copy()
        # In front, as a variable may refer to those above it, and so to an argument.
        config.variables = (*given.values(), *(one for one in self.variables if one.name not in given))
        return config

    def in_place(self) -> Config:
        """Return a copy for a run whose output is written over its input: `inline` has another default there."""
        config = self._copy()
        config.is_in_place = True
        if "inline" not in self.stated:
            config.inline = INLINE_IN_PLACE
        return config

    def with_inline(self, words: Iterable[Inline]) -> Config:
        """Return a copy that may write down further values."""
        config = self._copy()
        config.inline = self.inline.union(words)
        config.stated = self.stated | {"inline"}
        return config

    def _copy(self) -> Config:
        config = Config()
        vars(config).update(vars(self))
        return config


def variable_name(text: str) -> str:
    """Return `text` if `$(text)` can refer to a variable of that name, else raise ValueError.

    Kubernetes takes printable ASCII without `=` for a name, and a reference ends at the first `)`.
    """
    # The ranges of ASCII from the space on that go around `)` and `=`.
    if re.fullmatch("[ -(*-<>-~]+", text):
        return text
    raise ValueError(f"`{text}` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`")
