"""Ownership: the functionConfig that generated an item, and the local item for a generated resource.

A functionConfig owns only items in its own package: each instance of a package may have a functionConfig of the same
name (docs/reference/generated-resources.md, "Whose an item is").
"""

from __future__ import annotations

from krm.generation import packages
from krm.generation.packages import Packages
from krm.generation.settings import NO_MARK, identity, may_be, namespace
from krm.resource import EXPAND_VARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from krm.generation.settings import GeneratedMark, Identity, Settings
    from krm.generation.state import StateEntry, States
    from krm.resource import Resource


class Owner:
    """A generator: a functionConfig in its package, or the owner that a function names. Without a name it owns nothing.

    It `is_outside` if the functionConfig is not among the items. `directory` is the one for new items, empty if the
    orchestrator chooses it. `instances` are the packages with a functionConfig of this name: copies of one package.
    `config` is the functionConfig with its file, None if it is not among the items: a `--fn-config` may be anywhere.
    """

    def __init__(self, settings: Settings, items: Sequence[Resource]) -> None:
        config = settings.function_config
        self.tracking = settings.tracking
        self._items = items
        self.text = settings.owner or ("" if config is None else packages.owner_text(config))
        self.packages = Packages(items)
        self.package = self.packages.of_config(config, items)
        self._configs: dict[str, Resource | None] = {}
        self.instances = {self.packages.of(item) for item in packages.configs(items, self.text)}
        self.directory = self.packages.directory(self.package)
        self.is_outside = not self.instances
        named = [] if config is None else packages.configs(items, packages.owner_text(config))
        self.config = next((one for one in named if one.file is not None), None)

    def owns(self, item: Resource) -> bool:
        """True if this functionConfig has generated an item, and the item is in its package."""
        return bool(self.text) and self.tracking.mark(item)[0] == self.text and self.reaches(item)

    def reaches(self, item: Resource) -> bool:
        """True if an item is in the functionConfig's own package."""
        return self.packages.of(item) == self.package

    def config_of(self, owner: str) -> Resource | None:
        """Return the functionConfig of this name in the package, None if there is none."""
        if owner not in self._configs:
            self._configs[owner] = next(filter(self.reaches, packages.configs(self._items, owner)), None)
        return self._configs[owner]

    def file_of(self, item: Resource) -> str:
        """Return the file of an item, relative to its package; empty if it is not known."""
        return self.within(item.file or "")

    def within(self, file: str) -> str:
        """Return a file of this package, relative to the package."""
        return file.removeprefix(f"{self.directory}/") if self.directory else file


class Candidate:
    """An item that may be generated, with all facts for the search: so it is parsed once.

    `names` are the identities that it has or had.
    """

    def __init__(self, item: Resource, owner: Owner) -> None:
        self.item = item
        self.mark = owner.tracking.mark(item)
        group, kind, *_ = identity(item)
        named = ((group, kind, namespace(one), name) for one, name in item.identities)
        self.names: list[Identity] = list(dict.fromkeys(named))
        self.file = owner.file_of(item)

    def is_called(self, identity: Identity) -> bool:
        """True if the item has, or had, an identity. Its namespace counts only if the identity has one."""
        return any(identity in (own, _without_namespace(own)) for own in self.names)


def _without_namespace(one: Identity) -> Identity:
    """Return an identity without its namespace, which a later function may have set."""
    return one[0], one[1], "", one[3]


