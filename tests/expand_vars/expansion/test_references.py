"""The fields that the kubelet expands: where they are, in which form they are expanded, and what is never touched."""

from __future__ import annotations

import pytest
import yaml

from expand_vars import pipeline
from tests.expand_vars.expansion.running import Ran, indented, pod, run

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
    "envFrom": ("envFrom: [{prefix: $(A), configMapRef: {name: c}}]", "UntargetedReference"),
    "the working directory": ("workingDir: $(A)", "UntargetedReference"),
    "a lifecycle hook": ("lifecycle: {preStop: {exec: {command: [$(A)]}}}", "UntargetedReference"),
    "an HTTP probe": ("livenessProbe: {httpGet: {path: $(A)}}", "UntargetedReference"),
    "a header of an HTTP probe": (
        "livenessProbe: {httpGet: {httpHeaders: [{name: A, value: $(A)}]}}", "UntargetedReference",
    ),
    "a gRPC probe": ("livenessProbe: {grpc: {port: 1, service: $(A)}}", "UntargetedReference"),
    "a security context": ("securityContext: {seLinuxOptions: {level: $(A)}}", "UntargetedReference"),
    "subPath": ("volumeMounts: [{name: v, subPath: $(A)}]", "UntargetedReference"),
    "a command that is no list": ("command: $(A)", "UntargetedReference"),
    "a list in args": ("args: [[$(A)]]", "UntargetedReference"),
    "a key": ("resources: {limits: {$(A): 1}}", "UntargetedReference"),
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


PROBES = ("livenessProbe", "readinessProbe", "startupProbe")

