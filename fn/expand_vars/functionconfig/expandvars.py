"""The decoder of kind ExpandVars: what the JSON Schema allows, and the mistakes that no schema can express."""

from __future__ import annotations

from expand_vars.functionconfig import generated, json_schema, mistakes, untyped
from expand_vars.functionconfig.model import SECRETS, Config, DataKey, ObjectField, Target, Variable, VariablesFrom
from krm import fieldpath
from krm.fieldpath import WILDCARD, Match
from krm.selector import first_group, fullmatch, selectors
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from expand_vars.functionconfig.mistakes import Mistake
    from krm.resource import Resource

_KINDS = {"configMapKeyRef": "ConfigMap", "configMapRef": "ConfigMap", "secretKeyRef": "Secret", "secretRef": "Secret"}


def decode(resource: Resource) -> Config:
    """Return the Config of an ExpandVars. FnError names every mistake."""
    data: Any = untyped.read(resource.root)
    # In three steps, as each reads fields whose shape the one before it has checked. A step tells all at once.
    mistakes.refuse(resource, [*json_schema.mistakes(data), *_repeated_names(resource)])
    spec = data.get("spec", {})
    mistakes.refuse(resource, generated.mistakes(spec))
    config = _config(resource, spec)
    mistakes.refuse(resource, [*_repeated_templates(spec), *_secrets_for_nobody(resource, config)])
    return config


def _config(resource: Resource, spec: dict[str, Any]) -> Config:
    config = Config(resource.ref)
    # A default that is written out counts against what an earlier run recorded, one that is left out does not
    # (docs/runs-in-place.md, "What a name gets").
    config.stated = frozenset(spec)
    config.lookup = tuple(spec.get("lookup", config.lookup))
    config.unresolved = spec.get("unresolved", config.unresolved)
    config.strict = spec.get("strict", config.strict)
    config.escapes = spec.get("escapes", config.escapes)
    config.record = spec.get("record", config.record)
    config.inline = frozenset(spec.get("inline", config.inline))
    config.variables = (*map(_variable, spec.get("variables", ())),)
    config.variables_from = (*map(_variables_from, *_entries(spec, "variablesFrom")),)
    config.kustomize_vars = (*map(_kustomize_var, spec.get("kustomizeVars", ())),)
    config.selectors = selectors(spec.get("selectors", []))
    config.runtime_names = (*map(fullmatch, spec.get("runtimeNames", ())),)
    config.exclude = selectors(spec.get("exclude", []))
    for entry in spec.get("podTemplates", ()):
        of_kind = config.pod_templates.setdefault((entry["group"], entry["kind"]), [])
        of_kind.append(json_schema.template_path(entry["fieldPath"]))
    config.targets = (*map(Target, *_entries(spec, "targets")),)
    config.templates = generated.templates(resource)
    config.merge = generated.merge(spec["merge"]) if "merge" in spec else None
    config.prune = untyped.written(spec.get("prune", True))
    return config


def _entries(spec: dict[str, Any], key: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the elements of a list of `spec`, and their paths."""
    entries = spec.get(key, [])
    return entries, [f"spec.{key}[{index}]" for index in range(len(entries))]


def _variable(entry: dict[str, Any]) -> Variable:
    # By name, not by index: a result of this run and one of the next mean the same when the list has grown.
    path = fieldpath.to_text(("spec", "variables", Match("name", entry["name"])))
    if "valueFrom" in entry:
        # Literal, as the kubelet expands nothing in what `valueFrom` reads (docs/expansion.md, "Sources of env").
        return Variable(entry["name"], source=_source(entry["valueFrom"]), literal=True, path=path)
    return Variable(entry["name"], text=untyped.written(entry["value"]), literal=False, path=path)


def _source(value_from: dict[str, Any]) -> ObjectField | DataKey:
    ((kind, ref),) = value_from.items()
    if kind == "objectFieldRef":
        return ObjectField(ref, first_group(ref["regex"]) if "regex" in ref else None)
    return DataKey(_KINDS[kind], ref)


def _variables_from(entry: dict[str, Any], path: str) -> VariablesFrom:
    ((kind, ref),) = ((key, entry[key]) for key in _KINDS if key in entry)
    return VariablesFrom(_KINDS[kind], ref, prefix=entry.get("prefix", ""), path=path)


def _kustomize_var(entry: dict[str, Any]) -> Variable:
    """Decode an element of `vars` as kustomize does: apiVersion wins over group and version, "" matches any."""
    objref, fieldref = entry["objref"], entry.get("fieldref", {})
    group, _, version = objref.get("apiVersion", "").rpartition("/")
    ref = {
        **objref,
        "group": group or objref.get("group") or None,
        "version": version or objref.get("version") or None,
        "namespace": objref.get("namespace") or None,
        # kustomize takes both spellings, and the name of the object where there is none.
        "fieldPath": fieldref.get("fieldpath") or fieldref.get("fieldPath", "metadata.name"),
    }
    path = fieldpath.to_text(("spec", "kustomizeVars", Match("name", entry["name"])))
    return Variable(entry["name"], source=ObjectField(ref), literal=True, path=path)


def _repeated_names(resource: Resource) -> Iterator[Mistake]:
    """Yield every name that is twice in a list of variables: nobody could tell which one is meant."""
    # In the tree, which can be searched whatever its shape: the schema may have found mistakes in it.
    for key in ("variables", "kustomizeVars"):
        first: dict[str, str] = {}
        for place, node in resource.find(("spec", key, WILDCARD, "name")):
            name, path = text_at(node), fieldpath.to_text(place[:-1])
            if name is not None and first.setdefault(name, path) != path:
                yield place, f"the name `{name}` is here again, first in `{first[name]}`"


def _repeated_templates(spec: dict[str, Any]) -> Iterator[Mistake]:
    """Yield every pod template that is twice in `podTemplates`: a merge of two files could not tell the entries."""
    entries = spec.get("podTemplates", [])
    for index, entry in enumerate(entries):
        first = entries.index(entry)
        if first != index:
            yield ("spec", "podTemplates", index), f"this entry is here again, first in `spec.podTemplates[{first}]`"


def _secrets_for_nobody(resource: Resource, config: Config) -> Iterator[Mistake]:
    """Yield every source in a Secret whose value may be written nowhere (docs/functionconfig.md, "Secrets")."""
    # It may be written if `inline` has `Secrets`, if a template has `stringData`, or if a target can lead into the
    # `stringData` of a Secret.
    if SECRETS in config.inline or any(target.may_lead_into_secret for target in config.targets):
        return
    if resource.find(("spec", "templates", WILDCARD, "stringData")):
        return
    of_keys = resource.find(("spec", "variables", WILDCARD, "valueFrom", "secretKeyRef"))
    message = (
        "what a Secret holds may be written nowhere: "
        "add `Secrets` to `inline`, or a target or a template that writes the `stringData` of a Secret"
    )
    for place, _ in (*of_keys, *resource.find(("spec", "variablesFrom", WILDCARD, "secretRef"))):
        yield place, message
