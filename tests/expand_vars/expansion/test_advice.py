"""What is proposed for a reference to a variable in a field that is not expanded."""

from __future__ import annotations

import pytest

from expand_vars import pipeline
from tests.expand_vars.expansion.running import Ran, config, pod, run

SPEC = "variables: [{name: A, value: '1'}]\n"
FLEET = """\
apiVersion: example.com/v1
kind: Fleet
metadata: {name: f}
spec: {template: {spec: {containers: [{name: c, env: [{name: A, value: own}], FIELD}]}}}
"""
ADVICE = {
    'args: ["$(A)"]': "`podTemplates: [{group: example.com, kind: Fleet, fieldPath: spec.template}]`",
    'livenessProbe: {exec: {command: ["$(A)"]}}': (
        "`podTemplates: [{group: example.com, kind: Fleet, fieldPath: spec.template}]`"
    ),
    'image: "$(A)"': "`podTemplates: [{group: example.com, kind: Fleet, fieldPath: spec.template}]`",
    'workingDir: "$(A)"': (
        '`targets: [{select: {kind: Fleet}, fieldPaths: ["spec.template.spec.containers[*].workingDir"]}]`'
    ),
}  # fmt: skip


@pytest.mark.parametrize("field", ADVICE)
def test_a_field_that_the_kubelet_may_expand_is_advised_to_be_one_of_a_pod_template(field: str) -> None:
    given = FLEET.replace("FIELD", field)
    (result,) = run(given, spec=SPEC).of("UntargetedReference")
    assert ADVICE[field] in result.message


def test_a_field_that_no_pod_spec_has_is_no_target_in_a_kind_that_is_not_known() -> None:
    (result,) = run(FLEET.replace("FIELD", 'arg: ["$(A)"]'), spec=SPEC).of("UntargetedReference")
    assert result.message == "`$(A)` stays: `arg` is no field here: did you mean `args`?"


@pytest.mark.parametrize("field", ["item: [{kind: Pod, a: $(A)}]", "items: {kind: Pod, a: $(A)}"])
def test_the_objects_of_a_list_are_its_items(field: str) -> None:
    (result,) = run(f"apiVersion: v1\nkind: List\n{field}\n", spec=SPEC).of("UntargetedReference")
    assert result.message == "`$(A)` stays: the objects of a List are the elements of `items`: move this there"


def test_the_advice_for_a_custom_workload_gives_what_the_kubelet_would() -> None:
    given = FLEET.replace("FIELD", 'args: ["$(A)"]')
    ran = run(given, spec=SPEC + "podTemplates: [{group: example.com, kind: Fleet, fieldPath: spec.template}]")
    assert ran.items[0]["spec"]["template"]["spec"]["containers"][0]["args"] == ["own"]


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("tekton.dev/v1", "Task"),
        ("triggers.tekton.dev/v1beta1", "TriggerTemplate"),
        ("argoproj.io/v1alpha1", "Workflow"),
        ("argoproj.io/v1alpha1", "CronWorkflow"),
    ],
)
def test_kinds_with_a_syntax_of_their_own_get_no_advice(api_version: str, kind: str) -> None:
    given = f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: t}}\nspec: {{steps: [{{args: [$(A)]}}]}}\n"
    (result,) = run(given, spec=SPEC).of("OwnSyntax")
    assert (result.severity, result.message) == (
        "info",
        f"`$(A)` stays: `$(...)` is syntax of `{kind}` itself, and the variable `A` is not inserted there",
    )


