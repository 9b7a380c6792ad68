"""The difference of two sequences."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge import diff

CASES = {
    "the same": ("abc", "abc", "abc"),
    "nothing in common": ("abc", "xyz", ""),
    "nothing before": ("", "abc", ""),
    "one that is in another place": ("abc", "bca", "bc"),
    "what comes stands as far behind as it can": ("xaby", "xababy", "xaby"),
    "changes apart": ("abcdef", "aXcdYf", "acdf"),
}
letters = st.text("abc", max_size=8)


def common(one: str, other: str) -> int:
    """Return how long a longest common subsequence is."""
    row = [0] * (len(other) + 1)
    for letter in one:
        above, row = row, [0]
        row += [0] * len(other)
        for number, there in enumerate(other):
            row[number + 1] = above[number] + 1 if letter == there else max(above[number + 1], row[number])
    return row[-1]


@pytest.mark.parametrize(("one", "other", "expected"), CASES.values(), ids=CASES)
def test_a_longest_common_subsequence(one: str, other: str, expected: str) -> None:
    assert "".join(one[number] for number in diff.matches(one, other)) == expected


def test_what_comes_stands_behind() -> None:
    assert diff.matches("xaby", "xababy") == {0: 0, 1: 1, 2: 2, 3: 5}
    assert diff.matches("xqaby", "zqababy") == {1: 1, 2: 2, 3: 3, 4: 6}
    assert diff.matches("zqababy", "xqaby") == {1: 1, 2: 2, 3: 3, 6: 4}


@given(letters, letters)
def test_the_difference_is_a_shortest_one(one: str, other: str) -> None:
    found = diff.matches(one, other)
    assert all(one[number] == other[there] for number, there in found.items())
    assert [*found] == sorted(found)
    assert [*found.values()] == sorted(found.values())
    assert len(found) == common(one, other)


def test_a_great_difference_is_parted_by_what_is_there_once() -> None:
    one = ["start", *(f"one {number}" for number in range(600)), "twice", "a", "b", "twice", "moved", "last", "end"]
    other = ["start", *(f"other {number}" for number in range(600)), "moved", "a", "b", "twice", "last", "new", "end"]
    assert diff.matches(one, other) == {0: 0, 602: 602, 603: 603, 604: 604, 606: 605, 607: 607}


def test_a_great_difference_of_elements_that_are_there_often_is_parted_by_runs() -> None:
    rng = Random(1)  # noqa: S311 - for tests
    one = [rng.randrange(9) for _ in range(9000)]
    other = [-number if number % 10 == 0 else item for number, item in enumerate(one, start=1)]
    assert diff.matches(one, other) == {number: number for number in range(9000) if (number + 1) % 10}


def test_a_great_difference_of_the_same_everywhere_is_none() -> None:
    assert diff.matches([1, 2] * 600, [2, 2, 1, 1] * 900) == {}


def test_a_great_difference_of_order_alone_is_parted_by_what_is_there_once() -> None:
    one = [*range(1500)]
    assert diff.matches(one, one[::-1]) == {0: 1499}
