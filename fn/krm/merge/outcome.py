"""The outcome of a merge: the target tree, the conflicts and the notes; and the results that report them.

The reasons are those of docs/reference/merge.md, "What a merge tells". Conflicts and notes are data without a severity,
and `results` makes reports of them. No message shows a value of a Secret.
"""

from __future__ import annotations

from itertools import chain, zip_longest

from krm import fieldpath
from krm.merge import trees
from krm.results import CONFLICT, ERROR, WARNING, locate
from krm.vocabulary import assert_never
from krm.yamltree.nodes import Mapping, Scalar, Sequence, placed, resolved
from krm.yamltree.scalars import data, is_typed, typed_by_1_1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import FieldPath
    from krm.merge.policy import ConflictResolution
    from krm.merge.trees import Tree
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

# For their meaning see docs/reference/merge.md, "What a merge tells".
MATCHED = "Matched"
GUESSED = "MatchedByContent"
REFUSED = "NotMergeable"
KEPT_ADDITION = "KeptAddition"
KEPT_ELEMENTS = "KeptElements"
DUPLICATE_KEYS = "DuplicateKeys"
NO_LONGER_APPLIED = "NoLongerApplied"
ENV_REORDERED = "EnvReordered"
FORWARD_REFERENCE = "ForwardReference"
COMMENT_GONE = "CommentGone"
COMMENT_KEPT = "CommentKept"
NOT_PLACED = "NotPlaced"
NOTHING_TO_DELETE = "NothingToDelete"
UPDATED_BY_ITSELF = "UpdatedByItself"

# A message is one line of a terminal or a log, so it shortens values. The results have the whole values.
_LONGEST = 60
_KINDS = {Scalar: "a text", Sequence: "a list", Mapping: "a mapping"}


class Merged:
    """The outcome of one merge. `target` is that of the resource, None if there is no resource afterwards."""

    def __init__(self, target: Target | None, conflicts: list[Conflict], notes: list[Note]) -> None:
        self.target = target
        self.conflicts = conflicts
        self.notes = notes


class Conflict(trees.Triple):
    """A field that is different in origin, update and local. A side that lacks the field has None.

    `path` leads to the smallest node that both sides changed. `resolution` says which value the field has now: that of
    the winner by the policy, or one with both changes. The field `is_one_value` if a rule of its kind forbids to have
    both: fields that exclude each other, say.
    """

    def __init__(
        self, path: FieldPath, sides: trees.Triple, resolution: ConflictResolution, *, is_one_value: bool = False
    ) -> None:
        super().__init__(*sides)
        self.path = path
        self.resolution = resolution
        self.is_one_value = is_one_value


class Note:
    """A remark about the field at `path` that is no conflict."""

    def __init__(self, reason: str, path: FieldPath, detail: str) -> None:
        self.reason = reason
        self.path = path
        self.detail = detail


class Refused(Exception):  # noqa: N818 - what the caller reports is the sentence
    """The sides cannot be merged because of the field at `path`: the message says why, and what to do."""

    def __init__(self, path: FieldPath, message: str, tree: Tree | None = None) -> None:
        """Take the path and the message. `tree` is the side with that field, if it is known."""
        super().__init__(message)
        self.path = path
        self.tree = tree


def results(resource: Resource, merged: Merged) -> Iterator[Result]:
    """Yield the results of the merge of an object."""
    if merged.conflicts:
        from krm import secrets  # noqa: PLC0415 - most merges have no conflict

        is_secret = secrets.finder(resource)
        for conflict in merged.conflicts:
            holds_secret = any(True for side in conflict for _ in secrets.parts(side))
            yield _conflict_result(resource, conflict, is_hidden=holds_secret or is_secret(conflict.path))
    for note in merged.notes:
        yield resource.result_at(note.detail, note.reason, note.path)


def refused(resource: Resource, reason: Refused) -> Result:
    """Return the error that says why an object cannot be merged."""
    result = resource.result_at(str(reason), REFUSED, reason.path, severity=ERROR)
    locate(result, None)  # the path may be one of another side
    return result


def _conflict_result(resource: Resource, conflict: Conflict, *, is_hidden: bool) -> Result:
    lacks = "has none" if conflict.origin is None else "deleted it"
    nodes = [resolved(side) for side in conflict]
    there = [node for node in nodes if isinstance(node, Scalar) and not _has_hash(node)]
    # In a collection, a hash still tells which field was changed.
    parts = [_parts(node) if node in there or isinstance(node, Mapping | Sequence) else None for node in nodes]
    # Two values may differ only in their type, as `1` and `"1"` do.
    has_quotes = len({node.value for node in there}) < len({typed_by_1_1(node) for node in there})
    differ = zip(nodes, parts, _differences(parts), strict=True)
    shown = (
        lacks if node is None else _excerpt(node, own or {}, place, is_hidden=is_hidden, has_quotes=has_quotes)
        for node, own, place in differ
    )
    values = "origin {}, update {}, local {}".format(*shown)
    severity, decided = verdict(conflict.resolution)
    message = f"both sides changed this, {values}: {decided}"
    result = resource.result_at(message, CONFLICT, conflict.path, severity=severity)
    # The result has whole values, but no secret ones (docs/reference/architecture.md, "Secrets are never quoted").
    if not is_hidden:
        result.proposed, result.current = map(_written, (conflict.update, conflict.local))
        result.origin = None if _has_hash(conflict.origin) else _written(conflict.origin)
    return result


