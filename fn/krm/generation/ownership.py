"""Ownership: the functionConfig that generated an item, and the item that is local for a generated resource.

A functionConfig owns what it has generated within its own package: instances of a package may bring one of the same
name each (docs/generated-resources.md, "Which item is local").
"""

from __future__ import annotations

import re

from krm.generation import origins, packages
from krm.generation.packages import Packages, hides_items
from krm.resource import FUNCTION_INPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from krm.generation.origins import Identity
    from krm.generation.settings import Settings, Tracking
    from krm.resource import Resource

# kpt calls the functionConfig so that it makes of `-- NAME=VALUE`: two such runs have nothing in common.
_NAMELESS = ("ConfigMap", FUNCTION_INPUT)
_EXPAND_VARS = "ExpandVars"
_REFERENCE = re.compile(r"\\\$\\\([^)]*\\\)")


class Owner:
    """A generator: a functionConfig in its package, or who a function says it is. One without a name owns nothing.

    `is_outside` is true for a functionConfig that stands nowhere among the items, `is_blind` for one that does not see
    all of them. New items go to `directory`, empty where they go by themselves.
    """

    __slots__ = ("_homes", "_items", "directory", "is_blind", "is_outside", "package", "packages", "text", "tracking")

    def __init__(self, settings: Settings, items: Sequence[Resource]) -> None:
        config = settings.function_config
        self.tracking = settings.tracking
        self._items = items
        self.text = settings.owner or ("" if config is None else owner_text(config))
        self.packages = Packages(items)
        self.package = self.packages.of_config(config, items)
        there = [item for item in items if self.text and _is(item, self.text)]
        self._homes = {self.packages.of(item) for item in there}
        self.is_blind = hides_items(items, config)
        self.directory = self.packages.directory(self.package)
        self.is_outside = not there and (config is None or config.file is None)

    def owns(self, item: Resource) -> bool:
        """True if this functionConfig has generated an item, and the item is in its package."""
        return bool(self.text) and self.tracking.owner(item) == self.text and self.reaches(item)

    def reaches(self, item: Resource) -> bool:
        """True if an item is in the functionConfig's own package."""
        return self.packages.of(item) == self.package

    def has_twin_beside(self, item: Resource) -> bool:
        """True if the package of an item has a functionConfig of this name: that of another instance."""
        return self.packages.of(item) in self._homes

    def config_of(self, item: Resource) -> Resource | None:
        """Return the functionConfig that generated an item, None if it is not there: in the package, that is."""
        there = filter(self.reaches, self._items)
        return owner_among(self.tracking.owner(item), there)


