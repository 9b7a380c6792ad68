"""The merge of the objects in some files, one after the other."""

from __future__ import annotations

import posixpath
from functools import partial

from krm.envelope import ITEMS
from krm.file import bare
from krm.merge import outcome, trees
from krm.merge.files import matching, merged_object
from krm.merge.files.matching import SIDES
from krm.merge.files.merged_object import MergedObject, ObjectLines
from krm.merge.kinds.schema import DEFINITION_KIND, KUSTOMIZE, Definitions, Schema
from krm.merge.lines.blocks import NotByLinesError
from krm.merge.lines.line_walk import ListedObjects
from krm.merge.merge3 import Merge3
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT, Merged, Refused
from krm.merge.policy import Policy, changed_by, won
from krm.merge.replacing import is_unchanged
from krm.merge.text_merge import Hunk, text_of, with_each
from krm.merge.trees import MergedField, Tree, Triple
from krm.newitem import ended
from krm.resource import KUSTOMIZATIONS
from krm.results import CONFLICT, FnError, Result, locate
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import Sequence, at
from krm.yamltree.target import AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.file import File, FileDocument, Object
    from krm.merge.files.matching import How, MatchedObjects, Side
    from krm.merge.text_merge import Piece
    from krm.resource import Resource
    from krm.yamltree.editor import Editor
    from krm.yamltree.target import Target

    Merge: TypeAlias = "BaseRule | Callable[[Tree, Tree, Tree, Schema], Merged]"
    Secrets: TypeAlias = Callable[[Resource], set[FieldPath]]
    """The fields of an object that hold a secret though its kind does not say so."""


_MATCHED: dict[How, str] = {
    "moved": "its kind and its name",
    "generated": "its annotation `generated-by`",
    "generated name": "its kind and its generateName",
    "name": "its name and its content",
    "likeness": "its content",
    "content": "its content",
}
_OF_COMMENTS = (COMMENT_GONE, COMMENT_KEPT)


class BaseRule:
    """The 3-way merge of an object by its lines. `policy` returns the policy for a schema.

    Any other kind of merge is by fields, and matches objects only by their identity.
    """

    __slots__ = ("policy",)

    def __init__(self, policy: Callable[[Schema], Policy]) -> None:
        self.policy = policy


