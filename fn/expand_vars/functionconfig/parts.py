"""The fields of the mappings inside the `spec` of a functionConfig. Each is declared once: its kind, and its purpose.

`config` has the fields of `spec` itself. The JSON Schema, the reader and the table of docs/reference/functionconfig.md
are made from these declarations.
"""

from __future__ import annotations

from expand_vars.functionconfig.model import PRESETS, FieldsToExpand, Source, Variable
from krm import fieldpath, syntax
from krm.declarations import FLAG, LEAF, TEXT, Field, ListOf, OneOrMore, Record, Text, Word
from krm.fieldpath import WILDCARD, Match
from krm.merge.policy import (
    DEFAULT_ON_CONFLICT,
    DEFAULT_STRATEGY,
    ON_CONFLICT,
    STRATEGIES,
    FieldPolicy,
    MergeKeys,
    MergeOptions,
)
from krm.selector import Selector, first_group, fullmatch, requirements
from krm.vocabulary import attribute_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place

    Values: TypeAlias = dict[str, Any]
    """The value of each field of a mapping, by key."""


def variable_name(text: str) -> str:
    """Return `text` if `$(text)` can refer to a variable with that name, else raise ValueError."""
    if syntax.is_variable(text):
        return text
    if not text:
        raise ValueError("a variable without a name, to which nothing can refer: write `NAME=VALUE`, or add its name")
    raise ValueError(f"`{text}` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`")


def template_path(path: str) -> FieldPath:
    """Return a field path of keys and `[*]`, () for an empty text: the object itself. ValueError for another path."""
    steps = fieldpath.parse(path) if path else ()
    if all(isinstance(step, str) or step is WILDCARD for step in steps):
        return steps
    raise ValueError(f"`{path}` has more than keys and `[*]`: write a path such as `spec.jobs[*].template`")


def merged_path(path: str) -> FieldPath:
    """Return a field path. ValueError if it leads into a file in a field: that is merged as a whole, line by line."""
    outside, inside = fieldpath.parted(fieldpath.parse(path))
    if inside is not None:
        name = fieldpath.to_text(outside)
        raise ValueError(f"`{path}` leads into a file, which is merged line by line: write `{name}`")
    return outside


# The kinds of text with a format: its name, and the function that raises ValueError for a text of another form.
PATTERN = Text("regular-expression", fullmatch)
_PART = Text("regular-expression-of-a-part", first_group)
_LABELS = Text("label-selector", requirements)
_TEMPLATE_PATH = Text("template-path", template_path)
NAME = Text(
    "variable-name",
    variable_name,
    name="variableName",
    description="The name in `$(NAME)`: printable ASCII without `=` and `)`.",
)
_PREFIX = Text("variable-prefix", lambda text: text and variable_name(text))
_FIELD_PATH = Text(
    "field-path",
    fieldpath.parse,
    name="fieldPath",
    description="A field, like `spec.ports[name=http].port`, `spec.rules[*].host` or `metadata.annotations['a.b/c']`.",
)
_MERGED_PATH = Text("merged-path", merged_path)

_KIND = Field(TEXT, "The kind.", required=True)
_ITS_NAME = Field(TEXT, "The name.", required=True)
_KEY = Field(TEXT, "The key in its data.", required=True)
_ANY_GROUP = Field(TEXT, "The API group. Any, unless given.")
_ANY_NAMESPACE = Field(TEXT, "The namespace. Any, unless given.")
_OPTIONAL = Field(FLAG, "Whether the source may be absent.", default=False)

_SELECTOR = Record(
    {
        "group": Field(PATTERN, 'The API group, `""` for the core one.'),
        "version": Field(PATTERN, "The API version without its group."),
        "kind": Field(PATTERN, "The kind."),
        "name": Field(PATTERN, "The name."),
        "namespace": Field(PATTERN, 'The namespace, `""` for none.'),
        "labelSelector": Field(
            _LABELS, "Labels, in Kubernetes' syntax, like `app=web,tier!=db,env in (test, prod),!legacy`."
        ),
        "annotationSelector": Field(_LABELS, "Annotations, in the same syntax."),
    },
    lambda _, given: Selector(given, given["labelSelector"] or (), given["annotationSelector"] or ()),
    name="selector",
    description="Matches an item that matches every field given here. All but the last two are regular expressions "
    "(RE2) that must match the whole text.",
)
SELECTORS = OneOrMore(_SELECTOR, name="selectors", description="One selector, or a list of which one has to match.")


def _attributes(given: Values) -> Values:
    """Return the values of fields by the names of the attributes of a class, instead of by keys."""
    return {attribute_of(key): value for key, value in given.items()}


