"""`expand-vars explain`: every folder of testdata/expand_vars/explain, its whole table and its whole JSON.

A folder holds a directory `input`, or one file of that name; `arguments.txt` has an argument in each line, `stderr.txt`
what is said beside the table. `UPDATE=1 pytest` writes what is expected anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import __main__ as cli
from tests.process import FILTER, ROOT, in_terminal, refusal, run

if TYPE_CHECKING:
    from pathlib import Path

CASES = sorted(path.parent for path in ROOT.glob("testdata/expand_vars/explain/*/input*"))
assert CASES, "no cases under testdata/expand_vars/explain"

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)

USAGE = "[OPTION]... PATH... [NAME=VALUE...]"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, args: [$(REGION)]}]}\n"
PLANTED = re.compile("planted|cGxhbnRlZ", re.IGNORECASE)


def explain(case: Path, output: str) -> int:
    """Explain the input of a case, from inside of its folder: the paths that are shown are those of its files."""
    arguments = case / "arguments.txt"
    words = arguments.read_text().splitlines() if arguments.exists() else []
    return cli.run(["explain", *(path.name for path in case.glob("input*")), "--output", output, *words])


def expect(path: Path, actual: str) -> None:
    if "UPDATE" in os.environ and actual:
        path.write_bytes(actual.encode())
    elif "UPDATE" in os.environ:
        path.unlink(missing_ok=True)
    assert actual == (path.read_bytes().decode() if path.exists() else "")


@every_case
def test_the_table_and_the_results_of_a_case(
    case: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(case)
    code = explain(case, "table")
    told = capfd.readouterr()
    expect(case / "expected.txt", told.out)
    expect(case / "stderr.txt", told.err)
    assert code == ("[error]" in told.err)


@every_case
def test_json_and_yaml_say_the_same(
    case: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(case)
    explain(case, "json")
    written = capfd.readouterr().out
    explain(case, "yaml")
    expect(case / "expected.json", written)
    assert yaml.safe_load(capfd.readouterr().out) == (json.loads(written) if written else None)


@pytest.mark.parametrize("output", ["table", "json", "yaml"])
@every_case
def test_no_secret_is_shown(
    case: Path, output: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What Secrets hold in the cases says that it was planted."""
    monkeypatch.chdir(case)
    explain(case, output)
    assert PLANTED.search("".join(capfd.readouterr())) is None


def test_a_secret_that_an_earlier_run_has_written_into_env_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The comment of the entry refers to it. The Secret, and who declares it, stand beside the file."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "store.yaml": "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: s}\nspec:\n"
        "  inline: [Variables, Secrets]\n  variables:\n"
        "  - {name: PW, valueFrom: {secretKeyRef: {name: db, key: pw}}}\n  - {name: URL, value: db://$(PW)}\n",
        "db.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {pw: planted-one}\n",
        "pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    env:\n"
        "    - name: A\n      value: a-$(URL)\n    - {name: B, value: b-$(A)}\n    - {name: C, value: c}\n"
        "    args: [$(A), $(B), $(C)]\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert cli.run(["eval", "."]) == 0
    assert "value: a-db://planted-one # expand: a-$(URL)\n" in (tmp_path / "pod.yaml").read_text()
    capfd.readouterr()
    for path in (".", "pod.yaml"):
        assert cli.run(["explain", path, "--output", "json"]) == 0
        rows = json.loads(capfd.readouterr().out)["references"]
        hidden = dict.fromkeys(("URL", "A", "B"), (None, True))
        assert {row["name"]: (row["value"], row["secret"]) for row in rows} == hidden | {"C": ("c", False)}


def test_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD)
    assert run("explain", str(tmp_path), "REGION=eu", stdin=b"").code == 0
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("pod.yaml", POD)]


def test_standard_input() -> None:
    shown = """\
    LINE  FIELD    TEXT       NAME    STATE  VALUE  EXPLANATION
-
  Pod/web  web
    4     args[0]  $(REGION)  REGION  known  eu     variable `REGION` of the command line
"""
    assert run("explain", "-", "REGION=eu", stdin=POD.encode()) == (shown.encode(), "", 0)


