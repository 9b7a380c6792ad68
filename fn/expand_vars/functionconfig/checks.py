"""Data against a JSON Schema: valid or not, without a reason and without jsonschema.

To import jsonschema takes several times as long as a small run. So a functionConfig is checked here first, and
jsonschema reports the mistakes of one that is not valid. The keywords are those that `schema.json` has.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Schema: TypeAlias = dict[str, Any]

_TYPES: dict[str, Callable[[object], bool]] = {
    "object": lambda data: isinstance(data, dict),
    "array": lambda data: isinstance(data, list),
    "string": lambda data: isinstance(data, str),
    "integer": lambda data: isinstance(data, int) and not isinstance(data, bool),
    "boolean": lambda data: isinstance(data, bool),
}


class Checker:
    """A schema, and for each format the function that raises ValueError for a string that does not have it."""

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
            and ("type" not in schema or any(_TYPES[name](data) for name in _listed(schema["type"])))
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


def _listed(types: str | list[str]) -> list[str]:
    return [types] if isinstance(types, str) else types


def _words(schema: Schema, data: object) -> list[object]:
    """Return the values that are allowed, `data` itself where any is."""
    words: list[object] = schema.get("enum", [schema.get("const", data)])
    return words
