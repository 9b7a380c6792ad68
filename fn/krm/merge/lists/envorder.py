"""The order of a container's `env` (docs/reference/merge.md, "The order of env").

An entry can refer only to entries above it: the kubelet expands them in order. So if an entry stands behind another one
in update or local, and refers to it, it stands behind it after the merge. Entries have the keys of `pairing`.
"""

from __future__ import annotations

from krm import syntax
from krm.merge.lists import pairing
from krm.yamltree.target import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from krm.merge.lists.pairing import Key, Keyed
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Needs: TypeAlias = "dict[Key, list[Key]]"
    """The entries that have to stand above an entry."""


def ordered(merged: Mapping[Key, Target], update: Keyed, local: Keyed) -> tuple[list[Key], list[str], list[str]]:
    """Return the order of a `merged` env, the names of the entries that were moved, and those of unresolved ones.

    A moved entry is now above its first user. An unresolved entry refers to one below it: it did so before, or the two
    refer to each other.
    """
    references = _references(merged)
    sides = pairing.indexes(update), pairing.indexes(local)
    # An entry needs the definitions that stand above it in update or in local.
    needs = {
        user: [each for others in named for each in others if any(_is_above(each, user, side) for side in sides)]
        for user, named in references.items()
    }
    keys, moved = _placed(list(merged), needs)
    position = pairing.indexes(keys)
    # If several entries have one name, it is enough that one is above the user: the kubelet takes the last one above.
    unresolved = [
        user
        for user, named in references.items()
        if not all(any(_is_above(each, user, position) for each in others) for others in named)
    ]
    return keys, [_name(merged[key]) for key in moved], [_name(merged[key]) for key in unresolved]


def may_refer(sides: Iterable[tuple[str, Node | None]]) -> bool:
    """True if a list may hold references. Given are the texts, and the node of the list in each.

    An escape of YAML can hide a reference, and so can an alias.
    """
    # To search the text is quick, and most lists of env have no reference.
    texts = [text[node.start : node.end] for text, node in sides if node is not None]
    return any(sign in text for text in texts for sign in "$\\*")


def _references(merged: Mapping[Key, Target]) -> dict[Key, list[list[Key]]]:
    """Return for each entry the other entries of each name that it refers to."""
    defined: dict[str, list[Key]] = {}
    for key, entry in merged.items():
        defined.setdefault(_name(entry), []).append(key)
    found = {}
    for key, entry in merged.items():
        used = dict.fromkeys(syntax.names(text_of(entry, "value") or ""))
        found[key] = [others for name in used if (others := [each for each in defined.get(name, ()) if each != key])]
    return {key: named for key, named in found.items() if named}


def _placed(keys: list[Key], needs: Needs) -> tuple[list[Key], list[Key]]:
    """Return `keys` in an order in which each key stands behind those that it needs; and the keys that were moved."""
    # Sorted, so that definitions that are moved together keep their order among themselves.
    position = pairing.indexes(keys)
    left = {user: iter(sorted(above, key=position.__getitem__)) for user, above in needs.items()}
    placed: dict[Key, bool] = {}
    for key in keys:
        # The way is a chain of entries, each of which waits for the next one. It is no recursion, since it may be as
        # long as `env`, and longer than Python's stack.
        way = {key: True}
        while way:
            waiting = next(reversed(way))
            needed = next((each for each in left.get(waiting, ()) if each not in placed), None)
            if needed is None:
                placed.setdefault(way.popitem()[0], waiting != key)
            elif needed not in way:
                way[needed] = True
            else:  # A circle: no order is right for all of its entries, so this need is dropped.
                while next(reversed(way)) != needed:
                    way.popitem()
    return list(placed), [key for key, is_moved in placed.items() if is_moved]


def _is_above(key: Key, other: Key, position: dict[Key, int]) -> bool:
    return key in position and position[key] < position.get(other, 0)


def _name(entry: Target) -> str:
    return text_of(entry, "name") or ""
