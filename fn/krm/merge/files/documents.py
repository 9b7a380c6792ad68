"""The merge of whole files: their objects matched, merged one by one, and written into local's text.

Objects that are new in update come behind the one before them (docs/merge.md, "Documents"). A file without a document
is not there.
"""

from __future__ import annotations

from krm.file import ITEMS, File
from krm.merge import outcome, text, trees
from krm.merge.files import comment_documents, list_documents, matching
from krm.merge.files.matching import STEPS, STEPS_BY_IDENTITY
from krm.merge.files.object_lines import ObjectLines
from krm.merge.files.schemas import Schemas
from krm.merge.files.writing import Added, Writing
from krm.merge.lines.blocks import OddError
from krm.merge.lines.pieces import Hunk
from krm.merge.lists import order
from krm.merge.merge3 import Rules, merge3
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT, Refused
from krm.merge.trees import Tree
from krm.results import INFO, WARNING, FnError, Output, Result, locate, sort_key
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import Alias, Mapping, Sequence, at
from krm.yamltree.target import Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.file import Object
    from krm.merge.files.matching import How, MatchedObjects, Side
    from krm.merge.files.object_lines import Wanted
    from krm.merge.kinds.schema import Schema
    from krm.merge.options import MergeKeys
    from krm.merge.outcome import Merged, Note
    from krm.merge.policy import Policy, Winner
    from krm.yamltree.nodes import Node

    Merge: TypeAlias = Callable[[Tree, Tree, Tree, Schema], Merged]
    Take: TypeAlias = Callable[[MatchedObjects, Wanted], None]

_MATCHED: dict[How, str] = {
    "moved": "its kind and its name",
    "generated": "its annotation `generated-by`",
    "generated name": "its kind and its generateName",
    "name": "its name and its content",
    "likeness": "its content",
    "content": "its content",
}
_UNDECIDED = (
    "update changed what stands beside the `items`, and nothing tells which of the lists of this kind it is: "
    "local's lists keep their fields"
)


def merge(origin: File, update: File, local: File, decide: Merge, *, by_identity: bool = False) -> Output:
    """Return local's text with what `decide` makes of each object, and the results.

    With `by_identity` nothing else makes two objects one. FnError if an object cannot be merged.
    """
    files: dict[Side, File] = {"origin": origin, "update": update, "local": local}
    matches = matching.matched(
        {side: file.objects for side, file in files.items()}, STEPS_BY_IDENTITY if by_identity else STEPS
    )
    if not by_identity:
        matching.check_names(matches)
    writing = Writing(local, keeps_empty_lists=any(part.is_list for part in update.parts))
    shares = any(map(_shares, (origin, update, local)))
    new: dict[int, Added] = {}

    def take(match: MatchedObjects, wanted: Wanted) -> None:
        found = match.objects.get("local")
        if found is not None:
            writing.put(found, wanted)
        elif isinstance(wanted, Graft):
            new[id(match)] = Added(match.objects["update"], wanted)

    # Local's definitions first: what the user changed in a CustomResourceDefinition is what the cluster has.
    merging = Merging([local, origin, update], decide, take, is_base_rule=not by_identity)
    for match in matches:
        merging.merge(match)
    by_object = matching.by_object(matches)
    merging.merge_list_documents(files, by_object)
    place(by_object, update, local, new, writing)
    left = [] if by_identity else comment_documents.merge(files, by_object, new, writing)
    found = sorted([*merging.results, *left], key=sort_key)
    merged = writing.text()
    kept = [result for result in found if result.reason not in (COMMENT_GONE, COMMENT_KEPT)]
    by_lines: str | None = None
    if shares and not by_identity:
        by_lines = _with_aliases(origin, update, local, merged)
    elif len(kept) < len(found) and not local.is_json:
        # A comment that has no place in its object may have one in the file.
        by_lines = _by_lines(origin, update, local, merged)
    return Output((merged,), found) if by_lines is None else Output((local.mark + by_lines,), kept)


def _shares(file: File) -> bool:
    """Return True if objects of a list share what an alias shows."""
    return any(
        part.is_list and "*" in part.resource.source and part.resource.editor.document.shares for part in file.parts
    )


