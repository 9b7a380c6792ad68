"""What is known of the built-in kinds, and the table that it stands in."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from krm.merge.kinds import facts, list_facts
from krm.workloads import PodSpecs

SCRIPT = Path(__file__).parents[4] / "scripts" / "list_facts.py"
SOURCE = runpy.run_path(str(SCRIPT))["source"]()

CONTAINERS = ("spec", "template", "spec", "containers")
BY_NAME = {"listType": "map", "listMapKeys": ["name"], "patchStrategy": "merge", "patchMergeKey": "name"}
BY_PORT = {
    "listType": "map",
    "listMapKeys": ["containerPort", "protocol"],
    "patchStrategy": "merge",
    "patchMergeKey": "containerPort",
}
SET = {"listType": "set", "patchStrategy": "merge"}


def test_the_table_is_what_the_script_prints() -> None:
    printed: dict[str, object] = {}
    exec(runpy.run_path(str(SCRIPT))["printed"](SOURCE), printed)  # noqa: S102 - the module that it prints
    for name in ("FACTS", "TYPES", "KINDS"):
        assert getattr(list_facts, name) == printed[name]


def test_the_table_is_small() -> None:
    assert Path(list_facts.__file__).stat().st_size < 30_000


@pytest.mark.parametrize("kind", SOURCE)
def test_every_fact_of_the_source_is_known(kind: str) -> None:
    group, _, name = kind.rpartition("/")
    for path, fact in SOURCE[kind].items():
        place = tuple(path.replace("[]", "").split("."))
        assert facts.fact(group, name, place, PodSpecs()) == fact, path


# Group, kind, place; what is declared of the field there.
KNOWN = {
    "containers": ("apps", "Deployment", CONTAINERS, BY_NAME),
    "an element has the fact of its list": ("apps", "Deployment", (*CONTAINERS, 0), BY_NAME),
    "a list in an element": ("apps", "Deployment", (*CONTAINERS, 0, "ports"), BY_PORT),
    "of nothing else is anything known": ("apps", "Deployment", (*CONTAINERS, 0, "args"), {}),
    "nor of what it does not have": ("apps", "Deployment", ("spec", "x", "containers"), {}),
    "a map": ("apps", "Deployment", ("spec", "strategy"), {"patchStrategy": "retainKeys"}),
    "the root": ("apps", "Deployment", (), {}),
    "where it was before": ("extensions", "Deployment", CONTAINERS, BY_NAME),
    "another group": ("example.com", "Deployment", CONTAINERS, None),
    "the core group": ("", "Pod", ("spec", "containers"), BY_NAME),
    "another's group of that kind": ("example.com", "Pod", ("spec", "containers"), None),
    "metadata of any kind": ("example.com", "Widget", ("metadata", "finalizers"), SET),
    "metadata of any kind, what is not named": ("example.com", "Widget", ("metadata", "managedFields"), {}),
    "a Rollout": ("argoproj.io", "Rollout", CONTAINERS, BY_NAME),
    "a Rollout elsewhere": ("argoproj.io", "Rollout", ("spec", "strategy", "canary", "steps"), None),
    "a Service of Knative": ("serving.knative.dev", "Service", (*CONTAINERS, 0, "env"), BY_NAME),
}


@pytest.mark.parametrize(("group", "kind", "place", "known"), KNOWN.values(), ids=KNOWN)
def test_what_is_known(group: str, kind: str, place: tuple[str | int, ...], known: dict[str, object] | None) -> None:
    assert facts.fact(group, kind, place, PodSpecs()) == known


# Where the pod spec of a kind is.
POD_SPECS = {
    "Pod": "spec",
    "PodTemplate": "template.spec",
    "ReplicationController": "spec.template.spec",
    "apps/DaemonSet": "spec.template.spec",
    "apps/Deployment": "spec.template.spec",
    "apps/ReplicaSet": "spec.template.spec",
    "apps/StatefulSet": "spec.template.spec",
    "argoproj.io/Rollout": "spec.template.spec",
    "batch/CronJob": "spec.jobTemplate.spec.template.spec",
    "batch/Job": "spec.template.spec",
    "serving.knative.dev/Service": "spec.template.spec",
}


@pytest.mark.parametrize(("kind", "pod_spec"), POD_SPECS.items())
def test_where_a_pod_spec_is(kind: str, pod_spec: str) -> None:
    group, _, name = kind.rpartition("/")
    place = tuple(pod_spec.split("."))
    assert facts.below_pod_spec(group, name, (*place, "volumes", 0), PodSpecs()) == ("volumes", 0)
    assert facts.below_pod_spec(group, name, place, PodSpecs()) == ()
    assert facts.below_pod_spec(group, name, place[:-1], PodSpecs()) is None


def test_what_has_no_pod_spec() -> None:
    assert facts.below_pod_spec("", "Service", ("spec", "ports"), PodSpecs()) is None
    assert facts.below_pod_spec("example.com", "Widget", ("spec", "template", "spec"), PodSpecs()) is None


@pytest.mark.parametrize("group", sorted({kind.rpartition("/")[0] for kind in SOURCE}))
def test_kubectl_knows_the_groups_of_the_facts(group: str) -> None:
    assert facts.is_registered(group)


@pytest.mark.parametrize("group", ["apiextensions.k8s.io", "argoproj.io", "gateway.networking.k8s.io"])
def test_kubectl_knows_no_custom_resources(group: str) -> None:
    assert not facts.is_registered(group)
