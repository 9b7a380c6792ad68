"""The order of what a merge leaves: one letter is one element."""

from __future__ import annotations

import pytest

from krm.merge.lists import pairing

MERGED = {
    "nothing changes": ("abc", "abc", "abc", "abc", "abc"),
    "a new one comes behind the one before it": ("ab", "axb", "ab", "axb", "axb"),
    "behind what is local's alone too": ("b", "bx", "bl", "bxl", "blx"),
    "the first comes before the next that local has": ("b", "xyb", "bl", "xybl", "xybl"),
    "before the first of them": ("ab", "xab", "ab", "xab", "xab"),
    "even behind what is local's alone": ("b", "xb", "lb", "xbl", "lxb"),
    "without a neighbour it comes last": ("", "x", "l", "xl", "lx"),
    "the one before it is gone": ("ab", "abx", "b", "bx", "bx"),
    "and the one behind it": ("ab", "xab", "b", "xb", "xb"),
    "update's new order": ("abc", "cab", "abc", "abc", "cab"),
    "what is local's alone goes with the one before it": ("abc", "cab", "lambnc", "abclmn", "lcambn"),
    "a new one in a new order": ("ab", "bxa", "alb", "abxl", "bxal"),
    "local's new order": ("abc", "abc", "cba", "abc", "cba"),
    "local's new order wins": ("abc", "bac", "cba", "abc", "cba"),
    "a new one in local's new order": ("ab", "axb", "bla", "abxl", "blax"),
    "both added, in another order": ("", "ab", "ba", "ab", "ba"),
    "one was added by both": ("a", "ba", "ab", "ab", "ab"),
    "what goes": ("abc", "cb", "abc", "bc", "cb"),
    "what comes back": ("abc", "abc", "ac", "abc", "abc"),
    "what stays though it is gone from update": ("abc", "ca", "abc", "abc", "cab"),
}


@pytest.mark.parametrize(("origin", "update", "local", "kept", "expected"), MERGED.values(), ids=MERGED)
def test_the_order_of_a_merge(origin: str, update: str, local: str, kept: str, expected: str) -> None:
    sides = (dict.fromkeys(side) for side in (origin, update, local, kept))
    assert "".join(pairing.ordered(*sides)) == expected