def test_a_terminal_gets_a_table_for_each_container(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD.replace("$(REGION)", '"\\e$(A) [bold]:x:", "$(B)"'))
    assert (
        in_terminal("explain", "pod.yaml", folder=tmp_path, columns=90)
        == """\
pod.yaml
  Pod/web  web
LINE  FIELD    TEXT                NAME  STATE      EXPLANATION
4     args[0]  \\x1b$(A) [bold]:x:  A     undefined  nothing defines `$(A)` in container
                                                    `web`, so it stays: declare it, or
                                                    write `$$(A)` if it is text
4     args[1]  $(B)                B     undefined  nothing defines `$(B)` in container
                                                    `web`, so it stays: declare it, or
                                                    write `$$(B)` if it is text
"""
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "say what to explain: a file, a directory, or `-` for standard input"),
        (["A=1"], "say what to explain: a file, a directory, or `-` for standard input"),
        ([".", "A=\udcff"], "the value of `A` is not UTF-8"),
        (
            [".", "--output", "xml"],
            "argument --output: invalid choice: 'xml' (choose from 'table', 'json', 'yaml')",
        ),
        ([".", "--out", "json"], "`--out` is no option of `expand-vars explain`; did you mean `--output`?"),
    ],
)
def test_wrong_usage(arguments: list[str], problem: str) -> None:
    answer = run("explain", *arguments, stdin=b"")
    assert (answer.stdout, answer.code) == (b"", 2)
    told = answer.stderr.replace("table, json, yaml", "'table', 'json', 'yaml'")
    assert told == refusal("expand-vars explain", USAGE, problem)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (b"", "standard input is empty; with docker run, give -i"),
        (b"a: \xff\n", "standard input is not UTF-8: byte 0xff in line 1; convert it to UTF-8"),
        (
            b"kind: List\nitems: [\n",
            "-: line 3, column 1: a value is missing here, or a bracket above is not closed",
        ),
        (b"%PDF-1.4\n", "-: line 1, column 7: found unexpected non-alphabetical character"),
        (b"\x00", "-: line 1, column 1: the character U+0000 is not allowed in YAML"),
        (
            b'{"args": ["\\ud83d$(A)"]}',
            "-: line 1, column 14: found invalid Unicode character escape code",
        ),
        (b"kind: ResourceList\nitems: 1\n", "`items` is a scalar, it must be a list"),
    ],
)
def test_what_cannot_be_read(given: bytes, sentence: str) -> None:
    answer = run("explain", "-", stdin=given)
    assert (answer.stderr, answer.code) == (f"[error] {sentence} (InvalidInput)\n", 1)


@pytest.mark.parametrize("given", [b"word", b"- 1\n- $(A)\n", b"a: $(A)\n", b"# a comment\n", b"{}"])
def test_what_holds_no_resource_holds_no_reference(given: bytes) -> None:
    answer = run("explain", "-", stdin=given)
    assert answer == (b"", "there are no references\n", 0)


def test_what_the_run_expands_without_an_api_version_is_explained() -> None:
    given = POD.removeprefix("apiVersion: v1\n").encode()
    assert run("REGION=eu", stdin=given).stdout == given.replace(b"$(REGION)", b"eu")
    answer = run("explain", "-", "REGION=eu", "--output", "json", stdin=given)
    assert [(one["line"], one["state"]) for one in json.loads(answer.stdout)["references"]] == [(3, "known")]


def test_the_line_of_an_alias_is_its_own_as_in_the_results_of_the_run() -> None:
    given = POD.replace("name: web, args: [$(REGION)]", "name: a, args: &x [$(A)]},\n  {name: b, args: *x").encode()
    line = (
        "[warning] line {1}: v1/Pod/web spec.containers[name={0}].args[0]: nothing defines `$(A)` in container `{0}`, "
        "so it stays: declare it, or write `$$(A)` if it is text (UnresolvedReference)"
    )
    assert run(stdin=given) == (given, f"{line.format('a', 4)}\n{line.format('b', 5)}\n", 0)
    answer = run("explain", "-", "--output", "json", stdin=given)
    assert [one["line"] for one in json.loads(answer.stdout)["references"]] == [4, 5]


