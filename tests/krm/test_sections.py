"""Sections of a text say what its whole tree says, and a text in which they might not has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm import fieldpath
from krm.sections import sections
from krm.yamltree import edits, parser
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.parser import ParseError
from krm.yamltree.scalars import data

if TYPE_CHECKING:
    from krm.sections import Sections
    from krm.yamltree.nodes import Node

TEXT = """\
# of all
apiVersion: v1
metadata:  # of metadata
  # of the name
  name: web
  labels:
    app: web # ab
  annotations:
  - none

spec: {}
# of nothing
"""


def cut(text: str = TEXT, *, is_element: bool = False) -> Sections:
    found = sections(text, is_element=is_element)
    assert found is not None
    return found


def section(path: str, text: str = TEXT) -> str:
    """Return the lines that are parsed for a path, below those that they are in."""
    found = cut(text)
    [(place, _)] = found.follow(fieldpath.parse(path))
    alone = found.outline.frame(place) + text[slice(*found.outline.span(place))]
    assert data(found.section(place)) == data(parser.parse(alone).root)
    return alone


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("apiVersion", "apiVersion: v1\n"),
        ("metadata.name", "metadata:\n  name: web\n"),
        ("metadata.labels.app", "metadata:\n  labels:\n    app: web # ab\n"),
        ("metadata.annotations[0].x", "metadata:\n  annotations:\n  - none\n\n"),
        ("metadata.annotations", "metadata:\n  annotations:\n  - none\n\n"),
        # Behind a scalar and brackets the tree has to tell.
        ("metadata.labels.app.x", "metadata:\n  labels:\n    app: web # ab\n"),
        ("spec.replicas", "spec: {}\n# of nothing\n"),
    ],
)
def test_a_section_is_the_lines_of_a_field_below_its_keys(path: str, text: str) -> None:
    assert section(path) == text


LIST = """\
kind: X
spec:
  containers:
    - name: web
      image: nginx:1.27 # pinned
      args: ["a"]
    # the cache
    -
      name: cache
      env:
      - name: A
        value: "1"
  other:
  - - a
  - b
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("spec.containers[0].name", "spec:\n  containers:\n    -\n      name: web\n"),
        ("spec.containers[name=web].args", 'spec:\n  containers:\n    -\n      args: ["a"]\n    # the cache\n'),
        (
            "spec.containers[1].env.0.value",
            'spec:\n  containers:\n    -\n    -\n      env:\n      -\n        value: "1"\n',
        ),
        ("spec.other[0][0]", "spec:\n  other:\n  - - a\n"),
        ("spec.other[1]", "spec:\n  other:\n  -\n  - b\n"),
    ],
)
def test_the_elements_above_one_are_empty_ones(path: str, text: str) -> None:
    assert section(path, LIST) == text


def test_a_path_leads_into_the_elements_that_it_matches() -> None:
    found = cut(LIST)
    paths = ("spec.containers[*].name", "spec.containers[name=cache].name", "spec.x", "spec[*]", "spec.containers[2]")
    assert [[place for place, _ in found.find(fieldpath.parse(path))] for path in paths] == [
        [("spec", "containers", 0, "name"), ("spec", "containers", 1, "name")],
        [("spec", "containers", 1, "name")],
        [],
        [("spec", "containers"), ("spec", "other")],
        [],
    ]
    for path in ("spec[name=x]", "spec.containers[image=nginx].name", "spec.containers.01", "spec[0]", "kind.x"):
        assert found.find(fieldpath.parse(path)) == [], path


def test_a_long_list_is_read_whole() -> None:
    few, many = (cut("list:\n" + "- a: b\n" * count) for count in (16, 17))
    assert [place for place, _ in few.follow(("list", 3, "a"))] == [("list", 3, "a")]
    assert [place for place, _ in many.follow(("list", 3, "a"))] == [("list",)]