# The entries of env and a word of an exec probe: what becomes of that, and what is told of it.
PROBED = {
    "a value": ("{name: X, value: x$}", "$(X)", "x$$", ""),
    "a value with an escape": ("{name: X, value: $$x}", "$(X)", "$(X)", "sees `X` as `env` has it, with"),
    "a value with a reference": ("{name: X, value: $(P)}", "$(X)", "$(X)", "sees `X` as `env` has it, with"),
    "a value that is rewritten": ("{name: X, value: $(A)-$$}", "$(X)", "$$(A)-$$$$", "sees `X` as `env` has it, so"),
    "the last value of a name": ("{name: X, value: 1st}, {name: X, value: 2nd}", "$(X)", "2nd", ""),
    "the last is of a source": ("{name: X, value: x}, {name: X, <SOURCE>}", "$(X)", "$(X)", "sees an empty `X`"),
    "an empty value": ("{name: X, value: ''}", "[$(X)]", "[]", ""),
    "no value": ("{name: X}", "[$(X)]", "[]", ""),
    "a source": ("{name: X, <SOURCE>}", "$(X)", "$(X)", "sees an empty `X`"),
    "a variable": ("{name: X}", "$(A)", "a", ""),
    "a variable that the container declares": ("{name: A, value: own}", "$(A)", "own", ""),
    "a variable with a live reference": ("{name: X, value: x}", "$(LIVE)", "live x", ""),
    "a variable with a live reference that stays": ("{name: Y, value: x}", "$(LIVE)", "live $(X)", "nothing defines"),
    "a Service's": ("{name: X}", "$(API_SERVICE_PORT)", "$(API_SERVICE_PORT)", "does not see `API_SERVICE_PORT`"),
    "a name that nothing defines": ("{name: X}", "$(NOPE)", "$(NOPE)", "nothing defines `$(NOPE)`"),
    "an escape": ("{name: X}", "$$(A)", "$$(A)", "is an escape"),
    "no reference": ("{name: X}", "$x $(date +%s)", "$x $(date +%s)", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", PROBED)
@pytest.mark.parametrize("probe", PROBES)
def test_an_exec_probe_sees_the_raw_values_of_env(case: str, probe: str) -> None:
    env, word, expected, told = PROBED[case]
    source = "valueFrom: {fieldRef: {fieldPath: metadata.name}}"
    item = pod(f"env: [{env.replace('<SOURCE>', source)}]\n{probe}: {{exec: {{command: [check, '{word}']}}}}")
    ran = run(item, spec="variables: [{name: A, value: a}, {name: LIVE, value: 'live $(X)'}]")
    assert ran.container[probe]["exec"]["command"] == ["check", expected]
    of_probe = [result.message for result in ran.results if probe in str(result.field)]
    assert len(of_probe) == bool(told)
    assert told in "".join(of_probe)


# Who wins a name in a probe, and what may be written there; what was rewritten is pinned in any case.
PROBE_POLICIES = {
    ("[Container, Variables]", "[Literals, Variables]"): ["own", "$$(A)", "a"],
    ("[Variables, Container]", "[Literals, Variables]"): ["of-config", "$$(A)", "a"],
    ("[Variables]", "[Literals, Variables]"): ["of-config", "$$(A)", "a"],
    ("[Container]", "[Literals, Variables]"): ["own", "$(X)", "$(A)"],
    ("[Container, Variables]", "[Variables]"): ["$(B)", "$$(A)", "a"],
    ("[Container, Variables]", "[Literals]"): ["own", "$(X)", "$(A)"],
    ("[Variables, Container]", "[Literals]"): ["$(B)", "$(X)", "$(A)"],
}


@pytest.mark.parametrize("policy", PROBE_POLICIES)
def test_lookup_and_inline_hold_in_a_probe(policy: tuple[str, str]) -> None:
    lookup, inline = policy
    item = pod(
        "env: [{name: B, value: own}, {name: X, value: $(A)}]\nlivenessProbe: {exec: {command: [$(B), $(X), $(A)]}}"
    )
    spec = f"variables: [{{name: A, value: a}}, {{name: B, value: of-config}}]\nlookup: {lookup}\ninline: {inline}"
    assert run(item, spec=spec).container["livenessProbe"]["exec"]["command"] == PROBE_POLICIES[policy]


def test_a_secret_variable_that_may_not_be_written_stays_in_a_probe() -> None:
    item = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: hunter2, other: $(T)}\n"
    spec = "variables: [{name: T, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n"
    spec += "targets: [{select: {kind: Secret}, fieldPaths: [stringData.other]}]"
    workload = pod("livenessProbe: {exec: {command: [$(T)]}}")
    ran = run(workload, item, spec=spec)
    assert (ran.reasons, ran.text.startswith(workload)) == (["SecretReference"], True)


def test_a_command_of_a_shell_in_a_probe_is_no_reference() -> None:
    ran = run(pod("livenessProbe: {exec: {command: [sh, -c, $(date)]}}\nreadinessProbe: {exec: {command: [$(date)]}}"))
    assert [result.field for result in ran.results] == ["spec.containers[name=app].readinessProbe.exec.command[0]"]


@pytest.mark.parametrize("probe", ["{}", "{exec: {}}", "{exec: {command: []}}", "{exec: text}", "text"])
def test_a_probe_that_names_no_value_changes_nothing(probe: str) -> None:
    item = pod(f"env: [{{name: URL, value: $(A)}}]\nstartupProbe: {probe}")
    assert run(item, spec=VARIABLES).text == item.replace("$(A)", "x")


SUB_PATHS = {
    "$(A)/$(LIVE)": "x/$(POD)",
    "$(PW)": "$$p$w$$",
    "$(EMPTY)/$(A)": "$(EMPTY)/x",
    "$(POD)": "$(POD)",
    "plain": "plain",
}


@pytest.mark.parametrize("written", SUB_PATHS)
def test_a_sub_path_is_expanded_but_never_with_an_empty_value(written: str) -> None:
    fields = f"env: [{{name: EMPTY}}]\nvolumeMounts: [text, {{name: v}}, {{name: w, subPathExpr: '{written}'}}]"
    ran = run(pod(fields), spec=VARIABLES)
    assert ran.container["volumeMounts"][2]["subPathExpr"] == SUB_PATHS[written]
    assert ("EmptySubPath" in ran.reasons) == ("EMPTY" in written)


IN_SHELL = "a shell (`sh -c`) would read it as `$X`"
HOOKS = {
    "lifecycle: {preStop: {exec: {command: [sh, '$(X) $(date)']}}}": ("lifecycle.preStop.exec.command[1]", IN_SHELL),
    "lifecycle: {postStart: {httpGet: {path: $(X), port: 80}}}": (
        "lifecycle.postStart.httpGet.path", "write the value itself",
    ),
    "livenessProbe: {httpGet: {httpHeaders: [{name: H, value: $(X)}]}}": (
        "livenessProbe.httpGet.httpHeaders[name=H].value", "write the value itself",
    ),
    "workingDir: /$(X)": ("workingDir", "write the value itself"),
}  # fmt: skip


@pytest.mark.parametrize("field", HOOKS)
def test_what_the_container_declares_is_not_expanded_in_hooks_and_http_actions(field: str) -> None:
    item = pod(f"env: [{{name: X, value: x}}]\n{field}")
    path, instead = HOOKS[field]
    message = f"`$(X)` stays: the kubelet does not expand this field of container `app`; {instead}"
    ran = run(item)
    assert (ran.text, ran.told) == (item, [f"warning UnexpandedReference spec.containers[name=app].{path}: {message}"])


@pytest.mark.parametrize("hook", ["{exec: {command: [$(Y), $$(X)]}}", "text"])
def test_a_hook_without_a_name_of_the_container_is_not_told(hook: str) -> None:
    item = pod(f"env: [{{name: X, value: x}}]\nlifecycle: {{preStop: {hook}}}")
    ran = run(item)
    assert (ran.text, ran.told) == (item, [])


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
    assert [one for one in ran.reasons if one != "NoEffect"] == ["UnusedVariable"]


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
    message = "this is too long: its references expand to more than 1 MiB, which is more than a cluster can store"
    assert (ran.text, ran.told) == ("", [f"error TooLong spec.containers[name=app].env[name=A19].value: {message}"])
    value = "x" * (1 << 20)
    for fields, place in (
        ("args: [a, $(X)$(X)]", "args[1]"),
        ("env: [{name: A, value: $(X)$(X)}]", "env[name=A].value"),
        ("startupProbe: {exec: {command: [$(X)$(X)]}}", "startupProbe.exec.command[0]"),
        ("image: $(X)$(X)", "image"),
    ):
        ran = run(pod(fields), arguments=[("X", value)])
        assert (ran.text, ran.told[:1]) == ("", [f"error TooLong spec.containers[name=app].{place}: {message}"])


def test_one_item_that_fails_hides_no_other_finding() -> None:
    broken = "apiVersion: v1\nkind: Pod\nmetadata: {name: $(A), name: web}\n"
    ran = run(broken, pod("args: [$(NOPE)]"))
    assert ran.text == ""
    assert sorted(ran.reasons) == ["InvalidInput", "UnresolvedReference"]


SHARING = (
    "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: ["
    '{name: one, env: [{name: OWN, value: x}, {name: B, value: b$(OWN)}], args: &a [-a, "$(OWN)"]}, '
    "{name: two, args: *a}, {name: three, args: [$(OWN), $(V)]}]}}"
)
# Texts that are parsed as a whole: there the changes of all objects are made at the end.
AROUND = {
    "an object": "{}",
    "a List in brackets": "{{apiVersion: v1, kind: List, items: [{}, {{kind: B, text: $(V)}}]}}",
    "a ResourceList": "{{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [{{kind: B}}, {}]}}",
    "a List with a quoted key": "'items':\n - {}\n - {{kind: B}}\napiVersion: v1\nkind: List",
}


@pytest.mark.parametrize("around", AROUND)
def test_containers_that_share_a_list_each_get_their_own_values(around: str) -> None:
    given = AROUND[around].format(SHARING) + "\n"
    written = given.replace('&a [-a, "$(OWN)"]', '&a [-a, "x"]').replace("b$(OWN)", "bx")
    written = written.replace("*a", '[-a, "$(OWN)"]').replace("[$(OWN), $(V)]", "[$(OWN), v]")
    output = pipeline.run(given, None, [("V", "v")])
    assert output.text.startswith(written.removesuffix("}\n").removesuffix("\n"))
    assert [one.reason for one in output.results if one.severity == "error"] == []


SHARED_ACROSS = """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: a}
  spec:
    containers:
    - name: c
      env: [{name: OWN, value: ONE}]
      args: FIRST
- apiVersion: v1
  kind: Pod
  metadata: {name: b}
  spec:
    containers:
    - name: d
      env: [{name: OWN, value: TWO}]
      args: SECOND
"""


@pytest.mark.parametrize(
    ("here", "there"), [("x", "x"), ("x", "z"), ("x", "$(NO)"), ("$(NO)", "x"), ("$(NO)", "$(NO)")]
)
@pytest.mark.parametrize(("first", "second"), [('&a ["$(V)-$(OWN)", -a]', "*a"), ('[&a "$(V)-$(OWN)"]', "[*a]")])
def test_objects_of_a_list_that_share_a_text_each_get_their_own_values(
    here: str, there: str, first: str, second: str
) -> None:
    given = SHARED_ACROSS.replace("ONE", here).replace("TWO", there).replace("FIRST", first).replace("SECOND", second)
    output = pipeline.run(given, None, [("V", "v")])
    made = [item["spec"]["containers"][0]["args"][0] for item in yaml.safe_load(output.text)["items"]]
    assert made == [f"v-{'$(OWN)' if '$' in value else value}" for value in (here, there)]
    # Objects that get one text still share it.
    assert (second in output.text) == (here == there)


def test_an_object_that_shows_an_alias_in_an_alias_gets_each_value_once() -> None:
    head = "apiVersion: example.com/v1\n  kind: Thing\n  metadata: {name: NAME}\n  spec: "
    first = f"- {head}{{a: &a '>$(A)', b: &b {{c: *a}}}}\n".replace("NAME", "a")
    second = f"- {head}{{d: *b, e: $(A)}}\n".replace("NAME", "b")
    given = f"apiVersion: v1\nkind: List\nitems:\n{first}{second}"
    ran = run(given, spec="variables: [{name: A, value: say hi hi}]\ntargets: [{fieldPaths: [spec.**]}]")
    assert ran.text == given.replace(">$(A)", ">say hi hi").replace("$(A)", "say hi hi")


def test_in_place_an_object_keeps_the_reference_that_another_one_shows_too() -> None:
    given = SHARED_ACROSS.replace("FIRST", "&a\n      - $(V)").replace("SECOND", "*a")
    config = "variables: [{name: V, value: VALUE}]\nrecord: Always"
    first = run(given, spec=config.replace("VALUE", "one"))
    assert first.text == given.replace("a\n      - $(V)", "a\n      - one # expand: $(V)").replace(
        "*a", "\n      - $(V)"
    ).replace(": \n", ":\n")
    assert [one.field for one in first.of("NoRoomForReference")] == ["items[1].spec.containers[name=d].args[0]"]
    second = run(first.text, spec=config.replace("VALUE", "two"))
    assert second.text == first.text.replace("one", "two").replace("- $(V)\n", "- two # expand: $(V)\n")
