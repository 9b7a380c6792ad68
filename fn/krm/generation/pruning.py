"""Pruning: items that are generated no longer go, unless somebody has made them their own, or will generate them."""

from __future__ import annotations

from itertools import takewhile

from krm import fieldpath
from krm.generation import identities, origin, ownership
from krm.generation.local import ADDED_TO, NAMES, Local, differences
from krm.generation.mirror import Mirroring
from krm.generation.ownership import Wanted
from krm.generation.settings import KEEP, LATER, PRUNE_ALL
from krm.yamltree import comments
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from collections.abc import Sequence as ListOf

    from krm.fieldpath import FieldPath
    from krm.generation.ownership import Candidates
    from krm.generation.settings import Listed, Settings
    from krm.generation.state import Entry
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Collection as NodeCollection
    from krm.yamltree.nodes import Node

AMBIGUOUS_COPIES = "AmbiguousCopies"
COPIED = "Copied"
KEPT_CHANGED = "KeptChanged"
NOT_PRUNED = "NotPruned"
ORPHANED = "Orphaned"
PRUNED = "Pruned"
PRUNED_WITH_EDITS = "PrunedWithEdits"

# What other functions set in every object, a later one of the same pipeline say: it makes nobody its owner.
_NOT_COUNTED = frozenset(("metadata", key) for key in ("annotations", "labels", "name", "namespace"))
# A comment is quoted to be found in git again: so many of them, and so many characters of each, are enough for that.
_COMMENTS, _LONGEST = 5, 60


class Pruning:
    """The end of a run, in which the items of earlier runs that are generated no longer go, or stay with a warning.

    `there` are the items that this run has not generated, and `made` its templates. `left` are the items that a
    template stands for, and that are not to be touched, by their `id()`.
    """

    def __init__(
        self, resource_list: Listed, settings: Settings, there: Candidates, made: Collection[str], left: Collection[int]
    ) -> None:
        self._list = resource_list
        self._settings = settings
        self._there = there
        self._owner = there.owner
        self._states = there.states
        self._made = made
        self._left = left

    def prune(self, *, is_all: bool) -> Iterator[Result]:
        """Take them away, unless they are somebody's own by now, and yield the results. `is_all`: nothing is left."""
        settings = self._settings
        if self._is_kept_anyway() or settings.prune == KEEP:
            return
        dropped = [one for one in self._dropped() if settings.is_selected(one[1]) and not self._is_others(*one)]
        yield from copied(self._there.copies, settings)
        yield from self._unclear()
        # An empty list of templates is more often a mistake, or a variable without a value, than a wish.
        if dropped and is_all and settings.prune != PRUNE_ALL:
            names = ", ".join(f"`{item.ref}`" for _, item, _ in dropped)
            message = f"nothing is generated any more: all of it stays, unless `prune: All` deletes it: {names}"
            yield settings.notice(message, NOT_PRUNED)
            return
        for template, item, entry in dropped:
            result = _pruned(item, entry, settings)
            if result.reason != KEPT_CHANGED:
                self._list.remove(item)
                self._states.own.entries.pop(template, None)
            yield result

    def _is_kept_anyway(self) -> bool:
        """True for a ConfigMap, which is what `kpt fn eval -- NAME=VALUE` sends: the next one may generate anything."""
        config = self._settings.function_config
        return not self._settings.owner and config is not None and (config.group, config.kind) == ("", "ConfigMap")

    def _dropped(self) -> list[tuple[str, Resource, Entry | None]]:
        """Return the marked items whose template is gone, and forget the entries of those that somebody deleted."""
        entries = self._states.own.entries
        gone = [template for template in entries if template not in self._made]
        own = self._owner.text
        # Of an item whose state is lost the mark alone says what it was generated from.
        gone += [
            template
            for owner, template in self._there.marked
            if owner == own and template not in self._made and template not in entries
        ]
        wanted = [Wanted(("", "", "", ""), template, own, template, entries.get(template)) for template in gone]
        found = []
        others = [names for names in self._there.marked if names[0] != own]
        for template, local in zip(gone, self._there.locals(wanted, others), strict=True):
            if local is not None and local.owner == own:
                found.append((template, local.item, self._states.own.readable(template)))
            # Somebody has deleted it, or its mark. What merges with another generator's has none. Without the entry the
            # last copy would pass for it, and be pruned.
            elif not (template in self._there.unclear or (own, template) in self._there.marked) and (
                local is None or self._settings.merge.duplicates != LATER
            ):
                entries.pop(template, None)
        return [one for one in found if id(one[1]) not in self._left]

    def _unclear(self) -> Iterator[Result]:
        """Yield a warning for each template that is gone, and left several items of which none has its name."""
        for items in self._there.unclear.values():
            # A copy that its author closed to functions keeps what it says, and the original may be merged already.
            ours = [item for item in filter(self._settings.is_selected, items) if id(item) not in self._left]
            if ours:
                named = ", ".join(f"`{item.name}`" for item in ours)
                message = (
                    f"this is no longer generated, and several items may be what was generated: {named}. All of them "
                    f"stay, and are yours without the annotation `{self._settings.tracking.generated_by}`"
                )
                yield ours[0].notice(message, AMBIGUOUS_COPIES)

    def _is_others(self, template: str, item: Resource, entry: Entry | None) -> bool:
        """True if another functionConfig among the items generates an item: the next to run takes it over."""
        configs = (one for one in self._list.items if one.may_contain("ExpandVars") and one.kind == "ExpandVars")
        others = [one for one in configs if self._owner.reaches(one) and ownership.owner_text(one) != self._owner.text]
        known = [identities.identity(item), *([] if entry is None else [entry.identity])]
        # Whose template has an item already takes no second one.
        return any(
            (ownership.owner_text(one), written) not in self._there.marked
            for one in others
            for written in ownership.templates_of(one, template, known)
        )

    def orphans(self) -> Iterator[Result]:
        """Name the items of the package that say an owner which is not there: nobody keeps them up to date.

        A state of which nothing marked is left goes with its functionConfig. What is closed to functions is left.
        """
        # From outside, as with `kpt fn eval --fn-config`, nobody knows which functionConfigs belong to the package.
        config = self._settings.function_config
        if config is None or not self._owner.text or self._owner.is_outside:
            return
        marked = [one for found in self._there.marked.values() for one in found]
        others = [(one.owner, one.item) for one in marked if one.owner != self._owner.text]
        gone = {owner for owner in self._states.of if owner != self._owner.text} | {owner for owner, _ in others}
        gone = {owner for owner in gone if self._owner.config_of(owner) is None}
        orphans = [(owner, item) for owner, item in others if owner in gone and id(item) not in self._left]
        for owner in gone - {owner for owner, _ in others}:
            self._states.of[owner].entries.clear()
        if orphans:
            named = ", ".join(f"`{item.ref}` of {owner}" for owner, item in orphans)
            message = f"these were generated by functionConfigs that are not there any more: {named}"
            yield config.notice(message, ORPHANED)


