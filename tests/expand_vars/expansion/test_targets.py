"""Fields that are expanded because a functionConfig names them, and variables in fields that nobody expands."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from tests.expand_vars.expansion.running import config_map, pod, run

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLES = """\
variables:
- {name: TAG, value: "v1.4.2"}
- {name: NUM, value: "3"}
- {name: FLAG, value: "true"}
- {name: DD, value: "a$$b"}
- {name: LIVE, value: "$(NUM)-$(POD)"}
- {name: PATH, value: "$(PATH):/bin"}
"""

BOOKS = (
    "  annotations: {note: $(TAG), config.kubernetes.io/path: $(TAG), "
    "kubectl.kubernetes.io/last-applied-configuration: $(TAG)}\n"
)

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {version: $(TAG)}
<BOOKS>spec:
  replicas: $(NUM)
  selector: {matchLabels: {version: $(TAG)}}
  template:
    metadata:
      labels: {version: $(TAG)}
      annotations: {note: $(TAG)}
    spec:
      initContainers: [{name: init, image: "init:$(TAG)"}]
      containers:
      - name: app
        image: app:$(TAG)   # the tag
        volumeMounts: [{name: v, mountPath: /$(TAG)}]
      ephemeralContainers: [{name: debug, image: $(TAG)}]
      volumes: [{name: v, nfs: {server: $(TAG), path: $(TAG)}}]
""".replace("<BOOKS>", BOOKS)

INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  rules: [{host: $(TAG).example.com}, {host: static}, {}]
  tls: [{hosts: [$(TAG).example.com], secretName: $(TAG)}]
"""

SERVICE = (
    "apiVersion: v1\nkind: Service\nmetadata: {name: $(TAG)}\nspec:\n  ports: [{port: $(NUM), targetPort: $(NUM)}]\n"
)

# An object, and what stands in it where its references can be nobody else's.
CLOSED = {
    "a Deployment": (
        DEPLOYMENT,
        {
            "labels: {version: v1.4.2}",
            "replicas: 3",
            "selector: {matchLabels: {version: v1.4.2}}",
            'initContainers: [{name: init, image: "init:v1.4.2"}]',
            "image: app:v1.4.2   # the tag",
            "ephemeralContainers: [{name: debug, image: v1.4.2}]",
            "volumes: [{name: v, nfs: {server: v1.4.2, path: $(TAG)}}]",
        },
    ),
    "an Ingress": (
        INGRESS,
        {
            "rules: [{host: v1.4.2.example.com}, {host: static}, {}]",
            "tls: [{hosts: [v1.4.2.example.com], secretName: v1.4.2}]",
        },
    ),
    "a Service": (SERVICE, {"metadata: {name: v1.4.2}", "ports: [{port: 3, targetPort: 3}]"}),
    "of a kind that nobody knows": (
        "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: $(TAG)}\nspec: {image: $(TAG), replicas: $(NUM)}\n",
        {"metadata: {name: v1.4.2}"},
    ),
}


@pytest.mark.parametrize("case", CLOSED)
def test_a_field_that_can_hold_no_reference_is_expanded_without_a_word(case: str) -> None:
    item, expected = CLOSED[case]
    text = run(item, spec=VARIABLES).text
    assert {line.strip() for line in text.splitlines() if "v1.4.2" in line or re.search(": 3\\b", line)} == expected
    assert re.sub(r"(port|replicas|targetPort): 3", r"\1: $(NUM)", text.replace("v1.4.2", "$(TAG)")) == item


def test_all_takes_the_free_texts_that_refer_to_a_variable() -> None:
    spec = f"{VARIABLES}targets: [{{preset: All, select: {{kind: Deployment|ConfigMap}}}}]"
    data = config_map("c", "{a: $(TAG), b: $(date) $$ $(TAG), c: $(date), d: a$(NOPE)}")
    ran = run(DEPLOYMENT, data, INGRESS.replace("name: web", "name: web, annotations: {a: $(TAG)}"), spec=spec)
    deployment, settings, ingress = (item for item in ran.items)
    assert deployment["metadata"]["annotations"]["note"] == "v1.4.2"
    assert deployment["metadata"]["annotations"]["config.kubernetes.io/path"] == "$(TAG)"
    assert deployment["spec"]["template"]["spec"]["volumes"][0]["nfs"]["path"] == "v1.4.2"
    assert settings["data"] == {"a": "v1.4.2", "b": "$(date) $$ v1.4.2", "c": "$(date)", "d": "a$(NOPE)"}
    assert ingress["metadata"]["annotations"] == {"a": "$(TAG)"}
    assert [one for one in ran.told if "Taken" in one or "Untargeted" in one] == [
        (
            "warning UntargetedReference metadata.annotations.a: `$(TAG)` stays: this field may hold any text, and is "
            "expanded only as a target: add `targets: [{select: {group: networking\\.k8s\\.io, kind: Ingress}, "
            "fieldPaths: [metadata.annotations.a]}]` to the functionConfig"
        ),
        "info Taken None: `All` takes texts with references: 2 of ConfigMap, 4 of Deployment",
    ]


SHARED = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {a: &a $(TAG), b: &b "x $(TAG)"}
spec:
  containers:
  - {name: one, image: *a, workingDir: *b}
"""


