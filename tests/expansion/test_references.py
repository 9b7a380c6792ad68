"""The fields that the kubelet expands: where they are, in which form they are expanded, and what is never touched."""

from __future__ import annotations

import pytest

from fn import pipeline
from tests.expansion.running import Ran, indented, pod, run

VARIABLES = 'variables:\n- {name: A, value: x}\n- {name: PW, value: "$$p$w$"}\n- {name: LIVE, value: "$(POD)"}\n'

WORKLOADS = {
    "v1 Pod": "spec",
    "v1 PodTemplate": "template.spec",
    "v1 ReplicationController": "spec.template.spec",
    "apps/v1 DaemonSet": "spec.template.spec",
    "apps/v1 Deployment": "spec.template.spec",
    "apps/v1beta2 Deployment": "spec.template.spec",
    "apps/v1 ReplicaSet": "spec.template.spec",
    "apps/v1 StatefulSet": "spec.template.spec",
    "batch/v1 Job": "spec.template.spec",
    "batch/v1 CronJob": "spec.jobTemplate.spec.template.spec",
    "batch/v1beta1 CronJob": "spec.jobTemplate.spec.template.spec",
    "extensions/v1beta1 DaemonSet": "spec.template.spec",
    "extensions/v1beta1 Deployment": "spec.template.spec",
    "extensions/v1beta1 ReplicaSet": "spec.template.spec",
}

OTHERS = {
    "example.com/v1 Pod": "spec",
    "example.com/v1 Deployment": "spec.template.spec",
    "apps/v1 Pod": "spec",
    "tekton.dev/v1 TaskRun": "spec.template.spec",
    "argoproj.io/v1alpha1 Workflow": "spec.template.spec",
    "v1 Deployment": "spec.template.spec",
    "apps/v1 deployment": "spec.template.spec",
}

CONTAINERS = """\
initContainers:
- name: init
  args: [$(A)]
- name: sidecar
  restartPolicy: Always
  command: [$(A)]
containers:
- name: app
  args: [$(A)]
- name: other
  env: [{name: B, value: $(A)}]
ephemeralContainers:
- name: debug
  args: [$(A)]
"""

# What stays in a container whatever is declared, with the reason of the result that says so.
UNTOUCHED = {
    "a name": ("env: [{name: $(A), value: x}]", "UntargetedReference"),
    "a reference to a key": (
        "env: [{name: B, valueFrom: {configMapKeyRef: {name: $(A), key: k}}}]", "UntargetedReference",
    ),
    "envFrom": ("envFrom: [{prefix: $(A), configMapRef: {name: c}}]", "UntargetedReference"),
    "the image": ("image: app:$(A)", "UntargetedReference"),
    "the working directory": ("workingDir: $(A)", "UntargetedReference"),
    "a lifecycle hook": ("lifecycle: {preStop: {exec: {command: [$(A)]}}}", "UntargetedReference"),
    "an HTTP probe": ("livenessProbe: {httpGet: {path: $(A)}}", "UntargetedReference"),
    "an exec probe": ("livenessProbe: {exec: {command: [$(A)]}}", "UnusedVariable"),
    "subPathExpr": ("volumeMounts: [{name: v, subPathExpr: $(A)}]", "UnusedVariable"),
    "subPath": ("volumeMounts: [{name: v, subPath: $(A)}]", "UntargetedReference"),
    "a command that is no list": ("command: $(A)", "UntargetedReference"),
    "a list in args": ("args: [[$(A)]]", "UntargetedReference"),
    "a key": ("resources: {limits: {$(A): 1}}", "UnusedVariable"),
    "no container at all": ("args: []", "UnusedVariable"),
}  # fmt: skip

# What is written, and what the commuting and the final form make of it.
FORMS = {
    "$(A)": ("x", "x"),
    "$$(A)": ("$$(A)", "$(A)"),
    "$$$(A)$$": ("$$x$$", "$x$"),
    "$(PW)": ("$$p$w$$", "$p$w$"),
    "$(PW)(A)": ("$$p$w$$(A)", "$p$w$(A)"),
    "$(A)$(NOPE)": ("x$(NOPE)", "x$(NOPE)"),
    "$(LIVE)": ("$(POD)", "$(POD)"),
    "a$b$": ("a$b$", "a$b$"),
    "$$": ("$$", "$"),
    "a": ("a", "a"),
}


