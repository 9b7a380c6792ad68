"""`expand-vars completion`: the words that a shell completes, made of the table of options."""

from __future__ import annotations

from expand_vars.commands.table import PROGRAM
from krm import stdio
from krm.commands import completion
from krm.commands.options import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = "Print what lets a shell complete commands and options: `source <(expand-vars completion bash)`."


def main(given: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "completion", _DESCRIPTION, "")
    shell = parser.parsed(given[1:]).shell
    if shell not in completion.SHELLS:
        parser.error(f"`{shell}` is none of {', '.join(completion.SHELLS)}")
    return int(not stdio.write((completion.SHELLS[shell](PROGRAM),)))
