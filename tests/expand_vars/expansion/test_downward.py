"""What `fieldRef` and `resourceFieldRef` give, if manifests tell (docs/reference/expansion.md, "The downward API")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars.expansion import env_sources
from expand_vars.expansion.containers import Pod
from krm.resource import Resource
from krm.workloads import Workload
from krm.yamltree.nodes import Mapping, resolved

if TYPE_CHECKING:
    from expand_vars.expansion.resolution import EnvValue

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels:
    {app: web, empty: "", number: 1, quoted: "1", pod-template-hash: abc, open: $(X), cost: 5$,
     topology.kubernetes.io/zone: a}
  annotations: {example.com/note: "a b", config.kubernetes.io/index: "0", job-name: j}
spec:
  serviceAccountName: runner
  serviceAccount: other
  nodeName: node-1
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: of-the-deployment, only: here}}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {serviceAccount: runner}
"""


def _mapping(workload: Resource, *path: str) -> Mapping | None:
    found = workload.find(path)
    node = resolved(found[0][1]) if found else None
    return node if isinstance(node, Mapping) else None


def _parsed(text: str) -> Resource:
    return Resource(text, (0, len(text)), "a workload")


def _field(workload: str, reference: str) -> EnvValue:
    """Return what a `fieldRef` gives that is written in flow style."""
    parsed = _parsed(f"{workload}ref: {{{reference}}}\n")
    template = ("spec", "template") if parsed.kind == "Deployment" else ()
    pod_spec, fields = _mapping(parsed, *template, "spec"), _mapping(parsed, "ref")
    assert pod_spec is not None
    assert fields is not None
    return env_sources.of_field(Pod(parsed, Workload(), (*template, "spec"), pod_spec), fields)


KNOWN_OF_POD = {
    "metadata.name": "web",
    "metadata.namespace": "shop",
    "metadata.labels['app']": "web",
    "metadata.labels['empty']": "",
    "metadata.labels['quoted']": "1",
    "metadata.labels['cost']": "5$",
    "metadata.annotations['example.com/note']": "a b",
    "spec.serviceAccountName": "runner",
    "spec.nodeName": "node-1",
    "spec.host": "node-1",
}
UNKNOWN_OF_POD = [
    "metadata.labels['other']", "metadata.labels['number']", "metadata.labels['open']", "metadata.labels[app]",
    "metadata.labels['app", "metadata.labels", "metadata.annotations", "metadata.labels['pod-template-hash']",
    "metadata.annotations['job-name']", "metadata.labels['topology.kubernetes.io/zone']",
    "metadata.annotations['config.kubernetes.io/index']", "metadata.uid",
    "status.podIP", "status.podIPs", "status.hostIP", "status.hostIPs", "status.phase", "spec.schedulerName", "",
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), KNOWN_OF_POD.items())
def test_what_a_pod_says_of_itself_is_known(path: str, text: str) -> None:
    value = _field(POD, f'fieldPath: "{path}"')
    assert (value.state, value.source, value.text) == ("known", "Downward", text)
    assert value.reason == f"`{path}` of the pod"


@pytest.mark.parametrize("path", UNKNOWN_OF_POD)
def test_what_the_cluster_decides_is_unknown(path: str) -> None:
    value = _field(POD, f'fieldPath: "{path}"')
    assert (value.state, value.source, value.text) == ("unknown", "Downward", "")
    assert value.reason == f"`{path}` is decided in the cluster"


@pytest.mark.parametrize(("version", "state"), [("v1", "known"), ("", "known"), ("v2", "unknown")])
def test_a_field_is_one_of_version_v1(version: str, state: str) -> None:
    assert _field(POD, f"apiVersion: '{version}', fieldPath: metadata.name").state == state


# A workload with a template: what its pods have is in that.
OF_DEPLOYMENT = {
    "metadata.name": None,
    "metadata.namespace": None,
    "metadata.labels['app']": "web",
    "metadata.labels['only']": None,
    "metadata.annotations['a']": None,
    "spec.serviceAccountName": "runner",
    "spec.nodeName": None,
}


@pytest.mark.parametrize(("path", "text"), OF_DEPLOYMENT.items())
def test_a_template_speaks_for_its_pods(path: str, text: str | None) -> None:
    value = _field(DEPLOYMENT, f'fieldPath: "{path}"')
    assert (value.state, value.text) == (("unknown", "") if text is None else ("known", text))


@pytest.mark.parametrize(
    "workload",
    [
        "kind: Pod\nmetadata: {generateName: web-}\nspec: {}\n",
        "apiVersion: example.com/v1\nkind: Pod\nmetadata: {name: web}\nspec: {}\n",
        "kind: Pod\nmetadata: {name: $(NAME)}\nspec: {}\n",
    ],
)
def test_only_a_pod_with_a_name_has_it(workload: str) -> None:
    assert _field(workload, "fieldPath: metadata.name").state == "unknown"


