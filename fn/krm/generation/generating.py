"""The steps of a generation: resources are merged into the items, new ones are added, dropped ones are pruned."""

from __future__ import annotations

import posixpath

from krm.generation import ownership, packages, pruning, updates
from krm.generation.following import Following
from krm.generation.ownership import Candidates, Owner
from krm.generation.pruning import Rest
from krm.generation.resource_merge import ItemMerge, Past, ResourceMerging
from krm.generation.settings import KEEP, LATER, NO_MARK, identity
from krm.generation.state import StateEntry, States
from krm.generation.updates import Update
from krm.resource import STATE
from krm.results import ERROR, FnError, Result, failed, notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from krm.fieldpath import Place
    from krm.generation.following import Followed
    from krm.generation.ownership import Candidate, ItemSearch
    from krm.generation.settings import GeneratedMark, Identity, ItemList, Settings
    from krm.merge.policy import OnConflict
    from krm.resource import Resource

NOT_SELECTED = "NotSelected"

_HIDDEN = (
    "kpt's `selectors` may hide items from this function, so it cannot know what is generated already: leave them out "
    "of the Kptfile or of the command line, and give `selectors` in the functionConfig instead"
)
_NAMELESS = (
    "nothing remembers what this run has generated, so that the next one takes each edit of it for a conflict: give "
    "the functionConfig a name of its own, without blanks, in `metadata.name`"
)
_MANY_NAMES = 100


def generate(resource_list: ItemList, generated: Sequence[Update], settings: Settings) -> list[Result]:
    """Merge the generated resources into the items of a list, prune the dropped ones, and return the results.

    After an error some items may be changed and some not. The caller then emits the list as it was read.
    """
    generation = Generation(resource_list, settings)
    results = generation.add(generated)
    results = results if failed(results) else [*results, *generation.finish()]
    return results if failed(results) else [*results, *generation.write()]


