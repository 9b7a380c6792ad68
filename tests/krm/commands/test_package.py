"""`krm source` and `krm sink`: what they print, write and refuse, each message whole."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.expand_vars.expansion.running import indented
from tests.krm.package.directories import config, contents, staged, write
from tests.process import SOURCE_ROOT, krm, run

if TYPE_CHECKING:
    from pathlib import Path

EMPTY = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
FN_CONFIG = "# c\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: f}\ndata: {REGION: eu}\n"


def sink(directory: Path, text: str) -> tuple[str, int]:
    answer = krm("sink", str(directory), stdin=text.encode())
    assert answer.stdout == b""
    return answer.stderr, answer.code


def test_source_names_what_it_leaves_alone(tmp_path: Path) -> None:
    write(tmp_path, {"d/a.yaml": "a: [\n"})
    reason = "left alone: it is not YAML: line 2, column 1: a value is missing here, or a bracket above is not closed"
    answer = krm("source", "d", stdin=b"", folder=tmp_path)
    assert answer == (EMPTY.encode(), f"[warning] d/a.yaml: {reason} (LeftAlone)\n", 0)


def test_source_refuses_files_that_were_joined(tmp_path: Path) -> None:
    write(tmp_path, {"d/a.yaml": config("a") + config("b")})
    answer = krm("source", "./d", stdin=b"", folder=tmp_path)
    assert (answer.stdout, answer.code) == (b"", 1)
    again = (
        "the key `apiVersion` is here again (or files were joined without a line `---` between them), first in line 1"
    )
    assert answer.stderr == f"[error] d/a.yaml: document 1: line 7, column 1: {again} (InvalidInput)\n"


def test_source_with_a_function_config(tmp_path: Path) -> None:
    write(tmp_path, {"package/a.yaml": config("a"), "f.yaml": f"---\n{FN_CONFIG}"})
    answer = krm("source", "package", "--fn-config", "f.yaml", stdin=b"", folder=tmp_path)
    assert (answer.stderr, answer.code) == ("", 0)
    assert answer.stdout.decode().endswith(
        "  data:\n    k: 1\n"
        "functionConfig:\n"
        "  # c\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: f}\n  data: {REGION: eu}\n"
    )


def test_a_list_with_a_function_config_expands(tmp_path: Path) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, args: [$(REGION)]}]} # c\n"
    write(tmp_path, {"package/a.yaml": pod, "f.yaml": FN_CONFIG})
    listed = krm("source", "package", "--fn-config", "f.yaml", stdin=b"", folder=tmp_path).stdout
    expanded = run(stdin=listed)
    assert (expanded.stderr, expanded.code) == ("", 0)
    assert sink(tmp_path / "package", expanded.stdout.decode()) == ("", 0)
    *head, spec, comment = re.split("(spec: .*)( # c\n)", pod)[:3]
    expected = f"{''.join(head)}# expand: {spec}\n{spec.replace('$(REGION)', 'eu')}{comment}"
    assert contents(tmp_path / "package") == {"a.yaml": expected}


def test_inline_adds_to_what_a_pipe_of_a_package_has_in_place(tmp_path: Path) -> None:
    env, args = "env: [{name: OWN, value: o}]", "args: [$(OWN), $(REGION)]"
    pod = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, {env}, {args}}}]}}\n"
    write(tmp_path, {"package/a.yaml": pod})
    listed = krm("source", "package", stdin=b"", folder=tmp_path).stdout
    expanded = run("--inline", "ConfigMaps", "--record", "Never", "REGION=eu", stdin=listed).stdout.decode()
    assert sink(tmp_path / "package", expanded) == ("", 0)
    assert contents(tmp_path / "package") == {"a.yaml": pod.replace("$(REGION)", "eu")}


def test_an_element_of_a_list_may_have_the_annotations_itself() -> None:
    noted = "{config.kubernetes.io/path: a.yaml, internal.config.kubernetes.io/id: '1'}"
    text = IN_A_LIST.replace("{name: p}", f"{{name: p, annotations: {noted}}}")
    assert run("TAG=1", stdin=text.encode()).stdout.decode().endswith('args:\n      - "1" # expand: $(TAG)\n')


def test_what_source_gives_is_in_place_so_that_a_person_s_edit_stays(tmp_path: Path) -> None:
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: e}\nspec:\n  templates:\n"
    made = (
        "  - apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: made}\n"
        "    data: {region: $(REGION), size: few}\n"
    )
    write(tmp_path, {"package/e.yaml": head + made})

    def piped(region: str) -> dict[str, str]:
        listed = krm("source", "package", "--fn-config", "package/e.yaml", stdin=b"", folder=tmp_path).stdout
        expanded = run(f"REGION={region}", stdin=listed)
        assert expanded.code == 0
        assert sink(tmp_path / "package", expanded.stdout.decode())[1] == 0
        return contents(tmp_path / "package")

    piped("eu")
    file = tmp_path / "package" / "configmap_made.yaml"
    file.write_text(file.read_text().replace("size: few", "size: many"))
    assert "data: {region: us, size: many}" in piped("us")[file.name]


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    args:\n"
IN_A_LIST = "apiVersion: v1\nkind: List\nitems:\n" + indented(f"{POD}    - $(TAG)", 2).replace("  a", "- a", 1)


@pytest.mark.parametrize(
    "before",
    [
        IN_A_LIST,
        f"{POD}    - |+\n      x $(TAG)\n\n    - z\n",
        f"{POD}    - |\n      x $(TAG)\n    - >-\n      x $(TAG)\n      y\n".replace("\n", "\r\n"),
    ],
)
def test_what_source_gives_has_the_comments_that_eval_writes(before: str, tmp_path: Path) -> None:
    write(tmp_path, {"package/a.yaml": before, "other/a.yaml": before})
    listed = krm("source", "package", stdin=b"", folder=tmp_path).stdout
    assert sink(tmp_path / "package", run("TAG=1", stdin=listed).stdout.decode()) == ("", 0)
    assert run("eval", "other", "TAG=1", stdin=b"", folder=tmp_path).code == 0
    assert "# expand: " in contents(tmp_path / "other")["a.yaml"]
    assert contents(tmp_path / "package") == contents(tmp_path / "other")


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("a:\n- b\n", "compact"),
        ("a:\n  - b\n", "wide"),
        ("a:\n  b:\n  - c\nd:\n  - e\n", "compact"),
        ("a: [b]\n", "compact"),
    ],
)
def test_source_notes_the_format_as_kpt_does(tmp_path: Path, text: str, format_: str) -> None:
    write(tmp_path, {"package/a.yaml": f"apiVersion: v1\nkind: A\nmetadata:\n  name: a\n{text}"})
    listed = krm("source", "package", stdin=b"", folder=tmp_path).stdout.decode()
    assert f"internal.config.kubernetes.io/seqindent: '{format_}'\n" in listed
    assert sink(tmp_path / "package", listed) == ("", 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none",), "none: No such file or directory"),
        (("a.yaml",), "a.yaml: Not a directory"),
        ((".", "--fn-config", "none.yaml"), "none.yaml: No such file or directory; name a file that is there"),
        ((".", "--fn-config", "list.txt"), "list.txt cannot be added: it must be a mapping"),
    ],
)
def test_what_source_refuses(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": config("a"), "list.txt": "- a\n"})
    assert krm("source", *arguments, stdin=b"", folder=tmp_path) == (b"", f"[error] {message} (InvalidInput)\n", 1)


def test_sink_writes_to_no_file_and_below_none(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    refused = "this is a file, and a directory is to be written: name another place"
    assert sink(file, EMPTY) == (f"[error] {file}: {refused} (InvalidPath)\n", 1)
    assert sink(file / "in", EMPTY) == (f"[error] {file}/in: Not a directory (InvalidInput)\n", 1)
    assert file.read_text() == "mine"


def test_what_sink_refuses_is_named_with_its_directory(tmp_path: Path) -> None:
    write(tmp_path, {"d/a.yaml": config("a"), "d/b.yaml": "a: [\n"})
    listed = krm("source", "d", stdin=b"", folder=tmp_path).stdout.replace(b"a.yaml", b"b.yaml")
    left = "it is not YAML: line 2, column 1: a value is missing here, or a bracket above is not closed"
    answer = krm("sink", "d", stdin=listed, folder=tmp_path)
    advice = "so it is not written: mend it, delete it, or choose another path"
    assert (answer.code, *answer.stderr.splitlines()) == (
        1,
        f"[warning] d/b.yaml: left alone: {left} (LeftAlone)",
        f"[error] d/b.yaml: it was left alone: {left}; {advice} (InvalidPath)",
    )


def test_sink_makes_its_directory(tmp_path: Path) -> None:
    item = "- {apiVersion: v1, kind: A, metadata: {name: a}}\n"
    assert sink(tmp_path / "new" / "deep", f"kind: ResourceList\nitems:\n{item}") == ("", 0)
    assert contents(tmp_path) == {"new/deep/a_a.yaml": "{apiVersion: v1, kind: A, metadata: {name: a}}\n"}


def test_an_empty_list_deletes_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": config("a"), "b.yaml": config("b")})
    message = "the list has no resource, and the directory has 2: nothing is deleted; delete the files if you mean that"
    assert sink(tmp_path, EMPTY) == (f"[error] {tmp_path}: {message} (InvalidPath)\n", 1)
    assert sink(tmp_path / "new", EMPTY) == ("", 0)
    assert contents(tmp_path) == {"a.yaml": config("a"), "b.yaml": config("b")}


NO_LIST = "standard input is empty: give the ResourceList that a function printed, or `krm source DIRECTORY`"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            f"{NO_LIST} (InvalidInput)",
        ),
        ("a: [\n", "line 2, column 1: a value is missing here, or a bracket above is not closed (InvalidInput)"),
        ("kind: ResourceList\nitems: [1]\n", "`items[0]` is a scalar, it must be a mapping (InvalidInput)"),
        (
            "kind: ResourceList\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a, namespace: ..}}\n",
            "v1/A/../a: it cannot be written: its path `../a_a.yaml` has `..` in it (InvalidPath)",
        ),
    ],
)
def test_what_sink_refuses(text: str, message: str, tmp_path: Path) -> None:
    assert sink(tmp_path / "new", text) == (f"[error] {message}\n", 1)
    assert contents(tmp_path) == {}


def test_sink_names_what_it_leaves_alone_and_writes_the_rest(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": config("a"), "b.yaml": "{{ a }}: [\n", staged("killed", ""): "killed"})
    listed = krm("source", str(tmp_path), stdin=b"").stdout.decode()
    told = f"[warning] {tmp_path}/b.yaml: left alone: it is a template of another tool (LeftAlone)\n"
    assert sink(tmp_path, listed.replace("k: 1", "k: 2")) == (told, 0)
    assert contents(tmp_path) == {"a.yaml": config("a", "2"), "b.yaml": "{{ a }}: [\n"}


def test_what_is_terminated_leaves_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": config("a")})
    held = os.open(tmp_path, os.O_RDONLY)
    import fcntl  # noqa: PLC0415

    fcntl.flock(held, fcntl.LOCK_EX)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT)}
    command = (sys.executable, "-m", "krm", "sink", str(tmp_path))
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(EMPTY.encode(), timeout=4)  # on a busy machine, too, it waits by then
    process.send_signal(signal.SIGTERM)
    assert process.communicate()[1] == b""
    assert process.returncode == 128 + signal.SIGTERM
    os.close(held)
