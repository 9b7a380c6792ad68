"""`krm` without a command: its help, its version, and what is no command."""

from __future__ import annotations

import re
from importlib.metadata import version

import pytest

from krm.__main__ import COMMANDS
from tests.process import krm, refusal

WORDS = {"KeepLocal", "ResourceList", "TakeUpdate"}
USAGE = "--version | COMMAND [ARGUMENT]..."


def test_nothing_at_all_shows_the_help() -> None:
    answer = krm(stdin=b"")
    assert (answer.stdout, answer.code) == (b"", 2)
    assert answer.stderr == krm("--help", stdin=b"").stdout.decode()


def test_version() -> None:
    answer = krm("--version", stdin=b"")
    assert answer.stdout.decode().startswith(f"krm {version('krm-expand-vars')} (")
    assert answer[1:] == ("", 0)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["merge"], "`merge` is no command; `krm merge3 ORIGIN UPDATE LOCAL` merges files and directories"),
        (["sourc"], "`sourc` is no command; did you mean `source`?"),
        (["xyzzy", "a"], "`xyzzy` is no command"),
        (["--vers"], "`--vers` is no option of `krm`; did you mean `--version`?"),
    ],
)
def test_what_is_no_command(arguments: list[str], problem: str) -> None:
    assert krm(*arguments, stdin=b"") == (b"", refusal("krm", USAGE, problem), 2)


def test_the_completion_is_that_of_this_program() -> None:
    assert krm("completion", "bash", stdin=b"").stdout.decode().endswith("complete -o default -F _krm krm\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_has_no_name_of_the_source(command: str) -> None:
    """A name that was given to a class once replaced the same word in a sentence."""
    names = re.findall(r"\b[A-Z][a-z]+[A-Z]\w*", krm(command, "--help", stdin=b"").stdout.decode())
    assert {*names} <= WORDS