class Generation:
    """The resources of one generator in one run. They are added in one or several calls, then the rest is pruned.

    `items` are the generated items, by their `id()`.
    """

    def __init__(self, resource_list: ItemList, settings: Settings) -> None:
        self.items: dict[int, Resource] = {}
        self._list = resource_list
        self._settings = settings
        self._owner = Owner(settings, resource_list.items)
        # An orchestrator chooses the directory of an item without a file. In a package we choose it.
        if resource_list.place is not None and self._owner.config is not None:
            self._owner.directory = posixpath.dirname(self._owner.config.file or "")
        self._merging = ResourceMerging(settings, resource_list.items)
        here = (item for item in resource_list.items if item.is_state and self._owner.reaches(item))
        self._states = States(here, self._owner.text, settings.tracking.domain)
        self._labels: dict[Identity, str] = {}
        self._template_names: set[str] = set()
        # Items whose template is still there, by `id()`: they are not pruned, even if they are not merged.
        self._unpruned: set[int] = set()
        self._results: list[Result] = []
        self._followings: dict[int, tuple[Resource, StateEntry, Following]] = {}
        self._followed: dict[int, dict[Place, Followed]] = {}

    def add(self, generated: Sequence[Update], settings: Settings | None = None) -> list[Result]:
        """Merge resources into the items, and return the results. `settings` are in the place of those before."""
        if settings is not None:
            # What one call keeps no other one prunes: nobody knows which of them has dropped it.
            settings.prune = KEEP if self._settings.prune == KEEP else settings.prune
            self._settings, self._merging = settings, ResourceMerging(settings, self._list.items)
        self._results = []
        # First, because each run would add a hidden item again, in a second file.
        if packages.hides_items(self._list.items, self._settings.function_config):
            return [Result(_HIDDEN, ERROR, "HiddenItems", ref=self._settings.ref)]
        try:
            self._results = [*updates.mistakes(generated, self._labels)]
            if not self._results:
                self._generate(generated)
        except FnError as error:
            return list(error.results)
        return self._results

    def finish(self) -> list[Result]:
        """Prune the items that are no longer generated, name the orphans, and return the results."""
        rest = self._rest()
        results = rest.prune(self._list, self._merging.schema, is_empty=not self._labels)
        results += [*rest.orphans(), *self._states.results()]
        if self._settings.is_in_place and self._template_names and not self._owner.text:
            results.append(notice(_NAMELESS, "NotRemembered", ref=self._settings.ref))
        return results

    def orphans(self) -> Iterator[Result]:
        """Name the items whose functionConfig is not there, for a run that generates nothing."""
        return self._rest().orphans()

    def _rest(self) -> Rest:
        """Return the items that this run has not generated."""
        # They are known only at the end of the run: a function may generate in several calls.
        left = self._candidates((item for item in self._list.items if id(item) not in self.items), ())
        return Rest(left, self._settings, self._template_names, self._unpruned)

    def find_followed(self, item: Resource) -> dict[Place, Followed]:
        """Find the fields of an item that follow a template: the expansion expands these, and `write` notes them."""
        _, _, following = self._followings.get(id(item), (None, None, None))
        is_expanded = self._settings.pod_specs.is_expanded
        found = {} if following is None else following.find(item.root, lambda place: not is_expanded(item, place))
        self._followed[id(item)] = found
        return found

    def write(self) -> list[Result]:
        """Write the state, with the present texts of the items, and return the results."""
        for number, (item, entry, following) in self._followings.items():
            entry.mirror_text = following.remembered(item, self._followed[number])
            item.release()
        try:
            if self._remembers():
                prefixes = packages.prefixes(self._list.items, self._settings.function_config)
                self._states.write(self._list, self._owner.config, prefixes)
        except FnError as error:
            return list(error.results)
        return []

    def _remembers(self) -> bool:
        """True if marks and a state are written: in place, or if an earlier run has left a state."""
        has_state = self._states.own.item is not None or bool(self._states.lost)
        return bool(self._owner.text) and (has_state or self._settings.is_in_place)

    def _generate(self, generated: Sequence[Update]) -> None:
        # A generator ahead of us may add its resources again, beside the items of the last run. Two items of one name
        # would be two candidates for one template.
        self._merge_duplicates()
        candidates = self._candidates(self._list.items, generated)
        searches = candidates.searches([(update.identity, update.template_name) for update in generated])
        found = candidates.find(searches)
        self._unpruned.update(map(id, found.copies))
        self._results += pruning.copied(found.copies, self._settings)
        new = []
        # New resources come last: if two would get the same file name, the first one gets it.
        for update, search, local in zip(generated, searches, found.local, strict=True):
            self._template_names.add(update.template_name)
            if local is not None:
                self._merge(update, local, search)
                # A tree takes many times the memory of its text. An item that follows templates needs it again soon.
                if id(local.item) not in self._followings:
                    local.item.release()
            elif update.template_name in found.unclear:
                items = found.unclear[update.template_name]
                self._unpruned.update(map(id, items))
                self._results.append(pruning.unclear(update.resource, items, self._owner.tracking))
            elif self._take_new(update, candidates, search):
                new.append((update, search))
            update.release()
        self._add(new)

    def _merge_duplicates(self) -> None:
        """Merge the later of two items with one identity into the first, as the update of another generator."""
        if self._settings.merge.duplicates != LATER:
            return
        first_of: dict[tuple[str, Identity], Resource] = {}
        for later in filter(self._settings.is_selected, filter(_is_object, self._list.items)):
            first = first_of.setdefault((self._owner.packages.of(later), identity(later)), later)
            if first is later:
                continue
            self._list.remove(later)
            owner, template_name = self._owner.tracking.mark(first)
            update = Update(later, template_name=template_name)
            mark = owner or self._owner.text, update.template_name
            entry = self._states.entry(mark)
            self._template_names.add(update.template_name)
            self._unpruned.add(id(first))
            self.items[id(first)] = first
            first.secrets |= update.secrets
            try:
                past = Past(entry, is_lost=entry is None and bool(template_name))
                self._results += ItemMerge(self._merging, update, first, past).merge()
            except FnError as error:
                self._results += error.results
            self._states.put(mark, update.entry(self._owner.file_of(first)))

    def _take_new(self, update: Update, candidates: Candidates, search: ItemSearch) -> bool:
        """Take a resource without a local item. True if it becomes a new item; a warning says why it does not."""
        resource = update.resource
        if search.entry is not None:
            self._report_handover(resource, search)
        others = candidates.elsewhere(update.identity, update.template_name)
        if others:
            files = ", ".join(f"`{self._owner.packages.path(other.item) or other.item.label}`" for other in others)
            is_left = self._owner.is_outside and any(other.mark[0] == self._owner.text for other in others)
            outcome = "each stays as it is" if is_left else "this one is added to them"
            message = f"other packages have this as well, in {files}: {outcome}"
            self._results.append(resource.notice(message, "InOtherPackage"))
            return not is_left
        # As an item it would never be merged again, and its references would never be expanded.
        if not self._settings.is_selected(resource):
            message = "a template has this, but `selectors` or `exclude` leave it out: it is not made"
            self._results.append(resource.notice(message, NOT_SELECTED))
            return False
        return True

    def _add(self, new: Sequence[tuple[Update, ItemSearch]]) -> None:
        packages.choose_files([update.new for update, _ in new], self._owner.directory, self._list.items)
        # A package knows the file of each item. In a list only annotations say it.
        place = self._list.place
        prefixes = packages.prefixes(self._list.items, self._settings.function_config) if place is None else ()
        # One after the other, each with its tree released: all trees would take a hundred times their texts' memory.
        for update, search in new:
            file = self._owner.within(update.new.file(self._owner.directory))
            self._write_entry(search, update, file)
            following = self._following(update, None)
            if self._remembers():
                updates.unfold(update.resource)
            update.resource.set_annotations(update.new.annotations(prefixes) | self._mark_annotation(update))
            item = self._list.add(update.resource.text, is_yaml=True)
            if place is not None and update.new.chosen is not None:
                place(item, *update.new.chosen)
            self._register(item, update, following)
            item.release()
            update.release()

    def _merge(self, update: Update, local: Candidate, search: ItemSearch) -> None:
        """Merge an update into its local item, which belongs to this generator from then on."""
        item = local.item
        self._unpruned.add(id(item))
        item.cut()
        if not self._settings.is_selected(item):
            message = "this is generated, but `selectors`, `exclude` or its `skip` leave it out: it stays as it is"
            self._results.append(item.notice(message, NOT_SELECTED))
            return
        try:
            self._report_handover(item, search, local.mark)
            past = self._past(local, search)
            entry = past.entry
            item.secrets |= update.secrets
            if self._is_current(update, local, search.entry):
                self.items[id(item)] = item
                return
            if entry is not None:
                update.rename_keys(entry, item)
            following = self._following(update, entry, item)
            if past.adopt or not self._merging.is_as_generated(update, item):
                self._results += ItemMerge(self._merging, update, item, past, following).merge()
            if local.mark == NO_MARK and entry is not None and self._remembers():
                message = "this was generated, and had lost its mark: it is merged, and marked again"
                self._results.append(item.notice(message, "MarkedAgain"))
        except FnError as error:
            self._results += error.results
            return
        file = self._owner.file_of(item) or ("" if search.entry is None else search.entry.file)
        # An item that no state remembers may have been there before, so it counts as adopted and is never deleted.
        is_adopted = entry is None or entry.is_adopted
        self._write_entry(search, update, file, is_adopted=is_adopted)
        self._register(item, update, following)
        if local.mark != (self._owner.text, update.template_name):
            self._states.put(local.mark)
            item.set_annotations(self._mark_annotation(update))

    def _past(self, local: Candidate, search: ItemSearch) -> Past:
        """Return what the item that a search found was."""
        if local.mark != NO_MARK or search.is_there(local):
            return Past(search.entry, is_lost=search.entry is None)
        # A pipe often reads its own output, so this is no error.
        kept: OnConflict | None = "KeepLocal" if self._remembers() else None
        return Past(adopt="TakeUpdate" if kept and self._merging.applies else self._settings.merge.adopt or kept)

    def _is_current(self, update: Update, local: Candidate, entry: StateEntry | None) -> bool:
        """True if an item of ours, and its entry in the state, already have what this run generates."""
        current = self._settings.current
        if current is None or entry is None or self._merging.writes_always or "$" not in update.resource.text:
            return False
        is_ours = local.mark == (self._owner.text, update.template_name)
        return is_ours and self._states.entry(local.mark) is entry and update.is_current(local.item, entry, current)

    def _register(self, item: Resource, update: Update, following: Following | None) -> None:
        """Register an item as a generated one, with the templates that its fields follow."""
        entry = self._states.own.entries[update.template_name]
        item.secrets |= update.secrets | entry.secrets
        self.items[id(item)] = item
        if following is not None:
            self._followings[id(item)] = item, entry, following

    def _following(self, update: Update, entry: StateEntry | None, item: Resource | None = None) -> Following | None:
        """Return the templates that fields of an item follow, None if this run expands no reference of the update."""
        rendered = self._settings.rendered
        if rendered is None or "$" not in update.resource.text:
            return None
        following = Following(update, entry)
        if item is not None and len(following.find(item.root)) < len(following.templates):
            following.learn(rendered(update.resource))
        return following

    def _report_handover(self, item: Resource, search: ItemSearch, mark: GeneratedMark = NO_MARK) -> None:
        """Report that an item of another owner is ours now. FnError if that one is there, and generates it as well."""
        owner, (giver, template_name) = self._owner.text, search.mark if mark == NO_MARK else mark
        if giver in ("", owner):
            return
        generator = owner or "this function"
        config = self._owner.config_of(giver)
        # A renamed or deleted owner is not there. One that is there may run before or after us: its templates decide.
        if config is None:
            message = f"{giver}, which generated this, is not among the items: {generator} takes it over"
            self._results.append(item.notice(message, "TakenOver"))
        elif ownership.may_generate(config, template_name, [identity(item), search.identity]):
            message = f"{generator} generates this, and so does {giver}: take it out of one of them"
            raise FnError(item.result(message, ERROR, "TwoOwners"))
        else:
            message = f"{giver} no longer generates this, and {generator} does: it is handed over"
            self._results.append(item.notice(message, "HandedOver"))

    def _write_entry(self, search: ItemSearch, update: Update, file: str, *, is_adopted: bool = False) -> None:
        """Write the entry of a resource into the state, in the place of the old one."""
        self._states.put(search.mark)
        self._states.own.put(update.template_name, update.entry(file, is_adopted=is_adopted))

    def _mark_annotation(self, update: Update) -> dict[str, str]:
        """Return the mark of a generated item, none if the next run does not read it."""
        return self._owner.tracking.annotation((self._owner.text, update.template_name)) if self._remembers() else {}

    def _candidates(self, items: Iterable[Resource], updates: Iterable[Update]) -> Candidates:
        """Return those of some items that may be generated ones. Most others are left out without being parsed."""
        mark = self._owner.tracking.generated_by
        entries = (one for of in self._states.of.values() for one in of.entries.values())
        names = {one.called[-1] for one in entries} | {update.identity[-1] for update in updates}
        # To search each item for many names takes longer than to parse it. The time would grow with the square.
        is_any = len(names) > _MANY_NAMES
        of_states = {id(one.item) for one in self._states.of.values()}
        possible = (item for item in items if is_any or item.may_contain(mark) or any(map(item.may_contain, names)))
        objects = (item for item in possible if id(item) not in of_states and _is_object(item))
        return Candidates(objects, self._owner, self._states)


def _is_object(item: Resource) -> bool:
    """True if an item can be a generated one: a resource with a kind and a name, and no state."""
    item.cut()  # for most items only the names and the mark are needed
    return bool(item.kind and item.name) and item.kind != STATE