def test_what_an_alias_shows_is_taken_where_no_reference_stands_near() -> None:
    ran = run(SHARED, spec=f"{VARIABLES}targets: [{{preset: All}}]")
    assert ran.text == SHARED.replace("$(TAG)", "v1.4.2")
    # An image can be nobody else's: the alias gives way to its own text.
    ran = run(SHARED, spec=VARIABLES)
    assert ran.text == SHARED.replace("image: *a", "image: v1.4.2")


TAG = "variables:\n- {name: TAG, value: v1.4.2}\n"
NUM = f'{TAG}- {{name: NUM, value: "3"}}\n'


def a_value(random: Random, anchors: list[str], depth: int) -> str:
    """Return a value in brackets, with references, anchors and aliases in it."""
    pick = random.random()
    if pick < 0.2 and anchors:
        return f"*{random.choice(anchors)} "
    if pick < 0.6 or depth == 0:
        return random.choice(["$(TAG)", '"a $(TAG) $$ $(date)"', "'$$x-$(TAG)'", "x", "1.0", "~", '"\\u00e9$(TAG)"'])
    anchor = f"&x{len(anchors)} " if random.random() < 0.4 else ""
    kids = [a_value(random, anchors, depth - 1) for _ in range(random.randint(1, 3))]
    anchors += [anchor[1:-1]] if anchor else []
    if random.random() < 0.5:
        return f"{anchor}[{', '.join(kids)}]"
    return f"{anchor}{{{', '.join(f'{key}: {kid}' for key, kid in zip('abc', kids, strict=False))}}}"


@pytest.mark.parametrize("seed", range(300))
def test_all_changes_nothing_outside_of_the_references(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - texts, no secrets
    anchors: list[str] = []
    lines = [f"  k{number}: {a_value(random, anchors, 3)} # kept\n" for number in range(4)]
    source = f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: t}}\nspec:\n{''.join(lines)}"
    ran = run(source, spec=f"{TAG}targets: [{{preset: All}}]")
    assert ran.text == source.replace("$(TAG)", "v1.4.2")


# Where `All` takes nothing: what somebody else reads, or expands.
NOT_TAKEN = {
    "a container of a kind that nobody knows": (
        "apiVersion: example.com/v1\nkind: Fleet\nspec: {x: {containers: [{name: a, args: [$(TAG)]}]}}\n"
    ),
    "a container that stands alone": (
        "apiVersion: example.com/v1\nkind: Fleet\nspec: {image: web, args: [$(TAG)], env: [{name: A, value: $(TAG)}]}\n"
    ),
    "a definition of a kind": (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {description: $(TAG)}\n"
    ),
    "a kustomization": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamePrefix: $(TAG)-\n",
    "a kind with a syntax of its own": "apiVersion: tekton.dev/v1\nkind: Task\nspec: {description: $(TAG)}\n",
    "a workflow": "apiVersion: argoproj.io/v1alpha1\nkind: WorkflowTemplate\nspec: {description: $(TAG)}\n",
    "a Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\ninfo: {description: $(TAG)}\n",
    "what configures kpt": "apiVersion: kpt.dev/v1\nkind: Other\nmetadata: {name: p}\ninfo: {description: $(TAG)}\n",
    "our group": "apiVersion: expandvars.dev/v1\nkind: Other\nmetadata: {name: p}\nspec: {a: $(TAG)}\n",
    "a kustomization that says no kind": (
        "metadata: {annotations: {config.kubernetes.io/path: a/kustomization.yaml}}\nnamePrefix: $(TAG)-\n"
    ),
    "what kubectl applied last, and ours": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n"
        "    kubectl.kubernetes.io/last-applied-configuration: $(TAG)\n    expandvars.dev/note: $(TAG)\n"
    ),
    "keys and comments": "apiVersion: v1\nkind: ConfigMap\ndata:\n  $(TAG): a # $(TAG)\n  # $(TAG)\n  b: c\n",
    "a comment in a file": "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: |\n    b: c # $(TAG)\n",
    "Makefiles": ("apiVersion: v1\nkind: ConfigMap\ndata:\n  Makefile: all; $(TAG)\n  rules.mk: all; $(TAG)\n"),
}


