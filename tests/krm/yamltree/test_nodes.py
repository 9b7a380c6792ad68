"""Nodes at keys: the node, its text, and its text where it is a string to every reader."""

from __future__ import annotations

import pytest

from krm.yamltree import nodes, parser, positions, scalars
from krm.yamltree.nodes import Scalar
from krm.yamltree.scalars import data

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


# A tree with other scalars shown at some places: read as if they stood there, and the tree itself left as it is.
OVERLAID = """\
base: &base {image: a, tag: b}
own: {<<: *base, tag: c}
list: [a, {b: c}, &d d]
alias: *d
whole: *base
"""
SHOWN = {
    "a value": (("base", "tag"), {"base": {"image": "a", "tag": "X"}}),
    "an element": (("list", 0), {"list": ["X", {"b": "c"}, "d"]}),
    "a value in an element": (("list", 1, "b"), {"list": ["a", {"b": "X"}, "d"]}),
    "an anchored scalar": (("list", 2), {"list": ["a", {"b": "c"}, "X"]}),
    "an alias": (("alias",), {"alias": "X"}),
    "a value behind an alias": (("whole", "tag"), {"whole": {"image": "a", "tag": "X"}}),
    "a value that is merged in": (("own", "image"), {"own": {"tag": "c", "image": "X"}}),
    "a value that overrides one that is merged in": (("own", "tag"), {"own": {"tag": "X", "image": "a"}}),
    "a whole list": (("list",), {"list": "X"}),
}


def shown() -> Scalar:
    return Scalar(0, 0, "X", '"', None, None)


@pytest.mark.parametrize(("place", "changed"), SHOWN.values(), ids=SHOWN)
def test_a_scalar_is_shown_at_its_place_alone(place: tuple[str | int, ...], changed: dict) -> None:
    root = parser.parse(OVERLAID).root
    before = data(root)
    assert data(nodes.overlaid(root, {place: shown()})) == before | changed
    assert data(root) == before


def test_several_at_once() -> None:
    places: list[tuple[str | int, ...]] = [("list", 0), ("list", 1, "b"), ("own", "tag"), ("own", "image")]
    tree = data(nodes.overlaid(parser.parse(OVERLAID).root, {place: shown() for place in places}))
    assert (tree["list"], tree["own"]) == (["X", {"b": "X"}, "d"], {"tag": "X", "image": "X"})


def test_a_place_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        nodes.overlaid(parser.parse(OVERLAID).root, {("list", 0, "a"): shown()})
