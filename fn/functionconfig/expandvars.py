"""A functionConfig of kind ExpandVars, decoded once the schema has nothing against it."""

from __future__ import annotations

from fn.functionconfig import INLINE, LOOKUP, mistakes, schema, values
from fn.functionconfig.model import Config, ConfigMapKey, ObjectField, Target, Variable, VariablesFrom
from fn.krm import fieldpath
from fn.krm.fieldpath import WILDCARD, Match
from fn.krm.selector import Selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from fn.functionconfig.mistakes import Mistake
    from fn.krm.resource import Resource


def decode(resource: Resource) -> Config:
    """Return what an ExpandVars says. FnError tells all that is wrong with it."""
    data: Any = values.data(resource.root)
    mistakes.refuse(resource, [*schema.mistakes(data), *_repeated_names(resource)])
    spec = data.get("spec", {})
    return Config(
        resource.ref,
        variables=tuple(map(_variable, spec.get("variables", ()))),
        variables_from=tuple(map(_variables_from, *_entries(spec, "variablesFrom"))),
        kustomize_vars=tuple(map(_kustomize_var, spec.get("kustomizeVars", ()))),
        lookup=tuple(spec.get("lookup", LOOKUP)),
        inline=frozenset(spec.get("inline", INLINE)),
        selectors=_selectors(spec.get("selectors", [])),
        exclude=_selectors(spec.get("exclude", [])),
        targets=tuple(map(_target, *_entries(spec, "targets"))),
        unresolved=spec.get("unresolved", "Warn"),
        escapes=spec.get("escapes", "Keep"),
        record=spec.get("record", "Auto"),
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


def _source(value_from: dict[str, Any]) -> ObjectField | ConfigMapKey:
    if "configMapKeyRef" in value_from:
        ref = value_from["configMapKeyRef"]
        return ConfigMapKey(
            name=ref["name"],
            namespace=ref.get("namespace"),
            key=ref["key"],
            optional=ref.get("optional", False),
        )
    ref = value_from["objectFieldRef"]
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
    ref = entry["configMapRef"]
    return VariablesFrom(
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
        select=_selectors(entry.get("select", [])),
        reject=_selectors(entry.get("reject", [])),
        required=entry.get("required", False),
        path=path,
    )


def _selectors(entries: dict[str, str] | list[dict[str, str]]) -> tuple[Selector, ...]:
    return tuple(map(Selector, entries if isinstance(entries, list) else [entries]))


def _repeated_names(resource: Resource) -> Iterator[Mistake]:
    """Yield every name that a list of variables has had before (decision 12)."""
    for key in ("variables", "kustomizeVars"):
        first: dict[str, str] = {}
        for place, node in resource.find(("spec", key, WILDCARD, "name")):
            name, path = values.text(node), fieldpath.to_text(place[:-1])
            if name is not None and first.setdefault(name, path) != path:
                yield place, f"the name `{name}` is here again, first in `{first[name]}`"
