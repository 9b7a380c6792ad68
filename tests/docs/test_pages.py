"""Every page: its blocks have tests, its links and all citations of its headings lead somewhere."""

from __future__ import annotations

import importlib
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.pages import ROOT, Page, anchor, names, paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PAGES = names()
assert len(PAGES) > 10, "the pages were not found"
# A heading that is cited may stand on two lines, each with the margin of a comment or a docstring. Several may follow.
CITATION = re.compile(r'docs/((?:[\w-]+/)?[\w-]+)\.md((?:(?:,| and|, and)[\s#]+"[^"]+")*)')
# The pages of rules, and their headings that no module has: examples, and what other programs do.
RULES = ("expansion", "functionconfig", "runs-in-place", "generated-resources", "merge", "packages", "lossless-yaml")
WITHOUT_CODE = {
    "In the file, in the container",
    "In a program of your own",
    "Updates",
    "What nobody can keep",
    "Beside kpt pkg update",
    "Where kyaml gives another answer",
    "Where kubectl gives another answer",
}
ABOUT = re.compile(r"# .+\n\n\*Programs?: (`expand-vars`|`krm`|`expand-vars`, `krm`|one of your own, .*`krm`)\*\n\n")
CITING = ("fn", "tests", "scripts", "examples", "docs", ".ci", "Makefile", "Dockerfile", "pyproject.toml", "*.md")


@pytest.mark.parametrize("name", PAGES)
def test_every_block_has_a_test(name: str) -> None:
    """The tests of a page are in one module, and `TESTED` says of which blocks: a new block is noticed."""
    languages = Page(name).languages()
    if languages:
        module = importlib.import_module(f"tests.docs.test_{name.lower().replace('-', '_')}")
        assert languages == module.TESTED


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    page = Page(name)
    for target, heading in re.findall(r"\]\((?!https?:)([^#)]*)#?([^)]*)\)", page.text):
        path = page.linked(target)
        assert path.exists(), target
        assert not heading or heading in anchors(path.stem), f"{target}#{heading}"


@pytest.mark.parametrize("name", [name for name in PAGES if name != "README"])
def test_each_page_says_at_its_top_which_program_it_is_about(name: str) -> None:
    assert ABOUT.match(Page(name).text)


def test_every_page_is_found_from_the_readme() -> None:
    found, new = {"README"}, ["README"]
    while new:
        page = Page(new.pop())
        linked = {page.linked(target) for target in re.findall(r"\]\(([\w./-]+\.md)", page.text)}
        unseen = {path.stem for path in linked if path in paths().values()} - found
        found |= unseen
        new += unseen
    assert found == {*PAGES}


def anchors(name: str) -> list[str]:
    return [anchor(heading) for heading in Page(name).sections()]


def test_every_heading_that_is_cited_is_there() -> None:
    headings = {
        f"{path.parent.name}/{name}": Page(name).sections().keys() for name, path in paths().items() if name != "README"
    }
    cited = [*citations(texts().values())]
    assert {(name, heading) for name, heading in cited if heading and heading not in headings.get(name, ())} == set()
    assert {name for name, _ in cited} <= headings.keys()


def citations(listed: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each page that some texts cite, with the heading, or with an empty text."""
    for name, headings in (found for text in listed for found in CITATION.findall(text)):
        for heading in re.findall('"([^"]+)"', headings) or [""]:
            yield name, re.sub(r"\s+(?:#\s+)?", " ", heading)


def test_every_heading_of_a_rule_leads_to_its_code() -> None:
    """A search for the heading in `fn` finds the modules that have the rule."""
    cited = {*citations(text for path, text in texts().items() if path.startswith("fn/"))}
    rules = {(f"reference/{name}", heading) for name in RULES for heading in [*Page(name).sections()][1:]}
    assert {heading for page, heading in rules if (page, heading) not in cited} == WITHOUT_CODE


def texts() -> dict[str, str]:
    """Return the text of each file of the project in which a page may be cited, by its path."""
    listed = subprocess.run(["git", "ls-files", *CITING], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [path for path in listed.stdout.splitlines() if (ROOT / path).is_file()]
    return {path: (ROOT / path).read_text() for path in paths}


def test_the_pages_stay_short() -> None:
    """Words are counted as `wc -w` counts them, the marks of tables too."""
    words = {path: len(path.read_text().split()) for path in paths().values()}
    assert sum(number for path, number in words.items() if path.parent.name != "reference") <= 15_000
    assert sum(words.values()) < 42_000
    assert len(Page("sdk").text.splitlines()) <= 350
