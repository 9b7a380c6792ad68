"""No edit takes a comment away without a word, and a text stays a text."""

from __future__ import annotations

from typing import Any

import pytest

import krm

GIVEN = """\
kind: A
spec:
  env:
  # the mode
  - name: MODE
  x:

    # first
    k: 1
  y:
    # last
    k:
  key: [
    z,
    # note
    a,
    b
  ]
"""
LOST: dict[tuple[str, str], tuple[Any, ...]] = {
    ("spec.env", "the mode"): ({}, "s", None, {"a": 1}, []),
    ("spec.x", "first"): ([], 5, None),
    ("spec.y", "last"): ({}, [], 5),
    ("spec.key", "note"): (["z", ["a"], "b"], ["z", "b"], [], "s"),
}


@pytest.mark.parametrize(("path", "comment"), LOST)
def test_a_value_in_whose_place_a_comment_would_go_is_refused_by_name(path: str, comment: str) -> None:
    for value in LOST[path, comment]:

        def change(listed: krm.ResourceList, value: Any = value) -> None:
            listed.items[0].set(path, value)

        (result,) = krm.transform(GIVEN, change).results
        assert f"the comment `# {comment}` would be lost" in result.message


@pytest.mark.parametrize(
    "text", ["l: [a,# c\n  b]\n", "l: {# c\n  a: 1}\n", "l:\n  a: 'x'# c\n", "l: [[a]# c\n  , {}# c\n  ]\n"]
)
def test_a_comment_right_behind_a_sign_is_a_comment(text: str) -> None:
    (result,) = krm.transform(f"kind: A\n{text}", lambda listed: listed.items[0].set("l", "s")).results
    assert "the comment `# c` would be lost" in result.message


@pytest.mark.parametrize(
    ("text", "line", "value"),
    [
        ("l: [\n  z, # of z\n  # of a\n  a,\n  b]\n", 3, ["z", "b"]),
        ("l: [ # open\n  # of a\n  a,\n  b]\n", 2, ["b"]),
        ("l: [\n  a, # of a\n  # of b\n  b]\n", 3, ["a"]),
        ("l: {\n  a: 1, # of a,\n  # of b2\n  b: 1}\n", 3, {"a": 1}),
        ("l: [a,# of a\n  b]\n", 1, ["b"]),
    ],
)
def test_a_comment_in_brackets_is_that_of_the_element_below(text: str, line: int, value: Any) -> None:
    (result,) = krm.transform(f"kind: A\n{text}", lambda listed: listed.items[0].set("l", value)).results
    assert f"line {line + 1}: the comment `# of " in result.message


def test_a_comment_above_the_root_stays() -> None:
    """A new value of the whole object is a difference, as that of a field is."""
    changed = krm.transform("# lic\nkind: A\na: 1\n", lambda listed: listed.items[0].set("", {"kind": "B", "b": 1}))
    assert changed.text == "# lic\nkind: B\nb: 1\n"


@pytest.mark.parametrize(
    ("text", "path", "value", "becomes"),
    [
        ("key: [\n  a, # of a\n  b\n]\n", "key", ["a", "c"], "key: [\n  a, # of a\n  c\n]\n"),
        ("l:\n# of a\n- a\n- b\n", "l", ["a", "c"], "l:\n# of a\n- a\n- c\n"),
        ("l:\n# of all\n- a\n# of b\n- b\n", "l", ["c", "b"], "l:\n# of all\n- c\n# of b\n- b\n"),
    ],
)
def test_a_comment_that_has_its_place_is_no_obstacle(text: str, path: str, value: list[str], becomes: str) -> None:
    assert krm.transform(text, lambda listed: listed.items[0].set(path, value)).text == becomes


@pytest.mark.parametrize(
    ("text", "value", "becomes"),
    [
        ("[a,#c\n  b]", ["a"], "[a #c\n  ]"),
        ("[a,#c\n  b]", ["b", "a"], "[b, a #c\n  ]"),
        ("[a,#c\n  b]", ["x", "a", "b"], "[x, a,#c\n  b]"),
        ("[a,\n  'b'#c\n  ]", ["b", "a"], "['b',#c\n  a\n  ]"),
        ("[#c\n  a,\n  b]", ["b"], "[#c\n  b]"),
    ],
)
def test_a_comment_right_behind_a_sign_stays_there(text: str, value: list[str], becomes: str) -> None:
    output = krm.transform(f"kind: A\nl: {text}\n", lambda listed: listed.items[0].set("l", value))
    assert output.text == f"kind: A\nl: {becomes}\n"


@pytest.mark.parametrize("text", ["1.16.1", "10.0.0.1", "4.0.4"])
def test_a_version_stays_a_text(text: str) -> None:
    output = krm.transform(f"kind: A\nv: {text}\n", lambda listed: listed.items[0].set_text("v", "1.17"))
    assert output.text == 'kind: A\nv: "1.17"\n'
