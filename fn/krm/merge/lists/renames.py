"""Elements that both sides gave another key: one element, and a conflict (docs/merge.md, "Keyed lists")."""

from __future__ import annotations

from collections import Counter

from krm.merge import trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import TypeAlias

    from krm.merge.kinds.schema import ListRule
    from krm.merge.lists.pairing import Key, Keyed
    from krm.yamltree.nodes import Node

    Fields: TypeAlias = frozenset[tuple[str, Hashable]]
    """The fields of an element besides its keys, with their data."""


def joined(rule: ListRule, origin: Keyed, update: Keyed, local: Keyed) -> tuple[Keyed, Keyed]:
    """Return update and local with each element that both renamed under the key that origin knows it by.

    By their keys alone the one container of origin would be two in the result.
    """
    gone = {key: node for key, node in origin.items() if key not in update and key not in local and key[0] is not None}
    if not gone:
        return update, local
    by_update, by_local = (_renamed(rule, gone, side, origin) for side in (update, local))
    # What both renamed alike is one element already.
    both = [key for key in by_update.keys() & by_local.keys() if by_update[key] != by_local[key]]
    return _under(update, {by_update[key]: key for key in both}), _under(local, {by_local[key]: key for key in both})


def _renamed(rule: ListRule, gone: Keyed, side: Keyed, origin: Keyed) -> dict[Key, Key]:
    """Return the new key of each element that a side has renamed, where no second one comes into question."""
    before = {key: _fields(rule, node) for key, node in gone.items()}
    after = {key: _fields(rule, node) for key, node in side.items() if key not in origin}
    pairs = [(old, new) for old, fields in before.items() for new, others in after.items() if _is_alike(fields, others)]
    olds, news = Counter(old for old, _ in pairs), Counter(new for _, new in pairs)
    return {old: new for old, new in pairs if olds[old] == news[new] == 1}


def _fields(rule: ListRule, node: Node) -> Fields:
    return frozenset((key, trees.frozen(value)) for key, value in trees.entries(node).items() if key not in rule.keys)


def _is_alike(one: Fields, other: Fields) -> bool:
    """Return True if at least half of the fields are the same."""
    common = len(one & other)
    return common > 0 and max(len(one), len(other)) <= 2 * common


def _under(side: Keyed, keys: dict[Key, Key]) -> Keyed:
    return {keys.get(key, key): node for key, node in side.items()}
