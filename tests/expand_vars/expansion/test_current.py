"""Items that are told by their text alone: no tree is built of them, and the run is the one that a tree gives."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expand_vars import pipeline
from expand_vars.expansion.current import Current
from krm.results import FnError
from krm.yamltree.parser import ParseError
from tests.calls import parsed

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

TIMES = 5000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 150
VALUES = [("REGION", "eu-1"), ("TAG", "1.27"), ("N", "3"), ("EMPTY", ""), ("LIVE", "$(REGION)-x"), ("WORD", "on")]
HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
CONTAINERS = "spec:\n  template:\n    spec:\n      containers:\n      - name: web\n"
CONFIG = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: f}\nspec:\n  variables:\n"


def deployment(*lines: str) -> str:
    return HEAD + CONTAINERS + "".join(f"        {line}\n" for line in lines)


def args(*lines: str) -> str:
    return deployment("args:", *(f"- {line}" for line in lines))


def run(text: str, spec: dict[str, Any] | None = None, values: list[tuple[str, str]] = VALUES) -> Any:
    def settle(config: Any) -> Any:
        for name, value in (spec or {}).items():
            setattr(config, name, value)
        return config.in_place()

    output = pipeline.run(text, None, values, settle)
    return "".join(output.pieces), [one.as_data() for one in output.results]


@pytest.fixture
def without_it(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    def ask(text: str, **options: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(Current, "take", lambda *_: False)
            return run(text, **options)

    return ask


OWN = (
    "env:",
    "- name: POD",
    "  valueFrom:",
    "    fieldRef:",
    "      fieldPath: metadata.name",
    "- name: CPU",
    "  valueFrom: {resourceFieldRef: {resource: limits.cpu}}",
    "- name: OWN",
    "  value: a-eu-1 # expand: a-$(REGION)",
)


def own(*lines: str) -> str:
    """Return a Deployment whose container has names of its own."""
    return deployment("args:", "- v-eu-1 # expand: v-$(REGION)", *(f"- {line}" for line in lines), *OWN)


CURRENT = {
    "a plain text": args("--region=eu-1 # expand: --region=$(REGION)"),
    "a comment of the author's": args("--region=eu-1  # mine # expand: --region=$(REGION)"),
    "double quotes": args('"a: eu-1" # expand: "a: $(REGION)"'),
    "single quotes": args("'eu-1' # expand: '$(REGION)'"),
    "quotes that the value needs": args('"on" # expand: $(WORD)'),
    "two references": args("eu-1/1.27 # expand: $(REGION)/$(TAG)"),
    "an entry": HEAD + "  labels:\n    region: eu-1 # expand: $(REGION)\n",
    "a number": "apiVersion: e.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  n: 3 # expand: $(N)\n",
    "a number as a label": HEAD + "  labels:\n    n: 3 # expand: $(N)\n",
    "brackets beside it": deployment("command: [sh, {a: [b]}]", "args:", "- v-eu-1 # expand: v-$(REGION)"),
    "a block beside it": deployment("args:", "- |", "  # a script", "", "  x: [", "- eu-1-v # expand: $(REGION)-v"),
    "CRLF": args("eu-1-v # expand: $(REGION)-v").replace("\n", "\r\n"),
    "env": deployment("env:", "- name: R", "  value: v-eu-1 # expand: v-$(REGION)", "- name: P", "  valueFrom: {a: b}"),
}


@pytest.mark.pure
@pytest.mark.parametrize("case", CURRENT)
def test_an_item_that_shows_the_values_is_not_parsed(case: str, without_it: Any) -> None:
    text = CURRENT[case]
    assert parsed(lambda: run(text)) == 0
    assert run(text) == without_it(text)
    assert run(text)[0] == text


UNTOLD = {
    "brackets": deployment("# expand: args: [\"-r=$(REGION)\", x, '$(TAG)']", "args: [\"-r=eu-1\", x, '1.27']"),
    "an entry of env": deployment("env:", '# expand: - {name: R, value: "$(REGION)"}', '- {name: R, value: "eu-1"}'),
    "names of the container's own": own("$(POD)", "'$(CPU)/$(OWN)' # $(POD) as well", "--x"),
    "names of each container's own": own("$(POD)") + "      - args:\n        - $(B)\n        env:\n        - name: B\n"
    "          valueFrom: {fieldRef: {fieldPath: metadata.uid}}\n",
    "a comment above nothing": deployment('# expand: command: ["$(OTHER)"]', "").rstrip(" "),
    "another value": args("--region=us # expand: --region=$(REGION)"),
    "a name without a value": args("--region=us # expand: --region=$(OTHER)"),
    "an empty value": args('"" # expand: $(EMPTY)'),
    "a live value": args("eu-1-x # expand: $(LIVE)"),
    "a number in quotes": args('"3" # expand: $(N)'),
    "a template of another spelling": args('eu-1" # expand: "$(REGION)'),
    "a template that is no plain text": args("eu-1 # expand: [$(REGION)"),
    "an empty template": args("eu-1 # expand: ", "eu-1-v # expand: $(REGION)-v"),
    "no template": args("eu-1 # expand: eu-1"),
    "brackets without quotes": deployment("# expand: args: [v-$(REGION)]", "args: [v-eu-1]"),
    "brackets with another value": deployment('# expand: args: ["$(REGION)"]', 'args: ["us"]'),
    "brackets with a comment": deployment('# expand: args: ["$(REGION)"]', 'args: ["eu-1"] # mine'),
    "brackets with a name without a value": deployment('# expand: args: ["$(OTHER)"]', 'args: ["us"]'),
    "brackets with a quote in a value": deployment('# expand: args: ["$(QUOTE)"]', "args: ['a\"b']"),
    "brackets in an annotation of a tool": HEAD + "  annotations:\n    # expand: internal.config.kubernetes.io/x: "
    '["$(REGION)"]\n    internal.config.kubernetes.io/x: ["eu-1"]\n',
    "a block below a comment": deployment("# expand: args: |", "args: |", '  "$(REGION)"'),
    "a comment of a setter above": deployment("args:", '# {"$openapi": "a"}', "- eu-1-v # expand: $(REGION)-v"),
    "a comment of a setter": args("eu-1 # kpt-set: x # expand: $(REGION)"),
    "another reference": args("eu-1-v # expand: $(REGION)-v", "$(TAG)"),
    "a name of no container's": own("$(NONE)"),
    "a name of another container's": own() + "      - args:\n        - $(POD)\n",
    "an escaped name of the container's own": own("$$(POD)"),
    "a name of the container's own in a probe": own() + "        livenessProbe: {exec: {command: [$(POD)]}}\n",
    "a name of the container's own in its env": own() + "        - name: C\n          value: $(POD)\n",
    "a name of the container's own that is a variable's": own("$(TAG)") + "        - name: TAG\n          value: a\n",
    "a name of the container's own out of a ConfigMap": own("$(K)")
    + "        - name: K\n          valueFrom: {configMapKeyRef: {name: c, key: k}}\n",
    "an escape": args("eu-1-v # expand: $(REGION)-v", '"\\u0024(TAG)"'),
    "a name that the container declares": deployment(
        "args:", "- eu-1-v # expand: $(REGION)-v", "env:", "- name: REGION", "  value: eu-1"
    ),
    "names from elsewhere": deployment("args: [x]", "envFrom: []", "image: eu-1-v # expand: $(REGION)-v"),
    "a name of a controller": args("--rank=7 # expand: --rank=$(RANK)"),
    "a value that the API refuses": deployment(
        "args:", "- eu-1-v # expand: $(REGION)-v", "env:", "- name: M", "  value: 3"
    ),
    "a value beside a source": deployment(
        "args:", "- eu-1-v # expand: $(REGION)-v", "env:", "- name: M", '  value: "3"', "  valueFrom: {fieldRef: {}}"
    ),
    "text over several lines": args("x", "  - eu-1-v # expand: $(REGION)-v"),
    "a block of text": args("|", "  - eu-1-v # expand: $(REGION)-v"),
    "brackets over several lines": deployment("args: [a,", "  b: eu-1-v # expand: $(REGION)-v", "  ]"),
    "another line break": args("eu-1-v # expand: $(REGION)-v", '"\u2028"'),
    "an annotation of a tool": HEAD
    + "  annotations:\n    internal.config.kubernetes.io/x: eu-1-v # expand: $(REGION)-v\n",
    "an element of a List": "apiVersion: v1\nkind: List\nitems:\n- "
    + args("eu-1-v # expand: $(REGION)-v").replace("\n", "\n  "),
    "configuration of a tool": args("eu-1-v # expand: $(REGION)-v").replace(
        "name: web\n", 'name: web\n  annotations:\n    config.kubernetes.io/local-config: "true"\n', 1
    ),
    "a Secret": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  a: eu-1-v # expand: $(REGION)-v\n",
}


@pytest.mark.pure
@pytest.mark.parametrize("case", UNTOLD)
def test_of_any_other_item_a_tree_is_asked(case: str, without_it: Any) -> None:
    text, values = UNTOLD[case], [*VALUES, ("RANK", "7"), ("QUOTE", 'a"b')]
    assert parsed(lambda: run(text, values=values)) > 0
    assert run(text, values=values) == without_it(text, values=values)


@pytest.mark.pure
@pytest.mark.parametrize("spec", [{"record": "Never"}, {"runtime_names": ("x",)}, {"lookup": ("Variables",)}], ids=str)
def test_what_a_functionconfig_says_of_items_and_names_needs_their_trees(spec: dict[str, Any]) -> None:
    text = args("--region=eu-1 # expand: --region=$(REGION)")
    config = {**spec, "runtime_names": ()} if "runtime_names" not in spec else {"exclude": (), "selectors": (_No(),)}
    assert parsed(lambda: run(text, config)) > 0


class _No:
    def matches(self, _item: object) -> bool:
        return False


@pytest.mark.pure
def test_where_names_of_containers_are_written_in_a_tree_is_asked() -> None:
    asked = {"inline": frozenset(("Literals", "Variables")), "stated": {"inline"}}
    assert parsed(lambda: run(own("$(OWN)"), asked)) > 0


@pytest.mark.pure
def test_a_source_of_a_variable_is_asked_by_its_tree() -> None:
    source = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  k: a-eu-1 # expand: a-$(REGION)\n"
    user = args("--k=b-us # expand: --k=b-$(KEY)")
    key = "  - name: KEY\n    valueFrom: {objectFieldRef: {kind: ConfigMap, name: c, fieldPath: data.k}}\n"
    config = f"{CONFIG}  - {{name: REGION, value: us}}\n{key}"
    text, found = run(f"{config}---\n{source}---\n{user}", values=[])
    assert "  k: a-us # expand: a-$(REGION)\n" in text
    assert "- --k=b-a-us # expand: --k=b-$(KEY)\n" in text
    assert [one["message"] for one in found if one["severity"] == "error"] == []


def test_where_most_fields_had_another_value_those_that_have_it_count(without_it: Any) -> None:
    def fields(*values: str) -> str:
        return "---\n".join(args(f"--r={one} # expand: --r=$(REGION)") for one in values)

    for text in (fields("eu-1", "eu-1", "us"), fields("us", "us", "eu-1"), fields("eu-1", "us", "asia", "us")):
        assert run(text) == without_it(text)


LINES = (
    "--a=eu-1 # expand: --a=$(REGION)",
    '"1.27" # expand: "$(TAG)"',
    "v1.27 # expand: v$(TAG)",
    "'x # y' # c # expand: 'x # y'",
    "a: &x b",
    "{a: b}",
    "|\n            # expand: $(TAG)",
    '"q\n            r"',
    "$(date)",
    "it's",
    "--url=http://x:80/#a",
    """x\n        # expand: - ["--a=$(REGION)", '$(TAG)', b]\n        - ["--a=eu-1", '1.27', b]""",
    """x\n        env:\n        # expand: - {name: A, value: "$(REGION)"}\n        - {name: A, value: "eu-1"}""",
    """x\n        # expand: command: [sh, {a: "$(TAG)"}]\n        command: [sh, {a: "1.27"}]""",
    "a # b",
    "$(POD)",
    "--p=$(POD) # expand: --p=$(POD)",
    "x\n" + "".join(f"        {line}\n" for line in OWN).rstrip("\n"),
    "x\n        command:\n        - $(POD) # $(TAG)",
    "x\n        - name: OTHER\n          value: $(POD)",
    "x\n      - name: more\n        args:\n        - $(POD)",
)
ODD = (
    "\n",
    " ",
    "#",
    "'",
    '"',
    ":",
    "- ",
    "[",
    "}",
    "|",
    "\\",
    "$",
    "eu-1",
    "REGION",
    "# expand: ",
    "value: ",
    "\t",
    "&a ",
    "POD",
    "$(POD)",
    "env:",
    "args:",
    "\n      ",
)