def _workload(kind: str, path: str, pod_spec: str) -> str:
    """Return an object with a pod spec at `path`."""
    version, kind = kind.split()
    for key in reversed(path.split(".")):
        pod_spec = f"{key}:\n{indented(pod_spec, 2)}"
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: web}}\n{pod_spec}"


@pytest.mark.parametrize("kind", WORKLOADS)
def test_every_container_of_every_workload_is_expanded(kind: str) -> None:
    item = _workload(kind, WORKLOADS[kind], CONTAINERS)
    assert run(item, spec=VARIABLES).text == item.replace("$(A)", "x")


@pytest.mark.parametrize("kind", OTHERS)
def test_what_only_looks_like_a_workload_is_left_alone(kind: str) -> None:
    item = _workload(kind, OTHERS[kind], CONTAINERS)
    assert run(item, spec=VARIABLES).text == item


@pytest.mark.parametrize(
    "pod_spec", ["containers: {name: app}", "containers: [text]", "containers:", "[]", "$(A)", "initContainers: $(A)"]
)
def test_a_pod_spec_of_another_shape_is_left_alone(pod_spec: str) -> None:
    item = "# $(A)\n" + _workload("apps/v1 Deployment", "spec.template.spec", pod_spec)
    assert run(item, spec=VARIABLES).text == item


def test_a_workload_without_a_pod_spec_is_left_alone() -> None:
    item = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {annotations: {note: $(NOPE)}}\n"
    ran = run(item)
    assert (ran.text, ran.told) == (item, [])


@pytest.mark.parametrize("case", UNTOUCHED)
def test_other_fields_of_a_container_are_left_alone(case: str) -> None:
    fields, reason = UNTOUCHED[case]
    item = pod(fields)
    ran = run(item, spec="variables: [{name: A, value: x}]")
    assert (ran.text, ran.reasons) == (item, [reason])


@pytest.mark.parametrize("written", FORMS)
def test_the_two_forms(written: str) -> None:
    kept, unescaped = FORMS[written]
    item = pod(f"args: ['{written}']\nenv: [{{name: X, value: '{written}'}}]")
    for escapes, expected in (("Keep", kept), ("Unescape", unescaped)):
        container = run(item, spec=f"{VARIABLES}escapes: {escapes}").container
        assert (container["args"], container["env"][0]["value"]) == ([expected], expected)


@pytest.mark.parametrize("escapes", ["Keep", "Unescape"])
def test_a_value_that_looks_like_a_reference_to_itself(escapes: str) -> None:
    item = pod("env: [{name: X, value: '$$(X)'}]\nargs: [$(X)]")
    expected = {"Keep": ("$$(X)", "$$(X)"), "Unescape": ("$(X)", "$(X)")}[escapes]
    container = run(item, spec=f"escapes: {escapes}").container
    assert (container["env"][0]["value"], container["args"][0]) == expected


def test_the_example_of_a_whole_container() -> None:
    fields = """\
env:
- {name: URL, value: "pg://$(HOST)"}      # forward reference: the kubelet never resolves it
- {name: HOST, value: db}
- {name: PW, value: "pa$$word"}           # pa$word
- {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
args: ["$(URL)", "$(HOST)", "$(PW)", "$(POD)", "$$(HOST)"]
"""
    args = 'args: ["$(URL)", "db", "pa$$word", "$(POD)", "$$(HOST)"]'
    assert run(pod(fields)).text == pod(fields.replace(fields.splitlines()[-1], args))


def test_a_string_stays_a_string() -> None:
    item = pod("args: [$(PORT), '$(PORT)', $(FLAG)]\nenv: [{name: PORT, value: '80'}, {name: FLAG, value: 'true'}]")
    assert run(item).container["args"] == ["80", "80", "true"]


PROBED = """\
env:
- {name: HOST, value: db}
- {name: URL, value: "http://$(HOST)"}
- {name: PLAIN, value: "$$plain"}
- {name: CONFIG, value: "$(A)"}
args: ["$(URL)", "$(PLAIN)", "$(CONFIG)", "$(HOST)"]
readinessProbe: {exec: {command: [curl, "$(URL)$(PLAIN)", 80, ["$(CONFIG)"]]}}
"""


