"""A program as a process: it imports what it needs, and ends as soon as its product is written."""

from __future__ import annotations

import gc
import os
import sys

from krm.yamltree import pyyaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

__version__ = "0.1.0"
"""The version of the distribution, and so of both programs."""

_NOT_ON_WINDOWS = "`{} {}` does not run on Windows: use WSL, or the image in a container"


def start() -> None:
    """Prepare the imports of a process that is for one run of a program."""
    gc.disable()  # trees are short-lived and have no cycles, and imports create nothing to collect
    pyyaml.postpone()


def end(code: int) -> None:
    """End the process with an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)  # taking everything apart would take as long as a tenth of a small run


def asked(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments with `--help` in the place of `help`, which many programs have as a command."""
    return [*arguments[1:2], "--help"] if arguments[:1] == ["help"] else arguments


def run_command(program: str, modules: Mapping[str, str], on_windows: Collection[str], arguments: Sequence[str]) -> int:
    """Run the command that the first argument names, and return its exit code. Only its module is imported.

    SystemExit for help and wrong usage.
    """
    command = arguments[0]
    if sys.platform == "win32" and command not in on_windows:
        from krm import stdio  # noqa: PLC0415 - a command imports what it needs

        return stdio.fail(_NOT_ON_WINDOWS.format(program, command))
    package, _, name = modules[command].rpartition(".")
    # The built-in, since `importlib` would be one of the dearest imports of the git driver.
    main: Callable[[Sequence[str]], int] = getattr(__import__(package, fromlist=[name]), name).main
    return main(arguments)


def version(program: str) -> str:
    """Return the version of a program, and which of the two wheels is installed: the compiled one is faster."""
    files = os.listdir(os.path.dirname(__file__))
    is_compiled = any(name.startswith("resource.") and name.endswith(".so") for name in files)
    return f"{program} {__version__} ({'compiled' if is_compiled else 'pure'})\n"
