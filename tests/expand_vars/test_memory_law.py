"""The law of generated resources between runs, as a state machine (docs/reference/generated-resources.md)."""

from __future__ import annotations

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from tests.expand_vars.memory.machine import Package

IS_NIGHT = settings().max_examples > 1000
NIGHT = settings(max_examples=2000, stateful_step_count=30)
# With a seed, since a statistic is no matter of luck. Nobody waits for a short example: the night finds one.
DAY = settings(max_examples=40, stateful_step_count=12, deadline=None, database=None, phases=[Phase.generate])
RULES = sorted(
    name for name in dir(Package) if name.startswith(("author_", "user_", "branches_", "functions_", "render_"))
)


@pytest.fixture(autouse=True)
def _counted_anew() -> None:
    Package.happened.clear()


@seed(3)
@settings(DAY, max_examples=20)
@given(data=st.data())
def _some_of_all_rules(data: st.DataObject) -> None:
    """Take a few rules, each as likely as any other. hypothesis prefers some in each case, which only a night evens."""
    package = Package()
    package.start(data=data, paths=data.draw(st.sampled_from([("a.yaml",), ("a.yaml", "b.yaml")])))
    for name in data.draw(st.permutations(RULES))[:10]:
        if package.world.docs or name.startswith("author_"):
            getattr(package, name)(data=data)
        if data.draw(st.booleans()):
            package.render()
    package.teardown()


def test_every_run_keeps_the_promises() -> None:
    """And each rule changes something in some case."""
    if IS_NIGHT:
        run_state_machine_as_test(Package, settings=NIGHT)
    else:
        _some_of_all_rules()
    assert {what for what, count in Package.happened.items() if count} == {*RULES, "render", "refused"}
