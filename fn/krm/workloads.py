"""Kinds with pod templates, and the fields of a container that the kubelet expands, and maps.

Expansion and merge share this one table (docs/reference/expansion.md, "Kinds of workloads"). A row is for a group and
kind, at any version. A functionConfig can add kinds (`podTemplates`). The containers of other kinds are left alone:
Tekton and Argo Workflows have a `$(...)` syntax of their own.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

from krm.fieldpath import WILDCARD, leads
from krm.yamltree.nodes import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    Paths: TypeAlias = Mapping[tuple[str, str], Collection[FieldPath]]


class Workload:
    """The facts of a kind with Pods: where its pod specs are, and what its controller changes in them.

    `scales`: `spec.replicas` is the number of Pods. `has_links`: the Pods get the variables of Services by default.
    `in_front` and `behind` are the variables that the controller puts in front of the `env` of a container, and behind
    it. A name that ends with `_` stands for all names with this start. `overridable`: objects made from this one may
    give the variables of its `env` other values. `labels` are the keys of the labels and annotations that the Pods get
    later or with another value, or the starts of these keys.
    """

    def __init__(  # noqa: PLR0913 - each is a fact
        self,
        *pod_specs: FieldPath,
        scales: bool = True,
        has_links: bool = True,
        in_front: Iterable[str] = (),
        behind: Iterable[str] = (),
        labels: Iterable[str] = (),
        overridable: bool = False,
    ) -> None:
        self.overridable = overridable
        self.pod_specs = pod_specs
        self.scales = scales
        self.has_links = has_links
        self.in_front = (*in_front,)
        self.behind = (*behind,)
        self.labels = (*labels,)


_TEKTON = "tekton.dev"
_FLAGS = ("once", "no-links", "overridable")

_NAMES = """\
@arc ACTIONS_RUNNER_ GITHUB_ACTIONS_RUNNER_EXTRA_USER_AGENT http_proxy https_proxy no_proxy
@eck NAMESPACE NODE_NAME POD_IP POD_NAME
@job JOB_COMPLETION_INDEX
@knative PORT K_CONFIGURATION K_REVISION K_SERVICE
@kserve HEAD_SVC MODEL_DIR MODEL_INIT_MODE MODEL_NAME MULTI_MODEL_SERVER PIPELINE_PARALLEL_SIZE PROTOCOL RAY_NODE_COUNT
  REQUEST_GPU_COUNT STORAGE_URI TENSOR_PARALLEL_SIZE
@labels-of-arc actions-ephemeral-runner actions.github.com/ app.kubernetes.io/ pod-template-hash
@labels-of-kserve app component kserve.io/ serving.knative.dev/ serving.kserve.io/
@lws LWS_GROUP_SIZE LWS_LEADER_ADDRESS LWS_WORKER_INDEX
@ranked MASTER_ADDR MASTER_PORT RANK WORLD_SIZE
@ray FQ_RAY_IP KUBERAY_GEN_RAY_START_CMD RAY_ADDRESS RAY_CLOUD_INSTANCE_ID RAY_CLUSTER_NAME RAY_CLUSTER_NAMESPACE
  RAY_DASHBOARD_ADDRESS RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE RAY_GCS_SERVER_REQUEST_TIMEOUT_SECONDS RAY_IP
  RAY_JOB_SUBMISSION_ID RAY_NODE_TYPE_NAME RAY_PORT RAY_SERVE_KV_TIMEOUT_S RAY_TIMEOUT_MS_TASK_WAIT_FOR_DEATH_INFO
  RAY_USAGE_STATS_EXTRA_TAGS RAY_USAGE_STATS_KUBERAY_IN_USE
@spark HADOOP_CONF_DIR HADOOP_TOKEN_FILE_LOCATION PYSPARK_ SPARK_APPLICATION_ID SPARK_CLASSPATH SPARK_CONF_DIR
  SPARK_DRIVER_ SPARK_EXECUTOR_ SPARK_JAVA_OPT_ SPARK_LOCAL_DIRS SPARK_RESOURCE_PROFILE_ID SPARK_USER
@tpu TPU_NAME TPU_PROCESS_ADDRESSES TPU_PROCESS_PORT TPU_WORKER_HOSTNAMES TPU_WORKER_ID
"""
"""Names that several rows have, taken from the code of each controller.

