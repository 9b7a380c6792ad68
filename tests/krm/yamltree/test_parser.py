"""Texts that are read, with the span of every node, and texts that are not, with the place and the reason."""

from __future__ import annotations

import pytest

from krm.yamltree import events, parser
from krm.yamltree.nodes import Alias, Collection, Mapping, Node, Scalar, Sequence
from krm.yamltree.parser import ParseError


def leaves(node: Node | None) -> list[Node]:
    if isinstance(node, Collection):
        return [leaf for kid in node.kids for leaf in leaves(kid)]
    return [] if node is None else [node]


def mapping(text: str) -> Mapping:
    root = parser.parse(text).root
    assert isinstance(root, Mapping)
    return root


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a: b # c\n", ["a", "b"]),
        ("a: 'b'#c\n", ["a", "'b'"]),
        ('a: one\n  two\nb: "x\n  y"\n', ["a", "one\n  two", "b", '"x\n  y"']),
        ("a: &x b\nc: !!str d\ne: *x\n", ["a", "&x b", "c", "!!str d", "e", "*x"]),
        ("a: | # c\n  x\n\nb: 1\n", ["a", "| # c\n  x\n\n", "b", "1"]),
        ("a: |+\n  x\n\n\nb: 1\n", ["a", "|+\n  x\n\n\n", "b", "1"]),
        ("a: |\n  x", ["a", "|\n  x"]),
        ("a:\nb: # c\n- \n- # c\n", ["a", "", "b", "", ""]),
        ("{a: 1, b, 'c':}\n", ["a", "1", "b", "", "'c'", ""]),
        ("[a: 1, b]\n", ["a", "1", "b"]),
        ("? a\n# c\n? b # c\n: c\n", ["a", "", "b", "c"]),
        ("😀: 😀\r\né: x\r\n", ["😀", "😀", "é", "x"]),
        ("--- # c\n- a\n...\n# d\n", ["a"]),
    ],
)
def test_the_span_of_every_leaf(text: str, spans: list[str]) -> None:
    assert spans == [text[leaf.start : leaf.end] for leaf in leaves(parser.parse(text).root)]


@pytest.mark.parametrize(
    ("text", "span", "first", "column"),
    [
        ("k:\n  b: 1\n  c: 2 # c\n# d\n", "b: 1\n  c: 2", "b", 2),
        ("k:\n- x\n- y\n\n", "- x\n- y", "-", 0),
        ("k:\n  - x\n  -\n", "- x\n  -", "-", 2),
        ("k: &a\n  b: 1\n", "&a\n  b: 1", "b", 2),
        ("k: &a\n- b\n", "&a\n- b", "-", 0),
        ("k: !t # c\n - b\n", "!t # c\n - b", "-", 1),
        ("k: [x,\n y] # c\n", "[x,\n y]", "[", 3),
        ("k: &a { x }\n", "&a { x }", "{", 6),
        ("k: {}\n", "{}", "{", 3),
    ],
)
def test_the_span_of_a_collection(text: str, span: str, first: str, column: int) -> None:
    node = mapping(text).entries.get("k")
    assert isinstance(node, Collection)
    assert (span, first, column) == (text[node.start : node.end], text[node.first], node.column)


def test_a_document_knows_its_aliases_its_events_and_where_it_starts() -> None:
    text = "# c\n--- &a\nx: [*b]\n"
    document = parser.parse(text)
    assert (document.start, document.events, document.shares) == (4, 10, True)
    assert document.events == events.check(text)
    assert [(alias.name, alias.target) for alias in document.aliases] == [("b", None)]


def test_an_alias_knows_the_last_node_of_its_name() -> None:
    root = parser.parse("- &a 1\n- &a [&a 2]\n- *a\n").root
    assert isinstance(root, Sequence)
    alias = root.kids[-1]
    assert isinstance(alias, Alias)
    assert isinstance(alias.target, Scalar)
    assert alias.target.value == "2"


@pytest.mark.parametrize("text", ["", "\n", "# c\n", "---\n", "--- # c\n...\n", "%YAML 1.1\n---\n"])
def test_an_empty_document_has_no_root(text: str) -> None:
    assert parser.parse(text).root is None


