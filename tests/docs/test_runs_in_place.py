"""docs/reference/runs-in-place.md is true."""

from __future__ import annotations

from difflib import unified_diff

import pytest

from tests.expand_vars.expansion.running import pod, run
from tests.pages import Page, quoted

PAGE = Page("runs-in-place")
TESTED = {"Runs in place": "yaml diff"}


def test_what_is_remembered() -> None:
    block, _ = PAGE.blocks("Runs in place")
    source = "".join(
        line.partition(" # expand: ")[0].replace("eu-west-1", "$(REGION)") + "\n"
        for line in block.text.splitlines()
        if not line.lstrip().startswith("#")
    )
    assert run(source, spec="record: Always", arguments=[("REGION", "eu-west-1")]).text == block.text


def test_what_a_reviewer_sees() -> None:
    before, shown = PAGE.blocks("Runs in place")
    after = run(before.text, spec="record: Always", arguments=[("REGION", "us-east-1")]).text
    diff = unified_diff(before.text.splitlines(keepends=True), after.splitlines(keepends=True), n=1)
    assert "".join([*diff][4:]) == shown.text


@pytest.mark.parametrize("row", PAGE.tables("What becomes of your edit")[0], ids=lambda row: row[0])
def test_what_becomes_of_an_edit(row: list[str]) -> None:
    (edit, *_), written = quoted(row[0]), quoted(row[1])
    ran = run(pod(f"args:\n- {edit}\n"), spec="record: Always", arguments=[("R", "us")])
    assert ran.text == pod(f"args:\n- {edit if row[1].startswith('it stays') else written[0]}\n")
    assert [one.reason for one in ran.results if one.reason != "UnusedArgument"] == quoted(row[2])
