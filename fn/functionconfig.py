"""The functionConfig, decoded: what the user asked for, as data that nobody has to check again.

`functionconfig.schema.json` says what a functionConfig of kind ExpandVars may hold, and jsonschema finds what it does
not; the sentences about it are made here. A ConfigMap is checked without either: importing jsonschema takes longer
than the whole of a small run.
"""

from __future__ import annotations

import os
import re

from fn.krm import fieldpath
from fn.krm.fieldpath import WILDCARD, Match
from fn.krm.results import ERROR, FnError, Result
from fn.krm.selector import Selector, fullmatch, requirements
from fn.yamltree import scalars
from fn.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any, TypeAlias

    from jsonschema import ValidationError

    from fn.krm.fieldpath import FieldPath, Place
    from fn.krm.resource import Resource
    from fn.krm.results import ResourceRef
    from fn.yamltree.nodes import Node

    Leaf: TypeAlias = "str | int | Retyped | None"
    Data: TypeAlias = "dict[str, Data] | list[Data] | Leaf"
    Mistake: TypeAlias = tuple[Place, str]

GROUP = "expandvars.dev"
API_VERSION = f"{GROUP}/v1alpha1"
KIND = "ExpandVars"

LOOKUP = ("Container", "Variables")
INLINE = ("Literals", "Variables")
UNRESOLVED = ("Ignore", "Warn", "Error")
ESCAPES = ("Keep", "Unescape")

_OPTIONS = {"unresolved": UNRESOLVED, "escapes": ESCAPES, "inline": INLINE}
_CONFIG_MAP_KEYS = ("apiVersion", "kind", "metadata", "data", "binaryData", "immutable")
_SHOWN = 40
_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
}


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


class ConfigMapKey:
    """One key of a ConfigMap's data."""

    __slots__ = ("key", "name", "namespace", "optional")

    def __init__(self, *, name: str, namespace: str | None, key: str, optional: bool) -> None:
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
        source: ObjectField | ConfigMapKey | None = None,
        literal: bool,
        path: str | None,
    ) -> None:
        self.name = name
        self.text = text
        self.source = source
        self.literal = literal
        self.path = path


class VariablesFrom:
    """All keys of a ConfigMap as literal variables, their names behind `prefix`."""

    __slots__ = ("name", "namespace", "optional", "path", "prefix")

    def __init__(self, *, name: str, namespace: str | None, optional: bool, prefix: str, path: str) -> None:
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


class Config:
    """What a functionConfig says, with the defaults of one that is absent.

    `variables` are in the order in which one may refer to those above it; no name is in it twice.
    """

    __slots__ = (
        "escapes",
        "exclude",
        "inline",
        "kustomize_vars",
        "lookup",
        "ref",
        "selectors",
        "targets",
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
        inline: frozenset[str] = frozenset(INLINE),
        selectors: tuple[Selector, ...] = (),
        exclude: tuple[Selector, ...] = (),
        targets: tuple[Target, ...] = (),
        unresolved: str = "Warn",
        escapes: str = "Keep",
    ) -> None:
        self.ref = ref
        self.variables = variables
        self.variables_from = variables_from
        self.kustomize_vars = kustomize_vars
        self.lookup = lookup
        self.inline = inline
        self.selectors = selectors
        self.exclude = exclude
        self.targets = targets
        self.unresolved = unresolved
        self.escapes = escapes


def decode(resource: Resource | None) -> Config:
    """Return what a functionConfig says, the defaults for none. FnError tells all that is wrong with it."""
    if resource is None:
        return Config()
    if (resource.api_version, resource.kind) == ("v1", "ConfigMap"):
        return _from_config_map(resource)
    if (resource.api_version, resource.kind) == (API_VERSION, KIND):
        return _from_expand_vars(resource)
    found = f"`{resource.kind}` of `{resource.api_version}`"
    message = f"a functionConfig is `ConfigMap` of `v1` or `{KIND}` of `{API_VERSION}`, found {found}"
    raise FnError(resource.result(message, ERROR, "InvalidFunctionConfig", ("kind",)))


