"""The command line `expand-vars`: the filter, and the commands beside it."""

from __future__ import annotations

import os
import stat
import sys

from expand_vars import __version__
from krm import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from expand_vars.functionconfig.config import Config
    from krm.resource import Resource

COMMANDS = {
    "completion": "completion",
    "eval": "eval",
    "explain": "explain",
    "git-merge": "git_merge",
    "merge2": "merge",
    "merge3": "merge",
    "migrate": "migrate",
    "schema": "schema",
    "sink": "package",
    "solve": "solve",
    "source": "package",
    "wrap": "wrap",
}
"""The commands, each with its module in `commands`. A plain run imports neither these nor the table of options."""

_ON_WINDOWS = ("explain", "merge2", "merge3")
_NOT_ON_WINDOWS = "[error] `expand-vars {}` does not run on Windows: use WSL, or the image in a container"


def main(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name, and return its exit code. SystemExit for help and wrong usage."""
    # No command hides an argument of the filter: each of those has a `=`, or is an option.
    if arguments and arguments[0] in COMMANDS:
        return _run_command(arguments)
    if "--version" in arguments:
        return int(not stdio.write((f"{_version()}\n",)))
    if all(map(_is_plain, arguments)) and (arguments or not os.isatty(0)):
        variables = [argument.partition("=")[::2] for argument in arguments]
        if len(dict(variables)) == len(variables):
            return _filter(lambda: None, variables)
    from expand_vars.commands import pipe  # noqa: PLC0415 - plain arguments do without it

    return pipe.main(arguments, _filter)


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
    """Run a command. Only its module is imported."""
    if sys.platform == "win32" and arguments[0] not in _ON_WINDOWS:
        stdio.tell(_NOT_ON_WINDOWS.format(arguments[0]))
        return 1
    name = COMMANDS[arguments[0]]
    # The built-in, since `importlib` would be one of the dearest imports of the git driver.
    exit_code: int = getattr(__import__("expand_vars.commands", fromlist=[name]), name).main(arguments)
    return exit_code
