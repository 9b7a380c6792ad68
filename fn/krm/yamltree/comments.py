"""The comments of a node, and comments that are given to it.

Above an entry or element stand the comment lines right over its key or dash, at its column. Behind it stands the
comment in its line: behind a value of one line, in the header of a block scalar, in the line of the key where a
collection starts below that. Below it stand the comment lines that follow its last line and are indented deeper than
it. What is in brackets has no comments of its own: docs/lossless-yaml.md, "Which comment belongs to which node".
"""

from __future__ import annotations

from operator import is_not

from krm.yamltree import lines, places, splices
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, is_block_scalar, resolved
from krm.yamltree.places import NotSpliceable
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Commented,
    Graft,
    Instead,
    elements_of,
    entries_of,
    uncommented,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target


class Comments:
    """The comments of a node, each from its `#` on: the lines `above` and `below` it, and the one `behind` it."""

    __slots__ = ("above", "behind", "below")

    def __init__(self, above: tuple[str, ...] = (), behind: str = "", below: tuple[str, ...] = ()) -> None:
        self.above = above
        self.behind = behind
        self.below = below

    def __repr__(self) -> str:
        return f"Comments({self.above!r}, {self.behind!r}, {self.below!r})"

    def __eq__(self, other: object) -> bool:
        mine = self.above, self.behind, self.below
        return isinstance(other, Comments) and mine == (other.above, other.behind, other.below)

    def __hash__(self) -> int:
        return hash((self.above, self.behind, self.below))


_NONE = Comments()


def of(text: str, parent: Collection | None, node: Node) -> Comments:
    """Return the comments of `node`, a value or element of `parent`, None for the root of the text.

    Above a root are the comments before those of its first entry; below it all behind its last one.
    """
    if parent is None:
        return Comments(_listed(text, *_above_root(text, node)), "", _listed(text, *_below_root(text, node)))
    # In brackets lines are shared: no rule says whose a comment between commas is.
    if parent.flow:
        return Comments()
    return _of_entry(text, parent, places.index_of(parent, node))


def found(text: str, parent: Collection | None, node: Node) -> dict[int, Comments]:
    """Return the comments of `node` and of all below it, by the ids of the nodes.

    A node has no entry if neither it nor anything below it has a comment. What an alias shows is not below it.
    """
    by_node: dict[int, Comments] = {}
    own = of(text, parent, node)
    if (own != _NONE) | _gather(text, node, by_node):
        by_node[id(node)] = own
    return by_node


def can_be_given(text: str, parent: Collection | None, node: Node, target: Commented) -> bool:
    """Return True if `node` has a place for comments: nothing has that stands in brackets, or below an explicit key."""
    if parent is None and isinstance(node, Collection) and node.flow:
        return False  # it may be JSON
    try:
        given(text, parent, node, target, stays=True)
    except NotSpliceable:
        return False
    return True


def given(
    text: str, parent: Collection | None, node: Node, target: Commented, *, stays: bool
) -> tuple[list[Edit], list[Edit]]:
    """Return the edits that give comments to a node: those above it, and those behind and below it.

    Of one that does not stay, its value comes with the one behind. NotSpliceable where a comment has no place: in
    brackets, behind a dash, at an explicit key.
    """
    if parent is None:
        # A blank line parts the comments of a document from those of its first entry.
        first = () if target.above is None else (_lines_for(text, _above_root(text, node), target.above, 0, gap=True),)
        last = () if target.below is None else (_lines_for(text, _below_root(text, node), target.below, 0),)
        return [*first], [*last]
    if parent.flow:
        raise NotSpliceable("what stands in brackets has no comments of its own")
    index = places.index_of(parent, node)
    above: list[Edit] = []
    made: list[Edit] = []
    if target.above is not None:
        start, stop = _above(text, parent, index)
        if target.above and not lines.is_first(text, stop):
            raise NotSpliceable("no comment can stand above what follows a dash")
        above.append(_lines_for(text, (start, stop), target.above, parent.column))
    # A value that goes takes its line along: the comment is then written with the new one.
    if target.behind is not None and stays:
        made.append(_behind_for(text, parent, node, target.behind))
    if target.below is not None and stays:
        # One column deeper would do. Authors indent the end of a collection as its entries, and so is this.
        column = node.column if isinstance(node, Collection) and not node.flow else parent.column + 2
        made.append(_lines_for(text, _below(text, parent, index), target.below, max(column, parent.column + 1)))
    return above, made


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
    if asked is None or node is None or _has(of(text, parent, node), asked):
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
    while isinstance(target, Instead):
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
    old = text[slice(*_behind(text, parent, node))]
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
    if not isinstance(target, Commented) or isinstance(uncommented(target), Graft):
        return found
    (first, *others), *_ = found
    behind = f" {target.behind}" if target.behind else ""
    below = [f"  {line}" for line in target.below or ()]
    return [[*(target.above or ()), first + behind, *others, *below]]


def _of_entry(text: str, parent: Collection, index: int) -> Comments:
    node = places.entry(parent, index)[-1]
    try:
        above = text[slice(*_above(text, parent, index))]
        start, stop = _behind(text, parent, node)
    except NotSpliceable:
        return _NONE  # an explicit key: `?` stands where its comments would
    below = _listed(text, *_below(text, parent, index))
    return Comments(_stripped(above), text[start:stop].strip(), below)


