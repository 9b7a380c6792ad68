"""`krm` without a command: its help and its version."""

from __future__ import annotations

import sys

from krm import process, stdio
from krm.commands.options import Parser
from krm.commands.table import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = f"""\
Merge packages of Kubernetes manifests, and change no other byte.

{PROGRAM.summary()}
`krm git-merge --install` lets git merge YAML field by field in a repository: nobody types a command for it then.
`expand-vars`, which expands $(VAR) references, is the other program of this distribution.
"""
_EPILOG = "exit codes: 0 done, 1 failed or a conflict left (standard error says which), 2 wrong usage\n"


def main(given: Sequence[str]) -> int:
    """Show the help or the version, and return the exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "", _DESCRIPTION, _EPILOG)
    if not given:
        parser.print_help(sys.stderr)
        return 2
    word = given[0]
    if not word.startswith("-") and word not in PROGRAM.beside:
        meant = PROGRAM.meant(word, [name for name in PROGRAM.commands if name])
        parser.error(f"`{word}` is no command{'; ' * bool(meant)}{meant}")
    parser.parsed(given)
    # The only option that is no help: without one the first word has been refused.
    return int(not stdio.write((process.version(PROGRAM.name),)))
