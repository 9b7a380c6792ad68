"""Variables that are read from fields which an earlier run expanded."""

from __future__ import annotations

import pytest

from tests.expand_vars.expansion.running import config_map, pod, run

REGION = "- {name: REGION, value: VALUE}\n"
READ = """\
- name: READ
  valueFrom: {objectFieldRef: {kind: ConfigMap, name: settings, fieldPath: data.region}}
"""
KEY = "- name: READ\n  valueFrom: {configMapKeyRef: {name: settings, key: region}}\n"
PIN = "- {name: PIN, valueFrom: {secretKeyRef: {name: pins, key: pin}}}\n"
PINS = "apiVersion: v1\nkind: Secret\nmetadata: {name: pins}\nstringData: {pin: '4711'}\n"
TARGET = """\
record: Always
inline: [Variables, Secrets]
targets: [{select: {kind: ConfigMap}, fieldPaths: ["data[*]"]}]
"""
READER = pod("args: ['$(READ)']").replace("name: web", "name: reader")


def first(data: str, variables: str, *more: str) -> str:
    """Return a ConfigMap as a first run leaves it."""
    text = run(config_map("settings", data), *more, spec=f"{TARGET}variables:\n{variables}").text
    assert "expandvars.dev/references" in text
    return text


def read(text: str, variables: str) -> tuple[list[str], list[str]]:
    """Return what a Pod gets that reads the variable, and the reasons that are told."""
    ran = run(text, READER, spec=f"{TARGET}variables:\n{variables}")
    (args,) = [item["spec"]["containers"][0]["args"] for item in ran.items if item["kind"] == "Pod"]
    return args, ran.reasons


def test_a_field_is_read_as_this_run_leaves_it() -> None:
    once = first("{region: $(REGION)}", REGION.replace("VALUE", "eu"))
    args, told = read(once, REGION.replace("VALUE", "us") + READ)
    assert (args, told) == (["us"], [])


def test_a_name_that_this_run_does_not_declare_has_its_recorded_value() -> None:
    once = first("{region: $(REGION)}", REGION.replace("VALUE", "eu"))
    args, told = read(once, READ)
    assert (args, told) == (["eu"], ["KeptLastValue"])


UNKNOWN = {
    "a name that is declared further down": (READ + REGION.replace("VALUE", "us"), ""),
    "a secret": (PIN + READ, PINS),
}


@pytest.mark.parametrize(("variables", "more"), UNKNOWN.values(), ids=UNKNOWN)
def test_what_has_no_value_yet_is_an_error(variables: str, more: str) -> None:
    name = "PIN" if more else "REGION"
    once = first(f"{{region: $({name})}}", PIN if more else REGION.replace("VALUE", "eu"), *filter(None, [more]))
    ran = run(once, READER, spec=f"{TARGET}variables:\n{variables}")
    (invalid,) = ran.of("InvalidSource")
    assert invalid.message.startswith("`data.region` of ConfigMap `settings` still holds a reference, so it is not yet")


def test_values_that_lead_back_to_themselves_are_an_error() -> None:
    """As somebody may write them into a record: no run records a circle."""
    once = first("{region: $(REGION)}", REGION.replace("VALUE", "eu")).replace('"eu"', '"\\u0024(REGION)"')
    assert run(once, READER, spec=f"{TARGET}variables:\n{READ}").reasons == ["InvalidSource"]


def test_a_key_that_another_functionconfig_expanded_is_read_as_that_left_it() -> None:
    once = first("{region: $(REGION)}", REGION.replace("VALUE", "eu"))
    args, told = read(once, KEY)
    assert (args, told) == (["eu"], ["KeptLastValue"])


def test_a_key_that_this_functionconfig_expands_is_read_as_in_its_first_run() -> None:
    """Else a second run would give something else than the first."""
    text = config_map("settings", "{region: $(REGION)}")
    variables = REGION.replace("VALUE", "eu") + KEY
    ran = run(text, READER, spec=f"{TARGET}variables:\n{variables}")
    again = run(ran.text, spec=f"{TARGET}variables:\n{variables}")
    assert (again.text, again.reasons) == (ran.text, ran.reasons)
    assert ran.reasons == ["LiteralReference"]