def test_a_template_may_have_no_metadata() -> None:
    assert _field("kind: Pod\nspec: {}\n", "fieldPath: \"metadata.labels['app']\"").state == "unknown"


CONTAINERS = """\
initContainers:
- name: app
  resources: {limits: {cpu: 9}}
- name: init
  resources: {requests: {memory: 1Gi}}
- broken
containers:
- name: app
  resources:
    limits: {cpu: 1500m, memory: 64Mi, ephemeral-storage: 0, hugepages-2Mi: 4Mi, example.com/gpu: 1}
    requests: {cpu: 0.25, ephemeral-storage: "0", hugepages-2Mi: null}
- name: odd
  resources:
    limits: {cpu: $(CPU), memory: 010, ephemeral-storage: 1e3}
    requests: {cpu: true, memory: [1]}
- {name: bare}
- {name: none, resources: {limits: none}}
"""


def _resource(reference: str, position: int = 0) -> EnvValue:
    """Return what a `resourceFieldRef` gives a container."""
    parsed = _parsed(f"{CONTAINERS}ref: {{{reference}}}\n")
    containers, fields = parsed.find(("containers", position)), _mapping(parsed, "ref")
    pod_spec, container = resolved(parsed.root), resolved(containers[0][1])
    assert isinstance(pod_spec, Mapping)
    assert isinstance(container, Mapping)
    assert fields is not None
    return env_sources.of_resource(pod_spec, container, fields)


KNOWN_RESOURCES = {
    "resource: limits.cpu": "2",
    "resource: limits.cpu, divisor: 1m": "1500",
    "resource: limits.cpu, divisor: 0": "2",
    "resource: limits.cpu, divisor: '0'": "2",
    "resource: limits.cpu, divisor: null": "2",
    "resource: limits.cpu, divisor: 1": "2",
    "resource: limits.cpu, containerName: ''": "2",
    "resource: requests.cpu": "1",
    "resource: requests.cpu, divisor: 1m": "250",
    "resource: limits.memory": "67108864",
    "resource: limits.memory, divisor: 1Mi": "64",
    "resource: requests.memory, divisor: 1Mi": "64",  # the limit
    "resource: requests.ephemeral-storage": "0",
    "resource: limits.hugepages-2Mi, divisor: 1Mi": "4",
    "resource: requests.hugepages-2Mi, divisor: 1Mi": "4",
    "resource: limits.cpu, containerName: app": "2",  # that of the container, not of the init container
    "resource: requests.memory, divisor: 1Mi, containerName: init": "1024",
    "resource: limits.ephemeral-storage, containerName: odd": "1000",
}
UNKNOWN_RESOURCES = {
    "resource: limits.ephemeral-storage": "`limits.ephemeral-storage` of container `app`",  # zero is not said
    "resource: limits.cpu, divisor: 1k": "`limits.cpu` of container `app`",
    "resource: limits.cpu, divisor: ''": "`limits.cpu` of container `app`",
    "resource: limits.cpu, divisor: [1]": "`limits.cpu` of container `app`",
    "resource: limits.example.com/gpu": "`limits.example.com/gpu` of container `app`",
    "resource: limits": "`limits` of container `app`",
    "resource: claims.cpu": "`claims.cpu` of container `app`",
    "resource: limits.hugepages-1Gi": "`limits.hugepages-1Gi` of container `app`",
    "divisor: 1": "`` of container `app`",
    "resource: requests.cpu, containerName: init": "`requests.cpu` of container `init`",
    "resource: limits.cpu, containerName: odd": "`limits.cpu` of container `odd`",
    "resource: limits.memory, containerName: odd": "`limits.memory` of container `odd`",
    "resource: requests.cpu, containerName: odd": "`requests.cpu` of container `odd`",
    "resource: requests.memory, containerName: odd": "`requests.memory` of container `odd`",
    "resource: limits.cpu, containerName: bare": "`limits.cpu` of container `bare`",
    "resource: limits.cpu, containerName: none": "`limits.cpu` of container `none`",
}


@pytest.mark.parametrize(("reference", "text"), KNOWN_RESOURCES.items())
def test_a_resource_that_is_said_is_known(reference: str, text: str) -> None:
    value = _resource(reference)
    assert (value.state, value.source, value.text) == ("known", "Resources", text)


@pytest.mark.parametrize(("reference", "what"), UNKNOWN_RESOURCES.items())
def test_a_resource_that_is_not_said_is_unknown(reference: str, what: str) -> None:
    value = _resource(reference)
    assert (value.state, value.source, value.text) == ("unknown", "Resources", "")
    assert value.reason == f"{what} is decided in the cluster"


def test_a_known_resource_says_whose_it_is() -> None:
    assert _resource("resource: limits.cpu, containerName: app", 1).reason == "`limits.cpu` of container `app`"


def test_a_container_that_is_not_there_has_no_resources() -> None:
    value = _resource("resource: limits.cpu, containerName: other")
    assert (value.state, value.reason) == ("unknown", "there is no container `other`")
