"""The part of an ExpandVars about generated resources: `templates` and `merge`."""

from __future__ import annotations

from expand_vars.functionconfig.mistakes import A_MAPPING, REASON, not_allowed
from expand_vars.functionconfig.model import Template
from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.results import ERROR, FnError
from krm.selector import selectors
from krm.yamltree import extracting
from krm.yamltree.editor import EditError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from expand_vars.functionconfig.mistakes import Mistake
    from expand_vars.functionconfig.untyped import Data
    from krm.fieldpath import Place
    from krm.merge.options import MergeKeys, MergeOptions
    from krm.merge.policy import FieldPolicy
    from krm.resource import Resource

_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"))


def mistakes(spec: dict[str, Any]) -> Iterator[Mistake]:
    """Yield the mistakes in a `spec` that no schema can express."""
    for index, template in enumerate(spec.get("templates", ())):
        for path in _IDENTITY:
            yield from _mistakes_at(("spec", "templates", index), template, path)
    merge = spec.get("merge", {})
    # A default that is written out asks for nothing, so it is no mistake beside `Apply`.
    for key, default in _defaults_of_merge3() if merge.get("strategy") == "Apply" else ():
        if merge.get(key, default) != default:
            message = f"`strategy: Apply` does what kubectl does, which has no `{key}`: leave it out"
            yield ("spec", "merge", key), message


def templates(resource: Resource) -> tuple[Template, ...] | None:
    """Return the templates of an ExpandVars, None without that key. FnError if one cannot be cut out of the text."""
    # An empty list prunes what was generated, and no list says nothing of it (docs/functionconfig.md, "Reference").
    if not resource.find(("spec", "templates")):
        return None
    places = [place for place, _ in resource.find(("spec", "templates", WILDCARD))]
    return tuple(Template(_text(resource, place), path=fieldpath.to_text(place)) for place in places)


def merge(entry: dict[str, Any]) -> MergeOptions:
    """Return how generated resources are merged."""
    from krm.merge.options import MergeOptions  # noqa: PLC0415 - most functionConfigs have no `merge`
    from krm.merge.policy import DEFAULT_ON_CONFLICT, DEFAULT_STRATEGY  # noqa: PLC0415 - as above

    return MergeOptions(
        strategy=entry.get("strategy", DEFAULT_STRATEGY),
        on_conflict=entry.get("onConflict", DEFAULT_ON_CONFLICT),
        fields=tuple(map(_merge_field, entry.get("fields", ()))),
        merge_keys=tuple(map(_merge_keys, entry.get("mergeKeys", ()))),
        infer_list_keys=entry.get("inferListKeys", True),
        duplicates=entry.get("duplicates", "Keep"),
    )


def _defaults_of_merge3() -> Iterator[tuple[str, object]]:
    """Yield the fields of `merge` that only the strategy Merge3 has, with their defaults."""
    from krm.merge.policy import DEFAULT_ON_CONFLICT  # noqa: PLC0415 - most functionConfigs have no `merge`

    yield from {"onConflict": DEFAULT_ON_CONFLICT, "fields": [], "mergeKeys": [], "inferListKeys": True}.items()


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


def _text(resource: Resource, place: Place) -> str:
    try:
        return extracting.document(resource.editor, resource.base + place)
    except EditError as error:
        message = f"this cannot be taken out of the functionConfig: line {error.line}: {error.problem}"
        raise FnError(resource.result(message, ERROR, REASON, place)) from None


def _merge_field(entry: dict[str, Any]) -> FieldPolicy:
    from krm.merge.policy import FieldPolicy  # noqa: PLC0415 - as above

    return FieldPolicy(
        fieldpath.parse(entry["fieldPath"]),
        select=selectors(entry.get("select", [])),
        on_conflict=entry.get("onConflict"),
        enforce=entry.get("enforce", False),
    )


def _merge_keys(entry: dict[str, Any]) -> MergeKeys:
    from krm.merge.options import MergeKeys  # noqa: PLC0415 - as above

    return MergeKeys(
        group=entry.get("group"),
        kind=entry["kind"],
        field_path=fieldpath.parse(entry["fieldPath"]),
        keys=tuple(entry["keys"]),
    )
