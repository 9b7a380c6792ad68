"""The target tree of an edit: the tree that a text should have. `plan` makes the edits for it.

A merge answers with such a tree and knows nothing of text. The target of a place is one of these:

- a node of the text itself, which stays. An element of the same list may move here, with its comments;
- a `Rewritten`: a scalar of the text itself, with changes of parts of its value;
- an `AmendedMapping` or `AmendedSequence`: a collection of the text itself, with changes of its entries;
- a `Replaced`: anything else in the place of an element of the same list;
- a `Graft`: an entry, an element or a root of another text, which is inserted as it is written there;
- a plain value that is in neither text.
"""

from __future__ import annotations

from bisect import bisect
from operator import is_

from krm.yamltree import Verbatim, edits, scalars, style
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection as Sized
    from typing import Any, TypeAlias, TypeGuard

    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import PlainData

    Plain: TypeAlias = "scalars.Leaf | dict[str, Any] | list[Any]"  # of values, or of targets
    Bare: TypeAlias = "Node | Rewritten | AmendedMapping | AmendedSequence | Graft | Plain"
    Target: TypeAlias = "Bare | Replaced"


class Graft:
    """A node of another `text`, to be inserted as it is written there: with its order, quotes and comments.

    `parent` is its collection there, None for the root of the text. If only a part of it is to be inserted, that is
    `amended`, whose nodes are those of `text`. A `verbatim` graft is inserted with its anchors, aliases and own
    indentation, or not at all.
    """

    def __init__(
        self,
        text: str,
        parent: Collection | None,
        node: Node,
        amended: AmendedMapping | AmendedSequence | None = None,
        *,
        verbatim: bool = False,
    ) -> None:
        self.text = text
        self.parent = parent
        self.node = node
        self.amended = amended
        self.verbatim = verbatim


class AmendedMapping:
    """A mapping that gets these entries instead of its own. A key that is not among them is deleted.

    The old entries keep their order. A new one is inserted behind the one before it in `entries`, or as the first one.
    What `<<` merges in is among them, and `<<` is not.
    Keys that are no scalars stay, and so does `<<`, unless it is `unmerged`: then its entries are written out.
    """

    __slots__ = ("entries", "node", "unmerged")

    def __init__(self, node: Mapping, entries: dict[str, Target], *, unmerged: bool = False) -> None:
        self.node = node
        self.entries = entries
        self.unmerged = unmerged


class AmendedSequence:
    """A list with these elements, in this order. An element of its own that is not among them is deleted."""

    __slots__ = ("elements", "node")

    def __init__(self, node: Sequence, elements: list[Target]) -> None:
        self.node = node
        self.elements = elements


class Rewritten:
    """A scalar after `edits`, whose positions count in its value. It keeps its anchor, its tag and its type."""

    __slots__ = ("edits", "node", "value")

    def __init__(self, node: Scalar, changes: list[Edit]) -> None:
        self.node = node
        self.edits = changes
        self.value = edits.apply(node.value, changes)


class Replaced:
    """A target that replaces `node`, an element of the same list. The comments around it stay."""

    __slots__ = ("node", "target")

    def __init__(self, node: Node, target: Target) -> None:
        self.node = node
        self.target = target


# `A | B` in a call makes a new object each time, and a run needs these a million times.
_MAPPINGS = (Mapping, AmendedMapping, dict)
_LISTS = (Sequence, AmendedSequence, list)


def without_place(target: Target) -> Bare:
    """Return the target in a `Replaced`, or the target itself."""
    while isinstance(target, Replaced):
        target = target.target
    return target


def value_of(target: Target, text: str, *, json: bool) -> PlainData:
    """Return a target in `text` as a plain value: aliases and merge keys resolved, comments left out.

    ValueError if a tag would be lost, or an anchor or a key cannot be written as a value.
    """
    bare = without_place(target)
    if isinstance(bare, Graft):
        if bare.verbatim:
            raise ValueError("lines that come in as they are written")
        return value_of(bare.amended or bare.node, bare.text, json=json)
    if isinstance(bare, AmendedMapping | AmendedSequence):
        style.require_plain(bare.node)
    if isinstance(bare, AmendedMapping | dict):
        return {key: value_of(one, text, json=json) for key, one in entries_of(bare).items()}
    if isinstance(bare, AmendedSequence | list):
        return [value_of(element, text, json=json) for element in elements_of(bare)]
    if isinstance(bare, Rewritten):
        # As a value it keeps its quotes, and a block becomes whatever fits its new place.
        quotes = "" if json else bare.node.style.strip("|>")
        return Verbatim(scalars.leaf(bare.value, flow=True, style=quotes)) if quotes else bare.value
    if isinstance(bare, Scalar | Alias | Collection):
        written = style.as_written(bare, text)
        return scalars.exact(bare) if json else written
    return bare


