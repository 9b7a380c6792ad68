"""docs/runs-in-place.md is true."""

from __future__ import annotations

import yaml

from expand_vars import pipeline
from tests.pages import Page, resource, resources

PAGE = Page("runs-in-place")
TESTED = {"Runs in place": "yaml"}


IN_PLACE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations: {config.kubernetes.io/path: a.yaml, config.k8s.io/id: "1"}
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        args:
        - --region=$(REGION)
"""


def test_what_is_remembered() -> None:
    (block,) = PAGE.blocks("Runs in place")
    key = "expandvars.dev/references"
    storefront = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: storefront}\n"
    storefront += "spec: {variables: [{name: REGION, value: eu}]}\n"
    (made,) = resources(pipeline.run(IN_PLACE, resource(storefront)).text)
    assert made.annotations[key] == yaml.safe_load(block.text)["metadata"]["annotations"][key]