class ItemSearch:
    """The search for the item of a template: by its `entry` in a state, or by the identity that is generated now.

    Its `mark` is that of this run, or that of another owner that no longer generates it.
    """

    def __init__(self, generated: Identity, template_name: str, mark: GeneratedMark, entry: StateEntry | None) -> None:
        self.generated = generated
        self.identity = generated if entry is None else entry.identity
        self.template_name = template_name
        self.mark = mark
        self.entry = entry

    def is_there(self, one: Candidate) -> bool:
        """True if an item has the identity and the file of the entry, with or without the mark."""
        return self.entry is not None and one.file in ("", self.entry.file) and one.is_called(self.identity)

    def step(self, one: Candidate) -> int | None:
        """Return the first step of the search that an item passes, None if it passes none."""
        is_marked, file = one.mark == self.mark, "" if self.entry is None else self.entry.file
        passed = (
            self.is_there(one),
            is_marked and one.is_called(self.identity),
            is_marked and file == one.file != "",
            is_marked and "" in (file, one.file),  # an item with another file and another name is a copy
            one.is_called(self.generated),  # an item of a person, or of another owner
        )
        return passed.index(True) if True in passed else None

    def best(self, fitting: list[Candidate]) -> list[Candidate]:
        """Return the only marked one of several candidates, or the only one with the exact identity; else all."""
        marked = [item for item in fitting if item.mark == self.mark]
        exact, both = ([item for item in some if self.identity in item.names] for some in (fitting, marked))
        return next((some for some in (marked, exact, both) if len(some) == 1), fitting)


class FoundItems:
    """The items that searches have found: in `local`, in the order of the searches, None where there is none.

    `copies` are marked items beside these. `unclear` are the items of a template among which nobody can tell the right
    one.
    """

    def __init__(self, searches: int) -> None:
        """Begin with nothing found for so many searches."""
        self.local: list[Candidate | None] = [None] * searches
        self.copies: list[Resource] = []
        self.unclear: dict[str, list[Resource]] = {}


