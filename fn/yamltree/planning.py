"""Plan the edits that make a text say what is wanted of it, all of them on the text as it is."""

from __future__ import annotations

from bisect import bisect

from fn.yamltree import arranging, brackets, lines, places, scalars, splices, style, values
from fn.yamltree.edits import Edit
from fn.yamltree.excerpts import Excerpts, is_self_contained
from fn.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, is_block_scalar, resolved
from fn.yamltree.places import NotSpliceable
from fn.yamltree.wanted import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from fn.yamltree.nodes import Node
    from fn.yamltree.style import Layout, Value
    from fn.yamltree.wanted import Wanted

    Part: TypeAlias = "int | list[str]"


class Plan:
    """The edits that are `made` to a text so that it says what is wanted.

    It `follows` where aliases and merge keys are left to show what changes where it is written (decisions.md, 9).
    """

    __slots__ = ("follows", "layout", "made", "text", "wide")

    def __init__(self, text: str, layout: Layout, *, wide: bool | None = None, follows: bool = False) -> None:
        self.text = text
        self.layout = layout
        self.wide = wide
        self.follows = follows
        self.made: list[Edit] = []

    def amend(self, parent: Collection | None, node: Node | None, wanted: Wanted) -> None:
        """Plan what makes of `node`, a kid of `parent`, what is wanted."""
        if node is None:
            raise NotSpliceable(places.ODD)
        if isinstance(node, Alias) and (self.follows or node.target is wanted):
            return
        if isinstance(wanted, AmendedMapping | AmendedSequence) and wanted.node is node:
            self._arrange(parent, wanted)
        elif wanted is not node:
            self.made.append(self._replacement(parent, node, wanted))

    def _arrange(self, parent: Collection | None, wanted: AmendedMapping | AmendedSequence) -> None:
        node = wanted.node
        earlier = len(self.made)
        flow = self.layout.json or (node.flow and (bool(node.kids) or (parent is not None and parent.flow)))
        if isinstance(wanted, AmendedMapping):
            parts = self._entries(wanted, flow=flow)
        else:
            parts = self._elements(wanted, flow=flow)
        if parts != list(range(places.size(node))):
            self._rearrange(parent, node, parts, earlier, flow=flow)

    def _rearrange(
        self, parent: Collection | None, node: Mapping | Sequence, parts: list[Part], earlier: int, *, flow: bool
    ) -> None:
        if not parts:
            empty: Value = {} if isinstance(node, Mapping) else []
            self.made.append(splices.replace(self.text, parent, node, empty, self.layout))
        elif flow:
            excerpts = Excerpts(self.text, self.made[earlier:])
            self.made[earlier:] = [brackets.arranged(excerpts, node, parts)]
        elif node.flow:
            self.made.append(
                self._filled(parent, node, [line for part in parts if not isinstance(part, int) for line in part])
            )
        else:
            self.made += arranging.arranged(self.text, node, parts)

    def _filled(self, parent: Collection | None, node: Mapping | Sequence, new: list[str]) -> Edit:
        """Put lines in the place of an empty pair of brackets."""
        if lines.has_comments(self.text, node):
            raise NotSpliceable(places.ODD)
        if parent is None:
            return Edit(node.start, node.end, places.joined(self.text, node.start, new, 0))
        compact = isinstance(parent, Mapping) and isinstance(node, Sequence) and not self.wide
        return splices.put_below(self.text, parent, node, "", new, parent.column + (0 if compact else 2))

    # What stays of a collection, by number, and what comes in: lines, or text between brackets.

    def _entries(self, wanted: AmendedMapping, *, flow: bool) -> list[Part]:
        mapping = wanted.node
        numbers = {key.value: number for number, (key, _) in enumerate(mapping.pairs())}
        coming: dict[int, list[Part]] = {}
        behind = -1
        for key, of_key in wanted.entries.items():
            there = mapping.own(key)
            if there is not None:
                self.amend(mapping, there, of_key)
                behind = numbers[key]
            elif of_key is not (merged := mapping.get(key)) and not (merged and self.follows):
                coming.setdefault(behind, []).append(self._entry(mapping, key, of_key, flow=flow))
        parts = coming.pop(-1, [])
        merge_key = mapping.merge_key()
        for number, (name, value) in enumerate(mapping.pairs()):
            if name.value is None or name.value in wanted.entries or value is merge_key:
                parts += [number, *coming.get(number, ())]
        return parts

    def _elements(self, wanted: AmendedSequence, *, flow: bool) -> list[Part]:
        sequence = wanted.node
        numbers = _with_successors(wanted, _numbers(wanted))
        staying = set(_ascending([number for number in numbers if number is not None]))
        parts: list[Part] = []
        for element, number in zip(wanted.elements, numbers, strict=True):
            if number is None:
                parts.append(self._element(sequence, element, flow=flow))
                continue
            earlier = len(self.made)
            self.amend(sequence, sequence.kids[number], element)
            if flow or number in staying:
                parts.append(number)
            else:
                excerpts = Excerpts(self.text, self.made[earlier:])
                del self.made[earlier:]
                parts.append(excerpts.entry(sequence, number))
        return parts

    def _entry(self, parent: Mapping, key: str, wanted: Wanted, *, flow: bool) -> list[str]:
        """Return an entry that comes into `parent`."""
        if flow:
            name = scalars.leaf(key, flow=True, json=self.layout.json)
            return [f"{name}: {style.inline(self._value(wanted), self.layout.inside(parent))}"]
        return self._as_it_stands(wanted, key) or style.pair(key, self._value(wanted), self.layout)

    def _element(self, parent: Sequence, wanted: Wanted, *, flow: bool) -> list[str]:
        """Return an element that comes into `parent`."""
        if flow:
            return [str(style.inline(self._value(wanted), self.layout.inside(parent)))]
        return self._as_it_stands(wanted, None) or style.item(self._value(wanted), self.layout)

    def _as_it_stands(self, wanted: Wanted, key: str | None) -> list[str] | None:
        """Return the lines of the entry `key`, or of an element for None, as a graft has them; None without them."""
        if not isinstance(wanted, Graft) or not self._takes(wanted):
            return None
        parent = wanted.parent
        if not isinstance(parent, Sequence if key is None else Mapping) or parent.flow:
            return None
        number = places.index_of(parent, wanted.node)
        if key is not None and parent.kids[2 * number].value != key:
            return None
        try:
            return self._excerpts(wanted).entry(parent, number)
        except NotSpliceable:
            return None

    # A value in the place of another.

    def _replacement(self, parent: Collection | None, node: Node, wanted: Wanted) -> Edit:
        in_brackets = self.layout.json or (parent is not None and parent.flow)
        if isinstance(wanted, Graft) and not in_brackets and self._takes(wanted):
            try:
                return self._grafted(parent, node, wanted)
            except NotSpliceable:
                pass  # its value may do
        return splices.replace(self.text, parent, node, self._value_over(node, wanted), self.layout)

    def _value_over(self, node: Node, wanted: Wanted) -> Value:
        """Return a wanted value: a string as such, not as it is written, if it takes the quotes of `node`."""
        if isinstance(wanted, Graft) and _keeps_style(node, wanted.node):
            return scalars.string(wanted.node)
        return self._value(wanted)

    def _grafted(self, parent: Collection | None, node: Node, graft: Graft) -> Edit:
        """Put what a graft has in the place of `node`, as it is written there."""
        source = graft.node
        if isinstance(source, Collection) and not source.flow:
            return self._block(parent, node, graft, source)
        if source.start == source.end:
            raise NotSpliceable("nothing is written there")
        written = self._excerpts(graft).inline(graft.parent, source)
        if parent is not None and is_block_scalar(source):
            comment = lines.comment_inside(graft.text, source)
            head = " " + written[0].removesuffix(comment).rstrip(" \t")
            return splices.put_below(self.text, parent, node, head, written[1:], parent.column, comment)
        if _keeps_style(node, source) and len(written) == 1:
            edit = splices.replace(self.text, parent, node, scalars.string(source), self.layout)
        else:
            column = 0 if parent is None else parent.column
            edit = splices.put_inline(self.text, parent, node, places.joined(self.text, node.start, written, column))
        in_brackets = graft.parent is None or graft.parent.flow
        comment = "" if in_brackets else lines.comment_at(graft.text, source.end)
        return splices.with_comment(self.text, edit, comment)

    def _block(self, parent: Collection | None, node: Node, graft: Graft, source: Mapping | Sequence) -> Edit:
        text = graft.text
        new = self._excerpts(graft).below(graft.parent, source)
        if parent is None:
            column = lines.column(self.text, node.start)
            return Edit(
                node.start, lines.content_end(self.text, node), places.joined(self.text, node.start, new, column)
            )
        comment, indented = "", 2
        if isinstance(graft.parent, Mapping) and places.stands_below(text, graft.parent, source):
            comment = lines.comment_in(text, places.opening(text, graft.parent, source))
            indented = source.column - graft.parent.column
        if isinstance(source, Sequence) and self.wide is not None:
            indented = (indented or 2) if self.wide else 0
        return splices.put_below(self.text, parent, node, "", new, parent.column + indented, comment)

    def _takes(self, graft: Graft) -> bool:
        """Say whether a graft can come in as it stands; one that ends in a block may take what is below it in."""
        ends_in_block = is_block_scalar(lines.last_leaf(graft.node))
        return is_self_contained(graft.node) and (self.layout.literals or not ends_in_block)

    def _excerpts(self, graft: Graft) -> Excerpts:
        plan = Plan(graft.text, self.layout, wide=self.wide)
        if graft.amended is not None:
            plan.amend(graft.parent, graft.node, graft.amended)
        return Excerpts(graft.text, plan.made, wide=self.wide)

    def _value(self, wanted: Wanted) -> Value:
        try:
            return values.of(wanted, self.text, json=self.layout.json)
        except ValueError as error:
            raise NotSpliceable(f"what comes in has {error}") from None


