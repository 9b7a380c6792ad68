"""`Config`, a functionConfig as checked data. Each field of `spec` is declared here, once.

The JSON Schema of kind ExpandVars is made from these declarations.
"""

from __future__ import annotations

from expand_vars.functionconfig import API_VERSION, GROUP, KIND, model
from expand_vars.functionconfig.parts import (
    KUSTOMIZE_VAR,
    MERGE,
    PATTERN,
    POD_TEMPLATE,
    SELECTORS,
    TARGET,
    VARIABLE,
    VARIABLES_FROM,
)
from krm.declarations import FLAG, WHOLE, Field, ListOf, Record, Word
from krm.process import __version__
from krm.vocabulary import key_of
from krm.workloads import PodSpecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from krm.declarations import JsonSchema
    from krm.fieldpath import FieldPath
    from krm.merge.policy import MergeOptions
    from krm.resource import Resource
    from krm.selector import Fullmatch, Selector

_ABOUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://expandvars.dev/v1alpha1/functionconfig.schema.json",
    "title": KIND,
    "description": "The functionConfig of expand-vars: which variables there are, where references to them are "
    "expanded, and which resources are generated.",
}
DESCRIPTION = "Expand $(VAR) references exactly as Kubernetes would, and change no other byte."
_HOME = "https://github.com/expand-vars/expand-vars"
IMAGE = f"ghcr.io/expand-vars/expand-vars:v{__version__.rpartition('.')[0]}"
_EXAMPLES = ("kpt-render", "kpt-eval", "kustomize-transformer")
_SAME_IN_OPENAPI = ("type", "description", "default", "minItems", "required", "additionalProperties", "enum", "oneOf")

PRUNE: tuple[str | bool, ...] = (True, False, "All")


_field: Callable[..., Any] = Field  # in the class it is the default, whose type the attribute says


def _pod_specs(entries: Iterable[tuple[tuple[str, str], FieldPath | None, FieldPath | None]]) -> PodSpecs:
    pod_templates: dict[tuple[str, str], list[FieldPath]] = {}
    containers: dict[tuple[str, str], list[FieldPath]] = {}
    for kind, pod_template, container in entries:
        found, path = (containers, container) if pod_template is None else (pod_templates, pod_template)
        found.setdefault(kind, []).append(path or ())
    return PodSpecs(pod_templates, containers)


class Config:
    """A functionConfig, decoded. A new Config has the default of each field.

    An attribute made by `_field` is the field of `spec` with the same name.
    """

    variables: tuple[model.Variable, ...] = _field(
        ListOf(VARIABLE),
        "Variables. Each may refer to those above it. They win over `kustomizeVars` and `variablesFrom`.",
        default=[],
    )
    variables_from: tuple[model.Source, ...] = _field(
        ListOf(VARIABLES_FROM),
        "ConfigMaps and Secrets: each of their keys is a variable. Of two with one name the later one wins.",
        default=[],
    )
    kustomize_vars: tuple[model.Variable, ...] = _field(
        ListOf(KUSTOMIZE_VAR),
        "The `vars` list of a kustomization. The fields that kustomize expands by default are expanded, too. They win "
        "over `variablesFrom`.",
        default=[],
    )
    lookup: tuple[model.LookupStep, ...] = _field(
        ListOf(Word(model.LOOKUP), least=1, unique=True),
        "The sources of a name, the winner first: what the container has declared so far, this functionConfig, and the "
        "variables of the Pod's Services. A source that is not listed is not used. `Services` cannot be before "
        "`Container`.",
        default=[*model.LOOKUP],
    )
    inline: frozenset[model.Inline] = _field(
        ListOf(Word(model.INLINE), make=frozenset, unique=True),
        "The sources whose values may be written into a manifest. `Literals` is a container's own `env`, `Downward` "
        "the fields of its Pod, `Resources` its requests and limits. A reference to any other value stays. In place, "
        "`Literals` are left to the kubelet by default.",
        default=[word for word in model.INLINE if word in model.INLINE_BY_DEFAULT],
        in_annotation=True,
    )
    selectors: tuple[Selector, ...] = _field(
        SELECTORS,
        "The items that may be changed. Without selectors every item may.",
        default=[],
    )
    exclude: tuple[Selector, ...] = _field(SELECTORS, "Items that are never changed.", default=[])
    pod_templates: PodSpecs = _field(
        ListOf(POD_TEMPLATE, make=_pod_specs, unique=True),
        "Further kinds whose containers are expanded, in pod templates or outside of them.",
        default=[],
    )
    targets: tuple[model.FieldsToExpand, ...] = _field(
        ListOf(TARGET),
        "Further fields to expand, beside those that Kubernetes expands itself.",
        default=[],
        in_annotation=True,
    )
    runtime_names: tuple[Fullmatch, ...] = _field(
        ListOf(PATTERN),
        "Names that containers get at run time, as regular expressions (RE2) for the whole name. They are never "
        "reported, and never replaced by a variable.",
        default=[],
    )
    unresolved: model.Unresolved = _field(
        Word(model.UNRESOLVED),
        "How to report references that nothing could define, that are in a field that nobody expands, or that are left "
        "to a Service outside the package: not at all, as warnings, or as errors.",
        default="Warn",
        in_annotation=True,
    )
    strict: bool = _field(
        FLAG,
        "Whether warnings about references, and about settings without effect, fail the run.",
        default=False,
        in_annotation=True,
    )
    escapes: model.Escapes = _field(
        Word(model.ESCAPES),
        "Whether `$$` stays, and the kubelet makes it `$`, or becomes `$` here, because nothing expands the result "
        "again.",
        default="Keep",
        in_annotation=True,
    )
    record: model.RecordWord = _field(
        Word(model.RECORD),
        "Whether an expanded field keeps its reference in a comment: always, never, or if the output is written over "
        "the input. Only `Never` removes a comment.",
        default="Auto",
        in_annotation=True,
    )
    # None without the key `templates`: then nothing is generated or pruned.
    templates: tuple[Resource, ...] | None = _field(
        ListOf(WHOLE),
        "Resources to generate, each with its `apiVersion`, `kind` and `metadata.name`. Every key and string may have "
        "references: `$$` becomes `$`, and a plain scalar that is one reference takes the type of its value. "
        "Without this key nothing is generated or pruned.",
    )
    merge: MergeOptions | None = _field(
        MERGE, "How a generated resource is merged with the one that is there.", default={}
    )
    prune: str = _field(
        Word(PRUNE),
        "Whether resources that are no longer generated are deleted, unless someone changed them. `true` does not "
        "delete all of them at once, `All` does.",
        default=True,
    )

    arguments: frozenset[str] = frozenset()
    """The variables of the command line. Those of an env file do not count: a package may use some of them only."""

    no_texts: tuple[str, ...] = ()
    """The keys of a ConfigMap whose values are not strings. The API refuses them."""

    is_part: bool = False
    """True for one of several runs of a call. An argument that this run does not use may be used by another."""

    is_in_place: bool = False
    """True if the output is written over the input: the next run reads the comments of this run."""

    stated: frozenset[str] = frozenset()
    """The keys of the fields that the functionConfig has. The other fields have their defaults."""

    def __init__(self, resource: Resource | None = None) -> None:
        """Take the functionConfig itself, and the reference with which messages name it."""
        self.resource = resource
        self.ref = None if resource is None else resource.ref

    @property
    def declared(self) -> tuple[model.Variable, ...]:
        """The variables that are declared one by one. Of two with one name the later one wins."""
        return *self.kustomize_vars, *self.variables

    @property
    def sources(self) -> list[tuple[model.Source, str | None]]:
        """The sources of variables, each with its path in the functionConfig."""
        declared = [(one.source, one.path) for one in self.declared if one.source is not None]
        return [*((one, one.path) for one in self.variables_from), *declared]

    def state(self, key: str, value: object) -> None:
        """Set the field of `spec` with this key to the value that the functionConfig has."""
        setattr(self, _ATTRIBUTES[key], value)
        self.stated |= {key}

    def in_place(self) -> Config:
        """Return it, for a run over its input (docs/reference/runs-in-place.md, "In place, in a pipe")."""
        self.is_in_place = True
        if "inline" not in self.stated:
            self.inline = model.INLINE_IN_PLACE
        return self


