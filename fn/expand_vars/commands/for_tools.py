"""`expand-vars schema` and `completion` for editors and shells (docs/reference/functionconfig.md, "Reference")."""

from __future__ import annotations

from expand_vars import __version__
from expand_vars.commands.table import PROGRAM
from expand_vars.functionconfig import GROUP, json_schema
from krm import stdio
from krm.commands.options import COMPLETION, Parser, complete
from krm.function import configs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from expand_vars.functionconfig.fields import Schema

_DESCRIPTION = "Print the JSON Schema of kind ExpandVars."

DESCRIPTION = "Expand $(VAR) references exactly as Kubernetes would, and change no other byte."
_HOME = "https://github.com/expand-vars/expand-vars"
_EXAMPLES = ("kpt-render", "kpt-eval", "kustomize-transformer")
_SAME_IN_OPENAPI = ("type", "description", "default", "minItems", "required", "additionalProperties", "enum", "oneOf")


def main(given: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    if given[0] == COMPLETION.name:
        return complete(given, PROGRAM)
    options = Parser(PROGRAM, "schema", _DESCRIPTION, "").parsed(given[1:])
    return int(not stdio.write((definition() if options.definition else json_schema.text(),)))


def definition() -> str:
    """Return the KRMFunctionDefinition, as YAML: what kpt's catalog has of this function, and its schema."""
    schema = json_schema.schema()
    version = {
        "name": "v1alpha1",
        "schema": {"openAPIV3Schema": _openapi(schema, schema["$defs"])},
        "idempotent": True,
        "usage": f"{_HOME}/blob/main/docs/reference/functionconfig.md",
        "examples": [f"{_HOME}/tree/main/examples/{name}" for name in _EXAMPLES],
        "license": "Apache-2.0",
        "runtime": {"container": {"image": f"ghcr.io/expand-vars/expand-vars:v{__version__.rpartition('.')[0]}"}},
    }
    return configs.framed(
        GROUP, "ExpandVars", version, description=DESCRIPTION, publisher="expand-vars", home=_HOME, tags=["mutator"]
    )


def _openapi(schema: Schema, named: dict[str, Schema]) -> Schema:
    """Return a schema in OpenAPI's words, which are fewer: what they cannot say is allowed."""
    if "$ref" in schema:
        schema = {**named[schema["$ref"].rpartition("/")[2]], **schema}
    made = {key: value for key, value in schema.items() if key in _SAME_IN_OPENAPI}
    if isinstance(made.get("type"), list) or "if" in schema:
        made.pop("type", None)
        made["x-kubernetes-preserve-unknown-fields"] = True
    if "const" in schema:
        made["enum"] = [schema["const"]]
    if "properties" in schema:
        made["properties"] = {key: _openapi(one, named) for key, one in schema["properties"].items()}
    if "items" in schema:
        made["items"] = _openapi(schema["items"], named)
    return made
