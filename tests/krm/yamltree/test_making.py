"""What libyaml's binding makes in place of events is what is made of events: no tree can tell."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given

from krm.yamltree import events, making, parser
from krm.yamltree.nodes import Alias, Mapping, Node, Scalar
from tests.krm.yamltree.test_laws import law, texts

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def taken_over() -> Iterator[None]:
    """Let the binding make nodes, as it does in the command."""
    making.take_over()
    try:
        yield
    finally:
        making.give_back()


def facts(node: Node | None) -> Any:
    """Return all that a tree knows of a node."""
    if node is None:
        return None
    common = (type(node), node.start, node.end, node.anchor, node.tag)
    if isinstance(node, Scalar):
        return (*common, node.value, node.style)
    if isinstance(node, Alias):
        return (*common, node.name, facts(node.target))
    kids = [facts(kid) for kid in node.kids]
    entries = {key: facts(value) for key, value in node.entries.items()} if isinstance(node, Mapping) else None
    return (*common, node.first, node.column, node.flow, kids, entries)


def read(text: str) -> object:
    """Return all that is known of the documents of a text, or what is wrong with it."""
    try:
        documents = parser.parse_all(text)
    except parser.ParseError as error:
        return str(error)
    return [(found.start, found.events, found.shares, len(found.aliases), facts(found.root)) for found in documents]


@law
@given(texts)
def test_trees_are_the_same(text: str) -> None:
    made_of_events = read(text)
    with taken_over():
        assert read(text) == made_of_events


@pytest.mark.parametrize(
    "text",
    [
        "a: &x !!str 1\nb: *x\nc: {<<: *x}\n--- |\n text\n--- [\n'a', \"b\"]\n",
        "a:\n- b\n  # at the margin\n- - c\n  -\n",
        "? {a: b}\n: >\n  c\n? d\n",
        '{"pair": "\\ud83d\\ude00", "break": "\u2028", "both": "\\ud83d\\ude00 \u2028"}',
        "a: 1\na: 2\n",
        "a: [b\n",
        "[" * 300,
    ],
)
def test_odd_texts_are_the_same(text: str) -> None:
    made_of_events = read(text)
    with taken_over():
        assert read(text) == made_of_events


def test_nodes_are_counted_as_events_are() -> None:
    with taken_over(), pytest.raises(events.ParseError, match=f"line 1, column 201: {events.TOO_DEEP}"):
        events.check("[" * 2_100)
    with taken_over():
        assert events.check("[" + "[], " * 2_100 + "]") == 2 * 2_101 + 4


def test_the_binding_makes_events_again() -> None:
    with taken_over():
        pass
    assert [type(event) for event in yaml.parse("[a, {}]", Loader=yaml.CSafeLoader)] == [
        *(yaml.StreamStartEvent, yaml.DocumentStartEvent, yaml.SequenceStartEvent, yaml.ScalarEvent),
        *(yaml.MappingStartEvent, yaml.MappingEndEvent, yaml.SequenceEndEvent),
        *(yaml.DocumentEndEvent, yaml.StreamEndEvent),
    ]


@pytest.mark.pure
def test_without_libyaml_nothing_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    binding: Any = sys.modules["yaml._yaml"]
    monkeypatch.delattr(yaml, "_yaml")
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    making.take_over()
    assert binding.ScalarEvent is yaml.ScalarEvent