def copied(copies: Collection[Resource], settings: Settings) -> Iterator[Result]:
    """Yield the one warning that names the copies of generated resources, if there are any."""
    named = [item for item in copies if settings.is_selected(item)]
    if named:
        names = ", ".join(f"`{item.name}`" + (f" in `{item.file}`" if item.file else "") for item in named)
        message = (
            f"these are copies of generated resources, and stay as they are: {names}. Delete their annotation "
            f"`{settings.tracking.generated_by}`, and they are yours"
        )
        yield named[0].notice(message, COPIED)


def _pruned(item: Resource, entry: Entry | None, settings: Settings) -> Result:
    """Return what becomes of an item that is generated no longer: Pruned, or why it is not."""
    stays = f"it stays until you delete it, and is yours without the annotation `{settings.tracking.generated_by}`"
    local = Local(item, settings.memory).tree
    if entry is None:
        message = f"this is no longer generated, and no state tells what was generated: {stays}"
        return item.notice(message, KEPT_CHANGED)
    was = origin.tree(entry, Mirroring(entry.identity).of(local.root), local)
    found = list(differences(was, local))
    changed = next((place for place, before, _ in found if _is_counted(place, before)), None)
    if changed is None:
        added = [place for place, *_ in found if place not in NAMES]
        lost = _lost(item, added)
        return item.notice(f"this is no longer generated, and is deleted{lost}", PRUNED_WITH_EDITS if lost else PRUNED)
    result = item.notice(f"this is no longer generated, but was changed here since: {stays}", KEPT_CHANGED)
    result.field = fieldpath.printed(item.root, changed)
    return result


def _is_counted(place: FieldPath, was: Node | None) -> bool:
    """True if a difference shows that somebody has made an item their own."""
    is_added = was is None and not ADDED_TO.isdisjoint(place[-2:])
    return place[:2] not in _NOT_COUNTED and not is_added


def _lost(item: Resource, added: ListOf[FieldPath]) -> str:
    """Return the end of the message about an item that goes: what of its author goes with it.

    Whose a comment is, the template's or the user's, nobody knows any more: the template is gone.
    """
    fields = ", ".join(f"`{fieldpath.printed(item.root, place)}`" for place in added)
    # Comments stand in the text as it is written, and templates that are shown stand nowhere in it.
    item.show({})
    # kpt writes what stands above the first line behind the dash of the item, in a list of items.
    found = [] if item.root is None else list(_comments(item.editor.text, *item.editor.at(item.base)))
    lost = "; ".join(filter(None, (fields and f"deleted with it: {fields}", _named(found, item))))
    return lost and f"; {lost}"


def _named(found: ListOf[str], item: Resource) -> str:
    if not found:
        return ""
    # Whoever takes a value out of service for a while makes a comment of it.
    if item.kind == "Secret":
        return f"it had {len(found)} {'comment' if len(found) == 1 else 'comments'}, not shown as it is a Secret"
    quoted = ", ".join(f"`{one[:_LONGEST]}`" for one in found[:_COMMENTS])
    more = f" and {len(found) - _COMMENTS} more" if len(found) > _COMMENTS else ""
    return f"its comments were {quoted}{more}"


def _comments(text: str, parent: NodeCollection | None, node: Node) -> Iterator[str]:
    """Yield the comments of a node and of what is below it, in their order, but for the templates of a run."""
    own = comments.of(text, parent, node)
    # A template stands below the comments of its author, to the entry.
    authors = takewhile(_is_authors, (*own.apart, *own.above))
    yield from filter(None, authors)
    yield from filter(None, (own.behind.partition(TEMPLATE)[0].rstrip(), *own.inside))
    if isinstance(node, Mapping | Sequence):
        for kid in node.kids[1::2] if isinstance(node, Mapping) else node.kids:
            yield from _comments(text, node, kid)
    yield from filter(None, own.below)


def _is_authors(comment: str) -> bool:
    return not comment.startswith(TEMPLATE)
