"""Dropped: items that are generated no longer go, stay with a warning, or turn out to be another generator's."""

from __future__ import annotations

from krm.generation import ownership, pruning
from krm.generation.settings import KEEP, PRUNE_ALL
from krm.results import WARNING, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from krm.generation.ownership import Items, Owner
    from krm.generation.settings import Listed, Settings
    from krm.resource import Resource

AMBIGUOUS_COPIES = "AmbiguousCopies"
DAMAGED_ORIGIN = "DamagedOrigin"
NOT_PRUNED = "NotPruned"
ORPHANED = "Orphaned"


class Dropped:
    """The items of earlier runs that a generator has not generated in this one.

    `is_left` is true for an item that a template stands for, and that is not to be touched.
    """

    def __init__(
        self,
        resource_list: Listed,
        settings: Settings,
        owner: Owner,
        there: Items,
        is_left: Callable[[Resource], bool],
    ) -> None:
        self._list = resource_list
        self._settings = settings
        self._tracking = settings.tracking
        self._owner = owner
        self._there = there
        self._is_left = is_left

    def prune(self, *, is_all: bool) -> Iterator[Result]:
        """Take them away, unless they are somebody's own by now, and yield the results. `is_all`: nothing is left."""
        settings = self._settings
        if self._is_kept_anyway() or settings.prune == KEEP:
            return
        yield from self._unclear()
        owned = (item for item in self._there.owned() if not self._is_left(item) and settings.is_selected(item))
        dropped = [item for item in owned if not self._is_others(item)]
        # An empty list of templates is more often a mistake, or a variable without a value, than a wish.
        if dropped and is_all and settings.prune != PRUNE_ALL:
            names = ", ".join(f"`{item.ref}`" for item in dropped)
            message = f"nothing is generated any more: all of it stays, unless `prune: All` takes it away: {names}"
            config = settings.function_config
            yield Result(message, WARNING, NOT_PRUNED, ref=None if config is None else config.ref)
            return
        results = [pruning.pruned(item, settings) for item in dropped]
        gone = [item for item, result in zip(dropped, results, strict=True) if result.reason == pruning.PRUNED]
        self._list.remove(*gone)
        yield from results

    def _is_kept_anyway(self) -> bool:
        """True for a ConfigMap, which is what `kpt fn eval -- NAME=VALUE` sends: the next one may generate anything."""
        config = self._settings.function_config
        return not self._settings.owner and config is not None and (config.group, config.kind) == ("", "ConfigMap")

    def _unclear(self) -> Iterator[Result]:
        """Yield a warning for each template that is gone, and left several items of which none has its name."""
        for items in self._there.unclear.values():
            # A copy that its author closed to functions keeps what it says, and the original may be merged already.
            open_to_us = filter(self._settings.is_selected, items)
            ours = [item for item in open_to_us if self._owner.owns(item) and not self._is_left(item)]
            if ours:
                named = ", ".join(f"`{item.name}`" for item in ours)
                message = (
                    f"this is no longer generated, and several items say that they were generated as this: {named}. "
                    f"All of them stay, and are yours without the annotation `{self._tracking.generated_by}`"
                )
                yield ours[0].result(message, WARNING, AMBIGUOUS_COPIES)

    def _is_others(self, item: Resource) -> bool:
        """True if another functionConfig among the items generates an item: the next to run takes it over."""
        configs = (one for one in self._list.items if one.may_contain("ExpandVars") and one.kind == "ExpandVars")
        others = [one for one in configs if self._owner.reaches(one) and ownership.owner_text(one) != self._owner.text]
        # Whose template has an item already takes no second one.
        return any(
            not self._there.has_own(ownership.owner_text(one), template)
            for one in others
            for template in ownership.templates_of(one, item, self._tracking)
        )

    def damaged(self) -> Iterator[Result]:
        """Yield a warning for each item whose generator cannot be read: no run merges it, or takes it away."""
        for item in filter(self._settings.is_selected, self._there.nameless):
            # A functionConfig that generates this finds it by its name, and says the same.
            if not self._is_left(item) and not self._is_others(item):
                yield item.result(self._tracking.unreadable(item), WARNING, DAMAGED_ORIGIN)

    def orphans(self) -> Iterator[Result]:
        """Name the items of the package that say an owner which is not there: nobody keeps them up to date."""
        # From outside, as with `kpt fn eval --fn-config`, nobody knows which functionConfigs belong to the package.
        config = self._settings.function_config
        if config is None or not self._owner.text or self._owner.is_outside:
            return
        items = (item for item in self._there.of_others() if not self._is_left(item))
        orphans = [item for item in items if self._tracking.owner(item) and self._owner.config_of(item) is None]
        if orphans:
            named = ", ".join(f"`{item.ref}` of {self._tracking.owner(item)}" for item in orphans)
            message = f"these were generated by functionConfigs that are not there any more: {named}"
            yield config.result(message, WARNING, ORPHANED)
