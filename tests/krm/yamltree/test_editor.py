"""What an Editor answers, and what it refuses: paths that lead nowhere, a text that is not as it should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.yamltree import Verbatim, parser
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit, apply
from tests.krm.yamltree.tables import insert, move

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "a:\n- b: 1\n- &x {c: [2]}\n- *x\nd:\ne: {<<: *x, f: 3}\n"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("a", 0, "b"), "1"),
        (("a", 2, "c", 0), "2"),
        (("e", "c", 0), "2"),
        (("e", "f"), "3"),
        (("d",), ""),
        (("a",), None),
    ],
)
def test_a_path_leads_through_aliases_and_merge_keys(path: tuple[str | int, ...], value: str | None) -> None:
    node = Editor(TEXT).get(path)
    assert node is not None
    assert node.value == value


@pytest.mark.parametrize("path", [("x",), ("a", 3), ("a", -1), ("a", "b"), ("a", 0, 0), ("d", "x"), ("a", 0, "b", "c")])
def test_a_path_that_leads_nowhere(path: tuple[str | int, ...]) -> None:
    editor = Editor(TEXT)
    assert editor.get(path) is None
    assert editor.delete(path) is False


@pytest.mark.parametrize(
    "change",
    [
        lambda editor: editor.set(("a", 3), 1),
        lambda editor: editor.set(("a", 3, "x"), 1),
        lambda editor: editor.set(("a", "x"), 1),
        lambda editor: editor.set(("a", 0, "b", "x"), 1),
        lambda editor: editor.set(("e", 0), 1),
        lambda editor: editor.set(("d", 0), 1),
        lambda editor: insert(editor, ("a",), 4, 1),
        lambda editor: insert(editor, ("a",), -1, 1),
        lambda editor: insert(editor, ("e",), 0, 1),
        lambda editor: insert(editor, ("x",), 0, 1),
        lambda editor: move(editor, ("a", 0), 4),
        lambda editor: move(editor, ("a", 4), 0),
        lambda editor: move(editor, ("a", "b"), 0),
        lambda editor: editor.delete(()),
        lambda editor: editor.rewrite({("a", 0): [Edit(0, 0, "x")]}),
        lambda editor: editor.rewrite({("x",): [Edit(0, 0, "x")]}),
        lambda editor: editor.rewrite({("a", 0, "b", "x"): [Edit(0, 0, "x")]}),
    ],
)
def test_what_is_not_there_cannot_be_changed(change: Callable[[Editor], object]) -> None:
    editor = Editor(TEXT)
    with pytest.raises(KeyError):
        change(editor)
    assert editor.text == TEXT


@pytest.mark.parametrize("path", [(), ("a",), ("a", "b")])
def test_an_empty_document_has_nothing_to_change(path: tuple[str, ...]) -> None:
    editor = Editor("# c\n")
    assert editor.get(path) is None
    with pytest.raises(KeyError):
        editor.set(path, 1)
    with pytest.raises(KeyError):
        editor.rewrite({path: []})


def test_a_value_can_be_given_as_it_is_to_be_written() -> None:
    editor = Editor("a: 1\n")
    editor.set(("a",), Verbatim("0x10"))
    editor.set(("b",), {"c": Verbatim("'x'")})
    editor.set(("a",), Verbatim("0x10"))
    assert editor.text == "a: 0x10\nb:\n  c: 'x'\n"


def test_what_does_not_come_out_as_asked_is_refused() -> None:
    editor = Editor("a: 1\n")
    with pytest.raises(EditError, match=r"^line 1: it cannot be changed in place: change it by hand$"):
        editor.set((), Verbatim("[1"))
    assert editor.text == "a: 1\n"


def test_a_tree_of_another_text_is_found_out() -> None:
    editor = Editor("a: $(X)\n", document=parser.parse("a: $(X)\nb: 1\n"))
    with pytest.raises(EditError, match=r"^line 1: it cannot be changed in place$"):
        editor.rewrite({("a",): [Edit(0, 4, "x")]})


def test_values_that_share_an_anchor_are_changed_where_it_is() -> None:
    editor = Editor("a: &x {k: $(X), l: '$(X)'}\nb: *x\nc: {<<: *x}\n")
    wanted = [Edit(0, 4, "80")]
    editor.rewrite({(name, key): wanted for name in "abc" for key in "kl"})
    assert editor.text == "a: &x {k: \"80\", l: '80'}\nb: *x\nc: {<<: *x}\n"


def test_an_anchor_stays_where_its_value_gets_quotes() -> None:
    editor = Editor("a: &x $(X) # c\nb: *x\n")
    editor.rewrite({("a",): [Edit(0, 4, "80")], ("b",): [Edit(0, 4, "80")]})
    assert editor.text == 'a: &x "80" # c\nb: *x\n'


def test_edits_are_made_at_places_of_the_old_text() -> None:
    assert apply("abcd", [Edit(3, 4, "x"), Edit(0, 1, ""), Edit(1, 1, "yz")]) == "yzbcx"


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="two edits overlap at character 1"):
        apply("abcd", [Edit(0, 2, ""), Edit(1, 3, "")])


def test_edits_are_values() -> None:
    assert {Edit(1, 2, "x"), Edit(1, 2, "x")} == {Edit(1, 2, "x")}
    assert Edit(1, 2, "x") != (1, 2, "x")


def test_an_element_moves_with_its_comments() -> None:
    editor = Editor("a:\n- 1\n# of 2\n- 2 # two\n")
    move(editor, ("a", 1), 0)
    assert editor.text == "a:\n# of 2\n- 2 # two\n- 1\n"