TARGET = (
    'targets: [{select: {kind: Deployment}, fieldPaths: ["spec.template.spec.containers[*].terminationMessagePath"]}]'
)
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, terminationMessagePath: "/$(TAG)", workingDir: DIR}]}}}
"""
SHAPES = {
    "spec: $(A)": "`spec` is a text, and must be a mapping",
    "spec: {template: {spec: {containers: $(A)}}}": (
        "`containers` is a text, and must be a list, such as `containers: [{name: web, image: nginx}]`"
    ),
    "spec: {template: {spec: {containers: [{name: web, arg: [$(A)]}]}}}": (
        "`arg` is no field here: did you mean `args`?"
    ),
    "spec: {template: {spec: {containers: [{name: web, zzz: $(A)}]}}}": "`zzz` is no field here: mend or remove it",
    "spec: {template: {containers: [{name: web, args: [$(A)]}]}}": "`containers` is no field here: move it into `spec`",
    "spec: {containers: [{args: [$(A)]}]}": "`containers` is no field here: move it into `template.spec`",
    "spec: {template: {spec: {containers: [{name: web, volumes: $(A)}]}}}": (
        "`volumes` is no field here: move it out of `containers`"
    ),
    "spec: {template: {spec: {containers: [{name: web, image: {a: $(A)}}]}}}": (
        "`image` is a mapping, and must be a text: put the whole of it in quotes"
    ),
    "spec: {template: {metadata: {labels: [a, $(A)]}}}": "`labels` is a list, and must be a mapping",
    "spec: {template: {metadata: {labels: $(A)}}}": "`labels` is a text, and must be a mapping",
    "spec: [$(A)]": "`spec` is a list, and must be a mapping",
    "status: {arg: $(A)}": (
        "this field may hold any text, and is expanded only as a target: "
        "add `targets: [{select: {kind: Deployment}, fieldPaths: [status.arg]}]` to the functionConfig"
    ),
    "spec: {template: {spec: {containers: {name: web, args: [$(A)]}}}}": (
        "`containers` is a mapping, and must be a list, such as `containers: [{name: web, image: nginx}]`"
    ),
    "spec: {template: {spec: {initContainers: {web: {args: [$(A)]}}}}}": (
        "`initContainers` is a mapping, and must be a list, such as `initContainers: [{name: web, image: nginx}]`"
    ),
    "spec: {template: {spec: {containers: [{name: web, args: $(A)}]}}}": (
        '`args` is a text, and must be a list, such as `args: ["..."]`'
    ),
    "spec: {template: {spec: {containers: [{name: web, args: [{--url: $(A)}]}]}}}": (
        "`args[0]` is a mapping, and must be a text: put the whole of it in quotes"
    ),
    "spec: {template: {spec: {containers: [{name: web, env: [{name: B, values: $(A)}]}]}}}": (
        "`values` is no field here: did you mean `value`?"
    ),
    "spec: {template: {spec: {containers: [{name: web, env: [{B: $(A)}]}]}}}": (
        "`B` is no field here: write `{name: B, value: ...}`"
    ),
    'spec: {template: {spec: {containers: [{name: web, env: ["B=$(A)"]}]}}}': (
        "`env[0]` is a text, and must be a mapping, such as `{name: REGION, value: eu}`"
    ),
    "spec: {template: {spec: {containers: [{name: web, env: [{name: B, value: {a: $(A)}}]}]}}}": (
        "`value` is a mapping, and must be a text: put the whole of it in quotes"
    ),
    "spec: {template: {spec: {containers: [{name: web, env: {A: x, B: $(A)}}]}}}": (
        "`env` is a mapping, and must be a list, such as `env: [{name: REGION, value: eu}]`"
    ),
}


@pytest.mark.parametrize("spec", SHAPES)
def test_a_field_of_the_wrong_shape_is_no_target_but_a_mistake(spec: str) -> None:
    ran = run(f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\n{spec}\n", spec=SPEC)
    assert [one.message for one in ran.of("UntargetedReference")] == [f"`$(A)` stays: {SHAPES[spec]}"]


FLEETS = FLEET.replace("FIELD", "args: [$(A)]")
OF_APPS = FLEETS.replace("example.com/v1", "apps/v1")
HEADS = {
    FLEETS.replace("kind: Fleet\n", ""): "this has no `kind`, which says what the kubelet expands: add it",
    "apiVersion: v1\nspec: {a: $(A)}\n": "this has no `kind`, which says what the kubelet expands: add it",
    FLEETS.replace("apiVersion: example.com/v1\n", ""): (
        "this has no `apiVersion`, which says what the kubelet expands: add it"
    ),
    OF_APPS.replace("Fleet", "Deploymnt"): (
        "no kind `Deploymnt` of this `apiVersion` has containers: did you mean `Deployment`?"
    ),
    "apiVersion: v1\nkind: $(A)\n": ("this says what can be expanded in the object: write it out"),
    "apiVersion: apps/$(A)\nkind: Deployment\n": ("this says what can be expanded in the object: write it out"),
    OF_APPS: "no kind `Fleet` of this `apiVersion` has containers: mend one of the two",
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {spec: {replicas: $(A)}}\n": (
        "`spec` is no field here: move it out of `metadata`"
    ),
    "apiVersion: v1\nkind: Pod\nmetadata: {containers: [{args: [$(A)]}]}\n": (
        "`containers` is no field here: move it into `spec`"
    ),
    "apiVersion: batch/v1\nkind: CronJob\nspec: {template: {spec: {containers: [{args: [$(A)]}]}}}\n": (
        "`template` is no field here: move it into `jobTemplate.spec`"
    ),
    "apiVersion: ray.io/v1\nkind: RayCluster\nspec: $(A)\n": "`spec` is a text, and must be a mapping",
    "apiVersion: ray.io/v1\nkind: RayCluster\nspec: {workerGroupSpecs: $(A)}\n": (
        "`workerGroupSpecs` is a text, and must be a list or a mapping"
    ),
    "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r, spec: {a: $(A)}}\n": (
        "`spec` is no field here: move it out of `metadata`"
    ),
    OF_APPS.replace("Fleet", "CronJob"): "`CronJob` is of the group `batch`, and not of this `apiVersion`: mend it",
    OF_APPS.replace("Fleet", "Deployment").replace("apps/v1", "v1"): (
        "`Deployment` is of the group `apps`, and not of this `apiVersion`: mend it"
    ),
    FLEET.replace("[{name: c, env: [{name: A, value: own}], FIELD}]", "{web: {args: [$(A)]}}"): (
        "`containers` is a mapping, and must be a list, such as `containers: [{name: web, image: nginx}]`"
    ),
}


@pytest.mark.parametrize("given", HEADS)
def test_the_advice_for_an_object_that_cannot_be_a_workload_is_what_makes_it_one(given: str) -> None:
    (result,) = run(given, spec=SPEC).of("UntargetedReference")
    assert result.message == f"`$(A)` stays: {HEADS[given]}"


def test_of_many_fields_the_first_are_named_and_the_others_counted() -> None:
    data = "".join(f"  key{number}: $(A)\n" for number in range(14))
    (result,) = run(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n{data}", spec=SPEC).of(
        "UntargetedReference"
    )
    assert result.message.endswith(
        "add `targets: [{select: {kind: ConfigMap}, fieldPaths: [data.key0, data.key1, data.key2]}]` to the "
        "functionConfig; `expand-vars explain --suggest` prints 11 more"
    )


def test_a_mistake_and_an_open_field_are_both_advised() -> None:
    given = DEPLOYMENT.replace("workingDir: DIR", "args: $(TAG)")
    assert _told(given) == (
        '`$(TAG)` stays: `args` is a text, and must be a list, such as `args: ["..."]`; this field may hold any '
        "text, and is expanded only as a target: give `--target All`, or give a functionConfig of kind `ExpandVars` "
        f"with `{TARGET}`"
    )


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: setters}\ndata: {TAG: '7'}\n"


def _told(given: str, function_config: str = "") -> str:
    ran = Ran(
        pipeline.run(
            given, config(function_config) if function_config else None, [] if function_config else [("TAG", "7")]
        )
    )
    (result,) = ran.of("UntargetedReference")
    return result.message


def test_who_gives_a_configmap_is_told_the_form_of_a_configmap() -> None:
    message = _told(DEPLOYMENT, CONFIG_MAP)
    annotate = "annotate the functionConfig with `expandvars.dev/targets: All`"
    assert message.endswith(f"{annotate}, or give a functionConfig of kind `ExpandVars` with `{TARGET}`")
    annotated = CONFIG_MAP.replace("{name: setters}", "{name: setters, annotations: {expandvars.dev/targets: All}}")
    assert "/7" in pipeline.run(DEPLOYMENT, config(annotated)).text


def test_who_gives_kpt_arguments_or_a_config_map_is_told_of_a_file() -> None:
    message = _told(DEPLOYMENT, CONFIG_MAP.replace("setters", "function-input"))
    wanted = f"give a functionConfig of kind `ExpandVars` with `{TARGET}`, in a file that "
    assert message.endswith(f"{wanted}`configPath` or `--fn-config` names")


def test_who_gives_arguments_alone_is_told_of_an_option() -> None:
    wanted = f"give `--target All`, or give a functionConfig of kind `ExpandVars` with `{TARGET}`"
    assert _told(DEPLOYMENT).endswith(wanted)


@pytest.mark.parametrize(
    "shape", ["[{name: APP_PREFIX, value: $(JWA_PREFIX)}]", "[{name: X, value: $(AB)}, {name: ABC, value: z}]"]
)
def test_no_hint_names_the_entry_itself_or_one_below(shape: str) -> None:
    (told,) = run(pod(f"env: {shape}")).told
    assert told.endswith("if it is text")


PREDICTOR = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: m}
spec:
  predictor:
    containers: [{name: c, env: [{name: A, value: own}], args: ["$$(B)-$(B)", "$(A)"]}]
"""
BOTH = "variables: [{name: A, value: '1'}, {name: B, value: '2'}]\n"


