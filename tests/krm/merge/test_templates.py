"""docs/reference/merge.md, "What is data": a value and the template in its comment come from one side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.file import File
from krm.merge.files import documents
from krm.merge.policy import Policy

if TYPE_CHECKING:
    from krm.merge.policy import OnConflict

HEAD = "apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n"
RAN = "  a: x-1 # expand: x-$(A)\n  b: 1\n"
CASES = {
    "local ran, update has another template": ("  a: x-$(A)\n", "  a: y-$(A)\n", "  a: x-1 # expand: x-$(A)\n"),
    "both ran": ("  a: x-$(A)\n", "  a: x-2 # expand: x-$(A)\n", "  a: x-1 # expand: x-$(A)\n"),
    "both have templates of their own": (
        "  a: x-0 # expand: x-$(A)\n",
        "  a: y-2 # expand: y-$(A)\n",
        "  a: x-1 # expand: x-$(A)\n",
    ),
    "update has a text of its own": ("  a: x-$(A)\n", "  a: x-9\n", "  a: x-1 # expand: x-$(A)\n"),
    "brackets": ("  a: [$(A)]\n", "  a: [y]\n", "  # expand: a: [$(A)]\n  a: [x]\n"),
}


@pytest.mark.parametrize("case", CASES)
def test_at_a_conflict_both_come_from_the_side_that_wins(case: str) -> None:
    origin, update, local = CASES[case]
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
    output = documents.merge(sides[0], sides[1], sides[2], documents.by_base_rule(policy))
    return output.text.removeprefix(HEAD)
