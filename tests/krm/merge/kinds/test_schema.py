"""How the fields of a resource merge: who of those that know has the say."""

from __future__ import annotations

from typing import Any

import pytest

from krm import fieldpath
from krm.fieldpath import Match
from krm.merge.kinds.schema import Schema
from krm.merge.policy import MergeKeys
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.parser import parse
from tests.krm.merge.sides import declared

DEFINITIONS = declared("""\
metadata: {type: object}
spec:
  properties:
    byId: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id]}
    atomic: {x-kubernetes-list-type: atomic}
    silent: {type: array}
    anything: {additionalProperties: {type: object}}
    limits: {properties: {min: {}, max: {}}}
    data: {type: object}
    labels: {}
""")
NAMED = "[{name: a, id: 1}]"


def schema(kind: str = "example.com/v1/Widget", **more: Any) -> Schema:
    return Schema(*kind.split("/"), **more)


def rule_of(schema: Schema, path: str, text: str = NAMED) -> str:
    root = parse(text).root
    assert isinstance(root, Sequence)
    rule = schema.list_rule(tuple(0 if step == "*" else step for step in path.split(".")), [root.kids])
    return " ".join(rule.keys) or ("set" if rule.is_set else "atomic")


# Of a Widget whose definition is there, or not.
LISTS = {
    "keys of the definition": ("spec.byId", "id", "name"),
    "atomic by the definition": ("spec.atomic", "atomic", "name"),
    "a definition that says nothing": ("spec.silent", "name", "name"),
    "a field that is not in the definition": ("spec.more", "name", "name"),
    "metadata": ("metadata.finalizers", "set", "set"),
    "metadata, not named": ("metadata.managedFields", "atomic", "atomic"),
}


@pytest.mark.parametrize(("path", "defined", "undefined"), LISTS.values(), ids=LISTS)
def test_lists_of_a_custom_resource(path: str, defined: str, undefined: str) -> None:
    assert rule_of(schema(definitions=DEFINITIONS), path) == defined
    assert rule_of(schema(), path) == undefined


def test_another_version_is_not_defined() -> None:
    assert rule_of(schema("example.com/v2/Widget", definitions=DEFINITIONS), "spec.byId") == "name"


def test_lists_of_built_in_kinds_are_never_inferred() -> None:
    assert rule_of(schema("apps/v1/Deployment"), "spec.template.spec.containers") == "name"
    assert rule_of(schema("apps/v1/Deployment"), "spec.template.spec.tolerations") == "atomic"


def test_inference_can_be_forbidden() -> None:
    assert rule_of(schema(infer=False), "spec.items") == "atomic"
    assert rule_of(schema(infer=False), "metadata.finalizers") == "set"


CONFIGURED = {
    "that list": ("example.com", "Widget", "spec.byId", "spec.byId", "key"),
    "any group": (None, "Widget", "spec.byId", "spec.byId", "key"),
    "the core group": ("", "Widget", "spec.byId", "spec.byId", "id"),
    "another group": ("example.org", "Widget", "spec.byId", "spec.byId", "id"),
    "another kind": ("example.com", "Gadget", "spec.byId", "spec.byId", "id"),
    "another list": ("example.com", "Widget", "spec.atomic", "spec.byId", "id"),
    "a list above": ("example.com", "Widget", "spec", "spec.byId", "id"),
    "a list in every element": ("example.com", "Widget", "spec.byId[*].l", "spec.byId.*.l", "key"),
    "what the definition says is atomic": ("example.com", "Widget", "spec.atomic", "spec.atomic", "key"),
}


@pytest.mark.parametrize(("group", "kind", "field_path", "path", "rule"), CONFIGURED.values(), ids=CONFIGURED)
def test_configured_keys_come_first(group: str | None, kind: str, field_path: str, path: str, rule: str) -> None:
    keys = MergeKeys(group=group, kind=kind, field_path=fieldpath.parse(field_path), keys=("key",))
    assert rule_of(schema(configured=[keys], definitions=DEFINITIONS), path) == rule


# A field of a Deployment, what it holds, and whether its keys are the author's own.
MAPS = {
    "metadata.labels": ("{a: b}", True),
    "spec.template.metadata.annotations": ("{}", True),
    "spec.selector.matchLabels": ("{a: b}", True),
    "spec.template.spec.nodeSelector": ("{a: b}", True),
    "spec.selector": ("{matchLabels: {a: b}}", False),
    "spec": ("{replicas: 1}", False),
}


@pytest.mark.parametrize(("path", "text", "is_string_map"), [(path, *case) for path, case in MAPS.items()])
def test_which_mappings_are_string_maps(path: str, text: str, is_string_map: bool) -> None:  # noqa: FBT001
    root = parse(text).root
    assert isinstance(root, Mapping)
    assert schema("apps/v1/Deployment").is_string_map(tuple(path.split(".")), [root]) is is_string_map


def test_limits_in_an_element_are_a_string_map() -> None:
    place = ("spec", "template", "spec", "containers", Match("name", "web"), "resources", "limits")
    assert schema("apps/v1/Deployment").is_string_map(place, [])


def test_neither_the_root_nor_an_element_is_a_string_map() -> None:
    assert not schema().is_string_map((), [])
    assert not schema().is_string_map(("spec", "labels", 0), [])


# A field of a Widget that is defined.
DEFINED_MAPS = {
    "spec.anything": True,
    "spec.limits": False,
    "spec.data": True,
    "metadata.labels": True,
    "spec.x": False,
}


@pytest.mark.parametrize(("path", "is_string_map"), DEFINED_MAPS.items())
def test_a_definition_tells_maps_by_their_additional_properties(path: str, is_string_map: bool) -> None:  # noqa: FBT001
    assert schema(definitions=DEFINITIONS).is_string_map(tuple(path.split(".")), []) is is_string_map


def test_the_facts_of_a_kind() -> None:
    assert schema("apps/v1/Deployment").fact(("spec", "strategy")).retains
    assert not schema().fact(("spec", "strategy")).retains
    assert schema("apps/v1/Deployment").below_pod_spec(("spec", "template", "spec", "volumes")) == ("volumes",)
