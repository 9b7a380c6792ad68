"""Print tests/krm/kinds.json: where the kinds with Pods have their pod specs, by their own CRDs and Go types.

    python -m scripts.kinds MODULE=DIRECTORY... > tests/krm/kinds.json

A directory holds a module that `make kinds` downloads: CRDs, or the types of client-go and of openshift/client-go,
which their generated code has as YAML. A pod spec is an object whose `containers` are objects with an `image`. Where a
CRD says no more of a field than that it is an object, the field ends in `?`: a pod template may be anywhere below.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    Schema = dict[str, Any]
    Kind = tuple[str, str]

_POD_SPEC = "io.k8s.api.core.v1.PodSpec"
_OPENSHIFT = "com.github.openshift.api."
_CORE = "io.k8s.api."


def found_in(directory: Path) -> Iterator[tuple[Kind, str, Schema]]:
    """Yield each kind of a directory, its file, and what was found of it."""
    for file in sorted(directory.rglob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        if "kind: CustomResourceDefinition" in text and not re.search(r"^ *\{\{", text, re.MULTILINE):
            for document in filter(None, yaml.load_all(text, yaml.CSafeLoader)):
                if document.get("kind") == "CustomResourceDefinition" and "versions" in document.get("spec", ()):
                    yield from _of_crd(document["spec"], str(file.relative_to(directory)))
    for file in sorted(directory.rglob("applyconfigurations/internal/internal.go")):
        yield from _of_types(file.read_text(encoding="utf-8"), str(file.relative_to(directory)))


def _of_crd(spec: Schema, file: str) -> Iterator[tuple[Kind, str, Schema]]:
    for version in spec["versions"]:
        schema = version.get("schema", {}).get("openAPIV3Schema", {})
        paths = sorted(path for path in _pod_specs(schema, "") if not path.startswith("status."))
        yield (spec["group"], spec["names"]["kind"]), file, _fact(paths, schema)


def _fact(paths: list[str], schema: Schema) -> Schema:
    scales = "replicas" in schema.get("properties", {}).get("spec", {}).get("properties", {})
    return {"podSpecs": [path for path in paths if _is_whole(path)], "scales": scales, "open": paths}


def _is_whole(path: str) -> bool:
    return not path.endswith("?")


def _pod_specs(schema: Schema, path: str) -> Iterator[str]:
    """Yield the paths of the pod specs below a schema, and of the objects of which it says nothing."""
    properties = schema.get("properties", {})
    if "image" in properties.get("containers", {}).get("items", {}).get("properties", {}):
        # Below it may be another, such as `workerSpec` of KServe.
        yield path
    if schema.get("x-kubernetes-preserve-unknown-fields") and not properties:
        yield f"{path}?"
    for key, kid in properties.items():
        yield from _pod_specs(kid, f"{path}.{key}".removeprefix("."))
    for every in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(every, dict):
            yield from _pod_specs(every, f"{path}[*]")


def _of_types(source: str, file: str) -> Iterator[tuple[Kind, str, Schema]]:
    """Yield the kinds of the types that generated Go code has as YAML."""
    text = re.search(r"YAMLObject\(`(.*?)`\)", source, re.DOTALL)
    types = {one["name"]: one for one in yaml.load(text[1], yaml.CSafeLoader)["types"]} if text else {}
    for name, one in types.items():
        fields = {field["name"]: field["type"] for field in one.get("map", {}).get("fields", ())}
        if {"apiVersion", "kind"} <= fields.keys() and name.startswith((_CORE, _OPENSHIFT)):
            paths = sorted(_pod_specs_of_type(types, name, "", ()))
            spec = types.get(fields.get("spec", {}).get("namedType", ""), {})
            scales = any(field["name"] == "replicas" for field in spec.get("map", {}).get("fields", ()))
            yield _kind_of(name), file, {"podSpecs": paths, "scales": scales, "open": paths}


def _kind_of(name: str) -> Kind:
    group, _, kind = name.removeprefix(_CORE).removeprefix(_OPENSHIFT).split(".")
    group = f"{group}.openshift.io" if name.startswith(_OPENSHIFT) else group
    return "" if group == "core" else group, kind


def _pod_specs_of_type(types: Schema, name: str, path: str, above: tuple[str, ...]) -> Iterator[str]:
    if name == _POD_SPEC:
        yield path
    elif name not in above:
        for field in types.get(name, {}).get("map", {}).get("fields", ()):
            kind = field["type"]
            every = kind.get("list", kind.get("map", {})).get("elementType", {})
            at = f"{path}.{field['name']}".removeprefix(".") + ("[*]" if every else "")
            inner = kind.get("namedType") or every.get("namedType", "")
            yield from _pod_specs_of_type(types, inner, at, (*above, name))


def main(directories: list[str]) -> None:
    """Print what is found of the kinds of the table."""
    from krm.workloads import KINDS  # noqa: PLC0415 - its rows say which kinds are looked up

    found: dict[str, Schema] = {}
    for module, _, directory in (one.partition("=") for one in directories):
        for kind, file, fact in found_in(Path(directory)):
            if kind in KINDS:
                name = "/".join(filter(None, kind))
                merged = found.setdefault(name, {"source": "", "podSpecs": [], "open": [], "scales": False})
                for key in ("podSpecs", "open"):
                    merged[key] = sorted({*merged[key], *fact[key]})
                merged["scales"] = merged["scales"] or fact["scales"]
                merged["source"] = min(filter(None, (merged["source"], f"{module}/{file}")), key=len)
    for fact in found.values():
        # An open field that no row could mean is of no use to a reader, nor one that another file says more of.
        said = [path for path in fact["open"] if re.search(r"(emplate|job)(\.spec)?\?$", path)]
        fact["open"] = [path for path in said if not any(one.startswith(path[:-1]) for one in fact["podSpecs"])]
    json.dump(dict(sorted(found.items())), sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
