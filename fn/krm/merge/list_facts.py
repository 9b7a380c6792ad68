"""The rules by which lists of the built-in kinds merge, in the words of the Go types. Printed by scripts/list_facts.py.

A type is named after a place where it is found. Each of its fields that leads to a fact has the type of its value, or
of its elements, and the name of its own fact, empty where there is none.
"""

from __future__ import annotations

FACTS: dict[str, dict[str, str | list[str]]] = {
    "atomic ip merge": {
        "listType": "atomic",
        "patchMergeKey": "ip",
        "patchStrategy": "merge",
    },
    "atomic type merge": {
        "listType": "atomic",
        "patchMergeKey": "type",
        "patchStrategy": "merge",
    },
    "map containerPort+protocol merge": {
        "listMapKeys": ["containerPort", "protocol"],
        "listType": "map",
        "patchMergeKey": "containerPort",
        "patchStrategy": "merge",
    },
    "map devicePath merge": {
        "listMapKeys": ["devicePath"],
        "listType": "map",
        "patchMergeKey": "devicePath",
        "patchStrategy": "merge",
    },
    "map ip merge": {
        "listMapKeys": ["ip"],
        "listType": "map",
        "patchMergeKey": "ip",
        "patchStrategy": "merge",
    },
    "map mountPath merge": {
        "listMapKeys": ["mountPath"],
        "listType": "map",
        "patchMergeKey": "mountPath",
        "patchStrategy": "merge",
    },
    "map name": {
        "listMapKeys": ["name"],
        "listType": "map",
    },
    "map name merge": {
        "listMapKeys": ["name"],
        "listType": "map",
        "patchMergeKey": "name",
        "patchStrategy": "merge",
    },
    "map name merge,retainKeys": {
        "listMapKeys": ["name"],
        "listType": "map",
        "patchMergeKey": "name",
        "patchStrategy": "merge,retainKeys",
    },
    "map port+protocol merge": {
        "listMapKeys": ["port", "protocol"],
        "listType": "map",
        "patchMergeKey": "port",
        "patchStrategy": "merge",
    },
    "map resourceClaimName merge": {
        "listMapKeys": ["resourceClaimName"],
        "listType": "map",
        "patchMergeKey": "resourceClaimName",
        "patchStrategy": "merge",
    },
    "map resourceID": {
        "listMapKeys": ["resourceID"],
        "listType": "map",
    },
    "map status+reason merge": {
        "listMapKeys": ["status", "reason"],
        "listType": "map",
        "patchMergeKey": "status",
        "patchStrategy": "merge",
    },
    "map topologyKey+whenUnsatisfiable merge": {
        "listMapKeys": ["topologyKey", "whenUnsatisfiable"],
        "listType": "map",
        "patchMergeKey": "topologyKey",
        "patchStrategy": "merge",
    },
    "map type": {
        "listMapKeys": ["type"],
        "listType": "map",
    },
    "map type merge": {
        "listMapKeys": ["type"],
        "listType": "map",
        "patchMergeKey": "type",
        "patchStrategy": "merge",
    },
    "map uid merge": {
        "listMapKeys": ["uid"],
        "listType": "map",
        "patchMergeKey": "uid",
        "patchStrategy": "merge",
    },
    "replace": {
        "patchStrategy": "replace",
    },
    "retainKeys": {
        "patchStrategy": "retainKeys",
    },
    "set": {
        "listType": "set",
    },
    "set merge": {
        "listType": "set",
        "patchStrategy": "merge",
    },
}