@pytest.mark.parametrize("case", NOT_TAKEN)
@pytest.mark.parametrize("target", ["preset: All", 'fieldPaths: ["**"]'])
def test_all_takes_nothing_that_somebody_else_reads_or_expands(case: str, target: str) -> None:
    ran = run(NOT_TAKEN[case], spec=f"{VARIABLES}targets: [{{{target}}}]")
    assert (ran.text, ran.of("Taken")) == (NOT_TAKEN[case], [])
    assert "give `--target All`" not in str(ran.told)


def test_all_leaves_the_data_of_secrets_to_their_grammar() -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: $(TAG)}\nstringData: {b: $(TAG)}\n"  # noqa: S105 - a manifest
    ran = run(secret, spec=f"{TAG}targets: [{{preset: All}}]")
    assert [one.partition(":")[0] for one in ran.told] == ["error UnfitValue data.a", "info Taken None"]
    ran = run(secret.replace("data: {a: $(TAG)}\n", ""), spec=f"{TAG}targets: [{{preset: All}}]")
    assert (ran.items[0]["stringData"], ran.reasons) == ({"b": "v1.4.2"}, ["Taken"])


OF_MAKE = "`$(...)` is syntax of a Makefile itself, and the variable `TAG` is not inserted there"


def test_all_takes_scripts_and_tells_of_a_makefile_that_it_leaves() -> None:
    data = config_map("c", '{run.sh: "echo $(TAG) $$ $$(TAG) $(date)", x: "#!/bin/sh $(TAG)", Makefile: "a: $(TAG)"}')
    ran = run(data, spec=f"{TAG}targets: [{{preset: All}}]")
    taken = {"run.sh": "echo v1.4.2 $$ $(TAG) $(date)", "x": "#!/bin/sh v1.4.2"}
    assert ran.items[0]["data"] == taken | {"Makefile": "a: $(TAG)"}
    assert ran.told == [
        "info Taken None: `All` takes texts with references: 2 of ConfigMap",
        f"info OwnSyntax data.Makefile: `$(TAG)` stays: {OF_MAKE}",
    ]
    # Nobody asked for all: a script explains itself. Who names it means it.
    assert run(data, spec=TAG).told == [f"info OwnSyntax data.Makefile: `$(TAG)` stays: {OF_MAKE}"]
    ran = run(data, spec=f"{TAG}targets: [{{fieldPaths: [data.Makefile]}}]")
    assert ran.items[0]["data"]["Makefile"] == "a: v1.4.2"


BELOW = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {note: $(TAG)}}
spec:
  replicas: $(NUM)
  template:
    spec:
      containers: [{name: web, image: $(TAG), args: [$(TAG)], workingDir: /$(TAG), env: [{name: A, value: $(TAG)}]}]
