"""docs/reference/expansion.md is true: each row of its tables is computed, its blocks are what comes out."""

from __future__ import annotations

import doctest
import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from expand_vars import pipeline
from expand_vars.functionconfig.model import INLINE, INLINE_BY_DEFAULT
from krm import fieldpath, syntax
from krm.workloads import KINDS, PodSpecs, facts_of
from krm.yamltree import scalars
from tests import grammar, process
from tests.expand_vars.expansion import running
from tests.krm.test_syntax import TABLE
from tests.pages import ROOT, Page, config, quoted, resources

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("expansion")
ESCAPES, EXPLAIN = "In the file, in the container", "Explain"
FILES = "Files in a field"
IN_PYTHON = "In a program of your own"
TESTED = {
    IN_PYTHON: "python",
    "In the file, in the container": "yaml",
    "Explain": "text sh",
    "Files in a field": "yaml yaml",
}

(ESCAPED,) = PAGE.tables(ESCAPES)
assert len(ESCAPED) > 10, "the table of escapes was not found"


@pytest.mark.parametrize("cells", ESCAPED, ids=lambda cells: cells[0])
def test_what_is_in_the_file_and_in_the_container(cells: list[str]) -> None:
    (block,) = PAGE.blocks(ESCAPES)
    written, meant, kept, unescaped, got_then = [quoted(cell)[0] for cell in cells]
    pod = f"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - args: ['{written}']\n    "
    pod += block.text.replace("\n", "\n    ").rstrip(" ")
    env = resources(pod)[0].get("spec.containers[0].env")
    assert started(env, written) == meant
    for escapes, expected, then in (("Keep", kept, meant), ("Unescape", unescaped, got_then)):
        (made,) = resources(pipeline.run(pod, config(f"escapes: {escapes}")).text)
        assert made.get("spec.containers[0].args") == [expected]
        assert started(env, expected) == then
    assert [cell.startswith("**") for cell in cells] == [False] * 4 + [got_then != meant]


def started(env: list[dict], argument: str) -> str:
    """Return an argument as the kubelet gives it to a container with this `env`, all of whose sources say `run`."""
    known: dict[str, str] = {}
    for entry in env:
        known[entry["name"]] = grammar.expand(entry["value"], known.get) if "value" in entry else "run"
    return grammar.expand(argument, known.get)


def test_rows_of_the_table_of_the_design_document_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    (block,), (rows,) = PAGE.blocks(IN_PYTHON), PAGE.tables(IN_PYTHON)
    scope: dict = {}
    exec(block.text, scope)  # noqa: S102 - the page's own program
    assert capsys.readouterr().out == "___B___\n"
    cells = [tuple(quoted(cell)[0] for cell in row) for row in rows]
    assert len(cells) > 5
    assert [row for row in TABLE if row in cells] == cells
    assert [scope["expand"](text, scope["lookup"]) for text, _ in cells] == [result for _, result in cells]
    assert doctest.testmod(syntax).failed == 0


def test_files_in_a_field() -> None:
    before, after = (running.config_map("c", "\n" + running.indented(one.text, 2)) for one in PAGE.blocks(FILES))
    spec = "targets: [{fieldPaths: ['data[*]']}]"
    assert running.run(before, spec=spec, arguments=[("NOTE", 'say "hi": yes'), ("PORT", "80")]).text == after