@arc     actions/actions-runner-controller, controllers/actions.github.com: constants.go and resourcebuilder.go
@eck     elastic/cloud-on-k8s, pkg/controller: each name comes behind `env` unless `env` has it
@kserve  kserve/kserve, pkg/constants and pkg/controller; the workers of several nodes are those of a LeaderWorkerSet
@spark   apache/spark, resource-managers/kubernetes/core, Constants.scala; those of Hadoop and Python come on request
@tpu     for Pods that request TPUs
"""

# Each row comes from the CRD or Go type of its kind, and the names come from the code of the controller.
# scripts/kinds.py finds the pod templates of all kinds, and a test compares these rows with its output.
#
# The kinds of `apps` were in `extensions` first. `enable-service-links` of Knative's config-defaults is "false". An
# InferenceService names a ServingRuntime, and its own `env` wins over that of the runtime. Its Pods are Knative's by
# default. A TrainJob adds to the `env` of its runtime, and changes values in it (kubeflow/trainer,
# pkg/runtime/framework/plugins and pkg/apply).
_TABLE = """\
Pod spec once
PodTemplate template.spec once
ReplicationController spec.template.spec
apps/DaemonSet spec.template.spec once
apps/Deployment,ReplicaSet,StatefulSet spec.template.spec
batch/CronJob spec.jobTemplate.spec.template.spec once behind=@job
batch/Job spec.template.spec once behind=@job
extensions/DaemonSet spec.template.spec once
extensions/Deployment,ReplicaSet spec.template.spec
actions.github.com/AutoscalingListener spec.template.spec once behind=LISTENER_CONFIG_PATH,@arc
  labels=actions.github.com/,app.kubernetes.io/
actions.github.com/AutoscalingRunnerSet spec.template.spec spec.listenerTemplate.spec once behind=@arc
  labels=@labels-of-arc
actions.github.com/EphemeralRunner spec.spec once behind=@arc labels=@labels-of-arc
actions.github.com/EphemeralRunnerSet spec.ephemeralRunnerSpec.spec behind=@arc labels=@labels-of-arc
agent.k8s.elastic.co/Agent spec.daemonSet.podTemplate.spec spec.deployment.podTemplate.spec
  spec.statefulSet.podTemplate.spec once behind=@eck,CONFIG_PATH,FLEET_,STATE_PATH labels=@
apm.k8s.elastic.co/ApmServer spec.podTemplate.spec once behind=@eck,SECRET_TOKEN labels=@
apps.kruise.io/AdvancedCronJob spec.template.jobTemplate.spec.template.spec
  spec.template.broadcastJobTemplate.spec.template.spec once behind=@job
apps.kruise.io/BroadcastJob,DaemonSet spec.template.spec once
apps.kruise.io/CloneSet,StatefulSet spec.template.spec labels=apps.kruise.io/
apps.kruise.io/UnitedDeployment spec.template.statefulSetTemplate.spec.template.spec
  spec.template.advancedStatefulSetTemplate.spec.template.spec spec.template.cloneSetTemplate.spec.template.spec
  spec.template.deploymentTemplate.spec.template.spec labels=apps.kruise.io/
apps.openshift.io/DeploymentConfig spec.template.spec labels=deployment,deploymentconfig
argoproj.io/AnalysisRun,AnalysisTemplate,ClusterAnalysisTemplate spec.metrics.*.provider.job.spec.template.spec once
  behind=@job labels=analysisrun.argoproj.io/
argoproj.io/Experiment spec.templates.*.template.spec once labels=rollouts-pod-template-hash
argoproj.io/Rollout spec.template.spec labels=rollouts-pod-template-hash
autoops.k8s.elastic.co/AutoOpsAgentPolicy spec.podTemplate.spec once
  behind=@eck,AUTOOPS_,ELASTIC_CLOUD_CONNECTED_MODE_ labels=@
batch.volcano.sh/Job spec.tasks.*.template.spec once behind=@ranked,MPI_HOST,TF_CONFIG,VC_,VK_TASK_INDEX
  labels=volcano.sh/
