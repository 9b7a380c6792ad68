"""Aliases and merge keys: what they show, and what becomes of them when a node that they show changes.

A change shows in one place only. A node with an anchor is edited where it is written; an alias of it stays if the same
is wanted of its own place, else it gives way to a copy: docs/reference/lossless-yaml.md, "Anchors, aliases and merge
keys".
"""

from __future__ import annotations

from krm.yamltree import sameness
from krm.yamltree.nodes import Alias, Collection, Mapping, Sequence, resolved
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Rewritten,
    ascending,
    entries_of,
    numbers,
    without_place,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node, Place
    from krm.yamltree.parser import Document
    from krm.yamltree.target import Target


def kid(node: Node | None, step: str | int) -> Node | None:
    """Return what one step of a place leads to, merge keys followed but `node` itself not."""
    if isinstance(node, Mapping) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.kids):
        return node.kids[step]
    return None


def at(root: Node | None, place: Place) -> Node | None:
    """Return the node that is written at `place`, no alias followed, None where there is none."""
    for step in place:
        root = kid(root, step)
    return root


def read(root: Node | None, place: Place) -> Node | None:
    """Return the node at `place`, aliases and merge keys followed, None where there is none."""
    node = resolved(root)
    for step in place:
        node = resolved(kid(node, step))
    return node


class Sharing:
    """The meaning of each anchor once the root of a document is `target`, and aliases that go `stale` by that."""

    __slots__ = ("_after", "_said", "stale")

    def __init__(self, document: Document, target: Target) -> None:
        self._after: dict[int, Target] = {}
        self._said: dict[int, object] = {}
        self.stale: list[Alias] = []
        # Few manifests have aliases: none of this is done for the others.
        if document.shares and document.root is not None:
            self._place(document.root, target)
            self.stale = [alias for alias in document.aliases if not self.keeps(alias, alias)]

    def keeps(self, alias: Alias, target: Target) -> bool:
        """Return whether `alias` will still show what is wanted of its place."""
        # Its anchor is in another part of a cut text: nobody here can say what a copy would be.
        if alias.target is None:
            return without_place(target) is alias
        target = without_place(target)
        if target is alias:
            target = alias.target
        after = self._after.get(id(alias.target))
        return after is not None and self.same(after, target)

    def same(self, one: Target, other: Target) -> bool:
        """Return whether two targets say the same to every reader."""
        return one is other or self._said_once(one) == self._said_once(other)

    def merged(self, mapping: Mapping) -> dict[str, Target] | None:
        """Return what `<<` will merge into `mapping` if it stays as it is written, None where it cannot."""
        written = mapping.merge_key()
        if isinstance(written, Alias) and isinstance(written.target, Sequence) and id(written) in map(id, self.stale):
            return None
        found: dict[str, Target] = {}
        for source in mapping.sources():
            merges = resolved(source)
            if not isinstance(merges, Mapping):
                continue
            # A mapping that is written behind `<<` itself is no target: nothing leads there but the merge.
            after = self._after.get(id(merges)) if isinstance(source, Alias) else merges
            if not isinstance(after, Mapping | AmendedMapping):
                return None
            for key, target in entries_of(after).items():
                found.setdefault(key, target)
        return found

    def _said_once(self, target: Target) -> object:
        if id(target) not in self._said:
            # Comparing means walking the whole target, and an anchor may have thousands of aliases.
            # The target is kept too, so that no other one gets its id.
            self._said[id(target)] = sameness.meaning(target), target
        return self._said[id(target)][0]  # type: ignore[index]  # a pair

    def _place(self, node: Node, target: Target) -> None:
        """Note what is to become of `node`, which is written in the document, and of all below it."""
        if isinstance(node, Alias):
            return
        target = without_place(target)
        if target is node:
            self._after[id(node)] = node
            for below in node.kids if isinstance(node, Collection) else ():
                self._place(below, below)
        elif isinstance(target, AmendedMapping | AmendedSequence | Rewritten) and target.node is node:
            self._after[id(node)] = target
            if isinstance(target, AmendedMapping):
                self._place_entries(target)
            elif isinstance(target, AmendedSequence):
                self._place_elements(target)

    def _place_entries(self, target: AmendedMapping) -> None:
        mapping = target.node
        if not target.entries:
            del self._after[id(mapping)]  # it is written again, as `{}`
        merge_key = mapping.merge_key()
        for key, value in mapping.pairs():
            if key.value is None or (value is merge_key and not target.unmerged):
                self._place(key, key)
                self._place(value, target.entries.get("<<", value) if value is merge_key else value)
            elif key.value in target.entries and value is not merge_key:
                self._place(key, key)
                self._place(value, target.entries[key.value])

    def _place_elements(self, target: AmendedSequence) -> None:
        if not target.elements:
            del self._after[id(target.node)]
        own = numbers(target)
        # An element that moves is cut out and put in again as text, so its anchor is not where aliases look for it.
        staying = set(ascending([number for number in own if number is not None]))
        for element, number in zip(target.elements, own, strict=True):
            if number in staying:
                self._place(target.node.kids[number], element)
