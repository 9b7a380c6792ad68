"""The reader of a functionConfig takes what jsonschema takes by the schema, and nothing else."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expand_vars.functionconfig.config import OBJECT, schema
from krm import declarations
from krm.declarations import Retyped
from krm.resource import Resource
from tests import schemas
from tests.process import ROOT

if TYPE_CHECKING:
    from krm.declarations import Mistake

SCHEMA = schema()
JSONSCHEMA = schemas.validator(SCHEMA)
KEYWORDS = {
    *("$ref", "additionalProperties", "else", "enum", "format", "if", "items", "minItems", "oneOf"),
    *("properties", "required", "then", "type", "uniqueItems"),
}
ANNOTATIONS = {"$defs", "$id", "$schema", "default", "description", "title"}
ODD: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        "",
        "x",
        "All",
        "Keep",
        "Literals",
        "a b",
        "a)b",
        "spec.x",
        "spec.x[*]",
        "[",
        "a in (b)",
    ),
    *({}, [], ["x", "x"], [1, True], {"x": 1}, Retyped("1.0")),
]


def _is_read(data: Any) -> bool:
    found: list[Mistake] = []
    OBJECT.read(data, (), found)
    return not found


def _schemas(rule: dict[str, Any]) -> list[dict[str, Any]]:
    below = [*rule.get("properties", {}).values(), *rule.get("$defs", {}).values(), *rule.get("oneOf", [])]
    below += [rule[key] for key in ("items", "if", "then", "else") if key in rule]
    return [rule, *(inner for one in below for inner in _schemas(one))]


def test_the_schema_has_no_other_keywords() -> None:
    assert {keyword for rule in _schemas(SCHEMA) for keyword in rule} == KEYWORDS | ANNOTATIONS


LEAVES: dict[str, list[Any]] = {
    "string": ["x", "spec.template", "A", "a=b", "spec.rules[*].host", "metadata.name"],
    "boolean": [True, False],
    "integer": [0, 7],
}


def _drawn(chance: Random, rule: dict[str, Any]) -> Any:
    """Return data for a schema: mostly valid, with something odd here and there."""
    if chance.random() < 0.02:
        return chance.choice(ODD)
    if "$ref" in rule:
        rule = SCHEMA["$defs"][rule["$ref"].rpartition("/")[2]]
    if "if" in rule:
        return _drawn(chance, chance.choice([{"type": "array", **rule["then"]}, rule["else"]]))
    if "enum" in rule:
        return chance.choice(rule["enum"])
    kind = chance.choice([rule["type"]] if isinstance(rule["type"], str) else rule["type"])
    if kind == "array":
        return [_drawn(chance, rule["items"]) for _ in range(chance.choice([0, 1, 1, 2]))]
    return _mapping(chance, rule) if kind == "object" else chance.choice(LEAVES[kind])


def _mapping(chance: Random, rule: dict[str, Any]) -> dict[str, Any]:
    chosen = chance.choice(rule.get("oneOf", [{"required": []}]))["required"]
    others = {key for one in rule.get("oneOf", []) for key in one["required"]}
    data = {
        key: _drawn(chance, inner)
        for key, inner in rule.get("properties", {}).items()
        if key in {*rule.get("required", []), *chosen} or (key not in others and chance.random() < 0.3)
    }
    if chance.random() < 0.02:
        data[chance.choice(["x", "name", *data])] = chance.choice(ODD)
    if data and chance.random() < 0.02:
        del data[chance.choice([*data])]
    return data


def test_it_takes_what_jsonschema_takes() -> None:
    seen: Counter[bool] = Counter()

    @settings(max_examples=max(500, settings().max_examples))
    @given(st.integers(0, 2**63))
    def law(number: int) -> None:
        data = _drawn(Random(number), SCHEMA)  # noqa: S311 - a test has no secrets
        valid = _is_read(data)
        assert valid == JSONSCHEMA.is_valid(data), data
        seen[valid] += 1

    law()
    assert min(seen[True], seen[False]) > 50, seen


CONFIGS = sorted(ROOT.glob("testdata/expand_vars/function/*/config.yaml"))
assert CONFIGS


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.parent.name)
def test_it_takes_what_jsonschema_takes_of_the_golden_cases(path: Any) -> None:
    text = path.read_text()
    data = declarations.read(Resource(text, (0, len(text)), str(path)).root)
    assert _is_read(data) == JSONSCHEMA.is_valid(data)
