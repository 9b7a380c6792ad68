"""The schemas of objects in files, and the CustomResourceDefinitions that these have."""

from __future__ import annotations

import posixpath

from krm.merge.kinds.schema import DEFINITION_KIND, KUSTOMIZE, Definitions, Schema
from krm.resource import KUSTOMIZATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.file import File, Object
    from krm.merge.files.matching import Side
    from krm.yamltree.nodes import Node


class Schemas:
    """The schemas of the objects in some files, by the definitions in these."""

    __slots__ = ("_definitions",)

    def __init__(self, files: Iterable[File]) -> None:
        self._definitions = Definitions(_definitions(files))

    def of(self, objects: dict[Side, Object]) -> Schema:
        """Return the schema of an object as the sides have it."""
        return Schema(*_type_of(objects), definitions=self._definitions)


def _type_of(objects: dict[Side, Object]) -> tuple[str, str, str]:
    """Return group, version and kind of the result: local's, unless update alone has moved the object."""
    types = {side: _type(found) for side, found in objects.items()}
    # The lists of the result are merged by its own schema: two versions of a kind may have different keys.
    if "local" in types and types["local"] != types.get("origin"):
        return types["local"]
    return types.get("update") or types["local"]


def _type(found: Object) -> tuple[str, str, str]:
    resource = found.resource
    if not resource.kind and posixpath.basename(found.part.file.name) in KUSTOMIZATIONS:
        return KUSTOMIZE, resource.version, resource.kind
    return resource.group, resource.version, resource.kind


def _definitions(files: Iterable[File]) -> Iterator[Node | None]:
    """Yield the CustomResourceDefinitions in files."""
    for file in files:
        for found in file.objects:
            resource = found.resource
            if resource.may_contain(DEFINITION_KIND) and resource.kind == DEFINITION_KIND:
                yield resource.root