EVERYWHERE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: $(REGION), namespace: $(REGION), labels: {at: $(REGION)}, annotations: {at: $(REGION)}}
spec:
  replicas: $(REGION)
  selector: {matchLabels: {at: $(REGION)}}
  template:
    metadata: {labels: {at: $(REGION)}, annotations: {at: $(REGION)}}
    spec:
      containers:
      - name: web
        image: web:$(REGION)
        ports: [{containerPort: $(REGION)}]
        resources: {limits: {cpu: $(REGION)}}
        workingDir: /$(REGION)
        command: [run, $(REGION)]
        args: [$(REGION)]
        env: [{name: AT, value: $(REGION)}]
        volumeMounts: [{name: at, mountPath: /$(REGION), subPathExpr: at/$(REGION)}]
        livenessProbe: {exec: {command: [$(REGION)]}, httpGet: {path: /$(REGION)}}
        readinessProbe: {exec: {command: [$(REGION)]}}
        startupProbe: {exec: {command: [$(REGION)]}}
        lifecycle: {preStop: {exec: {command: [$(REGION)]}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: $(REGION)}
spec:
  rules: [{host: $(REGION).example.com}]
  tls: [{hosts: [$(REGION).example.com]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: $(REGION)}
data: {other: $(REGION)}
"""
POD_SPECS = PodSpecs({})
CONTAINER = "spec.template.spec.containers[*]"
FIELDS = [
    (f"{CONTAINER}.{field}" if "container" in cells[0] else field, *cells[1:])
    for cells in PAGE.tables("Which fields")[0]
    for field in quoted(cells[0]) or ["data.other"]
]
assert FIELDS, "the table of fields was not found"


@pytest.mark.parametrize(("path", "by_kubelet", "by_us"), FIELDS, ids=[field[0] for field in FIELDS])
def test_which_fields_are_expanded(path: str, by_kubelet: str, by_us: str) -> None:
    spec = f"targets: [{{{target}}}]" if (target := target_in(by_us, path)) else ""
    output = pipeline.run(EVERYWHERE, config(spec), [("REGION", "17")])
    found = [
        (old, new) for old, new in zip(resources(EVERYWHERE), resources(output.text), strict=True) if old.find(path)
    ]
    assert found
    for old, new in found:
        assert all(POD_SPECS.is_expanded(old, place) == by_kubelet.startswith("expands") for place, _ in old.find(path))
        before, after = ([str(scalars.data(node)) for _, node in item.find(path)] for item in (old, new))
        assert any("$(REGION)" in text for text in before)
        assert after == (before if by_us.startswith("leaves") else [text.replace("$(REGION)", "17") for text in before])


def target_in(cell: str, path: str) -> str:
    """Return the target that a cell tells of, for the field at `path`; nothing where it tells of none."""
    (told,) = re.findall("as a target: `(.*)`", cell) or [""]
    return f"fieldPaths: [{json.dumps(path)}]" if told == "fieldPaths" else told


def test_a_probe_sees_env_as_it_was_written() -> None:
    pod = "kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - env: [{name: AT, value: in-$(REGION)}]\n"
    probed = f"{pod}    livenessProbe: {{exec: {{command: [$(AT)]}}}}\n"
    expanded = probed.replace("in-$(REGION)", "in-17").replace("$(AT)", "in-$$(REGION)")
    assert pipeline.run(probed, None, [("REGION", "17")]).text == expanded


def test_an_empty_value_is_not_written_into_a_sub_path() -> None:
    mounts = "volumeMounts: [{name: at, mountPath: /at, subPathExpr: $(REGION)}]"
    pod = f"kind: Pod\napiVersion: v1\nspec: {{containers: [{{{mounts}}}]}}\n"
    assert pipeline.run(pod, None, [("REGION", "")]).text == pod
    assert pipeline.run(pod, None, [("REGION", "eu")]).text == pod.replace("$(REGION)", "eu")


READ = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers:
  - name: web
    args: [$(NAME)]
    resources: {limits: {cpu: 2}}
    ENV
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {NAME: "2"}}
---
{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: shop}, stringData: {NAME: "2"}}
---
{apiVersion: v1, kind: Service, metadata: {name: name, namespace: shop}, spec: {ports: [{port: 2}]}}
"""
OF_WORDS = {
    "Literals": "env: [{name: NAME, value: '2'}]",
    "Variables": "",
    "Services": "",
    "ConfigMaps": "envFrom: [{configMapRef: {name: settings}}]",
    "Downward": "env: [{name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]",
    "Resources": "env: [{name: NAME, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]",
    "Secrets": "env: [{name: NAME, valueFrom: {secretKeyRef: {name: settings, key: NAME}}}]",
}
WORDS = [quoted(cells[0])[0] for cells in PAGE.tables("Whose value")[0]]


def test_the_words_of_inline_are_those_of_the_schema() -> None:
    assert (*WORDS,) == INLINE
    assert {*WORDS[:3]} == INLINE_BY_DEFAULT


@pytest.mark.parametrize("word", WORDS)
def test_what_each_word_of_inline_has_written(word: str) -> None:
    name = "NAME_SERVICE_PORT" if word == "Services" else "NAME"
    given = READ.replace("NAME)", f"{name})").replace("    ENV\n", f"    {OF_WORDS[word]}\n" if OF_WORDS[word] else "")
    arguments = [("NAME", "2")] if word == "Variables" else []
    written = given.replace(f"[$({name})]", "[web]" if word == "Downward" else '["2"]')
    assert pipeline.run(given, config(f"inline: [{word}]"), arguments).text == written
    others = [other for other in WORDS if other != word]
    assert pipeline.run(given, config(f"inline: {others}"), arguments).text == given


GIVEN = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: web, CONTENT}\n"
LEFT = "args: [$(REGION)], env: [{name: REGION, value: mine}]"


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        pytest.param("command: [$(REGION)]", "command: [ours]", id="the functionConfig's"),
        pytest.param(LEFT, LEFT.replace("$(REGION)", "mine"), id="the container's own"),
        pytest.param("env: [{name: REGION, value: $(REGION)}]", "env: [{name: REGION, value: ours}]", id="itself"),
        pytest.param("args: [$(AT)], env: [{name: AT, valueFrom: {}}]", None, id="valueFrom"),
        pytest.param("args: [$(AT)], envFrom: [{configMapRef: {name: elsewhere}}]", None, id="envFrom"),
        pytest.param("args: [$(REDIS_SERVICE_HOST)]", None, id="a Service's"),
        pytest.param("command: [sh, -c, echo $(date)]", None, id="a shell's"),
    ],
)
def test_who_wins_a_name_and_what_is_left_without_a_word(written: str, becomes: str | None) -> None:
    output = pipeline.run(GIVEN.replace("CONTENT", written), None, [("REGION", "ours")])
    assert output.text == GIVEN.replace("CONTENT", becomes or written)
    assert {result.reason for result in output.results} <= {
        "Shadowed",
        "UnusedArgument",
        "UnknownService",
        "UnknownServices",
    }


