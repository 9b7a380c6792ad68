"""What a function says of its functionConfig to others: the schema of its dataclass, and a definition with that."""

from __future__ import annotations

import dataclasses
import json
import types
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from krm.function.configs import TYPES, keys_of, without_none
from krm.yamltree import style

if TYPE_CHECKING:
    from krm.yamltree.style import Value


def schema(config: type) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `decode` takes for a dataclass.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Setters:
    ...     tag: str
    ...     replicas: int = 1
    >>> schema(Setters)["properties"]["replicas"]
    {'type': 'integer', 'default': 1}
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": config.__name__, **_object(config)}


def definition(  # noqa: PLR0913 - each is said by its name
    config: type, *, group: str, version: str, kind: str, image: str = "", in_spec: bool = True
) -> str:
    """Return the `KRMFunctionDefinition` of a function whose functionConfig has this group, version and kind, as YAML.

    `image` is the container image that runs it. The fields are in `spec`, or at the top where that is not `in_spec`.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Setters:
    ...     tag: str
    >>> print(definition(Setters, group="example.com", version="v1", kind="Setters").splitlines()[1])
    kind: KRMFunctionDefinition
    """
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


def _object(config: type) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for key, field, hint in keys_of(config):
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
        return {**_type(without_none(hint))}
    if dataclasses.is_dataclass(hint):
        return _object(hint)  # type: ignore[arg-type]  # a class, no instance
    if origin is list:
        return {"type": "array", "items": _type(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(arguments[1])}
    return {"enum": [*arguments]} if origin is Literal else {"type": TYPES[hint]}
