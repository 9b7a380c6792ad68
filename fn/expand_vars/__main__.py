"""The command line `expand-vars`: the filter, and the commands beside it."""

from __future__ import annotations

import os
import stat
import sys

from krm import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from expand_vars.functionconfig.config import Config
    from krm.resource import Resource

COMMANDS = {
    "completion": "expand_vars.commands.table",
    "eval": "expand_vars.commands.eval",
    "explain": "expand_vars.commands.explain",
    "migrate": "expand_vars.commands.migrate",
    "schema": "expand_vars.commands.table",
}
"""The commands, each with its module. A plain run imports neither these nor the table of options."""

_ON_WINDOWS = ("completion", "explain", "schema")
_DESCRIPTION = """\
{}
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


def main() -> None:
    """Run the command line and end the process with its exit code. SystemExit for help and wrong usage."""
    process.start()
    process.end(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, and return its exit code. SystemExit for help and wrong usage."""
    arguments = process.with_help_option(arguments)
    # No command hides an argument of the filter: each of those has a `=`, or is an option.
    if arguments and arguments[0] in COMMANDS:
        return process.run_command("expand-vars", COMMANDS, _ON_WINDOWS, arguments)
    if "--version" in arguments:
        from krm import stdio  # noqa: PLC0415 - for the version alone

        return int(not stdio.write((process.version("expand-vars"),)))
    # A NAME=VALUE of these needs no check, and importing argparse costs milliseconds.
    is_plain = all("=" in one and not one.startswith("-") and one.isascii() for one in arguments)
    if is_plain and (arguments or not os.isatty(0)):
        variables = [argument.partition("=")[::2] for argument in arguments]
        if len(dict(variables)) == len(variables):
            return _filter(lambda: None, variables)
    return _with_options(arguments)


def _with_options(argv: Sequence[str]) -> int:
    """Answer standard input as options say, and return the exit code. SystemExit for help and wrong usage."""
    from expand_vars.commands import arguments  # noqa: PLC0415 - plain arguments do without it
    from expand_vars.commands.table import FILTER, PROGRAM  # noqa: PLC0415 - as above
    from krm import stdio  # noqa: PLC0415 - as above
    from krm.commands.options import Parser  # noqa: PLC0415 - as above

    parser = Parser(PROGRAM, FILTER, _DESCRIPTION.format(PROGRAM.summary()), _EPILOG)
    if not argv:
        parser.print_help(sys.stderr)
        return 2
    options = parser.parsed(argv)
    for word in options.words:
        if "=" not in word:
            arguments.refuse(word, parser)
    return stdio.attempt(
        lambda: _filter(
            lambda: arguments.function_config(options.fn_config),
            arguments.variables(options, parser),
            lambda config: arguments.with_options(config, options),
        )
    )


def _filter(
    function_config: Callable[[], Resource | None],
    variables: Sequence[tuple[str, str]],
    settle: Callable[[Config], Config] = lambda config: config,
) -> int:
    from krm import stdio  # noqa: PLC0415 - as for the pipeline

    if _is_emptied():
        return stdio.fail(
            "standard input and standard output are one file, which the shell has emptied: bring it back, and let "
            "`expand-vars eval FILE` change it in place"
        )
    from expand_vars import pipeline  # noqa: PLC0415 - the version, help and usage do without it

    return stdio.serve(lambda text: pipeline.run(text, function_config(), variables, settle))


def _is_emptied() -> bool:
    """True after `< FILE > FILE`."""
    try:
        states = [os.fstat(descriptor) for descriptor in (0, 1)]
    except OSError:  # one of the two is closed
        return False
    return os.path.samestat(*states) and stat.S_ISREG(states[0].st_mode) and not states[0].st_size


if __name__ == "__main__":
    main()
