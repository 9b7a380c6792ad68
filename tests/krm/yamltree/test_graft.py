"""Elements of one text put behind those of a list in another, as they are written."""

from __future__ import annotations

import pytest

from krm.yamltree.editor import EditError, Editor

NEW = "- # b\n  b: 'x' # c\n  y: |\n    z\n\n    z\n- &a 2\n- *a\n"
INDENTED = "".join(f"  {line}\n" if line else "\n" for line in NEW.splitlines())
CASES = {
    "behind comments of the last": ("a:\n- 1\n  # of 1\n# d\nb: 2\n", f"a:\n- 1\n  # of 1\n{NEW}# d\nb: 2\n"),
    "indented": ("a:\n  - 1\n  # d\n", f"a:\n  - 1\n{INDENTED}  # d\n"),
    "CRLF": ("a:\r\n- 1\r\nb: 2\r\n", f"a:\n- 1\n{NEW}b: 2\n".replace("\n", "\r\n")),
    "no final line end": ("a:\n- 1", f"a:\n- 1\n{NEW[:-1]}"),
    "a block, open": ("a:\n- |+ # c\n  1", f"a:\n- |- # c\n  1\n{NEW[:-1]}"),
    "a block that keeps": ("a:\n- |+\n  1\n\nb: 2\n", f"a:\n- |+\n  1\n\n{NEW}b: 2\n"),
    "an anchor of the same name above": ("a:\n- &a 1\n- *a\n", f"a:\n- &a 1\n- *a\n{NEW}"),
}
REFUSED = {
    "an alias behind would show something else": "a:\n- &a 1\nb: *a\n",
    "odd line ends": "a:\n- 1\nb: 2 # \x85",
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_elements_stand_behind_the_others(text: str, expected: str) -> None:
    editor = Editor(text)
    editor.graft(("a",), NEW)
    assert editor.text == expected


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_proven_is_refused(text: str) -> None:
    editor = Editor(text)
    with pytest.raises(EditError, match=r"^line 2: nothing can be put behind this: it cannot be changed in place$"):
        editor.graft(("a",), NEW)
    assert editor.text == text


def test_a_line_end_that_a_block_gets_is_none_of_its_text() -> None:
    editor = Editor("a:\n- 1\nb: 2\n")
    editor.graft(("a",), "- |\n  x")
    assert editor.text == "a:\n- 1\n- |-\n  x\nb: 2\n"


@pytest.mark.parametrize("text", ["a: 1\n", "b: []\n", "b: &b\n- 1\na: *b\n"])
def test_there_has_to_be_a_list(text: str) -> None:
    with pytest.raises(KeyError):
        Editor(text).graft(("a",), NEW)


def test_lines_as_they_are_written_have_no_place_in_brackets() -> None:
    editor = Editor("x: 1\na: [1]\n")
    with pytest.raises(EditError, match=r"^line 2: nothing can be put behind this: it cannot be changed in place$"):
        editor.graft(("a",), NEW)
    assert editor.text == "x: 1\na: [1]\n"
