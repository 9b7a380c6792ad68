"""Sections of a text say what its whole tree says, and a text in which they might not has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm.yamltree import parser
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import Mapping
from krm.yamltree.parser import ParseError
from krm.yamltree.scalars import data
from krm.yamltree.sections import sections

if TYPE_CHECKING:
    from krm.yamltree.sections import Section, Sections

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


def section(*keys: str, text: str = TEXT) -> Section:
    found = cut(text).around(keys)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("apiVersion",), "apiVersion: v1\n"),
        (("metadata", "name"), "metadata:\n  name: web\n"),
        (("metadata", "labels", "app"), "metadata:\n  labels:\n    app: web # ab\n"),
        # Behind a list, a scalar and brackets the tree has to tell.
        (("metadata", "annotations", "x", "y"), "metadata:\n  annotations:\n  - none\n\n"),
        (("spec", "replicas"), "spec: {}\n# of nothing\n"),
    ],
)
def test_a_section_is_the_lines_of_a_field_below_its_keys(keys: tuple[str, ...], text: str) -> None:
    assert section(*keys).text == text


def test_the_first_key_of_an_element_stands_behind_its_dash() -> None:
    found = cut("  -  metadata:\n       name: web\n     spec:\n       a: 1\n", is_element=True)
    assert [found.section((key,)).text for key in ("metadata", "spec")] == [
        "     metadata:\n       name: web\n",
        "     spec:\n       a: 1\n",
    ]
    edit = found.section(("metadata",)).edit({"metadata": {"name": "api"}})
    assert (edit.start, edit.text) == (5, "metadata:\n       name: api\n")


def test_what_is_absent_takes_no_tree() -> None:
    found = cut()
    assert (found.around(("status",)), found.around(("metadata", "namespace"))) == (None, None)
    assert found.at("metadata", "namespace", "x") is None
    assert [data(found.at(*keys)) for keys in (("spec", "x"), ("spec",), ("apiVersion",))] == [None, {}, "v1"]


def test_a_mapping_is_known_by_its_lines() -> None:
    paths = ("metadata", "metadata labels", "spec", "metadata annotations", "metadata name", "status")
    assert [path for path in paths if cut().has_mapping(tuple(path.split()))] == ["metadata", "metadata labels"]


def test_a_tree_that_is_there_has_what_is_below_it() -> None:
    found = cut()
    outer = found.section(("metadata",))
    assert data(outer.document.root) == {"metadata": {"name": "web", "labels": {"app": "web"}, "annotations": ["none"]}}
    assert found.around(("metadata", "labels")) is outer
    assert found.to_edit(("metadata", "labels")) is outer
    assert data(found.at("metadata", "name")) == "web"


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (("metadata", "labels"), ("metadata", "labels")),
        (("metadata", "labels", "app"), ("metadata", "labels", "app")),
        (("metadata", "other"), ("metadata",)),
        # A comment below may belong to what is edited, or to what follows.
        (("spec",), None),
        (("status",), None),
        ((), None),
    ],
)
def test_what_is_edited_together(keys: tuple[str, ...], place: tuple[str, ...] | None) -> None:
    found = cut().to_edit(keys)
    assert (None if found is None else found.place) == place


def test_an_edit_counts_in_the_whole_text() -> None:
    found = section("metadata", "labels")
    edit = found.edit({"metadata": {"labels": {"app": "api"}}})
    assert TEXT[: edit.start] + edit.text + TEXT[edit.end :] == TEXT.replace("app: web", "app: api")
    with pytest.raises(EditError) as error:
        found.edit({"metadata": {"labels": {"app": "\ud800"}}})
    assert error.value.line == 5


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
    text = "a:\n  'b': 1\n  c: 2\nd:\n  e: 1\n  'f': 2\ng:\n# c\n"
    assert [section(*keys, text=text).text for keys in (("a", "c"), ("d", "e"), ("g", "x"))] == [
        "a:\n  'b': 1\n  c: 2\n",
        "d:\n  e: 1\n  'f': 2\n",
        "g:\n# c\n",
    ]


KEYS = ["a", "b", "metadata", "x/y", '"q"', "'s'", "foo bar", 'a"b', 'foo "x', "-z", "a:b"]
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
LINES = st.builds(
    lambda depth, line: "  " * depth + line,
    st.sampled_from([0, 0, 0, 1, 1, 2]),
    st.builds("{}: {}".format, st.sampled_from(KEYS), st.sampled_from(VALUES))
    | st.builds("- {}".format, st.sampled_from(VALUES))
    | st.sampled_from([*VALUES, "# c", "---"]),
)


def require_same(found: Sections, node: Mapping, place: tuple[str, ...]) -> None:
    """Require that the sections say of each entry of a mapping what the tree says."""
    for key, value in node.items():
        path = (*place, key)
        expected: Any = data(value)
        assert data(found.at(*path)) == expected, path
        alone = cut(found.text).around(path)
        assert alone is not None
        assert data(cut(found.text).at(*path)) == expected, path
        if isinstance(value, Mapping):
            require_same(found, value, path)


@settings(max_examples=1000)
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
