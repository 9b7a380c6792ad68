"""Proof of a change from its region of the text: some entries of one block mapping, in whole lines.

Most edits are of a few lines. The text above and below these is the same before and after, so it is enough to show
that a parser reads these lines as the entries that were wanted, and comes out of them as it went in: behind
an entry of this mapping, at the start of a line. Two entries of our own around the lines show that. They are read as
entries of the same mapping only if nothing between them is left open, ends the mapping, or goes on below.

Anchors, aliases and merge keys reach beyond the region, so a text with them is always parsed whole; so is one with
comments that are asked for, which are looked up in the whole tree: docs/lossless-yaml.md, "One way to edit".
"""

from __future__ import annotations

from bisect import bisect_left

from krm.yamltree import edits, lines, parser, proof
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping
from krm.yamltree.parser import ParseError
from krm.yamltree.proof import Proof
from krm.yamltree.target import AmendedMapping, AmendedSequence, uncommented

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node
    from krm.yamltree.plan import Plan
    from krm.yamltree.target import Target

_ABOVE, _BELOW = "entry above the region", "entry below the region"


def proves(plan: Plan) -> bool:
    """True if the edits of a plan are shown to make its target. False says no more than that they are not."""
    # An alias elsewhere may name an anchor in the region, and `<<` merges across it.
    if plan.document.shares or plan.again or not plan.made:
        return False
    found = _innermost(plan.document.root, plan.target)
    if found is None:
        return False
    mapping, target, depth = found
    region = _Region(plan.text, mapping)
    changed = sorted(plan.made, key=edits.position)
    # To read half of a text alone saves little, and its tree is of no more use.
    if not region.holds(changed) or 2 * (region.end - region.start) > len(plan.text):
        return False
    try:
        frame = region.framed(changed)
        read = parser.parse(frame, levels=depth)
    except (ParseError, ValueError):
        return False
    inside = region.entries(read.root)
    return not read.shares and region.has_become(inside, target, Proof(frame, proof.stays_in(plan.text, frame)))


def _innermost(node: Node | None, target: Target) -> tuple[Mapping, AmendedMapping, int] | None:
    """Return the innermost block mapping that all changes are in, its target, and how many collections it is in."""
    found = None
    depth = 0
    target = uncommented(target)
    while isinstance(target, AmendedMapping | AmendedSequence) and target.node is node:
        if isinstance(target, AmendedMapping) and not target.node.flow:
            found = target.node, target, depth
        # The deeper the mapping, the fewer lines there are to read.
        changed = _changed_kid(target)
        if changed is None:
            break
        node, target = changed[0], uncommented(changed[1])
        depth += 1
    return found


def _changed_kid(target: AmendedMapping | AmendedSequence) -> tuple[Node, Target] | None:
    """Return the one kid of a collection that changes, with its target, None if others change, come, go or move."""
    kids: list[Node]
    if isinstance(target, AmendedMapping):
        kids = [*target.node.entries.values()]
        if target.entries.keys() != target.node.entries.keys():
            return None
        wanted = [target.entries[key] for key in target.node.entries]  # type: ignore[index]  # the keys are the same
    else:
        kids, wanted = target.node.kids, target.elements
    changed = [pair for pair in zip(kids, wanted, strict=False) if pair[0] is not pair[1]]
    return changed[0] if len(changed) == 1 and len(kids) == len(wanted) else None


class _Region:
    """The lines of the entries of `mapping` from number `first` up to, not including, `last`."""

    __slots__ = ("end", "first", "last", "mapping", "start", "text")

    def __init__(self, text: str, mapping: Mapping) -> None:
        self.text = text
        self.mapping = mapping
        self.start = self.end = self.first = self.last = 0

    def holds(self, changed: list[Edit]) -> bool:
        """Make this the smallest region with all edits. False if there is none, or it is too odd to be read alone."""
        mapping = self.mapping
        keys = mapping.kids[::2]
        # An anchor or a tag stands above the entries. A key that is no scalar has no name to be compared by.
        if mapping.start != mapping.first or None in mapping.entries or not keys:
            return False
        starts = [key.start - mapping.column for key in keys]
        starts[0] = keys[0].start if not lines.is_first(self.text, keys[0].start) else starts[0]
        # What begins where an entry does may belong to the one above it.
        self.first = bisect_left(starts, changed[0].start) - 1
        if starts[0] == changed[0].start:
            self.first = 0
        end = max(edit.end for edit in changed)
        self.last = bisect_left(starts, end, lo=max(self.first, 0) + 1)
        stop = starts[self.last] if self.last < len(keys) else self._stop()
        self.start, self.end = starts[max(self.first, 0)], stop
        return (
            self.first >= 0
            and end <= stop
            and all(map(self._begins_a_line, range(self.first, min(self.last + 1, len(keys)))))
        )

    def _begins_a_line(self, number: int) -> bool:
        """True if the key at `number` is the first in its line, at the column of the mapping: none behind a `?` is."""
        start = self.mapping.kids[2 * number].start
        return lines.column(self.text, start) == self.mapping.column and (
            number == 0 or lines.is_first(self.text, start)
        )

    def _stop(self) -> int:
        """Return where the next line behind the mapping starts that is no comment.

        Comments are of the region: they could become the text of a block that comes to stand above them.
        """
        end = self.mapping.end
        start = end if self.text.endswith("\n", 0, end) else lines.next_line(self.text, end)
        while True:
            found = lines.first_character(self.text, start)
            if not self.text.startswith("#", found):
                return lines.line_start(self.text, found)
            start = lines.next_line(self.text, found)

    def framed(self, changed: list[Edit]) -> str:
        """Return the region after the edits as a text of its own. ValueError if it is too odd for that."""
        moved = [Edit(edit.start - self.start, edit.end - self.start, edit.text) for edit in changed]
        region = edits.apply(self.text[self.start : self.end], moved)
        margin = " " * self.mapping.column
        if self.start != lines.line_start(self.text, self.start):
            region = margin + region  # it starts behind a dash
        # A first line that is no key could go on with what stands above: a deeper one, or a blank one below a block.
        if not region.startswith(margin) or region[len(margin) :][:1] in " \t\r\n#" or not region.endswith("\n"):
            raise ValueError(region)
        # What is hidden from libyaml depends on the whole text: `events`.
        if "\\u" in region or lines.ODD_BREAKS.search(region):
            raise ValueError(region)
        return f"{margin}{_ABOVE}: 0\n{region}{margin}{_BELOW}: 0\n"

    def entries(self, node: Node | None) -> list[Node]:
        """Return the keys and values of the region from the root of its frame, none if they are not all of it."""
        kids = node.kids if isinstance(node, Mapping) else []
        return kids[2:-2] if kids[-2].value == _BELOW else []

    def has_become(self, found: list[Node], target: AmendedMapping, proven: Proof) -> bool:
        """True if the keys and values that were `found` are what was wanted, and the rest is to stay as it is."""
        kids = self.mapping.kids
        inside = {key.value for key in kids[2 * self.first : 2 * self.last : 2]}
        outside = {key: value for key, value in self.mapping.entries.items() if key not in inside}
        wanted = {key: one for key, one in target.entries.items() if key not in outside}
        entries = dict(zip([key.value for key in found[::2]], found[1::2], strict=True))
        return (
            entries.keys() == wanted.keys()
            and all(target.entries.get(str(key)) is value for key, value in outside.items())
            and all(proven.amounts_to(entries[key], one) for key, one in wanted.items())
        )
