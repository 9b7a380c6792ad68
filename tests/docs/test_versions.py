"""docs/reference/versions.md is true: what it says of names and versions is what the project builds and tests."""

from __future__ import annotations

import re

from tests.pages import ROOT, Page, names

PAGE = Page("versions")
TESTED = {"Releases": "sh"}
UNPUBLISHED = "Nothing is published yet"
# What works only where something is published: the package by its name, a tag of this repository, a pull of the image.
PUBLISHED = re.compile(r"pipx? install (?:-\S+ )*krm-expand-vars|docker pull \S+expand-vars|\brev: v\d|uses: \S+vars@v")
# Each of these pages says above it what to take in a clone.
IN_BLOCKS = {"sdk", "eval", "gitops", "scale"}


def test_the_image_is_the_one_that_is_built() -> None:
    (block,) = PAGE.blocks("Releases")
    (name,) = re.findall("^NAME := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert block.text.startswith(f"docker pull {name}@sha256:DIGEST\ngh attestation verify oci://{name}@sha256:DIGEST ")
    assert f"docker pull {name}:v0.1`" in PAGE.text


def test_what_is_published_is_what_the_changes_say() -> None:
    """A release takes the sentence out of three files, or this fails."""
    is_released = "\nNot released yet.\n" not in (ROOT / "CHANGELOG.md").read_text()
    for text in (Page("README").sections()["Install"], PAGE.sections()["Published forms"]):
        assert (UNPUBLISHED in text) is not is_released


def test_the_lines_for_published_forms_stand_in_one_place() -> None:
    assert {name for name in names() if PUBLISHED.search(Page(name).text)} == {"versions", *IN_BLOCKS}
    for name in IN_BLOCKS:
        before = Page(name).text[: PUBLISHED.search(Page(name).text).start()]  # type: ignore[union-attr]
        assert "versions.md#published-forms)" in before


def test_every_page_that_names_the_image_says_how_to_build_it() -> None:
    pages = [Page(name).path for name in names()] + [*ROOT.glob("examples/*/README.md")]
    naming = [path for path in pages if "ghcr.io/expand-vars" in path.read_text()]
    assert len(naming) > 4
    assert [path for path in naming if "`make image`" not in path.read_text()] == []


def test_the_lines_of_a_clone_are_those_of_the_readme() -> None:
    *forms, _, _ = PAGE.tables("Published forms")[0]
    assert len(forms) == 3
    assert all(row[2] in Page("README").sections()["Install"] for row in forms)


def test_the_tested_versions_are_those_of_the_tools() -> None:
    shown = {row[0]: row[1] for row in PAGE.tables("Tested platforms")[0]}
    for tool in ("kpt", "kubectl", "kustomize"):
        (version,) = re.findall("^version=v(.*)$", (ROOT / "tests" / "tools" / tool).read_text(), re.MULTILINE)
        assert version == shown[tool]
