"""Make a text say what is wanted of it: a tree that tells what stays, what comes in from another text, what goes.

All edits are planned on the text as it is, made at once, and proven by one parse of what comes out. Where that does not
work, in odd text, `steps` makes one change after the other.
"""

from __future__ import annotations

from bisect import bisect

from fn.yamltree import (
    aliases,
    arranging,
    brackets,
    edits,
    lines,
    parser,
    places,
    proof,
    scalars,
    splices,
    steps,
    style,
    values,
)
from fn.yamltree.edits import Edit
from fn.yamltree.excerpts import Excerpts, is_self_contained
from fn.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, is_block_scalar, resolved
from fn.yamltree.places import NotSpliceable
from fn.yamltree.style import Layout
from fn.yamltree.wanted import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from fn.yamltree.draft import Draft, Path
    from fn.yamltree.nodes import Node
    from fn.yamltree.style import Value
    from fn.yamltree.wanted import Wanted

    Part: TypeAlias = "int | list[str]"


def amend(draft: Draft, path: Path, wanted: Wanted) -> None:
    """Make what is `wanted` stand at `path`, with as few changes of the text as that takes.

    The nodes in `wanted` are those of `draft.document`. EditError where something of the author's would be lost; the
    text is then as before. KeyError where no way leads to `path`.
    """
    root = draft.document.root
    try:
        whole = _from_root(root, path, wanted)
        plan = Plan(draft.text, json=draft.json, wide=style.is_wide(root))
        plan.amend(None, root, whole)
        if plan.made:
            _make(draft, plan, whole)
    except NotSpliceable:
        steps.amend(draft, path, wanted)


def _from_root(node: Node | None, path: Path, wanted: Wanted) -> Wanted:
    """Return what is wanted of `node` where `wanted` is wanted of what is at `path` below it."""
    if not path:
        return wanted
    step, below = path[0], path[1:]
    if isinstance(node, Mapping) and isinstance(step, str) and (not below or step in node.entries):
        return AmendedMapping(node, {**node.entries, step: _from_root(node.own(step), below, wanted)})  # type: ignore[dict-item]
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.kids):
        elements: list[Wanted] = [*node.kids]
        elements[step] = _from_root(node.kids[step], below, wanted)
        return AmendedSequence(node, elements)
    if isinstance(node, Alias):
        raise NotSpliceable(places.ODD)
    raise KeyError(path)


def _make(draft: Draft, plan: Plan, wanted: Wanted) -> None:
    """Make the edits of a plan, proven to make of the text what is wanted, and nothing else."""
    before, document = draft.text, draft.document
    if aliases.stand_in_the_way(document, plan.changed, plan.gone) or not lines.are_plain(before, document.root):
        raise NotSpliceable(places.ODD)
    try:
        text = edits.apply(before, plan.made)
        after = parser.parse(text)
    except (parser.ParseError, ValueError):
        raise NotSpliceable(places.ODD) from None
    if not proof.amounts_to(after.root, wanted, text, proof.stays_in(before, text, shares=document.shares)):
        raise NotSpliceable(places.ODD)
    draft.text, draft.parsed = text, after


class Plan:
    """The edits that are `made` to a text so that it says what is wanted.

    `changed` are the collections whose parts change, `gone` is what goes, gives way or moves.
    """

    __slots__ = ("changed", "gone", "layout", "made", "text", "wide")

    def __init__(self, text: str, *, json: bool = False, wide: bool | None = None) -> None:
        self.text = text
        self.layout = Layout(json=json, wide=bool(wide))
        self.wide = wide
        self.made: list[Edit] = []
        self.changed: list[Node] = []
        self.gone: list[Node] = []

    def amend(self, parent: Collection | None, node: Node | None, wanted: Wanted) -> None:
        """Plan what makes of `node`, a kid of `parent`, what is wanted."""
        if node is None:
            raise NotSpliceable(places.ODD)
        if isinstance(wanted, AmendedMapping | AmendedSequence):
            if wanted.node is not node:
                raise NotSpliceable(places.ODD)  # it is changed through an alias
            self._arrange(parent, wanted)
        elif wanted is not node and not (isinstance(node, Alias) and node.target is wanted):
            self.gone.append(node)
            self.made.append(self._replacement(parent, node, wanted))

    def _arrange(self, parent: Collection | None, wanted: AmendedMapping | AmendedSequence) -> None:
        node = wanted.node
        earlier, changes = len(self.made), len(self.changed) + len(self.gone)
        flow = self.layout.json or (node.flow and (bool(node.kids) or (parent is not None and parent.flow)))
        parts = (
            self._entries(wanted, flow=flow)
            if isinstance(wanted, AmendedMapping)
            else self._elements(wanted, flow=flow)
        )
        if parts != list(range(places.size(node))):
            self._rearrange(parent, node, parts, earlier, flow=flow)
        if len(self.changed) + len(self.gone) + len(self.made) > changes + earlier:
            self.changed.append(node)

    def _rearrange(
        self, parent: Collection | None, node: Mapping | Sequence, parts: list[Part], earlier: int, *, flow: bool
    ) -> None:
        if not parts:
            self.gone.append(node)
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
            elif of_key is not mapping.get(key):
                coming.setdefault(behind, []).append(self._entry(mapping, key, of_key, flow=flow))
        parts = coming.pop(-1, [])
        merge_key = mapping.merge_key()
        for number, (name, value) in enumerate(mapping.pairs()):
            if name.value is None or name.value in wanted.entries or value is merge_key:
                parts += [number, *coming.get(number, ())]
            else:
                self.gone.append(value)
        return parts

    def _elements(self, wanted: AmendedSequence, *, flow: bool) -> list[Part]:
        sequence = wanted.node
        numbers = _numbers(wanted)
        staying = set(_ascending([number for number in numbers if number is not None]))
        self.gone += [kid for number, kid in enumerate(sequence.kids) if number not in numbers]
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
        """Return the lines of the entry `key`, or of an element for None, as a graft has them; None where it has not."""
        if not isinstance(wanted, Graft) or not is_self_contained(wanted.node):
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
        if isinstance(wanted, Graft) and not in_brackets and is_self_contained(wanted.node):
            try:
                return self._grafted(parent, node, wanted)
            except NotSpliceable:
                pass  # its value may do
        return splices.replace(self.text, parent, node, self._value(wanted), self.layout)

    def _grafted(self, parent: Collection | None, node: Node, graft: Graft) -> Edit:
        """Put what a graft has in the place of `node`, as it is written there."""
        source = graft.node
        if isinstance(source, Collection) and not source.flow:
            return self._block(parent, node, graft, source)
        written = self._excerpts(graft).inline(graft.parent, source)
        if is_block_scalar(source):
            return self._block_scalar(parent, node, graft, written)
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

    def _block_scalar(self, parent: Collection | None, node: Node, graft: Graft, written: list[str]) -> Edit:
        if parent is None or not isinstance(graft.node, Scalar):
            raise NotSpliceable(places.ODD)
        comment = lines.comment_inside(graft.text, graft.node)
        head = " " + written[0].removesuffix(comment).rstrip(" \t")
        return splices.put_below(self.text, parent, node, head, written[1:], parent.column, comment)

    def _excerpts(self, graft: Graft) -> Excerpts:
        plan = Plan(graft.text, wide=self.wide)
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
