"""The command line `krm`: merges of packages of KRM files, and programs in the place of functions."""

from __future__ import annotations

import sys

from krm import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "completion": "krm.commands.table",
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
_DESCRIPTION = """\
Merge packages of Kubernetes manifests, and change no other byte.

{}
`krm git-merge --install` lets git merge YAML field by field in a repository: nobody types a command for it then.
`expand-vars`, which expands $(VAR) references, is the other program of this distribution.
"""
_EPILOG = "exit codes: 0 done, 1 failed or a conflict left (standard error says which), 2 wrong usage\n"


def main() -> None:
    """Run the command line and end the process with its exit code. SystemExit for help and wrong usage."""
    process.start()
    process.end(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, and return its exit code. SystemExit for help and wrong usage."""
    arguments = process.with_help_option(arguments)
    if arguments and arguments[0] in COMMANDS:
        return process.run_command("krm", COMMANDS, _ON_WINDOWS, arguments)
    return _overview(arguments)


def _overview(argv: Sequence[str]) -> int:
    """Show the help or the version, and return the exit code. SystemExit for help and wrong usage."""
    from krm import stdio  # noqa: PLC0415 - as for the commands
    from krm.commands.options import Parser  # noqa: PLC0415 - as above
    from krm.commands.table import PROGRAM  # noqa: PLC0415 - as above

    parser = Parser(PROGRAM, "", _DESCRIPTION.format(PROGRAM.summary()), _EPILOG)
    if not argv:
        parser.print_help(sys.stderr)
        return 2
    word = argv[0]
    if not word.startswith("-") and word not in PROGRAM.beside:
        hint = PROGRAM.hint(word, [name for name in PROGRAM.commands if name])
        parser.error(f"`{word}` is no command{'; ' * bool(hint)}{hint}")
    parser.parsed(argv)
    # The only option that is no help: without one the first word has been refused.
    return int(not stdio.write((process.version(PROGRAM.name),)))


if __name__ == "__main__":
    main()
