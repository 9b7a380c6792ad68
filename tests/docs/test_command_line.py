"""docs/reference/command-line.md is true: its usage and its options are those of the table, and each command is there.

`UPDATE=1 pytest tests/docs/test_command_line.py` writes them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli
from expand_vars.commands.table import PROGRAM as FUNCTION
from krm import __main__ as of_krm
from krm.commands.table import PROGRAM as KRM
from tests import process
from tests.pages import Page, quoted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from krm.commands.options import Option, Program

PAGE = Page("command-line")
SCREEN = 34
TESTED = {"expand-vars": "text", "krm": "text"}
PROGRAMS = (FUNCTION, KRM)
COMMANDS = [pytest.param(one, name, id=f"{one.name} {name}") for one in PROGRAMS for name in one.commands]


def asked(program: Program, *arguments: str) -> process.Answer:
    """Return what a program answers to arguments, without an input."""
    return process.run(*arguments, stdin=b"", command=process.KRM if program is KRM else process.FILTER)


def usage(program: Program) -> str:
    lines = [*map(program.usage, program.commands), f"{program.name} --help"]
    return "\n".join(["```text", *lines, "```"])


def options(program: Program) -> str:
    rows = [["option", "of", "does"], ["---"] * 3, *map(row, program.options)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def title(option: Option) -> str:
    """Return an option as it is written, with its value: `--output FILE`."""
    return f"{option.name} {option.value}".rstrip()


def row(option: Option) -> list[str]:
    shown = title(option).replace("|", "\\|")
    commands = ", ".join(f"`{name}`" if name else "*pipe*" for name in option.commands)
    default = "" if option.default is None else f"; `{option.default}` unless said"
    excluded = f"; not with {', '.join(f'`{one}`' for one in option.excludes)}" if option.excludes else ""
    needed = f"; needs `{option.needs}`" if option.needs else ""
    return [f"`{shown}`", commands, f"{option.sentence}{default}{needed}{excluded}"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.name)
@pytest.mark.parametrize("part", [usage, options])
def test_the_page_is_made_of_the_table(program: Program, part: Callable[[Program], str]) -> None:
    name = f"{part.__name__} {program.name}"
    expected = f"<!-- {name} -->\n{part(program)}\n<!-- /{name} -->"
    pattern = re.compile(f"<!-- {name} -->.*?<!-- /{name} -->", re.DOTALL)
    if "UPDATE" in os.environ:
        PAGE.path.write_text(pattern.sub(lambda _: expected, PAGE.text))
    assert pattern.findall(PAGE.text) == [expected]


@pytest.mark.parametrize(("program", "command"), COMMANDS)
def test_each_command_prints_its_usage_and_its_options(program: Program, command: str) -> None:
    answer = asked(program, *filter(None, [command, "--help"]))
    told = answer.stdout.decode()
    assert told.startswith(f"usage: {program.usage(command)}\n")
    assert re.findall(r"^  (--.*?)(?:  |$)", told, re.MULTILINE) == [*map(title, program.of(command))]
    assert answer[1:] == ("", 0)


@pytest.mark.parametrize(("program", "first"), [(FUNCTION, ["eval"]), (KRM, ["merge3", "git-merge --install"])])
def test_the_help_of_a_program_fits_on_a_screen_and_begins_with_what_it_is_for(
    program: Program, first: list[str]
) -> None:
    told = asked(program, "--help").stdout.decode()
    assert told.count("\n") <= SCREEN
    listed = re.findall(r"^  (\w.*)$", told, re.MULTILINE)
    assert [line[: len(name)] for line, name in zip(listed, first, strict=False)] == first


@pytest.mark.parametrize(("program", "modules"), [(FUNCTION, cli.COMMANDS), (KRM, of_krm.COMMANDS)])
def test_every_command_has_a_module_and_a_page(program: Program, modules: dict[str, str]) -> None:
    named = {name for name in program.commands if name}
    assert named == {*modules}
    assert named == {name for row in PAGE.tables(program.name)[0] for name in quoted(row[0])}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.name)
def test_every_option_is_of_commands_that_are_there_and_excludes_what_they_have(program: Program) -> None:
    for option in program.options:
        for command in option.commands:
            assert command in program.commands
        words = {name for name in (*option.excludes, option.needs) if name.startswith("--")}
        assert words <= {one.name for command in option.commands for one in program.of(command)}


def test_a_command_of_the_other_program_is_answered_with_its_name() -> None:
    for program, other in ((FUNCTION, KRM), (KRM, FUNCTION)):
        names = [name for name in other.commands if name and name not in program.commands]
        assert names
        for name in names:
            sentence = f"{program.name}: error: `{name}` is a command of `{other.name}`: `{other.name} {name}`\n"
            assert asked(program, name, "a", "--all") == (b"", sentence, 2)


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
