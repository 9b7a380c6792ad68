"""docs/reference/reliability.md is true: each command is there, and figures that the code knows are its own."""

from __future__ import annotations

import re

import pytest

from expand_vars import __main__ as cli
from tests.fuzz import laws
from tests.pages import ROOT, Page, quoted

PAGE = Page("reliability")
COMMANDS = [quoted(row[1])[0] for name in PAGE.sections() for table in PAGE.tables(name) for row in table]
assert len(COMMANDS) > 10, "the tables were not found"


@pytest.mark.parametrize("command", sorted({*COMMANDS}))
def test_each_command_is_there(command: str) -> None:
    program, *words = command.split()
    match program:
        case "make":
            targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert {word for word in words if "=" not in word} <= {*targets}
        case "pytest":
            assert [word for word in words if not (ROOT / word).exists()] == []
        case "python":
            assert (ROOT / f"{words[1].replace('.', '/')}.py").exists()
        case _:
            assert (program, words[0] in cli.COMMANDS) == ("expand-vars", True)


def test_the_limits_of_time_are_those_of_the_search() -> None:
    assert (laws.SECONDS_OF_A_MEGABYTE, laws.SECONDS) == (2, 0.5)
    assert "2 seconds for each megabyte, and half a second in any case" in PAGE.text
