"""docs/from-kustomize-vars.md is true: its files are written, its commands run, and they print what it shows.

A block that begins with `# NAME` is that file, one in `sh` a command, and the blocks below it what that prints: its
standard output, then what the function says. A diff without a command is that of `bash compare`. Every section starts
with the files of "Before" and "After".
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from fn.expansion import syntax
from tests.readme import ROOT, blocks, quoted, sections, tables

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "from-kustomize-vars.md"
DIFFERS = "What differs"
COMPARE = "bash compare\n"
BUILD = "kustomize build --enable-alpha-plugins --enable-exec {} | grep -A 1 args"
FUNCTION = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m fn "$@"\n'


class Example(NamedTuple):
    """Files to write, a command to run then, and what that prints."""

    files: dict[str, str]
    command: str
    shown: str


def examples(section: str) -> list[Example]:
    """Return the examples of a section. Files below its last command are an example without one."""
    found: list[Example] = []
    files: dict[str, str] = {}
    for block in blocks(section, PAGE):
        name = re.match(r"# (\S+)\n", block.text)
        if name:
            files[name[1]] = block.text[name.end() :]
        elif block.language == "sh":
            found.append(Example(files, block.text, ""))
            files = {}
        elif files:
            found.append(Example(files, COMPARE, block.text))
            files = {}
        else:
            found[-1] = found[-1]._replace(shown=found[-1].shown + block.text)
    return [*found, Example(files, "", "")] if files else found


EXAMPLES = {section: examples(section) for section in sections(PAGE) if examples(section)}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Write what all sections start with, and this function as a program that their commands find."""
    for example in EXAMPLES["Before"] + EXAMPLES["After"]:
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
@pytest.mark.parametrize("section", EXAMPLES)
def test_the_commands_print_what_is_shown(section: str, package: Path) -> None:
    for example in EXAMPLES[section]:
        write(package, example.files)
        code = 1 if example.shown.startswith(("---", "[error]")) else 0
        assert run(package, example.command) == (example.shown, code)


def test_no_file_is_shown_for_nothing() -> None:
    assert [section for section, found in EXAMPLES.items() if not found[-1].command] == []


def test_what_the_container_gets_in_the_end() -> None:
    (example,) = EXAMPLES["Values with a dollar"]
    (told,) = re.findall(r"^The container gets .*", sections(PAGE)["Values with a dollar"], re.MULTILINE)
    written = re.findall(r"^[-+] +- (.*)", example.shown, re.MULTILINE)
    assert quoted(told)[::2] == [syntax.expand(text, {}.get) for text in written]


def test_every_difference_is_in_the_table_and_has_a_section() -> None:
    linked = [re.findall(r"\]\(#(.*?)\)", row[0])[0] for row in tables(DIFFERS, PAGE)[0]]
    headings = [anchor(heading) for heading in sections(PAGE)]
    assert list(dict.fromkeys(linked)) == headings[headings.index(anchor(DIFFERS)) + 1 :]


def test_every_link_leads_somewhere() -> None:
    for page, heading in re.findall(r"\]\(([^#)]*)#?([^)]*)\)", PAGE.read_text()):
        target = (PAGE.parent / page).resolve() if page else PAGE
        assert target.exists(), page
        assert not heading or heading in map(anchor, sections(target)), heading


