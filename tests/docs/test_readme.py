"""The README is true: each of its blocks is run, or is from an example that is; what it tells of the project is so."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from krm.commands.printing import DIFFERS
from scripts import terminal
from tests import process
from tests.pages import ROOT, Block, Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("README")
FACE = "expand-vars"
PICTURE = ROOT / "docs" / "terminal.svg"
TESTED = {
    "expand-vars": "sh diff",
    "Try it": "sh sh",
    "kpt fn eval": "sh sh",
    "kpt fn render": "yaml yaml sh",
    "kustomize fn run": "sh",
    "kustomize build, kubectl kustomize": "yaml yaml sh sh",
    "Tekton": "yaml",
    "A pipe": "sh",
}
RUNS = [block for section in TESTED if section not in (FACE, "Try it") for block in PAGE.blocks(section)]
CONTAINER = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: web, CONTENT}\n"


def test_it_is_read_in_three_minutes() -> None:
    assert len(PAGE.text.splitlines()) <= 250


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """Copy the example that the first screen shows."""
    return shutil.copytree(ROOT / "examples" / "eval", tmp_path / "eval")


def run(command: str, folder: Path) -> process.Answer:
    """Run a command of the page."""
    return process.run(*command.split()[1:], stdin=b"", folder=folder)


def test_the_first_command_prints_the_difference(example: Path) -> None:
    command, shown = PAGE.blocks(FACE)
    printed = "--- a/deploy.yaml\n+++ b/deploy.yaml\n" + shown.text + "changed  deploy.yaml  +2 -2\n1 changed\n"
    assert run(command.text, example) == (printed.encode(), "", 0)


def test_restore_puts_it_back(example: Path) -> None:
    before = (example / "deploy.yaml").read_bytes()
    run(PAGE.blocks(FACE)[0].text, example)
    assert run("expand-vars eval . --restore", example).code == 0
    assert (example / "deploy.yaml").read_bytes() == before


def test_the_first_commands_of_a_newcomer_write_nothing(example: Path) -> None:
    before = (example / "deploy.yaml").read_bytes()
    _, check, explain = PAGE.blocks("Try it")[0].text.splitlines()
    checked, explained = run(check, example), run(explain, example)
    assert checked.code == DIFFERS
    assert '+        image: "storefront:1.27"  # expand: "storefront:$(TAG)"\n' in checked.stdout.decode()
    assert explained.code == 0
    assert "variable `TAG` of the command line\n" in explained.stdout.decode()
    assert (example / "deploy.yaml").read_bytes() == before


def test_the_picture_is_what_a_terminal_shows() -> None:
    """`UPDATE=1` draws it, as `make terminal` does."""
    drawn = terminal.picture()
    if "UPDATE" in os.environ:
        PICTURE.write_text(drawn)
    assert PICTURE.read_text() == drawn
    assert re.findall(r"(?:href|src|url)=?[\"'(]+(?!#)", drawn) == [], "it needs nothing from elsewhere"


def test_the_two_commands_do_their_own_set_up() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = [command.split()[1] for command in PAGE.blocks("Try it")[1].text.splitlines()]
    for target, made in zip(targets, ("$(DEMO)/made", "venv"), strict=True):
        assert f"\n{target}: {made} " in makefile
    assert "\nvenv: .venv/made " in makefile
    for made in ("$(DEMO)/made", ".venv/made"):
        (recipe,) = re.findall(rf"^{re.escape(made)}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
        assert re.search(r"-m venv .*pip install ", recipe, re.DOTALL)


def test_the_demo_is_that_example() -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not on this machine")
    # In the environment that this runs in. tests/e2e/test_distribution.py makes that of the demo.
    command = ["make", "--silent", f"DEMO={sys.prefix}", f"--old-file={sys.prefix}/made", "demo"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"```yaml\n{done.stdout}```" in (ROOT / "examples" / "pipe" / "README.md").read_text()


@pytest.mark.parametrize("block", RUNS, ids=lambda block: block.text.splitlines()[0].strip())
def test_how_to_use_it_is_from_an_example(block: Block) -> None:
    """The examples' own READMEs are run under the orchestrators: tests/e2e/test_examples.py."""
    example = ROOT / re.findall(r"\]\((examples/[\w-]+)\)", block.above)[-1]
    shown = f"```sh\n{block.text}```" if block.language == "sh" else block.text
    assert any(shown in path.read_text() for path in example.rglob("*") if path.is_file())


def test_the_steps_of_kpt_and_kustomize_are_those_of_the_examples() -> None:
    commands = ("kpt fn render", "kustomize fn run", "kubectl kustomize", "kustomize build")
    readmes = "".join(path.read_text() for path in ROOT.glob("examples/*/README.md"))
    assert all(f"\n{command}" in readmes for command in commands)


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


REPLACED = {
    "pod.yaml": "# why\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web}]}\n",
    "kustomization.yaml": """\
resources: [pod.yaml]
replacements:
- source: {kind: Pod, name: web, fieldPath: PATH}
  targets: [{select: {kind: Pod}, fieldPaths: ["spec.containers.[name=web].image"], options: {create: true}}]
""",
}


@pytest.mark.e2e
def test_how_replacements_compare(kustomize: str, tmp_path: Path) -> None:
    def build(field_path: str) -> subprocess.CompletedProcess[str]:
        for name, text in REPLACED.items():
            (tmp_path / name).write_text(text.replace("PATH", field_path))
        return subprocess.run([kustomize, "build", str(tmp_path)], capture_output=True, text=True, check=False)

    built = build("metadata.name")
    assert yaml.safe_load(built.stdout)["spec"]["containers"][0]["image"] == "web"
    assert "# why" not in built.stdout
    assert build("metadata.labels.none").returncode == 1


def test_the_first_command_is_run_twice_with_other_values(example: Path) -> None:
    """The second run's values are in the file, whoever gave the first ones."""
    command = PAGE.blocks(FACE)[0].text
    for region in ("eu-west-1", "us-east-1", "us-east-1"):
        assert run(command.replace("eu-west-1", region), example).code == 0
        assert f"\n        - --region={region}  # expand" in (example / "deploy.yaml").read_text()


def test_the_line_for_a_ci_fails_of_an_image_that_nobody_declares_and_of_a_file_that_is_not_up_to_date(
    tmp_path: Path,
) -> None:
    (command,) = set(re.findall(r"`expand-vars (eval --check --strict \.)`", PAGE.text))
    config = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: f}\nspec:\n"
    (tmp_path / "vars.yaml").write_text(f"{config}  variables: [{{name: TAGS, value: '1.27'}}]\n")
    pod = CONTAINER.replace("CONTENT", 'image: "nginx:$(TAG)", args: ["--tag=$(TAG)"]')
    (tmp_path / "pod.yaml").write_text(pod)
    failed = process.run(*command.split(), stdin=b"", folder=tmp_path)
    assert failed.code == 1
    assert "[error] pod.yaml:5: v1/Pod spec.containers[name=web].image: no variable defines `$(TAG)`" in failed.stderr
    (tmp_path / "vars.yaml").write_text(f"{config}  variables: [{{name: TAG, value: '1.27'}}]\n")
    assert process.run(*command.split(), stdin=b"", folder=tmp_path).code == 3
    assert process.run("eval", ".", stdin=b"", folder=tmp_path).code == 0
    assert process.run(*command.split(), stdin=b"", folder=tmp_path).code == 0
