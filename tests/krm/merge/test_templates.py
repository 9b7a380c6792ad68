"""docs/reference/merge.md, "What is data": a value and the template in its comment come from one side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.file import File
from krm.git import cascade
from krm.git.line_merge import Labels, ThreeTexts
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import ON_CONFLICT, Policy

if TYPE_CHECKING:
    from krm.merge.policy import OnConflict

HEAD = "apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n"
RAN = "  a: x-1 # expand: x-$(A)\n  b: 1\n"
CASES = {
    "both ran": ("  a: x-$(A)\n", "  a: x-2 # expand: x-$(A)\n", "  a: x-1 # expand: x-$(A)\n"),
    "both have templates of their own": (
        "  a: x-0 # expand: x-$(A)\n",
        "  a: y-2 # expand: y-$(A)\n",
        "  a: x-1 # expand: x-$(A)\n",
    ),
    "local ran and was edited": ("  a: x-$(A)\n", "  a: x-9\n", "  a: z-1 # expand: x-$(A)\n"),
    "brackets": ("  a: [$(A)]\n", "  a: [y]\n", "  # expand: a: [$(A)]\n  a: [x]\n"),
}


@pytest.mark.parametrize("case", CASES)
def test_at_a_conflict_both_come_from_the_side_that_wins(case: str) -> None:
    origin, update, local = CASES[case]
    assert merged(origin, update, local, "KeepLocal") == local
    assert merged(origin, update, local, "TakeUpdate") == update


EXPANDED = {
    "another template": ("a: x-$(A)", "a: y-$(A)", "a: x-1 # expand: x-$(A)"),
    "a text of its own": ("a: x-$(A)", "a: 9", "a: x-1 # expand: x-$(A)"),
    "no field": ("a: {}\n  b: $(A)", "a: {}", "a: {}\n  b: 1 # expand: $(A)"),
    "a remark": ("a: x-$(A) # why", "a: y-$(A) # why", "a: x-1 # why # expand: x-$(A)"),
    "a new remark": ("a: x-$(A)", "a: x-$(A) # new", "a: x-1 # expand: x-$(A)"),
    "quotes": ("'a b': \"$(A):$(B)\"", "'a b': \"$(A)\"", '\'a b\': "x#:y" # expand: "$(A):$(B)"'),
    "a sign of a comment in quotes": ("a: 'x #$(A)' # why", "a: y", "a: 'x #1' # why # expand: 'x #$(A)'"),
    "an element": ("a:\n  - --x=$(A)\n  - b", "a:\n  - b", "a:\n  - --x=1 # expand: --x=$(A)\n  - b"),
    "one of two": (
        "a:\n  - x-$(A)\n  - x-$(A)",
        "a:\n  - y-$(A)\n  - y-$(A)",
        "a:\n  - x-1 # expand: x-$(A)\n  - x-$(A)",
    ),
    "a text below its key": ("a:\n    $(A)\n  b: 1", "a:\n    x-$(A)\n  b: 1", "a:\n    1 # expand: $(A)\n  b: 1"),
    "an element with a key": (
        "a:\n  - n: $(A)\n    v: 1",
        "a:\n  - n: $(B)\n    v: 1",
        "a:\n  - n: 1 # expand: $(A)\n    v: 1",
    ),
}


@pytest.mark.parametrize("case", EXPANDED)
def test_a_line_that_a_run_expanded_is_no_change(case: str) -> None:
    """Else each new version of an upstream would be in conflict with each package that was expanded in place."""
    origin, update, local = (f"  {text}\n  z: 1\n" for text in EXPANDED[case])
    edited = local.replace("z: 1", "z: 2")
    for on_conflict in ON_CONFLICT:
        assert merged(origin, update, local, on_conflict) == update
        assert merged(origin, update, edited, on_conflict) == update.replace("z: 1", "z: 2")
        assert merged(origin, edited, update, on_conflict) == update.replace("z: 1", "z: 2")
        assert merged(origin, origin.replace("z: 1", "z: 3"), local, on_conflict) == local.replace("z: 1", "z: 3")
    before, new, own = (f"{HEAD}{text}".encode() for text in (origin, update, edited))
    found = cascade.merge(ThreeTexts(before, new, own), "a.yaml", Labels(), 7)
    assert (found.conflicts, found.text.decode()) == (0, HEAD + update.replace("z: 1", "z: 2"))


ELSEWHERE = {
    "a line of a block": "  y: |\n    a: $(T)\n    c: 2\n",
    "a text that goes on": "  y:\n    a: $(T)\n      more\n",
    "another field": "  y:\n    a: $(T)\n",
}


@pytest.mark.parametrize("case", ELSEWHERE)
def test_the_same_characters_elsewhere_stay(case: str) -> None:
    origin, update = "  x:\n    a: $(T)\n", "  x:\n    a: 1 # expand: $(T)\n"
    added = ELSEWHERE[case]
    assert merged(origin, update, origin + added, "KeepLocal") == update + added
    assert merged(origin, origin + added, update, "KeepLocal") == update + added


GOES_ON = {
    "an element": ("  x:\n  - $(T)\n", "  x:\n  - 1 # expand: $(T)\n", "  x:\n  - $(T)\n\n    more\n"),
    "a key behind a dash": ("  x:\n  - a: $(T)\n", "  x:\n  - a: 1 # expand: $(T)\n", "  x:\n  - a: $(T)\n     more\n"),
    "a text that ends in a comment": ("  x:\n    a b\n", "  x:\n    a c # why\n", "  x:\n    a b\n    more\n"),
    "a text below its key": ("  x:\n    $(T)\n", "  x:\n    1 # expand: $(T)\n", "  x:\n    $(T)\n    more\n"),
}


@pytest.mark.parametrize("case", GOES_ON)
def test_a_line_that_goes_on_now_is_a_conflict(case: str) -> None:
    origin, update, local = GOES_ON[case]
    assert merged(origin, update, local, "KeepLocal") == local
    assert merged(origin, update, local, "TakeUpdate") == update


def test_a_change_of_one_side_brings_its_template() -> None:
    origin = "  a: x-1 # expand: x-$(A)\n  b: 1\n"
    update = "  a: x-2 # expand: x-$(B)\n  b: 1\n"
    local = "  a: x-1 # expand: x-$(A)\n  b: 2\n"
    assert merged(origin, update, local, "KeepLocal") == "  a: x-2 # expand: x-$(B)\n  b: 2\n"
    assert merged(origin, local, update, "KeepLocal") == "  a: x-2 # expand: x-$(B)\n  b: 2\n"


def test_where_the_values_are_the_same_the_comments_merge() -> None:
    local = "  a: x-1 # expand: x-$(A)\n"
    assert merged("  a: x-1\n", "  # new\n  a: x-1\n", local, "KeepLocal") == f"  # new\n{local}"


def merged(origin: str, update: str, local: str, on_conflict: OnConflict) -> str:
    sides = [File(HEAD + text, "a.yaml") for text in (origin, update, local)]
    policy = Policy(on_conflict)
    output = composition.merge(sides[0], sides[1], sides[2], BaseRule(policy))
    return output.text.removeprefix(HEAD)
