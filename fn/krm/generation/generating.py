"""The steps of a generation: resources are merged into a list of items, the new ones added, the others pruned."""

from __future__ import annotations

from krm.generation import origins, ownership, packages, updates
from krm.generation.dropped import AMBIGUOUS_COPIES, DAMAGED_ORIGIN, Dropped
from krm.generation.merging import Merging
from krm.generation.ownership import Items, Owner
from krm.generation.settings import LATER, are_read_again
from krm.generation.updates import Update
from krm.results import ERROR, INFO, WARNING, FnError, Result, failed
from krm.yamltree.nodes import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from krm.generation.origins import Identity
    from krm.generation.settings import Listed, Settings
    from krm.generation.updates import Generated
    from krm.resource import Resource

COPIED = "Copied"
HANDED_OVER = "HandedOver"
HIDDEN_ITEMS = "HiddenItems"
IN_OTHER_PACKAGE = "InOtherPackage"
NOT_SELECTED = "NotSelected"
TAKEN_OVER = "TakenOver"
TEMPLATE_NOT_SELECTED = "TemplateNotSelected"
TWO_OWNERS = "TwoOwners"

_MANY_NAMES = 100


def generate(resource_list: Listed, generated: Sequence[Generated], settings: Settings) -> list[Result]:
    """Merge what is generated into the items of a list, prune what is not, and return the results.

    Where a result is an error, the items may be half changed: who emits the list gives them back as they were read.
    """
    generation = Generation(resource_list, settings)
    found = generation.add(generated)
    return found if failed(found) else [*found, *generation.finish()]