def anchor(heading: str) -> str:
    """Return what a link to a heading ends in."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


# What the page says in a sentence, and shows by no example for each of its cases.

_CONTAINER = (
    "{name: web, image: web:$(DB_HOST), workingDir: /$(DB_HOST), command: [--$(DB_HOST)], args: [--$(DB_HOST)], "
    "env: [{name: HOST, value: tcp://$(DB_HOST)}], ports: [{name: $(DB_HOST)}], "
    "volumeMounts: [{name: data, mountPath: /mnt/$(DB_HOST), subPath: $(DB_HOST)}]}"
)
_CONTAINERS = f"initContainers: [{_CONTAINER}], containers: [{_CONTAINER}]"
_POD = f"{{{_CONTAINERS}, volumes: [{{name: data, nfs: {{server: $(DB_HOST), path: /}}}}]}}"
_METADATA = "labels: {is: $(DB_HOST)}, annotations: {is: $(DB_HOST)}"
_TEMPLATE = f"{{metadata: {{{_METADATA}}}, spec: {_POD}}}"
# kustomize looks for the NFS server of these two where none can be.
_TEMPLATE_WITHOUT_VOLUMES = f"{{metadata: {{{_METADATA}}}, spec: {{{_CONTAINERS}}}}}"
KINDS = {
    "v1/Pod": _POD,
    "apps/v1/DaemonSet": f"{{template: {_TEMPLATE}}}",
    "apps/v1/Deployment": f"{{template: {_TEMPLATE}}}",
    "apps/v1/ReplicaSet": f"{{template: {_TEMPLATE}}}",
    "apps/v1/StatefulSet": f"{{template: {_TEMPLATE_WITHOUT_VOLUMES}}}",
    "batch/v1/Job": f"{{template: {_TEMPLATE}}}",
    "batch/v1/CronJob": f"{{jobTemplate: {{spec: {{template: {_TEMPLATE_WITHOUT_VOLUMES}}}}}}}",
    "networking.k8s.io/v1/Ingress": "{rules: [{host: $(DB_HOST)}], tls: [{hosts: [$(DB_HOST)], secretName: $(DB_HOST)}]}",
    "v1/Service": "{ports: [{name: $(DB_HOST), port: 1, targetPort: $(DB_HOST)}]}",
    "v1/PersistentVolume": "{nfs: {server: $(DB_HOST), path: /$(DB_HOST)}}",
    "example.com/v1/Storefront": "{host: $(DB_HOST)}",
}


@pytest.mark.e2e
@pytest.mark.usefixtures("kubectl")
def test_the_fields_that_kustomize_expands_by_default_are_expanded(package: Path) -> None:
    of_kinds = [
        f"apiVersion: {kind.rpartition('/')[0]}\nkind: {kind.rpartition('/')[2]}\n"
        f"metadata: {{name: web, {_METADATA}}}\nspec: {spec}\n"
        for kind, spec in KINDS.items()
    ]
    write(package, {"base/web.yaml": "---\n".join(of_kinds)})
    printed, code = run(package, COMPARE)
    assert (re.findall("^[^[].*", printed, re.MULTILINE), code) == ([], 0)
    # Not for want of references: kustomize leaves some, and has expanded the others.
    left = re.findall(r"\$\(DB_HOST\)", run(package, "kubectl kustomize vars")[0])
    assert 0 < len(left) < "".join(of_kinds).count("$(DB_HOST)") / 2


@pytest.mark.e2e
@pytest.mark.usefixtures("kustomize")
@pytest.mark.parametrize(
    "source", ["{name: db}", "{name: prod-db}", "{name: eu-prod-db}", "{name: db, namespace: shop}"]
)
def test_a_transformer_finds_an_object_by_each_name_that_it_had(source: str, package: Path) -> None:
    transformer = next(
        example.files["prod/expand-vars.yaml"]
        for example in EXAMPLES["Names, prefixes, hashes"]
        if "prod/expand-vars.yaml" in example.files
    ).partition("  - name: DB_HOST")[0]
    objref = source.replace("{", "{apiVersion: v1, kind: Service, ")
    write(
        package,
        {
            "base/kustomization.yaml": "resources: [db.yaml, web.yaml]\n",
            "base/web.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{args: [$(DB)]}]}\n",
            "prod/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\nnamespace: shop\n",
            "eu/kustomization.yaml": "resources: [../prod]\nnamePrefix: eu-\ntransformers: [expand-vars.yaml]\n",
            "eu/expand-vars.yaml": f"{transformer}  - {{name: DB, objref: {objref}}}\n",
        },
    )
    assert run(package, BUILD.format("eu")) == ("  - args:\n    - eu-prod-db\n", 0)
