"""The edits that make of a text its target, all of them planned on the text as it is.

A walk over the tree of the text beside the target tree. What is the same node in both gets no edit; a collection whose
entries change is arranged, in brackets or in lines; everything else is replaced.
"""

from __future__ import annotations

from bisect import bisect_left

from krm.yamltree import block, comments, lines, places, scalars, splices
from krm.yamltree import flow as flow_style
from krm.yamltree.aliases import Sharing
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.excerpts import Excerpts
from krm.yamltree.nodes import Alias, Collection, Mapping, Sequence
from krm.yamltree.parser import Document
from krm.yamltree.places import NotSpliceable
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Commented,
    Graft,
    Instead,
    Rewritten,
    ascending,
    numbers,
    uncommented,
    value_of,
)
from krm.yamltree.transplant import Incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Layout, Value
    from krm.yamltree.target import Bare, Target

    Part: TypeAlias = "int | list[str]"
    Anew: TypeAlias = "dict[int, str]"

IN_A_KEY = "this alias is a key, or is below one that is no scalar"


class Plan:
    """The edits that are `made` of a text for its `target`.

    Collections in `anew`, by their ids, are written again. Unless it `gives_comments`, only the data is the target's.
    """

    __slots__ = (
        "_above",
        "_behind_new",
        "_headed",
        "_nothing_stale",
        "_owners",
        "anew",
        "document",
        "gives_comments",
        "incoming",
        "layout",
        "made",
        "sharing",
        "target",
        "text",
    )

    def __init__(  # noqa: PLR0913 - what a plan is made from
        self,
        text: str,
        document: Document,
        target: Target,
        layout: Layout,
        *,
        anew: Anew | None = None,
        gives_comments: bool = True,
    ) -> None:
        self.text = text
        self.document = document
        self.target = target
        self.layout = layout
        self.anew = anew or {}
        self.gives_comments = gives_comments
        self.made: list[Edit] = []
        self._owners: dict[int, Collection | None] = {}
        self._above: list[Edit] = []
        self._behind_new: dict[int, str] = {}
        self._headed: set[int] = set()
        self.sharing = Sharing(document, target, self.anew.keys())
        self._nothing_stale = not (self.sharing.stale or self.anew)
        self.incoming = Incoming(text, layout, _changes)

    def in_quotes(self) -> Plan:
        """Return a plan of the same that writes no literal blocks."""
        layout = self.layout.quoted()
        return Plan(self.text, self.document, self.target, layout, anew=self.anew, gives_comments=self.gives_comments)

    def amend_root(self) -> None:
        """Plan what makes of the root of the text its target."""
        self.amend(None, self.document.root, self.target)  # type: ignore[arg-type]  # without one nothing is amended
        self._flush(0)

    def owner(self, edit: Edit) -> Collection | None:
        """Return the collection that is written again if `edit` cannot be made, None if it is the root itself."""
        return self._owners[id(edit)]

    def amend(self, parent: Collection | None, node: Node, target: Target) -> None:
        """Plan what makes of `node`, a kid of `parent`, its target."""
        if target is node and self._nothing_stale:
            return  # most nodes of a text: an edit is of a few
        below: list[Edit] = []
        while isinstance(target, Commented | Instead):
            if isinstance(target, Commented) and self.gives_comments:
                above, below = self._comments(parent, node, target)
                self._above += above
            target = target.target
        self._amend(parent, node, target)
        # Behind those below what is in it, and before what comes in behind it.
        self.made += below

    def _amend(self, parent: Collection | None, node: Node, target: Bare) -> None:
        if isinstance(node, Alias):
            if not self.sharing.keeps(node, target):
                shown = node.target
                self._replace(parent, node, shown if target is node and shown is not None else target)
        elif id(node) in self.anew:
            self._replace(parent, node, target)
        elif target is node:
            self._leave(node)
        elif isinstance(target, AmendedMapping | AmendedSequence) and target.node is node:
            try:
                self._arrange(parent, target)
            except NotSpliceable as reason:
                reason.blame = reason.blame or target.node
                raise
        elif isinstance(target, Rewritten) and target.node is node:
            self._rewrite(parent, target)
        else:
            self._replace(parent, node, target)

    # One node.

    def _comments(self, parent: Collection | None, node: Node, target: Commented) -> tuple[list[Edit], list[Edit]]:
        """Return the edits for other comments of `node`. The one behind a value that does not stay comes with it."""
        # A line end in a comment would be YAML, and anybody's text may become a comment.
        stays = self._stays(node, uncommented(target))
        for comment in (*(target.above or ()), target.behind or "#", *(target.below or ())):
            if not comment.startswith("#") or not comment.replace("\t", " ").isprintable():
                raise self._error(node, f"`{comment}` is no comment")
        try:
            above, below = comments.given(self.text, parent, node, target, stays=stays)
        except NotSpliceable as reason:
            raise self._error(node, f"{reason}, so it can be given none") from None
        if not stays and target.behind is not None:
            self._behind_new[id(node)] = target.behind
        if target.above is not None:
            self._headed.add(id(node))
        for edit in (*above, *below):
            self._owners[id(edit)] = parent
        return above, below

    def _stays(self, node: Node, target: Target) -> bool:
        """Return whether `node` stays where it is written, though parts of it may change."""
        if isinstance(node, Alias):
            return self.sharing.keeps(node, target)
        if isinstance(target, AmendedMapping | AmendedSequence):
            return target.node is node and bool(
                target.entries if isinstance(target, AmendedMapping) else target.elements
            )
        return target is node or (isinstance(target, Rewritten) and target.node is node)

    def _flush(self, waiting: int) -> None:
        """Make the edits of comments above entries, but for so many: behind those of entries that come in there."""
        self.made += self._above[waiting:]
        del self._above[waiting:]

    def _leave(self, node: Node) -> None:
        """Leave a node as it is, but for aliases in it whose anchors change or go."""
        stale = self.sharing.stale
        if not isinstance(node, Collection) or not stale:
            return
        first = bisect_left(stale, node.start, key=_start)
        if first < len(stale) and stale[first].start < node.end:
            for kids in places.entries(node):
                if len(kids) > 1:
                    self._require_fresh(kids[0])
                self.amend(node, kids[-1], kids[-1])

    def _require_fresh(self, key: Node) -> None:
        """EditError where an alias in a key would have to give way to a copy, for which a key has no place."""
        for alias in self.sharing.stale:
            if key.start <= alias.start < key.end:
                raise self._error(alias, IN_A_KEY)

    def _replace(self, parent: Collection | None, node: Node, target: Target) -> None:
        """Put something else in the place of `node`."""
        # The new value may end in another line than the old one, so the comment cannot be put behind it on its own.
        behind = self._behind_new.pop(id(node), None)
        try:
            if isinstance(target, Graft):
                edit = self.incoming.replacement(parent, node, target, is_commented=behind is not None)
            else:
                edit = splices.replace(self.text, parent, node, self._value(node, target), self.layout)
            if behind is not None and parent is not None and not parent.flow:
                edit = comments.behind_new(self.text, parent, node, edit, behind)
        except ValueError as error:
            raise self._error(node, f"what comes in here has {error}") from None
        except NotSpliceable as reason:
            reason.blame = parent
            raise
        self._make(parent, edit)

    def _value(self, node: Node, target: Target) -> Value:
        """Return the value for the place of `node`. EditError where a tag would be lost by it."""
        try:
            value = value_of(target, self.text, json=self.layout.json)
        except ValueError as error:
            if isinstance(node, Alias):
                raise self._error(node.target or node, f"what an alias shows here has {error}") from None
            if id(node) in self.anew:
                raise self._error(node, f"{self.anew[id(node)]}, and what is around it has {error}") from None
            raise
        self._require_no_tag(node)
        return value

    def _rewrite(self, parent: Collection | None, target: Rewritten) -> None:
        """Change parts of a scalar where they stand, or write all of it in quotes."""
        scalar = target.node
        made = splices.in_place(self.text, target, flow=parent is not None and parent.flow)
        if made is None:
            self._require_no_tag(scalar)
            try:
                made = [splices.rewrite(self.text, parent, scalar, target.value, self.layout)]
            except NotSpliceable as reason:
                reason.blame = parent
                raise
        for edit in made:
            self._make(parent, edit)

    def _require_no_tag(self, node: Node) -> None:
        if scalars.is_custom(node.tag):
            raise self._error(node, f"its tag `{node.tag}` would be lost")

    # A collection.

    def _arrange(self, parent: Collection | None, target: AmendedMapping | AmendedSequence) -> None:
        node = target.node
        earlier, waiting = len(self.made), len(self._above)
        # Empty brackets in a block may become lines, unless a comment stands in them: it has no other place.
        in_brackets = self.layout.json or (
            node.flow
            and (bool(node.kids) or (parent is not None and parent.flow) or lines.has_comments(self.text, node))
        )
        if isinstance(target, AmendedMapping):
            parts = self._entries(target, in_brackets=in_brackets)
        else:
            parts = self._elements(target, in_brackets=in_brackets)
        if parts != list(range(places.size(node))):
            self._rearrange(parent, node, parts, earlier, in_brackets=in_brackets)
        self._flush(waiting)

    def _rearrange(
        self, parent: Collection | None, node: Mapping | Sequence, parts: list[Part], earlier: int, *, in_brackets: bool
    ) -> None:
        if not parts:
            for edit in splices.emptied(self.text, parent, node, self.layout):
                self._make(node, edit)
        elif in_brackets:
            excerpts = Excerpts(self.text, self.made[earlier:])
            self.made[earlier:] = []
            self._make(node, flow_style.arranged(self.text, node, parts, excerpts.part))
        elif node.flow:
            coming = [part for part in parts if not isinstance(part, int)]
            new = [line for part in coming for line in part]
            self._make(parent, splices.filled(self.text, parent, node, new, self.layout))
        else:
            headed = {number for number in range(places.size(node)) if self._is_headed(node, number)}
            for edit in block.arranged(self.text, node, parts, headed):
                self._make(node, edit)

    def _is_headed(self, parent: Collection, number: int) -> bool:
        """Return whether an entry gets comments above it in the place of its own."""
        return bool(self._headed) and id(places.entry(parent, number)[-1]) in self._headed

    def _entries(self, target: AmendedMapping, *, in_brackets: bool) -> list[Part]:
        """Plan what changes in the entries that stay, and return these by number, with new ones between them."""
        mapping = target.node
        shown = self._merged(target)
        numbers = {key.value: number for number, (key, _) in enumerate(mapping.pairs())}
        coming: dict[int, list[Part]] = {}
        behind = -1
        for key, of_key in target.entries.items():
            there = mapping.own(key)
            if there is not None and not (target.unmerged and there is mapping.merge_key()):
                self._require_fresh(mapping.kids[2 * numbers[key]])
                self.amend(mapping, there, of_key)
                behind = numbers[key]
            elif key not in shown or not self.sharing.same(shown[key], of_key):
                coming.setdefault(behind, []).extend(self._entry(mapping, key, of_key, in_brackets=in_brackets))
        return self._parts(target, coming, behind)

    def _parts(self, target: AmendedMapping, coming: dict[int, list[Part]], behind: int) -> list[Part]:
        """Return the numbers of the entries that stay, each before what is `coming` behind it.

        What comes behind the last entry that can be named, number `behind`, comes behind those that cannot too.
        """
        mapping, last = target.node, coming.pop(behind, [])
        merge_key = mapping.merge_key()
        parts = coming.pop(-1, [])
        end = len(parts)
        for number, (name, value) in enumerate(mapping.pairs()):
            is_named = name.value is not None and value is not merge_key
            if (name.value in target.entries or not is_named) if value is not merge_key else not target.unmerged:
                parts += [number, *coming.get(number, ())]
                end = len(parts) if number <= behind or not is_named else end
                if name.value is None:
                    self._require_fresh(name)
                    self.amend(mapping, value, value)
        parts[end:end] = last
        return parts

    def _merged(self, target: AmendedMapping) -> dict[str, Target]:
        """Return what `<<` shows in a mapping once all is done; copies of what changes take the place of aliases."""
        mapping = target.node
        written = mapping.merge_key()
        if written is None or target.unmerged:
            return {}
        shown = self.sharing.merged(mapping)
        unwanted = {} if "<<" in target.entries else target.entries
        # `<<` would show a key that is to go, or what it shows is stale: it gives way to a copy, if it can.
        if shown is None or any(key not in unwanted and mapping.own(key) is None for key in shown):
            self.amend(mapping, written, written)
            shown = {key: node for source in reversed([*mapping.merged()]) for key, node in source.items()}
        if "<<" not in target.entries:
            for key in shown:
                if key not in target.entries:
                    problem = f"`{key}` is merged in by `<<` and can only be deleted where it is written"
                    raise self._error(mapping, problem)
        return shown

    def _entry(self, mapping: Mapping, key: str, target: Target, *, in_brackets: bool) -> list[list[str]]:
        try:
            found = self.incoming.entry(mapping, key, uncommented(target), in_brackets=in_brackets)
        except ValueError as error:
            raise self._error(mapping, f"what comes in here has {error}") from None
        return comments.of_new(found, target) if self.gives_comments and not in_brackets else found

    def _elements(self, target: AmendedSequence, *, in_brackets: bool) -> list[Part]:
        """Plan what changes in the elements that stay, and return these by number, with new ones between them."""
        sequence = target.node
        own = numbers(target)
        staying = set(ascending([number for number in own if number is not None]))
        parts: list[Part] = []
        for element, number in zip(target.elements, own, strict=True):
            if number is None:
                parts.extend(self._element(sequence, element, in_brackets=in_brackets))
                continue
            earlier, waiting = len(self.made), len(self._above)
            self.amend(sequence, sequence.kids[number], element)
            # An element that moves is cut out with its comments and put in again; the edits inside of it go along.
            if in_brackets or number in staying:
                parts.append(number)
            else:
                self._flush(waiting)
                excerpts = Excerpts(self.text, self.made[earlier:])
                del self.made[earlier:]
                parts.append(excerpts.entry(sequence, number))
        return parts

    def _element(self, sequence: Sequence, target: Target, *, in_brackets: bool) -> list[list[str]]:
        try:
            found = self.incoming.element(sequence, uncommented(target), in_brackets=in_brackets)
        except ValueError as error:
            raise self._error(sequence, f"what comes in here has {error}") from None
        return comments.of_new(found, target) if self.gives_comments and not in_brackets else found

    def _make(self, owner: Collection | None, edit: Edit) -> None:
        self.made.append(edit)
        self._owners[id(edit)] = owner

    def _error(self, node: Node, problem: str) -> EditError:
        return EditError(problem, lines.number(self.text, node.start))


def _start(alias: Alias) -> int:
    return alias.start


def _changes(graft: Graft, layout: Layout) -> list[Edit]:
    """Return the edits of a graft's text that leave in it what is to come in."""
    # No method of a plan: a plan that held it would be a cycle, and runs have no garbage collection.
    if graft.amended is None:
        return []
    plan = Plan(graft.text, Document(0), graft.amended, layout)
    plan.amend(graft.parent, graft.node, graft.amended)
    return plan.made