class Merging:
    """The merge of objects. `merged_objects` has them by the `id()` of their match. `results` has all results.

    `has_one_value` is true if both sides changed a field that is one value by a rule of its kind: lines with both
    changes are wrong then.
    """

    def __init__(self, files: Iterable[File], decide: Merge, secrets: Secrets, *, has_markers: bool = False) -> None:
        """Take the files of origin, update and local, for the CustomResourceDefinitions in them.

        If it `has_markers`, conflicts stand between markers in the text. Else the lines of one side are taken.
        """
        self._secrets = secrets
        self.merged_objects: dict[Hashable, MergedObject] = {}
        self.is_base_rule = isinstance(decide, BaseRule)
        self.has_markers = has_markers
        self.has_one_value = False
        self._decide = decide
        self._of_objects: dict[Hashable, list[Result]] = {}
        self._of_files: list[Result] = []
        self._definitions = Definitions(_definitions(files))

    @property
    def results(self) -> list[Result]:
        """The results about files, and then about objects."""
        return [*self._of_files, *(result for found in self._of_objects.values() for result in found)]

    def merge(self, match: MatchedObjects) -> None:
        """Merge one object. FnError if it cannot be merged, or not be written."""
        # By kubectl's rules even an unchanged object may change: the annotation with what was applied last.
        side = match.changed_side if self.is_base_rule else None
        # Nothing is parsed. Only a document of the same format has a text that can be taken.
        if side == "local" or (side == "update" and not _is_listed(match) and not match.is_mixed):
            pieces: list[Piece] | None = None if side == "local" else [match.objects[side].text]
            self.merged_objects[id(match)] = MergedObject(match.first, pieces=pieces)
            self._tell(match, _reported(match))
            return
        if match.objects.keys() <= {"origin"}:
            return
        made, merged = self._by_lines(match) if self.is_base_rule else self._by_fields(match)
        for found in match.objects.values() if merged.conflicts else ():
            match.first.resource.secrets |= self._secrets(found.resource)
        self.has_one_value |= any(conflict.is_one_value for conflict in merged.conflicts)
        self._tell(match, [*outcome.results(match.first.resource, merged), *_reported(match)])
        if made is not None:
            self.merged_objects[id(match)] = made
        for found in match.objects.values():
            found.release()

    def _by_fields(self, match: MatchedObjects) -> tuple[MergedObject | None, Merged]:
        """Return the merge of an object by its fields: for overlays and kubectl's rules, which merge no comments."""
        decide: Callable[..., Merged] = self._decide  # type: ignore[assignment]  # it is no base rule
        sides = [_tree(match.objects.get(side)) for side in SIDES]
        try:
            merged = decide(*sides, self._schema(match))
        except Refused as reason:
            raise FnError(_refused(match, sides, reason)) from None
        wanted = merged.target
        if isinstance(wanted, Graft) and "local" not in match.objects:
            wanted = wanted.amended
        elif wanted is None:
            return None, merged
        found = MergedObject(match.first, wanted)
        # The objects of a list are written together, later. Whichever side deleted a comment of local's, it is told.
        if "local" in match.objects and not _is_listed(match):
            nothing = _tree(None)
            merged.notes += merged_object.lost_comments(nothing, nothing, sides[-1], text_of(found.document()))
        return found, merged

    def _by_lines(self, match: MatchedObjects) -> tuple[MergedObject | None, Merged]:
        """Return the merge of an object by its lines: as one value if a side lacks it, or lines cannot divide it."""
        if len(match.objects) == 1:
            return _unchanged(match.first), Merged(None, [], [])
        try:
            found = ObjectLines(match)
        except EditError:
            return self._as_one_value(match, None)
        if not _is_on_both_sides(match):
            return self._as_one_value(match, found)
        try:
            pieces, decider = self._merged_lines(match, found)
        except (EditError, NotByLinesError) as error:
            if match.is_mixed:  # JSON cannot be a part of a YAML file, nor the other way round
                raise merged_object.not_editable(match.first.resource, error) from None
            return self._as_one_value(match, found)
        written = text_of(pieces)
        lost = [*found.left_out(written)]
        notes = [*decider.notes, *found.no_longer_applied(written, decider), *lost]
        merged = Merged(None, decider.conflicts, notes)
        if lost and found.is_rewritten:
            pieces = [Hunk(*_texts(match.objects), written)]
        is_own = pieces == [written] and found.is_own(written)
        return MergedObject(match.first, pieces=None if is_own else pieces), merged

    def _merged_lines(
        self, match: MatchedObjects, found: ObjectLines, items: ListedObjects | None = None
    ) -> tuple[list[Piece], Merge3]:
        """Return the merge of an object's lines, and its decider. FnError if kubectl's annotation cannot be read."""
        try:
            return found.merged(partial(self._decider, match), items, has_markers=self.has_markers)
        except Refused as reason:
            raise FnError(_refused(match, found.sides, reason)) from None

    def _as_one_value(self, match: MatchedObjects, found: ObjectLines | None) -> tuple[MergedObject | None, Merged]:
        """Return an object as the winner has it, None if that has none. Lost comments are noted if `found` is given.

        If there is a conflict or a note, the whole document is one conflict.
        """
        decider = self._decider(match, *(_tree(match.objects.get(side)) for side in SIDES))
        roots = Triple(*(side.root for side in decider.trees))
        # Content is a guess, and update's deletion of another object is no reason to delete local's.
        policy = decider.policy
        if match.how in matching.BY_CONTENT and "update" not in match.objects:
            policy = won(policy.winner, update=Policy("KeepLocal"), local=policy)
        winner, _ = decider.one_value(MergedField((), policy, roots))
        notes = [] if found is None else [*found.left_out(found.sides[SIDES.index(winner)].text)]
        kept = _unchanged(match.objects.get(winner))
        if (decider.conflicts or notes) and not _is_listed(match):
            own = "" if kept is None else text_of(kept.document())
            kept = MergedObject(match.first, pieces=[Hunk(*_texts(match.objects), own)])
        return kept, Merged(None, decider.conflicts, notes)

    def merge_list(
        self,
        match: MatchedObjects | None,
        part: FileDocument,
        elements: list[Target],
        items: list[list[MatchedObjects]],
        *,
        are_alike: bool,
    ) -> list[Piece]:
        """Return the text of a list with new `elements`, and with its own fields merged. FnError as for an object.

        `items` are the objects in it on each side. They `are_alike` if none of them is elsewhere on another side.
        """
        own: Sequence = at(part.resource.root, *ITEMS)  # type: ignore[assignment]  # a list of objects has items
        listed = own if is_unchanged(elements, own.kids) else AmendedSequence(own, elements)
        # An overlay has a list only for the objects in it, and kubectl applies only these.
        if not self.is_base_rule or match is None or not _is_on_both_sides(match):
            return [bare(merged_object.amended(part.resource, ITEMS, listed).text)]
        found = ObjectLines(match)
        try:
            listed_objects = ListedObjects(items, self._decider, are_alike=are_alike)
            pieces, decider = self._merged_lines(match, found, listed_objects)
            is_contested = False
        except (EditError, NotByLinesError):
            pieces, decider = self._own_fields(match, found, merged_object.amended(part.resource, ITEMS, listed))
            # The conflicts of the elements are not in the text any more, so the whole list is a conflict.
            results = (result for side in items for each in side for result in self._of_objects.get(id(each), ()))
            is_contested = any(result.reason in (*_OF_COMMENTS, CONFLICT) for result in results)
        written = text_of(pieces)
        notes = [*found.left_out(written)]
        if is_contested or (found.is_rewritten and notes):
            pieces = [Hunk(*_texts(match.objects), written)]
        merged = Merged(None, decider.conflicts, [*decider.notes, *notes])
        self._tell(match, outcome.results(match.first.resource, merged))
        self._forget({id(each) for side in items for each in side}, _OF_COMMENTS)
        return [with_each(pieces[0], bare), *pieces[1:]]

    def _own_fields(self, match: MatchedObjects, found: ObjectLines, listed: Editor) -> tuple[list[Piece], Merge3]:
        """Return a list with its own fields merged, and with the elements of `listed`."""
        try:
            found.put_elements(listed)
            return self._merged_lines(match, found)
        except (EditError, NotByLinesError) as error:
            raise merged_object.not_editable(match.first.resource, error) from None

    def _decider(self, match: MatchedObjects, *sides: Tree) -> Merge3:
        decide: BaseRule = self._decide  # type: ignore[assignment]  # this is asked of no other
        schema, (origin, update, local) = self._schema(match), sides
        return Merge3(origin, update, local, schema, decide.policy(schema))

    def _schema(self, match: MatchedObjects) -> Schema:
        return Schema(*_type_of(match.objects), definitions=self._definitions)

    def forget(self, keys: Collection[Hashable]) -> None:
        """Drop the results about comments and conflicts of objects: another merge of the file has kept everything."""
        self._forget(keys, (*_OF_COMMENTS, CONFLICT))

    def _forget(self, keys: Collection[Hashable], reasons: Collection[str]) -> None:
        for key in self._of_objects.keys() & keys:
            self._of_objects[key] = [each for each in self._of_objects[key] if each.reason not in reasons]

    def tell(self, result: Result) -> None:
        """Take a result about a file."""
        self._of_files.append(result)

    def _tell(self, match: MatchedObjects, found: Iterable[Result]) -> None:
        line_of = match.first.lines()
        results = self._of_objects.setdefault(id(match), [])
        for result in found:
            result.file = result.file or match.first.document.file.named
            locate(result, line_of)
            results.append(result)


