"""A collection of a text as a document of its own, as it is written there, with what aliases show written out."""

from __future__ import annotations

from operator import is_

from krm.yamltree import lines, nodes, parser, sameness, style
from krm.yamltree.editor import Editor
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Alias, Mapping, Sequence, resolved
from krm.yamltree.parser import ParseError
from krm.yamltree.positions import Excerpts, NotSpliceable
from krm.yamltree.style import Layout
from krm.yamltree.target import AmendedMapping, AmendedSequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krm.yamltree.nodes import Node, Place
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target


_SHOWN = "what an alias shows here has"


def document(editor: Editor, place: Place) -> str:
    """Return the mapping or list at `place`, below the root, as a document with its comments; the text stays as it is.

    Its lines end in LF. Where it cannot be taken as it is written, its value is written, without comments. EditError
    where neither works.
    """
    from krm.yamltree.outline import is_closed  # noqa: PLC0415 - a run that takes nothing out starts without it

    alone = Editor(editor.text, json=editor.json, document=editor.document)
    node = alone.get(place)
    if not isinstance(node, Mapping | Sequence):
        raise KeyError(place)
    # An alias has no lines of its own to take.
    if nodes.written_at(editor.document.root, place) is not node:
        return _joined(style.block(_value(editor.text, node, _SHOWN), Layout()))
    if editor.document.shares:
        alone.amend(place, _written_out(node, editor.text))
    parent, node = alone.get(place[:-1]), alone.get(place)
    try:
        text = _joined(_excerpt(alone.text, parent, node))
        if is_closed(text):
            return text
        found = parser.parse(text)
        # The lines were moved and their anchors removed: only a parse tells if they still say the same.
        if sameness.same_data(node, found.root) and not found.aliases:
            return text
    except (NotSpliceable, ParseError):
        pass
    return _joined(style.block(_value(alone.text, node), Layout()))


def _excerpt(text: str, parent: Any, node: Any) -> list[str]:  # noqa: ANN401 - two collections, as the place told
    """Return the lines of a collection without the anchors in it."""
    return Excerpts(text, [*_anchors(text, node)]).alone(parent, node)


def _joined(found: list[str]) -> str:
    return "".join(f"{line}\n" for line in found)


def _value(text: str, node: Any, otherwise: str = "it has") -> Value:  # noqa: ANN401 - a node, as the place told
    try:
        return style.as_written(node, text)
    except ValueError as error:
        raise EditError(f"{otherwise} {error}", lines.number(text, node.start)) from None


def _written_out(node: Node, text: str) -> Target:
    """Return `node` with copies in the place of all aliases and merge keys below it."""
    if isinstance(node, Alias):
        return _value(text, resolved(node) or node, _SHOWN)
    if isinstance(node, Mapping):
        merges = node.merge_key() is not None
        entries = {key: _written_out(node.own(key) or value, text) for key, value in node.items()}
        stays = not merges and all(entries[key] is node.own(key) for key in entries)
        return node if stays else AmendedMapping(node, entries, unmerged=merges)
    if isinstance(node, Sequence):
        elements = [_written_out(kid, text) for kid in node.kids]
        stays = all(map(is_, elements, node.kids))
        return node if stays else AmendedSequence(node, elements)
    return node


def _anchors(text: str, node: Mapping | Sequence) -> Iterator[Edit]:
    """Yield the edits that take the anchors below `node` away: in another text they could be taken for others."""
    for kid in node.kids:
        if kid.anchor is not None:
            start = text.index(f"&{kid.anchor}", kid.start)
            end = start + len(f"&{kid.anchor}")
            behind = lines.past_blanks(text, end)
            # `key: &a` is followed by lines, and blanks at the end of a line would be left.
            is_last = behind == lines.line_end(text, behind)
            yield Edit(len(text[:start].rstrip(" \t")), end, "") if is_last else Edit(start, behind, "")
        if isinstance(kid, Mapping | Sequence):
            yield from _anchors(text, kid)
