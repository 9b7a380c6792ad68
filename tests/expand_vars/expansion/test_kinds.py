"""What the controllers of kinds with Pods change, and how a kind that is not built in is described."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.expansion import left_alone
from expand_vars.expansion.resolution import WEBHOOKS
from krm import resourcelist
from krm.workloads import KINDS
from tests.expand_vars.expansion.running import Ran, config, explained, pod, run
from tests.process import ROOT

GOLDEN = ROOT / "testdata/expand_vars/function/workload-every-kind/input.yaml"
WORKLOADS: dict[str, Any] = {
    f"{item['apiVersion']} {item['kind']}": item for item in yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))["items"]
}
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {clusterIP: 10.0.0.9, ports: [{port: 5432}]}\n"


def workload(kind: str, container: str) -> str:
    """Return a workload of a kind in which each container is another one."""
    text = json.dumps(WORKLOADS[kind])
    made = json.dumps(yaml.safe_load(f"{{name: c, {container}}}"))
    return re.sub(r'\{"name": "c".*?\]\}', lambda _: made, text) + "\n"


def args(ran: Ran) -> set[str]:
    """Return the texts of all `args` and `env` values of the first item."""
    found = re.findall(r'"(?:args|value)": (\[.*?\]|".*?")', ran.text.splitlines()[0])
    return {text for one in found for text in one.strip('[]"').split('", "')}


def test_the_golden_folder_has_every_kind() -> None:
    found = {(one["apiVersion"].rpartition("/")[0], one["kind"]) for one in WORKLOADS.values()}
    assert found == KINDS.keys()


def test_knative_gives_no_variables_of_services_unless_the_manifest_says_so() -> None:
    given = workload("serving.knative.dev/v1 Service", 'args: ["$(DB_SERVICE_HOST)"]')
    ran = run(given, SERVICE)
    assert args(ran) == {"$(DB_SERVICE_HOST)"}
    assert ran.reasons == ["UnresolvedReference"]
    linked = given.replace('{"containers"', '{"enableServiceLinks": true, "containers"')
    assert args(run(linked, SERVICE)) == {"10.0.0.9"}


LWS = "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet"
BEHIND = {
    "serving.knative.dev/v1 Service": "PORT",
    "batch/v1 Job": "JOB_COMPLETION_INDEX",
    "ray.io/v1 RayCluster": "RAY_ADDRESS",
    "kubeflow.org/v1 PyTorchJob": "PET_NNODES",
    "batch.volcano.sh/v1alpha1 Job": "VC_WORKER_HOSTS",
}


@pytest.mark.parametrize("kind", BEHIND)
def test_a_name_behind_env_is_seen_by_args_alone_and_no_variable_takes_it(kind: str) -> None:
    name = BEHIND[kind]
    given = workload(kind, f'env: [{{name: X, value: "$({name})"}}], args: ["$({name})"]')
    ran = run(given, spec=f"variables: [{{name: {name}, value: never}}]")
    assert args(ran) == {f"$({name})"}
    assert sorted({*ran.reasons}) == ["ForwardReference", "Shadowed"]
    who = f"the controller of `{kind.split()[1]}`"
    where = "behind the `env` of container `c`, where `X` does not find it: refer to it in `command` or `args`"
    assert {one.message for one in ran.of("ForwardReference")} == {f"{who} puts `{name}` {where}"}
    assert ran.of("Shadowed")[0].message == (
        f"`{name}` of container `c`: {who} sets it at run time, and that value wins over the variable's: "
        "rename the variable if both are meant"
    )


def test_a_name_behind_env_that_an_entry_above_declares_is_that_one_in_env() -> None:
    name = "JOB_COMPLETION_INDEX"
    given = workload("batch/v1 Job", f'env: [{{name: {name}, value: own}}, {{name: X, value: "$({name})"}}]')
    assert args(run(given)) == {"own"}


def test_a_name_in_front_of_env_wins_over_the_container_and_is_seen_by_its_entries() -> None:
    given = workload(
        LWS, 'env: [{name: LWS_GROUP_SIZE, value: own}, {name: X, value: "$(LWS_GROUP_SIZE)"}], args: ["$(X)"]'
    )
    ran = run(given)
    assert args(ran) == {"own", "$(LWS_GROUP_SIZE)", "$(X)"}
    assert ran.reasons == []


@pytest.mark.parametrize(
    ("value", "spec"), [("own", "inline: []"), ("$(REGION)", "variables: [{name: REGION, value: eu}]")]
)
def test_an_exec_probe_sees_the_name_in_front_of_env_and_no_entry_of_that_name(value: str, spec: str) -> None:
    env = f'[{{name: LWS_GROUP_SIZE, value: "{value}"}}]'
    probe = 'livenessProbe: {exec: {command: ["$(LWS_GROUP_SIZE)"]}}'
    ran = run(workload(LWS, f"env: {env}, {probe}"), spec=spec)
    assert ('"command": ["$(LWS_GROUP_SIZE)"]' in ran.text, ran.reasons) == (True, [])


def test_a_webhook_that_puts_names_in_front_keeps_the_first_entry_of_a_name() -> None:
    ran = run(workload(LWS, 'env: [{name: A, value: "1"}, {name: A, value: "2"}], args: ["$(A)$(TPU_NAME)"]'))
    assert args(ran) == {"1", "2", "1$(TPU_NAME)"}


def test_an_exec_probe_sees_the_names_of_a_controller_too() -> None:
    given = workload("batch/v1 Job", 'livenessProbe: {exec: {command: ["$(JOB_COMPLETION_INDEX)"]}}')
    ran = run(given, spec="variables: [{name: JOB_COMPLETION_INDEX, value: never}]")
    assert ("never" in ran.text, ran.reasons) == (False, [])


@pytest.mark.parametrize("kind", ["argoproj.io/v1alpha1 Rollout", "serving.knative.dev/v1 Revision"])
def test_a_label_that_a_controller_sets_is_left(kind: str) -> None:
    source = "valueFrom: {fieldRef: {fieldPath: \"metadata.labels['rollouts-pod-template-hash']\"}}"
    given = (
        workload(kind, f'env: [{{name: H, {source}}}], args: ["$(H)"]')
        .replace('"metadata": {', '"metadata": {"labels": {"rollouts-pod-template-hash": "x"}, ')
        .replace('"template": {', '"template": {"metadata": {"labels": {"rollouts-pod-template-hash": "x"}}, ')
    )
    assert args(run(given, spec="inline: [Downward]")) == {"$(H)"}


@pytest.mark.parametrize("kind", WORKLOADS)
def test_what_is_suggested_for_an_unknown_kind_gives_every_container_its_rule(kind: str) -> None:
    one = WORKLOADS[kind]
    given = json.dumps({**one, "apiVersion": "of.example.com/v1"})
    given = given.replace('"$(OWN)"', '"$(OWN)", "--image=$(REGION)"').replace('"nginx"', '"nginx:$(REGION)"')
    found = explained(resourcelist.read(given), None, [("REGION", "eu"), ("OWN", "never")])
    block = "\n".join(left_alone.suggested_lines(found.untargeted(), found.pod_specs, None))
    assert yaml.safe_load(block)["spec"].keys() == {"podTemplates"}
    output = pipeline.run(given, config(block), [("REGION", "eu"), ("OWN", "never")])
    expected = given.replace("$(OWN)-$(REGION)", "$(OWN)-eu").replace('"$(OWN)"', '"own"').replace("$(REGION)", "eu")
    assert json.loads(output.text) == json.loads(expected)
    # `OWN` is an argument that wins nowhere.
    assert [result.reason for result in output.results if result.severity != "info"] == ["UnusedArgument"]


def test_an_argument_that_wins_nowhere_is_told() -> None:
    item = pod("env: [{name: OWN, value: own}]\nargs: [$(OWN)]")
    output = pipeline.run(item, None, [("OWN", "never")])
    (told,) = (one.message for one in output.results if one.reason == "UnusedArgument")
    assert told == (
        "`OWN` is given, and the container's own `OWN` wins wherever something refers to it: "
        "set it there, or leave the argument out"
    )
    other = pod("args: [$(OWN)]").replace("name: web", "name: other")
    both = pipeline.run(f"{item}---\n{other}", None, [("OWN", "used")])
    assert "UnusedArgument" not in [one.reason for one in both.results]


PREDICTOR = """apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: m}
spec:
  predictor:
    containers: [{name: c, image: "i:$(TAG)", env: [{name: OWN, value: own}], args: ["$$(OWN)-$(TAG)", "$(OWN)"]}]
    model: {image: i, env: [{name: OWN, value: own}], args: ["$(OWN)", "$(OF_RUN)"], storageUri: "s3://$(TAG)"}