def test_a_resource_list_without_paths_is_called_by_its_file(tmp_path: Path) -> None:
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    (tmp_path / "list.yaml").write_text(f"{head}- {POD.rstrip().replace(chr(10), f'{chr(10)}  ')}\n")
    data = json.loads(run("explain", "list.yaml", "--output", "json", stdin=b"", folder=tmp_path).stdout)
    assert [(one["file"], one["line"]) for one in data["references"]] == [("list.yaml", None)]
    assert [one["file"] for one in data["results"]] == [{"path": "list.yaml"}]


def test_long_texts_are_shortened_in_the_table_alone() -> None:
    given = POD.replace("$(REGION)", f"{'x' * 60}$(REGION)").encode()
    assert (
        f"  {'x' * 47}…  REGION  known  {'y' * 47}…  ".encode()
        in run("explain", "-", f"REGION={'y' * 60}", stdin=given).stdout
    )
    answer = run("explain", "-", "--output", "json", f"REGION={'y' * 60}", stdin=given)
    (reference,) = json.loads(answer.stdout)["references"]
    assert (reference["text"], reference["value"]) == (f"{'x' * 60}$(REGION)", "y" * 60)


def test_a_long_name_is_shortened_in_the_table() -> None:
    answer = run("explain", "-", stdin=POD.replace("REGION", "X" * 60).encode())
    assert f"…  {'X' * 47}…  undefined  ".encode() in answer.stdout


@pytest.mark.parametrize("name", ["true", "8080", "~", "{a: b}"])
def test_a_container_without_a_text_for_a_name_is_called_by_its_number(name: str) -> None:
    spec = f"{{containers: [{{name: {name}, args: [$(A)]}}]}}"
    answer = run("explain", "-", stdin=f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {spec}\n".encode())
    assert answer.stdout.decode().splitlines()[2] == "  Pod/a  0"
    assert b"nothing defines `$(A)` in container `0`" in answer.stdout


def test_a_long_chain_is_explained_by_its_first_links() -> None:
    """Each entry refers to the one above it: what explains the last does not tell of all."""
    entries = ", ".join(f"{{name: A{number}, value: $(A{number - 1})}}" for number in range(1, 100))
    given = POD.replace("args: [$(REGION)]", f"env: [{entries}]").encode()
    answer = run("explain", "-", "--output", "json", stdin=given)
    told = [one["explanation"] for one in json.loads(answer.stdout)["references"]]
    assert told[3] == (
        "entry `A3` of `env` refers to `A2`: entry `A2` of `env` refers to `A1`: entry `A1` of `env` refers to `A0`: "
        "nothing defines `A0`"
    )
    assert max(map(len, told)) < 1100


def test_a_path_that_holds_an_equals_sign(tmp_path: Path) -> None:
    (tmp_path / "a=b.yaml").write_text(POD)
    answer = run("explain", str(tmp_path / "a=b.yaml"), "REGION=eu=west", "--output", "json", stdin=b"")
    assert [one["value"] for one in json.loads(answer.stdout)["references"]] == ["eu=west"]


def test_a_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD)
    answer = run("explain", str(tmp_path), str(tmp_path / "pod.yaml"), "--output", "json", stdin=b"")
    assert len(json.loads(answer.stdout)["references"]) == 1


def test_what_is_no_file_in_a_directory_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / ".#pod.yaml").symlink_to("me@desk.4711")
    os.mkfifo(tmp_path / "pipe.yaml")
    answer = run("explain", ".", "REGION=eu", "--output", "json", stdin=b"", folder=tmp_path)
    assert [one["file"] for one in json.loads(answer.stdout)["references"]] == ["pod.yaml"]
    assert answer.stderr == (
        "[warning] .#pod.yaml: left alone: it is a symbolic link, and links are not followed (LeftAlone)\n"
        "[warning] pipe.yaml: left alone: it is no regular file (LeftAlone)\n"
    )


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        ("none.yaml", "`none.yaml` is not there, or has no resource: name the file of the functionConfig"),
        ("[none.yaml]", "this must be the name of a file"),
    ],
)
def test_a_kptfile_whose_function_config_cannot_be_used(
    named: str, problem: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pipeline = f"pipeline:\n  mutators:\n  - exec: expand-vars\n    configPath: {named}\n"
    (tmp_path / "Kptfile").write_text(f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: a}}\n{pipeline}")
    assert cli.run(["explain", str(tmp_path)]) == 1
    place = f"{tmp_path}/Kptfile:7: kpt.dev/v1/Kptfile/a pipeline.mutators[0].configPath"
    assert capfd.readouterr() == ("", f"[error] {place}: {problem} (InvalidInput)\n")


