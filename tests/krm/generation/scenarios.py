"""Generation, one folder of `testdata/expand_vars/generation` each: run, change, run, and run once more.

`input.yaml` is what the first run gets, and `first.yaml` what it gives; `change.yaml` says in words what changes then,
and which text becomes which above `items:` and below, with `in: origin` in the origins that items carry as well.
`second.yaml` is what the second run gives. The third changes nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import yaml

ORIGIN = re.compile(r"^(?P<margin> +)expandvars.dev/last-generated: \|\n(?:(?P=margin) .*\n)+", re.MULTILINE)
ROOT = Path(__file__).parents[3] / "testdata" / "expand_vars" / "generation"


class Scenario(NamedTuple):
    """A folder of `testdata/expand_vars/generation`."""

    folder: Path

    def read(self, name: str) -> str:
        """Return a text of the scenario, its line ends untouched."""
        return (self.folder / name).read_bytes().decode()

    def changed(self, text: str) -> str:
        """Return what the first run has given as the second run gets it: changed, and without results."""
        changes = yaml.safe_load(self.read("change.yaml"))
        config, _, items = without_results(text).partition("\nitems:")
        above = _changed(f"{config}\n", changes.get("functionConfig", []))
        return f"{above}items:{_changed(items, changes.get('items', []))}"


def _changed(text: str, edits: list[dict[str, str]]) -> str:
    """Return a text with edits made, outside of origins alone unless an edit is made in an origin."""
    for edit in edits:
        origins = [match[0] for match in ORIGIN.finditer(text)]
        hidden = {f"<origin {number}>\n": origin for number, origin in enumerate(origins)} if "in" not in edit else {}
        for mark, origin in hidden.items():
            text = text.replace(origin, mark, 1)
        assert edit["old"] in text, f"there is no {edit['old']!r} to change"
        text = text.replace(edit["old"], edit["new"])
        for mark, origin in hidden.items():
            text = text.replace(mark, origin)
    return text


ALL = [Scenario(path.parent) for path in sorted(ROOT.glob("*/input.yaml"))]
assert ALL, f"no scenarios under {ROOT}"


def without_results(text: str) -> str:
    """Return a ResourceList as an orchestrator sends it to the next function."""
    return text.partition("\nresults:\n")[0].removesuffix("\n") + "\n"
