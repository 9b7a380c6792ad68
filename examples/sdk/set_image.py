#!/usr/bin/env python3
"""Set the name, the tag or the digest of a container image, in every workload.

The functionConfig has `name`, the image to change, and one or more of `newName`, `newTag` and `digest`; or it is of
kind SetImage, with these in `image`, and further fields as `additionalImageFields`.
"""

from dataclasses import dataclass, field

import krm


@dataclass
class Image:
    name: str
    new_name: str | None = None
    new_tag: str | None = None
    digest: str | None = None


@dataclass
class FieldSpec:
    path: str
    group: str | None = None
    version: str | None = None
    kind: str | None = None
    create: bool = False


@dataclass
class SetImage:
    image: Image
    additional_image_fields: list[FieldSpec] = field(default_factory=list)


def set_image(resource_list: krm.ResourceList) -> None:
    given = resource_list.function_config
    if given is not None and given.kind == "SetImage":
        config = krm.decode(given, SetImage)
    else:
        config = SetImage(krm.decode(given, Image))
    count = 0
    for item in resource_list.items:
        for image in images(item, config.additional_image_fields):
            old = image.get_str()
            new = changed(old, config.image)
            if new != old:
                image.set("", new)
                count += 1
    resource_list.info(f"updated a total of {count} image(s)")


def images(item: krm.Resource, fields: list[FieldSpec]) -> list[krm.Part]:
    spec = item.pod_spec
    found = [image for container in (spec.all_containers if spec else []) for image in container.parts("image")]
    for one in fields:
        if item.is_gvk(one.group, one.version, one.kind):
            # `spec/images[]/image`, as kustomize writes it.
            found += item.parts(one.path.replace("[]", "[*]").replace("/", "."))
    return found


def changed(image: str, config: Image) -> str:
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