def test_the_first_key_of_an_element_stands_behind_its_dash() -> None:
    found = cut("  -  metadata:\n       name: web\n     spec:\n       a: 1\n", is_element=True)
    metadata, spec = (found.section((key,)) for key in ("metadata", "spec"))
    assert (data(metadata), data(spec)) == ({"metadata": {"name": "web"}}, {"spec": {"a": 1}})
    assert found.outline.span(("metadata",)) == (5, 32)


def test_what_is_absent_takes_no_tree() -> None:
    found = cut()
    assert (found.follow(("status",)), found.follow(("metadata", "namespace", "x"))) == ([], [])
    assert found.at("metadata", "namespace", "x") is None
    assert [data(found.at(*keys)) for keys in (("spec", "x"), ("spec",), ("apiVersion",))] == [None, {}, "v1"]


def test_a_tree_that_is_there_has_what_is_below_it() -> None:
    found = cut()
    assert found.follow(("metadata",)) == [(("metadata",), ())]
    assert data(found.section(("metadata",))) == {
        "metadata": {"name": "web", "labels": {"app": "web"}, "annotations": ["none"]}
    }
    assert found.follow(("metadata", "labels")) == [(("metadata",), ("labels",))]
    assert data(found.at("metadata", "name")) == "web"
    assert not found.set_word(("metadata", "name"), "api")


@pytest.mark.parametrize(
    ("line", "text", "after"),
    [
        ("name: web", "api", "name: api"),
        ("name: web # c", "a.b/c:1", "name: a.b/c:1 # c"),
        ("name: 'web'", "1.10", "name: '1.10'"),
        ('name: "web"', "two words", 'name: "two words"'),
        ("name: 1.10", "web", "name: web"),
        ("name: web", "1.10", 'name: "1.10"'),
        ("name: web", "- a", 'name: "- a"'),
        ("name: web", "web", "name: web"),
        ('name: "1"', "1", 'name: "1"'),
        ("name: 2 # c", 3, "name: 3 # c"),
        ("name: '3'", 3, "name: 3"),
        ("name: 3", "3", 'name: "3"'),
        ("name: 0x3", 3, "name: 0x3"),
        ("name: 1", True, "name: true"),
        ("name: True", True, "name: True"),
        ("name: on", "on", "name: on"),
        ("name: web", "on", 'name: "on"'),
    ],
)
def test_a_word_gets_another_value_without_a_parser(line: str, text: str | int, after: str) -> None:
    found = cut(f"kind: X\n{line}\n")
    assert found.set_word(("name",), text)
    assert edits.apply(found.text, found.edits.values()) == f"kind: X\n{after}\n"
    assert data(found.at("name")) == text
    assert found.set_word(("name",), "last")
    assert len(found.edits) <= 1


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("name: web", "two words"),
        ('name: "web"', 'a "b"'),
        ("name: web b", "x"),
        ("name: {}", "x"),
        ("name:", "x"),
        ("name: |\n  x", "x"),
        ("other: web\n# c", "x"),
        ("other: web\n", "x"),
        ("other: web", "two words"),
        ("name: web\n  more", "x"),
        ("name: 2", -1),
    ],
)
def test_what_is_no_word_takes_a_tree(line: str, text: str | int) -> None:
    assert not cut(f"kind: X\n{line}\n").set_word(("name",), text)


def test_an_entry_comes_in_behind_the_last_one() -> None:
    found = cut()
    for place in (("metadata", "labels", "a.b/c"), ("metadata", "labels", "d"), ("metadata", "labels", "d")):
        assert found.set_word(place, "1")
    line = '    a.b/c: "1"\n    d: "1"\n'
    assert edits.apply(found.text, found.edits.values()) == TEXT.replace("# ab\n", f"# ab\n{line}")
    assert data(found.at("metadata", "labels")) == {"app": "web", "a.b/c": "1", "d": "1"}
    assert found.parts(("metadata", "labels", "d"), of_lists=True) is None