beat.k8s.elastic.co/Beat spec.daemonSet.podTemplate.spec spec.deployment.podTemplate.spec once behind=@eck labels=@
elasticsearch.k8s.elastic.co/Elasticsearch spec.nodeSets.*.podTemplate.spec once
  behind=@eck,ES_,HEADLESS_SERVICE_NAME,KEYSTORE_PASSWORD,KEYSTORE_PASSWORD_FILE,NSS_SDB_USE_CACHE,PROBE_
  behind=READINESS_PROBE_PROTOCOL,ZONE labels=@
enterprisesearch.k8s.elastic.co/EnterpriseSearch spec.podTemplate.spec once behind=@eck,JAVA_OPTS labels=@
jobset.x-k8s.io/JobSet spec.replicatedJobs.*.template.spec.template.spec once behind=@job
  labels=jobset.sigs.k8s.io/
keda.sh/ScaledJob spec.jobTargetRef.template.spec once behind=@job labels=scaledjob.keda.sh/
kibana.k8s.elastic.co/Kibana spec.podTemplate.spec once behind=@eck,NODE_EXTRA_CA_CERTS,NODE_OPTIONS,SERVER_ labels=@
kubeflow.org/JAXJob spec.jaxReplicaSpecs.*.template.spec once labels=training.kubeflow.org/
  behind=COORDINATOR_ADDRESS,COORDINATOR_PORT,NUM_PROCESSES,PROCESS_ID,PYTHONUNBUFFERED
kubeflow.org/MPIJob spec.mpiReplicaSpecs.*.template.spec once labels=training.kubeflow.org/
  behind=HYDRA_HOST_FILE,HYDRA_LAUNCH_EXTRA_ARGS,I_MPI_,K_MPI_JOB_ROLE,OMPI_MCA_
kubeflow.org/PaddleJob spec.paddleReplicaSpecs.*.template.spec once labels=training.kubeflow.org/
  behind=PADDLE_,POD_IP_DUMMY,PYTHONUNBUFFERED
kubeflow.org/PyTorchJob spec.pytorchReplicaSpecs.*.template.spec once labels=training.kubeflow.org/
  behind=@ranked,PET_,PYTHONUNBUFFERED
kubeflow.org/TFJob spec.tfReplicaSpecs.*.template.spec once labels=training.kubeflow.org/ behind=TF_CONFIG
kubeflow.org/XGBoostJob spec.xgbReplicaSpecs.*.template.spec once labels=training.kubeflow.org/
  behind=@ranked,PYTHONUNBUFFERED,WORKER_ADDRS,WORKER_PORT
leaderworkerset.x-k8s.io/LeaderWorkerSet spec.leaderWorkerTemplate.leaderTemplate.spec
  spec.leaderWorkerTemplate.workerTemplate.spec in_front=@lws behind=@tpu labels=leaderworkerset.sigs.k8s.io/
llm-d.ai/ModelService spec.decode spec.endpointPicker spec.prefill once behind=HF_HOME,HF_TOKEN labels=llm-d.ai/
logstash.k8s.elastic.co/Logstash spec.podTemplate.spec once behind=@eck,API_,LOG_STYLE,LS_JAVA_OPTS labels=@
maps.k8s.elastic.co/ElasticMapsServer spec.podTemplate.spec once behind=@eck,ELASTICSEARCH_PREVALIDATED labels=@
packageregistry.k8s.elastic.co/PackageRegistry spec.podTemplate.spec once behind=@eck,EPR_ labels=@
ray.io/RayCluster spec.headGroupSpec.template.spec spec.workerGroupSpecs.*.template.spec once
  behind=@ray labels=ray.io/
ray.io/RayJob spec.rayClusterSpec.headGroupSpec.template.spec spec.rayClusterSpec.workerGroupSpecs.*.template.spec
  spec.submitterPodTemplate.spec once behind=@ray labels=ray.io/
ray.io/RayService spec.rayClusterConfig.headGroupSpec.template.spec
  spec.rayClusterConfig.workerGroupSpecs.*.template.spec once behind=@ray labels=ray.io/
serving.knative.dev/Configuration,Service spec.template.spec once no-links behind=@knative labels=serving.knative.dev/
serving.knative.dev/Revision spec once no-links behind=@knative labels=serving.knative.dev/
serving.kserve.io/ClusterServingRuntime,ServingRuntime spec spec.workerSpec no-links overridable
  behind=@knative,@kserve labels=@labels-of-kserve
