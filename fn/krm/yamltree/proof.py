"""Proof that a change did what was asked and nothing else, by the trees before and after it.

A proven change is right, however odd the text around it is. A change that cannot be proven is never written.
"""

from __future__ import annotations

from bisect import bisect_left

from krm.yamltree import lines, sameness, scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, leaves, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, Rewritten, without_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target


class Proof:
    """Proof that a tree of the text `after` is a target, whose nodes are those of the text `before`.

    The `stale` aliases were replaced by copies of what they showed. A node that stays is the same to the character,
    unless the text `shares`.
    """

    def __init__(self, before: str, after: str, stale: list[Alias], *, shares: bool) -> None:
        self._before = before
        self._after = after
        self._shares = shares
        # They are in the order of the text, so those within the span of a node are found by a bisection.
        self._starts = [alias.start for alias in stale]

    def amounts_to(self, node: Node | None, target: Target) -> bool:
        """True if `node` is the target."""
        bare = without_place(target)
        if isinstance(bare, AmendedMapping | AmendedSequence):
            return self._collection(node, bare)
        if isinstance(bare, Rewritten):
            return _is_rewritten(resolved(node), bare)
        if isinstance(bare, Scalar | Alias | Collection):
            return self._stays(bare, node)
        # A graft may be written as in its source or as a value, and a value in any style.
        return node is not None and sameness.same_data(node, bare)

    def _collection(self, node: Node | None, target: AmendedMapping | AmendedSequence) -> bool:
        was, now = target.node, resolved(node)
        # A copy in the place of an alias has no anchor; any other anchor would be a second one of that name.
        if not isinstance(now, Collection) or now.tag != was.tag or now.anchor not in (None, was.anchor):
            return False
        # A copy has another text than the original.
        if now.anchor != was.anchor:
            return sameness.same_data(now, target)
        if isinstance(target, AmendedMapping):
            return isinstance(now, Mapping) and self._entries(now, target)
        elements = target.elements
        return (
            isinstance(now, Sequence)
            and len(now.kids) == len(elements)
            and all(map(self.amounts_to, now.kids, elements))
        )

    def _entries(self, mapping: Mapping, target: AmendedMapping) -> bool:
        """True if a mapping has the entries of the target."""
        # Keys that are no scalars cannot be named by a target, so they have to stay.
        odd, was_odd = sameness.odd_pairs(mapping), sameness.odd_pairs(target.node)
        if len(odd) != len(was_odd) or not all(map(self._stays, was_odd, odd)):
            return False
        entries = dict(mapping.items())
        # A new entry, and one that `<<` merged in before, has another text.
        own = target.node.entries
        return entries.keys() == target.entries.keys() and all(
            (self.amounts_to if key in own else sameness.same_data)(entries[key], one)
            for key, one in target.entries.items()
        )

    def _stays(self, node: Node, now: Node | None) -> bool:
        """True if a node is the same in the text after the change."""
        first = bisect_left(self._starts, node.start)
        # A copy has the data of the alias, but another text.
        if first < len(self._starts) and self._starts[first] < node.end:
            return sameness.same_data(node, now)
        # The header of a block that ends without a line end may have changed: `|` to `|-`.
        is_last = now is None or node.end == len(self._before) or now.end == len(self._after)
        if not (self._shares or is_last) and isinstance(node, Collection) and isinstance(now, Collection):
            # The span of a block includes the blank lines below it, which are no part of its text.
            written = self._before[node.start : lines.content_end(self._before, node)]
            found = self._after[now.start : lines.content_end(self._after, now)]
            # At another column its lines have another margin.
            if node.column == now.column:
                return type(node) is type(now) and written == found
        pairs = zip(_aliases(node), _aliases(now), strict=False) if self._shares else ()
        return sameness.same(node, now) and all(
            one.target is other.target is None or sameness.same_data(one, other) for one, other in pairs
        )


def _aliases(node: Node | None) -> list[Alias]:
    return [leaf for leaf in leaves(node) if isinstance(leaf, Alias)] if node is not None else []


def _is_rewritten(node: Node | None, target: Rewritten) -> bool:
    if not isinstance(node, Scalar) or node.value != target.value:
        return False
    was_string = scalars.string(target.node) is not None
    return scalars.string(node) is not None if was_string else node.tag == target.node.tag
