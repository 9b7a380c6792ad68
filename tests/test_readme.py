"""The README is true: each of its blocks is run, or is from an example that is; what it tells of the project is so.

Its tables are in test_readme_tables.py, its section on merging in test_readme_merge.py.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.commands import exports
from expand_vars.functionconfig import schema
from krm import resourcelist
from krm.resource import Resource
from krm.results import ERROR
from tests import process
from tests.readme import README, ROOT, Block, as_list, blocks, config, quoted, resource, resources, sections, tables

if TYPE_CHECKING:
    from pathlib import Path

FACE, OWN, PLACE, EXPLAIN, WRAP = (
    "expand-vars",
    "A function of your own",
    "Runs in place",
    "Explain",
    "Wrap any program",
)
# Every block has a test here, in test_readme_tables.py or in test_readme_merge.py. A new one is noticed.
BLOCKS = {
    FACE: "yaml yaml sh",
    "Use it": "sh sh yaml yaml yaml sh sh sh sh yaml text",
    "In the file, in the container": "yaml",
    EXPLAIN: "text",
    PLACE: "yaml",
    "Generated resources": "yaml yaml",
    "functionConfig": "yaml yaml",
    "Results": "text yaml",
    "Merge": "sh text text sh sh sh",
    WRAP: "sh sh",
    OWN: "python python python",
}


def test_every_block_has_a_test() -> None:
    found = {name: " ".join(block.language for block in blocks(name)) for name in sections()}
    assert {name: languages for name, languages in found.items() if languages} == BLOCKS


def test_every_make_target_is_there() -> None:
    made = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    told = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", README.read_text(), re.MULTILINE))
    assert {"demo", "test"} <= told <= made


def test_the_input_becomes_the_output(tmp_path: Path) -> None:
    given, made, _ = blocks(FACE)
    (tmp_path / "deploy.yaml").write_text(given.text)
    (command,) = re.findall(r"becomes, with `(.*)`", made.above)
    script = f'expand-vars() {{ "{sys.executable}" -m expand_vars "$@"; }}; cd "{tmp_path}"; {command}'
    assert process.run("-euc", script, command=("bash",), stdin=b"") == (made.text.encode(), "", 0)


def test_the_five_lines_are_five() -> None:
    assert len(sections()[FACE].strip().partition("\n\n")[0].splitlines()) == 5


def test_the_two_commands_do_their_own_set_up() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for command in blocks(FACE)[2].text.splitlines():
        assert f"\n{command.split()[1]}: venv " in makefile
    assert re.search(r"^venv: \.venv/made .*^\.venv/made:.*-m venv .*pip install ", makefile, re.DOTALL | re.MULTILINE)


def test_the_demo_is_that_example() -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not on this machine")
    if shutil.which("expand-vars") is None:
        pytest.skip("expand-vars is not on this machine: `pip install --editable .` brings it")
    # The environment is made by hand where this runs, or by `make test`.
    command = ["make", "--silent", "--old-file=venv", "--old-file=.venv/made", "demo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"```yaml\n{done.stdout}```" in (ROOT / "examples" / "pipe" / "README.md").read_text()


@pytest.mark.parametrize("block", blocks("Use it")[:-1], ids=lambda block: block.text.splitlines()[0].strip())
def test_how_to_use_it_is_from_an_example(block: Block) -> None:
    """The examples' own READMEs are run under the orchestrators: tests/e2e/test_examples.py."""
    example = ROOT / re.findall(r"\]\((examples/[\w-]+)\)", block.above)[-1]
    shown = f"```sh\n{block.text}```" if block.language == "sh" else block.text
    assert any(shown in path.read_text() for path in example.rglob("*") if path.is_file())


def test_the_steps_of_kpt_and_kustomize_are_those_of_the_examples() -> None:
    commands = ("kpt fn render", "kustomize fn run", "kubectl kustomize", "kustomize build")
    readmes = "".join(path.read_text() for path in ROOT.glob("examples/*/README.md"))
    assert all(f"\n{command}" in readmes for command in commands)


