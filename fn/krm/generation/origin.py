"""The origin of an item: what it was generated as the last time, as a side of a merge.

The state has a hash of each field. Where update or local has the value of that hash, the origin has it too: a merge
asks for no more than who still has what was generated. Any other field of the origin is another value than both have.
"""

from __future__ import annotations

from krm.fieldpath import WILDCARD
from krm.generation import mirror
from krm.generation.mirror import Mirroring
from krm.merge import trees
from krm.merge.trees import Tree
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import FieldPath
    from krm.generation.mirror import Mirror
    from krm.generation.state import Entry
    from krm.yamltree.nodes import Node


def tree(entry: Entry, *sides: Tree) -> Tree:
    """Return what the state remembers of a resource, by the values that the sides of its merge have."""
    fields = mirror.read(entry.origin)
    secrets = {*_secrets(fields, ())}
    values = _Values(Mirroring(entry.identity, secrets), sides)
    entries = values.mapping(fields, ())
    identity = {"name": entry.name} | ({"namespace": entry.namespace} if entry.namespace else {})
    metadata = {key: _text(value) for key, value in identity.items()} | trees.entries(entries.get("metadata"))
    head: dict[str, Node] = {"apiVersion": _text(entry.api_version), "kind": _text(entry.kind)}
    return Tree("", _mapping(head | entries | {"metadata": _mapping(metadata)}))


class _Values:
    """The values of the sides of a merge, by their paths and hashes."""

    def __init__(self, mirroring: Mirroring, sides: tuple[Tree, ...]) -> None:
        self._nodes: dict[tuple[FieldPath, str], Scalar | Mapping | Sequence | None] = {}
        self._lines: dict[tuple[FieldPath, str], str] = {}
        self._mirroring = mirroring
        for side in sides:
            self._take(side.root, ())

    def _take(self, node: Node | None, path: FieldPath) -> None:
        parts = self._mirroring.parts(node, path)
        if not parts:
            self._take_leaf(node, path)
        for _, step, kid in parts:
            self._take(kid, (*path, step))

    def _take_leaf(self, node: Node | None, path: FieldPath) -> None:
        leaf = self._mirroring.leaf(node, path)
        found = resolved(node)
        self._nodes.setdefault((path, leaf), found)
        if " " in leaf and isinstance(found, Scalar):
            for one, line in zip(leaf.split(" "), found.value.split("\n"), strict=True):
                self._lines.setdefault((path, one), line)

    def mapping(self, fields: Mirror, path: FieldPath) -> dict[str, Node]:
        """Return the nodes of the fields of a mapping."""
        steps = {mirror.step(key): value for key, value in fields.items()}
        return {key: self._node(value, (*path, key)) for key, value in steps.items()}

    def _node(self, value: str | Mirror, path: FieldPath) -> Node:
        if isinstance(value, str):
            return self._leaf(value, path)
        if not mirror.is_list(value):
            return _mapping(self.mapping(value, path))
        here = (*path, WILDCARD)
        return _sequence([self._element(key, kid, here) for key, kid in value.items()])

    def _element(self, key: str, value: str | Mirror, path: FieldPath) -> Node:
        found = self._node(value, path)
        name = key.removeprefix("name=")
        if isinstance(found, Mapping) and name != key:
            return _mapping(found.entries | {"name": _text(name)})  # type: ignore[arg-type]  # no key of ours is None
        return found

    def _leaf(self, leaf: str, path: FieldPath) -> Node:
        found = self._nodes.get((path, leaf))
        if found is not None:
            return _apart(found)
        # Unknown lines are lines all the same: the text merges with those that the sides still have.
        lines = [self._lines.get((path, one), one) for one in leaf.split(" ")]
        return Scalar(0, 0, "\n".join(lines), "|" if len(lines) > 1 else "", None, trees.HASHED)


def _secrets(fields: Mirror, path: FieldPath) -> Iterator[FieldPath]:
    """Yield the paths of the hashes of secrets, whatever the element."""
    is_list = mirror.is_list(fields)
    for key, value in fields.items():
        here = (*path, WILDCARD if is_list else mirror.step(key))
        if not isinstance(value, str):
            yield from _secrets(value, here)
        elif mirror.is_secret(value):
            yield here


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
