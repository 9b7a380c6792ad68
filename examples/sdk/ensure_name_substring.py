#!/usr/bin/env python3
"""Put a substring in front of, or behind, every name that does not hold it, and every reference to that name.

The functionConfig has `prepend` or `append`; or it is of kind EnsureNameSubstring, with `substring` and `editMode`.
"""

from dataclasses import dataclass, field
from typing import Literal

import krm

SKIPPED = ("CustomResourceDefinition", "APIService", "Namespace", "Kptfile")
DEPENDS_ON = "config.kubernetes.io/depends-on"
CONTAINERS = (
    ("ConfigMap", "envFrom[*].configMapRef.name"),
    ("ConfigMap", "env[*].valueFrom.configMapKeyRef.name"),
    ("Secret", "envFrom[*].secretRef.name"),
    ("Secret", "env[*].valueFrom.secretKeyRef.name"),
)
POD_SPECS = (
    ("ConfigMap", "volumes[*].configMap.name"),
    ("ConfigMap", "volumes[*].projected.sources[*].configMap.name"),
    ("PersistentVolumeClaim", "volumes[*].persistentVolumeClaim.claimName"),
    ("Secret", "volumes[*].secret.secretName"),
    ("Secret", "volumes[*].projected.sources[*].secret.name"),
    ("Secret", "imagePullSecrets[*].name"),
    ("ServiceAccount", "serviceAccountName"),
)
OBJECTS = {
    "StatefulSet": (("Service", "spec.serviceName"),),
    "Ingress": (
        ("Service", "spec.defaultBackend.service.name"),
        ("Service", "spec.rules[*].http.paths[*].backend.service.name"),
        ("Secret", "spec.tls[*].secretName"),
    ),
}
OF_ANY_KIND = ("roleRef", "subjects", "spec.scaleTargetRef")

Names = dict[tuple[str, str, str], str]


@dataclass
class FieldSpec:
    path: str
    group: str | None = None
    version: str | None = None
    kind: str | None = None
    create: bool = False


@dataclass
class Config:
    substring: str = ""
    edit_mode: Literal["prepend", "append"] = "prepend"
    additional_name_fields: list[FieldSpec] = field(default_factory=list)
    prepend: str = ""
    append: str = ""


def ensure_name_substring(resource_list: krm.ResourceList) -> None:
    config = krm.decode(resource_list.function_config, Config)
    prefix = config.prepend or (config.substring if config.edit_mode == "prepend" else "")
    suffix = config.append or (config.substring if config.edit_mode == "append" else "")
    if bool(prefix) == bool(suffix):
        raise krm.FnError("give exactly one of `prepend` and `append`, or a `substring`")
    names: Names = {}
    for item in resource_list.where(test=lambda item: item.kind not in SKIPPED):
        for one in (item.part("metadata.name"), *additional(item, config.additional_name_fields)):
            name = one.get_str() if one else ""
            if one and name and prefix + suffix not in name:
                one.set("", prefix + name + suffix)
                if one.path == "metadata.name":
                    names[item.kind, item.namespace, name] = prefix + name + suffix
    for item in resource_list.items:
        with item.edit():
            for kind, reference in references(item):
                name = reference.get_str()
                reference.set("", names.get((kind, item.namespace, name)) or names.get((kind, "", name), name))
            if DEPENDS_ON in item.annotations:
                found = item.annotations[DEPENDS_ON].split(",")
                item.set_annotation(DEPENDS_ON, ",".join(renamed(one, names) for one in found))


def additional(item: krm.Resource, fields: list[FieldSpec]) -> list[krm.Part]:
    found = [one for one in fields if item.is_gvk(one.group, one.version, one.kind)]
    return [part for one in found for part in item.parts(one.path.replace("[]", "[*]").replace("/", "."))]


def references(item: krm.Resource) -> list[tuple[str, krm.Part]]:
    """Return the fields that name another object, each with the kind of that."""
    spec = item.pod_spec
    found = [
        (one.get_str("kind"), name) for path in OF_ANY_KIND for one in item.parts(path) for name in one.parts("name")
    ]
    found += [(kind, one) for kind, path in OBJECTS.get(item.kind, ()) for one in item.parts(path)]
    found += [(kind, one) for kind, path in POD_SPECS if spec for one in spec.parts(path)]
    for container in spec.all_containers if spec else []:
        found += [(kind, one) for kind, path in CONTAINERS for one in container.parts(path)]
    return found


def renamed(reference: str, names: Names) -> str:
    """Return a reference `GROUP/namespaces/NAMESPACE/KIND/NAME`, or `GROUP/KIND/NAME`, with the new name."""
    above, _, name = reference.strip().rpartition("/")
    words = above.split("/")
    new = names.get((words[-1], words[-2] if "namespaces" in words else "", name), name)
    return f"{above}/{new}"


if __name__ == "__main__":
    krm.run(ensure_name_substring)
