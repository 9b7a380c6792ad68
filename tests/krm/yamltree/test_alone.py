"""A part of a text as a document of its own."""

from __future__ import annotations

import pytest

from krm.yamltree.editor import EditError, Editor

SHARED = "shared: &shared {a: 1, b: two}\nmore: &more {c: 3}\n"
PARTS = {
    # As it is written, comments and all.
    "list:\n- a: 1  # one\n  # two\n  b:\n  - c\n  # end\n\n- d: e\n": "a: 1  # one\n# two\nb:\n- c\n# end\n",
    "list:\n  # Above.\n  # Too.\n  - # Beside.\n    a: 'b'\n": "# Above.\n# Too.\n# Beside.\na: 'b'\n",
    "list:\n- a: |+\n    x\n\n- b\n": "a: |+\n  x\n\n",
    "list:\n- a: |2\n     x\n    y\n- b\n": "a: |2\n   x\n  y\n",
    "list:\r\n- a: 1\r\n  b: 2\r\n": "a: 1\nb: 2\n",
    "list:\n- - a\n  - b\n": "- a\n- b\n",
    "list: [{a: 1, 'b': [c]}, d]": "{a: 1, 'b': [c]}\n",
    "list:\n- {a: 1, # one\n   b: 2} # two\n": "{a: 1, # one\n   b: 2} # two\n",
    '{\n  "list": [\n    {\n      "a": "b"\n    }\n  ]\n}': '{\n  "a": "b"\n}\n',
    # What aliases show is written out, and no anchor is left.
    f"{SHARED}list:\n- a: *shared  # one\n  b: c\n": "a:  # one\n  a: 1\n  b: two\nb: c\n",
    f"{SHARED}list:\n- a: [b]\n  c: *more\n": "a: [b]\nc:\n  c: 3\n",
    f"{SHARED}list:\n- *shared\n": "a: 1\nb: two\n",
    f"{SHARED}list:\n- {{a: {{<<: *shared, b: 2}}, <<: [*more, *shared], b: 3}}\n": "{a: {b: 2, a: 1}, b: 3, c: 3}\n",
    f"{SHARED}list: &list\n- &first\n  a: &a\n    b: &b c\n  &k d: *b\n": "a:\n  b: c\nd: c\n",
    f"{SHARED}list:\n- a: 1\n  b:\n  - *more\n  - <<: *shared\n    # Mine.\n    c: d\n":
        "a: 1\nb:\n- c: 3\n-\n  # Mine.\n  c: d\n  a: 1\n  b: two\n",
    'list:\n- a: "x\u2028  y"  # stays\n  b: [1.10]\n': 'a: "x\u2028  y"  # stays\nb: [1.10]\n',
    # Written anew where it cannot be moved.
    "list:\n- a: |\n    x\u2028    y  \n  b: [1.10] # gone\n": 'a: "x\\u2028y  \\n"\nb:\n- 1.10\n',
}  # fmt: skip


@pytest.mark.parametrize("text", PARTS)
def test_a_part_is_a_document(text: str) -> None:
    draft = Editor(text)
    assert draft.alone(("list", 0)) == PARTS[text]
    assert draft.text == text


def test_the_value_of_an_entry() -> None:
    draft = Editor("# Of a.\na: # Beside.\n  b: c\nd: e\n")
    assert draft.alone(("a",)) == "# Of a.\n# Beside.\nb: c\n"


def test_a_list_that_is_shown_from_elsewhere() -> None:
    assert Editor("a: &a [{b: c}]\nlist: *a\n").alone(("list", 0)) == "b: c\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("list:\n- !tagged\n  a: 1\n", "line 2: it has a tag on a collection"),
        ("a: &a b\nlist:\n- {? [*a] : c}\n", "line 3: it has a key that is no scalar"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(EditError) as caught:
        Editor(text).alone(("list", 0))
    assert str(caught.value) == message


def test_a_scalar_is_no_document() -> None:
    with pytest.raises(KeyError):
        Editor("list: [a]\n").alone(("list", 0))
