"""Objects of a ResourceList: `Resource`, with its identity, its fields and its text; and `Origin`."""

from __future__ import annotations

from types import MappingProxyType

from krm import selector, workloads
from krm.function.edited_object import EditedObject
from krm.function.fields import Fields, Part
from krm.resource import PACKAGE, UPSTREAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from krm.resource import Resource as Item
    from krm.results import ResourceRef

_ANNOTATIONS = ("metadata", "annotations")
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

_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))


class Origin:
    """The place that an object comes from. None stands for what no orchestrator has said.

    `package` is the path of its kpt package, `file` its file, and `index` its place there. `upstream` is its (group,
    kind, namespace, name) in the package it was copied from, with `~C` for no namespace.

    >>> deployment.origin.file
    'web.yaml'
    """

    __slots__ = ("file", "index", "package", "upstream")

    def __init__(
        self, package: str | None, file: str | None, index: int | None, upstream: tuple[str, str, str, str] | None
    ) -> None:
        self.package = package
        self.file = file
        self.index = index
        self.upstream = upstream

    def __repr__(self) -> str:
        return f"<Origin {self.file} {self.index}>"


class Resource(Fields):
    """One object of a ResourceList: its identity, its fields, its text.

    What is read is a copy. What is edited keeps every other byte. FnError for a field of another form than a method
    reads or edits, and ValueError for an edit of an object that was removed.

    >>> deployment
    <Resource apps/v1/Deployment/shop/web>
    """

    __slots__ = ()

    def __init__(self, item: Item) -> None:
        """Take the item of a list that was read: `ResourceList` makes these."""
        super().__init__(EditedObject(item), ())

    def __repr__(self) -> str:
        return f"<Resource {self.ref}>"

    @property
    def api_version(self) -> str:
        """The apiVersion, "" if it is absent.

        >>> deployment.api_version
        'apps/v1'
        """
        return self._object.item_for(("apiVersion",)).api_version

    @property
    def group(self) -> str:
        """The group of apiVersion, "" for the core group.

        >>> deployment.group
        'apps'
        """
        return self._object.item_for(("apiVersion",)).group

    @property
    def version(self) -> str:
        """The version of apiVersion.

        >>> deployment.version
        'v1'
        """
        return self._object.item_for(("apiVersion",)).version

    @property
    def kind(self) -> str:
        """The kind, "" if it is absent.

        >>> deployment.kind
        'Deployment'
        """
        return self._object.item_for(("kind",)).kind

    @property
    def name(self) -> str:
        """The name, "" if it is absent. An assignment writes it.

        >>> deployment.name = "api"
        >>> deployment.name
        'api'
        """
        return self._object.item_for(("metadata", "name")).name

    @name.setter
    def name(self, name: str) -> None:
        self.set("metadata.name", name)

    @property
    def namespace(self) -> str:
        """The namespace, "" if it is absent. An assignment writes it.

        >>> deployment.namespace
        'shop'
        """
        return self._object.item_for(("metadata", "namespace")).namespace

    @namespace.setter
    def namespace(self, namespace: str) -> None:
        self.set("metadata.namespace", namespace)

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels, which cannot be changed there: `set_label` writes one.

        >>> dict(deployment.labels)
        {'app': 'web'}
        """
        return MappingProxyType(self._object.item_for(("metadata", "labels")).labels)

    @property
    def annotations(self) -> Mapping[str, str]:
        """The annotations, which cannot be changed there: `set_annotation` writes one.

        >>> deployment.annotations["config.kubernetes.io/path"]
        'web.yaml'
        """
        return MappingProxyType(self._object.item_for(_ANNOTATIONS).annotations)

    @property
    def ref(self) -> ResourceRef:
        """The reference by which a result names the object.

        >>> str(deployment.ref)
        'apps/v1/Deployment/shop/web'
        """
        return self._object.item_for(*_IDENTITY).ref

    @property
    def origin(self) -> Origin:
        """The place that the object comes from.

        >>> (deployment.origin.file, deployment.origin.index)
        ('web.yaml', 0)
        """
        item = self._object.item_for(_ANNOTATIONS)
        annotations = item.annotations
        parts = annotations.get(UPSTREAM, "").split("|")
        # As kpt writes it: `group|kind|namespace|name`.
        upstream = (parts[0], parts[1], parts[2], parts[3]) if len(parts) == len("gknn") else None
        return Origin(annotations.get(PACKAGE), item.file, item.index, upstream)

    @property
    def is_local_config(self) -> bool:
        """True if the object is configuration for tools, which is never applied to a cluster.

        >>> deployment.is_local_config
        False
        """
        return self._object.item_for(_ANNOTATIONS).is_local_config

    @property
    def is_namespaced(self) -> bool:
        """True if objects of this kind are in a namespace.

        A kind that is not Kubernetes' own is taken for namespaced if the object has a namespace.

        >>> deployment.is_namespaced
        True
        """
        from krm.merge.kinds import facts  # noqa: PLC0415 - few functions ask

        # A namespace that somebody wrote into a ClusterRole means nothing.
        if self.kind in _CLUSTER_SCOPED.get(self.group, "").split():
            return False
        # A kind of Kubernetes that is not in the table has a namespace: new ones nearly always do.
        # Projects beside it have groups that end in `.k8s.io` too: Gateway API, snapshots of volumes.
        return facts.is_registered(self.group) or bool(self.namespace)

    def is_gvk(self, group: str | None = None, version: str | None = None, kind: str | None = None) -> bool:
        """True if group, version and kind are these. None matches any.

        >>> deployment.is_gvk("apps", kind="Deployment")
        True
        """
        wanted = {"group": group, "version": version, "kind": kind}
        return all(one is None or one == getattr(self, key) for key, one in wanted.items())

    def has_labels(self, requirements: str) -> bool:
        """True if a label selector in Kubernetes' syntax matches. ValueError if it is none.

        >>> deployment.has_labels("app in (web, api), !legacy")
        True
        """
        return all(holds(self.labels) for holds in selector.requirements(requirements))

    @property
    def pod_spec(self) -> PodSpec | None:
        """The pod spec of a workload, None for every other kind, and where there is none, or more than one.

        >>> [container.name for container in deployment.pod_spec.containers]
        ['web', 'cache']
        """
        # By group and kind: what looks like a Pod template may be a CRD's own, with rules of its own.
        paths = workloads.PodSpecs({}).paths_of(self._object.item_for(*_IDENTITY))
        found = [part for path in paths for part in self.parts(path)]  # type: ignore[arg-type]  # it may have a wildcard
        # A workload without a Pod spec is unfinished, and a cluster refuses it.
        return PodSpec(self._object, found[0]._place) if len(found) == 1 else None

    @property
    def text(self) -> str:
        """The YAML of the object as a document of its own, with its comments.

        >>> config_map.text.splitlines()[:2]
        ['apiVersion: v1', 'kind: ConfigMap']
        """
        return self.to_yaml()

    def set_label(self, key: str, value: str) -> None:
        """Write the label `key`. TypeError if the value is no str.

        >>> deployment.set_label("app.kubernetes.io/part-of", "shop")
        """
        self.set(("metadata", "labels", key), value)

    def set_annotation(self, key: str, value: str) -> None:
        """Write the annotation `key`. TypeError if the value is no str.

        >>> deployment.set_annotation("example.com/owner", "shop")
        """
        self.set(("metadata", "annotations", key), value)


class PodSpec(Part):
    """The pod spec of a workload.

    >>> for container in deployment.pod_spec.containers:
    ...     container.set("imagePullPolicy", "Always")
    """

    __slots__ = ()

    @property
    def containers(self) -> list[Part]:
        """The containers.

        >>> deployment.pod_spec.containers[0].get_str("image")
        'nginx:1.27'
        """
        return self.parts("containers")

    @property
    def init_containers(self) -> list[Part]:
        """The init containers.

        >>> deployment.pod_spec.init_containers
        []
        """
        return self.parts("initContainers")

    @property
    def all_containers(self) -> list[Part]:
        """The init containers, the containers and the ephemeral containers.

        >>> len(deployment.pod_spec.all_containers)
        2
        """
        return [*self.init_containers, *self.containers, *self.parts("ephemeralContainers")]
