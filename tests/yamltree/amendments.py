"""What is wanted of one text so that it says what another does, as simple as a merge of two can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fn.yamltree import aliases, parser, proof
from fn.yamltree.amending import amend
from fn.yamltree.editor import Editor
from fn.yamltree.nodes import Alias, Collection, Mapping, Node, Sequence, resolved
from fn.yamltree.wanted import AmendedMapping, AmendedSequence, Graft

if TYPE_CHECKING:
    from fn.yamltree.wanted import Wanted


def amended(local: str, update: str, *, json: bool = False) -> str:
    """Return `local`, amended to say what `update` does."""
    editor = Editor(local, json=json)
    amend(editor, (), difference(editor.document.root, update))
    return editor.text


def difference(local: Node | None, update: str, path: tuple[str | int, ...] = ()) -> Wanted:
    """Return what is wanted of `local` for it to be what `update` is at `path`."""
    root = parser.parse(update).root
    assert root is not None
    parent = aliases.read(root, path[:-1]) if path else None
    node = aliases.at(root, path)
    assert node is not None
    return _wanted(local, Graft(update, parent if isinstance(parent, Collection) else None, node))


def _wanted(local: Node | None, update: Graft) -> Wanted:
    if local is not None and proof.same_data(local, update.node):
        return local
    if isinstance(local, Mapping) and isinstance(update.node, Mapping) and local.is_plain():
        return _mapping(local, update.node, update.text)
    if isinstance(local, Sequence) and isinstance(update.node, Sequence):
        return _sequence(local, update.node, update.text)
    return update


def _mapping(local: Mapping, update: Mapping, text: str) -> AmendedMapping:
    """Take the entries that both have, in local's order, and each new one behind the one before it in `update`."""
    entries = {key: local.get(key) for key in _in_order(local, update)}
    grafts = {key: Graft(text, update if update.own(key) is value else None, value) for key, value in update.items()}
    return AmendedMapping(local, {key: _wanted(there, grafts[key]) for key, there in entries.items()})


def _in_order(local: Mapping, update: Mapping) -> list[str]:
    keys = [key for key in dict(local.items()) if update.get(key) is not None]
    behind = 0
    for key in dict(update.items()):
        if key in keys:
            behind = keys.index(key) + 1
        else:
            keys.insert(behind, key)
            behind += 1
    return keys


def _sequence(local: Sequence, update: Sequence, text: str) -> AmendedSequence:
    """Take the elements that both have, by their name or as they are, in the order of `update`."""
    left = list(local.kids)
    elements: list[Wanted] = []
    for kid in update.kids:
        found = next((node for node in left if proof.same_data(node, kid)), None)
        found = found or next((node for node in left if _have_one_name(node, kid)), None)
        if found is not None:
            left.remove(found)
        elements.append(_wanted(found, Graft(text, update, kid)))
    return AmendedSequence(local, elements)


def _have_one_name(node: Node, kid: Node) -> bool:
    if isinstance(node, Alias) or not isinstance(node, Mapping) or not isinstance(kid, Mapping):
        return False
    return node.get("name") is not None and proof.same_data(resolved(node.get("name")), kid.get("name"))
