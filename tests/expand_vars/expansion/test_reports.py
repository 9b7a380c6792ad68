"""The results of an expansion: reasons, severities and sentences (docs/reference/expansion.md, "What is reported")."""

from __future__ import annotations

import pytest

from expand_vars import pipeline
from krm.resource import Resource
from tests.calls import counted
from tests.expand_vars.expansion.running import Ran, config, config_map, fields, pod, run

A = "variables: [{name: A, value: x$$}, {name: LIVE, value: 'http://$(HOST)'}]\n"

# A container, and the findings about variables that it shadows or escapes, but for those that nothing refers to.
SHADOWED = {
    "env: [{name: A, value: own}]\nargs: [$(A)]": ["Shadowed"],
    "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]\nargs: [$(A)]": ["Shadowed"],
    "env: [{name: A, value: x$$}]\nargs: [$(A)]": [],
    "env: [{name: A, value: x$}]\nargs: [$(A)]": [],
    "env: [{name: A, value: own}]": [],
    "env: [{name: HOST, value: db}, {name: LIVE, value: 'http://db'}]\nargs: [$(LIVE)]": [],
    "env: [{name: HOST, value: db}, {name: LIVE, value: 'http://$(HOST)'}]\nargs: [$(LIVE)]": [],
    "args: [$$(A)]": ["EscapeKept"],
    "args: [$$(B), $$(A, $$A]": ["NearName"],
    "args: [$$$$(A)$(A)]": ["EscapeKept"],
}


@pytest.mark.parametrize("container", SHADOWED)
def test_what_is_told_of_variables_that_do_not_win(container: str) -> None:
    assert [one for one in run(pod(container), spec=A).reasons if one != "UnusedVariable"] == SHADOWED[container]


@pytest.mark.parametrize("lookup", ["[Variables, Container]", "[Container]"])
def test_an_order_that_the_user_chose_is_not_told(lookup: str) -> None:
    item = pod("env: [{name: A, value: own}]\nargs: [$(A)]")
    assert [one for one in run(item, spec=f"{A}lookup: {lookup}").reasons if one != "UnusedVariable"] == []


def test_an_escape_that_the_user_resolves_is_not_told() -> None:
    item = pod("env: [{name: A, value: own}]\nargs: [$(A), $$(A)]")
    told = [one for one in run(item, spec=f"{A}escapes: Unescape").reasons if one != "UnusedVariable"]
    assert told == ["Shadowed"]


