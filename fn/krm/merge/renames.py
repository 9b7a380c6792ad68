"""Elements that both sides gave another key: one element, and a conflict (docs/merge.md, "Keyed lists")."""

from __future__ import annotations

from krm.merge import trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.merge.pairing import Key, Keyed
    from krm.merge.schema import ListRule
    from krm.yamltree.nodes import Node


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
    new = [key for key in side if key not in origin]
    pairs = [(old, key) for old, node in gone.items() for key in new if _is_alike(rule, node, side[key])]
    olds, news = [old for old, _ in pairs], [key for _, key in pairs]
    return {old: key for old, key in pairs if olds.count(old) == 1 and news.count(key) == 1}


def _is_alike(rule: ListRule, one: Node, other: Node) -> bool:
    """Return True if at least half of the fields besides the keys are the same."""
    before, after = (
        {field: trees.frozen(value) for field, value in trees.entries(node).items() if field not in rule.keys}
        for node in (one, other)
    )
    common = sum(field in after and after[field] == value for field, value in before.items())
    return common > 0 and max(len(before), len(after)) <= 2 * common


def _under(side: Keyed, keys: dict[Key, Key]) -> Keyed:
    return {keys.get(key, key): node for key, node in side.items()}
