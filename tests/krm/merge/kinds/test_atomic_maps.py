"""Mappings that are declared to be one value (docs/merge.md, "Atomic mappings")."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from krm import fieldpath
from krm.merge.kinds.schema import Schema
from krm.merge.policy import FieldPolicy, Policy, of_fields
from tests.krm.merge.sides import DEPLOYMENT, data, declared, merged, places

SCRIPT = Path(__file__).parents[4] / "scripts" / "atomic_maps.py"
SERVICE = Schema("", "v1", "Service")
DEFINITIONS = declared("""\
ref: {x-kubernetes-map-type: atomic, properties: {a: {}, b: {}}}
parts: {x-kubernetes-map-type: granular, properties: {a: {}, b: {}}}
selector: {properties: {a: {}, b: {}}}
labels: {x-kubernetes-map-type: atomic, additionalProperties: {}}
list:
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys: [id]
  items: {x-kubernetes-map-type: atomic, properties: {id: {}, a: {}, b: {}}}
""")
WIDGET = Schema("example.com", "v1", "Widget", definitions=DEFINITIONS)

# Schema, field, and whether it is one value.
DECLARED: list[tuple[Schema, str, bool]] = [
    (SERVICE, "spec.selector", True),
    (SERVICE, "spec", False),
    (SERVICE, "metadata.labels", False),
    (DEPLOYMENT, "spec.selector", True),
    (DEPLOYMENT, "spec.selector.matchLabels", False),
    (DEPLOYMENT, "spec.template.spec.nodeSelector", True),
    (DEPLOYMENT, "spec.template.spec.containers[0]", False),
    (DEPLOYMENT, "spec.template.spec.containers[0].env[0].valueFrom", False),
    (DEPLOYMENT, "spec.template.spec.containers[0].env[0].valueFrom.secretKeyRef", True),
    (DEPLOYMENT, "spec.template.spec.initContainers[0].env[0].valueFrom.fieldRef", True),
    (DEPLOYMENT, "spec.template.spec.imagePullSecrets[0]", True),
    (Schema("", "v1", "PersistentVolume"), "spec.claimRef", False),
    (Schema("autoscaling", "v2", "HorizontalPodAutoscaler"), "spec.scaleTargetRef", False),
    (Schema("rbac.authorization.k8s.io", "v1", "RoleBinding"), "roleRef", True),
    (Schema("argoproj.io", "v1alpha1", "Rollout"), "spec.template.spec.nodeSelector", True),
    (Schema("argoproj.io", "v1alpha1", "Rollout"), "spec.selector", False),
    (WIDGET, "ref", True),
    (WIDGET, "parts", False),
    (WIDGET, "selector", False),
    (WIDGET, "list[0]", True),
    (WIDGET, "unknown", False),
]


@pytest.mark.parametrize(("schema", "path", "is_atomic"), DECLARED)
def test_what_is_declared(schema: Schema, path: str, is_atomic: bool) -> None:  # noqa: FBT001
    assert schema.is_atomic_map(fieldpath.parse(path)) is is_atomic


# Origin, update and local of a Widget, what comes out, and where the conflicts are.
RULES: dict[str, tuple[str, str, str, Any, list[str]]] = {
    "both changed it": ("ref: {a: 1, b: 1}", "ref: {a: 2, b: 1}", "ref: {a: 1, b: 2}", {"a": 2, "b": 1}, ["ref"]),
    "both changed it alike": ("ref: {a: 1, b: 1}", "ref: {a: 2, b: 1}", "ref: {b: 1, a: 2}", {"a": 2, "b": 1}, []),
    "update changed it": ("ref: {a: 1, b: 1}", "ref: {a: 2}", "ref: {a: 1, b: 1}", {"a": 2}, []),
    "local changed it": ("ref: {a: 1, b: 1}", "ref: {a: 1, b: 1}", "ref: {b: 2}", {"b": 2}, []),
    "both added it": ("{}", "ref: {a: 1}", "ref: {b: 1}", {"a": 1}, ["ref"]),
    "update deleted it": ("labels: {a: 1}", "{}", "labels: {a: 1, b: 1}", None, ["labels"]),
    "local deleted it": ("labels: {a: 1}", "labels: {a: 1, b: 1}", "{}", {"a": 1, "b": 1}, ["labels"]),
    "one that is not": ("parts: {a: 1, b: 1}", "parts: {a: 2, b: 1}", "parts: {a: 1, b: 2}", {"a": 2, "b": 2}, []),
    "an element": (
        "list: [{id: x, a: 1}]",
        "list: [{id: x, a: 2}]",
        "list: [{id: x, a: 1, b: 1}]",
        [{"id": "x", "a": 2}],
        ["list[id=x]"],
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected", "conflicts"), RULES.values(), ids=RULES)
def test_both_sides(origin: str, update: str, local: str, expected: Any, conflicts: list[str]) -> None:
    result = merged(origin, update, local, schema=WIDGET)
    assert [*data(result.wanted).values()] == ([] if expected is None else [expected])
    assert places(result) == conflicts


def test_local_stays_whole() -> None:
    sides = "ref: {a: 1, b: 1}", "ref: {a: 2, b: 1}", "ref: {a: 1, b: 2}"
    assert data(merged(*sides, schema=WIDGET, policy=Policy("KeepLocal")).wanted) == {"ref": {"a": 1, "b": 2}}


@pytest.mark.parametrize(
    ("field", "expected", "conflicts"),
    [
        (FieldPolicy(("ref",), on_conflict="KeepLocal"), {"a": 1, "b": 2, "c": 2}, ["ref"]),
        (FieldPolicy(("ref",), enforce=True), {"a": 2, "b": 1, "c": 1}, []),
        (FieldPolicy(("ref", "c"), on_conflict="KeepLocal"), {"a": 2, "b": 2, "c": 2}, ["ref.c"]),
        (FieldPolicy(("ref", "b"), enforce=True), {"a": 2, "b": 1, "c": 1}, ["ref.c"]),
    ],
)
def test_a_policy_for_a_part_divides_it(field: FieldPolicy, expected: Any, conflicts: list[str]) -> None:
    sides = "ref: {a: 1, b: 1, c: 0}", "ref: {a: 2, b: 1, c: 1}", "ref: {a: 1, b: 2, c: 2}"
    result = merged(*sides, schema=WIDGET, policy=of_fields(fields=[field]))
    assert data(result.wanted)["ref"] == expected
    assert places(result) == conflicts


OPENAPI = {
    "definitions": {
        "v2beta1.Service": {
            "x-kubernetes-group-version-kind": [{"group": "", "version": "v2beta1", "kind": "Service"}],
            "properties": {"other": {"$ref": "#/definitions/v1.Ref"}},
        },
        "v1.Service": {
            "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Service"}],
            "properties": {
                "whole": {"$ref": "#/definitions/v1.Ref"},
                "parts": {"$ref": "#/definitions/v1.Ref", "x-kubernetes-map-type": "granular"},
                "list": {"items": {"properties": {"ref": {"$ref": "#/definitions/v1.Ref"}}}},
            },
        },
        "v1.Gadget": {"x-kubernetes-group-version-kind": [{"group": "e.com", "version": "v1", "kind": "Gadget"}]},
        "v1.Options": {"x-kubernetes-group-version-kind": [{"group": "", "version": "__internal", "kind": "Service"}]},
        "v1.Ref": {"x-kubernetes-map-type": "atomic", "properties": {"name": {"type": "string"}}},
    }
}


def test_the_table_is_read_off_the_openapi() -> None:
    printed = runpy.run_path(str(SCRIPT))["printed"](OPENAPI)
    assert json.loads(printed) == {"Service": ["list[].ref", "whole"]}