def test_a_pod_spec_that_stands_in_no_template_is_named_itself() -> None:
    entry = "podTemplates: [{group: serving.kserve.io, kind: InferenceService, fieldPath: spec.predictor}]"
    for result in run(PREDICTOR, spec=BOTH).of("UntargetedReference"):
        assert f"`{entry}`" in result.message
    ran = run(PREDICTOR, spec=BOTH + entry)
    # The kubelet makes `$(B)` of `$$(B)`, in its turn.
    assert ran.items[0]["spec"]["predictor"]["containers"][0]["args"] == ["$$(B)-2", "own"]
    assert "NoEffect" not in ran.reasons


@pytest.mark.parametrize("path", ["spec", "spec.predictor.containers", "spec.other"])
def test_what_is_no_pod_spec_is_named_without_effect(path: str) -> None:
    entry = f"podTemplates: [{{group: serving.kserve.io, kind: InferenceService, fieldPath: {path}}}]"
    assert "NoEffect" in run(PREDICTOR, spec=BOTH + entry).reasons


CONTAINERS_OF_THEIR_OWN = {
    "trainer: {image: i, args: [$(A)]}": "spec.trainer",
    "trainer: {command: [a], args: [$(A)]}": "spec.trainer",
    "driver: {cores: 1, env: [{name: X, value: $(A)}]}": None,
    "driver: {sidecars: [{image: i, command: [$(A)]}]}": "spec.driver.sidecars[*]",
    "model: {image: i, env: [], livenessProbe: {exec: {command: [$(A)]}}}": "spec.model",
    "model: {image: $(A), args: []}": None,
    "driver: {args: [$(A)]}": None,
    "driver: {image: [i], args: [$(A)]}": None,
    "arguments: [$(A)]": None,
}


