"""Runs in place can be repeated: what the user changes in between is kept, and what follows a variable follows it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.record import KEY
from tests.expand_vars.record import scenarios

if TYPE_CHECKING:
    from tests.expand_vars.record.scenarios import Scenario

every_scenario = pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.folder.name)


def _is_as_expected(scenario: Scenario, name: str, actual: str) -> bool:
    if "UPDATE" in os.environ:
        (scenario.folder / name).write_bytes(actual.encode())
    return actual == scenario.read(name)


@every_scenario
def test_each_run_gives_what_it_should(scenario: Scenario) -> None:
    first = pipeline.run(scenario.read("input.yaml")).text
    assert _is_as_expected(scenario, "first.yaml", first)
    second = pipeline.run(scenario.changed(first)).text
    assert _is_as_expected(scenario, "second.yaml", second)


@every_scenario
def test_a_run_after_which_nobody_changed_anything_changes_nothing(scenario: Scenario) -> None:
    for name in ("first.yaml", "second.yaml"):
        once = scenarios.without_results(scenario.read(name))
        assert scenarios.without_results(pipeline.run(once).text) == once


@every_scenario
def test_no_record_holds_a_dollar(scenario: Scenario) -> None:
    for name in ("first.yaml", "second.yaml"):
        items = yaml.safe_load(scenario.read(name))["items"]
        assert "$" not in "".join(item.get("metadata", {}).get("annotations", {}).get(KEY, "") for item in items)
