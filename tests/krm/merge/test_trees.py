"""Which data two sides have in common."""

from __future__ import annotations

from textwrap import indent

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from krm.merge import trees
from krm.yamltree.nodes import Collection, Mapping, resolved
from tests.krm.merge.sides import tree
from tests.krm.yamltree.documents import is_read
from tests.krm.yamltree.test_laws import law, texts

SAME = {
    "plain and quoted strings": ("a", "'a'"),
    "a string in a block": ('"a\\n"', "|\n  a\n"),
    "comments": ("{a: 1}", "a: 1  # one"),
    "the order of keys": ("{a: 1, b: 2}", "b: 2\na: 1"),
    "null": ("a: null", "a:"),
    "yes and true": ("yes", "true"),
    "the case of a word": ("True", "TRUE"),
    "a string that reads like a number, tagged": ("!!str 1", '"1"'),
    "digits in groups": ("1_000", "1000"),
    "hexadecimal": ("0x10", "16"),
    "binary": ("0b11", "3"),
    "octal": ("0777", "511"),
    "signs": ("+1", "1"),
    "exponents": ("1.5e+3", "1500.0"),
    "fractions": ("-.5", "-0.5"),
    "a version": ("1.2.3", '"1.2.3"'),
    "an address": ("192.168.0.1", "'192.168.0.1'"),
    "dots alone": ("..", '".."'),
    "dates as written": ("a: 2001-01-01", "{a: 2001-01-01}"),
    "an alias and its value": ("a: &x [1]\nb: *x", "a: [1]\nb: [1]"),
    "what << merges in": ("a: &x {k: 1}\nb: {<<: *x}", "a: {k: 1}\nb: {k: 1}"),
    "keys that are no scalars": ("{[a]: 1}", "? [a]\n: 1"),
    "tags of one's own": ("!mine a", "!mine 'a'"),
    "aliases of one name that lead out of the text": ("a: *x", "{a: *x}"),
}
DIFFERENT = {
    "a string and a number": ('"1"', "1"),
    "a string and a fraction": ('"1.2"', "1.2"),
    "an integer and a float": ("1", "1.0"),
    "integers that are too long for Python": ("1" * 5000, "1" * 4999 + "2"),
    "a word and a string": ("yes", "'yes'"),
    "a word and a number": ("true", "1"),
    "null and an empty string": ("a:", 'a: ""'),
    "what YAML 1.1 leaves to the reader": ("y", "yes"),
    "a word and what is no spelling of it": ("true", "tRue"),
    "null and what is no spelling of it": ("null", "nUll"),
    "dates": ("2001-01-01", "2001-01-02"),
    "sixties and a number": ("1:30", "90"),
    "the order of elements": ("[a, b]", "[b, a]"),
    "a further element": ("[a]", "[a, b]"),
    "another key": ("{a: 1}", "{b: 1}"),
    "a further key": ("{a: 1}", "{a: 1, b: 1}"),
    "kinds": ("[]", "{}"),
    "a scalar and a list": ("a", "[a]"),
    "tags": ("!mine a", "a"),
    "tags of lists": ("!mine [a]", "[a]"),
    "aliases of one name": ("a: &x 1\nb: *x", "a: &x 2\nb: *x"),
    "aliases that lead out of the text": ("a: *x", "a: *y"),
    "keys that are no scalars": ("{[a]: 1}", "{[b]: 1}"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_same(one: str, other: str) -> None:
    a, b = tree(one), tree(other)
    assert trees.same(a, a.root, b, b.root)
    assert trees.same(b, b.root, a, a.root)
    assert trees.frozen(a.root) == trees.frozen(b.root)
    assert hash(trees.frozen(a.root)) == hash(trees.frozen(b.root))


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_different(one: str, other: str) -> None:
    a, b = tree(one), tree(other)
    assert not trees.same(a, a.root, b, b.root)
    assert not trees.same(b, b.root, a, a.root)
    assert not trees.same_spelling(a, a.root, b, b.root)
    assert trees.frozen(a.root) != trees.frozen(b.root)


def test_what_is_absent_is_the_same_as_nothing_else() -> None:
    a = tree("null")
    assert trees.same(a, None, a, None)
    assert trees.same_spelling(a, None, a, None)
    assert trees.same_resource(a, None, a, None)
    assert not trees.same(a, None, a, a.root)
    assert not trees.same_spelling(a, a.root, a, None)
    assert not trees.same_resource(a, a.root, a, None)


ALIKE = {
    "a list": ("[a, b]", "x: [a, b]", True),
    "a block in the same column": ("a: 1\nb: 2", "# other\na: 1\nb: 2", True),
    "a block in another column": ("a: 1\nb:\n- |\n  c\n\n   d", "x:\n   a: 1\n   b:\n   - |\n     c\n\n      d", True),
    "a block that is indented otherwise": ("a: 1\nb:\n- c", "x:\n  a: 1\n  b:\n    - c", False),
    "brackets in another column": ("[a,\n b]", "x: [a,\n  b]", False),
    "a scalar": ("a", "a  # one", True),
    "another style": ("a", "'a'", False),
    "an alias may name something else": ("a: &x 1\nb: [*x]", "a: &x 1\nb: [*x]", False),
}


@pytest.mark.parametrize(("one", "other", "expected"), ALIKE.values(), ids=ALIKE)
def test_alike(one: str, other: str, expected: bool) -> None:  # noqa: FBT001 - a column of the table
    a, b = tree(one), tree(other)
    b_root = resolved(b.root)
    inner = b_root.get("x") if isinstance(b_root, Mapping) and b_root.entries.get("x") else b.root
    assert trees.same_spelling(a, a.root, b, inner) is trees.same_spelling(b, inner, a, a.root) is expected


@law
@given(texts, st.integers(1, 3))
def test_what_is_written_alike_in_another_column_is_the_same(text: str, shift: int) -> None:
    nested = "x:\n" + indent(text, " " * shift)
    assume(is_read(nested))
    a, b = tree(text), tree(nested)
    inner = trees.entries(b.root).get("x")
    assume(trees.same_spelling(a, a.root, b, inner))
    event("a mapping or a list" if isinstance(inner, Collection) else "a scalar")
    assert trees.frozen(a.root) == trees.frozen(inner)


def test_an_explicit_indentation_counts_from_the_column() -> None:
    a, b = tree("k: |2\n    x\n"), tree("o:\n  k: |2\n    x\n")
    inner = trees.entries(b.root)["o"]
    assert not trees.same(a, a.root, b, inner)


RESOURCES = {
    "bookkeeping": (
        "{metadata: {name: a, annotations: {a: b, config.kubernetes.io/index: '0'}}}",
        "{metadata: {name: a, annotations: {a: b, internal.config.kubernetes.io/path: x, config.k8s.io/id: '1'}}}",
        True,
    ),
    "nothing but bookkeeping": (
        "{metadata: {name: a}}",
        "{metadata: {name: a, annotations: {config.kubernetes.io/merge-source: x}}}",
        True,
    ),
    "an annotation of ours": (
        "{metadata: {name: a}}",
        "{metadata: {name: a, annotations: {expandvars.dev/skip: x}}}",
        False,
    ),
    "an annotation": ("{metadata: {annotations: {a: b}}}", "{metadata: {annotations: {a: c}}}", False),
    "a field": ("{metadata: {name: a}, spec: {a: 1}}", "{metadata: {name: a}, spec: {a: 2}}", False),
    "bookkeeping elsewhere": ("{spec: {annotations: {config.k8s.io/id: '1'}}}", "{spec: {annotations: {}}}", False),
    "no resource": ("a", "b", False),
}


@pytest.mark.parametrize(("one", "other", "expected"), RESOURCES.values(), ids=RESOURCES)
def test_same_resource(one: str, other: str, expected: bool) -> None:  # noqa: FBT001 - a column of the table
    a, b = tree(one), tree(other)
    assert trees.same_resource(a, a.root, b, b.root) is expected


def test_holder_is_the_mapping_that_writes_the_value() -> None:
    root = tree("a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: [*b], z: 3}").root
    a, b, c = (resolved(trees.entries(root)[key]) for key in "abc")
    assert isinstance(a, Mapping)
    assert isinstance(b, Mapping)
    assert isinstance(c, Mapping)
    values = trees.entries(c)
    assert [trees.holder(c, values[key]) for key in "xyz"] == [a, b, c]


def test_entries_are_those_of_mappings() -> None:
    assert trees.entries(None) == {}
    assert trees.entries(tree("[a]").root) == {}
    assert [*trees.entries(tree("{a: 1, [b]: 2}").root)] == ["a"]


BY_NAME = {
    "an alias, whatever it names": ("{a: &a 1, b: *a}", "{a: &a 2, b: *a}", ["b"]),
    "an alias of another name": ("{a: &a 1, b: &b 2, c: *a}", "{a: &a 1, b: &b 2, c: *b}", ["a", "b"]),
    "a merge key": ("{a: &a {x: 1}, b: {<<: *a, y: 1}}", "{a: &a {x: 2}, b: {y: 1, <<: *a}}", ["b"]),
    "elements": ("{a: &a 1, b: [*a, 1]}", "{a: &a 2, b: [*a, 1]}", ["b"]),
    "one element more": ("{a: &a 1, b: [*a]}", "{a: &a 2, b: [*a, *a]}", []),
    "a key that is an alias": ("{a: &a x, b: {*a : 1}}", "{a: &a x, b: {*a : 1}}", ["a", "b"]),
    "another key": ("{a: &a 1, b: {c: *a}}", "{a: &a 1, b: {d: *a}}", ["a"]),
    "no alias in the other": ("{a: &a 1, b: *a}", "{a: 1, b: 1}", ["a", "b"]),
}


@pytest.mark.parametrize(("one", "other", "expected"), BY_NAME.values(), ids=BY_NAME)
def test_same_by_name(one: str, other: str, expected: list[str]) -> None:
    sides = tree(one), tree(other)
    ones, others = (trees.entries(side.root) for side in sides)
    found = [key for key in ones if trees.same_by_name(sides[0], ones[key], sides[1], others.get(key))]
    assert found == expected


SAME_DOCUMENTS = {
    "in another order, one of them with a comment": ("a: 1\n---\nb: 1\n", "b: 1 # why\n---\na: 1\n", True),
    "beside an empty one": ("a: 1\n", "---\n---\na: 1\n---\n", True),
    "one of them twice": ("a: 1\n---\na: 1\n", "a: 1\n", False),
    "one of them no YAML": ("a: 1\n---\nb: [\n", "a: 1\n", False),
}


@pytest.mark.parametrize(("one", "other", "expected"), SAME_DOCUMENTS.values(), ids=SAME_DOCUMENTS)
def test_same_documents(one: str, other: str, *, expected: bool) -> None:
    assert trees.same_documents(one, other) is expected
