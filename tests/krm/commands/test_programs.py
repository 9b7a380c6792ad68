"""Programs that are started: what they print, how they fail, and that nothing of them is left."""

from __future__ import annotations

import os
import resource
import selectors
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from krm.commands import programs
from tests.process import is_gone, krm

if TYPE_CHECKING:
    from pathlib import Path


def outcome(
    script: str, stdin: bytes = b"", seconds: float = 600, mebibytes: int = 64
) -> tuple[bytes, str | None, list[str]]:
    done = programs.run(["bash", "-c", script], stdin, os.environb, seconds, mebibytes)
    return done.stdout, done.problem, [*done.last_lines]


@pytest.mark.parametrize(
    ("script", "stdout", "problem", "last_lines"),
    [
        ("cat; echo out", b"in\nout\n", None, []),
        ("echo out; echo err >&2", b"out\n", None, ["err"]),
        ("echo half; echo why >&2; exit 3", b"half\n", "`bash` failed with exit code 3", ["why"]),
        ("kill -9 $$", b"", "`bash` was ended by signal 9", []),
        ("seq 12 >&2", b"", None, [str(number) for number in range(3, 13)]),
        (r"printf 'a\xff\r\nb' >&2", b"", None, ["a\\xff", "b"]),
    ],
)
def test_what_a_program_prints(script: str, stdout: bytes, problem: str | None, last_lines: list[str]) -> None:
    assert outcome(script, b"in\n") == (stdout, problem, last_lines)


def test_one_that_reads_nothing_of_much() -> None:
    assert outcome("echo out", b"x" * (1 << 20)) == (b"out\n", None, [])


def test_much_in_and_much_out() -> None:
    assert outcome("cat", b"x" * (1 << 20))[0] == b"x" * (1 << 20)


def test_standard_error_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    outcome("echo one >&2; echo two >&2")
    assert capfd.readouterr() == ("", "| one\n| two\n")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("no-such-program", "`no-such-program` cannot be started: No such file or directory"),
        ("/etc/passwd", "`/etc/passwd` cannot be started: Permission denied"),
    ],
)
def test_one_that_cannot_be_started(command: str, problem: str) -> None:
    assert programs.run([command], b"", os.environb, 600, 64).problem == problem


def test_it_is_found_by_the_path_that_it_gets(tmp_path: Path) -> None:
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\necho mine\n")
    program.chmod(0o755)
    assert programs.run(["mine"], b"", {b"PATH": os.fsencode(tmp_path)}, 600, 64).stdout == b"mine\n"


def test_out_of_time_all_that_it_started_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = f"sleep 600 & echo $! > {note}; echo waiting >&2; wait"
    assert outcome(script, seconds=1) == (
        b"",
        "`bash` did not end within 1 s: --timeout allows more",
        ["waiting"],
    )
    assert is_gone(int(note.read_text()))


@pytest.mark.parametrize("redirected", ["> /dev/null", "2> /dev/null", "2>&1", "< /dev/stdin"])
def test_what_holds_a_pipe_open_is_not_waited_for(redirected: str) -> None:
    began = time.monotonic()
    assert outcome(f"sleep 50 {redirected} & echo out; echo err >&2") == (b"out\n", None, ["err"])
    assert time.monotonic() - began < 20


def test_what_is_still_printed_after_the_end_counts() -> None:
    """A program may leave one behind that writes on. What it says within a second is of the output."""
    assert outcome("(sleep 0.3; echo later) & echo out")[0] == b"out\nlater\n"


def test_what_was_printed_while_this_process_was_stopped_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by Ctrl-Z, by a frozen container or on a machine with too much to do."""

    class Stopped(selectors.DefaultSelector):
        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            found = super().select(timeout)
            if not found:
                time.sleep(1.2)
            return found

    monkeypatch.setattr(selectors, "DefaultSelector", Stopped)
    assert outcome("sleep 0.2; echo out") == (b"out\n", None, [])


def test_one_that_closes_its_pipes_is_waited_for() -> None:
    assert outcome("exec >&- 2>&- <&-; sleep 0.3; exit 7")[1] == "`bash` failed with exit code 7"


def test_one_that_prints_without_end_is_ended() -> None:
    _, problem, _ = outcome("yes", mebibytes=1)
    assert problem == "`bash` printed more than 1 MiB: --max-output allows more"


def test_one_that_complains_without_end_is_ended() -> None:
    _, problem, _ = outcome("yes >&2", mebibytes=1)
    assert problem == "`bash` printed more than 1 MiB: --max-output allows more"


def test_one_that_prints_without_end_takes_little_memory() -> None:
    """In a process of its own that may have 100 MB."""
    given = b"kind: ResourceList\nitems: []\nfunctionConfig: {apiVersion: e.com/v1, kind: X, metadata: {name: x}}\n"
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (400_000_000, 400_000_000))
    answer = krm("wrap", "--max-output", "8", "--", "yes", stdin=given, limit=limit)
    assert (answer.stderr, answer.code) == (
        "[error] `yes` printed more than 8 MiB: --max-output allows more (CommandFailed)\n",
        1,
    )


def test_what_it_says_is_escaped_and_shortened(capfd: pytest.CaptureFixture[str]) -> None:
    """GitHub obeys `::` at the start of a line, Azure Pipelines `##vso[` anywhere."""
    _, _, last_lines = outcome(
        r"printf 'a\e[2Jb\r::error::x\n::error::y\n a ###vso[z]\n' >&2; head -c 200000 /dev/zero | tr '\0' x >&2"
    )
    told = capfd.readouterr().err.splitlines()
    assert told[:3] == [r"| a\x1b[2Jb\r::error::x", "| ::error::y", r"|  a #\x23#vso[z]"]
    assert {*"".join(told[3:])} == {*"| x"}
    assert last_lines[0] == "a\x1b[2Jb\r::error::x"
    assert last_lines[3] == "x" * 500 + "..."