def _unchanged(found: Object | None) -> MergedObject | None:
    """Return an object that is kept as it is. A document of comments alone is none."""
    return None if found is None or found.resource.root is None else MergedObject(found)


def _is_listed(match: MatchedObjects) -> bool:
    """True if an object is in a list on some side."""
    return any(found.document.is_list for found in match.objects.values())


def _is_on_both_sides(match: MatchedObjects) -> bool:
    return {"update", "local"} <= match.objects.keys()


def merged_as_text(there: Mapping[Side, Object]) -> list[Piece] | None:
    """Return the merge of a document as git sees it, by its text. None if both sides have it, and both changed it."""
    origin, update, local = _texts(there)
    side = changed_by(origin, update, local)
    if side is None:
        if update and local:
            return None
        return [] if _has_nothing_new(origin, update or local) else [Hunk(origin, update, local, local)]
    kept = there.get(side)
    return [] if kept is None else [kept.text]


def _has_nothing_new(before: str, after: str) -> bool:
    """True if a side only took blank lines and comments out of a document."""
    left = iter(before.splitlines())
    return all(line in left for line in after.splitlines()) and trees.same_documents(before, after)


def _texts(there: Mapping[Side, Object]) -> tuple[str, str, str]:
    """Return the text of an object on each side, empty for a side that lacks it."""
    origin, update, local = (ended(there[side].text) if side in there else "" for side in SIDES)
    return origin, update, local


