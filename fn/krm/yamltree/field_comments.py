"""The comments of a field: an author of a function reads and writes them, and an edit that would lose one is refused.

docs/reference/lossless-yaml.md, "Which comment belongs to which node", has the rule. In brackets an element also has
the comment behind it in its line, which a merge does not know.
"""

from __future__ import annotations

from krm.yamltree import comments, edits, lines, positions, sameness
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, is_block_scalar
from krm.yamltree.parser import ParseError
from krm.yamltree.positions import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from krm.yamltree.nodes import Node, Place

    Where: TypeAlias = Literal["above", "behind", "below"]

_WHERES: tuple[Where, ...] = ("above", "behind", "below")


def refuse_loss(text: str, parent: Collection | None, node: Node) -> None:
    """Raise EditError if a comment is inside of `node`, or belongs to its entry in `parent`."""
    start, stop, kids = node.start, node.end, [node]
    if isinstance(node, Collection) and not node.flow:
        # The parser starts a block at its first key or dash. Comments above that are below the key of the block.
        start = _head(text, node.start, 0)
        stop = lines.last_line_end(text, node, node.column - 1)
    if parent is not None:
        index = positions.index_of(parent, node)
        kids = positions.entry(parent, index)
        # The comments above and behind an entry go with it.
        start, stop = _extent(text, parent, index)
    found = next(lines.loose_comments(text, start, stop, *kids), None)
    if found is not None:
        position, comment = found
        problem = f"the comment `{comment}` would be lost: delete the field that it belongs to, or set another comment"
        raise EditError(problem, lines.number(text, position))


def require(where: str) -> None:
    """Raise ValueError for a word that names no side of a field."""
    if where not in _WHERES:
        raise ValueError(f"a comment is `above`, `behind` or `below` a field, found `{where}`")


def read(text: str, parent: Collection | None, node: Node, where: Where) -> str:
    """Return the comment of the entry of `node` in `parent`, its lines without `#`; "" if it has none."""
    listed = _comment_lines(text, parent, node, where)
    return "\n".join(comment.removeprefix("#").removeprefix(" ") for comment in listed)


def write(editor: Editor, place: Place, comment: str, where: Where) -> None:
    """Replace the comment of the node at `place` in the editor's text. EditError if there is no room for it.

    `write(editor, ("a",), "why", "above")` makes

        a: 1        # why
                    a: 1
    """
    text, (parent, node) = editor.text, editor.at(place)
    # What `read` returned stays: `#a` and `## a` are not written as `# a`.
    if comment == read(text, parent, node, where):
        return
    given = comment.split("\n") if comment else ()
    # `a` and `# a` are both written `# a`.
    written = tuple((line if line.startswith("#") else f"# {line}").rstrip() for line in given)
    problem, line = _problem(written, where), lines.number(text, node.start)
    if parent is not None and where == "above":
        problem = problem or _loss(text, parent, node, written)
    if problem:
        raise EditError(problem, line)
    root = editor.document.root
    positions.require_plain_lines(text, root)
    try:
        edited = Editor(_edited(text, root, _edit(text, parent, node, written, where, json=editor.json)))
        # The proof: the data are the same, and `read` finds the comment. Below a block scalar it could be text of it.
        is_given = sameness.same(root, edited.document.root) and (
            _comment_lines(edited.text, *edited.at(place), where) == written
        )
    except (NotSpliceable, ParseError):
        is_given = False
    if not is_given:
        raise EditError(f"there is no place for a comment {where} this field", line)
    editor.text, editor.parsed = edited.text, edited.document


def add(editor: Editor, place: Place, comment: str, where: Where) -> None:
    """Add to the comment of the node at `place`, as `write` does, unless it has these words already."""
    there = "\n".join(_comment_lines(editor.text, *editor.at(place), where))
    if comment not in there:
        write(editor, place, (", " if where == "behind" else "\n").join(filter(None, (there, comment))), where)


def _loss(text: str, parent: Collection, node: Node, written: tuple[str, ...]) -> str:
    """Return the problem of a comment that would replace the head of a document, "" if there is none."""
    # A comment above the first field of a document is about all of it. Most often it is a licence.
    present = _comment_lines(text, parent, node, "above")
    above = text[: positions.entry(parent, positions.index_of(parent, node))[0].start].lstrip("- \r\n")
    is_first = all(line.lstrip()[:1] in ("", "#") for line in above.splitlines())
    is_head = is_first and present and above.startswith(present[0])
    if not is_head or written[: len(present)] == present:
        return ""
    return f"the comment `{present[0]}` would be lost, which is the head of the document: `add_comment` adds to it"


def _problem(written: tuple[str, ...], where: Where) -> str:
    """Return the problem of the lines of a comment, "" if there is none."""
    if where == "behind" and len(written) > 1:
        return "a comment behind a field has one line: one `above` or `below` it may have several"
    odd = next((one for line in written for one in line if one != "\t" and not one.isprintable()), None)
    return "" if odd is None else f"the character U+{ord(odd):04X} is not allowed in a comment"


