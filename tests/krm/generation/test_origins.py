"""What was generated: written down, and read back as a side of a merge."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krm.generation import origins
from krm.generation.tracking import Tracking
from krm.merge import trees
from krm.merge.trees import Tree
from krm.resource import Resource

RESOURCE = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
LONG = "x" * 129
TRACKING = Tracking()


def resource(text: str) -> Resource:
    return Resource(text, (0, len(text)), "it")


def tree(item: Resource) -> Tree:
    return Tree(item.source, item.root)


def read(item: Resource) -> origins.Origin | None:
    return origins.read(item, TRACKING)


def remembering(text: str) -> Resource:
    """Return an item that was generated as what the lines of `text` say."""
    item = resource(RESOURCE)
    item.set_annotation(TRACKING.last_generated, text)
    return item


WRITTEN = {
    "scalars": ("spec: {a: 1, b: 0x10, c: 1.50, d: yes, e: '1', f: null, g: 1e3}",
                '{"spec": {"a": 1, "b": 16, "c": 1.5, "d": true, "e": "1", "f": null, "g": 1000.0}}'),
    "collections": ("spec: {a: [], b: {}, c: [{d: [e]}]}", '{"spec": {"a": [], "b": {}, "c": [{"d": ["e"]}]}}'),
    "a dollar, and what is no ASCII": ("spec: {a: $(B)é😀}", r'{"spec": {"a": "\u0024(B)\u00e9\ud83d\ude00"}}'),
    "128 bytes": (f"spec: {{a: {LONG[1:]}}}", f'{{"spec": {{"a": "{LONG[1:]}"}}}}'),
    "aliases and merge keys": ("a: &a {b: 1}\nspec: {<<: *a, c: *a}", '{"spec": {"b": 1, "c": {"b": 1}}}'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_down(text: str, line: str) -> None:
    written = origins.text(resource(f"{RESOURCE}{text}\n")).splitlines()
    assert line in written
    assert '{"metadata": {"name": "web"}}' in written


def test_what_an_object_is_called_is_kept_however_long_it_is() -> None:
    item = remembering(origins.text(resource(RESOURCE.replace("web", LONG))))
    origin = read(item)
    assert origin is not None
    assert origin.identity == ("apps", "Deployment", "", LONG)


HASHED = {
    "a long text": (f"spec: {{a: {LONG}}}", "a"),
    "a word that readers differ about": ("spec: {a: y}", "a"),
    "a date": ("spec: {a: 2020-01-01}", "a"),
    "what has a tag": ("spec: {a: !!binary aGk=}", "a"),
    "an infinity": ("spec: {a: 1e999}", "a"),
    "what would be taken for a hash": ("spec: {sha256: abc}", "sha256"),
}


@pytest.mark.parametrize(("text", "key"), HASHED.values(), ids=HASHED)
def test_what_is_kept_as_a_hash(text: str, key: str) -> None:
    """A side that has it still explains the hash; of one that has it no longer nothing can be told."""
    update = resource(f"{RESOURCE}{text}\n")
    (line,) = (line for line in origins.text(update).splitlines() if "spec" in line)
    assert json.loads(line)["spec"][key].keys() == {"sha256"}
    origin = read(remembering(origins.text(update)))
    assert origin is not None
    explained = origin.tree(tree(resource(RESOURCE)), tree(update))
    assert trees.same(explained, explained.root, tree(update), update.root)
    other = resource(f"{RESOURCE}spec: {{{key}: other}}\n")
    unexplained = origin.tree(tree(other), tree(other))
    for side in (other, update):
        assert not trees.same(unexplained, unexplained.root, tree(side), side.root)


def test_a_text_is_found_again_where_its_list_has_grown() -> None:
    update = resource(f"{RESOURCE}spec: [{LONG}]\n")
    local = resource(f"{RESOURCE}spec: [new, {LONG}]\n")
    origin = read(remembering(origins.text(update)))
    assert origin is not None
    explained = origin.tree(tree(local))
    assert trees.same(explained, explained.root, tree(update), update.root)


def test_equal_secrets_do_not_show() -> None:
    """Hashes are over identity, path and value (docs/architecture.md, "Secrets are never quoted")."""
    login = "apiVersion: v1\nkind: Secret\nmetadata: {name: NAME}\ndata: {a: aGk=, b: aGk=}\n"
    texts = [origins.text(resource(login.replace("NAME", name))) for name in ("one", "other")]
    hashes = [
        json.loads(line)["data"][key]["sha256"] for text in texts for line in text.splitlines()[1:2] for key in "ab"
    ]
    assert len(set(hashes)) == 4


def test_bookkeeping_is_no_data() -> None:
    annotations = {"config.kubernetes.io/path": "a.yaml", "expandvars.dev/skip": "true", "mine": "a"}
    update = resource(RESOURCE + f"  annotations: {json.dumps(annotations)}\n")
    assert '{"metadata": {"annotations": {"mine": "a"}, "name": "web"}}' in origins.text(update)
    update = resource(RESOURCE + "  annotations: {config.kubernetes.io/path: a.yaml}\n")
    assert '{"metadata": {"name": "web"}}' in origins.text(update)


LINES = '{"apiVersion": "apps/v1"}\n{"kind": "Deployment"}\n{"metadata": {"name": "web"}}\n'
DAMAGED = {
    "nothing": "",
    "no JSON": f"{LINES}<<<<<<< HEAD\n",
    "no object": f"{LINES}[]\n",
    "no field": f"{LINES}{{}}\n",
    "two fields": f'{LINES}{{"a": 1, "b": 2}}\n',
    "an endless depth": f"{LINES}{'[' * 100_000}\n",
    "no kind": LINES.replace("kind", "king"),
    "no version": LINES.replace('"apps/v1"', "1"),
    "no metadata": LINES.replace('{"name": "web"}', "[]"),
    "no name": LINES.replace('"web"', "null"),
    "no namespace": LINES.replace('"web"', '"web", "namespace": 1'),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_what_is_damaged(text: str) -> None:
    assert read(remembering(text)) is None


def test_what_something_was_called() -> None:
    origin = read(remembering(LINES.replace('"web"', '"web", "namespace": "default"')))
    assert origin is not None
    assert origin.identity == ("apps", "Deployment", "", "web")


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.sampled_from([LONG, "y"])
)
KEYS = st.text(max_size=5) | st.sampled_from(["sha256", "a"])
VALUES = st.recursive(LEAVES, lambda some: st.lists(some, max_size=3) | st.dictionaries(KEYS, some, max_size=3))


@given(st.dictionaries(KEYS.filter(lambda key: key not in ("apiVersion", "kind", "metadata")), VALUES, max_size=3))
def test_what_is_remembered_is_what_was_generated(fields: dict[str, Any]) -> None:
    """As data, when a side still has what was hashed: the law on which every merge stands."""
    head = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}
    update = resource(yaml.safe_dump(head | fields, allow_unicode=True))
    text = origins.text(update)
    assert "$" not in text
    assert text.isascii()
    origin = read(remembering(text))
    assert origin is not None
    remembered = origin.tree(tree(update))
    assert trees.same(remembered, remembered.root, tree(update), update.root)