def verdict(resolution: ConflictResolution) -> tuple[str, str]:
    """Return how serious a conflict is by its policy, and what becomes of it, as the end of its message."""
    match resolution:
        case "TakeUpdate":
            return WARNING, "update's is taken"
        case "KeepLocal":
            return WARNING, "local's stays"
        case "Error":
            return ERROR, "local's stays, and you have to decide"
        case "KeepBoth":
            return WARNING, "these lie side by side, and both are kept"
        case _:
            return assert_never(resolution)


def _excerpt(
    node: Scalar | Mapping | Sequence,
    parts: dict[str, str],
    differs: tuple[str, int],
    *,
    is_hidden: bool,
    has_quotes: bool,
) -> str:
    """Return how a message shows a value: a short value as a whole, of a long one the part that `differs`.

    A value that `is_hidden` is secret. With `has_quotes` a text is quoted that would have another type without quotes.
    """
    # The state has only a hash of the value, which would tell a reader nothing.
    if _has_hash(node):
        return "has another value"
    kind = _KINDS[type(node)]
    if is_hidden:
        return "a secret" if isinstance(node, Scalar) else kind
    written = _written(node) or ""
    if has_quotes and is_typed(written) and trees.frozen(node) == (str, written):
        written = f'"{written}"'
    if len(written) <= _LONGEST and "\n" not in written:
        return f"`{written}`"
    part, column = differs
    line, field = (f"{part} ", part) if isinstance(node, Scalar) else ("", f"`{part}`")
    return f"{kind} with {line}`{_cut(parts[part], column)}`" if part in parts else f"{kind} without {field}"


def _cut(line: str, column: int) -> str:
    """Return as much of a line as a message has room for: its start, or the part around the column."""
    if len(line) <= _LONGEST:
        return line
    start = column - _LONGEST // 3 if column > _LONGEST // 2 else 0
    end = start + _LONGEST
    return f"{'...' if start else ''}{line[start:end]}{'...' if end < len(line) else ''}"


def _parts(node: Scalar | Mapping | Sequence) -> dict[str, str]:
    """Return a value as what a reader compares: the lines of a text, or the fields below a collection."""
    if isinstance(node, Scalar):
        return {f"line {number}": line.strip() for number, line in enumerate(node.value.splitlines(), start=1)}
    leaves = ((place, leaf) for place, leaf in placed(node, ()) if isinstance(leaf, Scalar) or not leaf.kids)
    named = ((fieldpath.to_text(place), leaf) for place, leaf in leaves)
    return {field: f"{field}: {_written(leaf)}" for field, leaf in named}


def _differences(sides: list[dict[str, str] | None]) -> list[tuple[str, int]]:
    """Return which part of each side to show, and the column to show: the first part that differs on most sides.

    If that is not on all of them, the changes are neighbours, and each side shows the first part that it changed. A
    part that only one side changed is merged, and is not shown: the conflict is not about it.
    """
    there = [side for side in sides if side is not None]
    keys = [*dict.fromkeys(chain.from_iterable(there))]
    counts = [len({side.get(key) for side in there}) for key in keys]
    most = max(counts, default=0)
    part = keys[counts.index(most)] if keys else ""
    letters = zip_longest(*(side[part] for side in there if part in side))
    column = next((column for column, found in enumerate(letters) if len({*found}) > 1), 0)
    before, *after = sides
    was = before or {}
    own = [next((key for key in keys if side.get(key) != was.get(key)), part) for side in after if side is not None]
    if before is None or None in after or most == len(sides) or own[0] == own[-1]:
        return [(part, column)] * len(sides)
    return [(each, 0) for each in (min(own, key=keys.index), *own)]


def _has_hash(node: Node | None) -> bool:
    """True if only the hash of something in `node` is known."""
    found = resolved(node)
    if isinstance(found, Scalar):
        return found.tag == trees.HASHED
    return found is not None and any(map(_has_hash, found.kids))


def _written(node: Node | None) -> str | None:
    """Return a value as text, None for an absent one."""
    scalar = resolved(node)
    if scalar is None or isinstance(scalar, Scalar):
        return None if scalar is None else scalar.value
    import json  # noqa: PLC0415 - few conflicts are about more than a scalar

    return json.dumps(data(scalar), ensure_ascii=False, default=str)
