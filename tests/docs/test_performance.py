"""docs/performance.md: its targets are there. `make bench` and `make bench-peers` measure its figures."""

from __future__ import annotations

from tests.pages import ROOT, Page

PAGE = Page("performance")
TESTED = {"Compiled wheels": "sh"}


def test_the_targets_are_there() -> None:
    [block] = PAGE.blocks("Compiled wheels")
    makefile = (ROOT / "Makefile").read_text()
    for line in block.text.splitlines():
        _, target, *_ = line.split()
        assert f"\n{target}:" in makefile
