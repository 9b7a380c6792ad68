"""The resolution of a name: its value, the source of that, and whether it may be written into the manifest.

docs/reference/expansion.md, "What is known", "Whose value", and "Names that come at run time": those of a kind's
controller, of `runtimeNames`, and of common webhooks.
"""

from __future__ import annotations

from expand_vars.expansion import findings
from expand_vars.expansion.findings import RUNTIME_NAME, SECRET_REFERENCE
from expand_vars.functionconfig.model import SECRETS, VARIABLES
from krm import syntax, workloads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Final, Literal, TypeAlias

    from expand_vars.expansion.containers import Pod
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.config import Config
    from expand_vars.functionconfig.model import Inline

    Certainty: TypeAlias = Literal["known", "absent", "unknown"]
    NameState: TypeAlias = Literal["known", "left", "forward", "undefined"]

KNOWN: Final = "known"
ABSENT: Final = "absent"
UNKNOWN: Final = "unknown"
LEFT: Final = "left"
FORWARD: Final = "forward"
UNDEFINED: Final = "undefined"

_OF_WEBHOOKS = {
    # aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go and pkg/constants.go
    "the webhook of AWS for IAM roles of service accounts, or of EKS Pod Identity": (
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_DEFAULT_REGION "
        "AWS_REGION AWS_ROLE_ARN AWS_STS_REGIONAL_ENDPOINTS AWS_WEB_IDENTITY_TOKEN_FILE"
    ),
    # Azure/azure-workload-identity, pkg/webhook/consts.go and webhook.go; those of Kubernetes with identity bindings
    "the webhook of Azure workload identity": (
        "AZURE_AUTHORITY_HOST AZURE_CLIENT_ID AZURE_FEDERATED_TOKEN_FILE AZURE_KUBERNETES_CA_DATA "
        "AZURE_KUBERNETES_CA_FILE AZURE_KUBERNETES_SNI_NAME AZURE_KUBERNETES_TOKEN_PROXY AZURE_TENANT_ID"
    ),
    # open-telemetry/opentelemetry-operator, pkg/constants/env.go and internal/instrumentation/sdk.go
    "the OpenTelemetry operator": (
        "OTEL_EXPORTER_OTLP_ENDPOINT OTEL_NODE_IP OTEL_POD_IP OTEL_PROPAGATORS OTEL_RESOURCE_ATTRIBUTES "
        "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME OTEL_RESOURCE_ATTRIBUTES_POD_NAME "
        "OTEL_RESOURCE_ATTRIBUTES_POD_UID OTEL_SERVICE_NAME OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG"
    ),
    # DataDog/datadog-agent, pkg/clusteragent/admission/mutate/config and tagsfromlabels
    "the admission controller of Datadog": (
        "DD_AGENT_HOST DD_DOGSTATSD_URL DD_ENTITY_ID DD_ENV DD_EXTERNAL_ENV DD_INTERNAL_POD_UID DD_SERVICE "
        "DD_TRACE_AGENT_URL DD_VERSION"
    ),
    # istio/istio, manifests/charts/istio-control/istio-discovery/files/injection-template.yaml
    "the injector of Istio": ("ISTIO_META_CLUSTER_ID ISTIO_META_MESH_ID ISTIO_META_OWNER ISTIO_META_WORKLOAD_NAME"),
}
WEBHOOKS = {name: who for who, names in _OF_WEBHOOKS.items() for name in names.split()}
"""The names that common webhooks add, each with who adds it, and above it where its code says so."""


class EnvValue:
    """The value that a source gives a name: *known*, with its `text`, *absent*, or *unknown* until a container starts.

    `reason` is a phrase for people: the source of a known value, or why any other is not known. `source` is the word of
    `inline` that allows to write the value down, None where nothing is to be written. `is_secret` values are never
    shown. `finding` is the reason word of the finding about every reference to the name, empty where there is none.
    """

    __slots__ = ("finding", "is_secret", "reason", "source", "state", "text")

    def __init__(  # noqa: PLR0913 - one parameter for each property
        self,
        state: Certainty,
        reason: str,
        source: Inline | None = None,
        text: str = "",
        *,
        is_secret: bool = False,
        finding: str = "",
    ) -> None:
        self.state = state
        self.source = source
        self.reason = reason
        self.text = text
        self.is_secret = is_secret
        self.finding = finding