def dereferenced(target: Target) -> Target:
    """Return the target itself, the node that its alias names, or the inserted part of its graft."""
    if isinstance(target, Replaced):
        target = without_place(target)
    if isinstance(target, Graft):
        target = target.amended or target.node
    return resolved(target) if isinstance(target, Alias) else target


def entries_of(target: Mapping | AmendedMapping | dict[str, Any]) -> dict[str, Target]:
    """Return the entries of a mapping, with merged ones."""
    if isinstance(target, Mapping):
        return dict(target.items())
    return target.entries if isinstance(target, AmendedMapping) else target


def elements_of(target: Sequence | AmendedSequence | list[Any]) -> list[Target]:
    """Return the elements of a list."""
    if isinstance(target, Sequence):
        return [*target.kids]
    return target.elements if isinstance(target, AmendedSequence) else target


def text_of(target: Target, key: str) -> str | None:
    """Return the text of the scalar under `key`, None if there is none, or if the target is no mapping."""
    target = dereferenced(target)
    if not is_mapping(target):
        return None
    value = dereferenced(target.get(key) if isinstance(target, Mapping) else entries_of(target).get(key))
    if isinstance(value, Scalar | Rewritten):
        return value.value
    if value is None or is_mapping(value) or is_list(value):
        return None
    return value if isinstance(value, str) else scalars.leaf(value, flow=False)  # type: ignore[arg-type]  # a value


def is_mapping(target: Target) -> TypeGuard[Mapping | AmendedMapping | dict[str, Any]]:
    """True if a target is a mapping, of the text or not."""
    return isinstance(target, _MAPPINGS)


def is_list(target: Target) -> TypeGuard[Sequence | AmendedSequence | list[Any]]:
    """True if a target is a list, of the text or not."""
    return isinstance(target, _LISTS)


def ascending(numbers: list[int]) -> list[int]:
    """Return the longest part of `numbers` that ascends: elements that can stay where they are."""
    # Patience sorting, in n log n: generators make lists of ten thousand elements.
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect(ends, number)
        before[number] = ends[at - 1] if at else None
        ends[at : at + 1] = [number]
    found: list[int] = []
    last = ends[-1] if ends else None
    while last is not None:
        found.append(last)
        last = before[last]
    return found[::-1]


def numbers(wanted: AmendedSequence) -> list[int | None]:
    """Return for each wanted element the number of the list's own that it is, or replaces; None for a new one.

    An alias is also found by the node that it shows.
    """
    kids = wanted.node.kids
    numbers_of: dict[int, list[int]] = {}
    for number in reversed(range(len(kids))):
        for node in {id(kids[number]), id(resolved(kids[number]))}:
            numbers_of.setdefault(node, []).append(number)
    found: list[int | None] = []
    taken: set[int] = set()
    for element in wanted.elements:
        left = numbers_of.get(id(own_node(element)), [])
        # An alias is found under two ids, its own and that of the node that it shows.
        while left and left[-1] in taken:
            left.pop()
        found.append(left[-1] if left else None)
        taken.update(left[-1:])
    return found


def own_node(wanted: Target) -> Target:
    """Return the node of the text in whose stead a target stands, else the target itself."""
    return wanted.node if isinstance(wanted, AmendedMapping | AmendedSequence | Replaced | Rewritten) else wanted


def is_unchanged(wanted: Sized[Target | None], nodes: Sized[Node]) -> bool:
    """True if targets are these nodes, in this order."""
    return len(wanted) == len(nodes) and all(map(is_, wanted, nodes))


def in_its_place(there: Target, target: Target) -> Target:
    """Return `target` for the place of a list element.

    If that is an element of the text, it stands in its stead: so the comments around it stay too.
    """
    there = own_node(there)
    is_there = isinstance(there, Scalar | Alias | Mapping | Sequence)
    return Replaced(there, target) if is_there and own_node(target) is not there else target  # type: ignore[arg-type]  # a node
