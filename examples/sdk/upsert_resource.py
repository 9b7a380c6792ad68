#!/usr/bin/env python3
"""Put the functionConfig itself into the package: in place of the object with its identity, or as a new one.

With a `List` as functionConfig, each of its items. The annotation `config.kubernetes.io/target-path` names its file.
"""

import krm

TARGET = "config.kubernetes.io/target-path"
ORCHESTRATORS = ("config.kubernetes.io/", "internal.config.kubernetes.io/", "internal.kpt.dev/")
"""Prefixes of the annotations by which kpt and kustomize say which file the functionConfig is in."""


def upsert_resource(resource_list: krm.ResourceList) -> None:
    config = resource_list.function_config
    if config is None:
        raise krm.FnError("the functionConfig is the resource to put in: there is none")
    for resource in config.parts("items") if config.kind == "List" else [config]:
        upsert(resource_list, resource)


def upsert(resource_list: krm.ResourceList, resource: krm.Resource | krm.Part) -> None:
    group = resource.get_str("apiVersion").rpartition("/")[0]
    found = resource_list.where(
        resource.get_str("kind"),
        resource.get_str("metadata.name"),
        namespace=resource.get_str("metadata.namespace"),
        group=group,
    )
    if target := resource.get_str(("metadata", "annotations", TARGET)):
        found = [item for item in found if item.origin.file == target]
    if not found:
        added = resource_list.add(resource)
        if target:
            added.set_annotation("config.kubernetes.io/path", target)
            added.delete(("metadata", "annotations", TARGET))
    for item in found:
        for key, value in resource.get().items():
            if key != "metadata":
                item.set(key, value)
        for key in ("labels", "annotations"):
            for name, text in resource.string_map(f"metadata.{key}").items():
                if not name.startswith(ORCHESTRATORS):
                    item.set(("metadata", key, name), text)


if __name__ == "__main__":
    krm.run(upsert_resource)
