"""A lone CR, U+0085, U+2028 and U+2029, which YAML 1.1 takes for line breaks and JSON for any other character."""

from __future__ import annotations

import json

import pytest
import yaml

from expand_vars import pipeline
from tests.expand_vars.expansion.running import config_map, run

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


# A block whose lines a parser counts otherwise than an editor, and the line that the message names.
BLOCKS = {
    "behind the header": ("|BREAK      $(L)\n      b\n", 9),
    "behind the header of a folded text": (">-BREAK      $(L)BREAK\n", 9),
    "above the reference": ("|\n      aBREAK      $(L)\n      b\n", 10),
    "below the reference": ("|\n      $(L)\n      aBREAK      b\n", 11),
    "at the end": ("|2-\n      $(L)BREAK", 10),
}
WRONG_LINE = "line {}: this line ends in another way than LF and CRLF: convert the line ends of the text first"


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("character", ["\r", *BREAKS])
def test_a_block_with_one_stays_as_it_is(character: str, block: str) -> None:
    text, line = BLOCKS[block]
    ran = pipeline.run(POD.replace("FIELD\n", text.replace("BREAK", character)) + "    image: i\n")
    told = "[error] v1/Pod/p spec.containers[name=c].args[0]: the field cannot be changed: "
    assert (ran.text, [str(one) for one in ran.results]) == ("", [told + WRONG_LINE.format(line)])


def test_a_file_with_such_line_ends_keeps_its_blocks_and_gets_other_values() -> None:
    given = f"{POD}    - |\n      text\n    - >-\n      folded\n".replace("FIELD", "$(L)").replace("\n", "\r")
    assert pipeline.run(given).text == given.replace("$(L)", '" lead"')


def test_a_block_of_a_file_in_a_field_with_one_stays_as_it_is() -> None:
    item = config_map("c", json.dumps({"a.yaml": "a: |\r  $(A)\rb: 1\r"}))
    ran = run(item, spec="variables: [{name: A, value: v}]\ntargets: [{fieldPaths: ['data[*]']}]")
    what = "this file could be read, and with these values it cannot: "
    where = "error UnfitValue data['a.yaml']: "
    assert ran.told == [f"{where}{what}{WRONG_LINE.format(1)}: mend the values, or the text around them"]
