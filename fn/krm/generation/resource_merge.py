"""The merge into one item (docs/reference/generated-resources.md, "Your edits", "What was there before")."""

from __future__ import annotations

from operator import eq

from krm import fieldpath, syntax
from krm.fieldpath import Match
from krm.generation import mirror, sides
from krm.generation.settings import is_of_tools, may_be
from krm.generation.sides import LocalItem
from krm.generation.updates import text_of
from krm.merge import outcome, policy, trees, value_walk
from krm.merge.kinds.schema import DEFINITION_KIND, Definitions, Schema, inferred
from krm.merge.kubectl import apply, godata
from krm.merge.lists import pairing
from krm.merge.outcome import Merged, Refused
from krm.merge.trees import Tree
from krm.results import ERROR, FnError
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, leaves, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Segment
    from krm.generation.following import Following
    from krm.generation.mirror import Mirror, TemplateChange
    from krm.generation.settings import Settings
    from krm.generation.state import StateEntry
    from krm.generation.updates import Update
    from krm.merge.policy import OnConflict, Policy, Winner
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Node

    FieldDifference: TypeAlias = tuple[FieldPath, Node | None, Node | None]

ADDED_TO = frozenset(("annotations", "labels", "matchLabels", "selector"))
"""The mappings to which functions for labels add entries, also in pod templates. They add a missing mapping, too."""

_MADE = ("metadata", *ADDED_TO)
_NAMES = (("metadata", "name"), ("metadata", "namespace"))
"""Fields that are not reported: a later function or the user renames an item, and each run would say so."""

ADOPTED = "Adopted"
LOCAL_OVERRIDE = "LocalOverride"
MISSING_STATE = "MissingState"
NOT_FOLLOWED = "NotFollowed"
NOT_TAKEN = "TemplateNotTaken"

_KEPT = {
    NOT_TAKEN: "the template has changed in these fields, which are yours: they stay until you give them its values",
    MISSING_STATE: "no state remembers what was generated here, and these fields have other values than are "
    "generated now: yours stay until you give them the generated ones",
    NOT_FOLLOWED: "the template has variables in these fields, and here they have a text of their own: it stays, and "
    "follows no variable; write the reference there again if it is to follow",
    LOCAL_OVERRIDE: "these fields have other values here than are generated: yours stay",
}
"""Why an item keeps fields in which it differs from what is generated."""
_MERGED = "it is merged, and marked"
_ADOPTIONS: dict[Winner, str] = {
    "local": "these fields keep their values, and what it lacks comes",
    "update": "these fields get the generated values",
}
_REFUSED = (
    "this was there before it was generated: these fields differ; with `KeepLocal` as `adopt` they keep their values, "
    "with `TakeUpdate` they get the generated ones"
)
_OVERWRITTEN = "these fields had other values here, and have the generated ones now: `enforce` or `Apply` asks for that"
_GONE = "comments here are deleted with what was there"
_HELM = "app.kubernetes.io/managed-by"
_RELEASE = "meta.helm.sh/release-name"


class ResourceMerging:
    """How generated resources merge: by the settings, and the CustomResourceDefinitions among `items`."""

    def __init__(self, settings: Settings, items: Iterable[Resource]) -> None:
        self.settings = settings
        self.applies = settings.merge.strategy == "Apply"
        """True if what is generated always wins, as with `kubectl apply`."""
        self.writes_always = self.applies or any(field.enforce for field in settings.merge.fields)
        """True if what is generated may win over the user's value though the generator did not change it."""
        self._defined = Definitions(
            item for item in items if item.may_contain(DEFINITION_KIND) and item.kind == DEFINITION_KIND
        )

    def is_as_generated(self, update: Update, item: Resource) -> bool:
        """True if an item says what is generated, and nothing else, as two texts tell: it need not be merged."""
        return update.text is not None and not self.writes_always and text_of(item) == update.text

    def schema(self, resource: Resource) -> Schema:
        """Return how the lists of a resource merge."""
        return Schema(
            resource.group,
            resource.version,
            resource.kind,
            configured=self.settings.merge.merge_keys,
            definitions=self._defined,
            pod_specs=self.settings.pod_specs,
            infer=self.settings.merge.infer_list_keys,
        )


