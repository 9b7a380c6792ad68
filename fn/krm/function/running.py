"""A function as a program: `run` answers standard input or a command line, `transform` a text."""

from __future__ import annotations

import sys

from krm import resourcelist, stdio
from krm.function import processing
from krm.function.listing import ResourceList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from krm.function.listing import Processes
    from krm.resourcelist import Output

_DEBUG = "--debug"


def run(process: Processes, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a function as a program, and exit: 0 done, 1 failed (the results or standard error say why), 2 wrong usage.

    Without arguments it reads a ResourceList on standard input, has `process` change it, and writes it to standard
    output. `process` changes items in place, adds and removes some, and appends to `results`. If it raises FnError, or
    adds an error, items come out byte for byte as they were read. Any other exception is one line on standard error and
    an error among the results; its traceback follows with `--debug`. What it prints goes to standard error, and so do
    the records of `logging`.

    With arguments it changes files in place: `my-function PATH... [KEY=VALUE ...]`, a directory or files, with a
    ConfigMap of the values for functionConfig, or `--fn-config FILE`. Only files of which a resource changed are
    written. `--help` prints the docstring of `process`. With a mapping, the kind of the functionConfig chooses the
    function.

    >>> run(lambda resource_list: None, ["--help"])
    Traceback (most recent call last):
    ...
    SystemExit: 0
    """
    given = sys.argv[1:] if arguments is None else [*arguments]
    is_debug = _DEBUG in given
    given = [argument for argument in given if argument != _DEBUG]
    _log_to_stderr(is_debug=is_debug)
    raised: list[Exception | None] = []
    if given:
        from krm.function import command  # noqa: PLC0415 - orchestrators give no arguments

        code = command.main(process, given, raised)
    else:
        code = stdio.serve(lambda text: _processed(text, process, raised))
    for error in raised if is_debug else ():
        processing.tell_traceback(error)
    sys.exit(code)


def transform(text: str, process: Processes) -> Output:
    r"""Return the output of a function for a text: `run` without standard input and output, for tests.

    An exception that is no FnError is raised.

    >>> transform("kind: Pod\n", lambda resource_list: resource_list.items[0].set("kind", "Job")).text
    'kind: Job\n'
    """
    resource_list = ResourceList(resourcelist.read(text))
    processing.apply(resource_list, process)
    return resource_list.emit()


def _processed(text: str, process: Processes, raised: list[Exception | None]) -> Output:
    resource_list = ResourceList(resourcelist.read(text))
    raised.append(processing.attempt(resource_list, process))
    return resource_list.emit()


def _log_to_stderr(*, is_debug: bool) -> None:
    """Let `logging` write to standard error, if the function uses it."""
    if "logging" in sys.modules:
        import logging  # noqa: PLC0415 - it is imported already

        level = logging.DEBUG if is_debug else logging.INFO
        logging.basicConfig(stream=sys.stderr, level=level, format="[%(levelname)s] %(message)s")