HEADLESS = "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {clusterIP: None, ports: [{port: 80}]}\n"
MESSAGES = {
    "env: [{name: A, value: own}]\nargs: [$(A)]": (
        "info Shadowed spec.containers[name=app].args[0]: "
        "container `app` declares `A` itself, and that value wins over the variable's: "
        "rename the variable if both are meant, or change `lookup`"
    ),
    "args: [a, $$(A)]": (
        "info EscapeKept spec.containers[name=app].args[1]: `$$(A)` is an escape: container `app` gets the text "
        "`$(A)`; write `$(A)` if the value of the variable is meant"
    ),
    "env: [{name: X, value: $(LATER)}, {name: LATER, value: x}]": (
        "warning ForwardReference spec.containers[name=app].env[name=X].value: container `app` declares `LATER` below "
        "`X`, where the kubelet does not find it: move `LATER` above"
    ),
    "env: [{name: X, value: $(X)}]": (
        "warning ForwardReference spec.containers[name=app].env[name=X].value: `$(X)` refers to itself, and nothing "
        "above it in container `app` declares it: rename one of the two"
    ),
    "env: [{name: X, value: $(LIVE)}, {name: HOST, value: x}]": (
        "warning ForwardReference spec.containers[name=app].env[name=X].value: container `app` declares `HOST` below "
        "`X`, where the kubelet does not find it: move `HOST` above"
    ),
    "args: [$(host)]\nenv: [{name: HOST, value: x}]": (
        "warning UnresolvedReference spec.containers[name=app].args[0]: "
        "nothing defines `$(host)` in container `app`, so it stays: did you mean `HOST`?"
    ),
    "args: [$(HOSTS)]\nenv: [{name: HOST, value: x}]": (
        "warning UnresolvedReference spec.containers[name=app].args[0]: "
        "nothing defines `$(HOSTS)` in container `app`, so it stays: did you mean `HOST`?"
    ),
    "args: [$(OPTION)]\nenv: [{name: OPTION, valueFrom: {configMapKeyRef: {name: c, key: o, optional: true}}}]": (
        "warning UnresolvedReference spec.containers[name=app].args[0]: nothing defines `$(OPTION)` in container "
        "`app`, since ConfigMap `c` has no key `o`, so it stays: declare it, or write `$$(OPTION)` if it is text"
    ),
    "args: [$(KEY)]\nenv: [{name: KEY, valueFrom: {configMapKeyRef: {name: c, key: k}}}]": (
        "warning MissingKey spec.containers[name=app].args[0]: `$(KEY)` in container `app`: "
        "ConfigMap `c` has no key `k`, without which the container does not start: add it, or say `optional: true`"
    ),
    "args: [$(DB_SERVICE_PORT)]": (
        "warning ServiceWithoutAddress spec.containers[name=app].args[0]: `$(DB_SERVICE_PORT)` in container `app`: "
        "Service `db` is headless, so it gives no variables: write its name, `db`, which DNS knows"
    ),
    "env: [{name: EMPTY}]\nvolumeMounts: [{subPathExpr: $(EMPTY)}]": (
        "warning EmptySubPath spec.containers[name=app].volumeMounts[0].subPathExpr: "
        "`EMPTY` is empty, and with an empty variable in here container `app` does not start: give it a value"
    ),
    "env: [{name: X, value: '$(A)'}]\nlivenessProbe: {exec: {command: [$(X)]}}": (
        "warning ProbeUsesRawValue spec.containers[name=app].livenessProbe.exec.command[0]: "
        "an exec probe of container `app` sees `X` as `env` has it, so that text was kept for it; "
        "a shell (`sh -c`) would read it as `$X`"
    ),
    "env: [{name: X, value: '$$'}]\nlivenessProbe: {exec: {command: [$(X)]}}": (
        "warning ProbeUsesRawValue spec.containers[name=app].livenessProbe.exec.command[0]: "
        "an exec probe of container `app` sees `X` as `env` has it, with nothing in it expanded; "
        "a shell (`sh -c`) would read it as `$X`"
    ),
    "env: [{name: X, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]\nstartupProbe: {exec: {command: [$(X)]}}": (
        "warning ProbeUsesRawValue spec.containers[name=app].startupProbe.exec.command[0]: "
        "an exec probe of container `app` sees an empty `X`, as the kubelet reads no `valueFrom` for it; "
        "a shell (`sh -c`) would read it as `$X`"
    ),
    "envFrom: [{configMapRef: {name: c}}]\nstartupProbe: {exec: {command: [$(OF_C)]}}": (
        "warning ProbeUsesRawValue spec.containers[name=app].startupProbe.exec.command[0]: "
        "an exec probe of container `app` does not see `OF_C`, which is no entry of `env` with a `value`; "
        "a shell (`sh -c`) would read it as `$OF_C`"
    ),
    "startupProbe: {exec: {command: [$(LIVE)]}}": (
        "warning UnresolvedReference spec.containers[name=app].startupProbe.exec.command[0]: "
        "nothing defines `$(HOST)` in container `app`, so it stays: declare it, or write `$$(HOST)` if it is text"
    ),
    "args: [$(NOPE), x, $(NOPE)$(NOPE)]\ncommand: [$(NOPE)]": (
        "warning UnresolvedReference spec.containers[name=app].command[0], spec.containers[name=app].args[0], "
        "spec.containers[name=app].args[2]: nothing defines `$(NOPE)` in container `app`, so it stays: declare it, or "
        "write `$$(NOPE)` if it is text"
    ),
}


@pytest.mark.parametrize("container", MESSAGES)
def test_the_sentence_about_a_reference(container: str) -> None:
    ran = run(pod(container), config_map("c", "{OF_C: x}"), HEADLESS, spec=A)
    assert [one for one in ran.told if "`A` is declared" not in one and "UnusedVariable" not in one] == [
        MESSAGES[container]
    ]


@pytest.mark.parametrize(
    "env",
    [
        "envFrom: [{secretRef: {name: s}}]\nenv: [{name: X, value: $(X)}]",
        "envFrom: [{secretRef: {name: s}}]\nenv: [{name: X, value: $(Z)}, {name: Z, value: z}]",
    ],
)
def test_what_the_kubelet_may_know_from_elsewhere_is_no_forward_reference(env: str) -> None:
    ran = run(pod(env))
    assert (ran.text, ran.told) == (pod(env), [])


