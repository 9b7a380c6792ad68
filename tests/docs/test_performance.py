"""docs/reference/performance.md: its targets are there. `make bench` and `make bench-peers` measure its figures."""

from __future__ import annotations

import re

from tests.bench.measuring import Measure
from tests.bench.peers import page, programs
from tests.bench.peers.__main__ import PATIENCE, fast_enough
from tests.pages import ROOT, Page

PAGE = Page("performance")
TESTED = {"Compiled wheels": "sh"}


def test_the_targets_are_there() -> None:
    [block] = PAGE.blocks("Compiled wheels")
    makefile = (ROOT / "Makefile").read_text()
    for line in block.text.splitlines():
        _, target, *_ = line.split()
        assert f"\n{target}:" in makefile


def test_each_peer_is_in_both_tables() -> None:
    text = page.PAGE.read_text()
    for work in page.WORK.values():
        (written,) = re.findall(rf"<!-- {work}: .*-->\n((?:\|.*\n)+){page.END}", text)
        assert [line.split(" | ")[0].lstrip("| ") for line in written.splitlines()[2:]] == [
            peer.name for peer in programs.ALL
        ]


def test_ours_is_measured_on_a_slow_machine_too() -> None:
    peers = [peer for peer in programs.ALL if peer.name in (programs.OURS, programs.SETTERS, programs.HELM)]
    seconds = {programs.OURS: PATIENCE / 5, programs.SETTERS: PATIENCE / 5, programs.HELM: PATIENCE / 20}
    done = {page.Figure(name, 2_000, 100): Measure(one, 0) for name, one in seconds.items()}
    assert [peer.name for peer in fast_enough(peers, done)] == [programs.OURS, programs.HELM]