class Past:
    """What an item was: generated, as its `entry` in the state says, or by a state that `is_lost`; else a person's.

    `adopt` is the policy by which an item of a person is adopted, None if it is merged as one that was generated.
    """

    def __init__(
        self, entry: StateEntry | None = None, adopt: OnConflict | None = None, *, is_lost: bool = False
    ) -> None:
        self.entry = entry
        self.adopt = adopt
        self.is_lost = is_lost


class ItemMerge:
    """The merge of what is generated, the update, into the item that is local, by what its `past` was."""

    def __init__(
        self, merging: ResourceMerging, update: Update, item: Resource, past: Past, following: Following | None = None
    ) -> None:
        self._merging = merging
        self._update = update
        self._item = item
        self._following = following
        self._past = past
        self._local = LocalItem(item, merging.settings, following)
        self._new = Tree(update.resource.source, update.resource.root)
        self._schema = merging.schema(update.resource)

    def merge(self) -> list[Result]:
        """Merge, and return the results. FnError where that cannot be done."""
        update, item, entry, local = self._update, self._item, self._past.entry, self._local
        known = {} if entry is None else update.known(entry, local.tree.root)
        origin = self._origin(known)
        merged = self._merged(origin)
        item.secrets |= local.secrets if entry is None else local.secrets | entry.secrets
        conflicts = [] if self._past.adopt else merged.conflicts
        results = [*outcome.results(item, Merged(merged.target, conflicts, merged.notes))]
        decided = [one.path for one in merged.conflicts]
        if self._past.adopt == "Error" and decided:
            raise FnError(item.result_at(_REFUSED, "NotAdopted", *decided, severity=ERROR))
        if merged.target is not local.tree.root:
            called = str(item.ref)
            gone = [*_untold(local.amend(merged.target), decided)]
            results += [item.result_at(_GONE, outcome.COMMENT_GONE, *gone)] if gone else ()
            results += self._renamed(called) if called != str(update.resource.ref) else ()
        # The results are about the merged item, since a merge may have added elements of update.
        after = LocalItem(item, self._merging.settings, self._following).tree
        results += self._given_way(origin, after, decided)
        update.mark_persons(entry, after.root)
        return [*results, *(self._kept(after, known) if self._past.adopt is None else self._adopted(after))]

    def _origin(self, known: Mirror) -> Tree:
        """Return what is `known` to be generated; else what the item was applied as, or what it is called."""
        local = self._local.tree
        if self._past.entry is not None:
            return sides.origin(self._past.entry, known, self._update.mirrored.fields, self._new, local)
        # Nobody knows what the template has changed since: all of local stays.
        if self._past.is_lost:
            return self._new
        if self._merging.applies:
            return Tree("", None)
        applied = godata.last_applied(local)
        if applied.root is not None:
            return godata.authored(applied, self._new)
        names = {"name": self._update.resource.name, "namespace": self._update.resource.namespace}
        named = ", ".join(f"{key}: {scalars.double_quoted(text)}" for key, text in names.items() if text)
        text = f"{{metadata: {{{named}}}}}"
        return Tree(text, parser.parse(text).root)

    def _merged(self, origin: Tree) -> Merged:
        new, local, schema = self._new, self._local.tree, self._schema
        try:
            if self._merging.applies:
                return apply.apply(origin, new, local, schema)
            return value_walk.merge_values(origin, new, local, schema, self._policy())
        except Refused as reason:
            raise FnError(outcome.refused(self._item, reason)) from None

    def _policy(self) -> Policy:
        """Return who wins which field. For an adopted item only `enforce` counts."""
        merge = self._merging.settings.merge
        fields = [
            field
            for field in merge.fields
            if not field.select or any(selector.matches(self._item) for selector in field.select)
        ]
        if self._past.adopt is not None:
            return policy.of_fields(self._past.adopt, (field for field in fields if field.enforce))
        return policy.of_fields(merge.on_conflict, fields)

    def _renamed(self, called: str) -> Iterator[Result]:
        """Yield the result about an item that was `called` otherwise: a cluster takes it for another object."""
        if str(self._item.ref) == called:
            return
        # What no value of a variable gives, somebody has written here and in the state: a search and replace, say.
        entry = self._past.entry
        is_edited = entry is not None and not may_be(self._update.template_name, "/".join(entry.identity))
        hint = ": rename it in the template" if is_edited else ""
        yield self._item.notice(f"this was `{called}`, and is called now as it is generated{hint}", "Renamed")

    def _given_way(self, origin: Tree, after: Tree, decided: list[FieldPath]) -> Iterator[Result]:
        """Yield the results about fields in which the user's value gave way, and no conflict says so."""
        local = self._local.tree
        if self._merging.writes_always and self._past.adopt is None:
            before = godata.last_applied(local) if origin.root is None else origin
            silent = [*_untold(_lost_edits(before, local, after, self._schema), decided)]
            yield from [self._item.result_at(_OVERWRITTEN, "Overwritten", *silent)] if silent else ()
        if self._past.entry is None and not (self._past.is_lost or self._merging.applies):
            # What follows from what kubectl applied last (docs/reference/merge.md, "Without an origin").
            gone = apply.no_longer_applied(origin, local, godata.data(after.root), self._schema)
            yield from outcome.results(self._item, Merged(None, [], [*gone]))

    def _adopted(self, after: Tree) -> Iterator[Result]:
        """Yield the results about an item that is generated from now on, which name the fields in which it differed."""
        message = "this was there before it was generated: {}"
        # Helm writes its own values again with the next upgrade.
        if _RELEASE in self._item.annotations or self._item.labels.get(_HELM) == "Helm":
            message += (
                "; Helm manages it, and the next `helm upgrade` takes its own values again: take it out of the chart "
                "or of the templates"
            )
        replaced = differences(self._local.tree, after, self._schema)
        fields: dict[Winner, list[FieldPath]] = {
            "local": [field for field in _overrides(self._new, after, self._schema) if field not in _NAMES],
            "update": [field for field, old, new in replaced if old and new],
        }
        for winner, named in fields.items():
            yield from [self._item.result_at(message.format(_ADOPTIONS[winner]), ADOPTED, *named)] if named else ()
        if not any(fields.values()):
            yield self._item.notice(message.format(_MERGED), ADOPTED)

    def _kept(self, after: Tree, known: Mirror) -> Iterator[Result]:
        """Yield the results that name the fields in which an item keeps something else than is generated."""
        named: dict[str, list[FieldPath]] = {reason: [] for reason in _KEPT}
        of_change: dict[TemplateChange, list[FieldPath]] = {"other": [], "gone": [], "unknown": []}
        fields = {} if self._past.entry is None else self._past.entry.fields
        for path, change in mirror.changed_for_persons(fields, known, self._update.mirrored.fields):
            of_change[change].append(path)
        # What keeps its template in a comment follows nothing without that comment.
        is_secret = self._update.mirroring.is_secret
        for field, has_own_text in _overrides(self._new, after, self._schema).items():
            if field in _NAMES:
                continue
            if _is_at(field, of_change["other"]):
                reason = NOT_TAKEN
            elif self._past.is_lost or _is_at(field, of_change["unknown"]):
                reason = MISSING_STATE
            else:
                follows = self._following is not None and not is_secret(field)
                reason = NOT_FOLLOWED if has_own_text and not follows else LOCAL_OVERRIDE
            named[reason].append(field)
        named[NOT_TAKEN] += [path for path in of_change["gone"] if after.root and any(fieldpath.find(after.root, path))]
        for reason, message in _KEPT.items():
            yield from [self._item.result_at(message, reason, *named[reason])] if named[reason] else ()


