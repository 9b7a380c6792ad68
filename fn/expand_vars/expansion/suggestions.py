"""Suggestions for a variable in a field that nobody expands: what to mend there, or to add to the functionConfig.

docs/reference/expansion.md, "What is reported". `advice` ends the message about a name, `block` is for all names of a
run, to be pasted.
"""

from __future__ import annotations

import re

from expand_vars.expansion import containers, left_alone
from expand_vars.functionconfig import API_VERSION, GROUP, KIND
from krm import fieldpath, fields
from krm.fieldpath import WILDCARD
from krm.fieldtypes import TYPES
from krm.resource import FUNCTION_INPUT
from krm.vocabulary import nearest
from krm.workloads import CONTAINERS, EXPANDED, KINDS, PodSpecs
from krm.yamltree import style
from krm.yamltree.nodes import Scalar, Sequence, mapping_at, resolved
from krm.yamltree.scalars import double_quoted, leaf, string
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from expand_vars.expansion.explanation import Explanation
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.results import ResourceRef

POD_TEMPLATES, TARGETS = "podTemplates", "targets"
"""The keys of a functionConfig that let further fields be expanded."""

_SHOWN = 3  # so many entries a message names
_SHAPES = {"*": "mapping", "-": "list", "?": "list or a mapping"}
_EXAMPLES = {
    "": '"..."',
    "Container": "{name: web, image: nginx}",
    "EnvVar": "{name: REGION, value: eu}",
    "VolumeMount": "{name: data, mountPath: /data}",
}
_OF_CONTAINER = {"image": Scalar, "command": Sequence, "args": Sequence, "env": Sequence}
_METADATA = {"name": "vars", "annotations": {"config.kubernetes.io/local-config": "true"}}
_IN_PLACE = "# These keys of `spec` take the place of those that are there."


def advice(resource: Resource, places: Iterable[Place], pod_specs: PodSpecs, config: ResourceRef | None) -> str:
    """Return what to mend, or to add to the functionConfig, so that the fields at `places` are expanded."""
    mistakes = {place: _mistake(resource, place, pod_specs) for place in places}
    sound = [place for place in mistakes if not mistakes[place]]
    told = dict.fromkeys(filter(None, mistakes.values()))
    return "; ".join((*told, *_additions(resource, sound, pod_specs, config)))


def _additions(
    resource: Resource, places: Iterable[Place], pod_specs: PodSpecs, config: ResourceRef | None
) -> Iterator[str]:
    """Yield what to add to the functionConfig so that the fields at `places` are expanded."""
    pod_templates, targets, is_all = [], [], True
    # Of the elements of a list one is asked for all: each question walks through the resource.
    alike = {fieldpath.general(place): place for place in places}.values()
    for place in alike:
        is_all = is_all and left_alone.is_taken(resource, place, pod_specs)
        for key, entry in suggestions_for(resource, place, pod_specs):
            if key == POD_TEMPLATES:
                pod_templates.append(_in_flow(entry))
            else:
                (path,) = entry["fieldPaths"]
                targets.append(f"{{select: {_in_flow(entry['select'])}, fieldPaths: [{double_quoted(path)}]}}")
    if pod_templates:
        entries = _with(POD_TEMPLATES, pod_templates, config)
        what = f"`{resource.kind}` is not known to have a pod template, whose containers the kubelet expands"
        yield f"{what}: if it has, {entries}"
    if targets:
        entries = _with(TARGETS, targets, config)
        of_all = _all(config) if is_all else ""
        yield f"this field may hold any text, and is expanded only as a target: {of_all}{entries}"


def _all(config: ResourceRef | None) -> str:
    """Return how `All` is given where that needs no functionConfig of kind ExpandVars, empty where it does."""
    if config is None:
        return "give `--target All`, or "
    # A ConfigMap can name `All` in an annotation, and no paths.
    is_annotated = config.kind == "ConfigMap" and config.name != FUNCTION_INPUT
    return f"annotate the functionConfig with `{GROUP}/targets: All`, or " if is_annotated else ""


def _mistake(resource: Resource, place: Place, pod_specs: PodSpecs) -> str:
    """Return what is wrong with the manifest around a field that is not expanded, empty where nothing is."""
    # No functionConfig helps there: a target would be expanded, and the API would refuse the object all the same.
    for key, text in (("kind", resource.kind), ("apiVersion", resource.api_version)):
        if not text:
            return f"this has no `{key}`, which says what the kubelet expands: add it"
    template = _template_above(place)
    # Of a kind that is not known, what looks like a pod template has the fields of one.
    alike = PodSpecs({(resource.group, resource.kind): [template] if template else []})
    mistake = _wall(resource, place, pod_specs) or _no_kind(resource, place) or _wall(resource, place, alike)
    container = _container_above(resource, place) if template is None and not mistake else None
    if container is not None:
        where = fieldpath.printed(resource.root, container)
        return f"`{where}` is a container, which has this text expanded with its own `env`: give the variable there"
    return mistake


