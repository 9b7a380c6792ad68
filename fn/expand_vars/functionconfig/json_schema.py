"""The JSON Schema of kind ExpandVars, `schema.json`: the one source of what that kind may hold, and its mistakes.

To import jsonschema takes several times as long as a small run. So a functionConfig is checked by the `Checker` here,
and jsonschema reports the mistakes of one that is not valid.
"""

from __future__ import annotations

import os

from expand_vars.functionconfig.mistakes import A_LIST, A_MAPPING, not_allowed, quoted, unknown
from expand_vars.functionconfig.model import variable_name
from expand_vars.functionconfig.untyped import written
from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.selector import first_group, fullmatch, requirements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from jsonschema import Draft202012Validator, ValidationError

    from expand_vars.functionconfig.mistakes import Mistake
    from krm.fieldpath import FieldPath

    Schema: TypeAlias = dict[str, Any]

_TYPES = {
    "object": A_MAPPING,
    "array": A_LIST,
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
}
_OF_TYPE: dict[str, Callable[[object], bool]] = {
    "object": lambda data: isinstance(data, dict),
    "array": lambda data: isinstance(data, list),
    "string": lambda data: isinstance(data, str),
    # In Python a bool is an int, in JSON it is not.
    "integer": lambda data: isinstance(data, int) and not isinstance(data, bool),
    "boolean": lambda data: isinstance(data, bool),
}


def text() -> str:
    """Return the JSON Schema of kind ExpandVars."""
    with open(os.path.join(os.path.dirname(__file__), "schema.json"), encoding="utf-8") as schema:
        return schema.read()


def mistakes(data: object) -> Iterator[Mistake]:
    """Yield the mistakes that the schema finds in `data`, in the order of the schema."""
    import json  # noqa: PLC0415 - not for a ConfigMap

    schema = json.loads(text())
    if not Checker(schema, FORMATS).is_valid(data):
        for error in validator(schema).iter_errors(data):
            yield from _sentences(error)


class Checker:
    """A schema against which data is valid or not, without a reason; it knows the keywords that `schema.json` has.

    `formats` has for each format the function that raises ValueError for a string that does not have it.
    """

    def __init__(self, schema: Schema, formats: dict[str, Callable[[str], object]]) -> None:
        self._schema = schema
        self._formats = formats

    def is_valid(self, data: object) -> bool:
        """True if jsonschema would find no mistake in `data`."""
        return self._holds(data, self._schema)

    def _holds(self, data: Any, schema: Schema) -> bool:  # noqa: ANN401 - data of any type
        """True if each keyword of a schema holds. Those about another type than the data's always do."""
        return (
            ("$ref" not in schema or self._holds(data, self._schema["$defs"][schema["$ref"].rpartition("/")[2]]))
            and ("type" not in schema or any(_OF_TYPE[name](data) for name in _listed(schema["type"])))
            # The types too, as True equals 1 in Python.
            and any(data == word and type(data) is type(word) for word in _words(schema, data))
            and self._holds_of_alternatives(data, schema)
            and (not isinstance(data, dict) or self._holds_of_mapping(data, schema))
            and (not isinstance(data, list) or self._holds_of_list(data, schema))
            and (not isinstance(data, str) or self._has_format(data, schema.get("format")))
        )

    def _holds_of_alternatives(self, data: object, schema: Schema) -> bool:
        if "oneOf" in schema and sum(self._holds(data, one) for one in schema["oneOf"]) != 1:
            return False
        return "if" not in schema or self._holds(data, schema["then" if self._holds(data, schema["if"]) else "else"])

    def _holds_of_mapping(self, data: dict[str, object], schema: Schema) -> bool:
        known: Schema = schema.get("properties", {})
        if schema.get("additionalProperties", True) is False and not data.keys() <= known.keys():
            return False
        if not all(key in data for key in schema.get("required", ())):
            return False
        return all(self._holds(value, known[key]) for key, value in data.items() if key in known)

    def _holds_of_list(self, data: list[object], schema: Schema) -> bool:
        if len(data) < schema.get("minItems", 0):
            return False
        if "uniqueItems" in schema and any(element in data[:index] for index, element in enumerate(data)):
            return False
        return "items" not in schema or all(self._holds(element, schema["items"]) for element in data)

    def _has_format(self, data: str, name: str | None) -> bool:
        try:
            return name is None or self._formats[name](data) is not None
        except ValueError:
            return False


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return jsonschema's validator, which finds every mistake."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415 - it costs most of a small run

    # Without jsonschema's own formats: the schema has those of `FORMATS` alone, which the `Checker` knows as well.
    formats = FormatChecker(())
    for name, read in FORMATS.items():
        formats.checks(name, ValueError)(_reader(read))
    return Draft202012Validator(schema, format_checker=formats)


def _reader(read: Callable[[str], object]) -> Callable[[object], bool]:
    """Return the check of a format: `read` accepts the string."""
    return lambda instance: not isinstance(instance, str) or read(instance) is not None


def template_path(path: str) -> FieldPath:
    """Return a field path of keys and `[*]`; () for an empty text: the object itself. ValueError for any other."""
    steps = fieldpath.parse(path) if path else ()
    if all(isinstance(step, str) or step is WILDCARD for step in steps):
        return steps
    raise ValueError(
        f"`{path}` names single elements: only keys and `[*]` are allowed here, as in `spec.jobs[*].template`"
    )


FORMATS: dict[str, Callable[[str], object]] = {
    "field-path": fieldpath.parse,
    "label-selector": requirements,
    "regular-expression": fullmatch,
    "regular-expression-of-a-part": first_group,
    "template-path": template_path,
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
            yield from (((*place, key), _unknown(key, known["properties"])) for key in strange)
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
            allowed = ", ".join(_TYPES[name] for name in _listed(rule))
            yield place, not_allowed(found, allowed) + _in_a_mapping(found, error.schema)
        case "format":
            yield place, str(error.cause)
        case "minItems":
            yield place, "at least one element is needed"
        case "uniqueItems":
            yield place, "an element is in here twice"


def _unknown(key: str, known: dict[str, Schema]) -> str:
    """Return the sentence for an unknown key; one of `spec` that stands beside it belongs into it."""
    if key in known.get("spec", {}).get("properties", ()):
        return f"unknown key `{key}`: it belongs below `spec`"
    return unknown(key, known)


def _in_a_mapping(found: object, schema: Any) -> str:  # noqa: ANN401 - a schema of any form
    """Return how to write a word for which a mapping is asked, empty where no key of that takes the word."""
    keys = [key for key, one in schema.get("properties", {}).items() if found in one.get("enum", ())]
    return f": write `{{{keys[0]}: {found}}}`" if keys else ""


def _listed(types: str | list[str]) -> list[str]:
    return [types] if isinstance(types, str) else types


def _words(schema: Schema, data: object) -> list[object]:
    """Return the values that are allowed, `data` itself where any is."""
    words: list[object] = schema.get("enum", [schema.get("const", data)])
    return words
