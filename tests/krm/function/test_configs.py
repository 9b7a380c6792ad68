"""A functionConfig as a dataclass: decoded, every mistake at once, and described."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

import jsonschema
import pytest
import yaml

import krm
from tests.krm.function import texts


@dataclass
class Rule:
    host: str
    port: int = 80


@dataclass
class Config:
    """Sets things.

    More of it.
    """

    tag: str
    on_conflict: Literal["Keep", "Take"] = "Keep"
    target: str | None = field(default=None, metadata={"key": "target-name", "help": "Whom to set."})
    ratio: float = 0.5
    is_on: bool = True
    rules: list[Rule] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)


OWN = """\
apiVersion: example.com/v1
kind: Setter
metadata: {name: all}
spec:
  tag: 1.10
  onConflict: Take
  target-name: x
  ratio: 1e3
  isOn: false
  rules: [{host: a}, {host: 1.2, port: 8080}]
  labels: {a: 0777}
"""
DECODED = Config("1.10", "Take", "x", 1000.0, is_on=False, rules=[Rule("a"), Rule("1.2", 8080)], labels={"a": "0777"})


def test_a_kind_of_ones_own() -> None:
    assert krm.decode(texts.resource(OWN), Config) == DECODED


def test_a_kind_with_its_fields_at_the_top() -> None:
    top = OWN.replace("spec:\n", "").replace("\n  ", "\n")
    assert krm.decode(texts.resource(top), Config) == DECODED
    with pytest.raises(krm.FnError) as error:
        krm.decode(texts.resource(top.replace("tag:", "tga:").replace("isOn: false", "isOn: 3")), Config)
    assert [(one.field, one.message) for one in error.value.results] == [
        ("tga", "unknown key `tga`; did you mean `tag`?"),
        (None, "`tag` is missing"),
        ("isOn", "found `3`, but only true or false is allowed here"),
    ]


def test_a_key_that_is_misspelt_at_the_top() -> None:
    with pytest.raises(krm.FnError) as error:
        krm.decode(texts.resource("apiVersion: a/v1\nkind: Setter\nmetadata: {name: a}\ntga: 1\n"), Config)
    assert [one.message for one in error.value.results] == [
        "unknown key `tga`; did you mean `tag`?",
        "`tag` is missing",
    ]


@pytest.mark.parametrize("text", ["apiVersion: a/v1\nkind: Setter\n", "apiVersion: a/v1\nkind: Setter\nspec:\n"])
def test_a_function_config_that_says_nothing_lacks_it_in_spec(text: str) -> None:
    with pytest.raises(krm.FnError) as error:
        krm.decode(texts.resource(text), Config)
    assert [(one.field, one.message) for one in error.value.results] == [("spec", "`tag` is missing")]


@dataclass
class Tree:
    name: str
    kids: list[Tree] = field(default_factory=list)
    shade: str | None = "oak"


def test_a_dataclass_may_hold_itself() -> None:
    item = texts.resource("kind: Wood\nspec: {name: a, kids: [{name: b, kids: [], shade: ~}]}\n")
    assert krm.decode(item, Tree) == Tree("a", [Tree("b", shade=None)])


def test_parts_and_items_decode_too() -> None:
    item = texts.resource("apiVersion: a/v1\nkind: Routes\nspec:\n  rules:\n  - host: a\n  - host: b\n    port: x\n")
    first, second = item.parts("spec.rules")
    assert krm.decode(first, Rule) == Rule("a")
    with pytest.raises(
        krm.FnError, match=r"spec\.rules\[1\]\.port: found `x`, but only a whole number is allowed here"
    ):
        krm.decode(second, Rule)

    @dataclass
    class Target:
        kind: str
        name: str = ""

    target = texts.resource("kind: X\nspec: {target: {kind: Pod}}\n").part("spec.target")
    assert target is not None
    assert krm.decode(target, Target) == Target("Pod")


def test_a_config_map() -> None:
    config_map = "apiVersion: v1\nkind: ConfigMap\ndata: {tag: 1.10, target-name: ~, isOn: 'false', ratio: '2'}\n"
    assert krm.decode(texts.resource(config_map), Config) == Config("1.10", ratio=2.0, is_on=False)


def test_every_mistake_at_once() -> None:
    item = texts.resource(
        OWN.replace("tag: 1.10", "tags: []")
        .replace("Take", "Took")
        .replace("target-name: x", "target-name: [x]")
        .replace("1e3", "much")
        .replace("isOn: false", "isOn: off")
        .replace("{host: 1.2, port: 8080}", "{port: 1.5}, 7, ~")
        .replace("{a: 0777}", "x")
    )
    with pytest.raises(krm.FnError) as error:
        krm.decode(item, Config)
    assert [(result.field, result.message) for result in error.value.results] == [
        ("spec.tags", "unknown key `tags`; did you mean `tag`?"),
        ("spec", "`tag` is missing"),
        ("spec.onConflict", "found `Took`, but only `Keep` or `Take` is allowed here"),
        ("spec.target-name", "found a list, but only a text is allowed here"),
        ("spec.ratio", "found `much`, but only a number is allowed here"),
        ("spec.isOn", "found `off`, but only true or false is allowed here"),
        ("spec.rules[1]", "`host` is missing"),
        ("spec.rules[1].port", "found `1.5`, but only a whole number is allowed here"),
        ("spec.rules[2]", "found `7`, but only a mapping is allowed here"),
        ("spec.rules[3]", "found `null`, but only a mapping is allowed here"),
        ("spec.labels", "found `x`, but only a mapping is allowed here"),
    ]
    assert {(result.reason, result.severity) for result in error.value.results} == {("InvalidFunctionConfig", "error")}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{tag: a, rules: [{host: b, x: 1}]}", "unknown key `x`: the keys here are `host` and `port`"),
        ("{tag: a, rules: {}}", "found a mapping, but only a list is allowed here"),
        ("{tag: a, onConflict: {}}", "found a mapping, but only `Keep` or `Take` is allowed here"),
        ("[]", "found a list, but only a mapping is allowed here"),
    ],
)  # fmt: skip
def test_the_message_of_a_mistake(spec: str, message: str) -> None:
    with pytest.raises(krm.FnError) as error:
        krm.decode(texts.resource(f"apiVersion: example.com/v1\nkind: Setter\nspec: {spec}\n"), Config)
    assert error.value.results[0].message == message


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  tag: a\n"


def test_a_mistake_in_a_secret_does_not_show_it() -> None:
    secret = texts.resource("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {host: hush, port: hush}\n")
    with pytest.raises(krm.FnError) as error:
        krm.decode(secret.part("stringData"), Rule)
    assert [one.message for one in error.value.results] == ["found a scalar, but only a whole number is allowed here"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("'a, but only b': hush", "unknown key `a, but only b`: the keys here are `host` and `port`"),
        ("port: [hush]", "found a list, but only a whole number is allowed here"),
    ],
)
def test_what_a_mistake_in_a_secret_says_beside_the_value_stays(entry: str, message: str) -> None:
    secret = texts.resource(f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{host: a, {entry}}}\n")
    with pytest.raises(krm.FnError) as error:
        krm.decode(secret.part("stringData"), Rule)
    assert message in [one.message for one in error.value.results]


def test_lists_and_mappings_of_a_config_map_are_yaml() -> None:
    given = f"{CONFIG_MAP}  rules: '[{{host: 1.10, port: 8080}}]'\n  labels: |\n    a: 0777\n"
    decoded = krm.decode(texts.resource(given), Config)
    assert (decoded.rules, decoded.labels) == ([Rule("1.10", 8080)], {"a": "0777"})


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("data.rules", "a", "found `a`, but only a list is allowed here: in a ConfigMap as YAML, `[a, b]`"),
        ("data.rules", "[a", "found `[a`, but only a list is allowed here: in a ConfigMap as YAML, `[a, b]`"),
        ("data.rules[0].port", "[{host: a, port: x}]", "found `x`, but only a whole number is allowed here"),
        ("data.labels", "[]", "found a list, but only a mapping is allowed here: in a ConfigMap as YAML, `{a: b}`"),
    ],
)
def test_a_mistake_in_the_yaml_of_a_config_map(field: str, text: str, message: str) -> None:
    key = field.partition(".")[2].partition("[")[0]
    with pytest.raises(krm.FnError) as error:
        krm.decode(texts.resource(f"{CONFIG_MAP}  {key}: '{text}'\n"), Config)
    assert [(one.field, one.message) for one in error.value.results] == [(field, message)]


NO_CONFIG = (
    "[error] there is no functionConfig, and `tag` is missing in `data`: "
    "a ResourceList has one, and KEY=VALUE makes one (behind `--` for kpt)"
)


def test_no_function_config() -> None:
    with pytest.raises(krm.FnError, match=f"^{re.escape(NO_CONFIG)}$"):
        krm.decode(None, Config)
    assert krm.decode(None, Empty) == Empty()


@dataclass
class Empty:
    word: Literal["a"] = "a"


@dataclass
class Odd:
    when: bytes = b""


def test_what_is_no_config() -> None:
    with pytest.raises(TypeError, match=r"^a functionConfig decodes into a dataclass, found `Empty\(word='a'\)`$"):
        krm.decode(None, Empty())  # type: ignore[arg-type]  # this is the mistake
    with pytest.raises(TypeError, match=r"^a functionConfig decodes into a dataclass, found `int`$"):
        krm.decode(None, int)
    with pytest.raises(TypeError, match=r"^the type of `Odd.when` is <class 'bytes'>: take str, int, float, bool, "):
        krm.decode(None, Odd)


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Config",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "tag": {"type": "string"},
        "onConflict": {"enum": ["Keep", "Take"], "default": "Keep"},
        "target-name": {"type": "string", "description": "Whom to set.", "default": None},
        "ratio": {"type": "number", "default": 0.5},
        "isOn": {"type": "boolean", "default": True},
        "rules": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {"host": {"type": "string"}, "port": {"type": "integer", "default": 80}},
                "required": ["host"],
            },
        },
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["tag"],
}


def test_the_schema() -> None:
    assert krm.schema(Config) == SCHEMA
    jsonschema.Draft202012Validator.check_schema(krm.schema(Config))


def test_the_definition() -> None:
    found: Any = yaml.safe_load(
        krm.definition(Config, group="example.com", version="v1", kind="Setter", image="example.com/setter:v1")
    )
    assert (found["kind"], found["metadata"]) == ("KRMFunctionDefinition", {"name": "setter.example.com"})
    version = found["spec"].pop("versions")[0]
    assert found["spec"] == {"group": "example.com", "names": {"kind": "Setter"}, "description": "Sets things."}
    assert version["runtime"] == {"container": {"image": "example.com/setter:v1"}}
    shown = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert shown == {key: value for key, value in SCHEMA.items() if key not in ("$schema", "title")}


def test_the_definition_of_a_kind_with_its_fields_at_the_top() -> None:
    found: Any = yaml.safe_load(krm.definition(Rule, group="example.com", version="v1", kind="Rule", in_spec=False))
    shown = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert shown == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "apiVersion": {"const": "example.com/v1"},
            "kind": {"const": "Rule"},
            "metadata": {"type": "object"},
            "host": {"type": "string"},
            "port": {"type": "integer", "default": 80},
        },
        "required": ["host"],
    }
