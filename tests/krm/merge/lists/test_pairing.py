"""Which element is which."""

from __future__ import annotations

import pytest

from krm import fieldpath
from krm.merge.kinds.schema import KEYLESS, SET, ListRule
from krm.merge.lists import pairing
from krm.yamltree.nodes import Sequence
from tests.krm.merge.sides import tree

NAME = ListRule(("name",))
PORTS = ListRule(("containerPort", "protocol"))


def keyed(rule: ListRule, text: str) -> pairing.Keyed:
    root = tree(text).root
    assert isinstance(root, Sequence)
    return pairing.keyed(rule, root.kids)


PAIRED = {
    "by name": (NAME, "[{name: a, v: 1}, {name: b}]", "[{name: b}, {name: a, v: 2}]", [0, 1]),
    "one is new": (NAME, "[{name: a}]", "[{name: b}]", []),
    "all keys count": (PORTS, "[{containerPort: 53, protocol: UDP}]", "[{containerPort: 53, protocol: TCP}]", []),
    "a default is a key": (PORTS, "[{containerPort: 53}]", "[{containerPort: 53, protocol: TCP}]", [0]),
    "a key that is no default": (
        ListRule(("name", "namespace")),
        "[{name: a}, {name: a, namespace: b}]",
        "[{name: a, namespace: b}, {name: a}]",
        [0, 1],
    ),
    "as text": (PORTS, "[{containerPort: 53}]", "[{containerPort: '53'}]", [0]),
    "duplicates one by one": (NAME, "[{name: a, v: 1}, {name: a, v: 2}]", "[{name: a, v: 3}]", [0]),
    "three of them": (NAME, "[{name: a}, {name: a}, {name: a}]", "[{name: a}, {name: a}, {name: a}]", [0, 1, 2]),
    "without a key by what it is": (NAME, "[{v: 1}, {v: 2}]", "[{v: 2}, {v: 3}]", [1]),
    "what is no mapping": (NAME, "[a, {name: a}]", "['a']", [0]),
    "members of a set": (SET, "[a, b, a]", "['b', a]", [0, 1]),
    "values": (KEYLESS, "[1, '1', {a: b}]", "[{a: b}, 1]", [0, 2]),
    "a key behind an alias": (NAME, "[{name: &x a}, {name: *x}]", "[{name: a}, {name: a}]", [0, 1]),
}


@pytest.mark.parametrize(("rule", "one", "other", "expected"), PAIRED.values(), ids=PAIRED)
def test_elements_with_the_same_key_are_pairs(rule: ListRule, one: str, other: str, expected: list[int]) -> None:
    found = keyed(rule, other)
    assert [index for index, key in enumerate(keyed(rule, one)) if key in found] == expected


SEGMENTS = {
    "by the key": (NAME, "[{name: a}, {name: b}]", "[{name: a}]", "[name=a] [name=b]"),
    "by the index where several have it": (
        PORTS,
        "[{containerPort: 1}, {containerPort: 53}, {containerPort: 53, protocol: UDP}]",
        "[]",
        "[containerPort=1] [1] [2]",
    ),
    "by local's index": (NAME, "[{v: 1}]", "[{v: 2}, {v: 1}]", "[1] [0]"),
    "by the index where the key is empty": (NAME, "[{name: ''}]", "[]", "[0]"),
    "by the index in a set": (SET, "[a]", "[b, c]", "[0] [0] [1]"),
}


@pytest.mark.parametrize(("rule", "update", "local", "expected"), SEGMENTS.values(), ids=SEGMENTS)
def test_the_path_step_of_each_element(rule: ListRule, update: str, local: str, expected: str) -> None:
    indexes = pairing.indexes(keyed(rule, update), keyed(rule, local))
    found = pairing.segments(rule, indexes)
    assert " ".join(fieldpath.to_text((segment,)) for segment in found.values()) == expected


def test_duplicates_are_told_once() -> None:
    side = "[{containerPort: 80}, {containerPort: 80, protocol: TCP}, {containerPort: 80}, {a: 1}, {a: 1}]"
    assert pairing.duplicates(keyed(PORTS, side)) == ["80/TCP"]
    assert pairing.duplicates(keyed(NAME, "[{name: a}, {name: b}]")) == []
