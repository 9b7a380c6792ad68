"""The first promise: output and input are the same to the kubelet (docs/reference/expansion.md, "The three forms")."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

from hypothesis import given, settings

from tests.expand_vars.expansion.kubelet import PROBES, Variable, start
from tests.expand_vars.expansion.kubelet_sources import Cluster, Pod
from tests.expand_vars.expansion.running import run
from tests.expand_vars.expansion.worlds import INLINE, World, worlds


def _masked(workload: dict[str, Any]) -> dict[str, Any]:
    """Return a workload without the texts that the kubelet expands."""
    workload = copy.deepcopy(workload)
    for container in Pod(workload).containers:
        for entry in container["env"]:
            if "value" in entry:
                entry["value"] = type(entry["value"])
        for mount in container.get("volumeMounts", []):
            if "subPathExpr" in mount:
                mount["subPathExpr"] = type(mount["subPathExpr"])
        for action in (container, *(container[kind]["exec"] for kind in PROBES if kind in container)):
            for key in {"command", "args"} & action.keys():
                action[key] = [type(word) for word in action[key]]
    return workload


def _hold(world: World) -> dict[str, Any]:
    """Check the law for a world, and return the workload that came out."""
    once = run(world.text, *world.documents(), spec=world.spec)
    assert once.text, once.told
    after = world.load(once.text)
    for cluster in world.clusters:
        expected = start(Pod(world.workload), cluster, world.known, world.lookup)
        assert start(Pod(after), cluster, [], []) == expected
    assert _masked(after) == _masked(world.workload)
    twice = run(once.text, spec=world.spec)
    assert twice.text == once.text
    return after


def test_the_kubelet_makes_the_same_of_input_and_output() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=max(1500, settings().max_examples))
    @given(worlds)
    def law(world: World) -> None:
        seen.update(_met(world, _hold(world)))

    law()
    assert {what for what in INTERESTING if not seen[what]} == set(), seen


INTERESTING = [
    *(f"a value of {word}" for word in INLINE),
    "a probe", "a sub-path", "an init container", "a container that cannot start", "a sub-path without a value",
    "a change", "a workload as it was",
]  # fmt: skip
"""What must occur among the cases: these changed, or were so."""


def _met(world: World, after: dict[str, Any]) -> set[str]:
    """Return what is interesting about a case."""
    if after == world.workload:
        return {"a workload as it was"}
    before, now = Pod(world.workload), Pod(after)
    met = {"a change"} | ({f"a value of {world.inline[0]}"} if len(world.inline) == 1 else set())
    for one, other in zip(before.containers, now.containers, strict=True):
        changed = {key for key in one if one[key] != other[key]}
        met |= {"a probe"} if changed & {*PROBES} else set()
        met |= {"a sub-path"} if "volumeMounts" in changed else set()
        met |= {"an init container"} if changed and one["name"] == "init" else set()
    for started in (one for cluster in world.clusters for one in start(now, cluster, [], [])):
        met |= {"a container that cannot start"} if started.error else set()
        met |= {"a sub-path without a value"} if any("missing" in (path or "") for path in started.sub_paths) else set()
    return met


def test_the_model_starts_the_documents_example() -> None:
    """A model that starts nothing would find any two containers alike."""
    container = {
        "env": [
            {"name": "URL", "value": "pg://$(HOST)"}, {"name": "HOST", "value": "db"},
            {"name": "PW", "value": "pa$$word"},
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "MINE", "value": "$(V)-$(URL)"},
        ],
        "args": ["$(URL)", "$(HOST)", "$(PW)", "$(POD)", "$$(HOST)", "$(V)", "$(X_SERVICE_PORT)"],
        "livenessProbe": {"exec": {"command": ["$(URL)$(POD)$(PW)$(V)$(X_SERVICE_PORT)"]}},
    }  # fmt: skip
    pod = {"kind": "Pod", "metadata": {"name": "web-0"}, "spec": {"containers": [container]}}
    service = {"metadata": {"name": "x"}, "spec": {"clusterIP": "10.0.0.1", "ports": [{"port": 80}]}}
    cluster = Cluster({}, [service], {"metadata.namespace": "shop"}, {}, {}, {})
    variables = [Variable("V", "v$(HOST)", literal=False)]
    (started,) = start(Pod(pod), cluster, variables, ["Container", "Variables"])
    assert started.args == ["pg://$(HOST)", "db", "pa$word", "web-0", "$(HOST)", "vdb", "80"]
    assert started.environment["MINE"] == "vdb-pg://$(HOST)"
    assert started.probes == [["pg://$(HOST)pa$$wordvdb$(X_SERVICE_PORT)"], None, None]
