"""The peers: what each is called, where its program is, and how its input is made of the same Deployments."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.bench import workloads
from tests.bench.measuring import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    Prepare = Callable[[Path, int, int], "Job"]

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / ".tools"
PEERS = TOOLS / "peers"
PURE, COMPILED, OTHER = (PEERS / name / "bin" / "python" for name in ("pure", "compiled", "venv"))

OURS, OURS_COMPILED = "expand-vars", "expand-vars, compiled"
LABELS, LABELS_COMPILED = "our SDK, `set_labels.py`", "our SDK, `set_labels.py`, compiled"
SETTERS, SET_LABELS, HELM, PARSER = "apply-setters", "set-labels", "helm template", "libyaml's parser alone"

LOAD_AND_DUMP = """
import sys, yaml
yaml.dump_all(yaml.load_all(sys.stdin, yaml.CSafeLoader), sys.stdout, yaml.CSafeDumper)
"""
ROUND_TRIP = """
import sys
from ruamel.yaml import YAML
yaml = YAML()
yaml.dump_all(yaml.load_all(sys.stdin), sys.stdout)
"""
RAW_PARSE = "import sys, yaml.cyaml; yaml.cyaml.CParser(sys.stdin.read()).raw_parse()"
YQ = '(.. | select(tag == "!!str")) |= envsubst'

# What takes the place of three values, each as a whole, as a replacement knows no part of a text by its name.
_SOURCE = f"""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: values
data:
  bucket: pictures-{workloads.VALUE}
  cache: --cache=redis://cache.{workloads.VALUE}.internal:6379
  region: --region={workloads.VALUE}
"""
_REPLACEMENTS = """\
replacements:
- source: {kind: ConfigMap, name: values, fieldPath: data.bucket}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.containers.[name=web].env.[name=BUCKET].value"]
- source: {kind: ConfigMap, name: values, fieldPath: data.region}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [spec.template.spec.containers.0.args.0]
- source: {kind: ConfigMap, name: values, fieldPath: data.cache}
  targets:
  - select: {kind: Deployment}
    fieldPaths: [spec.template.spec.containers.0.args.2]
"""
_APPLY_REPLACEMENTS = f"""\
apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyReplacements
metadata:
  name: values
{_REPLACEMENTS}"""


class Job(NamedTuple):
    """What is measured, and the text whose bytes it should keep, if it writes one."""

    task: Task
    text: Path | None


class Peer(NamedTuple):
    """A program, and what prepares a job for it: of a number of Deployments, of which a percentage changes."""

    name: str
    program: Path
    prepare: Prepare
    is_go: bool = False
    most: int = 20_000
    """The number of Deployments up to which it can be measured."""


def ours(program: Path) -> Prepare:
    """Return what prepares a run of the function."""

    def prepare(directory: Path, count: int, percent: int) -> Job:
        path = resource_list(directory, count, percent)
        return Job(Task((str(program),), 1, path), path)

    return prepare


def parser(directory: Path, count: int, percent: int) -> Job:
    """Prepare libyaml's own part in reading such a list: what nobody who parses it can do without."""
    return Job(Task((str(PURE), "-c", RAW_PARSE), 1, resource_list(directory, count, percent)), None)


def setters(directory: Path, count: int, percent: int) -> Job:
    """Prepare apply-setters, with its comments in the lines that refer."""
    path = resource_list(directory, count, percent)
    path.write_text("".join(f"{line}{_setter(line)}\n" for line in path.read_text().splitlines()))
    return Job(Task((str(PEERS / SETTERS),), 1, path), path)


def _setter(line: str) -> str:
    if workloads.REFERENCE not in line:
        return ""
    value = re.sub(r"^ *(?:- |value: )|'", "", line)
    return f" # kpt-set: {value.replace(workloads.REFERENCE, '${REGION}')}"


def labels(*command: str) -> Prepare:
    """Return what prepares a function that sets one label on each object, its Pods and its selector."""

    def prepare(directory: Path, count: int, percent: int) -> Job:
        path = resource_list(directory, count, 0)
        if percent == 0:  # a second run, which finds the label everywhere
            with path.open() as stdin:
                path.write_bytes(subprocess.run(command, stdin=stdin, capture_output=True, check=True).stdout)
        return Job(Task(command, 1, path), path)

    return prepare


def apply_replacements(directory: Path, count: int, percent: int) -> Job:
    """Prepare apply-replacements, which finds its values in one item more."""
    path = resource_list(directory, count, percent, _APPLY_REPLACEMENTS)
    path.write_text(path.read_text().replace("items:\n", f"items:\n{workloads.as_item(_SOURCE)}", 1))
    return Job(Task((str(PEERS / "apply-replacements"),), 1, path), path)