def test_a_value_that_an_exec_probe_names_is_left_alone_and_so_is_who_refers_to_it() -> None:
    ran = run(pod(PROBED), spec="variables: [{name: A, value: x}]")
    expected = PROBED.replace('"$(A)"', '"x"').replace(
        'args: ["$(URL)", "$(PLAIN)", "$(CONFIG)", "$(HOST)"]', 'args: ["$(URL)", "$$plain", "x", "db"]'
    )
    assert ran.text == pod(expected)
    (told,) = ran.told
    message = "a probe of container `app` sees `URL` as it is written, so that is left alone"
    assert told == f"warning ProbeUsesRawValue spec.containers[name=app].env[name=URL].value: {message}"


@pytest.mark.parametrize(
    "probe", ["{}", "{exec: {}}", "{exec: {command: []}}", "{exec: text}", "text", "{exec: {command: [$(OTHER)]}}"]
)
def test_a_probe_that_names_no_value_changes_nothing(probe: str) -> None:
    item = pod(f"env: [{{name: URL, value: $(A)}}]\nstartupProbe: {probe}")
    assert run(item, spec=VARIABLES).text == item.replace("$(A)", "x")


SKIPPED = {
    "the skip annotation": pod("args: [$(A)]", 'annotations: {expandvars.dev/skip: "true"}'),
    "local-config": pod("args: [$(A)]", 'annotations: {config.kubernetes.io/local-config: "true"}'),
    "a Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: $(A)}\n",
    "a functionConfig": "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: fn}\nspec: $(A)\n",
    "another one": "apiVersion: expandvars.dev/v2\nkind: Other\nmetadata: {name: $(A)}\n",
    "no mapping": "- $(A)\n",
    "an empty document": "# $(A)\n",
    "what is excluded": pod("args: [$(A)]", "labels: {app: out}"),
    "what is not selected": pod("args: [$(A)]", "namespace: other").replace("name: web", "name: bystander"),
}


@pytest.mark.parametrize("case", SKIPPED)
def test_an_item_that_may_not_be_touched_is_not(case: str) -> None:
    item = SKIPPED[case]
    spec = f"{VARIABLES}selectors: [{{name: web}}, {{namespace: shop}}]\nexclude: {{labelSelector: app=out}}"
    ran = run(item, pod("args: [$(A)]"), spec=spec)
    assert ran.text == item + "---\n" + pod("args: [x]")
    assert ran.reasons == ["UnusedVariable"]


@pytest.mark.parametrize("annotation", ["expandvars.dev/skip: 'false'", "config.kubernetes.io/local-config: 'false'"])
def test_an_annotation_that_says_false_skips_nothing(annotation: str) -> None:
    item = pod("args: [$(A)]", f"annotations: {{{annotation}}}")
    assert run(item, spec=VARIABLES).text == item.replace("$(A)", "x")


def test_only_the_functionconfig_itself_is_skipped_not_one_like_it() -> None:
    text = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: fn}
  data: {A: "$(A)"}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: other}
  data: {A: "$(A)"}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: fn, namespace: shop}
  data: {A: "$(A)"}
functionConfig:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: fn}
  data: {A: x}
"""
    ran = Ran(pipeline.run(text))
    assert [str(result.ref) for result in ran.of("UntargetedReference")] == [
        "v1/ConfigMap/other", "v1/ConfigMap/shop/fn",
    ]  # fmt: skip


def test_arguments_need_no_functionconfig() -> None:
    item = pod("args: [$(A)]")
    assert pipeline.run(item, arguments=[("A", "x$")]).text == item.replace("$(A)", "x$$")


def test_values_of_values_end_before_memory_does() -> None:
    lines = [f'- {{name: A{number}, value: "$(A{number - 1})$(A{number - 1})"}}' for number in range(1, 60)]
    item = pod("env:\n- {name: A0, value: long}\n" + "\n".join(lines))
    ran = run(item)
    message = "a field is too long: its references expand to more than 1 MiB, which is more than a cluster can store"
    assert (ran.text, ran.told) == ("", [f"error TooLong None: {message}"])


def test_one_item_that_fails_hides_no_other_finding() -> None:
    broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: $(A), name: web}\n"
    ran = run(broken, pod("args: [$(NOPE)]"))
    assert ran.text == ""
    assert sorted(ran.reasons) == ["InvalidInput", "UnresolvedReference"]
