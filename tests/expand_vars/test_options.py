"""The options of a run work alike in each of its commands, and what does not go together is refused by name."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars.commands import arguments
from expand_vars.commands.table import PROGRAM
from expand_vars.functionconfig import decoding
from krm.commands.options import Parser, Program
from krm.commands.table import PROGRAM as KRM
from krm.results import ERROR, Result
from krm.stdio import for_programs
from tests.process import refusal, run

if TYPE_CHECKING:
    from pathlib import Path

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - image: web:$(TAG)
    env: [{name: PORT, value: "8080"}]
    args:
    - $(REGION)
    - $(PORT)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["REGION=eu"],
        ["--env", "REGION=FROM"],
        ["--env-file", "values.env"],
        ["--env-file", "values.env", "REGION=us"],
        ["--fn-config", "config.yaml"],
        ["--target", "All", "TAG=7"],
        ["--inline", "Secrets", "REGION=eu"],
        ["--record", "Always", "REGION=eu"],
        ["--record", "Never", "REGION=eu"],
        ["--strict", "REGION=eu"],
        ["--strict", "TAG=7", "--target", "All", "--env-file", "values.env"],
    ],
    ids=" ".join,
)
def test_a_pipe_and_eval_of_standard_input_take_the_same_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("FROM", "eu")
    (tmp_path / "values.env").write_text("REGION=eu\n")
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\ndata: {REGION: eu}\n")
    piped = run(*arguments, stdin=POD.encode(), folder=tmp_path)
    assert run("eval", "-", *arguments, stdin=POD.encode(), folder=tmp_path) == piped
    assert ("eu" in piped.stdout.decode() or "us" in piped.stdout.decode() or "web:7" in piped.stdout.decode()) == (
        piped.code == 0
    )


def test_the_options_of_a_run_name_its_arguments_whether_or_not_the_variables_were_read() -> None:
    options = Parser(PROGRAM, "eval", "", "").parsed(
        [".", "A=1", "--env", "B,C", "--env", "D=E", "--env-file", "absent"]
    )
    assert arguments.with_options(decoding.decode(None), options).arguments == {"A", "B", "C", "D"}


def test_record_is_an_option_of_a_pipe() -> None:
    commented = POD.replace("$(REGION)", "eu # expand: $(REGION)").replace("$(PORT)", '"8080" # expand: $(PORT)')
    assert run("--record", "Always", "REGION=eu", stdin=POD.encode()).stdout.decode() == commented


def test_record_is_an_option_of_eval(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(POD)
    assert run("eval", "p.yaml", "--record", "Never", "REGION=eu", stdin=b"", folder=tmp_path).code == 0
    assert (tmp_path / "p.yaml").read_text() == POD.replace("$(REGION)", "eu")


EMPTY = "an argument is empty, as where a variable of the shell is unset: `.` is this directory"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([".", "--stdout", "--check"], "--stdout cannot be given with --check, which is about files"),
        (["-", "--format", "json"], "`-` cannot be given with --format json, which is about files"),
        (["-", "--diff"], "`-` cannot be given with --diff, which is about files"),
        (["-", "a.yaml"], "`-` is standard input: no other path goes with it"),
        ([".", ""], EMPTY),
        (["--env-file=", "."], EMPTY),
        ([".", "--restore", "A=1"], "NAME=VALUE cannot be given with --restore, which expands nothing"),
        ([".", "--restore", "--record", "Auto"], "--record cannot be given with --restore, which expands nothing"),
        ([".", "--restore", "--adopt", "Error"], "--adopt cannot be given with --restore, which expands nothing"),
        ([".", "--restore", "--strict"], "--strict cannot be given with --restore, which expands nothing"),
        ([".", "--show-secrets"], "--show-secrets has no effect without --diff: give both"),
        ([".", "--suggest"], "`--suggest` is no option of `expand-vars eval`; it is one of `expand-vars explain`"),
        ([".", "--set", "A=1"], "`--set` is no option of `expand-vars eval`; a variable is `NAME=VALUE` alone"),
        ([".", "--chek"], "`--chek` is no option of `expand-vars eval`; did you mean `--check`?"),
        ([".", "--output", "json"], "--output json: it names a place, and no form: write `./json` if it is one"),
        ([".", "--record", "Twice"], "argument --record: invalid choice: 'Twice' (choose from {})"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(arguments: list[str], problem: str) -> None:
    answer = run("eval", *arguments, stdin=b"")
    choices = "'Auto', 'Always', 'Never'"
    told = answer.stderr.replace("Auto, Always, Never)", f"{choices})")
    expected = refusal("expand-vars eval", "[OPTION]... PATH... [NAME=VALUE...]", problem.format(choices))
    assert (told, answer.code) == (expected, 2)


@pytest.mark.parametrize("program", [PROGRAM, KRM], ids=["expand-vars", "krm"])
def test_a_habit_is_no_word_of_the_program_and_leads_to_one(program: Program) -> None:
    options = {option.name for option in program.options}
    assert not (program.commands.keys() | options) & program.habits.keys()
    for advice in program.habits.values():
        words = [word for quoted in re.findall("`([^`]+)`", advice) for word in quoted.split()]
        assert words or advice == "directories are read whole"
        assert {word for word in words if word.startswith("--")} <= options | {"--"}
        assert not words or words[0] != program.name or words[1] in program.commands.keys() | options | {"NAME=VALUE"}


@pytest.mark.parametrize("word", ["--set", "--restor", "--stdin", "--outdir"])
def test_no_word_is_guessed_that_may_do_something_else(word: str) -> None:
    """`--set` is like `--target`, and `--stdin` is one letter from no option, and two from `--stdout`."""
    without_habits = Program("expand-vars", (), (), {}, {})
    hint = without_habits.hint(word, [option.name for option in PROGRAM.of("eval")])
    assert hint == ("did you mean `--restore`?" if word == "--restor" else "")


VARIABLE = "a variable is `REGION=VALUE`"
THERE = "name a path that is there, such as `.`"


@pytest.mark.parametrize("command", ["eval", "explain"])
@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("REGION", VARIABLE),
        ("REGION:eu", VARIABLE),
        ("a.yaml", THERE),
        ("b/REGION", THERE),
        ("deploy.yml", "did you mean `deploy.yaml`?"),
        ("sub/deploy.yml", "did you mean `sub/deploy.yaml`?"),
        ("lower.yaml", "did you mean `sub/lower.yaml`?"),
    ],
)
def test_a_path_that_is_not_there_leads_on(command: str, word: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for folder in (tmp_path, tmp_path / "sub"):
        (folder / "deploy.yaml").touch()
    (tmp_path / "sub" / "lower.yaml").touch()
    answer = run(command, word, stdin=b"", folder=tmp_path)
    said = f"[error] {word}: No such file or directory; {hint} (InvalidInput)\n"
    assert (answer.stderr, answer.code) == (said, 1)


def test_a_link_that_leads_nowhere_is_no_hint_for_itself(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("nowhere")
    said = "[error] a.yaml: No such file or directory; it is a link that leads nowhere (InvalidInput)\n"
    assert run("eval", "a.yaml", stdin=b"", folder=tmp_path).stderr == said


def test_a_file_with_a_dash_in_front_has_another_name(tmp_path: Path) -> None:
    (tmp_path / "-x.yaml").touch()
    answer = run("eval", "-x.yaml", stdin=b"", folder=tmp_path)
    said = "`-x.yaml` is no option of `expand-vars eval`; a file is `./-x.yaml`"
    assert answer.stderr == refusal("expand-vars eval", "[OPTION]... PATH... [NAME=VALUE...]", said)
    assert run("eval", "./-x.yaml", stdin=b"", folder=tmp_path).code == 0


def test_what_stands_behind_two_dashes_is_no_option(tmp_path: Path) -> None:
    (tmp_path / "-x.yaml").write_text(POD)
    answer = run("eval", "--check", "--", "-x.yaml", "REGION=eu", "TAG=1", stdin=b"", folder=tmp_path)
    assert (answer.stdout.splitlines()[0], answer.code) == (b"changed  -x.yaml  +2 -2", 3)
    assert run("eval", "--", "-", "REGION=eu", "TAG=1", stdin=POD.encode()).code == 0


@pytest.mark.parametrize(
    ("option", "name", "problem"),
    [
        ("--env-file", "b.env", "b.env: No such file or directory; did you mean `a.env`?"),
        ("--fn-config", "b.env", "b.env: No such file or directory; did you mean `a.env`?"),
        ("--fn-config", "a.env", "a.env: this is an env file, and no functionConfig: write `--env-file a.env`"),
    ],
)
def test_a_file_that_an_option_names_leads_on(option: str, name: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.env").write_text("# of the site\n\nTAG=1\n# and\nREGION=eu\n")
    answer = run("eval", ".", option, name, stdin=b"", folder=tmp_path)
    assert (answer.stderr, answer.code) == (f"[error] {problem} (InvalidInput)\n", 1)


@pytest.mark.parametrize(
    ("word", "better"), [("$F6_HOME", "F6_HOME"), ("${F6_HOME}", "F6_HOME"), ("HOME=$F6_HOME", "HOME=F6_HOME")]
)
def test_a_name_of_the_environment_has_no_dollar(word: str, better: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("F6_HOME", "x")
    answer = run("--env", word, stdin=b"a: b")
    name = word.rpartition("=")[2]
    said = f"--env {word}: `{name}` is not set in the environment: write `--env {better}`, without `$`"
    assert (answer.stderr.splitlines()[1], answer.code) == (f"expand-vars: error: {said}", 2)


def test_an_argument_without_a_name() -> None:
    said = "a variable without a name, to which nothing can refer: write `NAME=VALUE`, or add its name"
    assert run("=1", stdin=b"a: b\n").stderr == f"[error] {said} (InvalidArgument)\n"


@pytest.mark.parametrize("text", ["[1, 2]\n", "a\n", "# none\n"])
def test_a_text_without_an_object_has_no_resource(text: str) -> None:
    answer = run("REGION=eu", stdin=text.encode())
    said = (
        "[warning] there is no resource, so nothing is expanded: each has an `apiVersion` and a `kind`, and kustomize "
        "gives them to `transformers`, not to `generators` (NoEffect)\n"
    )
    assert (answer.stdout.decode(), answer.stderr, answer.code) == (text, said, 0)


@pytest.mark.parametrize("word", ["--write", "-i", "--in-place"])
def test_what_writes_in_a_migration(word: str) -> None:
    hint = "`expand-vars migrate KUSTOMIZATION --comments` writes into the files"
    said = f"expand-vars migrate: error: `{word}` is no option of `expand-vars migrate`; {hint}"
    assert run("migrate", ".", word, stdin=b"").stderr.splitlines()[1] == said


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("pod.yaml", "this file is no kustomization: name a directory with one, such as `.`"),
        ("none", "No such file or directory; name a path that is there, such as `.`"),
    ],
)
def test_what_is_no_kustomization(word: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").touch()
    answer = run("migrate", word, stdin=b"", folder=tmp_path)
    assert (answer.stderr, answer.code) == (f"[error] {word}: {problem} (InvalidInput)\n", 1)


@pytest.mark.parametrize(("asked", "given"), [(["help"], ["--help"]), (["help", "eval"], ["eval", "--help"])])
def test_help_is_a_command_too(asked: list[str], given: list[str]) -> None:
    assert run(*asked, stdin=b"") == run(*given, stdin=b"")
    assert run(*asked, stdin=b"").stdout


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("expand-vars ev", "eval"),
        ("expand-vars --st", "--strict"),
        ("expand-vars eval --ch", "--check --changed-since"),
        ("expand-vars eval --record A", "Auto Always"),
        ("expand-vars --record N", "Never"),
        ("expand-vars explain --output j", "json"),
        ("expand-vars eval --sh", "--show-secrets --shard"),
    ],
)
def test_bash_completes_commands_options_and_their_words(tmp_path: Path, line: str, expected: str) -> None:
    script = tmp_path / "completion"
    script.write_bytes(run("completion", "bash", stdin=b"").stdout)
    number = len(line.split(" ")) - 1
    ask = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={number}; _expand_vars; echo ${{COMPREPLY[@]}}"
    answer = run("-c", ask, stdin=b"", command=("bash",))
    assert (answer.stdout.decode(), answer.stderr) == (f"{expected}\n", "")


def test_fish_gets_a_line_for_each_command_and_option() -> None:
    lines = run("completion", "fish", stdin=b"").stdout.decode().splitlines()
    assert len(lines) == len(PROGRAM.commands) - 1 + len(PROGRAM.options)
    assert (
        "complete -c expand-vars -n '__fish_use_subcommand; or __fish_seen_subcommand_from eval' -l record "
        "-a 'Auto Always Never' -x -d 'whether an expanded field keeps its reference in a comment'"
    ) in lines
    assert (
        "complete -c expand-vars -n '__fish_seen_subcommand_from eval' -l output -r -d 'write the files"
        in "\n".join(lines)
    )


def test_completion_of_another_shell_is_wrong_usage() -> None:
    answer = run("completion", "tcsh", stdin=b"")
    expected = refusal("expand-vars completion", "bash|zsh|fish", "`tcsh` is none of bash, zsh, fish")
    assert answer == (b"", expected, 2)


NOT_TAKEN = "apiVersion: v1\nkind: Pod\nmetadata: {name: w, annotations: {a: $(B), c: 'x $(B)'}}\n"


def test_programs_read_a_result_for_each_field_with_its_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(NOT_TAKEN)
    answers = {
        form: run("eval", ".", "B=1", "--format", form, "--results", "r.yaml", stdin=b"", folder=tmp_path).stderr
        for form in ("json", "github")
    }
    found = [json.loads(line) for line in answers["json"].splitlines()]
    assert [(one["field"]["path"], one["tags"]["line"], one["tags"]["column"]) for one in found] == [
        ("metadata.annotations.a", "3", "38"),
        ("metadata.annotations.c", "3", "47"),
    ]
    assert yaml.safe_load((tmp_path / "r.yaml").read_text())["results"] == found
    first, second = answers["github"].splitlines()
    where = "file=p.yaml,line=3,col=38,title=UntargetedReference"
    assert first == f"::warning {where}::v1/Pod/w metadata.annotations.a: {found[0]['message']}"
    assert second.startswith("::warning file=p.yaml,line=3,col=47,title=UntargetedReference::v1/Pod/w metadata.")


def test_people_read_one_path_and_a_count(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(NOT_TAKEN)
    answer = run("eval", ".", "B=1", stdin=b"", folder=tmp_path)
    assert answer.stderr.startswith("[warning] p.yaml:3: v1/Pod/w metadata.annotations.a and 1 more: `$(B)` stays: ")


def test_nothing_in_a_result_ends_an_annotation() -> None:
    result = Result("a\nb\x1b%", ERROR, "InvalidInput", file="a,b:c.yaml")
    assert [*for_programs([result], "github")] == ["::error file=a%2Cb%3Ac.yaml,title=InvalidInput::a%0Ab\x1b%25"]


def test_a_long_listing_ends_with_a_count(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.yaml").write_text(POD)
    answer = run("eval", ".", "REGION=eu", "TAG=1", stdin=b"", folder=tmp_path)
    listed = answer.stdout.decode().splitlines()
    assert (len(listed), listed[19][:16], listed[20:]) == (22, "changed  19.yaml", ["and 10 more", "30 changed"])


LINES = {
    "REGION: eu": "this is not NAME=VALUE; a comment starts with `#`",
    " =eu": "this is not NAME=VALUE; a comment starts with `#`",
    " export REGION=eu": "`export` is a word of shells: write `REGION=...` alone",
    "REGION = eu": "a value begins right behind `=`: write `REGION=...`, without blanks",
    'REGION="eu"': "quotes are a part of the value here: write `REGION=...` without them",
    "REGION=''": "quotes are a part of the value here: write `REGION=...` without them",
    "REGION=eu # prod": "a comment behind a value is a part of it here: write it in a line of its own",
    "A=2": "`A` is given twice: leave one out",
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_means_something_else_to_other_readers_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "v.env").write_text(f"A=1\n{line}\n")
    answer = run("--env-file", "v.env", stdin=POD.encode(), folder=tmp_path)
    assert (answer.stderr, answer.code) == (f"[error] v.env:2: {LINES[line]} (InvalidInput)\n", 1)


@pytest.mark.parametrize("line", ['TAG="a" b', "TAG=#1", "TAG= a", " TAG=a", "TAG=a#b", "TAG=it's"])
def test_any_other_line_is_taken_as_it_stands(line: str, tmp_path: Path) -> None:
    (tmp_path / "v.env").write_text(f"{line}\r\n")
    given = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, args: ["$(TAG)"]}]}\n'
    answer = run("--env-file", "v.env", stdin=given.encode(), folder=tmp_path)
    item = yaml.safe_load(answer.stdout)
    assert item["spec"]["containers"][0]["args"] == [line.partition("=")[2]]


@pytest.mark.parametrize("option", ["--env-file", "--fn-config", "--output"])
def test_an_option_with_one_value_is_given_once(option: str, tmp_path: Path) -> None:
    answer = run("eval", ".", option, "a", option, "b", stdin=b"", folder=tmp_path)
    assert (f"error: `{option}` is given twice: leave one out\n" in answer.stderr, answer.code) == (True, 2)


def test_a_pipe_without_a_resource_is_told() -> None:
    answer = run("REGION=eu", stdin=b"NAME  READY\nweb   1/1\n")
    said = "[warning] there is no resource, so nothing is expanded: "
    assert (answer.stdout, answer.stderr[: len(said)]) == (b"NAME  READY\nweb   1/1\n", said)
