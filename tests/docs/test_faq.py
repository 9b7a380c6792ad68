"""docs/guides/faq.md is true: its example is run, and the results and states that it names are those of the code."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from expand_vars import pipeline
from tests.pages import Page, config, quoted, reason_rows, resource, resources
from tests.process import FILTER, KRM, ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("faq")
TESTED = {"How do I set image tags": "yaml"}
REASONS = {quoted(row[1])[0] for row in reason_rows()}
STATES = {quoted(row[0])[0] for row in Page("expansion").tables("Explain")[0]}


def test_an_image_is_set() -> None:
    (block,) = PAGE.blocks("How do I set image tags")
    given = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: web\n    image: web:$(TAG)\n"
    output = pipeline.run(given, resource(block.text))
    assert (output.text, output.results) == (given.replace("$(TAG)", "1.10"), [])


def test_what_ends_with_a_fatal_python_error_and_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    directory = os.open(tmp_path, os.O_RDONLY)
    done = subprocess.run(FILTER, stdin=directory, capture_output=True, check=False, cwd=ROOT)
    os.close(directory)
    assert done.stderr.startswith(b"Fatal Python error")
    command = f"{shlex.join(KRM)} source {tmp_path} | {shlex.join(FILTER)}"
    piped = subprocess.run(["bash", "-c", command], capture_output=True, check=False, cwd=ROOT)
    assert (piped.stdout.count(b"kind: Pod"), piped.returncode) == (1, 0)


@pytest.mark.parametrize("section", ["My variable is not expanded", "My value does not change"])
def test_what_it_names_is_there(section: str) -> None:
    named = {word for row in PAGE.tables(section)[0] for word in quoted(row[0])}
    assert named <= REASONS | STATES
    assert named


def test_the_annotation_rolls_no_pods() -> None:
    given = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
        "spec: {template: {spec: {containers: [{name: web, args: [$(REGION)]}]}}}\n"
    )
    text = pipeline.run(given, config("record: Always"), [("REGION", "eu")]).text
    (made,) = resources(text)
    assert "# expand: spec: " in text
    assert made.get("spec") == {"template": {"spec": {"containers": [{"name": "web", "args": ["eu"]}]}}}
