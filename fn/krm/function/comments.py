"""Comments of a field: found, written, and named before an edit would lose one.

# above
image: nginx # behind
  # below: deeper than the key
"""

from __future__ import annotations

import re

from krm.yamltree import lines, parser, places, proof
from krm.yamltree.nodes import Collection, is_block_scalar
from krm.yamltree.places import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal, TypeAlias

    from krm.yamltree.editor import Editor
    from krm.yamltree.nodes import Node

    Where: TypeAlias = Literal["above", "behind", "below"]

WHERES: tuple[Where, ...] = ("above", "behind", "below")

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[^\r\n]*", re.MULTILINE)


class RefusedError(Exception):
    """An edit would lose something, or has no place in the text: `line` from 1, and the problem."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


def refuse_loss(text: str, parent: Collection | None, node: Node) -> None:
    """Raise RefusedError if a comment stands inside of `node`, or belongs to the entry of `parent` that it is in."""
    start, stop, kids = node.start, node.end, [node]
    if isinstance(node, Collection) and not node.flow:
        stop = lines.last_line_end(text, node, node.column - 1)
    if parent is not None:
        index = places.index_of(parent, node)
        kids = places.entry(parent, index)
        start, stop = _extent(text, parent, index)
    found = next(_comments(text, start, stop, kids), None)
    if found is not None:
        position, comment = found
        raise RefusedError(
            text.count("\n", 0, position) + 1,
            f"the comment `{comment}` would be lost: delete the field that it belongs to, or set another comment",
        )


def read(text: str, parent: Collection, node: Node, where: Where) -> str:
    """Return the comment of the entry of `parent` that `node` is in, its lines without `#`; "" for none."""
    start, stop = _spot(text, parent, node, where)
    return "\n".join(comment[1:].removeprefix(" ").rstrip() for comment in _COMMENT.findall(text[start:stop]))


def write(draft: Editor, parent: Collection, node: Node, comment: str, where: Where) -> None:
    """Replace the comment of the entry of `parent` that `node` is in. RefusedError if there is no place for one."""
    text, before = draft.text, draft.document
    if draft.json:
        raise _no_place(text, node, where)
    try:
        start, stop = _spot(text, parent, node, where)
        new = _laid_out(text, parent, node, comment, where, start)
        after_text = text[:start] + new + text[stop:]
        after = parser.parse(after_text)
    except (NotSpliceable, parser.ParseError):
        raise _no_place(text, node, where) from None
    if not proof.same(before.root, after.root):
        raise _no_place(text, node, where)
    draft.text, draft.parsed = after_text, after


def _laid_out(text: str, parent: Collection, node: Node, comment: str, where: Where, start: int) -> str:  # noqa: PLR0913
    """Return the text for a comment that stands at `start`."""
    written = [f"# {line}".rstrip() for line in comment.split("\n")] if comment else []
    if where == "behind":
        if len(written) > 1:
            raise NotSpliceable("a comment behind a field is one line")
        return "".join(f" {line}" for line in written)
    column = parent.column if where == "above" else _inner_column(parent, node)
    newline = lines.newline(text, start)
    new = "".join(f"{' ' * column}{line}{newline}" for line in written)
    return new if where == "above" or text.endswith("\n", 0, start) or not new else newline + new


def _no_place(text: str, node: Node, where: Where) -> RefusedError:
    return RefusedError(text.count("\n", 0, node.start) + 1, f"there is no place for a comment {where} this field")


def _spot(text: str, parent: Collection, node: Node, where: Where) -> tuple[int, int]:
    """Return the span of the comment, with the blanks before it; an empty one where a comment would go."""
    if where == "behind":
        return _behind(text, parent, node)
    if parent.flow:
        raise NotSpliceable(places.ODD)
    index = places.index_of(parent, node)
    start, stop = places.extent(text, parent, index)
    own = places.start(text, parent, index)
    if where == "above":
        if not lines.is_first(text, own):
            raise NotSpliceable(places.ODD)
        return start, lines.line_start(text, own)
    return lines.next_line(text, max(lines.content_end(text, node) - 1, own)), stop


def _behind(text: str, parent: Collection, node: Node) -> tuple[int, int]:
    """Return the span of the comment in the line of a key, a dash or a scalar."""
    if isinstance(node, Collection) and not node.flow and node.kids:
        start = places.opening(text, parent, node)
        if not places.stands_below(text, parent, node):
            raise NotSpliceable(places.ODD)
    elif is_block_scalar(node):
        start = lines.body(text, node) + len(lines.header(text, node))
    else:
        start = node.end
        if parent.flow and text.startswith(",", lines.past_blanks(text, start)):
            start = lines.past_blanks(text, start) + 1
    end = lines.line_end(text, start)
    found = lines.comment_at(text, start)
    if text[start + len(found) : end].strip(" \t"):
        raise NotSpliceable(places.ODD)
    return start, end


def _inner_column(parent: Collection, node: Node) -> int:
    deeper = node.column if isinstance(node, Collection) and not node.flow else 0
    return deeper if deeper > parent.column else parent.column + 2


def _extent(text: str, parent: Collection, index: int) -> tuple[int, int]:
    entry = places.entry(parent, index)
    if not parent.flow:
        try:
            return places.extent(text, parent, index)
        except NotSpliceable:
            return entry[0].start, entry[-1].end
    end = entry[-1].end
    comma = lines.past_blanks(text, end)
    end = comma + 1 if text.startswith(",", comma) else end
    return entry[0].start, end + len(lines.comment_at(text, end))


def _comments(text: str, start: int, stop: int, kids: list[Node]) -> Iterator[tuple[int, str]]:
    """Yield every comment from `start` up to `stop`, outside of the scalars, with its position."""
    position = start
    for kid in kids:
        for leaf in _leaves(kid):
            for found in _COMMENT.finditer(text, position, lines.body(text, leaf)):
                yield found.start(), found[0]
            if is_block_scalar(leaf) and (inside := lines.comment_inside(text, leaf)):
                yield leaf.start, inside.strip()
            position = leaf.end
    for found in _COMMENT.finditer(text, position, stop):
        yield found.start(), found[0]


def _leaves(node: Node) -> Iterator[Node]:
    if isinstance(node, Collection):
        for kid in node.kids:
            yield from _leaves(kid)
    else:
        yield node