def _of_data(kind: str, described: str, **key: Field) -> Field:
    """Return the field for one key in the data of a ConfigMap or Secret, or for all its keys."""
    keys = {"name": _ITS_NAME, "namespace": _ANY_NAMESPACE, **key, "optional": _OPTIONAL}
    return Field(Record(keys, lambda _, given: {"kind": kind, "group": "", **given}), described)


_SOURCES = {
    "objectFieldRef": Field(
        Record(
            {
                "group": Field(TEXT, 'The API group, `""` for the core one. Any, unless given.'),
                "version": Field(TEXT, "The API version without its group. Any, unless given."),
                "kind": _KIND,
                "name": _ITS_NAME,
                "namespace": _ANY_NAMESPACE,
                "regex": Field(
                    _PART,
                    "A regular expression (RE2) for the whole text. Its first group is the value.",
                ),
                "fieldPath": Field(_FIELD_PATH, required=True),
                "optional": _OPTIONAL,
            },
            lambda _, given: _attributes(given),
        ),
        "A field of the only item that matches.",
    ),
    "configMapKeyRef": _of_data("ConfigMap", "A key in the data of a ConfigMap.", key=_KEY),
    "secretKeyRef": _of_data(
        "Secret",
        "A key in the data of a Secret. The value is written only into the `stringData` of a Secret, as a target, or "
        "with `Secrets` in `inline`.",
        key=_KEY,
    ),
}


def _variable(_: Place, given: Values) -> Variable:
    # The path has the name and not the index, so results of two runs have the same path if the list has grown.
    path = fieldpath.to_text(("spec", "variables", Match("name", given["name"])))
    source = given["valueFrom"]
    # A text of `valueFrom` is literal: the kubelet does not expand it (docs/reference/expansion.md, "Sources of env").
    return Variable(name=given["name"], text=given["value"], source=source, literal=source is not None, path=path)


VARIABLE = Record(
    {
        "name": Field(NAME, required=True),
        "value": Field(
            LEAF,
            "The text of the variable, as in a container's `env`: references to variables above are expanded, other "
            "references stay live, `$$` is an escaped `$`. A number that is no plain integer must be in quotes.",
        ),
        "valueFrom": Field(
            Record(_SOURCES, lambda _, given: Source(**next(filter(None, given.values()))), one_of=[*_SOURCES]),
            "The source of the value, which is literal: a `$` is a `$`.",
        ),
    },
    _variable,
    one_of=["value", "valueFrom"],
    name="variable",
)


VARIABLES_FROM = Record(
    {
        "configMapRef": _of_data("ConfigMap", "The ConfigMap."),
        "secretRef": _of_data("Secret", "The Secret. Its values are written only where those of `secretKeyRef` are."),
        "prefix": Field(_PREFIX, "The text in front of every key: both together are the name.", default=""),
    },
    lambda place, given: Source(
        **(given["configMapRef"] or given["secretRef"]), prefix=given["prefix"], path=fieldpath.to_text(place)
    ),
    one_of=["configMapRef", "secretRef"],
    name="variablesFrom",
)


def _kustomize_var(_: Place, given: Values) -> Variable:
    """Decode an element of `vars` as kustomize does: `apiVersion` wins over group and version, "" matches any."""
    ref, field = given["objref"], given["fieldref"]
    group, version = (ref["apiVersion"] or "").rpartition("/")[::2]
    source = Source(
        kind=ref["kind"],
        name=ref["name"],
        # kustomize knows both spellings. Without a field path it reads the name of the object.
        field_path=(field and (field["fieldPath"] or field["fieldpath"])) or ("metadata", "name"),
        group=group or ref["group"] or None,
        version=version or ref["version"] or None,
        namespace=ref["namespace"] or None,
    )
    path = fieldpath.to_text(("spec", "kustomizeVars", Match("name", given["name"])))
    return Variable(name=given["name"], source=source, literal=True, path=path)


_OBJREF = {
    "apiVersion": Field(TEXT, "The API group and version."),
    "group": Field(TEXT, "The API group, if there is no `apiVersion`."),
    "version": Field(TEXT, "The API version, if there is no `apiVersion`."),
    "kind": _KIND,
    "name": Field(TEXT, "The name, before kustomize adds a prefix, suffix or hash.", required=True),
    "namespace": _ANY_NAMESPACE,
}
_FIELDREF = {
    "fieldpath": Field(_FIELD_PATH, default="metadata.name"),
    "fieldPath": Field(_FIELD_PATH, "The same as `fieldpath`, in kustomize's other spelling."),
}
KUSTOMIZE_VAR = Record(
    {
        "name": Field(NAME, required=True),
        "objref": Field(Record(_OBJREF), "The one item whose field is read.", required=True),
        "fieldref": Field(Record(_FIELDREF), "The field of that item."),
    },
    _kustomize_var,
    name="kustomizeVar",
)

