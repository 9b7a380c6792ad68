"""Elements of a changed list: found again where they are the same beyond doubt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expand_vars.record import alignment

# A list, the list that it becomes, and where in the first one each element of the second stood.
CASES = {
    "nothing changed": ("abc", "abc", "012"),
    "one is put in front": ("ab", "xab", ".01"),
    "one goes": ("abc", "ac", "02"),
    "one is changed": ("abc", "axc", "0.2"),
    "all are new": ("ab", "xy", ".."),
    "the order is another one": ("ab", "ba", ".0"),
    "an equal one is put behind another flag": ("fr", "frgr", "01.."),
    "an equal one is put in front of the flag": ("fr", "grfr", "..01"),
    "an equal one is put beside it": ("fr", "frr", "0.."),
    "an equal one is the only other": ("r", "rr", ".."),
    "of two that were equal there are three": ("frr", "frrr", "0..."),
    "of two that were equal there is one": ("frr", "fr", "01"),
    "a flag and its value are there twice": ("fr", "frfr", "0..."),
    "an equal one was there before": ("rfr", "rfrx", "012."),
    "long ago there was nothing": ("", "a", "."),
}


@pytest.mark.parametrize(("before", "after", "found"), CASES.values(), ids=CASES)
def test_which_elements_are_the_same(before: str, after: str, found: str) -> None:
    same = alignment.pairs(before, after)
    assert "".join(str(same.get(index, ".")) for index in range(len(after))) == found


@given(st.text("abr"), st.text("abr"))
def test_what_is_found_again_is_equal_and_in_order(before: str, after: str) -> None:
    same = alignment.pairs(before, after)
    assert all(before[old] == after[new] for new, old in same.items())
    assert [*same.values()] == sorted(set(same.values()))


@given(st.lists(st.tuples(st.sampled_from("fgh"), st.sampled_from("rs"))), st.data())
def test_no_flag_with_an_equal_value_is_taken_for_one_that_was_there(
    before: list[tuple[str, str]], data: st.DataObject
) -> None:
    """New are pairs of a flag that was not there and any value: wherever they are put, none of them is found."""
    after = list(before)
    for flag in data.draw(st.sets(st.sampled_from("xyz"))):
        after.insert(data.draw(st.integers(0, len(after))), (flag, data.draw(st.sampled_from("rs"))))
    same = alignment.pairs([word for pair in before for word in pair], [word for pair in after for word in pair])
    is_new = [flag in "xyz" for flag, _ in after for _ in range(2)]
    assert not [index for index in same if is_new[index]]
