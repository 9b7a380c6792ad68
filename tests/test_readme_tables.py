"""The README's tables are true: each row is computed anew.

`UPDATE=1 pytest tests/test_readme_tables.py` writes those of the reference, which are the schema's.
"""

from __future__ import annotations

import ast
import json
import os
import re

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.expansion import findings
from expand_vars.functionconfig import INLINE, INLINE_UNLESS_SAID
from krm.results import ERROR
from krm.workloads import PodSpecs
from krm.yamltree import scalars
from tests import process
from tests.expand_vars.expansion import kubelet
from tests.readme import README, ROOT, Reference, as_list, blocks, config, quoted, resources, tables

ESCAPES, FAILURES = "In the file, in the container", "Exit codes, and what a failure leaves"

(ESCAPED,) = tables(ESCAPES)
assert len(ESCAPED) > 10, "the table of escapes was not found"


@pytest.mark.parametrize("cells", ESCAPED, ids=lambda cells: cells[0])
def test_what_is_in_the_file_and_in_the_container(cells: list[str]) -> None:
    (block,) = blocks(ESCAPES)
    written, meant, kept, got, unescaped, got_then = [quoted(cell)[0] for cell in cells]
    pod = f"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - args: ['{written}']\n    "
    pod += block.text.replace("\n", "\n    ").rstrip(" ")
    env = resources(pod)[0].get("spec.containers[0].env")
    assert started(env, written) == meant
    for escapes, expected, then in (("Keep", kept, got), ("Unescape", unescaped, got_then)):
        (made,) = resources(pipeline.run(pod, config(f"escapes: {escapes}")).text)
        assert made.get("spec.containers[0].args") == [expected]
        assert started(env, expected) == then
    assert [cell.startswith("**") for cell in cells] == [False] * 5 + [got_then != meant]
    assert got == meant


def started(env: list[dict], argument: str) -> str:
    """Return an argument as the kubelet gives it to a container with this `env`, all of whose sources say `run`."""
    known: dict[str, str] = {}
    for entry in env:
        known[entry["name"]] = kubelet.expand(entry["value"], known.get) if "value" in entry else "run"
    return kubelet.expand(argument, known.get)


