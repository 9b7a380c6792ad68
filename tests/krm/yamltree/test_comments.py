"""Comments of nodes: read, given, moved, and taken from another text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from krm.yamltree import lines, parser
from krm.yamltree.editor import EditError, Editor
from tests.krm.yamltree.commented import Comments, give, read
from tests.krm.yamltree.tables import insert, move

if TYPE_CHECKING:
    from krm.yamltree.style import PlainData

TEXT = """\
# license

# of a
a: 1  # one
b: # of b
  # of c
  c: x # in c
  # below c, end of b
    # deep
d: | # head
  text
l:
- x # of x
# of y
- - 1
  # of p
- p: 1
f: [1, # one
  2]
# the end
"""
FOUND = {
    (): Comments(("# license",), "", ("# the end",)),
    ("a",): Comments(("# of a",), "# one"),
    ("b",): Comments((), "# of b", ("# below c, end of b", "# deep")),
    ("b", "c"): Comments(("# of c",), "# in c"),
    ("d",): Comments((), "# head"),
    ("l",): Comments(),
    ("l", 0): Comments((), "# of x"),
    ("l", 1): Comments(("# of y",), "", ("# of p",)),
    ("l", 2, "p"): Comments(),
    ("f", 0): Comments(),
}


@pytest.mark.parametrize("path", FOUND)
def test_comments_are_read(path: tuple[str | int, ...]) -> None:
    assert read(Editor(TEXT), path) == FOUND[path]


APART = """\
# license
--- # head
# of the document

a: 1

# one

# two

# of b
b:
 # odd
  c: 1
    # below c
# left
  d: 1

  # end