def _keeps_style(old: Node, new: Node) -> bool:
    """Say whether a value keeps the quotes of the one before it: strings do, of one line."""
    value = scalars.string(new)
    return value is not None and "\n" not in value and scalars.string(old) is not None


def _numbers(wanted: AmendedSequence) -> list[int | None]:
    """Return which of its own each wanted element is, None for one that comes in."""
    own: dict[int, int] = {}
    for number, kid in enumerate(wanted.node.kids):
        own.setdefault(id(resolved(kid)), number)
        own[id(kid)] = number
    stays = (
        element.node if isinstance(element, AmendedMapping | AmendedSequence) else element
        for element in wanted.elements
    )
    return [own.pop(id(element), None) for element in stays]


def _with_successors(wanted: AmendedSequence, numbers: list[int | None]) -> list[int | None]:
    """Return `numbers` with those of scalars that give way, where as many scalars come in between the same neighbours.

    Each takes the place of one, and its comment over.
    """
    kids = wanted.node.kids
    found = list(numbers)
    index = 0
    while index < len(numbers):
        stop = index
        while stop < len(numbers) and numbers[stop] is None:
            stop += 1
        above = numbers[index - 1] if index else -1
        below = numbers[stop] if stop < len(numbers) else len(kids)
        between = [] if above is None or below is None else [*range(above + 1, below)]
        pairs = [*zip(between, wanted.elements[index:stop], strict=False)]
        fits = len(between) == stop - index and not any(number in numbers for number in between)
        if fits and all(_is_scalar(kids[number]) and _is_scalar(new) for number, new in pairs):
            found[index:stop] = between
        index = stop + 1
    return found


def _is_scalar(wanted: Wanted) -> bool:
    if isinstance(wanted, Graft):
        return isinstance(wanted.node, Scalar)
    return not isinstance(wanted, Collection | Alias | AmendedMapping | AmendedSequence | dict | list)


def _ascending(numbers: list[int]) -> list[int]:
    """Return the longest part of `numbers` that ascends: elements that can stay where they are."""
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