class Items:
    """The candidates for local: each is an item with which a generated resource may be merged.

    `copies` are those that came by copy and paste: an original is known by its name. `unclear` are those of which one
    is the original, and nobody can tell which, by the template that they all name. `nameless` are those whose generator
    cannot be read. `updates` are what is generated now, as identity and template.
    """

    def __init__(self, items: Iterable[Resource], owner: Owner, updates: Sequence[tuple[Identity, str]] = ()) -> None:
        self._owner = owner
        self._updates = updates
        self._tracking = owner.tracking
        self.copies: list[Resource] = []
        self.unclear: dict[str, list[Resource]] = {}
        self.nameless: list[Resource] = []
        self._elsewhere: dict[Identity, list[Resource]] = {}
        self._ours_elsewhere: dict[str, list[Resource]] = {}
        self._called: dict[Identity, list[Resource]] = {}
        self._made: dict[tuple[str, str], list[Resource]] = {}
        self._generated_as: dict[int, Identity] = {}
        self._by_origin: dict[Identity, list[Resource]] | None = None
        for item in items:
            self._add(item)
            item.release()  # thousands of trees at once take more memory than anything else
        for key, found in self._made.items():
            self._made[key] = self._originals(key[1], found)
        self._owners = dict.fromkeys(owner for owner, _ in self._made)

    def locals(self) -> list[Resource | None]:
        """Return the item that each generated resource is merged with, None if it is new.

        It is one of our own that was generated from this template; else one of our own that was generated as this; else
        one that has this name, or once had it; else one that another functionConfig generated as this; else one that
        another functionConfig generated from this template, and generates no longer. No item is that of two resources.
        """
        found: dict[int, Resource] = {}
        taken: set[int] = set()
        # Each step for all resources before the next one: where two templates swap names, the first template must not
        # take the item of the second by its name.
        for candidates in (self._of_template, self._own, self._namesakes, self._generated, self._left_behind):
            for number, (identity, template) in enumerate(self._updates):
                if number in found:
                    continue
                free = [item for item in candidates(identity, template) if id(item) not in taken]
                if free:
                    found[number] = free[0]
                    taken.add(id(free[0]))
        self._find_copies(found)
        return [found.get(number) for number, _ in enumerate(self._updates)]

    def _find_copies(self, found: dict[int, Resource]) -> None:
        """Take what is unclear for copies where another item, by its name, turned out to be the original."""
        for number, item in found.items():
            template = self._updates[number][1]
            others = [one for one in self.unclear.get(template, ()) if one is not item]
            self.copies += filter(self._owner.owns, others)
            self.unclear[template] = [one for one in others if not self._owner.owns(one)]

    def _of_template(self, _: Identity, template: str) -> list[Resource]:
        return self._made.get((self._owner.text, template), []) if self._owner.text else []

    def _own(self, identity: Identity, template: str) -> list[Resource]:
        return [item for item in self._generated(identity, template) if self._owner.owns(item)]

    def _namesakes(self, identity: Identity, _: str) -> list[Resource]:
        # What was generated ahead of what only has its name, such as a copy that lost its annotations.
        called = self._called.get(identity, [])
        return sorted(called, key=lambda item: item not in self._made.get(self._generator(item), ()))

    def _generated(self, identity: Identity, _: str) -> list[Resource]:
        # Most items are found by their templates, and no origin is read.
        if self._by_origin is None:
            self._by_origin = {}
            for item in (item for items in self._made.values() for item in items):
                self._by_origin.setdefault(self._origin(item), []).append(item)
        return self._by_origin.get(identity, [])

    def _left_behind(self, _: Identity, template: str) -> list[Resource]:
        """Return the items of a template that moved here, from a functionConfig that gives its name other values."""
        of_others = (self._made.get((owner, template), []) for owner in self._owners)
        return [
            item for items in of_others for item in items if not has_template(self._owner.config_of(item), template)
        ]

    def elsewhere(self, identity: Identity, template: str) -> list[Resource]:
        """Return the items of other packages that are a generated resource already.

        They have its identity, or say that they are ours and of its template. In a package that has a functionConfig
        of our name these are that one's, unless they have the generated name in a namespace that a later function set.
        """
        called = self._elsewhere.get(identity, ())
        ours = (
            item
            for item in self._ours_elsewhere.get(template, ())
            if _is_called(item, identity) or not self._owner.has_twin_beside(item)
        )
        return list({id(item): item for item in (*called, *ours)}.values())

    def owned(self) -> list[Resource]:
        """Return the items that the functionConfig has generated."""
        return [item for items in self._made.values() for item in items if self._owner.owns(item)]

    def of_others(self) -> list[Resource]:
        """Return the items of the package that another functionConfig has generated."""
        found = (item for items in (*self._made.values(), *self.unclear.values()) for item in items)
        return [item for item in found if self._tracking.owner(item) != self._owner.text]

    def has_own(self, owner: str, template: str) -> bool:
        """True if a functionConfig has generated an item from a template, copies or not."""
        return (owner, template) in self._made

    def _add(self, item: Resource) -> None:
        if not self._owner.reaches(item):
            self._add_elsewhere(item)
            return
        owner, template = self._generator(item)
        if owner or self._tracking.has_origin(item):
            self._made.setdefault((owner, template or "/".join(self._origin(item))), []).append(item)
        if not owner and item.unreadable(self._tracking.generated_by):
            self.nameless.append(item)
        for identity in dict.fromkeys(_names(item)):
            self._called.setdefault(identity, []).append(item)

    def _add_elsewhere(self, item: Resource) -> None:
        for identity in dict.fromkeys(_names(item)):
            self._elsewhere.setdefault(identity, []).append(item)
        owner, template = self._generator(item)
        if owner and owner == self._owner.text:
            self._ours_elsewhere.setdefault(template, []).append(item)

    def _generator(self, item: Resource) -> tuple[str, str]:
        """Return the functionConfig and the template that an item says it was generated by."""
        return self._tracking.owner(item), self._tracking.template(item)

    def _originals(self, template: str, items: list[Resource]) -> list[Resource]:
        """Return the item that is no copy of several that name one template: it has, or had, the generated name."""
        if len(items) == 1:
            return items
        called = [item for item in items if _is_called(item, self._origin(item))]
        # Who makes a copy by search and replace changes what it says of its origin, too. What is generated now tells.
        if len({self._origin(item) for item in called}) > 1:
            now = {identity for identity, written in self._updates if written == template}
            called = [item for item in called if any(_is_called(item, identity) for identity in now)]
        called = self._in_one_namespace(called)
        # The first in the list is no better a guess: a copy may sort ahead, and would take the origin with it.
        if not called:
            self.unclear.setdefault(template, []).extend(items)
            return []
        self.copies += [item for item in items if item is not called[0]]
        return called[:1]

    def _in_one_namespace(self, called: list[Resource]) -> list[Resource]:
        """Return the items that are in the generated namespace; if none is, those that share another one."""
        exact = [item for item in called if self._origin(item) in _names(item)]
        # Of two others nobody knows which one was set by a function, and which by who made a copy.
        return exact or (called if len({item.namespace for item in called}) == 1 else [])

    def _origin(self, item: Resource) -> Identity:
        """Return the identity that an item was generated as; its own where it does not tell."""
        found = self._generated_as.get(id(item))
        if found is None:
            origin = origins.read(item, self._tracking) if self._tracking.has_origin(item) else None
            found = self._generated_as[id(item)] = origins.identity(item) if origin is None else origin.identity
        return found