@settings(max_examples=TIMES, deadline=None)
@given(st.randoms())
def test_the_text_tells_what_a_tree_tells(random: Random) -> None:
    text = args(*random.choices(LINES, k=random.randint(1, 5)))
    for _ in range(random.choice((0, 0, 1, 2))):
        start = random.randrange(len(HEAD), len(text))
        text = text[:start] + random.choice(ODD) + text[start + random.choice((0, 0, 1, 3)) :]
    with pytest.MonkeyPatch.context() as patch:
        taken = _counted(patch)
        got = _told(text)
        patch.setattr(Current, "take", lambda *_: False)
        expected = _told(text)
    # A broken document of which nothing is to be changed passes, as one without a reference does.
    assert got == expected or (any(taken) and _is_broken(expected))


def _counted(patch: pytest.MonkeyPatch) -> list[bool]:
    take, taken = Current.take, []

    def counted(current: Current, item: Any, text: str | None) -> bool:
        taken.append(take(current, item, text))
        return taken[-1]

    patch.setattr(Current, "take", counted)
    return taken


def _told(text: str) -> tuple[str, list[Any]]:
    try:
        told: tuple[str, list[Any]] = run(text)
    except ParseError as error:
        return "", [{"message": f"document 1: {error}"}]
    except FnError as error:
        return "", [one.as_data() for one in error.results]
    return told


def _is_broken(told: tuple[str, list[Any]]) -> bool:
    return any(one["message"].startswith("document 1: ") for one in told[1])
