"""A change of a text, made or refused: its edits are planned on the present text, applied, parsed once and proven.

The plan walks over the tree of the text beside the target tree. A node that is in both gets no edit. A collection whose
entries change is arranged, in brackets or in lines. Anything else is replaced. A change that cannot be proven is
refused: docs/reference/lossless-yaml.md, "One way to edit".
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter

from krm.yamltree import arranging, edits, lines, parser, positions, sameness, scalars, splices, style
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, leaves, resolved
from krm.yamltree.parser import Document, ParseError
from krm.yamltree.positions import Excerpts, NotSpliceable
from krm.yamltree.sameness import Sharing
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Graft,
    Rewritten,
    ascending,
    numbers,
    value_of,
    without_place,
)
from krm.yamltree.transplant import Incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.arranging import OldOrNew
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Layout, PlainData
    from krm.yamltree.target import Bare, Target


def new_text(text: str, document: Document, target: Target, layout: Layout) -> tuple[str, Document]:
    """Return the text that has `target` as its root, and its tree. EditError where something is lost.

    KeyError where the text has no root.
    """
    if document.root is None:
        raise KeyError("an empty document")
    positions.require_plain_lines(text, document.root)
    try:
        return _carried_out(Plan(text, document, target, layout))
    except NotSpliceable as refused:
        if not layout.literals:
            raise EditError(f"{refused}: change it by hand", lines.number(text, refused.start)) from None
    # A literal block may swallow the lines below it. Quotes do not.
    return new_text(text, document, target, layout.quoted())


class Plan:
    """The `edits` by which a text gets its `target`.

    If it `is_graft`, all that is not inserted is deleted from the text, also comments that stand apart.
    """

    def __init__(
        self, text: str, document: Document, target: Target, layout: Layout, *, is_graft: bool = False
    ) -> None:
        self.text = text
        self.document = document
        self.target = target
        self.layout = layout
        self.is_graft = is_graft
        self.edits: list[Edit] = []
        self.sharing = Sharing(document, target)
        self.incoming = Incoming(text, layout, _changes)

    def amend(self, parent: Collection | None, node: Node, target: Target) -> None:
        """Plan the edits by which `node`, a kid of `parent`, becomes its target."""
        if target is node and not self.sharing.stale:
            return  # most nodes of a text do not change
        try:
            self._amend(parent, node, without_place(target))
        except NotSpliceable as reason:
            reason.start = node.start if reason.start < 0 else reason.start
            raise

    def _amend(self, parent: Collection | None, node: Node, target: Bare) -> None:
        if isinstance(node, Alias):
            # The alias stays if it can: its author wrote it to share the value.
            if not self.sharing.keeps(node, target):
                shown = node.target
                self._replace(parent, node, shown if target is node and shown is not None else target)
        elif target is node:
            self._leave(node)
        elif isinstance(target, AmendedMapping | AmendedSequence) and target.node is node:
            self._arrange(parent, target)
        elif isinstance(target, Rewritten) and target.node is node:
            self._rewrite(parent, target)
        else:
            self._replace(parent, node, target)

    def _leave(self, node: Node) -> None:
        """Leave a node as it is, but replace the stale aliases in it."""
        stale = self.sharing.stale
        if not isinstance(node, Collection) or not stale:
            return
        first = bisect_left(stale, node.start, key=attrgetter("start"))
        if first < len(stale) and stale[first].start < node.end:
            for kids in positions.entries(node):
                if len(kids) > 1:
                    self._require_fresh(kids[0])
                self.amend(node, kids[-1], kids[-1])

    def _arrange(self, parent: Collection | None, target: AmendedMapping | AmendedSequence) -> None:
        node = target.node
        earlier = len(self.edits)
        in_brackets = self.layout.json or (node.flow and (bool(node.kids) or self._keeps_brackets(parent, node)))
        if isinstance(target, AmendedMapping):
            parts = self._entries(target, in_brackets=in_brackets)
        else:
            parts = self._elements(target, in_brackets=in_brackets)
        if parts == list(range(positions.size(node))):
            return
        if not parts:
            self.edits += splices.emptied(self.text, parent, node, self.layout)
        elif in_brackets:
            excerpts = Excerpts(self.text, self.edits[earlier:])
            self.edits[earlier:] = []
            spread = self.layout.inside(node).form == style.KYAML
            self.edits.append(arranging.in_brackets(self.text, node, parts, excerpts.part, spread=spread))
        elif node.flow:
            new = [line for part in parts if not isinstance(part, int) for line in part]
            self.edits.append(splices.filled(self.text, parent, node, new, self.layout))
        else:
            self.edits += arranging.in_lines(self.text, node, parts, clears=self.is_graft)

    def _keeps_brackets(self, parent: Collection | None, node: Mapping | Sequence) -> bool:
        """True if empty brackets stay: in others, behind `---`, a tag or an anchor, or around a comment."""
        # Other empty brackets are replaced by lines.
        if parent is None and not lines.is_first(self.text, node.start):
            return True
        is_in_brackets = parent is not None and parent.flow
        return is_in_brackets or node.start != node.first or lines.has_comments(self.text, node)

    def _entries(self, target: AmendedMapping, *, in_brackets: bool) -> list[OldOrNew]:
        """Plan the changes of the entries that stay. Return the parts: their numbers, and the lines of new entries."""
        mapping = target.node
        shown = self._merged(target)
        numbers = {key.value: number for number, (key, _) in enumerate(mapping.pairs())}
        # New keys stand where the target has them: behind the entry that is before them there.
        coming: dict[int, list[OldOrNew]] = {}
        behind = -1
        for key, of_key in target.entries.items():
            there = mapping.entries.get(key)
            if there is not None:
                self._require_fresh(mapping.kids[2 * numbers[key]])
                self.amend(mapping, there, of_key)
                behind = numbers[key]
            elif key not in shown or not self.sharing.same(shown[key], of_key):
                coming.setdefault(behind, []).extend(self._coming(mapping, key, of_key, in_brackets=in_brackets))
        return self._parts(target, coming, behind)

    def _parts(self, target: AmendedMapping, coming: dict[int, list[OldOrNew]], behind: int) -> list[OldOrNew]:
        """Return the numbers of the entries that stay, each before what is `coming` behind it."""
        # New entries behind the last one with a name, number `behind`, also stand behind those without one.
        mapping, last = target.node, coming.pop(behind, [])
        merge_key = mapping.merge_key()
        parts = coming.pop(-1, [])
        end = len(parts)
        for number, (name, value) in enumerate(mapping.pairs()):
            is_named = name.value is not None and value is not merge_key
            if name.value in target.entries if is_named else not (value is merge_key and target.unmerged):
                parts += [number, *coming.get(number, ())]
                end = len(parts) if number <= behind or not is_named else end
                if name.value is None:
                    self._require_fresh(name)
                    self.amend(mapping, value, value)
        # `<<` and keys without a name are not in a target. The last new entries stand behind them.
        parts[end:end] = last
        return parts

    def _merged(self, target: AmendedMapping) -> dict[str, Target]:
        """Return the entries that `<<` shows in a mapping after the edit. Copies replace its stale aliases."""
        mapping = target.node
        written = mapping.merge_key()
        if written is None or target.unmerged:
            return {}
        shown = self.sharing.merged(mapping)
        # If `<<` would show a deleted key, or is stale, a copy replaces it, if possible.
        if shown is None or any(key not in target.entries and mapping.entries.get(key) is None for key in shown):
            self.amend(mapping, written, written)
            shown = {key: node for source in reversed([*mapping.merged()]) for key, node in source.items()}
        for key in shown:
            if key not in target.entries:
                raise self._error(mapping, f"`{key}` is merged in by `<<` and can only be deleted where it is written")
        return shown

    def _elements(self, target: AmendedSequence, *, in_brackets: bool) -> list[OldOrNew]:
        """Plan the changes of the elements that stay. Return the parts: their numbers, and the lines of new ones."""
        sequence = target.node
        own = numbers(target)
        staying = set(ascending([number for number in own if number is not None]))
        parts: list[OldOrNew] = []
        for element, number in zip(target.elements, own, strict=True):
            if number is None:
                parts += self._coming(sequence, None, element, in_brackets=in_brackets)
            elif in_brackets or number in staying:
                self.amend(sequence, sequence.kids[number], element)
                parts.append(number)
            else:
                parts.append(self._moved(sequence, number, element))
        return parts

    def _moved(self, sequence: Sequence, number: int, target: Target) -> list[str]:
        """Return the lines of a moved element: it is cut out with its comments, and with the edits inside of it."""
        earlier = len(self.edits)
        node = sequence.kids[number]
        self.amend(sequence, node, target)
        excerpts = Excerpts(self.text, self.edits[earlier:])
        del self.edits[earlier:]
        return excerpts.entry(sequence, number)

    def _coming(
        self, node: Mapping | Sequence, key: str | None, target: Target, *, in_brackets: bool
    ) -> list[list[str]]:
        """Return the lines of a new entry of a collection under a key, or of a new element, which has none."""
        try:
            return self.incoming.lines(node, key, target, in_brackets=in_brackets)
        except ValueError as error:
            raise self._error(node, f"what comes in here has {error}") from None

    # The edits of a single node: its value, its parts, its comments.

    def _require_fresh(self, key: Node) -> None:
        """Raise EditError if a copy would have to replace an alias in a key: a key has no room for one."""
        for alias in self.sharing.stale:
            if key.start <= alias.start < key.end:
                raise self._error(alias, "this alias is a key, or is below one that is no scalar")

    def _replace(self, parent: Collection | None, node: Node, target: Target) -> None:
        # A Verbatim has a form of its own. The second attempt, without literals, writes the text anew.
        if isinstance(node, Scalar) and type(target) is str and self.layout.literals:
            made = splices.reworded(self.text, node, target, flow=parent is not None and parent.flow)
            if made is not None:
                self.edits += made
                return
        try:
            if isinstance(target, Graft):
                edit = self.incoming.replacement(parent, node, target)
            else:
                edit = splices.replace(self.text, parent, node, self._value(node, target), self.layout)
        except ValueError as error:
            raise self._error(node, f"what comes in here has {error}") from None
        self.edits.append(edit)

    def _value(self, node: Node, target: Target) -> PlainData:
        """Return the value for the place of `node`. EditError if it would lose a tag."""
        try:
            value = value_of(target, self.text, json=self.layout.json)
        except ValueError as error:
            if isinstance(node, Alias):
                raise self._error(node.target or node, f"what an alias shows here has {error}") from None
            raise
        self._require_no_tag(node)
        return value

    def _rewrite(self, parent: Collection | None, target: Rewritten) -> None:
        """Change parts of a scalar where they stand, or write all of it in quotes."""
        scalar = target.node
        changes = splices.in_place(self.text, target, flow=parent is not None and parent.flow)
        if changes is None:
            self._require_no_tag(scalar)
            changes = [splices.rewrite(self.text, parent, scalar, target.value, self.layout)]
        self.edits += changes

    def _require_no_tag(self, node: Node) -> None:
        # An author's own tag, such as `!Sub`: only his readers know what it means.
        tag = node.tag or "!"
        if tag != "!" and not tag.startswith("tag:yaml.org,2002:"):
            raise self._error(node, f"its tag `{tag}` would be lost")

    def _error(self, node: Node, problem: str) -> EditError:
        return EditError(problem, lines.number(self.text, node.start))


def _changes(graft: Graft, layout: Layout) -> list[Edit]:
    """Return the edits of a graft's text that leave only the part that is inserted."""
    # It is no method of a plan: a plan that held it would be a cycle, and runs have no garbage collection.
    if graft.amended is None:
        return []
    plan = Plan(graft.text, Document(0), graft.amended, layout, is_graft=True)
    plan.amend(graft.parent, graft.node, graft.amended)
    return plan.edits


def _carried_out(plan: Plan) -> tuple[str, Document]:
    """Return the text with the edits of a plan made, and its tree."""
    # NotSpliceable if the text does not become the target.
    text, document = plan.text, plan.document
    root: Node = document.root  # type: ignore[assignment]  # without one nothing is amended
    plan.amend(None, root, plan.target)
    if any(edit.start == len(text) for edit in plan.edits):
        plan.edits += positions.closed(text, root, plan.edits)
    odd = NotSpliceable(positions.ODD, min((edit.start for edit in plan.edits), default=0))
    try:
        text = edits.apply(plan.text, plan.edits)
        document = parser.parse(text) if plan.edits else document
    except (ValueError, ParseError):
        raise odd from None
    proof = Proof(plan.text, text, plan.sharing.stale, shares=plan.document.shares)
    if not proof.amounts_to(document.root, plan.target):
        raise odd
    return text, document


class Proof:
    """Proof that a tree of the text `after` is a target, whose nodes are those of the text `before`.

    A proven change is right, however odd the text around it is. A change that cannot be proven is never written. The
    `stale` aliases were replaced by copies of what they showed. A node that stays is the same to the character, unless
    the text `shares`.
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
