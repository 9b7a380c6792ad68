"""How one list merges, by what is said about it and by what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.fieldpath import Match
from krm.merge.kinds import schema
from krm.merge.kinds.facts import Fact
from krm.merge.kinds.schema import Schema
from krm.merge.lists import pairing
from krm.merge.policy import MergeKeys
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.parser import parse
from tests.krm.merge.sides import data, merged, places, tree

if TYPE_CHECKING:
    from krm.merge.kinds.schema import ListRule
    from krm.merge.lists.pairing import Key
    from krm.yamltree.nodes import Node


def said(rule: ListRule | None) -> str:
    """Return a rule as text: `containerPort protocol=TCP`, `set`, `atomic`, `-` for none."""
    if rule is None:
        return "-"
    keys = [f"{key}={rule.defaults[key]}" if key in rule.defaults else key for key in rule.keys]
    return " ".join(keys) or ("set" if rule.is_set else "atomic" if rule.is_keyless else "?")


TEMPLATES = MergeKeys(
    group="e.com", kind="Maker", field_path=("templates",), keys=("kind", "metadata.namespace", "metadata.name")
)
A, B = "{image: a}", "{image: b, exec: run}"


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("{kind: A, metadata: {name: a}}", "{kind: A, metadata: {name: a}, spec: 1}", True),
        ("{kind: A, metadata: {name: a}}", "{kind: A, metadata: {name: a, namespace: x}}", False),
        ("{kind: A, metadata: &m {name: a}}", "{kind: B, metadata: {name: a}}", False),
        ("{spec: 1}", "{spec: 1}", True),
    ],
)
def test_a_key_may_lead_into_an_element(one: str, other: str, is_one: bool) -> None:  # noqa: FBT001 - a table
    rule = Schema("e.com", "v1", "Maker", configured=[TEMPLATES]).list_rule(("templates",), [])
    assert (keys_of(rule, one) == keys_of(rule, other)) is is_one


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("{name: x, image: a}", "{name: x, image: b}", True),
        (A, "{image: a, configPath: x.yaml}", False),
        (A, "{image: a, configMap: {k: v}}", True),
        (B, "{image: b, exec: run, configMap: {}}", True),
        (A, "{name: x, image: a}", False),
        ("{configMap: {}}", "{configMap: {}}", True),
    ],
)
def test_functions_of_a_kptfile(one: str, other: str, is_one: bool) -> None:  # noqa: FBT001 - a table
    rule = Schema("kpt.dev", "v1", "Kptfile").list_rule(("pipeline", "mutators"), [])
    assert (keys_of(rule, one) == keys_of(rule, other)) is is_one


def test_how_messages_call_functions_of_a_kptfile() -> None:
    rule = Schema("kpt.dev", "v1", "Kptfile").list_rule(("pipeline", "validators"), [])
    keyed = pairing.keyed(rule, elements_of(f"[{{name: x}}, {B}, {A}, {A}, {{}}]"))
    called = pairing.segments(rule, pairing.indexes(keyed))
    assert [*called.values()] == [Match("name", "x"), Match("image", "b"), 2, 3, 4]
    assert pairing.duplicates(keyed) == ["a"]


def test_a_list_without_keys_is_a_set_if_the_caller_says_so() -> None:
    targets = MergeKeys(group=None, kind="Maker", field_path=("targets",), keys=())
    assert said(Schema("e.com", "v1", "Maker", configured=[targets]).list_rule(("targets",), [])) == "set"


def elements_of(text: str) -> list[Node]:
    root = parse(text).root
    assert isinstance(root, Sequence)
    return root.kids


def keys_of(rule: ListRule, element: str) -> list[Key]:
    return [*pairing.keyed(rule, elements_of(f"[{element}]"))]


FACTS = {
    "all keys, with what the server fills in": ("map port protocol merge", "port protocol=TCP"),
    "the merge key where these are not declared": ("atomic ip merge", "ip"),
    "a set": ("set merge", "set"),
    "nothing": ("", "atomic"),
    "a map": ("replace", "atomic"),
}


@pytest.mark.parametrize(("fact", "rule"), FACTS.values(), ids=FACTS)
def test_the_rule_of_a_fact(fact: str, rule: str) -> None:
    assert said(schema.rule_of_fact(Fact(fact))) == rule


SCHEMAS = {
    "a map": ("{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]}", "name"),
    "a map of two keys": ("{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b]}", "a b"),
    "a default": (
        """
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [a, protocol]
        items: {properties: {protocol: {default: UDP}, a: {}}}
        """,
        "a protocol=UDP",
    ),
    "a set": ("{x-kubernetes-list-type: set}", "set"),
    "atomic": ("{x-kubernetes-list-type: atomic, x-kubernetes-patch-strategy: merge}", "atomic"),
    "nothing": ("{type: array}", "-"),
    "a type unheard of": ("{x-kubernetes-list-type: bag}", "-"),
    "a type that is no scalar": ("{x-kubernetes-list-type: [map]}", "-"),
    "a patch strategy": ("{x-kubernetes-patch-strategy: merge, x-kubernetes-patch-merge-key: id}", "id"),
    "two patch strategies": (
        "{x-kubernetes-patch-strategy: 'merge,retainKeys', x-kubernetes-patch-merge-key: id}",
        "id",
    ),
    "a patch strategy of scalars": ("{x-kubernetes-patch-strategy: merge}", "set"),
    "another patch strategy": ("{x-kubernetes-patch-strategy: replace}", "-"),
    "a map without keys": ("{x-kubernetes-list-type: map}", "-"),
}


@pytest.mark.parametrize(("text", "rule"), SCHEMAS.values(), ids=SCHEMAS)
def test_the_rule_of_a_definition(text: str, rule: str) -> None:
    root = parse(text).root
    assert isinstance(root, Mapping)
    assert said(schema.rule_of_definition(root)) == rule


def test_no_schema_says_nothing() -> None:
    assert schema.rule_of_definition(None) is None


# The sides that have the list, and what is inferred from their elements.
SIDES = {
    "a key that all have": (["[{name: a}, {name: b, v: 1}]", "[{name: c}]", "[{name: a}]"], "name"),
    "the first of several": (["[{name: a, mountPath: /a}]", "[{mountPath: /b, name: a}]"], "mountPath"),
    "a name before a type": (["[{type: t, name: a}, {type: t, name: b}]"], "name"),
    "a type alone": (["[{type: Ready}, {type: Done}]"], "type"),
    "the one that is unique": (["[{name: a, type: x}, {name: a, type: y}]"], "type"),
    "not unique in one side": (["[{name: a}]", "[{name: a}, {name: a}]"], "atomic"),
    "the same in two sides": (["[{name: a}]", "[{name: a}]"], "name"),
    "missing in one element": (["[{name: a}]", "[{name: a}, {v: 1}]"], "atomic"),
    "of different keys in two sides": (["[{name: a}]", "[{type: a}]"], "atomic"),
    "a key of other kinds": (["[{id: a}]", "[{id: b}, {id: a}]"], "id"),
    "no key of ours": (["[{x: a}]"], "atomic"),
    "scalars": (["[name]"], "atomic"),
    "a mapping beside scalars": (["[{name: a}, name]"], "atomic"),
    "lists": (["[[{name: a}]]"], "atomic"),
    "null": (["[{name: }]"], "atomic"),
    "a key that is no scalar": (["[{name: [a]}]"], "atomic"),
    "a number": (["[{containerPort: 80}, {containerPort: 81}]"], "containerPort"),
    "an empty side": (["[]", "[{name: a}]", "[]"], "name"),
    "only empty sides": (["[]", "[]"], "atomic"),
    "no side": ([], "atomic"),
    "aliases and merge keys": (["[&a {name: a}, {<<: *a, name: &b b}, {name: c}]"], "name"),
    "a key by `<<`": (["[{x: &a {name: a}, <<: *a}]"], "name"),
    "the same by an alias": (["[&a {name: a}, *a]"], "atomic"),
}


@pytest.mark.parametrize(("texts", "rule"), SIDES.values(), ids=SIDES)
def test_the_rule_that_is_inferred(texts: list[str], rule: str) -> None:
    roots = [parse(text).root for text in texts]
    assert said(schema.inferred(root.kids for root in roots if isinstance(root, Sequence))) == rule


KUSTOMIZATION = Schema("kustomize.config.k8s.io", "v1beta1", "Kustomization")


@pytest.mark.parametrize(
    ("update", "local", "expected", "is_conflict"),
    [
        ("[a, b, u]", "[a, b, l]", "[a, b, l, u]", False),
        ("[u, b]", "[a, b, l]", "[u, b, l]", False),
        ("[b, u]", "[b]", "[b, u]", False),
        ("[u, b]", "[u, b]", "[u, b]", False),
        ("[u, b]", "[l, b]", "[u, b]", True),
    ],
    ids=["both added one", "one renamed", "both took one away", "both renamed alike", "both may have renamed one"],
)
def test_paths_of_a_kustomization(update: str, local: str, expected: str, is_conflict: bool) -> None:  # noqa: FBT001
    result = merged(*(f"resources: {paths}" for paths in ("[a, b]", update, local)), schema=KUSTOMIZATION)
    assert data(result.target) == data(tree(f"resources: {expected}").root)
    assert places(result) == (["resources"] if is_conflict else [])


def test_patches_of_a_kustomization_have_an_order() -> None:
    sides = (f"patches: [{{path: a}}{new}]" for new in ("", ", {path: u}", ", {path: l}"))
    assert places(merged(*sides, schema=KUSTOMIZATION)) == ["patches"]


def test_a_kustomization_of_flux_is_another_kind() -> None:
    flux = Schema("kustomize.toolkit.fluxcd.io", "v1", "Kustomization")
    assert not flux.list_rule(("resources",), [[], []]).is_set
    assert KUSTOMIZATION.list_rule(("resources",), [[], []]).is_set
