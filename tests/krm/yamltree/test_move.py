"""An element of a list that moves takes its comments along; one that is not there is a KeyError."""

from __future__ import annotations

import pytest

from krm.yamltree.editor import Editor
from tests.krm.yamltree.tables import move

TEXT = "a:\n- 1\n# above\n- 2 # two\n- 3\n"
MOVES = {
    (0, 0): TEXT,
    (1, 0): "a:\n# above\n- 2 # two\n- 1\n- 3\n",
    (0, 2): "a:\n# above\n- 2 # two\n- 3\n- 1\n",
    (2, 1): "a:\n- 1\n- 3\n# above\n- 2 # two\n",
}


@pytest.mark.parametrize(("old", "new"), MOVES)
def test_an_element_moves_with_its_comments(old: int, new: int) -> None:
    editor = Editor(TEXT)
    move(editor, ("a", old), new)
    assert editor.text == MOVES[old, new]


@pytest.mark.parametrize(("path", "index"), [(("a", 3), 0), (("a", 0), 3), (("a", -1), 0), (("a", "b"), 0)])
def test_an_element_that_is_not_there(path: tuple[str | int, ...], index: int) -> None:
    editor = Editor(TEXT)
    with pytest.raises(KeyError):
        move(editor, path, index)
    assert editor.text == TEXT


def test_a_key_below_a_scalar() -> None:
    editor = Editor(TEXT)
    with pytest.raises(KeyError):
        editor.set(("a", 0, "b", "c"), 1)
    assert editor.text == TEXT


def test_an_element_of_another_name_takes_the_place_of_one_that_goes() -> None:
    editor = Editor("l:\n- name: a\n  x: 1\n- name: b # b\n")
    editor.set(("l",), [{"name": "c"}, {"name": "b"}])
    assert editor.text == "l:\n- name: c\n- name: b # b\n"


def test_the_last_element_of_a_list_behind_a_dash_goes() -> None:
    editor = Editor("- - a\n  - b # b\n- c\n")
    editor.delete((0, 1))
    assert editor.text == "- - a\n- c\n"


def test_what_is_merged_in_and_is_no_mapping_is_passed_over() -> None:
    editor = Editor("a: &a {x: 1}\nb: {<<: [*a, 1], y: 2}\n")
    editor.set(("b", "y"), 3)
    editor.set(("a", "x"), 4)
    assert editor.text == "a: &a {x: 4}\nb: {<<: [{x: 1}, 1], y: 3}\n"