class Resolution:
    """The meaning of a name at one point of a container, with the winner's value.

    The states: *known*, `text` is the EnvVar text to insert; *left*, the kubelet knows or may know it, or its value may
    not be written; *forward*, declared only at or below this point, where the kubelet never finds it; *undefined*.
    `text` is None unless the name is known. `empty` is the name whose empty value `text` is or holds: the name itself,
    or one that a variable's text refers to.
    """

    __slots__ = ("empty", "state", "text", "value")

    def __init__(self, state: NameState, value: EnvValue, text: str | None = None, empty: str | None = None) -> None:
        self.state = state
        self.value = value
        self.text = text
        self.empty = empty


def of_value(name: str, value: EnvValue, inline: Collection[Inline]) -> Resolution:
    """Return the resolution of a name that has a literal value: known if the value is, and may be written down."""
    if value.state == KNOWN and _may_write(value, inline):
        # The kubelet expands what we write, and must find no reference in a literal `$`.
        return Resolution(KNOWN, value, syntax.doubled(value.text), None if value.text else name)
    return Resolution(LEFT, value)


def of_variable(
    name: str, variables: Variables, inline: Collection[Inline], resolve: Callable[[str], Resolution]
) -> Resolution:
    """Return the resolution of a variable. `resolve` resolves the references in its text, where it is inserted."""
    found = inserted(name, variables, resolve)
    # A variable from a Secret is what the word `Secrets` stands for.
    if _may_write(found.value, inline) or (variables.is_secret(name) and SECRETS in inline):
        variables.use(name)
        return found
    # It may be secret by what its text refers to here, though the variable itself is not.
    if found.value.is_secret and SECRETS not in inline:
        return Resolution(LEFT, EnvValue(UNKNOWN, findings.of_a_secret(name), VARIABLES, finding=SECRET_REFERENCE))
    return Resolution(LEFT, found.value)


def inserted(name: str, variables: Variables, resolve: Callable[[str], Resolution]) -> Resolution:
    """Return a variable as it is inserted at the point of `resolve`, whether it may be or not.

    A variable that another one refers to may be empty: the text of the other is a value of its own.
    """
    text, of_config = variables.text(name), f"variable `{name}` of the functionConfig"
    # Nearly all variables: no reference, no escape, nothing to resolve.
    if "$" not in text:
        value = EnvValue(KNOWN, of_config, VARIABLES, text, is_secret=variables.is_secret(name))
        return Resolution(KNOWN, value, text, None if text else name)
    met = {one: resolve(one) for one in dict.fromkeys(syntax.names(text))}
    text = syntax.commute(text, lambda one: met[one].text)
    is_secret = variables.is_secret(name) or any(one.text and one.value.is_secret for one in met.values())
    live = syntax.names(text)
    reason = f"variable `{name}` refers to `{live[0]}`" if live else of_config
    # A variable may be empty on purpose; an entry of `env` that is empty stops a container all the same.
    empties = (one.empty for inner, one in met.items() if one.empty != inner or one.value.source != VARIABLES)
    empty = next(filter(None, empties), None)
    value = EnvValue(UNKNOWN if live else KNOWN, reason, VARIABLES, syntax.value(text), is_secret=is_secret)
    return Resolution(KNOWN, value, text, empty or (None if text else name))


def _may_write(value: EnvValue, inline: Collection[Inline]) -> bool:
    # Both words are needed: for the source, and for all to read it (docs/reference/functionconfig.md, "Secrets").
    return value.source in inline and (SECRETS in inline or not value.is_secret)


def of_controller(pod: Pod, name: str) -> EnvValue | None:
    """Return the value of a name that the controller of a workload sets, None for any other."""
    # What it puts in front of `env` wins over an entry of that name.
    if workloads.is_among(name, (*pod.facts.in_front, *pod.facts.behind)):
        return EnvValue(UNKNOWN, f"the controller of `{pod.workload.kind}` sets it at run time")
    return None


def of_runtime_names(config: Config, name: str) -> EnvValue | None:
    """Return the value of a name that the functionConfig expects at run time, None for any other."""
    if any(matches(name) for matches in config.runtime_names):
        return EnvValue(UNKNOWN, "it comes at run time, as `runtimeNames` says")
    return None


def of_webhook(name: str) -> EnvValue | None:
    """Return the value of a name that a common webhook adds, None for any other."""
    reason = f"it is set at run time by {WEBHOOKS.get(name)}, where that is installed"
    return EnvValue(UNKNOWN, reason, finding=RUNTIME_NAME) if name in WEBHOOKS else None
