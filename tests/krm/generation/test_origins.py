"""What was generated: written down, and read back as a side of a merge."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krm.generation import mirror, origins
from krm.generation.settings import Tracking
from krm.merge import trees
from krm.merge.trees import Tree
from krm.resource import Resource

HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
LONG = "x" * 129
TRACKING = Tracking()


def resource(text: str) -> Resource:
    return Resource(text, (0, len(text)), "it")


def tree(item: Resource) -> Tree:
    return Tree(item.source, item.root)


def read(item: Resource) -> origins.Origin | None:
    return origins.read(item, TRACKING)


def remembering(text: str) -> Resource:
    """Return an item that was generated as what `text` says."""
    item = resource(HEAD)
    item.set_annotation(TRACKING.last_generated, text)
    return item


WRITTEN = {
    "numbers": ("spec: {a: 1, b: 0x10, c: 1.50, d: '1', e: 1e3}",
                'spec:\n  a: 1\n  b: 0x10\n  c: 1.50\n  d: "1"\n  e: 1e3\n'),
    "words": ("spec: {a: yes, b: 'yes', c: null, d: , e: 2020-01-01}",
              'spec:\n  a: yes\n  b: "yes"\n  c: null\n  d: null\n  e: 2020-01-01\n'),
    "collections": ("spec: {a: [], b: {}, c: [{d: [e], f: g}, [h, [i]], {}]}",
                    "spec:\n  a: []\n  b: {}\n  c:\n  - d:\n    - e\n    f: g\n  - - h\n    - - i\n  - {}\n"),
    "a dollar, and what is no ASCII": ("spec: {a: $(B)é😀, $é: b}",
                                       'spec:\n  a: "\\u0024(B)\\u00e9\\U0001f600"\n  "\\u0024\\u00e9": b\n'),
    "lines": ('spec: {a: "b\\nc"}', 'spec:\n  a: "b\\nc"\n'),
    "128 bytes": (f"spec: {{a: {LONG[1:]}}}", f"spec:\n  a: {LONG[1:]}\n"),
    "the order of the template": ("spec:\n  b: 1 # one\n  a: 2\n", "spec:\n  b: 1\n  a: 2\n"),
    "aliases and merge keys": ("a: &a {b: 1}\nspec: {<<: *a, c: *a}", "a:\n  b: 1\nspec:\n  c:\n    b: 1\n  b: 1\n"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_down(text: str, lines: str) -> None:
    assert mirror.text(resource(f"{HEAD}{text}\n")) == HEAD + lines


def test_what_an_object_is_called_is_kept_however_long_it_is() -> None:
    origin = read(remembering(mirror.text(resource(HEAD.replace("web", LONG)))))
    assert origin is not None
    assert origin.identity == ("apps", "Deployment", "", LONG)


HASHED = {
    "a long text": f"spec: {{a: {LONG}}}",
    "what has a tag": "spec: {a: !!binary aGk=}",
    "a part with a key that is too long": f"spec: {{a: {{? {'k' * 1001} : 1}}}}",
    "a list in such a part": f"spec: {{a: {{? {'k' * 1001} : [1, x, '1']}}}}",
    "a list without room": f"spec: {{a: [{', '.join(f'x{number}' for number in range(5000))}]}}",
}


@pytest.mark.parametrize("text", HASHED.values(), ids=HASHED)
def test_what_is_kept_as_a_hash(text: str) -> None:
    """A side that has it still explains the hash; of one that has it no longer nothing can be told."""
    update = resource(f"{HEAD}{text}\n")
    assert re.search("^  a: !sha256 [0-9a-f]{10}$", mirror.text(update), re.MULTILINE)
    origin = read(remembering(mirror.text(update)))
    assert origin is not None
    explained = origin.tree(tree(resource(HEAD)), tree(update))
    assert trees.same(explained, explained.root, tree(update), update.root)
    other = resource(f"{HEAD}spec: {{a: other}}\n")
    unexplained = origin.tree(tree(other), tree(other))
    for side in (other, update):
        assert not trees.same(unexplained, unexplained.root, tree(side), side.root)


def test_an_alias_that_names_nothing_is_a_null_in_what_was_hashed() -> None:
    update = resource(f"{HEAD}spec: {{a: {{? {'k' * 1001} : *nothing}}}}\n")
    origin = read(remembering(mirror.text(update)))
    assert origin is not None
    assert origin.tree(tree(update)).text == f'{HEAD}spec:\n  a: {{"{"k" * 1001}": null}}\n'


def test_an_alias_that_names_nothing_is_not_the_text_none() -> None:
    """Both stand in a part that is one hash: they are different data, so that a change between the two is seen."""
    texts = [f"{HEAD}spec:\n  a: {{{'k' * 1001}: {value}}}\n" for value in ("*b", "None", "null")]
    written = [mirror.text(resource(text)) for text in texts]
    assert written[0] != written[1]
    assert written[0] == written[2]


def test_a_text_is_found_again_where_its_list_has_grown() -> None:
    update = resource(f"{HEAD}spec: [{LONG}]\n")
    local = resource(f"{HEAD}spec: [new, {LONG}]\n")
    origin = read(remembering(mirror.text(update)))
    assert origin is not None
    explained = origin.tree(tree(local))
    assert trees.same(explained, explained.root, tree(update), update.root)


def test_equal_secrets_do_not_show() -> None:
    """Their hashes are over identity and path as well, also of a part that is one hash."""
    login = "apiVersion: v1\nkind: Secret\nmetadata: {name: NAME}\ndata: {a: aGk=, b: aGk=}\n"
    texts = [mirror.text(resource(login.replace("NAME", name))) for name in ("one", "other")]
    hashes = [found for text in texts for found in re.findall("!sha256 ([0-9a-f]{10})", text)]
    assert len({*hashes}) == 4


def large(count: int, size: int) -> dict[str, str]:
    return {f"k{number:04}": "x" * size for number in range(count)}


def test_of_what_is_too_large_the_largest_parts_become_hashes() -> None:
    parts = {"small": large(10, 100), "large": large(200, 100), "next": large(100, 100)}
    update = resource(HEAD + yaml.safe_dump({"spec": {"name": "a", "deep": parts}}, sort_keys=False))
    text = mirror.text(update)
    assert len(text) < 16 * 1024
    assert next(line for line in text.splitlines() if "!sha256" in line).startswith("    large: !sha256 ")
    assert text.count("!sha256") == 1
    origin = read(remembering(text))
    assert origin is not None
    explained = origin.tree(tree(update))
    assert trees.same(explained, explained.root, tree(update), update.root)


def test_of_parts_of_one_size_the_first_are_kept() -> None:
    parts = {f"part{number}": large(40, 100) for number in range(8)}
    text = mirror.text(resource(HEAD + yaml.safe_dump(parts, sort_keys=False)))
    assert len(text) < 16 * 1024
    assert [line[:5] for line in text.splitlines() if "!sha256" in line] == [f"part{number}" for number in range(3, 8)]


def test_what_an_object_is_called_is_kept_however_large_its_metadata_is() -> None:
    labels = yaml.safe_dump({"labels": large(400, 60)}).replace("\n", "\n  ")
    text = mirror.text(resource(f"{HEAD}  {labels}\n"))
    assert "  labels: !sha256 " in text
    assert "  name: web\n" in text


def test_a_secret_in_a_part_that_became_a_hash_stays_secret() -> None:
    parts = {"spec": {"part": large(200, 100)}}
    update = resource(HEAD + yaml.safe_dump(parts))
    hashes = {mirror.text(update, secrets).rpartition("!sha256 ")[2] for secrets in ([], [("spec", "part", "k0000")])}
    assert len(hashes) == 2


def test_bookkeeping_is_no_data() -> None:
    annotations = {"config.kubernetes.io/path": "a.yaml", "expandvars.dev/skip": "true", "mine": "a"}
    update = resource(HEAD + f"  annotations: {json.dumps(annotations)}\n")
    assert mirror.text(update) == f"{HEAD}  annotations:\n    mine: a\n"
    update = resource(HEAD + "  annotations: {config.kubernetes.io/path: a.yaml}\n")
    assert mirror.text(update) == HEAD


DAMAGED = {
    "nothing": "",
    "the marker of a conflict": f"{HEAD}<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> f\n",
    "one marker": f"{HEAD}=======\n",
    "no mapping": "- a\n",
    "an alias": f"{HEAD}a: &a 1\nb: *a\n",
    "a merge key": f"{HEAD}<<: {{a: 1}}\nb: 1\n? [c]\n: d\n",
    "an endless depth": f"{HEAD}a: {'[' * 100_000}\n",
    "no kind": HEAD.replace("kind", "king"),
    "no version": HEAD.replace("apps/v1", "1"),
    "no metadata": HEAD.replace("metadata:\n  name: web", "metadata: []"),
    "no name": HEAD.replace("web", "null"),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_what_is_damaged(text: str) -> None:
    assert read(remembering(text)) is None


def test_what_something_was_called() -> None:
    origin = read(remembering(f"{HEAD}  namespace: default\n"))
    assert origin is not None
    assert origin.identity == ("apps", "Deployment", "", "web")


LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.sampled_from([LONG, "y"])
)
KEYS = st.text(max_size=5) | st.sampled_from(["<<", "a", "- a", "a: b"])
VALUES = st.recursive(LEAVES, lambda some: st.lists(some, max_size=3) | st.dictionaries(KEYS, some, max_size=3))


@given(st.dictionaries(KEYS.filter(lambda key: key not in ("apiVersion", "kind", "metadata")), VALUES, max_size=3))
def test_what_is_remembered_is_what_was_generated(fields: dict[str, Any]) -> None:
    """As data, when a side still has what was hashed: the law on which every merge stands."""
    head = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}
    update = resource(yaml.safe_dump(head | fields, allow_unicode=True))
    text = mirror.text(update)
    assert "$" not in text
    assert text.isascii()
    origin = read(remembering(text))
    assert origin is not None
    remembered = origin.tree(tree(update))
    assert trees.same(remembered, remembered.root, tree(update), update.root)
