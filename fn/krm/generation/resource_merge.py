"""One generated resource merged into the item that is there (docs/reference/generated-resources.md, "Your edits")."""

from __future__ import annotations

from krm import fieldpath
from krm.generation import mirror, ownership, sides
from krm.generation.sides import NAMES, LocalItem, lost_edits, overrides
from krm.generation.updates import text_of
from krm.merge import merge3, outcome, policy
from krm.merge.kinds.schema import DEFINITION_KIND, Definitions, Schema
from krm.merge.kubectl import apply, godata
from krm.merge.outcome import Merged, Refused
from krm.merge.trees import Tree
from krm.results import ERROR, FnError
from krm.yamltree import parser, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from krm.fieldpath import FieldPath
    from krm.generation.following import Following
    from krm.generation.mirror import Change
    from krm.generation.settings import Settings
    from krm.generation.state import StateEntry
    from krm.generation.updates import Update
    from krm.merge.policy import OnConflict, Policy, Winner
    from krm.resource import Resource
    from krm.results import Result

ADOPTED = "Adopted"
NOT_ADOPTED = "NotAdopted"
LOCAL_OVERRIDE = "LocalOverride"
MISSING_STATE = "MissingState"
NOT_FOLLOWED = "NotFollowed"
NOT_TAKEN = "TemplateNotTaken"
OVERWRITTEN = "Overwritten"
RENAMED = "Renamed"

_APPLY = "Apply"
_NEW_TEMPLATE = "the template has changed in these fields, which are yours: they stay, until they say the same"
_NO_STATE = (
    "no state says as what this was generated, and these fields have other values than are generated now: yours stay, "
    "until they say the same"
)
_OWN_TEXT = (
    "the template has variables in these fields, and here they have a text of their own: it stays, and follows no "
    "variable; write the reference there again if it is to follow"
)
_OTHERWISE = "these fields have other values here than are generated: yours stay"
_MERGED = "it is merged, and marked"
_ADOPTIONS: dict[Winner, str] = {
    "local": "these fields keep their values, and what it lacks comes",
    "update": "these fields get the generated values",
}
_REFUSED = (
    "this was there before it was generated: these fields differ; `adopt: KeepLocal` keeps their values, "
    "`adopt: TakeUpdate` takes the generated ones, and `exclude` leaves the resource alone"
)
_HELM = "app.kubernetes.io/managed-by"
_RELEASE = "meta.helm.sh/release-name"


