"""docs/command-line.md is true: its usage and its options are those of the table, and each command is there.

`UPDATE=1 pytest tests/docs/test_command_line.py` writes them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from expand_vars import cli
from expand_vars.commands.table import PROGRAM
from tests import process
from tests.pages import Page, quoted

if TYPE_CHECKING:
    from pathlib import Path

    from krm.commands.options import Option

PAGE = Page("command-line")
TESTED = {"Command line": "text"}


def usage() -> str:
    lines = [*map(PROGRAM.usage, PROGRAM.commands), "expand-vars --help"]
    return "\n".join(["```text", *lines, "```"])


def options() -> str:
    rows = [["option", "of", "does", "unless said", "not with"], ["---"] * 5, *map(row, PROGRAM.options)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def row(option: Option) -> list[str]:
    title = option.title.replace("|", "\\|")
    commands = ", ".join(f"`{name}`" if name else "*pipe*" for name in option.commands)
    default = "" if option.default is None else f"`{option.default}`"
    return [f"`{title}`", commands, option.sentence, default, ", ".join(f"`{one}`" for one in option.excludes)]


@pytest.mark.parametrize(("name", "text"), [("usage", usage()), ("options", options())])
def test_the_page_is_made_of_the_table(name: str, text: str) -> None:
    expected = f"<!-- {name} -->\n{text}\n<!-- /{name} -->"
    pattern = re.compile(f"<!-- {name} -->.*?<!-- /{name} -->", re.DOTALL)
    if "UPDATE" in os.environ:
        PAGE.path.write_text(pattern.sub(lambda _: expected, PAGE.text))
    assert pattern.findall(PAGE.text) == [expected]


@pytest.mark.parametrize("command", PROGRAM.commands)
def test_each_command_prints_its_usage_and_its_options(command: str) -> None:
    answer = process.run(*filter(None, [command, "--help"]), stdin=b"")
    told = answer.stdout.decode()
    assert told.startswith(f"usage: {PROGRAM.usage(command)}\n")
    assert re.findall(r"^  (--.*?)(?:  |$)", told, re.MULTILINE) == [one.title for one in PROGRAM.of(command)]
    assert answer[1:] == ("", 0)


def test_every_command_has_a_module_and_a_page() -> None:
    named = {name for name in PROGRAM.commands if name}
    assert named == {*cli.COMMANDS}
    assert named == {name for row in PAGE.tables("Command line")[0] for name in quoted(row[0])}


def test_every_option_is_of_commands_that_are_there_and_excludes_what_they_have() -> None:
    for option in PROGRAM.options:
        for command in option.commands:
            assert command in PROGRAM.commands
        words = {name for name in option.excludes if name.startswith("--")}
        assert words <= {one.name for command in option.commands for one in PROGRAM.of(command)}


POD = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: web, args: [$(A), $(B)]}\n"


def test_arguments_win_over_the_function_config(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\ndata: {A: config, B: config}\n")
    answer = process.run("--fn-config", str(tmp_path / "config.yaml"), "A=argument", stdin=POD.encode())
    assert b"args: [argument, config]" in answer.stdout


@pytest.mark.parametrize("words", [("A=1", "A=2"), ("A=1", "B=2", "A=1"), ("eval", "web.yaml", "A=1", "A=2")])
def test_a_variable_that_is_given_twice_is_wrong_usage(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text(POD)
    answer = process.run(*words, stdin=POD.encode(), folder=tmp_path)
    assert (answer.code, answer.stdout, (tmp_path / "web.yaml").read_text()) == (2, b"", POD)
    assert "error: `A` is given twice: leave one out\n" in answer.stderr


def test_arguments_win_over_the_environment_and_that_over_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FROM", "environment")
    (tmp_path / "values.env").write_text("A=file\nB=file\nC=file\n")
    words = ("--env-file", str(tmp_path / "values.env"), "--env", "A=FROM", "--env", "B=FROM", "A=argument")
    answer = process.run(*words, stdin=POD.replace("$(B)", "$(B), $(C)").encode())
    assert b"args: [argument, environment, file]" in answer.stdout
