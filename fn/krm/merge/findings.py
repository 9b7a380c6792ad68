"""Conflicts and notes as results (decision 30). No message quotes a value of a Secret (decision 25)."""

from __future__ import annotations

from krm import fieldpath
from krm.merge import conflicts, lastapplied, policy, trees
from krm.results import ERROR, INFO, WARNING
from krm.yamltree.nodes import Mapping, Scalar, resolved
from krm.yamltree.scalars import data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import FieldPath
    from krm.merge.conflicts import Conflict, Note, Refused
    from krm.merge.walk import Merged
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Node

REFUSED = "NotMergeable"

_TAKEN = {
    policy.TAKE_UPDATE: "update's is taken",
    policy.KEEP_LOCAL: "local's stays",
    policy.ERROR: "local's stays, and you have to decide",
}
_INFOS = frozenset((conflicts.ENV_REORDERED, conflicts.KEPT_ADDITION))
# The fields with the data of Secrets, kind by kind: a list may hold some.
_WITH_SECRETS = {"Secret": ("data", "stringData"), "SecretList": ("items",), "List": ("items",)}
_LONGEST = 60


def results(resource: Resource, merged: Merged, *, has_secrets: bool = False) -> Iterator[Result]:
    """Yield what there is to tell of the merge of an object, no value of one that has secrets."""
    for conflict in merged.conflicts:
        yield _conflict(resource, conflict, has_secrets=has_secrets)
    for note in merged.notes:
        yield _note(resource, note)


def refused(resource: Resource, reason: Refused) -> Result:
    """Return the error that says why an object cannot be merged."""
    return _at(resource.result(str(reason), ERROR, REFUSED), reason.path)


def _conflict(resource: Resource, conflict: Conflict, *, has_secrets: bool) -> Result:
    is_secret = has_secrets or _may_show_secrets(resource, conflict.path)
    hidden = "a secret" if is_secret else "one that is not shown" if _has_hash(conflict.origin) else None
    lacks = "has none" if conflict.origin is None else "deleted it"
    shown = [_shown(side, lacks, hidden) for side in (conflict.origin, conflict.update, conflict.local)]
    sides = "origin {}, update {}, local {}".format(*shown)
    severity = ERROR if conflict.resolution == policy.ERROR else WARNING
    message = f"both sides changed this, {sides}: {_TAKEN[conflict.resolution]}"
    result = _at(resource.result(message, severity, conflicts.CONFLICT), conflict.path)
    if hidden is None:
        result.origin, result.proposed, result.current = map(
            _written, (conflict.origin, conflict.update, conflict.local)
        )
    return result


def _note(resource: Resource, note: Note) -> Result:
    severity = INFO if note.reason in _INFOS else WARNING
    return _at(resource.result(note.detail, severity, note.reason), note.path)


def _may_show_secrets(resource: Resource, path: FieldPath) -> bool:
    """Say whether a value may hold what a Secret keeps: its data, or what kubectl noted of them in an annotation."""
    fields = _WITH_SECRETS.get(resource.kind)
    return fields is not None and (path == lastapplied.ANNOTATIONS[: len(path)] or path[0] in fields)


def _at(result: Result, path: FieldPath) -> Result:
    result.field = fieldpath.to_text(path) or None
    return result


def _shown(node: Node | None, lacks: str, hidden: str | None) -> str:
    """Return what a message says of a value: a short scalar as it is or as `hidden` says, `lacks` for none."""
    node = resolved(node)
    if node is None:
        return lacks
    if not isinstance(node, Scalar):
        return "a mapping" if isinstance(node, Mapping) else "a list"
    if node.tag == trees.HASHED:
        return "has another one"
    if hidden is not None:
        return hidden
    return f"`{node.value}`" if len(node.value) <= _LONGEST and "\n" not in node.value else "a long text"


def _has_hash(node: Node | None) -> bool:
    """Say whether something in `node` is known by its hash alone: a secret, or a long text."""
    found = resolved(node)
    if isinstance(found, Scalar):
        return found.tag == trees.HASHED
    return found is not None and any(map(_has_hash, found.kids))


def _written(node: Node | None) -> str | None:
    """Return a value as a text, None for one that is not there."""
    scalar = resolved(node)
    if scalar is None or isinstance(scalar, Scalar):
        return None if scalar is None else scalar.value
    import json  # noqa: PLC0415 - few conflicts are about more than a scalar

    return json.dumps(data(scalar), ensure_ascii=False, default=str)
