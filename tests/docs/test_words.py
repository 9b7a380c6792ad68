"""docs/reference/words.md is true: each row of the table of values is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars import pipeline
from expand_vars.functionconfig.config import Config
from tests import process
from tests.pages import Page, resource, resources

if TYPE_CHECKING:
    from pathlib import Path

    from krm.results import Result

PAGE = Page("words")
CONFIG = """apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: shop
spec:
  variables:
  - {name: R, value: eu}
"""
TEMPLATES = """  templates:
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: made
    data:
      region: in $(R)
"""
ITEM = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  region: OLD\n"
# Of each row: the functionConfig, the item before the first run, and the new version of the functionConfig.
RUNS = {
    "with a template comment": (CONFIG, ITEM.replace("OLD", "in eu # expand: in $(R)"), CONFIG.replace(": eu", ": us")),
    "of a generated resource": (CONFIG + TEMPLATES, "", CONFIG + TEMPLATES.replace(": in", ": near")),
    "of an adopted item": (CONFIG + TEMPLATES, ITEM, CONFIG + TEMPLATES.replace(": in", ": near")),
}
# What each row says of a change of mine, of the other side's, and of both.
VALUES = {
    "with a template comment": ("mine", "in us", "mine"),
    "of a generated resource": ("mine", "near eu", "near eu"),
    "of an adopted item": ("mine", "OLD", "mine"),
}


def run(items: str, config: str) -> tuple[str, list[Result]]:
    output = pipeline.run(items, resource(config), settle=Config.in_place)
    return output.text, output.results


def value(text: str) -> str:
    return str(resources(text)[0].get("data.region"))


def edited(text: str) -> str:
    first, rest = text.split("\n---\n", 1) if "\n---\n" in text else (text, "")
    return first.replace(f"region: {value(text)}", "region: mine") + (f"\n---\n{rest}" if rest else "")


@pytest.mark.parametrize("row", RUNS)
@pytest.mark.parametrize("column", range(3))
def test_whose_value_stays(row: str, column: int) -> None:
    config, items, changed = RUNS[row]
    text, _ = run(items, config)
    mine, new = column in (0, 2), column in (1, 2)
    text, told = run(edited(text) if mine else text, changed if new else config)
    assert value(text) == VALUES[row][column]
    is_conflict = [(result.reason, result.severity) for result in told if result.reason == "Conflict"]
    assert is_conflict == ([("Conflict", "warning")] if row == "of a generated resource" and mine and new else [])


def test_another_value_of_a_variable_is_no_change_of_the_template() -> None:
    config, items, _ = RUNS["of a generated resource"]
    text, _ = run(edited(run(items, config)[0]), config.replace(": eu", ": us"))
    assert value(text) == "mine"


@pytest.mark.parametrize(("update", "local", "wanted", "code"), [
    ("OLD", "mine", "mine", 0),
    ("new", "OLD", "new", 0),
    ("new", "mine", "mine", 1),
])  # fmt: skip
def test_whose_value_stays_in_a_file(update: str, local: str, wanted: str, code: int, tmp_path: Path) -> None:
    for name, text in {"origin": "OLD", "update": update, "local": local}.items():
        (tmp_path / name).write_text(ITEM.replace("OLD", text))
    answer = process.krm("merge3", "origin", "update", "local", stdin=b"", folder=tmp_path)
    assert (answer.stdout.decode(), answer.code) == (ITEM.replace("OLD", wanted), code)


def test_each_row_is_run() -> None:
    ((*rows, of_files),) = PAGE.tables("Whose value stays")
    assert [row[0] for row in rows] == [*RUNS]
    assert of_files[0] == "of a file that `merge3` or git merges"
