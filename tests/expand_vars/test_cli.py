"""The command line: what there is beside the filter, and wrong usage, which is exit code 2."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli
from expand_vars import pipeline
from expand_vars.functionconfig.config import schema_text
from tests.process import FILTER, ROOT, refusal, run

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = b"apiVersion: v1\nkind: Pod\nspec: {containers: [{args: [$(REGION)]}]}\n"
LIST = b"""\
kind: ResourceList
items:
- apiVersion: v1
  kind: Pod
  spec: {containers: [{args: [$(REGION), $(TAG)]}]}
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: function-input}
  data: {REGION: us, TAG: one}
"""
USAGE = "[OPTION]... [NAME=VALUE...] < INPUT > OUTPUT"
NEITHER = "is neither NAME=VALUE nor a command"
VERSION = "`expand-vars --version` prints the version, and `expand-vars eval --verbose` tells infos too"


def test_arguments_are_variables() -> None:
    assert run("REGION=eu=west", stdin=GIVEN) == (GIVEN.replace(b"$(REGION)", b"eu=west"), "", 0)


def test_arguments_win_over_the_function_config() -> None:
    expected = LIST.replace(b"$(REGION), $(TAG)", b"eu, one")
    assert run("REGION=eu", stdin=LIST) == (expected, "", 0)


def test_a_function_config_file_is_used_in_the_place_of_the_list_s_own(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {REGION: eu, TAG: two}\n")
    expected = LIST.replace(b"$(REGION), $(TAG)", b"eu, two")
    assert run("--fn-config", str(config), stdin=LIST) == (expected, "", 0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [", "{path}: line 1, column 5: a value is missing here, or a bracket above is not closed"),
        ("a: 1\na: 2\n", "{path}: line 2, column 1: the key `a` is here again, first in line 1"),
        (None, "{path}: No such file or directory; name a file that is there"),
        (
            "a: 1\n---\nb: 1\n",
            "{path} has 2 documents: a functionConfig has a `metadata.name`",
        ),
        ("metadata: {name: x}\n---\nmetadata: {name: y}\n", "{path} has 2 documents: name `{path}#x`, `{path}#y`"),
    ],
)
def test_a_function_config_file_that_cannot_be_read(tmp_path: Path, text: str | None, sentence: str) -> None:
    config = tmp_path / "config.yaml"
    if text is not None:
        config.write_text(text)
    expected = f"[error] {sentence.format(path=config)} (InvalidInput)\n"
    assert run(f"--fn-config={config}", stdin=GIVEN) == (b"", expected, 1)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["evl"], "`evl` is neither NAME=VALUE nor a command; did you mean `eval`?"),
        (["check"], f"`check` {NEITHER}; `expand-vars eval PATH --check --strict` fails of what is not expanded"),
        (["--REGION=eu"], "`--REGION` is no option of `expand-vars`; a variable is `REGION=eu`, without dashes"),
        (["--strcit"], "`--strcit` is no option of `expand-vars`; did you mean `--strict`?"),
        (["--fn", "config.yaml"], "`--fn` is no option of `expand-vars`; did you mean `--fn-config`?"),
        (["--xyzzy", "A=1"], "`--xyzzy` is no option of `expand-vars`"),
        (["--diff"], "`--diff` is no option of `expand-vars`; it is one of `expand-vars eval`"),
        (["-i"], "`-i` is no option of `expand-vars`; `expand-vars eval PATH` changes files in place"),
        (["--set=A=1"], "`--set` is no option of `expand-vars`; a variable is `NAME=VALUE` alone"),
        (["-V"], f"`-V` is no option of `expand-vars`; {VERSION}"),
        (["version"], f"`version` {NEITHER}; {VERSION}"),
        (["--fn-config"], "argument --fn-config: expected one argument"),
        (["A=\udcff"], "the value of `A` is not UTF-8"),
    ],
)
def test_wrong_usage(arguments: list[str], problem: str) -> None:
    assert run(*arguments, stdin=GIVEN) == (b"", refusal("expand-vars", USAGE, problem), 2)


def test_every_option_of_eval_that_a_pipe_lacks_is_told_as_one() -> None:
    ours, of_eval = (
        {*re.findall(r"^ +(--[\w-]+)", run(*words, "--help", stdin=b"").stdout.decode(), re.MULTILINE)}
        for words in ([], ["eval"])
    )
    problem = "is no option of `expand-vars`; it is one of `expand-vars eval`\n"
    assert [one for one in of_eval - ours if problem not in run(one, stdin=b"").stderr] == []


def test_help_reads_nothing() -> None:
    reader, writer = os.pipe()
    done = subprocess.run([*FILTER, "--help"], stdin=reader, capture_output=True, check=False, cwd=ROOT)
    os.close(reader)
    os.close(writer)
    assert done.stdout.decode().startswith(f"usage: expand-vars {USAGE}\n")
    assert (done.stderr, done.returncode) == (b"", 0)


def test_a_terminal_and_no_arguments_get_the_help() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(FILTER, stdin=theirs, capture_output=True, check=False, cwd=ROOT)
    os.close(ours)
    os.close(theirs)
    assert done.stderr.decode().startswith(f"usage: expand-vars {USAGE}\n")
    assert (done.stdout, done.returncode) == (b"", 2)


def test_version() -> None:
    wheel = "compiled" if pipeline.__file__.endswith(".so") else "pure"
    assert run("--version", stdin=b"") == (f"expand-vars {version('krm-expand-vars')} ({wheel})\n".encode(), "", 0)


def test_schema() -> None:
    assert run("schema", stdin=b"") == (schema_text().encode(), "", 0)


def test_schema_to_a_full_disk_is_an_error() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" >/dev/full', "", *FILTER, "schema"], capture_output=True, check=False, cwd=ROOT
    )
    assert (done.stderr, done.returncode) == (b"[error] standard output: No space left on device (InvalidInput)\n", 1)


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["--nope"], 2), (["schema"], 0)])
def test_the_installed_script_exits_with_the_exit_code(arguments: list[str], code: int) -> None:
    program = "from expand_vars.__main__ import main; main()"
    command = [sys.executable, "-c", program, *arguments]
    assert subprocess.run(command, capture_output=True, check=False, cwd=ROOT).returncode == code


def test_main_returns_the_exit_code(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["schema"]) == 0
    assert capfd.readouterr().out == schema_text()


IMAGE = b'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: "nginx:$(TAG)"}]}\n'


def test_an_image_is_expanded_without_an_option() -> None:
    assert run("--strict", "TAG=7", stdin=IMAGE) == (IMAGE.replace(b"$(TAG)", b"7"), "", 0)


def test_a_strict_pipe_fails_of_an_image_that_nothing_declares() -> None:
    message = "no variable defines `$(TAG)`: it stays as it is written, until `variables` or an argument declares it"
    place = "line 4: v1/Pod/p spec.containers[name=c].image"
    assert run("--strict", stdin=IMAGE) == (b"", f"[error] {place}: {message} (UnresolvedReference)\n", 1)


def test_what_is_new_and_what_was_there_have_the_lines_of_their_templates() -> None:
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: x}\nspec:\n  templates:\n"
    made = "".join(f"  - {{apiVersion: v1, kind: A, metadata: {{name: {name}}}, a: $({name})}}\n" for name in "ab")
    there = "apiVersion: v1\nkind: A\nmetadata: {name: a}\nb: 1\na: $(a)\n"
    answer = run(stdin=f"{head}{made}---\n{there}".encode())
    assert [line.split(":")[0] for line in answer.stderr.splitlines()] == ["[warning] line 6", "[warning] line 7"]


def test_a_strict_pipe_fails_of_a_free_text_unless_it_is_a_target() -> None:
    note = IMAGE.replace(b"{name: p}", b"{name: p, annotations: {note: $(TAG)}}")
    answer = run("--strict", "TAG=7", stdin=note)
    assert (answer.stdout, answer.code) == (b"", 1)
    answer = run("--strict", "--target", "All", "TAG=7", stdin=note)
    assert answer.stdout == note.replace(b"nginx:$(TAG)", b"nginx:7").replace(b"$(TAG)", b'"7"')


def test_a_strict_pipe_fails_of_an_argument_that_nothing_uses() -> None:
    answer = run("--strict", "TAGS=7", stdin=IMAGE)
    message = "`TAGS` is given, and nothing that may be changed refers to it: did you mean `TAG`?"
    stays = "line 4: v1/Pod/p spec.containers[name=c].image: no variable defines `$(TAG)`: did you mean `TAGS`?"
    assert answer == (b"", f"[error] {message} (UnusedArgument)\n[error] {stays} (UnresolvedReference)\n", 1)


def test_variables_come_from_the_environment_by_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAG", "7")
    monkeypatch.setenv("CI_TAG", "8")
    for given, expected in (("TAG", b"7"), ("TAG=CI_TAG", b"8"), ("CI_TAG,TAG", b"7")):
        assert run("--env", given, stdin=IMAGE).stdout == IMAGE.replace(b"$(TAG)", expected)
    answer = run("--env", "TAG,NOT_SET", stdin=IMAGE)
    message = "--env NOT_SET: `NOT_SET` is not set in the environment"
    assert answer == (b"", refusal("expand-vars", USAGE, message), 2)


def test_a_directory_is_no_argument_of_the_pipe(tmp_path: Path) -> None:
    answer = run(".", stdin=b"", folder=tmp_path)
    message = "`.` is a directory: `expand-vars eval .` changes it in place"
    assert answer == (b"", refusal("expand-vars", USAGE, message), 2)
