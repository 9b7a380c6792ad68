"""The words of a command line that several commands take: variables, and the file of a functionConfig."""

from __future__ import annotations

from krm import stdio
from krm.resource import Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def variable(word: str, parser: ArgumentParser) -> tuple[str, str]:
    """Return the name and the value of a variable. SystemExit for a word that gives none."""
    name, equals, value = word.partition("=")
    if not equals:
        parser.error(f"`{word}` is neither NAME=VALUE nor a command")
    try:
        word.encode()
    except UnicodeEncodeError:
        parser.error(f"the value of `{name}` is not UTF-8")
    return name, value


def function_config(path: str | None) -> Resource | None:
    """Return the functionConfig in a file. InputError where there is none."""
    if path is None:
        return None
    text = stdio.read_file(path)
    return Resource(text, (0, len(text)), path)