@pytest.mark.parametrize("written", CONTAINERS_OF_THEIR_OWN)
def test_no_target_is_advised_for_what_a_container_has_expanded_by_its_own_env(written: str) -> None:
    given = f"apiVersion: example.com/v1\nkind: Fleet\nmetadata: {{name: f}}\nspec: {{{written}}}\n"
    (result,) = run(given, spec=SPEC).of("UntargetedReference")
    path = CONTAINERS_OF_THEIR_OWN[written]
    assert ("targets:" in result.message, _named(path, "example.com", "Fleet") in result.message) == (
        not path,
        bool(path),
    )


def _named(path: str | None, group: str, kind: str) -> str:
    shown = f'"{path}"' if path and "*" in path else path
    entry = f"podTemplates: [{{group: {group}, kind: {kind}, container: {shown}}}]"
    what = "this looks like a field of a container, which the kubelet expands: if it is one"
    return f"`$(A)` stays: {what}, add `{entry}` to the functionConfig"


@pytest.mark.parametrize(
    ("kind", "written", "path"),
    [
        ("serving.kserve.io/v1beta1 InferenceService", "predictor: {model: {args: [$(A)]}}", "spec.predictor.model"),
        ("sparkoperator.k8s.io/v1 SparkApplication", "driver: {env: [{name: X, value: $(A)}]}", "spec.driver"),
    ],
)
def test_one_key_of_a_container_tells_it_in_a_kind_that_has_pods(kind: str, written: str, path: str) -> None:
    api_version, name = kind.split()
    given = f"apiVersion: {api_version}\nkind: {name}\nmetadata: {{name: f}}\nspec: {{{written}}}\n"
    ran = run(given, spec=f"{SPEC}targets: [{{preset: All}}]")
    told = _named(path, api_version.split("/")[0], name)
    assert (ran.text, [result.message for result in ran.results]) == (given, [told])
