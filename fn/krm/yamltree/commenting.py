"""Comments that a target gives to nodes, as edits of the text, and those that a text still lacks.

docs/reference/lossless-yaml.md, "Which comment belongs to which node" says where each stands.
"""

from __future__ import annotations

from operator import is_not

from krm.yamltree import comments, lines, positions, splices
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, is_block_scalar, resolved
from krm.yamltree.positions import NotSpliceable
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Commented,
    Graft,
    Replaced,
    elements_of,
    entries_of,
    uncommented,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.comments import Comments
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target


_BEHIND_A_DASH = "no comment can stand above what follows a dash"
_NO_MARKER = "the document has no `---` that it could stand at"


def given(
    text: str, parent: Collection | None, node: Node, target: Commented, *, stays: bool
) -> tuple[list[Edit], list[Edit]]:
    """Return the edits that give comments to a node: those above it, and those behind and below it.

    Of one that does not stay, its value comes with the one behind. NotSpliceable where a comment has no place: in
    brackets, behind a dash, at an explicit key.
    """
    if parent is None:
        # A blank line parts the comments of a document from those of its first entry.
        return _given_to_root(text, node, target)
    if parent.flow:
        raise NotSpliceable("what stands in brackets has no comments of its own")
    index = positions.index_of(parent, node)
    above: list[Edit] = []
    made: list[Edit] = []
    if target.above is not None:
        start, stop = comments.span_above(text, parent, index)
        if target.above and not lines.is_first(text, stop):
            raise NotSpliceable(_BEHIND_A_DASH)
        above.append(_lines_for(text, (start, stop), target.above, parent.column))
    # A value that goes takes its line along: the comment is then written with the new one.
    if target.behind is not None and stays:
        made.append(_behind_for(text, parent, node, target.behind))
    if target.below is not None and stays:
        span = comments.span_below(text, parent, index)
        made.append(_lines_for(text, span, target.below, _column_below(text, parent, node)))
    return above, made


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


def to_give(text: str, parent: Collection | None, node: Node | None, target: Target) -> Target:
    """Return the target that gives `node` the comments that `target` asks for and it lacks: `node` if it lacks none.

    `text` is the product of `target` but for these. A collection that was emptied or written again has no comments yet.
    """
    found: Target = node
    bare, shown = uncommented(target), resolved(node)
    if isinstance(bare, Graft):
        bare = bare.amended
    if isinstance(bare, AmendedMapping | dict) and isinstance(shown, Mapping):
        entries, wanted = dict(shown.items()), entries_of(bare)
        given = {key: to_give(text, shown, one, wanted.get(key, one)) for key, one in entries.items()}
        if any(map(is_not, given.values(), entries.values())):
            found = AmendedMapping(shown, given)
    elif isinstance(bare, AmendedSequence | list) and isinstance(shown, Sequence):
        elements = [to_give(text, shown, kid, one) for kid, one in zip(shown.kids, elements_of(bare), strict=True)]
        if any(map(is_not, elements, shown.kids)):
            found = AmendedSequence(shown, elements)
    asked = _asked(target)
    if asked is None or node is None or _has(comments.of(text, parent, node), asked):
        return found
    return Commented(found, above=asked.above, behind=asked.behind, below=asked.below)


def are_asked(target: Target) -> bool:
    """True if a target gives comments to a node."""
    if isinstance(target, Scalar | Collection | Alias | str):
        return False  # most are, and every edit asks
    bare = uncommented(target)
    if _asked(target) is not None:
        return True
    if isinstance(bare, Graft):
        bare = bare.amended
    if isinstance(bare, AmendedMapping | dict):
        return any(map(are_asked, entries_of(bare).values()))
    return isinstance(bare, AmendedSequence | list) and any(map(are_asked, elements_of(bare)))


def first(target: Target) -> str:
    """Return the first comment that is asked for in a target of `to_give`, "" if none is, but to take one away."""
    asked, bare = _asked(target), uncommented(target)
    found = [*(asked.above or ()), asked.behind or "", *(asked.below or ())] if asked else []
    if isinstance(bare, AmendedMapping | AmendedSequence):
        found += map(first, bare.entries.values() if isinstance(bare, AmendedMapping) else bare.elements)
    return next(filter(None, found), "")


def _asked(target: Target) -> Commented | None:
    """Return the comments that are asked for a place, None if none are."""
    while isinstance(target, Replaced):
        target = target.target
    return target if isinstance(target, Commented) else None


def _has(found: Comments, asked: Commented) -> bool:
    return (
        (asked.above is None or found.above == tuple(line.strip() for line in asked.above))
        and (asked.behind is None or found.behind == asked.behind.strip())
        and (asked.below is None or found.below == tuple(line.strip() for line in asked.below))
    )


def behind_new(text: str, parent: Collection, node: Node, edit: Edit, new: str) -> Edit:
    """Return the edit that puts a value in the place of `node` with another comment in its line."""
    # Where the last of several lines in brackets or quotes ends, the product will tell: see `to_give`.
    if edit.start == node.start and "\n" in edit.text:
        return edit
    old = text[slice(*comments.span_behind(text, parent, node))]
    first, newline, others = edit.text.partition("\n")
    carriage = "\r" if first.endswith("\r") else ""
    first = first.removesuffix(carriage)
    # A value of several lines starts with the line of its key, where the comment of the old value was kept.
    if newline or (old and first.endswith(old)):
        behind = f" {new}" if new else ""
        return Edit(edit.start, edit.end, first.removesuffix(old or "\n") + behind + carriage + newline + others)
    return splices.with_comment(text, edit, f" {new}" if new else "")


def of_new(found: list[list[str]], target: Target) -> list[list[str]]:
    """Return the lines of an entry that comes in with its comments; those of a graft come with it."""
    if isinstance(uncommented(target), Graft) or not isinstance(target, Commented):
        return found
    (first, *others), *_ = found
    behind = f" {target.behind}" if target.behind else ""
    below = [f"  {line}" if line else "" for line in target.below or ()]
    return [[*(target.above or ()), first + behind, *others, *below]]


def _given_to_root(text: str, root: Node, target: Commented) -> tuple[list[Edit], list[Edit]]:
    """Return the edits that give comments to a document: those above it, and those below it."""
    first: list[Edit] = []
    if target.behind is not None:
        start, stop = comments.span_behind_root(text, root)
        if not stop:
            raise NotSpliceable(_NO_MARKER)
        first.append(Edit(start, stop, f" {target.behind}" if target.behind else ""))
    if target.above is not None:
        # A blank line parts the comments of a document from those of its first entry.
        first.append(_lines_for(text, comments.span_above_root(text, root), target.above, 0, gap=True))
    bottom = comments.span_below_root(text, root)
    return first, [] if target.below is None else [_lines_for(text, bottom, target.below, 0)]


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
