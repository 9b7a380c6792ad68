"""What is generated again meets what was changed in between: both are kept, and the third run changes nothing."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.krm.generation import scenarios

if TYPE_CHECKING:
    from tests.krm.generation.scenarios import Scenario

every_scenario = pytest.mark.parametrize("scenario", scenarios.ALL, ids=lambda scenario: scenario.folder.name)


def _is_as_expected(scenario: Scenario, name: str, actual: str) -> bool:
    if "UPDATE" in os.environ:
        (scenario.folder / name).write_bytes(actual.encode())
    return actual == scenario.read(name)


@every_scenario
def test_each_run_gives_what_it_should(scenario: Scenario) -> None:
    first = scenarios.run(scenario.read("input.yaml"), is_pipe=scenario.is_pipe)
    assert _is_as_expected(scenario, "first.yaml", first)
    second = scenarios.run(scenario.changed(first), is_pipe=scenario.is_pipe)
    assert _is_as_expected(scenario, "second.yaml", second)


@every_scenario
def test_a_run_after_which_nobody_changed_anything_changes_nothing(scenario: Scenario) -> None:
    for name in ("first.yaml", "second.yaml"):
        once = scenarios.without_results(scenario.read(name))
        assert scenarios.without_results(scenarios.run(once, is_pipe=scenario.is_pipe)) == once


def _annotations(item: dict) -> dict[str, str]:
    """Return the annotations of ours on an item."""
    found = item.get("metadata", {}).get("annotations", {})
    return {key: text for key, text in found.items() if key.startswith("expandvars.dev/")}


@every_scenario
def test_nothing_that_is_remembered_holds_a_dollar(scenario: Scenario) -> None:
    for name in ("first.yaml", "second.yaml"):
        annotations = (_annotations(item) for item in yaml.safe_load(scenario.read(name))["items"])
        assert "$" not in "".join(text for of in annotations for text in of.values())


@pytest.mark.parametrize("name", ["secret", "secret-inserted", "secret-edited", "references-to-a-secret"])
def test_no_value_of_a_secret_is_remembered_or_told(name: str) -> None:
    (scenario,) = (scenario for scenario in scenarios.ALL if scenario.folder.name == name)
    for text in map(scenario.read, ("first.yaml", "second.yaml")):
        annotations = [_annotations(item) for item in yaml.safe_load(text)["items"]]
        assert re.findall("horse|staple|admin|root|mine", f"{annotations}{text.partition('results:')[2]}") == []
