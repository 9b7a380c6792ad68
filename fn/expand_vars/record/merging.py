"""The record of an object that was merged of two files (docs/merge.md, "What is data").

Fields and record are merged each for itself, and may end up on different sides: a list that both changed is one side's,
while the record has lines of both. So the record is written again for the fields as they are. A field has the entry of
the side whose rendered text it holds.
"""

from __future__ import annotations

from expand_vars.record import KEY, fields
from expand_vars.record.entries import to_text
from krm import fieldpath, resourcelist
from krm.resourcelist import Output
from krm.results import INFO, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from expand_vars.record.entries import Entry
    from krm.merge.files import File
    from krm.resource import Resource

    Key = TypeVar("Key")
    Value = TypeVar("Value")


_FIELD = f"metadata.annotations['{KEY}']"
_LOST = (
    "after the merge these fields are not what their references were expanded to: they stay as they are, and follow no "
    "variable any more"
)


class Records:
    """The records of the objects in the files of a merge, taken before it: merging changes local's objects in place.

    The files are origin, and the two sides: the one ahead wins where both changed something.
    """

    def __init__(self, *files: File) -> None:
        self._of_files = [_records(file) for file in files]

    def settle(self, output: Output) -> Output:
        """Return the outcome of the merge with the records of its objects written again.

        That both sides changed a record is no conflict then.
        """
        text = "".join(output.pieces)
        if KEY not in text:
            return output
        # As text, behind the merge: a merge knows no fields but those of its rules, and entries have to match texts.
        merged = resourcelist.read(text)
        found = [result for item in merged.items if fields.has_record(item) for result in self._write(item)]
        # What is no list of resources can be merged all the same, and would come out of here as nothing.
        if merged.results:
            return output
        told = [result for result in output.results if result.field != _FIELD]
        return Output((merged.emit().text,), sorted([*told, *found], key=Result.order))

    def _write(self, item: Resource) -> Iterator[Result]:
        """Write the record of one object again, and yield the results about it."""
        # Where both sides have one record, that is the merged one. The next run tells of an edit beside it.
        texts = [records.get(_identity(item)) for records in self._of_files]
        if texts[1] == texts[2]:
            return
        origin, *others = (fields.Memory() if text is None else fields.read(item, text) for text in texts)
        record = fields.new_record(
            item,
            _merged(origin.templates, *(one.templates for one in others), by=lambda template: template.text),
            _merged(origin.values, *(one.values for one in others), by=lambda given: (given.text, given.digest)),
            others[0].secrets | others[1].secrets,
            _merged(origin.options, *(one.options for one in others), by=lambda words: words),
        )
        fields.write(item, to_text(record))
        kept = {_known(entry) for entry in record.entries}
        gone = (entry for memory in others for entry in memory.lost if _known(entry) not in kept)
        lost = dict.fromkeys(fieldpath.to_text(entry.path) for entry in gone)
        if lost:
            result = item.result(_LOST, INFO, "EditedByHand")
            result.field = ", ".join(lost)
            yield result


def _known(entry: Entry) -> tuple[fieldpath.FieldPath, str]:
    """Return what an entry is known by when its list has changed: its template, and the path without indexes."""
    path = tuple(fieldpath.WILDCARD if isinstance(step, int) else step for step in entry.path)
    return path, "" if entry.template is None else entry.template.text


def _records(file: File) -> dict[str, str | None]:
    """Return the record of each object of a file that has one, None for several objects of one name."""
    found: dict[str, str | None] = {}
    for resource in (one.resource for one in file.objects if one.resource.may_contain(KEY)):
        try:
            key = _identity(resource)
            found[key] = None if key in found else resource.annotations.get(KEY)
        except FnError:
            continue  # where a merge has to read it too, that says so
    return found


def _identity(resource: Resource) -> str:
    return f"{resource.group}/{resource.kind}/{resource.namespace}/{resource.name}"


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
