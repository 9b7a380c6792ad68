#!/usr/bin/env python3
"""Set labels on every object, on the Pods that it makes, and in its selectors.

Each key in the `data` of the functionConfig, a ConfigMap, is a label; or it is of kind SetLabels, with `labels`.
"""

import krm

SELECTORS = {
    "DaemonSet": "spec.selector.matchLabels",
    "Deployment": "spec.selector.matchLabels",
    "ReplicaSet": "spec.selector.matchLabels",
    "StatefulSet": "spec.selector.matchLabels",
    "ReplicationController": "spec.selector",
    "Service": "spec.selector",
}
# Selectors of other Pods, which have these labels too: one that is there gets them.
OTHERS = {
    "NetworkPolicy": (
        "spec.ingress[*].from[*].podSelector.matchLabels",
        "spec.egress[*].to[*].podSelector.matchLabels",
    ),
}
AFFINITY = [
    *(
        f"affinity.{kind}.requiredDuringSchedulingIgnoredDuringExecution[*].labelSelector.matchLabels"
        for kind in ("podAffinity", "podAntiAffinity")
    ),
    *(
        f"affinity.{kind}.preferredDuringSchedulingIgnoredDuringExecution[*].podAffinityTerm.labelSelector.matchLabels"
        for kind in ("podAffinity", "podAntiAffinity")
    ),
    "topologySpreadConstraints[*].labelSelector.matchLabels",
]
TEMPLATES = {
    "CronJob": ("spec.jobTemplate", "spec.jobTemplate.spec.template"),
    **dict.fromkeys(("DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController"), ("spec.template",)),
    "StatefulSet": ("spec.template", "spec.volumeClaimTemplates[*]"),
}


def set_labels(resource_list: krm.ResourceList) -> None:
    config = resource_list.function_config
    labels = {} if config is None else config.string_map("labels" if config.kind == "SetLabels" else "data")
    for item in resource_list.where(test=lambda item: not item.is_local_config):
        kind = item.kind
        with item.edit():
            add(item, "metadata.labels", labels)
            for template in TEMPLATES.get(kind, ()):
                for part in item.parts(template):
                    add(part, "metadata.labels", labels)
            # An object without a selector has none to be changed: Kubernetes makes one of the Pod's labels.
            if kind in SELECTORS and item.part(SELECTORS[kind]):
                add(item, SELECTORS[kind], labels)
            spec = item.pod_spec
            others = [part for path in OTHERS.get(kind, ()) for part in item.parts(path)]
            others += [part for path in AFFINITY if spec for part in spec.parts(path)]
            for part in others:
                add(part, "", labels)


def add(part: krm.Resource | krm.Part, path: str, labels: dict[str, str]) -> None:
    for key, value in labels.items():
        part.set(f"{path}['{key}']", value)


if __name__ == "__main__":
    krm.run(set_labels)
