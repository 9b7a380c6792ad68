"""jsonschema's validator of the schema of kind ExpandVars, with the formats that the schema has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator, FormatChecker

from expand_vars.functionconfig import parts
from krm.declarations import Text

if TYPE_CHECKING:
    from krm.declarations import Mistake

KINDS = [kind for kind in vars(parts).values() if isinstance(kind, Text) and kind.form]
assert KINDS


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return the validator. It knows none of jsonschema's own formats."""
    formats = FormatChecker(())
    for kind in KINDS:
        formats.checks(kind.form)(lambda one, kind=kind: not isinstance(one, str) or _is_read(kind, one))
    return Draft202012Validator(schema, format_checker=formats)


def _is_read(kind: Text, text: str) -> bool:
    found: list[Mistake] = []
    kind.read(text, (), found)
    return not found
