"""Standard output is the product, whole or not at all, whatever happens to the streams around it."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from expand_vars.commands import explain
from krm import stdio
from krm.commands import merge
from krm.stdio import InputError
from tests import process
from tests.process import FILTER, ROOT, run

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = b"kind: Pod\napiVersion: v1\nspec: {containers: [{args: [$(A), $(B)]}]}\n"
EXPECTED = GIVEN.replace(b"$(A)", b"a")
NEXT = "declare it, or write `$$(B)` if it is text"
PLACE = "v1/Pod spec.containers[0].args[1]"
WARNING = (
    f"[warning] line 3: {PLACE}: nothing defines `$(B)` in container `0`, so it stays: {NEXT} (UnresolvedReference)\n"
)
BAD_DESCRIPTOR = "[error] standard output: Bad file descriptor (InvalidInput)\n"


def shell(script: str) -> tuple[str, str, int]:
    """Run `script` with the filter as `$@`: a shell is what closes streams."""
    command = ["bash", "-c", script, "bash", *FILTER, "A=a"]
    done = subprocess.run(command, input=GIVEN, capture_output=True, check=False, cwd=ROOT)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def test_warnings_go_to_stderr_and_the_text_to_stdout() -> None:
    assert run("A=a", stdin=GIVEN) == (EXPECTED, WARNING, 0)


def test_closed_stderr_changes_nothing_of_the_text() -> None:
    assert shell('"$@" 2>&-') == (EXPECTED.decode(), "", 0)


def test_unwritable_stderr_changes_nothing_of_the_text() -> None:
    assert shell('"$@" 2>/dev/full') == (EXPECTED.decode(), "", 0)


def test_closed_stdin_is_empty() -> None:
    assert shell('"$@" <&-') == ("", "[error] standard input is empty; with docker run, give -i (InvalidInput)\n", 1)


def test_closed_stdout_is_an_error() -> None:
    assert shell('"$@" >&-') == ("", WARNING + BAD_DESCRIPTOR, 1)


def test_all_streams_closed_is_an_error() -> None:
    assert shell('"$@" <&- >&- 2>&-') == ("", "", 1)


def test_full_disk_is_an_error() -> None:
    assert shell('"$@" >/dev/full') == (
        "",
        f"{WARNING}[error] standard output: No space left on device (InvalidInput)\n",
        1,
    )


def test_a_reader_that_is_gone_needs_no_sentence() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*FILTER, "A=a"], input=GIVEN, stdout=writer, stderr=subprocess.PIPE, check=False, cwd=ROOT)
    os.close(writer)
    assert (done.stderr.decode(), done.returncode) == (WARNING, 1)


def test_stdin_that_is_a_directory_is_an_error() -> None:
    """Python itself says so, before any line of ours runs."""
    text, told, code = shell('"$@" <.')
    assert (text, code) == ("", 1)
    assert "<stdin> is a directory" in told


def test_stdin_that_is_only_written_to_is_an_error(tmp_path: Path) -> None:
    assert shell(f'"$@" 0>{tmp_path}/file') == ("", "[error] standard input: Bad file descriptor (InvalidInput)\n", 1)


def test_an_interrupt_ends_the_process_without_a_traceback() -> None:
    run_sleeps = "lambda _: print(1, flush=True) or time.sleep(60)"
    command = [sys.executable, "-c", f"import time; from krm import stdio; exit(stdio.serve({run_sleeps}))"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=process.heed_interrupts,  # noqa: PLW1509 - a handler is set, no more
    ) as started:
        assert started.stdin is not None
        assert started.stderr is not None
        started.stdin.write(GIVEN)
        started.stdin.close()
        assert started.stderr.readline() == b"1\n"
        started.send_signal(signal.SIGINT)
        assert started.stderr.read() == b""
        assert started.stdout is not None
        assert started.stdout.read() == b""
    assert started.returncode == stdio.INTERRUPTED


COMMANDS = {"explain": explain.main, "merge2": merge.main, "merge3": merge.main}
STOPPED = {
    "out of memory": (MemoryError, "[error] there is not enough memory for this input (InvalidInput)\n", 1),
    "interrupted": (KeyboardInterrupt, "", stdio.INTERRUPTED),
    "no input": (InputError("a: gone"), "[error] a: gone (InvalidInput)\n", 1),
}


@pytest.mark.parametrize(("stop", "told", "code"), STOPPED.values(), ids=STOPPED)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_is_stopped_says_so(  # noqa: PLR0913 - a row of the table, and fixtures
    command: str,
    stop: BaseException | type[BaseException],
    told: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(stdio, "read_marked", Mock(side_effect=stop))
    files = {"explain": 1, "merge2": 2, "merge3": 3}[command] * [__file__]
    assert COMMANDS[command]([command, *files]) == code
    assert capfd.readouterr() == ("", told)


def test_a_file_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\n")
    assert stdio.read_file(str(file)) == "a: 1\r\n"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^/nowhere: No such file or directory; name a file that is there$"):
        stdio.read_file("/nowhere")
    with pytest.raises(InputError, match=rf"^{tmp_path}: Is a directory; name a file in it$"):
        stdio.read_file(str(tmp_path))
    closed = stdio.unread("a.env", PermissionError(errno.EACCES, "Permission denied"))
    assert str(closed) == "a.env: Permission denied; let your user read it"
    file = tmp_path / "config.yaml"
    file.write_bytes(b"a: \xe9\n")
    with pytest.raises(InputError, match=rf"^{file} is not UTF-8: byte 0xe9 in line 1; convert it to UTF-8$"):
        stdio.read_file(str(file))


def test_a_text_longer_than_a_pipe_comes_out_whole() -> None:
    given = GIVEN + b"# " + b"x" * 1_000_000 + b"\n"
    assert run("A=a", "B=b", stdin=given).stdout == given.replace(b"$(A)", b"a").replace(b"$(B)", b"b")


HOSTILE = """\
apiVersion: v1
kind: Pod
metadata: {name: "\\e[2Jevil\\n::error::x\\n[error] fake\\u0085\\u202e", namespace: "a\\rb"}
spec: {containers: [{name: c, workingDir: "$(A)"}]}
"""


def test_a_result_is_one_line_of_printable_text() -> None:
    answer = run("A=1", stdin=HOSTILE.encode())
    assert answer.code == 0
    (line,) = answer.stderr.splitlines()
    name = r"a\rb/\x1b[2Jevil\n::error::x\n[error] fake\x85\u202e"
    assert line.startswith(f"[warning] line 4: v1/Pod/{name} spec.containers[name=c].workingDir: `$(A)` stays")


def test_a_reason_that_many_results_have_is_told_twenty_times() -> None:
    pods = "".join(f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p{n}}}\nspec: {{x: $(A)}}\n" for n in range(23))
    lines = run("A=1", stdin=pods.encode()).stderr.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "[warning] and 3 more (UntargetedReference)"


def test_no_line_on_standard_error_is_a_command_to_a_ci_system(capfd: pytest.CaptureFixture[str]) -> None:
    stdio.tell(" ::error::x", "a ::b", "##[error]x", "x ###vso[task]", "## no order")
    expected = [" \\x3a:error::x", "a ::b", "\\x23#[error]x", "x #\\x23#vso[task]", "## no order"]
    assert capfd.readouterr().err.splitlines() == expected


def test_no_mark_reorders_a_line_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    stdio.tell("a\u061cb\u200ec\u200fd\u202ee\u2066f")
    assert capfd.readouterr().err == r"a\u061cb\u200ec\u200fd\u202ee\u2066f" + "\n"
    # Nobody sees these, so a name with one of them looks like another one.
    stdio.tell("a\u200bb\u00adc\ufeffd\U000e0041e\udc80f \u00a0\u3000\ue000é")
    assert capfd.readouterr().err == r"a\u200bb\xadc\ufeffd\U000e0041e\udc80f " + "\u00a0\u3000\ue000é\n"