class ResourceMerging:
    """The merge of generated resources, by the settings and the CustomResourceDefinitions among `items`."""

    def __init__(self, settings: Settings, items: Iterable[Resource]) -> None:
        self._settings = settings
        self._merge = settings.merge
        self.applies = settings.merge.strategy == _APPLY
        """True if what is generated always wins, as with `kubectl apply`."""
        self._defined = Definitions(
            item for item in items if item.may_contain(DEFINITION_KIND) and item.kind == DEFINITION_KIND
        )

    def merge(  # noqa: PLR0913 - all that a merge is about
        self,
        update: Update,
        item: Resource,
        entry: StateEntry | None,
        following: Following | None,
        *,
        is_ours: bool,
        adopt: OnConflict | None = None,
    ) -> Iterator[Result]:
        """Merge what is generated into the item that is local, and yield the results.

        Where the same was generated the last time, the item stays as it is. `entry` says what the item was generated
        as. Without one it was there before, unless it `is_ours` by its mark: `adopt` says who wins where it differs,
        None that `on_conflict` does. FnError where that cannot be done.
        """
        generated = update.resource
        local, new = LocalItem(item, self._settings, following), Tree(generated.source, generated.root)
        schema = self.schema(generated)
        if entry is not None and update.is_as_before(entry) and not self.writes_always:
            update.mark_persons(entry, local.tree.root)
            yield from _kept_by_local(item, new, local.tree, schema, following, is_known=True)
            return
        is_adopted = entry is None and not is_ours
        try:
            if entry is not None:
                known = update.known(entry, local.tree.root)
                was = sides.origin(entry, known, update.mirrored, new, local.tree)
            else:
                # Nobody knows what the template has changed since: all of local stays.
                was = new if is_ours else self._applied(new, local.tree, generated)
            merged = self._merged(was, new, local.tree, schema, self._policy(item, adopt))
        except Refused as reason:
            raise FnError(outcome.refused(item, reason)) from None
        item.secrets |= local.secrets if entry is None else local.secrets | entry.secrets
        yield from outcome.results(item, Merged(merged.target, [] if adopt else merged.conflicts, merged.notes))
        decided = [one.path for one in merged.conflicts]
        if adopt == "Error" and decided:
            raise FnError(next(_naming(decided, item.result(_REFUSED, ERROR, NOT_ADOPTED))))
        if merged.target is not local.tree.root:
            called = str(item.ref)
            local.amend(merged.target)
            yield from _renamed(item, called, update, entry) if called != str(generated.ref) else ()
        if entry is not None and self.is_as_generated(update, item):
            return
        # What local has now decides what it keeps: a merge may put elements of both sides beside each other.
        after = LocalItem(item, self._settings, following).tree
        if self.writes_always:
            before = godata.last_applied(local.tree) if was.root is None else was
            yield from _overwritten(item, lost_edits(before, local.tree, after, schema), merged)
        if is_adopted and not self.applies:
            # What follows from what kubectl applied last (docs/reference/merge.md, "Merge").
            gone = apply.no_longer_applied(was, local.tree, godata.data(after.root), schema)
            yield from outcome.results(item, Merged(None, [], [*gone]))
        was_known = () if entry is None else (known, entry.fields)
        changed = dict(one for fields in was_known for one in mirror.changed_for_persons(fields, update.mirrored))
        update.mark_persons(entry, after.root)
        if adopt is not None:
            kept = [field for field in overrides(new, after, schema) if field not in NAMES]
            named = policy.won(policy.winner(adopt), update=decided, local=kept)
            yield _adopted(item, adopt, named)
            if named is kept:  # what an item keeps is named once
                return
        yield from _kept_by_local(item, new, after, schema, following, is_known=was is not new, changed=changed.items())

    @property
    def writes_always(self) -> bool:
        """True if what is generated may win over the user's value though the generator did not change it."""
        return self.applies or any(field.enforce for field in self._merge.fields)

    def is_as_generated(self, update: Update, item: Resource) -> bool:
        """True if an item says what is generated, and nothing else, as two texts tell: it need not be merged."""
        return update.text is not None and not self.writes_always and text_of(item) == update.text

    def _applied(self, update: Tree, local: Tree, generated: Resource) -> Tree:
        """Return what the item was applied as; else nothing but what it is called, which is agreed."""
        if self.applies:
            return Tree("", None)
        applied = godata.last_applied(local)
        if applied.root is not None:
            return godata.authored(applied, update)
        names = {"name": generated.name, "namespace": generated.namespace}
        named = ", ".join(f"{key}: {scalars.double_quoted(text)}" for key, text in names.items() if text)
        text = f"{{metadata: {{{named}}}}}"
        return Tree(text, parser.parse(text).root)

    def _merged(self, origin: Tree, update: Tree, local: Tree, schema: Schema, policy: Policy) -> Merged:
        if self.applies:
            return apply.apply(origin, update, local, schema)
        return merge3.merge3(origin, update, local, schema, policy)

    def _policy(self, item: Resource, adopt: OnConflict | None) -> Policy:
        """Return who wins which field of an item. Of one that nobody knows to be generated only `enforce` decides."""
        fields = [
            field
            for field in self._merge.fields
            if not field.select or any(selector.matches(item) for selector in field.select)
        ]
        if adopt is not None:
            return policy.of_fields(adopt, (field for field in fields if field.enforce))
        return policy.of_fields(self._merge.on_conflict, fields)

    def schema(self, resource: Resource) -> Schema:
        """Return how the lists of a resource merge."""
        return Schema(
            resource.group,
            resource.version,
            resource.kind,
            configured=self._merge.merge_keys,
            definitions=self._defined,
            pod_specs=self._settings.pod_specs,
            infer=self._merge.infer_list_keys,
        )


