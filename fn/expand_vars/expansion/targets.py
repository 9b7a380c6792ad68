"""Targets: fields that a functionConfig names, by path or by preset, and that are expanded in the final form.

docs/expansion.md, "Further fields: targets". A preset is a function from a resource to the paths of its fields.
"""

from __future__ import annotations

import re

from expand_vars.expansion import containers, final_form, findings, secrets, syntax
from expand_vars.expansion.final_form import FinalForm
from expand_vars.functionconfig import GROUP
from krm import fieldpath
from krm.fieldpath import WILDCARD, parse
from krm.resource import BOOKKEEPING
from krm.results import ERROR, INFO, Result
from krm.selector import any_matches
from krm.workloads import CONTAINERS, PodSpecs
from krm.yamltree.nodes import Scalar, resolved
from krm.yamltree.scalars import Verbatim, double_quoted, is_json_value, leaf, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any, TypeAlias

    from expand_vars.expansion.explanation import MetTarget
    from expand_vars.expansion.run import Run
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Target
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node

    Changes: TypeAlias = dict[Place, list[Edit]]
    Preset: TypeAlias = Callable[[Resource, PodSpecs], list[FieldPath]]

POD_TEMPLATES, TARGETS, PRESET = "podTemplates", "targets", "preset"
"""The keys of a functionConfig that let further fields be expanded."""

_OF_KUSTOMIZE = {
    "Deployment": ("spec.template.metadata.annotations[*]",),
    "Ingress": ("spec.rules[*].host", "spec.tls[*].hosts[*]", "spec.tls[*].secretName"),
    "PersistentVolume": ("spec.nfs.server",),
    "Service": ("spec.ports[*].port", "spec.ports[*].targetPort"),
}
_OF_POD_SPECS = (
    "containers[*].volumeMounts[*].mountPath",
    "initContainers[*].volumeMounts[*].mountPath",
    "volumes[*].nfs.server",
)
_TEKTON = "tekton.dev"
_SCALED = frozenset(("Deployment", "ReplicaSet", "ReplicationController", "Rollout", "StatefulSet"))


class Fields:
    """The targets in one resource, and their changes, with the variables that the resource sees.

    `met` are the fields with references; a name without a value stays.
    `open` are the fields that take the type of their value, `retyped` those that become no string by that, and
    `secrets` those that receive something secret.
    """

    __slots__ = ("changes", "met", "open", "places", "resource", "retyped", "secrets", "variables")

    def __init__(self, resource: Resource, variables: Variables, places: Collection[Place]) -> None:
        self.resource = resource
        self.variables = variables
        self.places = places
        self.changes: Changes = {}
        self.met: list[MetTarget] = []
        self.open: set[Place] = set()
        self.retyped: dict[Place, Verbatim] = {}
        self.secrets: set[Place] = set()

    def change(self, place: Place, scalar: Scalar, made: list[Edit]) -> None:
        """Collect the change of a field. A field of a Secret's data is secret."""
        self.changes[place] = made
        if secrets.holds(self.resource, place):
            self.secrets.add(place)
        elif final_form.is_open(self.resource, place, scalar, made):
            self.open.add(place)
            if is_json_value(made[0].text):
                self.retyped[place] = Verbatim(made[0].text)


