"""What we remember never keeps an object from being applied: an API server takes 256 KiB of all its annotations."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from krm.generation import room
from tests.expand_vars.expansion.running import config_map, indented, pod, run

LIMIT = 256 * 1024
SPEC = """\
variables: [{name: A, value: x}]
record: Always
targets: [{select: {kind: ConfigMap}, fieldPaths: ["data[*]"]}]
"""


def remembered(item: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = item["metadata"].get("annotations", {})
    return found


def in_all(texts: dict[str, str]) -> int:
    """Return what Kubernetes counts: the bytes of all keys and values."""
    return sum(len(key.encode()) + len(text.encode()) for key, text in texts.items())


def applied(item: dict[str, Any]) -> int:
    """Return the bytes of all annotations once `kubectl apply` has noted the object in one more."""
    noted = json.dumps(item, separators=(",", ":"), ensure_ascii=False)
    return in_all(remembered(item) | {"kubectl.kubernetes.io/last-applied-configuration": noted})


def settings(count: int, text: str) -> str:
    return config_map("settings", "{" + ", ".join(f"k{number}: '{text}'" for number in range(count)) + "}")


def test_beyond_the_room_the_fields_keep_the_values_of_today() -> None:
    once = run(settings(1000, "$(A)"), spec=SPEC)
    (item,) = once.items
    assert set(item["data"].values()) == {"x"}
    assert room(0) - 150 < in_all(remembered(item)) <= room(0) == 32 * 1024
    (full,) = once.of("RecordFull")
    kept = remembered(item)["expandvars.dev/references"].count("\ndata.") + 1
    assert full.message == (
        f"the annotation `expandvars.dev/references` has no room for {1000 - kept} of the references in here: their "
        "fields have today's values, and follow no variable any more; to keep them, split the object"
    )
    assert str(full.field).endswith(f", and {1000 - kept - 20} more")
    again = run(once.text, spec=SPEC)
    assert again.text == once.text
    assert again.of("RecordFull") == []
    other = run(once.text, spec=SPEC.replace("value: x", "value: z"))
    assert list(other.items[0]["data"].values()).count("z") == kept


def test_a_long_list_goes_first() -> None:
    plain = "".join(f"- 'argument number {number} of many'\n" for number in range(800))
    text = pod(f"command: ['$(A)']\nargs:\n{plain}- $(A)")
    once = run(text, spec=SPEC)
    assert [result.field for result in once.of("RecordFull")] == ["spec.containers[name=app].args[800]"]
    other = run(once.text, spec=SPEC.replace("value: x", "value: z")).container
    assert (other["command"], other["args"][-1]) == (["z"], "x")


@pytest.mark.parametrize(("count", "size"), [(1000, 238), (10, 24_800)])
def test_a_config_map_of_250_kilobytes_can_still_be_applied(count: int, size: int) -> None:
    """By `kubectl apply`, which notes all of it in an annotation: as a generated one, and with references."""
    template = settings(count, "x" * size + "$(A)")
    (item,) = run(pod("args: []"), spec=f"{SPEC}templates:\n- {indented(template, 2).lstrip()}").items[1:]
    assert "expandvars.dev/last-generated" in remembered(item)
    ran = run(template, spec=SPEC)
    (other,) = ran.items
    assert ("expandvars.dev/references" in remembered(other)) is (size < 24_800)
    assert ran.reasons == ["RecordFull"]
    for one in (item, other):
        bare = {**one, "metadata": {"name": "settings"}}
        assert 245_000 < applied(bare) <= applied(one) < LIMIT


def test_a_definition_of_800_kilobytes_can_still_be_applied_by_the_server() -> None:
    """It is too large for `kubectl apply` without `--server-side` anyway."""
    field = {"type": "object", "description": "d" * 2700, "properties": {"a": {"type": "string"}}}
    schema = {"openAPIV3Schema": {"properties": {f"part{number}": field for number in range(300)}}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "versions": [{"name": "v1", "schema": schema}]},
    }
    template = json.dumps(definition)
    assert len(template) > 800_000
    (item,) = run(pod("args: []"), spec=f"templates:\n- {template}").items[1:]
    assert 10_000 < in_all(remembered(item)) <= room(len(template)) == room(0)
    assert remembered(item)["expandvars.dev/last-generated"].count("!sha256") >= 300
    assert yaml.safe_load(remembered(item)["expandvars.dev/last-generated"].replace("!sha256 ", ""))


def test_a_long_value_is_kept_by_its_hash() -> None:
    """A run that does not declare it leaves the field; one that declares it again gives it the new value."""
    long = "x" * 2000
    text = pod("args: ['$(A)']")
    once = run(text, spec=SPEC.replace("value: x", f"value: {long}")).text
    assert long not in once.partition("spec:")[0]
    left = run(once, spec="record: Always")
    assert (left.container["args"], left.reasons) == ([long], ["KeptLastValue"])
    assert run(left.text, spec=SPEC).container["args"] == ["x"]
