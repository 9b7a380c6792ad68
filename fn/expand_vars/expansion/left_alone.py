"""Texts left alone: what no run changes, what is to be mended, and what is to be added to the functionConfig.

See docs/reference/expansion.md, "Further fields: targets" and "What is reported". A field of free text may have any
text. A `$(NAME)` in it may be another program's, so only targets, such as `All`, expand it. `advice` is the end of a
message about one name. `suggested_lines` is the part of a functionConfig for all names of a run.
"""

from __future__ import annotations

import posixpath
import re

from expand_vars.expansion import containers
from expand_vars.functionconfig import GROUP, KIND, manifest
from krm import fieldpath, validation
from krm.fieldpath import WILDCARD, Match
from krm.fieldtypes import TYPES
from krm.resource import FOR_TOOLS, FUNCTION_INPUT, GENERATED_MARK, KPTFILE, KUSTOMIZATIONS
from krm.selector import is_selected
from krm.vocabulary import nearest
from krm.workloads import CONTAINERS, KINDS, PodSpecs, has_own_syntax, is_expanded_below
from krm.yamltree import style
from krm.yamltree.nodes import Mapping, Scalar, Sequence, mapping_at, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.results import ResourceRef

SKIP = f"{GROUP}/skip"
"""The annotation of an item that no run may change."""

_DEFINITION = ("apiextensions.k8s.io", "CustomResourceDefinition")
_OF_KUSTOMIZE = "kustomize.config.k8s.io"
_GROUPS_NOT_TAKEN = frozenset((GROUP, "kpt.dev"))
_MANIFESTS = ("generators", "patches", "patchesJson6902", "patchesStrategicMerge", "transformers", "validators")
_MAKEFILES = (".mk", "Makefile")
_OF_CONTAINER = {"image": Scalar, "command": Sequence, "args": Sequence, "env": Sequence}

POD_TEMPLATES, TARGETS = "podTemplates", "targets"
"""The keys of a functionConfig that let further fields be expanded."""

_SHOWN = 3  # the number of entries in a message
_SHAPES = {"*": "mapping", "-": "list", "?": "list or a mapping"}
_EXAMPLES = {
    "": '"..."',
    "Container": "{name: web, image: nginx}",
    "EnvVar": "{name: REGION, value: eu}",
    "VolumeMount": "{name: data, mountPath: /data}",
}
_OF_PODS = {
    "fieldPath": "`{}` is not known to have a pod template, whose containers the kubelet expands: if it has",
    "container": "this looks like a field of a container, which the kubelet expands: if it is one",
}
_IN_PLACE = "# These keys of `spec` take the place of those that are there."


def why(item: Resource, config: Config) -> str:
    """Return why expansion leaves an item alone, a clause, or "" (docs/reference/expansion.md, "Which items")."""
    # An item that configures a tool may have `$(...)` of its own. Empty documents pass unchanged.
    if item.is_state or item.kind == KPTFILE or item.group == GROUP:
        return "it configures a tool"
    if not isinstance(item.root, Mapping):
        return "it is no mapping, and so no resource"
    if item.is_local_config:
        return "it is `local-config`"
    return "it is the functionConfig" if is_run_config(item, config) else why_unselected(item, config)


def why_unselected(item: Resource, config: Config) -> str:
    """Return why expansion and generation leave an item alone by its annotation or by selectors, else empty."""
    if item.inherited(SKIP) == "true":
        return f"it has the annotation `{SKIP}`"
    return "" if is_selected(item, config.selectors, config.exclude) else "`selectors` or `exclude` leave it out"


def is_run_config(item: Resource, config: Config) -> bool:
    """True if an item is the functionConfig of a run."""
    return config.ref is not None and config.ref.kind == item.kind and config.ref.as_data() == item.ref.as_data()


def is_anothers(item: Resource, generated: Collection[int]) -> bool:
    """True if an ExpandVars has generated an item, but not in this run: only that ExpandVars gives it variables."""
    # So the fields that it expands and those that it generates always agree, and an item that is no longer generated
    # stays unchanged (docs/reference/runs-in-place.md, "What a name gets").
    if id(item) in generated or not item.may_contain(GENERATED_MARK):
        return False
    item.cut()
    return (item.annotation(GENERATED_MARK) or "").startswith(f"{KIND}/")