QUIET = {
    "the API server chooses": "env: [{name: X, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]\nargs: [$(X)]",
    "a Secret": "env: [{name: X, valueFrom: {secretKeyRef: {name: s, key: k}}}]\nargs: [$(X)]",
    "a ConfigMap that is not there": "env: [{name: X, valueFrom: {configMapKeyRef: {name: e, key: k}}}]\nargs: [$(X)]",
    "a ConfigMap that is": "envFrom: [{configMapRef: {name: c}}]\nargs: [$(OF_C)]",
    "the API server": "args: [$(KUBERNETES_SERVICE_HOST), $(KUBERNETES_PORT)]",
    "an optional key that nobody refers to":
        "env: [{name: X, valueFrom: {configMapKeyRef: {name: c, key: o, optional: true}}}]\nargs: [$$(X)]",
    "a missing key that nobody refers to":
        "env: [{name: X, valueFrom: {configMapKeyRef: {name: c, key: o}}}]\nargs: [$$(X)]",
    "shell text in a probe": "livenessProbe: {exec: {command: [sh, -c, 'test $(cat /f) $(date)']}}",
    "shell text in a hook": "lifecycle: {preStop: {exec: {command: [sh, -c, 'kill $(cat /f) $(date)']}}}",
}  # fmt: skip


@pytest.mark.parametrize("case", QUIET)
def test_what_the_kubelet_or_a_shell_will_resolve_is_no_finding(case: str) -> None:
    ran = run(pod(QUIET[case]), config_map("c", "{OF_C: x}"))
    assert (ran.items[0], ran.told) == (run(pod(QUIET[case])).items[0], [])


def test_a_secret_variable_that_may_not_be_written_is_told_where_it_stays() -> None:
    item = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: hunter2, other: $(T)}\n"
    spec = "variables: [{name: T, valueFrom: {secretKeyRef: {name: s, key: k}}}]\n"
    spec += "targets: [{select: {kind: Secret}, fieldPaths: [stringData.other]}]"
    ran = run(pod("args: [$(T)]"), item, spec=spec)
    assert (ran.container["args"], ran.reasons) == (["$(T)"], ["SecretReference"])


def test_there_is_one_result_for_each_container_and_name() -> None:
    item = pod("args: [$(B), $(C), $(B)]\n") + "  - name: other\n    args: [$(B)]\n  - args: [$(B)]\n"
    assert sorted(fields(one) or "" for one in run(item).results) == [
        "spec.containers[2].args[0]",
        "spec.containers[name=app].args[0], spec.containers[name=app].args[2]",
        "spec.containers[name=app].args[1]",
        "spec.containers[name=other].args[0]",
    ]
    assert len(run(item, item).results) == 2 * 4


@pytest.mark.parametrize(("word", "severity"), [("Ignore", None), ("Warn", "warning"), ("Error", "error")])
def test_unresolved_sets_the_severity_of_what_stays_and_of_nothing_else(word: str, severity: str | None) -> None:
    item = pod(
        "args: [$(NOPE), $(A)]\nworkingDir: $(A)\nenv: [{name: X, value: $(Z)}, {name: Z}, {name: A, value: own}]"
    )
    ran = run(item, spec=f"{A}unresolved: {word}")
    found = {one.reason: one.severity for one in ran.results}
    reasons = () if severity is None else ("UnresolvedReference", "ForwardReference", "UntargetedReference")
    assert found == {"Shadowed": "info", "UnusedVariable": "info"} | dict.fromkeys(reasons, severity)
    assert (ran.text == "") == (word == "Error")


@pytest.mark.parametrize("word", ["Ignore", "Warn", "Error"])
def test_unresolved_is_about_variables_too(word: str) -> None:
    ran = run(pod("args: []"), spec=f"variables: [{{name: A, value: $(A)}}]\nunresolved: {word}")
    assert [one.severity for one in ran.results] == {"Ignore": [], "Warn": ["warning"], "Error": ["error"]}[word]


