"""Proof that a change did what was asked and nothing else, from the trees before and after it.

However odd the text around a splice is, what is proven is right, and what cannot be proven is never written.

A change may be proven from its regions of the text alone: each is some entries of one block mapping, or some elements
of one block list, in whole lines. Most edits are of a few lines. The text above and below these is the same before and
after, so it is enough to show that a parser reads these lines as the entries that were wanted, and comes out of them as
it went in: behind an entry of this mapping, at the start of a line. Two entries of our own around the lines show that.
They are read as entries of the same mapping only if nothing between them is left open, ends the mapping, or goes on
below. A region that nothing follows goes to the end of the text, with its blanks and comments, so that it needs no
entry below it.

Regions that do not overlap are proven one by one: to each of them the others are text that does not matter to it.

Anchors, aliases and merge keys reach beyond the region, so a text with them is always parsed whole:
docs/reference/lossless-yaml.md, "One way to edit".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from krm.yamltree import edits, lines, parser, sameness, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, leaves, resolved
from krm.yamltree.parser import ParseError
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, Rewritten, without_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document
    from krm.yamltree.target import Target

    Amended: TypeAlias = AmendedMapping | AmendedSequence
    Same: TypeAlias = Callable[[Node, Node | None], bool]

_ABOVE, _BELOW = "entry above the region", "entry below the region"
_FRAME = len(f"{_ABOVE}: 0\n{_BELOW}: 0\n")


class Proof:
    """Proof that a tree of `text` is a target. `stays` compares a node that was to stay with one of the tree."""

    __slots__ = ("_stays", "_text")

    def __init__(self, text: str, stays: Same) -> None:
        self._text = text
        self._stays = stays

    def amounts_to(self, node: Node | None, target: Target) -> bool:
        """Return whether `node` is what was wanted."""
        bare = without_place(target)
        # It may have come in as it is written or as a value: only the data has to be the same.
        if isinstance(bare, Graft):
            return Proof(self._text, sameness.same_data).amounts_to(node, bare.amended or bare.node)
        if isinstance(bare, AmendedMapping | AmendedSequence):
            return self._collection(node, bare)
        if isinstance(bare, Rewritten):
            return _is_rewritten(resolved(node), bare)
        if isinstance(bare, Scalar | Alias | Collection):
            return self._stays(bare, node)
        if isinstance(bare, dict | list):
            return self._value(resolved(node), bare)
        return sameness.has(node, bare, self._text)

    def _value(self, node: Node | None, value: dict[str, Any] | list[Any]) -> bool:
        if isinstance(value, list):
            return self._elements(node, value)
        entries = dict(node.items()) if isinstance(node, Mapping) and node.is_plain() else None
        return (
            entries is not None
            and entries.keys() == value.keys()
            and all(self.amounts_to(entries[key], one) for key, one in value.items())
        )

    def _collection(self, node: Node | None, target: AmendedMapping | AmendedSequence) -> bool:
        was, now = target.node, resolved(node)
        if self._stays is sameness.same_data:
            return self._amended(now, target)
        # A copy in the place of an alias has no anchor; any other anchor would be a second one of that name.
        if not isinstance(now, Collection) or now.tag != was.tag or now.anchor not in (None, was.anchor):
            return False
        # Of a copy, its text is not that of the original.
        proof = self if now.anchor == was.anchor else Proof(self._text, sameness.same_data)
        return proof._amended(now, target)  # noqa: SLF001 - of the same class

    def _amended(self, node: Node | None, target: AmendedMapping | AmendedSequence) -> bool:
        if isinstance(target, AmendedMapping):
            return isinstance(node, Mapping) and self._entries(node, target)
        return self._elements(node, target.elements)

    def _elements(self, node: Node | None, elements: list[Target]) -> bool:
        return (
            isinstance(node, Sequence)
            and len(node.kids) == len(elements)
            and all(map(self.amounts_to, node.kids, elements))
        )

    def _entries(self, mapping: Mapping, target: AmendedMapping) -> bool:
        """True if a mapping has the entries that were wanted: if `<<` is one of them, whatever that merges in."""
        # Keys that are no scalars cannot be named by a target, so they have to stay.
        odd, was_odd = _odd_pairs(mapping), _odd_pairs(target.node)
        if len(odd) != len(was_odd) or not all(map(self._stays, was_odd, odd)):
            return False
        entries = dict(mapping.items())
        merge_key = mapping.merge_key()
        if merge_key is not None and "<<" in target.entries:
            merged = entries.keys() - target.entries.keys()
            entries = {key: entries[key] for key in entries if key not in merged or key in mapping.entries}
            entries["<<"] = merge_key
        return entries.keys() == target.entries.keys() and all(
            self.amounts_to(entries[key], one) for key, one in target.entries.items()
        )


def stays_in(before: str, after: str, stale: list[Alias] | None = None, *, shares: bool = False) -> Same:
    """Return what tells whether a node of one text is as it was in another: to the character, unless it `shares`.

    Instead of aliases that are `stale` there are copies of what they showed.
    """
    stale = stale or []
    # In the order of the text: a node asks by its span which of them are in it.
    starts = [alias.start for alias in stale]

    def stays(node: Node, now: Node | None) -> bool:
        first = bisect_left(starts, node.start)
        # A copy says the same as the alias, but is not the same text.
        if first < len(starts) and starts[first] < node.end:
            return sameness.same_data(node, now)
        if shares or not isinstance(node, Collection) or not isinstance(now, Collection) or node.column != now.column:
            return sameness.seen(node) == sameness.seen(now) and all(
                map(_shows_the_same, _aliases(node), _aliases(now))
            )
        if node.end == len(before) or now.end == len(after):
            # The header of a block that ends without a line end may have changed: `|` to `|-`.
            return sameness.seen(node) == sameness.seen(now)
        # The blank lines below a block are none of its text, though the parser counts them in.
        written, found = (node.start, lines.content_end(before, node)), (now.start, lines.content_end(after, now))
        return type(node) is type(now) and before[slice(*written)] == after[slice(*found)]

    return stays


def _shows_the_same(one: Alias, other: Alias) -> bool:
    return (one.target is None and other.target is None) or sameness.same_data(one, other)


def _aliases(node: Node | None) -> list[Alias]:
    return [leaf for leaf in leaves(node) if isinstance(leaf, Alias)] if node is not None else []


def _odd_pairs(mapping: Mapping) -> list[Node]:
    """Return the keys of a mapping that are no scalars, each with its value."""
    if None not in mapping.entries:
        return []
    return [node for pair in mapping.pairs() if pair[0].value is None for node in pair]


def _is_rewritten(node: Node | None, target: Rewritten) -> bool:
    if not isinstance(node, Scalar) or node.value != target.value:
        return False
    was_string = scalars.string(target.node) is not None
    return scalars.string(node) is not None if was_string else node.tag == target.node.tag


def is_proven_by_regions(text: str, document: Document, target: Target, made: list[Edit]) -> bool:
    """True if the edits that are planned are shown to make the target. False says no more than that they are not."""
    # An alias elsewhere may name an anchor in the region, and `<<` merges across it.
    if document.shares or not made or len(text) < 2 * _FRAME:
        return False
    found = _apart(document.root, target, 0)
    regions = _holding(text, made, found) if found else []
    return bool(regions) and all(region.is_proven() for region in regions)


def _apart(node: Node | None, target: Target, depth: int) -> list[tuple[Amended, int]] | None:
    """Return the innermost block collections that all changes of `node` are in, amended, each with its depth."""
    # None if some change is in no block collection, or in the number of the elements of a list.
    target = without_place(target)
    if not isinstance(target, AmendedMapping | AmendedSequence) or target.node is not node:
        return None
    # The deeper the collections, the fewer lines there are to read.
    kids = _changed_kids(target)
    below = [None] if kids is None else [_apart(kid, of_kid, depth + 1) for kid, of_kid in kids]
    if None not in below:
        return [found for of_kid in below for found in of_kid or ()]
    is_block = not target.node.flow and (isinstance(target, AmendedMapping) or kids is not None)
    return [(target, depth)] if is_block else None


def _changed_kids(target: AmendedMapping | AmendedSequence) -> list[tuple[Node, Target]] | None:
    """Return the kids of a collection that change, each with its target, None if others come, go or move."""
    kids: list[Node]
    if isinstance(target, AmendedMapping):
        kids = [*target.node.entries.values()]
        if target.entries.keys() != target.node.entries.keys():
            return None
        wanted = [target.entries[key] for key in target.node.entries]  # type: ignore[index]  # the keys are the same
    else:
        kids, wanted = target.node.kids, target.elements
    if len(kids) != len(wanted):
        return None
    return [pair for pair in zip(kids, wanted, strict=True) if pair[0] is not pair[1]]


def _holding(text: str, made: list[Edit], found: list[tuple[Amended, int]]) -> list[_Region]:
    """Return the regions of collections that hold all planned edits; none if one is odd, or they are too long."""
    regions = [_Region(text, *one) for one in found]
    tops = [region.top() for region in regions]
    for edit in sorted(made, key=edits.position):
        regions[max(bisect_right(tops, edit.start) - 1, 0)].changed.append(edit)
    size = position = 0
    for region in regions:
        if not region.is_found() or region.start < position:
            return []
        position = region.end
        size += region.end - region.start + _FRAME
    # To read half of a text alone saves little, and its tree is of no more use.
    return regions if 2 * size <= len(text) else []


class _Region:
    """The lines with what is `changed` in a collection: its entries from number `first` up to, not including, `last`.

    The collection is to become `target`, and stands in so many collections as `depth` says.
    """

    __slots__ = ("changed", "collection", "depth", "end", "first", "last", "start", "target", "text")

    def __init__(self, text: str, target: Amended, depth: int) -> None:
        self.text = text
        self.collection: Mapping | Sequence = target.node
        self.target = target
        self.depth = depth
        self.changed: list[Edit] = []
        self.start = self.end = self.first = self.last = 0

    def top(self) -> int:
        """Return where the lines of the collection start: behind the dash, if it stands in the line of one."""
        first = self.collection.first
        return first - self.collection.column if lines.is_first(self.text, first) else first

    def is_found(self) -> bool:
        """Make this the smallest region with all edits. False if there is none, or it is too odd to be read alone."""
        heads = self.heads()
        # An anchor or a tag stands above the entries.
        if self.collection.start != self.collection.first or not heads or not self.changed:
            return False
        starts = [head - self.collection.column for head in heads]
        starts[0] = self.top()
        # What begins where an entry does may belong to the one above it.
        self.first = bisect_left(starts, self.changed[0].start) - 1
        if starts[0] == self.changed[0].start:
            self.first = 0
        end = max(edit.end for edit in self.changed)
        self.last = bisect_left(starts, end, lo=max(self.first, 0) + 1)
        stop = starts[self.last] if self.last < len(heads) else self._stop()
        self.start, self.end = starts[max(self.first, 0)], stop
        return (
            self.first >= 0
            and end <= stop
            and all(map(self._begins_a_line, enumerate(heads[self.first : self.last + 1], self.first)))
        )

    def _begins_a_line(self, numbered: tuple[int, int]) -> bool:
        """True if an entry begins a line, at the column of the collection: no key behind a `?` does."""
        number, head = numbered
        return lines.column(self.text, head) == self.collection.column and (
            number == 0 or lines.is_first(self.text, head)
        )

    def _stop(self) -> int:
        """Return where the next line behind the collection starts that is no comment."""
        # Comment lines belong to the region. Otherwise a new block scalar above could swallow them as text.
        end = self.collection.end
        start = end if self.text.endswith("\n", 0, end) else lines.next_line(self.text, end)
        found = lines.first_character(self.text, lines.past_deeper_comments(self.text, start, -1))
        # Blanks behind the last line end would become the text of a block, too.
        return found if found == len(self.text) else lines.line_start(self.text, found)

    def is_proven(self) -> bool:
        """True if the edits are shown to make the target of the collection."""
        try:
            frame = self.framed()
            read = parser.parse(frame, levels=self.depth)
        except (ParseError, ValueError):
            return False
        return not read.shares and self._has_become(self.inside(read.root), Proof(frame, stays_in(self.text, frame)))

    def framed(self) -> str:
        """Return the region after the edits as a text of its own. ValueError if it is too odd for that."""
        moved = [Edit(edit.start - self.start, edit.end - self.start, edit.text) for edit in self.changed]
        region = edits.apply(self.text[self.start : self.end], moved)
        margin = " " * self.collection.column
        if self.start != lines.line_start(self.text, self.start):
            region = margin + region  # it starts behind a dash
        # A first line that is no key could go on with what stands above: a deeper one, or a blank one below a block.
        if not region.startswith(margin) or region[len(margin) :][:1] in " \t\r\n#":
            raise ValueError(region)
        if self.end < len(self.text):
            if not region.endswith("\n"):
                raise ValueError(region)
            region += margin + self.framing(_BELOW)
        # What is hidden from libyaml depends on the whole text: `events`.
        if "\\u" in region or lines.ODD_BREAKS.search(region):
            raise ValueError(region)
        return margin + self.framing(_ABOVE) + region

    def framing(self, name: str) -> str:
        """Return the line of an entry of our own."""
        return f"{name}: 0\n" if isinstance(self.collection, Mapping) else f"- {name}\n"

    def heads(self) -> list[int]:
        """Return where the keys, or the dashes, stand; nothing where that cannot be told."""
        block = self.collection
        if isinstance(block, Mapping):
            # A key that is no scalar has no name to be compared by.
            return [] if None in block.entries else [key.start for key in block.kids[::2]]
        dashes = [lines.line_start(self.text, kid.start) + block.column for kid in block.kids]
        # An element may begin in another line than its dash.
        return dashes if all(self.text.startswith("-", dash) for dash in dashes) else []

    def inside(self, root: Node | None) -> list[Node]:
        """Return the nodes of the region from the root of its frame, none if they are not all of it."""
        kids = root.kids if isinstance(root, Collection) and type(root) is type(self.collection) else []
        if self.end == len(self.text):
            return kids[self.nodes :]
        is_whole = bool(kids) and kids[-self.nodes].value == _BELOW
        return kids[self.nodes : -self.nodes] if is_whole else []

    @property
    def nodes(self) -> int:
        """How many nodes an entry has: a key and a value, or an element alone."""
        return 2 if isinstance(self.collection, Mapping) else 1

    def _has_become(self, found: list[Node], proven: Proof) -> bool:
        """True if the nodes that were `found` are what was wanted, and the rest is to stay as it is."""
        target = self.target
        if not isinstance(target, AmendedMapping):
            inside = target.elements[self.first : self.last]
            is_outside = [one is kid for one, kid in zip(target.elements, target.node.kids, strict=True)]
            del is_outside[self.first : self.last]
            return len(found) == len(inside) and all(is_outside) and all(map(proven.amounts_to, found, inside))
        mapping = target.node
        keys = {key.value for key in mapping.kids[2 * self.first : 2 * self.last : 2]}
        outside = {key: value for key, value in mapping.entries.items() if key not in keys}
        wanted = {key: one for key, one in target.entries.items() if key not in outside}
        entries = dict(zip([key.value for key in found[::2]], found[1::2], strict=True))
        return (
            entries.keys() == wanted.keys()
            and all(target.entries.get(str(key)) is value for key, value in outside.items())
            and all(proven.amounts_to(entries[key], one) for key, one in wanted.items())
        )
