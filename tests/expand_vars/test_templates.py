"""What templates generate: their texts with the references in them expanded, and what is wrong with them."""

from __future__ import annotations

import pytest

from expand_vars import pipeline, templates
from expand_vars.expansion import findings, variables
from expand_vars.expansion.kustomize import Kustomize
from expand_vars.expansion.run import Run
from expand_vars.expansion.variables import Variables
from expand_vars.functionconfig.config import Config
from expand_vars.functionconfig.decoding import decode
from krm import resourcelist
from krm.resource import Resource
from krm.results import FnError
from tests.expand_vars.expansion.running import FUNCTION_CONFIG, indented

DECLARED = """\
variables:
- {name: REGION, value: eu}
- {name: COUNT, value: 3}
- {name: FLAG, value: true}
- {name: VERSION, value: "1.10"}
- {name: CODE, value: "0777"}
- {name: EMPTY, value: ""}
- {name: LIVE, value: $(REGION)-$(POD)}
- {name: MONEY, value: $$5}
- {name: LINES, value: "a\\nb"}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def _expanded(*listed: str, spec: str = DECLARED, items: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
    """Return what a pipe makes of templates, and what is told about their references."""
    config = _resource(FUNCTION_CONFIG + indented(spec + _templates(listed), 2))
    output = pipeline.run("---\n".join(items), config)
    texts = output.text.split("---\n")[len(items) :]
    assert len(texts) == len(listed)
    return texts, [f"{one.reason} {one}" for one in output.results if one.reason != "UnusedVariable"]


def _templates(listed: tuple[str, ...]) -> str:
    return "templates:\n" + "".join(f"-{indented(one, 2)[1:]}" for one in listed)


def _run(config: Config, declared: Variables) -> Run:
    return Run(config, declared, Kustomize(resourcelist.read("")))


def _mistakes(*listed: str, spec: str = DECLARED, items: tuple[str, ...] = ()) -> dict[str, str]:
    config = decode(_resource(FUNCTION_CONFIG + indented(spec + _templates(listed), 2)))
    declared, _ = variables.resolve(config, [_resource(item) for item in items], {})
    with pytest.raises(FnError) as caught:
        templates.expand(_run(config, declared))
    assert {(one.severity, str(one.ref)) for one in caught.value.results} == {
        ("error", "expandvars.dev/v1alpha1/ExpandVars/fn")
    }
    return {one.field or "": f"{one.reason}: {one.message}" for one in caught.value.results}


def _resource(text: str) -> Resource:
    return Resource(text, (0, len(text)), "a test")


FIELDS = {
    # The author types by quoting (docs/reference/expansion.md, "Types").
    "spec: {replicas: $(COUNT), paused: $(FLAG)}": "spec: {replicas: 3, paused: true}",
    "spec: {replicas: '$(COUNT)', paused: \"$(FLAG)\"}": "spec: {replicas: '3', paused: \"true\"}",
    "spec:\n  replicas: $(COUNT)  # how many\n": "spec:\n  replicas: 3  # how many\n",
    "spec: {version: $(VERSION)}": "spec: {version: 1.10}",
    "spec: {version: v$(VERSION)}": "spec: {version: v1.10}",
    "spec: {mode: $(CODE)}": 'spec: {mode: "0777"}',
    "spec: {a: $(REGION), b: $(EMPTY)}": 'spec: {a: eu, b: ""}',
    "spec: {a: !!str $(COUNT)}": 'spec: {a: !!str "3"}',
    "spec: [$(COUNT), [$(FLAG)]]": "spec: [3, [true]]",
    # A map of strings has strings alone.
    "data: {a: $(COUNT), b: v$(COUNT)}": 'data: {a: "3", b: v3}',
    "spec: {selector: {tier: $(COUNT)}}": 'spec: {selector: {tier: "3"}}',
    "spec: {nodeSelector: {a: $(FLAG)}, matchLabels: {a: $(FLAG)}}":
        'spec: {nodeSelector: {a: "true"}, matchLabels: {a: "true"}}',
    # In the final form: escapes are resolved, and what nobody knows stays.
    "spec: {a: $$5, b: $$(REGION), c: $(MONEY), d: $, e: $x}": "spec: {a: $5, b: $(REGION), c: $5, d: $, e: $x}",
    "spec: {price: 1.10, nothing: ~, yes: no}": "spec: {price: 1.10, nothing: ~, yes: no}",
    # Blocks and quotes stay what they are.
    "spec:\n  run: |\n    at $(REGION)\n      $(COUNT)\n": "spec:\n  run: |\n    at eu\n      3\n",
    "spec:\n  run: >-\n    at\n    $(REGION)\n": "spec:\n  run: >-\n    at\n    eu\n",
    "spec: {a: \"\\u00e9 $(REGION)\", b: 'it''s $(REGION)'}": "spec: {a: \"\\u00e9 eu\", b: 'it''s eu'}",
    "spec: {a: x$(LINES)}": 'spec: {a: "xa\\nb"}',
    # Keys are strings always.
    'data:\n  at-$(REGION): a\n  "$(COUNT)": b\n  $(COUNT)x: c\n': 'data:\n  at-eu: a\n  "3": b\n  3x: c\n',
    "data: {$(VERSION): $(REGION), $$(REGION): a}": 'data: {"1.10": eu, $(REGION): a}',
    "data:\n  $(LINES): a\n  ? |-\n    $(REGION)\n  : b\n": 'data:\n  "a\\nb": a\n  ? |-\n    eu\n  : b\n',
    "spec: {$(REGION): {$(REGION): $(COUNT)}}": "spec: {eu: {eu: 3}}",
}  # fmt: skip


@pytest.mark.parametrize("written", FIELDS)
def test_fields_are_in_the_final_form(written: str) -> None:
    text = FIELDS[written] if FIELDS[written].endswith("\n") else f"{FIELDS[written]}\n"
    assert _expanded(CONFIG_MAP + written) == ([CONFIG_MAP + text], [])


def test_a_reference_behind_a_tag_stays_and_is_told() -> None:
    written = f"{CONFIG_MAP}spec: {{a: !date $(REGION)}}\n"
    message = (
        "OtherSyntax [warning] v1/ConfigMap/a spec.a: `$(REGION)` stays here: "
        "only its readers know what the tag in front of the value means: remove the tag"
    )
    assert _expanded(written) == ([written], [message])


WORKLOAD = """\
apiVersion: apps/v1
kind: $(KIND)
metadata: {name: "web-$(REGION)", namespace: $(REGION), labels: {count: $(COUNT)}}
spec:
  replicas: $(COUNT)
  template:
    spec:
      containers:
      - name: $(REGION)
        image: web:$(VERSION)
        command: [run, $(REGION), $$HOME]
        args: [$(NOBODY)]
        env:
        - {name: AT, value: $(REGION)}
        livenessProbe: {exec: {command: [$(REGION)]}, httpGet: {path: /$(REGION)}}
        lifecycle: {preStop: {exec: {command: [echo, $(REGION), $$HOME]}}}
