"""A merge has as many elements as both sides account for, or a conflict says so: with keys, without, and with some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.kinds.schema import Schema
from krm.merge.policy import Policy
from krm.results import CONFLICT
from tests.krm.merge.sides import data, merged

if TYPE_CHECKING:
    Element = dict[str, str]
    Edits = list[tuple[int, str]]
    Row = dict[str, int]

FIELDS = "image", "args", "tty"
CONTAINERS = Schema("apps", "v1", "Deployment")
# An element and what of it a side writes anew, or what it adds behind that element.
edits = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([*FIELDS, "named", "nameless"])), max_size=3)


def edited(origin: list[Element], made: Edits, side: str) -> list[Element]:
    found = [[dict(element)] for element in origin] or [[]]
    for number, (at, what) in enumerate(made):
        place = found[at % len(found)]
        if what in FIELDS and origin:
            place[0][what] = f"{side}{number}"
        elif what not in FIELDS:
            name = {"name": f"{side}{number}"} if what == "named" else {}
            place.append({**name, "image": f"{side}{number}", "args": side, "tty": f"{number}"})
    return [element for place in found for element in place]


def pod(containers: list[Element]) -> str:
    written = ", ".join("{" + ", ".join(f"{key}: {value}" for key, value in each.items()) + "}" for each in containers)
    return f"{{spec: {{template: {{spec: {{containers: [{written}]}}}}}}}}"


def count(result: Any) -> int:
    return len(result["spec"]["template"]["spec"]["containers"])


@example([False], [(0, "image")], [(0, "args")])
@example([False], [(0, "image"), (0, "nameless")], [(0, "image")])
@example([True, False], [(1, "image")], [(1, "image")])
@example([True, False], [(0, "nameless"), (1, "image"), (1, "args")], [(0, "nameless"), (1, "image"), (1, "args")])
@given(st.lists(st.booleans(), max_size=3), edits, edits)
def test_elements_are_those_of_both_sides(are_named: list[bool], of_update: Edits, of_local: Edits) -> None:
    origin = [
        {**({"name": f"n{number}"} if is_named else {}), **{field: f"{field}{number}" for field in FIELDS}}
        for number, is_named in enumerate(are_named)
    ]
    update, local = edited(origin, of_update, "u"), edited(origin, of_local, "l")
    result = merged(*map(pod, (origin, update, local)), schema=CONTAINERS)
    found = count(data(result.target))
    most = len(update) + len(local) - len(origin)
    # A conflict may show an element of each side where one of them left too little of it to tell that it is the same.
    assert found == most or (result.conflicts and found >= min(len(update), len(local)))


rows = st.dictionaries(st.sampled_from("abc"), st.integers(0, 2), min_size=1)
# What a side does with each element: it takes it away, or writes some of its fields.
changes = st.lists(st.none() | st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), max_size=2), max_size=3)


def changed(origin: list[Row], made: list[Row | None]) -> File:
    fields = [*made, *({} for _ in origin)]
    found = [{**row, **each} for row, each in zip(origin, fields, strict=False) if each is not None]
    return File(yaml.safe_dump({"l": found}), "a.yaml")


def has_conflict(origin: File, update: File, local: File) -> bool:
    output = composition.merge(origin, update, local, BaseRule(Policy()))
    return any(result.reason == CONFLICT for result in output.results)


@example([{"a": 1, "b": 1}, {"a": 1}], [{"c": 1}, None], [{"b": 2}])
@example([{"a": 0}, {"a": 0, "b": 0}], [None], [{"a": 1}, {"c": 0}])
@given(st.lists(rows, min_size=1, max_size=3), changes, changes)
def test_two_sides_that_change_places_have_a_conflict_as_before(
    origin: list[Row], of_update: list[Row | None], of_local: list[Row | None]
) -> None:
    before, update, local = changed(origin, []), changed(origin, of_update), changed(origin, of_local)
    assert has_conflict(before, update, local) == has_conflict(before, local, update)
