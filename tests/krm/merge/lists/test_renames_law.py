"""Renamed elements: whatever the two sides do to a list, what either wrote comes out, or is part of a conflict.

Each edit writes a value that nobody else writes. So where it went can be seen without a model of the merge.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from krm.merge.policy import Policy
from krm.yamltree import scalars
from krm.yamltree.nodes import resolved
from tests.krm.merge.sides import data, merged

if TYPE_CHECKING:
    from krm.merge.policy import OnConflict
    from krm.yamltree.nodes import Node

    Element = dict[str, str]
    Edit = tuple[int, str]

FIELDS = ("image", "args", "value")
# Which element is edited, and how: a field of it, its name, or all of it.
EDITS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([*FIELDS, "name", "delete", "add"])), max_size=4)


def origin_of(values: list[list[str]]) -> list[Element]:
    return [{"name": f"n{number}", **dict(zip(FIELDS, each, strict=True))} for number, each in enumerate(values)]


def edited(elements: list[Element], edits: list[Edit], side: str) -> list[Element]:
    """Return a side: each edit writes a word of its own."""
    found: list[Element | None] = [dict(element) for element in elements]
    for number, (at, what) in enumerate(edits):
        word = f"{side}{number}"
        element = found[at % len(found)]
        if what == "add":
            found.append({"name": word, "image": f"new-{word}"})
        elif element is not None and what == "delete":
            found[at % len(found)] = None
        elif element is not None:
            element[what] = word
    return [element for element in found if element is not None]


def written(elements: list[Element], side: str) -> set[str]:
    """Return the words that a side wrote."""
    return {word for element in elements for word in element.values() if word.removeprefix("new-").startswith(side)}


def words(node: Node | None) -> set[str]:
    return set(json.dumps(scalars.data(resolved(node)), default=str).replace('"', " ").split())


VALUES = st.lists(st.lists(st.sampled_from("xyz"), min_size=3, max_size=3), min_size=1, max_size=3)


@pytest.mark.parametrize("on_conflict", ["TakeUpdate", "KeepLocal"])
@given(values=VALUES, of_update=EDITS, of_local=EDITS)
@example(values=[["x", "y", "z"]], of_update=[(0, "name")], of_local=[(0, "image")])
@example(values=[["x", "y", "z"]], of_update=[(0, "image")], of_local=[(0, "name"), (0, "args")])
@example(values=[["x", "x", "x"], ["y", "y", "y"]], of_update=[(0, "name")], of_local=[(1, "name"), (0, "value")])
def test_what_a_side_wrote_comes_out_or_is_in_a_conflict(
    on_conflict: OnConflict, values: list[list[str]], of_update: list[Edit], of_local: list[Edit]
) -> None:
    origin = origin_of(values)
    update, local = edited(origin, of_update, "u"), edited(origin, of_local, "l")
    sides = [json.dumps({"l": side}) for side in (origin, update, local)]
    result = merged(*sides, policy=Policy(on_conflict))
    found: list[Any] = data(result.target)["l"] if result.target is not None and "l" in data(result.target) else []
    there = {word for element in found for word in element.values()}
    told = {word for conflict in result.conflicts for word in words(conflict.local) | words(conflict.update)}
    told = {word.strip(",:{}[]") for word in told}
    assert (written(update, "u") | written(local, "l")) - there <= told
    # No element is there twice, and none has a name that nobody gave it.
    names = [element["name"] for element in found]
    assert len(names) == len({*names})
    assert {*names} <= {element["name"] for side in (origin, update, local) for element in side}