def test_a_directory_is_read_as_eval_reads_it(tmp_path: Path) -> None:
    """`.krmignore` counts, and in a package of kpt the functionConfig is that of the pipeline."""
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {REGION: eu}\n"
    pipeline = "pipeline: {mutators: [{image: ghcr.io/expand-vars/expand-vars:v0.1, configPath: config.yaml}]}\n"
    (tmp_path / "Kptfile").write_text(f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: a}}\n{pipeline}")
    (tmp_path / "config.yaml").write_text(config)
    (tmp_path / ".krmignore").write_text("old\n")
    (tmp_path / "pod.yaml").write_text(f"# Comments above\n---\n{POD}")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "pod.yaml").write_text(POD)
    answer = run("explain", str(tmp_path), "--output", "json", stdin=b"")
    (found,) = json.loads(answer.stdout)["references"]
    assert [found[key] for key in ("file", "line", "field", "value")] == [
        f"{tmp_path}/pod.yaml",
        6,
        "spec.containers[name=web].args[0]",
        "eu",
    ]


CONFIG = (
    "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: store}\n"
    "spec: {variables: [{name: REGION, value: VALUE}]}\n"
)


def test_each_directory_is_explained_by_its_own_function_config(tmp_path: Path) -> None:
    """As `eval` runs it. What belongs to none of them has no variable, and what is to be added needs a choice."""
    for path, text in {
        **{f"{name}/store.yaml": CONFIG.replace("VALUE", name) for name in ("dev", "prod")},
        **{f"{name}/pod.yaml": POD for name in ("dev", "prod/a", "other")},
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "dev/odd.yaml").write_text("a: [\n")
    answer = run("explain", ".", "--output", "json", stdin=b"", folder=tmp_path)
    found = [(one["file"], one["value"]) for one in json.loads(answer.stdout)["references"]]
    assert found == [("dev/pod.yaml", "dev"), ("other/pod.yaml", None), ("prod/a/pod.yaml", "prod")]
    assert answer.stderr.count("left alone") == 1
    named = "`dev/store.yaml#store`, `prod/store.yaml#store`"
    choose = f"[error] there are 2 functionConfigs, choose one with --fn-config: {named} (InvalidInput)\n"
    answer = run("explain", ".", "--suggest", stdin=b"", folder=tmp_path)
    assert (answer.code, answer.stderr) == (1, choose)


def test_what_is_told_of_the_function_config_of_a_directory_names_its_file_as_all_else(tmp_path: Path) -> None:
    pipeline = "pipeline: {mutators: [{image: ghcr.io/expand-vars/expand-vars:v0.1, configPath: config.yaml}]}\n"
    (tmp_path / "Kptfile").write_text(f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {{name: a}}\n{pipeline}")
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {UNUSED: x}\n")
    answer = run("explain", str(tmp_path), "--output", "json", stdin=b"")
    assert [one["file"]["path"] for one in json.loads(answer.stdout)["results"]] == [f"{tmp_path}/config.yaml"]


def test_a_template_that_no_value_mends_is_told_beside_the_references(tmp_path: Path) -> None:
    template = "- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}}}, {}}}\n"
    written = template.format("one", "[*v]: b") + template.format("$(NAME)", "data: {a: $(NONE)}")
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: &v fn}\nspec:\n  templates:\n"
    (tmp_path / "fn.yaml").write_text(head + "".join(f"  {line}\n" for line in written.splitlines()))
    (tmp_path / "pod.yaml").write_text(POD)
    answer = run("explain", ".", stdin=b"", folder=tmp_path)
    told = "fn.yaml:6: expandvars.dev/v1alpha1/ExpandVars/fn spec.templates[0]: this cannot be taken out of the"
    assert answer.stderr.startswith(f"[error] {told} functionConfig: line 6: it has a key that is no scalar (")
    assert (answer.stderr.count("[error]"), answer.code, b"$(REGION)" in answer.stdout) == (1, 1, True)