def test_of_two_mappings_that_end_together_one_gets_an_entry() -> None:
    found = cut("a:\n  b:\n    c: d\n")
    assert found.set_word(("a", "x"), "1")
    assert not found.set_word(("a", "b", "x"), "2")
    assert not found.set_word(("a", "on"), "2")
    assert not found.set_word(("a", "y", "on"), "2")
    assert not found.set_word(("a", "b", 0), "2")


def test_an_entry_brings_the_mappings_around_it() -> None:
    found = cut("a:\n  b: c\nd: e\n")
    for place in (("a", "f", "g", "h"), ("a", "i"), ("j", "k")):
        assert found.set_word(place, "1")
    # What is new can be read, and has no lines yet behind which another entry could stand.
    assert data(found.at("a", "f")) == {"g": {"h": "1"}}
    assert not found.set_word(("a", "f", "l"), "2")
    new = '  f:\n    g:\n      h: "1"\n  i: "1"\n'
    assert edits.apply(found.text, found.edits.values()) == f'a:\n  b: c\n{new}d: e\nj:\n  k: "1"\n'


def test_a_tree_shows_the_words_that_were_set_before() -> None:
    found = cut()
    assert found.set_word(("metadata", "labels", "app"), "api")
    assert data(found.at("metadata", "labels")) == {"app": "api"}
    assert data(found.at("metadata", "labels", "app", "x")) is None


