"""`expand-vars wrap` as a process: what a program prints is merged, and where it fails nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fn.yamltree import style
from tests import process

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """\
functionConfig:
  apiVersion: example.com/v1
  kind: Shop
  metadata: {name: mine}
  spec: {replicas: 5}
"""
ITEM = """\
- apiVersion: v1
  kind: Service
  metadata: # the shop
    name:   web
"""
GIVEN = f"kind: ResourceList\nitems:\n{ITEM}{CONFIG}"
PRINTS = (
    "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata:\\n  name: made\\ndata:\\n  n: \"%s\" # of it\\n' $REPLICAS"
)


def wrap(*words: str, stdin: str = GIVEN) -> process.Answer:
    return process.run("wrap", *words, stdin=stdin.encode())


def bash(script: str, *options: str, stdin: str = GIVEN) -> process.Answer:
    return wrap(*options, "--", "bash", "-c", script, stdin=stdin)


def results(message: str) -> str:
    """Return the results of a list with one error of COMMAND."""
    entry = {"message": message, "severity": "error", "tags": {"reason": "CommandFailed"}}
    return "".join(f"{line}\n" for line in style.block({"results": [entry]}, style.Layout()))


# Where it fails.


@pytest.mark.parametrize(
    ("script", "stderr", "message"),
    [
        ("exit 3", "", "`bash` failed with exit code 3"),
        ("echo why >&2; echo 'a: b'; exit 3", "why\n", "`bash` failed with exit code 3; its last lines:\nwhy"),
        ("kill -9 $$", "", "`bash` was ended by signal 9"),
        ("echo 'a: ['", "", "COMMAND's output is not YAML: line 2, column 1: did not find expected node content"),
        (r"printf 'a: \377'", "", "COMMAND's output is not UTF-8: byte 0xff in line 1"),
        (
            "echo hello; echo why >&2",
            "why\n",
            "COMMAND's output is text, it must be a resource: a mapping; its last lines:\nwhy",
        ),
        (
            "echo '- a'",
            "",
            "COMMAND's output is a list, it must be a resource: a mapping",
        ),
        (
            "printf 'kind: List\nitems: [a]\n---\n'",
            "",
            "COMMAND's output, document 1, items[0] is text, it must be a resource: a mapping",
        ),
        (
            "cat",
            "",
            "COMMAND's output is a ResourceList; wanted are resources, those alone that are generated",
        ),
    ],
)
def test_a_failure_leaves_the_items_as_they_were(script: str, stderr: str, message: str) -> None:
    answer = bash(script)
    assert answer.stdout.decode() == GIVEN + results(message)
    assert (answer.stderr, answer.code) == (f"{stderr}[error] {message}\n", 1)


@pytest.mark.parametrize("given", ["kind: Pod\nmetadata: {name: a}\n", f"kind: List\nitems:\n{ITEM}"])
def test_in_the_other_shapes_a_failure_lets_nothing_out(given: str) -> None:
    assert bash("exit 1", stdin=given) == (b"", "[error] `bash` failed with exit code 1\n", 1)


def test_no_such_command() -> None:
    message = "`no-such-program` cannot be started: No such file or directory"
    answer = wrap("--", "no-such-program")
    assert answer == ((GIVEN + results(message)).encode(), f"[error] {message}\n", 1)


def test_out_of_time() -> None:
    message = "`bash` did not end within 0.2 seconds; its last lines:\nwaiting"
    answer = bash("echo waiting >&2; sleep 60", "--timeout", "0.2")
    assert answer == ((GIVEN + results(message)).encode(), f"waiting\n[error] {message}\n", 1)


def test_input_that_is_wrong_starts_nothing(tmp_path: Path) -> None:
    given = f"kind: ResourceList\nitems: [a]\n{CONFIG}"
    answer = bash(f"touch {tmp_path}/started", stdin=given)
    assert answer.stderr == "[error] `items[0]` is a scalar, it must be a mapping\n"
    assert (answer.code, [*tmp_path.iterdir()]) == (1, [])


SECRET = (
    'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: aHVudGVyMg==, none: }\nstringData: {b: "one\\ntwo"}\n'
)
QUOTES = "[error] `bash` failed with exit code 1; its last lines:\n(secret), (secret), (secret) (secret)\n"


@pytest.mark.parametrize("place", ["items:\n- kind: Secret\n  kind: Secret\n- ", "functionConfig:\n  "])
def test_last_lines_quote_no_secret(place: str) -> None:
    given = "kind: ResourceList\n" + place + SECRET.replace("\n", "\n  ").rstrip(" ")
    answer = bash("echo hunter2, aHVudGVyMg==, one two >&2; exit 1", stdin=given)
    assert answer.stderr == f"hunter2, aHVudGVyMg==, one two\n{QUOTES}"
    quoted = "(secret), (secret), (secret) (secret)"
    assert f"failed with exit code 1; its last lines:\n    {quoted}\n" in answer.stdout.decode()


# What the arguments may be.

USAGE = (
    "usage: expand-vars wrap [--strategy Apply] [--on-conflict KeepLocal|Error] [--no-prune] [--allow-empty] "
    "[--timeout SECONDS] -- COMMAND [ARG...]\n"
)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "COMMAND is missing: it stands behind `--`"),
        (["--"], "COMMAND is missing: it stands behind `--`"),
        (["./make.sh"], "unrecognized arguments: ./make.sh"),
        (["--timeout", "0", "--", "a"], "argument --timeout: invalid seconds value: '0'"),
        (["--timeout", "nan", "--", "a"], "argument --timeout: invalid seconds value: 'nan'"),
        (["--timeout", "soon", "--", "a"], "argument --timeout: invalid seconds value: 'soon'"),
        (
            ["--strategy", "Apply", "--on-conflict", "Error", "--", "a"],
            "with --strategy Apply update always wins: --on-conflict cannot be given",
        ),
    ],
)
def test_wrong_usage(words: list[str], problem: str) -> None:
    assert wrap(*words) == (b"", f"{USAGE}expand-vars wrap: error: {problem}\n", 2)


def test_help() -> None:
    assert wrap("--help").stdout.decode().startswith(USAGE)
