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
                check(container, resource_list)


def check(container: krm.Part, resource_list: krm.ResourceList) -> None:
    limit = "resources.limits.memory"
    if limit not in container:
        resource_list.error("a memory limit is missing", container, limit, reason="NoLimit")
    image = container.get_str("image")
    if ":" not in image or image.endswith(":latest"):
        resource_list.warning("the image is not pinned", container, "image", reason="NotPinned", current=image)


if __name__ == "__main__":
    krm.run(require_limits)
