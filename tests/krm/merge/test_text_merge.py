"""Texts merged line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge import policy
from krm.merge.policy import ON_CONFLICT
from krm.merge.text_merge import Hunk, of_texts, text_of

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


def merged(origin: str, update: str, local: str, on_conflict: OnConflict = "TakeUpdate") -> tuple[str, bool]:
    """Return a merge by a policy, and whether there are conflicts."""

    def take(update: str, local: str, both: str | None) -> str:
        return policy.decided(on_conflict, update, local, both)[0]

    pieces = [*of_texts((origin, update, local), take)]
    return text_of(pieces), any(isinstance(piece, Hunk) for piece in pieces)


def lines(letters: str) -> str:
    return "".join(f"{letter}\n" for letter in letters)


@pytest.mark.parametrize(("origin", "update", "local", "expected", "is_conflict"), MERGED.values(), ids=MERGED)
def test_merged(origin: str, update: str, local: str, expected: str, is_conflict: bool) -> None:  # noqa: FBT001
    assert merged(lines(origin), lines(update), lines(local)) == (lines(expected), is_conflict)


def test_neighbours_are_kept_unless_somebody_is_to_decide() -> None:
    sides = "a\nb\n", "a\nb\nX\n", "a\nY\n"
    assert merged(*sides, "KeepLocal") == ("a\nY\nX\n", True)
    assert merged(*sides, "Error") == ("a\nY\n", True)


def test_neighbours_at_an_end_without_a_line_end() -> None:
    assert merged("a\nb", "a\nb\nX", "a\nY") == ("a\nY\nX", True)
    assert merged("a\nb", "a\nb\nX\n", "a\nY") == ("a\nY\nX\n", True)


def test_a_line_without_an_end_is_no_other_line_glued_to_it() -> None:
    assert merged("a\nb", "x\na\nb", "a\nb\nc", "KeepLocal") == ("x\na\nb\nc", False)


letters = st.text("abcd", max_size=6)


@given(letters, letters, st.sampled_from(ON_CONFLICT))
def test_a_side_that_did_not_change_gives_way(origin: str, other: str, on_conflict: OnConflict) -> None:
    for update, local in ((origin, other), (other, origin), (other, other)):
        assert merged(lines(origin), lines(update), lines(local), on_conflict) == (lines(other), False)


@given(letters, letters, letters)
def test_every_line_of_a_clean_merge_is_of_a_side(origin: str, update: str, local: str) -> None:
    found, _ = merged(lines(origin), lines(update), lines(local))
    assert {*found.split()} <= {*update, *local}