def test_the_command_line() -> None:
    usage, *others = [line.split()[1:] for line in blocks("Use it")[-1].text.splitlines()]
    assert f"usage: expand-vars {' '.join(usage)}\n" in process.run("--help", stdin=b"").stdout.decode()
    commands = [words for words in others if words[0] in ("explain", "merge3", "merge2", "wrap")]
    for words in commands:
        assert f"usage: expand-vars {' '.join(words)}\n" in process.run(words[0], "--help", stdin=b"").stdout.decode()
    for words in (words for words in others if words not in commands):
        answer = process.run(*words, stdin=b"")
        assert answer.stdout
        assert answer[1:] == ("", 0)


def test_arguments_win_over_the_function_config(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("apiVersion: v1\nkind: ConfigMap\ndata: {A: config, B: config}\n")
    given = CONTAINER.replace("CONTENT", "args: [$(A), $(B)]").encode()
    answer = process.run("--fn-config", str(tmp_path / "config.yaml"), "A=argument", stdin=given)
    assert b"args: [argument, config]" in answer.stdout


CONTAINER = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: web, CONTENT}\n"
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
    output = pipeline.run(CONTAINER.replace("CONTENT", written), None, [("REGION", "ours")])
    assert output.text == CONTAINER.replace("CONTENT", becomes or written)
    assert {result.reason for result in output.results} <= {"Shadowed", "UnusedVariable"}


@pytest.mark.parametrize(
    ("written", "becomes"),
    [("replicas: $(N)", "replicas: 3"), ('replicas: "$(N)"', 'replicas: "3"'), ("args: [$(N)]", 'args: ["3"]')],
)
def test_what_a_whole_reference_becomes(written: str, becomes: str) -> None:
    given = "apiVersion: apps/v1\nkind: Deployment\nspec: {template: {spec: {containers: [{args: []}]}}, replicas: 1}\n"
    key = written.partition(":")[0]
    text = re.sub(rf"{key}: [^,}}]*", lambda _: written, given)
    assert pipeline.run(text, config("targets: [{preset: Replicas}]"), [("N", "3")]).text == text.replace(
        written, becomes
    )


def test_what_explain_shows(tmp_path: Path) -> None:
    (block,) = blocks(EXPLAIN)
    (tmp_path / "deploy.yaml").write_text(blocks(FACE)[0].text)
    command = sections()[EXPLAIN].strip().split("`")[1].split()
    assert command[0] == "expand-vars"
    shown = process.in_terminal(*command[1:], folder=tmp_path, columns=118)
    assert shown == block.text


def test_what_each_state_says_is_told_by_the_help() -> None:
    states = [quoted(state)[0] for state, _ in tables(EXPLAIN)[0]]
    told = process.run("explain", "--help", stdin=b"").stdout.decode()
    assert re.findall(r"^  (\w+) +it ", told, re.MULTILINE) == states


IN_PLACE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations: {config.kubernetes.io/path: a.yaml, config.k8s.io/id: "1"}
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        args:
        - --region=$(REGION)
"""


def test_what_is_remembered() -> None:
    (block,) = blocks(PLACE)
    key = "expandvars.dev/references"
    storefront = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: storefront}\n"
    storefront += "spec: {variables: [{name: REGION, value: eu}]}\n"
    (made,) = resources(pipeline.run(IN_PLACE, resource(storefront)).text)
    assert made.annotations[key] == yaml.safe_load(block.text)["metadata"]["annotations"][key]


KUSTOMIZED = {
    "pod.yaml": CONTAINER.replace("kind: Pod", "kind: Pod\nmetadata: {name: web}").replace(
        "CONTENT", "args: [$(TAG), $(MODE), $$5]"
    ),
    "kustomization.yaml": "resources: [pod.yaml]\ntransformers: [config.yaml]\n",
    "config.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: config
  annotations: {config.kubernetes.io/function: "exec: {path: ./function}"}
data: {TAG: 1.10, MODE: 0777}
""",
    "function": f'#!/bin/sh\nPYTHONPATH="{ROOT / "fn"}" exec "{sys.executable}" -m expand_vars\n',
}


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("more", "args"),
    [
        ("", ["1.1", "511", "$$5"]),
        ("vars: [{name: ANY, objref: {apiVersion: v1, kind: Pod, name: web}}]\n", ["1.1", "511", "$5"]),
    ],
)
def test_what_kustomize_does_before_and_after(kustomize: str, tmp_path: Path, more: str, args: list[str]) -> None:
    for name, text in KUSTOMIZED.items():
        (tmp_path / name).write_text(text + (more if name == "kustomization.yaml" else ""))
    (tmp_path / "function").chmod(0o755)
    command = (kustomize, "build", "--enable-alpha-plugins", "--enable-exec", str(tmp_path))
    done = subprocess.run(command, capture_output=True, check=True)
    assert yaml.safe_load(done.stdout)["spec"]["containers"][0]["args"] == args


