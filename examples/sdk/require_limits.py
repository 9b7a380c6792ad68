#!/usr/bin/env python3
"""Require a memory limit and a pinned image of every container. Nothing is changed.

The functionConfig has `exempt`, the names of containers that may go without.
"""

from dataclasses import dataclass, field

import krm


@dataclass
class Config:
    exempt: list[str] = field(default_factory=list)


def require_limits(resource_list: krm.ResourceList) -> None:
    config = krm.decode(resource_list.function_config, Config)
    for item in resource_list.items:
        spec = item.pod_spec
        for container in spec.containers if spec else []:
            if container.name not in config.exempt:
                resource_list.results += check(item, container)


def check(item: krm.Resource, container: krm.Part) -> list[krm.Result]:
    found = []
    limit = f"{container.path}.resources.limits.memory"
    if item.part(limit) is None:
        found.append(item.result("a memory limit is missing", limit, severity="error", reason="NoLimit"))
    image = container.get_str("image")
    if ":" not in image or image.endswith(":latest"):
        path = f"{container.path}.image"
        message = "the image is not pinned"
        found.append(item.result(message, path, severity="warning", reason="NotPinned", current=image))
    return found


if __name__ == "__main__":
    krm.run(require_limits)