_ATTRIBUTES = {key_of(name): name for name, value in vars(Config).items() if isinstance(value, Field)}
FIELDS: dict[str, Field] = {key: vars(Config)[name] for key, name in _ATTRIBUTES.items()}
"""The fields of `spec`, by their keys."""

# From here on the attributes of the class are the defaults.
for _name, _declared in zip(_ATTRIBUTES.values(), FIELDS.values(), strict=True):
    setattr(Config, _name, _declared.default)

OBJECT = Record(
    {
        "apiVersion": Field(Word((API_VERSION,)), required=True),
        "kind": Field(Word((KIND,)), required=True),
        "metadata": Field(WHOLE, "Kubernetes' own metadata. The name is what results call this functionConfig."),
        "spec": Field(Record(FIELDS)),
    },
    lambda _, given: given["spec"] or {},
)
"""A whole ExpandVars. It reads the values of the fields of `spec`, by their keys."""


def schema() -> JsonSchema:
    """Return the JSON Schema of kind ExpandVars."""
    named: dict[str, JsonSchema] = {}
    return {**_ABOUT, **OBJECT.schema(named), "$defs": named}


def schema_text() -> str:
    """Return the JSON Schema of kind ExpandVars, as JSON."""
    import json  # noqa: PLC0415 - most runs print no schema

    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def definition() -> str:
    """Return the KRMFunctionDefinition for kpt's catalog, with the schema, as YAML."""
    from krm.function import configs  # noqa: PLC0415 - it imports dataclasses, which few runs need

    whole = schema()
    version = {
        "name": "v1alpha1",
        "schema": {"openAPIV3Schema": _openapi(whole, whole["$defs"])},
        "idempotent": True,
        "usage": f"{_HOME}/blob/main/docs/reference/functionconfig.md",
        "examples": [f"{_HOME}/tree/main/examples/{name}" for name in _EXAMPLES],
        "license": "Apache-2.0",
        "runtime": {"container": {"image": IMAGE}},
    }
    return configs.framed(
        GROUP, KIND, version, description=DESCRIPTION, publisher="expand-vars", home=_HOME, tags=["mutator"]
    )


def _openapi(schema: JsonSchema, named: dict[str, JsonSchema]) -> JsonSchema:
    """Return a schema in the fewer words of OpenAPI. It allows what these words cannot express."""
    if "$ref" in schema:
        schema = {**named[schema["$ref"].rpartition("/")[2]], **schema}
    made = {key: value for key, value in schema.items() if key in _SAME_IN_OPENAPI}
    if isinstance(made.get("type"), list) or "if" in schema:
        made.pop("type", None)
        made["x-kubernetes-preserve-unknown-fields"] = True
    if "properties" in schema:
        made["properties"] = {key: _openapi(one, named) for key, one in schema["properties"].items()}
    if "items" in schema:
        made["items"] = _openapi(schema["items"], named)
    return made
