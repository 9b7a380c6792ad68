"""Kinds with pod templates: the facts of each kind, the fields of a pod spec that the kubelet expands, and maps.

This is the one table of such kinds, for expansion and for merge. A kind is known by group and kind, at any version. A
functionConfig adds kinds of its own (`podTemplates`). Pod-like shapes of other kinds are left alone: Tekton and Argo
Workflows use `$(...)` for a syntax of their own.
"""

from __future__ import annotations

from types import MappingProxyType

from krm.fieldpath import WILDCARD, leads
from krm.yamltree.nodes import mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place, Segment
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    Paths: TypeAlias = Mapping[tuple[str, str], Collection[FieldPath]]


class Workload:
    """The facts of a kind with Pods: where its pod specs are, and what its controller changes of them.

    `scales`: its `spec.replicas` says how many Pods it has. `has_links`: its Pods get the variables of Services unless
    they say otherwise. `in_front` and `behind` are the names that its controller puts in front of the `env` of a
    container, and behind it; one that ends with `_` stands for all names that start so. `overridable`: what is made of
    it may give the names of its `env` other values. `labels` are the keys, or their
    starts, of labels and annotations that its Pods get later, or with another value.
    """

    __slots__ = ("behind", "has_links", "in_front", "labels", "overridable", "pod_specs", "scales")

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


def _template(*above: Segment) -> FieldPath:
    return (*above, "template", "spec")


def _ray(*above: Segment) -> tuple[FieldPath, ...]:
    return _template(*above, "headGroupSpec"), _template(*above, "workerGroupSpecs", WILDCARD)


_TEKTON = "tekton.dev"
_SPEC = _template("spec")
_JOBS = ("replicatedJobs", WILDCARD, "template", "spec", "template", "spec")