def _names(item: Resource) -> list[Identity]:
    """Return the identities that an item has, and had earlier."""
    group, kind, *_ = origins.identity(item)
    return [(group, kind, origins.namespace(namespace), name) for namespace, name in item.identities]


def _readings(identity: Identity) -> tuple[Identity, Identity]:
    """Return the identities as which an item may have been generated: a later function may have set its namespace."""
    group, kind, _, name = identity
    return identity, (group, kind, "", name)


def _is_called(item: Resource, identity: Identity) -> bool:
    """True if an item has, or had, a generated name; a namespace counts only where that has one."""
    return any(identity in _readings(one) for one in _names(item))


def duplicates(items: Iterable[Resource], packages: Packages) -> Iterator[tuple[Resource, Resource]]:
    """Yield each item with the identity of one ahead of it in the same package, behind that one."""
    there: dict[tuple[str, Identity], Resource] = {}
    for item in items:
        first = there.setdefault((packages.of(item), origins.identity(item)), item)
        if first is not item:
            yield first, item


def owner_text(function_config: Resource) -> str:
    """Return the name of a functionConfig as an owner, empty for one that owns nothing."""
    name = function_config.name
    return "" if not name or (function_config.kind, name) == _NAMELESS else packages.owner_text(function_config)


def owner_among(text: str, items: Iterable[Resource]) -> Resource | None:
    """Return the functionConfig that is called so, None if it is not among the items."""
    return next((item for item in items if _is(item, text)), None)


def templates_of(function_config: Resource, item: Resource, tracking: Tracking) -> Iterator[str]:
    """Yield the templates of an ExpandVars, as written, that generate an item, or may: a reference can be any text."""
    written = tracking.template(item)
    # The item may be called by a later function's prefix: then its template and its origin still tell.
    origin = origins.read(item, tracking) if tracking.has_origin(item) else None
    identities = [origins.identity(item), *([] if origin is None else [origin.identity])]
    for name, template in templates(function_config):
        if name == written or any(_may_be(_written(template), identity) for identity in identities):
            yield name


def may_generate(function_config: Resource, item: Resource, tracking: Tracking) -> bool:
    """True if a functionConfig has a template that generates an item, or may, or nobody knows what it generates."""
    return has_template(function_config, tracking.template(item)) or any(templates_of(function_config, item, tracking))


def has_template(function_config: Resource | None, written: str) -> bool:
    """True if a functionConfig has a template that is called so as it is written, or nobody knows what it generates."""
    if function_config is None:
        return False
    # In doubt it has: then nothing is pruned that another function is about to take over.
    if function_config.kind != _EXPAND_VARS:
        return True
    return any(name == written for name, _ in templates(function_config))


def templates(function_config: Resource) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the templates of an ExpandVars that may be somebody else's, each behind what it is called as written.

    What is no resource is left out.
    """
    spec = function_config.get("spec")
    found = spec.get("templates") if isinstance(spec, dict) else None
    for one in found if isinstance(found, list) else ():
        if isinstance(one, dict) and isinstance(one.get("metadata"), dict):
            yield "/".join(_written(one)), one


def _written(template: dict[str, Any]) -> Identity:
    """Return the identity of a template as it is written."""
    metadata = template["metadata"]
    group = str(template.get("apiVersion")).rpartition("/")[0]
    namespace = origins.namespace(str(metadata.get("namespace") or ""))
    return group, str(template.get("kind")), namespace, str(metadata.get("name"))


def _may_be(written: Identity, identity: Identity) -> bool:
    return all(_matches(one, text) for one, text in zip(written, identity, strict=True))


def _matches(written: str, text: str) -> bool:
    """True if what is written can become a text: each reference any part of it."""
    return re.fullmatch(_REFERENCE.sub(".*", re.escape(written)), text) is not None


def _is(item: Resource, owner: str) -> bool:
    return packages.may_be_config(item, owner.rpartition("/")[2], owner) and owner_text(item) == owner
