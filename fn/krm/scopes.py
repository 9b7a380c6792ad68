"""Scopes of Kubernetes' own kinds: which of them are in a namespace."""

from __future__ import annotations

_CLUSTER_SCOPED = {
    "": "ComponentStatus Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": (
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "authentication.k8s.io": "SelfSubjectReview TokenReview",
    "authorization.k8s.io": "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "internal.apiserver.k8s.io": "StorageVersion",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
}
"""Kubernetes' own kinds that have no namespace, by group."""

_NAMESPACED = "apps autoscaling batch coordination.k8s.io discovery.k8s.io events.k8s.io extensions"
"""Kubernetes' own groups all of whose kinds have a namespace."""

_OWN = frozenset((*_CLUSTER_SCOPED, *_NAMESPACED.split()))


def is_namespaced(group: str, kind: str) -> bool | None:
    """True if objects of a kind are in a namespace, None for a kind that is not Kubernetes' own."""
    if kind in _CLUSTER_SCOPED.get(group, "").split():
        return False
    # A kind of Kubernetes that is not in the table has a namespace: new ones nearly always do.
    # Projects beside it have groups that end in `.k8s.io` too: Gateway API, snapshots of volumes.
    return True if group in _OWN else None