# Each row was read off the kind's own CRD or Go type, and the names off the code of its controller. scripts/kinds.py
# finds the pod templates of all of them, and a test compares these rows with what it printed.
_OF_JOBS = ("JOB_COMPLETION_INDEX",)
_OF_KNATIVE = ("PORT", "K_CONFIGURATION", "K_REVISION", "K_SERVICE")
_OF_LWS = ("LWS_GROUP_SIZE", "LWS_LEADER_ADDRESS", "LWS_WORKER_INDEX")
# Of Pods that ask for TPUs.
_OF_TPU = ("TPU_NAME", "TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT", "TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID")
_OF_RAY = (
    *("FQ_RAY_IP", "KUBERAY_GEN_RAY_START_CMD", "RAY_ADDRESS", "RAY_CLOUD_INSTANCE_ID", "RAY_CLUSTER_NAME"),
    *("RAY_CLUSTER_NAMESPACE", "RAY_DASHBOARD_ADDRESS", "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE"),
    *("RAY_GCS_SERVER_REQUEST_TIMEOUT_SECONDS", "RAY_IP", "RAY_JOB_SUBMISSION_ID", "RAY_NODE_TYPE_NAME", "RAY_PORT"),
    *("RAY_SERVE_KV_TIMEOUT_S", "RAY_TIMEOUT_MS_TASK_WAIT_FOR_DEATH_INFO"),
    *("RAY_USAGE_STATS_EXTRA_TAGS", "RAY_USAGE_STATS_KUBERAY_IN_USE"),
)
_RANKED = ("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
_OF_MPI = ("HYDRA_HOST_FILE", "HYDRA_LAUNCH_EXTRA_ARGS", "I_MPI_", "K_MPI_JOB_ROLE", "OMPI_MCA_")
_OF_VOLCANO = (*_RANKED, "MPI_HOST", "TF_CONFIG", "VC_", "VK_TASK_INDEX")
# apache/spark, resource-managers/kubernetes/core, Constants.scala. Those of Hadoop and Python are there if asked for.
_OF_SPARK = (
    *("HADOOP_CONF_DIR", "HADOOP_TOKEN_FILE_LOCATION", "PYSPARK_", "SPARK_APPLICATION_ID", "SPARK_CLASSPATH"),
    *("SPARK_CONF_DIR", "SPARK_DRIVER_", "SPARK_EXECUTOR_", "SPARK_JAVA_OPT_", "SPARK_LOCAL_DIRS"),
    *("SPARK_RESOURCE_PROFILE_ID", "SPARK_USER"),
)
# elastic/cloud-on-k8s, pkg/controller: each name comes behind `env` unless `env` has it.
_OF_ECK = ("NAMESPACE", "NODE_NAME", "POD_IP", "POD_NAME")
# kserve/kserve, pkg/constants and pkg/controller. Workers of several nodes are those of a LeaderWorkerSet.
_OF_KSERVE = (
    *_OF_KNATIVE,
    *("HEAD_SVC", "MODEL_DIR", "MODEL_INIT_MODE", "MODEL_NAME", "MULTI_MODEL_SERVER", "PIPELINE_PARALLEL_SIZE"),
    *("PROTOCOL", "RAY_NODE_COUNT", "REQUEST_GPU_COUNT", "STORAGE_URI", "TENSOR_PARALLEL_SIZE"),
)
# actions/actions-runner-controller, controllers/actions.github.com: constants.go and resourcebuilder.go.
_OF_ARC = ("ACTIONS_RUNNER_", "GITHUB_ACTIONS_RUNNER_EXTRA_USER_AGENT", "http_proxy", "https_proxy", "no_proxy")


def _knative(pod_spec: FieldPath) -> Workload:
    # `enable-service-links` of Knative's config-defaults is "false".
    return Workload(pod_spec, scales=False, has_links=False, behind=_OF_KNATIVE, labels=("serving.knative.dev/",))


def _of_ray(*pod_specs: FieldPath) -> Workload:
    return Workload(*pod_specs, scales=False, behind=_OF_RAY, labels=("ray.io/",))


def _kubeflow(key: str, *names: str) -> Workload:
    return Workload(_template("spec", key, WILDCARD), scales=False, behind=names, labels=("training.kubeflow.org/",))


def _jobs(*pod_specs: FieldPath, labels: Iterable[str] = ()) -> Workload:
    return Workload(*pod_specs, scales=False, behind=_OF_JOBS, labels=labels)


def _analysis() -> Workload:
    job = ("spec", "metrics", WILDCARD, "provider", "job")
    return _jobs((*job, *_SPEC), labels=("analysisrun.argoproj.io/",))


def _elastic(group: str, *names: str, above: Iterable[FieldPath] = (("spec",),)) -> Workload:
    pod_specs = [(*path, "podTemplate", "spec") for path in above]
    labels = ("common.k8s.elastic.co/", f"{group}.k8s.elastic.co/")
    return Workload(*pod_specs, scales=False, behind=(*_OF_ECK, *names), labels=labels)


def _runner(*pod_specs: FieldPath, scales: bool = False) -> Workload:
    labels = ("actions-ephemeral-runner", "actions.github.com/", "app.kubernetes.io/", "pod-template-hash")
    return Workload(*pod_specs, scales=scales, behind=_OF_ARC, labels=labels)


def _llm(*, overridable: bool) -> Workload:
    scheduler = ("spec", "router", "scheduler")
    return Workload(
        *(("spec", *above, key) for above in ((), ("prefill",)) for key in ("template", "worker")),
        *((*scheduler, "template"), (*scheduler, "tokenizer", "template")),
        in_front=_OF_LWS,
        behind=(*_OF_TPU, "INFERENCE_POOL_NAME", "OTEL_"),
        labels=_LABELS_OF_KSERVE,
        overridable=overridable,
    )


_LABELS_OF_KSERVE = ("app", "component", "kserve.io/", "serving.knative.dev/", "serving.kserve.io/")
_PREDICTOR, _CANARY = ("spec", "predictor"), ("spec", "canary", WILDCARD, "predictor")
# An InferenceService names a runtime, whose `env` its own wins over. Its Pods are those of Knative by default.
_SERVING_RUNTIME = Workload(
    *(("spec",), ("spec", "workerSpec")),
    has_links=False,
    behind=_OF_KSERVE,
    labels=_LABELS_OF_KSERVE,
    overridable=True,
)

# kubeflow/trainer, pkg/runtime/framework/plugins and pkg/apply: a TrainJob adds to `env`, and changes what is there.
_OF_TRAINER = ("DMLC_", "JAX_", "OMPI_MCA_", "PET_", "STORAGE_URI")
_RUNTIME = Workload(
    ("spec", "template", "spec", *_JOBS),
    scales=False,
    behind=(*_OF_JOBS, *_OF_TRAINER),
    labels=("jobset.sigs.k8s.io/",),
    overridable=True,
)

KINDS: dict[tuple[str, str], Workload] = {
    ("", "Pod"): Workload(("spec",), scales=False),
    ("", "PodTemplate"): Workload(_template(), scales=False),
    ("", "ReplicationController"): Workload(_SPEC),
    ("apps", "DaemonSet"): Workload(_SPEC, scales=False),
    ("apps", "Deployment"): Workload(_SPEC),
    ("apps", "ReplicaSet"): Workload(_SPEC),
    ("apps", "StatefulSet"): Workload(_SPEC),
    ("batch", "CronJob"): _jobs(("spec", "jobTemplate", *_SPEC)),
    ("batch", "Job"): _jobs(_SPEC),
    # Where the apps kinds were before they had a group of their own.
    ("extensions", "DaemonSet"): Workload(_SPEC, scales=False),
    ("extensions", "Deployment"): Workload(_SPEC),
    ("extensions", "ReplicaSet"): Workload(_SPEC),
    ("actions.github.com", "AutoscalingListener"): Workload(
        _SPEC,
        scales=False,
        behind=("LISTENER_CONFIG_PATH", *_OF_ARC),
        labels=("actions.github.com/", "app.kubernetes.io/"),
    ),
    ("actions.github.com", "AutoscalingRunnerSet"): _runner(_SPEC, ("spec", "listenerTemplate", "spec")),
    ("actions.github.com", "EphemeralRunner"): _runner(("spec", "spec")),
    ("actions.github.com", "EphemeralRunnerSet"): _runner(("spec", "ephemeralRunnerSpec", "spec"), scales=True),
    ("agent.k8s.elastic.co", "Agent"): _elastic(
        *("agent", "CONFIG_PATH", "FLEET_", "STATE_PATH"),
        above=[("spec", key) for key in ("daemonSet", "deployment", "statefulSet")],
    ),
    ("apm.k8s.elastic.co", "ApmServer"): _elastic("apm", "SECRET_TOKEN"),
    ("apps.kruise.io", "AdvancedCronJob"): _jobs(
        ("spec", "template", "jobTemplate", *_SPEC), ("spec", "template", "broadcastJobTemplate", *_SPEC)
    ),
    ("apps.kruise.io", "BroadcastJob"): Workload(_SPEC, scales=False),
    ("apps.kruise.io", "CloneSet"): Workload(_SPEC, labels=("apps.kruise.io/",)),
    ("apps.kruise.io", "DaemonSet"): Workload(_SPEC, scales=False),
    ("apps.kruise.io", "StatefulSet"): Workload(_SPEC, labels=("apps.kruise.io/",)),
    ("apps.kruise.io", "UnitedDeployment"): Workload(
        *(
            ("spec", "template", key, *_SPEC)
            for key in ("statefulSetTemplate", "advancedStatefulSetTemplate", "cloneSetTemplate", "deploymentTemplate")
        ),
        labels=("apps.kruise.io/",),
    ),
    ("apps.openshift.io", "DeploymentConfig"): Workload(_SPEC, labels=("deployment", "deploymentconfig")),
    ("argoproj.io", "AnalysisRun"): _analysis(),
    ("argoproj.io", "AnalysisTemplate"): _analysis(),
    ("argoproj.io", "ClusterAnalysisTemplate"): _analysis(),
    ("argoproj.io", "Experiment"): Workload(
        _template("spec", "templates", WILDCARD), scales=False, labels=("rollouts-pod-template-hash",)
    ),
    ("argoproj.io", "Rollout"): Workload(_SPEC, labels=("rollouts-pod-template-hash",)),
    ("autoops.k8s.elastic.co", "AutoOpsAgentPolicy"): _elastic("autoops", "AUTOOPS_", "ELASTIC_CLOUD_CONNECTED_MODE_"),
    ("batch.volcano.sh", "Job"): Workload(
        _template("spec", "tasks", WILDCARD), scales=False, behind=_OF_VOLCANO, labels=("volcano.sh/",)
    ),
    ("beat.k8s.elastic.co", "Beat"): _elastic("beat", above=[("spec", "daemonSet"), ("spec", "deployment")]),
    ("elasticsearch.k8s.elastic.co", "Elasticsearch"): _elastic(
        *("elasticsearch", "ES_", "HEADLESS_SERVICE_NAME", "KEYSTORE_PASSWORD", "KEYSTORE_PASSWORD_FILE"),
        *("NSS_SDB_USE_CACHE", "PROBE_", "READINESS_PROBE_PROTOCOL", "ZONE"),
        above=[("spec", "nodeSets", WILDCARD)],
    ),
    ("enterprisesearch.k8s.elastic.co", "EnterpriseSearch"): _elastic("enterprisesearch", "JAVA_OPTS"),
    ("jobset.x-k8s.io", "JobSet"): _jobs(("spec", *_JOBS), labels=("jobset.sigs.k8s.io/",)),
    ("keda.sh", "ScaledJob"): _jobs(_template("spec", "jobTargetRef"), labels=("scaledjob.keda.sh/",)),
    ("kibana.k8s.elastic.co", "Kibana"): _elastic("kibana", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "SERVER_"),
    ("kubeflow.org", "JAXJob"): _kubeflow(
        *("jaxReplicaSpecs", "COORDINATOR_ADDRESS", "COORDINATOR_PORT"),
        *("NUM_PROCESSES", "PROCESS_ID", "PYTHONUNBUFFERED"),
    ),
    ("kubeflow.org", "MPIJob"): _kubeflow("mpiReplicaSpecs", *_OF_MPI),
    ("kubeflow.org", "PaddleJob"): _kubeflow("paddleReplicaSpecs", "PADDLE_", "POD_IP_DUMMY", "PYTHONUNBUFFERED"),
    ("kubeflow.org", "PyTorchJob"): _kubeflow("pytorchReplicaSpecs", *_RANKED, "PET_", "PYTHONUNBUFFERED"),
    ("kubeflow.org", "TFJob"): _kubeflow("tfReplicaSpecs", "TF_CONFIG"),
    ("kubeflow.org", "XGBoostJob"): _kubeflow(
        "xgbReplicaSpecs", *_RANKED, "PYTHONUNBUFFERED", "WORKER_ADDRS", "WORKER_PORT"
    ),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): Workload(
        *(("spec", "leaderWorkerTemplate", key, "spec") for key in ("leaderTemplate", "workerTemplate")),
        in_front=_OF_LWS,
        behind=_OF_TPU,
        labels=("leaderworkerset.sigs.k8s.io/",),
    ),
    ("llm-d.ai", "ModelService"): Workload(
        *(("spec", key) for key in ("decode", "endpointPicker", "prefill")),
        scales=False,
        behind=("HF_HOME", "HF_TOKEN"),
        labels=("llm-d.ai/",),
    ),
    ("logstash.k8s.elastic.co", "Logstash"): _elastic("logstash", "API_", "LOG_STYLE", "LS_JAVA_OPTS"),
    ("maps.k8s.elastic.co", "ElasticMapsServer"): _elastic("maps", "ELASTICSEARCH_PREVALIDATED"),
    ("packageregistry.k8s.elastic.co", "PackageRegistry"): _elastic("packageregistry", "EPR_"),
    ("ray.io", "RayCluster"): _of_ray(*_ray("spec")),
    ("ray.io", "RayJob"): _of_ray(*_ray("spec", "rayClusterSpec"), ("spec", "submitterPodTemplate", "spec")),
    ("ray.io", "RayService"): _of_ray(*_ray("spec", "rayClusterConfig")),
    ("serving.knative.dev", "Configuration"): _knative(_SPEC),
    ("serving.knative.dev", "Revision"): _knative(("spec",)),
    ("serving.knative.dev", "Service"): _knative(_SPEC),
    ("serving.kserve.io", "ClusterServingRuntime"): _SERVING_RUNTIME,
    ("serving.kserve.io", "InferenceService"): Workload(
        *(_PREDICTOR, (*_PREDICTOR, "workerSpec"), _CANARY, (*_CANARY, "workerSpec")),
        *(("spec", "transformer"), ("spec", "explainer")),
        scales=False,
        has_links=False,
        behind=_OF_KSERVE,
        labels=_LABELS_OF_KSERVE,
    ),
    ("serving.kserve.io", "LLMInferenceService"): _llm(overridable=False),
    ("serving.kserve.io", "LLMInferenceServiceConfig"): _llm(overridable=True),
    ("serving.kserve.io", "ServingRuntime"): _SERVING_RUNTIME,
    ("sparkoperator.k8s.io", "SparkApplication"): Workload(
        _template("spec", "driver"), _template("spec", "executor"), scales=False, behind=_OF_SPARK
    ),
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"): _RUNTIME,
    ("trainer.kubeflow.org", "TrainingRuntime"): _RUNTIME,
}