def kustomize(*, with_vars: bool) -> Prepare:
    """Return what prepares a build with `vars`, or with replacements."""

    def prepare(directory: Path, count: int, percent: int) -> Job:
        config, more = (workloads.CONFIG_MAP, workloads.VARS) if with_vars else (_SOURCE, _REPLACEMENTS)
        package = workloads.kustomization(
            directory / "package", workloads.deployments(count, percent), config=config, more=more
        )
        command = (str(TOOLS / "bin" / "kustomize"), "build", str(package))
        return Job(Task(command, 1), package / "resources.yaml")

    return prepare


def helm(directory: Path, count: int, percent: int) -> Job:
    """Prepare a chart with all Deployments in one template."""
    (directory / "templates").mkdir()
    (directory / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 1.0.0\n")
    (directory / "values.yaml").write_text(f"region: {workloads.VALUE}\n")
    path = documents(directory, count, percent, "{{ .Values.region }}").rename(directory / "templates" / "all.yaml")
    return Job(Task((str(PEERS / "helm"), "template", str(directory)), 1), path)


def stream(*command: str) -> Prepare:
    """Return what prepares a program that reads documents and finds the value in its environment."""

    def prepare(directory: Path, count: int, percent: int) -> Job:
        path = documents(directory, count, percent, "${REGION}")
        return Job(Task(command, 1, path, {"REGION": workloads.VALUE}), path)

    return prepare


def loading(python: Path, script: str) -> Prepare:
    """Return what prepares a library that loads documents and writes them, and changes nothing."""

    def prepare(directory: Path, count: int, percent: int) -> Job:
        path = documents(directory, count, percent, workloads.VALUE)
        return Job(Task((str(python), "-c", script), 1, path), path)

    return prepare


def resource_list(directory: Path, count: int, percent: int, function_config: str = workloads.CONFIG_MAP) -> Path:
    """Write the Deployments as a ResourceList."""
    return workloads.listed(directory / "list.yaml", workloads.deployments(count, percent), function_config)


def documents(directory: Path, count: int, percent: int, reference: str) -> Path:
    """Write the Deployments as documents, with references in the syntax of a peer."""
    path = directory / "documents.yaml"
    with path.open("w") as file:
        for number, text in enumerate(workloads.deployments(count, percent)):
            file.write("---\n" * (number > 0) + text.replace(workloads.REFERENCE, reference))
    return path


_PURE, _COMPILED = (python.with_name("expand-vars") for python in (PURE, COMPILED))
_SET_LABELS = ROOT / "examples" / "sdk" / "set_labels.py"
_KUSTOMIZE = TOOLS / "bin" / "kustomize"
ALL = (
    Peer(OURS, _PURE, ours(_PURE)),
    Peer(OURS_COMPILED, _COMPILED, ours(_COMPILED)),
    Peer(PARSER, PURE, parser),
    Peer(SETTERS, PEERS / SETTERS, setters, is_go=True),
    Peer("apply-replacements", PEERS / "apply-replacements", apply_replacements, is_go=True),
    Peer(SET_LABELS, PEERS / SET_LABELS, labels(str(PEERS / SET_LABELS)), is_go=True),
    Peer(LABELS, _PURE, labels(str(PURE), str(_SET_LABELS))),
    Peer(LABELS_COMPILED, _COMPILED, labels(str(COMPILED), str(_SET_LABELS))),
    Peer(HELM, PEERS / "helm", helm, is_go=True, most=2_000),  # it refuses a file of more than 5 MiB
    Peer("envsubst", PEERS / "envsubst", stream(str(PEERS / "envsubst")), is_go=True),
    Peer("yq, envsubst on each string", PEERS / "yq", stream(str(PEERS / "yq"), YQ), is_go=True),
    Peer("kustomize, `vars`", _KUSTOMIZE, kustomize(with_vars=True), is_go=True),
    Peer("kustomize, replacements", _KUSTOMIZE, kustomize(with_vars=False), is_go=True),
    Peer("PyYAML, load and dump", OTHER, loading(OTHER, LOAD_AND_DUMP)),
    Peer("ruamel.yaml, round trip", OTHER, loading(OTHER, ROUND_TRIP)),
)


def is_there(peer: Peer) -> bool:
    """True if the program of a peer could be built."""
    return os.access(peer.program, os.X_OK)
