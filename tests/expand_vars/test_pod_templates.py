"""A kind with a pod template is one for expansion and for merge alike, whoever names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars import pipeline
from expand_vars.functionconfig.config import Config
from krm.resource import Resource
from krm.results import INFO

if TYPE_CHECKING:
    from krm.results import Output

CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: gen}
spec:
  podTemplates: [{group: apps.kruise.io, kind: CloneSet, fieldPath: spec.template}]
  templates:
  - apiVersion: %s
    kind: %s
    metadata: {name: dns}
    spec:
      template:
        spec:
          containers:
          - name: c
            ports:
            - {containerPort: 53, protocol: UDP}
            - {containerPort: 53, protocol: TCP, name: %s}
"""
ITEM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\n"


def run(text: str, config: str) -> Output:
    return pipeline.run(text, Resource(config, (0, len(config)), "config.yaml"), settle=Config.in_place)


@pytest.mark.parametrize(
    "kind", [("apps.kruise.io/v1alpha1", "CloneSet"), ("argoproj.io/v1alpha1", "Rollout")], ids=["named", "built in"]
)
def test_an_edit_of_a_port_stays_where_the_template_changes_another(kind: tuple[str, str]) -> None:
    edited = run(ITEM, CONFIG % (*kind, "old")).text.replace("UDP}", "UDP, name: mine}")
    merged = run(edited, CONFIG % (*kind, "new"))
    assert [str(result) for result in merged.results if result.severity != INFO and result.reason != "NoEffect"] == []
    assert "- {containerPort: 53, protocol: UDP, name: mine}\n" in merged.text
    assert "- {containerPort: 53, protocol: TCP, name: new}\n" in merged.text
