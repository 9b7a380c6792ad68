"""Texts merged line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge import text

if TYPE_CHECKING:
    from krm.merge.policy import Winner

# What becomes of letters as lines; in capitals where both changed a line, and update's is taken.
MERGED = {
    "nobody changed": ("abc", "abc", "abc", "abc", False),
    "one line each": ("abcde", "Xbcde", "abcdY", "XbcdY", False),
    "both the same": ("abc", "aXc", "aXc", "aXc", False),
    "both the same, and one more": ("abcd", "aXcd", "aXcY", "aXcY", False),
    "the same line": ("abc", "aXc", "aYc", "aXc", True),
    "neighbours": ("abc", "Xbc", "aYc", "Xbc", True),
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
    found = text.merged(lines(origin), lines(update), lines(local), winner="update")
    assert (found.text.replace("\n", ""), found.is_conflict) == (expected, is_conflict)


def test_a_line_without_an_end_is_no_other_line_glued_to_it() -> None:
    assert text.merged("a\nb", "x\na\nb", "a\nb\nc", winner="local").text == "x\na\nb\nc"


WINNERS: tuple[Winner, ...] = ("update", "local")
letters = st.text("abcd", max_size=6)


@given(letters, letters, st.sampled_from(WINNERS))
def test_a_side_that_did_not_change_gives_way(origin: str, other: str, winner: Winner) -> None:
    for update, local in ((origin, other), (other, origin), (other, other)):
        found = text.merged(lines(origin), lines(update), lines(local), winner=winner)
        assert (found.text, found.is_conflict) == (lines(other), False)


@given(letters, letters, letters)
def test_every_line_of_a_clean_merge_is_of_a_side(origin: str, update: str, local: str) -> None:
    found = text.merged(lines(origin), lines(update), lines(local), winner="update")
    assert {*found.text.split()} <= {*update, *local}