def _overrides(update: Tree, local: Tree, schema: Schema) -> dict[FieldPath, bool]:
    """Return the paths of the smallest fields of update that local lacks, or has with another value.

    The value is True for a field that refers to a variable in update, and has a text of its own in local.
    """
    pairs = differences(update, local, schema)
    # A null deletes a field: local agrees if it has none.
    kept = ((path, new, old) for path, new, old in pairs if new and (old or not scalars.is_null(new)))
    return {path: old is not None and _refers(new) and not _refers(old) for path, new, old in kept}


def _refers(node: Node) -> bool:
    return any(isinstance(leaf, Scalar) and syntax.refers(leaf.value) for leaf in leaves(node))


def _lost_edits(origin: Tree, local: Tree, after: Tree, schema: Schema) -> list[FieldPath]:
    """Return the paths of the fields in which local differed from origin, and whose value the merge replaced."""
    changed = [path for path, *_ in differences(origin, local, schema)]
    # A lost field may be a changed one, or be below or around one.
    return [path for path, *_ in differences(local, after, schema) if any(all(map(eq, path, one)) for one in changed)]


def differences(one: Tree, other: Tree, schema: Schema, *, by_index: bool = False) -> Iterator[FieldDifference]:
    """Yield the smallest fields that differ in two trees: the path, and both nodes.

    The order of elements with keys is no difference. A list without keys is one field. With `by_index` its elements are
    compared by a key that they all have, or by their index in lists of one length.
    """
    waiting: list[FieldDifference] = [((), one.root, other.root)]
    while waiting:
        path, a, b = waiting.pop()
        # Most generated fields never change, and have the same text.
        if trees.same_spelling(one, a, other, b):
            continue
        parts = _parts(path, resolved(a), resolved(b), schema, by_index=by_index)
        waiting += [((*path, step), kid, other_kid) for step, kid, other_kid in parts or ()][::-1]
        if parts is None and not trees.same(one, a, other, b):
            yield path, a, b