@pytest.mark.parametrize(
    ("written", "becomes"),
    [("replicas: $(N)", "replicas: 3"), ('replicas: "$(N)"', "replicas: 3"), ("args: [$(N)]", 'args: ["3"]')],
)
def test_what_a_whole_reference_becomes(written: str, becomes: str) -> None:
    given = "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {containers: [{args: []}]}}, replicas: 1}\n"
    key = written.partition(":")[0]
    text = re.sub(rf"{key}: [^,}}]*", lambda _: written, given)
    assert pipeline.run(text, None, [("N", "3")]).text == text.replace(written, becomes)


def test_what_explain_shows(tmp_path: Path) -> None:
    block, _ = PAGE.blocks(EXPLAIN)
    shutil.copy(ROOT / "examples" / "pipe" / "deploy.yaml", tmp_path)
    command = PAGE.sections()[EXPLAIN].strip().split("`")[1].split()
    assert command[0] == "expand-vars"
    shown = process.in_terminal(*command[1:], folder=tmp_path, columns=118)
    assert shown == block.text


def test_what_is_suggested_is_found_by_the_next_run(tmp_path: Path) -> None:
    _, block = PAGE.blocks(EXPLAIN)
    (tmp_path / "deploy.yaml").write_text('kind: ConfigMap\napiVersion: v1\ndata: {region: "$(REGION)"}\n')
    command, arrow, file = block.text.strip().partition(" > ")
    assert arrow
    printed = process.run(*command.split()[1:], stdin=b"", folder=tmp_path).stdout
    (tmp_path / file).write_bytes(printed)
    assert process.run("eval", ".", "REGION=eu", stdin=b"", folder=tmp_path).code == 0
    assert "eu-west-1" not in (tmp_path / "deploy.yaml").read_text()
    assert '{region: "eu"}' in (tmp_path / "deploy.yaml").read_text()


def test_what_each_state_says_is_told_by_the_help() -> None:
    states = [quoted(state)[0] for state, _ in PAGE.tables(EXPLAIN)[0]]
    told = process.run("explain", "--help", stdin=b"").stdout.decode()
    assert re.findall(r"^  (\w+) +it ", told, re.MULTILINE) == states


def test_the_table_of_kinds_is_that_of_the_code() -> None:
    (rows,) = PAGE.tables("Kinds of workloads")
    found = {
        (kinds.rpartition("/")[0], kind): (templates, said)
        for kinds, templates, said in rows
        for kind in kinds.rpartition("/")[2].split(", ")
    }
    for kind, workload in ((kind, facts_of(*kind)) for kind in KINDS):
        templates, said = found[kind]
        # The path of a pod spec is that of its template, where it has one.
        paths = [fieldpath.to_text(path[:-1] if path[-1] == "spec" else path) for path in workload.pod_specs]
        assert templates == ", ".join(f"`{path}`" if path else "the object itself" for path in paths)
        names = [f"{name}*" if name.endswith("_") else name for name in (*workload.in_front, *workload.behind)]
        assert re.findall("`([A-Z0-9_*]+|[a-z]+_proxy)`", whole(said, rows)) == names
        assert said.startswith("no variables of Services") is not workload.has_links
        assert ("may override `env`" in said) is workload.overridable


def whole(said: str, rows: list[list[str]]) -> str:
    """Return what a row says, with what another row says in the place of `those of` its kind."""
    of = {kind: names for kinds, _, names in rows for kind in kinds.rpartition("/")[2].split(", ")}
    while found := re.search(r"those of (\w+)", said):
        said = said.replace(found[0], of[found[1]])
    return said
