"""An object with our annotations is still applied by the real kubectl, which notes all of it in one annotation more."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.expand_vars.expansion.running import indented, pod, run
from tests.expand_vars.record.test_room import LIMIT, SPEC, applied, in_all, remembered, settings
from tests.krm.merge import kubectl

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("kubectl")]
LAST_APPLIED = kubectl.LAST_APPLIED


@pytest.mark.parametrize("origin", ["a template", "references"])
def test_a_config_map_of_250_kilobytes_is_applied(origin: str) -> None:
    text = settings(1000, "x" * 238 + "$(A)")
    if origin == "references":
        (item,) = run(text, spec=SPEC).items
    else:
        (item,) = run(pod("args: []"), spec=f"{SPEC}templates:\n- {indented(text, 2).lstrip()}").items[1:]
    item["metadata"]["namespace"] = "shop"
    live = {**item, "data": {"k0": "another"}}
    noted = kubectl.remembered(json.dumps(item), live)
    assert yaml.safe_load(noted)["data"] == item["data"]
    assert 245_000 < in_all(remembered(item) | {LAST_APPLIED: noted}) == applied(item) + len("\n") < LIMIT
