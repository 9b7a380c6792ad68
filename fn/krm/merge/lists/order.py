"""The order of merged lists and mappings (docs/merge.md, "Order").

Each side is the keys of its elements, in its order; `kept` are those that are in the result.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import TypeVar

    K = TypeVar("K")


def merged(origin: Collection[K], update: Collection[K], local: Collection[K], kept: Collection[K]) -> list[K]:
    """Return `kept` in the order of a merge: local's, unless update has another one and local still has origin's."""
    if [*update] == [*local] == [*kept]:
        return [*kept]
    of_update, of_local = _common(update, local, kept), _common(local, update, kept)
    if of_update != of_local and of_local == _common(origin, set(of_local), kept):
        return followed(update, local, kept)
    return inserted(update, local, kept)


def inserted(update: Collection[K], local: Collection[K], kept: Collection[K]) -> list[K]:
    """Return `kept` in local's order, each new one behind the one before it in update.

    Behind that one may stand some that only local has: the new one comes behind them too. Those that are the first of
    update come before the next that local has, and last where there is none.
    """
    stays = {key: key in update for key in local if key in kept}
    new = _behind((key for key in update if key in kept), stays)
    first = next((key for key in update if key in stays), None)
    result: list[K] = []
    waiting: list[K] = []
    for key, in_update in stays.items():
        if in_update:
            result += waiting
            result += new.get(None, ()) if key == first else ()
            waiting = new.get(key, [])
        result.append(key)
    return result + waiting + (new.get(None, []) if first is None else [])


def followed(update: Collection[K], local: Collection[K], kept: Collection[K]) -> list[K]:
    """Return `kept` in update's order, each that only local has behind the one before it in local."""
    own = _behind((key for key in local if key in kept), update)
    result = own.get(None, [])
    for key in update:
        result += [key, *own.get(key, ())] if key in kept else own.get(key, ())
    return result


def _behind(keys: Iterable[K], anchors: Collection[K]) -> dict[K | None, list[K]]:
    """Return those of `keys` that are no anchors by the anchor that they are behind, None for the first ones."""
    found: dict[K | None, list[K]] = {}
    anchor: K | None = None
    for key in keys:
        if key in anchors:
            anchor = key
        else:
            found.setdefault(anchor, []).append(key)
    return found


def _common(side: Iterable[K], other: Collection[K], kept: Collection[K]) -> list[K]:
    return [key for key in side if key in other and key in kept]
