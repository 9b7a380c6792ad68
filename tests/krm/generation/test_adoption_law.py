"""A person's values stay, whatever a template says (docs/reference/generated-resources.md, "What was there before")."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from krm import resourcelist
from krm.generation import generating, updates
from krm.generation.settings import Settings
from krm.generation.updates import Update
from krm.merge.policy import MergeOptions
from krm.resource import Resource

CONFIG = "apiVersion: example.com/v1\nkind: Maker\nmetadata: {name: shop}\n"
NAMES = st.sampled_from(("a", "b", "c"))
# What a person wrote is nowhere what a template says: what is, follows the template.
GENERATED = st.one_of(st.sampled_from(("", "x", "y", "x\ny", "y\nz\n", "1", "$(A)")), st.integers(0, 2), st.booleans())
OWN = st.one_of(st.sampled_from(("own", "mine", "mine\nown", "own\nmine\n", "7", "$(B)")), st.integers(7, 9))


def specs(leaves: st.SearchStrategy[Any], least: int) -> st.SearchStrategy[dict[str, Any]]:
    """Return mappings with such leaves, and at `least` so many entries or elements in each collection."""
    entries = partial(st.dictionaries, NAMES, min_size=least, max_size=3)
    element = st.fixed_dictionaries({"name": NAMES, "v": leaves}, optional={"w": leaves})
    named = st.lists(element, min_size=1, unique_by=lambda one: one["name"])
    lists = partial(st.lists, min_size=least, max_size=3)
    return entries(st.recursive(leaves, lambda below: st.one_of(entries(below), lists(below), named), max_leaves=8))


def text(spec: Any) -> str:
    resource = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "one"}, "spec": spec}
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in resource.items())


def generated(items: str, spec: Any) -> str:
    resource_list = resourcelist.read(items)
    config = Resource(CONFIG, (0, len(CONFIG)), "it")
    settings = Settings(config, merge=MergeOptions(infer_list_keys=True), is_in_place=True)
    resource_list.results += generating.generate(resource_list, [Update(updates.generated(text(spec), "it"))], settings)
    assert [one for one in resource_list.results if one.severity == "error"] == []
    return resource_list.emit().text


def spec_of(items: str) -> Any:
    return yaml.safe_load(items.partition("\n---\n")[0])["spec"]


def holds(own: Any, now: Any) -> bool:
    """True if what a person had stands there as it did: beside other keys, and other elements with names."""
    if isinstance(own, dict) and isinstance(now, dict):
        return all(key in now and holds(value, now[key]) for key, value in own.items())
    if isinstance(own, list) and isinstance(now, list) and is_named(own) and is_named(now):
        there = {one["name"]: one for one in now}
        return all(one["name"] in there and holds(one, there[one["name"]]) for one in own)
    return (type(own), own) == (type(now), now)


def is_named(elements: list[Any]) -> bool:
    return all(isinstance(one, dict) and one.get("name") for one in elements)


@example({"c": {"b": "own"}}, [{"c": {"a": "x"}}, {"a": "y"}])
@given(specs(OWN, 1), st.lists(specs(GENERATED, 0), min_size=1, max_size=4))
def test_what_a_person_made_stays(own: Any, templates: list[Any]) -> None:
    items = text(own)
    for spec in templates:
        items = generated(items, spec)
        assert holds(own, spec_of(items))
    assert generated(items, templates[-1]) == items
