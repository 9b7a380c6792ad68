"""Run whole processes side by side, and tell how much time of the processor and how much memory they take.

On a busy machine a process waits for its turn, but takes no more of the processor for that; and none of these waits for
anything else. The operating system's count of a child's memory starts with what its parent had. So each is the child of
a bare Python: less than its eight megabytes cannot be seen.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

Name = TypeVar("Name", bound="Hashable")

# Nobody ships a function without its bytecode, and what else Python is told here should not count either.
_ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
_WATCH = """
import os, sys
null = os.open(os.devnull, os.O_WRONLY)
mute = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=mute)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""
_BYTES_PER_UNIT = 1 if os.uname().sysname == "Darwin" else 1024


class Task(NamedTuple):
    """A command to measure, as often as `rounds` says, with its standard input and what its environment has more."""

    command: tuple[str, ...]
    rounds: int
    stdin: Path = Path(os.devnull)
    environment: Mapping[str, str] = MappingProxyType({})


class Measure(NamedTuple):
    """The seconds of the processor that a task takes, and the bytes of its peak of memory: medians of its rounds."""

    seconds: float
    peak: float


def side_by_side(tasks: Mapping[Name, Task]) -> dict[Name, Measure]:
    """Measure tasks in turns, so that what slows the machine down for a while slows all of them.

    One with fewer rounds sits the later ones out. RuntimeError where a command fails.
    """
    runs: dict[Name, list[Measure]] = {name: [] for name in tasks}
    for turn in range(max(task.rounds for task in tasks.values())):
        for name, task in tasks.items():
            if turn < task.rounds:
                runs[name].append(_run(task))
    return {
        name: Measure(median(run.seconds for run in done), median(run.peak for run in done))
        for name, done in runs.items()
    }


def _run(task: Task) -> Measure:
    with task.stdin.open("rb") as stdin:
        watch = (sys.executable, "-S", "-E", "-c", _WATCH, *task.command)
        env = {**_ENVIRONMENT, **task.environment}
        done = subprocess.run(watch, stdin=stdin, capture_output=True, text=True, check=True, env=env)
    code, seconds, peak = done.stdout.split()
    if code != "0":
        raise RuntimeError(f"{' '.join(task.command)} exits with {code}")
    return Measure(float(seconds), int(peak) * _BYTES_PER_UNIT)
