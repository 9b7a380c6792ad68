"""Long inputs cost in proportion: twice as many take twice as many calls, and twice as many characters to parse."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from expand_vars import pipeline
from expand_vars.expansion import without_effect
from tests.calls import counted, parsed

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: f}\nspec:\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, args: [%s]}]}\n"
REPLICAS = "functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {annotations: {expandvars.dev/targets: All}}"


def variables(times: int) -> str:
    """Return variables of which nearly none is used, beside references that none of them is like."""
    declared = "".join(f"  - {{name: V{number}, value: x}}\n" for number in range(times))
    left = ", ".join(f"$(LEFT_{number}_OVER)" for number in range(times))
    return f"{CONFIG}  variables:\n{declared}---\n{POD % f'$(V7), {left}'}"


def names_of_a_config_map(times: int) -> str:
    data = ", ".join(f"V{number}: x" for number in range(times))
    used = ", ".join(f"$(V{number})" for number in range(times))
    config = f"functionConfig: {{apiVersion: v1, kind: ConfigMap, data: {{{data}}}}}\n"
    return f"kind: ResourceList\n{config}items:\n- {(POD % used).replace(chr(10), chr(10) + '  ').rstrip(' ')}"


def items_in_brackets(times: int) -> str:
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, args: [a$(V)]}]}}"
    config = "functionConfig: {apiVersion: v1, kind: ConfigMap, data: {V: x}}"
    return f"kind: ResourceList\nitems: [{', '.join([pod] * times)}]\n{config}\n"


def a_list_among_the_items(times: int) -> str:
    item = "  - apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: d}\n    spec:\n      replicas: $(N)\n"
    above = "kind: ResourceList\nitems:\n- apiVersion: v1\n  kind: List\n  metadata: {name: l}\n  items:\n"
    return f"{above}{item * times}{REPLICAS}, data: {{N: '3'}}}}\n"


@pytest.mark.pure
@pytest.mark.parametrize(
    ("text", "times"),
    [(variables, 250), (names_of_a_config_map, 80), (items_in_brackets, 20), (a_list_among_the_items, 20)],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_twice_as_much_costs_twice_as_much(text: Callable[[int], str], times: int) -> None:
    def run(count: int) -> None:
        output = pipeline.run(text(count))
        assert not output.results or output.results[0].severity != "error"
        assert output.text != text(count)

    for cost in (counted, parsed):
        few, many = cost(lambda: run(times)), cost(lambda: run(2 * times))
        assert many < 2.2 * few


class Counting:
    """A pattern that is nowhere found."""

    searches = 0

    def search(self, *_: object) -> None:
        self.searches += 1


@pytest.mark.pure
def test_a_text_that_items_share_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    odd, word = Counting(), Counting()
    monkeypatch.setattr(without_effect, "_ODD", odd)
    stand_in = SimpleNamespace(**{**vars(re), "compile": lambda _: word})
    monkeypatch.setattr("expand_vars.expansion.without_effect.re", stand_in)
    pipeline.run(items_in_brackets(20), arguments=[("NOWHERE", "x")])
    assert (odd.searches, word.searches) == (1, 1)
