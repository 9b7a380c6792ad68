"""Dropped: items that are generated no longer go, stay with a warning, or turn out to be another generator's."""

from __future__ import annotations

from krm.generation import identities, ownership, pruning
from krm.generation.ownership import Wanted
from krm.generation.settings import KEEP, LATER, PRUNE_ALL
from krm.results import WARNING, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from krm.generation.ownership import Candidates, Owner
    from krm.generation.settings import Listed, Settings
    from krm.generation.state import Entry, States
    from krm.resource import Resource

AMBIGUOUS_COPIES = "AmbiguousCopies"
COPIED = "Copied"
NOT_PRUNED = "NotPruned"
ORPHANED = "Orphaned"


class Dropped:
    """The items of earlier runs that a generator has not generated in this one.

    `made` are the templates of this run. `is_left` is true for an item that a template stands for, and that is not to
    be touched.
    """

    def __init__(  # noqa: PLR0913 - all that a run knows in the end
        self,
        resource_list: Listed,
        settings: Settings,
        owner: Owner,
        there: Candidates,
        states: States,
        made: Collection[str],
        is_left: Callable[[Resource], bool],
    ) -> None:
        self._list = resource_list
        self._settings = settings
        self._owner = owner
        self._there = there
        self._states = states
        self._made = made
        self._is_left = is_left

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
            yield settings.result(message, WARNING, NOT_PRUNED)
            return
        for template, item, entry in dropped:
            result = pruning.pruned(item, entry, settings)
            if result.reason == pruning.PRUNED:
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
        for template, local in zip(gone, self._there.locals(wanted), strict=True):
            if local is not None and local.owner == own:
                found.append((template, local.item, self._states.own.readable(template)))
            # Somebody has deleted it, or its mark. What merges with another generator's has none.
            elif template not in self._there.unclear and (local is None or self._settings.merge.duplicates != LATER):
                entries.pop(template, None)
        return [one for one in found if not self._is_left(one[1])]

    def _unclear(self) -> Iterator[Result]:
        """Yield a warning for each template that is gone, and left several items of which none has its name."""
        for items in self._there.unclear.values():
            # A copy that its author closed to functions keeps what it says, and the original may be merged already.
            ours = [item for item in filter(self._settings.is_selected, items) if not self._is_left(item)]
            if ours:
                named = ", ".join(f"`{item.name}`" for item in ours)
                message = (
                    f"this is no longer generated, and several items may be what was generated: {named}. All of them "
                    f"stay, and are yours without the annotation `{self._settings.tracking.generated_by}`"
                )
                yield ours[0].result(message, WARNING, AMBIGUOUS_COPIES)

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
        orphans = [(owner, item) for owner, item in others if owner in gone and not self._is_left(item)]
        for owner in gone - {owner for owner, _ in others}:
            self._states.of[owner].entries.clear()
        if orphans:
            named = ", ".join(f"`{item.ref}` of {owner}" for owner, item in orphans)
            message = f"these were generated by functionConfigs that are not there any more: {named}"
            yield config.result(message, WARNING, ORPHANED)


def copied(copies: Collection[Resource], settings: Settings) -> Iterator[Result]:
    """Yield the one warning that names the copies of generated resources, if there are any."""
    named = [item for item in copies if settings.is_selected(item)]
    if named:
        names = ", ".join(f"`{item.name}`" + (f" in `{item.file}`" if item.file else "") for item in named)
        message = (
            f"these are copies of generated resources, and stay as they are: {names}. Delete their annotation "
            f"`{settings.tracking.generated_by}`, and they are yours"
        )
        yield named[0].result(message, WARNING, COPIED)
