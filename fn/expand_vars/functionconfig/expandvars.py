"""The decoder of kind ExpandVars, and the mistakes that no schema can express."""

from __future__ import annotations

from expand_vars.functionconfig import mistakes, untyped
from expand_vars.functionconfig.config import OBJECT, Config
from expand_vars.functionconfig.mistakes import A_MAPPING, REASON, not_allowed
from expand_vars.functionconfig.model import CONTAINER, SECRETS, SERVICES, Template
from expand_vars.functionconfig.parts import MERGE
from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.results import ERROR, FnError
from krm.yamltree import extracting
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from expand_vars.functionconfig.mistakes import Mistake
    from expand_vars.functionconfig.untyped import Data
    from krm.fieldpath import Place
    from krm.resource import Resource

_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"))
_OF_MERGE3 = "onConflict", "adopt", "fields", "mergeKeys", "inferListKeys"
"""The fields of `merge` that only the strategy Merge3 has."""

_ORDER = (
    "`Services` cannot stand before `Container`: the kubelet lets what a container declares itself win over what it "
    "makes of Services"
)


def decode(resource: Resource) -> Config:
    """Return the Config of an ExpandVars. FnError names every mistake."""
    data: Any = untyped.read(resource.root)
    # In three steps, as each reads fields whose shape the one before it has checked. A step tells all at once.
    try:
        values = OBJECT.read(data, "")
        found: Iterable[Mistake] = ()
    except ValueError:
        from expand_vars.functionconfig import json_schema  # noqa: PLC0415 - jsonschema takes long to import

        found = json_schema.mistakes(data)
    mistakes.refuse(resource, [*found, *_too_deep(resource), *_repeated_names(resource)])
    spec = data.get("spec", {})
    mistakes.refuse(resource, [*_out_of_order(spec), *_of_templates(spec), *_beside_apply(spec.get("merge", {}))])
    config = Config(resource.ref)
    for key in spec:
        config.state(key, values[key])
    config.templates = _templates(resource)
    mistakes.refuse(resource, [*_repeated_pod_templates(spec), *_secrets_for_nobody(resource, config)])
    return config


def _too_deep(resource: Resource) -> Iterator[Mistake]:
    """Yield the mistake of a `spec` in `metadata`: nobody would read it."""
    for place, _ in resource.find(("metadata", "spec")):
        yield place, "`spec` is no field here: move it out of `metadata`"


def _out_of_order(spec: dict[str, Any]) -> Iterator[Mistake]:
    """Yield the order of `lookup` that no run can keep: in a Pod the kubelet lets a container's own `env` win."""
    lookup = spec.get("lookup", ())
    if {CONTAINER, SERVICES} <= {*lookup} and lookup.index(SERVICES) < lookup.index(CONTAINER):
        yield ("spec", "lookup"), _ORDER


def _of_templates(spec: dict[str, Any]) -> Iterator[Mistake]:
    for index, template in enumerate(spec.get("templates", ())):
        for path in _IDENTITY:
            yield from _mistakes_at(("spec", "templates", index), template, path)


def _beside_apply(merge: dict[str, Any]) -> Iterator[Mistake]:
    """Yield the fields of `merge` that `strategy: Apply` does not have."""
    for key in _OF_MERGE3 if merge.get("strategy") == "Apply" else ():
        # A default that is written out asks for nothing, so it is no mistake.
        default = MERGE.fields[key].default_as_data
        if merge.get(key, default) != default:
            message = f"`strategy: Apply` does what kubectl does, which has no `{key}`: leave it out"
            yield ("spec", "merge", key), message


def _mistakes_at(place: Place, template: Data, path: tuple[str, ...]) -> Iterator[Mistake]:
    """Yield the mistake in a field that the template at `place` must have."""
    found = template
    for depth, key in enumerate(path):
        if not isinstance(found, dict):
            yield (*place, *path[:depth]), not_allowed(found, A_MAPPING)
            return
        inside, found = found, found.get(key)
        if found in (None, ""):
            hint = ", and with `generateName` no run would know it again" if "generateName" in inside else ""
            yield place, f"`{'.'.join(path)}` is missing: a template is a whole resource{hint}"
            return
    if not isinstance(found, str):
        yield (*place, *path), not_allowed(found, "a string")


def _templates(resource: Resource) -> tuple[Template, ...] | None:
    """Return the templates of an ExpandVars, None without that key. FnError if one cannot be cut out of the text."""
    # An empty list prunes what was generated, and no list says nothing of it (docs/reference/functionconfig.md,
    # "Reference").
    if not resource.find(("spec", "templates")):
        return None
    places = [place for place, _ in resource.find(("spec", "templates", WILDCARD))]
    return tuple(Template(_text(resource, place), path=fieldpath.to_text(place)) for place in places)


def _text(resource: Resource, place: Place) -> str:
    try:
        return extracting.document(resource.editor, resource.base + place)
    except EditError as error:
        message = f"this cannot be taken out of the functionConfig: line {error.line}: {error.problem}"
        raise FnError(resource.result(message, ERROR, REASON, place)) from None


def _repeated_names(resource: Resource) -> Iterator[Mistake]:
    """Yield every name that is twice in a list of variables: nobody could tell which one is meant."""
    # In the tree, which can be searched whatever its shape: the schema may have found mistakes in it.
    for key in ("variables", "kustomizeVars"):
        first: dict[str, str] = {}
        for place, node in resource.find(("spec", key, WILDCARD, "name")):
            name, path = text_at(node), fieldpath.to_text(place[:-1])
            if name is not None and first.setdefault(name, path) != path:
                yield place, f"the name `{name}` is here again, first in `{first[name]}`"


def _repeated_pod_templates(spec: dict[str, Any]) -> Iterator[Mistake]:
    """Yield every pod template that is twice in `podTemplates`: a merge of two files could not tell the entries."""
    entries = spec.get("podTemplates", [])
    for index, entry in enumerate(entries):
        first = entries.index(entry)
        if first != index:
            yield ("spec", "podTemplates", index), f"this entry is here again, first in `spec.podTemplates[{first}]`"


def _secrets_for_nobody(resource: Resource, config: Config) -> Iterator[Mistake]:
    """Yield each source in a Secret whose value may not be written (docs/reference/functionconfig.md, "Secrets")."""
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