def _is_helms(item: Resource) -> bool:
    """True if Helm manages an item: it will write its own values again with the next upgrade."""
    metadata = item.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return _RELEASE in item.annotations or (isinstance(labels, dict) and labels.get(_HELM) == "Helm")


def _adopted(item: Resource, adopt: OnConflict, fields: list[FieldPath]) -> Result:
    """Return the result about an item that is generated from now on, which names the fields in which it differs."""
    message = f"this was there before it was generated: {_ADOPTIONS[policy.winner(adopt)] if fields else _MERGED}"
    if _is_helms(item):
        message += (
            "; Helm manages it, and the next `helm upgrade` takes its own values again: take it out of the chart or of "
            "the templates"
        )
    result = item.notice(message, ADOPTED)
    return next(_naming(fields, result), result)


def _renamed(item: Resource, called: str, update: Update, entry: StateEntry | None) -> Iterator[Result]:
    """Yield the result about an item that is called otherwise after a merge: a cluster takes it for another object."""
    if str(item.ref) == called:
        return
    # What no value of a variable gives, somebody has written here and in the state: a search and replace, say.
    is_edited = entry is not None and not ownership.may_be(update.template, entry.identity)
    hint = ": rename it in the template" if is_edited else ""
    message = f"this was `{called}`, and is called now as it is generated{hint}"
    yield item.notice(message, RENAMED)


def _overwritten(item: Resource, fields: list[FieldPath], merged: Merged) -> Iterator[Result]:
    """Yield the one result that names the fields in which the user's value gave way, and no conflict says so."""
    told = [conflict.path for conflict in merged.conflicts]
    silent = [field for field in fields if not any(field[: len(path)] == path for path in told)]
    message = "these fields had other values here, and have the generated ones now: `enforce` or `Apply` asks for that"
    yield from _naming(silent, item.notice(message, OVERWRITTEN))


def _kept_by_local(  # noqa: PLR0913 - all that is compared
    item: Resource,
    update: Tree,
    local: Tree,
    schema: Schema,
    following: Following | None,
    *,
    is_known: bool,
    changed: Collection[tuple[FieldPath, Change]] = (),
) -> Iterator[Result]:
    """Yield the results that name the fields in which an item keeps something else than is generated.

    Of what is a person's the template has `changed` these fields, or has them no longer.
    """
    named: dict[str, list[FieldPath]] = {NOT_TAKEN: [], MISSING_STATE: [], NOT_FOLLOWED: [], LOCAL_OVERRIDE: []}
    of_change = {word: [path for path, change in changed if change == word] for word in ("other", "gone", "unknown")}
    for field, has_own_text in overrides(update, local, schema).items():
        if field in NAMES:
            continue
        if _is_at(field, of_change["other"]):
            reason = NOT_TAKEN
        elif not is_known or _is_at(field, of_change["unknown"]):
            reason = MISSING_STATE
        else:
            reason = NOT_FOLLOWED if has_own_text and not following else LOCAL_OVERRIDE
        named[reason].append(field)
    named[NOT_TAKEN] += dict.fromkeys(of_change["gone"])
    yield from _naming(named[NOT_TAKEN], item.notice(_NEW_TEMPLATE, NOT_TAKEN))
    yield from _naming(named[MISSING_STATE], item.notice(_NO_STATE, MISSING_STATE))
    yield from _naming(named[NOT_FOLLOWED], item.notice(_OWN_TEXT, NOT_FOLLOWED))
    yield from _naming(named[LOCAL_OVERRIDE], item.notice(_OTHERWISE, LOCAL_OVERRIDE))


def _is_at(field: FieldPath, paths: Iterable[FieldPath]) -> bool:
    """True if a field is at one of some paths, below or around it; an element is any where a path does not name it."""
    steps = (zip(field, path, strict=False) for path in paths)
    return any(all(own == other or not isinstance(other, str) for own, other in one) for one in steps)


def _naming(fields: list[FieldPath], result: Result) -> Iterator[Result]:
    if fields:
        result.field, *further = map(fieldpath.to_text, fields)
        result.further = (*zip(further, fields[1:], strict=True),)
        yield result
