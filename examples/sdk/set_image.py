#!/usr/bin/env python3
"""Set the name, the tag or the digest of a container image, in every workload.

The functionConfig has `name`, the image to change, and one or more of `newName`, `newTag` and `digest`.
"""

from dataclasses import dataclass

import krm


@dataclass
class Config:
    name: str
    new_name: str | None = None
    new_tag: str | None = None
    digest: str | None = None


def set_image(resource_list: krm.ResourceList) -> None:
    config = krm.decode(resource_list.function_config, Config)
    count = 0
    for item in resource_list.items:
        spec = item.pod_spec
        for container in spec.all_containers if spec else []:
            old = container.get_str("image")
            new = changed(old, config)
            if new != old:
                container.set("image", new)
                count += 1
    resource_list.results.append(krm.Result(f"updated a total of {count} image(s)", krm.INFO))


def changed(image: str, config: Config) -> str:
    name, tag = split(image)
    if name != config.name:
        return image
    if config.digest:
        tag = f"@{config.digest}"
    elif config.new_tag:
        tag = f":{config.new_tag}"
    return (config.new_name or name) + tag


def split(image: str) -> tuple[str, str]:
    """Return the name of an image, and its tag or digest: the colon of a registry's port is none of a tag."""
    name, at, digest = image.partition("@")
    folder, slash, base = name.rpartition("/")
    base, colon, tag = base.partition(":")
    return folder + slash + base, at + digest if at else colon + tag


if __name__ == "__main__":
    krm.run(set_image)
