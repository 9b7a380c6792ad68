"""Comments cost in proportion: twice as many take twice as many calls, and twice as many characters to parse."""

from __future__ import annotations

import pytest

from expand_vars import pipeline
from tests.calls import counted, parsed

HEAD = "apiVersion: e.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n"
SHAPES = {
    "fields of one object": (HEAD, "  k{}: x-eu # expand: x-$(A)\n"),
    "elements of one list": (f"{HEAD}  l:\n", "  - x{}-eu # expand: x{}-$(A)\n"),
}


@pytest.mark.pure
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_many_comments_cost_twice_as_much(shape: str) -> None:
    head, line = SHAPES[shape]

    def run(times: int) -> None:
        text = head + "".join(line.replace("{}", str(number)) for number in range(times))
        pipeline.run(text, None, [("A", "us")], lambda config: config.in_place())

    for cost in (counted, parsed):
        few, many = cost(lambda: run(200)), cost(lambda: run(400))
        assert many < 2.1 * few
