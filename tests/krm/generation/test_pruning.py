"""What keeps a resource whose template is gone: an edit of a person, and no other order of elements with names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.expand_vars.expansion.running import indented
from tests.krm.generation.test_following import COLORS, CONFIG, Package, told

if TYPE_CHECKING:
    from typing import Any

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  volumes:
  - {name: cache, emptyDir: {}}
  - {name: settings, configMap: {name: "web-$(REGION)"}}
  containers:
  - name: web
    image: web:1
    args: [--fast, "--region=$(REGION)"]
    env: [{name: A, value: a}, {name: B, value: "$(REGION)"}]
    ports:
    - {containerPort: 53, protocol: UDP, hostIP: "$(REGION)"}
    - {containerPort: 53}
    volumeMounts: [{name: cache, mountPath: /a, subPath: "$(REGION)"}, {name: cache, mountPath: /b}]
  - name: side
    image: side:1
"""
CUSTOM = """\
apiVersion: example.com/v1
kind: Cluster
metadata: {name: web}
spec:
  listeners:
  - {name: plain, port: 1, host: "$(REGION)"}
  - {name: tls, port: 2, host: us}
  zones: [a, "$(REGION)"]
"""
DEFINITION = """\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.example.com}
spec:
  group: example.com
  names: {kind: Cluster}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              listeners:
                x-kubernetes-list-type: TYPE
"""
BY_PORT = DEFINITION.replace("TYPE", "map\n                x-kubernetes-list-map-keys: [port]")
LISTS = {
    "containers": (POD, "", "spec.containers", None),
    "volumes": (POD, "", "spec.volumes", None),
    "variables": (POD, "", "spec.containers.0.env", None),
    "ports of one number": (POD, "", "spec.containers.0.ports", None),
    "mounts of one volume": (POD, "", "spec.containers.0.volumeMounts", None),
    "arguments": (POD, "", "spec.containers.0.args", "spec.containers[name=web].args[0]"),
    "a list of a custom resource": (CUSTOM, "", "spec.listeners", None),
    "its texts": (CUSTOM, "", "spec.zones", "spec.zones[0]"),
    "a list with keys by its definition": (CUSTOM, BY_PORT, "spec.listeners", None),
    "one that is atomic by that": (CUSTOM, DEFINITION.replace("TYPE", "atomic"), "spec.listeners", None),
}
"""What was generated, what is there beside it, a list of it, and the field of the edit that another order is."""


def reversed_at(text: str, path: str) -> str:
    """Return documents of which the first has a list in another order."""
    documents = [*yaml.safe_load_all(text)]
    found: Any = documents[0]
    for step in path.split("."):
        found = found[int(step) if isinstance(found, list) else step]
    found.reverse()
    return yaml.safe_dump_all(documents)


@pytest.mark.parametrize(("template", "beside", "path", "field"), LISTS.values(), ids=LISTS)
def test_another_order_of_what_has_names_is_no_edit(template: str, beside: str, path: str, field: str | None) -> None:
    other, own = (f"  -{indented(one, 4)[3:]}" for one in (COLORS, template))
    first = Package(CONFIG + own + other).run()[0]
    there = first._replace(items=first.items + beside, config=CONFIG + other)
    edited = there._replace(items=reversed_at(there.items, path))
    found = [told(package.run()[1]) for package in (there, edited)]
    assert found == [["Pruned None"], [f"KeptChanged {field}" if field else "Pruned None"]]


def test_the_name_and_the_namespace_that_somebody_gave_an_item_are_listed_when_it_goes() -> None:
    other, own = (f"  -{indented(one, 4)[3:]}" for one in (COLORS, POD))
    first = Package(CONFIG + own + other).run()[0]
    renamed = first.items.replace("metadata:\n  name: web", "metadata:\n  namespace: prod\n  name: site", 1)
    assert renamed != first.items
    pruned, *_ = first._replace(items=renamed, config=CONFIG + other).run()[1].results
    assert (pruned.reason, pruned.message) == (
        "PrunedWithEdits",
        "this is no longer generated, and is deleted; deleted with it: `metadata.name`, `metadata.namespace`",
    )


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("", ""),
        ("  annotations:\n", ""),
        ("  # of the team\n  annotations:\n", "  # of the team\n  annotations: {}\n"),
        ("  annotations:  # of the team\n", "  annotations: {}  # of the team\n"),
        ("  annotations: {team: web}\n", "  annotations: {team: web}\n"),
    ],
    ids=["no annotations", "an empty key", "a comment above it", "a comment behind it", "another annotation"],
)
def test_a_released_item_is_as_its_owner_wrote_it(written: str, left: str) -> None:
    other, own = (f"  -{indented(one, 4)[3:]}" for one in (COLORS, POD))
    before = POD.replace("metadata: {name: web}\n", f"metadata:\n  name: web\n{written}")
    adopted = Package(CONFIG + own + other, before.replace("web:1", "web:2")).run()[0]
    assert "generated-by: ExpandVars/shop /Pod//web" in adopted.items
    released, output = adopted._replace(config=CONFIG + other).run()
    assert told(output) == ["Released None"]
    assert released.items.startswith(before.partition("  name: web\n")[0] + "  name: web\n" + left + "spec:\n")