def _comment_lines(text: str, parent: Collection | None, node: Node, where: Where) -> tuple[str, ...]:
    """Return the lines of a comment, each from its `#` on."""
    of_node = comments.of(text, parent, node)
    behind = of_node.behind
    if parent is not None and parent.flow:
        behind = text[slice(*_in_brackets(text, node))].strip()
    of_place = {"above": of_node.above, "behind": (behind,), "below": of_node.below}[where]
    return tuple(filter(None, of_place))


def _in_brackets(text: str, node: Node) -> tuple[int, int]:
    """Return the span of the comment behind an element in brackets and its comma; an empty span without a comment."""
    comma = lines.past_blanks(text, node.end)
    start = comma + 1 if text.startswith(",", comma) else node.end
    return start, start + len(lines.comment_in_brackets(text, start))


def _edited(text: str, root: Node | None, made: Edit) -> str:
    """Return a text after the edit of a comment, perhaps below a block without a final line break."""
    ends = positions.closed(text, root, [made]) if root is not None and made.start == len(text) else []
    return edits.apply(text, [made, *ends])


def _edit(  # noqa: PLR0913 - a comment, and its place
    text: str, parent: Collection | None, node: Node, written: tuple[str, ...], where: Where, *, json: bool
) -> Edit:
    """Return the edit that gives a comment to a node.

    NotSpliceable if there is no room for it: in JSON, above a key behind a dash, at an explicit key.
    """
    if parent is None or (parent.flow and (json or where != "behind")):
        raise NotSpliceable(positions.ODD)
    if where == "behind":
        return _behind_for(text, parent, node, " ".join(written))
    index = positions.index_of(parent, node)
    if where == "below":
        span = comments.span_below(text, parent, index)
        return _lines_for(text, span, written, _column_below(text, parent, node))
    start, stop = comments.span_above(text, parent, index)
    if written and not lines.is_first(text, stop):
        raise NotSpliceable(positions.ODD)
    return _lines_for(text, (start, stop), written, parent.column)


def _behind_for(text: str, parent: Collection, node: Node, new: str) -> Edit:
    """Return the edit that puts a comment in the line of a value, or that removes it."""
    start, stop = _in_brackets(text, node) if parent.flow else comments.span_behind(text, parent, node)
    old = text[start:stop]
    if new and text[stop : lines.line_end(text, stop)].strip():
        raise NotSpliceable(positions.ODD)
    # The distance of the old comment stays, as authors align comments.
    blanks = old[: len(old) - len(old.lstrip(" \t"))] or " "
    return Edit(start, stop, f"{blanks}{new}" if new else "")


def _lines_for(text: str, span: tuple[int, int], new: tuple[str, ...], column: int) -> Edit:
    """Return the edit that replaces comment lines. Blank lines around them stay."""
    start, stop = span
    inside = text[start:stop]
    if comments.comment_lines(text, span) == new:
        return Edit(start, start, "")
    # Blank lines above the first and below the last comment separate groups, and stay.
    if inside.strip():
        first = start + len(inside) - len(inside.lstrip("\r\n \t"))
        start = lines.line_start(text, first)
        stop = lines.next_line(text, start + len(text[start:stop].rstrip()) - 1)
    else:
        stop = start
    newline = lines.newline(text, start)
    written = "".join((f"{' ' * column}{line}" if line else "") + newline for line in new)
    # The comment is at the end of a text without a final line break. The text gets none.
    if new and start and not text.endswith("\n", 0, start):
        written = newline + written.removesuffix(newline)
    return Edit(start, stop, written)


def _column_below(text: str, parent: Collection, node: Node) -> int:
    """Return the column of comments below a node. NotSpliceable if they would be text of a block."""
    # One column more would do, but authors indent such a comment as the entries above it.
    column = node.column if isinstance(node, Collection) and not node.flow else parent.column + 2
    column = max(column, parent.column + 1)
    leaf = lines.last_leaf(node)
    if not is_block_scalar(leaf):
        return column
    margin = lines.margin(text, leaf)
    if margin <= parent.column + 1:
        raise NotSpliceable(positions.ODD)  # any deeper line below a block is its text
    return min(column, margin - 1)


def _extent(text: str, parent: Collection, index: int) -> tuple[int, int]:
    entry = positions.entry(parent, index)
    if not parent.flow:
        try:
            return positions.extent(text, parent, index)
        except NotSpliceable:
            return entry[0].start, entry[-1].end
    # The text before an element in brackets, from the end of the element before it, goes with it.
    floor = positions.entry(parent, index - 1)[-1].end if index else parent.start
    return _head(text, entry[0].start, floor), _in_brackets(text, entry[-1])[1]


def _head(text: str, position: int, floor: int) -> int:
    """Return the start of the comment lines above `position` and behind `floor`; `position` if there are none.

    Comments above the root of a document are about the document, and stay.
    """
    if not lines.is_first(text, position):
        return position
    start = lines.loose_above(text, lines.line_start(text, position), floor)
    is_root = start == 0 or text.startswith("---", lines.line_start(text, start - 1))
    return position if is_root else start
