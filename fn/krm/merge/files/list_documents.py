"""Lists of objects in the files of a merge: which is which on the three sides (docs/reference/merge.md, "Documents").

A list has no name. It is known by its kind and, where a file has several of that kind, by the objects that are in it.
"""

from __future__ import annotations

from collections import Counter

from krm.file import ITEMS
from krm.merge import trees
from krm.merge.files.matching import ROUTES, MatchedObjects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping
    from typing import TypeAlias

    from krm.file import File, Object
    from krm.merge.files.matching import Side

    ByObject: TypeAlias = Mapping[int, MatchedObjects]


def matched(sides: Mapping[Side, File], by_object: ByObject) -> list[MatchedObjects]:
    """Return every list of a file once, as all sides have it, given the matches of the objects in them."""
    kinds: dict[str, dict[Side, list[Object]]] = {}
    for side, file in sides.items():
        for document in (part.list_document for part in file.parts if part.list_document is not None):
            kinds.setdefault(document.resource.kind, {each: [] for each in sides})[side].append(document)
    return [match for documents in kinds.values() for match in _of_kind(documents, by_object)]


def undecided(matches: list[MatchedObjects]) -> Iterator[Object]:
    """Yield the lists of update with fields that may not come: nothing tells which of local's lists they are.

    Such a one is new, or says something else than in origin, and local has lists of its kind that update has not. Of
    these none says the same.
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


def _of_kind(documents: Mapping[Side, list[Object]], by_object: ByObject) -> list[MatchedObjects]:
    matches = {
        id(document): MatchedObjects(side, document) for side, listed in documents.items() for document in listed
    }
    for pairs_of in (_sharing, _left):
        for one, other in ROUTES:
            ones = [document for document in documents.get(one, ()) if other not in matches[id(document)].objects]
            others = [document for document in documents.get(other, ()) if one not in matches[id(document)].objects]
            for document, same in pairs_of(ones, others, by_object):
                match, found = matches[id(document)], matches[id(same)]
                if match.objects.keys().isdisjoint(found.objects):
                    match.take(found, "identity")
                    matches |= {id(each): match for each in match.objects.values()}
    return list({id(match): match for match in matches.values()}.values())


def _sharing(ones: list[Object], others: list[Object], by_object: ByObject) -> Iterator[tuple[Object, Object]]:
    """Yield the lists that have an object in common, where neither has one in common with a second list."""
    holders = {id(by_object[id(each)]): document for document in others for each in document.part.objects}
    shared = [
        (document, holders[id(by_object[id(each)])])
        for document in ones
        for each in document.part.objects
        if id(by_object[id(each)]) in holders
    ]
    pairs = {(id(one), id(other)): (one, other) for one, other in shared}
    times = Counter(each for pair in pairs for each in pair)
    yield from (pair for key, pair in pairs.items() if all(times[each] == 1 for each in key))


def _left(ones: list[Object], others: list[Object], _: ByObject) -> Iterator[tuple[Object, Object]]:
    """Yield the only list that is left on each side."""
    if len(ones) == len(others) == 1:
        yield ones[0], others[0]


def _fields(document: Object) -> Hashable:
    """Return the data of a list beside its objects."""
    entries = trees.entries(document.resource.root)
    return frozenset((key, trees.frozen(node)) for key, node in entries.items() if key not in ITEMS)