class Targets:
    """The targets of a functionConfig, and which of them have led to a field."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reached: set[str] = set()
        self._refused: list[Result] = []

    def expand(self, resource: Resource, seen: Run) -> Fields:
        """Return the targets in a resource, which sees the run as `seen`. A text without a known name never changes."""
        scalars = self._scalars(resource)
        fields = Fields(resource, seen.variables, scalars.keys())
        form = FinalForm(resource, seen)
        for place, scalar in scalars.items():
            text = string(scalar)
            # A number, a boolean and null hold no reference.
            if text is None or "$" not in text:
                continue
            known = {name: form.value(name, place) for name in dict.fromkeys(syntax.names(text))}
            is_secret = place in form.secrets or secrets.holds(resource, place)
            fields.met.append((place, text, known, is_secret))
            # Without a replaced reference even `$$` stays: nobody asked to unescape it.
            if any(value is not None for value in known.values()):
                fields.change(place, scalar, syntax.final_edits(text, known.get))
        fields.secrets |= form.secrets
        return fields

    def errors(self) -> list[Result]:
        """Return the errors of the targets, once all items are expanded."""
        message = "this target is required, and leads to no field of any item: mend its path or its selector"
        missing = [one.path for one in self._run.config.targets if one.required and one.path not in self._reached]
        return [
            *self._refused,
            *(Result(message, ERROR, "RequiredTarget", ref=self._run.config.ref, field=path) for path in missing),
        ]

    def report_untargeted(self, resource: Resource, fields: Fields) -> None:
        """Report references to variables in fields that are neither targets nor expanded by the kubelet."""
        if not self._run.variables.may_be_in(resource.text):
            return
        places: dict[str, list[Place]] = {}
        for place, text in containers.texts(resource.root, ()):
            if place in fields.places or is_bookkeeping(place) or self._run.pod_specs.is_expanded(resource, place):
                continue
            for name in syntax.names(text):
                if name in self._run.variables:
                    places.setdefault(name, []).append(place)
        for name, of_name in places.items():
            self._run.variables.mention(name)
            if _has_own_syntax(resource):
                own = f"`$(...)` is syntax of `{resource.kind}` itself, and the variable `{name}` is not inserted there"
                grade, why = INFO, own
            else:
                grade, why = None, self._advice(resource, of_name)
            message = f"`$({name})` stays: {why}"
            self._run.findings.add(resource, findings.UNTARGETED_REFERENCE, name, message, *of_name, grade=grade)

    def _advice(self, resource: Resource, places: Iterable[Place]) -> str:
        """Return what to add to the functionConfig so that the fields at `places` are expanded."""
        pod_templates, presets, others = [], [], []
        for place in places:
            remedy, entry = remedy_of(resource, place, self._run.pod_specs)
            if remedy == POD_TEMPLATES:
                pod_templates.append(_in_flow(entry))
            elif PRESET in entry:
                presets.append(entry[PRESET])
            else:
                (path,) = entry["fieldPaths"]
                others.append(f"{{select: {_in_flow(entry['select'])}, fieldPaths: [{double_quoted(path)}]}}")
        targets = [*(f"{{preset: {preset}}}" for preset in dict.fromkeys(presets)), *dict.fromkeys(others)]
        advice = []
        if pod_templates:
            what = f"`{resource.kind}` is not known to have a pod template, whose containers the kubelet expands"
            advice.append(f"{what}: if it has, {self._with(f'podTemplates: [{pod_templates[0]}]')}")
        if targets and self._is_config_map and not (others or pod_templates):
            words = ",".join(dict.fromkeys(presets))
            option = f"annotate the functionConfig with `{GROUP}/targets: {words}`"
            advice.append(f"this field is expanded only as a target: {option}")
        elif targets:
            entries = self._with(f"targets: [{', '.join(targets)}]")
            advice.append(f"this field is expanded only as a target: {entries}")
        return "; ".join(advice)

    @property
    def _is_config_map(self) -> bool:
        return self._run.config.ref is not None and self._run.config.ref.kind == "ConfigMap"

    def _with(self, key: str) -> str:
        """Return where a key of an ExpandVars is to be written: into the functionConfig, if it is one."""
        if self._run.config.ref is None or self._is_config_map:
            return f"give a functionConfig of kind `ExpandVars` with `{key}`"
        return f"add `{key}` to the functionConfig"

    def _scalars(self, resource: Resource) -> dict[Place, Scalar]:
        """Return the scalars that targets lead to, without the annotations in which tools keep their own data."""
        found: dict[Place, Scalar] = {}
        for target in self._run.config.targets:
            if (not target.select or any_matches(target.select, resource)) and not any_matches(target.reject, resource):
                preset = PRESETS[target.preset] if target.preset else None
                paths = preset(resource, self._run.pod_specs) if preset else target.field_paths
                of_target = dict(node for path in paths for node in resource.find(path))
                self._note(target, resource, of_target)
                found |= _expandable(of_target)
        if self._run.config.kustomize_vars:
            found |= _expandable(
                dict(node for path in _kustomize_vars(resource, self._run.pod_specs) for node in resource.find(path))
            )
        return found

    def _note(self, target: Target, resource: Resource, places: Iterable[Place]) -> None:
        """Note that a target leads to some fields. It is an error if the kubelet expands them."""
        refused = [place for place in places if self._run.pod_specs.is_expanded(resource, place)]
        if places:
            self._reached.add(target.path)
        if refused:
            message = (
                f"the kubelet expands this, so it is expanded anyway and is no target: remove it from `{target.path}`"
            )
            self._refused.append(resource.result(message, ERROR, "InvalidTarget", *refused))


def remedy_of(resource: Resource, place: Place, pod_specs: PodSpecs) -> tuple[str, dict[str, Any]]:
    """Return the key of a functionConfig, and the entry for it, by which the field at `place` is expanded.

    That is `podTemplates` where the kubelet's rules would hold for it then, else `targets`: a preset that covers the
    field, or its path in all objects of its kind.
    """
    pod_template = _pod_template(resource, place)
    if pod_template is not None:
        return POD_TEMPLATES, pod_template
    path = _everywhere(place)
    for name, preset in PRESETS.items():
        if any(_covers(other, path) for other in preset(resource, pod_specs)):
            return TARGETS, {PRESET: name}
    # A kind of another group may have the name of a workload's kind, but not its fields.
    foreign = resource.group and pod_specs.path_of(resource) is None
    group = {"group": re.escape(resource.group)} if foreign else {}
    select = {**group, "kind": re.escape(resource.kind)}
    return TARGETS, {"select": select, "fieldPaths": [fieldpath.to_text(path)]}


def _in_flow(entry: dict[str, str]) -> str:
    """Return an entry as a flow mapping, which fits into a message."""
    return f"{{{', '.join(f'{key}: {leaf(text, flow=True)}' for key, text in entry.items())}}}"


def _everywhere(place: Place) -> FieldPath:
    """Return the path of the field at `place` in all elements of the lists on its way."""
    return tuple(WILDCARD if isinstance(step, int) else step for step in place)


def _pod_template(resource: Resource, place: Place) -> dict[str, str] | None:
    """Return the entry of `podTemplates` by which the kubelet's rules hold for a field, None where none would."""
    for index, step in enumerate(place):
        template = place[: index - 1]
        if (
            index > 1
            and step in CONTAINERS
            and place[index - 1] == "spec"
            and all(isinstance(one, str) for one in template)
        ):
            pod_specs = PodSpecs({(resource.group, resource.kind): template})
            if pod_specs.is_expanded(resource, place):
                return {"group": resource.group, "kind": resource.kind, "fieldPath": fieldpath.to_text(template)}
    return None


