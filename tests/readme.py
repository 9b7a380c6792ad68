"""A page's sections, code blocks and tables; what the README's reference must be; and resources out of texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from expand_vars.functionconfig import schema
from expand_vars.functionconfig.values import written
from krm import resourcelist
from krm.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


class Block(NamedTuple):
    """A code block, and what of its section stands above it."""

    language: str
    text: str
    above: str


def sections(page: Path = README) -> dict[str, str]:
    """Return the text of each section by its heading: the empty line below tells it from a comment in a block."""
    _, *parts = re.split(r"^#{1,3} (.+)\n(?=\n)", page.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def blocks(section: str, page: Path = README) -> list[Block]:
    """Return the code blocks of a section."""
    text = sections(page)[section]
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(match[1] or "text", match[2], text[: match.start()]) for match in found]


def tables(section: str, page: Path = README) -> list[list[list[str]]]:
    """Return the tables of a section, as the cells of their rows, the headings left out."""
    found = re.findall(r"(?:^\|.*\|\n)+", sections(page)[section], re.MULTILINE)
    return [[[cell.strip() for cell in row[1:-1].split("|")] for row in text.splitlines()[2:]] for text in found]


def quoted(cell: str) -> list[str]:
    """Return what stands in backticks."""
    return re.findall(r"`([^`]*)`", cell)


def config(spec: str = "") -> Resource:
    """Return an ExpandVars with this `spec`, as a flow mapping."""
    return resource(f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nspec: {{{spec}}}\n")


def resource(text: str) -> Resource:
    """Return the one resource of a text."""
    return Resource(text, (0, len(text)), "the README")


def resources(text: str) -> Sequence[Resource]:
    """Return the resources of a text."""
    return resourcelist.read(text).items


def as_list(text: str) -> str:
    """Return the ResourceList of one resource."""
    return "kind: ResourceList\nitems:\n- " + text.replace("\n", "\n  ").rstrip(" ")


class Reference:
    """The tables of the fields that the schema knows."""

    def __init__(self) -> None:
        self._schema = json.loads(schema.text())

    def of_spec(self) -> str:
        """Return the table of the fields of `spec`."""
        return self._table(self._schema["properties"]["spec"])

    def of_selector(self) -> str:
        """Return the table of the fields of a selector, below the sentence about them."""
        selector = self._schema["$defs"]["selector"]
        return f"A *selector* {selector['description'].replace('Matches', 'matches', 1)}\n\n{self._table(selector)}"

    def _table(self, mapping: dict[str, Any]) -> str:
        rows = [["field", "is", "default", ""], ["---"] * 4, *self._rows(mapping, "")]
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def _rows(self, mapping: dict[str, Any], above: str) -> Iterator[list[str]]:
        for key, named in mapping["properties"].items():
            field = self._resolved(named)
            inner = self._resolved(field.get("items", field))
            name = f"**`{above}{key}`**" if key in mapping.get("required", ()) else f"`{above}{key}`"
            default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
            yield [name, self._kind(field), default, field["description"] + _alternatives(inner)]
            if "properties" in inner:
                yield from self._rows(inner, f"{above}{key}{'[*]' if 'items' in field else ''}.")

    def _resolved(self, field: dict[str, Any]) -> dict[str, Any]:
        """Return a field with what its reference says, but for what it says itself."""
        name = field.get("$ref", "").rpartition("/")[2]
        return (self._resolved(self._schema["$defs"][name]) if name else {}) | field

    def _kind(self, field: dict[str, Any]) -> str:
        """Return what a field holds, in words."""
        if field.get("$ref") == "#/$defs/selectors":
            return "*selector*, list of selectors"
        if "enum" in field:
            return ", ".join(f"`{word}`" for word in map(written, field["enum"]))
        if "items" in field:
            elements = self._resolved(field["items"])
            return f"list of {self._kind(elements)}{'' if 'enum' in elements else 's'}"
        kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
        return ", ".join("mapping" if kind == "object" else kind for kind in kinds)


def _alternatives(field: dict[str, Any]) -> str:
    names = [f"`{one['required'][0]}`" for one in field.get("oneOf", ())]
    return f" Exactly one of {', '.join(names[:-1])} and {names[-1]}." if names else ""
