"""What the next run has to make of a package, by the promises alone (docs/reference/generated-resources.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tests.expand_vars.memory import model
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.world import SUB, Doc, Entry, file_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.expand_vars.memory.model import Conflict, Tree
    from tests.expand_vars.memory.world import Config, Name, World


@dataclass
class Outcome:
    """What a run has to make of the files, and what it must tell of it."""

    docs: dict[str, Doc]
    new: list[Doc] = field(default_factory=list)
    conflicts: list[tuple[str, Conflict]] = field(default_factory=list)
    told: set[tuple[str, str]] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    entries: dict[Name, Entry] = field(default_factory=dict)
    is_refused: bool = False


def outcome(world: World, path: str) -> Outcome:
    """Return what a run with one of the functionConfigs has to give."""
    return _Run(world, world.configs[path]).outcome()


class _Run:
    """One run of one functionConfig over a world, by the promises alone."""

    def __init__(self, world: World, config: Config) -> None:
        self._configs = {one.name: one for one in world.configs.values()}
        self._config = config
        self._docs = {path: doc for path, doc in sorted(world.docs.items()) if not path.startswith(SUB)}
        self._outside = {path: doc for path, doc in world.docs.items() if path.startswith(SUB)}
        self._outcome = Outcome(dict(world.docs), entries=dict(world.entries))
        self._entries = self._outcome.entries
        # What a template stands for, and no run touches or takes away.
        self._kept: set[str] = set()
        self._merged: set[str] = set()
        self._marked: set[str] = set()

    def outcome(self) -> Outcome:
        updates = self._config.updates()
        names = self._names(updates)
        local, unclear = self._locals(names, {template: _identity(update) for template, update in updates.items()})
        self._leave_copies(names, local, unclear)
        for template, update in updates.items():
            if template in local:
                self._merge(local[template], template, names[template], update)
            elif template in unclear:
                self._kept.update(unclear[template])
                self._outcome.told.add(("AmbiguousCopies", update["metadata"]["name"]))
            else:
                self._add(template, names[template], update)
        used = {*local.values()}
        self._kept |= used
        self._prune(used, updates)
        self._outcome.is_refused = self._config.policy == "Error" and bool(self._outcome.conflicts)
        open_ = {path for path in used if not self._docs[path].is_closed}
        docs = self._outcome.docs.items()
        self._outcome.left = {path for path, doc in docs if doc.is_closed or (doc.owner and path not in open_)}
        self._expand(used)
        return self._outcome

    # What the resource of each template is known as.

    def _names(self, updates: dict[str, Tree]) -> dict[str, Name]:
        """Return the functionConfig and the template that each resource was generated from the last time."""
        own = {template: (self._config.name, template) for template in updates}
        found = {}
        for template, update in updates.items():
            likely = [] if self._is_known(own[template]) else self._givers(template, _identity(update))
            found[template] = next((name for name in likely if name not in own.values()), own[template])
        return found

    def _is_known(self, name: Name) -> bool:
        return name in self._entries or bool(self._of(name))

    def _givers(self, template: str, identity: tuple[str, ...]) -> Iterator[Name]:
        """Yield those that generated the same, are marked on what is called so, or gave this template away."""
        yield from [name for name, entry in self._entries.items() if _identity(entry.origin) == identity][:1]
        yield from (doc.owner for doc in self._docs.values() if doc.owner and _is_called(doc.tree, identity))
        for owner in dict.fromkeys(one[0] for one in (*self._entries, *self._marks())):
            if self._is_known((owner, template)) and template not in self._templates_of(owner):
                yield owner, template

    def _marks(self) -> Iterator[Name]:
        return (doc.owner for doc in self._docs.values() if doc.owner)

    def _of(self, name: Name) -> list[str]:
        return [path for path, doc in self._docs.items() if doc.owner == name and path not in self._merged]

    def _templates_of(self, config: str) -> dict[str, Tree]:
        return self._configs[config].updates() if config in self._configs else {}

    # Which item each of them is.

    def _locals(
        self, names: Mapping[str, Name], made: Mapping[str, tuple[str, ...]]
    ) -> tuple[dict[str, str], dict[str, list[str]]]:
        """Return the item of each template, and those of which nobody can tell which one it is."""
        found: dict[str, str] = {}
        unclear: dict[str, list[str]] = {}
        called = {
            template: _identity(self._entries[name].origin) if name in self._entries else made.get(template, ())
            for template, name in names.items()
        }
        left = {
            template: self._candidates(names, template, called[template], made.get(template, ())) for template in names
        }
        for number in range(5):
            for template, paths in [*left.items()]:
                free = [path for path in paths if path not in found.values()]
                steps = self._steps(names[template], called[template], made.get(template, ()), free)
                fitting = self._best(steps[number], called[template])
                if fitting:
                    del left[template]
                if len(fitting) == 1:
                    found[template] = fitting[0]
                elif fitting:
                    unclear[template] = fitting
        for template, path in found.items():
            if self._docs[path].owner == (name := names[template]) in self._entries:
                self._entries[name] = replace(self._entries[name], home=file_of(path))
        return found, unclear

    def _candidates(
        self, names: Mapping[str, Name], template: str, called: tuple[str, ...], made: tuple[str, ...]
    ) -> list[str]:
        """Return what may be the item of a template: of one that is gone, nothing of another functionConfig."""
        others = [path for path, doc in self._docs.items() if doc.owner not in names.values()]
        free = [path for path in others if path not in self._merged and (made or self._is_free(path))]
        fitting = (path for path in free if any(self._could_be(path, one) for one in (called, made) if one))
        return [*self._of(names[template]), *fitting]

    def _is_free(self, path: str) -> bool:
        """True if no other functionConfig has marked an item."""
        owner = self._docs[path].owner
        return owner is None or owner[0] == self._config.name

    def _could_be(self, path: str, called: tuple[str, ...]) -> bool:
        """True if an item is called so. In another namespace a mark has to say that it is generated."""
        doc = self._docs[path]
        return _identity(doc.tree) == called or (doc.owner is not None and _is_called(doc.tree, called))

    def _steps(self, name: Name, called: tuple[str, ...], made: tuple[str, ...], paths: list[str]) -> list[list[str]]:
        """Return what is found by name and file, by mark and name, or file, or alone, by the name that it gets now."""
        home = self._entries[name].home if name in self._entries else ""
        by_name = [path for path in paths if called and _is_called(self._docs[path].tree, called)]
        by_file = [path for path in paths if file_of(path) == home]
        by_mark = [path for path in paths if self._docs[path].owner == name]
        self._marked = {*by_mark}
        # With a state, what has neither its name nor its file is a copy.
        known = [] if home else by_mark
        as_made = [path for path in paths if made and _is_called(self._docs[path].tree, made)]
        named, filed = ([path for path in some if path in by_mark] for some in (by_name, by_file))
        return [[path for path in by_name if path in by_file], named, filed, known, as_made]

    def _best(self, paths: list[str], called: tuple[str, ...]) -> list[str]:
        """Return the only marked one of several, or the only one in the generated namespace."""
        marked = [path for path in paths if path in self._marked]
        exact = [path for path in paths if _identity(self._docs[path].tree) == called]
        both = [path for path in marked if path in exact]
        return next((some for some in (paths, marked, exact, both) if len(some) == 1), paths)

    def _leave_copies(
        self, names: Mapping[str, Name], local: Mapping[str, str], unclear: Mapping[str, list[str]]
    ) -> None:
        """Leave copies alone: they keep their marks. Those that are closed to us are not told."""
        for template, name in names.items():
            for path in self._of(name) if template not in unclear else ():
                if path != local.get(template) and path not in local.values():
                    self._kept.add(path)
                    if not self._docs[path].is_closed:
                        self._outcome.told.add(("Copied", ""))

    # What becomes of it.

    def _merge(self, path: str, template: str, name: Name, update: Tree) -> None:
        doc = self._docs[path]
        if doc.is_closed:
            return
        self._tell_owner(doc.owner or name, doc.tree)
        conflicts: list[Conflict] = []
        origin = self._origin(doc, name, update)
        if doc.owner is None:
            self._tell("Adopted", path)
        tree = model.merged(origin, update, self._local(doc, name, update), conflicts)
        if self._config.policy == "KeepLocal":
            for conflict in conflicts:
                tree = model.put(tree, conflict.path, conflict.local)
        self._outcome.conflicts += [(path, one) for one in conflicts]
        written = self._written(name, update, tree)
        if doc.owner is not None:
            self._entries.pop(doc.owner, None)
        self._note(name, template, Entry(update, file_of(path), written))
        owner = (self._config.name, template)
        self._merged.add(path)
        self._docs[path] = self._outcome.docs[path] = replace(doc, tree=tree, values=self._config.values, owner=owner)

    def _local(self, doc: Doc, name: Name, update: Tree) -> Tree:
        """Return a resource with its templates: a field shows what was written, its template, or that as of today."""
        entry, there = self._entries.get(name), model.tree(doc.text)
        known = [(self._shown(update), update), (update, update)]
        if entry is not None:
            known += [(entry.origin, entry.origin), (entry.written, entry.origin)]
        found = model.own(there)
        for written, made in known:
            found = _first(model.followed(there, written, made), found)
        return _with_own(found, doc.tree)

    def _written(self, name: Name, update: Tree, tree: Tree) -> Tree:
        """Return what the runs wrote last. A field that a user has changed or deleted keeps its last text."""
        entry = self._entries.get(name, Entry(NOWHERE, "", NOWHERE))
        return _last(update, self._shown(update), tree, entry)

    def _shown(self, update: Tree) -> Tree:
        return model.shown(update, self._config.values)

    def _origin(self, doc: Doc, name: Name, update: Tree) -> Tree:
        """Return what a resource was generated as. Where nobody knows that, all of it stays, or what it is called."""
        if name in self._entries:
            return self._entries[name].origin
        head = {key: update[key] for key in ("apiVersion", "kind")} | {"metadata": _called(update)}
        return head if doc.owner is None else update

    def _note(self, before: Name, template: str, entry: Entry) -> None:
        self._entries.pop(before, None)
        self._entries[self._config.name, template] = entry

    def _tell_owner(self, name: Name, resource: Tree) -> None:
        if name[0] != self._config.name:
            reason = "HandedOver" if name[0] in self._configs else "TakenOver"
            self._outcome.told.add((reason, resource["metadata"]["name"]))

    def _add(self, template: str, name: Name, update: Tree) -> None:
        owner = (self._config.name, template)
        if name in self._entries:
            self._tell_owner(name, update)
        outside = self._outside.values()
        if any(doc.owner == owner or _identity(doc.tree) == _identity(update) for doc in outside):
            self._outcome.told.add(("InOtherPackage", update["metadata"]["name"]))
        self._note(name, template, Entry(update, "", self._shown(update)))
        self._outcome.new.append(Doc("", update, self._config.values, owner))

    def _prune(self, used: set[str], updates: dict[str, Tree]) -> None:
        """Take away what is generated no longer and nobody changed, but never all of it."""
        own = dict.fromkeys(name for name in (*self._entries, *self._marks()) if name[0] == self._config.name)
        names = {name[1]: name for name in own if name[1] not in updates}
        local, unclear = self._locals(names, {})
        self._tell_unclear(unclear)
        self._leave_copies(names, local, unclear)
        for template, name in names.items():
            path = local.get(template)
            if path is None or self._docs[path].owner != name:
                if template not in unclear and not self._of(name):
                    self._entries.pop(name, None)
            elif path not in used and path not in self._kept and not self._stays(path, name, is_all=not updates):
                self._prune_one(path, name)

    def _stays(self, path: str, name: Name, *, is_all: bool) -> bool:
        """True if an item is not even looked at: all would go, or somebody else has a say in it."""
        others = [one for one in self._configs.values() if one is not self._config]
        doc = self._docs[path]
        return is_all or doc.is_closed or any(self._takes(one, doc, name) for one in others)

    def _prune_one(self, path: str, name: Name) -> None:
        entry = self._entries.get(name)
        if entry is None or _own(self._docs[path].tree) != _own(entry.origin):
            self._tell("KeptChanged", path)
            return
        del self._outcome.docs[path], self._entries[name]
        self._tell("Pruned", path)

    def _takes(self, config: Config, doc: Doc, name: Name) -> bool:
        """True if a functionConfig takes an item over: one of its templates may be the item's, and has none yet."""
        settled = {*self._marks()}
        entry = self._entries.get(name)
        known = [_identity(one) for one in (doc.tree, doc.tree if entry is None else entry.origin)]
        return any(
            (config.name, model.written(one)) not in settled
            and (model.written(one) == name[1] or any(_may_be(one, identity) for identity in known))
            for one in config.templates
        )

    def _tell_unclear(self, unclear: Mapping[str, list[str]]) -> None:
        for found in unclear.values():
            paths = [path for path in found if not self._docs[path].is_closed and path not in self._kept]
            if paths:
                self._tell("AmbiguousCopies", paths[0])

    def _expand(self, merged: set[str]) -> None:
        """Give this run's values to the items that no ExpandVars generated."""
        for path, doc in self._outcome.docs.items():
            if doc.owner is None and path not in merged and not doc.is_closed:
                self._outcome.docs[path] = replace(doc, values=doc.values | self._config.values)

    def _tell(self, reason: str, path: str) -> None:
        self._outcome.told.add((reason, self._docs[path].tree["metadata"]["name"]))