# of e
e: [1]
"""
FOUND_APART: dict[tuple[str | int, ...], Comments] = {
    (): Comments(("# of the document",), "# head", (), ("# license",)),
    ("a",): Comments(),
    ("b",): Comments(("# of b",), "", ("# end",), ("# one", "", "# two")),
    ("b", "c"): Comments((), "", ("# below c",), ("# odd",)),
    ("b", "d"): Comments((), "", (), ("# left",)),
    ("e",): Comments(("# of e",)),
}


@pytest.mark.parametrize("path", FOUND_APART)
def test_comments_apart_are_read(path: tuple[str | int, ...]) -> None:
    assert read(Editor(APART), path) == FOUND_APART[path]


INSIDE: dict[str, tuple[str, Comments]] = {
    "in brackets": (
        "a: [ # c\n  x, # d\n  # e\n  y # f\n  # g\n] # h\n",
        Comments((), "# h", inside=("# c", "# d", "# e", "# f", "# g")),
    ),
    "in brackets of brackets": (
        "a: {\n  # c\n  x: 1, # d\n  'z # z': [q, # e\n  r#r] }\n",
        Comments(inside=("# c", "# d", "# e")),
    ),
    "behind a colon": (
        'a: {"x":# c\n 1, \'y\' :# d\n 2, ? "z"\n :# e\n 3}\n',
        Comments(inside=("# c", "# d", "# e")),
    ),
    "between a key and its value": ("a: # c\n  # d\n  x # e\n", Comments((), "# e", inside=("# c", "# d"))),
    "behind an anchor": ("a: &x # c\n  val # d\n", Comments((), "# d", inside=("# c",))),
    "between a key and brackets": ("a: # c\n  # d\n  [x] # e\n", Comments((), "# e", inside=("# c", "# d"))),
    "above an anchor": ("a: # c\n  # d\n  &x\n  # e\n  b: 1\n", Comments((), "# c", inside=("# d",))),
    "above a block": ("a: # c\n  | # d\n  text # no\n", Comments((), "# d", inside=("# c",))),
    "above the first key with a question mark": ("a:\n  # c\n  ? b\n  : 1\n", Comments(inside=("# c",))),
    "at a key with a question mark": (
        "b: 1\n# h\n? a # c\n# d\n: # e\n  1 # f\n  # g\n# of c\nc: 1\n",
        Comments(inside=("# h", "# c", "# d", "# e", "# f", "# g")),
    ),
    "at one above a mapping": (
        "b: 1\n? a # c\n: # d\n  # e\n\n  # of x\n  x: 1 # f\n  # g\nc: 1\n",
        Comments(inside=("# c", "# d", "# g")),
    ),
    "none in a scalar": ("a: ['x # c',\n  \"# d\"]\n", Comments()),
}


@pytest.mark.parametrize("name", INSIDE)
def test_comments_inside_are_read(name: str) -> None:
    text, expected = INSIDE[name]
    assert read(Editor(text), ("a",)) == expected


def test_comments_inside_are_read_of_a_key_that_is_a_block() -> None:
    assert read(Editor("? | # c\n  a\n: x\n"), ("a\n",)) == Comments(inside=("# c",))


def test_comments_inside_are_read_of_elements_and_documents() -> None:
    assert read(Editor("- # c\n  x # d\n"), (0,)) == Comments((), "# d", inside=("# c",))
    assert read(Editor("[a, # c\n b]\n"), ()) == Comments(inside=("# c",))


def test_a_key_with_a_question_mark_has_none_in_other_places() -> None:
    assert read(Editor("# c\n? a\n: 1 # d\n"), ("a",)) == Comments(inside=("# d",))
    assert read(Editor("# c\n\n? a\n: 1\n# d\n"), ()) == Comments(("# c",), "", ("# d",))


def test_behind_the_end_of_a_document_there_are_none() -> None:
    assert read(Editor("- a\n# b\n...\n"), ()) == Comments((), "", ("# b",))
    assert read(Editor("a:  # c\n"), ("a",)) == Comments((), "# c")
    assert read(Editor("# c\nx\n"), ()) == Comments(("# c",))


GIVEN = {
    "above and behind": (
        "z: 0\n# of a\na: 1  # one\n",
        {"above": ("# x", "# y"), "behind": "# z"},
        "z: 0\n# x\n# y\na: 1  # z\n",
    ),
    "nothing": ("# of a\na: 1  # one\n", {}, "# of a\na: 1  # one\n"),
    "the same": ("# of a\na: 1  # one\n", {"above": ("# of a",)}, "# of a\na: 1  # one\n"),
    "none": ("z: 0\n# of a\na: 1  # one\nb: 1\n", {"above": (), "behind": ""}, "z: 0\na: 1\nb: 1\n"),
    "the first": ("b: 1\na: 1\n", {"above": ("# x",), "behind": "# y"}, "b: 1\n# x\na: 1 # y\n"),
    "a mapping": (
        "a: # x\n  b: 1\n  # y\nc: 1\n",
        {"behind": "# new", "below": ("# end", "# of it")},
        "a: # new\n  b: 1\n  # end\n  # of it\nc: 1\n",
    ),
    "a block": ("a: |2-\n  b\n", {"behind": "# x"}, "a: |2- # x\n  b\n"),
    "below a block": ("a: |+\n  b\n\nc: 1\n", {"below": ("# x",)}, "a: |+\n  b\n\n # x\nc: 1\n"),
    "below a scalar": ("a: 1\nb: 1\n", {"below": ("# x",)}, "a: 1\n  # x\nb: 1\n"),
    "CRLF": ("a: 1\r\nb: 1\r\n", {"above": ("# x",), "below": ("# y",)}, "# x\r\na: 1\r\n  # y\r\nb: 1\r\n"),
    "no final line end": ("a:\n  b: 1", {"below": ("# x",)}, "a:\n  b: 1\n  # x"),
    "a block of no final line end": ("a:\n  b: |\n    x", {"below": ("# x",)}, "a:\n  b: |-\n    x\n  # x"),
    "nothing behind the colon": ("a:\nb: 1\n", {"behind": "# x"}, "a: # x\nb: 1\n"),
}


@pytest.mark.parametrize("name", GIVEN)
def test_comments_are_given(name: str) -> None:
    before, given, after = GIVEN[name]
    editor = Editor(before)
    give(editor, ("a",), **given)  # type: ignore[arg-type]  # as the table says
    assert editor.text == after


BOTH = {"above": ("# x",), "behind": "# y"}
REFUSED: dict[tuple[str | int, ...], tuple[dict[str, Any], str]] = {
    ("f", 0): (BOTH, "line 3: there is no place for a comment above this field"),
    ("l", 0, "p"): (BOTH, "line 2: there is no place for a comment above this field"),
    ("l", 0): ({"behind": "# y"}, "line 2: there is no place for a comment behind this field"),
    ("a",): (BOTH, "line 5: there is no place for a comment above this field"),
}


@pytest.mark.parametrize("path", REFUSED)
def test_what_has_no_place_for_a_comment_is_refused(path: tuple[str | int, ...]) -> None:
    text = "l:\n- p: 1\nf: [1]\n? a\n: 1\n"
    editor = Editor(text)
    given, message = REFUSED[path]
    with pytest.raises(EditError) as error:
        give(editor, path, **given)
    assert str(error.value) == message
    assert editor.text == text


def test_nothing_is_no_place_for_a_comment() -> None:
    with pytest.raises(KeyError):
        give(Editor("a: 1\n"), ("b",), behind="# x")
    with pytest.raises(KeyError):
        read(Editor("a: 1\n"), ("b",))


CHANGED = {
    "an alias that gives way to a copy": ("a: &x 1\nb: *x # old\n", ("a",), "b: 1 # new\n"),
    "a mapping": ("b: # old\n  x: 1\n  y: 2\n", ("b", "x"), "b: # new\n  y: 2\n"),
    "a list": ("b: # old\n- 1\n- 2\n", ("b", 0), "b: # new\n- 2\n"),
    "a mapping below an anchor": (
        "a: &x 1\nc: *x\nb: # old\n  x: 1\n  z: 2\n",
        ("b", "x"),
        "a: &x 1\nc: *x\nb: # new\n  z: 2\n",
    ),
}


@pytest.mark.parametrize(("before", "gone", "after"), CHANGED.values(), ids=CHANGED)
def test_what_changes_is_given_a_comment(before: str, gone: tuple[str | int, ...], after: str) -> None:
    editor = Editor(before)
    assert editor.delete(gone)
    give(editor, ("b",), behind="# new")
    assert editor.text == after


def test_an_alias_is_given_a_comment() -> None:
    editor = Editor("a: &x 1\nb: *x\n")
    give(editor, ("b",), behind="# new")
    assert editor.text == "a: &x 1\nb: *x # new\n"


def test_an_element_is_given_one_comment_after_the_other() -> None:
    editor = Editor("- 1\n- 2\n")
    give(editor, (1,), above=("# x",))
    give(editor, (1,), behind="# y")
    insert(editor, (), 2, 3)
    give(editor, (2,), above=("# z",))
    give(editor, (2,), behind="# 3")
    assert editor.text == "- 1\n# x\n- 2 # y\n# z\n- 3 # 3\n"


def test_a_comment_is_all_that_changes_beside_an_element_that_moves_to_its_own_place() -> None:
    editor = Editor("a: 1\nb:\n  - x\n")
    give(editor, ("b",), behind="# new")
    move(editor, ("b", 0), 0)
    assert editor.text == "a: 1\nb: # new\n  - x\n"


@pytest.mark.parametrize(("text", "path"), [("- 0\n- 1\n", (1,)), ("z: 0\na: 1\n", ("a",))])
def test_the_last_comment_of_two_is_given(text: str, path: tuple[str | int, ...]) -> None:
    editor = Editor(text)
    give(editor, path, above=("# one",), behind="# 1")
    give(editor, path, above=("# two",), behind="# 2")
    above, last = text.splitlines()
    assert editor.text == f"{above}\n# two\n{last} # 2\n"


Op = tuple[str, tuple[Any, ...], dict[str, Any]]


def delete(*path: str | int) -> Op:
    return "delete", (path,), {}


def put(value: PlainData, *path: str | int) -> Op:
    return "set", (path, value), {}


def comment(*path: str | int, **given: str | tuple[str, ...]) -> Op:
    return "comment", (path,), given


BESIDE: dict[str, tuple[str, list[Op], str]] = {
    "beside an entry that goes": (
        "a: 1\nb:\n  c: x",
        [delete("a"), comment("b", above=("# x",), behind="# y", below=("# z",))],
        "# x\nb: # y\n  c: x\n  # z",
    ),
    "behind what is emptied": ("a:\n  b: 1", [delete("a", "b"), comment("a", behind="# x")], "a: {} # x"),
    "below what is emptied": ("a:\n- 1", [delete("a", 0), comment("a", below=("# x",))], "a: []\n  # x"),
    "behind what is filled": (
        "a: [] # x\n",
        [comment("a", behind="# y"), ("insert", (("a",), 0, 1), {})],
        "a: # y\n- 1\n",
    ),
    "below a collection and its last entry": (
        "a: 1\nb:\n  c: x\n    # deep\nd: 1\n",
        [comment("b", "c", below=("# of c",)), comment("b", below=("# of b",))],
        "a: 1\nb:\n  c: x\n    # of c\n  # of b\nd: 1\n",
    ),
    "below what another comes behind": (
        "a: 1\nb: 1\n",
        [comment("a", below=("# x",)), comment("b", below=("# y",)), put(2, "c")],
        "a: 1\n  # x\nb: 1\n  # y\nc: 2\n",
    ),
    "in a new mapping": (
        "a: 1\n",
        [put({"x": [1]}, "b"), comment("b", "x", behind="# x"), comment("b", "x", 0, behind="# 1")],
        "a: 1\nb:\n  x: # x\n  - 1 # 1\n",
    ),
    "then an element is set": (
        "l:\n- x\n- y\n",
        [comment("l", 0, behind="# x"), put("z", "l", 0)],
        "l:\n- z # x\n- y\n",
    ),
    "then its list is set": ("- x\n- w\n", [comment(0, behind="# x"), put(["z", "w"])], "- z # x\n- w\n"),
    "then a value is set": ("a: 1\n", [comment("a", above=("# x",)), put(2, "a")], "# x\na: 2\n"),
    "then what is in it is set": (
        "a:\n  b: 1\n",
        [comment("a", above=("# x",)), put(2, "a", "b")],
        "# x\na:\n  b: 2\n",
    ),
    "then what is in an element is set": (
        "l:\n- a: 1\n",
        [comment("l", 0, above=("# x",)), put(2, "l", 0, "a")],
        "l:\n# x\n- a: 2\n",
    ),
    "twice": ("a: 1\n", [comment("a", above=("# x",)), comment("a", behind="# y")], "# x\na: 1 # y\n"),
}


def make(editor: Editor, ops: list[Op]) -> None:
    for verb, arguments, given in ops:
        if verb == "comment":
            give(editor, *arguments, **given)
        else:
            changes = editor.changes()
            getattr(changes, verb)(*arguments, **given)
            editor.make(changes)


@pytest.mark.parametrize("name", BESIDE)
def test_comments_are_given_beside_other_changes(name: str) -> None:
    before, ops, after = BESIDE[name]
    editor = Editor(before)
    make(editor, ops)
    assert editor.text == after


NO_PLACE = "line 1: there is no place for a comment {} this field"
LOST: dict[str, tuple[str, list[Op], str]] = {
    "in brackets": ("a: {b: 1}\n", [comment("a", "b", behind="# x")], NO_PLACE.format("behind")),
    "of a document": ("a: 1\n", [comment(behind="# x")], NO_PLACE.format("behind")),
    "in the text of a block": ("a: |+\n x\n\nb: 1\n", [comment("a", below=("# x",))], NO_PLACE.format("below")),
}


@pytest.mark.parametrize("name", LOST)
def test_a_comment_that_would_be_lost_is_named(name: str) -> None:
    before, ops, message = LOST[name]
    editor = Editor(before)
    with pytest.raises(EditError) as error:
        make(editor, ops)
    assert str(error.value) == message
    assert editor.text == before


EMPTIED: dict[str, tuple[str, list[Op], str]] = {
    "comments below it": ("a:\n  b: 1\n  # end\nc: 1\n", [delete("a", "b")], "a: {}\n  # end\nc: 1\n"),
    "comments between its entries": (
        "a: # of a\n  b: 1\n\n  # free\n\n  # of d\n  d: 1\n",
        [delete("a", "b"), delete("a", "d")],
        "a: {} # of a\n\n  # free\n\n",
    ),
    "comments below an element": (
        "- a: 1 # one\n  # of b\n  b: 1\n # end\n",
        [delete(0, "a"), delete(0, "b")],
        "- {}\n # end\n",
    ),
    "nothing, at the end of a text": ("- a: 1", [delete(0, "a")], "- {}"),
}


@pytest.mark.parametrize("name", EMPTIED)
def test_what_is_emptied_keeps(name: str) -> None:
    before, ops, after = EMPTIED[name]
    editor = Editor(before)
    make(editor, ops)
    assert editor.text == after


DASHES: dict[str, tuple[str, Op, str]] = {
    "the first entry goes": ("- a: 1\n  # of b\n  b: 2\n", delete(0, "a"), "-\n  # of b\n  b: 2\n"),
    "an element moves there": (
        "- - 1\n  # of 2\n  - 2\n",
        ("move", ((0, 1), 0), {}),
        "-\n  # of 2\n  - 2\n  - 1\n",
    ),
}


@pytest.mark.parametrize("name", DASHES)
def test_comments_of_what_comes_behind_a_dash_begin_a_line(name: str) -> None:
    before, op, after = DASHES[name]
    editor = Editor(before)
    make(editor, [op])
    assert editor.text == after


def test_comments_are_given_between_changes() -> None:
    editor = Editor(TEXT)
    editor.set(("a",), 2)
    give(editor, ("a",), behind="# two")
    editor.set(("new",), 1)
    give(editor, ("new",), above=("# of new",), behind="# n", below=("# end",))
    move(editor, ("l", 2), 0)
    give(editor, ("l", 0), above=("# moved",))
    editor.set(("b",), "text")
    give(editor, ("b",), behind="# text")
    assert editor.text == (
        "# license\n\n# of a\na: 2  # two\nb: text # text\nd: | # head\n  text\nl:\n# moved\n- p: 1\n- x # of x\n"
        "# of y\n- - 1\n  # of p\nf: [1, # one\n  2]\n# of new\nnew: 1 # n\n  # end\n# the end\n"
    )


@pytest.mark.parametrize("text", ["a: 2\n", "a: [\n"])
def test_a_tree_of_another_text_is_given_no_comment(text: str) -> None:
    editor = Editor(text, document=parser.parse("a: 1\n"))
    with pytest.raises(EditError, match=rf"^{NO_PLACE.format('behind')}$"):
        give(editor, ("a",), behind="# x")
    assert editor.text == text


def test_blanks_behind_the_header_of_a_block_are_no_comment() -> None:
    for text in ("a: | \t\n  x\n", "? a\n: |  \n  x # y\n# of b\nb: 1\n"):
        root = parser.parse(text).root
        assert root is not None
        assert [comment for _, comment in lines.loose_comments(text, 0, len(text), root)] == ["# of b"] * text.count(
            "# of b"
        )
