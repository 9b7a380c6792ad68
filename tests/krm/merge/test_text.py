"""Texts merged line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge import text
from krm.merge.policy import ON_CONFLICT

if TYPE_CHECKING:
    from krm.merge.policy import OnConflict

# What becomes of letters as lines; in capitals where both changed a line, and update's is taken. Neighbours are kept.
MERGED = {
    "nobody changed": ("abc", "abc", "abc", "abc", False),
    "one line each": ("abcde", "Xbcde", "abcdY", "XbcdY", False),
    "both the same": ("abc", "aXc", "aXc", "aXc", False),
    "both the same, and one more": ("abcd", "aXcd", "aXcY", "aXcY", False),
    "the same line": ("abc", "aXc", "aYc", "aXc", True),
    "neighbours": ("abc", "Xbc", "aYc", "XYc", True),
    "a line behind one that the other side changed": ("ab", "abX", "aY", "aYX", True),
    "a line above one that the other side changed": ("ab", "Xab", "Yb", "XYb", True),
    "a deletion beside a change": ("abc", "ac", "abX", "ac", True),
    "an insertion beside a deletion": ("abc", "abXc", "ac", "abXc", True),
    "two lines that the other side has between": ("abc", "XbZ", "aYc", "XYZ", True),
    "both appended": ("a", "aX", "aY", "aX", True),
    "one appended": ("ab", "abX", "Yab", "YabX", False),
    "deleted side by side": ("abcd", "acd", "abd", "acd", True),
    "deleted apart": ("abcde", "acde", "abce", "ace", False),
    "moved lines": ("abcd", "cdab", "abcd", "cdab", False),
    "nothing before": ("", "ab", "", "ab", False),
}


def lines(letters: str) -> str:
    return "".join(f"{letter}\n" for letter in letters)


@pytest.mark.parametrize(("origin", "update", "local", "expected", "is_conflict"), MERGED.values(), ids=MERGED)
def test_merged(origin: str, update: str, local: str, expected: str, is_conflict: bool) -> None:  # noqa: FBT001
    found = text.merged(lines(origin), lines(update), lines(local), on_conflict="TakeUpdate")
    assert (found.text.replace("\n", ""), found.is_conflict) == (expected, is_conflict)


def test_neighbours_are_kept_unless_somebody_is_to_decide() -> None:
    sides = "a\nb\n", "a\nb\nX\n", "a\nY\n"
    kept = text.merged(*sides, on_conflict="KeepLocal")
    assert (kept.text, kept.conflicts, kept.neighbours) == ("a\nY\nX\n", [], [2])
    left = text.merged(*sides, on_conflict="Error")
    assert (left.text, left.conflicts, left.neighbours) == ("a\nY\n", [2], [])


def test_neighbours_at_an_end_without_a_line_end() -> None:
    assert text.merged("a\nb", "a\nb\nX", "a\nY", on_conflict="TakeUpdate").text == "a\nY\nX"
    assert text.merged("a\nb", "a\nb\nX\n", "a\nY", on_conflict="TakeUpdate").text == "a\nY\nX\n"


def test_a_line_without_an_end_is_no_other_line_glued_to_it() -> None:
    assert text.merged("a\nb", "x\na\nb", "a\nb\nc", on_conflict="KeepLocal").text == "x\na\nb\nc"


letters = st.text("abcd", max_size=6)


@given(letters, letters, st.sampled_from(ON_CONFLICT))
def test_a_side_that_did_not_change_gives_way(origin: str, other: str, on_conflict: OnConflict) -> None:
    for update, local in ((origin, other), (other, origin), (other, other)):
        found = text.merged(lines(origin), lines(update), lines(local), on_conflict=on_conflict)
        assert (found.text, found.is_conflict) == (lines(other), False)


@given(letters, letters, letters)
def test_every_line_of_a_clean_merge_is_of_a_side(origin: str, update: str, local: str) -> None:
    found = text.merged(lines(origin), lines(update), lines(local), on_conflict="TakeUpdate")
    assert {*found.text.split()} <= {*update, *local}