def _parts(
    path: FieldPath, one: Node | None, other: Node | None, schema: Schema, *, by_index: bool
) -> list[tuple[Segment, Node | None, Node | None]] | None:
    """Return the pairs of parts of two collections, None if they differ as a whole."""
    is_mapping = isinstance(one, Mapping) or (one is None and path != () and path[-1] in _MADE)
    if is_mapping and isinstance(other, Mapping):
        old, new = trees.entries(one), trees.entries(other)
        keys = (key for key in {**old, **new} if path != trees.ANNOTATIONS or not is_of_tools(key))
        return [(key, old.get(key), new.get(key)) for key in keys]
    if not (isinstance(one, Sequence) and isinstance(other, Sequence)):
        return None
    sides = one.kids, other.kids
    rule = schema.list_rule(path, sides)
    rule = inferred(sides) if by_index and rule.is_keyless else rule
    if rule.is_keyless:
        is_paired = by_index and len(one.kids) == len(other.kids)
        return [(index, *pair) for index, pair in enumerate(zip(*sides, strict=True))] if is_paired else None
    was, now = pairing.keyed(rule, one.kids), pairing.keyed(rule, other.kids)
    segments = pairing.segments(rule, pairing.indexes(now, was))
    return [(segments[key], was.get(key), now.get(key)) for key in {**was, **now}]


def _is_at(field: FieldPath, paths: Iterable[FieldPath]) -> bool:
    """True if a field is at one of some paths, below or around it."""
    return any(all(map(_may_meet, field, path)) for path in paths)


def _may_meet(own: Segment, step: Segment) -> bool:
    """True if two steps may lead to one field. An element has several steps: its keys, its number and a wildcard."""
    if isinstance(step, Match):
        return not isinstance(own, Match) or own.key != step.key or own == step
    return own == step or not isinstance(step, str)


def _untold(fields: Iterable[FieldPath], decided: list[FieldPath]) -> Iterator[FieldPath]:
    """Yield the fields of which no conflict tells, at them or around them."""
    return (field for field in fields if not any(field[: len(path)] == path for path in decided))
