"""`make site`: each page is there and found, no link is dead, and nothing is fetched from elsewhere."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from scripts import website
from tests.pages import ROOT, Page, anchor, names

if TYPE_CHECKING:
    from pathlib import Path

LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "srcset")}


class Html(HTMLParser):
    """What a page of the site leads to, what it loads, its anchors, and how often it has each tag."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.tags: Counter[str] = Counter()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value or "")
            elif (tag, name) in LOADED:
                self.loaded.add(value or "")
            elif (tag, name) == ("a", "href"):
                self.links.add(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("site") / "site"
    website.build(made)
    return made


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Html]:
    return {path.name: Html(path) for path in site.glob("*.html") if path.name != "404.html"}


def test_each_page_is_in_the_site(pages: dict[str, Html]) -> None:
    written = {Page(name).path.relative_to(ROOT) for name in names()}
    assert written - website.PAGES.keys() == set(), "scripts/website.py has a group for each page"
    assert {name.replace(".md", ".html") for name in website.PAGES.values()} == pages.keys()


def test_no_link_is_dead(site: Path, pages: dict[str, Html]) -> None:
    checked = 0
    for name, page in pages.items():
        for link in {one for one in page.links if not re.match(r"\w+:", one)}:
            path, _, heading = link.partition("#")
            target = path.removeprefix("./") or name
            assert (site / target).exists(), f"{name}: {link}"
            if heading and target in pages:
                assert heading in pages[target].anchors, f"{name}: {link}"
                checked += 1
    assert checked > 200


def test_no_page_needs_the_network(site: Path, pages: dict[str, Html]) -> None:
    for name, page in pages.items():
        assert page.loaded, name
        for one in page.loaded:
            assert (site / one.removeprefix("./")).is_file(), f"{name}: {one}"


def test_links_out_of_the_pages_lead_to_files_of_the_repository(pages: dict[str, Html]) -> None:
    start = f"{website.SOURCE}/"
    linked = {link.removeprefix(start) for page in pages.values() for link in page.links if link.startswith(start)}
    found = [re.fullmatch(r"(blob|tree)/main/([^#]*)(#.*)?", link) for link in linked]
    assert len(found) > 20
    for one in found:
        assert one is not None
        assert (ROOT / one[2]).is_dir() is (one[1] == "tree")
        assert (ROOT / one[2]).exists()


@pytest.mark.parametrize("page", website.PAGES, ids=str)
def test_a_page_is_read_as_it_is_meant(page: Path, pages: dict[str, Html]) -> None:
    """Dialects of Markdown differ in what begins a table, a list and a block."""
    text = (ROOT / page).read_text()
    made = pages[website.PAGES[page].replace(".md", ".html")]
    outside, blocks = re.subn(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert made.tags["pre"] == blocks + len(re.findall(r"\n\n(?: {4}.*\n(?:\n(?= {4}))?)+", outside))
    assert made.tags["table"] == len(re.findall(r"^\|[ -:|]*-[ -:|]*\|$", outside, re.MULTILINE))
    headings = [anchor(heading) for heading in re.findall(r"^#{1,4} (.+)$", outside, re.MULTILINE)]
    assert {re.sub(r"_\d+$", "", one) for one in headings} <= made.anchors


def test_the_search_finds_each_section(site: Path, pages: dict[str, Html]) -> None:
    found = json.loads((site / "search.json").read_text())["items"]
    places = {one["location"] for one in found}
    assert {place.partition("#")[0] for place in places} >= pages.keys() - {"index.html"}
    assert "gitops.html#a-branch-that-argo-cd-writes" in places
    assert any("source hydrator" in one["text"] for one in found)
