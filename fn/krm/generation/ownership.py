"""Which item is local for a generated resource, and whose it is.

A functionConfig owns what it has generated, within its own package: instances of a package may bring one of the same
name each. An item is found by what it was generated as, whatever it is called now, then by what it is called.
"""

from __future__ import annotations

from krm.generation import origins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from krm.generation.origins import Identity
    from krm.generation.tracking import Tracking
    from krm.resource import Resource

    Package: TypeAlias = tuple[str, str]

_NAMELESS = ("ConfigMap", "function-input")
_PACKAGE_PATH = "internal.config.kubernetes.io/package-path"
_KPTFILE = "Kptfile"


class Packages:
    """Which package an item belongs to: an orchestrator says so, or the nearest Kptfile above its file does."""

    __slots__ = ("_directories",)

    def __init__(self, items: Iterable[Resource]) -> None:
        found = (item.file for item in items if item.may_contain(_KPTFILE) and item.kind == _KPTFILE)
        directories = {file.rpartition("/")[0] for file in found if file is not None}
        self._directories = sorted(directories, key=len, reverse=True)

    def of(self, item: Resource) -> Package | None:
        """Return the package of an item, None where that is not known."""
        path, file = item.annotations.get(_PACKAGE_PATH), item.file
        if path is not None or file is None:
            return None if path is None else (_PACKAGE_PATH, path)
        around = (directory for directory in self._directories if not directory or file.startswith(f"{directory}/"))
        return next(((_KPTFILE, directory) for directory in around), None)

    def may_share(self, one: Package | None, other: Package | None) -> bool:
        """Say whether two packages are the same, as far as that is known."""
        return one is None or other is None or one[0] != other[0] or one == other


class Owner:
    """Who generates: a functionConfig, in the package that it belongs to. One without a name owns nothing.

    Of several in `items` that are called the same it is the one that is the furthest up: the others are generators in
    packages below, which run on their own.
    """

    __slots__ = ("_package", "packages", "text", "tracking")

    def __init__(self, function_config: Resource | None, items: Sequence[Resource], tracking: Tracking) -> None:
        self.tracking = tracking
        self.text = "" if function_config is None else owner_text(function_config)
        self.packages = Packages(items)
        there = [item for item in items if self.text and _is_same(item, self.text)]
        if function_config is not None and function_config.file is not None:
            there = [function_config]
        there.sort(key=lambda item: (item.file or "").count("/"))
        self._package = self.packages.of(there[0]) if there else None

    def owns(self, item: Resource) -> bool:
        """Say whether this functionConfig has generated an item, and the item is in its package."""
        return self.tracking.owner(item) == self.text and self.reaches(item)

    def reaches(self, item: Resource) -> bool:
        """Say whether an item is in the functionConfig's own package, as far as that is known."""
        return self.packages.may_share(self._package, self.packages.of(item))


class Items:
    """The items that something generated may be merged with, by what they are called and were generated as."""

    def __init__(self, items: Iterable[Resource], owner: Owner) -> None:
        self._owner = owner
        self._tracking = owner.tracking
        self._called: dict[Identity, list[Resource]] = {}
        self._generated: dict[Identity, list[Resource]] = {}
        self.copies: list[Resource] = []
        for item in items:
            self._add(item)
        self._take_out_copies()

    def locals(self, updates: Sequence[Resource]) -> list[Resource | None]:
        """Return the item that each generated resource is merged with, None for a new one.

        It is one of our own that was generated as that; else one that is called that, or once was; else one that was
        generated as that by another functionConfig. No item is that of two resources.
        """
        found: dict[Resource, Resource] = {}
        for candidates in (self._own, self._namesakes, self._remembering):
            for update in (update for update in updates if update not in found):
                free = [item for item in candidates(origins.identity(update)) if item not in found.values()]
                if free:
                    found[update] = free[0]
        return [found.get(update) for update in updates]

    def owned(self) -> list[Resource]:
        """Return the items that the functionConfig has generated."""
        found = (item for items in self._called.values() for item in items if self._tracking.owner(item))
        return [item for item in dict.fromkeys(found) if self._owner.text and self._owner.owns(item)]

    def _add(self, item: Resource) -> None:
        called = origins.identity(item)
        for namespace, name in item.identities:
            identity = (*called[:2], origins.namespace(namespace), name)
            self._called.setdefault(identity, []).append(item)
        if self._tracking.has_origin(item):
            origin = origins.read(item, self._tracking)
            if origin is not None:
                self._generated.setdefault(origin.identity, []).append(item)

    def _take_out_copies(self) -> None:
        """Leave copies aside: another item is called what they were generated as, or stands ahead."""
        for identity, remembering in self._generated.items():
            self._generated[identity] = kept = self._originals(identity, remembering)
            self.copies += [item for item in remembering if item not in kept]

    def _originals(self, identity: Identity, remembering: list[Resource]) -> list[Resource]:
        """Return which of the items that were generated as the same thing are no copies: one in each package."""
        there = [item for item in self._called.get(identity, []) if origins.identity(item) == identity]
        likely = [item for item in remembering if item.name == identity[-1]]
        kept: dict[Package | None, Resource] = {}
        for item in sorted(there, key=lambda item: item not in remembering) or [*likely, *remembering]:
            kept.setdefault(self._owner.packages.of(item), item)
        return [item for item in remembering if item in kept.values()]

    def _own(self, identity: Identity) -> list[Resource]:
        return [item for item in self._remembering(identity) if self._owner.owns(item)]

    def _namesakes(self, identity: Identity) -> list[Resource]:
        """Return the items that are called that, but for what is generated in another package."""
        found = self._called.get(identity, [])
        near = [item for item in found if self._owner.reaches(item)]
        return near or [item for item in found if not self._tracking.owner(item)]

    def _remembering(self, identity: Identity) -> list[Resource]:
        return [item for item in self._generated.get(identity, []) if self._owner.reaches(item)]


def duplicates(items: Iterable[Resource], packages: Packages) -> Iterator[tuple[Resource, Resource]]:
    """Yield each item that is called as one ahead of it in the same package, behind that one."""
    there: dict[Identity, list[Resource]] = {}
    for item in items:
        package, namesakes = packages.of(item), there.setdefault(origins.identity(item), [])
        first = next((one for one in namesakes if packages.may_share(packages.of(one), package)), None)
        if first is None:
            namesakes.append(item)
        else:
            yield first, item


def owner_text(function_config: Resource) -> str:
    """Return what a functionConfig is called as an owner, nothing for one that owns nothing."""
    name = function_config.name
    if not name or (function_config.kind, name) == _NAMELESS:
        return ""
    return "/".join(filter(None, (function_config.kind, function_config.namespace, name)))


def is_there(giver: str, items: Iterable[Resource]) -> bool:
    """Say whether a functionConfig that owns something is among the items."""
    return any(_is_same(item, giver) for item in items)


def _is_same(item: Resource, owner: str) -> bool:
    name = owner.rpartition("/")[2]
    return item.may_contain(name) and owner_text(item) == owner