_NAMED = Workload()
"""The facts of a kind that a functionConfig names."""

# The maps that hold strings alone, whatever stands in front of them.
STRING_MAPS = frozenset(("annotations", "labels", "matchLabels", "nodeSelector", "selector"))

# The maps whose keys are their author's own. One of them with anything but scalars in it is another thing of that name,
# such as the `selector` of a Deployment.
AUTHORED_MAPS = STRING_MAPS | {
    *("binaryData", "capacity", "data", "hard", "limits"),
    *("overhead", "parameters", "requests", "stringData", "volumeAttributes"),
}

CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")

# Fields of a container that the kubelet expands, from the container on; None is any index.
EXPANDED: frozenset[tuple[str | None, ...]] = frozenset(
    (
        ("env", None, "value"),
        ("command", None),
        ("args", None),
        ("volumeMounts", None, "subPathExpr"),
        *((probe, "exec", "command", None) for probe in PROBES),
    )
)


def has_own_syntax(resource: Resource) -> bool:
    """True if a kind has a `$(...)` of its own, or is filled in by a controller that has one."""
    # Both fill in `$(...)` when they run, long behind us: what we wrote would be taken for theirs.
    of_tekton = resource.group == _TEKTON or resource.group.endswith(f".{_TEKTON}")
    return of_tekton or (resource.group == "argoproj.io" and "Workflow" in resource.kind)


