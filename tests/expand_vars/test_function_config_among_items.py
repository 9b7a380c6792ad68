"""An ExpandVars among the items: when it is the functionConfig of a run, and what is reported when it is not."""

from __future__ import annotations

import pytest

from expand_vars import pipeline
from tests.expand_vars.expansion.running import Ran, config

SHOP = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: shop}
spec: {variables: [{name: REGION, value: eu}]}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, args: ["$(REGION)"]}]}
"""
EXPANDED = POD.replace('"$(REGION)"', '"eu"')


def as_list(text: str) -> str:
    """Return the ResourceList of documents."""
    items = (f"- {one.rstrip()}".replace("\n", "\n  ") for one in text.split("---\n"))
    return "kind: ResourceList\nitems:\n" + "".join(f"{item}\n" for item in items)


OTHER = SHOP.replace("name: shop", "name: other")
USED, LEFT = f"{SHOP}---\n{EXPANDED}", f"{SHOP}---\n{POD}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (LEFT, f"---\n{EXPANDED}"),
        (f"---\n{POD}---\n# of all\n{SHOP}", f"---\n{EXPANDED}"),
        (f"{POD}---\n{SHOP}---\n{POD}", f"{EXPANDED}---\n{EXPANDED}"),
        (SHOP, ""),
    ],
)
def test_the_only_one_among_plain_documents_is_the_functionconfig_and_no_manifest(given: str, expected: str) -> None:
    assert pipeline.run(given).text == expected


def test_one_with_a_mistake_ends_the_run() -> None:
    output = pipeline.run(LEFT.replace("variables", "variabels"))
    assert (output.text, output.exit_code) == ("", 1)


def test_arguments_win_over_the_function_config() -> None:
    assert pipeline.run(LEFT, None, [("REGION", "us")]).text == f"---\n{EXPANDED}".replace('"eu"', '"us"')


def test_a_functionconfig_that_is_given_stands_in_for_it() -> None:
    given = config("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {REGION: us}\n")
    assert pipeline.run(LEFT, given).text == USED.replace('"eu"', '"us"')
    assert pipeline.run(LEFT, given).results == []


MESSAGE = (
    "ExpandVars `shop` is among the items, but it is not the functionConfig of this run, which declares no variables: "
    "name it with `--fn-config FILE`, with `configPath` in a Kptfile, or with `transformers` in a kustomization"
)


@pytest.mark.parametrize("text", [as_list(LEFT), f"{LEFT}---\n{OTHER}"])
def test_any_other_is_reported_where_the_run_declares_no_variables(text: str) -> None:
    ran = Ran(pipeline.run(text))
    told = [(one.severity, one.message, str(one.ref)) for one in ran.of("UnusedFunctionConfig")]
    assert told[-1] == ("warning", MESSAGE, "expandvars.dev/v1alpha1/ExpandVars/shop")
    assert "$(REGION)" in ran.text


def test_a_run_that_has_variables_has_its_functionconfig() -> None:
    assert Ran(pipeline.run(as_list(LEFT), None, [("REGION", "us")])).of("UnusedFunctionConfig") == []
    assert Ran(pipeline.run(as_list(LEFT), config(OTHER))).of("UnusedFunctionConfig") == []
    assert Ran(pipeline.run(as_list(LEFT), config(SHOP))).of("UnusedFunctionConfig") == []


def test_an_item_that_cannot_be_read_is_no_functionconfig() -> None:
    broken = SHOP.replace("spec: ", "spec: {}\nspec: ")
    assert pipeline.run(f"{broken}---\n{POD}").text == f"{broken}---\n{POD}"