def _wall(resource: Resource, place: Place, pod_specs: PodSpecs) -> str:
    """Return what is wrong where the known types end on the way to a place, empty where nothing is."""
    if place[0] == "status":
        return ""
    rest, way = fields.way(resource, place, pod_specs)
    held = way[-1]
    wanted = "mapping" if held in TYPES else _SHAPES.get(held[:1], "text")
    found = "text" if not rest else "list" if isinstance(rest[0], int) else "mapping"
    at = place[: len(place) - len(rest)]
    if wanted == found:
        return _unknown(str(rest[0]), at, way) if rest else ""
    named = at[max(index for index, step in enumerate(at) if isinstance(step, str)) :]
    example = _EXAMPLES.get(held.lstrip("-")) if wanted != "text" else None
    shown = f"{named[0]}: [{example}]" if wanted == "list" else example
    remedy = ": put the whole of it in quotes" if wanted == "text" else f", such as `{shown}`" if example else ""
    return f"`{fieldpath.to_text(named)}` is a {found}, and must be a {wanted}{remedy}"


def _unknown(key: str, above: Place, way: list[str]) -> str:
    """Return what to do with a key that the type above it, the last one on the way, does not have."""
    own = fields.of_type(way[-1])
    outer = [step for held, step in zip(way[-2::-1], above[::-1], strict=False) if key in fields.of_type(held)]
    inner = "" if outer else next(filter(None, (_inner(key, held) for held in way[::-1])), "")
    # A key that is nearly right is no key that is in the wrong place.
    if near := nearest(key, own, 0.8 if outer or inner else 0.6):
        remedy = f"did you mean `{near}`?"
    elif outer or inner:
        remedy = f"move it into `{inner}`" if inner else f"move it out of `{outer[0]}`"
    else:
        remedy = f"write `{{name: {key}, value: ...}}`" if {"name", "value"} <= own.keys() else "mend or remove it"
    return f"`{key}` is no field here: {remedy}"


def _inner(key: str, above: str) -> str:
    """Return the way from a type to the nearest one below it that has a key, empty if none has it."""
    ways: dict[str, Place] = {above: ()}
    types = [above]
    for one in types:
        for field, held in fields.of_type(one).items():
            below = held.lstrip("*-")
            if key in fields.of_type(below):
                return fieldpath.to_text((*ways[one], field))
            if below not in ways:
                ways[below] = (*ways[one], field)
                types.append(below)
    return ""


def _no_kind(resource: Resource, place: Place) -> str:
    """Return why no container of the kind is at a place, empty for a kind that may be somebody's own."""
    # Kubernetes' own groups have no dot in their names, and nobody adds a kind to them.
    if "." in resource.group or (resource.group, resource.kind) in KINDS or {*CONTAINERS}.isdisjoint(place):
        return ""
    groups = {kind: group for group, kind in reversed(KINDS) if "." not in group}
    if resource.kind in groups:
        return f"`{resource.kind}` is of the group `{groups[resource.kind]}`, and not of this `apiVersion`: mend it"
    near = nearest(resource.kind, groups)
    hint = f": did you mean `{near}`?" if near else ": mend one of the two"
    return f"no kind `{resource.kind}` of this `apiVersion` has containers{hint}"


def block(explained: Explanation, config: Resource | None) -> list[str]:
    """Return the lines of `podTemplates` and `targets`, with the entries that are there already; [] for nothing new.

    For an ExpandVars they are a part of its `spec`. Without one they are a whole ExpandVars.
    """
    found = explained.untargeted()
    untargeted = [one for one in found if not _mistake(*one, explained.pod_specs)]
    if not untargeted:
        return []
    is_expand_vars = config is not None and config.kind == KIND
    spec: dict[str, Any] = {POD_TEMPLATES: [], TARGETS: []}
    if is_expand_vars:
        spec |= {key: there for key in spec if (there := config.get(("spec", key)))}  # type: ignore[union-attr]  # as above
    alike = {(id(resource), fieldpath.general(place)): (resource, place) for resource, place in untargeted}.values()
    for resource, place in alike:
        for key, entry in suggestions_for(resource, place, explained.pod_specs):
            _add(spec[key], entry)
    added: dict[str, Any] = {key: entries for key, entries in spec.items() if entries}
    if is_expand_vars:
        return [_IN_PLACE, *style.block(added, Layout())]
    new: dict[str, Any] = {"apiVersion": API_VERSION, "kind": KIND, "metadata": _METADATA, "spec": added}
    return style.block(new, Layout())


def _add(entries: list[dict[str, Any]], new: dict[str, Any]) -> None:
    """Add an entry, or its field path to that for the same objects."""
    if new in entries:
        return
    for entry in entries:
        # One entry for a kind reads better than one for each of its fields.
        if entry.keys() == {"select", "fieldPaths"} and entry["select"] == new.get("select"):
            entry["fieldPaths"] += [path for path in new["fieldPaths"] if path not in entry["fieldPaths"]]
            return
    entries.append(new)


