"""Entries without a partner that are alike."""

from __future__ import annotations

import pytest

from krm.merge.lines import alike


def renamed(origin: dict[str, str], side: dict[str, str]) -> dict[object, object]:
    return {**alike.renamed([*origin.items()], [*side.items()], share=0.5, least=1)}


@pytest.mark.parametrize(
    ("origin", "side", "expected"),
    [
        ({"a": "1\n2\n"}, {"b": "1\n3\n"}, {"b": "a"}),
        ({"a": "1\n2\n"}, {"b": "3\n4\n"}, {}),
        ({"a": "1\n2\n"}, {"b": "\n"}, {}),
        ({"a": "1\n2\n", "k": "k\n"}, {"k": "k\n", "b": "1\n2\n"}, {}),
        ({"a": "1\n2\n", "b": "3\n4\n"}, {"x": "0\n", "y": "1\n2\n", "z": "3\n5\n"}, {"y": "a", "z": "b"}),
        ({"a": "1\n2\n", "b": "3\n4\n"}, {"x": "3\n4\n", "y": "1\n3\n"}, {"x": "b"}),
    ],
    ids=["half of its lines", "less", "none", "in another place", "in their order", "those that agree most"],
)
def test_an_entry_that_kept_half_of_its_lines_is_the_same(
    origin: dict[str, str], side: dict[str, str], expected: dict[str, str]
) -> None:
    assert renamed(origin, side) == expected


def test_of_very_many_nobody_guesses() -> None:
    origin, side = ({f"{name}{number}": f"{number}\n" for number in range(101)} for name in "ab")
    assert not renamed(origin, side)
