"""The texts that tests of the SDK process, and how they do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import krm
from krm import resourcelist

if TYPE_CHECKING:
    from collections.abc import Callable

CONTAINERS = "spec.template.spec.containers"

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the shop
  namespace: shop
  labels:
    app: web # ab
  annotations:
    config.kubernetes.io/path: web.yaml
    config.kubernetes.io/index: '0'
    internal.config.kubernetes.io/id: '1'
spec:
  replicas: 3 # two for each zone
  template:
    spec:
      containers:
      # the shop itself
      - name: web # do not rename
        image: nginx:1.27 # pinned, see INC-42
        args: ["--a", '--b'] # both needed
      # the cache
      - name: cache
        image: redis # kpt-set: ${redis}
"""

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: setters
data:
  tag: 1.10
  replicas: "3"
"""

LIST = (
    "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    + "".join("- " + text.replace("\n", "\n  ").removesuffix("  ") for text in (DEPLOYMENT, CONFIG_MAP))
    + "functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: config\n  data:\n    tag: 1.10\n"
)


def read(text: str = LIST) -> krm.ResourceList:
    from krm.function.object_list import ResourceList  # noqa: PLC0415 - `krm` names it, and resolves it lazily

    return ResourceList(resourcelist.read(text))


def resource(text: str = DEPLOYMENT) -> krm.Resource:
    return read(text).items[0]


def edited(change: Callable[[krm.Resource], Any], text: str = DEPLOYMENT) -> str:
    """Return the text of one document after a change of its object."""
    resource_list = read(text)
    change(resource_list.items[0])
    return resource_list.emit().text


def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the path of every node of a value but the root."""
    kids = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [one for step, kid in kids for one in ((*path, step), *paths(kid, (*path, step)))]