class PodSpecs:
    """Where the containers of each kind are: the rows of the table, and further paths by group and kind.

    `pod_templates` lead to pod templates or pod specs, `containers` to containers that stand in none, or to lists of
    such containers.
    """

    __slots__ = ("containers", "pod_templates")

    def __init__(self, pod_templates: Paths = MappingProxyType({}), containers: Paths = MappingProxyType({})) -> None:
        self.pod_templates = pod_templates
        self.containers = containers

    def of(self, resource: Resource) -> Workload | None:
        """Return the facts of a workload's kind, None for any other resource."""
        kind = resource.group, resource.kind
        return KINDS.get(kind, _NAMED if kind in self.pod_templates or kind in self.containers else None)

    def of_kind(self, group: str, kind: str) -> tuple[FieldPath, ...]:
        """Return the paths to the pod specs of a kind, () for one without Pods."""
        named = self.pod_templates.get((group, kind))
        if named is not None:
            return tuple((*path, "spec") for path in named)
        return KINDS[group, kind].pod_specs if (group, kind) in KINDS else ()

    def paths_of(self, resource: Resource) -> tuple[FieldPath, ...]:
        """Return where the pod specs of a workload are, () for any other resource.

        A path of `pod_templates` leads to a template, or to a pod spec itself: that has containers, and no `spec`.
        """
        kind = resource.group, resource.kind
        found, named = self.of_kind(*kind), self.pod_templates.get(kind, ())
        return (*found, *(path for path in named if any(_is_pod_spec(node) for _, node in resource.find(path))))

    def scales(self, resource: Resource) -> bool:
        """Return True for a workload whose `spec.replicas` says how many Pods it has."""
        workload = self.of(resource)
        return workload is not None and workload.scales

    def container_above(self, resource: Resource, place: Place) -> Place | None:
        """Return the place of the container that has a field of a resource, None for a field of no container."""
        for path in self.paths_of(resource):
            end = len(path) + 2
            # A container is an element: of a mapping in the place of the list the kubelet reads nothing.
            is_listed = place[end - 2 : end - 1] != () and place[end - 2] in CONTAINERS and _is_element(place, end)
            if is_listed and leads(path, place):
                return place[:end]
        for path in self.containers.get((resource.group, resource.kind), ()):
            if leads(path, place):
                return place[: len(path) + _is_element(place, len(path) + 1)]
        return None

    def is_expanded(self, resource: Resource, place: Place) -> bool:
        """Return True if the kubelet expands the field at `place` of a resource."""
        container = self.container_above(resource, place)
        return container is not None and is_expanded_below(place, len(container))


def _is_pod_spec(node: Node) -> bool:
    spec = mapping_at(node)
    return spec is not None and "spec" not in dict(spec.items()) and not {*CONTAINERS}.isdisjoint(dict(spec.items()))


def _is_element(place: Place, length: int) -> bool:
    return len(place) >= length and isinstance(place[length - 1], int)


def is_expanded_below(place: Place, length: int) -> bool:
    """Return True if the kubelet expands the field at a place, the first `length` steps of which are a container's."""
    return tuple(None if isinstance(step, int) else step for step in place[length:]) in EXPANDED


def is_among(name: str, names: Iterable[str]) -> bool:
    """True if a name of a variable is one of some, or starts as one of them that ends with `_`."""
    return any(name == one or (one.endswith("_") and name.startswith(one)) for one in names)
