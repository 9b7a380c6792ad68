"""The pages of the documentation, their sections, code blocks and tables; and resources out of texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from krm import resourcelist
from krm.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


class Block(NamedTuple):
    """A code block, and what of its section stands above it."""

    language: str
    text: str
    above: str


class Page:
    """A page of the documentation: `README`, or the name of a guide or of a page of the reference."""

    def __init__(self, name: str) -> None:
        self.path = paths()[name]

    @property
    def text(self) -> str:
        return self.path.read_text()

    def sections(self) -> dict[str, str]:
        """Return the text of each section by its heading: the empty line below tells it from a comment in a block."""
        _, *parts = re.split(r"^#{1,3} (.+)\n(?=\n)", self.text, flags=re.MULTILINE)
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def blocks(self, section: str) -> list[Block]:
        """Return the code blocks of a section."""
        text = self.sections()[section]
        found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        return [Block(match[1] or "text", match[2], text[: match.start()]) for match in found]

    def tables(self, section: str) -> list[list[list[str]]]:
        """Return the tables of a section, as the cells of their rows, the headings left out."""
        found = re.findall(r"(?:^\|.*\|\n)+", self.sections()[section], re.MULTILINE)
        return [[[cell.strip() for cell in row[1:-1].split("|")] for row in text.splitlines()[2:]] for text in found]

    def linked(self, target: str) -> Path:
        """Return the file that a link of this page leads to."""
        return (self.path.parent / target).resolve() if target else self.path

    def languages(self) -> dict[str, str]:
        """Return the languages of the code blocks of each section that has any."""
        found = {name: " ".join(block.language for block in self.blocks(name)) for name in self.sections()}
        return {name: languages for name, languages in found.items() if languages}


def paths() -> dict[str, Path]:
    """Return the file of each page, by its name."""
    return {path.stem: path for path in [README, *sorted((ROOT / "docs").glob("*/*.md"))]}


def names() -> list[str]:
    """Return the names of all pages."""
    return [*paths()]


def reason_rows() -> list[list[str]]:
    """Return the rows of the tables of reasons, each behind its severity."""
    severities = ("error", "warning", "warning, or as `unresolved` says", "info")
    tables = zip(severities, Page("results").tables("Results"), strict=True)
    return [[severity, *row] for severity, rows in tables for row in rows]


def anchor(heading: str) -> str:
    """Return what a link to a heading ends in."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def quoted(cell: str) -> list[str]:
    """Return what stands in backticks."""
    return re.findall(r"`([^`]*)`", cell)


def config(spec: str = "") -> Resource:
    """Return an ExpandVars with this `spec`, as a flow mapping."""
    return resource(f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nspec: {{{spec}}}\n")


def resource(text: str) -> Resource:
    """Return the one resource of a text."""
    return Resource(text, (0, len(text)), "the page")


def resources(text: str) -> Sequence[Resource]:
    """Return the resources of a text."""
    return resourcelist.read(text).items


def as_list(text: str) -> str:
    """Return the ResourceList of one resource."""
    return "kind: ResourceList\nitems:\n- " + text.replace("\n", "\n  ").rstrip(" ")
