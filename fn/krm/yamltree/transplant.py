"""Entries, elements and values that come into a text from another one, as they are written in their source.

As a plain value where it cannot come in like that: into brackets, or with aliases that name nothing here.
"""

from __future__ import annotations

from krm.yamltree import lines, places, scalars, splices, style
from krm.yamltree.edits import Edit
from krm.yamltree.excerpts import Excerpts, is_self_contained
from krm.yamltree.nodes import Collection, Mapping, Sequence, is_block_scalar
from krm.yamltree.places import NotSpliceable
from krm.yamltree.target import Graft, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Layout, Value
    from krm.yamltree.target import Target


class Incoming:
    """Lines and edits for what comes into `text`; `changes` of a graft are the edits of its own text.

    The lines come in one piece, or in two: the comments above an entry first, if its own text has them only there.
    Lists are as wide as the others of the text. Methods raise ValueError where a graft
    can come in neither as it stands nor as a value.
    """

    __slots__ = ("changes", "layout", "text")

    def __init__(self, text: str, layout: Layout, changes: Callable[[Graft, Layout], list[Edit]]) -> None:
        self.text = text
        self.layout = layout
        self.changes = changes

    def entry(self, parent: Mapping, key: str, target: Target, *, in_brackets: bool) -> list[list[str]]:
        """Return an entry that comes into `parent`."""
        if in_brackets:
            name = scalars.leaf(key, flow=True, json=self.layout.json)
            return [[f"{name}: {style.inline(self._value(target), self.layout.inside(parent))}"]]
        return self._as_it_stands(target, key) or [style.pair(key, self._value(target), self.layout)]

    def element(self, parent: Sequence, target: Target, *, in_brackets: bool) -> list[list[str]]:
        """Return an element that comes into `parent`."""
        if in_brackets:
            return [[str(style.inline(self._value(target), self.layout.inside(parent)))]]
        return self._as_it_stands(target, None) or [style.item(self._value(target), self.layout)]

    def _as_it_stands(self, target: Target, key: str | None) -> list[list[str]] | None:
        """Return the lines of the entry `key`, or of an element for None, as a graft has them; None without them."""
        if not isinstance(target, Graft) or not self._takes(target):
            return None
        parent = target.parent
        if not isinstance(parent, Sequence if key is None else Mapping) or parent.flow:
            return None
        number = places.index_of(parent, target.node)
        # Lines bring their own key with them.
        if key is not None and parent.kids[2 * number].value != key:
            return None
        try:
            found = self._excerpts(target).entry(parent, number)
            above = _comments_of_its_own(target.text, parent, number)
            blank = [""] * _blank_lines_above(target.text, parent, number)
            return [blank + found[:above], found[above:]] if above else [blank + found]
        except NotSpliceable:
            return None

    # A value in the place of another.

    def replacement(self, parent: Collection | None, node: Node, target: Graft, *, is_commented: bool = False) -> Edit:
        """Return the edit that puts a graft in the place of `node`, a kid of `parent`.

        The comment in its line is the graft's own. That of `node` stays if the graft has none, or if `is_commented`,
        which says that the caller will see to it.
        """
        in_brackets = self.layout.json or (parent is not None and parent.flow)
        if not in_brackets and self._takes(target):
            try:
                return self._grafted(parent, node, target, is_commented=is_commented)
            except NotSpliceable:
                pass  # its value may do
        return splices.replace(self.text, parent, node, self._value_over(node, target), self.layout)

    def _value_over(self, node: Node, target: Graft) -> Value:
        """Return the value: a string as such, not as it is written, if it takes the quotes of `node`."""
        # A merge changes the value; the quotes are local's own habit.
        if _keeps_style(node, target.node):
            return scalars.string(target.node)
        return self._value(target)

    def _grafted(self, parent: Collection | None, node: Node, graft: Graft, *, is_commented: bool) -> Edit:
        """Put what a graft has in the place of `node`, as it is written there."""
        source = graft.node
        if isinstance(source, Collection) and not source.flow:
            return self._block(parent, node, graft, source, is_commented=is_commented)
        if source.start == source.end:
            raise NotSpliceable("nothing is written there")
        written = self._excerpts(graft).inline(graft.parent, source)
        if parent is not None and is_block_scalar(source):
            inside = lines.comment_inside(graft.text, source)
            head = " " + written[0].removesuffix(inside).rstrip(" \t")
            comment = "" if is_commented else inside
            return splices.put_below(self.text, parent, node, head, written[1:], parent.column, comment)
        if _keeps_style(node, source) and len(written) == 1:
            edit = splices.replace(self.text, parent, node, scalars.string(source), self.layout)
        else:
            column = 0 if parent is None else parent.column
            edit = splices.put_inline(self.text, parent, node, places.joined(self.text, node.start, written, column))
        in_brackets = graft.parent is None or graft.parent.flow
        comment = "" if in_brackets or is_commented else lines.comment_at(graft.text, source.end)
        return splices.with_comment(self.text, edit, comment) if comment else edit

    def _block(
        self, parent: Collection | None, node: Node, graft: Graft, source: Mapping | Sequence, *, is_commented: bool
    ) -> Edit:
        text = graft.text
        new = self._excerpts(graft).below(graft.parent, source)
        if parent is None:
            column = lines.column(self.text, node.start)
            return Edit(
                node.start, lines.content_end(self.text, node), places.joined(self.text, node.start, new, column)
            )
        own, indented = "", 2
        if isinstance(graft.parent, Mapping) and places.stands_below(text, graft.parent, source):
            own = lines.comment_in(text, places.opening(text, graft.parent, source))
            indented = source.column - graft.parent.column
        if isinstance(source, Sequence) and self.layout.wide is not None:
            indented = (indented or 2) if self.layout.wide else 0
        comment = "" if is_commented else own
        return splices.put_below(self.text, parent, node, "", new, parent.column + indented, comment)

    def _takes(self, graft: Graft) -> bool:
        """Return whether a graft can come in as it stands; one that ends in a block may take what is below it in."""
        if graft.verbatim:
            return True
        # At the end of a block the lines below may become its text, which the proof of the first attempt then shows.
        ends_in_block = is_block_scalar(lines.last_leaf(graft.node))
        return is_self_contained(graft.node) and (self.layout.literals or not ends_in_block)

    def _excerpts(self, graft: Graft) -> Excerpts:
        wide = None if graft.verbatim else self.layout.wide
        return Excerpts(graft.text, self.changes(graft, self.layout), wide=wide)

    def _value(self, target: Target) -> Value:
        return value_of(target, self.text, json=self.layout.json)


def _blank_lines_above(text: str, parent: Collection, index: int) -> int:
    """Return how many blank lines part an entry from the one before it: an author groups entries by them."""
    above = text[lines.next_line(text, places.floor(text, parent, index) - 1) : places.extent(text, parent, index)[0]]
    return len(above.splitlines()) - len(above.rstrip().splitlines()) if index else 0


def _comments_of_its_own(text: str, parent: Collection, index: int) -> int:
    """Return how many comment lines stand above an entry, none if the same stand further down too."""
    own = places.comments_above(text, parent, index)
    first, start = places.extent(text, parent, index)[0], places.start(text, parent, index)
    # Comments of a file's regular form, as `# ---` between groups, are of no entry alone.
    comes_again = text.find(text[first : lines.line_start(text, start)], start, lines.content_end(text, parent)) >= 0
    return 0 if comes_again else len(own)


def _keeps_style(old: Node, new: Node) -> bool:
    """True if a value keeps the quotes of the one before it: strings do, of one line."""
    value = scalars.string(new)
    return value is not None and "\n" not in value and scalars.string(old) is not None
