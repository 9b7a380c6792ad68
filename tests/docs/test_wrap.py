"""docs/guides/wrap.md is true: its lines are those of the example, its table that of the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from krm import resourcelist
from krm.commands import wrap
from krm.commands.table import PROGRAM
from tests import process
from tests.pages import ROOT, Block, Page, quoted

if TYPE_CHECKING:
    from krm.resource import Resource

PAGE = Page("wrap")
WRAP, GETS = "Wrap any program", "What the program gets"
TESTED = {"Wrap any program": "sh sh"}


@pytest.mark.parametrize("block", PAGE.blocks(WRAP), ids=["script", "Dockerfile"])
def test_the_lines_that_wrap_a_script_are_those_of_the_example(block: Block) -> None:
    """It is run as an image and as a script: tests/e2e/test_wrap.py."""
    assert any(block.text in path.read_text() for path in (ROOT / "examples" / "wrap").iterdir())


def test_the_environment_of_a_wrapped_program() -> None:
    whole, (_, *fields) = (quoted(row[0]) for row in PAGE.tables(GETS)[0])
    environment, told = wrap.environment(nginx("metadata: {name: a}, spec: {replicas: 5}"), wrap.allowed("*"))
    assert [environment[name.encode()] for name in fields] == [b"a", b"5"]
    assert tuple(whole) == wrap.FUNCTION_CONFIG
    protected = quoted(PAGE.sections()[GETS].partition(" or pick a proxy: ")[2].partition("and the like")[0])
    assert "PATH" in protected
    for name in protected:
        given = nginx(f"spec: {{{name.replace('*', 'A').lower()}: 1}}")
        _, told_of_it = wrap.environment(given, wrap.allowed("*"))
        assert [result.reason for result in told_of_it] == [wrap.FIELD_NOT_EXPORTED], name
    assert told == []


def test_the_options_are_those_of_the_help() -> None:
    told = process.krm("wrap", "--help", stdin=b"").stdout.decode()
    options = set(re.findall(r"`(--[a-z-]+)", PAGE.text))
    assert len(options) > 3
    assert [name for name in options if f"  {name}" not in told] == []


def test_the_limits_are_those_of_the_code() -> None:
    text = PAGE.sections()["Limits"]
    default: dict[str, Any] = {option.name: option.default for option in PROGRAM.of("wrap")}
    size = f"{default['--max-output']} MiB on each of its two outputs"
    assert f"COMMAND may take {default['--timeout'] / 60:g} minutes and print {size}." in text


def nginx(fields: str) -> Resource | None:
    """Return a functionConfig of a kind that no schema knows."""
    return resourcelist.read(
        f"kind: ResourceList\nitems: []\nfunctionConfig: {{kind: Nginx, {fields}}}\n"
    ).function_config
