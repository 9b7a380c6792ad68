"""`expand-vars schema` and `completion` for editors and shells (docs/reference/functionconfig.md, "Reference")."""

from __future__ import annotations

from expand_vars.commands.table import PROGRAM
from expand_vars.functionconfig import definition, json_schema
from krm import stdio
from krm.commands import completion
from krm.commands.options import COMPLETION, Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = "Print the JSON Schema of kind ExpandVars."


def main(given: Sequence[str]) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    if given[0] == COMPLETION.name:
        return completion.main(given, PROGRAM)
    options = Parser(PROGRAM, "schema", _DESCRIPTION, "").parsed(given[1:])
    return int(not stdio.write((definition.text() if options.definition else json_schema.text(),)))
