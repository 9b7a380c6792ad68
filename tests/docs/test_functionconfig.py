"""docs/reference/functionconfig.md is true: its examples are run, its reference is the schema's.

`UPDATE=1 pytest tests/docs/test_functionconfig.py` writes the reference.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.functionconfig.config import schema_text
from krm import fieldpath
from krm.declarations import written
from krm.results import ERROR
from tests import schemas
from tests.pages import ROOT, Page, resource, resources

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Page("functionconfig")
TESTED = {"functionConfig": "yaml yaml", "Reference": "yaml"}


PACKAGE = """\
apiVersion: v1
kind: Service
metadata: {name: api, namespace: shop}
spec: {ports: [{name: http, port: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: release, namespace: shop}
data: {tag: "1.10"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {MODE: fast}
---
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: shop}
data: {password: aHVudGVyMg==}
---
apiVersion: v1
kind: Secret
metadata: {name: url, namespace: shop}
stringData: {url: "redis://:$(PASSWORD)@$(DB_HOST)"}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec: {rules: [{host: $(DOMAIN), http: {paths: [{path: /$(REGION)}]}}]}
---
apiVersion: example.com/v1
kind: Fleet
metadata: {name: fleet, namespace: shop}
spec: {template: {spec: {containers: []}}}
---
apiVersion: example.com/v1
kind: Robot
metadata: {name: robot, namespace: shop}
spec: {driver: {image: robot}}
"""
POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: NAMESPACE}
spec:
  containers:
  - name: web
    image: web:$(TAG)
    env: [{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]
    args: [$(REGION), $(DOMAIN), $(TRACES), $(API_PORT), $(APP_MODE), $(DB_HOST)]
"""


def pod(name: str, namespace: str) -> str:
    return POD.replace("NAMESPACE", namespace).replace("NAME", name)


def test_the_long_form_says_everything() -> None:
    block = PAGE.blocks("functionConfig")[1]
    left = pod("legacy-web", "shop") + pod("web", "elsewhere")
    output = pipeline.run(PACKAGE + pod("web", "shop") + left, resource(block.text))
    assert output.results == []
    *others, pod_, legacy, elsewhere = resources(output.text)
    assert pod_.get("spec.containers[0].image") == "web:1.10"
    assert pod_.get("spec.containers[0].args") == (
        ["eu-west-1", "eu-west-1.example.com", "http://$(HOST_IP):4317", "8080", "fast", "db"]
    )
    assert others[-4].get("stringData.url") == "redis://:hunter2@db"
    assert others[-3].get("spec.rules[0].host") == "eu-west-1.example.com"
    assert others[-3].get("spec.rules[0].http.paths[0].path") == "/eu-west-1"
    assert legacy.text + elsewhere.text == left


def test_the_long_form_has_every_field_and_the_defaults() -> None:
    block = PAGE.blocks("functionConfig")[1]
    spec = yaml.safe_load(block.text)["spec"]
    fields = json.loads(schema_text())["properties"]["spec"]["properties"]
    assert spec.keys() == fields.keys()
    defaults = re.split("these are the defaults", block.text)[0].rpartition("\n")[2].split(":")[0].strip()
    names = [*spec][[*spec].index(defaults) :]
    assert {name: spec[name] for name in names} == {name: fields[name]["default"] for name in names}


def test_the_short_form() -> None:
    block = PAGE.blocks("functionConfig")[0]
    given = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - args: [$(REGION), $(TAG)]\n"
    assert '[eu-west-1, "1.10"]' in pipeline.run(given, resource(block.text)).text
    output = pipeline.run(given.replace("TAG", "NOBODY"), resource(block.text))
    assert (output.text, [result.severity for result in output.results if result.reason == "UnresolvedReference"]) == (
        "",
        [ERROR],
    )


class Reference:
    """The tables of the fields that the schema knows."""

    def __init__(self) -> None:
        self._schema = json.loads(schema_text())
        self._shown: list[tuple[str, dict[str, Any]]] = []

    def of_spec(self) -> str:
        """Return the table of the fields of `spec`."""
        return self._table(self._schema["properties"]["spec"])

    def of_selector(self) -> str:
        """Return the table of the fields of a selector, below the sentence about them."""
        selector = self._schema["$defs"]["selector"]
        return f"A *selector* {selector['description'].replace('Matches', 'matches', 1)}\n\n{self._table(selector)}"

    def _table(self, mapping: dict[str, Any]) -> str:
        rows = [["field", "is, and unless given", ""], ["---"] * 3, *self._rows(mapping, "")]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def _rows(self, mapping: dict[str, Any], above: str) -> Iterator[list[str]]:
        for key, named in mapping["properties"].items():
            field = self._resolved(named)
            inner = self._resolved(field.get("items", field))
            name = f"**`{above}{key}`**" if key in mapping.get("required", ()) else f"`{above}{key}`"
            kind = self._kind(field) + (f"; `{json.dumps(field['default'])}`" if "default" in field else "")
            fields = inner.get("properties")
            same = [f" Its fields are those of `{other}`." for other, one in self._shown if one == fields]
            yield [name, kind, "".join([field["description"], _alternatives(inner), *same])]
            if fields and not same and key != "kustomizeVars":  # kustomize documents these
                self._shown.append((key, fields))
                yield from self._rows(inner, f"{above}{key}{'[*]' if 'items' in field else ''}.")

    def _resolved(self, field: dict[str, Any]) -> dict[str, Any]:
        """Return a field with what its reference says, but for what it says itself."""
        name = field.get("$ref", "").rpartition("/")[2]
        return (self._resolved(self._schema["$defs"][name]) if name else {}) | field

    def _kind(self, field: dict[str, Any]) -> str:
        """Return what a field holds, in words."""
        if field.get("$ref") == "#/$defs/selectors":
            return "*selector*, list of selectors"
        if "enum" in field:
            return ", ".join(f"`{word}`" for word in map(written, field["enum"]))
        if "items" in field:
            elements = self._resolved(field["items"])
            return f"list of {self._kind(elements)}{'' if 'enum' in elements else 's'}"
        kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
        return ", ".join("mapping" if kind == "object" else kind for kind in kinds)


def _alternatives(field: dict[str, Any]) -> str:
    names = [f"`{one['required'][0]}`" for one in field.get("oneOf", ())]
    return f" Exactly one of {', '.join(names[:-1])} and {names[-1]}." if names else ""


@pytest.mark.parametrize(("name", "rows"), [("spec", Reference().of_spec()), ("selector", Reference().of_selector())])
def test_the_reference_is_that_of_the_schema(name: str, rows: str) -> None:
    expected = f"<!-- {name} -->\n{rows}\n<!-- /{name} -->"
    pattern = re.compile(f"<!-- {name} -->.*?<!-- /{name} -->", re.DOTALL)
    if "UPDATE" in os.environ:
        PAGE.path.write_text(pattern.sub(lambda _: expected, PAGE.text))
    assert pattern.findall(PAGE.text) == [expected]


def test_the_page_spells_paths_as_they_are_printed() -> None:
    section = PAGE.text.split("## Field paths\n")[1].split("\n## ")[0]
    table, _, others = section.partition("|\n\n")
    spelt = re.findall(r"^\| `([^`]+)`|(?<=: )`([^`]+)`", table, re.MULTILINE)
    assert [fieldpath.to_text(fieldpath.parse(path)) for path in map("".join, spelt)] == [*map("".join, spelt)]
    *read, of_slashes, of_jsonpath, with_blanks = re.findall("`([^`]+)`", others)
    assert len({fieldpath.parse(path) for path in read}) == 3
    for path in (of_slashes, of_jsonpath, f"containers{with_blanks}"):
        with pytest.raises(ValueError, match="write `"):
            fieldpath.parse(path)


def test_the_schema_is_a_file_that_is_called_as_its_id() -> None:
    path = ROOT / "schemas" / "v1alpha1" / "functionconfig.schema.json"
    if "UPDATE" in os.environ:
        path.write_text(schema_text())
    assert path.read_bytes().decode() == schema_text()
    assert json.loads(schema_text())["$id"] == f"https://expandvars.dev/{path.relative_to(ROOT / 'schemas')}"


def test_each_example_names_the_schema_and_keeps_to_it() -> None:
    known = json.loads(schema_text())
    line = f"# yaml-language-server: $schema={known['$id']}"
    assert [block.text.strip() for block in PAGE.blocks("Reference")] == [line]
    files = [path for path in (ROOT / "examples").rglob("*.yaml") if "kind: ExpandVars\n" in path.read_text()]
    assert files
    for path in files:
        assert path.read_text().splitlines()[0] == line, path
        assert [*schemas.validator(known).iter_errors(yaml.safe_load(path.read_text()))] == []
