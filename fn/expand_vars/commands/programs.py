"""Programs that are started and waited for: their output, or why there is none.

Their standard error is passed on at once. Its last lines are kept for the sentence about a failure.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections import deque
from contextlib import closing, suppress
from threading import Thread

from krm import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LAST_LINES = 10
_LONGEST_LINE = 1 << 16
# A process that the program left running may hold standard error open. Nobody waits for it longer.
_SECONDS_FOR_THE_REST = 1


class Outcome:
    """The output of a program, the problem with it (None if it succeeded), and its last lines on standard error."""

    __slots__ = ("last_lines", "problem", "stdout")

    def __init__(self, stdout: bytes, problem: str | None, last_lines: Sequence[str] = ()) -> None:
        self.stdout = stdout
        self.problem = problem
        self.last_lines = last_lines


def run(
    command: Sequence[str], stdin: bytes, environment: Mapping[bytes, bytes], seconds: float | None = None
) -> Outcome:
    """Run a program with `stdin`. When the time is up, it is killed with all processes that it started."""
    with closing(_Relay()) as relay:
        try:
            process = _started(command, environment, relay.descriptor)
        except OSError as error:
            return Outcome(b"", f"`{command[0]}` cannot be started: {error.strerror}")
    with process:
        try:
            stdout, _ = process.communicate(stdin, seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            return Outcome(b"", f"`{command[0]}` did not end within {seconds:g} seconds", relay.last_lines())
        except BaseException:
            _kill(process)
            raise
    return Outcome(stdout, _problem(command[0], process.returncode), relay.last_lines())


class _Relay:
    """A pipe whose `descriptor` is a program's standard error. Its lines go on to ours."""

    def __init__(self) -> None:
        reader, self.descriptor = os.pipe()
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._thread = Thread(target=self._pass_on, args=(reader,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close our copy of the descriptor, so that the pipe ends with the program."""
        os.close(self.descriptor)

    def last_lines(self) -> list[str]:
        """Return the last lines, once the pipe has ended."""
        self._thread.join(_SECONDS_FOR_THE_REST)
        return [line.decode(errors="backslashreplace").rstrip("\r\n") for line in self._last]

    def _pass_on(self, reader: int) -> None:
        with open(reader, "rb") as stream:
            while line := stream.readline(_LONGEST_LINE):
                stdio.pass_on(line)
                self._last.append(line)


def _started(command: Sequence[str], environment: Mapping[bytes, bytes], stderr: int) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own, which all its children share."""
    return subprocess.Popen(  # noqa: S603 - the user names the program
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environment,
        process_group=0,
    )


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all of its group."""
    with suppress(ProcessLookupError):  # all of them have ended
        os.killpg(process.pid, signal.SIGKILL)


def _problem(name: str, code: int) -> str | None:
    if code == 0:
        return None
    return f"`{name}` failed with exit code {code}" if code > 0 else f"`{name}` was ended by signal {-code}"
