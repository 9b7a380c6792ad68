"""What the next run has to make of a package, by the promises alone (docs/generated-resources.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tests.expand_vars.memory import model
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.world import SUB, Doc, file_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.expand_vars.memory.model import Conflict, Tree
    from tests.expand_vars.memory.world import Config, World


@dataclass
class Outcome:
    """What a run has to make of the files, and what it must tell of it."""

    docs: dict[str, Doc]
    new: list[Doc] = field(default_factory=list)
    conflicts: list[tuple[str, Conflict]] = field(default_factory=list)
    told: set[tuple[str, str]] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
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
        self._outcome = Outcome(dict(world.docs))

    def outcome(self) -> Outcome:
        self._part_copies()
        updates = self._config.updates()
        local = self._locals(updates)
        self._part_what_was_unclear(local)
        for template, update in updates.items():
            if template in local:
                self._merge(local[template], template, update)
            elif template in self._unclear():
                self._outcome.told.add(("AmbiguousCopies", update["metadata"]["name"]))
            else:
                self._add(template, update)
        self._prune({*local.values()}, is_all=not updates)
        self._outcome.is_refused = self._config.policy == "Error" and bool(self._outcome.conflicts)
        used = {path for path in local.values() if not self._docs[path].is_closed}
        docs = self._outcome.docs.items()
        self._outcome.left = {path for path, doc in docs if doc.is_closed or (doc.owner and path not in used)}
        self._expand({*local.values()})
        return self._outcome

    def _is_ours(self, doc: Doc) -> bool:
        return doc.owner is not None and doc.owner[0] == self._config.name

    def _of(self, template: str) -> list[str]:
        return [path for path, doc in self._docs.items() if doc.owner == (self._config.name, template)]

    def _part_copies(self) -> None:
        """Leave the copies of an item alone, where one of them has the generated name."""
        updates = self._config.updates()
        owners = {doc.owner for doc in self._docs.values() if doc.owner}
        for owner in (one for one in owners if one[0] == self._config.name and one[1] in updates):
            paths = [path for path, doc in self._docs.items() if doc.owner == owner]
            original = self._original(paths)
            if original is not None:
                for path in (one for one in paths if one != original):
                    self._part(path)

    def _original(self, paths: list[str]) -> str | None:
        """Return the one of several marked items that was generated: by name and file, by name, by file."""
        called = [path for path in paths if _has_name(self._docs[path].tree, self._docs[path].origin)]
        there = [path for path in paths if file_of(path) == self._docs[path].home]
        for step in ([path for path in called if path in there], called, there, paths):
            exact = [path for path in step if _identity(self._docs[path].tree) == _identity(self._docs[path].origin)]
            if step:
                return step[0] if len(step) == 1 else exact[0] if len(exact) == 1 else None
        return None

    def _part_what_was_unclear(self, local: dict[str, str]) -> None:
        """Let the copies of what has the name of another resource, and is found by that, forget what they are."""
        for template in self._unclear() & local.keys():
            for path in self._of(template):
                if path != local[template]:
                    self._part(path)

    def _part(self, path: str) -> None:
        """Leave a copy alone: it keeps its mark. One that is closed to us is not told."""
        doc = self._docs[path]
        self._docs[path] = replace(doc, owner=None, origin=NOWHERE)
        if not doc.is_closed:
            self._outcome.told.add(("Copied", ""))

    def _unclear(self) -> set[str]:
        owners = [doc.owner for doc in self._docs.values() if doc.owner]
        mine = [one for one in owners if one[0] == self._config.name or one[0] not in self._configs]
        return {template for owner, template in mine if owners.count((owner, template)) > 1}

    def _locals(self, updates: dict[str, Tree]) -> dict[str, str]:
        """Return the file that each template's resource is merged into."""
        found: dict[str, str] = {}
        for candidates in (self._by_template, self._by_origin, self._by_name, self._by_any_origin, self._by_other):
            for template, update in updates.items():
                free = [path for path in candidates(template, update) if path not in found.values()]
                if template not in found and free:
                    found[template] = free[0]
        return found

    def _by_template(self, template: str, _: Tree) -> list[str]:
        own = self._of(template)
        return own if len(own) == 1 else []

    def _by_origin(self, _: str, update: Tree) -> Iterator[str]:
        return (one for one in self._by_any_origin("", update) if self._is_ours(self._docs[one]))

    def _by_name(self, _: str, update: Tree) -> list[str]:
        called = [path for path, doc in self._docs.items() if _identity(doc.tree) == _identity(update)]
        return sorted(called, key=lambda path: self._docs[path].owner is None)

    def _by_any_origin(self, _: str, update: Tree) -> list[str]:
        owners = [doc.owner for doc in self._docs.values()]
        made = [path for path, doc in self._docs.items() if doc.owner and owners.count(doc.owner) == 1]
        return [path for path in made if _identity(self._docs[path].origin) == _identity(update)]

    def _by_other(self, template: str, _: Tree) -> list[str]:
        """Return the files of a template that moved here from a functionConfig which has it no longer."""
        made = ((path, doc.owner) for path, doc in self._docs.items() if doc.owner)
        found = [path for path, owner in made if owner[1] == template and template not in self._templates_of(owner[0])]
        return found if len(found) == 1 else []

    def _templates_of(self, config: str) -> dict[str, Tree]:
        return self._configs[config].updates() if config in self._configs else {}

    def _merge(self, path: str, template: str, update: Tree) -> None:
        doc = self._docs[path]
        if doc.is_closed:
            return
        self._tell_owner(path, doc)
        conflicts: list[Conflict] = []
        origin = doc.origin
        if origin is NOWHERE:
            self._tell("Adopted", path)
            origin = {key: update[key] for key in ("apiVersion", "kind")} | {"metadata": _called(update)}
        tree = model.merged(origin, update, doc.tree, conflicts)
        if self._config.policy == "KeepLocal":
            for conflict in conflicts:
                tree = model.put(tree, conflict.path, conflict.local)
        self._outcome.conflicts += [(path, one) for one in conflicts]
        owner = (self._config.name, template)
        self._set(
            path, replace(doc, tree=tree, values=self._config.values, owner=owner, origin=update, home=file_of(path))
        )

    def _tell_owner(self, path: str, doc: Doc) -> None:
        if doc.owner and doc.owner[0] != self._config.name:
            self._tell("HandedOver" if doc.owner[0] in self._configs else "TakenOver", path)

    def _add(self, template: str, update: Tree) -> None:
        name = update["metadata"]["name"]
        owner = (self._config.name, template)
        outside = self._outside.values()
        if any(doc.owner == owner or _identity(doc.tree) == _identity(update) for doc in outside):
            self._outcome.told.add(("InOtherPackage", name))
        self._outcome.new.append(Doc("", update, self._config.values, owner, update))

    def _prune(self, used: set[str], *, is_all: bool) -> None:
        """Take away what is generated no longer and nobody changed, but never all of it."""
        owned = [(path, doc.owner[1]) for path, doc in self._docs.items() if doc.owner and self._is_ours(doc)]
        dropped = [(path, template) for path, template in owned if path not in used and len(self._of(template)) == 1]
        others = [one for one in self._configs.values() if one is not self._config]
        self._tell_unclear()
        for path, template in dropped:
            doc = self._docs[path]
            if is_all or doc.is_closed or any(self._takes(one, doc, template) for one in others):
                continue
            if _own(doc.tree) == _own(doc.origin):
                del self._outcome.docs[path]
                self._tell("Pruned", path)
            else:
                self._tell("KeptChanged", path)

    def _takes(self, config: Config, doc: Doc, written: str) -> bool:
        """True if a functionConfig takes an item over: one of its templates is the item's, and has none yet."""
        settled = {one.owner for one in self._docs.values()}
        names = (_identity(doc.tree), _identity(doc.origin))
        return any(
            (config.name, template) not in settled and (template == written or _identity(update) in names)
            for template, update in config.updates().items()
        )

    def _tell_unclear(self) -> None:
        for template in self._unclear() - self._config.updates().keys():
            own = self._of(template)
            paths = [path for path in own if not self._docs[path].is_closed]
            if len(own) > 1 and paths:
                self._tell("AmbiguousCopies", paths[0])

    def _expand(self, merged: set[str]) -> None:
        """Give this run's values to the items that no ExpandVars generated."""
        for path, doc in self._outcome.docs.items():
            if doc.owner is None and path not in merged and not doc.is_closed:
                self._outcome.docs[path] = replace(doc, values=doc.values | self._config.values)

    def _set(self, path: str, doc: Doc) -> None:
        self._docs[path] = self._outcome.docs[path] = doc

    def _tell(self, reason: str, path: str) -> None:
        self._outcome.told.add((reason, self._docs[path].tree["metadata"]["name"]))


def _called(resource: Tree) -> Tree:
    return {key: one for key, one in resource["metadata"].items() if key in ("name", "namespace")}


def _identity(resource: Tree) -> tuple[str, ...]:
    return (resource["apiVersion"], resource["kind"], resource["metadata"]["name"], model.namespace(resource))


def _has_name(resource: Tree, generated: Tree) -> bool:
    """True if a resource is called as what was generated, in any namespace if that has none."""
    *called, namespace = _identity(generated)
    *named, there = _identity(resource)
    return called == named and namespace in ("", there)


def _own(resource: Tree) -> Any:
    """Return what counts as somebody's own work in a resource: other functions set names and labels."""
    kept = {
        key: one
        for key, one in resource["metadata"].items()
        if key not in ("name", "namespace", "labels", "annotations")
    }
    return resource | {"metadata": kept}