ODD = {
    "no key": "- a\n",
    "brackets": "{a: 1}\n",
    "empty": "",
    "a comment alone": "# a\n",
    "no line end": "a: 1",
    "an anchor": "a: &x 1\n",
    "an alias": "a: *x\n",
    "a tag": "a: !x 1\n",
    "a merge key": "a:\n  <<: {b: 1}\n",
    "an explicit key": "a: 1\n? b\n: 2\n",
    "a tab": "a: 1\t# c\n",
    "another line break": "a: 1\r\n",
    "a line break of YAML 1.1": "a: x\u2028y\n",
    "another document": "a: 1\n---\nb: 1\n",
    "a directive": "a: 1\n%b\n",
    "the end of a document": "a: 1\n...\n",
    "a block that keeps blank lines": "a: |+\n  x\n\nb: 1\n",
    "open quotes": "a: 'x\n  y'\nb: 1\n",
    "quotes that an escape leaves open": 'a: "x\\"\nb: "\n',
    "open brackets": "a: [x,\nb: 1]\n",
    "quotes in brackets": "a: [a 'b, \"', c]\n",
    "a key twice": "a: 1\nb: 2\na: 3\n",
    "a key in quotes": "a: 1\n'b': 2\n",
    "a key in quotes first": "'b': 2\n",
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_text_has_no_sections(name: str) -> None:
    assert sections(ODD[name], is_element=False) is None


def test_an_odd_mapping_inside_is_a_section_of_its_own() -> None:
    text = "a:\n  'b': 1\n  c: 2\nd:\n  e: 1\n  'f': 2\ng:\n# c\nh:\n- 'b': 1\n"
    assert [section(path, text) for path in ("a.c", "d.e", "g.x", "h[0].b")] == [
        "a:\n  'b': 1\n  c: 2\n",
        "d:\n  e: 1\n  'f': 2\n",
        "g:\n# c\n",
        "h:\n- 'b': 1\n",
    ]


KEYS = ["a", "a", "b", "metadata", "x/y", '"q"', "'s'", "foo bar", 'a"b', 'foo "x', "-z", "a:b"]
VALUES = [
    *(
        "",
        "x",
        '"x"',
        "'it''s'",
        '"a\\"',
        '"a\\" b"',
        'y" z',
        '" y',
        "it's",
        "'x: \"",
        '"x: " y',
        "x # c",
        "# 'tis \"x",
    ),
    *("[a, b]", "[a", "b]", "{a: 1}", '{a: "}"}', "['a', \"b]\"]", '[a "b, ", c]', "[a'b, c]", "[{a: 'x'}, [b]]"),
    *("{a: [b, {c: \"d\"}], e: 'f'}", '{"a":"b"}', "|", ">-", "|1", '| # "c', "- x", "'a'#c", "a #c: 'x", "'a' b"),
]
TEXTS = ["api", "a b", "1.10", "on", "", "x:y", "x: y", "- x", "#x", "a #b", 'q"', "it's", "two\nlines", "---", "é"]
WORDS: list[str | int] = [*TEXTS, 3, True]
LINES = st.builds(
    lambda depth, line: "  " * depth + line,
    st.sampled_from([0, 0, 0, 1, 1, 2]),
    st.builds("{}: {}".format, st.sampled_from(KEYS), st.sampled_from(VALUES))
    | st.builds("- {}".format, st.sampled_from(VALUES))
    | st.builds("- {}: {}".format, st.sampled_from(KEYS), st.sampled_from(VALUES))
    | st.sampled_from([*VALUES, "# c", "---", "-"]),
)


def require_same(found: Sections, node: Mapping | Sequence, place: fieldpath.Place) -> None:
    """Require that the sections say of each entry and element what the tree says."""
    kids: list[tuple[str | int, Node]] = [*node.items()] if isinstance(node, Mapping) else [*enumerate(node.kids)]
    for step, value in kids:
        path = (*place, step)
        expected: Any = data(value)
        for one in (found, cut(found.text)):
            assert [(at, data(kid)) for at, kid in one.find(path)] == [(path, expected)]
        if isinstance(value, Mapping | Sequence):
            require_same(found, value, path)
    matches: list[fieldpath.Segment] = [fieldpath.Match("a", "x"), fieldpath.WILDCARD]
    for match in matches:
        wanted = [(at, data(kid)) for at, kid in fieldpath.find(root_of(found), (*place, match))]
        assert [(at, data(kid)) for at, kid in cut(found.text).find((*place, match))] == wanted


def root_of(found: Sections) -> Any:
    return parser.parse(found.text).root


@settings(max_examples=2000)
@given(st.lists(LINES, min_size=1, max_size=8).map(lambda lines: "\n".join(lines) + "\n"))
def test_sections_say_what_the_whole_tree_says(text: str) -> None:
    found = sections(text, is_element=False)
    try:
        root = parser.parse(text).root
    except ParseError:
        return
    if found is not None:
        assert isinstance(root, Mapping)
        require_same(found, root, ())


@settings(max_examples=1000)
@given(st.lists(LINES, min_size=1, max_size=8).map(lambda lines: "\n".join(lines) + "\n"), st.sampled_from(WORDS))
def test_a_word_that_is_set_is_what_a_parser_reads(text: str, word: str | int) -> None:
    found = sections(text, is_element=False)
    try:
        root: Any = parser.parse(text).root
    except ParseError:
        return
    for place in places(root) if found is not None else ():
        one = cut(text)
        assert not one.set_word((*place, 0), word)
        if cut(text).set_word(place, word) and one.set_word((*place[:-1], "new"), word) and one.set_word(place, word):
            changed = parser.parse(edits.apply(text, one.edits.values())).root
            assert {at: data(kid) for at, kid in leaves(changed)} == {(*place[:-1], "new"): word} | {
                at: word if at == place else data(kid) for at, kid in leaves(root)
            }


def leaves(node: Any, place: fieldpath.Place = ()) -> list[tuple[fieldpath.Place, Any]]:
    """Return every scalar of a tree, and every empty collection, with its place."""
    kids: Any = (
        node.items() if isinstance(node, Mapping) else enumerate(node.kids) if isinstance(node, Sequence) else ()
    )
    return [one for step, kid in kids for one in leaves(kid, (*place, step))] or [(place, node)]


def places(node: Any) -> list[fieldpath.Place]:
    return [place for place, _ in leaves(node)]
