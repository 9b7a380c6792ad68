"""An object with a field to expand, and what puts the templates of a text back."""

from __future__ import annotations

from krm import resourcelist
from krm.template_comments import writing

HEAD = "apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n"


def thing(spec: str) -> str:
    """Return an object with the lines of a `spec`."""
    return HEAD + spec


def restored(text: str) -> tuple[str, list[str]]:
    """Return a text with its templates put back, and the reasons of the results."""
    read = resourcelist.read(text)
    found = [result.reason for result in writing.restore(read.items, lambda *_: None)]
    return read.emit().text, found
