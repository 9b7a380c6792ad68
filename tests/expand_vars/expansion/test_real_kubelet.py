"""The first promise, with the kubelet's own code as judge: it makes of the output what it would make of the input.

The code knows no variables of a functionConfig. Where a case has some, the model says what a container ought to get.
The model is itself held against the code wherever no variable is in play.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings

from tests.expand_vars.expansion.kubelet import start
from tests.expand_vars.expansion.kubelet_sources import Pod
from tests.expand_vars.expansion.real_kubelet import RealKubelet
from tests.expand_vars.expansion.running import run
from tests.expand_vars.expansion.worlds import World, worlds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.expand_vars.expansion.kubelet import Started

pytestmark = pytest.mark.e2e
EXAMPLES = max(400, settings().max_examples)


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
        cluster, pod = world.cluster._replace(skips_odd_names=False), Pod(world.workload)
        assert _without_words(start(pod, cluster, [], [])) == _without_words(kubelet.start(pod, cluster))

    law()


def test_the_kubelet_makes_the_same_of_input_and_output(kubelet: RealKubelet) -> None:
    @settings(max_examples=EXAMPLES)
    @given(worlds)
    def law(world: World) -> None:
        output = run(world.text, *world.documents(), spec=world.spec)
        assert output.text, output.told
        after = Pod(next(yaml.load_all(output.text, Loader=yaml.CSafeLoader)))
        before, cluster = Pod(world.workload), world.cluster._replace(skips_odd_names=False)
        expected = start(before, cluster, world.known, world.lookup) if world.known else kubelet.start(before, cluster)
        assert _without_words(kubelet.start(after, cluster)) == _without_words(expected)

    law()