def suggestions_for(resource: Resource, place: Place, pod_specs: PodSpecs) -> list[tuple[str, dict[str, Any]]]:
    """Return the keys of a functionConfig, and the entry for each, by which the field at `place` is expanded.

    Those are `podTemplates` where the field is of a container, all of its kind, as one config is for all of an object;
    and `targets` where it is free text all the same.
    """
    if _template_above(place) is None or any(fieldpath.leads(path, place) for path in pod_specs.paths_of(resource)):
        return [_target(resource, place, pod_specs)]
    templates = pod_templates(resource)
    of_kind = {"group": resource.group, "kind": resource.kind}
    entries = [(POD_TEMPLATES, {**of_kind, "fieldPath": fieldpath.to_text(path)}) for path in templates]
    extended = PodSpecs({(resource.group, resource.kind): templates})
    is_expanded = extended.is_expanded(resource, place) or fields.grammar(resource, place, extended)
    return entries if is_expanded else [*entries, _target(resource, place, extended)]


def _target(resource: Resource, place: Place, pod_specs: PodSpecs) -> tuple[str, dict[str, Any]]:
    """Return the entry of `targets` for a field: its path in all objects of its kind."""
    path = fieldpath.general(place)
    # A kind of another group may have the name of a workload's kind, but not its fields.
    foreign = resource.group and pod_specs.of(resource) is None
    group = {"group": re.escape(resource.group)} if foreign else {}
    select = {**group, "kind": re.escape(resource.kind)}
    return TARGETS, {"select": select, "fieldPaths": [fieldpath.to_text(path)]}


def _in_flow(entry: dict[str, str]) -> str:
    """Return an entry as a flow mapping, which fits into a message."""
    return f"{{{', '.join(f'{key}: {leaf(text, flow=True)}' for key, text in entry.items())}}}"


def _with(key: str, entries: Iterable[str], config: ResourceRef | None) -> str:
    """Return where entries of an ExpandVars are to be written: into the functionConfig, if it is one."""
    found = [*dict.fromkeys(entries)]
    shown = f"`{key}: [{', '.join(found[:_SHOWN])}]`"
    more = f"; `expand-vars explain --suggest` prints {left} more" if (left := len(found) - _SHOWN) > 0 else ""
    if config is None or config.kind == "ConfigMap":
        # kpt makes one of arguments and of `configMap`: there is no file to be annotated.
        of_kpt = config is not None and config.name == FUNCTION_INPUT
        where = ", in a file that `configPath` or `--fn-config` names" if of_kpt else ""
        return f"give a functionConfig of kind `ExpandVars` with {shown}{where}{more}"
    return f"add {shown} to the functionConfig{more}"


def pod_templates(resource: Resource) -> list[FieldPath]:
    """Return the paths of all fields of a resource that look like a pod template: `spec.containers` is a list there."""
    found = (_template_above(place) for place, _ in containers.scalars(resource.root, ()))
    return [*dict.fromkeys(one for one in found if one is not None)]


def _template_above(place: Place) -> FieldPath | None:
    """Return the path of the pod template, or pod spec, that a field of a container lies in; None for no such."""
    for index, step in enumerate(place[:-1]):
        is_list = isinstance(place[index + 1], int) or place[max(index - 2, 0) : index] == ("template", "spec")
        if step in CONTAINERS and index and is_list:
            return fieldpath.general(place[: index - (place[index - 1] == "spec")])
    return None


def declares(resource: Resource, place: Place, name: str) -> bool:
    """True if an `env` beside a text, or beside what it is in, declares a name: whoever reads both gives that value."""
    # What looks like a container of a pod template is one as soon as the template is known.
    if _template_above(place) is not None:
        return False
    envs = [(*place[:length], "env") for length in range(len(place))]
    # A list of entries for a container, a mapping in the values of many charts.
    named = (node for env in envs for _, node in resource.find((*env, WILDCARD, "name")))
    return any(resource.find((*env, name)) for env in envs) or any(string(resolved(node)) == name for node in named)


def _container_above(resource: Resource, place: Place) -> Place | None:
    """Return the place of a mapping that is a container without being one of a list of containers, None for no such.

    The kubelet expands the field at `place` of it, with the `env` that the container has itself.
    """
    for length in range(1, len(place)):
        field = tuple(None if isinstance(step, int) else step for step in place[length:])
        if field in EXPANDED:
            node = next((mapping_at(node) for _, node in resource.find(place[:length])), None)
            found = {key for key, kind in _OF_CONTAINER.items() if node is not None and isinstance(node.get(key), kind)}
            if field[0] == "env" or len(found) > 1:
                return place[:length]
    return None
