"""The command line `krm`: merges of packages of KRM files, and programs in the place of functions."""

from __future__ import annotations

import sys

from krm import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "completion": "krm.commands.completion",
    "git-merge": "krm.commands.git_merge",
    "merge2": "krm.commands.merge",
    "merge3": "krm.commands.merge",
    "new": "krm.commands.new",
    "sink": "krm.commands.package",
    "solve": "krm.commands.solve",
    "source": "krm.commands.package",
    "wrap": "krm.commands.wrap",
}
"""The commands, each with its module. None imports that of another, nor the table of options before it needs that."""

_ON_WINDOWS = ("completion", "merge2", "merge3", "new")


def main() -> None:
    """Run the command line and end the process with its exit code. SystemExit for help and wrong usage."""
    process.start()
    process.end(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, and return its exit code. SystemExit for help and wrong usage."""
    arguments = process.asked(arguments)
    if arguments and arguments[0] in COMMANDS:
        return process.run_command("krm", COMMANDS, _ON_WINDOWS, arguments)
    from krm.commands import overview  # noqa: PLC0415 - as for the commands

    return overview.main(arguments)


if __name__ == "__main__":
    main()
