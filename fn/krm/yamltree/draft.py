"""The edits of a text that are planned so far, and those of a single node: its value, its parts, its comments.

Each edit is a part of some collection. Where the edit cannot be made, that collection is written again.
"""

from __future__ import annotations

import re

from krm.yamltree import commenting, lines, scalars, splices
from krm.yamltree.aliases import Sharing
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Alias
from krm.yamltree.positions import NotSpliceable
from krm.yamltree.target import AmendedMapping, AmendedSequence, Commented, Graft, Rewritten, uncommented, value_of
from krm.yamltree.transplant import Incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from krm.yamltree.nodes import Collection, Node
    from krm.yamltree.parser import Document
    from krm.yamltree.style import Layout, Value
    from krm.yamltree.target import Target

    NeedsSecondPass: TypeAlias = "dict[int, str]"

_NO_COMMENT = re.compile(r"[\x00-\x08\n-\x1f\x7f-\x9f\u2028\u2029]")
IN_A_KEY = "this alias is a key, or is below one that is no scalar"


class Draft:
    """Edits that are `made` so far. Those above entries wait until entries that come in above them are there.

    Collections in `second_pass`, by their ids, are written again. In a plan that has it only the data changes.
    """

    __slots__ = (
        "_above",
        "_behind_new",
        "_headed",
        "_nothing_stale",
        "_owners",
        "document",
        "gives_comments",
        "incoming",
        "layout",
        "made",
        "second_pass",
        "sharing",
        "target",
        "text",
    )

    def __init__(  # noqa: PLR0913 - what edits are made from
        self,
        text: str,
        document: Document,
        target: Target,
        layout: Layout,
        changes: Callable[[Graft, Layout], list[Edit]],
        *,
        second_pass: NeedsSecondPass | None,
    ) -> None:
        self.text = text
        self.document = document
        self.target = target
        self.layout = layout
        self.second_pass = second_pass or {}
        # What is written again gets its comments at the end, when all of it stands.
        self.gives_comments = second_pass is None
        self.made: list[Edit] = []
        self._owners: dict[int, Collection | None] = {}
        self._above: list[Edit] = []
        self._behind_new: dict[int, str] = {}
        self._headed: set[int] = set()
        self.sharing = Sharing(document, target, self.second_pass.keys())
        self._nothing_stale = not (self.sharing.stale or self.second_pass)
        self.incoming = Incoming(text, layout, changes)

    def owner(self, edit: Edit) -> Collection | None:
        """Return the collection that is written again if `edit` cannot be made, None if it is the root itself."""
        return self._owners[id(edit)]

    def _comments(self, parent: Collection | None, node: Node, target: Commented) -> tuple[list[Edit], list[Edit]]:
        """Return the edits for other comments of `node`. The one behind a value that does not stay comes with it."""
        # A line end in a comment would be YAML, and anybody's text may become a comment.
        stays = self._stays(node, uncommented(target))
        given = (*(target.above or ()), target.behind, *(target.below or ()))
        for comment in filter(None, given):
            if not comment.startswith("#") or _NO_COMMENT.search(comment):
                raise self._error(node, f"`{comment}` is no comment")
        try:
            above, below = commenting.given(self.text, parent, node, target, stays=stays)
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
                edit = commenting.behind_new(self.text, parent, node, edit, behind)
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
            # The message names the first failure, which the user can find, and not the collection around it.
            if id(node) in self.second_pass:
                raise self._error(node, f"{self.second_pass[id(node)]}, and what is around it has {error}") from None
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

    def _make(self, owner: Collection | None, edit: Edit) -> None:
        self.made.append(edit)
        self._owners[id(edit)] = owner

    def _error(self, node: Node, problem: str) -> EditError:
        return EditError(problem, lines.number(self.text, node.start))