"""


def test_two_stars_lead_to_all_texts_below_but_for_those_of_the_kubelet() -> None:
    ran = run(BELOW, spec=f"{NUM}escapes: Unescape\ntargets: [{{fieldPaths: [spec.**]}}]")
    assert ran.text == BELOW.replace("$(NUM)", "3").replace("$(TAG)", "v1.4.2").replace("note: v1.4.2", "note: $(TAG)")
    assert ran.reasons == ["UntargetedReference"]


NO_TEXT = "leads to a mapping or a list, and no text"
DEEPER = "put `[*]` behind its path for the texts in that, or `.**` for all that are below"


@pytest.mark.parametrize("path", ["data", "metadata", "spec.rules"])
def test_a_target_on_a_mapping_or_a_list_is_told(path: str) -> None:
    items = config_map("c", "{a: $(TAG)}"), INGRESS
    ran = run(*items, spec=f"{TAG}targets: [{{fieldPaths: [{path}]}}]")
    told = [one for one in ran.told if "UntargetedReference" not in one]
    assert told == [f"warning NoEffect spec.targets[0]: this target {NO_TEXT}, so it has no effect: {DEEPER}"]
    ran = run(*items, spec=f"{TAG}targets: [{{fieldPaths: [{path}], required: true}}]")
    told = [one for one in ran.told if one.startswith("error")]
    assert told == [f"error RequiredTarget spec.targets[0]: this target is required, and {NO_TEXT}: {DEEPER}"]
    # A text among them is one that it leads to, with a reference or without.
    assert run(*items, spec=f"{TAG}targets: [{{fieldPaths: [{path}, metadata.name]}}]").of("NoEffect") == []


# A field with a grammar, and how a reference in it is written.
WRITTEN = {
    'spec: {replicas: "$(NUM)"}': "spec: {replicas: 3}",
    "spec: {replicas: $(NUM)$(NUM)}": "spec: {replicas: 33}",
    'spec: {replicas: "1$(NUM)"}': "spec: {replicas: 13}",
    "spec: {paused: '$(FLAG)'}": "spec: {paused: true}",
    "spec: {template: {spec: {priorityClassName: $(NUM)}}}": 'spec: {template: {spec: {priorityClassName: "3"}}}',
    "spec: {strategy: {rollingUpdate: {maxSurge: '$(NUM)'}}}": "spec: {strategy: {rollingUpdate: {maxSurge: 3}}}",
}


@pytest.mark.parametrize("written", WRITTEN)
def test_a_value_gets_the_type_of_its_field(written: str) -> None:
    head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"
    assert run(f"{head}{written}\n", spec=VARIABLES).text == f"{head}{WRITTEN[written]}\n"


def test_an_octal_number_is_a_number_in_a_field_of_numbers() -> None:
    """As kubectl reads it. JSON has none, and a mode of a kind that nobody knows may be a text."""
    modes = "configMap: {name: c, defaultMode: $(MODE), items: [{key: k, path: p, mode: '$(MODE)'}]}"
    item = f"{pod('image: a')}  volumes: [{{name: v, {modes}}}]\n"
    other = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: web}\nspec: {mode: $(MODE)}\n"
    spec = "variables: [{name: MODE, value: '0640'}]\ntargets: [{preset: All}]"
    expected = item.replace("'$(MODE)'", "0640").replace("$(MODE)", "0640")
    quoted = other.replace("$(MODE)", '"0640"')
    assert run(item, other, spec=spec).text == f"{expected}---\n{quoted}"
    json = '{"apiVersion": "v1", "kind": "Pod", "spec": {"volumes": [{"configMap": {"defaultMode": "$(MODE)"}}]}}\n'
    assert run(json, spec=spec).text == json.replace("$(MODE)", "0640")


def test_a_container_reads_names_as_this_run_leaves_them() -> None:
    """Else a second run would know what the first one did not."""
    item = pod("envFrom: [{configMapRef: {name: set-$(NUM)}}]\nargs: [$(KEY)]", "namespace: ns-$(NUM)")
    settings = config_map("set-3", "{KEY: value}", "namespace: ns-3")
    spec = f"{VARIABLES}inline: [Variables, ConfigMaps]"
    ran = run(item, settings, spec=spec)
    assert ran.container["args"] == ["value"]
    assert run(ran.text, spec=spec).text == ran.text


# Whether `spec.replicas` of a kind is a number.
SCALES = {
    "v1 Pod": False,
    "v1 PodTemplate": False,
    "v1 ReplicationController": True,
    "v1 Service": False,
    "apps/v1 DaemonSet": False,
    "apps/v1 Deployment": True,
    "apps/v1 ReplicaSet": True,
    "apps/v1 StatefulSet": True,
    "argoproj.io/v1alpha1 Rollout": True,
    "batch/v1 CronJob": False,
    "batch/v1 Job": False,
    "example.com/v1 Deployment": False,
    "extensions/v1beta1 DaemonSet": False,
    "extensions/v1beta1 Deployment": True,
    "extensions/v1beta1 ReplicaSet": True,
    "serving.knative.dev/v1 Service": False,
}


@pytest.mark.parametrize(("kind", "scales"), SCALES.items(), ids=SCALES)
def test_the_replicas_of_a_workload_are_those_of_a_kind_that_scales(kind: str, scales: bool) -> None:  # noqa: FBT001
    item = "apiVersion: {}\nkind: {}\nspec: {{replicas: $(NUM)}}\n".format(*kind.split())
    ran = run(item, spec=VARIABLES)
    assert ran.text == (item.replace("$(NUM)", "3") if scales else item)


def test_a_kind_of_pod_templates_scales_as_a_rollout_does() -> None:
    spec = f"{VARIABLES}podTemplates: [{{group: apps.kruise.io, kind: CloneSet, fieldPath: spec.template}}]\n"
    items = [
        f"apiVersion: {kind}\nmetadata: {{name: c}}\nspec:\n  replicas: $(NUM)\n"
        '  template: {spec: {containers: [{name: c, image: "x:$(TAG)"}]}}\n'
        for kind in ("apps.kruise.io/v1alpha1\nkind: CloneSet", "argoproj.io/v1alpha1\nkind: Rollout")
    ]
    ran = run(*items, spec=spec)
    assert ran.text == "---\n".join(items).replace("$(NUM)", "3").replace("$(TAG)", "v1.4.2")
    assert "UntargetedReference" not in ran.reasons


def test_the_fields_that_kustomize_expands_come_with_its_vars() -> None:
    spec = """\
