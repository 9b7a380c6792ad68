"""`krm wrap` as a process: what a program prints is merged, and where it fails nothing is."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from krm.yamltree import style
from tests import process

if TYPE_CHECKING:
    from pathlib import Path

    from krm.yamltree.style import PlainData

NO_VALUE = "a value is missing here, or a bracket above is not closed"

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
    return process.krm("wrap", *words, stdin=stdin.encode())


def bash(script: str, *options: str, stdin: str = GIVEN) -> process.Answer:
    return wrap("--export", "*", *options, "--", "bash", "-c", script, stdin=stdin)


def results(message: str) -> str:
    """Return the results of a list with one error of COMMAND."""
    entry: PlainData = {"message": message, "severity": "error", "tags": {"reason": "CommandFailed"}}
    return "".join(f"{line}\n" for line in style.block({"results": [entry]}, style.Layout()))


# What comes of it.


HASHES = {"5": "opcnbc", "6": "ohpgma"}
MARK = "      expandvars.dev/generated-by: Shop/mine /ConfigMap//made\n"
STATE = """\
- # What Shop/mine has generated, for its next merge. Written by a program: commit it, do not edit it.
  apiVersion: expandvars.dev/v1alpha1
  kind: GeneratedResources
  metadata:
    name: mine
    annotations:
      config.kubernetes.io/local-config: "true"
  spec:
    generatedBy: Shop/mine
    resources:
      /ConfigMap//made:
        generated: {apiVersion: v1, kind: ConfigMap, name: made}
        data: {"n": HASH}
"""


def made(count: str = "5", notes: str = "") -> str:
    """Return the item that PRINTS becomes, with annotations."""
    annotations = f"    annotations:\n{notes}" if notes else ""
    return f"""\
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: made
{annotations}  data:
    n: "{count}" # of it
"""


def remembered(count: str = "5") -> str:
    """Return what was generated in place: the item, and the state beside it."""
    return made(count, MARK) + STATE.replace("HASH", HASHES[count])


def test_what_is_printed_comes_behind_the_items() -> None:
    assert bash(PRINTS) == (GIVEN.replace(CONFIG, made() + CONFIG).encode(), "", 0)


def test_items_of_the_user_keep_their_annotations_in_three_runs() -> None:
    """The items of the user keep their annotations exactly: none comes, none goes, though nobody names a file."""
    user = ITEM.replace("web\n", "web\n    annotations: {mine: 'yes',   config.kubernetes.io/depends-on: x}  # all\n")
    given = GIVEN.replace(ITEM, user)
    first = given.replace(CONFIG, remembered() + CONFIG)
    changed = first.replace("# of it\n", "# of it\n    mine: kept # too\n")
    second = bash(PRINTS, stdin=changed.replace("replicas: 5", "replicas: 6")).stdout.decode()
    kept = remembered("6").replace("# of it\n", "# of it\n    mine: kept # too\n")
    assert second.partition("results:")[0] == given.replace(CONFIG, kept + CONFIG).replace("replicas: 5", "replicas: 6")
    third = bash(PRINTS, stdin=second).stdout.decode()
    assert third == second


@pytest.mark.parametrize(
    ("options", "value", "severity", "code"),
    [
        ([], "6", "warning", 0),
        (["--on-conflict", "KeepLocal"], "mine", "warning", 0),
        (["--on-conflict", "Error"], "mine", "error", 1),
    ],
)
def test_a_conflict_with_a_generated_item_goes_by_the_options(
    options: list[str], value: str, severity: str, code: int
) -> None:
    given = GIVEN.replace(CONFIG, remembered().replace('n: "5" #', 'n: "mine" #') + CONFIG).replace(
        "replicas: 5", "replicas: 6"
    )
    answer = bash(PRINTS, *options, stdin=given)
    assert f'    n: "{value}" # of it\n' in answer.stdout.decode()
    assert answer.stderr.startswith(f"[{severity}] v1/ConfigMap/made data.n: ")
    assert answer.code == code


BEFORE = """\
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: made
    annotations:
      internal.config.kubernetes.io/path: mine.yaml
      internal.config.kubernetes.io/index: "0"
      internal.config.kubernetes.io/id: "1"
      config.kubernetes.io/path: mine.yaml
      config.kubernetes.io/index: "0"
      config.k8s.io/id: "1"
  data:
    n: "mine"
