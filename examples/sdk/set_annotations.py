#!/usr/bin/env python3
"""Set annotations on every object, and on the Pods that it makes.

Each key in the `data` of the functionConfig, a ConfigMap, is an annotation; or it is of kind SetAnnotations, with
`annotations`, and further fields as `additionalAnnotationFields`.
"""

from dataclasses import dataclass, field

import krm


@dataclass
class FieldSpec:
    path: str
    group: str | None = None
    version: str | None = None
    kind: str | None = None
    create: bool = False


@dataclass
class SetAnnotations:
    annotations: dict[str, str]
    additional_annotation_fields: list[FieldSpec] = field(default_factory=list)


def set_annotations(resource_list: krm.ResourceList) -> None:
    given = resource_list.function_config
    if given is not None and given.kind == "SetAnnotations":
        config = krm.decode(given, SetAnnotations)
    else:
        config = SetAnnotations({} if given is None else given.string_map("data"))
    for item in resource_list.items:
        with item.edit():
            for path in paths(item, config.additional_annotation_fields):
                for key, value in config.annotations.items():
                    item.set(f"{path}['{key}']", value)


def paths(item: krm.Resource, fields: list[FieldSpec]) -> list[str]:
    """Return the paths of the annotations of an object."""
    found = ["metadata.annotations"]
    if "spec.template.metadata" in item and item.pod_spec:
        found.append("spec.template.metadata.annotations")
    for one in fields:
        path = one.path.replace("[]", "[*]").replace("/", ".")
        if item.is_gvk(one.group, one.version, one.kind) and (one.create or path in item):
            found.append(path)
    return found


if __name__ == "__main__":
    krm.run(set_annotations)
