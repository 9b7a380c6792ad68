"""The rules by which lists and mappings of the built-in kinds merge. Printed by scripts/list_facts.py.

A fact is in the words of the Go types, but for `mapType`, which is `x-kubernetes-map-type` of the OpenAPI. A type is
named after a place where it is found. Each of its fields that leads to a fact has the type of its value, or of its
elements, and the name of its own fact, empty where there is none.
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
    "map name merge whole": {
        "listMapKeys": ["name"],
        "listType": "map",
        "patchMergeKey": "name",
        "patchStrategy": "merge",
        "mapType": "atomic",
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
    "map uid merge whole": {
        "listMapKeys": ["uid"],
        "listType": "map",
        "patchMergeKey": "uid",
        "patchStrategy": "merge",
        "mapType": "atomic",
    },
    "replace whole": {
        "patchStrategy": "replace",
        "mapType": "atomic",
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
    "whole": {
        "mapType": "atomic",
    },
}

TYPES: dict[str, dict[str, tuple[str, str]]] = {
    "Binding": {
        "metadata": ("Pod.metadata", ""),
        "target": ("", "whole"),
    },
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
    "CSIStorageCapacity": {
        "metadata": ("Pod.metadata", ""),
        "nodeTopology": ("", "whole"),
    },
    "ClusterRole": {
        "aggregationRule": ("ClusterRole.aggregationRule", ""),
        "metadata": ("Pod.metadata", ""),
    },
    "ClusterRole.aggregationRule": {
        "clusterRoleSelectors": ("", "whole"),
    },
    "ComponentStatus": {
        "conditions": ("", "map type merge"),
        "metadata": ("Pod.metadata", ""),
    },
    "CronJob": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("CronJob.spec", ""),
        "status": ("CronJob.status", ""),
    },
    "CronJob.spec": {
        "jobTemplate": ("CronJob.spec.jobTemplate", ""),
    },
    "CronJob.spec.jobTemplate": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Job.spec", ""),
    },
    "CronJob.status": {
        "active": ("", "whole"),
    },
    "DaemonSet": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("DaemonSet.spec", ""),
        "status": ("Service.status", ""),
    },
    "DaemonSet.spec": {
        "selector": ("", "whole"),
        "template": ("PodTemplate.template", ""),
    },
    "Deployment": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Deployment.spec", ""),
        "status": ("Service.status", ""),
    },
    "Deployment.spec": {
        "selector": ("", "whole"),
        "strategy": ("", "retainKeys"),
        "template": ("PodTemplate.template", ""),
    },
    "EndpointSlice": {
        "endpoints": ("EndpointSlice.endpoints", ""),
        "metadata": ("Pod.metadata", ""),
        "ports": ("", "whole"),
    },
    "EndpointSlice.endpoints": {
        "addresses": ("", "set"),
        "targetRef": ("", "whole"),
    },
    "Endpoints": {
        "metadata": ("Pod.metadata", ""),
        "subsets": ("Endpoints.subsets", ""),
    },
    "Endpoints.subsets": {
        "addresses": ("Endpoints.subsets.addresses", "whole"),
        "notReadyAddresses": ("Endpoints.subsets.addresses", "whole"),
        "ports": ("", "whole"),
    },
    "Endpoints.subsets.addresses": {
        "targetRef": ("", "whole"),
    },
    "Event": {
        "involvedObject": ("", "whole"),
        "metadata": ("Pod.metadata", ""),
        "related": ("", "whole"),
    },
    "HorizontalPodAutoscaler": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("HorizontalPodAutoscaler.spec", ""),
        "status": ("HorizontalPodAutoscaler.status", ""),
    },
    "HorizontalPodAutoscaler.spec": {
        "metrics": ("HorizontalPodAutoscaler.spec.metrics", ""),
    },
    "HorizontalPodAutoscaler.spec.metrics": {
        "external": ("HorizontalPodAutoscaler.spec.metrics.external", ""),
        "object": ("HorizontalPodAutoscaler.spec.metrics.external", ""),
        "pods": ("HorizontalPodAutoscaler.spec.metrics.external", ""),
    },
    "HorizontalPodAutoscaler.spec.metrics.external": {
        "metric": ("MutatingAdmissionPolicyBinding.spec.paramRef", ""),
    },
    "HorizontalPodAutoscaler.status": {
        "conditions": ("", "map type merge"),
        "currentMetrics": ("HorizontalPodAutoscaler.spec.metrics", ""),
    },
    "Ingress": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Ingress.spec", ""),
    },
    "Ingress.spec": {
        "defaultBackend": ("Ingress.spec.defaultBackend", ""),
        "rules": ("Ingress.spec.rules", ""),
    },
    "Ingress.spec.defaultBackend": {
        "resource": ("", "whole"),
        "service": ("Ingress.spec.defaultBackend.service", ""),
    },
    "Ingress.spec.defaultBackend.service": {
        "port": ("", "whole"),
    },
    "Ingress.spec.rules": {
        "http": ("Ingress.spec.rules.http", ""),
    },
    "Ingress.spec.rules.http": {
        "paths": ("Ingress.spec.rules.http.paths", ""),
    },
    "Ingress.spec.rules.http.paths": {
        "backend": ("Ingress.spec.defaultBackend", ""),
    },
    "Job": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Job.spec", ""),
        "status": ("Job.status", ""),
    },
    "Job.spec": {
        "podFailurePolicy": ("Job.spec.podFailurePolicy", ""),
        "scheduling": ("Job.spec.scheduling", ""),
        "selector": ("", "whole"),
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
        "matchConstraints": ("MutatingAdmissionPolicy.spec.matchConstraints", "whole"),
        "paramKind": ("", "whole"),
        "variables": ("", "whole"),
    },
    "MutatingAdmissionPolicy.spec.matchConstraints": {
        "excludeResourceRules": ("", "whole"),
        "namespaceSelector": ("", "whole"),
        "objectSelector": ("", "whole"),
        "resourceRules": ("", "whole"),
    },
    "MutatingAdmissionPolicyBinding": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("MutatingAdmissionPolicyBinding.spec", ""),
    },
    "MutatingAdmissionPolicyBinding.spec": {
        "matchResources": ("MutatingAdmissionPolicy.spec.matchConstraints", "whole"),
        "paramRef": ("MutatingAdmissionPolicyBinding.spec.paramRef", "whole"),
    },
    "MutatingAdmissionPolicyBinding.spec.paramRef": {
        "selector": ("", "whole"),
    },
    "MutatingWebhookConfiguration": {
        "metadata": ("Pod.metadata", ""),
        "webhooks": ("MutatingWebhookConfiguration.webhooks", "map name merge"),
    },
    "MutatingWebhookConfiguration.webhooks": {
        "matchConditions": ("", "map name merge"),
        "namespaceSelector": ("", "whole"),
        "objectSelector": ("", "whole"),
    },
    "Namespace": {
        "metadata": ("Pod.metadata", ""),
        "status": ("Service.status", ""),
    },
    "NetworkPolicy": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("NetworkPolicy.spec", ""),
    },
    "NetworkPolicy.spec": {
        "egress": ("NetworkPolicy.spec.egress", ""),
        "ingress": ("NetworkPolicy.spec.ingress", ""),
        "podSelector": ("", "whole"),
    },
    "NetworkPolicy.spec.egress": {
        "to": ("NetworkPolicy.spec.egress.to", ""),
    },
    "NetworkPolicy.spec.egress.to": {
        "namespaceSelector": ("", "whole"),
        "podSelector": ("", "whole"),
    },
    "NetworkPolicy.spec.ingress": {
        "from": ("NetworkPolicy.spec.egress.to", ""),
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
    "PersistentVolume": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("PersistentVolume.spec", ""),
    },
    "PersistentVolume.spec": {
        "cephfs": ("PersistentVolume.spec.cephfs", ""),
        "cinder": ("PersistentVolume.spec.cephfs", ""),
        "csi": ("PersistentVolume.spec.csi", ""),
        "flexVolume": ("PersistentVolume.spec.cephfs", ""),
        "iscsi": ("PersistentVolume.spec.cephfs", ""),
        "nodeAffinity": ("PersistentVolume.spec.nodeAffinity", ""),
        "rbd": ("PersistentVolume.spec.cephfs", ""),
        "scaleIO": ("PersistentVolume.spec.cephfs", ""),
        "storageos": ("PersistentVolume.spec.cephfs", ""),
    },
    "PersistentVolume.spec.cephfs": {
        "secretRef": ("", "whole"),
    },
    "PersistentVolume.spec.csi": {
        "controllerExpandSecretRef": ("", "whole"),
        "controllerPublishSecretRef": ("", "whole"),
        "nodeExpandSecretRef": ("", "whole"),
        "nodePublishSecretRef": ("", "whole"),
        "nodeStageSecretRef": ("", "whole"),
    },
    "PersistentVolume.spec.nodeAffinity": {
        "required": ("PersistentVolume.spec.nodeAffinity.required", "whole"),
    },
    "PersistentVolume.spec.nodeAffinity.required": {
        "nodeSelectorTerms": ("", "whole"),
    },
    "PersistentVolumeClaim": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("PersistentVolumeClaim.spec", ""),
        "status": ("PersistentVolumeClaim.status", ""),
    },
    "PersistentVolumeClaim.spec": {
        "dataSource": ("", "whole"),
        "selector": ("", "whole"),
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
        "ownerReferences": ("", "map uid merge whole"),
    },
    "Pod.spec": {
        "affinity": ("Pod.spec.affinity", ""),
        "containers": ("Pod.spec.containers", "map name merge"),
        "ephemeralContainers": ("Pod.spec.containers", "map name merge"),
        "evictionResponders": ("", "map name merge"),
        "hostAliases": ("", "map ip merge"),
        "imagePullSecrets": ("", "map name merge whole"),
        "initContainers": ("Pod.spec.containers", "map name merge"),
        "nodeSelector": ("", "whole"),
        "resourceClaims": ("", "map name merge,retainKeys"),
        "resources": ("Pod.spec.resources", ""),
        "schedulingGates": ("", "map name merge"),
        "topologySpreadConstraints": ("Pod.spec.topologySpreadConstraints", "map topologyKey+whenUnsatisfiable merge"),
        "volumes": ("Pod.spec.volumes", "map name merge,retainKeys"),
    },
    "Pod.spec.affinity": {
        "nodeAffinity": ("Pod.spec.affinity.nodeAffinity", ""),
        "podAffinity": ("Pod.spec.affinity.podAffinity", ""),
        "podAntiAffinity": ("Pod.spec.affinity.podAffinity", ""),
    },
    "Pod.spec.affinity.nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": (
            "Pod.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
            "",
        ),
        "requiredDuringSchedulingIgnoredDuringExecution": ("PersistentVolume.spec.nodeAffinity.required", "whole"),
    },
    "Pod.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution": {
        "preference": ("", "whole"),
    },
    "Pod.spec.affinity.podAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": (
            "Pod.spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution",
            "",
        ),
        "requiredDuringSchedulingIgnoredDuringExecution": (
            "Pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution",
            "",
        ),
    },
    "Pod.spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution": {
        "podAffinityTerm": ("Pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution", ""),
    },
    "Pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution": {
        "labelSelector": ("", "whole"),
        "namespaceSelector": ("", "whole"),
    },
    "Pod.spec.containers": {
        "env": ("Pod.spec.containers.env", "map name merge"),
        "ports": ("", "map containerPort+protocol merge"),
        "resources": ("Pod.spec.resources", ""),
        "restartPolicyRules": ("Pod.spec.containers.restartPolicyRules", ""),
        "volumeDevices": ("", "map devicePath merge"),
        "volumeMounts": ("Pod.spec.containers.volumeMounts", "map mountPath merge"),
    },
    "Pod.spec.containers.env": {
        "valueFrom": ("Pod.spec.containers.env.valueFrom", ""),
    },
    "Pod.spec.containers.env.valueFrom": {
        "configMapKeyRef": ("", "whole"),
        "fieldRef": ("", "whole"),
        "fileKeyRef": ("", "whole"),
        "resourceFieldRef": ("", "whole"),
        "secretKeyRef": ("", "whole"),
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
    "Pod.spec.topologySpreadConstraints": {
        "labelSelector": ("", "whole"),
    },
    "Pod.spec.volumes": {
        "cephfs": ("PersistentVolume.spec.cephfs", ""),
        "cinder": ("PersistentVolume.spec.cephfs", ""),
        "csi": ("Pod.spec.volumes.csi", ""),
        "downwardAPI": ("Pod.spec.volumes.downwardAPI", ""),
        "ephemeral": ("Pod.spec.volumes.ephemeral", ""),
        "flexVolume": ("PersistentVolume.spec.cephfs", ""),
        "iscsi": ("PersistentVolume.spec.cephfs", ""),
        "projected": ("Pod.spec.volumes.projected", ""),
        "rbd": ("PersistentVolume.spec.cephfs", ""),
        "scaleIO": ("PersistentVolume.spec.cephfs", ""),
        "storageos": ("PersistentVolume.spec.cephfs", ""),
    },
    "Pod.spec.volumes.csi": {
        "nodePublishSecretRef": ("", "whole"),
    },
    "Pod.spec.volumes.downwardAPI": {
        "items": ("Pod.spec.volumes.downwardAPI.items", ""),
    },
    "Pod.spec.volumes.downwardAPI.items": {
        "fieldRef": ("", "whole"),
        "resourceFieldRef": ("", "whole"),
    },
    "Pod.spec.volumes.ephemeral": {
        "volumeClaimTemplate": ("Pod.spec.volumes.ephemeral.volumeClaimTemplate", ""),
    },
    "Pod.spec.volumes.ephemeral.volumeClaimTemplate": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("PersistentVolumeClaim.spec", ""),
    },
    "Pod.spec.volumes.projected": {
        "sources": ("Pod.spec.volumes.projected.sources", ""),
    },
    "Pod.spec.volumes.projected.sources": {
        "clusterTrustBundle": ("Pod.spec.topologySpreadConstraints", ""),
        "downwardAPI": ("Pod.spec.volumes.downwardAPI", ""),
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
        "selector": ("", "replace whole"),
    },
    "PodTemplate": {
        "metadata": ("Pod.metadata", ""),
        "template": ("PodTemplate.template", ""),
    },
    "PodTemplate.template": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Pod.spec", ""),
    },
    "RangeAllocation": {
        "metadata": ("RangeAllocation.metadata", ""),
    },
    "RangeAllocation.metadata": {
        "finalizers": ("", "set merge"),
        "ownerReferences": ("", "map uid merge"),
    },
    "ResourceQuota": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("ResourceQuota.spec", ""),
    },
    "ResourceQuota.spec": {
        "scopeSelector": ("", "whole"),
    },
    "Role": {
        "metadata": ("Pod.metadata", ""),
    },
    "RoleBinding": {
        "metadata": ("Pod.metadata", ""),
        "roleRef": ("", "whole"),
        "subjects": ("", "whole"),
    },
    "Service": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("Service.spec", ""),
        "status": ("Service.status", ""),
    },
    "Service.spec": {
        "ports": ("", "map port+protocol merge"),
        "selector": ("", "whole"),
    },
    "Service.status": {
        "conditions": ("", "map type merge"),
    },
    "ServiceAccount": {
        "imagePullSecrets": ("", "whole"),
        "metadata": ("Pod.metadata", ""),
        "secrets": ("", "map name merge whole"),
    },
    "StatefulSet": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("StatefulSet.spec", ""),
        "status": ("Service.status", ""),
    },
    "StatefulSet.spec": {
        "selector": ("", "whole"),
        "template": ("PodTemplate.template", ""),
        "volumeClaimTemplates": ("PersistentVolumeClaim", ""),
    },
    "StorageClass": {
        "allowedTopologies": ("", "whole"),
        "metadata": ("Pod.metadata", ""),
    },
    "ValidatingAdmissionPolicy": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("ValidatingAdmissionPolicy.spec", ""),
        "status": ("ValidatingAdmissionPolicy.status", ""),
    },
    "ValidatingAdmissionPolicy.spec": {
        "matchConditions": ("", "map name merge"),
        "matchConstraints": ("MutatingAdmissionPolicy.spec.matchConstraints", "whole"),
        "paramKind": ("", "whole"),
        "variables": ("", "map name merge whole"),
    },
    "ValidatingAdmissionPolicy.status": {
        "conditions": ("", "map type"),
    },
    "ValidatingAdmissionPolicyBinding": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("ValidatingAdmissionPolicyBinding.spec", ""),
    },
    "ValidatingAdmissionPolicyBinding.spec": {
        "matchResources": ("MutatingAdmissionPolicy.spec.matchConstraints", "whole"),
        "paramRef": ("MutatingAdmissionPolicyBinding.spec.paramRef", "whole"),
        "validationActions": ("", "set"),
    },
    "VolumeAttachment": {
        "metadata": ("Pod.metadata", ""),
        "spec": ("VolumeAttachment.spec", ""),
    },
    "VolumeAttachment.spec": {
        "source": ("VolumeAttachment.spec.source", ""),
    },
    "VolumeAttachment.spec.source": {
        "inlineVolumeSpec": ("PersistentVolume.spec", ""),
    },
}

KINDS = {
    "Binding": "Binding",
    "ComponentStatus": "ComponentStatus",
    "ConfigMap": "Role",
    "Endpoints": "Endpoints",
    "Event": "Event",
    "LimitRange": "Role",
    "Namespace": "Namespace",
    "Node": "Node",
    "PersistentVolume": "PersistentVolume",
    "PersistentVolumeClaim": "PersistentVolumeClaim",
    "Pod": "Pod",
    "PodTemplate": "PodTemplate",
    "RangeAllocation": "RangeAllocation",
    "ReplicationController": "DaemonSet",
    "ResourceQuota": "ResourceQuota",
    "Secret": "Role",
    "Service": "Service",
    "ServiceAccount": "ServiceAccount",
    "admissionregistration.k8s.io/MutatingAdmissionPolicy": "MutatingAdmissionPolicy",
    "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": "MutatingAdmissionPolicyBinding",
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": "MutatingWebhookConfiguration",
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": "ValidatingAdmissionPolicy",
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": "ValidatingAdmissionPolicyBinding",
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": "MutatingWebhookConfiguration",
    "apps/ControllerRevision": "Role",
    "apps/DaemonSet": "DaemonSet",
    "apps/Deployment": "Deployment",
    "apps/ReplicaSet": "DaemonSet",
    "apps/StatefulSet": "StatefulSet",
    "autoscaling/HorizontalPodAutoscaler": "HorizontalPodAutoscaler",
    "batch/CronJob": "CronJob",
    "batch/Job": "Job",
    "discovery.k8s.io/EndpointSlice": "EndpointSlice",
    "networking.k8s.io/IPAddress": "Role",
    "networking.k8s.io/Ingress": "Ingress",
    "networking.k8s.io/IngressClass": "Role",
    "networking.k8s.io/NetworkPolicy": "NetworkPolicy",
    "networking.k8s.io/ServiceCIDR": "Namespace",
    "policy/Eviction": "Role",
    "policy/PodDisruptionBudget": "PodDisruptionBudget",
    "rbac.authorization.k8s.io/ClusterRole": "ClusterRole",
    "rbac.authorization.k8s.io/ClusterRoleBinding": "RoleBinding",
    "rbac.authorization.k8s.io/Role": "Role",
    "rbac.authorization.k8s.io/RoleBinding": "RoleBinding",
    "storage.k8s.io/CSIDriver": "CSIDriver",
    "storage.k8s.io/CSINode": "CSINode",
    "storage.k8s.io/CSIStorageCapacity": "CSIStorageCapacity",
    "storage.k8s.io/StorageClass": "StorageClass",
    "storage.k8s.io/VolumeAttachment": "VolumeAttachment",
    "storage.k8s.io/VolumeAttributesClass": "Role",
}
