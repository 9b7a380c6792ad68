"""The command line of a function: its `--help`."""

from __future__ import annotations

import argparse
import inspect
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

    from krm.function.listing import Processes


def main(process: Processes, arguments: Sequence[str]) -> int:
    """Run the function with these arguments, and return the exit code. SystemExit for help and wrong usage."""
    return int(bool(_parser(process).parse_args(arguments)))


def _parser(process: Processes) -> ArgumentParser:
    return argparse.ArgumentParser(
        prog=os.path.basename(sys.argv[0]),
        usage="%(prog)s [--debug] < LIST > LIST",
        description=_description(process),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _description(process: Processes) -> str:
    """Return the docstring of a function; of several, those of all."""
    if callable(process):
        return inspect.getdoc(process) or ""
    return "\n\n".join(f"{kind}: {inspect.getdoc(one) or ''}" for kind, one in process.items())
