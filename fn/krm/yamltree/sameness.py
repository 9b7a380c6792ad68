"""The comparison of nodes, values and targets by their data.

Two nodes have the same data if readers of YAML 1.2 see the same, and a string is one to readers of 1.1 too. So quotes
of a string make no difference. But `on` is true to those: it equals neither `"on"` nor `true`. And `010` equals `10`.
"""

from __future__ import annotations

from krm.yamltree import Verbatim, parser, scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Graft,
    Replaced,
    Rewritten,
    ascending,
    elements_of,
    entries_of,
    numbers,
    own_node,
    without_place,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document
    from krm.yamltree.target import Plain, Target


def same(node: Node | None, other: Node | None) -> bool:
    """True if two trees are the same to a reader, with their anchors, their aliases and the order of keys."""
    return _seen(node) == _seen(other)


def same_data(one: Target, other: Target) -> bool:
    """True if two targets are the same data to every reader."""
    return meaning(one, parses=True) == meaning(other, parses=True)


def meaning(target: Target, *, parses: bool = False) -> object:
    """Return the data of a target: a value that equals that of another one if both are the same to every reader.

    Aliases are followed. Neither the style nor the order of keys counts. A Verbatim equals the scalar that it spells if
    this `parses` it, and another Verbatim alone if not.
    """
    bare = without_place(target) if isinstance(target, Replaced) else target
    if isinstance(bare, Graft):
        bare = bare.amended or bare.node
    if isinstance(bare, Alias):
        bare = bare.target or bare
    if isinstance(bare, Rewritten):
        return ("string", bare.value) if scalars.string(bare.node) is not None else (bare.node.tag, bare.value)
    if isinstance(bare, Mapping | AmendedMapping | dict):
        return _meaning_of_entries(bare, parses=parses)
    if isinstance(bare, Sequence | AmendedSequence | list):
        return "list", tuple([meaning(one, parses=parses) for one in elements_of(bare)])
    if isinstance(bare, Verbatim):
        return meaning(parser.parse(str(bare)).root) if parses else ("verbatim", str(bare))
    return _meaning_of_scalar(bare)


def _seen(root: Node | None) -> list[tuple[object, ...]]:
    """Return what a reader sees of the tree, in the order of the text."""
    found: list[tuple[object, ...]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Collection):
            # The number of kids says where it ends.
            found.append((type(node), node.anchor, node.tag, len(node.kids)))
            waiting += node.kids[::-1]
        elif isinstance(node, Alias):
            found.append((Alias, node.name, node.target is None))
        elif node is not None:
            found.append((node.value, node.style == "", node.anchor, node.tag))
    return found


def _meaning_of_entries(target: Mapping | AmendedMapping | dict[str, Any], *, parses: bool) -> object:
    node = target.node if isinstance(target, AmendedMapping) else target
    odd = (*odd_pairs(node), *node.sources()) if isinstance(node, Mapping) and not node.is_plain() else ()
    entries = [(key, meaning(one, parses=parses)) for key, one in entries_of(target).items()]
    return "mapping", frozenset(entries), tuple(map(meaning, odd))


def odd_pairs(mapping: Mapping) -> list[Node]:
    """Return the keys of a mapping that are no scalars, each with its value."""
    if None not in mapping.entries:
        return []
    return [node for pair in mapping.pairs() if pair[0].value is None for node in pair]


def _meaning_of_scalar(target: Scalar | Alias | Plain) -> object:
    if isinstance(target, Alias):
        return target  # its anchor is in another text, so it equals only itself
    if not isinstance(target, Scalar):
        return ("string", target) if isinstance(target, str) else (None, repr(target))
    text = scalars.string(target)
    if text is not None:
        return "string", text
    # A text that is no string to every reader has a tag, or depends on the reader.
    value = scalars.typed(target)
    return target.tag if isinstance(value, str) else None, repr(value)


# Aliases and merge keys, when a node that they show changes.


class Sharing:
    """The data of each anchor after the root of a document became `target`, and the aliases that are `stale` then.

    A change has an effect at one place only. A node with an anchor is edited where it is written. An alias of it stays
    if its own place has an equal target, else a copy replaces it: docs/reference/lossless-yaml.md, "Anchors, aliases
    and merge keys".
    """

    def __init__(self, document: Document, target: Target) -> None:
        self._after: dict[int, Target] = {}
        self._meanings: dict[int, object] = {}
        self.stale: list[Alias] = []
        # Few manifests have aliases. For the others nothing is done here.
        if document.shares and document.root is not None:
            self._place(document.root, target)
            self.stale = [alias for alias in document.aliases if not self.keeps(alias, alias)]

    def keeps(self, alias: Alias, target: Target) -> bool:
        """True if `alias` will still show the target of its place."""
        # Its anchor is in another part of a cut text, so no copy can be made.
        if alias.target is None:
            return without_place(target) is alias
        target = without_place(target)
        if target is alias:
            target = alias.target
        after = self._after.get(id(alias.target))
        return after is not None and self.same(after, target)

    def same(self, one: Target, other: Target) -> bool:
        """True if two targets have the same data."""
        return one is other or self._said_once(one) == self._said_once(other)

    def merged(self, mapping: Mapping) -> dict[str, Target] | None:
        """Return the entries that `<<` will merge into `mapping` if it stays as it is, None if it cannot stay."""
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
        if id(target) not in self._meanings:
            # A comparison walks the whole target, and an anchor may have thousands of aliases.
            # The target is kept, too, so that no other object gets its id.
            self._meanings[id(target)] = meaning(target), target
        return self._meanings[id(target)][0]  # type: ignore[index]  # a pair

    def _place(self, node: Node, target: Target) -> None:
        """Note the targets of `node`, which is written in the document, and of all nodes below it."""
        target = without_place(target)
        if isinstance(node, Alias) or own_node(target) is not node:
            return
        # A collection that loses all is written again, as `{}` or `[]`.
        loses_entries = isinstance(target, AmendedMapping) and not target.entries
        if not (loses_entries or (isinstance(target, AmendedSequence) and not target.elements)):
            self._after[id(node)] = target
        for kid, of_kid in _staying(target):
            self._place(kid, of_kid)


def _staying(target: Target) -> Iterator[tuple[Node, Target]]:
    """Yield each node in a collection that stays where it is written, with its target."""
    if isinstance(target, AmendedMapping):
        merge_key = target.node.merge_key()
        for key, value in target.node.pairs():
            stays = key.value is None or (value is merge_key and not target.unmerged)
            if stays or key.value in target.entries:
                yield key, key
                yield value, value if stays else target.entries[str(key.value)]
    elif isinstance(target, AmendedSequence):
        own = numbers(target)
        # A moved element is cut out and inserted again as text, so aliases do not find its anchor any more.
        staying = set(ascending([number for number in own if number is not None]))
        pairs = zip(target.elements, own, strict=True)
        yield from ((target.node.kids[number], element) for element, number in pairs if number in staying)
    elif isinstance(target, Collection):
        yield from zip(target.kids, target.kids, strict=True)
