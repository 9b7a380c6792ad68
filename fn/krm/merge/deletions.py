"""Deletions: what is gone on one side, and what the other side added to that (docs/reference/merge.md, "Deletions")."""

from __future__ import annotations

from krm.merge import trees
from krm.yamltree.nodes import Mapping, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath
    from krm.merge.kinds.schema import Schema
    from krm.merge.walk import Field
    from krm.yamltree.nodes import Node

_METADATA = ("metadata",)


def additions(schema: Schema, field: Field) -> list[str] | None:
    """Return the keys that one side added to a map which is gone on the other, None where it goes or stays whole.

    They stay where the keys are the author's own: half a probe is none, while each label stands for itself.
    """
    there = field.local if field.update is None else field.update
    origin, mapping = plain_mapping(field.origin), plain_mapping(there)
    if origin is None or mapping is None or (field.update is not None and field.local is not None):
        return None
    if not _is_string_map(schema, field.path, origin, mapping):
        return None
    return [key for key, _ in mapping.items() if origin.get(key) is None]


def kept(field: Field, added: list[str]) -> str:
    """Return the message that tells what stays of a field that is gone on one side."""
    gone, there = ("update", "local") if field.update is None else ("local", "update")
    names = ", ".join(f"`{name}`" for name in added)
    return f"{gone} no longer has this, but what {there} added to it stays: {names}"


def plain_mapping(node: Node | None) -> Mapping | None:
    """Return the mapping that `node` is, None for another node, or where odd keys let no path lead in."""
    mapping = resolved(node)
    return mapping if isinstance(mapping, Mapping) and trees.is_plain(mapping) else None


def _is_string_map(schema: Schema, path: FieldPath, *sides: Mapping) -> bool:
    """Return True if the keys of a mapping are its author's own, or it holds nothing but such: a label selector.

    So are those of `metadata`: nobody means a name when they take the last label away.
    """
    if path == _METADATA or schema.is_string_map(path, sides):
        return True
    below = [(key, plain_mapping(value)) for side in sides for key, value in side.items()]
    return bool(below) and all(
        mapping is not None and schema.is_string_map((*path, key), [mapping]) for key, mapping in below
    )