"""


def test_a_pod_spec_without_a_template_has_containers_and_fields_of_its_kind() -> None:
    spec = "variables: [{name: TAG, value: v7}, {name: OWN, value: never}, {name: OF_RUN, value: a}]"
    ran = run(PREDICTOR, spec=spec)
    assert ran.text == PREDICTOR.replace("i:$(TAG)", "i:v7").replace("-$(TAG)", "-v7").replace(', "$(OWN)"', ', "own"')
    # What the container's own `env` declares is expanded there.
    inside, free = (one.message for one in ran.of("UntargetedReference"))
    assert inside == (
        "`$(OF_RUN)` stays: this looks like a field of a container, which the kubelet expands: if it is one, add "
        "`podTemplates: [{group: serving.kserve.io, kind: InferenceService, container: spec.predictor.model}]` "
        "to the functionConfig"
    )
    entry = "{select: {kind: InferenceService}, fieldPaths: [spec.predictor.model.storageUri]}"
    assert free == (
        "`$(TAG)` stays: this field may hold any text, and is expanded only as a target: "
        f"add `targets: [{entry}]` to the functionConfig"
    )


def test_an_object_that_is_its_own_template_is_described_by_an_empty_path() -> None:
    given = json.dumps({**WORKLOADS["v1 Pod"], "apiVersion": "monitoring.example.com/v1", "kind": "Prometheus"})
    entry = '{group: monitoring.example.com, kind: Prometheus, fieldPath: ""}'
    spec = f"podTemplates: [{entry}]\nvariables: [{{name: REGION, value: eu}}]"
    assert args(run(given, spec=spec)) == {"own", "$$(OWN)-eu"}


def test_a_pod_template_of_a_built_in_kind_may_be_named_again() -> None:
    given = json.dumps(WORKLOADS["ray.io/v1 RayCluster"])
    paths = ["spec.headGroupSpec.template", "spec.workerGroupSpecs[*].template"]
    entries = ", ".join(f'{{group: ray.io, kind: RayCluster, fieldPath: "{path}"}}' for path in paths)
    spec = f"podTemplates: [{entries}]\nvariables: [{{name: REGION, value: eu}}, {{name: RAY_IP, value: never}}]"
    assert args(run(given, spec=spec)) == {"own", "$$(OWN)-eu"}


def test_a_text_in_the_place_of_a_list_of_templates_is_a_mistake() -> None:
    given = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r}\nspec: {workerGroupSpecs: $(A)}\n"
    (result,) = run(given, spec="variables: [{name: A, value: a}]").of("UntargetedReference")
    assert result.message == "`$(A)` stays: `workerGroupSpecs` is a text, and must be a list or a mapping"


@pytest.mark.parametrize("name", WEBHOOKS)
def test_a_name_of_a_common_webhook_is_an_info_and_a_variable_may_give_it(name: str) -> None:
    (result,) = run(pod(f"args: [$({name})]")).results
    assert (result.severity, result.reason) == ("info", "RuntimeName")
    assert f": it is set at run time by {WEBHOOKS[name]}, where that is installed" in result.message
    assert run(pod(f"args: [$({name})]"), arguments=[(name, "mine")]).container["args"] == ["mine"]


RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch}
spec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [
  {name: node, image: i, env: [{name: MODEL, value: d}, {name: PATH_OF, value: "/$(MODEL)"}], args: [ARG]}]}}}}}]}}}
"""
OF_RUNTIME = {
    "--m=$(MODEL)": "--m=$(MODEL)",
    "--p=$(PATH_OF)": "--p=$(PATH_OF)",
    "--r=$(REGION)": "--r=eu",
    "$(JAX_PROCESS_ID)$(DMLC_ROLE)$(STORAGE_URI)": "$(JAX_PROCESS_ID)$(DMLC_ROLE)$(STORAGE_URI)",
}


@pytest.mark.parametrize("written", OF_RUNTIME)
def test_what_a_job_may_override_is_not_final(written: str) -> None:
    given = RUNTIME.replace("ARG", f'"{written}"')
    ran = run(given, spec="variables: [{name: REGION, value: eu}, {name: STORAGE_URI, value: x}]\nstrict: true")
    assert ran.text == given.replace(written, OF_RUNTIME[written])
    assert not {*ran.reasons} - {"UnusedVariable", "Shadowed", "UntargetedReference"}
