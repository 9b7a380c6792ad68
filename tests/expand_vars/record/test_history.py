"""Values that change from run to run over packages: who gives them, what is told, and in which order they are kept."""

from __future__ import annotations

import random

import pytest
import yaml

from expand_vars.record import KEY
from tests.expand_vars.expansion.running import pod, run
from tests.expand_vars.memory import orchestrator

HEAD = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata:\n  name: {}\nspec:\n  variables:\n"
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {}\nspec:\n  containers: [{{name: c, args: [$(A)-$(A), $(B)]}}]\n"


def config(name: str, a: str, b: str) -> str:
    return f"{HEAD.format(name)}  - {{name: A, value: {a}}}\n  - {{name: B, value: {b}}}\n"


def shop(above: str, below: str) -> dict[str, str]:
    """Return a package and one below it, in which three Pods use two variables."""
    pods = {f"below/{name}.yaml": POD.format(name) for name in ("one", "two", "three")}
    kptfiles = dict.fromkeys(("Kptfile", "below/Kptfile"), KPTFILE)
    return {"above.yaml": config(above, "1", "2"), "below/ev.yaml": config(below, "3", "4")} | kptfiles | pods


@pytest.mark.parametrize("below", ["store", "another"])
def test_a_value_that_changes_is_told_once_for_each_variable(below: str) -> None:
    """Not for each item or field; in the package's own run not at all."""
    once = orchestrator.run(shop("store", below), "below/ev.yaml")
    assert [one for one in once.results if one.reason == "ValueChanged"] == []
    ran = orchestrator.run(once.files, "above.yaml")
    told = [(one.severity, one.message.partition(":")[0]) for one in ran.results if one.reason == "ValueChanged"]
    before = {"A": ("1", "3"), "B": ("2", "4")}
    assert told == [
        ("warning", f"`{name}` is `{now}` now in 3 resources, where an earlier run made it `{was}`")
        for name, (now, was) in before.items()
    ]


@pytest.mark.parametrize("below", ["store", "another"])
def test_the_package_that_runs_later_gives_the_value(below: str) -> None:
    """A newer kpt renders parents before children if the Kptfile says so: then that is the child."""
    files = shop("store", below)
    orders = {"3-3": ("above.yaml", "below/ev.yaml"), "1-1": ("below/ev.yaml", "above.yaml")}
    for text, order in orders.items():
        for _ in range(2):
            for path in order:
                files = orchestrator.run(files, path).files
            made = yaml.safe_load(files["below/one.yaml"])["spec"]["containers"][0]["args"]
            assert made[0] == text


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_a_record_does_not_change(seed: int) -> None:
    """Whatever the order in which fields and variables came: each entry has one place, where git finds it."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    names = [f"N{number}" for number in range(12)]
    args = [f"'$({name})'" for name in names]
    spec = "record: Always\nvariables:\n{}"
    declared = [f"- {{name: {name}, value: v}}\n" for name in names]
    whole = run(pod(f"args: [{', '.join(args)}]"), spec=spec.format("".join(declared))).items[0]
    text = pod(f"args: [{', '.join(args)}]")
    draw.shuffle(declared)
    for count in (3, 7, 12):
        text = run(text, spec=spec.format("".join(declared[:count])) + "unresolved: Ignore\n").text
    record = yaml.safe_load(text)["metadata"]["annotations"][KEY]
    assert record == whole["metadata"]["annotations"][KEY]
    other = run(text, spec=spec.format("".join(declared).replace("value: v", "value: w"))).items[0]
    changed = other["metadata"]["annotations"][KEY]
    assert changed.splitlines()[::2] == record.splitlines()[::2]
