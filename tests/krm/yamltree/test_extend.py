"""Several elements put behind those of a list as one change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.yamltree.editor import EditError, Editor

if TYPE_CHECKING:
    from krm.yamltree.style import PlainData

VALUES: list[PlainData] = [{"message": "a\nb", "tags": [1]}, "z", {}]
CASES = {
    "block, before a comment": (
        "a:\n- 1 # c\n# d\nb: 2\n",
        "a:\n- 1 # c\n- message: |-\n    a\n    b\n  tags:\n  - 1\n- z\n- {}\n# d\nb: 2\n",
    ),
    "flow": ("a: [1, 2]\n", 'a: [1, 2, {message: "a\\nb", tags: [1]}, z, {}]\n'),
    "flow, a line for each": (
        "a: [\n  1 # c\n]\n",
        'a: [\n  1, # c\n  {message: "a\\nb", tags: [1]},\n  z,\n  {}\n]\n',
    ),
    "empty": ("a: []\n", "a:\n- message: |-\n    a\n    b\n  tags:\n  - 1\n- z\n- {}\n"),
    "empty, with a comment": ("a: [ # c\n ]\n", 'a: [{message: "a\\nb", tags: [1]}, z, {} # c\n ]\n'),
    "shown by an alias": (
        "x: &x\n- 1\na: *x\n",
        "x: &x\n- 1\na:\n- 1\n- message: |-\n    a\n    b\n  tags:\n  - 1\n- z\n- {}\n",
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_values_stand_behind_the_others(text: str, expected: str) -> None:
    editor = Editor(text)
    editor.extend(("a",), VALUES)
    assert editor.text == expected


def test_no_values_change_nothing() -> None:
    editor = Editor("a: []\n")
    editor.extend(("a",), [])
    assert editor.text == "a: []\n"


def test_what_is_no_list_cannot_be_extended() -> None:
    with pytest.raises(KeyError):
        Editor("a: 1\n").extend(("a",), VALUES)


def test_a_list_with_odd_line_ends_is_refused() -> None:
    editor = Editor("a:\n- 1 # c\x85\n- 2\n")
    with pytest.raises(EditError) as refused:
        editor.extend(("a",), VALUES)
    sentence = "line 2: this line ends in another way than LF and CRLF: convert the line ends of the text first"
    assert str(refused.value) == sentence
    assert editor.text == "a:\n- 1 # c\x85\n- 2\n"
