"""docs/reference/architecture.md is true: its layers are those that import-linter proves, its modules are there."""

from __future__ import annotations

import itertools
import re
import tomllib
from importlib.util import find_spec
from pydoc import locate

from tests.pages import ROOT, Page, quoted

PAGE = Page("architecture")
TESTED = {"Layers": "text"}


def test_the_layers_are_those_that_are_proven() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (block,) = PAGE.blocks("Layers")
    for line in block.text.splitlines():
        package, shown = line.split(maxsplit=1)
        (layers,) = (contract["layers"] for contract in contracts if contract.get("containers") == [package])
        proven = [name for layer in layers for name in re.findall(r"\w+", layer)]
        levels = [re.findall(r"\w+", level) for level in shown.split(" > ")]
        places = [[proven.index(name) for name in names] for names in levels]
        assert all(max(upper) < min(lower) for upper, lower in itertools.pairwise(places)), line


def test_what_the_lives_name_is_there() -> None:
    names = re.findall(r"`((?:krm|expand_vars)\.[\w.]+)`", PAGE.sections()["Three lives"])
    assert len(names) > 15
    assert [name for name in names if locate(name) is None] == []


def test_the_modules_of_the_flow_are_there() -> None:
    modules = [name for row in PAGE.tables("Flow")[0] for name in quoted(row[1])]
    assert len(modules) > 5
    assert [name for name in modules if find_spec(name) is None] == []
