"""Nodes at keys: the node, its text, and its text where it is a string to every reader."""

from __future__ import annotations

import pytest

from krm.yamltree import nodes, parser, positions, scalars

ROOT = parser.parse(
    """\
base: &base {image: nginx}
metadata: &m
  <<: *base
  name: web
  port: 8080
  quoted: "8080"
  null: ~
  empty:
  switch: on
  list: [a]
copy: *m
"""
).root


@pytest.mark.parametrize(
    ("keys", "text", "string"),
    [
        (("metadata", "name"), "web", "web"),
        (("copy", "name"), "web", "web"),
        (("copy", "image"), "nginx", "nginx"),
        (("metadata", "port"), "8080", None),
        (("metadata", "quoted"), "8080", "8080"),
        (("metadata", "null"), "~", None),
        (("metadata", "empty"), "", None),
        (("metadata", "switch"), "on", None),
        (("metadata", "list"), None, None),
        (("metadata", "list", "0"), None, None),
        (("metadata", "absent"), None, None),
        (("metadata", "name", "below"), None, None),
        ((), None, None),
    ],
)
def test_the_text_at_keys_is_typed_where_asked(keys: tuple[str, ...], text: str | None, string: str | None) -> None:
    assert nodes.text_at(ROOT, *keys) == text
    assert scalars.string_at(ROOT, *keys) == string


def test_a_null_is_a_node_and_an_absent_key_is_none() -> None:
    assert nodes.at(ROOT, "metadata", "null") is not None
    assert nodes.at(ROOT, "metadata", "absent") is None
    assert nodes.at(None, "metadata") is None
    assert nodes.at(ROOT) is ROOT


def test_an_empty_key_and_its_value_start_at_one_place() -> None:
    root = parser.parse("?").root
    assert isinstance(root, nodes.Mapping)
    key, value = root.kids
    assert key.start == value.start
    assert (positions.index_of(root, key), positions.index_of(root, value)) == (0, 0)


def test_nodes_are_placed_through_aliases_but_for_one_of_what_is_elsewhere() -> None:
    root = parser.parse("a: [*elsewhere, 1]\nb: &b {c: 2}\nd: {<<: *b}\n").root
    found = [(place, node.value) for place, node in nodes.placed(root, ()) if node.value is not None]
    assert found == [(("a", 1), "1"), (("b", "c"), "2"), (("d", "c"), "2")]
