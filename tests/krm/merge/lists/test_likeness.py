"""Entries without a partner that are alike."""

from __future__ import annotations

from typing import Any

import pytest

from krm.merge.lists import likeness
from tests.krm.merge.sides import tree


def renamed(origin: dict[str, Any], side: dict[str, Any]) -> list[str]:
    before: dict[str, Any] = {key: tree(text).root for key, text in origin.items()}
    after: dict[str, Any] = {key: tree(text).root for key, text in side.items()}
    update, local = likeness.under_old_keys(before, after, before)
    assert local == before
    return [*update]


@pytest.mark.parametrize(
    ("origin", "side", "expected"),
    [
        ({"a": "[1, 2]"}, {"b": "[1, 3]"}, "a"),
        ({"a": "[1, 2]"}, {"b": "[3, 4]"}, "b"),
        ({"a": "{x: 1}"}, {"b": "{y: 1}"}, "b"),
        ({"a": "[1, 2]"}, {"b": "[]"}, "b"),
        ({"a": "[1, 2]"}, {"b": None}, "b"),
        ({"a": '"1\\n2"'}, {"b": '"1\\n3"'}, "a"),
        ({"a": "[1, 2]", "k": "k"}, {"k": "k", "b": "[1, 2]"}, "ka"),
        ({"a": "[1, 2]", "b": "[3, 4]"}, {"x": "0", "y": "[1, 2]", "z": "[3, 5]"}, "xab"),
        ({"a": "[1, 2]", "b": "[3, 4]"}, {"x": "[3, 4]", "y": "[2, 3]"}, "ba"),
        ({"a": "[1, 2]", "k": "[1, 3]"}, {"b": "[1, 4]", "k": "[1, 3]"}, "bk"),
        ({"a": "[1, 2]"}, {"x": "[1, 3]", "y": "[2, 4]"}, "xy"),
        ({"a": "[1, 2]"}, {"x": "[1, 3]", "y": "[1, 2, 4]"}, "xa"),
    ],
    ids=[
        "half of its leaves", "less", "another key", "none", "no value", "lines of a text", "in another place",
        "in their order", "first in its place", "what another has too tells nothing", "a second candidate",
        "the one with most in common",
    ],
)  # fmt: skip
def test_an_entry_that_kept_half_of_its_leaves_is_the_same(
    origin: dict[str, str], side: dict[str, str | None], expected: str
) -> None:
    assert "".join(renamed(origin, side)) == expected


@pytest.mark.parametrize(
    ("origin", "side", "expected"),
    [
        ("{v: 1, w: 1, x: 1, y: 1}", "{v: 1, w: 1, x: 2, y: 2}", "a"),
        ("{v: 1, w: 1, x: 1, y: 1}", "{v: 1, w: 2, x: 2, y: 2}", "b"),
        ("{v: 1, w: 1, x: 1}", "{v: 1, w: 1, x: 1}", "a"),
        ("{v: 1, w: 1, x: 1}", "{v: 1, w: 1, x: 2}", "b"),
        ("{v: 1}", "{v: 1}", "b"),
        ("{}", "{}", "b"),
    ],
    ids=["half", "less", "few and all", "few and not all", "too little to know it by", "nothing"],
)
def test_a_renamed_entry_of_a_mapping(origin: str, side: str, expected: str) -> None:
    before = {"a": tree(origin).root}
    update, local = likeness.under_old_keys(before, {"b": tree(side).root}, before, least=4)
    assert ("".join(update), local) == (expected, before)


@pytest.mark.parametrize(
    ("side", "expected"),
    [("{v: 1, w: 2, x: 2, y: 2}", "a"), ("{v: 2, w: 2, x: 2, y: 2}", "b"), ("{v: 1}", "b"), ("v w x y", "b")],
    ids=["a word", "none", "too little to know it by", "a scalar"],
)
def test_an_entry_that_the_other_side_lacks_too_is_known_by_a_word_in_its_place(side: str, expected: str) -> None:
    before = {"a": tree("{v: 1, w: 1, x: 1, y: 1}").root}
    update, local = likeness.under_old_keys(before, {"b": tree(side).root}, {}, least=4)
    assert ("".join(update), local) == (expected, {})


@pytest.mark.parametrize(
    ("side", "expected"),
    [("{p: go, d: a}", "known"), ("{p: go, d: b}", "new")],
    ids=["all of its words", "half of them"],
)
def test_an_element_without_a_name_is_known_between_its_neighbours_by_nearly_all_its_words(
    side: str, expected: str
) -> None:
    # Both words are in the other element, too: they tell nothing elsewhere.
    twin: Any = (None, "twin", 0)
    before: dict[Any, Any] = {(None, "known", 0): tree("{p: go, d: a, t: 1}").root, twin: tree("{p: go, d: a}").root}
    update, _ = likeness.under_old_keys(before, {(None, "new", 0): tree(side).root, twin: before[twin]}, before)
    assert [key[1] for key in update] == [expected, "twin"]


def test_of_very_many_those_are_compared_that_stand_near_each_other() -> None:
    origin, side = ({f"{name}{number}": f"{number}" for number in range(600)} for name in "ab")
    assert renamed(origin, side) == [*origin]
    moved = {f"c{number}": "new" for number in range(20)} | side
    assert renamed(origin, moved) == [*moved]