EVERYWHERE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {at: $(REGION)}, annotations: {at: $(REGION)}}
spec:
  replicas: $(REGION)
  selector: {matchLabels: {at: $(REGION)}}
  template:
    metadata: {labels: {at: $(REGION)}, annotations: {at: $(REGION)}}
    spec:
      containers:
      - name: web
        image: web:$(REGION)
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
metadata: {name: web}
spec:
  rules: [{host: $(REGION).example.com}]
  tls: [{hosts: [$(REGION).example.com]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: any}
data: {other: $(REGION)}
"""
POD_SPECS = PodSpecs({})
CONTAINER = "spec.template.spec.containers[*]"
FIELDS = [
    (f"{CONTAINER}.{field}" if "container" in cells[0] else field, *cells[1:])
    for cells in tables("Which fields")[0]
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
WORDS = [quoted(cells[0])[0] for cells in tables("Whose value")[0]]


def test_the_words_of_inline_are_those_of_the_schema() -> None:
    assert (*WORDS,) == INLINE
    assert (*WORDS[:3],) == INLINE_UNLESS_SAID


@pytest.mark.parametrize("word", WORDS)
def test_what_each_word_of_inline_has_written(word: str) -> None:
    name = "NAME_SERVICE_PORT" if word == "Services" else "NAME"
    given = READ.replace("NAME)", f"{name})").replace("    ENV\n", f"    {OF_WORDS[word]}\n" if OF_WORDS[word] else "")
    arguments = [("NAME", "2")] if word == "Variables" else []
    written = given.replace(f"[$({name})]", "[web]" if word == "Downward" else '["2"]')
    assert pipeline.run(given, config(f"inline: [{word}]"), arguments).text == written
    others = [other for other in WORDS if other != word]
    assert pipeline.run(given, config(f"inline: {others}"), arguments).text == given


@pytest.mark.parametrize(("name", "rows"), [("spec", Reference().of_spec()), ("selector", Reference().of_selector())])
def test_the_reference_is_that_of_the_schema(name: str, rows: str) -> None:
    expected = f"<!-- {name} -->\n{rows}\n<!-- /{name} -->"
    pattern = re.compile(f"<!-- {name} -->.*?<!-- /{name} -->", re.DOTALL)
    if "UPDATE" in os.environ:
        README.write_text(pattern.sub(lambda _: expected, README.read_text()))
    assert pattern.findall(README.read_text()) == [expected]


def test_the_reasons_are_those_of_the_code() -> None:
    told = {quoted(reason)[0]: severity for severity, reason, _ in tables("Results")[0]}
    rest = {quoted(reason)[0] for _, reason, _ in tables("What a merge tells")[0]}
    graded = reasons()
    assert told.keys() | rest == graded.keys()
    of_expansion = {name for name in told if name in vars(findings).values()}
    graded |= {name: str(findings.severity(name, "Warn")) for name in of_expansion}
    by_policy = {name for name in of_expansion if findings.severity(name, "Error") != graded[name]}
    assert told == {name: f"{graded[name]}{', or as `unresolved` says' if name in by_policy else ''}" for name in told}


def reasons() -> dict[str, str]:
    """Return the reasons in the code with their severities: those of its results, and the words of rooms for them.

    A word that no result has in its place is an error's, if its room does not grade it itself.
    """
    constants: dict[str, str] = {}
    words: set[str] = set()
    graded: dict[str, str] = {}
    trees = {path: ast.parse(path.read_text()) for path in ROOT.glob("fn/**/*.py")}
    for path, tree in trees.items():
        of_path = {ast.unparse(node.targets[0]): node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)}
        of_path_words = {name: word for name, value in of_path.items() if (word := reason(value))}
        constants |= of_path_words
        in_room = path.stem in ("conflicts", "findings")
        words |= {word for name, word in of_path_words.items() if in_room or name == "REASON"}
    for node in (node for tree in trees.values() for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2].lower() == "result":
            for severity, argument in zip(node.args[1:2], node.args[2:3], strict=False):
                word = reason(argument) or constants.get(ast.unparse(argument).rpartition(".")[2])
                graded |= {word: ast.unparse(severity).rpartition(".")[2].lower()} if word else {}
    return dict.fromkeys(words, ERROR) | graded


def reason(value: ast.expr) -> str | None:
    """Return the reason that stands in the code, None where something else does."""
    text = value.value if isinstance(value, ast.Constant) else None
    return text if isinstance(text, str) and re.fullmatch("([A-Z][a-z]+)+", text) else None


DOCUMENT = b"apiVersion: v1\nkind: Pod\nspec: {containers: [{args: [$(REGION)]}]}\n"
LIST = as_list(DOCUMENT.decode()).encode()
INPUTS = [
    [LIST, json.dumps(yaml.safe_load(LIST)).encode()],
    [
        LIST.replace(b"Resource", b""),
        DOCUMENT,
        DOCUMENT + b"---\n" + DOCUMENT,
        json.dumps(yaml.safe_load(DOCUMENT)).encode(),
    ],
    [b"{", b"\xff", b""],
]
SHAPES = list(zip(tables(FAILURES)[1], INPUTS, strict=True))


@pytest.mark.parametrize(("cells", "texts"), SHAPES, ids=[cells[0] for cells, _ in SHAPES])
def test_what_comes_out(cells: list[str], texts: list[bytes]) -> None:
    _, made, left = cells
    for text in texts:
        if made:
            expected = text.replace(b"$(REGION)", b"eu-west-1")
            assert process.run("REGION=eu-west-1", stdin=text) == (expected, "", 0)
        failed = process.run("=", stdin=text)
        assert (failed.code, failed.stderr.count("\n")) == (1, 1)
        if left == "nothing":
            assert failed.stdout == b""
        else:
            assert failed.stdout.startswith(text.removesuffix(b"}"))
            assert yaml.safe_load(failed.stdout)["results"][0]["severity"] == ERROR


def test_the_exit_codes() -> None:
    codes = [int(code) for code, _ in tables(FAILURES)[0]]
    with_a_warning, *others = (process.run(*arguments, stdin=DOCUMENT) for arguments in ((), ("=",), ("neither",)))
    assert "[warning]" in with_a_warning.stderr
    assert [with_a_warning.code, *(answer.code for answer in others)] == codes
