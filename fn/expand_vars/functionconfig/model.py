"""What a functionConfig says, as data."""

from __future__ import annotations

import re

from expand_vars.functionconfig import INLINE_UNLESS_SAID, LOOKUP
from krm.fieldpath import WILDCARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.results import ResourceRef
    from krm.selector import Selector


class ObjectField:
    """A field of the one item of this group, version, kind, name and namespace, where None is any."""

    __slots__ = ("field_path", "group", "kind", "name", "namespace", "optional", "version")

    def __init__(  # noqa: PLR0913 - the fields of the reference
        self,
        *,
        group: str | None,
        version: str | None,
        kind: str,
        name: str,
        namespace: str | None,
        field_path: FieldPath,
        optional: bool,
    ) -> None:
        self.group = group
        self.version = version
        self.kind = kind
        self.name = name
        self.namespace = namespace
        self.field_path = field_path
        self.optional = optional


class MergeKeys:
    """What tells the elements of a list of a kind apart; a group that is None is any."""

    __slots__ = ("field_path", "group", "keys", "kind")

    def __init__(self, *, group: str | None, kind: str, field_path: FieldPath, keys: tuple[str, ...]) -> None:
        self.group = group
        self.kind = kind
        self.field_path = field_path
        self.keys = keys


class MergeField:
    """What holds for a field, and all below it, of the items that one of `select` matches, all where that is empty.

    It is `enforce`d, always the generated one, or `on_conflict` says what becomes of it when both sides changed it.
    """

    __slots__ = ("enforce", "field_path", "on_conflict", "select")

    def __init__(
        self, *, select: tuple[Selector, ...], field_path: FieldPath, on_conflict: str | None, enforce: bool
    ) -> None:
        self.select = select
        self.field_path = field_path
        self.on_conflict = on_conflict
        self.enforce = enforce


class Merge:
    """How a generated resource is merged with the one that is there."""

    __slots__ = ("duplicates", "fields", "infer_list_keys", "merge_keys", "on_conflict", "strategy")

    def __init__(  # noqa: PLR0913 - the keys of `merge`
        self,
        *,
        strategy: str = "Merge3",
        on_conflict: str = "TakeUpdate",
        fields: tuple[MergeField, ...] = (),
        merge_keys: tuple[MergeKeys, ...] = (),
        infer_list_keys: bool = True,
        duplicates: str = "Keep",
    ) -> None:
        self.strategy = strategy
        self.on_conflict = on_conflict
        self.fields = fields
        self.merge_keys = merge_keys
        self.infer_list_keys = infer_list_keys
        self.duplicates = duplicates


class Template:
    """A resource to generate: the text of it as a document of its own, in which references are as they are written.

    `path` is its place in the functionConfig.
    """

    __slots__ = ("path", "text")

    def __init__(self, text: str, *, path: str) -> None:
        self.text = text
        self.path = path


class DataKey:
    """One key of the data of a ConfigMap or a Secret, of which `kind` says which."""

    __slots__ = ("key", "kind", "name", "namespace", "optional")

    def __init__(self, *, kind: str, name: str, namespace: str | None, key: str, optional: bool) -> None:
        self.kind = kind
        self.name = name
        self.namespace = namespace
        self.key = key
        self.optional = optional


class Variable:
    """A declared variable: either its text is here, or its source says where to read it.

    A literal one is inserted with every `$` doubled; the text of one that is not is EnvVar text, in which
    references are live (decision 14). `path` is its place in the functionConfig, None for an argument.
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


class VariablesFrom:
    """All keys of a ConfigMap or a Secret as literal variables, their names behind `prefix`."""

    __slots__ = ("kind", "name", "namespace", "optional", "path", "prefix")

    def __init__(  # noqa: PLR0913 - the keys of an entry
        self, *, kind: str, name: str, namespace: str | None, optional: bool, prefix: str, path: str
    ) -> None:
        self.kind = kind
        self.name = name
        self.namespace = namespace
        self.optional = optional
        self.prefix = prefix
        self.path = path


class Target:
    """Fields to expand beside those of the kubelet: those of a preset, or what `field_paths` lead to.

    They are expanded in the items that one of `select` matches, all where it is empty, and none of `reject`.
    """

    __slots__ = ("field_paths", "path", "preset", "reject", "required", "select")

    def __init__(  # noqa: PLR0913 - the keys of an entry
        self,
        *,
        preset: str | None,
        field_paths: tuple[FieldPath, ...],
        select: tuple[Selector, ...],
        reject: tuple[Selector, ...],
        required: bool,
        path: str,
    ) -> None:
        self.preset = preset
        self.field_paths = field_paths
        self.select = select
        self.reject = reject
        self.required = required
        self.path = path

    @property
    def may_lead_into_secret(self) -> bool:
        """Whether a field may be one of a Secret's `stringData`, as far as can be told without items."""
        selected = not self.select or any(selector.may_match_kind("Secret") for selector in self.select)
        return selected and any(path[0] in ("stringData", WILDCARD) for path in self.field_paths)


class Config:
    """What a functionConfig says, with the defaults of one that is absent.

    `variables` are in the order in which one may refer to those above it; no name is in it twice. `pod_templates`
    are the paths of the pod templates of further kinds, by group and kind. `templates` is None where the functionConfig
    has no such key: then it generates nothing, and what it once generated stays (decision 35).
    """

    __slots__ = (
        "escapes",
        "exclude",
        "inline",
        "kustomize_vars",
        "lookup",
        "merge",
        "pod_templates",
        "prune",
        "record",
        "ref",
        "selectors",
        "targets",
        "templates",
        "unresolved",
        "variables",
        "variables_from",
    )

    def __init__(  # noqa: PLR0913 - the keys of `spec`
        self,
        ref: ResourceRef | None = None,
        *,
        variables: tuple[Variable, ...] = (),
        variables_from: tuple[VariablesFrom, ...] = (),
        kustomize_vars: tuple[Variable, ...] = (),
        lookup: tuple[str, ...] = LOOKUP,
        inline: frozenset[str] = frozenset(INLINE_UNLESS_SAID),
        selectors: tuple[Selector, ...] = (),
        exclude: tuple[Selector, ...] = (),
        pod_templates: dict[tuple[str, str], FieldPath] | None = None,
        targets: tuple[Target, ...] = (),
        unresolved: str = "Warn",
        escapes: str = "Keep",
        record: str = "Auto",
        templates: tuple[Template, ...] | None = None,
        merge: Merge | None = None,
        prune: str = "true",
    ) -> None:
        self.ref = ref
        self.variables = variables
        self.variables_from = variables_from
        self.kustomize_vars = kustomize_vars
        self.lookup = lookup
        self.inline = inline
        self.selectors = selectors
        self.exclude = exclude
        self.pod_templates = pod_templates or {}
        self.targets = targets
        self.unresolved = unresolved
        self.escapes = escapes
        self.record = record
        self.templates = templates
        self.merge = merge or Merge()
        self.prune = prune


def variable_name(text: str) -> str:
    """Return `text` if a variable can have that name and be referred to by it, else raise ValueError.

    Kubernetes takes printable ASCII without `=` (spec/expansion.md, 2.3); a reference ends at the first `)`.
    """
    if re.fullmatch("[ -(*-<>-~]+", text):
        return text
    raise ValueError(f"`{text}` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`")