POD_TEMPLATE = Record(
    {
        "group": Field(TEXT, "The API group, at any version.", required=True),
        "kind": Field(TEXT, "The kind. A kind with several paths has an entry for each.", required=True),
        "fieldPath": Field(
            _TEMPLATE_PATH,
            "The pod template, like `spec.template` or `spec.workers[*].template`, or the pod spec itself, like "
            "`spec.predictor`: keys, and `[*]` for each element of a list or value of a mapping. "
            '`""` is the object itself.',
        ),
        "container": Field(
            _TEMPLATE_PATH,
            "A container outside a pod spec, like `spec.driver`, or a list of such containers.",
        ),
    },
    lambda _, given: ((given["group"], given["kind"]), given["fieldPath"], given["container"]),
    one_of=["fieldPath", "container"],
    name="podTemplate",
)

TARGET = Record(
    {
        "preset": Field(Word(PRESETS), "Every field of free text, instead of `fieldPaths`."),
        "fieldPaths": Field(
            ListOf(_FIELD_PATH, least=1),
            "The fields. A plain scalar that is one reference takes the type of its value.",
        ),
        "select": Field(SELECTORS, "The items with these fields. Every item, unless given.", default=[]),
        "reject": Field(SELECTORS, "Selected items that are left out.", default=[]),
        "required": Field(FLAG, "Whether it is an error when no item has any of these fields.", default=False),
    },
    lambda place, given: FieldsToExpand(
        path=fieldpath.to_text(place), **_attributes(given | {"fieldPaths": given["fieldPaths"] or ()})
    ),
    one_of=["preset", "fieldPaths"],
    name="target",
)


_ON_CONFLICT = Word(ON_CONFLICT, name="onConflict")
_MERGE_FIELD = Record(
    {
        "select": Field(SELECTORS, "The items with this field. Every item, unless given.", default=[]),
        "fieldPath": Field(_MERGED_PATH, "A field, like `spec.replicas` or `spec.rules[*].host`.", required=True),
        "onConflict": Field(_ON_CONFLICT, "What becomes of the field if both sides changed it."),
        "enforce": Field(FLAG, "Whether the field follows the generated value even if only the other side changed it."),
    },
    lambda _, given: FieldPolicy(
        given["fieldPath"],
        on_conflict=given["onConflict"],
        enforce=given["enforce"] or False,
        select=given["select"],
    ),
    one_of=["onConflict", "enforce"],
    name="mergeField",
)
_MERGE_KEYS = Record(
    {
        "group": _ANY_GROUP,
        "kind": _KIND,
        "fieldPath": Field(
            _TEMPLATE_PATH, "The list. `[*]` stands for every element of a list around it.", required=True
        ),
        "keys": Field(ListOf(TEXT, least=1), "The keys that tell its elements apart.", required=True),
    },
    lambda _, given: MergeKeys(**_attributes(given)),
    name="mergeKeys",
)
MERGE = Record(
    {
        "strategy": Field(
            Word(STRATEGIES),
            "The rules. With `Merge3` the side that changed a field wins. `Apply` gives what `kubectl apply` would "
            "give, and takes no other key but `duplicates`.",
            default=DEFAULT_STRATEGY,
        ),
        "onConflict": Field(
            _ON_CONFLICT,
            "What becomes of a field that both sides changed: it gets the generated value, it keeps its value, or the "
            "run fails.",
            default=DEFAULT_ON_CONFLICT,
        ),
        "adopt": Field(
            _ON_CONFLICT,
            "What becomes of the fields that differ in a resource that was there before it was generated. In place "
            "they keep their values, unless this is given.",
        ),
        "fields": Field(
            ListOf(_MERGE_FIELD),
            "Other rules for a field and all fields below it. Of several the one with the longest path counts.",
            default=[],
        ),
        "mergeKeys": Field(
            ListOf(_MERGE_KEYS), "Lists of custom resources that are merged element by element.", default=[]
        ),
        "inferListKeys": Field(
            FLAG,
            "Whether an unknown list is merged element by element if every element has a "
            "`mountPath`, `devicePath`, `ip`, `topologyKey`, `name`, `variable`, `host`, `id`, `containerPort` or "
            "`type` of its own.",
            default=True,
        ),
        "duplicates": Field(
            Word(("Keep", "Later")),
            "What becomes of two items with one identity: both stay as they are, or the later one is merged into the "
            "first.",
            default="Keep",
        ),
    },
    lambda _, given: MergeOptions(**_attributes(given)),
)