def test_a_literal_value_that_looks_like_a_reference_is_told_where_it_is_inserted() -> None:
    settings = config_map("c", "{A: '$(X)-$(Y)', B: '$(X)', C: plain}", "annotations: {expandvars.dev/skip: 'true'}")
    spec = "variablesFrom: [{configMapRef: {name: c}}]"
    ran = run(pod("env: [{name: B, value: own}]\nargs: [$(A), $(B), $(C)]"), settings, spec=spec)
    (told,) = (one for one in ran.told if "Shadowed" not in one)
    inserted = "`$(X)`, `$(Y)` in it is inserted as text, not as a reference; "
    inserted += "references are live in the `value` of a variable"
    assert told == f"warning LiteralReference None: the value of `A` is literal: {inserted}"


def test_variables_that_nothing_refers_to_are_told_in_one_result() -> None:
    item = pod("args: [$(USED), $$(ESCAPED)]\nenv: [{name: SHADOWED}, {name: X, value: $(SHADOWED)}]\nimage: $(IMAGE)")
    variables = [f"{{name: {name}, value: x}}" for name in ("USED", "ESCAPED", "SHADOWED", "IMAGE", "INNER", "OTHER")]
    spec = f"""\
variables: [{", ".join(variables)}, {{name: OUTER, value: $(INNER)}}]
variablesFrom: [{{configMapRef: {{name: c}}}}]
kustomizeVars: [{{name: VAR, objref: {{kind: Pod, name: web}}}}, {{name: OTHER, objref: {{kind: Pod, name: web}}}}]
"""
    ran = run(item, config_map("c", "{SILENT: x}"), spec=spec)
    assert [one.message for one in ran.of("UnusedVariable")] == [
        (
            "declared, but nothing that may be changed refers to it: `VAR`, `OTHER`, `ESCAPED`, `OUTER`; "
            "mend the name, or remove it"
        )
    ]


@pytest.mark.parametrize(("second", "told"), [("x", []), ("y", ["Shadowed"])])
def test_a_variable_that_two_configmaps_define_differently_is_told(second: str, told: list[str]) -> None:
    spec = "variablesFrom: [{configMapRef: {name: a}}, {configMapRef: {name: b}}]"
    ran = run(pod("args: [$(A)]"), config_map("a", "{A: x}"), config_map("b", f"{{A: {second}}}"), spec=spec)
    assert (ran.container["args"], ran.reasons) == ([second], told)


def test_a_run_without_findings_tells_nothing() -> None:
    assert run(pod("args: [$(A), $(LIVE)]\nenv: [{name: HOST, value: db}]"), spec=A).results == []


def test_a_wrong_functionconfig_is_told_and_nothing_comes_out_that_somebody_could_apply() -> None:
    ran = run(pod("args: []"), spec="varables: []", arguments=[("A", "x")])
    assert (ran.text, ran.reasons) == ("", ["InvalidFunctionConfig"])


ONE_OF_A_NAME = {
    "a headless Service, which a probe does not see either": (
        "args: [$(DB_SERVICE_HOST)]\nlivenessProbe: {exec: {command: [$(DB_SERVICE_HOST)]}}",
        "ServiceWithoutAddress",
        "args[0], livenessProbe.exec.command[0]",
    ),
    "the probe first, whose container has no such name either": (
        "livenessProbe: {exec: {command: [$(NOPE)]}}\nargs: [$(NOPE)]",
        "UnresolvedReference",
        "args[0], livenessProbe.exec.command[0]",
    ),
    "a name below its reference that the kubelet skips": (
        (
            "args: [$(O)]\nenv:\n- {name: X, value: $(O)}\n- name: O\n"
            "  valueFrom: {configMapKeyRef: {name: c, key: o, optional: true}}"
        ),
        "UnresolvedReference",
        "env[name=X].value, args[0]",
    ),
}


@pytest.mark.parametrize("case", ONE_OF_A_NAME)
def test_there_is_one_finding_about_a_name_that_stays_and_the_best_reason(case: str) -> None:
    container, reason, named = ONE_OF_A_NAME[case]
    (result,) = run(pod(container), config_map("c", "{}"), HEADLESS).results
    assert (result.reason, (fields(result) or "").replace("spec.containers[name=app].", "")) == (reason, named)


SKIPPED = "env: [{name: A, valueFrom: {configMapKeyRef: {name: c, key: nope, optional: true}}}]\nargs: [$(A)]"


