"""The functionConfig of a function as a dataclass: `decode`; and what it may hold, for others: `schema`, `definition`.

A list or mapping is YAML in the text that a ConfigMap has for it. A field `on_conflict` of the dataclass is the key
`onConflict`; `field(metadata={"key": "target-namespace"})` names another key, and `metadata={"help": "..."}` says what
the field is, for the schema.
"""

from __future__ import annotations

import dataclasses
import types
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from krm import fieldpath
from krm.function.fields import SCALARS, Fields, told
from krm.results import ERROR, FnError, Result
from krm.vocabulary import key_of, quoted, unknown
from krm.yamltree import parser, scalars, style
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.parser import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import Place
    from krm.function.fields import Part
    from krm.function.objects import Resource
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value

T = TypeVar("T")

_ENVELOPE = ("apiVersion", "kind", "metadata")
_REASON = "InvalidFunctionConfig"
_TYPES: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
"""The JSON Schema type of each Python type."""

_AS_YAML = {"a list": ": in a ConfigMap as YAML, `[a, b]`", "a mapping": ": in a ConfigMap as YAML, `{a: b}`"}


def decode(function_config: Part | Resource | None, config: type[T]) -> T:
    """Return a functionConfig, or any object or part of one, as an instance of the dataclass `config`.

    It is read from the `data` of a ConfigMap, from the top of an object that has a field of `config` there, as the
    kinds of the kpt catalog do, else from its `spec`, and from a part itself.

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
    keys = [key for key, _, _ in _keys_of(config)]
    if not isinstance(function_config, Fields | None):
        raise TypeError(
            f"`decode` reads an object, or a part of one, found a value of type `{type(function_config).__name__}`"
        )
    # A part may have a `kind` of its own, and a dataclass may ask for that of an object.
    is_object = function_config is None or not function_config._place or "apiVersion" in function_config
    place = _place(function_config, keys) if is_object else ()
    decoding = _Decoding(has_texts_alone=place == ("data",), envelope=_ENVELOPE if is_object else ())
    made: T = decoding.fields(None if function_config is None else function_config._node(place), config, place)
    if decoding.mistakes:
        raise FnError(*(_result(function_config, *mistake) for mistake in decoding.mistakes))
    return made


def schema(config: type) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `decode` takes for a dataclass.

    >>> schema(Setters)["properties"]["replicas"]
    {'type': 'integer', 'default': 1}
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": config.__name__, **_object(config)}


def definition(  # noqa: PLR0913 - each is said by its name
    config: type, *, group: str, version: str, kind: str, image: str = "", in_spec: bool = True
) -> str:
    """Return the `KRMFunctionDefinition` of a function whose functionConfig has this group, version and kind, as YAML.

    `image` is the container image that runs it. The fields are at the top of the functionConfig unless `in_spec`.

    >>> print(definition(Setters, group="example.com", version="v1", kind="Setters").splitlines()[1])
    kind: KRMFunctionDefinition
    """
    import json  # noqa: PLC0415 - no function needs a definition at work

    fields = {"properties": {"spec": _object(config)}} if in_spec else _object(config)
    envelope = {"apiVersion": {"const": f"{group}/{version}"}, "kind": {"const": kind}, "metadata": {"type": "object"}}
    wrapped = {"type": "object", **fields, "properties": envelope | fields["properties"]}
    found: dict[str, Any] = {"name": version, "schema": {"openAPIV3Schema": wrapped}}
    if image:
        found["runtime"] = {"container": {"image": image}}
    # Words of a Literal and defaults may be subclasses that YAML does not know: JSON makes them plain.
    plain = json.loads(json.dumps(found))
    return framed(group, kind, plain, description=(config.__doc__ or "").partition("\n")[0])


def framed(group: str, kind: str, version: dict[str, Any], **more: Value) -> str:
    """Return the definition of a kind with one version, as YAML. `more` is what else is said of it."""
    spec: dict[str, Any] = {"group": group, "names": {"kind": kind}, **more, "versions": [version]}
    return style.document(
        {
            "apiVersion": "config.kubernetes.io/v1alpha1",
            "kind": "KRMFunctionDefinition",
            "metadata": {"name": f"{kind.lower()}.{group}"},
            "spec": spec,
        }
    )


class _Decoding:
    """Gathers the mistakes of one functionConfig: place and sentence."""

    def __init__(self, *, has_texts_alone: bool, envelope: tuple[str, ...]) -> None:
        """Take whether the values are all texts, as those of a ConfigMap, and keys that may stand at the top."""
        self._envelope = envelope
        self.mistakes: list[tuple[Place, str]] = []
        self._has_texts_alone = has_texts_alone

    def fields(self, node: Node | None, config: type, place: Place) -> Any:  # noqa: ANN401 - an instance of config
        """Return an instance of a dataclass, None if there is a mistake."""
        earlier = len(self.mistakes)
        there = resolved(node)
        known = {key: (field, hint) for key, field, hint in _keys_of(config)}
        entries = dict(there.items()) if isinstance(there, Mapping) else {}
        if there is not None and not isinstance(there, Mapping) and not scalars.is_null(there):
            return self._wrong(place, there, "a mapping")
        # Unknown keys first: one of them is often the key that is missing.
        for key in entries:
            if key not in known and (place or key not in self._envelope):
                self.mistakes.append(((*place, key), unknown(key, known)))
        values: dict[str, Any] = {}
        for key, (field, hint) in known.items():
            value = entries.get(key)
            # A key without a value is what is left of a line that somebody emptied.
            is_absent = value is None or (scalars.is_null(value) and not _takes_none(hint))
            if not is_absent:
                values[field.name] = self.value(value, hint, (*place, key))
            elif field.default is MISSING and field.default_factory is MISSING:
                self.mistakes.append((place, f"`{key}` is missing"))
        # With a mistake nobody gets to see the instance, so half of one need not be made.
        return config(**values) if len(self.mistakes) == earlier else None

    def value(self, node: Node | None, hint: Any, place: Place) -> Any:  # noqa: ANN401 - what the hint says
        """Return a value of a type."""
        origin, arguments = get_origin(hint), get_args(hint)
        is_nested = origin in (list, dict) or dataclasses.is_dataclass(hint)
        there = resolved(self._parsed(node) if self._has_texts_alone and is_nested else node)
        if origin in (Union, types.UnionType):
            return None if scalars.is_null(there) else self.value(node, _without_none(hint), place)
        if dataclasses.is_dataclass(hint):
            return self.fields(node, hint, place)  # type: ignore[arg-type]  # a class, no instance
        if origin is list:
            elements = there.kids if isinstance(there, Sequence) else self._wrong(place, there, "a list")
            return [self.value(kid, arguments[0], (*place, index)) for index, kid in enumerate(elements)]
        if origin is dict:
            entries = there.items() if isinstance(there, Mapping) else self._wrong(place, there, "a mapping")
            return {key: self.value(one, arguments[1], (*place, key)) for key, one in entries}
        return self._scalar(there, hint, place)

    def _parsed(self, node: Node | None) -> Node | None:
        """Return the collection that the text of a scalar is in YAML, the scalar itself where it is none."""
        text = scalars.string(resolved(node))
        if text is None:
            return node
        try:
            root = parser.parse(text).root
        except ParseError:
            return node
        return root if isinstance(root, Mapping | Sequence) else node

    def _scalar(self, node: Node | None, hint: Any, place: Place) -> Any:  # noqa: ANN401 - what the hint says
        is_choice = get_origin(hint) is Literal
        if not isinstance(node, Scalar) or scalars.is_null(node):
            return self._wrong(place, node, quoted(get_args(hint)) if is_choice else SCALARS[hint][0])
        # The word as it is written: `on` is the word `on`, and not true.
        if is_choice:
            return node.value if node.value in get_args(hint) else self._wrong(place, node, quoted(get_args(hint)))
        try:
            # From the text, never from what YAML makes of it: `1.10` has two digits behind the point.
            return SCALARS[hint][1](node.value)
        except ValueError:
            return self._wrong(place, node, SCALARS[hint][0])

    def _wrong(self, place: Place, node: Node | None, wanted: str) -> Any:  # noqa: ANN401 - stands for any value
        hint = _AS_YAML.get(wanted, "") if self._has_texts_alone else ""
        self.mistakes.append((place, f"found {told(node)}, but only {wanted} is allowed here{hint}"))
        return ()


def _keys_of(config: type) -> Iterator[tuple[str, Any, Any]]:
    """Yield the key of each field of a dataclass, the field, and its type. TypeError for a class that is none."""
    # At the first call, not at the first functionConfig: it is a mistake of the author.
    if not dataclasses.is_dataclass(config):
        raise TypeError(f"a functionConfig decodes into a dataclass, found `{getattr(config, '__name__', config)}`")
    # Resolved here, as annotations are texts under `from __future__ import annotations`.
    hints = get_type_hints(config)
    for field in dataclasses.fields(config):
        _require_known(hints[field.name], f"{config.__name__}.{field.name}")
        yield field.metadata.get("key") or key_of(field.name), field, hints[field.name]


def _require_known(hint: Any, name: str) -> None:  # noqa: ANN401 - any annotation
    """Raise TypeError for a type that no functionConfig has."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType) and len(arguments) == len((hint, None)) and _takes_none(hint):
        _require_known(_without_none(hint), name)
    elif origin in (list, dict):
        _require_known(arguments[-1], name)
    elif not (hint in _TYPES or origin is Literal or dataclasses.is_dataclass(hint)):
        raise TypeError(
            f"the type of `{name}` is {hint}: take str, int, float, bool, a Literal, list, dict or a dataclass"
        )


