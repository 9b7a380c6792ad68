"""The law of generated resources between runs, as a state machine (docs/generated-resources.md)."""

from __future__ import annotations

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.expand_vars.memory.machine import Package
from tests.expand_vars.memory.references import References

IS_NIGHT = settings().max_examples > 1000
NIGHT = settings(max_examples=1500, stateful_step_count=30)
# The same each time, since a statistic is no matter of luck. Nobody waits for a short example: the night finds one.
DAY = settings(max_examples=40, stateful_step_count=12, derandomize=True, database=None, phases=[Phase.generate])


def test_every_run_keeps_the_promises() -> None:
    """And each rule changes something in some case."""
    Package.happened.clear()
    run_state_machine_as_test(Package, settings=NIGHT if IS_NIGHT else DAY)
    rules = {
        name for name in dir(Package) if name.startswith(("author_", "user_", "branches_", "functions_", "render"))
    }
    assert {what for what, count in Package.happened.items() if count} == rules | {"refused"}


def test_references_in_place_keep_the_promises() -> None:
    """Whoever gives the values; and each rule changes something in some case."""
    References.happened.clear()
    run_state_machine_as_test(References, settings=NIGHT if IS_NIGHT else DAY)
    rules = {name for name in vars(References) if name.startswith(("user_", "branches_"))}
    runs = {"_by_arguments", "_by_config_map", "_by_expand_vars", "restored"}
    assert {what for what, count in References.happened.items() if count} == rules | runs
