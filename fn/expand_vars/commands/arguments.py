"""Arguments that several commands take: variables, and the file of a functionConfig."""

from __future__ import annotations

from krm import stdio
from krm.resource import Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser


def variable(argument: str, parser: ArgumentParser) -> tuple[str, str]:
    """Return the name and the value of a NAME=VALUE argument. SystemExit for any other."""
    name, equals, value = argument.partition("=")
    if not equals:
        parser.error(f"`{argument}` is neither NAME=VALUE nor a command")
    try:
        argument.encode()
    except UnicodeEncodeError:
        parser.error(f"the value of `{name}` is not UTF-8")
    return name, value


def function_config(path: str | None) -> Resource | None:
    """Return the functionConfig in a file, None for no path. InputError if the file cannot be read."""
    if path is None:
        return None
    text = stdio.read_file(path)
    return Resource(text, (0, len(text)), path)