def test_a_name_in_a_template_is_used_as_it_is_with_eval(tmp_path: Path) -> None:
    template = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {key-$(KEY): a, b: $(TAG)}}"
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: fn}\nspec:\n"
    variables = "  variables: [{name: KEY, value: k}]\n"
    (tmp_path / "fn.yaml").write_text(f"{head}{variables}  templates:\n  - {template}\n")
    assert run("eval", ".", "TAG=1", stdin=b"", folder=tmp_path).code == 0
    for command, told in (
        ("eval", ""),
        ("explain", "there are no references outside of templates and what they generate\n"),
    ):
        answer = run(command, ".", "--strict", "TAG=1", stdin=b"", folder=tmp_path)
        assert (answer.code, answer.stderr) == (0, told)
    answer = run("explain", ".", "--strict", "TAG=1", "OTHER=1", stdin=b"", folder=tmp_path)
    told = "`OTHER` is given, and nothing that may be changed refers to it: mend the name, or leave it out"
    assert (answer.code, answer.stderr) == (1, f"[error] {told} (UnusedArgument)\n")


def test_in_a_file_and_a_directory_a_literal_stays_as_it_does_with_eval(tmp_path: Path) -> None:
    """A file that is no YAML after all is left alone, as with `eval`."""
    own = POD.replace("name: web, args", "name: web, env: [{name: REGION, value: eu}], args")
    (tmp_path / "pod.yaml").write_text(own)
    (tmp_path / "twice.yaml").write_text(POD.replace("{name: web}", "{name: web, name: web}"))
    answers = [run("explain", path, "--output", "json", stdin=b"", folder=tmp_path) for path in (".", "pod.yaml")]
    answers.append(run("explain", "-", "--output", "json", stdin=own.encode(), folder=tmp_path))
    states = [one["state"] for answer in answers for one in json.loads(answer.stdout)["references"]]
    assert states == ["left", "left", "known"]
    assert answers[0].stderr.startswith("[warning] twice.yaml: left alone: document 1: line 3, ")


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "\udcff.yaml").write_text(POD)
    answer = run("explain", ".", "--output", "json", stdin=b"", folder=tmp_path)
    assert answer.stderr == "[warning] \\udcff.yaml: left alone: its name has control characters (LeftAlone)\n"
    for command in ("explain", "eval"):
        answer = run(command, "\udcff.yaml", stdin=b"", folder=tmp_path)
        told = "[error] \\udcff.yaml: left alone: its name has control characters (LeftAlone)\n"
        assert (answer.stderr, answer.code) == (told, 1)


def test_a_directory_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Root may read everything, so the system's answer is given here."""

    def scan(_: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.chdir(tmp_path)
    assert cli.run(["explain", "."]) == 1
    assert capfd.readouterr().err == "[error] .: Permission denied (InvalidInput)\n"


def test_standard_output_that_is_full() -> None:
    command = ["bash", "-c", '"$@" >/dev/full', "", *FILTER, "explain", "-"]
    done = subprocess.run(command, input=POD.encode(), capture_output=True, check=False, cwd=ROOT)
    assert (done.stderr, done.returncode) == (b"[error] standard output: No space left on device (InvalidInput)\n", 1)


def test_the_filter_does_not_pay_for_it() -> None:
    costly = "{'expand_vars.commands', 'rich'}"
    program = f"import sys; import expand_vars.__main__; print([name for name in sys.modules if name in {costly}])"
    assert run("-c", program, command=(sys.executable,), stdin=b"").stdout == b"[]\n"


def test_inline_adds_to_what_a_directory_has_in_place(tmp_path: Path) -> None:
    pod = POD.replace("args:", "env: [{name: OWN, value: o}], args:").replace("$(REGION)", "$(OWN), $(REGION)")
    (tmp_path / "p.yaml").write_text(pod)
    words = ("--inline", "ConfigMaps", "--output", "json", "REGION=eu")
    told = json.loads(run("explain", ".", *words, stdin=b"", folder=tmp_path).stdout)
    assert {one["name"]: one["state"] for one in told["references"]} == {"OWN": "left", "REGION": "known"}
