"""The rules by which lists of the built-in kinds merge. Printed by scripts/list_facts.py.

FACTS   of a field: the words of the Go types, with the keys of a list. What is not named here is known to have none.
SAME    fields in which is what another field has: a pod template is the same in a Job and in a Deployment.
KINDS   the kinds of each group. The `metadata` of all of them are those of a Pod.
"""

from __future__ import annotations

FACTS = {
    "CSIDriver.spec.volumeLifecycleModes": "set",
    "CSINode.spec.drivers": "map name merge",
    "CSINode.status.storageHealth": "map name merge",
    "ComponentStatus.conditions": "map type merge",
    "DaemonSet.status.conditions": "map type merge",
    "Deployment.spec.strategy": "retainKeys",
    "Deployment.status.conditions": "map type merge",
    "EndpointSlice.endpoints.addresses": "set",
    "HorizontalPodAutoscaler.status.conditions": "map type merge",
    "Job.spec.podFailurePolicy.rules.onExitCodes.values": "set",
    "Job.spec.scheduling.resourceClaims": "map name merge",
    "Job.status.conditions": "atomic type merge",
    "Job.status.uncountedTerminatedPods.failed": "set",
    "Job.status.uncountedTerminatedPods.succeeded": "set",
    "MutatingAdmissionPolicy.spec.matchConditions": "map name merge",
    "MutatingWebhookConfiguration.webhooks": "map name merge",
    "MutatingWebhookConfiguration.webhooks.matchConditions": "map name merge",
    "Namespace.status.conditions": "map type merge",
    "Node.spec.podCIDRs": "set merge",
    "Node.spec.podPreemptionPolicy.disableResizePreemption": "set",
    "Node.status.addresses": "map type merge",
    "Node.status.conditions": "map type merge",
    "PersistentVolumeClaim.status.conditions": "map type merge",
    "PersistentVolumeClaim.status.healthStatus.healthConditions": "map status reason merge",
    "Pod.metadata.finalizers": "set merge",
    "Pod.metadata.ownerReferences": "map uid merge",
    "Pod.spec.containers": "map name merge",
    "Pod.spec.containers.env": "map name merge",
    "Pod.spec.containers.ports": "map containerPort protocol merge",
    "Pod.spec.containers.resources.claims": "map name",
    "Pod.spec.containers.restartPolicyRules.exitCodes.values": "set",
    "Pod.spec.containers.volumeDevices": "map devicePath merge",
    "Pod.spec.containers.volumeMounts": "map mountPath merge",
    "Pod.spec.containers.volumeMounts.bindMountOptions": "set",
    "Pod.spec.ephemeralContainers": "map name merge",
    "Pod.spec.evictionResponders": "map name merge",
    "Pod.spec.hostAliases": "map ip merge",
    "Pod.spec.imagePullSecrets": "map name merge",
    "Pod.spec.initContainers": "map name merge",
    "Pod.spec.resourceClaims": "map name merge retainKeys",
    "Pod.spec.resources.claims": "map name",
    "Pod.spec.schedulingGates": "map name merge",
    "Pod.spec.topologySpreadConstraints": "map topologyKey whenUnsatisfiable merge",
    "Pod.spec.volumes": "map name merge retainKeys",
    "Pod.status.conditions": "map type merge",
    "Pod.status.containerStatuses.allocatedResourcesStatus": "map name merge",
    "Pod.status.containerStatuses.allocatedResourcesStatus.resources": "map resourceID",
    "Pod.status.containerStatuses.resources.claims": "map name",
    "Pod.status.containerStatuses.volumeMounts": "map mountPath merge",
    "Pod.status.hostIPs": "atomic ip merge",
    "Pod.status.nodeAllocatableResourceClaimStatuses": "map resourceClaimName merge",
    "Pod.status.nodeAllocatableResourceClaimStatuses.containers": "set",
    "Pod.status.nodeAllocatableResourceClaimStatuses.mapping": "map name merge",
    "Pod.status.nodeAllocatableResourceClaimStatuses.overhead": "map name merge",
    "Pod.status.podIPs": "map ip merge",
    "Pod.status.resourceClaimStatuses": "map name merge retainKeys",
    "Pod.status.resources.claims": "map name",
    "Pod.status.volumeHealth": "map name",
    "Pod.status.volumeHealth.healthConditions": "map status reason merge",
    "PodDisruptionBudget.spec.selector": "replace",
    "PodDisruptionBudget.status.conditions": "map type merge",
    "Service.spec.ports": "map port protocol merge",
    "Service.status.conditions": "map type merge",
    "ServiceAccount.secrets": "map name merge",
    "ServiceCIDR.status.conditions": "map type merge",
    "StatefulSet.status.conditions": "map type merge",
    "ValidatingAdmissionPolicy.spec.matchConditions": "map name merge",
    "ValidatingAdmissionPolicy.spec.variables": "map name merge",
    "ValidatingAdmissionPolicy.status.conditions": "map type",
    "ValidatingAdmissionPolicyBinding.spec.validationActions": "set",
}

SAME = {
    "CronJob.spec.jobTemplate.metadata": "Pod.metadata",
    "CronJob.spec.jobTemplate.spec": "Job.spec",
    "DaemonSet.spec": "PodTemplate",
    "Deployment.spec.template": "PodTemplate.template",
    "Job.spec.template": "PodTemplate.template",
    "Pod.spec.ephemeralContainers": "Pod.spec.containers",
    "Pod.spec.initContainers": "Pod.spec.containers",
    "Pod.spec.volumes.ephemeral.volumeClaimTemplate.metadata": "Pod.metadata",
    "Pod.status.ephemeralContainerStatuses": "Pod.status.containerStatuses",
    "Pod.status.initContainerStatuses": "Pod.status.containerStatuses",
    "PodTemplate.template.metadata": "Pod.metadata",
    "PodTemplate.template.spec": "Pod.spec",
    "ReplicaSet": "DaemonSet",
    "ReplicationController": "DaemonSet",
    "StatefulSet.spec.template": "PodTemplate.template",
    "StatefulSet.spec.volumeClaimTemplates.metadata": "Pod.metadata",
    "StatefulSet.spec.volumeClaimTemplates.status": "PersistentVolumeClaim.status",
    "ValidatingWebhookConfiguration": "MutatingWebhookConfiguration",
}

KINDS = {
    "": (
        "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume "
        "PersistentVolumeClaim Pod PodTemplate RangeAllocation ReplicationController ResourceQuota Secret Service "
        "ServiceAccount"
    ),
    "admissionregistration.k8s.io": (
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"
    ),
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "discovery.k8s.io": "EndpointSlice",
    "networking.k8s.io": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    "policy": "Eviction PodDisruptionBudget",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "storage.k8s.io": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass",
}
