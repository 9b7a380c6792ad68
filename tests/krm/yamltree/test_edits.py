"""The edit between two texts: as few words as it must, so that it can be made where they stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.yamltree import edits
from krm.yamltree.edits import Edit

DIFFERENCES = {
    "": ("a", "a", None),
    "all": ("a", "b", Edit(0, 1, "b")),
    "a word in the middle": ("in eu now", "in us now", Edit(3, 5, "us")),
    "a word that grows": ("in eu now", "in eu-west now", Edit(3, 5, "eu-west")),
    "a word that shrinks": ("in eu-west now", "in eu now", Edit(3, 10, "eu")),
    "several words": ("a b c d", "a x y d", Edit(2, 5, "x y")),
    "a word that is put in": ("a c", "a b c", Edit(2, 3, "b c")),
    "up to a quote": ('"é eu"', '"é us"', Edit(3, 5, "us")),
    "behind an escaped character": ("é=eu", "é=us", Edit(1, 4, "=us")),
    "something for nothing": ("", "a", Edit(0, 0, "a")),
    "nothing for something": ("a", "", Edit(0, 1, "")),
    "what repeats itself": ("aa", "aaa", Edit(0, 2, "aaa")),
}


@pytest.mark.parametrize(("before", "after", "edit"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_the_edit_between_two_texts(before: str, after: str, edit: Edit | None) -> None:
    assert edits.difference(before, after) == ([] if edit is None else [edit])


@given(st.text("ab é'\n"), st.text("ab é'\n"))
def test_the_edit_makes_one_of_the_other(before: str, after: str) -> None:
    assert edits.apply(before, edits.difference(before, after)) == after