def _with_aliases(origin: File, update: File, local: File, merged: str) -> str | None:
    """Return the merge of lists whose objects share what an alias shows, None unless it says what the merge says.

    Written one by one, each object would get a copy of what an alias in it showed before.
    """
    for winner in ("local", "update"):
        found = _within_structure(origin, update, local, winner=winner)
        if found is not None and all(map(_agree, trees.roots(found), trees.roots(merged))):
            return found
    return None


def _agree(one: Node | None, other: Node | None) -> bool:
    """Return True if two nodes say the same, whatever an alias in the first one shows."""
    if isinstance(one, Alias):
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        entries, others = dict(one.items()), dict(other.items())
        return entries.keys() == others.keys() and all(_agree(entries[key], others[key]) for key in entries)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.kids) == len(other.kids) and all(map(_agree, one.kids, other.kids))
    return trees.frozen(one) == trees.frozen(other)


def _by_lines(origin: File, update: File, local: File, merged: str) -> str | None:
    """Return the merge of files by lines, None unless it is clean and says what the merge says.

    It is as git makes it, or else, of lists of objects, that of lines within structure.
    """
    lines = text.merged(origin.text, update.text, local.text, winner="local")
    if not lines.is_conflict and trees.same_documents(lines.text, merged):
        return lines.text
    found = _within_structure(origin, update, local)
    return found if found is not None and trees.same_documents(found, merged) else None


def _within_structure(*sides: File, winner: Winner | None = None) -> str | None:
    """Return the merge of files that hold one list each as lines within structure, None if a conflict has no winner."""
    if any([part.is_list for part in file.parts] != [True] for file in sides):
        return None
    # Read anew: local's documents have become other ones.
    files = {side: File(file.text, file.name) for side, file in zip(matching.SIDES, sides, strict=True)}
    from krm.merge.files.document_lines import DocumentLines  # noqa: PLC0415 - few merges leave out a comment

    try:
        within = DocumentLines(files).merged()
        if winner is None and any(isinstance(piece, Hunk) for piece in within):
            return None
        chosen = (piece if isinstance(piece, str) else _chosen(piece, winner) for piece in within)
        found = "".join(chosen)
        is_whole = bool(File(found, sides[-1].name).objects)  # found, since an alias may have lost its anchor
    except (OddError, FnError):
        return None
    return found if is_whole else None


def _chosen(hunk: Hunk, winner: Winner | None) -> str:
    return hunk.local if winner == "local" else hunk.update


def by_fields(
    policy: Policy,
    references: Callable[[str], Iterable[str]] = lambda _: (),
    *,
    lists: Iterable[MergeKeys] = (),
) -> Merge:
    """Return the 3-way merge of one object with a policy.

    `references` finds the names that a text refers to, and `lists` are those of the caller's own kinds.
    """
    return lambda origin, update, local, schema: merge3(
        origin, update, local, Rules(schema.including(lists), policy, references)
    )


