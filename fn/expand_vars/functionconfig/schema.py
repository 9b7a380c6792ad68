"""The JSON Schema of kind ExpandVars, `schema.json`: the one source of what that kind may hold, and its mistakes."""

from __future__ import annotations

import os

from expand_vars.functionconfig.checks import Checker
from expand_vars.functionconfig.mistakes import A_LIST, A_MAPPING, not_allowed, quoted, unknown
from expand_vars.functionconfig.model import variable_name
from expand_vars.functionconfig.untyped import written
from krm import fieldpath
from krm.selector import fullmatch, requirements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from jsonschema import Draft202012Validator, ValidationError

    from expand_vars.functionconfig.mistakes import Mistake
    from krm.fieldpath import FieldPath

_TYPES = {
    "object": A_MAPPING,
    "array": A_LIST,
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
}


def text() -> str:
    """Return the JSON Schema of kind ExpandVars."""
    with open(f"{os.path.splitext(__file__)[0]}.json", encoding="utf-8") as schema:
        return schema.read()


def mistakes(data: object) -> Iterator[Mistake]:
    """Yield the mistakes that the schema finds in `data`, in the order of the schema."""
    import json  # noqa: PLC0415 - not for a ConfigMap

    schema = json.loads(text())
    if not Checker(schema, FORMATS).is_valid(data):
        for error in validator(schema).iter_errors(data):
            yield from _sentences(error)


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return jsonschema's validator, which finds every mistake."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415 - it costs most of a small run

    formats = FormatChecker(())
    for name, read in FORMATS.items():
        formats.checks(name, ValueError)(_reader(read))
    return Draft202012Validator(schema, format_checker=formats)


def _reader(read: Callable[[str], object]) -> Callable[[object], bool]:
    """Return the check of a format: `read` accepts the string."""
    return lambda instance: not isinstance(instance, str) or read(instance) is not None


def _keys(path: str) -> FieldPath:
    """Return a field path that has keys alone and so leads to one field. ValueError for any other."""
    keys = fieldpath.parse(path)
    if all(isinstance(key, str) for key in keys):
        return keys
    raise ValueError(f"`{path}` may lead to several fields: only keys are allowed here, as in `spec.template`")


FORMATS: dict[str, Callable[[str], object]] = {
    "field-path": fieldpath.parse,
    "keys": _keys,
    "label-selector": requirements,
    "regular-expression": fullmatch,
    "variable-name": variable_name,
}
"""Each format of the schema, with what raises ValueError for a string that does not have it."""


def _sentences(error: ValidationError) -> Iterator[Mistake]:
    """Yield the sentences for a keyword of the schema that does not hold."""
    place = tuple(error.absolute_path)
    found: Any = error.instance
    rule: Any = error.validator_value
    match error.validator:
        case "additionalProperties":
            known: Any = error.schema
            strange = [key for key in found if key not in known["properties"]]
            yield from (((*place, key), unknown(key, known["properties"])) for key in strange)
        case "required":
            yield from ((place, f"`{key}` is missing") for key in rule if key not in found)
        case "oneOf" if isinstance(found, dict):
            keys = [alternative["required"][0] for alternative in rule]
            here = [key for key in keys if key in found]
            yield (
                place,
                f"exactly one of {quoted(keys, 'and')} is needed, found {quoted(here, 'and') if here else 'none'}",
            )
        case "enum":
            yield place, not_allowed(found, quoted([written(word) for word in rule]))
        case "type":
            types = [rule] if isinstance(rule, str) else rule
            yield place, not_allowed(found, ", ".join(_TYPES[name] for name in types))
        case "format":
            yield place, str(error.cause)
        case "minItems":
            yield place, "at least one element is needed"
        case "uniqueItems":
            yield place, "an element is in here twice"