def _gather(text: str, parent: Node, by_node: dict[int, Comments]) -> bool:
    """Add the comments of all below `parent`, and return True if there are any.

    Most mappings have none, and their nodes need not be asked one by one.
    """
    if not isinstance(parent, Collection) or parent.flow or not parent.kids:
        return False
    last = places.size(parent) - 1
    start = lines.own_comments(text, places.start(text, parent, 0), parent.column, 0)
    if "#" not in text[start : max(places.stop(text, parent, last), lines.line_end(text, parent.end))]:
        return False
    has_any = False
    for index in range(last + 1):
        node = places.entry(parent, index)[-1]
        own = _of_entry(text, parent, index)
        if (own != _NONE) | _gather(text, node, by_node):
            by_node[id(node)] = own
            has_any = True
    return has_any


def _above(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the lines above an entry; where it stands behind a dash, an empty one."""
    places.require_implicit(text, parent, index)
    start = places.start(text, parent, index)
    if not lines.is_first(text, start):
        return start, start
    return places.extent(text, parent, index)[0], lines.line_start(text, start)


def _below(text: str, parent: Collection, index: int) -> tuple[int, int]:
    """Return the span of the deeper comment lines below an entry, behind those that belong to its own last entry."""
    node = places.entry(parent, index)[-1]
    if isinstance(node, Collection) and not node.flow and node.kids:
        below = places.stop(text, node, places.size(node) - 1)
    else:
        below = lines.next_line(text, max(lines.content_end(text, node) - 1, places.start(text, parent, index)))
    return below, places.stop(text, parent, index)


def _behind(text: str, parent: Collection, node: Node) -> tuple[int, int]:
    """Return the span of the comment in the line of a value, with the blanks before it; an empty one where none is."""
    if isinstance(node, Collection) and not node.flow:
        if not places.stands_below(text, parent, node):
            end = places.opening(text, parent, node)
            return end, end
        return _in_line(text, places.opening(text, parent, node))
    if isinstance(node, Scalar) and is_block_scalar(node):
        return _in_line(text, lines.body(text, node) + len(lines.header(text, node)))
    end = lines.ink_end(text, node)
    if node.start == node.end:
        end = max(end, places.opening(text, parent, node))
    return end, end + len(lines.comment_at(text, end))


def _in_line(text: str, position: int) -> tuple[int, int]:
    end = lines.line_end(text, position)
    return end - len(lines.comment_in(text, position)), end


def _behind_for(text: str, parent: Collection, node: Node, new: str) -> Edit:
    """Return the edit that puts a comment in the line of a value, or takes it away."""
    start, stop = _behind(text, parent, node)
    old = text[start:stop]
    if new and text[stop : lines.line_end(text, stop)].strip():
        raise NotSpliceable("something stands behind this in its line")
    # Authors align comments: the distance of the old one stays.
    blanks = old[: len(old) - len(old.lstrip(" \t"))] or " "
    return Edit(start, stop, f"{blanks}{new}" if new else "")


def _above_root(text: str, root: Node) -> tuple[int, int]:
    """Return the span of the comment lines above the first entry of a root, and above the comments of that."""
    top = lines.line_start(text, root.start)
    if isinstance(root, Collection) and not root.flow and root.kids:
        try:  # noqa: SIM105 - contextlib costs the filter a millisecond at every start
            top = places.extent(text, root, 0)[0]
        except NotSpliceable:
            pass
    found = [start for start in _line_starts(text, 0, top) if text.startswith("#", start)]
    return (found[0], lines.next_line(text, found[-1])) if found else (top, top)


def _below_root(text: str, root: Node) -> tuple[int, int]:
    if isinstance(root, Collection) and not root.flow and root.kids:
        end = places.stop(text, root, places.size(root) - 1)
    else:
        end = lines.next_line(text, max(lines.content_end(text, root) - 1, 0))
    # What stands behind the end mark of a document is of no document.
    stop = next((start for start in _line_starts(text, end, len(text)) if text.startswith("...", start)), len(text))
    return end, stop


def _line_starts(text: str, start: int, stop: int) -> list[int]:
    found = []
    while start < stop:
        found.append(start)
        start = lines.next_line(text, start)
    return found


def _listed(text: str, start: int, stop: int) -> tuple[str, ...]:
    return _stripped(text[start:stop])


def _stripped(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.lstrip().startswith("#"))


def _lines_for(text: str, span: tuple[int, int], new: tuple[str, ...], column: int, *, gap: bool = False) -> Edit:
    """Return the edit that puts comment lines in the place of others; blank lines around these stay."""
    start, stop = span
    inside = text[start:stop]
    if _stripped(inside) == new:
        return Edit(start, start, "")
    if inside.strip():
        first = start + len(inside) - len(inside.lstrip("\r\n \t"))
        start = lines.line_start(text, first)
        stop = lines.next_line(text, start + len(text[start:stop].rstrip()) - 1)
    else:
        stop = start
    newline = lines.newline(text, start)
    written = "".join(f"{' ' * column}{line}{newline}" for line in new)
    if gap and new and not inside.strip():
        written += newline
    if new and start and not text.endswith("\n", 0, start):
        written = newline + written.removesuffix(newline)
    return Edit(start, stop, written)
