"""Streams that are no files to read or write, and signals: whole messages and exit codes of every command."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from krm.__main__ import COMMANDS
from tests.krm.package.directories import contents, write
from tests.process import FILTER, KRM, SOURCE_ROOT

if TYPE_CHECKING:
    from pathlib import Path

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, args: [$(A)]}]}\n"
LIST = "kind: ResourceList\nitems:\n- " + POD.replace("\n", "\n  ").rstrip(" ")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT)}


def shell(line: str, folder: Path) -> tuple[str, str, int]:
    """Run a line of bash in which `run` is the function, and `krm` the other program."""
    script = f'run() {{ {" ".join(FILTER)} "$@"; }}\nkrm() {{ {" ".join(KRM)} "$@"; }}\n{line}'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        capture_output=True,
        check=False,
        cwd=folder,
        env=ENVIRONMENT,
        text=True,
    )
    return done.stdout, done.stderr, done.returncode


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "folder", {"pod.yaml": POD, "list.txt": LIST})


NO_INPUT = "[error] standard input is empty; with docker run, give -i (InvalidInput)\n"
LISTED = "give the ResourceList that a function printed, or `krm source DIRECTORY`"
NO_LIST = f"[error] standard input is empty: {LISTED} (InvalidInput)\n"
NO_OUTPUT = "[error] standard output: Bad file descriptor (InvalidInput)\n"


@pytest.mark.parametrize(
    ("line", "stderr", "code"),
    [
        ("run A=1 <&-", NO_INPUT, 1),
        ("run explain - <&-", NO_INPUT, 1),
        ("krm wrap -- true <&-", NO_INPUT, 1),
        ("krm sink there <&-", NO_LIST, 1),
        ("krm merge3 - pod.yaml pod.yaml <&-", NO_INPUT, 1),
        ("run A=1 < pod.yaml >&-", NO_OUTPUT, 1),
        ("run explain pod.yaml >&-", NO_OUTPUT, 1),
        ("run eval pod.yaml A=1 >&-", NO_OUTPUT, 1),
        ("krm source . >&-", NO_OUTPUT, 1),
        ("run schema >&-", NO_OUTPUT, 1),
        ("krm merge3 pod.yaml pod.yaml pod.yaml >&-", NO_OUTPUT, 1),
        ("run --version > /dev/full", "[error] standard output: No space left on device (InvalidInput)\n", 1),
        ("run A=1 < pod.yaml > /dev/full", "[error] standard output: No space left on device (InvalidInput)\n", 1),
    ],
)
def test_a_stream_that_is_closed_or_full(folder: Path, line: str, stderr: str, code: int) -> None:
    assert shell(line, folder) == ("", stderr, code)


def test_no_file_takes_the_place_of_a_closed_stream(folder: Path) -> None:
    """What is told must not get into a file that happened to be opened with the number of the stream."""
    before = contents(folder)
    assert shell("run eval . --check --diff A=1 B=2 <&- >&- 2>&-", folder) == ("", "", 1)
    assert shell("krm source . <&- >&- 2>&-", folder) == ("", "", 1)
    assert contents(folder) == before
    assert shell("run eval pod.yaml A=1 <&- 2>&-", folder) == ("changed  pod.yaml  +2 -1\n1 changed\n", "", 0)


def test_without_standard_error_the_work_is_done(folder: Path) -> None:
    assert shell("run A=1 < pod.yaml 2>&-", folder) == (POD.replace("$(A)", '"1"'), "", 0)
    assert shell("run B=1 < pod.yaml 2>&-", folder) == (POD, "", 0)
    assert shell("run <&- >&- 2>&-", folder) == ("", "", 1)


@pytest.mark.parametrize(
    "line",
    ["krm source .", "run explain list.txt", "run A=1 < pod.yaml", "krm merge2 pod.yaml list.txt", "run schema"],
)
def test_a_reader_that_stops_is_no_news(folder: Path, line: str) -> None:
    """As of `head`: it has what it wants. The exit code says that not all was written."""
    assert shell(f"{line} | true", folder)[1] == ""


@pytest.mark.parametrize("line", ["run A=1 < .", "krm wrap -- true < .", "krm sink there < .", "run explain - < ."])
def test_a_directory_as_standard_input(folder: Path, line: str) -> None:
    """Python itself ends there, before any module is read: nothing is written, and nothing is taken for an answer."""
    stdout, stderr, code = shell(line, folder)
    assert (stdout, code) == ("", 1)
    assert stderr.startswith("Fatal Python error: init_sys_streams: <stdin> is a directory, cannot continue\n")


def started(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*(KRM if arguments[0] in COMMANDS else FILTER), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=ENVIRONMENT,
    )


def test_the_filter_ends_with_the_signal(folder: Path) -> None:
    with started("A=1", folder=folder) as process:
        time.sleep(0.5)
        process.terminate()
        assert process.communicate() == (b"", b"")
    assert process.returncode == -signal.SIGTERM


def test_eval_that_waits_ends_with_the_signal(folder: Path) -> None:
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    before = contents(folder)
    with started("eval", "pod.yaml", "A=1", folder=folder) as process:
        time.sleep(4)  # on a busy machine, too, it waits by then
        process.terminate()
        assert process.communicate() == (b"", b"")
    os.close(held)
    assert process.returncode == 128 + signal.SIGTERM
    assert contents(folder) == before


def test_wrap_takes_its_command_along(folder: Path) -> None:
    with started("wrap", "--", "sh", "-c", "echo $$ > pid; sleep 600", folder=folder) as process:
        assert process.stdin is not None
        process.stdin.write(LIST.encode())
        process.stdin.close()
        process.stdin = None
        for _ in range(100):
            if (folder / "pid").exists() and (folder / "pid").read_text():
                break
            time.sleep(0.1)
        process.terminate()
        assert process.communicate() == (b"", b"")
    assert process.returncode == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "pid").read_text()), 0)