PACKAGE = """\
apiVersion: v1
kind: Service
metadata: {name: api, namespace: shop}
spec: {ports: [{name: http, port: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: release, namespace: shop}
data: {tag: "1.10"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {MODE: fast}
---
apiVersion: v1
kind: Secret
metadata: {name: db, namespace: shop}
data: {password: aHVudGVyMg==}
---
apiVersion: v1
kind: Secret
metadata: {name: url, namespace: shop}
stringData: {url: "redis://:$(PASSWORD)@$(DB_HOST)"}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec: {rules: [{host: $(DOMAIN)}]}
"""
POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: NAME, namespace: NAMESPACE}
spec:
  containers:
  - name: web
    image: web:$(TAG)
    env: [{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]
    args: [$(REGION), $(DOMAIN), $(TRACES), $(API_PORT), $(APP_MODE), $(DB_HOST)]
"""


def pod(name: str, namespace: str) -> str:
    return POD.replace("NAMESPACE", namespace).replace("NAME", name)


def test_the_long_form_says_everything() -> None:
    block = blocks("functionConfig")[1]
    left = pod("legacy-web", "shop") + pod("web", "elsewhere")
    output = pipeline.run(PACKAGE + pod("web", "shop") + left, resource(block.text))
    assert output.results == []
    *others, pod_, legacy, elsewhere = resources(output.text)
    assert pod_.get("spec.containers[0].image") == "web:1.10"
    assert pod_.get("spec.containers[0].args") == (
        ["eu-west-1", "eu-west-1.example.com", "http://$(HOST_IP):4317", "8080", "fast", "db"]
    )
    assert others[-2].get("stringData.url") == "redis://:hunter2@db"
    assert others[-1].get("spec.rules[0].host") == "eu-west-1.example.com"
    assert legacy.text + elsewhere.text == left


def test_the_long_form_has_every_field_and_the_defaults() -> None:
    block = blocks("functionConfig")[1]
    spec = yaml.safe_load(block.text)["spec"]
    fields = json.loads(schema.text())["properties"]["spec"]["properties"]
    assert spec.keys() == fields.keys()
    defaults = re.split("these are the defaults", block.text)[0].rpartition("\n")[2].split(":")[0].strip()
    names = [*spec][[*spec].index(defaults) :]
    assert {name: spec[name] for name in names} == {name: fields[name]["default"] for name in names}


def test_the_short_form() -> None:
    block = blocks("functionConfig")[0]
    given = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - args: [$(REGION), $(TAG)]\n"
    assert '[eu-west-1, "1.10"]' in pipeline.run(given, resource(block.text)).text
    output = pipeline.run(given.replace("TAG", "NOBODY"), resource(block.text))
    assert (output.text, [result.severity for result in output.results if result.reason == "UnresolvedReference"]) == (
        "",
        [ERROR],
    )


def test_the_result_that_is_shown() -> None:
    line, entry = blocks("Results")
    given = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n"
    given += "      containers: [{name: web, image: web:$(TAG)}]\n"
    output = pipeline.run(as_list(given), None, [("TAG", "7")])
    assert [f"{result}\n" for result in output.results] == [line.text]
    assert output.text == as_list(given) + entry.text


def test_a_function_of_ones_own(tmp_path: Path) -> None:
    block, *_ = blocks(OWN)
    assert sum(map(bool, block.text.splitlines())) <= 10
    (tmp_path / "function.py").write_text(block.text)
    deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web} # the shop\nspec:\n  paused: true\n"
    program = (sys.executable, str(tmp_path / "function.py"))
    answer = process.run(command=program, stdin=as_list(deployment).encode())
    expected = as_list(deployment + "  replicas: 2\n") + "results:\n- message: now runs twice\n"
    assert answer.stdout.decode().startswith(expected)
    assert (answer.stderr, answer.code) == ("", 0)


def test_items_that_come_and_go(tmp_path: Path) -> None:
    _, block, _ = blocks(OWN)
    (tmp_path / "function.py").write_text(f"import krm\n\n{block.text}\nkrm.run(isolate)\n")
    service = as_list("kind: Service\nmetadata: {name: web, namespace: shop} # the shop\n")
    gone = "- kind: PodSecurityPolicy\n  metadata: {name: old}\n"
    policy = (
        "- apiVersion: networking.k8s.io/v1\n  kind: NetworkPolicy\n  metadata: {name: isolate, namespace: shop}\n"
        "  spec: {podSelector: {}, policyTypes: [Ingress]} # nothing comes in\n"
    )
    program = (sys.executable, str(tmp_path / "function.py"))
    answer = process.run(command=program, stdin=(service + gone).encode())
    assert (answer.stdout.decode(), answer.stderr, answer.code) == (service + policy, "", 0)


def test_a_generator_of_ones_own(tmp_path: Path) -> None:
    *_, block = blocks(OWN)
    (tmp_path / "function.py").write_text(block.text)
    program = (sys.executable, str(tmp_path / "function.py"))
    config = (
        "functionConfig:\n  apiVersion: example.com/v1\n  kind: Quotas\n  metadata: {name: all}\n  spec: {pods: 10}\n"
    )

    def answer(items: str, pods: int = 10) -> str:
        answer = process.run(command=program, stdin=(items + config.replace("10", str(pods))).encode())
        assert (answer.stderr, answer.code) == ("", 0)
        return answer.stdout.decode().partition("functionConfig:")[0]

    made = answer(as_list("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"))
    assert 'pods: "10" # ask before you raise it\n' in made
    raised = made.replace('"10" #', '"50" #')
    assert answer(raised) == raised
    assert made.replace("10", "20") == answer(made, pods=20)


@pytest.mark.parametrize("block", blocks(WRAP), ids=["script", "Dockerfile"])
def test_the_lines_that_wrap_a_script_are_those_of_the_example(block: Block) -> None:
    """It is run as an image and as a script: tests/e2e/test_wrap.py."""
    assert any(block.text in path.read_text() for path in (ROOT / "examples" / "wrap").iterdir())


def test_the_environment_of_a_wrapped_program() -> None:
    fields, whole = (quoted(row[0]) for row in tables(WRAP)[0])
    environment, told = exports.environment(nginx("metadata: {name: a}, spec: {replicas: 5}"))
    assert [environment[name.encode()] for name in fields] == [b"a", b"5"]
    assert tuple(whole) == exports.FUNCTION_CONFIG
    protected = quoted(sections()[WRAP].partition("that would set ")[2].partition(". ")[0])
    for name in protected:
        _, told_of_it = exports.environment(nginx(f"spec: {{{name.replace('*', 'A').lower()}: 1}}"))
        assert [result.reason for result in told_of_it] == [exports.REASON], name
    assert told == []


def nginx(fields: str) -> Resource | None:
    """Return a functionConfig of a kind that no schema knows."""
    return resourcelist.read(
        f"kind: ResourceList\nitems: []\nfunctionConfig: {{kind: Nginx, {fields}}}\n"
    ).function_config


def test_what_an_item_has() -> None:
    told = sections()[OWN].partition("An item has")[2].partition(". ")[0]
    assert [name for name in quoted(told) if not hasattr(Resource, name)] == []