TYPES: dict[str, dict[str, tuple[str, str]]] = {
    "CSIDriver": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("CSIDriver.spec", ""),
    },
    "CSIDriver.spec": {
        "volumeLifecycleModes": ("", "set"),
    },
    "CSINode": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("CSINode.spec", ""),
        "status": ("CSINode.status", ""),
    },
    "CSINode.spec": {
        "drivers": ("", "map name merge"),
    },
    "CSINode.status": {
        "storageHealth": ("", "map name merge"),
    },
    "ComponentStatus": {
        "conditions": ("", "map type merge"),
        "metadata": ("Pod.metadata", ""),
    },
    "CronJob": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("CronJob.spec", ""),
    },
    "CronJob.spec": {
        "jobTemplate": ("CronJob.spec.jobTemplate", ""),
    },
    "CronJob.spec.jobTemplate": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Job.spec", ""),
    },
    "DaemonSet": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("DaemonSet.spec", ""),
        "status": ("Service.status", ""),
    },
    "DaemonSet.spec": {
        "template": ("PodTemplate.template", ""),
    },
    "Deployment": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Deployment.spec", ""),
        "status": ("Service.status", ""),
    },
    "Deployment.spec": {
        "strategy": ("", "retainKeys"),
        "template": ("PodTemplate.template", ""),
    },
    "EndpointSlice": {
        "endpoints": ("EndpointSlice.endpoints", ""),
        "metadata": ("Pod.metadata", ""),
    },
    "EndpointSlice.endpoints": {
        "addresses": ("", "set"),
    },
    "Job": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Job.spec", ""),
        "status": ("Job.status", ""),
    },
    "Job.spec": {
        "podFailurePolicy": ("Job.spec.podFailurePolicy", ""),
        "scheduling": ("Job.spec.scheduling", ""),
        "template": ("PodTemplate.template", ""),
    },
    "Job.spec.podFailurePolicy": {
        "rules": ("Job.spec.podFailurePolicy.rules", ""),
    },
    "Job.spec.podFailurePolicy.rules": {
        "onExitCodes": ("Pod.spec.containers.restartPolicyRules.exitCodes", ""),
    },
    "Job.spec.scheduling": {
        "resourceClaims": ("", "map name merge"),
    },
    "Job.status": {
        "conditions": ("", "atomic type merge"),
        "uncountedTerminatedPods": ("Job.status.uncountedTerminatedPods", ""),
    },
    "Job.status.uncountedTerminatedPods": {
        "failed": ("", "set"),
        "succeeded": ("", "set"),
    },
    "MutatingAdmissionPolicy": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("MutatingAdmissionPolicy.spec", ""),
    },
    "MutatingAdmissionPolicy.spec": {
        "matchConditions": ("", "map name merge"),
    },
    "MutatingWebhookConfiguration": {
        "metadata": ("Pod.metadata", ""),
        "webhooks": ("MutatingAdmissionPolicy.spec", "map name merge"),
    },
    "Namespace": {
        "metadata": ("Pod.metadata", ""),
        "status": ("Service.status", ""),
    },
    "Node": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Node.spec", ""),
        "status": ("Node.status", ""),
    },
    "Node.spec": {
        "podCIDRs": ("", "set merge"),
        "podPreemptionPolicy": ("Node.spec.podPreemptionPolicy", ""),
    },
    "Node.spec.podPreemptionPolicy": {
        "disableResizePreemption": ("", "set"),
    },
    "Node.status": {
        "addresses": ("", "map type merge"),
        "conditions": ("", "map type merge"),
    },
    "PersistentVolumeClaim": {
        "metadata": ("Pod.metadata", ""),
        "status": ("PersistentVolumeClaim.status", ""),
    },
    "PersistentVolumeClaim.status": {
        "conditions": ("", "map type merge"),
        "healthStatus": ("Pod.status.volumeHealth", ""),
    },
    "Pod": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Pod.spec", ""),
        "status": ("Pod.status", ""),
    },
    "Pod.metadata": {
        "finalizers": ("", "set merge"),
        "ownerReferences": ("", "map uid merge"),
    },
    "Pod.spec": {
        "containers": ("Pod.spec.containers", "map name merge"),
        "ephemeralContainers": ("Pod.spec.containers", "map name merge"),
        "evictionResponders": ("", "map name merge"),
        "hostAliases": ("", "map ip merge"),
        "imagePullSecrets": ("", "map name merge"),
        "initContainers": ("Pod.spec.containers", "map name merge"),
        "resourceClaims": ("", "map name merge,retainKeys"),
        "resources": ("Pod.spec.resources", ""),
        "schedulingGates": ("", "map name merge"),
        "topologySpreadConstraints": ("", "map topologyKey+whenUnsatisfiable merge"),
        "volumes": ("Pod.spec.volumes", "map name merge,retainKeys"),
    },
    "Pod.spec.containers": {
        "env": ("", "map name merge"),
        "ports": ("", "map containerPort+protocol merge"),
        "resources": ("Pod.spec.resources", ""),
        "restartPolicyRules": ("Pod.spec.containers.restartPolicyRules", ""),
        "volumeDevices": ("", "map devicePath merge"),
        "volumeMounts": ("Pod.spec.containers.volumeMounts", "map mountPath merge"),
    },
    "Pod.spec.containers.restartPolicyRules": {
        "exitCodes": ("Pod.spec.containers.restartPolicyRules.exitCodes", ""),
    },
    "Pod.spec.containers.restartPolicyRules.exitCodes": {
        "values": ("", "set"),
    },
    "Pod.spec.containers.volumeMounts": {
        "bindMountOptions": ("", "set"),
    },
    "Pod.spec.resources": {
        "claims": ("", "map name"),
    },
    "Pod.spec.volumes": {
        "ephemeral": ("Pod.spec.volumes.ephemeral", ""),
    },
    "Pod.spec.volumes.ephemeral": {
        "volumeClaimTemplate": ("Role", ""),
    },
    "Pod.status": {
        "conditions": ("", "map type merge"),
        "containerStatuses": ("Pod.status.containerStatuses", ""),
        "ephemeralContainerStatuses": ("Pod.status.containerStatuses", ""),
        "hostIPs": ("", "atomic ip merge"),
        "initContainerStatuses": ("Pod.status.containerStatuses", ""),
        "nodeAllocatableResourceClaimStatuses": (
            "Pod.status.nodeAllocatableResourceClaimStatuses",
            "map resourceClaimName merge",
        ),
        "podIPs": ("", "map ip merge"),
        "resourceClaimStatuses": ("", "map name merge,retainKeys"),
        "resources": ("Pod.spec.resources", ""),
        "volumeHealth": ("Pod.status.volumeHealth", "map name"),
    },
    "Pod.status.containerStatuses": {
        "allocatedResourcesStatus": ("Pod.status.containerStatuses.allocatedResourcesStatus", "map name merge"),
        "resources": ("Pod.spec.resources", ""),
        "volumeMounts": ("", "map mountPath merge"),
    },
    "Pod.status.containerStatuses.allocatedResourcesStatus": {
        "resources": ("", "map resourceID"),
    },
    "Pod.status.nodeAllocatableResourceClaimStatuses": {
        "containers": ("", "set"),
        "mapping": ("", "map name merge"),
        "overhead": ("", "map name merge"),
    },
    "Pod.status.volumeHealth": {
        "healthConditions": ("", "map status+reason merge"),
    },
    "PodDisruptionBudget": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("PodDisruptionBudget.spec", ""),
        "status": ("Service.status", ""),
    },
    "PodDisruptionBudget.spec": {
        "selector": ("", "replace"),
    },
    "PodTemplate": {
        "metadata": ("Pod.metadata", ""),
        "template": ("PodTemplate.template", ""),
    },
    "PodTemplate.template": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Pod.spec", ""),
    },
    "Role": {
        "metadata": ("Pod.metadata", ""),
    },
    "Service": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Service.spec", ""),
        "status": ("Service.status", ""),
    },
    "Service.spec": {
        "ports": ("", "map port+protocol merge"),
    },
    "Service.status": {
        "conditions": ("", "map type merge"),
    },
    "ServiceAccount": {
        "metadata": ("Pod.metadata", ""),
        "secrets": ("", "map name merge"),
    },
    "StatefulSet": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("StatefulSet.spec", ""),
        "status": ("Service.status", ""),
    },
    "StatefulSet.spec": {
        "template": ("PodTemplate.template", ""),
        "volumeClaimTemplates": ("PersistentVolumeClaim", ""),
    },
    "ValidatingAdmissionPolicy": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("ValidatingAdmissionPolicy.spec", ""),
        "status": ("ValidatingAdmissionPolicy.status", ""),
    },
    "ValidatingAdmissionPolicy.spec": {
        "matchConditions": ("", "map name merge"),
        "variables": ("", "map name merge"),
    },
    "ValidatingAdmissionPolicy.status": {
        "conditions": ("", "map type"),
    },
    "ValidatingAdmissionPolicyBinding": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("ValidatingAdmissionPolicyBinding.spec", ""),
    },
    "ValidatingAdmissionPolicyBinding.spec": {
        "validationActions": ("", "set"),
    },
}

