"""What is measured: resources of any number, as a ResourceList, as a kustomization with `vars`, as sides of a merge.

To be expanded are, by halves, Deployments of about 40 lines and Services. A given percentage of the Deployments refers
to `$(REGION)`; the others have its value there. Both are nine characters, so that texts of one length have one size.

To be merged are Deployments of 200 lines, in each of which update and local change three things.
"""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from tests.krm.merge import kpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

REFERENCE = "$(REGION)"
VALUE = "eu-west-1"

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-NUMBER
  namespace: shop
  labels:
    app: web-NUMBER
    tier: frontend
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
          httpGet: {path: /healthz, port: http}
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
TEMPLATES = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: shop
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  templates:
"""
WITHOUT_CONTAINERS = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-NUMBER
  namespace: shop
  labels:
    app: web-NUMBER
    tier: frontend
spec:
  replicas: 2 # the autoscaler takes over from here
  selector:
    matchLabels:
      app: web-NUMBER
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        app: web-NUMBER
        tier: frontend
    spec:
      serviceAccountName: web
      terminationGracePeriodSeconds: 30
      volumes:
      - name: settings
        configMap:
          name: settings
      - name: scratch
        emptyDir: {}
      containers:
"""
CONTAINER = """\
      - name: NAME
        image: registry.example/NAME:1.27
        # In order of importance.
        args:
        - --region=eu-west-1
        - "--listen=:8080" # behind the Service
        - --cache=redis://cache.eu-west-1.internal:6379
        env:
        - name: BUCKET
          value: 'pictures'
        - name: LOG_LEVEL
          value: info
        - name: HOST
          valueFrom:
            fieldRef:
              fieldPath: status.hostIP
        - name: CACHE
          value: redis://cache:6379
        ports:
        - name: http
          containerPort: 8080
        - name: metrics
          containerPort: 9090
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 256Mi
        readinessProbe:
          httpGet:
            path: /healthz
            port: http
          periodSeconds: 10
        volumeMounts:
        - name: settings
          mountPath: /etc/NAME
        - name: scratch
          mountPath: /tmp
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
"""
ORIGIN = WITHOUT_CONTAINERS + "".join(CONTAINER.replace("NAME", name) for name in ("web", "proxy", "logs", "cache"))
LOCAL = (
    ORIGIN.replace("replicas: 2", "replicas: 5")
    .replace("    tier: frontend\n", "    tier: frontend\n    team: shop\n", 1)
    .replace("proxy:1.27", "proxy:1.29 # mended")
)
UPDATE, MERGED = (
    text.replace("web:1.27", "web:1.28")
    .replace("periodSeconds: 10", "periodSeconds: 5", 1)
    .replace("        - name: CACHE\n", "        - name: SITE\n          value: eu\n        - name: CACHE\n", 1)
    for text in (ORIGIN, LOCAL)
)
VARS = """\
vars:
- name: REGION
  objref: {apiVersion: v1, kind: ConfigMap, name: place}
  fieldref: {fieldpath: data.REGION}
"""


def resource_list(path: Path, count: int, percent: int, function_config: str = CONFIG_MAP) -> Path:
    """Write a ResourceList of `count` items; `percent` of its Deployments have something to expand."""
    return listed(path, resources(count, percent), function_config)


def listed(path: Path, texts: Iterable[str], function_config: str) -> Path:
    """Write resources as a ResourceList."""
    with path.open("w") as file:
        file.write("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
        file.writelines(map(as_item, texts))
        file.write(f"functionConfig:\n{indent(function_config, '  ')}")
    return path


def as_item(text: str) -> str:
    """Return a resource as an element of a list."""
    return f"- {indent(text, '  ')[2:]}"


def documents(path: Path, count: int, percent: int) -> Path:
    """Write the same items as YAML documents."""
    path.write_text("---\n".join(resources(count, percent)))
    return path


def kustomization(directory: Path, texts: Iterable[str], config: str = CONFIG_MAP, more: str = VARS) -> Path:
    """Write a kustomization of resources, whose values are read from a ConfigMap among them."""
    directory.mkdir()
    with (directory / "resources.yaml").open("w") as file:
        file.write(config)
        file.writelines(f"---\n{text}" for text in texts)
    (directory / "kustomization.yaml").write_text(f"resources:\n- resources.yaml\n{more}")
    return directory


def fleet(directory: Path, count: int, size: int = 2) -> Path:
    """Write packages of `size` resources each, as many Deployments as Services, in twenty folders."""
    for number in range(count):
        package = directory / f"{number % 20}" / f"web-{number:06}"
        package.mkdir(parents=True)
        (package / "Kptfile").write_text(f"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web-{number:06}\n")
        documents(package / "web.yaml", size, 100)
    return directory


def generated(path: Path, count: int, tag: str) -> Path:
    """Write Deployments as documents, as a generator prints them."""
    text = DEPLOYMENT.replace("PLACE", VALUE).replace("1.27", tag)
    path.write_text("---\n".join(named(text, number) for number in range(count)))
    return path


def templates(directory: Path, count: int, tag: str) -> Path:
    """Write a package that is a functionConfig with Deployments of 200 lines as its templates."""
    directory.mkdir(exist_ok=True)
    with (directory / "fn.yaml").open("w") as file:
        file.write(TEMPLATES)
        file.writelines(indent(as_item(named(ORIGIN.replace("1.27", tag), number)), "  ") for number in range(count))
    return directory


def named(text: str, number: int) -> str:
    """Return a text by the name that goes with a number."""
    return text.replace("NUMBER", f"{number:06}")


def sides(directory: Path, count: int, percent: int = 100) -> tuple[Path, Path, Path]:
    """Write origin, update and local, each a file of `count` Deployments of which `percent` of 100 were changed."""
    directory.mkdir()
    files = directory / "origin.yaml", directory / "update.yaml", directory / "local.yaml"
    for path, text in zip(files, (ORIGIN, UPDATE, LOCAL), strict=True):
        with path.open("w") as file:
            file.writelines(
                "---\n" * (number > 0) + named(text if number % 100 < percent else ORIGIN, number)
                for number in range(count)
            )
    return files


def kpt_update(directory: Path) -> tuple[str, ...]:
    """Return the command that brings the sides in a directory together with `kpt pkg update`, as often as it is run."""
    triple = kpt.Triple(*((directory / f"{side}.yaml").read_text() for side in kpt.Triple._fields))
    (directory / "kpt").mkdir()
    package = kpt.prepared({"resources": triple}, directory / "kpt")
    script = 'cd "$0" && git checkout --quiet . && HOME="$0/.." kpt pkg update .@update --strategy resource-merge'
    return "sh", "-c", script, str(package)


def resources(count: int, percent: int) -> Iterator[str]:
    """Yield the texts of the resources one by one: the measuring process has to stay small (measuring.py)."""
    for number, deployment in enumerate(deployments(count // 2, percent)):
        yield deployment
        yield named(SERVICE, number)


def deployments(count: int, percent: int) -> Iterator[str]:
    """Yield the texts of Deployments alone."""
    for number in range(count):
        yield named(DEPLOYMENT, number).replace("PLACE", REFERENCE if number % 100 < percent else VALUE)
