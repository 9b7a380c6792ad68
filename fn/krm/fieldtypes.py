"""The fields of Kubernetes' own kinds, and what each may hold. Printed by scripts/fields.py.

TYPES   the fields of each type. Behind a colon stands what a field holds: a type, the name of a grammar, or the words
        that it may be, or the range of a whole number. A field with nothing there holds free text. `*` is a mapping of
        any keys to such values, and `-` a list of them. Types with the same fields share a row.
KINDS   the kinds of each group. Each is a type of that name.
"""

from __future__ import annotations

_TABLE = """\
AWSElasticBlockStoreVolumeSource fsType partition:0..255 readOnly:boolean volumeID
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AggregationRule clusterRoleSelectors:-LabelSelector
AppArmorProfile localhostProfile type:Localhost|RuntimeDefault|Unconfined
AzureDiskVolumeSource cachingMode:None|ReadOnly|ReadWrite diskName diskURI fsType kind:Dedicated|Managed|Shared
  readOnly:boolean
AzureFilePersistentVolumeSource readOnly:boolean secretName secretNamespace shareName
AzureFileVolumeSource readOnly:boolean secretName shareName
CSIPersistentVolumeSource controllerExpandSecretRef:SecretReference controllerPublishSecretRef:SecretReference
  driver:subdomain fsType nodeExpandSecretRef:SecretReference nodePublishSecretRef:SecretReference
  nodeStageSecretRef:SecretReference readOnly:boolean volumeAttributes:* volumeHandle
CSIVolumeSource driver:subdomain fsType nodePublishSecretRef:LocalObjectReference readOnly:boolean volumeAttributes:*
Capabilities add:- drop:-
CephFSPersistentVolumeSource monitors:- path readOnly:boolean secretFile secretRef:SecretReference user
CephFSVolumeSource monitors:- path readOnly:boolean secretFile secretRef:LocalObjectReference user
CinderPersistentVolumeSource fsType readOnly:boolean secretRef:SecretReference volumeID
CinderVolumeSource fsType readOnly:boolean secretRef:LocalObjectReference volumeID
ClientIPConfig timeoutSeconds:integer
ClusterRole aggregationRule:AggregationRule metadata:ObjectMeta rules:-PolicyRule
ClusterRoleBinding,RoleBinding metadata:ObjectMeta roleRef:RoleRef subjects:-Subject
ClusterTrustBundleProjection labelSelector:LabelSelector name:subdomain optional:boolean path signerName
ConfigMap binaryData:*base64 data:* immutable:boolean metadata:ObjectMeta
ConfigMapEnvSource,SecretEnvSource name:subdomain optional:boolean
ConfigMapKeySelector,SecretKeySelector key:data-key name:subdomain optional:boolean
ConfigMapProjection,SecretProjection items:-KeyToPath name:subdomain optional:boolean
ConfigMapVolumeSource defaultMode:0..511 items:-KeyToPath name:subdomain optional:boolean
Container args:- command:- env:-EnvVar envFrom:-EnvFromSource image:image imagePullPolicy:Always|IfNotPresent|Never
  lifecycle:Lifecycle livenessProbe:Probe name:label ports:-ContainerPort readinessProbe:Probe
  resizePolicy:-ContainerResizePolicy resources:ResourceRequirements restartPolicy:Always|OnFailure|Never
  restartPolicyRules:-ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:boolean
  stdinOnce:boolean terminationMessagePath terminationMessagePolicy:File|FallbackToLogsOnError tty:boolean
  volumeDevices:-VolumeDevice volumeMounts:-VolumeMount workingDir
ContainerPort containerPort:1..65535 hostIP hostPort:0..65535 name:port-name protocol:SCTP|TCP|UDP
ContainerResizePolicy resourceName:cpu|memory restartPolicy:NotRequired|RestartContainer
ContainerResourceMetricSource container:label name:label-key target:MetricTarget
ContainerRestartRule action exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator values:-integer
CronJobSpec concurrencyPolicy:Allow|Forbid|Replace failedJobsHistoryLimit:0.. jobTemplate:JobTemplateSpec schedule:token
  startingDeadlineSeconds:0.. successfulJobsHistoryLimit:0.. suspend:boolean timeZone:token
CrossVersionObjectReference apiVersion kind name:subdomain
DaemonSetSpec minReadySeconds:0.. revisionHistoryLimit:0.. selector:LabelSelector template:PodTemplateSpec
  updateStrategy:DaemonSetUpdateStrategy
DaemonSetUpdateStrategy rollingUpdate:RollingUpdateDaemonSet type:RollingUpdate|OnDelete
DeploymentSpec minReadySeconds:0.. paused:boolean progressDeadlineSeconds:0.. replicas:0.. revisionHistoryLimit:0..
  selector:LabelSelector strategy:DeploymentStrategy template:PodTemplateSpec
DeploymentStrategy rollingUpdate:RollingUpdateDeployment type:Recreate|RollingUpdate
DownwardAPIProjection items:-DownwardAPIVolumeFile
DownwardAPIVolumeFile fieldRef:ObjectFieldSelector mode:0..511 path resourceFieldRef:ResourceFieldSelector
DownwardAPIVolumeSource defaultMode:0..511 items:-DownwardAPIVolumeFile
EmptyDirVolumeSource medium:token sizeLimit:quantity
EnvFromSource configMapRef:ConfigMapEnvSource prefix secretRef:SecretEnvSource
EnvVar name value valueFrom:EnvVarSource
EnvVarSource configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector
  resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralContainer args:- command:- env:-EnvVar envFrom:-EnvFromSource image:image
  imagePullPolicy:Always|IfNotPresent|Never lifecycle:Lifecycle livenessProbe:Probe name:label ports:-ContainerPort
  readinessProbe:Probe resizePolicy:-ContainerResizePolicy resources:ResourceRequirements restartPolicy
  restartPolicyRules:-ContainerRestartRule securityContext:SecurityContext startupProbe:Probe stdin:boolean
  stdinOnce:boolean targetContainerName:token terminationMessagePath terminationMessagePolicy:File|FallbackToLogsOnError
  tty:boolean volumeDevices:-VolumeDevice volumeMounts:-VolumeMount workingDir
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
ExecAction command:-
ExternalMetricSource,PodsMetricSource metric:MetricIdentifier target:MetricTarget
FCVolumeSource fsType lun:integer readOnly:boolean targetWWNs:- wwids:-
FileKeySelector key optional:boolean path volumeName:label
FlexPersistentVolumeSource driver fsType options:* readOnly:boolean secretRef:SecretReference
FlexVolumeSource driver fsType options:* readOnly:boolean secretRef:LocalObjectReference
FlockerVolumeSource datasetName datasetUUID
GCEPersistentDiskVolumeSource fsType partition:0..255 pdName readOnly:boolean
GRPCAction port:1..65535 service
GitRepoVolumeSource directory repository revision
GlusterfsPersistentVolumeSource endpoints endpointsNamespace:label path readOnly:boolean
GlusterfsVolumeSource endpoints path readOnly:boolean
HPAScalingPolicy periodSeconds:1..1800 type:Percent|Pods value:1..
HPAScalingRules policies:-HPAScalingPolicy selectPolicy:Disabled|Max|Min stabilizationWindowSeconds:0..3600
  tolerance:quantity
HTTPGetAction host:host httpHeaders:-HTTPHeader path port:port-or-name scheme:HTTP|HTTPS
HTTPHeader,Sysctl name:token value
HTTPIngressPath backend:IngressBackend path pathType:Exact|ImplementationSpecific|Prefix
HTTPIngressRuleValue paths:-HTTPIngressPath
HorizontalPodAutoscalerBehavior scaleDown:HPAScalingRules scaleUp:HPAScalingRules
HorizontalPodAutoscalerSpec behavior:HorizontalPodAutoscalerBehavior maxReplicas:1.. metrics:-MetricSpec minReplicas:0..
  scaleTargetRef:CrossVersionObjectReference
HostAlias hostnames:-subdomain ip:host
HostPathVolumeSource path type:DirectoryOrCreate|Directory|FileOrCreate|File|Socket|CharDevice|BlockDevice
IPBlock cidr:token except:-
ISCSIPersistentVolumeSource chapAuthDiscovery:boolean chapAuthSession:boolean fsType initiatorName:token iqn:token
  iscsiInterface lun:0..255 portals:- readOnly:boolean secretRef:SecretReference targetPortal
ISCSIVolumeSource chapAuthDiscovery:boolean chapAuthSession:boolean fsType initiatorName:token iqn:token iscsiInterface
  lun:0..255 portals:- readOnly:boolean secretRef:LocalObjectReference targetPortal
ImageVolumeSource pullPolicy:Always|IfNotPresent|Never reference:image
IngressBackend resource:TypedLocalObjectReference service:IngressServiceBackend
IngressClassParametersReference apiGroup:subdomain kind name:subdomain namespace:label scope:Cluster|Namespace
IngressClassSpec controller parameters:IngressClassParametersReference
IngressRule host:host http:HTTPIngressRuleValue
IngressServiceBackend name:label port:ServiceBackendPort
IngressSpec defaultBackend:IngressBackend ingressClassName:subdomain rules:-IngressRule tls:-IngressTLS
IngressTLS hosts:-host secretName:subdomain
JobSpec activeDeadlineSeconds:0.. backoffLimit:0.. backoffLimitPerIndex:0.. completionMode:NonIndexed|Indexed
  completions:0.. managedBy manualSelector:boolean maxFailedIndexes:0.. parallelism:0..
  podFailurePolicy:PodFailurePolicy podReplacementPolicy:Failed|TerminatingOrFailed selector:LabelSelector
  successPolicy:SuccessPolicy suspend:boolean template:PodTemplateSpec ttlSecondsAfterFinished:0..
JobTemplateSpec metadata:ObjectMeta spec:JobSpec
KeyToPath key mode:0..511 path
LabelSelector matchExpressions:-LabelSelectorRequirement matchLabels:*label-value
LabelSelectorRequirement key:label-key operator:token values:-label-value
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LimitRangeItem default:*quantity defaultRequest:*quantity max:*quantity maxLimitRequestRatio:*quantity min:*quantity
  type:label-key
LimitRangeSpec limits:-LimitRangeItem
LocalObjectReference name:subdomain
LocalVolumeSource fsType path
MetricIdentifier name selector:LabelSelector
MetricSpec containerResource:ContainerResourceMetricSource external:ExternalMetricSource object:ObjectMetricSource
  pods:PodsMetricSource resource:ResourceMetricSource type:ContainerResource|External|Object|Pods|Resource
MetricTarget averageUtilization:1.. averageValue:quantity type:token value:quantity
NFSVolumeSource path readOnly:boolean server:host
NamespaceSpec finalizers:-label-key
NetworkPolicyEgressRule ports:-NetworkPolicyPort to:-NetworkPolicyPeer
NetworkPolicyIngressRule from:-NetworkPolicyPeer ports:-NetworkPolicyPort
NetworkPolicyPeer ipBlock:IPBlock namespaceSelector:LabelSelector podSelector:LabelSelector
NetworkPolicyPort endPort:1..65535 port:port-or-name protocol:TCP|UDP|SCTP
NetworkPolicySpec egress:-NetworkPolicyEgressRule ingress:-NetworkPolicyIngressRule podSelector:LabelSelector
  policyTypes:-Ingress|Egress
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:-PreferredSchedulingTerm
  requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeSelector nodeSelectorTerms:-NodeSelectorTerm
NodeSelectorRequirement key:label-key operator:token values:-token
NodeSelectorTerm matchExpressions:-NodeSelectorRequirement matchFields:-NodeSelectorRequirement
ObjectFieldSelector apiVersion fieldPath:token
ObjectMeta annotations:* creationTimestamp:token deletionGracePeriodSeconds:integer deletionTimestamp:token
  finalizers:-label-key generateName:token generation:0.. labels:*label-value name:subdomain namespace:label
  ownerReferences:-OwnerReference resourceVersion selfLink uid
ObjectMetricSource describedObject:CrossVersionObjectReference metric:MetricIdentifier target:MetricTarget
ObjectReference apiVersion fieldPath kind name:subdomain namespace:label resourceVersion uid
OwnerReference apiVersion blockOwnerDeletion:boolean controller:boolean kind name uid
PersistentVolumeClaimSpec accessModes:-ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
  dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements
  selector:LabelSelector storageClassName:token volumeAttributesClassName volumeMode:Block|Filesystem
  volumeName:subdomain
PersistentVolumeClaimTemplate metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName:subdomain readOnly:boolean
PersistentVolumeSpec accessModes:-ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
  awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
  azureFile:AzureFilePersistentVolumeSource capacity:*quantity cephfs:CephFSPersistentVolumeSource
  cinder:CinderPersistentVolumeSource claimRef:ObjectReference csi:CSIPersistentVolumeSource fc:FCVolumeSource
  flexVolume:FlexPersistentVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource
  glusterfs:GlusterfsPersistentVolumeSource hostPath:HostPathVolumeSource iscsi:ISCSIPersistentVolumeSource
  local:LocalVolumeSource mountOptions:- nfs:NFSVolumeSource nodeAffinity:VolumeNodeAffinity
  persistentVolumeReclaimPolicy:Delete|Recycle|Retain photonPersistentDisk:PhotonPersistentDiskVolumeSource
  portworxVolume:PortworxVolumeSource quobyte:QuobyteVolumeSource rbd:RBDPersistentVolumeSource
  scaleIO:ScaleIOPersistentVolumeSource storageClassName:token storageos:StorageOSPersistentVolumeSource
  volumeAttributesClassName volumeMode:Block|Filesystem vsphereVolume:VsphereVirtualDiskVolumeSource
PhotonPersistentDiskVolumeSource fsType pdID
PodAffinity,PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:-WeightedPodAffinityTerm
  requiredDuringSchedulingIgnoredDuringExecution:-PodAffinityTerm
PodAffinityTerm labelSelector:LabelSelector matchLabelKeys:- mismatchLabelKeys:- namespaceSelector:LabelSelector
  namespaces:-label topologyKey:label-key
PodCertificateProjection certificateChainPath credentialBundlePath keyPath
  keyType:RSA3072|RSA4096|ECDSAP256|ECDSAP384|ECDSAP521|ED25519 maxExpirationSeconds:integer signerName
  userAnnotations:*
PodDNSConfig nameservers:-host options:-PodDNSConfigOption searches:-token
PodDNSConfigOption name value
PodDisruptionBudgetSpec maxUnavailable:share minAvailable:share selector:LabelSelector
  unhealthyPodEvictionPolicy:AlwaysAllow|IfHealthyBudget
PodFailurePolicy rules:-PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement containerName:token operator:In|NotIn values:-integer
PodFailurePolicyOnPodConditionsPattern type:label-key
PodFailurePolicyRule action:Count|FailIndex|FailJob|Ignore onExitCodes:PodFailurePolicyOnExitCodesRequirement
  onPodConditions:-PodFailurePolicyOnPodConditionsPattern
PodOS name:linux|windows
PodReadinessGate conditionType:label-key
PodResourceClaim name:label resourceClaimName:subdomain resourceClaimTemplateName:subdomain
PodSchedulingGate name:label-key
PodSchedulingGroup podGroupName:subdomain
PodSecurityContext appArmorProfile:AppArmorProfile fsGroup:0..2147483647 fsGroupChangePolicy:Always|OnRootMismatch
  runAsGroup:0..2147483647 runAsNonRoot:boolean runAsUser:0..2147483647 seLinuxChangePolicy:MountOption|Recursive
  seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups:-0..2147483647
  supplementalGroupsPolicy:Merge|Strict sysctls:-Sysctl windowsOptions:WindowsSecurityContextOptions
PodSpec activeDeadlineSeconds:1..2147483647 affinity:Affinity automountServiceAccountToken:boolean containers:-Container
  dnsConfig:PodDNSConfig dnsPolicy:ClusterFirstWithHostNet|ClusterFirst|Default|None enableServiceLinks:boolean
  ephemeralContainers:-EphemeralContainer hostAliases:-HostAlias hostIPC:boolean hostNetwork:boolean hostPID:boolean
  hostUsers:boolean hostname:label hostnameOverride:subdomain imagePullSecrets:-LocalObjectReference
  initContainers:-Container nodeName:subdomain nodeSelector:*label-value os:PodOS overhead:*quantity
  preemptionPolicy:PreemptLowerPriority|Never priority:integer priorityClassName:subdomain
  readinessGates:-PodReadinessGate resourceClaims:-PodResourceClaim resources:ResourceRequirements
  restartPolicy:Always|OnFailure|Never runtimeClassName:subdomain schedulerName:subdomain
  schedulingGates:-PodSchedulingGate schedulingGroup:PodSchedulingGroup securityContext:PodSecurityContext
  serviceAccount:subdomain serviceAccountName:subdomain setHostnameAsFQDN:boolean shareProcessNamespace:boolean
  subdomain:label terminationGracePeriodSeconds:integer tolerations:-Toleration
  topologySpreadConstraints:-TopologySpreadConstraint volumes:-Volume
PodTemplate metadata:ObjectMeta template:PodTemplateSpec
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
PolicyRule apiGroups:- nonResourceURLs:- resourceNames:- resources:- verbs:-
PortworxVolumeSource fsType readOnly:boolean volumeID
PreferredSchedulingTerm preference:NodeSelectorTerm weight:1..100
PriorityClass description globalDefault:boolean metadata:ObjectMeta preemptionPolicy:PreemptLowerPriority|Never
  value:integer
Probe exec:ExecAction failureThreshold:0.. grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:0..
  periodSeconds:0.. successThreshold:0.. tcpSocket:TCPSocketAction terminationGracePeriodSeconds:1.. timeoutSeconds:0..
ProjectedVolumeSource defaultMode:0..511 sources:-VolumeProjection
QuobyteVolumeSource group readOnly:boolean registry tenant user volume
RBDPersistentVolumeSource fsType image keyring monitors:- pool readOnly:boolean secretRef:SecretReference user
RBDVolumeSource fsType image keyring monitors:- pool readOnly:boolean secretRef:LocalObjectReference user
ReplicaSetSpec minReadySeconds:0.. replicas:0.. selector:LabelSelector template:PodTemplateSpec
ReplicationControllerSpec minReadySeconds:0.. replicas:0.. selector:*label-value template:PodTemplateSpec
ResourceClaim name request
ResourceFieldSelector containerName divisor:quantity
  resource:limits.cpu|limits.ephemeral-storage|limits.memory|requests.cpu|requests.ephemeral-storage|requests.memory
ResourceMetricSource name target:MetricTarget
ResourceQuotaSpec hard:*quantity scopeSelector:ScopeSelector scopes:-token
ResourceRequirements claims:-ResourceClaim limits:*quantity requests:*quantity
Role metadata:ObjectMeta rules:-PolicyRule
RoleRef apiGroup:rbac.authorization.k8s.io kind:Role|ClusterRole name:name
RollingUpdateDaemonSet maxSurge:share maxUnavailable:share
RollingUpdateDeployment maxSurge:percentage maxUnavailable:share
RollingUpdateStatefulSetStrategy maxUnavailable:share partition:0..
SELinuxOptions level role type user
ScaleIOPersistentVolumeSource fsType gateway protectionDomain readOnly:boolean secretRef:SecretReference
  sslEnabled:boolean storageMode storagePool system volumeName
ScaleIOVolumeSource fsType gateway protectionDomain readOnly:boolean secretRef:LocalObjectReference sslEnabled:boolean
  storageMode storagePool system volumeName
ScopeSelector matchExpressions:-ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement operator:token scopeName:token values:-
SeccompProfile localhostProfile:token type:Localhost|RuntimeDefault|Unconfined
Secret data:*base64 immutable:boolean metadata:ObjectMeta stringData:* type
SecretReference name:subdomain namespace:label
SecretVolumeSource defaultMode:0..511 items:-KeyToPath optional:boolean secretName:subdomain
SecurityContext allowPrivilegeEscalation:boolean appArmorProfile:AppArmorProfile capabilities:Capabilities
  privileged:boolean procMount:Default|Unmasked readOnlyRootFilesystem:boolean runAsGroup:0..2147483647
  runAsNonRoot:boolean runAsUser:0..2147483647 seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile
  windowsOptions:WindowsSecurityContextOptions
ServiceAccount automountServiceAccountToken:boolean imagePullSecrets:-LocalObjectReference metadata:ObjectMeta
  secrets:-ObjectReference
ServiceAccountTokenProjection audience expirationSeconds:integer path
ServiceBackendPort name:port-name number:0..65535
ServicePort appProtocol:label-key name:label nodePort:0..65535 port:1..65535 protocol:SCTP|TCP|UDP
  targetPort:target-port
ServiceSpec allocateLoadBalancerNodePorts:boolean clusterIP:host clusterIPs:-token externalIPs:-host externalName:host
  externalTrafficPolicy:token healthCheckNodePort:0..65535 internalTrafficPolicy:Cluster|Local ipFamilies:-IPv4|IPv6
  ipFamilyPolicy:PreferDualStack|RequireDualStack|SingleStack loadBalancerClass loadBalancerIP:host
  loadBalancerSourceRanges:-token ports:-ServicePort publishNotReadyAddresses:boolean selector:*label-value
  sessionAffinity:ClientIP|None sessionAffinityConfig:SessionAffinityConfig
  trafficDistribution:PreferClose|PreferSameZone|PreferSameNode type:ClusterIP|ExternalName|LoadBalancer|NodePort
SessionAffinityConfig clientIP:ClientIPConfig
SleepAction seconds:integer
StatefulSetOrdinals start:0..
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:Retain|Delete whenScaled:Retain|Delete
StatefulSetSpec minReadySeconds:0.. ordinals:StatefulSetOrdinals
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:token
  replicas:0.. revisionHistoryLimit:integer selector:LabelSelector serviceName:label template:PodTemplateSpec
  updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:-PersistentVolumeClaim
StatefulSetUpdateStrategy rollingUpdate:RollingUpdateStatefulSetStrategy type:token
StorageClass allowVolumeExpansion:boolean allowedTopologies:-TopologySelectorTerm metadata:ObjectMeta mountOptions:-
  parameters:* provisioner reclaimPolicy:Delete|Retain volumeBindingMode:Immediate|WaitForFirstConsumer
StorageOSPersistentVolumeSource fsType readOnly:boolean secretRef:ObjectReference volumeName:label volumeNamespace:label
StorageOSVolumeSource fsType readOnly:boolean secretRef:LocalObjectReference volumeName:label volumeNamespace:label
Subject apiGroup kind:ServiceAccount|User|Group name:name namespace:label
SuccessPolicy rules:-SuccessPolicyRule
SuccessPolicyRule succeededCount:integer succeededIndexes:token
TCPSocketAction host:host port:port-or-name
Toleration effect:NoSchedule|PreferNoSchedule|NoExecute key:label-key operator:token tolerationSeconds:integer
  value:label-value
TopologySelectorLabelRequirement key:label-key values:-
TopologySelectorTerm matchLabelExpressions:-TopologySelectorLabelRequirement
TopologySpreadConstraint labelSelector:LabelSelector matchLabelKeys:-label-key maxSkew:1.. minDomains:1..
  nodeAffinityPolicy:Honor|Ignore nodeTaintsPolicy:Honor|Ignore topologyKey:label-key
  whenUnsatisfiable:DoNotSchedule|ScheduleAnyway
TypedLocalObjectReference apiGroup:subdomain kind:token name:subdomain
TypedObjectReference apiGroup:subdomain kind:token name:subdomain namespace:label
Volume awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
  azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource
  csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource
  fc:FCVolumeSource flexVolume:FlexVolumeSource flocker:FlockerVolumeSource
  gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource glusterfs:GlusterfsVolumeSource
  hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource name:label nfs:NFSVolumeSource
  persistentVolumeClaim:PersistentVolumeClaimVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource
  portworxVolume:PortworxVolumeSource projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource
  scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource
  vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice devicePath name:token
VolumeMount mountPath mountPropagation:Bidirectional|HostToContainer|None name:token readOnly:boolean
  recursiveReadOnly:Disabled|Enabled|IfPossible subPath subPathExpr
VolumeNodeAffinity required:NodeSelector
VolumeProjection clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection
  downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection
  serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements limits:*quantity requests:*quantity
VsphereVirtualDiskVolumeSource fsType storagePolicyID storagePolicyName volumePath
WeightedPodAffinityTerm podAffinityTerm:PodAffinityTerm weight:1..100
WindowsSecurityContextOptions gmsaCredentialSpec gmsaCredentialSpecName:subdomain hostProcess:boolean runAsUserName
"""
KINDS = {
    "": (
        "ConfigMap LimitRange Namespace PersistentVolume PersistentVolumeClaim Pod PodTemplate "
        "ReplicationController ResourceQuota Secret Service ServiceAccount"
    ),
    "apps": ("DaemonSet Deployment ReplicaSet StatefulSet"),
    "autoscaling": ("HorizontalPodAutoscaler"),
    "batch": ("CronJob Job"),
    "networking.k8s.io": ("Ingress IngressClass NetworkPolicy"),
    "policy": ("PodDisruptionBudget"),
    "rbac.authorization.k8s.io": ("ClusterRole ClusterRoleBinding Role RoleBinding"),
    "scheduling.k8s.io": ("PriorityClass"),
    "storage.k8s.io": ("StorageClass"),
}
# A kind that has no row has its own Spec beside its metadata.
TYPES = {one: f"metadata:ObjectMeta spec:{one}Spec" for kinds in KINDS.values() for one in kinds.split()}
_rows = (row.split(" ", 1) for row in _TABLE.replace("\n  ", " ").splitlines())
TYPES |= {name: fields for names, fields in _rows for name in names.split(",")}
