"""Suggestions for a variable in a field that nobody expands: what to mend there, or to add to the functionConfig.

docs/expansion.md, "What is reported". `advice` ends the message about a name, `block` is for all names of a run, to be
pasted.
"""

from __future__ import annotations

import re

from expand_vars.expansion import presets
from expand_vars.functionconfig import API_VERSION, GROUP, KIND
from krm import fieldpath
from krm.workloads import CONTAINERS, PodSpecs
from krm.yamltree.scalars import double_quoted, leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from expand_vars.expansion.explanation import Explanation
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import ResourceRef

POD_TEMPLATES, TARGETS, PRESET = "podTemplates", "targets", "preset"
"""The keys of a functionConfig that let further fields be expanded."""

# The fields of a pod spec and of a container that are lists, and hold what the kubelet expands: each with an example.
_LISTS: dict[str | int, str] = {
    **dict.fromkeys(CONTAINERS, "[{name: web, image: nginx}]"),
    **dict.fromkeys(("args", "command"), '["--port=80"]'),
    "env": "[{name: REGION, value: eu}]",
    "volumeMounts": "[{name: data, mountPath: /data}]",
}
_TEKTON = "tekton.dev"
_METADATA = {"name": "vars", "annotations": {"config.kubernetes.io/local-config": "true"}}
_IN_PLACE = "# These keys of `spec` take the place of those that are there."


def has_own_syntax(resource: Resource) -> bool:
    """True if a kind has a `$(...)` of its own, or is filled in by a controller that has one."""
    # Both fill in `$(...)` when they run, long behind us: what we wrote would be taken for theirs.
    of_tekton = resource.group == _TEKTON or resource.group.endswith(f".{_TEKTON}")
    return of_tekton or (resource.group == "argoproj.io" and "Workflow" in resource.kind)


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
    is_config_map = config is not None and config.kind == "ConfigMap"
    pod_templates, presets_there, others = [], [], []
    for place in places:
        key, entry = suggestion_of(resource, place, pod_specs)
        if key == POD_TEMPLATES:
            pod_templates.append(_in_flow(entry))
        elif PRESET in entry:
            presets_there.append(entry[PRESET])
        else:
            (path,) = entry["fieldPaths"]
            others.append(f"{{select: {_in_flow(entry['select'])}, fieldPaths: [{double_quoted(path)}]}}")
    targets = [*(f"{{preset: {preset}}}" for preset in dict.fromkeys(presets_there)), *dict.fromkeys(others)]
    if pod_templates:
        what = f"`{resource.kind}` is not known to have a pod template, whose containers the kubelet expands"
        yield f"{what}: if it has, {_with(f'podTemplates: [{pod_templates[0]}]', config)}"
    # A ConfigMap can name presets in an annotation, and no paths.
    if targets and is_config_map and not (others or pod_templates):
        words = ",".join(dict.fromkeys(presets_there))
        option = f"annotate the functionConfig with `{GROUP}/targets: {words}`"
        yield f"this field is expanded only as a target: {option}"
    elif targets:
        entries = _with(f"targets: [{', '.join(targets)}]", config)
        yield f"this field is expanded only as a target: {entries}"


def _mistake(resource: Resource, place: Place, pod_specs: PodSpecs) -> str:
    """Return what is wrong with the manifest around a field that is not expanded, empty where nothing is.

    No functionConfig helps there: a target would be expanded, and the API would refuse the object all the same.
    """
    if not resource.kind and _pod_template(resource, place) is not None:
        return "this has no `kind`, which says what the kubelet expands: add it"
    pod_spec = pod_specs.path_of(resource)
    if pod_spec is not None and place == pod_spec[: len(place)]:
        return f"`{place[-1]}` is a text, and must be a mapping"
    if pod_spec is not None and place[: len(pod_spec)] == pod_spec:
        return _no_list(place[len(pod_spec) :])
    return ""


def _no_list(place: Place) -> str:
    """Return which field on the way to a place in a pod spec is no list, and must be one; empty for none."""
    # The containers stand right below the pod spec, and a field of one of them two steps below that.
    for key, *below in filter(None, (place, place[2:])):
        if key in _LISTS and not (below and isinstance(below[0], int)):
            found = "a mapping" if below else "a text"
            return f"`{key}` is {found}, and must be a list, such as `{key}: {_LISTS[key]}`"
    return ""


def block(explained: Explanation, config: Resource | None) -> list[str]:
    """Return the lines of `podTemplates` and `targets`, with the entries that are there already; [] for nothing new.

    For an ExpandVars they are a part of its `spec`. Without one they are a whole ExpandVars.
    """
    found = explained.untargeted()
    untargeted = [one for one in found if not _mistake(*one, explained.pod_specs)]
    if not untargeted:
        return []
    from krm.yamltree import style  # noqa: PLC0415 - `explain` alone asks for a block
    from krm.yamltree.style import Layout  # noqa: PLC0415 - as above

    is_expand_vars = config is not None and config.kind == KIND
    spec: dict[str, Any] = {POD_TEMPLATES: [], TARGETS: []}
    if is_expand_vars:
        spec |= {key: there for key in spec if (there := config.get(("spec", key)))}  # type: ignore[union-attr]  # as above
    for resource, place in untargeted:
        key, entry = suggestion_of(resource, place, explained.pod_specs)
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


def suggestion_of(resource: Resource, place: Place, pod_specs: PodSpecs) -> tuple[str, dict[str, Any]]:
    """Return the key of a functionConfig, and the entry for it, by which the field at `place` is expanded.

    That is `podTemplates` where the kubelet's rules would hold for it then, else `targets`: a preset that covers the
    field, or its path in all objects of its kind.
    """
    pod_template = _pod_template(resource, place)
    if pod_template is not None:
        return POD_TEMPLATES, pod_template
    path = fieldpath.general(place)
    preset = presets.covering(resource, path, pod_specs)
    if preset is not None:
        return TARGETS, {PRESET: preset}
    # A kind of another group may have the name of a workload's kind, but not its fields.
    foreign = resource.group and pod_specs.path_of(resource) is None
    group = {"group": re.escape(resource.group)} if foreign else {}
    select = {**group, "kind": re.escape(resource.kind)}
    return TARGETS, {"select": select, "fieldPaths": [fieldpath.to_text(path)]}


def _in_flow(entry: dict[str, str]) -> str:
    """Return an entry as a flow mapping, which fits into a message."""
    return f"{{{', '.join(f'{key}: {leaf(text, flow=True)}' for key, text in entry.items())}}}"


def _with(key: str, config: ResourceRef | None) -> str:
    """Return where a key of an ExpandVars is to be written: into the functionConfig, if it is one."""
    if config is None or config.kind == "ConfigMap":
        return f"give a functionConfig of kind `ExpandVars` with `{key}`"
    return f"add `{key}` to the functionConfig"


def _pod_template(resource: Resource, place: Place) -> dict[str, str] | None:
    """Return the entry of `podTemplates` by which the kubelet's rules hold for a field, None where none would."""
    for index, step in enumerate(place):
        template = place[: index - 1]
        if (
            index > 1
            and step in CONTAINERS
            and place[index - 1] == "spec"
            # `podTemplates` names one path of keys: what stands in a list has no such path.
            and all(isinstance(one, str) for one in template)
        ):
            # Tried out: only what the kubelet would expand then is worth a pod template.
            pod_specs = PodSpecs({(resource.group, resource.kind): template})
            if pod_specs.is_expanded(resource, place):
                return {"group": resource.group, "kind": resource.kind, "fieldPath": fieldpath.to_text(template)}
    return None
