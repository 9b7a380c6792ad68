"""Lists of objects in the files of a merge: which are the same on the sides (docs/reference/merge.md, "Documents").

A list has no name. It is known by its kind. If a file has several lists of a kind, they are known by their objects.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from krm.envelope import ITEMS
from krm.merge import trees
from krm.merge.files.matching import paired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping
    from typing import TypeAlias

    from krm.file import File, Object
    from krm.merge.files.matching import Left, MatchedObjects, Pair, Side, Stage

    ByObject: TypeAlias = Mapping[int, MatchedObjects]


def matched(sides: Mapping[Side, File], by_object: ByObject) -> list[MatchedObjects]:
    """Return the matches of the lists of a file, given the matches of the objects in them."""
    kinds: dict[str, dict[Side, list[Object]]] = {}
    for side, file in sides.items():
        for document in (part.list_document for part in file.documents if part.list_document is not None):
            kinds.setdefault(document.resource.kind, {each: [] for each in sides})[side].append(document)
    stages: list[Stage] = [("identity", partial(_sharing, by_object)), ("identity", _last_pair)]
    return [match for documents in kinds.values() for match in paired(documents, stages, {})]


def undecided(matches: list[MatchedObjects]) -> Iterator[Object]:
    """Yield the lists of update whose own fields cannot be merged: nobody can tell which of local's lists they are.

    Such a list is new, or has other fields than in origin. Local has lists of its kind that update lacks, and none of
    these has the same fields.
    """
    for match in matches:
        origin, update = (match.objects.get(side) for side in ("origin", "update"))
        if update is None or "local" in match.objects or (origin and _fields(origin) == _fields(update)):
            continue
        own = [
            _fields(other.objects["local"])
            for other in matches
            if "local" in other.objects
            and other.objects.keys().isdisjoint({"update"} if origin is None else match.objects)
            and other.first.resource.kind == update.resource.kind
        ]
        if own and _fields(update) not in own:
            yield update


def _sharing(by_object: ByObject, one: Side, other: Side, left: Left) -> Iterator[Pair]:
    """Yield the pairs of lists that have an object in common, if neither has one in common with a second list."""
    ones, others = left
    holders = {id(by_object[id(each)]): match for match in others for each in match.objects[other].document.objects}
    shared = [
        (match, holders[id(by_object[id(each)])])
        for match in ones
        for each in match.objects[one].document.objects
        if id(by_object[id(each)]) in holders
    ]
    pairs = {(id(one), id(other)): (one, other) for one, other in shared}
    times = Counter(each for pair in pairs for each in pair)
    yield from (pair for key, pair in pairs.items() if all(times[each] == 1 for each in key))


def _last_pair(_: Side, __: Side, left: Left) -> Iterator[Pair]:
    """Yield the pair of lists, if each side has only one left."""
    ones, others = left
    if len(ones) == len(others) == 1:
        yield ones[0], others[0]


def _fields(document: Object) -> Hashable:
    """Return the data of a list without its objects."""
    entries = trees.entries(document.resource.root)
    return frozenset((key, trees.frozen(node)) for key, node in entries.items() if key not in ITEMS)
