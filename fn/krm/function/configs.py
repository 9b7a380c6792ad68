"""The functionConfig of a function: `decode` makes a dataclass of it, `schema` and `definition` describe it.

A list or mapping is YAML in the text that a ConfigMap has for it. A field `on_conflict` of the dataclass is the key
`onConflict`; `field(metadata={"key": "target-namespace"})` names another key, and `metadata={"help": "..."}` says what
the field is, for the schema.
"""

from __future__ import annotations

import dataclasses
import types
from copy import copy
from dataclasses import MISSING
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from krm import declarations, fieldpath, secrets
from krm.declarations import A_LIST, A_MAPPING, Field, Kind, ListOf, MapOf, Record, is_leaf, written
from krm.function.fields import SCALARS, Fields
from krm.results import ERROR, FnError, Result
from krm.vocabulary import key_of, quoted
from krm.yamltree import parser, scalars, style
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.parser import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.declarations import Mistake
    from krm.fieldpath import Place
    from krm.function.fields import Part
    from krm.function.objects import Resource
    from krm.yamltree.style import PlainData

T = TypeVar("T")

_REASON = "InvalidFunctionConfig"
_TYPES: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
"""The JSON Schema type of each Python type."""

_AS_YAML = {A_LIST: "[a, b]", A_MAPPING: "{a: b}"}


def decode(function_config: Part | Resource | None, config: type[T]) -> T:
    """Return a functionConfig, or any object or part of one, as an instance of the dataclass `config`.

    It is read from the `data` of a ConfigMap, or from the `spec` of another object. An object that has a field of
    `config` at its top, as the kinds of the kpt catalog do, is read from there. A part is read itself.

    Fields are str, int, float, bool, Literal words, other dataclasses, `list[...]`, `dict[str, ...]`, and each of these
    `| None`. Texts are never re-typed: `tag: 1.10` is "1.10" for a str. FnError names every mistake, with its path, and
    the known key that is most like an unknown one. An absent functionConfig has the defaults, and lacks each field
    without one. TypeError if `config` is no such dataclass.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Setters:
    ...     tag: str
    ...     replicas: int = 1
    >>> decode(config_map, Setters)
    Setters(tag='1.10', replicas=3)
    """
    # A wrong type is a mistake of the author, so it is an error also without a functionConfig.
    record = _Dataclass(config, {})
    if not isinstance(function_config, Fields | None):
        raise TypeError(
            f"`decode` reads an object, or a part of one, found a value of type `{type(function_config).__name__}`"
        )
    # A part may have a `kind` of its own, and a dataclass may ask for that of an object.
    is_object = function_config is None or not function_config._place or "apiVersion" in function_config
    place = _place(function_config, record.fields) if is_object else ()
    node = None if function_config is None else function_config._node(place)
    data: Any = {} if node is None or scalars.is_null(node) else declarations.read(node)
    if isinstance(data, dict) and is_object and not place:
        data = {key: value for key, value in data.items() if key in record.fields or key not in HEAD}
    if isinstance(data, dict) and place == ("data",):
        data = _of_texts(data, record.fields)
    mistakes: list[Mistake] = []
    made: T = record.read(data, place, mistakes)
    if mistakes:
        raise FnError(*(_result(function_config, mistake) for mistake in mistakes))
    return made