kustomizeVars:
- {name: TAG, objref: {apiVersion: v1, kind: ConfigMap, name: values}, fieldref: {fieldpath: data.tag}}
- {name: NUM, objref: {kind: ConfigMap, name: values}, fieldref: {fieldPath: data.n}}
- {name: NAME, objref: {kind: ConfigMap, name: values}}
"""
    values = config_map("values", '{tag: "v1.4.2", n: "3"}')
    ran = run(DEPLOYMENT, INGRESS, SERVICE, values, spec=spec)
    expanded = {line.strip() for line in ran.text.splitlines() if "v1.4.2" in line or ": 3" in line}
    closed = {line for _, lines in CLOSED.values() for line in lines} - {"metadata: {name: v1.4.2}"}
    assert expanded - closed == {
        BOOKS.strip().replace("note: $(TAG)", "note: v1.4.2"),
        "annotations: {note: v1.4.2}",
        "volumeMounts: [{name: v, mountPath: /v1.4.2}]",
        "metadata: {name: v1.4.2}",
        'data: {tag: "v1.4.2", n: "3"}',
    }


# A field `f` that is a target, and what it becomes (docs/reference/expansion.md, "Types").
TYPED = {
    "$(NUM)": "3",
    "'$(NUM)'": "'3'",
    '"$(NUM)"': '"3"',
    "!!str $(NUM)": '!!str "3"',
    "$(NUM)$(NUM)": '"33"',
    "-$(NUM)": '"-3"',
    "$(FLAG)": "true",
    '"$(FLAG)"': '"true"',
    "$(TAG)": "v1.4.2",
    "-$(TAG)  # why": "-v1.4.2  # why",
    "$(DD)": "a$b",
    "$(LIVE)": "3-$(POD)",
    "$(PATH)": "$(PATH)",
    "a$$(NUM)": "a$(NUM)",
    "a$$$(NUM)": "a$$3",
    "$(NOPE)": "$(NOPE)",
    "$(NOPE)$$": "$(NOPE)$$",
    "$(NOPE)$(NUM)$$": "$(NOPE)3$$",
    "$$(NOPE) $$(NUM) $$ $NUM": "$$(NOPE) $(NUM) $$ $NUM",
    "plain": "plain",
    "3": "3",
    "[$(NUM)]": "[$(NUM)]",
    "{a: $(NUM)}": "{a: $(NUM)}",
}


@pytest.mark.parametrize("written", TYPED)
def test_the_type_of_a_field_is_the_authors(written: str) -> None:
    item = f"apiVersion: v1\nkind: Thing\nf: {written}\n"
    text = run(item, spec=f"{VARIABLES}targets: [{{fieldPaths: [f]}}]").text
    assert text == f"apiVersion: v1\nkind: Thing\nf: {TYPED[written]}\n"


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("Thing", "metadata.labels.a"),
        ("Thing", "metadata.annotations.a"),
        ("Thing", "spec.selector.matchLabels.a"),
        ("Pod", "spec.nodeSelector.a"),
        ("Service", "spec.selector.a"),
        ("ConfigMap", "data.a"),
    ],
)
def test_a_map_of_strings_holds_strings(kind: str, field: str) -> None:
    item = f"apiVersion: v1\nkind: {kind}\n"
    for depth, key in enumerate(field.split(".")):
        item += f"{'  ' * depth}{key}:\n"
    spec = f"{VARIABLES}targets: [{{fieldPaths: [{field}]}}]"
    written = run(f"{item[:-1]} $(NUM)\n", spec=spec).text
    assert written == f'{item[:-1]} "3"\n'
    assert run(written, spec=spec).text == written


def test_variables_that_may_not_be_written_stay() -> None:
    item = "kind: Thing\nf: $(TAG)\n"
    ran = run(item, spec=f"{VARIABLES}targets: [{{fieldPaths: [f]}}]\ninline: [Literals]")
    assert (ran.text, ran.reasons) == (item, ["ForwardReference", "UnusedVariable"])


# What `select`, `reject` and `fieldPaths` of a target say, and the values that are expanded.
LEADING = {
    "every value of a mapping": ("fieldPaths: ['data[*]']", "abc"),
    "one of them": ("fieldPaths: [data.b]", "b"),
    "two of them, one twice": ("fieldPaths: [data.a, 'data[*]', data.a]", "abc"),
    "an element by name": ("fieldPaths: ['list[name=x].v']", "x"),
    "each element": ("fieldPaths: ['list[*].v']", "xy"),
    "one selector": ("select: {kind: Thing}\n  fieldPaths: [data.a]", "a"),
    "a list of selectors": ("select: [{kind: Other}, {name: th.*}]\n  fieldPaths: [data.a]", "a"),
    "another kind": ("select: {kind: Other}\n  fieldPaths: [data.a]", ""),
    "one rejected": ("select: {kind: Thing}\n  reject: {name: thing}\n  fieldPaths: [data.a]", ""),
    "a list of which one rejects": ("reject: [{kind: Other}, {labelSelector: app}]\n  fieldPaths: [data.a]", ""),
    "others rejected": ("reject: [{kind: Other}]\n  fieldPaths: [data.a]", "a"),
    "a field that is not there": ("fieldPaths: [data.d.e]", ""),
}

THING = """\
kind: Thing
metadata: {name: thing, labels: {app: web}}
data: {a: a$(TAG), b: b$(TAG), c: c$(TAG)}
list: [{name: x, v: x$(TAG)}, {name: y, v: y$(TAG)}]
"""


@pytest.mark.parametrize("case", LEADING)
def test_where_a_target_leads(case: str) -> None:
    target, expected = LEADING[case]
    text = run(THING, spec=f"{VARIABLES}targets:\n- {target}").text
    assert "".join(re.findall(r"(.)v1\.4\.2", text)) == expected


def test_block_scalars_keep_their_form() -> None:
    item = config_map(
        "c", "\n  a: |\n    one $(TAG)  # no comment\n\n      two $$(NUM) $(NUM)\n  b: >-\n    $(TAG)\n    $(DD)"
    )
    expected = item.replace("$(TAG)", "v1.4.2").replace("$$(NUM) $(NUM)", "$(NUM) 3").replace("$(DD)", "a$b")
    assert run(item, spec=f"{VARIABLES}targets: [{{fieldPaths: ['data[*]']}}]").text == expected


def test_every_finding_in_targets_is_told_once() -> None:
    item = pod("args: []", "annotations: {a: $(NOPE), b: $(NOPE)-$(NOPE), c: $(LIVE), d: $(not a name)}")
    both = "[{fieldPaths: [metadata.annotations.a]}, {fieldPaths: ['metadata.annotations[*]']}]"
    spec = f"{VARIABLES}targets: {both}"
    told = [one for one in run(item, spec=spec).told if "Unresolved" in one]
    warning, stays = (
        "warning UnresolvedReference",
        "it stays as it is written, until `variables` or an argument declares it",
    )
    assert told == [
        f"{warning} metadata.annotations.a, metadata.annotations.b: no variable defines `$(NOPE)`: {stays}",
        f"{warning} metadata.annotations.c: no variable defines `$(POD)`: {stays}",
    ]


def test_a_target_in_a_field_that_the_kubelet_expands_is_an_error() -> None:
    item = pod("args: [$(NUM), $(NUM)]\nenv: [{name: A, value: $(NUM)}]")
    ran = run(item, spec=f"{VARIABLES}targets: [{{preset: All}}, {{fieldPaths: ['spec.containers[*].args[*]']}}]")
    assert ran.text == ""
    (told,) = (one for one in ran.told if one.startswith("error"))
    assert told == (
        "error InvalidTarget spec.containers[name=app].args[0], spec.containers[name=app].args[1]: the kubelet expands "
        "this, so it is expanded anyway and is no target: remove it from `spec.targets[1]`"
    )


@pytest.mark.parametrize(
    "path",
    ["command[0]", "env[0].value", "volumeMounts[*].subPathExpr", "livenessProbe.exec.command[*]"],
)
def test_no_field_that_the_kubelet_expands_can_be_a_target(path: str) -> None:
    fields = """\
