"""The merge of the objects in some files, one after the other."""

from __future__ import annotations

import posixpath
from functools import partial

from krm.merge import outcome
from krm.merge.decider import Decider
from krm.merge.files import matching, merged_object
from krm.merge.files.matching import SIDES
from krm.merge.files.merged_object import MergedObject, ObjectLines
from krm.merge.kinds.schema import DEFINITION_KIND, KUSTOMIZE, Definitions, Schema
from krm.merge.lines.blocks import NotByLinesError
from krm.merge.lines.line_walk import ListedObjects
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT, KEPT_ADDITION, KEPT_ELEMENTS, Merged, Refused
from krm.merge.policy import Policy, won
from krm.merge.text_merge import Hunk, text_of
from krm.merge.trees import FieldSides, Tree, Triple
from krm.resource import KUSTOMIZATIONS
from krm.results import CONFLICT, WARNING, FnError, Result, locate
from krm.yamltree.edits import EditError
from krm.yamltree.parser import ParseError
from krm.yamltree.positions import ended
from krm.yamltree.target import Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.file import File, Object
    from krm.merge.files.matching import How, MatchedObjects, Side
    from krm.merge.lines.blocks import EntryKeys
    from krm.merge.text_merge import Piece
    from krm.resource import Resource

    Merge: TypeAlias = "BaseRule | Callable[[Tree, Tree, Tree, Schema], Merged]"
    Secrets: TypeAlias = Callable[[Resource], set[FieldPath]]
    """The fields of an object that hold a secret though its kind does not say so."""


_MATCHED: dict[How, str] = {
    "moved": "its kind and its name",
    "generated": "its annotation `generated-by`",
    "generated name": "its kind and its generateName",
    "but name": "all but its name",
    "name": "its name and its content",
    "likeness": "its content",
    "content": "its content",
}
_SPLIT = (KEPT_ADDITION, KEPT_ELEMENTS)
_OF_LINES = (COMMENT_GONE, COMMENT_KEPT, CONFLICT, *_SPLIT)


class BaseRule:
    """The 3-way merge of an object by its fields, with a policy, and other policies for objects `of_kinds`.

    Any other kind of merge is by values, and matches objects only by their identity.
    """

    def __init__(self, policy: Policy, of_kinds: Mapping[str, Policy] | None = None) -> None:
        self.policy = policy
        self.of_kinds = of_kinds or {}


