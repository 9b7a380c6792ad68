"""docs/guides/migration.md is true: its files are written, its commands run, and they print what it shows.

A block that begins with `# NAME` is that file, one in `sh` a command, and the blocks below it what that prints: its
standard output, then what the function says. Every section starts with the files of "Before" and "After". A folder of
testdata/expand_vars/migration starts with these, too: its steps have files, a command, and what that prints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from krm import syntax
from tests.pages import ROOT, Page, quoted

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("migration")
TESTED = PAGE.languages()  # every block is a file, a command, or what that prints
DIFFERS = "What differs"
FOLDERS = ROOT / "testdata" / "expand_vars" / "migration"
START = FOLDERS / "start"
COMPARE = "bash compare\n"
TRANSFORM = "kustomize build --enable-alpha-plugins --enable-exec"
FUNCTION = f'#!/bin/sh\nPYTHONPATH="{ROOT / "fn"}" exec "{sys.executable}" -m expand_vars "$@"\n'


class Example(NamedTuple):
    """Files to write, a command to run then, and what that prints."""

    files: dict[str, str]
    command: str
    shown: str


def examples(section: str) -> list[Example]:
    """Return the examples of a section of the page. Files below its last command are an example without one."""
    found: list[Example] = []
    files: dict[str, str] = {}
    for block in PAGE.blocks(section):
        name = re.match(r"# (\S+)\n", block.text)
        if name:
            files[name[1]] = block.text[name.end() :]
        elif block.language == "sh":
            found.append(Example(files, block.text, ""))
            files = {}
        else:
            found[-1] = found[-1]._replace(shown=found[-1].shown + block.text)
    return [*found, Example(files, "", "")] if files else found


def steps(folder: Path) -> list[Example]:
    """Return the examples of a folder, which are its steps in their order."""
    return [
        Example(contents(step / "files"), (step / "command.sh").read_text(), (step / "printed.txt").read_text())
        for step in sorted(folder.iterdir())
    ]


def contents(folder: Path) -> dict[str, str]:
    """Return the texts of all files below a folder, by their paths."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