def is_taken(resource: Resource, place: Place, pod_specs: PodSpecs) -> bool:
    """True if `All` and `**` take the text at a place. They leave texts that other programs read or expand."""
    # Tools read these objects before anything is applied, or the objects describe what others may write.
    is_of_tools = resource.group in _GROUPS_NOT_TAKEN or (resource.group, resource.kind) == _DEFINITION
    if is_of_tools or is_kustomization(resource) or owner(resource, place) or is_note_of_tools(place):
        return False
    if pod_specs.is_expanded(resource, place) or validation.grammar(resource, place, pod_specs):
        return False
    # A value would hide the mistake.
    if _mistake(resource, place, pod_specs):
        return False
    return validation.is_kubernetes_own(resource, place, pod_specs) or container_outside_pods(resource, place) is None


def is_of_all(resource: Resource, config: Config) -> bool:
    """True if a target `All` selects a resource."""
    alls = (target for target in config.targets if target.preset)
    return any(is_selected(resource, target.select, target.reject) for target in alls)


def owner(resource: Resource, place: Place) -> str:
    """Return the owner of the `$(...)` in a field, by its kind or key. Empty if they may be ours."""
    if has_own_syntax(resource):
        return f"`{resource.kind}`"
    return "a Makefile" if str(place[-1]).endswith(_MAKEFILES) else ""


def is_note_of_tools(place: Place) -> bool:
    """True if a field is an annotation in which tools keep their own data."""
    key = place[-1]
    return place[:-1] == ("metadata", "annotations") and isinstance(key, str) and key.startswith(FOR_TOOLS)


def explained(resource: Resource, place: Place, text: str) -> str:
    """Return why a reference in a free text is not for this run, as a clause. Empty if there is no reason."""
    key = str(place[-1])
    # An entry there with a colon is a manifest, and not a path.
    if is_kustomization(resource) and place[0] in _MANIFESTS and ":" in text:
        return "kustomize puts it as it is into what it builds, where it can be expanded"
    if (resource.group, resource.kind) == _DEFINITION and key == "description":
        return "it describes what others may write"
    return "a script has `$(...)` of its own" if is_script(key, text) else ""


def is_kustomization(resource: Resource) -> bool:
    """True if a document is a kustomization. It may have no `kind`."""
    return resource.group == _OF_KUSTOMIZE or posixpath.basename(resource.file or "") in KUSTOMIZATIONS


def is_script(name: str, text: str) -> bool:
    """True if the first line of a text, or its name as a file, shows that it is a script."""
    return text.startswith("#!") or name.endswith((".sh", ".bash", *_MAKEFILES))


