"""Positions of lines, margins and comments in a text, so that no edit cuts one of them in two."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from krm.yamltree.nodes import Collection, Scalar, is_block_scalar, leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.nodes import Node

ODD_BREAKS = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
"""Line breaks of YAML 1.1 that end no line for this module."""

ODD = "this line ends in another way than LF and CRLF: convert the line ends of the text first"

TEMPLATE = "# expand:"
"""The start of a comment with the template of its value: both are one (docs/reference/merge.md, "What is data")."""

COMMENT = r"""#(?:(?<![^\s,\[\]{}"']#)|(?<=[\s,\[\]{}"']:#))[^\r\n]*"""
"""A comment, where no scalar is: even right behind a quote, a comma, a bracket or a colon, but not in a tag."""

_PROPERTIES = r"(?:[&!]\S*(?:\s+(?:#[^\n]*\s+)*|$))+"
_NO_BLANK = re.compile(r"[^ \t]")
_INK = re.compile(r"[^ \t\r\n]")
_COMMENT = re.compile(r"[ \t]+#.*")
_HEADER = r"[|>][-+0-9]*"


def line_start(text: str, position: int) -> int:
    """Return the start of the line of `position`."""
    return text.rfind("\n", 0, position) + 1


def next_line(text: str, position: int) -> int:
    """Return the start of the line below that of `position`, or the end of the text."""
    return text.find("\n", position) + 1 or len(text)


def line_end(text: str, position: int) -> int:
    """Return the end of the line of `position`, without its line break."""
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    return end - 1 if text.endswith("\r", position, end) else end


def number(text: str, position: int) -> int:
    """Return the number of the line of `position`, counted from 1."""
    return bisect_left(_breaks(text), position) + 1


@lru_cache(1)  # one text has many questions in a row
def _breaks(text: str) -> list[int]:
    return [found.start() for found in re.finditer("\n", text)]


def column(text: str, position: int) -> int:
    """Return the number of characters before `position` in its line."""
    return position - line_start(text, position)


def indentation(text: str, position: int) -> int:
    """Return the number of blanks at the start of the line of `position`."""
    start = line_start(text, position)
    return past_blanks(text, start) - start


def newline(text: str, position: int) -> str:
    """Return the line break in use at `position`: that of the line above, else of its own."""
    end = text.rfind("\n", 0, position)
    # The first line has none above it.
    if end < 0:
        end = text.find("\n", position)
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def is_first(text: str, position: int) -> bool:
    """True if only blanks are before `position` in its line."""
    return not text[line_start(text, position) : position].strip(" \t")


def comment_at(text: str, position: int) -> str:
    """Return the comment at `position`, with the blanks before it; else an empty text."""
    comment = _COMMENT.match(text, position, line_end(text, position))
    return "" if comment is None else comment[0]


def comment_in_brackets(text: str, position: int) -> str:
    """Return the comment at `position` as `comment_at` does, and one right behind a bracket, a comma or a quote too."""
    is_right_behind = text.startswith("#", position)
    return text[position : line_end(text, position)] if is_right_behind else comment_at(text, position)


def comment_in(text: str, position: int) -> str:
    """Return the comment in the line behind `position`, with the blanks before it; else an empty text."""
    end = line_end(text, position)
    if text.startswith("#", position):
        return f" {text[position:end]}"
    signs = [found for sign in (" #", "\t#") if (found := text.find(sign, position, end)) >= 0]
    if not signs:
        return ""
    before = text[position : min(signs)].rstrip(" \t")
    return text[position + len(before) : end]


def first_character(text: str, position: int) -> int:
    """Return the position of the first character from `position` on that is neither blank nor line end."""
    found = _INK.search(text, position)
    return found.start() if found else len(text)


def past_blanks(text: str, position: int) -> int:
    """Return the position of the first character from `position` on that is no blank."""
    found = _NO_BLANK.search(text, position)
    return found.start() if found else len(text)


def past_deeper_comments(text: str, start: int, column: int) -> int:
    """Return the end of the comment lines from `start` on that are indented deeper than `column`."""
    while True:
        character = first_character(text, start)
        if not text.startswith("#", character) or character - line_start(text, character) <= column:
            return start
        start = next_line(text, character)


def last_line_end(text: str, node: Node | Collection, column: int) -> int:
    """Return the end of the last line of a block collection, comments deeper than `column` included."""
    below = line_below(text, node, node.start)
    return line_end(text, line_start(text, max(past_deeper_comments(text, below, column) - 1, 0)))


def body(text: str, node: Node) -> int:
    """Return the start of `node` itself, behind its anchor and tag."""
    if node.anchor is None and node.tag is None:
        return node.start
    properties = re.compile(_PROPERTIES).match(text, node.start, node.end if isinstance(node, Scalar) else len(text))
    return node.start if properties is None else properties.end()


def last_leaf(node: Node | Collection) -> Node | Collection:
    """Return the last leaf of a block collection, or any other node itself."""
    while isinstance(node, Collection) and not node.flow and node.kids:
        node = node.kids[-1]
    return node


def content_end(text: str, node: Node | Collection) -> int:
    """Return the end of the last line of `node`, without blank lines that are not its text."""
    leaf = last_leaf(node)
    # libyaml ends a block scalar behind the blank lines below it, but these are its text only with `+`.
    return leaf.end if not is_block_scalar(leaf) or keeps_blank_lines(text, leaf) else ink_end(text, leaf)


def line_below(text: str, node: Node | Collection, start: int = 0) -> int:
    """Return the start of the line below `node`, whose key or dash is at `start`: what is not written has no line."""
    return next_line(text, max(content_end(text, node) - 1, start))