"""


NOBODY = (
    "UnresolvedReference [warning] apps/v1/Deployment/eu/web-eu spec.template.spec.containers[name=eu].args[0]: "
    "nothing defines `$(NOBODY)` in container `eu`, so it stays: declare it, or write `$$(NOBODY)` if it is text"
)


def test_what_the_kubelet_expands_is_expanded_as_everywhere() -> None:
    spec = f"{DECLARED}- {{name: KIND, value: Deployment}}\n"
    expected = WORKLOAD
    for before, after in {
        "kind: $(KIND)": "kind: Deployment",
        '"web-$(REGION)", namespace: $(REGION), labels: {count: $(COUNT)}':
            '"web-eu", namespace: eu, labels: {count: "3"}',
        "replicas: $(COUNT)": "replicas: 3",
        "- name: $(REGION)": "- name: eu",
        "web:$(VERSION)": "web:1.10",
        "path: /$(REGION)": "path: /eu",
        "[echo, $(REGION), $$HOME]": "[echo, eu, $HOME]",
    }.items():  # fmt: skip
        expected = expected.replace(before, after)
    for before, after in {"[run, $(REGION), $$HOME]": "[run, eu, $$HOME]", "value: $(REGION)": "value: eu"}.items():
        expected = expected.replace(before, after)
    expected = expected.replace("exec: {command: [$(REGION)]}", "exec: {command: [eu]}")
    assert _expanded(WORKLOAD, spec=spec) == ([expected], [NOBODY])


def test_pod_templates_of_other_kinds_are_left_too() -> None:
    fleet = "apiVersion: a.io/v1\nkind: Fleet\nmetadata: {name: a}\nspec: {pod: {spec: {containers: [{args: [$$]}]}}}\n"
    spec = f"{DECLARED}podTemplates: [{{group: a.io, kind: Fleet, fieldPath: spec.pod}}]\n"
    assert _expanded(fleet, spec=spec) == ([fleet], [])
    assert _expanded(fleet) == ([fleet.replace("$$", "$")], [])


def test_json_stays_json() -> None:
    written = '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "b": "$(COUNT)", "$(REGION)": "$(LINES)"}\n'
    expected = written.replace("$(COUNT)", "3").replace("$(REGION)", "eu").replace("$(LINES)", "a\\nb")
    assert _expanded(written) == ([expected], [])


def test_what_has_no_value_stays_and_is_told() -> None:
    text = CONFIG_MAP + "data: {a: $(NOBODY), b: $(LIVE), c: $(NOBODY), d: $(not a name)}\n"
    generated, told = _expanded(text, CONFIG_MAP.replace("name: a", "name: b") + "data: {a: $(NOBODY)}\n")
    assert generated[0] == text.replace("$(LIVE)", "eu-$(POD)")
    assert told == [
        f"UnresolvedReference [warning] v1/ConfigMap/{told}: it stays as it is written, until `variables` or an "
        "argument declares it"
        for told in (
            "a data.a and 1 more: no variable defines `$(NOBODY)`",
            "a data.b: no variable defines `$(POD)`",
            "b data.a: no variable defines `$(NOBODY)`",
        )
    ]


def test_without_leave_to_write_variables_nothing_is_expanded() -> None:
    text = CONFIG_MAP + "data: {a: $(REGION)}\n"
    assert _expanded(text, spec=f"{DECLARED}inline: []\n") == ([text], [])


DB = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: $hidden1}\n"
WITH_STRING_DATA = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {url: 'db://$(PASSWORD)@db'}\n"
READING = "variables:\n- {name: PASSWORD, valueFrom: {secretKeyRef: {name: db, key: password}}}\n"


def test_a_secret_goes_into_a_secret() -> None:
    expanded = _expanded(WITH_STRING_DATA, spec=READING, items=(DB,))
    assert expanded == ([WITH_STRING_DATA.replace("$(PASSWORD)", "$hidden1")], [])


def test_a_secret_stays_out_of_all_else() -> None:
    text = CONFIG_MAP + "data: {url: $(PASSWORD)}\n"
    generated, told = _expanded(WITH_STRING_DATA, text, spec=READING, items=(DB,))
    assert generated[1] == text
    assert told == [f"SecretReference [warning] v1/ConfigMap/a data.url: {findings.of_a_secret('PASSWORD')}"]


def test_with_leave_a_secret_goes_anywhere_and_its_places_are_known() -> None:
    text = CONFIG_MAP + "data: {url: $(PASSWORD), other: a}\n"
    spec = f"{READING}inline: [Variables, Secrets]\ntemplates:\n-{indented(text, 2)[1:]}"
    config = decode(_resource(FUNCTION_CONFIG + indented(spec, 2)))
    declared, _ = variables.resolve(config, [_resource(DB)], {})
    (generated,) = templates.expand(_run(config, declared))
    assert (generated.resource.text, [*generated.resource.secrets]) == (text, [("data", "url")])
    expanded = _expanded(text, spec=f"{READING}inline: [Variables, Secrets]\n", items=(DB,))
    assert expanded == ([text.replace("$(PASSWORD)", "$hidden1")], [])


NO_VALUE = "InvalidFunctionConfig: `$({})` has no value here, and it must have one"
COMMENT = "InvalidFunctionConfig: a comment `# expand:` has no effect in a template: write the reference itself"
TOOLS = "InvalidFunctionConfig: `{}` of `{}` is there for tools to read, and is not generated"
MISTAKES: dict[str, dict[str, str]] = {
    "apiVersion: $(NOBODY)/v1\nkind: $(LIVE)\nmetadata: {name: '$(A NAME)', namespace: $(LIVE)}": {
        "spec.templates[0].apiVersion": NO_VALUE.format("NOBODY"),
        "spec.templates[0].kind": NO_VALUE.format("POD"),
        "spec.templates[0].metadata.name": NO_VALUE.format("A NAME"),
        "spec.templates[0].metadata.namespace": NO_VALUE.format("POD"),
    },
    "apiVersion: v1\nkind: A\nmetadata: {name: $(EMPTY), namespace: $(EMPTY)}": {
        "spec.templates[0].metadata.name": "InvalidFunctionConfig: this becomes an empty text",
    },
    f"{CONFIG_MAP}data: {{eu: a, $(REGION): b}}\nlist: [{{name: b, '$$': x, $: y}}]": {
        "spec.templates[0].data['$(REGION)']": "InvalidFunctionConfig: this key becomes `eu`, and so does `eu`",
        "spec.templates[0].list[name=b].$": "InvalidFunctionConfig: this key becomes `$`, and so does `$$`",
    },
    "apiVersion: expandvars.dev/v2\nkind: $(REGION)\nmetadata: {name: a}": {
        "spec.templates[0].kind": TOOLS.format("eu", "expandvars.dev/v2"),
    },
    f"{CONFIG_MAP}data:\n  a: x # expand: $(COUNT)\n  b: x # expand: [$(COUNT)]\n  c: x # expand: later": {
        "spec.templates[0].data.a": COMMENT,
        "spec.templates[0].data.b": COMMENT,
    },
    "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}": {
        "spec.templates[0].kind": TOOLS.format("Kptfile", "kpt.dev/v1"),
    },
}


@pytest.mark.parametrize("written", MISTAKES)
def test_every_mistake_is_told_with_its_place(written: str) -> None:
    assert _mistakes(written) == {field.replace(".$", "['$']"): told for field, told in MISTAKES[written].items()}


def test_a_value_that_no_cluster_takes_in_a_name() -> None:
    listed = tuple(
        f"apiVersion: {version}\nkind: Pod\nmetadata: {{name: $(NAME), namespace: $(NAME)}}\n"
        for version in ("v1", "a.io/v1")
    )
    spec = f"variables: [{{name: NAME, value: My Shop}}]\n{_templates(listed)}"
    output = pipeline.run("", _resource(FUNCTION_CONFIG + indented(spec, 2)))
    takes = {
        "name": "a name of lower-case letters, digits, `-` and `.`",
        "namespace": "a name of at most 63 lower-case letters, digits and `-`",
    }
    assert [f"{one} ({one.reason})" for one in output.results] == [
        f"[{severity}] {version}/Pod/My Shop/My Shop metadata.{field}: `My Shop` cannot stand here: it has to be "
        f"{what}, such as `web-1`: mend the value of `NAME` ({reason})"
        for severity, version, reason in (("error", "v1", "UnfitValue"), ("warning", "a.io/v1", "OddValue"))
        for field, what in takes.items()
    ]
    assert output.text == ""


def test_what_is_secret_is_no_part_of_a_name_or_a_key() -> None:
    named = "apiVersion: v1\nkind: Secret\nmetadata: {name: $(PASSWORD)}\n"
    keyed = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {$(PASSWORD): a}\n"
    spec = f"{READING}inline: [Variables, Secrets]\n"
    assert _mistakes(named, keyed, spec=spec, items=(DB,)) == {
        "spec.templates[0].metadata.name": "InvalidFunctionConfig: what a resource is called cannot be secret",
        "spec.templates[1].stringData['$(PASSWORD)']": "InvalidFunctionConfig: a key cannot hold what is secret",
    }


def test_two_templates_of_one_resource() -> None:
    written = [f"apiVersion: a.io/{at}\nkind: A\nmetadata: {{name: eu{space}}}\n" for at, space in TWICE]
    assert _mistakes(CONFIG_MAP, *(one.replace("eu", "$(REGION)", 1) for one in written)) == {
        "spec.templates[2]": "InvalidFunctionConfig: this is A `eu` again, which `spec.templates[1]` generates",
    }


TWICE = [("v1", ", namespace: default"), ("v2", ""), ("v1", ", namespace: other")]


def test_a_source_of_a_variable_cannot_be_generated() -> None:
    spec = """\
