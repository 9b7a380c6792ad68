"""The model of a careful person that judges merges on histories: what it merges, and where a person has to choose."""

from __future__ import annotations

import pytest

from scripts.threeway import Merge

MERGED = {
    "fields": ({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 2}),
    "a field goes, another comes": ({"a": 1}, {}, {"a": 1, "b": 2}, {"b": 2}),
    "an empty field that one side has emptied": ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}, {"a": {}}),
    "elements with names": (
        [{"name": "a", "v": 1}, {"name": "b", "v": 1}],
        [{"name": "b", "v": 2}, {"name": "a", "v": 1}],
        [{"name": "a", "v": 2}, {"name": "b", "v": 1}],
        [{"name": "a", "v": 2}, {"name": "b", "v": 2}],
    ),
    "elements without names": (["a", "b", "c"], ["x", "b", "c"], ["a", "b", "c", "d"], ["x", "b", "c", "d"]),
    "neighbours": (["a", "b"], ["x", "b"], ["a", "y"], ["x", "y"]),
    "fields of an element without a name": (
        [{"uses": "a", "with": 1}],
        [{"uses": "b", "with": 1}],
        [{"uses": "a", "with": 2}, "c"],
        [{"uses": "b", "with": 2}, "c"],
    ),
    "lines of a text without an end of the last one": ("a\nb\nc", "x\nb\nc", "a\nb\ny", "x\nb\ny"),
    "a renamed key of a list": ({"a": [1, 2, 3]}, {"b": [1, 2, 3]}, {"a": [1, 2]}, {"b": [1, 2]}),
    "lines of a text": ("a\nb\nc\n", "x\nb\nc\n", "a\nb\ny\n", "x\nb\ny\n"),
    "an element with the name that it had": (
        [{"name": "a", "x": 1, "y": 1, "z": 1}, "b"],
        [{"w": 1}, {"name": "a", "x": 2, "y": 2, "z": 1}, "b"],
        [{"name": "a", "x": 1, "y": 1, "z": 2}, "b"],
        [{"w": 1}, {"name": "a", "x": 2, "y": 2, "z": 2}, "b"],
    ),
    "paths of a Kustomization": (
        {"kind": "Kustomization", "resources": ["a", "b"]},
        {"kind": "Kustomization", "resources": ["a", "u"]},
        {"kind": "Kustomization", "resources": ["a", "b", "l"]},
        {"kind": "Kustomization", "resources": ["a", "l", "u"]},
    ),
    "a renamed key": (
        {"a": {"x": 1, "y": 1}},
        {"a": {"x": 2, "y": 1}},
        {"b": {"x": 1, "y": 1}},
        {"b": {"x": 2, "y": 1}},
    ),
    "a key that became two: the nearest is its new name": (
        {"job": {"x": 1, "y": 1, "z": 1}},
        {"job": {"x": 1, "y": 1, "z": 2}},
        {"one": {"x": 1, "y": 1, "z": 1}, "two": {"x": 1, "y": 1, "z": 3}},
        {"one": {"x": 1, "y": 1, "z": 2}, "two": {"x": 1, "y": 1, "z": 3}},
    ),
    "an element is the one with most in common, not the first": (
        [{"a": 1, "b": 1, "c": 1}],
        [{"a": 0, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 1, "d": 1}],
        [{"a": 1, "b": 1, "c": 2}],
        [{"a": 0, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 2, "d": 1}],
    ),
    "a renamed text": ({"a": "x\ny\n"}, {"a": "x\nz\n"}, {"b": "x\ny\n"}, {"b": "x\nz\n"}),
    "a step with half of its lines under another name": (
        [{"name": "v1", "run": "old\n"}, {"name": "v2", "run": "install\nlogin\ntest\n"}],
        [{"name": "v1", "run": "old\n"}, {"name": "v2", "run": "install\nlogin\ntest-2\n"}],
        [{"name": "v", "run": "login\ntest\n"}],
        [{"name": "v", "run": "login\ntest-2\n"}],
    ),
}
CLASHES = {
    "one scalar": ({"a": 1}, {"a": 2}, {"a": 3}, [".a"]),
    "changed and deleted": ({"a": 1}, {"a": 2}, {}, [".a"]),
    "both added": ({}, {"a": 1}, {"a": 2}, [".a"]),
    "a path of a Kustomization": (
        {"kind": "Kustomization", "resources": ["a"]},
        {"kind": "Kustomization", "resources": ["u"]},
        {"kind": "Kustomization", "resources": ["l"]},
        [".resources"],
    ),
    "one element": (["a"], ["b"], ["c"], ["[0]"]),
    "a name": (
        [{"name": "a", "x": 1, "y": 1}],
        [{"name": "b", "x": 1, "y": 1}],
        [{"name": "c", "x": 1, "y": 1}],
        [".a.name"],
    ),
    "elements in one place": (["a"], ["a", "b"], ["a", "c"], ["[0+]"]),
    "a key renamed twice": ({"a": {"x": 1}}, {"b": {"x": 1}}, {"c": {"x": 1}}, [""]),
    "an empty field goes, and is filled": ({"a": {}}, {"a": {"b": 1}}, {}, [".a"]),
    "a null and nothing": ({"a": 1}, {"a": None}, {}, [".a"]),
    "an integer and a truth": ({"a": 0}, {"a": 1}, {"a": True}, [".a"]),
}