serving.kserve.io/InferenceService spec.predictor spec.predictor.workerSpec spec.canary.*.predictor
  spec.canary.*.predictor.workerSpec spec.transformer spec.explainer once no-links
  behind=@knative,@kserve labels=@labels-of-kserve
serving.kserve.io/LLMInferenceService spec.template spec.worker spec.prefill.template spec.prefill.worker
  spec.router.scheduler.template spec.router.scheduler.tokenizer.template
  in_front=@lws behind=@tpu,INFERENCE_POOL_NAME,OTEL_ labels=@labels-of-kserve
serving.kserve.io/LLMInferenceServiceConfig spec.template spec.worker spec.prefill.template spec.prefill.worker
  spec.router.scheduler.template spec.router.scheduler.tokenizer.template overridable
  in_front=@lws behind=@tpu,INFERENCE_POOL_NAME,OTEL_ labels=@labels-of-kserve
sparkoperator.k8s.io/SparkApplication spec.driver.template.spec spec.executor.template.spec once behind=@spark
trainer.kubeflow.org/ClusterTrainingRuntime,TrainingRuntime
  spec.template.spec.replicatedJobs.*.template.spec.template.spec once overridable
  behind=@job,DMLC_,JAX_,OMPI_MCA_,PET_,STORAGE_URI labels=jobset.sigs.k8s.io/
"""
"""A row for a kind, or for several kinds of a group: group and name, the paths of the pod specs, and the facts.

