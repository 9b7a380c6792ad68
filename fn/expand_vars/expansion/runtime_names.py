"""Names that come into an environment at run time: by the kind's controller, by `runtimeNames`, by common webhooks.

docs/reference/expansion.md, "Names that come at run time".
"""

from __future__ import annotations

from expand_vars.expansion.findings import RUNTIME_NAME
from expand_vars.expansion.resolution import UNKNOWN, Value
from expand_vars.functionconfig.model import LITERALS
from krm import workloads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.containers import Pod
    from expand_vars.functionconfig.config import Config

_IRSA = "the webhook of AWS for IAM roles of service accounts, or of EKS Pod Identity"
_AZURE = "the webhook of Azure workload identity"
_OPEN_TELEMETRY = "the OpenTelemetry operator"
_DATADOG = "the admission controller of Datadog"
_ISTIO = "the injector of Istio"

WEBHOOKS: dict[str, str] = {
    # aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go and pkg/constants.go
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": _IRSA,
    "AWS_CONTAINER_CREDENTIALS_FULL_URI": _IRSA,
    "AWS_DEFAULT_REGION": _IRSA,
    "AWS_REGION": _IRSA,
    "AWS_ROLE_ARN": _IRSA,
    "AWS_STS_REGIONAL_ENDPOINTS": _IRSA,
    "AWS_WEB_IDENTITY_TOKEN_FILE": _IRSA,
    # Azure/azure-workload-identity, pkg/webhook/consts.go and webhook.go; those of Kubernetes with identity bindings
    "AZURE_AUTHORITY_HOST": _AZURE,
    "AZURE_CLIENT_ID": _AZURE,
    "AZURE_FEDERATED_TOKEN_FILE": _AZURE,
    "AZURE_KUBERNETES_CA_DATA": _AZURE,
    "AZURE_KUBERNETES_CA_FILE": _AZURE,
    "AZURE_KUBERNETES_SNI_NAME": _AZURE,
    "AZURE_KUBERNETES_TOKEN_PROXY": _AZURE,
    "AZURE_TENANT_ID": _AZURE,
    # open-telemetry/opentelemetry-operator, pkg/constants/env.go and internal/instrumentation/sdk.go
    "OTEL_EXPORTER_OTLP_ENDPOINT": _OPEN_TELEMETRY,
    "OTEL_NODE_IP": _OPEN_TELEMETRY,
    "OTEL_POD_IP": _OPEN_TELEMETRY,
    "OTEL_PROPAGATORS": _OPEN_TELEMETRY,
    "OTEL_RESOURCE_ATTRIBUTES": _OPEN_TELEMETRY,
    "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME": _OPEN_TELEMETRY,
    "OTEL_RESOURCE_ATTRIBUTES_POD_NAME": _OPEN_TELEMETRY,
    "OTEL_RESOURCE_ATTRIBUTES_POD_UID": _OPEN_TELEMETRY,
    "OTEL_SERVICE_NAME": _OPEN_TELEMETRY,
    "OTEL_TRACES_SAMPLER": _OPEN_TELEMETRY,
    "OTEL_TRACES_SAMPLER_ARG": _OPEN_TELEMETRY,
    # DataDog/datadog-agent, pkg/clusteragent/admission/mutate/config and tagsfromlabels
    "DD_AGENT_HOST": _DATADOG,
    "DD_DOGSTATSD_URL": _DATADOG,
    "DD_ENTITY_ID": _DATADOG,
    "DD_ENV": _DATADOG,
    "DD_EXTERNAL_ENV": _DATADOG,
    "DD_INTERNAL_POD_UID": _DATADOG,
    "DD_SERVICE": _DATADOG,
    "DD_TRACE_AGENT_URL": _DATADOG,
    "DD_VERSION": _DATADOG,
    # istio/istio, manifests/charts/istio-control/istio-discovery/files/injection-template.yaml
    "ISTIO_META_CLUSTER_ID": _ISTIO,
    "ISTIO_META_MESH_ID": _ISTIO,
    "ISTIO_META_OWNER": _ISTIO,
    "ISTIO_META_WORKLOAD_NAME": _ISTIO,
}
"""The names that common webhooks add, each with who adds it, and above it where its code says so."""


def is_behind(pod: Pod, name: str) -> bool:
    """True if the controller of a workload puts a name behind `env`: the entries of `env` do not see it."""
    return workloads.is_among(name, pod.facts.behind)


def of_controller(pod: Pod, name: str) -> Value | None:
    """Return the value of a name that the controller of a workload sets, None for any other."""
    # What it puts in front of `env` wins over an entry of that name.
    if workloads.is_among(name, (*pod.facts.in_front, *pod.facts.behind)):
        return Value(UNKNOWN, LITERALS, f"the controller of `{pod.workload.kind}` sets it at run time")
    return None


def expected(pod: Pod, config: Config, name: str) -> Value | None:
    """Return the value of a name that a controller sets, or that the functionConfig expects; None for any other."""
    return of_controller(pod, name) or of_config(config, name)


def of_config(config: Config, name: str) -> Value | None:
    """Return the value of a name that the functionConfig expects at run time, None for any other."""
    if any(matches(name) for matches in config.runtime_names):
        return Value(UNKNOWN, LITERALS, "it comes at run time, as `runtimeNames` says")
    return None


def of_webhook(name: str) -> Value | None:
    """Return the value of a name that a common webhook adds, None for any other."""
    reason = f"it is set at run time by {WEBHOOKS.get(name)}, where that is installed"
    return Value(UNKNOWN, LITERALS, reason, finding=RUNTIME_NAME) if name in WEBHOOKS else None
