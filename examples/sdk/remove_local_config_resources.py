#!/usr/bin/env python3
"""Remove every object that is configuration for tools and never applied to a cluster."""

import krm


def remove_local_config_resources(resource_list: krm.ResourceList) -> None:
    resource_list.items = [item for item in resource_list.items if not item.is_local_config]


if __name__ == "__main__":
    krm.run(remove_local_config_resources)
