"""The record of an object that was merged of two sides (docs/merge.md, "What is data").

Fields and record are merged each for itself, and may end up on different sides: a list that both changed is one side's,
while the record has lines of both. So the record is written again for the fields as they are. A field has the entry of
the side whose rendered text it holds.
"""

from __future__ import annotations

from expand_vars.record import KEY, fields
from expand_vars.record.entries import to_text
from krm import fieldpath
from krm.merge import policy
from krm.results import INFO, WARNING
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from expand_vars.record.entries import Entry
    from krm.merge.files.documents import Merge
    from krm.merge.kinds.schema import Schema
    from krm.merge.outcome import Merged
    from krm.merge.policy import Winner
    from krm.merge.trees import Tree
    from krm.resource import Resource
    from krm.results import Result

    Key = TypeVar("Key")
    Value = TypeVar("Value")


_PLACE = ("metadata", "annotations", KEY)
_DAMAGED = f"the annotation `{KEY}` of {{}} is damaged, and these of its lines are not merged: {{}}"
_LOST = (
    "after the merge these fields are not what their references were expanded to: they stay as they are, and follow no "
    "variable any more"
)


def following(decide: Merge, *, winner: Winner) -> Merge:
    """Return a merge of one object after which its record follows the fields.

    Where both sides changed an entry, the winner's counts. That both changed the record is no conflict then.
    """

    def merged(origin: Tree, update: Tree, local: Tree, schema: Schema) -> Merged:
        outcome = decide(origin, update, local, schema)
        trees = [("update", update), ("local", local)]
        before = _record(origin)
        sides = {side: _record(tree) for side, tree in policy.won(winner, update=trees, local=trees[::-1])}
        # Where both sides have one record, that is the merged one. The next run tells of an edit beside it.
        if sides["update"] != sides["local"] and update.root is not None and local.root is not None:
            outcome.conflicts = [conflict for conflict in outcome.conflicts if conflict.path != _PLACE]
            outcome.finish = lambda item: _write(item, before, sides)
        return outcome

    return merged


def _write(item: Resource, before: str | None, sides: dict[str, str | None]) -> Iterator[Result]:
    """Write the record of one object again, and yield the results about it. The first of two sides wins a conflict."""
    if not fields.has_record(item):
        return
    origin, *others = (
        fields.Memory() if text is None else fields.read(item, text) for text in (before, *sides.values())
    )
    record = fields.new_record(
        item,
        _merged(origin.templates, *(one.templates for one in others), by=lambda template: template.text),
        _merged(origin.values, *(one.values for one in others), by=lambda given: (given.text, given.digest)),
        others[0].secrets | others[1].secrets,
        _merged(origin.options, *(one.options for one in others), by=lambda words: words),
    )
    fields.write(item, to_text(record))
    for side, memory in zip(sides, others, strict=True):
        if memory.damaged:
            yield item.result(_DAMAGED.format(side, ", ".join(map(str, memory.damaged))), WARNING, "DamagedRecord")
    kept = {_known(entry) for entry in record.entries}
    gone = (entry for memory in others for entry in memory.lost if _known(entry) not in kept)
    lost = dict.fromkeys(fieldpath.to_text(entry.path) for entry in gone)
    if lost:
        result = item.result(_LOST, INFO, "EditedByHand")
        result.field = ", ".join(lost)
        yield result


def _known(entry: Entry) -> tuple[fieldpath.FieldPath, str]:
    """Return what an entry is known by when its list has changed: its template, and the path without indexes."""
    return fieldpath.general(entry.path), "" if entry.template is None else entry.template.text


def _record(tree: Tree) -> str | None:
    """Return the record of an object, None where it has none, or is not there."""
    return text_at(tree.root, *_PLACE) if KEY in tree.text else None


def _merged(
    origin: dict[Key, Value], first: dict[Key, Value], second: dict[Key, Value], *, by: Callable[[Value], object]
) -> dict[Key, Value]:
    """Return the entries of both sides: of one that both have, that which is not origin's, else the first one's."""
    # What only one side has is kept: an entry that the other side dropped no longer holds, and is not among these.
    merged = second | first
    for key in first.keys() & second.keys() & origin.keys():
        if by(first[key]) == by(origin[key]):
            merged[key] = second[key]
    return merged