KINDS = {
    "Binding": "Role",
    "ComponentStatus": "ComponentStatus",
    "ConfigMap": "Role",
    "Endpoints": "Role",
    "Event": "Role",
    "LimitRange": "Role",
    "Namespace": "Namespace",
    "Node": "Node",
    "PersistentVolume": "Role",
    "PersistentVolumeClaim": "PersistentVolumeClaim",
    "Pod": "Pod",
    "PodTemplate": "PodTemplate",
    "RangeAllocation": "Role",
    "ReplicationController": "DaemonSet",
    "ResourceQuota": "Role",
    "Secret": "Role",
    "Service": "Service",
    "ServiceAccount": "ServiceAccount",
    "admissionregistration.k8s.io/MutatingAdmissionPolicy": "MutatingAdmissionPolicy",
    "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": "Role",
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": "MutatingWebhookConfiguration",
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": "ValidatingAdmissionPolicy",
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": "ValidatingAdmissionPolicyBinding",
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": "MutatingWebhookConfiguration",
    "apps/ControllerRevision": "Role",
    "apps/DaemonSet": "DaemonSet",
    "apps/Deployment": "Deployment",
    "apps/ReplicaSet": "DaemonSet",
    "apps/StatefulSet": "StatefulSet",
    "autoscaling/HorizontalPodAutoscaler": "Namespace",
    "batch/CronJob": "CronJob",
    "batch/Job": "Job",
    "discovery.k8s.io/EndpointSlice": "EndpointSlice",
    "networking.k8s.io/IPAddress": "Role",
    "networking.k8s.io/Ingress": "Role",
    "networking.k8s.io/IngressClass": "Role",
    "networking.k8s.io/NetworkPolicy": "Role",
    "networking.k8s.io/ServiceCIDR": "Namespace",
    "policy/Eviction": "Role",
    "policy/PodDisruptionBudget": "PodDisruptionBudget",
    "rbac.authorization.k8s.io/ClusterRole": "Role",
    "rbac.authorization.k8s.io/ClusterRoleBinding": "Role",
    "rbac.authorization.k8s.io/Role": "Role",
    "rbac.authorization.k8s.io/RoleBinding": "Role",
    "storage.k8s.io/CSIDriver": "CSIDriver",
    "storage.k8s.io/CSINode": "CSINode",
    "storage.k8s.io/CSIStorageCapacity": "Role",
    "storage.k8s.io/StorageClass": "Role",
    "storage.k8s.io/VolumeAttachment": "Role",
    "storage.k8s.io/VolumeAttributesClass": "Role",
}
