"""Local, as a merge with what is generated sees it: templates in the fields that the kubelet expands, as there."""

from __future__ import annotations

import re

from krm.references import comments
from krm.references import memory as references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.workloads import PodSpecs
    from krm.yamltree.nodes import Scalar


# One that stands behind its value, of a key or an element in one line.
_BEHIND = re.compile(
    r"""^( *+(?:(?:- ++)++(?:[\w./-]++: ++)?+|[\w./-]++: ++))"""
    r"""(?:"[^"\\\n]*+"|'[^'\n]*+'|[^\s"'\[\]{}|>&*!%@`#,?][^ #\n]*+(?: ++[^ #\n]++)*+)"""
    rf""" +{comments.MARK} *(\S.*)$""",
    re.MULTILINE,
)
_BLOCK = re.compile(r"[|>][-+0-9]*[ \t]*$", re.MULTILINE)


class Local:
    """The templates of an item in the fields that the kubelet expands."""

    def __init__(self, shown: dict[Place, Scalar], secrets: Collection[Place], sources: Collection[str]) -> None:
        self.shown = shown
        self.secrets = secrets
        self._sources = sources

    def move(self, item: Resource, places: dict[Place, Place]) -> None:
        """Take the comments away that stand at other fields than before the merge, or whose template gave way."""
        there = {place[:length] for place in places.values() for length in range(1, len(place) + 1)}
        found = comments.read(item.editor.text, item.root).references
        item.splice([one.removal for one in found if one.place not in there and one.source in self._sources])


def unrendered(text: str) -> str:
    """Return a text with the templates that stand behind their values in the place of these. It says no more of others.

    In a block of text no comment is one: with a block, nothing is told.
    """
    return text if comments.MARK not in text or _BLOCK.search(text) else _BEHIND.sub(r"\1\2", text)


def memory(pod_specs: PodSpecs, is_secret: Callable[[str], bool]) -> Callable[[Resource], Local | None]:
    """Return a function that returns the templates of an item, None where it has none."""

    def remembered(item: Resource) -> Local | None:
        found = references.read(item, lambda _: False)
        if found is None or not found.fields:
            return None
        shown = {place: one for place, one in found.shown.items() if pod_specs.is_expanded(item, place)}
        secret = [field.place for field in found.fields.values() if any(map(is_secret, field.names))]
        return Local(shown, secret, {found.fields[place].reference.source for place in shown})

    return remembered
