"""docs/runs-in-place.md is true."""

from __future__ import annotations

from tests.expand_vars.expansion.running import run
from tests.pages import Page

PAGE = Page("runs-in-place")
TESTED = {"Runs in place": "yaml"}


def test_what_is_remembered() -> None:
    (block,) = PAGE.blocks("Runs in place")
    source = "".join(
        line.partition(" # expand: ")[0].replace("eu-west-1", "$(REGION)") + "\n"
        for line in block.text.splitlines()
        if not line.lstrip().startswith("#")
    )
    assert run(source, spec="record: Always", arguments=[("REGION", "eu-west-1")]).text == block.text
