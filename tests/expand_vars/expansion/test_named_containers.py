"""Containers that stand in no pod spec: the key `container` of `podTemplates`."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from krm import resourcelist
from tests.expand_vars.expansion.running import FUNCTION_CONFIG, config, explained, indented, run

VARIABLES = "variables: [{name: TAG, value: '1.27'}, {name: REGION, value: eu}, {name: PORT, value: '80'}]\n"
CONTAINER = """{
  image: "nginx:$(TAG)", name: web, workingDir: /$(REGION),
  env: [{name: OWN, value: own}, {name: BOTH, value: $(OWN)-$(REGION)}],
  args: ["--region=$(REGION)", $(OWN), $(LATER)],
  ports: [{containerPort: $(PORT)}], livenessProbe: {exec: {command: [$(REGION)]}},
  lifecycle: {preStop: {exec: {command: [$(REGION)]}}}}"""
EXPANDED = {
    "image": "nginx:1.27",
    "name": "web",
    "workingDir": "/$(REGION)",
    "env": [{"name": "OWN", "value": "own"}, {"name": "BOTH", "value": "own-eu"}],
    "args": ["--region=eu", "own", "$(LATER)"],
    "ports": [{"containerPort": 80}],
    "livenessProbe": {"exec": {"command": ["eu"]}},
    "lifecycle": {"preStop": {"exec": {"command": ["$(REGION)"]}}},
}
OWN, SERVING, SPARK = (
    ("example.com", "Robot"),
    ("serving.kserve.io", "InferenceService"),
    ("sparkoperator.k8s.io", "SparkApplication"),
)


def of_kind(kind: tuple[str, str], spec: str) -> str:
    return f"apiVersion: {kind[0]}/v1\nkind: {kind[1]}\nmetadata: {{name: r}}\nspec: {spec}\n"


def named(kind: tuple[str, str], path: str) -> str:
    return f'{VARIABLES}podTemplates: [{{group: {kind[0]}, kind: {kind[1]}, container: "{path}"}}]'


ROWS: dict[str, tuple[tuple[str, str], str, str, list[str | int]]] = {
    "a mapping": (OWN, "{driver: %s, other: %s}", "spec.driver", ["driver"]),
    "a list": (OWN, "{steps: [%s], other: %s}", "spec.steps", ["steps", 0]),
    "each element of a list": (OWN, "{steps: [%s], other: %s}", "spec.steps[*]", ["steps", 0]),
    "each value of a mapping": (OWN, "{roles: {a: %s}, other: %s}", "spec.roles[*]", ["roles", "a"]),
    "the spec itself": (OWN, "%s", "spec", []),
    "a single container of KServe": (
        SERVING,
        "{predictor: {model: %s}}",
        "spec.predictor.model",
        ["predictor", "model"],
    ),
    "one of Spark": (SPARK, "{driver: %s, executor: %s}", "spec.driver", ["driver"]),
}


def at(spec: Any, way: list[str | int]) -> Any:
    for step in way:
        spec = spec[step]
    return spec


@pytest.mark.parametrize("row", ROWS)
def test_a_container_that_is_named_is_expanded_as_those_of_a_pod_spec(row: str) -> None:
    kind, spec, path, way = ROWS[row]
    given = of_kind(kind, spec.replace("%s", CONTAINER))
    ran = run(given, spec=named(kind, path))
    expected = yaml.safe_load(given)
    there = at(expected["spec"], way)
    there |= EXPANDED
    assert ran.items == [expected]
    assert "NoEffect" not in ran.reasons


def test_other_fields_beside_those_of_a_container_are_free_text() -> None:
    given = of_kind(
        SERVING,
        "{predictor: {model: {storageUri: s3://$(REGION), args: [$(REGION)]}, containers: [{args: [$(TAG)]}]}}",
    )
    ran = run(given, spec=named(SERVING, "spec.predictor.model"))
    model = ran.items[0]["spec"]["predictor"]["model"]
    assert model == {"storageUri": "s3://$(REGION)", "args": ["eu"]}
    # The pod specs of the table count beside it.
    assert ran.items[0]["spec"]["predictor"]["containers"][0]["args"] == ["1.27"]
    (result,) = ran.of("UntargetedReference")
    assert "fieldPaths: [spec.predictor.model.storageUri]" in result.message


def test_what_is_known_of_its_pod_is_what_it_says_itself() -> None:
    names = "{fieldRef: {fieldPath: metadata.name}}", """{fieldRef: {fieldPath: "metadata.labels['a']"}}"""
    env = f"[{{name: N, valueFrom: {names[0]}}}, {{name: L, valueFrom: {names[1]}}}]"
    given = of_kind(OWN, f"{{metadata: {{labels: {{a: b}}}}, driver: {{env: {env}, args: [$(N), $(L)]}}}}")
    ran = run(given, spec=f"{named(OWN, 'spec.driver')}\ninline: [Downward]")
    assert ran.items[0]["spec"]["driver"]["args"] == ["$(N)", "$(L)"]


def test_one_that_is_named_in_a_pod_spec_is_met_once() -> None:
    kind = ("example.com", "Robot")
    given = of_kind(kind, "{template: {spec: {containers: [{name: c, args: [$(REGION), $(NONE)]}]}}}")
    both = f"{{group: {kind[0]}, kind: {kind[1]}"
    entries = f'{both}, fieldPath: spec.template}}, {both}, container: "spec.template.spec.containers"}}'
    ran = run(given, spec=f"{VARIABLES}podTemplates: [{entries}]")
    assert ran.items[0]["spec"]["template"]["spec"]["containers"][0]["args"] == ["eu", "$(NONE)"]
    assert sum("NONE" in result.message for result in ran.results) == 1


@pytest.mark.parametrize("spec", ["{driver: [$(TAG)]}", "{driver: $(TAG)}", "{driver: {env: {A: $(TAG)}}}"])
def test_what_has_the_shape_of_no_container_stays(spec: str) -> None:
    given = of_kind(OWN, spec)
    assert run(given, spec=named(OWN, "spec.driver")).text == given


def test_a_path_that_leads_nowhere_has_no_effect() -> None:
    ran = run(of_kind(OWN, "{driver: {args: [a]}}"), spec=named(OWN, "spec.drivr"))
    (result,) = (one for one in ran.results if one.reason == "NoEffect" and "Robot" in one.message)
    assert (result.message, result.field) == (
        (
            "no `Robot` of group `example.com` has what `container` names: mend it, `group` or `kind`, or remove the "
            "entry"
        ),
        "spec.podTemplates",
    )


def test_a_value_that_does_not_fit_a_field_of_it_is_an_error() -> None:
    given = of_kind(OWN, "{driver: {image: i, ports: [{containerPort: $(REGION)}]}}")
    (result,) = run(given, spec=named(OWN, "spec.driver")).of("UnfitValue")
    assert result.severity == "error"


def test_explain_shows_the_container_that_a_field_is_in() -> None:
    given = of_kind(
        OWN, "{driver: {args: [$(REGION)]}, steps: [{name: s, args: [$(REGION)]}], other: {args: [$(REGION)]}}"
    )
    spec = f"{named(OWN, 'spec.driver')[:-1]}, {{group: {OWN[0]}, kind: {OWN[1]}, container: spec.steps}}]"
    found = explained(resourcelist.read(given), config(FUNCTION_CONFIG + indented(spec, 2)))
    assert [(one.place[1:-1], one.container, one.value) for one in found.references()] == [
        (("driver", "args"), ("spec", "driver"), "eu"),
        (("steps", 0, "args"), ("spec", "steps", 0), "eu"),
        (("other", "args"), (), None),
    ]
