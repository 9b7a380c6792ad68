"""docs/versions.md is true: what it says of names and versions is what the project builds and tests."""

from __future__ import annotations

import re

from tests.pages import ROOT, Page

PAGE = Page("versions")
TESTED = {"Releases": "sh"}


def test_the_image_is_the_one_that_is_built() -> None:
    (block,) = PAGE.blocks("Releases")
    (name,) = re.findall("^NAME := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert block.text == f"docker pull {name}@sha256:DIGEST\n"
    assert f"docker pull {name}:v0.1`" in Page("README").text


def test_the_tested_versions_are_those_of_the_tools() -> None:
    shown = {row[0]: row[1] for row in PAGE.tables("Tested platforms")[0]}
    for tool in ("kpt", "kustomize"):
        (version,) = re.findall("^version=v(.*)$", (ROOT / "tests" / "tools" / tool).read_text(), re.MULTILINE)
        assert version in shown[tool]
