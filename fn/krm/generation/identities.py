"""Identities: group, kind, namespace and name, by which an object is known."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.resource import Resource

    Identity: TypeAlias = tuple[str, str, str, str]


def identity(resource: Resource) -> Identity:
    """Return the identity of an object. One without a namespace is in the default one."""
    return resource.group, resource.kind, namespace(resource.namespace), resource.name


def namespace(name: str) -> str:
    """Return the name of a namespace, empty for the one that needs no name."""
    return "" if name == "default" else name


def all_of(item: Resource) -> list[Identity]:
    """Return the identities that an item has, and had earlier."""
    group, kind, *_ = identity(item)
    names = ((group, kind, namespace(one), name) for one, name in item.identities)
    return list(dict.fromkeys(names))


def readings(one: Identity) -> tuple[Identity, Identity]:
    """Return the identities as which an item may have been generated: a later function may have set its namespace."""
    group, kind, _, name = one
    return one, (group, kind, "", name)
