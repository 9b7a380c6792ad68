#!/usr/bin/env python3
"""Set the namespace of every object that is in one, and every reference to the namespace that it had.

The functionConfig has `namespace`, and optionally `namespaceMatcher`: then only objects of that namespace are set.
"""

from dataclasses import dataclass

import krm

DEPENDS_ON = "config.kubernetes.io/depends-on"
SERVICES = {
    "APIService": "spec.service",
    "CustomResourceDefinition": "spec.conversion.webhook.clientConfig.service",
    "MutatingWebhookConfiguration": "webhooks[*].clientConfig.service",
    "ValidatingWebhookConfiguration": "webhooks[*].clientConfig.service",
}


@dataclass
class Config:
    namespace: str
    namespace_matcher: str | None = None


def set_namespace(resource_list: krm.ResourceList) -> None:
    given = resource_list.function_config
    # The package context that kpt makes: the name of the package is that of its namespace.
    if given is not None and given.name == "kptfile.kpt.dev":
        config = Config(given.get_str("data.name"))
    else:
        config = krm.decode(given, Config)
    items = resource_list.where(test=lambda item: not item.is_local_config)
    found = {item.namespace for item in items if item.is_namespaced}
    if config.namespace_matcher is None and len(found) > 1:
        names = ", ".join(f"`{name}`" for name in sorted(found))
        raise krm.FnError(f"there are several namespaces, {names}: give a namespaceMatcher")
    old = config.namespace_matcher or next(iter(found), "")
    # Objects outside of the list stay where they are, and so does what names them.
    moving = {f"{item.group}/namespaces/{old}/{item.kind}/{item.name}" for item in items}
    for item in items:
        with item.edit():
            if item.is_namespaced and item.namespace == old:
                item.set("metadata.namespace", config.namespace)
            set_references(item, old, config.namespace)
            if DEPENDS_ON in item.annotations:
                named = item.annotations[DEPENDS_ON].split(",")
                named = [one.replace(f"/{old}/", f"/{config.namespace}/", 1) if one in moving else one for one in named]
                item.set_annotation(DEPENDS_ON, ",".join(named))


def set_references(item: krm.Resource, old: str, new: str) -> None:
    if item.kind == "Namespace" and item.name == old:
        item.set("metadata.name", new)
    referring = item.parts(SERVICES[item.kind]) if item.kind in SERVICES else []
    if item.kind in ("RoleBinding", "ClusterRoleBinding"):
        referring = [one for one in item.parts("subjects") if one.get("kind") == "ServiceAccount"]
    for one in referring:
        if one.get_str("namespace", old) == old:
            one.set("namespace", new)


if __name__ == "__main__":
    krm.run(set_namespace)
