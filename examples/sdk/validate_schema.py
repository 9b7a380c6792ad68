#!/usr/bin/env python3
"""Check objects against the schemas of their CustomResourceDefinitions, which are in the package too."""

from typing import Any

import jsonschema

import krm

CRD = "CustomResourceDefinition"


def validate_schema(resource_list: krm.ResourceList) -> None:
    found = schemas(resource_list)
    for item in resource_list.items:
        schema = found.get((item.api_version, item.kind))
        errors = jsonschema.Draft202012Validator(schema).iter_errors(item.get()) if schema else ()
        for error in errors:
            resource_list.error(error.message, item, tuple(error.absolute_path), reason="AgainstItsSchema")


def schemas(resource_list: krm.ResourceList) -> dict[tuple[str, str], Any]:
    """Return the schemas of all definitions by apiVersion and kind."""
    return {
        (f"{crd.get_str('spec.group')}/{version.name}", crd.get_str("spec.names.kind")): version.get(
            "schema.openAPIV3Schema"
        )
        for crd in resource_list.where(CRD, group="apiextensions.k8s.io")
        for version in crd.parts("spec.versions")
    }


if __name__ == "__main__":
    krm.run(validate_schema)
