"""Set as a difference: the target tree that makes a list or mapping of a value, and keeps what is the same.

    containers:              # the value is [sidecar, *containers]
    - name: web # do not rename
      image: nginx

keeps the element `web` with its comments, quotes and order, and adds one in front of it. Elements are paired if they
are equal, else by a key, else by position between the same neighbours. No comment goes without an error that names it.
"""

from __future__ import annotations

from krm.function.field_comments import refuse_loss
from krm.yamltree import lines, sameness, scalars
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, resolved, text_at
from krm.yamltree.target import AmendedMapping, AmendedSequence, ascending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any

    from krm.fieldpath import Place
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target

# `name` first, as everything in Kubernetes has it; `path` and `type` last, which many lists repeat.
_KEYS = ("name", "key", "mountPath", "devicePath", "ip", "id", "containerPort", "port", "path", "host", "type")
"""Keys by which elements of a list are told apart, if each element on both sides has one of its own."""


class Difference:
    """Targets in `text`. `moves` becomes True if an element moves, comes or goes elsewhere than at a list's end.

    `moved` has, for each list by its place, the new index of each element that stays by its old one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.moves = False
        self.moved: dict[Place, dict[int, int]] = {}

    def target(self, there: Target, value: Value, place: Place) -> Target:
        """Return the target that makes `value` of what is `there`, at `place`. EditError if a comment would go."""
        node: Node | None = resolved(there) if isinstance(there, Scalar | Alias | Mapping | Sequence) else None
        if isinstance(node, Mapping) and isinstance(value, dict):
            return there if sameness.has(node, value, self._text) else self._mapping(node, value, place)
        if isinstance(node, Sequence) and isinstance(value, list):
            return there if sameness.has(node, value, self._text) else self._sequence(node, value, place)
        # Equal values keep their text: `0777` is not written as 511, nor are quotes changed.
        if isinstance(node, Scalar) and not isinstance(value, dict | list):
            return there if sameness.has(node, value, self._text) else value
        # Of another kind: nothing of what is there can stay, so no comment may stand in it.
        if isinstance(node, Scalar | Mapping | Sequence):
            refuse_loss(self._text, None, node)
            self.moves = self.moves or not (isinstance(node, Scalar) and scalars.typed(node) is None)
        return value

    def _mapping(self, node: Mapping, value: dict[str, Value], place: Place) -> AmendedMapping:
        entries: dict[str, Target] = {}
        merge_key = node.merge_key()
        if merge_key is not None:  # a key that is not among the entries would go
            entries["<<"] = merge_key
        for key, of_key in value.items():
            there = node.get(key)
            entries[key] = of_key if there is None else self.target(there, of_key, (*place, key))
        for key, kid in node.items():
            if key not in value and node.own(key) is None:
                line = lines.number(self._text, node.start)
                raise EditError(f"`{key}` is merged in by `<<` and can only be deleted where it is written", line)
            if key not in value:
                refuse_loss(self._text, node, kid)
        return AmendedMapping(node, entries)

    def _sequence(self, node: Sequence, value: list[Value], place: Place) -> AmendedSequence:
        partners = paired(node, value)
        for index, kid in enumerate(node.kids):
            if index not in partners:
                refuse_loss(self._text, node, kid)
        self.moves = self.moves or partners[: len(node.kids)] != [*range(len(node.kids))][: len(partners)]
        self.moved[place] = {old: new for new, old in enumerate(partners) if old is not None}
        elements = [
            element if old is None else self.target(node.kids[old], element, (*place, old))
            for old, element in zip(partners, value, strict=True)
        ]
        return AmendedSequence(node, elements)


def paired(node: Sequence, value: list[Value]) -> list[int | None]:
    """Return for each element of `value` the index of the element of `node` that becomes it, None for a new one."""
    found: list[int | None] = [None] * len(value)
    left = dict(enumerate(node.kids))
    _pair_equal(found, left, value)
    _pair_by_key(found, left, node, value)
    _pair_between(found, left, value)
    return found


def _pair_equal(found: list[int | None], left: dict[int, Node], value: list[Value]) -> None:
    """Pair equal elements: those at both ends first, so that most stay, then each with the first one that is left."""
    olds, news = [*map(sameness.meaning, left.values())], [*map(sameness.meaning, value)]
    start = stop = 0
    both = min(len(olds), len(news))
    while start < both and olds[start] == news[start]:
        start += 1
    while stop < both - start and olds[-stop - 1] == news[-stop - 1]:
        stop += 1
    ends = [*range(start), *range(-stop, 0)]
    pairs = [(new % len(news), new % len(olds)) for new in ends]
    # A table, so that a list in reverse takes no time that grows with the square of its length.
    by_content: dict[object, list[int]] = {}
    for old in reversed(range(start, len(olds) - stop)):
        by_content.setdefault(olds[old], []).append(old)
    pairs += [(new, by_content[news[new]].pop()) for new in range(start, len(news) - stop) if by_content.get(news[new])]
    for new, old in pairs:
        found[new] = old
        del left[old]


def _pair_by_key(found: list[int | None], left: dict[int, Node], node: Sequence, value: list[Value]) -> None:
    for key in _KEYS:
        olds = _unique(map(_text_of(key), node.kids))
        news = _unique(map(_value_of(key), value))
        # The first key that tells all elements apart decides. A second one could pair what that parts.
        if olds is not None and news is not None:
            for text, new in news.items():
                if found[new] is None and olds.get(text) in left:
                    found[new] = olds[text]
                    del left[olds[text]]
            return


def _pair_between(found: list[int | None], left: dict[int, Node], value: list[Value]) -> None:
    """Pair what is left if as many come as go between two neighbours that stay in order, and all are of one shape."""
    # A scalar that gives way to another between the same neighbours keeps its comment.
    staying = {*ascending([old for old in found if old is not None])}
    above, start = -1, 0
    for new in range(len(found) + 1):
        old = found[new] if new < len(found) else len(left) + sum(one is not None for one in found)
        if old is None or (new < len(found) and old not in staying):
            continue
        gone = [one for one in range(above + 1, old) if one in left]
        come = [one for one in range(start, new) if found[one] is None]
        if len(gone) == len(come) and all(map(_is_alike, map(left.get, gone), (value[one] for one in come))):
            for one, place in zip(gone, come, strict=True):
                found[place] = one
                del left[one]
        above, start = old, new + 1


def _is_alike(node: Node | None, value: Value) -> bool:
    """True if both are scalars. A mapping or list without a key of its own is another one, not a changed one."""
    return isinstance(resolved(node), Scalar) and not isinstance(value, dict | list)


def _text_of(key: str) -> Callable[[Node], Hashable]:
    return lambda node: text_at(node, key)


def _value_of(key: str) -> Callable[[Any], Hashable]:
    def text(value: Any) -> str | None:  # noqa: ANN401 - what the author of the function wrote
        found = value.get(key) if isinstance(value, dict) else None
        if found is None or isinstance(found, dict | list):
            return None
        return found if isinstance(found, str) else scalars.leaf(found, flow=False)

    return text


def _unique(texts: Iterable[Hashable]) -> dict[Hashable, int] | None:
    """Return the index of each text; None if one is absent or there twice."""
    found: dict[Hashable, int] = {}
    for index, text in enumerate(texts):
        if text is None or text in found:
            return None
        found[text] = index
    return found
