"""Generation, one folder of `testdata/expand_vars/generation` each: run, change, run, and run once more.

`input.yaml` is what the first run gets, and `first.yaml` what it gives; `change.yaml` says in words what changes then,
and which text becomes which above `items:` and below, with `in: state` in the states as well. `second.yaml` is what the
second run gives. The third changes nothing. Each run is in place, unless `input.yaml` begins with `# a pipe`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import yaml

from expand_vars import pipeline

STATE = re.compile(r"^- # What [^\n]*\n  apiVersion: [^\n]*\n  kind: GeneratedResources\n(?:  .*\n)+", re.MULTILINE)
ROOT = Path(__file__).parents[3] / "testdata" / "expand_vars" / "generation"


class Scenario(NamedTuple):
    """A folder of `testdata/expand_vars/generation`."""

    folder: Path

    def read(self, name: str) -> str:
        """Return a text of the scenario, its line ends untouched."""
        return (self.folder / name).read_bytes().decode()

    @property
    def is_pipe(self) -> bool:
        """True if nobody reads again what a run writes."""
        return self.read("input.yaml").startswith("# a pipe\n")

    def changed(self, text: str) -> str:
        """Return what the first run has given as the second run gets it: changed, and without results."""
        changes = yaml.safe_load(self.read("change.yaml"))
        config, _, items = without_results(text).partition("\nitems:")
        above = _changed(f"{config}\n", changes.get("functionConfig", []))
        return f"{above}items:{_changed(items, changes.get('items', []))}"


def _changed(text: str, edits: list[dict[str, str]]) -> str:
    """Return a text with edits made, outside of states alone unless an edit is made in a state."""
    for edit in edits:
        states = [match[0] for match in STATE.finditer(text)]
        hidden = {f"<state {number}>\n": state for number, state in enumerate(states)} if "in" not in edit else {}
        for mark, state in hidden.items():
            text = text.replace(state, mark, 1)
        assert edit["old"] in text, f"there is no {edit['old']!r} to change"
        text = text.replace(edit["old"], edit["new"])
        for mark, state in hidden.items():
            text = text.replace(mark, state)
    return text


ALL = [Scenario(path.parent) for path in sorted(ROOT.glob("*/input.yaml"))]
assert ALL, f"no scenarios under {ROOT}"


def run(text: str, *, is_pipe: bool) -> str:
    """Return what a run makes of a text."""
    return pipeline.run(text, settle=lambda config: config if is_pipe else config.in_place()).text


def without_results(text: str) -> str:
    """Return a ResourceList as an orchestrator sends it to the next function."""
    return text.partition("\nresults:\n")[0].removesuffix("\n") + "\n"