def test_an_entry_that_the_kubelet_skips_is_no_declaration() -> None:
    ran = run(pod(SKIPPED), config_map("c", "{k: v}"), arguments=[("A", "mine")])
    assert (ran.container["args"], ran.told) == (["mine"], [])
    below = "env: [{name: X, value: $(A)}, " + SKIPPED.removeprefix("env: [")
    ran = run(pod(below), config_map("c", "{k: v}"), arguments=[("A", "mine")])
    assert (ran.container["env"][0]["value"], ran.told) == ("mine", [])


def test_an_entry_whose_source_is_elsewhere_may_be_skipped_or_not_and_is_a_declaration() -> None:
    ran = run(pod(SKIPPED), arguments=[("A", "mine")])
    assert (ran.container["args"], ran.reasons) == (["$(A)"], ["UnusedArgument", "Shadowed"])


SUB_PATHS = {
    "live-$(A)": ("$(LIV)", ["EmptySubPath"]),
    "$(A)": ("$(LIV)", ["EmptySubPath"]),
    "live-$(B)": ("live-b", []),
    "live-$(EMPTY)": ("live-", []),
    "$(DEEP)": ("$(LIV)", ["EmptySubPath"]),
}


@pytest.mark.parametrize("text", SUB_PATHS)
def test_an_empty_value_gets_into_no_sub_path_by_way_of_a_variable(text: str) -> None:
    container = "env: [{name: A, value: ''}, {name: B, value: b}]\nvolumeMounts: [{subPathExpr: $(LIV)}]"
    spec = f"variables: [{{name: EMPTY, value: ''}}, {{name: DEEP, value: x$(A)}}, {{name: LIV, value: '{text}'}}]"
    ran = run(pod(container), spec=spec)
    reasons = [one for one in ran.reasons if one != "UnusedVariable"]
    assert (ran.container["volumeMounts"][0]["subPathExpr"], reasons) == SUB_PATHS[text]


OF_SERVICES = {
    "nothing is near": ("args: [$(DB_PORT)]", "UnknownService", "info"),
    "another name of the container is near": (
        "env: [{name: DB_PROT, value: '1'}]\nargs: [$(DB_PORT)]",
        "NearName",
        "warning",
    ),
}
NOT_TOLD = {
    "the API server's": "args: [$(KUBERNETES_SERVICE_HOST)]",
    "an unread source may define it": "envFrom: [{secretRef: {name: s}}]\nargs: [$(DB_PORT)]",
}
REDIS = "apiVersion: v1\nkind: Service\nmetadata: {name: redis}\nspec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}\n"


@pytest.mark.parametrize("policy", ["Ignore", "Error"])
@pytest.mark.parametrize(("container", "reason", "severity"), OF_SERVICES.values(), ids=OF_SERVICES)
def test_a_name_that_looks_like_a_service_variable_is_told(
    container: str, reason: str, severity: str, policy: str
) -> None:
    ran = run(pod(container), spec=f"unresolved: {policy}")
    assert [(one.reason, one.severity) for one in ran.results if one.ref is not None] == [(reason, severity)]


@pytest.mark.parametrize("policy", ["Ignore", "Error"])
@pytest.mark.parametrize("container", NOT_TOLD.values(), ids=NOT_TOLD)
def test_a_service_variable_that_may_be_there_is_not_told(container: str, policy: str) -> None:
    assert run(pod(container), spec=f"unresolved: {policy}").results == []


@pytest.mark.parametrize("policy", ["Ignore", "Error"])
def test_a_variable_of_another_service_is_told_as_near(policy: str) -> None:
    ran = run(pod("args: [$(DBS_SERVICE_HOST)]"), REDIS.replace("redis", "db-s"), spec=f"unresolved: {policy}")
    assert [(one.reason, one.severity) for one in ran.results] == [("NearName", "warning")]


@pytest.mark.parametrize(("policy", "told"), [("Ignore", []), ("Error", [("UnresolvedReference", "error")])])
def test_a_name_that_only_looks_alike_is_an_unresolved_reference(policy: str, told: list[tuple[str, str]]) -> None:
    ran = run(pod("args: [$(REDIS_HOST)]"), spec=f"unresolved: {policy}")
    assert [(one.reason, one.severity) for one in ran.results] == told


MESSAGE = "one name is left to Services that are not among the items: `DB_PORT`; that is right if the cluster has them"