`once` means that the kind does not scale, `no-links` that it has no links. `@` alone stands for the labels of Elastic's
operator; any other word with `@` stands for a row of `_NAMES`.
"""


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """Yield the first word of each row, and the rest of the row. An indented line continues the row above."""
    return (row.partition(" ")[::2] for row in table.replace("\n  ", " ").splitlines())


KINDS = {
    (kinds.rpartition("/")[0], kind): facts
    for kinds, facts in _rows(_TABLE)
    for kind in kinds.rpartition("/")[2].split(",")
}
"""The row of each kind with Pods. `facts_of` reads a row on demand: most runs need few of them."""


@cache
def facts_of(group: str, kind: str) -> Workload:
    """Return the facts of a kind of the table."""
    names = {name: listed.split() for name, listed in _rows(_NAMES)}
    names["@"] = ["common.k8s.elastic.co/", f"{group}/"]
    facts = KINDS[group, kind].split()
    paths: list[FieldPath] = []
    lists: dict[str, list[str]] = {}
    for key, equals, words in (fact.partition("=") for fact in facts if fact not in _FLAGS):
        if equals:
            lists.setdefault(key, []).extend(one for word in words.split(",") for one in names.get(word, [word]))
        else:
            paths.append(tuple(WILDCARD if step == "*" else step for step in key.split(".")))
    once, no_links, overridable = (flag in facts for flag in _FLAGS)
    return Workload(*paths, scales=not once, has_links=not no_links, overridable=overridable, **lists)


def names_of_controllers() -> set[str]:
    """Return all words of the tables. Among them are the names that controllers give to containers, for `is_among`."""
    return {*_NAMES.split(), *_TABLE.replace("=", " ").replace(",", " ").split()}


_NAMED = Workload()
"""The facts of a kind that a functionConfig adds."""

# Fields with these names are maps of strings, at any place.
STRING_MAPS = frozenset(("annotations", "labels", "matchLabels", "nodeSelector", "selector"))

# Fields with these names are maps whose keys an author chooses, unless a value is a collection: the `selector` of a
# Deployment is none.
AUTHORED_MAPS = STRING_MAPS | {
    *("binaryData", "capacity", "data", "hard", "limits"),
    *("overhead", "parameters", "requests", "stringData", "volumeAttributes"),
}

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
# The fields of a container that the kubelet expands, as paths below the container, in its order
# (docs/reference/expansion.md, "Which fields"). An entry of `env` sees those above it. These see all of `env`.
SEE_ENV: tuple[FieldPath, ...] = (
    ("command", WILDCARD),
    ("args", WILDCARD),
    ("volumeMounts", WILDCARD, "subPathExpr"),
)
# These see the values of `env` as written.
SEE_RAW: tuple[FieldPath, ...] = tuple(
    (probe, "exec", "command", WILDCARD) for probe in ("livenessProbe", "readinessProbe", "startupProbe")
)
_EXPANDED = frozenset((("env", WILDCARD, "value"), *SEE_ENV, *SEE_RAW))


def has_own_syntax(resource: Resource) -> bool:
    """True if the controller of a kind expands a `$(...)` of its own syntax."""
    # Tekton and Argo expand at run time: they would take a text that we wrote for one of theirs.
    of_tekton = resource.group == _TEKTON or resource.group.endswith(f".{_TEKTON}")
    return of_tekton or (resource.group == "argoproj.io" and "Workflow" in resource.kind)


class PodSpecs:
    """Where the containers of each kind are: the rows of the table, and the paths that a functionConfig adds.

    `pod_templates` has paths to pod templates or pod specs, `containers` has paths to containers outside a pod spec, or
    to lists of such containers.
    """

    def __init__(self, pod_templates: Paths = MappingProxyType({}), containers: Paths = MappingProxyType({})) -> None:
        self.pod_templates = pod_templates
        self.containers = containers

    def of(self, resource: Resource) -> Workload | None:
        """Return the facts of the kind of a workload, None for any other resource."""
        kind = resource.group, resource.kind
        if kind in KINDS:
            return facts_of(*kind)
        return _NAMED if kind in self.pod_templates or kind in self.containers else None

    def of_kind(self, group: str, kind: str) -> tuple[FieldPath, ...]:
        """Return the paths to the pod specs of a kind, () for a kind without Pods."""
        named = self.pod_templates.get((group, kind))
        if named is not None:
            return tuple((*path, "spec") for path in named)
        return facts_of(group, kind).pod_specs if (group, kind) in KINDS else ()

    def paths_of(self, resource: Resource) -> tuple[FieldPath, ...]:
        """Return the paths to the pod specs of a workload, () for any other resource.

        A path of `pod_templates` leads to a template, or to a pod spec: a mapping with containers and without `spec`.
        """
        kind = resource.group, resource.kind
        found, named = self.of_kind(*kind), self.pod_templates.get(kind, ())
        return (*found, *(path for path in named if any(_is_pod_spec(node) for _, node in resource.find(path))))

    def scales(self, resource: Resource) -> bool:
        """True for a workload whose `spec.replicas` is the number of its Pods."""
        workload = self.of(resource)
        return workload is not None and workload.scales

    def container_above(self, resource: Resource, place: Place) -> Place | None:
        """Return the place of the container around a field of a resource, None if there is none."""
        for path in self.paths_of(resource):
            end = len(path) + 2
            # A container is an element of a list. The kubelet reads nothing of a mapping in place of the list.
            is_listed = place[end - 2 : end - 1] != () and place[end - 2] in CONTAINERS and _is_element(place, end)
            if is_listed and leads(path, place):
                return place[:end]
        for path in self.containers.get((resource.group, resource.kind), ()):
            if leads(path, place):
                return place[: len(path) + _is_element(place, len(path) + 1)]
        return None

    def is_expanded(self, resource: Resource, place: Place) -> bool:
        """True if the kubelet expands the field at `place` of a resource."""
        container = self.container_above(resource, place)
        return container is not None and is_expanded_below(place, len(container))


def _is_pod_spec(node: Node) -> bool:
    spec = mapping_at(node)
    return spec is not None and "spec" not in dict(spec.items()) and not {*CONTAINERS}.isdisjoint(dict(spec.items()))


def _is_element(place: Place, length: int) -> bool:
    return len(place) >= length and isinstance(place[length - 1], int)


def is_expanded_below(place: Place, length: int) -> bool:
    """True if the kubelet expands the field at a place. The first `length` steps of the place lead to a container."""
    return tuple([WILDCARD if isinstance(step, int) else step for step in place[length:]]) in _EXPANDED


def is_among(name: str, names: Iterable[str]) -> bool:
    """True if the name of a variable is one of `names`, or starts with one of them that ends with `_`."""
    return any(name == one or (one.endswith("_") and name.startswith(one)) for one in names)
