"""The JSON Schema of kind ExpandVars, made of the declared fields, and the sentences about what it refuses."""

from __future__ import annotations

import json

from expand_vars import __version__
from expand_vars.functionconfig import GROUP, KIND
from expand_vars.functionconfig.config import OBJECT
from expand_vars.functionconfig.fields import A_LIST, A_MAPPING, not_allowed, written
from expand_vars.functionconfig.parts import TEXTS_WITH_A_FORMAT
from krm.vocabulary import quoted, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jsonschema import Draft202012Validator, ValidationError

    from expand_vars.functionconfig.fields import Mistake, Schema

_TYPES = {
    "object": A_MAPPING,
    "array": A_LIST,
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
}
_ABOUT = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://expandvars.dev/v1alpha1/functionconfig.schema.json",
    "title": KIND,
    "description": "The functionConfig of expand-vars: which variables there are, where references to them are "
    "expanded, and which resources are generated.",
}
DESCRIPTION = "Expand $(VAR) references exactly as Kubernetes would, and change no other byte."
_HOME = "https://github.com/expand-vars/expand-vars"
_EXAMPLES = ("kpt-render", "kpt-eval", "kustomize-transformer")
_SAME_IN_OPENAPI = ("type", "description", "default", "minItems", "required", "additionalProperties", "enum", "oneOf")


def schema() -> Schema:
    """Return the JSON Schema of kind ExpandVars."""
    named: dict[str, Schema] = {}
    return {**_ABOUT, **OBJECT.schema(named), "$defs": named}


def text() -> str:
    """Return the JSON Schema of kind ExpandVars, as JSON."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def definition() -> str:
    """Return the KRMFunctionDefinition, as YAML: what kpt's catalog has of this function, and its schema."""
    from krm.function import configs  # noqa: PLC0415 - it takes dataclasses, and a mistake in a functionConfig none

    whole = schema()
    version = {
        "name": "v1alpha1",
        "schema": {"openAPIV3Schema": _openapi(whole, whole["$defs"])},
        "idempotent": True,
        "usage": f"{_HOME}/blob/main/docs/reference/functionconfig.md",
        "examples": [f"{_HOME}/tree/main/examples/{name}" for name in _EXAMPLES],
        "license": "Apache-2.0",
        "runtime": {"container": {"image": f"ghcr.io/expand-vars/expand-vars:v{__version__.rpartition('.')[0]}"}},
    }
    return configs.framed(
        GROUP, KIND, version, description=DESCRIPTION, publisher="expand-vars", home=_HOME, tags=["mutator"]
    )


def _openapi(schema: Schema, named: dict[str, Schema]) -> Schema:
    """Return a schema in OpenAPI's words, which are fewer: what they cannot say is allowed."""
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


def mistakes(data: object) -> Iterator[Mistake]:
    """Yield the mistakes that the schema finds in `data`, in the order of the schema."""
    for error in validator(schema()).iter_errors(data):
        yield from _sentences(error)


def validator(schema: Schema) -> Draft202012Validator:
    """Return jsonschema's validator, which finds every mistake."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415 - it costs most of a small run

    # Without jsonschema's own formats: the schema has those of the declared texts alone.
    formats = FormatChecker(())
    for kind in TEXTS_WITH_A_FORMAT:
        formats.checks(kind.form, ValueError)(
            lambda one, kind=kind: not isinstance(one, str) or kind.read(one, "") is not None
        )
    return Draft202012Validator(schema, format_checker=formats)


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
            allowed = ", ".join(_TYPES[name] for name in ([rule] if isinstance(rule, str) else rule))
            yield place, not_allowed(found, allowed) + _form(found, error.schema)
        case "format":
            yield place, str(error.cause)
        case "minItems":
            yield place, "at least one element is needed"
        case "uniqueItems":
            again = next(index for index, one in enumerate(found) if one in found[:index])
            yield (*place, again), f"this is here again, first in element {found.index(found[again])}"


def _unknown(key: str, known: dict[str, Schema]) -> str:
    """Return the sentence for an unknown key; one of `spec` that stands beside it belongs into it."""
    if key in known.get("spec", {}).get("properties", ()):
        return f"unknown key `{key}`: it belongs below `spec`"
    return unknown(key, known)


def _form(found: object, schema: Any) -> str:  # noqa: ANN401 - a schema of any form
    """Return how to write what was found in the form that is asked, empty where nobody can tell."""
    if isinstance(found, dict) and found and "items" in schema:
        return f": write each entry behind a dash, `- {_entry(next(iter(found)), schema['items'])}`"
    keys = [key for key, one in schema.get("properties", {}).items() if found in one.get("enum", ())]
    return f": write `{{{keys[0]}: {found}}}`" if keys else ""


def _entry(key: str, entry: Schema) -> str:
    """Return the start of an entry that somebody wrote as a key of a mapping. Its schema may stand in `$defs`."""
    whole = schema()["$defs"].get(entry.get("$ref", "").rpartition("/")[2], entry)
    keys = whole.get("properties", {})
    if "name" in keys and key not in keys:
        return f"name: {key}"
    return f"{key}: ..." if whole.get("type") == "object" else key
