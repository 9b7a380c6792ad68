"""Comments that are given to a node, as a change of the text.

docs/reference/lossless-yaml.md, "Which comment belongs to which node" says where each stands.
"""

from __future__ import annotations

import re

from krm.yamltree import comments, edits, lines, positions
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Collection, is_block_scalar
from krm.yamltree.positions import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.yamltree.comments import Comments
    from krm.yamltree.nodes import Node

    Asked: TypeAlias = "tuple[tuple[str, ...] | None, str | None, tuple[str, ...] | None]"
    """Comments above, behind and below a node, each from its `#` on; None leaves those that are there."""


_NO_COMMENT = re.compile(r"[\x00-\x08\n-\x1f\x7f-\x9f\u2028\u2029]")
_BEHIND_A_DASH = "no comment can stand above what follows a dash"
_NO_MARKER = "the document has no `---` that it could stand at"


def commented(text: str, root: Node | None, parent: Collection | None, node: Node, asked: Asked) -> str:
    """Return a text in which a node has the comments that are `asked` for, to be proven. EditError for no place."""
    positions.require_plain_lines(text, root)
    line = lines.number(text, node.start)
    # A line end in a comment would be YAML, and anybody's text may become a comment.
    for comment in _listed(asked):
        if not comment.startswith("#") or _NO_COMMENT.search(comment):
            raise EditError(f"`{comment}` is no comment", line)
    try:
        made = _given(text, parent, node, asked)
    except NotSpliceable as reason:
        raise EditError(f"{reason}, so it can be given none", line) from None
    if root is not None and any(edit.start == len(text) for edit in made):
        made += positions.closed(text, root, made)
    return edits.apply(text, made)


def first(asked: Asked) -> str:
    """Return the first comment that is asked for, "" if none is, but to take one away."""
    return next(iter(_listed(asked)), "")


def are_given(found: Comments, asked: Asked) -> bool:
    """True if a node has the comments that are asked for."""
    above, behind, below = asked
    return (
        (above is None or found.above == tuple(line.strip() for line in above))
        and (behind is None or found.behind == behind.strip())
        and (below is None or found.below == tuple(line.strip() for line in below))
    )


def _given(text: str, parent: Collection | None, node: Node, asked: Asked) -> list[Edit]:
    """Return the edits that give comments to a node.

    NotSpliceable where a comment has no place: in brackets, behind a dash, at an explicit key.
    """
    if parent is None:
        return _given_to_root(text, node, asked)
    if parent.flow:
        raise NotSpliceable("what stands in brackets has no comments of its own")
    above, behind, below = asked
    index = positions.index_of(parent, node)
    made: list[Edit] = []
    if above is not None:
        start, stop = comments.span_above(text, parent, index)
        if above and not lines.is_first(text, stop):
            raise NotSpliceable(_BEHIND_A_DASH)
        made.append(_lines_for(text, (start, stop), above, parent.column))
    if behind is not None:
        made.append(_behind_for(text, parent, node, behind))
    if below is not None:
        span = comments.span_below(text, parent, index)
        made.append(_lines_for(text, span, below, _column_below(text, parent, node)))
    return made


def _column_below(text: str, parent: Collection, node: Node) -> int:
    """Return the column of comments below a node. NotSpliceable where a block would take them in."""
    # One column deeper would do. Authors indent the end of a collection as its entries, and so is this.
    column = node.column if isinstance(node, Collection) and not node.flow else parent.column + 2
    column = max(column, parent.column + 1)
    leaf = lines.last_leaf(node)
    if not is_block_scalar(leaf):
        return column
    written = text[lines.next_line(text, lines.body(text, leaf)) : leaf.end].splitlines()
    margin = min((len(line) - len(line.lstrip(" ")) for line in written if line.strip()), default=0)
    if margin <= parent.column + 1:
        raise NotSpliceable("all below a block is its text")
    return min(column, margin - 1)


def _given_to_root(text: str, root: Node, asked: Asked) -> list[Edit]:
    """Return the edits that give comments to a document."""
    above, behind, below = asked
    made: list[Edit] = []
    if behind is not None:
        start, stop = comments.span_behind_root(text, root)
        if not stop:
            raise NotSpliceable(_NO_MARKER)
        made.append(Edit(start, stop, f" {behind}" if behind else ""))
    if above is not None:
        # A blank line parts the comments of a document from those of its first entry.
        made.append(_lines_for(text, comments.span_above_root(text, root), above, 0, gap=True))
    if below is not None:
        made.append(_lines_for(text, comments.span_below_root(text, root), below, 0))
    return made


def _behind_for(text: str, parent: Collection, node: Node, new: str) -> Edit:
    """Return the edit that puts a comment in the line of a value, or takes it away."""
    start, stop = comments.span_behind(text, parent, node)
    old = text[start:stop]
    if new and text[stop : lines.line_end(text, stop)].strip():
        raise NotSpliceable("something stands behind this in its line")
    # Authors align comments: the distance of the old one stays.
    blanks = old[: len(old) - len(old.lstrip(" \t"))] or " "
    return Edit(start, stop, f"{blanks}{new}" if new else "")


def _lines_for(text: str, span: tuple[int, int], new: tuple[str, ...], column: int, *, gap: bool = False) -> Edit:
    """Return the edit that puts comment lines in the place of others; blank lines around these stay."""
    start, stop = span
    inside = text[start:stop]
    if comments.listed(text, span) == new:
        return Edit(start, start, "")
    # Blank lines above the first and below the last comment part groups, and stay.
    if inside.strip():
        first = start + len(inside) - len(inside.lstrip("\r\n \t"))
        start = lines.line_start(text, first)
        stop = lines.next_line(text, start + len(text[start:stop].rstrip()) - 1)
    else:
        stop = start
    newline = lines.newline(text, start)
    written = "".join((f"{' ' * column}{line}" if line else "") + newline for line in new)
    if gap and new and text[stop : lines.line_end(text, stop)].strip():
        written += newline
    # At the end of a text without a final line end, which it keeps.
    if new and start and not text.endswith("\n", 0, start):
        written = newline + written.removesuffix(newline)
    return Edit(start, stop, written)


def _listed(asked: Asked) -> list[str]:
    above, behind, below = asked
    return [*filter(None, (*(above or ()), behind, *(below or ())))]