class Merging:
    """The merge of objects, one after the other, and the `results` about them.

    `one_values` are the matches, by `id()`, in which both sides changed a field that is one value by a rule of its
    kind: lines with both changes are wrong then. `split` are those in which one side's additions stay in what the other
    took away.
    """

    def __init__(self, files: Iterable[File], decide: Merge, secrets: Secrets, *, has_markers: bool = False) -> None:
        """Take the files of origin, update and local, for the CustomResourceDefinitions in them.

        If it `has_markers`, conflicts stand between markers in the text. Else the lines of one side are taken.
        """
        self._secrets = secrets
        self.is_base_rule = isinstance(decide, BaseRule)
        self.has_markers = has_markers
        self.one_values: set[Hashable] = set()
        self.split: set[Hashable] = set()
        self._decide = decide
        self._results: dict[Hashable, list[Result]] = {}
        self._definitions = Definitions(_definitions(files))

    @property
    def results(self) -> list[Result]:
        """The results about files and objects."""
        return [result for found in self._results.values() for result in found]

    def merge(self, match: MatchedObjects) -> MergedObject | None:
        """Return the merge of one object, None if it is deleted. FnError if it cannot be merged, or not be written."""
        # By kubectl's rules even an unchanged object may change: the annotation with what was applied last.
        side = match.changed_side if self.is_base_rule else None
        # Nothing is parsed. Only a document of the same format has a text that can be taken.
        if side == "local" or (side == "update" and not match.is_mixed):
            self._tell(match, match, Merged(None, [], []))
            return MergedObject(match.first, [match.objects[side].text])
        if match.objects.keys() <= {"origin"}:
            return None
        made, merged = self._by_fields(match) if self.is_base_rule else self._by_values(match)
        self._tell(match, match, merged)
        self._tell_repeated(match)
        for found in match.objects.values():
            found.release()
        return made

    def _by_values(self, match: MatchedObjects) -> tuple[MergedObject | None, Merged]:
        """Return the merge of an object by its values: for overlays and kubectl's rules, which merge no comments."""
        decide: Callable[..., Merged] = self._decide  # type: ignore[assignment]  # it is no base rule
        sides = [_tree(match.objects.get(side)) for side in SIDES]
        try:
            merged = decide(*sides, self._schema(match))
        except Refused as reason:
            raise FnError(_refused(match, sides, reason)) from None
        wanted = merged.target
        if isinstance(wanted, Graft) and "local" not in match.objects:
            wanted = match.first.resource.root if wanted.amended is None else wanted.amended
        elif wanted is None:
            return None, merged
        found = MergedObject.of_target(match.first, wanted)
        # The objects of a list are written together, later. Whichever side deleted a comment of local's, it is told.
        if "local" in match.objects and not any(found.is_element for found in match.objects.values()):
            nothing = _tree(None)
            merged.notes += merged_object.comment_notes(nothing, nothing, sides[-1], text_of(found.document()))
        return found, merged

    def _by_fields(self, match: MatchedObjects) -> tuple[MergedObject | None, Merged]:
        """Return the merge of an object by its fields: as one value if a side lacks it, or lines cannot divide it."""
        if len(match.objects) == 1:
            return _unchanged(match.first), Merged(None, [], [])
        found = ObjectLines(match)
        if not {"update", "local"} <= match.objects.keys():
            return self._as_one_value(match, found)
        try:
            pieces, decider = self._merged_lines(match, found)
        except ParseError as error:
            raise FnError(match.first.resource.mistake(error)) from None
        except (EditError, NotByLinesError) as error:
            if match.is_mixed:  # JSON cannot be a part of a YAML file, nor the other way round
                raise merged_object.not_editable(match.first.resource, error) from None
            return self._as_one_value(match, found)
        written = text_of(pieces)
        lost = [*found.left_out(written)]
        notes = [*decider.notes, *found.no_longer_applied(written, decider), *lost]
        merged = Merged(None, decider.conflicts, notes)
        # A side in another form for the merge may have left out some of its comments.
        if (lost and decider.trees != found.sides) or (self.has_markers and found.loses_comments(pieces)):
            pieces = [Hunk(*_texts(match.objects), written)]
        return MergedObject(match.first, pieces), merged

    def _merged_lines(self, match: MatchedObjects, found: ObjectLines) -> tuple[list[Piece], Decider]:
        """Return the merge of an object's lines, and its decider. FnError if kubectl's annotation cannot be read.

        Each element of a list of objects is merged as an object of its kind.
        """
        listed = _elements(match)
        elements = {id(one): one for one in (matching.matched(listed, matching.STEPS) if listed else ())}
        deciders: dict[int, Decider] = {}

        def decider_of(key: int, *sides: Tree) -> Decider:
            deciders[key] = self._decider(elements[key], *sides)
            return deciders[key]

        by_object = matching.by_object(elements.values())
        keys: list[EntryKeys] = [[id(by_object[id(each)]) for each in listed[side]] for side in listed or ()]
        items = ListedObjects(keys, decider_of) if keys else None
        try:
            made = found.merge(partial(self._decider, match), items, has_markers=self.has_markers)
        except Refused as reason:
            raise FnError(_refused(match, found.sides, reason)) from None
        for key, one in elements.items():
            conflicts, notes = (deciders[key].conflicts, deciders[key].notes) if key in deciders else ([], [])
            self._tell(match, one, Merged(None, conflicts, notes))
        return made

    def _as_one_value(self, match: MatchedObjects, found: ObjectLines) -> tuple[MergedObject | None, Merged]:
        """Return an object as the winner has it, None if that has none.

        If there is a conflict or a note, the whole document is one conflict.
        """
        decider = self._decider(match, *(_tree(match.objects.get(side)) for side in SIDES))
        roots = Triple(*(side.root for side in decider.trees))
        winner, _ = decider.decide_as_one(FieldSides((), decider.policy, roots))
        kept = _unchanged(match.objects.get(winner))
        own = "" if kept is None else text_of(kept.document())
        notes = [*found.left_out(own)]
        if decider.conflicts or notes:
            kept = MergedObject(match.first, [Hunk(*_texts(match.objects), own)])
        return kept, Merged(None, decider.conflicts, notes)

    def _decider(self, match: MatchedObjects, *sides: Tree) -> Decider:
        decide: BaseRule = self._decide  # type: ignore[assignment]  # this is asked of no other
        schema, (origin, update, local) = self._schema(match), sides
        policy = decide.of_kinds.get(schema.kind, decide.policy)
        # Content is a guess, and update's deletion of another object is no reason to delete local's.
        if match.how in matching.BY_CONTENT and "update" not in match.objects:
            policy = won(policy.winner, update=Policy("KeepLocal"), local=policy)
        return Decider(origin, update, local, schema, policy)

    def _schema(self, match: MatchedObjects) -> Schema:
        return Schema(*_type_of(match.objects), definitions=self._definitions)

    def forget(self, keys: Collection[Hashable]) -> None:
        """Drop the results about what objects lose or keep: another merge of the file has kept everything."""
        for key in self._results.keys() & keys:
            self._results[key] = [each for each in self._results[key] if each.reason not in _OF_LINES]

    def tell(self, result: Result) -> None:
        """Take a result about a file."""
        self._results.setdefault(None, []).append(result)

    def _tell(self, match: MatchedObjects, one: MatchedObjects, merged: Merged) -> None:
        """Take the results about an object, or about `one` of those in a list."""
        self.one_values |= {id(match) for conflict in merged.conflicts if conflict.is_one_value}
        self.split |= {id(match) for note in merged.notes if note.reason in _SPLIT}
        # Markers tell a conflict at its place.
        if self.has_markers:
            merged = Merged(None, [], [])
        if merged.conflicts:
            from krm import secrets  # noqa: PLC0415 - most merges have no conflict

            for found in (found.resource for found in one.objects.values()):
                # What is secret on one side is secret on all: one may have made a Secret of a ConfigMap.
                one.first.resource.secrets |= {
                    *self._secrets(found),
                    *(place for place, _ in secrets.secret_nodes(found)),
                }
        line_of = one.first.lines()
        for result in (*outcome.results(one.first.resource, merged), *_reported(one)):
            result.file = result.file or one.first.document.file.named
            locate(result, line_of)
            self._results.setdefault(id(match), []).append(result)

    def _tell_repeated(self, match: MatchedObjects) -> None:
        """Report a key that a mapping has again: each was merged for itself, and readers differ in which one counts."""
        for resource in (found.resource for found in reversed(match.objects.values())):
            repeated = resource.editor.document.repeated if resource.is_parsed else None
            if repeated is not None:
                mistake = resource.mistake(repeated)
                mistake.severity = WARNING
                self.tell(mistake)
                return


def _unchanged(found: Object | None) -> MergedObject | None:
    """Return an object that is kept as it is. A document of comments alone is none."""
    return None if found is None or found.resource.root is None else MergedObject(found, [found.text])


def _elements(match: MatchedObjects) -> dict[Side, list[Object]]:
    """Return the objects in a list on each side, nothing unless all sides have such a list."""
    found: dict[Side, list[Object]] = {side: [] for side in SIDES}
    for side, there in match.objects.items():
        elements = there.document.elements()
        if elements is None:
            return {}
        found[side] = elements
    return found


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
    for document in (document for file in files for document in file.documents):
        for found in (
            (document.elements() or document.objects) if document.resource.may_contain(DEFINITION_KIND) else ()
        ):
            if found.head.is_readable and found.head.kind == DEFINITION_KIND:
                definitions.setdefault(found.text, found.resource)
    return definitions.values()
