"""A functionConfig of kind ExpandVars, decoded once the schema has nothing against it."""

from __future__ import annotations

from expand_vars.functionconfig import INLINE_UNLESS_SAID, LOOKUP, generated, mistakes, schema, values
from expand_vars.functionconfig.model import Config, DataKey, ObjectField, Target, Variable, VariablesFrom
from krm import fieldpath
from krm.fieldpath import WILDCARD, Match
from krm.selector import selectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from expand_vars.functionconfig.mistakes import Mistake
    from krm.resource import Resource

_KINDS = {"configMapKeyRef": "ConfigMap", "configMapRef": "ConfigMap", "secretKeyRef": "Secret", "secretRef": "Secret"}


def decode(resource: Resource) -> Config:
    """Return what an ExpandVars says. FnError tells all that is wrong with it."""
    data: Any = values.data(resource.root)
    mistakes.refuse(resource, [*schema.mistakes(data), *_repeated_names(resource)])
    spec = data.get("spec", {})
    mistakes.refuse(resource, generated.mistakes(spec))
    config = _config(resource, spec)
    mistakes.refuse(resource, [*_repeated_kinds(spec), *_secrets_for_nobody(resource, config)])
    return config


def _config(resource: Resource, spec: dict[str, Any]) -> Config:
    return Config(
        resource.ref,
        variables=tuple(map(_variable, spec.get("variables", ()))),
        variables_from=tuple(map(_variables_from, *_entries(spec, "variablesFrom"))),
        kustomize_vars=tuple(map(_kustomize_var, spec.get("kustomizeVars", ()))),
        lookup=tuple(spec.get("lookup", LOOKUP)),
        inline=frozenset(spec.get("inline", INLINE_UNLESS_SAID)),
        selectors=selectors(spec.get("selectors", [])),
        exclude=selectors(spec.get("exclude", [])),
        pod_templates={
            (entry["group"], entry["kind"]): fieldpath.parse(entry["fieldPath"])
            for entry in spec.get("podTemplates", ())
        },
        targets=tuple(map(_target, *_entries(spec, "targets"))),
        unresolved=spec.get("unresolved", "Warn"),
        escapes=spec.get("escapes", "Keep"),
        record=spec.get("record", "Auto"),
        templates=generated.templates(resource),
        merge=generated.merge(spec.get("merge", {})),
        prune=values.written(spec.get("prune", True)),
    )


def _entries(spec: dict[str, Any], key: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the elements of a list of `spec`, and the paths of them, which have no names."""
    entries = spec.get(key, [])
    return entries, [f"spec.{key}[{index}]" for index in range(len(entries))]


def _variable(entry: dict[str, Any]) -> Variable:
    path = fieldpath.to_text(("spec", "variables", Match("name", entry["name"])))
    if "valueFrom" in entry:
        return Variable(entry["name"], source=_source(entry["valueFrom"]), literal=True, path=path)
    return Variable(entry["name"], text=values.written(entry["value"]), literal=False, path=path)


def _source(value_from: dict[str, Any]) -> ObjectField | DataKey:
    ((kind, ref),) = value_from.items()
    if kind == "objectFieldRef":
        return _object_field(ref)
    return DataKey(
        kind=_KINDS[kind],
        name=ref["name"],
        namespace=ref.get("namespace"),
        key=ref["key"],
        optional=ref.get("optional", False),
    )


def _object_field(ref: dict[str, Any]) -> ObjectField:
    return ObjectField(
        group=ref.get("group"),
        version=ref.get("version"),
        kind=ref["kind"],
        name=ref["name"],
        namespace=ref.get("namespace"),
        field_path=fieldpath.parse(ref["fieldPath"]),
        optional=ref.get("optional", False),
    )


def _variables_from(entry: dict[str, Any], path: str) -> VariablesFrom:
    ((kind, ref),) = ((key, entry[key]) for key in _KINDS if key in entry)
    return VariablesFrom(
        kind=_KINDS[kind],
        name=ref["name"],
        namespace=ref.get("namespace"),
        optional=ref.get("optional", False),
        prefix=entry.get("prefix", ""),
        path=path,
    )


def _kustomize_var(entry: dict[str, Any]) -> Variable:
    """Decode an element of `vars` as kustomize does: apiVersion wins, what is empty is any (api/types/var.go)."""
    objref, fieldref = entry["objref"], entry.get("fieldref", {})
    group, _, version = objref.get("apiVersion", "").rpartition("/")
    source = ObjectField(
        group=group or objref.get("group") or None,
        version=version or objref.get("version") or None,
        kind=objref["kind"],
        name=objref["name"],
        namespace=objref.get("namespace") or None,
        field_path=fieldpath.parse(fieldref.get("fieldpath") or fieldref.get("fieldPath", "metadata.name")),
        optional=False,
    )
    path = fieldpath.to_text(("spec", "kustomizeVars", Match("name", entry["name"])))
    return Variable(entry["name"], source=source, literal=True, path=path)


def _target(entry: dict[str, Any], path: str) -> Target:
    return Target(
        preset=entry.get("preset"),
        field_paths=tuple(map(fieldpath.parse, entry.get("fieldPaths", ()))),
        select=selectors(entry.get("select", [])),
        reject=selectors(entry.get("reject", [])),
        required=entry.get("required", False),
        path=path,
    )


def _repeated_names(resource: Resource) -> Iterator[Mistake]:
    """Yield every name that a list of variables has had before (decision 12)."""
    for key in ("variables", "kustomizeVars"):
        first: dict[str, str] = {}
        for place, node in resource.find(("spec", key, WILDCARD, "name")):
            name, path = values.text(node), fieldpath.to_text(place[:-1])
            if name is not None and first.setdefault(name, path) != path:
                yield place, f"the name `{name}` is here again, first in `{first[name]}`"


def _repeated_kinds(spec: dict[str, Any]) -> Iterator[Mistake]:
    """Yield every kind that `podTemplates` has had before."""
    first: dict[tuple[str, str], int] = {}
    for index, entry in enumerate(spec.get("podTemplates", ())):
        group, kind = entry["group"], entry["kind"]
        earlier = first.setdefault((group, kind), index)
        if earlier != index:
            message = f"the kind `{kind}` of group `{group}` is here again, first in `spec.podTemplates[{earlier}]`"
            yield ("spec", "podTemplates", index), message


def _secrets_for_nobody(resource: Resource, config: Config) -> Iterator[Mistake]:
    """Yield every source in a Secret whose value may be written nowhere (decision 25).

    It may if `inline` has `Secrets`, if a template has `stringData`, or if a target may lead into that of a Secret: one
    with a field path below that, and no `select` that keeps Secrets out.
    """
    if "Secrets" in config.inline or any(target.may_lead_into_secret for target in config.targets):
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