def of_kustomize(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the free texts among the fields of kustomize's default varReference."""
    paths: list[FieldPath] = [("metadata", "annotations", WILDCARD)]
    if resource.kind == "Deployment":
        paths.append(("spec", "template", "metadata", "annotations", WILDCARD))
    # api/internal/konfig/builtinpluginconsts of kustomize lists these fields, for every kind with Pods.
    return paths + [
        (*above, key, WILDCARD, "volumeMounts", WILDCARD, "mountPath")
        for above in pod_specs.paths_of(resource)
        for key in ("containers", "initContainers")
    ]


def container_outside_pods(resource: Resource, place: Place) -> Place | None:
    """Return the place of the container, outside all known pod specs, in which the kubelet would expand a field.

    The container is an element of a list of containers, or a mapping with two keys of a container. In a kind with Pods
    one key is enough. The kubelet uses the `env` of that container. None if there is no such container.
    """
    least = 1 if (resource.group, resource.kind) in KINDS else 2
    for length in range(1, len(place)):
        if is_expanded_below(place, length):
            node = next((mapping_at(node) for _, node in resource.find(place[:length])), None)
            keys = [key for key, kind in _OF_CONTAINER.items() if node and isinstance(resolved(node.get(key)), kind)]
            if len(keys) >= least or (isinstance(place[length - 1], int) and place[length - 2] in CONTAINERS):
                return place[:length]
    return None


def declares(resource: Resource, place: Place, name: str) -> bool:
    """True if an `env` or `envFrom` beside a text, or above it, declares a name: who reads both has that value."""
    # A container of a pod template that is not known yet does not count: `podTemplates` can add it.
    if _template_above(place) is not None:
        return False
    # In a container, `env` is a list of entries. In the values of many charts it is a mapping. `envFrom` may have any.
    ways: tuple[FieldPath, ...] = (("env", Match("name", name)), ("env", name), ("envFrom",))
    return any(resource.find((*place[:length], *way)) for length in range(len(place)) for way in ways)


def advice(resource: Resource, places: Iterable[Place], pod_specs: PodSpecs, config: ResourceRef | None) -> str:
    """Return what the user must mend, or add to the functionConfig, so that the fields at `places` are expanded."""
    mistakes = {place: _mistake(resource, place, pod_specs) for place in places}
    remedies = dict.fromkeys(filter(None, mistakes.values()))
    entries = _suggested(((resource, place) for place in mistakes if not mistakes[place]), pod_specs)
    for key, what in _OF_PODS.items():
        if of_key := [entry for entry in entries[POD_TEMPLATES] if key in entry]:
            remedies[f"{what.format(resource.kind)}, {_entries_to_add(POD_TEMPLATES, of_key, config)}"] = None
    if entries[TARGETS]:
        is_all = all(mistakes[place] or is_taken(resource, place, pod_specs) for place in mistakes)
        how = f"{_all_option(config) if is_all else ''}{_entries_to_add(TARGETS, entries[TARGETS], config)}"
        remedies[f"this field may hold any text, and is expanded only as a target: {how}"] = None
    return "; ".join(remedies)


def _all_option(config: ResourceRef | None) -> str:
    """Return how to give `All` without an ExpandVars. Empty if there is one."""
    if config is None:
        return "give `--target All`, or "
    # A ConfigMap can name `All` in an annotation, and no paths.
    is_annotated = config.kind == "ConfigMap" and config.name != FUNCTION_INPUT
    return f"annotate the functionConfig with `{GROUP}/targets: All`, or " if is_annotated else ""


def _mistake(resource: Resource, place: Place, pod_specs: PodSpecs) -> str:
    """Return the mistake in the manifest that keeps a field from being expanded, empty if there is none."""
    if is_kustomization(resource) and not (resource.kind and resource.api_version):
        return "this kustomization has no `apiVersion` and `kind`, without which nothing is a target: add them"
    # A functionConfig does not help: a target would be expanded, but the API would refuse the object.
    for key, text in (("kind", resource.kind), ("apiVersion", resource.api_version)):
        if not text:
            return f"this has no `{key}`, which says what the kubelet expands: add it"
    if place in (("apiVersion",), ("kind",)):
        return "this says what can be expanded in the object: write it out"
    if (resource.group, resource.kind) == ("", "List") and place[0] != "metadata":
        return "the objects of a List are the elements of `items`: move this there"
    template = _template_above(place)
    # In an unknown kind, a mapping that looks like a pod template has the fields of one.
    like = PodSpecs({(resource.group, resource.kind): [template] if template else []})
    return _wrong_type(resource, place, pod_specs) or _wrong_kind(resource, place) or _wrong_type(resource, place, like)


def _wrong_type(resource: Resource, place: Place, pod_specs: PodSpecs) -> str:
    """Return the mistake where a place leaves the known types of its fields, empty if there is none."""
    if place[0] == "status":
        return ""
    rest, way = validation.types_along(resource, place, pod_specs)
    held = way[-1]
    wanted = "mapping" if held in TYPES else _SHAPES.get(held[:1], "text")
    found = "text" if not rest else "list" if isinstance(rest[0], int) else "mapping"
    at = place[: len(place) - len(rest)]
    if wanted == found:
        return _wrong_key(str(rest[0]), at, way) if rest else ""
    named = at[max(index for index, step in enumerate(at) if isinstance(step, str)) :]
    example = _EXAMPLES.get(held.lstrip("-")) if wanted != "text" else None
    shown = f"{named[0]}: [{example}]" if wanted == "list" else example
    remedy = ": put the whole of it in quotes" if wanted == "text" else f", such as `{shown}`" if example else ""
    return f"`{fieldpath.to_text(named)}` is a {found}, and must be a {wanted}{remedy}"


def _wrong_key(key: str, above: Place, way: list[str]) -> str:
    """Return what to do with a key that the type above it does not have. That type is the last one of `way`."""
    own = validation.of_type(way[-1])
    outer = [step for held, step in zip(way[-2::-1], above[::-1], strict=False) if key in validation.of_type(held)]
    inner = "" if outer else next(filter(None, (_path_inside(key, held) for held in way[::-1])), "")
    # A key with a small misspelling counts as misspelt, and not as a key in the wrong place.
    if near := nearest(key, own, 0.8 if outer or inner else 0.6):
        remedy = f"did you mean `{near}`?"
    elif outer or inner:
        remedy = f"move it into `{inner}`" if inner else f"move it out of `{outer[0]}`"
    else:
        remedy = f"write `{{name: {key}, value: ...}}`" if {"name", "value"} <= own.keys() else "mend or remove it"
    return f"`{key}` is no field here: {remedy}"


def _path_inside(key: str, above: str) -> str:
    """Return the path from a type to the nearest type below it that has a key, empty if none has it."""
    ways: dict[str, Place] = {above: ()}
    types = [above]
    for one in types:
        for field, held in validation.of_type(one).items():
            below = held.lstrip("*-")
            if key in validation.of_type(below):
                return fieldpath.to_text((*ways[one], field))
            if below not in ways:
                ways[below] = (*ways[one], field)
                types.append(below)
    return ""


def _wrong_kind(resource: Resource, place: Place) -> str:
    """Return why no container of the kind is at a place, empty for a kind that may be somebody's own."""
    # The names of Kubernetes' own groups have no dot, and nobody adds a kind to them.
    if "." in resource.group or (resource.group, resource.kind) in KINDS or {*CONTAINERS}.isdisjoint(place):
        return ""
    groups = {kind: group for group, kind in reversed(KINDS) if "." not in group}
    if resource.kind in groups:
        return f"`{resource.kind}` is of the group `{groups[resource.kind]}`, and not of this `apiVersion`: mend it"
    near = nearest(resource.kind, groups)
    hint = f": did you mean `{near}`?" if near else ": mend one of the two"
    return f"no kind `{resource.kind}` of this `apiVersion` has containers{hint}"


def suggested_lines(found: Iterable[tuple[Resource, Place]], pod_specs: PodSpecs, config: Resource | None) -> list[str]:
    """Return the lines of `podTemplates` and `targets` for fields that nobody expands, [] if no entry is new.

    The lines have the old entries, too. They are a part of `spec` if there is an ExpandVars, else a whole ExpandVars.
    """
    entries = _suggested((one for one in found if not _mistake(*one, pod_specs)), pod_specs)
    if not any(entries.values()):
        return []
    its_own = config if config is not None and config.kind == KIND else None
    present = {key: (its_own and its_own.get(("spec", key))) or [] for key in entries}
    spec: dict[str, Any] = {key: whole for key in entries if (whole := _joined(present[key], entries[key]))}
    lines = style.block(manifest(spec) if its_own is None else spec, style.Layout())
    return lines if its_own is None else [_IN_PLACE, *lines]


def _suggested(untargeted: Iterable[tuple[Resource, Place]], pod_specs: PodSpecs) -> dict[str, list[dict[str, Any]]]:
    """Return the entries that expand some fields, one for each path, by the key of the functionConfig."""
    entries: dict[str, list[dict[str, Any]]] = {POD_TEMPLATES: [], TARGETS: []}
    # One element stands for all elements of a list, because each suggestion walks through the resource.
    alike = {(id(resource), fieldpath.general(place)): (resource, place) for resource, place in untargeted}.values()
    for key, entry in (found for resource, place in alike for found in suggestions_for(resource, place, pod_specs)):
        if entry not in entries[key]:
            entries[key].append(entry)
    return entries


def _joined(there: Iterable[dict[str, Any]], added: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the old and the new entries. The field paths for one selection are in one entry."""
    joined = [{**one} for one in there]
    for new in (one for one in added if one not in joined):
        # One entry for a kind is easier to read than an entry for each of its fields.
        alike = (one for one in joined if one.keys() == {"select", "fieldPaths"} and one["select"] == new.get("select"))
        if (one := next(alike, None)) is None:
            joined.append({**new})
        else:
            one["fieldPaths"] = [*dict.fromkeys((*one["fieldPaths"], *new["fieldPaths"]))]
    return joined


def suggestions_for(resource: Resource, place: Place, pod_specs: PodSpecs) -> list[tuple[str, dict[str, Any]]]:
    """Return the keys of a functionConfig, and an entry for each, that expand the field at `place`.

    `podTemplates` is for a field of a container, with an entry for each pod template of the object. `targets` is for
    free text.
    """
    of_kind = {"group": resource.group, "kind": resource.kind}
    template = _template_above(place)
    container = container_outside_pods(resource, place) if template is None else None
    if container is not None:
        return [(POD_TEMPLATES, {**of_kind, "container": fieldpath.to_text(fieldpath.general(container))})]
    if template is None or any(fieldpath.leads(path, place) for path in pod_specs.paths_of(resource)):
        return [_target(resource, place, pod_specs)]
    # All fields that look like a pod template, in which `spec.containers` is a list.
    found = (_template_above(at) for at, _ in containers.scalars(resource.root))
    templates = [*dict.fromkeys(one for one in found if one is not None)]
    entries = [(POD_TEMPLATES, {**of_kind, "fieldPath": fieldpath.to_text(path)}) for path in templates]
    extended = PodSpecs({(resource.group, resource.kind): templates})
    is_expanded = extended.is_expanded(resource, place) or validation.grammar(resource, place, extended)
    return entries if is_expanded else [*entries, _target(resource, place, extended)]


def _target(resource: Resource, place: Place, pod_specs: PodSpecs) -> tuple[str, dict[str, Any]]:
    """Return the entry of `targets` for a field: its path, in all objects of the kind."""
    path = fieldpath.general(place)
    # A kind of another group may have the name of a workload's kind, but not its fields.
    foreign = resource.group and pod_specs.of(resource) is None
    group = {"group": re.escape(resource.group)} if foreign else {}
    select = {**group, "kind": re.escape(resource.kind)}
    return TARGETS, {"select": select, "fieldPaths": [fieldpath.to_text(path)]}


def _entries_to_add(key: str, entries: list[dict[str, Any]], config: ResourceRef | None) -> str:
    """Return the advice to write entries into an ExpandVars: the functionConfig, or a new one."""
    shown = f"`{key}: {style.inline([*_joined((), entries[:_SHOWN])], style.Layout(style.LINE))}`"
    more = f"; `expand-vars explain --suggest` prints {left} more" if (left := len(entries) - _SHOWN) > 0 else ""
    if config is None or config.kind == "ConfigMap":
        # kpt makes a ConfigMap from arguments and from `configMap`: there is no file to edit.
        of_kpt = config is not None and config.name == FUNCTION_INPUT
        where = ", in a file that `configPath` or `--fn-config` names" if of_kpt else ""
        return f"give a functionConfig of kind `ExpandVars` with {shown}{where}{more}"
    return f"add {shown} to the functionConfig{more}"


def _template_above(place: Place) -> FieldPath | None:
    """Return the path of the pod template or pod spec around a field of a container, None for any other field."""
    for index, step in enumerate(place[:-1]):
        is_list = isinstance(place[index + 1], int) or place[max(index - 2, 0) : index] == ("template", "spec")
        if step in CONTAINERS and index and is_list:
            return fieldpath.general(place[: index - (place[index - 1] == "spec")])
    return None