def _first(one: Tree, other: Tree) -> Tree:
    """Return a tree, and the other one where a user has written it: they are of one text."""
    if isinstance(one, dict) and isinstance(other, dict):
        return type(one)({key: _first(value, other[key]) for key, value in one.items()})
    if isinstance(one, tuple) and isinstance(other, tuple):
        return tuple(map(_first, one, other))
    return other if isinstance(one, model.Own) or not isinstance(one, str) else one


def _last(made: Tree, shown: Tree, there: Tree, before: Entry) -> Tree:
    """Return what was written last for a template: what is shown where a resource follows it, else what was before."""
    if isinstance(made, dict):
        return type(made)({key: _last(made[key], shown[key], *_below(there, before, key)) for key in made})
    if not isinstance(made, tuple):
        return _last((made,), (shown,), (there,), Entry((before.origin,), "", (before.written,)))[0]
    following = [one for one in _elements(there) if not isinstance(one, model.Own)]
    known = dict(zip(_elements(before.origin), _elements(before.written), strict=True))
    pairs = zip(made, shown, strict=True)
    return tuple(now if one in following else known.get(one, one) for one, now in pairs)


def _below(there: Tree, before: Entry, key: str) -> tuple[Tree, Entry]:
    there, origin, written = (model.at(one, (key,)) for one in (there, before.origin, before.written))
    return there, Entry(origin, "", written)


