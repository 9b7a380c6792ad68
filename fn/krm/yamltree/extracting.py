"""A collection of a text as a document of its own, as it is written there, with what aliases show written out."""

from __future__ import annotations

from krm.yamltree import aliases, lines, parser, proof, style
from krm.yamltree.draft import collection
from krm.yamltree.editor import Editor
from krm.yamltree.edits import Edit
from krm.yamltree.excerpts import Excerpts
from krm.yamltree.nodes import Alias, Mapping, Sequence
from krm.yamltree.parser import ParseError
from krm.yamltree.places import NotSpliceable
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.draft import Draft, Path
    from krm.yamltree.nodes import Node


def document(draft: Draft, path: Path) -> str:
    """Return the mapping or list at `path`, below the root, as a document with its comments; the draft stays as it is.

    Its lines end in LF. Where it cannot be taken as it is written, it is written anew, without comments. EditError
    where neither works.
    """
    alone = Editor(draft.text, json=draft.json, document=draft.document)
    _write_out(alone, path)
    parent, node = alone.at(path)
    if not isinstance(node, Mapping | Sequence):
        raise KeyError(path)
    try:
        text = _joined(Excerpts(alone.text, [*_anchors(alone.text, node)]).alone(collection(parent), node))
        found = parser.parse(text)
        if proof.same_data(node, found.root) and not found.aliases:
            return text
    except (NotSpliceable, ParseError):
        pass
    return _joined(style.block(alone.copy(node, "it has "), Layout()))


def _joined(found: list[str]) -> str:
    return "".join(f"{line}\n" for line in found)


def _write_out(alone: Editor, path: Path) -> None:
    """Write what aliases and merge keys show at `path` and below where they show it."""
    while (place := aliases.shown(alone.document.root, path)) is not None:
        alone.write_copy(place)
    while alone.document.shares and (place := next(_sharing(path, alone.at(path)[1]), None)) is not None:
        node = alone.at(place)[1]
        if isinstance(node, Mapping):
            for key in [key for key, _ in node.items() if node.own(key) is None]:
                alone.write_copy((*place, key))
            alone.delete((*place, "<<"))
        else:
            alone.write_copy(place)


def _sharing(path: Path, node: Node) -> Iterator[Path]:
    """Yield where there are aliases, and mappings that merge others in, at `path` and below."""
    if isinstance(node, Alias) or (isinstance(node, Mapping) and node.merge_key() is not None):
        yield path
    elif isinstance(node, Mapping):
        for key, value in node.pairs():
            if key.value is not None:
                yield from _sharing((*path, key.value), value)
    elif isinstance(node, Sequence):
        for index, element in enumerate(node.kids):
            yield from _sharing((*path, index), element)


def _anchors(text: str, node: Mapping | Sequence) -> Iterator[Edit]:
    """Yield the edits that take the anchors below `node` away: in another text they could be taken for others."""
    for kid in node.kids:
        if kid.anchor is not None:
            start = text.index(f"&{kid.anchor}", kid.start)
            end = start + len(f"&{kid.anchor}")
            behind = lines.past_blanks(text, end)
            is_last = behind == lines.line_end(text, behind)
            yield Edit(len(text[:start].rstrip(" \t")), end, "") if is_last else Edit(start, behind, "")
        if isinstance(kid, Mapping | Sequence):
            yield from _anchors(text, kid)
