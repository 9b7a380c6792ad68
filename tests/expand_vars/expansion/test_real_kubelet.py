"""The first promise, with the kubelet's own code as judge: it makes of the output what it would make of the input.

The code knows no variables of a functionConfig. Where a case has some, the model says what a container ought to get.
The model is itself held against the code wherever no variable is in play.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from expand_vars.expansion import findings
from tests.expand_vars.expansion.kubelet import names, start
from tests.expand_vars.expansion.kubelet_sources import Pod, read_by
from tests.expand_vars.expansion.real_kubelet import RealKubelet
from tests.expand_vars.expansion.running import run
from tests.expand_vars.expansion.worlds import World, worlds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krm.results import Result
    from tests.expand_vars.expansion.kubelet import Started

pytestmark = pytest.mark.e2e
EXAMPLES = max(1000, settings().max_examples)


@pytest.fixture(scope="module")
def kubelet(kubelet_oracle: str) -> Iterator[RealKubelet]:
    with RealKubelet(kubelet_oracle) as real:
        yield real


def _without_words(started: list[Started]) -> list[Started]:
    """Return containers in which an error is no more than that: the model has its own words for each."""
    return [
        one._replace(
            error="error" if one.error else "",
            sub_paths=["missing value" if (path or "").startswith("missing") else path for path in one.sub_paths],
        )
        for one in started
    ]


def test_the_model_is_the_kubelet(kubelet: RealKubelet) -> None:
    @settings(max_examples=EXAMPLES)
    @given(worlds)
    def law(world: World) -> None:
        pod = Pod(world.workload)
        for cluster in world.clusters:
            assert _without_words(start(pod, cluster, [], [])) == _without_words(kubelet.start(pod, cluster))

    law()


def test_the_kubelet_makes_the_same_of_input_and_output(kubelet: RealKubelet) -> None:
    @settings(max_examples=EXAMPLES)
    @given(worlds)
    def law(world: World) -> None:
        output = run(world.text, *world.documents(), spec=world.spec)
        assert output.text, output.told
        before, after = Pod(world.workload), Pod(world.load(output.text))
        for cluster in world.clusters:
            owed = start(before, cluster, world.known, world.lookup) if world.known else kubelet.start(before, cluster)
            assert _without_words(kubelet.start(after, cluster)) == _without_words(owed)

    law()


def test_what_stays_in_every_cluster_is_reported_once(kubelet: RealKubelet) -> None:
    @settings(max_examples=EXAMPLES)
    @given(worlds)
    def law(world: World) -> None:
        output = run(world.text, *world.documents(), spec=world.spec)
        after = Pod(world.load(output.text))
        runs = [(cluster, kubelet.start(after, cluster)) for cluster in world.clusters]
        for number, container in enumerate(after.containers):
            reported = _reported(output.results, container)
            assert [name for name, reasons in reported.items() if len(reasons) > 1] == []
            given = [(cluster.devices, run[number].environment) for cluster, run in runs if not run[number].error]
            somewhere = {name for pair in given for one in pair for name in one}
            left = _referred(container) - somewhere if given else set()
            quiet = {name for name in left if _may_be_defined(name, container, world)}
            assert left - quiet - reported.keys() == set()
            undefined = {name for name, reasons in reported.items() if findings.UNRESOLVED_REFERENCE in reasons}
            defined = {name for _, environment in given for name in environment if not OF_SERVICE.fullmatch(name)}
            assert undefined & _referred(container) & defined == set()

    law()


STAYS = {
    findings.AMBIGUOUS_SERVICE_VARIABLE, findings.FORWARD_REFERENCE, findings.MISSING_KEY, findings.NAME_NOT_FINAL,
    findings.SECRET_REFERENCE, findings.SERVICE_WITHOUT_ADDRESS, findings.UNKNOWN_SERVICE, findings.NEAR_NAME,
    findings.UNRESOLVED_REFERENCE,
}  # fmt: skip
"""The reasons of findings that say why a reference stays."""
SUBJECT = re.compile(r"`\$\((.*?)\)`|declares `(.*?)`")
"""The name that a message is about."""
NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
OF_SERVICE = re.compile(r"[A-Z0-9_]+_(SERVICE_HOST|SERVICE_PORT|PORT)(_.*)?")


def _referred(container: dict[str, Any]) -> set[str]:
    """Return the names in the command and the arguments of a container."""
    return {name for word in container["command"] + container["args"] for name in names(word)}


def _reported(results: list[Result], container: dict[str, Any]) -> dict[str, list[str]]:
    """Return the names that stay in a container as the results say, each with the reason of every result about it."""
    reported: dict[str, list[str]] = {}
    for result in results:
        if result.reason in STAYS and f"[name={container['name']}]" in (result.field or ""):
            subject = SUBJECT.search(result.message)
            assert subject, result.message
            reported.setdefault(subject[1] or subject[2], []).append(result.reason)
    return reported


def _may_be_defined(name: str, container: dict[str, Any], world: World) -> bool:
    """True for a variable, for what an object that cannot be read may define, and for what is no variable's name."""
    unread = [
        source.get("prefix", "") for source in container.get("envFrom", []) if read_by(source)[0] not in world.readable
    ]
    own = {
        entry["name"]
        for entry in container["env"]
        if entry.get("valueFrom", {}).keys() & {"configMapKeyRef", "secretKeyRef"}
        and read_by(entry["valueFrom"])[0] not in world.readable
    }
    declared = own | {one.name for one in world.variables}
    return name in declared or name.startswith(tuple(unread)) or not NAME.fullmatch(name)