def with_arguments(config: Config, arguments: Iterable[tuple[str, str]]) -> Config:
    """Return `config` with literal variables that win over all others. FnError for a name that cannot be one."""
    given = {name: Variable(name, text=text, literal=True, path=None) for name, text in arguments}
    try:
        for name in given:
            variable_name(name)
    except ValueError as error:
        raise FnError(Result(str(error), ERROR, "InvalidArgument")) from None
    fields = {field: getattr(config, field) for field in Config.__slots__}
    others = (variable for variable in config.variables if variable.name not in given)
    return Config(**{**fields, "variables": (*given.values(), *others)})


def schema_text() -> str:
    """Return the JSON Schema of kind ExpandVars."""
    with open(f"{os.path.splitext(__file__)[0]}.schema.json", encoding="utf-8") as schema:
        return schema.read()


def variable_name(text: str) -> str:
    """Return `text` if a variable can have that name and be referred to by it, else raise ValueError.

    Kubernetes takes printable ASCII without `=` (spec/expansion.md, 2.3); a reference ends at the first `)`.
    """
    if re.fullmatch("[ -(*-<>-~]+", text):
        return text
    raise ValueError(f"`{text}` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`")


def _from_config_map(resource: Resource) -> Config:
    """Decode a ConfigMap: every key of its data is a literal variable, options are annotations (decision 13)."""
    data: Any = _data(resource.root)
    options = dict(_options(resource.annotations))
    _refuse(resource, [*_config_map_mistakes(data), *_option_mistakes(options)])
    return Config(
        resource.ref,
        variables=tuple(
            Variable(str(place[1]), text=_text(node), literal=True, path=fieldpath.to_text(place))
            for place, node in resource.find(("data", WILDCARD))
        ),
        inline=frozenset(options.get("inline", INLINE)),
        unresolved=options.get("unresolved", ["Warn"])[0],
        escapes=options.get("escapes", ["Keep"])[0],
    )


