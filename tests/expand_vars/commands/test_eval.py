"""`expand-vars eval`: every folder of testdata/expand_vars/eval, its files, its output and its messages whole.

A folder holds a directory `input`, in which the command runs, and `arguments.txt`, an argument in each line. The
environment of the process has ENGINE_REGION. `expected` has the files that are new or changed afterwards, `output.txt`
all that is said, and the exit code. `UPDATE=1 pytest` writes what is expected anew.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli
from expand_vars.commands.eval import Progress
from tests.krm.package.directories import contents, write
from tests.process import FILTER, ROOT, SOURCE_ROOT, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES = sorted(path.parent for path in ROOT.glob("testdata/expand_vars/eval/*/input"))
assert CASES, "no cases under testdata/expand_vars/eval"

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec: {containers: [{name: c, args: [$(REGION)]}]}\n"


@pytest.fixture(autouse=True)
def region_of_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_REGION", "eu")


def evaluated(folder: Path, *arguments: str, capfd: pytest.CaptureFixture[str]) -> str:
    """Run the command in a folder, in this process, and return all that it says, and its exit code."""
    os.chdir(folder)
    try:
        code = cli.run(["eval", *arguments])
    except SystemExit as stopped:
        code = int(str(stopped.code))
    said = capfd.readouterr()
    return f"{said.out}--- standard error\n{said.err}--- exit code {code}\n"


@every_case
def test_what_a_run_writes_and_says(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    before = contents(case / "input")
    folder = shutil.copytree(case / "input", tmp_path / "folder", symlinks=True)
    arguments = (case / "arguments.txt").read_text().splitlines()
    said = evaluated(folder, *arguments, capfd=capfd)
    after = contents(folder)
    changed = {path: text for path, text in after.items() if before.get(path) != text}
    if "UPDATE" in os.environ:
        shutil.rmtree(case / "expected", ignore_errors=True)
        if changed:
            write(case / "expected", changed)
        (case / "output.txt").write_text(said)
    assert all(f"deleted  {path}  " in said for path in before.keys() - after.keys())
    assert said == (case / "output.txt").read_bytes().decode()
    assert changed == (contents(case / "expected") if changed else {})
    if "--stdout" not in arguments and "exit code 0" in said:
        again = evaluated(folder, *arguments, capfd=capfd)
        assert "nothing changes\n" in again
        # The lines of results are those that the run has read.
        both = ({**files, "results.yaml": ""} for files in (contents(folder), after))
        assert next(both) == next(both), "the second run changes nothing"


# Generated items stay, and rendered files have no references.
NOT_UNDONE = ("templates", "templates-in-a-package", "restore-edited")
UNDONE = [case for case in CASES if case.name not in NOT_UNDONE and not case.name.startswith("output")]


@pytest.mark.parametrize("case", UNDONE, ids=lambda case: case.name)
def test_restore_is_the_undo(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    folder = shutil.copytree(case / "input", tmp_path / "folder", symlinks=True)
    evaluated(folder, *(case / "arguments.txt").read_text().splitlines(), capfd=capfd)
    (folder / "results.yaml").unlink(missing_ok=True)
    evaluated(folder, ".", "--restore", capfd=capfd)
    assert contents(folder) == contents(case / "input")


RESTORED = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: nginx:1.28 # expand: nginx:$(TAG)
    args:
    - --tag=1.27 # expand: --tag=$(TAG)
    - --also=1.27 # expand: --also=$(TAG)
    - --password=secret # expand: --password=$(PW)
    env:
    - {name: PW, valueFrom: {secretKeyRef: {name: s, key: k}}}
"""
GENERATING = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: f}
spec: {templates: [{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: $(A)}}]}
"""


def test_restore_tells_the_values_that_go_and_what_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    write(tmp_path, {"a.yaml": RESTORED, "g/f.yaml": GENERATING})
    evaluated(tmp_path, "g", "A=1", capfd=capfd)
    said = evaluated(tmp_path, ".", "--restore", capfd=capfd)
    image = "a.yaml:7: v1/Pod/web spec.containers[name=web].image: "
    argument = "a.yaml:11: v1/Pod/web spec.containers[name=web].args[2]"
    differed = (
        "`TAG` was `1.28` here, and `1.27` in most fields: one reference stands for both now; write the value here "
        "again if it is to differ (ValuesDiffered)"
    )
    assert said.partition("--- standard error\n")[2].splitlines() == [
        f"[info] {image}`TAG` is `$(TAG)` now, and was `1.28`, `1.27`, in 3 fields (ValueChanged)",
        f"[warning] {image}{differed}",
        f"[info] {argument}: `PW` is `$(PW)` now, in 1 field (ValueChanged)",
        "left alone: 1 generated resource (--verbose names them)",
        "--- exit code 0",
    ]
    assert "expand" not in contents(tmp_path)["a.yaml"]


PASSING = """\
apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {password: hunter2}
---
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: f}
spec: {variables: [{name: PW, valueFrom: {secretKeyRef: {name: db, key: password}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, args: [$(PW)]}]}
"""


def test_a_secret_may_be_written_where_the_command_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    write(tmp_path, {"a.yaml": PASSING})
    assert "what a Secret holds may be written nowhere" in evaluated(tmp_path, ".", capfd=capfd)
    assert "exit code 0" in evaluated(tmp_path, ".", "--inline", "Secrets", capfd=capfd)
    assert "args: [hunter2]" in contents(tmp_path)["a.yaml"]


def test_a_run_that_fails_tells_of_no_value_that_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replicas: 3 # expand: $(N)\n"
    write(tmp_path, {"a.yaml": text})
    said = evaluated(tmp_path, ".", "N=x", capfd=capfd).partition("--- standard error\n")[2]
    assert said == (
        "[error] a.yaml:5: apps/v1/Deployment/d spec.replicas: `x` cannot stand here: it has to be a whole number, "
        "such as `3`: mend the value of `N` (UnfitValue)\n--- exit code 1\n"
    )


def test_a_value_that_does_not_fit_is_told_with_the_variables_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: $(NAME)-$(NAME)}\n"
    write(tmp_path, {"a.yaml": f"{head}spec: {{replicas: $(N)$(M), paused: $(P)}}\n"})
    said = evaluated(tmp_path, ".", "N=", "M=", "P=$", "NAME=A", capfd=capfd).partition("--- standard error\n")[2]
    assert said == (
        "[error] a.yaml:3: apps/v1/Deployment/A-A/web metadata.namespace: `A-A` cannot stand here: it has to be a name "
        "of at most 63 lower-case letters, digits and `-`, such as `web-1`: mend the value of `NAME` (UnfitValue)\n"
        "[error] a.yaml:4: apps/v1/Deployment/A-A/web spec.paused: `$` cannot stand here: it has to be `true` or "
        "`false`: mend the value of `P` (UnfitValue)\n"
        "[error] a.yaml:4: apps/v1/Deployment/A-A/web spec.replicas: an empty text cannot stand here: it has to be a "
        "whole number, such as `3`: mend the value of `N` or `M` (UnfitValue)\n--- exit code 1\n"
    )


NAMED = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: store}
spec:
  variables: [{name: R, value: eu}]
  templates:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: other}}
  - apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
      - {name: side, image: s}
      - name: c-$(R)
        image: w:1
        workingDir: /a
"""
HAND = """\
apiVersion: v1
kind: Pod
metadata: {name: hand}
spec:
  containers:
  - {name: side, image: s}
  - name: c-eu # expand: c-$(R)
    args:
    - eu # expand: --x=$(R)
"""


def test_a_field_below_a_name_with_a_reference_is_told_by_its_name_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The text has `c-eu`. The template of the name leads nowhere in it."""
    monkeypatch.chdir(ROOT)
    write(tmp_path, {"store.yaml": NAMED, "hand.yaml": HAND})

    def told(*words: str) -> list[str]:
        said = evaluated(tmp_path, ".", "--verbose", *words, capfd=capfd).partition("--- standard error\n")[2]
        places = (line.partition(" v1/Pod/")[2].partition(": ")[0] for line in said.splitlines())
        lines = (line.partition(".yaml:")[2].partition(":")[0] for line in said.splitlines())
        reasons = (line.rpartition(" (")[2].rstrip(")") for line in said.splitlines())
        return [" ".join(one) for one in zip(lines, places, reasons, strict=True) if one[1]]

    container = "spec.containers[name=c-eu]"
    by_hand = f"9 hand {container}.args[0] EditedByHand"
    assert told() == [by_hand]
    web = tmp_path / "pod_web.yaml"
    web.write_text(web.read_text().replace("image: w:1", "image: mine"))
    assert told() == [by_hand, f"11 web {container}.image LocalOverride"]
    store = tmp_path / "store.yaml"
    store.write_text(NAMED.replace("image: w:1", "image: w:2"))
    assert told() == [by_hand, f"11 web {container}.image Conflict"]
    web.write_text(web.read_text().replace("image: w:2", "image: mine"))
    store.write_text(NAMED.partition("  - apiVersion: v1\n    kind: Pod")[0])
    assert told() == [by_hand, f"11 web {container}.image KeptChanged"]


def test_with_check_and_stdout_nothing_is_written() -> None:
    for case in CASES:
        if {"--check", "--stdout"} & {*(case / "arguments.txt").read_text().splitlines()}:
            assert not (case / "expected").exists()


def terminal(
    folder: Path, *arguments: str, meanwhile: Callable[[int], bytes] = lambda _: b"", **variables: str
) -> tuple[str, str]:
    """Return what the command shows on a terminal, on standard output and on standard error.

    `meanwhile` is called while the command runs, and returns what it has read from standard error.
    """
    streams = [pty.openpty() for _ in range(2)]
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"PYTHONPATH": str(SOURCE_ROOT), **variables}
    command = (*FILTER, "eval", *arguments)
    process = subprocess.Popen(command, stdout=streams[0][1], stderr=streams[1][1], cwd=folder, env=environment)
    read = meanwhile(streams[1][0])
    process.wait()
    for _, theirs in streams:
        os.close(theirs)
    return shown(streams[0][0]), read.decode().replace("\r\n", "\n") + shown(streams[1][0])


def shown(terminal: int) -> str:
    """Return what was written to a terminal that nobody writes to any more."""
    read = b""
    with suppress(OSError):
        while more := os.read(terminal, 1 << 16):
            read += more
    os.close(terminal)
    return read.decode().replace("\r\n", "\n")


def test_a_diff_has_colours_on_a_terminal_alone(tmp_path: Path) -> None:
    write(tmp_path, {"p.yaml": POD})
    arguments = (".", "--check", "--diff", "REGION=eu")
    coloured, _ = terminal(tmp_path, *arguments)
    plain = run("eval", *arguments, stdin=b"", folder=tmp_path).stdout.decode()
    assert "\x1b[32m+spec: {containers: [{name: c, args: [eu]}]}\x1b[0m\n" in coloured
    assert "\x1b[31m-spec: {containers: [{name: c, args: [$(REGION)]}]}\x1b[0m\n" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert terminal(tmp_path, *arguments, "--no-color")[0] == plain
    assert terminal(tmp_path, *arguments, NO_COLOR="1")[0] == plain


def test_progress_shows_on_a_terminal_what_takes_long(tmp_path: Path) -> None:
    write(tmp_path, {"p.yaml": POD})
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)

    def release(stderr: int) -> bytes:
        read = b""
        while b"1 s" not in read and select.select([stderr], [], [], 60)[0]:
            read += os.read(stderr, 1 << 16)
        os.close(held)
        return read

    out, err = terminal(tmp_path, ".", "REGION=eu", meanwhile=release)
    assert out == "changed  p.yaml  +2 -1\n1 changed\n"
    assert "\r\x1b[Kwaiting for another program that writes, 1 s" in err
    assert err.endswith("\r\x1b[K")


def test_progress_of_what_is_quick_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)
    with Progress() as progress:
        progress.do("reading")
    assert capfd.readouterr().err == ""


def test_what_takes_long_shows_what_it_is(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)
    with Progress() as progress:
        progress.do("reading")
        time.sleep(1.5)
    assert capfd.readouterr().err.startswith("\r\x1b[Kreading, 1 s")


def test_what_can_be_counted_shows_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)
    with Progress() as progress:
        progress.do("expanding")
        for thing in progress.over([*range(50)]):
            if thing == 20:
                time.sleep(1.5)
        progress.do("writing")
    assert capfd.readouterr().err.startswith(f"\r\x1b[Kexpanding [{'=' * 12}{' ' * 18}] 20 of 50, 1 s")


def test_a_file_that_is_given_as_an_argument_is_answered_with_how_to_give_it(tmp_path: Path) -> None:
    write(tmp_path, {"p.yaml": POD})
    answer = run("p.yaml", "REGION=eu", stdin=b"", folder=tmp_path)
    told = (
        "`p.yaml` is a file: `expand-vars < p.yaml` prints it expanded, `expand-vars eval p.yaml` changes it in place"
    )
    assert answer.stderr.splitlines()[1:2] == [f"expand-vars: error: {told}"]
    assert answer.code == 2


def test_a_directory_that_is_given_as_an_argument_is_answered_with_eval(tmp_path: Path) -> None:
    answer = run(".", "REGION=eu", stdin=b"", folder=tmp_path)
    told = "`.` is a directory: `expand-vars eval .` changes it in place"
    assert answer.stderr.splitlines()[1:2] == [f"expand-vars: error: {told}"]
    assert answer.code == 2


def test_a_file_that_the_shell_emptied_is_answered_with_eval(tmp_path: Path) -> None:
    write(tmp_path, {"p.yaml": POD})
    environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT)}
    line = ["sh", "-c", '"$@" < p.yaml > p.yaml', "sh", *FILTER, "REGION=eu"]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, check=False)
    told = (
        "[error] standard input and standard output are one file, which the shell has emptied: bring it back, and let "
        "`expand-vars eval FILE` change it in place (InvalidInput)\n"
    )
    assert (done.stderr.decode(), done.returncode) == (told, 1)


def test_rare_yaml_in_which_nothing_is_to_be_expanded_stops_nobody(tmp_path: Path) -> None:
    odd = "apiVersion: v1\nkind: X\nmetadata:\n  *a :\n    - &a\n"
    write(tmp_path, {"a.yaml": odd, "p.yaml": POD})
    answer = run("eval", ".", "REGION=eu", stdin=b"", folder=tmp_path)
    assert answer == (b"changed  p.yaml  +2 -1\n1 changed\n", "", 0)
    assert (tmp_path / "a.yaml").read_text() == odd


def test_standard_input_is_answered_as_without_a_command() -> None:
    pod = POD.replace("args:", "image: web:$(TAG), args:")
    written = pod.replace("$(REGION)", "eu").replace("$(TAG)", "7")
    arguments = ("eval", "-", "REGION=eu", "TAG=7")
    assert run(*arguments, stdin=pod.encode()) == (written.encode(), "", 0)


def test_a_file_for_results_that_cannot_be_written_is_a_failure(tmp_path: Path) -> None:
    write(tmp_path, {"p.yaml": POD})
    answer = run("eval", ".", "REGION=eu", "--results", "/dev/full", stdin=b"", folder=tmp_path)
    assert answer == (
        b"changed  p.yaml  +2 -1\n1 changed\n",
        "[error] /dev/full: No space left on device (InvalidInput)\n",
        1,
    )


def test_the_hook_of_pre_commit_is_the_command() -> None:
    """It is run by the real pre-commit in tests/e2e/test_pre_commit.py."""
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "entry: expand-vars eval\n" in hooks


def test_the_file_of_results_has_all_that_people_get_the_first_of(tmp_path: Path) -> None:
    write(tmp_path, {"p.yaml": "---\n".join(POD.replace("name: p", f"name: p{number}") for number in range(1010))})
    answer = run("eval", ".", "--check", "--results", "found.yaml", stdin=b"", folder=tmp_path)
    found = (tmp_path / "found.yaml").read_text()
    assert found.count("reason: UnresolvedReference") == 1010
    assert answer.stderr.endswith("[warning] and 990 more (UnresolvedReference)\n")
    assert answer.stderr.count("\n") == 21


def test_an_argument_that_nothing_uses_is_told_unless_a_shard_has_other_packages(tmp_path: Path) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i, args: [$(A)]}]}\n"
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "pod.yaml").write_text(pod)
    (tmp_path / "web" / "Kptfile").write_text("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web}\n")
    message = "`B` is given, and nothing that may be changed refers to it: mend the name, or leave it out"
    told = run("eval", ".", "--check", "A=1", "B=2", stdin=b"", folder=tmp_path)
    assert (told.stderr, told.code) == (f"[warning] {message} (UnusedArgument)\n", 3)
    assert run("eval", ".", "--check", "--strict", "A=1", "B=2", stdin=b"", folder=tmp_path).code == 1
    assert run("eval", ".", "--check", "--shard", "0/1", "A=1", "B=2", stdin=b"", folder=tmp_path)[1:] == (
        "1 note not shown (--verbose tells them)\n",
        3,
    )
    file = tmp_path / "values.env"
    file.write_text("A=1\nB=2\n")
    assert run("eval", ".", "--check", "--env-file", "values.env", stdin=b"", folder=tmp_path)[1:] == ("", 3)
