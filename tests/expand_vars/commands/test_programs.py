"""Programs that are started: what they print, how they fail, and that nothing of them is left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from expand_vars.commands import programs
from tests.process import is_gone

if TYPE_CHECKING:
    from pathlib import Path


def outcome(script: str, stdin: bytes = b"", seconds: float | None = None) -> tuple[bytes, str | None, list[str]]:
    done = programs.run(["bash", "-c", script], stdin, os.environb, seconds)
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
    assert capfd.readouterr() == ("", "one\ntwo\n")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("no-such-program", "`no-such-program` cannot be started: No such file or directory"),
        ("/etc/passwd", "`/etc/passwd` cannot be started: Permission denied"),
    ],
)
def test_one_that_cannot_be_started(command: str, problem: str) -> None:
    assert programs.run([command], b"", os.environb).problem == problem


def test_it_is_found_by_the_path_that_it_gets(tmp_path: Path) -> None:
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\necho mine\n")
    program.chmod(0o755)
    assert programs.run(["mine"], b"", {b"PATH": os.fsencode(tmp_path)}).stdout == b"mine\n"


def test_out_of_time_all_that_it_started_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = f"sleep 600 & echo $! > {note}; echo waiting >&2; wait"
    assert outcome(script, seconds=1) == (b"", "`bash` did not end within 1 seconds", ["waiting"])
    assert is_gone(int(note.read_text()))


def test_what_holds_standard_error_open_is_not_waited_for() -> None:
    assert outcome("sleep 5 > /dev/null & echo out") == (b"out\n", None, [])