SECTIONS = {section: examples(section) for section in PAGE.sections() if examples(section)}
DIFFERENCES = {folder.name: steps(folder) for folder in sorted(FOLDERS.iterdir()) if folder != START}
EXAMPLES = {**SECTIONS, **DIFFERENCES}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Write what all sections start with, and this function as a program that their commands find."""
    write(tmp_path, contents(START))
    for example in SECTIONS["Before"] + SECTIONS["After"]:
        write(tmp_path, example.files)
    write(tmp_path, {"bin/expand-vars": FUNCTION})
    (tmp_path / "bin" / "expand-vars").chmod(0o755)
    return tmp_path


def write(package: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text)


def run(package: Path, command: str) -> tuple[str, int]:
    """Return what a command prints, with what the function says below it, and its exit code."""
    environment = {**os.environ, "PATH": f"{package / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=package, env=environment, capture_output=True, text=True, check=False
    )
    said = re.findall(r"^\[\w+\] .*\n", done.stderr, re.MULTILINE)
    return done.stdout + "".join(said), done.returncode


@pytest.mark.e2e
@pytest.mark.usefixtures("kubectl", "kustomize")
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_commands_print_what_is_shown(name: str, package: Path) -> None:
    for example in EXAMPLES[name]:
        write(package, example.files)
        code = 1 if example.shown.startswith(("---", "[error]")) else 0
        assert run(package, example.command) == (example.shown, code)


def test_no_file_is_shown_for_nothing() -> None:
    assert [section for section, found in SECTIONS.items() if not found[-1].command] == []


def test_what_the_container_gets_in_the_end() -> None:
    (example,) = DIFFERENCES["values-with-a-dollar"]
    (row,) = [row for row in PAGE.tables(DIFFERS)[0] if "values-with-a-dollar" in row[0]]
    written = re.findall(r"^[-+] +- --salt=(.*)", example.shown, re.MULTILINE)
    assert [quoted(cell)[0] for cell in row[1:]] == [syntax.expand(text, lambda _: None) for text in written]


def test_every_difference_is_in_the_table_and_has_a_folder() -> None:
    linked = {re.findall(r"\]\(.*/(.*?)\)", row[0])[0] for row in PAGE.tables(DIFFERS)[0]}
    assert linked == DIFFERENCES.keys()


# What the page says of all fields, all paths, all names, and shows for one of each.

CONTAINER = (
    "{name: web, image: web:$(DB_HOST), workingDir: /$(DB_HOST), command: [--$(DB_HOST)], args: [--$(DB_HOST)], "
    "env: [{name: HOST, value: tcp://$(DB_HOST)}], ports: [{name: $(DB_HOST)}], "
    "volumeMounts: [{name: data, mountPath: /mnt/$(DB_HOST), subPath: $(DB_HOST)}]}"
)
CONTAINERS = f"initContainers: [{CONTAINER}], containers: [{CONTAINER}]"
POD = f"{{{CONTAINERS}, volumes: [{{name: data, nfs: {{server: $(DB_HOST), path: /}}}}]}}"
METADATA = "labels: {is: $(DB_HOST)}, annotations: {is: $(DB_HOST)}"
WORKLOAD = f"{{template: {{metadata: {{{METADATA}}}, spec: {POD}}}}}"
# kustomize looks for the NFS servers of these two where none can be.
WITHOUT_VOLUMES = f"{{template: {{metadata: {{{METADATA}}}, spec: {{{CONTAINERS}}}}}}}"
SPECS = {
    "v1/Pod": POD,
    "apps/v1/DaemonSet": WORKLOAD,
    "apps/v1/Deployment": WORKLOAD,
    "apps/v1/ReplicaSet": WORKLOAD,
    "apps/v1/StatefulSet": WITHOUT_VOLUMES,
    "batch/v1/Job": WORKLOAD,
    "batch/v1/CronJob": f"{{jobTemplate: {{spec: {WITHOUT_VOLUMES}}}}}",
    "networking.k8s.io/v1/Ingress": (
        "{rules: [{host: $(DB_HOST)}], tls: [{hosts: [$(DB_HOST)], secretName: $(DB_HOST)}]}"
    ),
    "v1/Service": "{ports: [{name: $(DB_HOST), port: 1, targetPort: $(DB_HOST)}]}",
    "v1/PersistentVolume": "{nfs: {server: $(DB_HOST), path: /$(DB_HOST)}}",
    "example.com/v1/Storefront": "{host: $(DB_HOST)}",
}


@pytest.mark.e2e
@pytest.mark.usefixtures("kubectl")
def test_all_fields_that_kustomize_expands_by_default_are_expanded(package: Path) -> None:
    objects = [
        f"apiVersion: {group}\nkind: {kind}\nmetadata: {{name: web, {METADATA}}}\nspec: {spec}\n"
        for (group, _, kind), spec in ((name.rpartition("/"), spec) for name, spec in SPECS.items())
    ]
    write(package, {"base/web.yaml": "---\n".join(objects)})
    printed, code = run(package, COMPARE)
    # Beyond these this function expands what can hold no reference: it leaves no such field.
    left = {line.strip(" -") for line in re.findall(r"^-(?!-).*", printed, re.MULTILINE)}
    assert (left, code) == ({"name: $(DB_HOST)", "is: $(DB_HOST)", "image: web:$(DB_HOST)"}, 1)
    # Some of the references are left, by both, and most are not.
    built, _ = run(package, "kubectl kustomize vars")
    assert 0 < built.count("$(DB_HOST)") < "".join(objects).count("$(DB_HOST)") / 2


@pytest.mark.e2e
@pytest.mark.usefixtures("kubectl")
@pytest.mark.parametrize(
    "field_path",
    [
        r"metadata.annotations.example\.com/is",
        "spec.ports[0].name",
        "spec.ports.0.name",
        "spec.ports.[name=sql].targetPort",
        "spec.selector.app",
    ],
)
def test_field_paths_are_read_as_kustomize_reads_them(field_path: str, package: Path) -> None:
    entry = "[{{name: X, objref: {{apiVersion: v1, kind: Service, name: db}}, fieldref: {{fieldpath: '{}'}}}}]\n"
    config = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: vars}\n"
    service = (
        "apiVersion: v1\nkind: Service\nmetadata: {name: db, annotations: {example.com/is: found}}\n"
        "spec: {ports: [{name: found, port: 1}, {name: sql, port: 2, targetPort: found}], selector: {app: found}}\n"
    )
    files = {
        "base/db.yaml": service,
        "base/web.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{args: [--$(X)]}]}\n",
        "vars/kustomization.yaml": f"resources: [../base]\nvars: {entry.format(field_path)}",
        "expand-vars.yaml": f"{config}spec:\n  kustomizeVars: {entry.format(field_path)}",
    }
    write(package, files)
    assert run(package, COMPARE) == ("", 0)
    assert run(package, "kubectl kustomize vars | grep -e --found") == ("    - --found\n", 0)


@pytest.fixture
def inside(package: Path) -> Example:
    """Write what the page runs inside of a build, up to the first such run, and return that."""
    for example in DIFFERENCES["names-prefixes-hashes"]:
        write(package, example.files)
        if example.command.startswith(TRANSFORM):
            return example
    raise AssertionError(TRANSFORM)


@pytest.mark.e2e
@pytest.mark.usefixtures("kubectl", "image")
def test_kubectl_does_the_same_with_a_container(inside: Example, package: Path, image: str) -> None:
    config = package / "prod" / "expand-vars.yaml"
    config.write_text(config.read_text().replace("exec: {path: expand-vars}", f"container: {{image: '{image}'}}"))
    command = inside.command.replace(TRANSFORM, "kubectl kustomize --enable-alpha-plugins")
    assert run(package, command) == (inside.shown, 0)


@pytest.mark.e2e
@pytest.mark.usefixtures("kustomize", "inside")
@pytest.mark.parametrize(
    "name", ["db", "prod-db", "eu-prod-db", "db, namespace: default", "eu-prod-db, namespace: shop"]
)
def test_a_transformer_finds_an_object_by_each_name_that_it_had(name: str, package: Path) -> None:
    config = (package / "prod" / "expand-vars.yaml").read_text()
    files = {
        "eu/expand-vars.yaml": config.partition("  - name: SETTINGS")[0].replace("name: db", f"name: {name}"),
        "prod/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\n",
        "eu/kustomization.yaml": (
            "resources: [../prod]\nnamePrefix: eu-\nnamespace: shop\ntransformers: [expand-vars.yaml]\n"
        ),
    }
    write(package, files)
    assert run(package, f"{TRANSFORM} eu 2>/dev/null | grep -A 1 args") == ("  - args:\n    - eu-prod-db\n", 0)
