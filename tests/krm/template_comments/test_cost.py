"""Comments cost in proportion: twice as many take twice as many calls, and twice as many characters to parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars import pipeline
from tests.calls import counted, edited, parsed

if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = "apiVersion: e.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
SHAPES: dict[str, Callable[[int], str]] = {
    "fields of one object": lambda times: HEAD + listed(times, "  k{}: x-eu # expand: x-$(A)\n"),
    "elements of one list": lambda times: f"{HEAD}  l:\n" + listed(times, "  - x{}-eu # expand: x{}-$(A)\n"),
    "elements of one list in brackets": lambda times: (
        f"{HEAD}  # expand: l: [{listed(times, 'x{}-$(A),')}]\n  l: [{listed(times, 'x{}-eu,')}]\n"
    ),
    "references of one list in brackets": lambda times: f"{POD}    args: [{listed(times, 'x{}-$(A),')}]\n",
    "lines of one block": lambda times: (
        HEAD
        + "  # expand: l: |\n"
        + listed(times, "  #   x{} $(A)\n")
        + "  l: |\n"
        + listed(times, "    a\n    x{} eu\n")
    ),
    "lines of one block that was edited": lambda times: (
        HEAD
        + "  # expand: l: |\n"
        + listed(times, "  #   x{} $(A)\n")
        + "  #   y $(A)\n  l: |\n"
        + listed(times, "    x{} eu\n")
    ),
    "texts that can be read in several ways": lambda times: HEAD + listed(times, "  k{}: x-y-z # expand: $(A)-$(B)\n"),
    "copied templates": lambda times: f"{HEAD}  l:\n" + listed(times, "  - x{} # expand: $(A)\n"),
    "comments without a field": lambda times: HEAD + listed(times, "  # expand: k: [$(A)]\n") + "  k: [$(A)]\n",
    "entries of env": lambda times: f"{POD}    env:\n" + listed(times, "    - name: E{}\n      value: $(A)\n"),
    "containers": lambda times: POD + listed(times, "  - name: c{}\n    args: [$(A)]\n"),
    "objects": lambda times: "---\n".join([f"{HEAD}  k: x-eu # expand: x-$(A)\n"] * times),
}


def listed(times: int, written: str) -> str:
    return "".join(written.replace("{}", str(number)) for number in range(1000, 1000 + times))


@pytest.mark.pure
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_many_comments_cost_twice_as_much(shape: str) -> None:
    def run(times: int) -> None:
        pipeline.run(SHAPES[shape](times), None, [("A", "us")], lambda config: config.in_place())

    for cost in (counted, parsed, edited):
        few, many = cost(lambda: run(200)), cost(lambda: run(400))
        assert many <= 2.1 * few
