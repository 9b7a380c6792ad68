"""docs/generated-resources.md is true: its example is run, and run again after each change that it speaks of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.functionconfig.model import Config
from tests.pages import Page, resource, resources

if TYPE_CHECKING:
    from krm.results import Result

PAGE = Page("generated-resources")
TESTED = {"Generated resources": "yaml yaml", "Whose an item is": "yaml", "The state": "yaml"}
CONFIG, GENERATED = (block.text for block in PAGE.blocks("Generated resources"))
HASH = re.compile(r"\b[a-p]{6}\b")
CONTAINER = "spec.template.spec.containers[name=web]"


def run(items: str = "", config: str = CONFIG) -> tuple[str, list[Result]]:
    """Return what comes of some documents, and what is told."""
    output = pipeline.run(items, resource(config), settle=Config.in_place)
    return output.text, output.results


def without_annotations(text: str) -> str:
    item = resources(text)[0]
    item.delete("metadata.annotations")
    return item.text


def names(text: str) -> list[str]:
    """Return the names of the resources in a text, but for the state."""
    return [item.name for item in resources(text) if item.kind != "GeneratedResources"]


def test_the_first_run_adds_what_is_shown() -> None:
    text, told = run()
    assert (without_annotations(text), told) == (GENERATED, [])
    item, state = resources(text)
    (mark,) = PAGE.blocks("Whose an item is")
    assert item.annotations == yaml.safe_load(mark.text)["metadata"]["annotations"]
    (block,) = PAGE.blocks("The state")
    assert HASH.sub("#", state.text.removeprefix("---\n")) == HASH.sub("#", block.text)


def test_the_next_run_brings_what_is_new_and_leaves_what_is_yours() -> None:
    item, state = resources(run()[0])
    item.set(f"{CONTAINER}.resources.limits.memory", "1Gi")
    item.set("metadata.labels.team", "shop")
    proxy = "\n      - name: proxy\n        image: proxy:3\n      # Ours.\n      - name: web\n"
    edited = item.text.replace("\n      - name: web\n", proxy)
    assert "# Ours." in edited
    text, told = run(f"{edited}---\n{state.text}", CONFIG.replace("web:1.10", "web:1.11"))
    assert without_annotations(text) == without_annotations(edited).replace("web:1.10", "web:1.11")
    assert told == []


@pytest.mark.parametrize(
    ("merge", "replicas"), [("", 3), ("merge: {onConflict: KeepLocal}", 5)], ids=["TakeUpdate", "KeepLocal"]
)
def test_of_what_both_changed_the_template_has_its_way_unless_merge_says_otherwise(merge: str, replicas: int) -> None:
    edited = run()[0].replace("replicas: 2 #", "replicas: 5 #")
    text, told = run(edited, f"{CONFIG.replace('value: 2', 'value: 3')}  {merge}\n")
    assert resources(text)[0].get("spec.replicas") == replicas
    assert ["Conflict", "warning"] in [[result.reason, result.severity] for result in told]


def test_one_that_is_there_already_is_taken_over() -> None:
    text, _ = run(GENERATED)
    assert without_annotations(text) == GENERATED
    assert "generated-by: ExpandVars/storefront" in text


@pytest.mark.parametrize(
    ("prune", "left"), [("true", ["web-eu-west-1", "b"]), ("All", []), ("false", ["web-eu-west-1", "b"])]
)
def test_all_that_was_generated_goes_only_where_that_is_said(prune: str, left: list[str]) -> None:
    two = CONFIG + "  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {a: $(REGION)}}\n"
    head = CONFIG.partition("  templates:\n")[0]
    text, _ = run(run(config=two)[0], f"{head}  templates: []\n  prune: {prune}\n")
    assert names(text) == left


def test_one_template_taken_out_takes_what_it_generated_with_it() -> None:
    two = CONFIG + "  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {a: $(REGION)}}\n"
    both = run(config=two)[0]
    assert names(both) == ["web-eu-west-1", "b"]
    assert names(run(both)[0]) == ["web-eu-west-1"]
    edited = both.replace("data: {a: eu-west-1}", "data: {a: mine}")
    assert names(run(edited)[0]) == ["web-eu-west-1", "b"]
    assert names(run(both, f"{CONFIG}  prune: false\n")[0]) == ["web-eu-west-1", "b"]


def test_a_value_that_changes_comes_in_a_pipe_too() -> None:
    text, _ = run(run()[0], CONFIG.replace("value: eu-west-1", "value: us").replace("web-$(REGION)", "web-eu-west-1"))
    assert without_annotations(text) == GENERATED.replace("=eu-west-1", "=us")
