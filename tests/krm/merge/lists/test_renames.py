"""A key that both sides changed (docs/reference/merge.md, "Keyed lists")."""

from __future__ import annotations

from typing import Any

import pytest

from krm.merge.policy import Policy
from krm.merge.trees import leaves
from tests.calls import counted
from tests.krm.merge.sides import data, merged, places, written

# Origin, update and local, what comes out if update's is taken and if local's stays, and where the conflicts are.
CASES: dict[str, tuple[str, str, str, str, str, list[str]]] = {
    "both renamed it": (
        "[{name: a, v: 1}]",
        "[{name: u, v: 1}]",
        "[{name: l, v: 1}]",
        "[{name: u, v: 1}]",
        "[{name: l, v: 1}]",
        ["l[name=a].name"],
    ),
    "both renamed one like another": (
        "[{name: x, v: 1}, {name: a, v: 1}]",
        "[{name: x, v: 1}, {name: u, v: 1}]",
        "[{name: x, v: 1}, {name: l, v: 1}]",
        "[{name: x, v: 1}, {name: u, v: 1}]",
        "[{name: x, v: 1}, {name: l, v: 1}]",
        ["l[name=a].name"],
    ),
    "one renamed and changed what the other deleted": (
        "[{name: x, v: 1}, {name: a, v: 1, w: 1, y: 1}]",
        "[{name: x, v: 1}, {name: u, v: 1, w: 1, y: 2}]",
        "[{name: x, v: 1}]",
        "[{name: x, v: 1}, {name: u, v: 1, w: 1, y: 2}]",
        "[{name: x, v: 1}]",
        ["l[name=a]"],
    ),
    "and changed a field each": (
        "[{name: a, v: 1, w: 1, x: 1, y: 1}]",
        "[{name: u, v: 2, w: 1, x: 1, y: 1}]",
        "[{name: l, v: 1, w: 2, x: 1, y: 1}]",
        "[{name: u, v: 2, w: 2, x: 1, y: 1}]",
        "[{name: l, v: 2, w: 2, x: 1, y: 1}]",
        ["l[name=a].name"],
    ),
    "among others": (
        "[{name: a, v: 1}, {name: b, v: 2}, {name: c, v: 3}]",
        "[{name: a, v: 1}, {name: u, v: 2}, {name: c, v: 4}]",
        "[{name: a, v: 1}, {name: l, v: 2}, {name: c, v: 3}, {name: d, v: 5}]",
        "[{name: a, v: 1}, {name: u, v: 2}, {name: c, v: 4}, {name: d, v: 5}]",
        "[{name: a, v: 1}, {name: l, v: 2}, {name: c, v: 4}, {name: d, v: 5}]",
        ["l[name=b].name"],
    ),
    "both renamed it alike": (
        "[{name: a, v: 1}]",
        "[{name: n, v: 1}]",
        "[{name: n, v: 1}]",
        "[{name: n, v: 1}]",
        "[{name: n, v: 1}]",
        [],
    ),
    "each added another one": (
        "[{name: a, v: 1}]",
        "[{name: u, v: 2}]",
        "[{name: l, v: 3}]",
        "[{name: u, v: 2}, {name: l, v: 3}]",
        "[{name: u, v: 2}, {name: l, v: 3}]",
        [],
    ),
    "nothing but a name": (
        "[{name: a}]",
        "[{name: u}]",
        "[{name: l}]",
        "[{name: u}, {name: l}]",
        "[{name: u}, {name: l}]",
        [],
    ),
    "two that it could be": (
        "[{name: a, v: 1}]",
        "[{name: u, v: 1}, {name: w, v: 1}]",
        "[{name: l, v: 1}]",
        "[{name: u, v: 1}, {name: w, v: 1}]",
        "[{name: u, v: 1}, {name: w, v: 1}, {name: l, v: 1}]",
        ["l[name=l]"],
    ),
    "update renamed it": (
        "[{name: a, v: 1, w: 1}]",
        "[{name: u, v: 1, w: 1}]",
        "[{name: a, v: 1, w: 2}]",
        "[{name: u, v: 1, w: 2}]",
        "[{name: u, v: 1, w: 2}]",
        [],
    ),
    "local renamed it": (
        "[{name: a, v: 1}, {name: b, v: 2}]",
        "[{name: a, v: 3}, {name: b, v: 2}]",
        "[{name: l, v: 1}, {name: b, v: 2}]",
        "[{name: l, v: 3}, {name: b, v: 2}]",
        "[{name: l, v: 3}, {name: b, v: 2}]",
        [],
    ),
    "each renamed another one": (
        "[{name: a, v: 1}, {name: b, v: 2}]",
        "[{name: u, v: 1}, {name: b, v: 3}]",
        "[{name: a, v: 4}, {name: l, v: 2}]",
        "[{name: u, v: 4}, {name: l, v: 3}]",
        "[{name: u, v: 4}, {name: l, v: 3}]",
        [],
    ),
    "update renamed it, and both changed a field": (
        "[{name: a, v: 1, w: 1}]",
        "[{name: u, v: 2, w: 1}]",
        "[{name: a, v: 3, w: 1}]",
        "[{name: u, v: 2, w: 1}]",
        "[{name: u, v: 3, w: 1}]",
        ["l[name=a].v"],
    ),
    "a field that another one has, too": (
        "[{name: a, v: 1}, {name: b, v: 1}]",
        "[{name: u, v: 1}, {name: b, v: 1}]",
        "[{name: a, v: 2}, {name: b, v: 1}]",
        "[{name: u, v: 1}, {name: b, v: 1}]",
        "[{name: a, v: 2}, {name: u, v: 1}, {name: b, v: 1}]",
        ["l[name=a]"],
    ),
    "a name and its value": (
        "[{name: a, value: 1}]",
        "[{name: u, value: 1}]",
        "[{name: a, value: 2}]",
        "[{name: u, value: 1}]",
        "[{name: a, value: 2}, {name: u, value: 1}]",
        ["l[name=a]"],
    ),
    "less than half of it": (
        "[{name: a, v: 1, w: 1, x: 1}]",
        "[{name: u, v: 1, w: 2, x: 2}]",
        "[{name: a, v: 2, w: 1, x: 1}]",
        "[{name: u, v: 1, w: 2, x: 2}]",
        "[{name: a, v: 2, w: 1, x: 1}, {name: u, v: 1, w: 2, x: 2}]",
        ["l[name=a]"],
    ),
    "most of a field that is no scalar": (
        "[{name: a, env: {v: 1, w: 1, x: 1}}]",
        "[{name: u, env: {v: 1, w: 1, x: 2}}]",
        "[{name: a, env: {v: 2, w: 1, x: 1}}]",
        "[{name: u, env: {v: 2, w: 1, x: 2}}]",
        "[{name: u, env: {v: 2, w: 1, x: 2}}]",
        [],
    ),
    "nothing but an empty field": (
        "[{name: a, v: {}}]",
        "[{name: u, v: {}}]",
        "[{name: l, v: {}}]",
        "[{name: u, v: {}}]",
        "[{name: l, v: {}}]",
        ["l[name=a].name"],
    ),
    "the one of two that has most in common": (
        "[{name: a, v: 1, w: 1}]",
        "[{name: u, v: 1, x: 1}, {name: w, v: 1, w: 1}]",
        "[{name: l, v: 1, w: 1}]",
        "[{name: u, v: 1, x: 1}, {name: w, v: 1, w: 1}]",
        "[{name: u, v: 1, x: 1}, {name: l, v: 1, w: 1}]",
        ["l[name=a].name"],
    ),
    "the first of two that has most in common": (
        "[{name: a, v: 1, w: 1, x: 1, y: 1}]",
        "[{name: u, v: 1, w: 1, x: 1, y: 2}, {name: w, v: 1, w: 1, x: 3, y: 3}]",
        "[{name: l, v: 1, w: 1, x: 1, y: 1}]",
        "[{name: u, v: 1, w: 1, x: 1, y: 2}, {name: w, v: 1, w: 1, x: 3, y: 3}]",
        "[{name: l, v: 1, w: 1, x: 1, y: 2}, {name: w, v: 1, w: 1, x: 3, y: 3}]",
        ["l[name=a].name"],
    ),
    "one of which less than half is left": (
        "[{name: a, v: 1, w: [1, 2, 3, 4]}]",
        "[{name: u, v: 1, w: [1, 2, 3, 4]}]",
        "[{name: l, v: 1, w: [5]}]",
        "[{name: u, v: 1, w: [5]}]",
        "[{name: l, v: 1, w: [5]}]",
        ["l[name=a].name"],
    ),
    "another one than the one that its side deleted": (
        "[{name: a, v: 1, w: 1}, {name: b, v: 1, w: 2}]",
        "[{name: a, v: 1, w: 1}, {name: u, v: 1, w: 2}]",
        "[{name: l, v: 1, w: 1}]",
        "[{name: l, v: 1, w: 1}, {name: u, v: 1, w: 2}]",
        "[{name: l, v: 1, w: 1}]",
        ["l[name=b]"],
    ),
    "one of two that it could be": (
        "[{name: a, v: 1, w: 1}]",
        "[{name: u, v: 1, x: 1}, {name: w, w: 1, x: 2}]",
        "[{name: a, v: 2, w: 1}]",
        "[{name: u, v: 1, x: 1}, {name: w, w: 1, x: 2}]",
        "[{name: a, v: 2, w: 1}, {name: u, v: 1, x: 1}, {name: w, w: 1, x: 2}]",
        ["l[name=a]"],
    ),
    "a name that the other side has given to another": (
        "[{name: a, v: 1}]",
        "[{name: u, v: 1}]",
        "[{name: a, v: 2}, {name: u, v: 1}]",
        "[{name: u, v: 1}]",
        "[{name: a, v: 2}, {name: u, v: 1}]",
        ["l[name=a]"],
    ),
    "one renamed it, the other took it away": (
        "[{name: a, v: 1}, {name: b}]",
        "[{name: u, v: 1}, {name: b}]",
        "[{name: b}]",
        "[{name: u, v: 1}, {name: b}]",
        "[{name: b}]",
        ["l[name=a]"],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_key_that_both_changed(case: tuple[Any, ...]) -> None:
    origin, update, local, taken, kept, conflicts = case
    sides = [f"l: {side}" for side in (origin, update, local)]
    for on_conflict, expected in (("TakeUpdate", taken), ("KeepLocal", kept)):
        result = merged(*sides, policy=Policy(on_conflict))  # type: ignore[arg-type]  # one of the three
        assert places(result) == conflicts
        assert sorted(map(str, data(result.target)["l"])) == sorted(map(str, data_of(expected)))


@pytest.mark.parametrize(
    ("update", "local", "expected"),
    [
        ("{name: u, v: 1, w: 1}", "{name: a, v: 1, w: 2}", ["`a` and `u`"]),
        ("{name: a, v: 1, w: 2}", "{name: l, v: 1, w: 1}", ["`a` and `l`"]),
        ("{name: u, v: 1, w: 1}", "{name: a, v: 1, w: 1}", []),
    ],
)
def test_an_element_that_one_side_renamed_is_told_if_the_other_changed_it(
    update: str, local: str, expected: list[str]
) -> None:
    notes = merged("l: [{name: a, v: 1, w: 1}]", f"l: [{update}]", f"l: [{local}]").notes
    assert [(note.reason, note.path, note.detail) for note in notes] == [
        ("Matched", ("l",), f"{names} are one element: one side renamed it, the other changed it") for names in expected
    ]


def test_an_element_that_update_renamed_keeps_what_local_wrote_in_it() -> None:
    assert written(
        "l:\n- name: a # first\n  v: 1\n  w: 1\n",
        "l:\n- name: u # second\n  v: 1\n  w: 1\n",
        "l:\n# mine\n- v: 1 # why\n  name: a # first\n  w: '2'\n",
    ) == (
        "l:\n# mine\n- v: 1 # why\n  name: u # second\n  w: '2'\n",
        ["l `a` and `u` are one element: one side renamed it, the other changed it"],
    )


def data_of(text: str) -> Any:
    return data(merged(None, f"l: {text}", None).target)["l"]


@pytest.mark.parametrize("value", ["v{}", "yes"], ids=["each another", "alike"])
def test_very_many_that_both_renamed_are_known(value: str) -> None:
    sides = [
        f"l: [{', '.join(f'{{name: {side}{i}, v: {value.format(i)}}}' for i in range(101))}]"
        for side in ("origin", "update", "local")
    ]
    assert len(data(merged(*sides).target)["l"]) == 101


@pytest.mark.pure
@pytest.mark.parametrize("value", ["yes", "v{}"], ids=["alike", "each another"])
def test_the_work_grows_with_the_elements_and_not_with_their_pairs(value: str) -> None:
    def looks(count: int) -> int:
        sides = [
            f"l: [{', '.join(f'{{name: {side}{i}, value: {value.format(i)}}}' for i in range(count))}]"
            for side in ("origin", "update", "local")
        ]
        return counted(lambda: merged(*sides), of=leaves.__code__)

    assert 0 < looks(40) <= 4 * looks(10)