variables:
- {name: A, valueFrom: {objectFieldRef: {kind: ConfigMap, name: a, fieldPath: data.a, optional: true}}}
- {name: B, valueFrom: {configMapKeyRef: {name: a, namespace: elsewhere, key: b, optional: true}}}
variablesFrom: [{configMapRef: {name: a, optional: true}}]
"""
    told = "InvalidSource: ConfigMap `a` is what `spec.templates[0]` generates: variables are read before that"
    assert _mistakes(CONFIG_MAP, spec=spec) == {"spec.variablesFrom[0]": told, "spec.variables[name=A]": told}


def test_a_template_that_has_no_text_of_its_own() -> None:
    written = "apiVersion: v1\nkind: A\nmetadata: {name: a}\na: {[*value]: b}\n"
    taken = "this cannot be taken out of the functionConfig: line 7: it has a key that is no scalar"
    assert _mistakes(written, spec="variables: [{name: A, value: &value a}]\n") == {
        "spec.templates[0]": f"InvalidFunctionConfig: {taken}",
    }


def test_a_text_that_is_too_long() -> None:
    spec = f"variables: [{{name: LONG, value: {'x' * 2000}}}]\n"
    name = CONFIG_MAP.replace("name: a", f"name: {'$(LONG)' * 600}")
    too_long = "a field is too long: its references expand to more than 1 MiB, which is more than a cluster can store"
    assert _mistakes(name, spec=spec) == {"spec.templates[0]": f"InvalidFunctionConfig: {too_long}"}
    _, told = _expanded(f"{CONFIG_MAP}data: {{a: {'$(LONG)' * 600}}}", spec=spec)
    assert told == [f"TooLong [error] v1/ConfigMap/a data.a: {too_long.replace('a field', 'this')}"]


def test_a_key_that_is_too_long() -> None:
    config = decode(
        _resource(
            f"{FUNCTION_CONFIG}  variables: [{{name: LONG, value: {'x' * 2000}}}]\n"
            + indented(_templates((f"{CONFIG_MAP}data: {{$(LONG): a}}",)), 2)
        )
    )
    declared, _ = variables.resolve(config, [], {})
    with pytest.raises(FnError) as caught:
        templates.expand(_run(config, declared))
    assert str(caught.value) == "[error] spec.templates[0]: line 4, column 8: a key of more than 1,024 characters"


def test_a_functionconfig_without_templates_generates_nothing() -> None:
    assert templates.expand(_run(Config(), Variables())) == []


EMPTY = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: []
functionConfig:
  apiVersion: expandvars.dev/v1alpha1
  kind: ExpandVars
  metadata:
    name: fn
    annotations:
      config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/seqindent: compact
  spec:
    templates:
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: a}
"""


def test_an_empty_directory_under_kpt_gets_a_state_at_the_first_run() -> None:
    """No item tells that the run is in place, so what kpt has noted in the functionConfig does."""
    made = resourcelist.read(pipeline.run(EMPTY).text).items
    assert [(item.kind, item.file) for item in made] == [
        ("ConfigMap", None),
        ("GeneratedResources", "fn.generated.yaml"),
    ]
    piped = resourcelist.read(pipeline.run(EMPTY.replace("seqindent", "other")).text).items
    assert {item.kind: item.file for item in piped} == {"ConfigMap": None}
