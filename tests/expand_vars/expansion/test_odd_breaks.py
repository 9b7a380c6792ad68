"""The characters U+0085, U+2028 and U+2029, which YAML 1.1 takes for line breaks and JSON for any other."""

from __future__ import annotations

import json

import pytest
import yaml

from expand_vars import pipeline

BREAKS = ["\x85", "\u2028", "\u2029"]
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    env: [{name: L, value: " lead"}]
    args:
    - FIELD
"""


@pytest.mark.parametrize("style", ['"%s"', "'%s'"])
@pytest.mark.parametrize("text", ["x-BREAK$(L)x", "BREAK$(L)x", "$(L)BREAK$(L)BREAK", "x BREAK BREAK $(L)"])
@pytest.mark.parametrize("character", BREAKS)
def test_a_value_beside_one_loses_nothing_in_yaml(character: str, text: str, style: str) -> None:
    given = POD.replace("FIELD", style % text.replace("BREAK", character))
    before = yaml.safe_load(given)["spec"]["containers"][0]["args"][0]
    after = yaml.safe_load(pipeline.run(given).text)["spec"]["containers"][0]["args"][0]
    assert after == before.replace("$(L)", " lead")


def json_pod(character: str) -> str:
    pod = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
        "spec": {"containers": [
            {"name": "c", "env": [{"name": "L", "value": " lead"}], "args": [f"{character}$(L)x", f"a {character} b"]}
        ]},
    }  # fmt: skip
    return json.dumps(pod, ensure_ascii=False)


@pytest.mark.parametrize("around", ["%s", '{"apiVersion": "v1", "kind": "List", "items": [%s, %s]}'])
@pytest.mark.parametrize("character", BREAKS)
def test_json_is_read_as_json(character: str, around: str) -> None:
    given = around.replace("%s", json_pod(character))
    output = pipeline.run(given).text
    assert json.loads(output) == json.loads(given.replace("$(L)", " lead"))


@pytest.mark.parametrize("character", BREAKS)
def test_an_array_of_json_is_no_object(character: str) -> None:
    given = f"[{json_pod(character)}]\n"
    assert pipeline.run(given).text == given


@pytest.mark.parametrize("above", ["---\n", "# c\n", "a: 1\n---\n"])
@pytest.mark.parametrize("character", BREAKS)
def test_json_in_a_stream_of_yaml_is_read_as_yaml(character: str, above: str) -> None:
    field = json.dumps(f"a{character}b $(L)", ensure_ascii=False)
    pod = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", '
    given = f'{above}{pod}"env": [{{"name": "L", "value": "v"}}], "args": [{field}]}}]}}}}\n'
    *_, before = yaml.safe_load_all(given)
    *_, after = yaml.safe_load_all(pipeline.run(given).text)
    assert after["spec"]["containers"][0]["args"] == [before["spec"]["containers"][0]["args"][0].replace("$(L)", "v")]
