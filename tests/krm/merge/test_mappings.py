"""A mapping is merged entry by entry, whatever is declared of it (docs/reference/merge.md, "Mappings")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from krm.merge.kinds.schema import Schema
from tests import process
from tests.krm.merge.sides import DEPLOYMENT, data, declared, merged, places

if TYPE_CHECKING:
    from pathlib import Path

WIDGET = Schema(
    "example.com",
    "v1",
    "Widget",
    definitions=declared("""\
ref: {x-kubernetes-map-type: atomic, properties: {a: {}, b: {}}}
labels: {x-kubernetes-map-type: atomic, additionalProperties: {}}
list:
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys: [id]
  items: {x-kubernetes-map-type: atomic, properties: {id: {}, a: {}, b: {}}}
"""),
)
POD = "spec: {{template: {{spec: {}}}}}"

# The schema, what origin, update and local have, what comes out, and where the conflicts are.
RULES: dict[str, tuple[Schema, str, str, str, Any, list[str]]] = {
    "both changed it": (WIDGET, "ref: {a: 1, b: 1}", "ref: {a: 2, b: 1}", "ref: {a: 1, b: 2}", "ref: {a: 2, b: 2}", []),
    "both changed one entry": (
        WIDGET,
        "ref: {a: 1, b: 1}",
        "ref: {a: 2}",
        "ref: {a: 3, b: 1}",
        "ref: {a: 2}",
        ["ref.a"],
    ),
    "both added it": (WIDGET, "{}", "ref: {a: 1}", "ref: {b: 1}", "ref: {b: 1, a: 1}", []),
    "update deleted it": (WIDGET, "labels: {a: 1}", "{}", "labels: {a: 1, b: 1}", "labels: {b: 1}", []),
    "an element": (
        WIDGET,
        "list: [{id: x, a: 1}]",
        "list: [{id: x, a: 2}]",
        "list: [{id: x, a: 1, b: 1}]",
        "list: [{id: x, a: 2, b: 1}]",
        [],
    ),
    "a selector of Kubernetes' own": (
        DEPLOYMENT,
        POD.format("{nodeSelector: {arch: x, pool: x, zone: x}}"),
        POD.format("{nodeSelector: {arch: u, pool: x, zone: x}}"),
        POD.format("{nodeSelector: {arch: x, pool: x, zone: l}}"),
        POD.format("{nodeSelector: {arch: u, pool: x, zone: l}}"),
        [],
    ),
}


@pytest.mark.parametrize(("schema", "origin", "update", "local", "expected", "conflicts"), RULES.values(), ids=RULES)
def test_entry_by_entry(  # noqa: PLR0913 - the columns of the table
    schema: Schema, origin: str, update: str, local: str, expected: str, conflicts: list[str]
) -> None:
    result = merged(origin, update, local, schema=schema)
    assert data(result.target) == data(merged(expected, expected, expected, schema=schema).target)
    assert places(result) == conflicts


DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: runtimes.e.com
spec:
  group: e.com
  names: {kind: Runtime, plural: runtimes}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-map-type: atomic
            properties: {rules: {x-kubernetes-list-type: atomic}}
"""
RUNTIME = """\
apiVersion: e.com/v1
kind: Runtime
metadata:
  name: {name}
spec:
  version: {version}
  annotations: none
  port: {port}
  rules:
  - from: {version}
  - same: 1
  - to: {port}
"""


def test_a_definition_elsewhere_in_a_tree_costs_no_edit(tmp_path: Path) -> None:
    for side, version, port in (("o", 1, 80), ("u", 2, 80), ("l", 1, 81)):
        (tmp_path / side / "runtimes").mkdir(parents=True)
        (tmp_path / side / "crd.yaml").write_text(DEFINITION)
        for name in "ab":
            (tmp_path / side / "runtimes" / f"{name}.yaml").write_text(
                RUNTIME.format(name=name, version=version, port=port)
            )
    answer = process.krm("merge3", *(str(tmp_path / side) for side in "oul"), stdin=b"")
    assert (answer.code, answer.stderr) == (0, "")
    for name in "ab":
        assert (tmp_path / "l" / "runtimes" / f"{name}.yaml").read_text() == RUNTIME.format(
            name=name, version=2, port=81
        )
