"""Programs that are started and waited for: their output, or why there is none (docs/guides/wrap.md, "Limits").

One loop writes standard input and reads both outputs, so that neither a full pipe nor one that somebody else holds open
can stop it.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from typing import NamedTuple

from krm import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_LAST_LINES = 10
# A program may never end its line: what has come by then is passed on, so that it takes no more memory.
_LONGEST_LINE = 1 << 16
_LONGEST_QUOTE = 500
_CHUNK = 1 << 16
_PAUSE = 0.05
# A process that the program left running may hold the pipes open. After so many turns of the loop that found them empty
# since the program's end, in about a second, nobody waits for it: Docker's own clients and daemons never close them.
_SILENCE = 20


class ProgramOutcome(NamedTuple):
    """The output of a program, the problem with it (None if it succeeded), and its last lines on standard error."""

    stdout: bytes
    problem: str | None
    last_lines: Sequence[str] = ()


def run(
    command: Sequence[str], stdin: bytes, environment: Mapping[bytes, bytes], seconds: float, mebibytes: int
) -> ProgramOutcome:
    """Run a program with `stdin`. Beyond its limits it is killed, with all processes that it started.

    It may take so many `seconds`, and print so many `mebibytes` on each of its two outputs.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the user names the program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=environment,
            process_group=0,  # of its own, which all its children share
        )
    except OSError as error:
        return ProgramOutcome(b"", f"`{command[0]}` cannot be started: {error.strerror}")
    with selectors.DefaultSelector() as selector:
        running = _Running(process, selector, stdin)
        try:
            problem = running.wait(command[0], seconds, mebibytes)
        # Ctrl-C and SIGTERM arrive as exceptions: what was started must not live on without anybody to read it.
        except BaseException:
            _kill(process)
            raise
        finally:
            running.close()
    return ProgramOutcome(bytes(running.stdout), problem, running.last_lines())


class _Running:
    """A program while it runs: the input that it still has to get, and its output so far."""

    def __init__(self, process: subprocess.Popen[bytes], selector: selectors.DefaultSelector, stdin: bytes) -> None:
        self.stdout = bytearray()
        self._told = 0
        self._process = process
        self._selector = selector
        self._stdin = memoryview(stdin)
        self._line = b""
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        for pipe, event, turn in (
            (process.stdin, selectors.EVENT_WRITE, self._write),
            (process.stdout, selectors.EVENT_READ, self._read_output),
            (process.stderr, selectors.EVENT_READ, self._read_error),
        ):
            assert pipe is not None  # noqa: S101 - all three are asked for, which mypy cannot know
            # A write that blocks would wait for a program that waits for its own output to be read.
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, event, turn)

    def wait(self, name: str, seconds: float, mebibytes: int) -> str | None:
        """Serve the pipes until the program has ended. Return what is wrong with its end, None if nothing is."""
        until = time.monotonic() + seconds
        silent = 0
        while self._selector.get_map() or self._process.poll() is None:
            # Counted, not timed: this process may have been stopped, and what was printed by then is in the pipes.
            silent = 0 if self._turn() or self._process.poll() is None else silent + 1
            if max(len(self.stdout), self._told) > mebibytes << 20:
                _kill(self._process)
                return f"`{name}` printed more than {mebibytes} MiB: --max-output allows more"
            if silent > _SILENCE:
                break
            # A program that has ended was in time, even if another process still holds its pipes.
            if self._process.poll() is None and time.monotonic() > until:
                _kill(self._process)
                return f"`{name}` did not end within {seconds:g} s: --timeout allows more"
        code = self._process.returncode
        # Python has the number of a signal as a negative code.
        failed = f"`{name}` failed with exit code {code}" if code > 0 else f"`{name}` was ended by signal {-code}"
        return failed if code else None

    def last_lines(self) -> list[str]:
        """Return the last lines on standard error, shortened: what they hold is put into a message."""
        # A program may write any bytes, and a message is text.
        lines = [line.decode(errors="backslashreplace").rstrip("\r\n") for line in self._last]
        return [line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}..." for line in lines]

    def close(self) -> None:
        """Close the pipes. A line without an end is a line."""
        self._pass_on(self._line)
        for pipe in filter(None, (self._process.stdin, self._process.stdout, self._process.stderr)):
            with suppress(OSError):  # of what the program did not read
                pipe.close()

    def _turn(self) -> bool:
        """Serve each pipe that is ready; wait a moment if none is. True if a program read or wrote."""
        # A program may close its pipes and go on: without a pause this loop would take a whole core.
        if not self._selector.get_map():
            time.sleep(_PAUSE)
        ready = self._selector.select(_PAUSE)
        for key, _ in ready:
            serve: Callable[[int], bool] = key.data
            if not serve(key.fd):
                self._selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]  # a pipe, as registered
        return bool(ready)

    def _write(self, pipe: int) -> bool:
        """Write more of standard input. False if the program has it all, or does not want it."""
        try:
            self._stdin = self._stdin[os.write(pipe, self._stdin[:_CHUNK]) :]
        except BrokenPipeError:
            return False
        return len(self._stdin) > 0

    def _read_output(self, pipe: int) -> bool:
        found = os.read(pipe, _CHUNK)
        self.stdout += found
        return found != b""

    def _read_error(self, pipe: int) -> bool:
        found = os.read(pipe, _CHUNK)
        self._told += len(found)
        *whole, self._line = (self._line + found).split(b"\n")
        for line in whole:
            self._pass_on(line + b"\n")
        if len(self._line) > _LONGEST_LINE:
            self._pass_on(self._line)
            self._line = b""
        return found != b""

    def _pass_on(self, line: bytes) -> None:
        """Tell a line of the program behind a prefix: CI systems obey lines that start in their own way."""
        if line:
            stdio.tell("| " + line.decode(errors="backslashreplace").rstrip("\r\n"))
            self._last.append(line)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all of its group."""
    with suppress(ProcessLookupError):  # all of them have ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
