"""Plan the edits that make a text say what is wanted of it, all of them on the text as it is."""

from __future__ import annotations

from krm.yamltree import block, lcs, lines, places, splices
from krm.yamltree import flow as flow_style
from krm.yamltree.edits import Edit
from krm.yamltree.excerpts import Excerpts
from krm.yamltree.nodes import Alias, Collection, Mapping, Sequence
from krm.yamltree.places import NotSpliceable
from krm.yamltree.target import AmendedMapping, AmendedSequence
from krm.yamltree.transplant import Incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Layout, Value
    from krm.yamltree.target import Graft, Target

    Part: TypeAlias = "int | list[str]"


class Plan:
    """The edits that are `made` to a text so that it says what is wanted.

    It `follows` where aliases and merge keys are left to show what changes where it is written.
    """

    __slots__ = ("follows", "incoming", "layout", "made", "text", "wide")

    def __init__(self, text: str, layout: Layout, *, wide: bool | None = None, follows: bool = False) -> None:
        self.text = text
        self.layout = layout
        self.wide = wide
        self.follows = follows
        self.made: list[Edit] = []
        self.incoming = Incoming(text, layout, self._changes, wide=wide)

    def amend(self, parent: Collection | None, node: Node | None, wanted: Target) -> None:
        """Plan what makes of `node`, a kid of `parent`, what is wanted."""
        if node is None:
            raise NotSpliceable(places.ODD)
        if isinstance(node, Alias) and (self.follows or node.target is wanted):
            return
        if isinstance(wanted, AmendedMapping | AmendedSequence) and wanted.node is node:
            self._arrange(parent, wanted)
        elif wanted is not node:
            self.made.append(self.incoming.replacement(parent, node, wanted))

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
            self.made[earlier:] = [flow_style.arranged(excerpts, node, parts)]
        elif node.flow:
            coming = [part for part in parts if not isinstance(part, int)]
            self.made.append(self._filled(parent, node, [line for part in coming for line in part]))
        else:
            self.made += block.arranged(self.text, node, parts)

    def _changes(self, graft: Graft) -> list[Edit]:
        """Return the edits of a graft's text that leave in it what is to come in."""
        plan = Plan(graft.text, self.layout, wide=self.wide)
        if graft.amended is not None:
            plan.amend(graft.parent, graft.node, graft.amended)
        return plan.made

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
                coming.setdefault(behind, []).extend(self.incoming.entry(mapping, key, of_key, flow=flow))
        parts = coming.pop(-1, [])
        merge_key = mapping.merge_key()
        for number, (name, value) in enumerate(mapping.pairs()):
            if name.value is None or name.value in wanted.entries or value is merge_key:
                parts += [number, *coming.get(number, ())]
        return parts

    def _elements(self, wanted: AmendedSequence, *, flow: bool) -> list[Part]:
        sequence = wanted.node
        numbers = lcs.numbers(wanted)
        staying = set(lcs.ascending([number for number in numbers if number is not None]))
        parts: list[Part] = []
        for element, number in zip(wanted.elements, numbers, strict=True):
            if number is None:
                parts.extend(self.incoming.element(sequence, element, flow=flow))
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