class Merging:
    """Objects while they are merged, one after the other: `take` gets what is wanted of each that may change."""

    def __init__(self, files: Iterable[File], decide: Merge, take: Take, *, is_base_rule: bool) -> None:
        """Take the files, for the definitions in them. `is_base_rule` if what nobody changed stays as it is."""
        self.results: list[Result] = []
        self._decide = decide
        self._take = take
        self._is_base_rule = is_base_rule
        self._schemas = Schemas(files)

    def merge(self, match: MatchedObjects) -> None:
        """Merge one object, and add the results. FnError if it cannot be merged, or not be written."""
        # Not for kubectl's rules: what was applied last may have to be noted in local.
        if self._is_base_rule and match.is_same_text:
            return
        if match.how in matching.BY_CONTENT and len(match.objects) == 2:  # noqa: PLR2004 - one of the sides deleted it
            # What is likely to be the same object is nothing to delete it for.
            match.objects.pop("origin", None)
        origin, update, local = sides = [_tree(match.objects.get(side)) for side in matching.SIDES]
        if update.root is None and local.root is None:
            return
        first = match.first.resource
        schema = self._schemas.of(match.objects)
        try:
            merged = self._decide(origin, update, local, schema)
        except Refused as reason:
            raise FnError(_refused(match, sides, reason)) from None
        wanted, notes = self._written(match, schema, merged)
        merged.notes += notes
        self._add(match, [*outcome.results(first, merged), *_reported(match)])
        self._take(match, wanted)
        # What comes in new is written at the end, from its own tree.
        for side, found in match.objects.items():
            if side != "update" or "local" in match.objects:
                found.release()

    def _written(self, match: MatchedObjects, schema: Schema, merged: Merged) -> tuple[Wanted, list[Note]]:
        """Return what is wanted of an object, with the lines of both sides, and notes on comments that are left out."""
        # In overlays, and where kubectl's rules count, comments are not merged.
        if not self._is_base_rule:
            return merged.wanted, []
        try:
            found = ObjectLines(match.objects, schema)
            # What is in a list belongs to its objects.
            if any(each is each.part.list_document for each in match.objects.values()):
                return merged.wanted, [*found.left_out_of_list(merged.wanted)]
            return found.merged(merged)
        except EditError:
            return merged.wanted, []  # what cannot be written is told where it is

    def merge_list_documents(self, sides: dict[Side, File], by_object: dict[int, MatchedObjects]) -> None:
        """Merge the fields of the lists of one file that stand beside their elements."""
        # An overlay names a list for what is in it, and kubectl applies its elements alone.
        if not self._is_base_rule:
            return
        matches = list_documents.matched(sides, by_object)
        for match in matches:
            if {"update", "local"} <= match.objects.keys():
                self.merge(match)
        for document in list_documents.undecided(matches):
            result = document.resource.result(_UNDECIDED, WARNING, outcome.DUPLICATE_KEYS)
            result.file = document.part.file.name
            locate(result, document.lines())
            self.results.append(result)

    def _add(self, match: MatchedObjects, found: Iterable[Result]) -> None:
        line_of = match.first.lines()
        for result in found:
            result.file = result.file or match.first.part.file.named
            locate(result, line_of)
            self.results.append(result)


def place(
    by_object: dict[int, MatchedObjects], update: File, local: File, new: dict[int, Added], writing: Writing
) -> None:
    """Give new objects their places in a file: each comes behind the one before it in update.

    `new` are the objects that come in, by their matches. One that update has in a list comes into that list of local.
    """
    there, coming = ({id(by_object[id(found)]): found for found in side.objects} for side in (local, update))
    homes = {
        id(match.objects["update"].part): match.objects["local"].part
        for match in list_documents.matched({"update": update, "local": local}, by_object)
        if len(match.objects) > 1
    }
    # The objects of local are in the order too, deleted ones included: a new one may stand behind one that goes.
    predecessor = None
    for key in order.inserted(coming, there, {*there, *new}):
        if key not in new:
            predecessor = there[key]
            continue
        home = homes.get(id(coming[key].part))
        is_first = home is not None and (predecessor is None or predecessor.part is not home)
        writing.add(new[key], home if is_first else predecessor)


def _refused(match: MatchedObjects, sides: list[Tree], reason: Refused) -> Result:
    """Return the error that says why an object cannot be merged, with file and line where the side is known."""
    result = outcome.refused(match.first.resource, reason)
    for side, tree in zip(matching.SIDES, sides, strict=True):
        if tree is reason.tree:
            found = match.objects[side]
            result.file = found.part.file.name
            locate(result, found.lines())
    return result


def _reported(match: MatchedObjects) -> Iterator[Result]:
    """Yield an info on what was taken for one object without having one identity."""
    detail = _MATCHED.get(match.how)
    if detail is not None and len(match.objects) > 1:
        names = [f"{side} {match.objects[side].resource.ref}" for side in matching.SIDES if side in match.objects]
        message = f"taken for one object by {detail}: {', '.join(names)}"
        yield match.first.resource.result(message, INFO, outcome.MATCHED)


def _tree(found: Object | None) -> Tree:
    """Return an object as one side of a merge, a tree without a root for None."""
    if found is None:
        return Tree("", None)
    resource = found.resource
    items = at(resource.editor.document.root, *ITEMS) if resource.base else None
    parent = items if isinstance(items, Sequence) else None
    elsewhere = ITEMS[0] if found is found.part.list_document else None
    return Tree(resource.editor.text, resource.root, parent, elsewhere=elsewhere)
