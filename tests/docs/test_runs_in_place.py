"""docs/reference/runs-in-place.md is true."""

from __future__ import annotations

from difflib import unified_diff

from tests.expand_vars.expansion.running import run
from tests.pages import Page

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
