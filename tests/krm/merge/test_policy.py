"""The words of conflict policies are written once: schema, commands and SDK take them from there."""

from __future__ import annotations

import inspect
import re

import pytest

import krm
from expand_vars.functionconfig.config import schema
from krm.commands import merge, wrap
from krm.merge.policy import DEFAULT_ON_CONFLICT, DEFAULT_STRATEGY, ON_CONFLICT, STRATEGIES
from tests.process import ROOT

SCHEMA = schema()
MERGE = SCHEMA["properties"]["spec"]["properties"]["merge"]["properties"]


def test_the_schema_of_a_functionconfig() -> None:
    assert SCHEMA["$defs"]["onConflict"]["enum"] == [*ON_CONFLICT]
    assert MERGE["onConflict"]["default"] == DEFAULT_ON_CONFLICT
    assert (MERGE["strategy"]["enum"], MERGE["strategy"]["default"]) == ([*STRATEGIES], DEFAULT_STRATEGY)


COMMANDS = {
    "merge3": lambda *words: merge.main(["merge3", "origin", "update", "local", *words]),
    "wrap": lambda *words: wrap.main(["wrap", *words, "--", "true"]),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("option", "words"), [("--on-conflict", ON_CONFLICT), ("--strategy", STRATEGIES)])
def test_the_commands(command: str, option: str, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        COMMANDS[command](option, "Other")
    _, _, listed = capsys.readouterr().err.splitlines()[1].partition("invalid choice: 'Other' (choose from ")
    assert listed.replace("'", "") == f"{', '.join(words)})"


def test_the_sdk() -> None:
    assert inspect.signature(krm.generate).parameters["on_conflict"].default == DEFAULT_ON_CONFLICT


# A comparison says "update, else local": another side that wins would count as local there, in silence.
COMPARED = re.compile(
    r'(?:is|is not|==|!=|in) \(?"(?:TakeUpdate|KeepLocal)"|(?:winner|choice|decision) [!=]= "(?:update|local)'
)


def test_nobody_compares_who_wins() -> None:
    modules = [*(ROOT / "fn").rglob("*.py")]
    assert modules
    assert {str(path): found for path in modules if (found := COMPARED.findall(path.read_text()))} == {}


@pytest.mark.parametrize("line", ['if choice == "update":', 'a = x == "KeepLocal"', 'if winner != "local":'])
def test_a_comparison_would_be_found(line: str) -> None:
    assert COMPARED.search(line)
