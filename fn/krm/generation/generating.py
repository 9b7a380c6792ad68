"""What is generated, brought into a list of items: the steps in order."""

from __future__ import annotations

from krm.generation import (
    findings,
    model,
    origins,
    ownership,
    placing,
    pruning,
    reading,
    tracking,
)
from krm.generation.merging import Merging
from krm.generation.ownership import Items, Owner
from krm.generation.placing import New
from krm.resource import Resource
from krm.results import ERROR, INFO, WARNING, FnError, Result
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from krm.fieldpath import Place
    from krm.generation.model import Generated, Settings
    from krm.generation.origins import Identity, Origin
    from krm.resourcelist import ResourceList
    from krm.yamltree.nodes import Node

_FIELDS = ("apiVersion", "kind", "metadata.name")
_TEXTS = (*_FIELDS, "metadata.namespace")


class Update:
    """A resource as it is generated now."""

    __slots__ = ("folder", "resource", "secrets")

    def __init__(self, resource: Resource, folder: str | None = None, secrets: Collection[Place] = ()) -> None:
        self.resource = resource
        self.folder = folder
        self.secrets = secrets


def generate(resource_list: ResourceList, generated: Sequence[Generated], settings: Settings) -> list[Result]:
    """Merge what is generated into the items of a list, prune what is not, and return what there is to tell.

    Where a result is an error, the items may be half changed: who emits the list gives them back as they were read.
    """
    try:
        updates = [Update(_resource(one), one.folder, one.secrets) for one in generated]
        return [*_mistakes(updates)] or _Generating(resource_list, settings).run(updates)
    except FnError as error:
        return list(error.results)


