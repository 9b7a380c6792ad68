"""What is explained is what is done: each golden case of the function is explained too, and its fields compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from expand_vars import pipeline
from expand_vars.expansion.explanation import ESCAPE, SHELL, UNEXPANDED
from expand_vars.expansion.resolution import FORWARD, KNOWN, LEFT, UNDEFINED
from krm import resourcelist, results, secrets
from krm.resource import Resource
from krm.results import FnError
from krm.yamltree.nodes import Scalar, resolved
from tests.expand_vars.expansion import running
from tests.expand_vars.test_pipeline import ROOT, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from expand_vars.expansion.explanation import ExplainedReference
    from krm.fieldpath import Place

CASES = sorted(ROOT.glob("testdata/expand_vars/function/*/input.yaml")) + sorted(
    ROOT.glob("testdata/expand_vars/record/*/second.yaml")
)
assert CASES

LONG = 5  # what is shorter may be a word that stands elsewhere, too
STATES = {KNOWN, LEFT, FORWARD, UNDEFINED, UNEXPANDED, ESCAPE, SHELL}

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")


class Explained(NamedTuple):
    """A reference, with the texts that its field has in the input and in the output."""

    reference: ExplainedReference
    before: str
    after: str


def text_at(item: Resource, place: Place) -> str:
    return next(scalar.value for _, node in item.find(place) if isinstance(scalar := resolved(node), Scalar))


def explained(case: Path) -> list[Explained]:
    """Return the references of a case, none where the run fails."""
    config = text_of(case.with_name("config.yaml"))
    given = resourcelist.read(text_of(case))
    function_config = Resource(config, (0, len(config)), "config.yaml") if config else given.function_config
    arguments = [line.partition("=")[::2] for line in text_of(case.with_name("arguments.txt")).splitlines()]
    if results.failed(given.results):
        return []
    try:
        references = running.explained(given, function_config, arguments).references()
    except FnError:
        return []
    output = given.emit()
    if output.exit_code or results.failed(given.results):
        return []
    before, after = (resourcelist.read(text).items for text in (text_of(case), output.text))
    numbers = {id(item): number for number, item in enumerate(given.items)}
    placed = [(one, numbers[id(one.resource)]) for one in references]
    return [Explained(one, *(text_at(items[n], one.place) for items in (before, after))) for one, n in placed]


@every_case
def test_a_reference_that_is_known_is_replaced_and_no_other(case: Path) -> None:
    for one, before, after in explained(case):
        written = f"$({one.name})"
        assert one.state in STATES
        assert one.explanation
        if one.state == KNOWN:
            assert written not in after or one.text is None or written in (one.value or "") or "$$" in one.text
        else:
            assert written in after or after == before


@every_case
def test_the_value_of_one_that_is_a_whole_field_is_what_the_field_becomes(case: Path) -> None:
    for one, _, after in explained(case):
        if one.value is not None and (one.state, one.text) == (KNOWN, f"$({one.name})"):
            assert after.replace("$$", "$") == one.value.replace("$$", "$")


@every_case
def test_the_results_are_those_of_a_run(case: Path) -> None:
    """What a run reports `explain` reports, and nothing else: about the references, and about all the rest."""
    text, config = text_of(case), text_of(case.with_name("config.yaml"))
    function_config = Resource(config, (0, len(config)), "config.yaml") if config else None
    arguments = [line.partition("=")[::2] for line in text_of(case.with_name("arguments.txt")).splitlines()]
    of_run = pipeline.run(text, function_config, arguments).results
    given = resourcelist.read(text)
    found = []
    try:
        running.explained(given, function_config or given.function_config, arguments)
        found += given.results
    except FnError as error:
        found += error.results
    assert sorted(map(str, found)) == sorted(map(str, of_run))


WITH_SECRETS = [case for case in CASES if "kind: Secret" in text_of(case)]
assert WITH_SECRETS


@pytest.mark.parametrize("case", WITH_SECRETS, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_what_a_secret_holds_is_not_shown(case: Path) -> None:
    items = resourcelist.read(text_of(case)).items
    texts = [text or "" for item in items if item.kind == "Secret" for text in secrets.texts(item).values()]
    held = {text for text in texts if len(text) >= LONG and "$(" not in text}
    for one, _, _ in explained(case):
        shown = (one.text or "", one.value or "", one.explanation)
        assert [text for text in held if any(text in of_one for of_one in shown)] == []
