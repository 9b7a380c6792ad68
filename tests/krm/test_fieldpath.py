"""Field paths: what is read, what is printed, what they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm import fieldpath
from krm.fieldpath import BELOW, INSIDE, WILDCARD, Match
from krm.yamltree import parser
from krm.yamltree.nodes import Alias, Scalar

if TYPE_CHECKING:
    from krm.yamltree.nodes import Node

POD = """\
metadata:
  annotations: {example.com/a: x, "1": one}
spec:
  containers:
  - name: web
    image: nginx
    args: [--port, "8080"]
  - {name: side, image: busybox}
  - {name: side, image: other}
  - image: nameless
  - &last {name: last, image: late}
  - *last
base: &base {a: 1, b: 2}
more:
  <<: *base
  b: 3
"""

READ = {
    "spec": ("spec",),
    "spec.containers[name=web].args[2]": ("spec", "containers", Match("name", "web"), "args", 2),
    "spec.rules[*].host": ("spec", "rules", WILDCARD, "host"),
    "metadata.annotations['example.com/a']": ("metadata", "annotations", "example.com/a"),
    "['a.b'].c": ("a.b", "c"),
    "[0].a": (0, "a"),
    "a['']": ("a", ""),
    r"a['it\'s \\']": ("a", "it's \\"),
    "a['b='='c]']": ("a", Match("b=", "c]")),
    r"a['\'b'='\'c\'']": ("a", Match("'b", "'c'")),
    "a[b='']": ("a", Match("b", "")),
    "a[b='system:masters']": ("a", Match("b", "system:masters")),
    "a[app-name=a.b/c]": ("a", Match("app-name", "a.b/c")),
    "a.0": ("a", "0"),
    "**": (BELOW,),
    "spec.**.image": ("spec", BELOW, "image"),
    "spec[0].**[name=web]": ("spec", 0, BELOW, Match("name", "web")),
    "data['app.yaml']::log.level": ("data", "app.yaml", INSIDE, "log", "level"),
    "data[*]::**": ("data", WILDCARD, INSIDE, BELOW),
    "data.a::[0]['x y']::b": ("data", "a", INSIDE, 0, "x y", INSIDE, "b"),
}

ALSO_READ = {
    r"metadata.annotations.example\.com/a": "metadata.annotations['example.com/a']",
    "spec.containers.[name=web].image": "spec.containers[name=web].image",
    "a.[0].['b']": "a[0].b",
    "a['plain']": "a.plain",
    "a[007]": "a[7]",
    'a[name="web"]': "a[name=web]",
    "a['name'=\"web\"]": "a[name=web]",
    'a["a.b/c"]': "a['a.b/c']",
    'a[name="it\'s"]': r"a[name='it\'s']",
    r"data.app\.yaml::log.a\.b": "data['app.yaml']::log['a.b']",
}

NO_PATH = {
    "": 1,
    "a.": 2,
    "a..b": 2,
    "a[": 2,
    "a[-1]": 2,
    "a[0]b": 5,
    "a]": 2,
    "a\\": 2,
    "a['b]": 2,
    "a[1234567890]": 2,
    "a[name=web,image=b]": 2,
    "a[metadata.name=web]": 2,
    r"a[b\=c=d]": 2,
    "a[name='web]": 2,
    "a.***": 5,
    "a**": 2,
    "/spec.x": 1,
    "spec.containers[name=web]image": 26,
    "metadata.labels.'x'": 16,
    "a::'b'": 2,
}

MEANT = {
    "a[].b": "a[*].b",
    "a[name=*].b": "a[*].b",
    "a[name:web].b": "a[name=web].b",
    "a[b.c/d]": "a['b.c/d']",
    ".a": "a",
    "a b": "['a b']",
    "a[name = web]": "a[name=web]",
    "a[name==web]": "a[name=web]",
    "a[?(@.name=='web')].x": "a[name=web].x",
    "a[name=]": "a[name='']",
    "a[image=nginx:1.2]": "a[image='nginx:1.2']",
    "spec/template/0/image": "spec.template[0].image",
    "/spec/0": "spec[0]",
    "$.spec.x": "spec.x",
    "$['spec']": "spec",
    "{.spec.replicas}": "spec.replicas",
    "metadata.annotations.config.kubernetes.io/index": "metadata.annotations['config.kubernetes.io/index']",
    "metadata.labels.app.kubernetes.io/name[0]": "metadata.labels['app.kubernetes.io/name'][0]",
    "a.b/c": "a['b/c']",
    "spec.containers.*.image": "spec.containers[*].image",
    "spec.rules.*": "spec.rules[*]",
    "data.größe": "data['größe']",
    "spec.a:b": "spec['a:b']",
    "::a": "['::a']",
    "a::": "['a::']",
    "a::.b": "['a::'].b",
    "a.::b": "a['::b']",
}

FOUND = {
    "spec.containers[name=web].image": ["nginx"],
    "spec.containers[name=side].image": ["busybox", "other"],
    "spec.containers[name=last].image": ["late", "late"],
    "spec.containers[0].args[*]": ["--port", "8080"],
    "spec.containers.1.image": ["busybox"],
    "spec.containers.01.image": [],
    "spec.containers[9].image": [],
    "spec.containers[other=web].image": [],
    "metadata.annotations[*]": ["x", "one"],
    "metadata.annotations.1": ["one"],
    "metadata.annotations[1]": [],
    "metadata[name=web]": [],
    "metadata.labels.app": [],
    "spec.containers[0].image.x": [],
    "more.a": ["1"],
    "more.b": ["3"],
    "more[*]": ["3", "1"],
    "spec.**.name": ["web", "side", "side", "last", "last"],
    "**.**.b": ["2", "3"],
    "base.**": [None, "1", "2"],
    "metadata.annotations.1.**": ["one"],
}

PRINTED = {
    ("spec", "containers", 0, "args", 1): "spec.containers[name=web].args[1]",
    ("spec", "containers", 1, "image"): "spec.containers[1].image",
    ("spec", "containers", 3, "image"): "spec.containers[3].image",
    ("spec", "containers", 5, "image"): "spec.containers[5].image",
    ("spec", "containers", 9, "env", 0, "name"): "spec.containers[9].env[0].name",
    ("metadata", "annotations", "example.com/a"): "metadata.annotations['example.com/a']",
    ("metadata", "labels", "app"): "metadata.labels.app",
    (): "",
}

texts = st.text(alphabet="ab0.-_[]='*\\ /é:\n", max_size=6)
steps = st.one_of(texts, st.integers(0, 999_999_999), st.builds(Match, texts, texts))
segments = st.one_of(steps, st.sampled_from((WILDCARD, BELOW)))
paths = st.lists(st.lists(segments, min_size=1, max_size=6), min_size=1, max_size=2)


def _tree(text: str) -> Node:
    root = parser.parse(text).root
    assert root is not None
    return root


@pytest.mark.parametrize("text", READ)
def test_printed_form_is_read_and_printed_again(text: str) -> None:
    assert fieldpath.parse(text) == READ[text]
    assert fieldpath.to_text(READ[text]) == text


@pytest.mark.parametrize("text", ALSO_READ)
def test_other_forms_are_read_and_printed_in_ours(text: str) -> None:
    assert fieldpath.to_text(fieldpath.parse(text)) == ALSO_READ[text]


@pytest.mark.parametrize("text", NO_PATH)
def test_what_is_no_path_is_shown_with_its_first_wrong_character(text: str) -> None:
    with pytest.raises(ValueError, match="`") as caught:
        fieldpath.parse(text)
    assert str(caught.value) == (
        f"`{text}` is no field path from character {NO_PATH[text]} on: one looks like "
        "`spec.rules[*].host`, `args[0]`, `containers[name=web].image` or `annotations['a.b/c']`"
    )


def test_a_word_in_brackets_may_be_a_key_or_the_name_of_an_element() -> None:
    with pytest.raises(ValueError, match="`") as caught:
        fieldpath.parse("spec.containers[web].image")
    assert str(caught.value) == (
        "`spec.containers[web].image` is no field path: write `spec.containers.web.image`, "
        "or `spec.containers[name=web].image` for an element of a list"
    )


@pytest.mark.parametrize("text", MEANT)
def test_a_path_of_another_notation_is_shown_in_ours(text: str) -> None:
    with pytest.raises(ValueError, match="`") as caught:
        fieldpath.parse(text)
    assert str(caught.value) == f"`{text}` is no field path: write `{MEANT[text]}`"
    assert fieldpath.to_text(fieldpath.parse(MEANT[text])) == MEANT[text]


@given(paths)
def test_every_path_is_parsed_from_what_it_is_printed_as(parts: list[list[Any]]) -> None:
    path = tuple(parts[0] if len(parts) == 1 else [*parts[0], INSIDE, *parts[1]])
    assert fieldpath.parse(fieldpath.to_text(path)) == path


@given(texts)
def test_any_text_is_a_path_or_an_error(text: str) -> None:
    try:
        path = fieldpath.parse(text)
    except ValueError:
        return
    assert fieldpath.parse(fieldpath.to_text(path)) == path


@pytest.mark.parametrize("text", FOUND)
def test_a_path_leads_through_lists_aliases_and_merged_keys(text: str) -> None:
    found = list(fieldpath.find(_tree(POD), fieldpath.parse(text)))
    assert [getattr(node, "value", None) for _, node in found] == FOUND[text]
    assert all(next(fieldpath.find(_tree(POD), place))[0] == place for place, _ in found)


def test_an_alias_at_the_end_is_found_as_the_alias_that_it_is() -> None:
    found = dict(fieldpath.find(_tree("a: &x 1\nb: *x\n"), (WILDCARD,)))
    assert [(place, type(node)) for place, node in found.items()] == [(("a",), Scalar), (("b",), Alias)]


def test_an_alias_whose_anchor_is_elsewhere_leads_nowhere() -> None:
    assert list(fieldpath.find(Alias(0, 2, "x", None), ("a",))) == []


@pytest.mark.parametrize("place", PRINTED)
def test_a_place_is_printed_by_name_where_the_name_is_unique(place: fieldpath.Place) -> None:
    assert fieldpath.to_text(fieldpath.named(_tree(POD), place)) == PRINTED[place]


def test_each_place_that_is_printed_is_read_back_as_the_same_place() -> None:
    root = _tree(POD)
    places = [place for place, _ in fieldpath.find(root, (BELOW,))]
    assert len(places) == 33
    for place in places[1:]:
        path = fieldpath.parse(fieldpath.to_text(fieldpath.named(root, place)))
        assert [found for found, _ in fieldpath.find(root, path)] == [place]


def test_a_general_path_leads_to_all_elements_of_its_lists() -> None:
    path = fieldpath.parse("spec.containers[name=web].args[2]")
    assert fieldpath.to_text(fieldpath.general(path)) == "spec.containers[*].args[*]"
    assert fieldpath.general(("spec", 0, "args", 1)) == ("spec", WILDCARD, "args", WILDCARD)


def test_segments_say_what_they_are() -> None:
    signs = "Sign('[*]'), Sign('.**'), Sign('::')"
    assert repr((Match("name", "web"), WILDCARD, BELOW, INSIDE)) == f"(Match('name', 'web'), {signs})"
    assert len({Match("name", "web"), Match("name", "web"), Match("name", "db")}) == 2