class Candidates:
    """The items that may be merged with a generated one (docs/reference/generated-resources.md, "Whose an item is").

    `marked` are the items of the package with a mark, by its owner and template.
    """

    def __init__(self, items: Iterable[Resource], owner: Owner, states: States) -> None:
        self.owner = owner
        self.states = states
        self.marked: dict[GeneratedMark, list[Candidate]] = {}
        self._called: dict[Identity, list[Candidate]] = {}
        self._elsewhere: dict[Identity, list[Candidate]] = {}
        self._ours_elsewhere: dict[str, list[Candidate]] = {}
        self._by_identity: dict[Identity, GeneratedMark] = {}
        for item in items:
            one, is_here = Candidate(item, owner), owner.reaches(item)
            for name in one.names:
                (self._called if is_here else self._elsewhere).setdefault(name, []).append(one)
                # A later function may have set the namespace of what was generated without one.
                if is_here and name[2] and one.mark != NO_MARK:
                    self._called.setdefault(_without_namespace(name), []).append(one)
            if is_here and one.mark != NO_MARK:
                self.marked.setdefault(one.mark, []).append(one)
            elif owner.text and one.mark[0] == owner.text:
                self._ours_elsewhere.setdefault(one.mark[1], []).append(one)
            item.release()  # thousands of trees at once take more memory than anything else
        for state in states.of.values():
            for template_name, entry in state.entries.items():
                self._by_identity.setdefault(entry.identity, (state.owner, template_name))

    def searches(self, updates: Sequence[tuple[Identity, str]]) -> list[ItemSearch]:
        """Return the search for the item of each generated resource, which another owner may have generated before."""
        here = {(self.owner.text, template_name) for _, template_name in updates}
        searches = []
        for generated, template_name in updates:
            mark = next(self._marks(generated, template_name, here), (self.owner.text, template_name))
            searches.append(ItemSearch(generated, template_name, mark, self.states.entry(mark)))
        return searches

    def find(self, searches: Sequence[ItemSearch], others: Iterable[GeneratedMark] = ()) -> FoundItems:
        """Find the items of some searches, and note the present file of each entry.

        No item is found twice, or has the mark of `others`.

        The first step that exactly one item passes finds it. Each step is done for all searches before the next one. So
        if two templates swap their names, the first one does not find the item of the second by its name.
        """
        marks = {search.mark for search in searches} | {*others}
        waiting: list[dict[Candidate, int | None]] = []
        for search in searches:
            called = (*self._called.get(search.identity, ()), *self._called.get(search.generated, ()))
            unmarked = (item for item in called if item.mark not in marks)
            waiting.append({item: search.step(item) for item in (*self.marked.get(search.mark, ()), *unmarked)})
        found = FoundItems(len(searches))
        taken: set[Candidate] = set()
        for step in sorted({step for steps in waiting for step in steps.values() if step is not None}):
            for number, search in enumerate(searches):
                passed = (item for item, first in waiting[number].items() if first == step and item not in taken)
                fitting = search.best([*passed])
                if len(fitting) == 1:
                    found.local[number] = fitting[0]
                    taken.add(fitting[0])
                elif fitting:
                    found.unclear[search.template_name] = [item.item for item in fitting]
                if fitting:
                    waiting[number] = {}
        for search, local in zip(searches, found.local, strict=True):
            known = [] if search.template_name in found.unclear else self.marked.get(search.mark, ())
            found.copies += [item.item for item in known if item is not local and item not in taken]
            # If a later function renames the marked item, its file identifies it.
            if local is not None and search.entry is not None and local.mark == search.mark:
                search.entry.file = local.file or search.entry.file
        return found

    def elsewhere(self, identity: Identity, template_name: str) -> list[Candidate]:
        """Return the items of other packages that already are a generated resource.

        They have its identity, or a mark of our name with its template. Marked items in a package with a functionConfig
        of our name belong to that one, unless they have the generated name in a namespace that a later function set.
        """
        ours = (
            one
            for one in self._ours_elsewhere.get(template_name, ())
            if one.is_called(identity) or self.owner.packages.of(one.item) not in self.owner.instances
        )
        return list(dict.fromkeys((*self._elsewhere.get(identity, ()), *ours)))

    def _marks(self, identity: Identity, name: str, here: Collection[GeneratedMark]) -> Iterator[GeneratedMark]:
        """Yield the marks that a resource may have been generated with before, the likeliest first."""
        own = self.owner.text
        if name in self.states.own.entries or (own, name) in self.marked:
            yield own, name
        # The template may have been renamed, or moved to another functionConfig.
        before = self._by_identity.get(identity)
        if before is not None and before not in here:
            yield before
        for one in self._called.get(identity, ()):
            if one.mark != NO_MARK and one.mark not in here:
                yield one.mark
        # The other functionConfig may have generated another name, since it has another value for a variable.
        for owner in dict.fromkeys([*self.states.of, *(owner for owner, _ in self.marked)]):
            is_known = (owner, name) in self.marked or self.states.entry((owner, name)) is not None
            if owner != own and is_known and not may_generate(self.owner.config_of(owner), name):
                yield owner, name


def templates_of(function_config: Resource, template_name: str, known: Collection[Identity]) -> Iterator[str]:
    """Yield the templates of an ExpandVars, as written, that may generate an item: a reference can be any text.

    The item was generated by the template of this name, and has or had the identities that are `known`.
    """
    for name, _ in templates(function_config):
        if name == template_name or any(may_be(name, "/".join(identity)) for identity in known):
            yield name


def may_generate(function_config: Resource | None, template_name: str, known: Collection[Identity] = ()) -> bool:
    """True if a functionConfig may generate an item, or nobody knows what it generates."""
    if function_config is None:
        return False
    # In doubt it may: so nothing is pruned that another function is about to take over.
    return function_config.kind != EXPAND_VARS or any(templates_of(function_config, template_name, known))


def templates(function_config: Resource) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the templates of an ExpandVars, which may be another one than ours, each behind its identity as written.

    A template that is no resource is left out.
    """
    spec = function_config.get("spec")
    given = spec.get("templates") if isinstance(spec, dict) else None
    for template in given if isinstance(given, list) else ():
        if isinstance(template, dict) and isinstance(template.get("metadata"), dict):
            metadata = template["metadata"]
            group = str(template.get("apiVersion")).rpartition("/")[0]
            place = namespace(str(metadata.get("namespace") or ""))
            yield "/".join((group, str(template.get("kind")), place, str(metadata.get("name")))), template
