"""`expand-vars` without a command, where its arguments are more than plain variables: standard input, expanded."""

from __future__ import annotations

import sys

from expand_vars.commands import arguments
from expand_vars.commands.table import FILTER, PROGRAM
from krm import stdio
from krm.commands.options import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from expand_vars.functionconfig.config import Config
    from krm.resource import Resource

    Answer = Callable[[Callable[[], Resource | None], Sequence[tuple[str, str]], Callable[[Config], Config]], int]

_DESCRIPTION = f"""\
{PROGRAM.summary()}
Without a command it is a KRM function: it reads a ResourceList, a List, YAML documents, or JSON of these on standard
input, expands $(VAR) references as Kubernetes would, and changes no other byte. Variables come from the arguments and
the functionConfig. `krm` is the other program of this distribution: it merges packages.
"""
_EPILOG = """\
a functionConfig, beside a ConfigMap whose keys are variables, and a run without one:
  apiVersion: expandvars.dev/v1alpha1
  kind: ExpandVars
  metadata: {name: place}
  spec: {variables: [{name: REGION, value: eu-west-1}]}

  kpt fn eval PACKAGE --image ghcr.io/expand-vars/expand-vars:v0.1 -- REGION=eu-west-1

exit codes: 0 done, 1 failed (the results or standard error say why), 2 wrong usage
"""


def main(given: Sequence[str], answer: Answer) -> int:
    """Answer standard input by `answer`, and return the exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, FILTER, _DESCRIPTION, _EPILOG)
    if not given:
        parser.print_help(sys.stderr)
        return 2
    options = parser.parsed(given)
    for word in options.words:
        if "=" not in word:
            arguments.refuse(word, parser)
    return stdio.attempt(
        lambda: answer(
            lambda: arguments.function_config(options.fn_config),
            arguments.variables(options, parser),
            lambda config: arguments.settled(config, options),
        )
    )