@pytest.mark.parametrize(("policy", "told"), [("Ignore", []), ("Error", [("error", MESSAGE)])])
def test_names_that_are_left_to_services_are_counted(policy: str, told: list[tuple[str, str]]) -> None:
    ran = run(pod("args: [$(DB_PORT)]"), spec=f"unresolved: {policy}")
    assert [(one.severity, one.message) for one in ran.results if one.ref is None] == told


def test_the_variable_of_a_service_may_be_meant() -> None:
    (result,) = run(pod("args: [$(REDIS_HOST)]"), REDIS).results
    assert result.message.endswith("did you mean `REDIS_SERVICE_HOST`?")


def test_a_run_does_not_take_long_for_its_hints() -> None:
    """Each unknown name is compared with each known one, until there were many comparisons."""
    known = ", ".join(f"{{name: N{number}}}" for number in range(400))
    unknown = ", ".join(f"$(U{number})" for number in range(400))
    results = run(pod(f"env: [{known}]\nargs: [{unknown}, $(N1X)]")).results
    assert len(results) == 401
    assert "did you mean" not in results[-1].message


NEAR = {
    "the key that a container requires": (
        "env: [{name: X, valueFrom: {configMapKeyRef: {name: c, key: levl}}}]\nargs: [$(X)]",
        "{}",
        (
            "`$(X)` in container `app`: ConfigMap `c` has no key `levl`, without which the container does not start: "
            "did you mean `level`?"
        ),
    ),
    "the key that a variable is read from": (
        "args: [a]",
        "variables: [{name: V, valueFrom: {configMapKeyRef: {name: c, key: levl}}}]",
        "ConfigMap `c` has no key `levl`: did you mean `level`?",
    ),
    "a key in other letters": (
        "args: [a]",
        "variables: [{name: V, valueFrom: {configMapKeyRef: {name: c, key: LEVEL}}}]",
        "ConfigMap `c` has no key `LEVEL`: did you mean `level`?",
    ),
    "the name in a target": (
        "image: x:$(REGIN)",
        "variables: [{name: REGION, value: x}]",
        "no variable defines `$(REGIN)`: did you mean `REGION`?",
    ),
}


@pytest.mark.parametrize("name", NEAR)
def test_a_near_word_is_the_next_step(name: str) -> None:
    container, spec, message = NEAR[name]
    ran = run(pod(container), config_map("c", "{level: x}"), spec=spec)
    assert message in [result.message for result in ran.results]


@pytest.mark.pure
def test_an_item_is_searched_as_often_for_many_findings_as_for_few() -> None:
    """A search takes a time in proportion to the text, so one for each finding would take its square."""
    assert searches(10) == searches(40)


def searches(count: int) -> int:
    """Return how often the texts of items are searched in a run on a Pod with so many undefined names."""
    item = pod(f"args: [{', '.join(f'$(NOPE{number})' for number in range(count))}]")
    assert len(run(item).reasons) == count
    return counted(lambda: run(item), of=Resource.spells.__code__)


ID = "internal.config.kubernetes.io/id: '1'"


@pytest.mark.parametrize(
    ("annotations", "severity"),
    [
        (f"{{{ID}}}", "warning"),
        (f"{{{ID}, internal.config.kubernetes.io/package-path: /shop}}", "info"),
        ("{internal.config.kubernetes.io/path: pod.yaml}", "info"),
    ],
)
def test_what_kpt_eval_is_given_and_nothing_uses_is_a_warning_and_in_a_kptfile_an_info(
    annotations: str, severity: str
) -> None:
    given = pod("args: []", head=f"annotations: {annotations}")
    config_map_of_kpt = config("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\ndata: {A: b}\n")
    (result,) = Ran(pipeline.run(given, config_map_of_kpt)).results
    assert (result.severity, result.reason) == (
        severity,
        "UnusedArgument" if severity == "warning" else "UnusedVariable",
    )


def test_an_object_of_our_group_that_is_no_function_config_is_told() -> None:
    odd = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVar\nmetadata: {name: v}\nspec: {}\n"
    (result,) = run(pod("args: []"), odd).results
    message = "`expandvars.dev` has no kind `ExpandVar`, so this has no effect: its kind is `ExpandVars`"
    assert (result.severity, result.reason, result.message) == ("warning", "NoEffect", message)
