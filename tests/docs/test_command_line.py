"""docs/command-line.md is true: each line is that of the help, and each command is there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests import process
from tests.pages import Page, quoted

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("command-line")
TESTED = {"Command line": "text"}
FILTER, *LINES = [line.split()[1:] for line in PAGE.blocks("Command line")[0].text.splitlines()]


def test_the_command_line() -> None:
    told = process.run("--help", stdin=b"").stdout.decode()
    assert f"usage: expand-vars {' '.join(FILTER)}\n" in told
    for words in LINES:
        arguments = words if len(words) == 1 else [words[0], "--help"]
        answer = process.run(*arguments, stdin=b"")
        assert answer.stdout
        assert answer[1:] == ("", 0)
        if len(words) > 1:
            assert f"usage: expand-vars {' '.join(words)}\n" in answer.stdout.decode()


def test_every_command_has_a_line_and_a_page() -> None:
    told = process.run("--help", stdin=b"").stdout.decode()
    commands = {*re.findall(r"^  expand-vars ([a-z][a-z0-9-]*)", told, re.MULTILINE)}
    assert commands == {words[0] for words in LINES if words[0][0] != "-"}
    assert commands == {name for row in PAGE.tables("Command line")[0] for name in quoted(row[0])}


POD = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: web, args: [$(A), $(B)]}\n"


def test_arguments_win_over_the_function_config(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\ndata: {A: config, B: config}\n")
    answer = process.run("--fn-config", str(tmp_path / "config.yaml"), "A=argument", stdin=POD.encode())
    assert b"args: [argument, config]" in answer.stdout
