"""CustomResourceDefinitions among the items, and the schema that they give of a field, version by version."""

from __future__ import annotations

from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.fieldpath import FieldPath, Segment
    from krm.yamltree.nodes import Node

GROUP = "apiextensions.k8s.io"
KIND = "CustomResourceDefinition"


class Definitions:
    """The schemas of custom resources. `roots` are the trees of CustomResourceDefinitions; a later one wins."""

    __slots__ = ("_schemas",)

    def __init__(self, roots: Iterable[Node | None]) -> None:
        self._schemas: dict[tuple[str | None, str | None, str | None], Mapping] = {}
        for root in roots:
            spec = at(root, "spec")
            group, kind = text(spec, "group"), text(at(spec, "names"), "kind")
            self._schemas |= {(group, version, kind): schema for version, schema in _versions(spec)}

    def schema(self, group: str, version: str, kind: str, place: FieldPath) -> Mapping | None:
        """Return the schema of the field at `place`, None where there is none."""
        schema = self._schemas.get((group, version, kind))
        for step in place:
            schema = _below(schema, step)
        return schema


def at(node: Node | None, key: str) -> Mapping | None:
    """Return the mapping under `key` of a mapping."""
    mapping = resolved(node)
    value = resolved(mapping.get(key)) if isinstance(mapping, Mapping) else None
    return value if isinstance(value, Mapping) else None


def text(mapping: Mapping | None, key: str) -> str | None:
    """Return the text of the scalar under `key`."""
    value = None if mapping is None else resolved(mapping.get(key))
    return None if value is None else value.value


def texts(mapping: Mapping | None, key: str) -> tuple[str, ...]:
    """Return the texts of the scalars in the list under `key`."""
    values = None if mapping is None else resolved(mapping.get(key))
    found = (resolved(kid) for kid in values.kids) if isinstance(values, Sequence) else ()
    return tuple(kid.value for kid in found if kid is not None and kid.value is not None)


def _versions(spec: Mapping | None) -> Iterator[tuple[str | None, Mapping]]:
    """Yield each version with its schema: v1 has them in `versions`, v1beta1 had one for all of them too."""
    shared = at(at(spec, "validation"), "openAPIV3Schema")
    versions = None if spec is None else resolved(spec.get("versions"))
    for element in versions.kids if isinstance(versions, Sequence) else ():
        version = resolved(element)
        if isinstance(version, Mapping):
            schema = at(at(version, "schema"), "openAPIV3Schema") or shared
            if schema is not None:
                yield text(version, "name"), schema


def _below(schema: Mapping | None, step: Segment) -> Mapping | None:
    if not isinstance(step, str):
        return at(schema, "items")
    return at(at(schema, "properties"), step) or at(schema, "additionalProperties")
