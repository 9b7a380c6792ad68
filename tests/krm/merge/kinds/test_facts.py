"""What is known of the built-in kinds, and the table that it stands in."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from krm.merge.kinds import facts, list_facts
from krm.workloads import PodSpecs

if TYPE_CHECKING:
    from krm.merge.kinds.facts import Fact

SCRIPT = Path(__file__).parents[4] / "scripts" / "list_facts.py"
TABLE = runpy.run_path(str(SCRIPT))
SOURCE = TABLE["source"]()

CONTAINERS = ("spec", "template", "spec", "containers")


def said(fact: Fact) -> str:
    """Return a fact in words, `-` where the type is not known."""
    words = {
        "set": fact.is_set,
        **dict.fromkeys(fact.keys, True),
        "merge": fact.merges,
        "replace": fact.replaces,
        "retainKeys": fact.retains,
    }
    return " ".join(word for word, is_said in words.items() if is_said) if fact.is_known else "-"


def test_the_table_is_what_the_script_prints() -> None:
    assert Path(list_facts.__file__).read_text() == TABLE["printed"](SOURCE)


@pytest.mark.parametrize("kind", SOURCE)
def test_every_fact_of_the_source_is_known(kind: str) -> None:
    group, _, name = kind.rpartition("/")
    for path, fact in SOURCE[kind].items():
        place = tuple(path.replace("[]", "").split("."))
        # No rule asks for these two words: keys tell that a list is a map, and an atomic one has no other word.
        words = [word for word in TABLE["words"](fact).split() if word not in ("map", "atomic")]
        found = facts.fact(group, name, place, PodSpecs())
        assert said(found) == " ".join(words), path
        assert found.patch_key == fact.get("patchMergeKey", ""), path


# Group, kind, place; what is declared of the field there.
KNOWN = {
    "containers": ("apps", "Deployment", CONTAINERS, "name merge"),
    "an element has the fact of its list": ("apps", "Deployment", (*CONTAINERS, 0), "name merge"),
    "a list in an element": ("apps", "Deployment", (*CONTAINERS, 0, "ports"), "containerPort protocol merge"),
    "of nothing else is anything known": ("apps", "Deployment", (*CONTAINERS, 0, "args"), ""),
    "nor of what it does not have": ("apps", "Deployment", ("spec", "x", "containers"), ""),
    "a map": ("apps", "Deployment", ("spec", "strategy"), "retainKeys"),
    "the root": ("apps", "Deployment", (), ""),
    "where it was before": ("extensions", "Deployment", CONTAINERS, "name merge"),
    "another group": ("example.com", "Deployment", CONTAINERS, "-"),
    "the core group": ("", "Pod", ("spec", "containers"), "name merge"),
    "another's group of that kind": ("example.com", "Pod", ("spec", "containers"), "-"),
    "metadata of any kind": ("example.com", "Widget", ("metadata", "finalizers"), "set merge"),
    "metadata of any kind, what is not named": ("example.com", "Widget", ("metadata", "managedFields"), ""),
    "a Rollout": ("argoproj.io", "Rollout", CONTAINERS, "name merge"),
    "a Rollout elsewhere": ("argoproj.io", "Rollout", ("spec", "strategy", "canary", "steps"), "-"),
    "a Service of Knative": ("serving.knative.dev", "Service", (*CONTAINERS, 0, "env"), "name merge"),
}


@pytest.mark.parametrize(("group", "kind", "place", "known"), KNOWN.values(), ids=KNOWN)
def test_what_is_known(group: str, kind: str, place: tuple[str | int, ...], known: str) -> None:
    assert said(facts.fact(group, kind, place, PodSpecs())) == known


@pytest.mark.parametrize("place", [("spec", "driver"), ("spec", "steps", 0)])
def test_a_container_that_is_named_has_the_facts_of_one(place: tuple[str | int, ...]) -> None:
    named = PodSpecs({}, {("example.com", "Widget"): [("spec", "driver"), ("spec", "steps")]})
    for key, known in (("env", "name merge"), ("volumeMounts", "mountPath merge")):
        assert said(facts.fact("example.com", "Widget", (*place, key), named)) == known
    assert facts.below_pod_spec("example.com", "Widget", place, named) is None


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
