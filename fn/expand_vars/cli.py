"""The command line `expand-vars`: the filter, and the commands beside it."""

from __future__ import annotations

import os
import stat
import sys

from expand_vars import __version__
from krm import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Sequence

    from expand_vars.functionconfig.config import Config
    from krm.resource import Resource

_DESCRIPTION = """\
Expand $(VAR) references in the workloads of a ResourceList as Kubernetes would, and change no other byte.

Reads a ResourceList, a List, YAML documents, or JSON of these on standard input, and writes the same, expanded, to
standard output. Variables come from the functionConfig in the ResourceList and from the arguments.
"""
_EPILOG = """\
a functionConfig, beside a ConfigMap whose keys are variables:
  apiVersion: expandvars.dev/v1alpha1
  kind: ExpandVars
  metadata: {name: place}
  spec:
    variables:
    - {name: REGION, value: eu-west-1}
    targets:
    - preset: Images

an example: `args: [--region=$(REGION)]` of a container becomes `args: [--region=eu-west-1]` with
  kpt fn eval PACKAGE --image ghcr.io/expand-vars/expand-vars:v0.1 -- REGION=eu-west-1

other commands:
  expand-vars schema [--definition]               print the JSON Schema of kind ExpandVars, or the KRMFunctionDefinition
  expand-vars eval PATH... [NAME=VALUE ...]       expand files and directories in place: only what changes is written
  expand-vars explain PATH...|- [NAME=VALUE ...]  show every reference, its value, and where that comes from
  expand-vars merge3 ORIGIN UPDATE LOCAL          bring what changed from ORIGIN to UPDATE into LOCAL
  expand-vars merge2 UPDATE LOCAL                 put the fields of UPDATE over those of LOCAL
  expand-vars migrate KUSTOMIZATION               print the ExpandVars that takes the place of kustomize's `vars`
  expand-vars source DIRECTORY                    print the resources of a directory as a ResourceList
  expand-vars sink DIRECTORY                      write a ResourceList to a directory: only what changed
  expand-vars git-merge --install | --uninstall   let git merge YAML field by field in this repository, or no longer
  expand-vars solve FILE...|--all                 merge again, field by field, what git left unmerged
  expand-vars wrap -- COMMAND [ARG...]            merge what COMMAND prints into the items, as what it generates

exit codes: 0 done, 1 failed (the results or standard error say why), 2 wrong usage
"""

_COMMANDS = {
    "eval": "eval",
    "explain": "explain",
    "git-merge": "git_merge",
    "merge2": "merge",
    "merge3": "merge",
    "migrate": "migrate",
    "sink": "package",
    "solve": "solve",
    "source": "package",
    "wrap": "wrap",
}
"""The commands that have arguments of their own, each with its module in `commands`."""

_ON_WINDOWS = ("explain", "merge2", "merge3")
_NOT_ON_WINDOWS = "[error] `expand-vars {}` does not run on Windows: use WSL, or the image in a container"


def main(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, and return its exit code. SystemExit for help and wrong usage."""
    if [*arguments] in (["--version"], ["schema", "--definition"]):
        return _print(_definition() if arguments[1:] else f"{_version()}\n")
    # No command hides an argument of the filter: each of those has a `=`, or is an option.
    if arguments and arguments[0] in _COMMANDS:
        return _run_command(arguments)
    if all(map(_is_plain, arguments)) and (arguments or not os.isatty(0)):
        return _filter(lambda: None, [argument.partition("=")[::2] for argument in arguments])
    parser = _parser()
    if not arguments:
        parser.print_help(sys.stderr)
        return 2
    from expand_vars.commands import arguments as common  # noqa: PLC0415 - plain arguments do without it

    options = common.parsed(parser, arguments)
    if options.variables[:1] == ["schema"]:
        from expand_vars.functionconfig import json_schema  # noqa: PLC0415 - a command is imported when it runs

        if len(arguments) > 1:
            parser.error("`expand-vars schema` takes no argument but --definition")
        return _print(json_schema.text())
    variables = [common.variable(one, parser, _COMMANDS) for one in options.variables]
    variables = [*common.of_environment(options.env, parser), *variables]
    from expand_vars.functionconfig import decoding  # noqa: PLC0415 - plain arguments do without it

    def settle(config: Config) -> Config:
        return decoding.with_command_line(config, options.target, strict=options.strict)

    return _filter(lambda: common.function_config(options.fn_config), variables, settle)


def _definition() -> str:
    from expand_vars.functionconfig import definition  # noqa: PLC0415 - a command is imported when it runs

    return definition.text()


def _version() -> str:
    """Return the version, and which of the two wheels is installed: the compiled one is faster."""
    files = os.listdir(os.path.dirname(__file__))
    is_compiled = any(name.startswith("pipeline.") and name.endswith(".so") for name in files)
    return f"expand-vars {__version__} ({'compiled' if is_compiled else 'pure'})"


def _is_plain(argument: str) -> bool:
    """True for a NAME=VALUE argument that needs no check. Importing argparse costs milliseconds."""
    return "=" in argument and not argument.startswith("-") and argument.isascii()


def _filter(
    function_config: Callable[[], Resource | None],
    variables: Sequence[tuple[str, str]],
    settle: Callable[[Config], Config] | None = None,
) -> int:
    """Answer standard input."""
    if _is_emptied():
        stdio.tell(
            "[error] standard input and standard output are one file, which the shell has emptied: bring it back, and "
            "let `expand-vars eval FILE` change it in place"
        )
        return 1
    from expand_vars import pipeline  # noqa: PLC0415 - the version, help and usage do without it

    return stdio.serve(lambda text: pipeline.run(text, function_config(), variables, settle))


def _is_emptied() -> bool:
    """True after `< FILE > FILE`."""
    try:
        states = [os.fstat(descriptor) for descriptor in (0, 1)]
    except OSError:  # one of the two is closed
        return False
    return os.path.samestat(*states) and stat.S_ISREG(states[0].st_mode) and not states[0].st_size


def _run_command(arguments: Sequence[str]) -> int:
    """Run a command that has arguments of its own. Only its module is imported."""
    if sys.platform == "win32" and arguments[0] not in _ON_WINDOWS:
        stdio.tell(_NOT_ON_WINDOWS.format(arguments[0]))
        return 1
    name = _COMMANDS[arguments[0]]
    # The built-in, since `importlib` would be one of the dearest imports of the git driver.
    exit_code: int = getattr(__import__("expand_vars.commands", fromlist=[name]), name).main(arguments)
    return exit_code


def _parser() -> ArgumentParser:
    from expand_vars.commands import arguments as common  # noqa: PLC0415 - argparse costs milliseconds

    parser = common.parser(
        "",
        "[--fn-config FILE] [--env NAME,...] [--target PRESET] [--strict] [NAME=VALUE ...] < INPUT > OUTPUT",
        _DESCRIPTION,
        _EPILOG,
    )
    parser.add_argument("--fn-config", metavar="FILE", help="use this functionConfig in the place of the list's own")
    common.add(parser, "--env", "--target", "--strict")
    parser.add_argument("--version", action="version", version=_version(), help="print the version")
    parser.add_argument("variables", metavar="NAME=VALUE", nargs="*", help="a variable that wins over all others")
    return parser


def _print(text: str) -> int:
    return int(not stdio.write((text,)))
