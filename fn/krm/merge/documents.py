"""The merge of whole files: their objects matched, merged one by one, and written into local's text.

Objects that are new in update come behind the one before them (docs/merge.md, "Documents"). A file without a document
is not there.
"""

from __future__ import annotations

from krm.merge import matching, order, outcome
from krm.merge.files import Added, Writing
from krm.merge.matching import STEPS, STEPS_BY_IDENTITY
from krm.merge.merge3 import Rules, merge3
from krm.merge.outcome import Refused
from krm.merge.policy import Policy
from krm.merge.schema import DEFINITION_KIND, Definitions, Schema
from krm.merge.trees import Tree
from krm.resourcelist import Output
from krm.results import INFO, FnError, Result
from krm.yamltree.target import Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.merge.files import File, Object
    from krm.merge.matching import How, Match, Side
    from krm.merge.outcome import Merged
    from krm.merge.policy import OnConflict
    from krm.resource import Resource
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Merge: TypeAlias = Callable[[Tree, Tree, Tree, Schema], Merged]

_MATCHED: dict[How, str] = {
    "moved": "its kind and its name",
    "generated": "its annotation `generated-by`",
    "generated name": "its kind and its generateName",
    "likeness": "its content",
}


def merge(origin: File, update: File, local: File, decide: Merge, *, by_identity: bool = False) -> Output:
    """Return local's text with what `decide` makes of each object, and the results.

    With `by_identity` nothing else makes two objects one. FnError if an object cannot be merged.
    """
    merging = _Merging(origin, update, local, decide)
    for match in merging.matches(STEPS_BY_IDENTITY if by_identity else STEPS):
        merging.merge(match)
    return Output((merging.text(),), sorted(merging.results, key=Result.order))


def by_fields(on_conflict: OnConflict, references: Callable[[str], Iterable[str]]) -> Merge:
    """Return the 3-way merge of one object with a policy. `references` finds the names that a text refers to."""
    policy = Policy(on_conflict)
    return lambda origin, update, local, schema: merge3(origin, update, local, Rules(schema, policy, references))


class _Merging:
    """Three files while they are merged."""

    def __init__(self, origin: File, update: File, local: File, decide: Merge) -> None:
        self.results: list[Result] = []
        self._files: dict[Side, File] = {"origin": origin, "update": update, "local": local}
        self._decide = decide
        self._defined = Definitions(_definitions(local, origin, update))
        self._writing = Writing(local, keeps_empty_lists=any(part.is_list for part in update.parts))
        self._new: dict[int, Added] = {}
        self._matches: list[Match] = []

    def matches(self, steps: tuple[How, ...]) -> list[Match]:
        """Return the objects of all files, each once."""
        self._matches = matching.matched({side: file.objects for side, file in self._files.items()}, steps)
        return self._matches

    def merge(self, match: Match) -> None:
        """Merge one object, and add the results."""
        objects = dict(match.objects)
        if match.how == "likeness" and len(objects) == 2:  # noqa: PLR2004 - one of the sides deleted it
            # What is likely to be the same object is nothing to delete it for.
            del objects["origin"]
        first = match.first.resource
        origin, update, local = (_tree(objects.get(side)) for side in matching.SIDES)
        if update.root is None and local.root is None:
            return
        schema = Schema(*_type(objects), definitions=self._defined)
        try:
            merged = self._decide(origin, update, local, schema)
        except Refused as reason:
            raise FnError(outcome.refused(first, reason)) from None
        self.results += outcome.results(first, merged)
        self._report(match)
        self._take(objects, merged.wanted)

    def text(self) -> str:
        """Return the text that local becomes. FnError if it cannot be written."""
        self._place_new()
        return self._writing.text()

    def _take(self, objects: dict[Side, Object], wanted: Target | None) -> None:
        """Write what is wanted of an object, or keep it for its place if it is new. FnError if it cannot be written."""
        local = objects.get("local")
        if local is not None:
            self._writing.put(local, wanted)
        elif isinstance(wanted, Graft):
            self._new[id(objects["update"])] = Added(objects["update"], wanted)

    def _place_new(self) -> None:
        """Give each new object the place behind the one before it in update."""
        by_object = {id(found): match for match in self._matches for found in match.objects.values()}
        update, local = (
            [id(by_object[id(found)]) for found in self._files[side].objects] for side in ("update", "local")
        )
        new = {id(by_object[key]): added for key, added in self._new.items() if key in by_object}
        there = {id(match): match.objects["local"] for match in self._matches if "local" in match.objects}
        predecessor = None
        for key in order.inserted(update, local, {*local, *new}):
            if key in new and key not in there:
                self._writing.add(new[key], predecessor)
            else:
                predecessor = there[key]

    def _report(self, match: Match) -> None:
        """Add an info on what was taken for one object without having one identity."""
        detail = _MATCHED.get(match.how)
        if detail is None or len(match.objects) == 1:
            return
        names = [f"{side} {match.objects[side].resource.ref}" for side in matching.SIDES if side in match.objects]
        message = f"taken for one object by {detail}: {', '.join(names)}"
        self.results.append(match.first.resource.result(message, INFO, outcome.MATCHED))


def _tree(found: Object | None) -> Tree:
    """Return the tree of an object, one without a root for None."""
    return Tree("", None) if found is None else found.tree


def _type(objects: dict[Side, Object]) -> tuple[str, str, str]:
    """Return group, version and kind of the result: local's, unless update alone has moved the object."""
    types = {side: _type_of(found.resource) for side, found in objects.items()}
    if "local" in types and types["local"] != types.get("origin"):
        return types["local"]
    return types.get("update") or types["local"]


def _type_of(resource: Resource) -> tuple[str, str, str]:
    return resource.group, resource.version, resource.kind


def _definitions(*files: File) -> Iterator[Node | None]:
    for file in files:
        for found in file.objects:
            resource = found.resource
            if resource.may_contain(DEFINITION_KIND) and resource.kind == DEFINITION_KIND:
                yield resource.root
