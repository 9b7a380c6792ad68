"""What is wanted of one text so that it says what another does, as simple as a merge of two can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from krm.yamltree import nodes, parser, sameness
from krm.yamltree.editor import Editor
from krm.yamltree.nodes import Alias, Collection, Mapping, Node, Scalar, Sequence, resolved
from krm.yamltree.partners import partner_numbers
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, in_its_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.target import Target


def amended(local: str, update: str, *, json: bool = False) -> str:
    """Return `local`, amended to say what `update` does."""
    editor = Editor(local, json=json)
    editor.amend((), difference(editor.document.root, update))
    return editor.text


def difference(local: Node | None, update: str, path: tuple[str | int, ...] = ()) -> Target:
    """Return what is wanted of `local` for it to be what `update` is at `path`."""
    root = parser.parse(update).root
    assert root is not None
    parent = nodes.at(root, *path[:-1]) if path else None
    node = nodes.written_at(root, path)
    assert node is not None
    return _wanted(local, Graft(update, parent if isinstance(parent, Collection) else None, node))


def _wanted(local: Node | None, update: Graft) -> Target:
    if local is not None and sameness.same_data(local, update.node):
        return local
    if isinstance(local, Mapping) and isinstance(update.node, Mapping) and local.is_plain():
        return _mapping(local, update.node, update.text)
    if isinstance(local, Sequence) and isinstance(update.node, Sequence):
        return _sequence(local, update.node, update.text)
    return update


def _mapping(local: Mapping, update: Mapping, text: str) -> AmendedMapping:
    """Take the entries that both have, in local's order, and each new one behind the one before it in `update`."""
    entries = {key: local.get(key) for key in _in_order(local, update)}
    grafts = {
        key: Graft(text, update if update.entries.get(key) is value else None, value) for key, value in update.items()
    }
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
    pairs: dict[int, Node] = {}
    for is_pair in (sameness.same_data, _have_one_name, _are_of_one_kind):
        for index, kid in enumerate(update.kids):
            found = next((node for node in local.kids if is_pair(node, kid) and node not in pairs.values()), None)
            if index not in pairs and found is not None:
                pairs[index] = found
    # A scalar that gives way to another keeps its comment.
    for index, number in enumerate(partner_numbers(local.kids, update.kids)):
        there = None if number is None else local.kids[number]
        if index not in pairs and isinstance(there, Scalar) and there not in pairs.values():
            pairs[index] = there
    grafts = [Graft(text, update, kid) for kid in update.kids]
    wanted = [in_its_place(pairs.get(index), _wanted(pairs.get(index), graft)) for index, graft in enumerate(grafts)]
    return AmendedSequence(local, wanted)


def kept(wanted: Target) -> Iterator[Node]:
    """Yield the nodes of the text itself that are to stay as they are."""
    if isinstance(wanted, AmendedMapping | AmendedSequence):
        for below in wanted.entries.values() if isinstance(wanted, AmendedMapping) else wanted.elements:
            yield from kept(below)
    elif isinstance(wanted, Scalar | Alias | Collection):
        yield wanted


def _have_one_name(node: Node, kid: Node) -> bool:
    if isinstance(node, Alias) or not isinstance(node, Mapping) or not isinstance(kid, Mapping):
        return False
    return node.entries.get("name") is not None and sameness.same_data(resolved(node.get("name")), kid.get("name"))


def _are_of_one_kind(node: Node, kid: Node) -> bool:
    return isinstance(node, Collection) and type(node) is type(kid)
