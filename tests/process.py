"""The function as its users start it: a process with three streams."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import expand_vars
from expand_vars import __main__ as cli
from krm.__main__ import COMMANDS
from krm.__main__ import run as of_krm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[1]
SOURCE_ROOT = Path(expand_vars.__file__).parents[1]  # `fn`, or where a compiled wheel is installed
FILTER = (sys.executable, "-m", "expand_vars")
KRM = (sys.executable, "-m", "krm")


class Answer(NamedTuple):
    """What a process gives back."""

    stdout: bytes
    stderr: str
    code: int


def run(
    *arguments: str,
    stdin: bytes,
    command: tuple[str, ...] = FILTER,
    limit: Callable[[], None] | None = None,
    folder: Path | None = None,
) -> Answer:
    """Run the command line, or another program that is built on this, with `limit` called in the child first."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT)}
    done = subprocess.run(
        [*command, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        env=environment,
        preexec_fn=limit,
        cwd=folder,
    )
    return Answer(done.stdout, done.stderr.decode(), done.returncode)


def krm(*arguments: str, stdin: bytes, limit: Callable[[], None] | None = None, folder: Path | None = None) -> Answer:
    """Run the command line `krm`, as `run` does the other."""
    return run(*arguments, stdin=stdin, command=KRM, limit=limit, folder=folder)


def either(*arguments: str, stdin: bytes, folder: Path | None = None) -> Answer:
    """Run the program that has the command, as `run` does: without a command the function."""
    of = KRM if arguments[0] in COMMANDS else FILTER
    return run(*arguments, stdin=stdin, command=of, folder=folder)


def main(arguments: Sequence[str]) -> int:
    """Run in this process the program that has the command, and return the exit code."""
    return (of_krm if arguments[0] in COMMANDS else cli.run)(arguments)


def refusal(called: str, usage: str, problem: str) -> str:
    """Return what a command says to wrong usage."""
    return f"usage: {called} {usage}\n{called}: error: {problem}\n`{called} --help` lists the options\n"


def in_terminal(*arguments: str, folder: Path, columns: int) -> str:
    """Return what the command line shows in a terminal of that width, without its colours."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT), "COLUMNS": str(columns), "TERM": "xterm"}
    subprocess.run([*FILTER, *arguments], stdout=theirs, check=True, cwd=folder, env=environment)
    os.close(theirs)
    written = os.read(ours, 1 << 16).decode()
    os.close(ours)
    lines = re.sub(r"\x1b\[\d*m", "", written).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def is_gone(process: int) -> bool:
    """Say whether a process has ended, within a few seconds; one that nobody has asked about counts."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def heed_interrupts() -> None:
    """Undo, in a child, what a shell does to what it starts in the background: that is to ignore ^C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