def test_every_document_of_a_text() -> None:
    documents = parser.parse_all("a: 1\n---\n---\nb: 2\n...\n")
    assert [document.start for document in documents] == [0, 5, 9]
    assert [isinstance(document.root, Mapping) for document in documents] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00"', "😀"),
        (r'"a \uD83D\uDE00\ud83d\ude01 \\ud83d"', "a 😀😁 \\ud83d"),
        (r"\ud83d\ude00", r"\ud83d\ude00"),
        (r"'\uD83d\uDe00'", r"\uD83d\uDe00"),
        ("|\n  \\ud83d\\ude00\n", "\\ud83d\\ude00\n"),
        ('"\\ud83d\\ude00\n  b"', "😀 b"),
    ],
)
def test_surrogate_pairs(text: str, value: str) -> None:
    root = parser.parse(text).root
    assert isinstance(root, Scalar)
    assert (value, len(text)) == (root.value, root.end)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b: c\n", "line 1, column 5: a `:` may not stand here"),
        ("a: - b\n", "line 1, column 4: a list may not start here"),
        ("a: [1,\nb: 2\n", "line 3, column 1: "),
        ("a: 'x\n", "line 2, column 1: a quote is missing: the text in quotes starts in line 1"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: a second document starts here, where there may be only one"),
        ("a: 1\nb: 2\na: 3\n", "line 3, column 1: the key `a` is here again, first in line 1"),
        ('b:\n  {"a": 1, a: 3}\n', "line 2, column 12: the key `a` is here again, first in line 2"),
        ("<<: {a: 1}\n<<: {a: 2}\n", "line 2, column 1: the key `<<` is here again, first in line 1"),
        ("a: &x [*x]\n", "line 1, column 8: this alias names what it stands in: write the value out"),
        ("a: b\nc: \x07\n", "line 2, column 4: the character U+0007 is not allowed in YAML"),
        ("a: b\nc: x\x00\n", "line 2, column 5: the character U+0000 is not allowed in YAML"),
        ("a: \ud83d\n", "line 1, column 4: the character U+D83D is not allowed in YAML"),
        ("a: '\x7f'\n", "line 1, column 5: the character U+007F is not allowed in YAML"),
        ("[" * (events.MAX_DEPTH + 1), "line 1, column 201: more than 200 levels of nesting"),
    ],
)
def test_a_text_that_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError) as error:
        parser.parse(text)
    assert str(error.value).startswith(message)


def test_a_lone_surrogate_escape_is_refused() -> None:
    with pytest.raises(ParseError, match="line 1, column "):
        parser.parse(r'"\ud83d"')


@pytest.mark.parametrize("like", [r"\ue83d\uee00", "\ue83d\uee00", "\ue83d\\uEE00", "\ue83d\\\n \uee00"])
def test_a_pair_and_what_would_hide_it_are_refused_together(like: str) -> None:
    with pytest.raises(ParseError):
        parser.parse(rf'["\ud83d\ude00", "{like}"]')
    assert leaves(parser.parse(r'["\ud83d\ude00", "\ue83d \ue800"]').root)[1].value == "\ue83d \ue800"
    assert leaves(parser.parse(r'"\ue83d\uee00"').root)[0].value == "\ue83d\uee00"


def test_depth_is_counted_across_styles() -> None:
    deep = "- " * 100 + "[" * 100 + "]" * 100
    assert parser.parse(deep).root is not None
    with pytest.raises(ParseError, match="more than 200 levels of nesting"):
        parser.parse("- " + deep)


def test_checking_counts_events_and_looks_at_depth_where_it_costs() -> None:
    assert events.check("- " * 200) == events.check("- " * 199) + 2
    with pytest.raises(ParseError, match="more than 200 levels of nesting"):
        events.check("[" * 2001 + "]" * 2001)
    assert events.check("- [a]\n" * 3000) == 3000 * 3 + 6


def test_keys_that_are_no_scalars_are_not_compared() -> None:
    assert mapping("? [a]\n: 1\n? [a]\n: 2\nb: 3\n").entries.get("b") is not None


def test_keys_that_are_there_again_are_numbered_for_a_merge() -> None:
    document = parser.parse("b: {a: 1, 'a': 2, c: 3, a: 4}\n<<: {d: 1}\n<<: {d: 2}\n", numbers_keys=True)
    assert isinstance(document.root, Mapping)
    inner = document.root.entries.get("b")
    assert isinstance(inner, Mapping)
    assert [(key, node.value) for key, node in inner.items()] == [("a", "1"), ("a²", "2"), ("c", "3"), ("a³", "4")]
    assert [*document.root.entries] == ["b", "<<", "<<²"]
    assert str(document.repeated) == "line 1, column 11: the key `a` is here again, first in line 1"
    assert [*mapping("? [a]\n: 1\n? [a]\n: 2\nb: 3\n").entries] == [None, "b"]


@pytest.mark.parametrize(
    ("text", "key"),
    [("kind: A\nkind: B\n", "kind"), ("a: 1\na: 2\na²: 3\n", "a"), ("&a a: 1\na: 2\n*a : 3\n", "a")],
)
def test_keys_that_cannot_be_numbered(text: str, key: str) -> None:
    with pytest.raises(ParseError, match=f"the key `{key}` is here again"):
        parser.parse(text, numbers_keys=True)


def test_keys_of_a_mapping() -> None:
    root = mapping("a: 1\n[b]: 2\n'c': 3\n<<: {a: 0, d: 4}\n")
    assert [(key, node.value) for key, node in root.items()] == [("a", "1"), ("c", "3"), ("d", "4")]
    assert root.get("e") is None
    assert not root.is_plain()