def ink_end(text: str, node: Node | Collection) -> int:
    """Return the end of the last line of `node` that is not blank, or whose blanks are text of a block."""
    leaf = last_leaf(node)
    if not is_block_scalar(leaf):
        return leaf.end
    end = min(line_end(text, leaf.start + len(text[leaf.start : leaf.end].rstrip(" \t\r\n"))), leaf.end)
    if leaf.value.rstrip("\n")[-1:] not in (" ", "\t"):
        return end
    deeper = _deeper_blanks(text, leaf, end, leaf.end)
    return end if deeper < 0 else line_end(text, deeper + 1)


def past_blanks_of(text: str, node: Node | Collection, position: int) -> int:
    """Return the end of the blank lines at `position` if a block above takes them as its text; else `position`.

    `node` ends with that block. It takes them if its header has a `+`, or if one has more blanks than its margin.
    """
    leaf = last_leaf(node)
    below = first_character(text, position)
    end = line_start(text, below) if below < len(text) else below
    if not is_block_scalar(leaf):
        return position
    takes = keeps_blank_lines(text, leaf) or _deeper_blanks(text, leaf, position - 1, end) >= 0
    return end if takes else position


def _deeper_blanks(text: str, scalar: Scalar, start: int, end: int) -> int:
    """Return the line break above the last line with more blanks than the margin of a block, -1 without such a line."""
    indent = "\n" + " " * margin(text, scalar)
    return max(text.rfind(indent + blank, start, end) for blank in " \t")


def header(text: str, scalar: Scalar) -> str:
    """Return the indicators of a block scalar: `|`, `>-`, `|2+`."""
    found = re.compile(_HEADER).match(text, body(text, scalar))
    return "" if found is None else found[0]


def margin(text: str, scalar: Scalar) -> int:
    """Return the indentation of the text of a block scalar."""
    _, *written = text[body(text, scalar) : scalar.end].splitlines()
    # The value of a folded block, too, has each line break above its first line with text.
    number = len(scalar.value) - len(value := scalar.value.lstrip("\n"))
    return indent(written[number]) - indent(value) if value else 0


def indent(line: str) -> int:
    """Return the number of blanks at the start of a line."""
    return len(line) - len(line.lstrip(" "))


def comment_inside(text: str, scalar: Scalar) -> str:
    """Return the comment inside of `scalar` with the blanks before it: behind a block's header, or behind an anchor."""
    start = body(text, scalar)
    if is_block_scalar(scalar):
        return comment_in(text, start + len(header(text, scalar)))
    return comment_in(text, scalar.start) if "\n" in text[scalar.start : start] else ""


def keeps_blank_lines(text: str, scalar: Scalar) -> bool:
    """True if a block scalar is `|+` or `>+`: the blank lines below it are its text."""
    return "+" in header(text, scalar)


def own_comments(text: str, position: int, column: int, floor: int) -> int:
    """Return the start of the comment lines of the entry at `position`, or of its own line if it has none.

    They are directly above the entry, at its column, and behind `floor`, the end of the entry before: a `#` above that
    may be the text of a block.
    """
    start = line_start(text, position)
    # The loop goes up line by line: an entry has few comments.
    while start > floor:
        above = line_start(text, start - 1)
        line = text[above:start]
        # A comment at another column belongs to another level.
        if above < floor or not line[column:].startswith("#") or line[:column].strip(" "):
            break
        start = above
    return start


def loose_above(text: str, start: int, floor: int = 0) -> int:
    """Return the start of the comments and blank lines above the line at `start`, but behind `floor`."""
    while start > 0:
        above = line_start(text, start - 1)
        if above < floor or text[above:start].lstrip()[:1] not in ("", "#"):
            break
        start = above
    return start


def odd_break(text: str, *roots: Node | None, start: int = 0) -> int | None:
    """Return the position of a line break from `start` on that is neither LF nor CRLF, None without one.

    `roots` are those of the documents in the text, or parts of one. A break inside of a scalar is a part of its value.
    """
    # The search is slow, and most texts are plain.
    if ("\r" not in text and text.isascii()) or ODD_BREAKS.search(text) is None:
        return None
    values = (inside(text, leaf) for root in roots if root is not None for leaf in leaves(root))
    for first, end in (*values, (len(text), len(text))):
        if found := ODD_BREAKS.search(text, start, first):
            return found.start()
        start = end
    return None


def inside(text: str, leaf: Node) -> tuple[int, int]:
    """Return the span in which an odd line break belongs to the value of `leaf`."""
    if not is_block_scalar(leaf):
        return leaf.start, leaf.end
    return next_line(text, leaf.start), leaf.start + len(text[leaf.start : leaf.end].rstrip())


def has_comments(text: str, node: Node | Collection) -> bool:
    """True if a comment is inside of `node`."""
    return any(True for _ in loose_comments(text, node.start, node.end, node))


def loose_comments(text: str, start: int, stop: int, *nodes: Node | Collection) -> Iterator[tuple[int, str]]:
    """Yield each comment of a part of a text behind its position. The leaves of `nodes` are in that part."""
    comment = re.compile(COMMENT)
    for leaf in (leaf for node in nodes for leaf in leaves(node)):
        for found in comment.finditer(text, start, body(text, leaf)):
            yield found.start(), found[0]
        if is_block_scalar(leaf) and (inside := comment_inside(text, leaf)):
            yield text.index("#", body(text, leaf)), inside.strip()
        start = leaf.end
    for found in comment.finditer(text, start, max(start, stop)):
        yield found.start(), found[0]