def schema(config: type) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `decode` takes for a dataclass.

    >>> schema(Setters)["properties"]["replicas"]
    {'type': 'integer', 'default': 1}
    """
    shape = _Dataclass(config, {}).schema({})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": config.__name__, **shape}


def definition(  # noqa: PLR0913 - each is said by its name
    config: type, *, group: str, version: str, kind: str, image: str = "", in_spec: bool = True
) -> str:
    """Return the `KRMFunctionDefinition` of a function whose functionConfig has this group, version and kind, as YAML.

    `image` is the container image that runs it. The fields are at the top of the functionConfig unless `in_spec`.

    >>> print(definition(Setters, group="example.com", version="v1", kind="Setters").splitlines()[1])
    kind: KRMFunctionDefinition
    """
    import json  # noqa: PLC0415 - no function needs a definition at work

    shape = _Dataclass(config, {}).schema({})
    fields = {"properties": {"spec": shape}} if in_spec else shape
    envelope = {"apiVersion": {"const": f"{group}/{version}"}, "kind": {"const": kind}, "metadata": {"type": "object"}}
    wrapped = {"type": "object", **fields, "properties": envelope | fields["properties"]}
    found: dict[str, Any] = {"name": version, "schema": {"openAPIV3Schema": wrapped}}
    if image:
        found["runtime"] = {"container": {"image": image}}
    # Words of a Literal and defaults may be subclasses that YAML does not know: JSON makes them plain.
    plain = json.loads(json.dumps(found))
    return framed(group, kind, plain, description=(config.__doc__ or "").partition("\n")[0])


def framed(group: str, kind: str, version: dict[str, Any], **more: PlainData) -> str:
    """Return the definition of a kind with one version, as YAML. `more` are further fields of its `spec`."""
    spec: dict[str, Any] = {"group": group, "names": {"kind": kind}, **more, "versions": [version]}
    return style.document(
        {
            "apiVersion": "config.kubernetes.io/v1alpha1",
            "kind": "KRMFunctionDefinition",
            "metadata": {"name": f"{kind.lower()}.{group}"},
            "spec": spec,
        }
    )


class _Dataclass(Record):
    """The fields of a dataclass, by their keys. TypeError for a type that no functionConfig has."""

    def __init__(self, config: type, known: dict[type, Kind]) -> None:
        if not (dataclasses.is_dataclass(config) and isinstance(config, type)):
            raise TypeError(f"a functionConfig decodes into a dataclass, found `{getattr(config, '__name__', config)}`")
        super().__init__({})
        # Before its fields, as a dataclass may hold itself.
        known[config] = self
        self._config = config
        # Resolved here, as annotations are texts under `from __future__ import annotations`.
        hints = get_type_hints(config)
        self._attributes = {one.metadata.get("key") or key_of(one.name): one for one in dataclasses.fields(config)}
        for key, one in self._attributes.items():
            is_bare = one.default is MISSING
            self.fields[key] = Field(
                _kind(hints[one.name], f"{config.__name__}.{one.name}", known),
                one.metadata.get("help", ""),
                default=declarations.NOT_GIVEN if is_bare else one.default,
                required=is_bare and one.default_factory is MISSING,
            )

    def read(self, data: Any, place: Place, found: list[Mistake]) -> Any:
        """Return an instance."""
        # A key without a value counts as absent: somebody has deleted the value.
        empty = {key for key, field in self.fields.items() if not field.kind.takes_none}
        if isinstance(data, dict):
            data = {key: value for key, value in data.items() if value is not None or key not in empty}
        return super().read(data, place, found)

    def _made(self, place: Place, given: dict[str, Any]) -> Any:
        return self._config(**{self._attributes[key].name: value for key, value in given.items()})


def _kind(hint: Any, name: str, known: dict[type, Kind]) -> Kind:
    """Return the kind of values for the type of an attribute."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType) and len(arguments) == len((hint, None)) and NoneType in arguments:
        kind = copy(_kind(next(one for one in arguments if one is not NoneType), name, known))
        kind.takes_none = True
        return kind
    # A scalar keeps its text, whatever type YAML gives it: `1.10` has two digits behind the point, `on` is a word.
    if origin is Literal:
        is_word = lambda data: is_leaf(data) and written(data) in arguments  # noqa: E731
        return Kind({"enum": [*arguments]}, quoted(arguments), is_word, written)
    if hint in _TYPES:
        wanted, read = SCALARS[hint]
        return Kind({"type": _TYPES[hint]}, wanted, is_leaf, lambda data: read(written(data)))
    if origin is list:
        return ListOf(_kind(arguments[0], name, known), make=list)
    if origin is dict:
        return MapOf(_kind(arguments[1], name, known))
    if dataclasses.is_dataclass(hint):
        return known.get(hint) or _Dataclass(hint, known)  # type: ignore[arg-type]  # a class, no instance
    raise TypeError(f"the type of `{name}` is {hint}: take str, int, float, bool, a Literal, list, dict or a dataclass")


def _of_texts(data: dict[str, Any], fields: dict[str, Field]) -> dict[str, Any]:
    """Return the data of a ConfigMap with each list and mapping parsed, which a ConfigMap has as a text."""
    nested = {key: field.kind for key, field in fields.items() if field.kind.allowed in _AS_YAML}
    for kind in nested.values():
        kind.hint = f": in a ConfigMap as YAML, `{_AS_YAML[kind.allowed]}`"
    return data | {key: _parsed(data[key]) for key in nested if isinstance(data.get(key), str)}


def _parsed(text: str) -> Any:
    """Return the collection of a text of YAML, or the text itself if it is no collection."""
    found = parser.roots(text)
    is_one = len(found) == 1 and isinstance(found[0], Mapping | Sequence)
    return declarations.read(found[0]) if is_one else text


def _place(fields: Fields | None, keys: Iterable[str]) -> Place:
    """Return the place of keys in an object: where its kind has them, or where they are."""
    if fields is None or (fields.get_str("apiVersion"), fields.get_str("kind")) == ("v1", "ConfigMap"):
        return ("data",)
    top = {*fields} - {*HEAD}
    # The mistakes of an object without any of the keys are about `spec`, unless it has other keys at its top.
    return ("spec",) if top.isdisjoint(keys) and ("spec" in top or not top) else ()


def _result(function_config: Fields | None, mistake: Mistake) -> Result:
    place, sentence = mistake.place, mistake.sentence
    if function_config is None:
        next_step = "a ResourceList has one, and KEY=VALUE makes one (behind `--` for kpt)"
        message = f"there is no functionConfig, and {sentence} in `{fieldpath.to_text(place)}`: {next_step}"
        return Result(message, ERROR, _REASON)
    # A message must not show a secret.
    if secrets.is_secret(function_config._object.item, (*function_config._place, *place)):
        sentence = mistake.unquoted
    return function_config._result(sentence, place, ERROR, _REASON)