def _options(annotations: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Yield every option that is set by an annotation, with its words: one, but for `inline`."""
    for key, text in annotations.items():
        prefix, _, option = key.rpartition("/")
        if prefix == GROUP and option == "inline":
            yield option, [word.strip() for word in text.split(",") if word.strip()]
        elif prefix == GROUP and option != "skip":
            yield option, [text]


def _option_mistakes(options: dict[str, list[str]]) -> Iterator[Mistake]:
    for option, words in options.items():
        place = "metadata", "annotations", f"{GROUP}/{option}"
        if option not in _OPTIONS:
            yield place, _unknown(option, _OPTIONS)
            continue
        allowed = _OPTIONS[option]
        yield from ((place, _not_allowed(word, _quoted(allowed))) for word in words if word not in allowed)


def _config_map_mistakes(config_map: dict[str, Any]) -> Iterator[Mistake]:
    unknown = [key for key in config_map if key not in _CONFIG_MAP_KEYS]
    yield from (((key,), _unknown(key, _CONFIG_MAP_KEYS)) for key in unknown)
    texts = config_map.get("data")
    if isinstance(texts, dict):
        for name, text in texts.items():
            yield from ((("data", name), message) for message in _variable_mistakes(name, text))
    elif texts is not None:
        yield ("data",), _not_allowed(texts, "a mapping")


def _variable_mistakes(name: str, value: Data) -> Iterator[str]:
    """Yield what is wrong with a key of a ConfigMap's data and with its value."""
    try:
        variable_name(name)
    except ValueError as error:
        yield str(error)
    if isinstance(value, dict | list | None):
        yield _not_allowed(value, "a string")


def _from_expand_vars(resource: Resource) -> Config:
    """Decode kind ExpandVars, once the schema has nothing against it."""
    data: Any = _data(resource.root)
    _refuse(resource, [*_schema_mistakes(data), *_repeated_names(resource)])
    spec = data.get("spec", {})
    return Config(
        resource.ref,
        variables=tuple(map(_variable, spec.get("variables", ()))),
        variables_from=tuple(map(_variables_from, *_entries(spec, "variablesFrom"))),
        kustomize_vars=tuple(map(_kustomize_var, spec.get("kustomizeVars", ()))),
        lookup=tuple(spec.get("lookup", LOOKUP)),
        inline=frozenset(spec.get("inline", INLINE)),
        selectors=_selectors(spec.get("selectors", [])),
        exclude=_selectors(spec.get("exclude", [])),
        targets=tuple(map(_target, *_entries(spec, "targets"))),
        unresolved=spec.get("unresolved", "Warn"),
        escapes=spec.get("escapes", "Keep"),
    )


def _entries(spec: dict[str, Any], key: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the elements of a list of `spec`, and the paths of them, which have no names."""
    entries = spec.get(key, [])
    return entries, [f"spec.{key}[{index}]" for index in range(len(entries))]


def _variable(entry: dict[str, Any]) -> Variable:
    path = fieldpath.to_text(("spec", "variables", Match("name", entry["name"])))
    if "valueFrom" in entry:
        return Variable(entry["name"], source=_source(entry["valueFrom"]), literal=True, path=path)
    return Variable(entry["name"], text=_written(entry["value"]), literal=False, path=path)


def _source(value_from: dict[str, Any]) -> ObjectField | ConfigMapKey:
    if "configMapKeyRef" in value_from:
        ref = value_from["configMapKeyRef"]
        return ConfigMapKey(
            name=ref["name"],
            namespace=ref.get("namespace"),
            key=ref["key"],
            optional=ref.get("optional", False),
        )
    ref = value_from["objectFieldRef"]
    return ObjectField(
        group=ref.get("group"),
        version=ref.get("version"),
        kind=ref["kind"],
        name=ref["name"],
        namespace=ref.get("namespace"),
        field_path=fieldpath.parse(ref["fieldPath"]),
        optional=ref.get("optional", False),
    )


def _variables_from(entry: dict[str, Any], path: str) -> VariablesFrom:
    ref = entry["configMapRef"]
    return VariablesFrom(
        name=ref["name"],
        namespace=ref.get("namespace"),
        optional=ref.get("optional", False),
        prefix=entry.get("prefix", ""),
        path=path,
    )


def _kustomize_var(entry: dict[str, Any]) -> Variable:
    """Decode an element of `vars` as kustomize does: apiVersion wins, what is empty is any (api/types/var.go)."""
    objref, fieldref = entry["objref"], entry.get("fieldref", {})
    group, _, version = objref.get("apiVersion", "").rpartition("/")
    source = ObjectField(
        group=group or objref.get("group") or None,
        version=version or objref.get("version") or None,
        kind=objref["kind"],
        name=objref["name"],
        namespace=objref.get("namespace") or None,
        field_path=fieldpath.parse(fieldref.get("fieldpath") or fieldref.get("fieldPath", "metadata.name")),
        optional=False,
    )
    path = fieldpath.to_text(("spec", "kustomizeVars", Match("name", entry["name"])))
    return Variable(entry["name"], source=source, literal=True, path=path)


def _target(entry: dict[str, Any], path: str) -> Target:
    return Target(
        preset=entry.get("preset"),
        field_paths=tuple(map(fieldpath.parse, entry.get("fieldPaths", ()))),
        select=_selectors(entry.get("select", [])),
        reject=_selectors(entry.get("reject", [])),
        required=entry.get("required", False),
        path=path,
    )


def _selectors(entries: dict[str, str] | list[dict[str, str]]) -> tuple[Selector, ...]:
    return tuple(map(Selector, entries if isinstance(entries, list) else [entries]))


def _repeated_names(resource: Resource) -> Iterator[Mistake]:
    """Yield every name that a list of variables has had before (decision 12)."""
    for key in ("variables", "kustomizeVars"):
        first: dict[str, str] = {}
        for place, node in resource.find(("spec", key, WILDCARD, "name")):
            name, path = _text(node), fieldpath.to_text(place[:-1])
            if name is not None and first.setdefault(name, path) != path:
                yield place, f"the name `{name}` is here again, first in `{first[name]}`"


def _schema_mistakes(data: object) -> Iterator[Mistake]:
    """Yield what the schema has against `data`, in the schema's own order."""
    import json  # noqa: PLC0415 - not for a ConfigMap

    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415 - nor this, by far the slowest

    formats = FormatChecker(())
    formats.checks("field-path", ValueError)(_reader(fieldpath.parse))
    formats.checks("label-selector", ValueError)(_reader(requirements))
    formats.checks("regular-expression", ValueError)(_reader(fullmatch))
    formats.checks("variable-name", ValueError)(_reader(variable_name))
    validator = Draft202012Validator(json.loads(schema_text()), format_checker=formats)
    for error in validator.iter_errors(data):
        yield from _mistakes(error)


def _reader(read: Callable[[str], object]) -> Callable[[object], bool]:
    """Return the check of a format: that `read` does not raise, for a string."""
    return lambda instance: not isinstance(instance, str) or read(instance) is not None


def _mistakes(error: ValidationError) -> Iterator[Mistake]:
    """Yield what it means to the user that a keyword of the schema does not hold."""
    place = tuple(error.absolute_path)
    found: Any = error.instance
    rule: Any = error.validator_value
    match error.validator:
        case "additionalProperties":
            known: Any = error.schema
            unknown = [key for key in found if key not in known["properties"]]
            yield from (((*place, key), _unknown(key, known["properties"])) for key in unknown)
        case "required":
            yield from ((place, f"`{key}` is missing") for key in rule if key not in found)
        case "oneOf" if isinstance(found, dict):
            keys = [alternative["required"][0] for alternative in rule]
            here = "both" if all(key in found for key in keys) else "neither"
            yield place, f"exactly one of {_quoted(keys, 'and')} is needed, found {here}"
        case "enum":
            yield place, _not_allowed(found, _quoted(rule))
        case "type":
            types = [rule] if isinstance(rule, str) else rule
            yield place, _not_allowed(found, ", ".join(_TYPES[name] for name in types))
        case "format":
            yield place, str(error.cause)
        case "minItems":
            yield place, "at least one element is needed"
        case "uniqueItems":
            yield place, "an element is in here twice"


def _unknown(key: str, known: Collection[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(key, known, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else f": the keys here are {_quoted(known, 'and')}"
    return f"unknown key `{key}`{hint}"


def _not_allowed(found: Data, allowed: str) -> str:
    """Return the sentence for a wrong value. Where a string would have been right quotes make it one."""
    quotable = "a string" in allowed and not isinstance(found, dict | list)
    if quotable and isinstance(found, Retyped):
        return f"{_shown(found)} is not the same text to every reader of YAML: write it in quotes"
    message = f"found {_shown(found)}, but only {allowed} is allowed here"
    return f"{message}: write it in quotes" if quotable else message


def _shown(found: Data) -> str:
    """Return a value as it was written, cut short; nothing of what a collection holds, which may be secret."""
    if isinstance(found, dict | list):
        return _TYPES["object" if isinstance(found, dict) else "array"]
    text = _written(found)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"


def _quoted(words: Collection[str], conjunction: str = "or") -> str:
    *most, last = (f"`{word}`" for word in words)
    return f"{', '.join(most)} {conjunction} {last}"


class Retyped:
    """A plain scalar that not every reader takes for its text: `1.10`, `0777`, `1e3`, `yes` (decision 13)."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _data(node: Node | None) -> Data:
    """Return what `node` holds, aliases and `<<` seen through, for a schema to judge.

    A scalar is a str, an int or a bool only where all readers and writers of YAML keep its text.
    """
    node = resolved(node)
    if isinstance(node, Mapping):
        return {key: _data(value) for key, value in node.items()}
    if isinstance(node, Sequence):
        return [_data(element) for element in node.kids]
    return None if node is None else _leaf(node)


def _leaf(scalar: Scalar) -> Leaf:
    text = scalars.string(scalar)
    if text is None and scalar.tag is None and scalar.value.count(".") > 1:
        # A number by the letter of YAML 1.1 only: every reader there is takes `1.2.3` and `10.0.0.1` for strings.
        text = scalar.value
    if text is not None:
        return text
    value = scalars.typed(scalar)
    if value is None or (isinstance(value, int) and _written(value) == scalar.value):
        return value
    return Retyped(scalar.value)


def _written(value: Leaf) -> str:
    """Return the text of which `_leaf` made `value`."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, Retyped) else scalars.leaf(value, flow=False)


def _text(node: Node) -> str | None:
    scalar = resolved(node)
    return None if scalar is None else scalar.value


def _refuse(resource: Resource, mistakes: Iterable[Mistake]) -> None:
    """Raise the FnError of all mistakes, if there are any; the schema may tell one of them twice."""
    results = [
        resource.result(message, ERROR, "InvalidFunctionConfig", place) for place, message in dict.fromkeys(mistakes)
    ]
    if results:
        raise FnError(*results)
