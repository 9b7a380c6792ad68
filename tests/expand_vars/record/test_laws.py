"""The laws of runs in place, on random workloads, variables and edits by hand."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from expand_vars import pipeline
from tests.expand_vars.expansion.running import config

NAMES = "ABC"
WORDS = ("eu", "us", "", "1", "yes", "$", "a$$b", "long " * 30)
TEMPLATES = ("$(A)", "--at=$(B)", "$(A) and $(C)", "$$(A)", "$(NOBODY)", "$(HOST)", "literal", "eu", "us")

values = st.sampled_from(WORDS)
variables = st.dictionaries(st.sampled_from(NAMES), values)
words = st.lists(st.sampled_from(TEMPLATES), max_size=5)


@st.composite
def containers(draw: st.DrawFn, name: str) -> dict[str, Any]:
    env = [{"name": f"E{number}", "value": word} for number, word in enumerate(draw(words))]
    host = draw(st.sampled_from([[], [{"name": "HOST", "value": "host.$(A)"}]]))
    return {"name": name, "image": draw(st.sampled_from(TEMPLATES)), "env": host + env, "args": draw(words)}


@st.composite
def pods(draw: st.DrawFn) -> str:
    names = draw(st.sets(st.sampled_from(["web", "side"]), min_size=1))
    metadata = {"name": "web", "annotations": {"config.kubernetes.io/path": "a.yaml", "config.k8s.io/id": "1"}}
    spec = {"containers": [draw(containers(name)) for name in sorted(names)]}
    style = draw(st.sampled_from([None, "'", '"', ">"]))
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return yaml.dump(pod, default_style=style, width=draw(st.sampled_from([20, 1000])))


def run(item: str, given_: dict[str, str], more: str = "", name: str = "fn") -> str:
    """Run on an item with variables, literally."""
    spec = [{"name": key, "value": value.replace("$", "$$")} for key, value in given_.items()]
    text = f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {{name: {name}}}\nspec:\n"
    text += (
        f"  targets: [{{preset: Images}}]\n  variables: {yaml.dump(spec, default_flow_style=True, width=9999)}{more}"
    )
    output = pipeline.run(item, config(text))
    assert output.text, output.results
    return output.text


def run_with_secret(item: str, given_: dict[str, str]) -> str:
    """Run on an item with variables from a Secret, which is not there where it would be empty."""
    sources = [
        {"name": name, "valueFrom": {"secretKeyRef": {"name": "s", "key": name, "optional": True}}} for name in NAMES
    ]
    spec = {"inline": ["Literals", "Variables", "Secrets"], "targets": [{"preset": "Images"}], "variables": sources}
    function_config = {"apiVersion": "expandvars.dev/v1alpha1", "kind": "ExpandVars", "metadata": {"name": "fn"}}
    data = {name: b64encode(value.encode()).decode() for name, value in given_.items()}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": data}
    items = [item, yaml.dump(secret)] if given_ else [item]
    output = pipeline.run("---\n".join(items), config(yaml.dump(function_config | {"spec": spec})))
    assert output.text, output.results
    return output.text.partition("---\n")[0]


def spec_of(item: str) -> Any:
    return yaml.safe_load(item)["spec"]


@given(pods(), variables)
def test_a_second_run_changes_nothing(item: str, given_: dict[str, str]) -> None:
    once = run(item, given_)
    assert run(once, given_) == once


@given(pods(), variables, st.fixed_dictionaries(dict.fromkeys(NAMES, values)))
def test_a_run_with_other_values_gives_what_a_first_run_would_have_given(
    item: str, first: dict[str, str], second: dict[str, str]
) -> None:
    """A variable that is not declared at first stays a reference, and takes its value when it has one."""
    assert spec_of(run(run(item, first), second)) == spec_of(run(item, second))


@given(pods(), variables, variables)
def test_of_two_functionconfigs_the_later_one_gives_the_value_and_the_other_keeps_the_rest(
    item: str, first: dict[str, str], second: dict[str, str]
) -> None:
    both = run(run(item, first, name="first"), second, name="second")
    assert spec_of(both) == spec_of(run(item, first | second))
    assert run(both, second, name="second") == both
    assert spec_of(run(both, first, name="first")) == spec_of(run(item, second | first))


@given(pods(), variables)
def test_a_plain_pipe_gives_the_same_fields_and_no_record(item: str, given_: dict[str, str]) -> None:
    once = run(item, given_)
    piped = run(once, given_, more="  record: Never\n")
    assert "expandvars.dev" not in piped
    assert spec_of(piped) == spec_of(once)
    assert piped == run(item, given_, more="  record: Never\n")


@given(pods(), variables, variables, st.data())
def test_what_is_written_by_hand_stays(
    item: str, first: dict[str, str], second: dict[str, str], data: st.DataObject
) -> None:
    """Literals, equal to rendered texts or not: in the place of a field, behind a new flag, in a new entry of `env`."""
    pod = yaml.safe_load(run(item, first))
    rendered = sorted({word for one in pod["spec"]["containers"] for word in one["args"] if "$" not in word} | {"eu"})
    literals = st.sampled_from(rendered)
    container = data.draw(st.sampled_from(pod["spec"]["containers"]))
    flag, literal, own = "--mine", data.draw(literals), data.draw(literals) + "!"
    # A text that is taken from one place and put in another is no new one: it was moved.
    if editable := [index for index, word in enumerate(container["args"]) if word != literal]:
        container["args"][data.draw(st.sampled_from(editable))] = own
    position = data.draw(st.integers(0, len(container["args"])))
    container["args"][position:position] = [flag, literal]
    container["env"].insert(0, {"name": "MINE", "value": literal})
    edited = run(yaml.dump(pod), second)
    (after,) = [one for one in spec_of(edited)["containers"] if one["name"] == container["name"]]
    assert after["args"][position : position + 2] == [flag, literal]
    assert after["env"][0] == {"name": "MINE", "value": literal}
    assert after["args"].count(own) == container["args"].count(own)
    assert run(edited, second) == edited


@given(pods(), st.fixed_dictionaries(dict.fromkeys(NAMES, values)), st.fixed_dictionaries(dict.fromkeys(NAMES, values)))
def test_a_secret_that_is_gone_leaves_all_as_it_is_until_it_is_back(
    item: str, first: dict[str, str], second: dict[str, str]
) -> None:
    once = run_with_secret(item, first)
    assert spec_of(once) == spec_of(run(item, first))
    assert run_with_secret(once, first) == once
    assert run_with_secret(once, {}) == once
    assert spec_of(run_with_secret(once, second)) == spec_of(run_with_secret(item, second))
