"""The first promise as a law: the kubelet makes of the output what it would have made of the input (decision 43)."""

from __future__ import annotations

import copy
import json
from typing import Any

import yaml
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tests.expansion.kubelet import Cluster, Started, Variable, names, start
from tests.expansion.running import run

NAMES = ["A", "B", "C"]
VARIABLES = ["A", "B", "V"]
FROM_SOURCES = ["C", "S"]
"""What a source that cannot be read may define: no variable (decision 43)."""

REFERENCES = [f"$({name})" for name in sorted({*NAMES, *VARIABLES, *FROM_SOURCES})]
PARTS = [*REFERENCES, *REFERENCES, "$$(A)", "$$", "$", "$(", "(A)", ")", "x", "é"]
texts = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join)
plain = st.sampled_from(["", "x", "p$w", "$(A)", "$$", "$", "$(X", "é"])


def _entry(name: str, value: str | None, source: str | None) -> dict[str, Any]:
    written = {} if value is None else {"value": value}
    if source is None:
        return {"name": name, **written}
    return {"name": name, **written, "valueFrom": {"configMapKeyRef": {"name": "c", "key": source, "optional": True}}}


literals = st.builds(_entry, st.sampled_from(NAMES), st.one_of(texts, texts, texts, plain, st.none()), st.none())
sourced = st.builds(_entry, st.sampled_from(NAMES), st.sampled_from([None, ""]), st.sampled_from(["k", "l"]))
entries = st.one_of(literals, literals, literals, sourced)
declarations = st.builds(Variable, st.sampled_from(VARIABLES), st.one_of(texts, plain), st.booleans())
variables = st.lists(declarations, min_size=1, max_size=3, unique_by=lambda one: one.name)
clusters = st.builds(
    Cluster,
    st.dictionaries(st.sampled_from(["k", "l"]), plain),
    st.dictionaries(st.sampled_from(FROM_SOURCES), plain),
    st.dictionaries(st.sampled_from(FROM_SOURCES), plain),
)
lookups = st.sampled_from([*3 * [["Container", "Variables"]], ["Variables", "Container"], ["Container"], ["Variables"]])
inlines = st.sampled_from([*5 * [["Literals", "Variables"]], ["Literals"], ["Variables"], []])


@st.composite
def containers(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a container; one in a few has an envFrom, and one a probe."""
    container: dict[str, Any] = {"name": "app"}
    if draw(st.integers(0, 3)) == 0:
        container["envFrom"] = [{"configMapRef": {"name": "c"}}]
    container["env"] = draw(st.lists(entries, min_size=2, max_size=4))
    container["command"] = draw(st.lists(texts, max_size=2))
    container["args"] = draw(st.lists(texts, min_size=1, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        container["livenessProbe"] = {"exec": {"command": draw(st.lists(texts, max_size=2))}}
    return container


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """Draw one of the ways in which YAML writes a value."""
    way = draw(st.sampled_from(["block", "flow", "quoted", "JSON"]))
    if way == "JSON":
        return json.dumps(value) + "\n"
    quotes = '"' if way == "quoted" else None
    return yaml.safe_dump(value, default_flow_style=way == "flow", default_style=quotes, sort_keys=False, width=60)


def _sources(declared: list[Variable]) -> tuple[str, str]:
    """Return the `variables` of a functionConfig, and the ConfigMap that the literal ones are read from."""
    spec = [
        {"name": one.name, "valueFrom": {"configMapKeyRef": {"name": "values", "key": one.name}}}
        if one.literal
        else {"name": one.name, "value": one.text}
        for one in declared
    ]
    data = {one.name: one.text for one in declared if one.literal}
    skipped = {"name": "values", "annotations": {"expandvars.dev/skip": "true"}}
    return json.dumps(spec), json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": skipped, "data": data})


def _masked(pod: dict[str, Any]) -> dict[str, Any]:
    """Return a Pod without the texts that the kubelet expands."""
    pod = copy.deepcopy(pod)
    for container in pod["spec"]["containers"]:
        for entry in container["env"]:
            entry["value"] = type(entry.get("value"))
        container["command"] = len(container["command"])
        container["args"] = len(container["args"])
    return pod


def _probed(container: dict[str, Any]) -> set[str]:
    words = container.get("livenessProbe", {}).get("exec", {}).get("command", [])
    return set().union(*map(names, words))


policies = st.tuples(lookups, inlines)


@settings(max_examples=max(500, settings().max_examples))
@given(st.data(), containers(), variables, policies, clusters)
def test_the_kubelet_makes_the_same_of_input_and_output(
    data: st.DataObject,
    container: dict[str, Any],
    declared: list[Variable],
    policy: tuple[list[str], list[str]],
    cluster: Cluster,
) -> None:
    lookup, inline = policy
    before = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container]}}
    written_variables, values = _sources(declared)
    spec = f"variables: {written_variables}\nlookup: {lookup}\ninline: {inline}\nunresolved: Ignore"

    once = run(data.draw(written(before)), values + "\n", spec=spec)
    twice = run(once.text, spec=spec)
    after = once.items[0]

    known = declared if "Variables" in inline else []
    assert _started(after, cluster, [], []) == _started(before, cluster, known, lookup)
    assert _masked(after) == _masked(before)
    assert twice.text == once.text
    event(f"changed: {after != before}")


def _started(pod: dict[str, Any], cluster: Cluster, known: list[Variable], lookup: list[str]) -> Started:
    (container,) = pod["spec"]["containers"]
    return start(container, cluster, known, lookup, _probed(container))


def test_the_model_starts_the_documents_example() -> None:
    """A model that starts nothing would find any two containers alike."""
    container = {
        "env": [
            {"name": "URL", "value": "pg://$(HOST)"}, {"name": "HOST", "value": "db"},
            {"name": "PW", "value": "pa$$word"}, _entry("POD", None, "k"), {"name": "MINE", "value": "$(V)-$(URL)"},
        ],
        "args": ["$(URL)", "$(HOST)", "$(PW)", "$(POD)", "$$(HOST)", "$(V)", "$(X)"],
        "livenessProbe": {"exec": {"command": ["$(URL)$(POD)$(PW)$(V)"]}},
    }  # fmt: skip
    cluster = Cluster({"k": "web-0"}, {}, {"X": "service"})
    started = start(container, cluster, [Variable("V", "v$(HOST)", literal=False)], ["Container", "Variables"], {"URL"})
    assert started.args == ["pg://$(HOST)", "db", "pa$word", "web-0", "$(HOST)", "vdb", "service"]
    assert started.environment["MINE"] == "vdb-pg://$(HOST)"
    assert started.probe == ["pg://$(HOST)pa$$word$(V)"]