def _refused(match: MatchedObjects, sides: Iterable[Tree], reason: Refused) -> Result:
    """Return the error that says why an object cannot be merged, with file and line if the side is known."""
    result = outcome.refused(match.first.resource, reason)
    for side, tree in zip(matching.SIDES, sides, strict=True):
        if tree is reason.tree:
            found = match.objects[side]
            result.file = found.document.file.name
            locate(result, found.lines())
    return result


def _reported(match: MatchedObjects) -> Iterator[Result]:
    """Yield the result about objects that were matched without the same identity: a warning if it is a guess."""
    detail = _MATCHED.get(match.how)
    if detail is not None and len(match.objects) > 1:
        message = f"taken for one object by {detail}: {match.named}"
        yield match.first.resource.notice(message, outcome.GUESSED if match.is_a_guess else outcome.MATCHED)


def _tree(found: Object | None) -> Tree:
    """Return an object as a side of a merge. For None it is a tree without a root."""
    return Tree("", None) if found is None else Tree(found.resource.editor.text, found.resource.root)


def _type_of(objects: dict[Side, Object]) -> tuple[str, str, str]:
    """Return group, version and kind of a merged object: local's, unless only update changed them."""
    types = {side: _type(found) for side, found in objects.items()}
    # Two versions of a kind may have different keys, so the lists are merged by the version that is taken.
    if "local" in types and types["local"] != types.get("origin"):
        return types["local"]
    return types.get("update") or types["local"]


def _type(found: Object) -> tuple[str, str, str]:
    resource = found.resource
    if not resource.kind and posixpath.basename(found.document.file.name) in KUSTOMIZATIONS:
        return KUSTOMIZE, resource.version, resource.kind
    return resource.group, resource.version, resource.kind


def _definitions(files: Iterable[File]) -> Iterable[Resource]:
    """Return the CustomResourceDefinitions in the files of origin, update and local: the last one of a kind counts.

    A definition that a side did not change counts as origin's. One that cannot be read is left out.
    """
    definitions: dict[str, Resource] = {}
    for file in files:
        for found in file.objects:
            may_be_one = found.resource.may_contain(DEFINITION_KIND) and found.head.is_readable
            if may_be_one and found.head.kind == DEFINITION_KIND:
                definitions.setdefault(found.text, found.resource)
    return definitions.values()
