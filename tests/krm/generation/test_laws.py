"""What holds whatever is generated, and whatever the user makes of it."""

from __future__ import annotations

import re
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from krm import resourcelist
from krm.generation import generating, updates
from krm.generation.settings import Settings
from krm.generation.updates import Update
from krm.resource import Resource

CONFIG = "apiVersion: example.com/v1\nkind: Maker\nmetadata:\n  name: shop\n"
HEADS = [
    {"apiVersion": "apps/v1", "kind": "Deployment"},
    {"apiVersion": "v1", "kind": "ConfigMap"},
    {"apiVersion": "v1", "kind": "Secret"},
    {"apiVersion": "example.com/v1", "kind": "Widget"},
]
LEAVES = st.booleans() | st.integers(0, 9) | st.sampled_from(["a", "$(A)", "x" * 200, "y", "two\nlines\n", "'", "é😀"])
KEYS = st.sampled_from(["a", "b", "data", "name", "env", "sha256", "labels"])
VALUES = st.recursive(LEAVES, lambda some: st.lists(some, max_size=3) | st.dictionaries(KEYS, some, max_size=3))
FIELDS = st.dictionaries(st.sampled_from(["data", "spec", "stringData", "more"]), VALUES, max_size=3)


@st.composite
def generations(draw: st.DrawFn) -> list[str]:
    """Draw what one template generates, three times."""
    head = draw(st.sampled_from(HEADS)) | {"metadata": {"name": "web"}}
    return [yaml.safe_dump(head | draw(FIELDS), allow_unicode=True) for _ in range(3)]


def generate(items: str, text: str) -> str:
    resource_list = resourcelist.read(items)
    config = Resource(CONFIG, (0, len(CONFIG)), "the functionConfig")
    resource_list.results += generating.generate(
        resource_list, [Update(updates.generated(text, "it"))], Settings(config, is_in_place=True)
    )
    output = resource_list.emit()
    assert output.exit_code == 0, output.results
    return output.text


def data(text: str) -> Any:
    """Return a resource as data, without what we remember of it."""
    loaded, *_ = yaml.safe_load_all(text)
    loaded["metadata"].pop("annotations", None)
    return loaded


@given(generations())
def test_what_nobody_touched_follows_what_is_generated(texts: list[str]) -> None:
    """And a run that is repeated changes nothing."""
    items = ""
    for text in texts:
        items = generate(items, text)
        assert data(items) == data(text)
        assert generate(items, text) == items


@given(generations())
def test_what_the_user_makes_of_it_stays_while_the_template_is_the_same(texts: list[str]) -> None:
    """Whatever that is, byte for byte."""
    generated, made, _ = texts
    text = generate("", generated)
    mark = re.search(r"^  annotations:\n    expandvars.dev/generated-by: .*\n", text, re.MULTILINE)
    assert mark is not None
    mine = made.replace("  name: web\n", f"  name: web # mine\n{mark[0]}") + text[text.index("---\n# What ") :]
    assert generate(mine, generated) == mine