class _Generating:
    """One run over the items of a list."""

    def __init__(self, resource_list: ResourceList, settings: Settings) -> None:
        self._list = resource_list
        self._settings = settings
        self._tracking = settings.tracking
        self._owner = Owner(settings.function_config, resource_list.items, settings.tracking)
        self._merging = Merging(settings, resource_list.items)
        self._is_kept = tracking.are_read_again(resource_list.items, settings.function_config)
        self._told: list[Result] = []

    def run(self, updates: Sequence[Update]) -> list[Result]:
        """Take the steps in order, and return what there is to tell."""
        self._merge_duplicates()
        there = Items(self._candidates(updates), self._owner)
        self._forget_copies(there)
        local = there.locals([update.resource for update in updates])
        pairs = list(zip(updates, local, strict=True))
        self._add([update for update, item in pairs if item is None])
        for update, item in pairs:
            if item is not None:
                self._merge(update, item, self._owner.text)
        self._prune([item for item in there.owned() if item not in local], is_all=not updates)
        return self._told

    def _merge_duplicates(self) -> None:
        """Merge the later of two items that are called the same into the first, as what another generator made."""
        if self._settings.merge.duplicates != model.LATER:
            return
        items = filter(self._settings.is_selected, filter(_is_object, self._list.items))
        for first, later in ownership.duplicates(items, self._owner.packages):
            self._list.remove(later)
            self._merge(Update(later), first, self._tracking.owner(first))

    def _forget_copies(self, there: Items) -> None:
        for item in filter(self._settings.is_selected, there.copies):
            message = "this is a copy of what is generated: it is yours, and no longer tells what it was generated as"
            self._told.append(item.result(message, INFO, findings.COPIED))
            self._tracking.remove(item)

    def _add(self, updates: Sequence[Update]) -> None:
        there = self._list.items
        new = [New(self._list.add(update.resource.source), update.folder) for update in updates]
        placing.place(new, there)
        for update, one in zip(updates, new, strict=True):
            self._remember(update, one.item, self._owner.text)

    def _merge(self, update: Update, item: Resource, owner: str) -> None:
        """Merge an update into the item that is local for it, which is `owner`'s from then on."""
        if not self._settings.is_selected(item):
            message = "this is generated, but `selectors` or `exclude` leave it out: it stays as it is"
            self._told.append(item.result(message, INFO, findings.NOT_SELECTED))
            return
        try:
            self._take_over(item, owner)
            if self._is_damaged(item):
                self._told.append(self._damage(item))
            else:
                origin = self._origin(item)
                self._told += self._merging.merge(update.resource, item, origin, has_secrets=bool(update.secrets))
            self._remember(update, item, owner)
        except FnError as error:
            self._told += error.results

    def _take_over(self, item: Resource, owner: str) -> None:
        """Take an item over from another owner. FnError where that one is there, and would generate it as well."""
        giver = self._tracking.owner(item)
        if giver in ("", owner):
            return
        generator = owner or "this function"
        if ownership.is_there(giver, self._list.items):
            message = f"{generator} generates this, and so does {giver}: take it out of one of them"
            raise FnError(item.result(message, ERROR, findings.TWO_OWNERS))
        message = f"{giver}, which generated this, is not there any more: {generator} takes it over"
        self._told.append(item.result(message, WARNING, findings.TAKEN_OVER))

    def _origin(self, item: Resource) -> Origin | None:
        """Return what an item was generated as, None where it does not tell."""
        return origins.read(item, self._tracking) if self._tracking.has_origin(item) else None

    def _is_damaged(self, item: Resource) -> bool:
        """True if an item has an origin that cannot be read."""
        return self._tracking.has_origin(item) and self._origin(item) is None

    def _damage(self, item: Resource) -> Result:
        """Return the warning for an item whose origin is damaged, by markers of a merge say: all of local stays."""
        key = self._tracking.last_generated
        message = f"the annotation `{key}` is damaged: nothing is merged in this run, and every field stays as it is"
        return item.result(message, WARNING, findings.DAMAGED_ORIGIN)

    def _remember(self, update: Update, item: Resource, owner: str) -> None:
        if not self._is_kept:
            self._tracking.remove(item)
            return
        self._tracking.write(item, origins.text(update.resource, update.secrets), owner)

    def _prune(self, dropped: Sequence[Resource], *, is_all: bool) -> None:
        """Take away what is generated no longer, unless it is somebody's own by now."""
        settings, config = self._settings, self._settings.function_config
        dropped = [item for item in dropped if settings.is_selected(item)]
        if not dropped or config is None or _is_config_map(config) or settings.prune == model.KEEP:
            return
        if is_all and settings.prune != model.PRUNE_ALL:
            names = ", ".join(f"`{item.ref}`" for item in dropped)
            message = f"nothing is generated any more: all of it stays, unless `prune: All` takes it away: {names}"
            self._told.append(config.result(message, WARNING, findings.NOT_PRUNED))
            return
        told = [pruning.pruned(item, settings) for item in dropped]
        gone = [item for item, result in zip(dropped, told, strict=True) if result.reason == findings.PRUNED]
        self._told += told
        self._list.remove(*gone)

    def _candidates(self, updates: Iterable[Update]) -> Iterator[Resource]:
        """Yield the items that what is generated may have to do with: most need not be parsed."""
        tracking = self._tracking
        marks = {tracking.last_generated, tracking.generated_by, *(update.resource.name for update in updates)}
        return (item for item in self._list.items if any(map(item.may_contain, marks)) and _is_object(item))


def _resource(generated: Generated) -> Resource:
    return Resource(generated.text, (0, len(generated.text)), generated.place)


def _mistakes(updates: Iterable[Update]) -> Iterator[Result]:
    """Yield what is generated and no resource, or generated twice."""
    places: dict[Identity, str] = {}
    for resource in (update.resource for update in updates):
        lacking = [field for field in _FIELDS if resource.get(field) in (None, "")]
        wrong = [field for field in _TEXTS if any(_is_no_string(node) for _, node in resource.find(field))]
        if lacking or wrong:
            problem = "it has no" if lacking else "no string is its"
            fields = ", ".join(f"`{field}`" for field in lacking or wrong)
            yield Result(f"{resource.label} is no resource: {problem} {fields}", ERROR, reading.REASON)
        elif (place := places.setdefault(origins.identity(resource), resource.label)) != resource.label:
            message = f"{place} and {resource.label} are the same resource: only one can be generated"
            yield resource.result(message, ERROR, findings.GENERATED_TWICE)


def _is_no_string(node: Node) -> bool:
    """Say whether a node is neither null nor what every reader takes for a string."""
    return scalars.data(node) is not None and scalars.string(node) is None


def _is_object(item: Resource) -> bool:
    """True if an item can be a generated one: a resource with a kind and a name."""
    return isinstance(item.root, Mapping) and bool(item.kind and item.name)


def _is_config_map(function_config: Resource) -> bool:
    return (function_config.group, function_config.kind) == ("", "ConfigMap")