def _elements(node: Tree) -> tuple[Tree, ...]:
    return node if isinstance(node, tuple) else ()


def _with_own(tree: Tree, known: Tree) -> Tree:
    """Return a tree with the references that a user has written, and with what has its template in a comment."""
    if isinstance(tree, dict) and isinstance(known, dict):
        return type(tree)({key: _with_own(one, known.get(key, one)) for key, one in tree.items()})
    if isinstance(tree, tuple) and isinstance(known, tuple) and len(tree) == len(known):
        return tuple(map(_with_own, tree, known))
    is_kept = isinstance(known, model.Own) or (isinstance(known, str) and "$(PIN)" in known)
    return known if isinstance(tree, model.Own) and is_kept else tree


def _called(resource: Tree) -> Tree:
    return {key: one for key, one in resource["metadata"].items() if key in ("name", "namespace")}


def _identity(resource: Tree) -> tuple[str, ...]:
    return (resource["apiVersion"], resource["kind"], resource["metadata"]["name"], model.namespace(resource))


def _is_called(resource: Tree, generated: tuple[str, ...]) -> bool:
    """True if a resource is called as what was generated, in any namespace if that has none."""
    *called, namespace = generated
    *named, there = _identity(resource)
    return called == named and namespace in ("", there)


def _may_be(template: Tree, identity: tuple[str, ...]) -> bool:
    """True if a template can generate something that is called so: each reference may be any text."""
    version, kind, name, namespace = _identity(template)
    pattern = model.REFERENCE.sub(".*", name)
    return (version, kind, namespace) == (*identity[:2], identity[3]) and bool(re.fullmatch(pattern, identity[2]))


def _own(resource: Tree) -> Any:
    """Return what counts as somebody's own work in a resource: other functions set names and labels."""
    kept = {
        key: one
        for key, one in resource["metadata"].items()
        if key not in ("name", "namespace", "labels", "annotations")
    }
    return resource | {"metadata": kept}