class Generation:
    """The resources that one generator makes in one run: added in one go or in several, then the rest is pruned.

    `items` are those that were generated, by their `id()`.
    """

    def __init__(self, resource_list: Listed, settings: Settings) -> None:
        self.items: dict[int, Resource] = {}
        self._list = resource_list
        self._settings = settings
        self._tracking = settings.tracking
        self._owner = Owner(settings, resource_list.items)
        self._merging = Merging(settings, resource_list.items)
        self._is_kept = settings.is_remembered and are_read_again(resource_list.items, settings.function_config)
        self._labels: dict[Identity, str] = {}
        # Items that a template stands for, and that are not to be touched: their template is there, so none is pruned.
        self._left: set[int] = set()
        self._told: list[Result] = []

    def add(self, generated: Sequence[Generated], settings: Settings | None = None) -> list[Result]:
        """Merge resources into the items, by settings of their own if they have any, and return the results."""
        if settings is not None:
            self._settings, self._merging = settings, Merging(settings, self._list.items)
        self._told = []
        # Ahead of all else: what is hidden would be added once more, in a second file, by each run.
        if self._owner.is_blind:
            return [self._hidden()]
        try:
            made, self._told = updates.checked(generated, self._labels)
            if not self._told:
                self._generate(made)
        except FnError as error:
            return list(error.results)
        return self._told

    def _hidden(self) -> Result:
        """Return the error for a run that does not see the whole package: it would add again what it cannot see."""
        message = (
            "kpt's `selectors` hide items from this function, so it cannot know what is generated already: leave them "
            "out of the Kptfile or of the command line, and give `selectors` in the functionConfig instead"
        )
        config = self._settings.function_config
        return Result(message, ERROR, HIDDEN_ITEMS, ref=None if config is None else config.ref)

    def finish(self) -> list[Result]:
        """Prune what is generated no longer, name the orphans, and return the results."""
        # Only at the end: a function may generate in several calls, and what the last one makes is not dropped.
        rest = [item for item in self._list.items if id(item) not in self.items]
        there = Items(self._candidates(rest, ()), self._owner)
        dropped = Dropped(self._list, self._settings, self._owner, there, lambda item: id(item) in self._left)
        return [*dropped.prune(is_all=not self._labels), *dropped.damaged(), *dropped.orphans()]

    def _generate(self, updates: Sequence[Update]) -> None:
        # Another generator ahead of us adds what it made before beside what is there. Two items of one name would be
        # two candidates for one template.
        self._merge_duplicates()
        names = [(update.identity, update.template) for update in updates]
        there = Items(self._candidates(self._list.items, updates), self._owner, names)
        local = there.locals()
        self._forget_copies(there)
        new = []
        # New ones come last: where two would get one file name, the name is that of the first.
        for update, item in zip(updates, local, strict=True):
            if item is not None:
                self._merge(update, item, self._owner.text)
                item.release()  # a tree takes many times the memory of its text
                update.resource.release()
            elif self._is_added(update, there):
                new.append(update)
        self._add(new)

    def _merge_duplicates(self) -> None:
        """Merge the later of two items that are called the same into the first, as what another generator made."""
        if self._settings.merge.duplicates != LATER:
            return
        items = filter(self._settings.is_selected, filter(_is_object, self._list.items))
        for first, later in ownership.duplicates(items, self._owner.packages):
            self._list.remove(later)
            template = self._tracking.template(first)
            self._merge(Update(later, template=template), first, self._tracking.owner(first))

    def _forget_copies(self, there: Items) -> None:
        for item in filter(self._settings.is_selected, there.copies):
            # It keeps its record of references: these are its own fields, and follow the same variables.
            message = "this is a copy of a generated resource: it is yours, and loses the annotations of its template"
            self._told.append(item.result(message, INFO, COPIED))
            self._tracking.remove(item)

    def _is_added(self, update: Update, there: Items) -> bool:
        """True if a generated resource that no item is local for becomes an item; a warning says why it does not."""
        resource = update.resource
        items = [item for item in there.unclear.get(update.template, ()) if self._may_be_ours(item)]
        if items:
            self._left.update(map(id, items))
            named = ", ".join(f"`{item.name}`" for item in items)
            message = (
                f"several items say that they were generated as this, and none has its name: {named}. Nothing is "
                f"merged until you delete the annotation `{self._tracking.generated_by}` of those that are copies"
            )
            self._told.append(resource.result(message, WARNING, AMBIGUOUS_COPIES))
            return False
        # kpt renders a package with its subpackages: an instance that is there may well be meant, and so may a second.
        others = there.elsewhere(update.identity, update.template)
        if others:
            files = ", ".join(f"`{self._owner.packages.path(item) or item.label}`" for item in others)
            is_left = self._owner.is_outside and any(self._tracking.owner(item) == self._owner.text for item in others)
            outcome = "each stays as it is" if is_left else "this one is added to them"
            message = f"other packages have this as well, in {files}: {outcome}"
            self._told.append(resource.result(message, WARNING, IN_OTHER_PACKAGE))
            return not is_left
        # Added it would never be merged again, and its references never expanded.
        if not self._settings.is_selected(resource):
            message = "the functionConfig generates this, but its `selectors` or `exclude` leave it out"
            raise FnError(resource.result(message, ERROR, TEMPLATE_NOT_SELECTED))
        return True

    def _may_be_ours(self, item: Resource) -> bool:
        """True if this generator made an item, or would take it over from one that is not there any more."""
        return self._owner.owns(item) or self._owner.config_of(item) is None

    def _add(self, updates: Sequence[Update]) -> None:
        packages.place([update.new for update in updates], self._owner.directory)
        # A package knows the file of each item; in a list only annotations tell it.
        place = self._list.place
        prefixes = packages.prefixes(self._list.items) if place is None else ()
        # One after the other, each with its tree released: the trees of all would be a hundred times their text.
        for update in updates:
            item = self._list.add(update.text if self._is_kept else update.resource.source)
            if place is not None and update.new.place is not None:
                place(item, *update.new.place)
            self._remember(update, item, self._owner.text, update.new.notes(prefixes))
            item.release()
            update.resource.release()

    def _merge(self, update: Update, item: Resource, owner: str) -> None:
        """Merge an update into the item that is local for it, which is `owner`'s from then on."""
        self._left.add(id(item))
        if not self._settings.is_selected(item):
            message = "this is generated, but `selectors` or `exclude` leave it out: it stays as it is"
            self._told.append(item.result(message, INFO, NOT_SELECTED))
            return
        # A tool has parsed it: what it says is all there, and a text of ours would take its place.
        if problem := self._tracking.unreadable(item):
            self._told.append(item.result(problem, WARNING, DAMAGED_ORIGIN))
            return
        try:
            self._take_over(item, owner)
            self._told += self._merged(update, item, owner)
            self._remember(update, item, owner, {})
        except FnError as error:
            self._told += error.results

    def _merged(self, update: Update, item: Resource, owner: str) -> Iterable[Result]:
        """Merge an update into an item by what the item was generated as, and return the results."""
        is_remembered = self._tracking.has_origin(item)
        if is_remembered and not self._merging.writes_always and update.mirror == self._tracking.origin(item):
            return self._merging.leave(update.resource, item)
        origin = origins.read(item, self._tracking) if is_remembered else None
        # To adopt it would make a conflict of each edit, and the template would win. So local stays for one run.
        if is_remembered and origin is None:
            return [self._damage(item)]
        if origin is not None:
            update.keep_order(origin)
        # Who has been given an origin gets the new one with what it says: each edit of an item is a parse of it.
        notes = self._notes(update, owner) if is_remembered and owner else {}
        return self._merging.merge(update.resource, item, origin, notes, has_secrets=bool(update.secrets))

    def _take_over(self, item: Resource, owner: str) -> None:
        """Take an item over from another owner. FnError where that one is there, and would generate it as well."""
        giver = self._tracking.owner(item)
        if giver in ("", owner):
            return
        generator = owner or "this function"
        config = self._owner.config_of(item)
        # Who was renamed or deleted cannot object. Who is there may be ahead of us or behind: only its templates tell.
        if config is None:
            message = f"{giver}, which generated this, is not there any more: {generator} takes it over"
            self._told.append(item.result(message, WARNING, TAKEN_OVER))
        elif ownership.may_generate(config, item, self._tracking):
            message = f"{generator} generates this, and so does {giver}: take it out of one of them"
            raise FnError(item.result(message, ERROR, TWO_OWNERS))
        else:
            message = f"{giver} no longer generates this, and {generator} does: it is handed over"
            self._told.append(item.result(message, INFO, HANDED_OVER))

    def _damage(self, item: Resource) -> Result:
        """Return the warning for an item whose origin is damaged, by markers of a merge say: all of local stays."""
        key = self._tracking.last_generated
        message = f"the annotation `{key}` is damaged: nothing is merged in this run, and every field stays as it is"
        return item.result(message, WARNING, DAMAGED_ORIGIN)

    def _remember(self, update: Update, item: Resource, owner: str, place: dict[str, str]) -> None:
        """Let an item say how it was generated, and its place, both as annotations."""
        self.items[id(item)] = item
        if self._is_kept:
            self._tracking.write(item, place | self._notes(update, owner))
        else:
            self._tracking.remove(item)
            item.set_annotations(place)

    def _notes(self, update: Update, owner: str) -> dict[str, str]:
        """Return the annotations that the next run reads, none where there is none."""
        return self._tracking.notes(update.mirror, owner, update.template) if self._is_kept else {}

    def _candidates(self, items: Iterable[Resource], updates: Iterable[Update]) -> Iterator[Resource]:
        """Yield the items that what is generated may have to do with: most need not be parsed."""
        marks = (self._tracking.last_generated, self._tracking.generated_by)
        names = {update.identity[-1] for update in updates}
        # To look for many names in each item takes longer than to parse it, and would grow with the square.
        is_any = len(names) > _MANY_NAMES
        for item in items:
            is_candidate = is_any or any(map(item.may_contain, marks)) or any(map(item.may_contain, names))
            if is_candidate and _is_object(item):
                yield item


def _is_object(item: Resource) -> bool:
    """True if an item can be a generated one: a resource with a kind and a name."""
    return isinstance(item.root, Mapping) and bool(item.kind and item.name)