def _has_own_syntax(resource: Resource) -> bool:
    """True if a kind has a `$(...)` of its own, or is filled in by a controller that has one."""
    of_tekton = resource.group == _TEKTON or resource.group.endswith(f".{_TEKTON}")
    return of_tekton or (resource.group == "argoproj.io" and "Workflow" in resource.kind)


def is_bookkeeping(place: Place) -> bool:
    """True if a field is an annotation in which tools keep their own data."""
    key = place[-1]
    return place[:-1] == ("metadata", "annotations") and isinstance(key, str) and key.startswith(BOOKKEEPING)


def _expandable(nodes: dict[Place, Node]) -> dict[Place, Scalar]:
    """Return the nodes that are scalars, without the annotations in which tools keep their own data."""
    scalars = {place: resolved(node) for place, node in nodes.items() if not is_bookkeeping(place)}
    return {place: scalar for place, scalar in scalars.items() if isinstance(scalar, Scalar)}


def _covers(preset: FieldPath, path: FieldPath) -> bool:
    """True if a preset's path leads to all fields of `path`."""
    return len(preset) == len(path) and all(
        step in (WILDCARD, of_path) for step, of_path in zip(preset, path, strict=True)
    )


def _images(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the images of all containers of a workload."""
    pod_spec = pod_specs.path_of(resource)
    return [] if pod_spec is None else [(*pod_spec, key, WILDCARD, "image") for key in CONTAINERS]


def _replicas(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the replica count of a workload that has one."""
    return _paths("spec.replicas") if pod_specs.path_of(resource) and resource.kind in _SCALED else []


def _labels(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the labels of an object and of its pod template, and the selectors that have to match them."""
    selectors = _paths("spec.selector[*]", "spec.selector.matchLabels[*]")
    selects = pod_specs.path_of(resource) is not None or (resource.group, resource.kind) == ("", "Service")
    return [*_metadata(resource, pod_specs, "labels"), *(selectors if selects else ())]


def _annotations(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the annotations of an object and of its pod template."""
    return _metadata(resource, pod_specs, "annotations")


def _ingress_hosts(resource: Resource, _: PodSpecs) -> list[FieldPath]:
    """Return the hosts of an Ingress: those of its rules and of its certificates."""
    return _paths("spec.rules[*].host", "spec.tls[*].hosts[*]") if resource.kind == "Ingress" else []


def _kustomize_vars(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the fields of kustomize's default varReference that the kubelet does not expand."""
    paths = _paths("metadata.labels[*]", "metadata.annotations[*]", *_OF_KUSTOMIZE.get(resource.kind, ()))
    pod_spec = pod_specs.path_of(resource)
    if pod_spec is not None:
        paths += [(*pod_spec, *path) for path in _paths(*_OF_POD_SPECS)]
    return paths


def _paths(*texts: str) -> list[FieldPath]:
    """Return field paths, parsed when they are used: that compiles a pattern, which every start would feel."""
    return [parse(text) for text in texts]


def _metadata(resource: Resource, pod_specs: PodSpecs, key: str) -> list[FieldPath]:
    """Return the values under `key` of the metadata of an object and of its pod template."""
    pod_spec = pod_specs.path_of(resource)
    own: FieldPath = ("metadata", key, WILDCARD)
    return [own] if pod_spec is None or len(pod_spec) == 1 else [own, (*pod_spec[:-1], *own)]


PRESETS: dict[str, Preset] = {
    "Images": _images,
    "Replicas": _replicas,
    "Labels": _labels,
    "Annotations": _annotations,
    "IngressHosts": _ingress_hosts,
}
