"""Print scripts/atomic_maps.json: the mappings of the built-in kinds that are one value, by their path from each kind.

    python scripts/atomic_maps.py swagger.json > scripts/atomic_maps.json

swagger.json is the OpenAPI that Kubernetes publishes with its sources (v1.36.3 here, below `api`). A type or a field
says `x-kubernetes-map-type: atomic` there. The kinds are those of list_semantics.json, each at its newest stable
version.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = Path(__file__).with_name("list_semantics.json")
MAP_TYPE = "x-kubernetes-map-type"
ONE_TYPE = re.compile(r"v(?P<number>\d+)((?P<stage>alpha|beta)\d+)?")


def types(definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of each kind at its newest stable version, else at its newest one."""
    found: dict[str, tuple[tuple[bool, int], Any]] = {}
    for schema in definitions.values():
        for known in schema.get("x-kubernetes-group-version-kind", ()):
            version = ONE_TYPE.fullmatch(known["version"])
            kind = f"{known['group']}/{known['kind']}".removeprefix("/")
            if version is not None:
                rank = (version["stage"] is None, int(version["number"]))
                found[kind] = max(found.get(kind, (rank, schema)), (rank, schema), key=lambda pair: pair[0])
    return {kind: schema for kind, (_, schema) in found.items()}


def paths(definitions: dict[str, Any], schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the paths of the atomic mappings below a schema, as `spec.containers[].env[].valueFrom.fieldRef`."""
    target = definitions[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    # What a field says of itself counts before what its type says: `claimRef` is an ObjectReference in parts.
    if schema.get(MAP_TYPE, target.get(MAP_TYPE)) == "atomic":
        yield path
    if "items" in target:
        yield from paths(definitions, target["items"], f"{path}[]")
    for field, value in target.get("properties", {}).items():
        yield from paths(definitions, value, f"{path}.{field}".removeprefix("."))


def printed(openapi: dict[str, Any]) -> str:
    """Return the JSON."""
    definitions = openapi["definitions"]
    known = types(definitions)
    kinds = sorted(known.keys() & json.loads(KINDS.read_text(encoding="utf-8")).keys())
    found = {kind: sorted(paths(definitions, known[kind])) for kind in kinds}
    return json.dumps(found, indent=1)


if __name__ == "__main__":
    print(printed(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
