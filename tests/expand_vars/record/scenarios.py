"""Runs in place, one folder of `testdata/expand_vars/record` each: run, change something, run, and run once more.

`input.yaml` is what the first run gets and `first.yaml` what it gives; `change.yaml` says in words what the user then
changes, and which text becomes which; `second.yaml` is what the second run gives. The third must change nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[3] / "testdata" / "expand_vars" / "record"


class Scenario(NamedTuple):
    """A folder of `testdata/expand_vars/record`."""

    folder: Path

    def read(self, name: str) -> str:
        """Return a text of the scenario, its line ends untouched."""
        return (self.folder / name).read_bytes().decode()

    def changed(self, text: str) -> str:
        """Return what the first run has given as the second run gets it: changed, and without results."""
        text = without_results(text)
        for edit in yaml.safe_load(self.read("change.yaml"))["edits"]:
            assert edit["old"] in text, f"there is no {edit['old']!r} to change"
            text = text.replace(edit["old"], edit["new"])
        return text


ALL = [Scenario(path.parent) for path in sorted(ROOT.glob("*/input.yaml"))]
assert ALL, f"no scenarios under {ROOT}"


def without_results(text: str) -> str:
    """Return a ResourceList as an orchestrator sends it to the next function."""
    return text.partition("\nresults:\n")[0].removesuffix("\n") + "\n"
