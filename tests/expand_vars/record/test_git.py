"""Branches that plain git merges: a record merges with its fields, and the next run goes on from there."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import pipeline
from krm.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEAD = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: shop}\nspec:\n"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.25
        args:
        - --region=$(REGION)
        - --tag=$(TAG)
        ports:
        - containerPort: 80
"""


def config(values: dict[str, str], template: str = "") -> Resource:
    """Return an ExpandVars with these variables, and a template."""
    variables = [{"name": name, "value": value} for name, value in values.items()]
    text = f"{HEAD}  record: Always\n  variables: {variables}\n"
    if template:
        text += "  templates:\n  - " + template.replace("\n", "\n    ").rstrip(" ")
    return Resource(text, (0, len(text)), "it")


class Repository:
    """One file under git."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "a@example.com")
        self.git("config", "user.name", "a")

    def git(self, *arguments: str) -> int:
        return subprocess.run(["git", *arguments], cwd=self.path, capture_output=True, check=False).returncode

    @property
    def text(self) -> str:
        return (self.path / "a.yaml").read_text()

    def commit(self, text: str) -> None:
        (self.path / "a.yaml").write_text(text)
        assert self.git("add", "-A") == 0
        assert self.git("commit", "-qm", "a") == 0

    def merged(self, base: str, ours: Callable[[str], str], theirs: Callable[[str], str]) -> bool:
        """Let two branches change the file, and merge them; true if git finds no conflict."""
        self.commit(base)
        self.git("checkout", "-qb", "theirs")
        self.commit(theirs(base))
        self.git("checkout", "-q", "main")
        self.commit(ours(base))
        return self.git("merge", "-q", "-m", "a", "theirs") == 0


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def run(text: str, values: dict[str, str], template: str = "") -> str:
    output = pipeline.run(text, config(values, template))
    assert output.text, output.results
    return output.text


EU = {"REGION": "eu", "TAG": "1"}


def container(text: str) -> dict:
    return yaml.safe_load(text)["spec"]["template"]["spec"]["containers"][0]


def test_a_variable_on_one_branch_and_another_field_on_the_other(repository: Repository) -> None:
    is_clean = repository.merged(
        run(DEPLOYMENT, EU),
        lambda text: run(text, EU | {"REGION": "us"}),
        lambda text: text.replace("replicas: 2", "replicas: 3"),
    )
    assert is_clean
    assert container(run(repository.text, {"REGION": "jp", "TAG": "1"}))["args"] == ["--region=jp", "--tag=1"]
    assert "replicas: 3" in repository.text


def test_two_neighbours_of_a_list_on_two_branches(repository: Repository) -> None:
    """Git merges their entries in the record; the fields themselves are beside each other, as in any other file."""
    apart = DEPLOYMENT.replace("        - --tag", "        - --quiet\n        - --tag")
    is_clean = repository.merged(
        run(apart, EU),
        lambda text: run(text, EU | {"REGION": "us"}),
        lambda text: run(text, EU | {"TAG": "2"}),
    )
    assert is_clean
    assert container(repository.text)["args"] == ["--region=us", "--quiet", "--tag=2"]
    assert container(run(repository.text, {"REGION": "jp", "TAG": "3"}))["args"] == [
        "--region=jp",
        "--quiet",
        "--tag=3",
    ]


@pytest.mark.parametrize(("side", "region"), [("ours", "us"), ("theirs", "uk")])
def test_one_variable_on_both_branches_is_a_conflict_that_a_person_resolves(
    repository: Repository, side: str, region: str
) -> None:
    is_clean = repository.merged(
        run(DEPLOYMENT, EU),
        lambda text: run(text, EU | {"REGION": "us"}),
        lambda text: run(text, EU | {"REGION": "uk"}),
    )
    assert not is_clean
    assert repository.git("checkout", f"--{side}", "a.yaml") == 0
    assert container(repository.text)["args"][0] == f"--region={region}"
    assert container(run(repository.text, {"REGION": "jp", "TAG": "1"}))["args"][0] == "--region=jp"


def test_a_field_and_its_record_resolved_to_different_sides() -> None:
    """The next run says so, and keeps the field."""
    ours, theirs = (run(DEPLOYMENT, EU | {"REGION": region}) for region in ("us", "uk"))
    mixed = ours.replace("--region=us", "--region=uk")
    assert mixed != theirs
    output = pipeline.run(mixed, config({"REGION": "jp", "TAG": "1"}))
    assert container(output.text)["args"] == ["--region=uk", "--tag=1"]
    assert [result.reason for result in output.results] == ["EditedByHand", "UnusedVariable"]


def test_two_fields_of_a_template_on_two_branches(repository: Repository) -> None:
    """The origin merges as the resource does: then a field that is taken out of the template goes."""
    template = DEPLOYMENT.replace("$(REGION)", "eu").replace("$(TAG)", "1")
    changed = template.replace("replicas: 2", "replicas: 3").replace("containerPort: 80", "containerPort: 81")
    is_clean = repository.merged(
        run("", {}, template),
        lambda text: run(text, {}, template.replace("replicas: 2", "replicas: 3")),
        lambda text: run(text, {}, template.replace("containerPort: 80", "containerPort: 81")),
    )
    assert is_clean
    assert run(repository.text, {}, changed) == repository.text
    less = changed.replace("  replicas: 3\n", "")
    assert "replicas" not in run(repository.text, {}, less)


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_one_field_of_a_template_on_both_branches(repository: Repository, side: str) -> None:
    template = DEPLOYMENT.replace("$(REGION)", "eu").replace("$(TAG)", "1")
    is_clean = repository.merged(
        run("", {}, template),
        lambda text: run(text, {}, template.replace("replicas: 2", "replicas: 3")),
        lambda text: run(text, {}, template.replace("replicas: 2", "replicas: 4")),
    )
    assert not is_clean
    assert repository.git("checkout", f"--{side}", "a.yaml") == 0
    assert "\n  replicas: 5\n" in run(repository.text, {}, template.replace("replicas: 2", "replicas: 5"))


def test_markers_that_are_left_in_an_origin_keep_the_edit_of_the_user() -> None:
    template = DEPLOYMENT.replace("$(REGION)", "eu").replace("$(TAG)", "1")
    text = run("", {}, template).replace("\n  replicas: 2", "\n  replicas: 9 # mine")
    damaged = text.replace("      spec:\n", "      <<<<<<< HEAD\n      spec:\n", 1)
    assert damaged != text
    assert "\n  replicas: 9 # mine\n" in run(damaged, {}, template)
