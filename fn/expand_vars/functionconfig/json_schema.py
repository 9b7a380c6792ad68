"""The JSON Schema of kind ExpandVars, made of the declared fields."""

from __future__ import annotations

import json

from expand_vars import __version__
from expand_vars.functionconfig import GROUP, KIND
from expand_vars.functionconfig.config import OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.declarations import Schema

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
