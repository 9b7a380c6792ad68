"""The origin of an item: what it was generated as the last time, as a side of a merge.

The state has a hash of each field. Where update or local has the value of that hash, the origin has it too: a merge
asks for no more than who still has what was generated. Any other field of the origin is another value than both have.
Where nobody knows what was generated, the origin is what update says: so a merge keeps what a person has.
"""

from __future__ import annotations

from krm import fieldpath
from krm.generation import mirror
from krm.generation.mirror import Mirroring
from krm.merge import trees
from krm.merge.trees import Tree
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.generation.mirror import Mirror
    from krm.generation.state import StateEntry
    from krm.yamltree.nodes import Node

    There: TypeAlias = tuple[Node | None, str | Mirror | None]


_NOTHING = None, None


def tree(entry: StateEntry, fields: Mirror, mirrored: Mirror, side: Tree, *others: Tree) -> Tree:
    """Return the `fields` that the state remembers of a resource, by the values that the sides of its merge have.

    Where the first side, which is `mirrored`, has all that the origin had, the origin is that: a merge sees at once
    that nothing changed. The last side is local. Alone it is compared with the origin: then it has changed what is a
    person's.
    """
    values = _Values(Mirroring(entry.identity), side, *others)
    entries = values.mapping(fields, (), (side.root, mirrored))
    api_version, kind, namespace, name = map(_text, entry.called)
    named: dict[str, Node] = {"name": name, "namespace": namespace} if namespace.value else {"name": name}
    metadata = _mapping(named | trees.entries(entries.get("metadata")))
    return Tree(values.text, _mapping({"apiVersion": api_version, "kind": kind} | entries | {"metadata": metadata}))


class _Values:
    """The values of the sides of a merge, by their paths and hashes. `text` is what those stand in that are shared."""

    def __init__(self, mirroring: Mirroring, side: Tree, *others: Tree) -> None:
        # What an alias shows is told by its name alone: there a copy is compared.
        self.text = "" if "*" in side.text else side.text
        self._mirroring = mirroring
        self._sides = side, *others
        self._has_update = bool(others)
        self._known: dict[tuple[FieldPath, bool, bool], dict[str, Node | None]] = {}

    def _below(self, there: There, path: FieldPath) -> dict[str, There]:
        """Return what the first side has in a collection, by the keys of its mirror."""
        node, found = there
        mirrored = found if isinstance(found, dict) else {}
        return {key: (kid, mirrored.get(key)) for key, _, kid in self._mirroring.parts(node, path)}

    def mapping(self, fields: Mirror, path: FieldPath, there: There) -> dict[str, Node]:
        """Return the nodes of the fields of a mapping; `there` is what the first side has at its place."""
        below = self._below(there, path)
        steps = {mirror.step(key): key for key in fields}
        nodes = {step: self._node(fields[key], (*path, step), below.get(key, _NOTHING)) for step, key in steps.items()}
        return {step: node for step, node in nodes.items() if node is not None}

    def _node(self, value: str | Mirror, path: FieldPath, there: There) -> Node | None:
        """Return the node of a field, None for a person's that update lacks."""
        node, found = there
        # What a person has beside what the template drops is theirs: they keep all of the collection.
        is_theirs = found is None or mirror.is_one_value(value, found)
        if self._has_update and is_theirs and mirror.has_persons(value):
            return node
        # In the metadata there are notes beside what is mirrored.
        if node is not None and value == found and path not in mirror.WITH_NOTES:
            return node if self.text else _apart(node)
        if isinstance(value, str):
            return self._leaf(value, path)
        if not mirror.is_list(value):
            return _mapping(self.mapping(value, path, there))
        below = self._below(there, path)
        elements = (self._element(key, kid, path, below.get(key, _NOTHING)) for key, kid in value.items())
        return _sequence([element for element in elements if element is not None])

    def _element(self, key: str, value: str | Mirror, path: FieldPath, there: There) -> Node | None:
        found = self._node(value, (*path, mirror.element(key)), there)
        name = key.removeprefix("name=")
        if isinstance(found, Mapping) and name != key and found is not there[0]:
            return _mapping(found.entries | {"name": _text(name)})  # type: ignore[arg-type]  # no key of ours is None
        return found

    def _leaf(self, leaf: str, path: FieldPath) -> Node:
        template, written = mirror.template_of(leaf), mirror.written_of(leaf)
        # The element of a list by its name first, as others may have the same text, then any: it may be renamed.
        for place in dict.fromkeys((path, fieldpath.general(path)) if template != leaf else (fieldpath.general(path),)):
            found = self._at(place, is_secret=mirror.is_secret(leaf))
            if template in found:
                return _apart(found[template])
            # What was written counts in local alone, and of several lines it has one hash.
            local = self._at(place, is_local=True) if template != leaf else {}
            for one in (written, written.partition(" ")[0]):
                if one in local:
                    return _apart(local[one])
        # Unknown lines are lines all the same: the text merges with those that the sides still have.
        texts = ((one.split(" "), resolved(node)) for one, node in found.items() if " " in one)
        known = {one: line for hashes, node in texts for one, line in zip(hashes, _lines(node), strict=True)}
        units = zip(template.split(" "), written.split(" "), strict=True)
        lines = [known.get(one) or known.get(other, one) for one, other in units]
        return Scalar(0, 0, "\n".join(lines), "|" if len(lines) > 1 else "", None, trees.HASHED)

    def _at(self, path: FieldPath, *, is_secret: bool = False, is_local: bool = False) -> dict[str, Node | None]:
        """Return what the sides have at a path, or local alone, by its hash."""
        key = path, is_secret, is_local
        if key not in self._known:
            found: dict[str, Node | None] = {}
            for side in self._sides[-1:] if is_local else reversed(self._sides):
                for _, node in reversed([*fieldpath.find(side.root, path)] if side.root else []):
                    if is_local:
                        found[mirror.whole(node)] = node
                    found[self._mirroring.secret(node, path) if is_secret else mirror.plain(node)] = node
            self._known[key] = found
        return self._known[key]


def _lines(node: Node | None) -> list[str]:
    return node.value.split("\n") if isinstance(node, Scalar) else []


def _apart(node: Node | None) -> Node:
    """Return a node without a place in a text: its collections would be compared by what stands there."""
    found = resolved(node)
    if isinstance(found, Mapping):
        mapping = _mapping({key: _apart(value) for key, value in trees.entries(found).items()})
        mapping.tag = found.tag
        return mapping
    if isinstance(found, Sequence):
        sequence = _sequence([_apart(kid) for kid in found.kids])
        sequence.tag = found.tag
        return sequence
    return _text("", style="") if found is None else found


def _text(value: str, *, style: str = '"') -> Scalar:
    return Scalar(0, 0, value, style, None, None)


def _mapping(entries: dict[str, Node]) -> Mapping:
    made = Mapping(0, 0, 0, False, None, None)  # noqa: FBT003 - as the parser calls it
    made.entries = dict(entries.items())
    made.kids = [node for key, value in entries.items() for node in (_text(key), value)]
    return made


def _sequence(kids: list[Node]) -> Sequence:
    made = Sequence(0, 0, 0, False, None, None)  # noqa: FBT003 - as the parser calls it
    made.kids = kids
    return made