"""
ADOPT = [([], "mine", "warning"), (["--adopt", "TakeUpdate"], "5", "warning"), (["--adopt", "Error"], "mine", "error")]


@pytest.mark.parametrize(("options", "value", "severity"), ADOPT, ids=["kept", "taken", "refused"])
def test_what_was_there_before(options: list[str], value: str, severity: str) -> None:
    answer = bash(PRINTS, *options, stdin=GIVEN.replace(CONFIG, BEFORE + CONFIG))
    assert f'    n: "{value}"' in answer.stdout.decode()
    assert answer.stderr.startswith(f"[{severity}] mine.yaml: v1/ConfigMap/made data.n: this was there")


@pytest.mark.parametrize(("options", "value"), [([], "mine"), (["--strategy", "Apply"], "5")])
def test_what_the_user_alone_changed(options: list[str], value: str) -> None:
    given = GIVEN.replace(CONFIG, remembered().replace('n: "5" #', 'n: "mine" #') + CONFIG)
    assert f'    n: "{value}" # of it\n' in bash(PRINTS, *options, stdin=given).stdout.decode()


@pytest.mark.parametrize(
    ("options", "stays"), [([], False), (["--no-prune"], True)], ids=["it goes", "it stays with --no-prune"]
)
def test_what_is_printed_no_longer(options: list[str], stays: bool) -> None:  # noqa: FBT001 - a row of the table
    other = PRINTS.replace("made", "other")
    given = GIVEN.replace(CONFIG, remembered() + CONFIG)
    given = bash(f"{PRINTS}; echo ---; {other}", stdin=given).stdout.decode()
    answer = bash(other, *options, stdin=given)
    assert answer.code == 0
    assert ("name: made\n" in answer.stdout.decode().partition("results:")[0]) is stays


def test_nothing_printed_is_an_error_while_something_is_owned() -> None:
    given = GIVEN.replace(CONFIG, remembered() + CONFIG)
    problem = "`bash` printed nothing, which would take away all that it generated before: --allow-empty lets it"
    answer = bash("echo '# nothing'", stdin=given)
    assert answer == ((given + results(problem)).encode(), f"[error] {problem} (CommandFailed)\n", 1)
    answer = bash("true", "--allow-empty", stdin=given)
    assert answer.stdout.decode().partition("results:")[0] == GIVEN
    lost = "this is no longer generated, and is deleted; its comments were `# of it`"
    assert (answer.stderr, answer.code) == (f"[warning] v1/ConfigMap/made: {lost} (PrunedWithEdits)\n", 0)


def test_nothing_printed_is_nothing_where_nothing_is_owned() -> None:
    assert bash("true") == (GIVEN.encode(), "", 0)


@pytest.mark.parametrize(
    "given",
    [f"kind: ResourceList\nitems:\n{ITEM}", "kind: Service\nmetadata: {name: web}\n"],
    ids=["list", "documents"],
)
def test_without_a_function_config(given: str) -> None:
    answer = bash(
        "test -z $KRM_FUNCTION_CONFIG && echo '{apiVersion: v1, kind: Pod, metadata: {name: a}}'", stdin=given
    )
    assert (answer.stderr, answer.code) == ("", 0)
    assert answer.stdout.decode().startswith(given)
    assert "kind: Pod" in answer.stdout.decode().removeprefix(given)


def test_what_is_printed_is_never_expanded() -> None:
    prints = "echo '{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{args: [$(NAME)]}]}}'"
    assert "args: [$(NAME)]" in bash(prints).stdout.decode()


@pytest.mark.parametrize(
    ("file", "place"),
    [("shop.yaml", "config/made_configmap.yaml"), ("a/b/shop.yaml", "a/b/config/made_configmap.yaml")],
)
def test_the_file_of_a_new_resource(file: str, place: str) -> None:
    given = GIVEN.replace("{name: mine}", f"{{name: mine, annotations: {{config.kubernetes.io/path: {file}}}}}")
    given = given.replace("  name:   web\n", "  name:   web\n    annotations: {config.kubernetes.io/path: web.yaml}\n")
    assert f"      config.kubernetes.io/path: {place}\n" in bash(PRINTS, stdin=given).stdout.decode()


def test_items_from_files_and_a_function_config_from_none() -> None:
    given = GIVEN.replace("  name:   web\n", "  name:   web\n    annotations: {config.kubernetes.io/path: web.yaml}\n")
    assert "      config.kubernetes.io/path: config/made_configmap.yaml\n" in bash(PRINTS, stdin=given).stdout.decode()


def test_a_function_config_that_is_from_a_file_as_an_item_alone() -> None:
    item = "- apiVersion: example.com/v1\n  kind: Shop\n  metadata:\n    name: mine\n"
    item += "    annotations: {config.kubernetes.io/path: a/shop.yaml}\n"
    given = GIVEN.replace(CONFIG, item + CONFIG)
    assert (
        "      config.kubernetes.io/path: a/config/made_configmap.yaml\n" in bash(PRINTS, stdin=given).stdout.decode()
    )


@pytest.mark.parametrize("kind", ["List", "PodList"])
def test_a_list_is_what_is_in_it(kind: str) -> None:
    listed = (
        f"printf 'kind: {kind}\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod # one\n  metadata: {{name: a}}\n'"
    )
    assert "- apiVersion: v1\n  kind: Pod # one\n  metadata:" in bash(listed).stdout.decode()


def test_a_resource_whose_kind_ends_like_a_lists() -> None:
    """It has a name."""
    printed = "printf 'kind: AllowList\napiVersion: a.b/v1\nmetadata: {name: a}\nitems: [one]\n'"
    assert "- kind: AllowList\n  apiVersion: a.b/v1\n  metadata:" in bash(printed).stdout.decode()


def test_json_is_yaml() -> None:
    printed = """echo '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}'"""
    assert '"name": "a"' in bash(printed).stdout.decode()


def test_command_gets_the_list_as_it_is(tmp_path: Path) -> None:
    bash(f"cat > {tmp_path}/list; true")
    assert (tmp_path / "list").read_text() == GIVEN


def test_what_is_no_variable_is_told() -> None:
    given = GIVEN.replace("{replicas: 5}", "{a-b: 5}")
    assert '- message: "not in the environment of COMMAND: ' in bash("true", stdin=given).stdout.decode()


NO_FIELD = (
    "[info] COMMAND gets no field of the functionConfig as a variable: `--export NAME,REPLICAS` gives it these "
    "(NotExported)\n"
)


def test_a_list_is_no_field_that_a_script_reads() -> None:
    given = GIVEN.replace("{replicas: 5}", "{replicas: 5, ports: [80], a-b: 1}")
    assert wrap("--", "true", stdin=given).stderr == NO_FIELD


def test_without_export_command_gets_the_whole_function_config_alone() -> None:
    script = 'echo "$NAME$REPLICAS" >&2; echo "$KRM_FUNCTION_CONFIG" | grep replicas: >&2'
    answer = wrap("--", "bash", "-c", script)
    assert answer.stderr == f"{NO_FIELD}| \n| spec: {{replicas: 5}}\n"


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (["--export", "NAME"], GIVEN),
        ([], GIVEN.replace("{replicas: 5}", "{}")),
        ([], f"kind: ResourceList\nitems:\n{ITEM}"),
    ],
    ids=["asked for", "a name alone", "no functionConfig"],
)
def test_an_export_is_proposed_where_fields_are_left_out_alone(options: list[str], given: str) -> None:
    assert wrap(*options, "--", "true", stdin=given).stderr == ""


# Where it fails.


def one_line(message: str) -> str:
    """Return a message as it is on standard error."""
    return message.replace("\n", r"\n")


@pytest.mark.parametrize(
    ("script", "stderr", "message"),
    [
        ("exit 3", "", "`bash` failed with exit code 3"),
        ("echo why >&2; echo 'a: b'; exit 3", "| why\n", "`bash` failed with exit code 3; its last lines:\nwhy"),
        ("kill -9 $$", "", "`bash` was ended by signal 9"),
        ("echo 'a: ['", "", f"COMMAND's output is not YAML: line 2, column 1: {NO_VALUE}"),
        (
            r"printf 'a: \377'",
            "",
            "COMMAND's output is not UTF-8: byte 0xff in line 1; convert it to UTF-8",
        ),
        (
            "echo hello; echo why >&2",
            "| why\n",
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
            "echo 'kind: Pod'; echo why >&2",
            "| why\n",
            "COMMAND's output is no resource: it has no `apiVersion`, `metadata.name`; its last lines:\nwhy",
        ),
        (
            "cat",
            "",
            "COMMAND's output is a ResourceList: give the generated resources alone",
        ),
    ],
)
def test_a_failure_leaves_the_items_as_they_were(script: str, stderr: str, message: str) -> None:
    answer = bash(script)
    assert answer.stdout.decode() == GIVEN + results(message)
    assert (answer.stderr, answer.code) == (f"{stderr}[error] {one_line(message)} (CommandFailed)\n", 1)


@pytest.mark.parametrize("given", ["kind: Pod\nmetadata: {name: a}\n", f"kind: List\nitems:\n{ITEM}"])
def test_in_the_other_shapes_a_failure_lets_nothing_out(given: str) -> None:
    assert bash("exit 1", stdin=given) == (b"", "[error] `bash` failed with exit code 1 (CommandFailed)\n", 1)


def test_no_such_command() -> None:
    message = "`no-such-program` cannot be started: No such file or directory"
    answer = wrap("--export", "NAME", "--", "no-such-program")
    assert answer == ((GIVEN + results(message)).encode(), f"[error] {message} (CommandFailed)\n", 1)


def test_out_of_time() -> None:
    message = "`bash` did not end within 0.2 s: --timeout allows more; its last lines:\nwaiting"
    answer = bash("echo waiting >&2; sleep 60", "--timeout", "0.2")
    assert answer == (
        (GIVEN + results(message)).encode(),
        f"| waiting\n[error] {one_line(message)} (CommandFailed)\n",
        1,
    )


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_when_we_are_ended_command_is_too(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    note = tmp_path / "pid"
    script = f"echo $$ > {note}.new; mv {note}.new {note}; exec sleep 600"
    command = [*process.KRM, "wrap", "--", "bash", "-c", script]
    with subprocess.Popen(
        command,
        cwd=process.ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=process.heed_interrupts,  # noqa: PLW1509 - a handler is set, no more
    ) as started:
        assert started.stdin
        started.stdin.write(GIVEN.encode())
        started.stdin.close()
        while not note.exists():
            time.sleep(0.05)
        started.send_signal(sent)
        assert started.wait() == code
        assert started.stdout
        assert started.stdout.read() == b""
    assert process.is_gone(int(note.read_text()))


def test_input_that_is_wrong_starts_nothing(tmp_path: Path) -> None:
    given = f"kind: ResourceList\nitems: [a]\n{CONFIG}"
    answer = bash(f"touch {tmp_path}/started", stdin=given)
    assert answer.stderr == "[error] `items[0]` is a scalar, it must be a mapping (InvalidInput)\n"
    assert (answer.code, [*tmp_path.iterdir()]) == (1, [])


HOLDS = (
    'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: aHVudGVyMg==, none: }\nstringData: {b: "one\\ntwo"}\n'
)
QUOTES = (
    "[error] `bash` failed with exit code 1; its last lines:\\n(secret), (secret), (secret) (secret) (CommandFailed)\n"
)


@pytest.mark.parametrize("place", ["items:\n- kind: Secret\n  data: 1\n  data: 1\n- ", "functionConfig:\n  "])
def test_last_lines_quote_no_secret(place: str) -> None:
    given = "kind: ResourceList\n" + place + HOLDS.replace("\n", "\n  ").rstrip(" ")
    answer = bash("echo hunter2, aHVudGVyMg==, one two >&2; exit 1", stdin=given)
    assert answer.stderr == f"| hunter2, aHVudGVyMg==, one two\n{QUOTES}"
    quoted = "(secret), (secret), (secret) (secret)"
    assert f"failed with exit code 1; its last lines:\n    {quoted}\n" in answer.stdout.decode()


# What the arguments may be.

NO_TIME = "no time: give a number of seconds, 86400 at most, such as 30 or 0.5"
NO_SIZE = "no size: give a whole number of MiB, such as 64"
USAGE = "[OPTION]... -- COMMAND [ARG...]"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "COMMAND is missing: it stands behind `--`"),
        (["--"], "COMMAND is missing: it stands behind `--`"),
        (["./make.sh"], "`./make.sh` stands in front of `--`: COMMAND and its arguments stand behind it"),
        (["--timeout", "0", "--", "a"], f"argument --timeout: `0` is {NO_TIME}"),
        (["--timeout", "nan", "--", "a"], f"argument --timeout: `nan` is {NO_TIME}"),
        (["--timeout", "soon", "--", "a"], f"argument --timeout: `soon` is {NO_TIME}"),
        (["--max-output", "0", "--", "a"], f"argument --max-output: `0` is {NO_SIZE}"),
        (["--max-output", "1k", "--", "a"], f"argument --max-output: `1k` is {NO_SIZE}"),
        (
            ["--export", "name,ld_preload", "--", "a"],
            "argument --export: `LD_PRELOAD`: by that name programs load code, find files or hosts",
        ),
        (
            ["--export", "NAME,", "--", "a"],
            "argument --export: ``: a variable's name has letters, digits and `_` alone, and no digit first",
        ),
        (
            ["--strategy", "Apply", "--on-conflict", "Error", "--", "a"],
            "--on-conflict cannot be given with --strategy Apply, which lets update win always",
        ),
    ],
)
def test_wrong_usage(words: list[str], problem: str) -> None:
    assert wrap(*words) == (b"", process.refusal("krm wrap", USAGE, problem), 2)


def test_help() -> None:
    assert wrap("--help").stdout.decode().startswith(f"usage: krm wrap {USAGE}\n")


@pytest.mark.parametrize("kind", ["GeneratedResources", "ExpandVars"])
def test_a_program_generates_no_object_of_our_own(kind: str) -> None:
    printed = f"apiVersion: expandvars.dev/v1alpha1\\nkind: {kind}\\nmetadata: {{name: a}}\\n"
    answer = bash(f"printf '{printed}'")
    assert answer.code == 1
    message = "a program generates no functionConfig and no state"
    assert answer.stderr == f"[error] COMMAND's output is of group `expandvars.dev`: {message} (CommandFailed)\n"