def _place(fields: Fields | None, keys: list[str]) -> Place:
    """Return the place of keys in an object: where its kind has them, or where they are."""
    if fields is None or (fields.get_str("apiVersion"), fields.get_str("kind")) == ("v1", "ConfigMap"):
        return ("data",)
    top = {*fields} - {*_ENVELOPE}
    # An object with none of the keys that says nothing else at its top has them in `spec`, where they are missing.
    return ("spec",) if top.isdisjoint(keys) and ("spec" in top or not top) else ()


def _result(function_config: Fields | None, place: Place, message: str) -> Result:
    text = fieldpath.to_text(place)
    if function_config is None:
        next_step = "a ResourceList has one, and KEY=VALUE makes one (behind `--` for kpt)"
        return Result(f"there is no functionConfig, and {message} in `{text}`: {next_step}", ERROR, _REASON)
    return function_config._result(message, place, ERROR, _REASON)


def _takes_none(hint: Any) -> bool:  # noqa: ANN401 - any annotation
    return type(None) in get_args(hint)


def _without_none(hint: Any) -> Any:  # noqa: ANN401 - any annotation
    return next(one for one in get_args(hint) if one is not type(None))


def _object(config: type) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for key, field, hint in _keys_of(config):
        shown = _type(hint)
        if "help" in field.metadata:
            shown["description"] = field.metadata["help"]
        if field.default is not MISSING:
            shown["default"] = field.default
        elif field.default_factory is MISSING:
            required.append(key)
        properties[key] = shown
    shape: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    return shape | ({"required": required} if required else {})


def _type(hint: Any) -> dict[str, Any]:  # noqa: ANN401 - any annotation
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return {**_type(_without_none(hint))}
    if dataclasses.is_dataclass(hint):
        return _object(hint)  # type: ignore[arg-type]  # a class, no instance
    if origin is list:
        return {"type": "array", "items": _type(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(arguments[1])}
    return {"enum": [*arguments]} if origin is Literal else {"type": _TYPES[hint]}
