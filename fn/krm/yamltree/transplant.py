"""Entries, elements and values that are inserted from another text, as they are written there.

If that is not possible, they are inserted as plain values: in brackets, say, or with aliases of the other text.
"""

from __future__ import annotations

import re

from krm.yamltree import lines, positions, scalars, splices, style
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, Mapping, Sequence, is_block_scalar
from krm.yamltree.positions import Excerpts, NotSpliceable, is_self_contained
from krm.yamltree.target import Graft, value_of, without_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Layout, PlainData
    from krm.yamltree.target import Target


class Incoming:
    """The lines and edits that insert targets into `text`. `changes` returns the edits of a graft's own text.

    The lines are one piece, or two: first the comments above an entry, if its own text has them only there. Lists are
    indented as the other lists of the text. Methods raise ValueError if a graft can be inserted neither as it is
    written nor as a value.
    """

    def __init__(self, text: str, layout: Layout, changes: Callable[[Graft, Layout], list[Edit]]) -> None:
        self.text = text
        self.layout = layout
        self.changes = changes
        self._last_lines: dict[int, dict[str, int]] = {}

    def lines(self, parent: Collection, key: str | None, coming: Target, *, in_brackets: bool) -> list[list[str]]:
        """Return the lines of a new entry of `parent` under a key, or of a new element, which has none."""
        target = without_place(coming)
        if in_brackets:
            layout = self.layout.inside(parent)
            name = "" if key is None else f"{style.key(key, layout)}: "
            return [[f"{name}{style.inline(self._value(target), layout)}"]]
        if isinstance(target, Graft) and self._takes(target):
            try:
                return self._as_it_stands(target, key)
            except NotSpliceable:
                pass  # its value may do
        value = self._value(target)
        return [style.item(value, self.layout) if key is None else style.pair(key, value, self.layout)]

    def _as_it_stands(self, graft: Graft, key: str | None) -> list[list[str]]:
        """Return the lines of an entry or element as it is written in its text."""
        text, siblings = graft.text, graft.parent
        if not isinstance(siblings, Sequence if key is None else Mapping) or siblings.flow:
            raise NotSpliceable(positions.ODD)
        number = positions.index_of(siblings, graft.node)
        kids = positions.entry(siblings, number)
        # The lines include the key of the source.
        if graft.node is not kids[-1] or key not in (None, kids[0].value):
            raise NotSpliceable(positions.ODD)
        found = self._excerpts(graft).entry(siblings, number)
        start, _ = positions.extent(text, siblings, number)
        blank, above = _blank_above(text, siblings, number, start), self._own_alone(text, siblings, number, start)
        return [blank + found[:above], found[above:]] if above else [blank + found]

    def _own_alone(self, text: str, siblings: Collection, number: int, start: int) -> int:
        """Return how many comment lines above an entry, from `start` on, are its own alone, 0 if all come again below.

        Comments of a file's regular form, as `# ---`, stand above other entries too.
        """
        first = positions.start(text, siblings, number)
        own = text[start : lines.line_start(text, first)].split("\n")[:-1]
        if not own:
            return 0
        # Found once for all entries: to search the text below each of thousands would be quadratic.
        last = self._last_lines.get(id(siblings))
        if last is None:
            last = self._last_lines[id(siblings)] = _last_comment_lines(text, siblings)
        return 0 if all(last.get(line, first) > first for line in own) else len(own)

    # A value in the place of another.

    def replacement(self, parent: Collection | None, node: Node, target: Graft) -> Edit:
        """Return the edit that replaces `node`, a kid of `parent`, by a graft.

        The comment in its line is the graft's own. That of `node` stays if the graft has none.
        """
        in_brackets = self.layout.json or (parent is not None and parent.flow)
        if not in_brackets and self._takes(target):
            try:
                return self._grafted(parent, node, target)
            except NotSpliceable:
                pass  # its value may do
        # A merge changes the value, and keeps local's quotes.
        value = scalars.string(target.node) if _keeps_style(node, target.node) else self._value(target)
        return splices.replace(self.text, parent, node, value, self.layout)

    def _grafted(self, parent: Collection | None, node: Node, graft: Graft) -> Edit:
        """Return the edit that replaces `node` by a graft, as the graft is written in its text."""
        source = graft.node
        if isinstance(source, Collection) and not source.flow:
            return self._block(parent, node, graft, source)
        if source.start == source.end:
            raise NotSpliceable("nothing is written there")
        written = self._excerpts(graft).beside_key(graft.parent, source)
        if parent is not None and is_block_scalar(source):
            inside = lines.comment_inside(graft.text, source)
            head = " " + written[0].removesuffix(inside).rstrip(" \t")
            edit = splices.put_below(self.text, parent, node, head, written[1:], parent.column, inside)
            if lines.keeps_blank_lines(graft.text, source):
                # The blank lines below the old value would become its text: its own stand in their place.
                below = lines.line_start(self.text, lines.first_character(self.text, edit.end))
                stop = max(edit.end, below - len(lines.newline(self.text, below)))
                return Edit(edit.start, stop, edit.text)
            return edit
        if _keeps_style(node, source) and len(written) == 1:
            edit = splices.replace(self.text, parent, node, scalars.string(source), self.layout)
        else:
            column = 0 if parent is None else parent.column
            edit = splices.put_one_line(
                self.text, parent, node, positions.joined(self.text, node.start, written, column)
            )
        in_brackets = graft.parent is None or graft.parent.flow
        comment = "" if in_brackets else lines.comment_at(graft.text, source.end)
        return splices.with_comment(self.text, edit, comment) if comment else edit

    def _block(self, parent: Collection | None, node: Node, graft: Graft, source: Mapping | Sequence) -> Edit:
        new = self._excerpts(graft).below(graft.parent, source)
        if parent is None:
            column = lines.column(self.text, node.start)
            return Edit(
                node.start, lines.content_end(self.text, node), positions.joined(self.text, node.start, new, column)
            )
        head, own, indented = "", "", 2
        is_below = graft.parent is None or positions.stands_below(graft.text, graft.parent, source)
        if isinstance(parent, Sequence) and isinstance(source, Mapping) and not is_below:
            head, *new = [f" {new[0]}", *new[1:]]
        elif isinstance(graft.parent, Mapping) and is_below:
            own = lines.comment_in(graft.text, positions.opening(graft.text, graft.parent, source))
            indented = source.column - graft.parent.column
        # A list below a dash is always deeper than the dash.
        if isinstance(parent, Mapping) and isinstance(source, Sequence) and self.layout.indents_lists is not None:
            indented = (indented or 2) if self.layout.indents_lists else 0
        return splices.put_below(self.text, parent, node, head, new, parent.column + indented, own)

    def _takes(self, graft: Graft) -> bool:
        """True if a graft can be inserted as it is written."""
        if graft.verbatim:
            return True
        # A block at its end may swallow the lines below. The proof of the first attempt shows that.
        ends_in_block = is_block_scalar(lines.last_leaf(graft.node))
        return is_self_contained(graft.node) and (self.layout.literals or not ends_in_block)

    def _excerpts(self, graft: Graft) -> Excerpts:
        indents_lists = None if graft.verbatim else self.layout.indents_lists
        return Excerpts(graft.text, self.changes(graft, self.layout), indents_lists=indents_lists)

    def _value(self, target: Target) -> PlainData:
        return value_of(target, self.text, json=self.layout.json)


def _blank_above(text: str, parent: Collection, index: int, start: int) -> list[str]:
    """Return the blank lines above an entry that starts at `start`: authors group entries by blank lines."""
    above = text[lines.next_line(text, positions.floor(text, parent, index) - 1) : start] if index else ""
    return [""] * (len(above.splitlines()) - len(above.rstrip().splitlines()))


def _last_comment_lines(text: str, parent: Collection) -> dict[str, int]:
    """Return the last position of each comment line in a block collection."""
    below = text[parent.first : lines.content_end(text, parent)]
    return {line[0]: parent.first + line.start() for line in re.finditer(r"(?m)^[ \t]*#.*", below)}


def _keeps_style(old: Node, new: Node) -> bool:
    """True if a value keeps the quotes of the one before it: both are strings, and the new one has one line."""
    value = scalars.string(new)
    return value is not None and "\n" not in value and scalars.string(old) is not None
