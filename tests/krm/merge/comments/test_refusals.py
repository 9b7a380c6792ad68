"""A comment that an editor refuses is told, and the merge, whose data is right, is made without it."""

from __future__ import annotations

import pytest

from krm.merge.files import documents
from krm.merge.files.file import File
from krm.merge.policy import Policy
from krm.results import FnError

HEAD = "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: a\n"
ORIGIN = "l:\n- a: |\n      x\n  \n- b: 1\n"
UPDATE = "l:\n- a: |\n      x\n  \n\n # new\n- b: 1 # of b\n"
LOCAL = "l:\n- a: |\n      x\n  \n- b: 1\n  c: 1\n"
MERGED = "l:\n- a: |\n      x\n  \n- b: 1 # of b\n  c: 1\n"
TOLD = "local's comments stay here: there is no place for update's"


def merged(*texts: str) -> tuple[str, list[str]]:
    decide = documents.by_fields(Policy())
    origin, update, local = (File(text, "a.yaml", "a.yaml") for text in texts)
    output = documents.merge(origin, update, local, decide)
    told = [
        f"{found.reason} {found.file}:{found.line_of(found.place)} {found.field}: {found.message}"
        for found in output.results
        if found.line_of is not None
    ]
    return "".join(output.pieces), told


def test_the_other_comments_come() -> None:
    before, after = "f: [1,\n  2]\nk:\n- a\n", "f: [1, # one\n  2]\nk:\n- a\n- b\n# end\n"
    texts = [HEAD + text for text in (ORIGIN + before, UPDATE + after, LOCAL + before, MERGED + after)]
    assert merged(*texts[:3]) == (texts[3], [f"CommentKept a.yaml:6 l[0]: {TOLD}"])


def test_in_an_object_of_a_list() -> None:
    objects = [
        "apiVersion: v1\nkind: List\nitems:\n- " + (HEAD + text).replace("\n", "\n  ").rstrip(" ")
        for text in (ORIGIN, UPDATE, LOCAL, MERGED)
    ]
    assert merged(*objects[:3]) == (objects[3], [f"CommentKept a.yaml:9 items[0].l[0]: {TOLD}"])


@pytest.mark.parametrize("comment", ["", " # new"])
def test_data_that_cannot_be_written_is_refused_as_before(comment: str) -> None:
    texts = (HEAD + text for text in ("a: 1\n", f"a: 1{comment}\nb: 1\n", "a: 1\nz: 1 # x\u2028# y\n"))
    with pytest.raises(FnError, match="lines end in other ways than LF and CRLF"):
        merged(*texts)
