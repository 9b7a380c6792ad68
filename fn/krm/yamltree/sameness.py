"""The comparison of nodes, values and targets by their data.

Two nodes have the same data if this is so for readers of YAML 1.1 and for readers of 1.2. So quotes of a string make no
difference. But `on` is a string to one reader and true to the other: it equals neither `"on"` nor `true`.
"""

from __future__ import annotations

from krm.yamltree import Verbatim, scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Graft,
    Rewritten,
    ascending,
    elements_of,
    entries_of,
    numbers,
    without_place,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document
    from krm.yamltree.target import Plain, Target

_END = ("end",)


def same(node: Node | None, other: Node | None) -> bool:
    """True if two trees are the same to a reader, with their anchors, their aliases and the order of keys."""
    return seen(node) == seen(other)


def same_data(one: Node | None, other: Node | None) -> bool:
    """True if two nodes are the same data to every reader. Aliases are followed, and the style does not count."""
    one, other = resolved(one), resolved(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        entries, others = dict(one.items()), dict(other.items())
        return entries.keys() == others.keys() and all(same_data(entries[key], others[key]) for key in entries)
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        return len(one.kids) == len(other.kids) and all(map(same_data, one.kids, other.kids))
    if not isinstance(one, Scalar) or not isinstance(other, Scalar):
        return False
    # The quick test decides nearly always. Only other scalars are compared by their types.
    if (one.tag, one.value, one.style == "") == (other.tag, other.value, other.style == ""):
        return True
    strings = scalars.string(one), scalars.string(other)
    # The style of a string makes no difference. A value whose type depends on the reader is compared as written.
    if strings != (None, None):
        return strings[0] == strings[1]
    return one.tag == other.tag and repr(scalars.typed(one)) == repr(scalars.typed(other))


def meaning(target: Target) -> object:
    """Return the data of a target, as a value to compare with that of another target."""
    bare = without_place(target)
    if isinstance(bare, Graft):
        bare = bare.amended or bare.node
    if isinstance(bare, Alias):
        bare = bare.target or bare
    if isinstance(bare, Rewritten):
        return ("string", bare.value) if scalars.string(bare.node) is not None else (bare.node.tag, bare.value)
    if isinstance(bare, Mapping | AmendedMapping | dict):
        return _meaning_of_entries(bare)
    if isinstance(bare, Sequence | AmendedSequence | list):
        return "list", tuple(map(meaning, elements_of(bare)))
    return _meaning_of_scalar(bare)


def seen(root: Node | None) -> list[tuple[object, ...]]:
    """Return what a reader sees of the tree, in the order of the text."""
    found: list[tuple[object, ...]] = []
    _see(root, found)
    return found


def _meaning_of_entries(target: Mapping | AmendedMapping | dict[str, Any]) -> object:
    node = target.node if isinstance(target, AmendedMapping) else target
    if isinstance(node, Mapping) and not node.is_plain():
        return target  # its keys cannot be compared, so it equals only itself
    return "mapping", frozenset((key, meaning(one)) for key, one in entries_of(target).items())


def _meaning_of_scalar(target: Scalar | Alias | Plain) -> object:
    if isinstance(target, Verbatim):
        return "verbatim", str(target)
    if isinstance(target, Alias):
        return target  # its anchor is in another text, so it equals only itself
    if not isinstance(target, Scalar):
        return ("string", target) if isinstance(target, str) else ("plain", repr(target))
    text = scalars.string(target)
    if text is not None:
        return "string", text
    return (target.tag, target.value) if scalars.is_custom(target.tag) else ("plain", repr(scalars.typed(target)))


def _see(node: Node | None, seen: list[tuple[object, ...]]) -> None:
    if isinstance(node, Collection):
        seen.append((type(node), node.anchor, node.tag))
        for kid in node.kids:
            _see(kid, seen)
        seen.append(_END)
    elif isinstance(node, Alias):
        seen.append((Alias, node.name, node.target is None))
    elif node is not None:
        seen.append((node.value, node.style == "", node.anchor, node.tag))


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
        # A moved element is cut out and inserted again as text, so aliases do not find its anchor any more.
        staying = set(ascending([number for number in own if number is not None]))
        for element, number in zip(target.elements, own, strict=True):
            if number in staying:
                self._place(target.node.kids[number], element)
