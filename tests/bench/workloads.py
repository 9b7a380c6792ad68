"""What is measured: resources of any number, as a ResourceList and as a kustomization with `vars`.

Half of them are Deployments of about 40 lines, half Services. A given percentage of the Deployments refers to
`$(REGION)`; the others have its value there. Both are nine characters, so that texts of one length have one size.
"""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REFERENCE = "$(REGION)"
VALUE = "eu-west-1"

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-NUMBER
  namespace: shop
  labels: {app: web-NUMBER, tier: frontend}
  annotations:
    internal.config.kubernetes.io/path: 'shop/web-NUMBER.yaml'
    internal.config.kubernetes.io/index: '0'
spec:
  replicas: 2 # the autoscaler takes over from here
  selector:
    matchLabels:
      app: web-NUMBER
  template:
    metadata:
      labels:
        app: web-NUMBER
        tier: frontend
    spec:
      containers:
      - name: web
        image: registry.example/web:1.27
        # In order of importance.
        args:
        - --region=PLACE
        - "--listen=:8080" # behind the Service
        - --cache=redis://cache.PLACE.internal:6379
        env:
        - name: BUCKET
          value: 'pictures-PLACE'
        - name: LOG_LEVEL
          value: info
        ports:
        - {name: http, containerPort: 8080}
        resources:
          requests: {cpu: 100m, memory: 128Mi}
          limits: {memory: 256Mi}
        readinessProbe:
          httpGet:
            path: /healthz
            port: http
      serviceAccountName: web
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: web-NUMBER
  namespace: shop
  labels: {app: web-NUMBER}
  annotations:
    internal.config.kubernetes.io/path: 'shop/web-NUMBER.yaml'
    internal.config.kubernetes.io/index: '1'
spec:
  selector:
    app: web-NUMBER
  ports:
  - name: http
    port: 80
    targetPort: http # by the name that the container gives it
"""
CONFIG_MAP = f"""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: place
data:
  REGION: {VALUE}
"""
EXPAND_VARS = f"""\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: place
spec:
  variables:
  - name: REGION
    value: {VALUE}
"""
KUSTOMIZATION = """\
resources:
- resources.yaml
vars:
- name: REGION
  objref: {apiVersion: v1, kind: ConfigMap, name: place}
  fieldref: {fieldpath: data.REGION}
"""


def resource_list(path: Path, count: int, percent: int, function_config: str = CONFIG_MAP) -> Path:
    """Write a ResourceList of `count` items; `percent` of its Deployments have something to expand."""
    with path.open("w") as file:
        file.write("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
        file.writelines(f"- {indent(text, '  ')[2:]}" for text in _resources(count, percent))
        file.write(f"functionConfig:\n{indent(function_config, '  ')}")
    return path


def kustomization(directory: Path, count: int, percent: int) -> Path:
    """Write a kustomization of the same resources, its one variable read from a ConfigMap among them."""
    directory.mkdir()
    with (directory / "resources.yaml").open("w") as file:
        file.write(CONFIG_MAP)
        file.writelines(f"---\n{text}" for text in _resources(count, percent))
    (directory / "kustomization.yaml").write_text(KUSTOMIZATION)
    return directory


def _resources(count: int, percent: int) -> Iterator[str]:
    """Yield the texts of the resources one by one: the measuring process has to stay small (measuring.py)."""
    for number in range(count // 2):
        place = REFERENCE if number % 100 < percent else VALUE
        yield DEPLOYMENT.replace("NUMBER", f"{number:06}").replace("PLACE", place)
        yield SERVICE.replace("NUMBER", f"{number:06}")