MEETINGS = {
    "lines side by side": ("a\nb\n", "x\nb\n", "a\ny\n", [""]),
    "a line behind one that the other side changed": ("a\nb\n", "a\nn\nb\n", "x\nb\n", [""]),
    "a line that both changed alike, and one beside it": ("a\nb\n", "x\nb\n", "x\ny\n", []),
    "options side by side": (["-a", "b"], ["-x", "b"], ["-a", "y"], [""]),
    "two elements that became one, and one of them went": (["a", "b", "c"], ["x", "c"], ["b", "c"], [""]),
    "one put between two that are written anew": (["a", "b", "c"], ["x", "y", "c"], ["a", "n", "b", "c"], [""]),
    "one put behind two that are written anew": (["a", "b", "c"], ["x", "y", "c"], ["a", "b", "n", "c"], []),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), MERGED.values(), ids=MERGED)
def test_what_is_merged(origin: object, update: object, local: object, expected: object) -> None:
    for sides in ((update, local), (local, update)):
        merge = Merge(origin, *sides)
        assert (merge.value, merge.clashes) == (expected, [])


@pytest.mark.parametrize(("origin", "update", "local", "clashes"), CLASHES.values(), ids=CLASHES)
def test_where_a_person_has_to_choose(origin: object, update: object, local: object, clashes: list[str]) -> None:
    assert (Merge(origin, update, local).clashes, Merge(origin, local, update).clashes) == (clashes, clashes)


@pytest.mark.parametrize(("origin", "update", "local", "meetings"), MEETINGS.values(), ids=MEETINGS)
def test_where_a_person_has_to_look(origin: object, update: object, local: object, meetings: list[str]) -> None:
    assert (Merge(origin, update, local).meetings, Merge(origin, local, update).meetings) == (meetings, meetings)


def test_a_kustomization_is_known_by_its_file() -> None:
    sides = {"resources": ["a"]}, {"resources": ["u", "a"]}, {"resources": ["l", "a"]}
    assert Merge(*sides).clashes == [".resources[-1+]"]
    merge = Merge(*sides, name="kustomization.yaml")
    assert (merge.value, merge.clashes) == ({"resources": ["a", "l", "u"]}, [])


def test_the_order_of_elements_with_names_is_not_judged() -> None:
    data = {"steps": [{"name": "a", "args": [1, 2]}, {"name": "b"}]}
    merge = Merge(data, data, data)
    assert merge.is_in({"steps": [{"name": "b"}, {"name": "a", "args": [1, 2]}]})
    assert not merge.is_in({"steps": [{"name": "b"}, {"name": "a", "args": [2, 1]}]})
    assert not merge.is_in({"steps": [{"name": "a", "args": [1, 2]}]})


def test_the_order_of_paths_in_a_kustomization_is_not_judged() -> None:
    data = {"kind": "Kustomization", "resources": ["b", "a"], "patches": ["b", "a"]}
    merge = Merge(data, data, data)
    assert merge.is_in(data | {"resources": ["a", "b"]})
    assert not merge.is_in(data | {"patches": ["a", "b"]})