command: [a]
env: [{name: A, value: a}]
volumeMounts: [{name: v, subPathExpr: a}]
livenessProbe: {exec: {command: [a]}}
"""
    spec = f"targets: [{{fieldPaths: ['spec.containers[*].{path}'], required: true}}]"
    assert run(pod(fields), spec=spec).reasons == ["InvalidTarget"]


def test_a_target_that_is_required_must_lead_somewhere() -> None:
    spec = """\
targets:
- {fieldPaths: [data.a, data.nowhere], required: true}
- {fieldPaths: [data.nowhere], required: false}
- {select: {kind: Nothing}, fieldPaths: [data.a], required: true}
- {fieldPaths: [a.b], required: true}
"""
    message = "this target is required, and leads to no field of any item: mend its path or its selector"
    useless = "this target leads to no field of any item, so it has no effect: mend its path or its selector"
    assert run("kind: Thing\ndata: {a: x}\n", spec=spec).told == [
        f"error RequiredTarget spec.targets[2]: {message}", f"error RequiredTarget spec.targets[3]: {message}",
        f"warning NoEffect spec.targets[1]: {useless}",
    ]  # fmt: skip


# A field that refers to a variable, and the entry that makes it a target.
UNTARGETED = {
    pod("workingDir: $(TAG)"): '{select: {kind: Pod}, fieldPaths: ["spec.containers[*].workingDir"]}',
    pod("args: []", "annotations: {a.b/c: $(TAG)}"): (
        "{select: {kind: Pod}, fieldPaths: [\"metadata.annotations['a.b/c']\"]}"
    ),
    config_map("c", "{a.b: $(TAG)}"): "{select: {kind: ConfigMap}, fieldPaths: [\"data['a.b']\"]}",
    "apiVersion: example.com/v1\nkind: Deployment\nspec: {host: $(TAG)}\n": (
        "{select: {group: example\\.com, kind: Deployment}, fieldPaths: [spec.host]}"
    ),
}


@pytest.mark.parametrize("item", UNTARGETED)
def test_a_variable_in_a_field_that_nobody_expands_comes_with_the_entry_that_would(item: str) -> None:
    (told,) = (one for one in run(item, spec="variables: [{name: TAG, value: x}]").told if "Untargeted" in one)
    message = "`$(TAG)` stays: this field may hold any text, and is expanded only as a target"
    assert told.partition(": ")[2] == f"{message}: add `targets: [{UNTARGETED[item]}]` to the functionConfig"


def test_what_nobody_declared_needs_no_entry() -> None:
    item = "kind: Thing\na: *elsewhere\nb: $(NOPE)$(TAG)\n"
    ran = run(item, spec="variables: [{name: TAG, value: x}]")
    assert [(one.reason, one.field) for one in ran.results] == [("UntargetedReference", "b")]


@pytest.mark.parametrize(
    ("beside", "is_told"),
    [("env: {TAG: x}", False), ("env: [{name: TAG}]", False), ("envFrom: []", False), ("env: {TAGS: x}", True)],
)
def test_what_the_values_of_a_chart_give_a_container_is_not_told(beside: str, *, is_told: bool) -> None:
    item = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\n"
        f"spec: {{values: {{app: {{image: {{tag: 1}}, args: [$(TAG)], {beside}}}}}}}\n"
    )
    ran = run(item, spec="variables: [{name: TAG, value: x}]")
    assert [one.reason for one in ran.results] == ["UntargetedReference"] * is_told


def test_all_fields_that_refer_to_a_variable_are_in_one_result_with_all_their_entries() -> None:
    item = pod("terminationMessagePath: $(TAG)\nworkingDir: $(TAG)", "annotations: {a: '$(TAG)', b: $(TAG)}")
    ran = run(item, spec="variables: [{name: TAG, value: x}]")
    paths = ["metadata.annotations.a", "metadata.annotations.b", "terminationMessagePath", "workingDir"]
    entry = '{select: {kind: Pod}, fieldPaths: [{}, {}, "spec.containers[*].terminationMessagePath"]}'
    entry = entry.replace("{}, {}", ", ".join(paths[:2]))
    (told,) = ran.told
    assert told == (
        "warning UntargetedReference metadata.annotations.a, metadata.annotations.b, "
        "spec.containers[name=app].terminationMessagePath, spec.containers[name=app].workingDir: `$(TAG)` stays: this "
        f"field may hold any text, and is expanded only as a target: add `targets: [{entry}]` to the functionConfig; "
        "`expand-vars explain --suggest` prints 1 more"
    )


keys = st.one_of(
    st.sampled_from(["a", "spec", "containers", "env", "args", "value", "image"]),
    st.text(max_size=3).filter(lambda key: key != ".mk"),
)
trees = st.recursive(
    st.sampled_from(["$(TAG)", "a$(TAG)$$", "none", "$$(TAG)"]),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(keys, below, max_size=3)),
    max_leaves=6,
)
kinds = st.sampled_from(["v1 Pod", "v1 ConfigMap", "apps/v1 Deployment", "example.com/v1 Pod", "v1 On", "v1 A+b"])


@example("v1 Pod", {"spec": [[{"env": "$(TAG)"}]]})
@example("v1 On", {"a": [["$(TAG)"], {"containers": "$(TAG)"}]})
@given(
    kinds, st.dictionaries(keys.filter(lambda key: key not in {"apiVersion", "kind", "metadata"}), trees, max_size=4)
)
def test_pasting_the_entry_makes_the_field_a_target(kind: str, tree: dict[str, Any]) -> None:
    version, kind = kind.split()
    item = yaml.safe_dump({"apiVersion": version, "kind": kind, **tree}, allow_unicode=True)
    declared = "variables: [{name: TAG, value: x}]\n"
    for result in run(item, spec=declared).of("UntargetedReference"):
        keys = re.findall(r"add `((?:targets|podTemplates): \[.*?\])` to the functionConfig", result.message, re.DOTALL)
        # `spec: $(TAG)` in a Pod, containers in a ConfigMap: the manifest is to be mended.
        mistakes = ("must be a", "mend one of the two", "move these there", "give the variable there", "no field here")
        is_mistaken = any(words in result.message for words in mistakes)
        assert keys or is_mistaken
        ran = run(item, spec=declared + "\n".join(keys))
        is_part = is_mistaken or result.message.endswith("more")
        if is_part and (ran.reasons or not keys):  # one entry may cover those, too
            assert {*ran.reasons} <= {"UntargetedReference", "EscapeKept"}
            continue
        assert ran.reasons in ([], ["EscapeKept"])
        assert "$(TAG)" not in "".join(_leaves(ran.items[0])) or "$$(TAG)" in item


def _leaves(node: Any) -> Iterator[str]:
    if isinstance(node, dict | list):
        for below in node.values() if isinstance(node, dict) else node:
            yield from _leaves(below)
    elif isinstance(node, str):
        yield node


OF_TEXT = {
    "v1 PersistentVolume": "{csi: {volumeHandle: $(V), volumeAttributes: {a: $(V)}}, mountOptions: [$(V)]}",
    "v1 Pod": "{containers: [{workingDir: $(V), lifecycle: {preStop: {exec: {command: [$(V)]}}}}]}",
    "serving.knative.dev/v1 Service": "{template: {spec: {containers: [{workingDir: $(V)}]}}}",
    "networking.k8s.io/v1 Ingress": "{rules: [{http: {paths: [{path: $(V)}]}}]}",
}


@pytest.mark.parametrize("kind", OF_TEXT)
@pytest.mark.parametrize("value", ["3", "true"])
def test_a_text_of_kubernetes_own_is_never_a_number(kind: str, value: str) -> None:
    version, kind_ = kind.split()
    item = f"apiVersion: {version}\nkind: {kind_}\nmetadata: {{name: a}}\nspec: {OF_TEXT[kind]}\n"
    spec = f"variables: [{{name: V, value: '{value}'}}]\ntargets: [{{preset: All}}]\n"
    assert run(item, spec=spec).text == item.replace("$(V)", f'"{value}"')


def test_what_a_resource_is_called_cannot_be_secret() -> None:
    """Every message names the resource."""
    login = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {pw: hunter2}\n"
    item = config_map("in-$(PW)", "{a: b}", "namespace: $(PW)")
    source = "{name: PW, valueFrom: {secretKeyRef: {name: login, key: pw}}}"
    ran = run(login, item, spec=f"variables: [{source}]\ninline: [Secrets]")
    assert ran.text == f"{login}---\n{item}"
    assert ran.told == [
        "warning SecretReference metadata.name, metadata.namespace: what a resource is called cannot be secret"
    ]


QUIET = {
    "run.sh": ("echo $(date) $(TAG)", ""),
    "run": ("#!/bin/sh\\necho $(date) $(TAG)", ""),
    "text": ("$(date) $(AWS_REGION) $(TAG)", "date, AWS_.*"),
}


@pytest.mark.parametrize("key", QUIET)
@pytest.mark.parametrize("is_target", [True, False])
def test_a_command_of_a_script_and_a_name_of_run_time_are_not_told(key: str, *, is_target: bool) -> None:
    text, names = QUIET[key]
    # Without a target a comment is the template.
    held, comment = (text, "") if is_target else (text.replace("$(TAG)", "v0"), f' # expand: "{text}"')
    item = f'apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  {key}: "{held}"{comment}\n'
    targets = '\ntargets: [{select: {kind: ConfigMap}, fieldPaths: ["data[*]"]}]' if is_target else ""
    ran = run(item, spec=f"strict: true\nvariables: [{{name: TAG, value: v1}}]\nruntimeNames: [{names}]{targets}")
    assert f'"{text.replace("$(TAG)", "v1")}"{comment}' in ran.text
    assert not {*ran.reasons} - {"ValueChanged"}


def test_a_text_that_flux_fills_in_later_is_not_judged() -> None:
    given = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: '${CLAIM:-$(TAG)}'}\n"
    ran = run(given, arguments=[("TAG", "A B")])
    assert (ran.items[0]["metadata"]["name"], ran.reasons) == ("${CLAIM:-A B}", [])


def test_a_target_in_a_kustomization_writes_texts_but_for_a_count() -> None:
    head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
    text = f"{head}images: [{{newTag: $(TAG)}}]\nreplicas: [{{count: $(TAG)}}]\n"
    target = '{select: {kind: Kustomization}, fieldPaths: ["images[*].newTag", "replicas[*].count"]}'
    ran = run(text, spec=f"variables: [{{name: TAG, value: '3'}}]\nrecord: Never\ntargets: [{target}]")
    assert ran.text == text.replace("newTag: $(TAG)", 'newTag: "3"').replace("count: $(TAG)", "count: 3")
