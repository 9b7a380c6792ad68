"""An entry that both sides changed: a leaf is merged by key, value and comment, a collection by the lines around it."""

from __future__ import annotations

import re

from krm.merge import text_merge, trees
from krm.merge.policy import base_rule, changed_by, won
from krm.merge.text_merge import Hunk, of_comments, text_of, with_each
from krm.yamltree.lines import ODD_BREAKS, TEMPLATE, indent
from krm.yamltree.nodes import Alias, Collection, Scalar, Sequence, is_block_scalar
from krm.yamltree.style import shifted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from typing import TypeAlias, TypeVar

    from krm.merge.lines.blocks import Block, Entry
    from krm.merge.policy import Winner
    from krm.merge.text_merge import Piece, Take
    from krm.yamltree.nodes import Node

    T = TypeVar("T")
    Decide: TypeAlias = Callable[[], tuple[Winner, bool]]

# The header of a block that states its own indentation.
_SAYS_DEPTH = r"[|>][-+]?[1-9]"
# The end of the line above a block: `: &a !t` or `- &a !t`, and empty brackets, as in `key: &a !t []  # c`.
_AHEAD = r"((?::|^ *-)(?:[ \t]+[&!][^ \t\r\n]*){0,2})(?:[ \t]*(?:\[\]|\{\}))?(?=[ \t]*(?:#.*)?\r?\n)"
# What stands ahead of a text in double quotes, or a line of it, with the escape that ends it.
_ESCAPED_LINE = r"""^[^"]*"|(?:[^\\]|\\[^n])++(?:\\n)?|\\n"""


# Leaves.


def merged_leaf(entries: list[Entry | None], decide: Decide, take: Take) -> list[Piece] | None:
    """Return the merge of an entry that update and local have, None if it is no leaf.

    For two new values `decide` returns the winner, and whether that is a conflict. For a conflict in a text `take`
    returns the lines to write.
    """
    there = [entry for entry in entries if entry is not None]
    if all(map(_is_line, there)):
        return _line(entries, decide)
    if len(there) < len(entries):
        return None
    if all(map(_is_text, there)):
        found = _text(there, take)
    else:
        # The quotes are one thing with what stands between them: under others a line says something else.
        is_alike = all(map(_is_wrapped, there)) and len({entry.node.style for entry in there}) == 1  # type: ignore[union-attr]  # all are scalars
        found = _wrapped(there, take) if is_alike else None
    # A text that was only wrapped at another width is compared by its value. Its comments are in the lines alone.
    has_conflict = any(isinstance(piece, Hunk) for piece in found or ()) and not any(map(_has_comment, there))
    return None if has_conflict and changed_by(*(_data(entry.node) for entry in there)) else found


def _is_line(entry: Entry) -> bool:
    source, node = entry.block.source, entry.node
    if entry.block.is_in_brackets:
        return entry.below == entry.first + 1
    return "\n" not in source.text[source.starts[entry.first] : node.end]


def _is_text(entry: Entry) -> bool:
    """True for a block scalar, literal or folded, whose depth its lines tell. They are merged as in git."""
    node, text = entry.node, entry.block.source.text
    has_depth = is_block_scalar(node) and re.search(_SAYS_DEPTH, entry.head) is None
    return has_depth and ODD_BREAKS.search(text, node.start, node.end) is None


def _is_wrapped(entry: Entry) -> bool:
    """True for a plain or quoted text that continues on a second line."""
    is_text = isinstance(entry.node, Scalar) and not is_block_scalar(entry.node)
    return is_text and entry.below > entry.first + 1


def _has_comment(entry: Entry) -> bool:
    """True if a comment stands ahead of a text, or behind its last line."""
    source = entry.block.source
    return "#" in source.text[source.starts[entry.first] : entry.node.start] or _ends_in_comment(entry)


def _ends_in_comment(entry: Entry) -> bool:
    """True if a comment stands behind the last line of a text."""
    source = entry.block.source
    return "#" in source.text[entry.node.end : source.starts[entry.below]]


def _line(entries: list[Entry | None], decide: Decide) -> list[Piece] | None:
    """Return the merge of key, value and comments, each by the base rule. A value and its template are one part."""
    has_template = any(entry is not None and TEMPLATE in entry.line for entry in entries)
    parts = [(None,) * 4 if entry is None else _parts(entry, has_template=has_template) for entry in entries]
    keys, values, behind, below = zip(*parts, strict=True)
    key, value, is_conflict = of_comments(*keys), base_rule(*values), False
    if value is None and not has_template:
        value = _escaped(entries, values)
    if value is None:
        # Three values may be written differently, of which two have the same data.
        side = None if has_template else changed_by(*(entry and _data(entry.node) for entry in entries))
        has_parts = any(entry and isinstance(entry.node, Collection) for entry in entries)
        if side is None and (has_template or not has_parts):
            side, is_conflict = decide()
        value = None if side is None else won(side, update=values[1], local=values[2])
    if isinstance(key, Hunk) or value is None:
        return None
    # What is new on both sides had no comment.
    found = [of_comments(*(key + value + (part or "") for part in behind)), of_comments(*below)]
    if not is_conflict:
        return found
    return [Hunk(*texts(entries), text_of(found))]


def _escaped(entries: list[Entry | None], values: Iterable[str | None]) -> str | None:
    """Return the merge of texts in double quotes by their lines, None if they have a conflict, or are no such texts."""
    nodes = [entry and entry.node for entry in entries]
    if not all(isinstance(node, Scalar) and node.style == '"' for node in nodes):
        return None
    origin, update, local = (re.findall(_ESCAPED_LINE, value or "") for value in values)
    pieces = [*text_merge.of_lines(origin, update, local, lambda _, own, __: own)]
    return None if any(isinstance(piece, Hunk) for piece in pieces) else text_of(pieces)


def texts(entries: Iterable[Entry | None]) -> tuple[str, str, str]:
    """Return the lines of an entry on the three sides."""
    origin, update, local = ("" if entry is None else entry.text for entry in entries)
    return origin, update, local


def _parts(entry: Entry, *, has_template: bool) -> tuple[str, str, str, str]:
    """Return key or dash, value, rest of the line (in the value if a side `has_template`), and comments below."""
    block, node, line = entry.block, entry.node, entry.line
    # Positions count in the source. The lines of the block are shifted, unless they start within a line.
    place = block.source.starts[entry.first] - block.source.inner.get(entry.first, block.shift)
    if entry.key is not None:
        start = line.index(":", entry.key.end - place) + 1
    else:
        start = node.start - place if block.is_in_brackets else block.column + block.shift + 1
    end = len(line) if has_template else max(start, node.end - place)
    return line[:start], line[start:end], line[end:], block.text(entry.below, entry.end)


def _data(node: Node) -> Hashable:
    """Return the data of a value, to compare values. The data of an alias is its name."""
    return node.name if isinstance(node, Alias) else (trees.frozen(node), node.anchor)


def _text(entries: list[Entry], take: Take) -> list[Piece] | None:
    """Return the merge of block scalars, by their lines."""
    head = base_rule(*(entry.head for entry in entries))
    (origin, update, local), comments = _contents(entries)
    if head is None or not (origin and update and local):
        return None
    return [head, *text_merge.of_lines(origin, update, local, take), of_comments(*comments)]


def _wrapped(entries: list[Entry], take: Take) -> list[Piece]:
    """Return the merge of wrapped texts, by their lines. The first line has the key."""
    contents, comments = _contents(entries)
    origin, update, local = ([entry.head, *lines] for entry, lines in zip(entries, contents, strict=True))

    def take_one(new: str, own: str, both: str | None) -> str:
        # A comment ends a text: no line of the other side can follow it.
        return take(new, own, None if any(map(_ends_in_comment, entries)) else both)

    return [*text_merge.of_lines(origin, update, local, take_one), of_comments(*comments)]


def _contents(entries: list[Entry]) -> tuple[list[list[str]], list[str]]:
    """Return the lines of texts below the first line, with the same indentation, and the comments below each.

    These are moved as the text above them is: where it stands as deep as they do, they would be lines of it.
    """
    contents = [[entry.block.line(number) for number in range(entry.first + 1, entry.below)] for entry in entries]
    outer = [entry.block.column + entry.block.shift for entry in entries]
    depths = [_text_depth(lines, column) for lines, column in zip(contents, outer, strict=True)]
    room = outer[-1] + merged_depth(*depths)
    moves = [0 if depth is None else room - column - depth for depth, column in zip(depths, outer, strict=True)]
    found = [[shifted(line, by) for line in lines] for lines, by in zip(contents, moves, strict=True)]
    below = [entry.block.text(entry.below, entry.end).splitlines(keepends=True) for entry in entries]
    comments = ["".join([shifted(line, by) for line in lines]) for lines, by in zip(below, moves, strict=True)]
    # Blanks up to the indentation are no data. If a side emptied such lines of origin, all sides have them empty.
    emptied = [[line if line.strip() or indent(line) > room else line.lstrip(" ") for line in side] for side in found]
    return emptied if found[0] not in emptied and any(side in emptied for side in found[1:]) else found, comments


def _text_depth(lines: list[str], column: int) -> int | None:
    """Return how much deeper than a column the lines of a text stand, None for blank lines alone."""
    return min((indent(line) - column for line in lines if line.strip()), default=None)


# Collections.


def inner_blocks(entries: list[Entry | None]) -> list[Block | None] | None:
    """Return the values of the entries as blocks, moved to one column, None if update or local has no such block."""
    found = [None if entry is None else entry.inner() for entry in entries]
    if any(block is None and entry is not None for block, entry in zip(found[1:], entries[1:], strict=True)):
        return None
    # If origin has another kind of value, its parts have nothing to do with the parts of the others.
    kinds = {type(block.node) for block in found[1:] if block is not None and block.node is not None}
    if kinds and found[0] is not None and found[0].node is not None and type(found[0].node) not in kinds:
        found[0] = None
    there = [block for block in found if block is not None]
    forms = {block.form for block in there if _is_filled(block)}
    if len(forms) != 1:
        return None
    kind, _, is_in_brackets, _ = forms.pop()
    # Empty brackets get the form of the others.
    for empty in (block for block in there if not _is_filled(block)):
        if not is_in_brackets:
            empty.drop_brackets()
        elif type(empty.node) is not kind:
            return None
    pairs = [*zip(entries, found, strict=True)]
    depth = merged_depth(*(_depth(entry, block) for entry, block in pairs))
    for entry, block in pairs:
        if entry is not None and block is not None and block.node is not None:
            block.shift = entry.block.column + entry.block.shift + depth - block.column
    return found


def are_in_two_forms(entries: list[Entry | None]) -> bool:
    """True if collections of one kind have two forms: with and without brackets, or on one line and on several."""
    found = [entry.inner() for entry in entries if entry is not None]
    forms = {block.form for block in found if block is not None and _is_filled(block)}
    return len(forms) > 1 and len({form[0] for form in forms}) == 1


def _depth(entry: Entry | None, block: Block | None) -> int | None:
    """Return the indentation of a collection below its entry, None if there is no collection."""
    if entry is None or block is None or not _is_filled(block):
        return None
    return block.column - entry.block.column


def merged_depth(origin: int | None, update: int | None, local: int | None) -> int:
    """Return the indentation of a merged block by the base rule, in a conflict local's."""
    there = [*(depth for depth in (local, update, origin) if depth is not None), 0]
    return update if update is not None and changed_by(origin, update, local) == "update" else there[0]


def outer_lines(entries: list[Entry | None], inside: list[Block | None]) -> tuple[Piece, Piece] | None:
    """Return the line above the block in an entry, and the line below. None if both sides changed that above.

    The line above has the key, or is a dash that the block stands behind. The line below has closing brackets, or is
    empty.
    """
    there = next(block for block in inside if block is not None and block.node is not None)
    if there.is_behind_dash:
        around = next(entry.block for entry in entries if entry is not None)
        return f"{' ' * (around.column + around.shift)}-\n", ""
    if there.is_in_brackets:
        return _brackets(entries, inside)
    origin, update, local = (None if entry is None else entry.line for entry in _of_both(*entries))
    # Most lines are the same on all sides, and have their key alone.
    if origin is not None and origin == update == local and origin.endswith((":\n", ":\r\n")):
        return origin, ""
    found = [None if line is None else re.search(_AHEAD, line) for line in (origin, update, local)]
    ahead = base_rule(*(match and match.string[: match.end(1)] for match in found))
    return None if ahead is None else (of_comments(*(one and ahead + one.string[one.end() :] for one in found)), "")


def _brackets(entries: list[Entry | None], inside: list[Block | None]) -> tuple[Piece, Piece] | None:
    there = [block for block in inside[1:] if block is not None]
    # The lines around empty brackets do not count if another side has entries.
    counted = [block for block in there if _is_filled(block)] or there
    ahead: list[str | None] = []
    behind: list[str | None] = []
    for entry, block in zip(entries, inside, strict=True):
        is_there = block is not None and (block in counted or _is_filled(block))
        ahead.append(entry.head if entry is not None and is_there else None)
        behind.append(entry.block.text(block.end, entry.end) if entry and block and is_there else None)
    opening = of_comments(*_of_both(*ahead))
    return None if isinstance(opening, Hunk) else (opening, of_comments(*_of_both(*behind)))


def _is_filled(block: Block) -> bool:
    return block.node is not None and bool(block.node.kids)


def _of_both(origin: T | None, update: T | None, local: T | None) -> tuple[T | None, T | None, T | None]:
    """Return origin, update and local. If update or local is empty, it gets the other's value."""
    return origin, update or local, local or update


def around_block(ends: tuple[Piece, Piece], found: list[Piece], inside: list[Block | None]) -> list[Piece] | None:
    """Return an entry around the merge of its block, [] if it is deleted, None if it cannot be written."""
    ahead, behind = ends
    update, local = inside[1:]
    there = next(block for block in (local, update, *inside) if block is not None and block.node is not None)
    is_gone = is_empty(found)
    pieces = (ahead, *found, behind)
    sides = [*zip(*(piece if isinstance(piece, Hunk) else [piece] * 4 for piece in pieces), strict=True)]
    if not (is_gone or there.is_behind_dash) and any(is_empty(side[1:-1]) for side in sides[1:]):
        # A side of the conflict deleted all entries. Its key has no value then, and is deleted, too.
        wholes = (around_block((line, last), side, inside) or [] for line, *side, last in sides)
        return [Hunk(*map("".join, wholes))]  # type: ignore[arg-type]  # without a conflict all are texts
    sides_left = [block for block in (update, local) if block is not None]
    if is_gone and len(sides_left) == 1 and not sides_left[0].is_empty:
        return []
    if there.is_in_brackets:
        return [ahead, *found, behind]
    if is_gone and all(block.is_empty or block.node is not None for block in sides_left):
        # The sides have deleted different entries, and so all of them. The collection becomes empty brackets.
        brackets = "[]" if isinstance(there.node, Sequence) else "{}"
        return [with_each(ahead, lambda line: re.sub(_AHEAD, rf"\1 {brackets}", line, count=1)), *found]
    return _dashed(text_of([ahead]), found) if there.is_behind_dash else [ahead, *found]


def is_empty(found: Iterable[Piece]) -> bool:
    """True if no entry and no conflict is left."""
    return all(
        isinstance(piece, str) and all(line.strip()[:1] in ("", "#") for line in piece.split("\n")) for piece in found
    )


def _dashed(ahead: str, found: list[Piece]) -> list[Piece] | None:
    """Return the pieces of an element behind its dash, None if a side has no line for the dash."""
    first, *others = found
    # Each side of a conflict needs a line for the dash. It takes lines of the text below until it has one.
    while isinstance(first, Hunk) and not (first.update and first.local and first.result):
        if not others or isinstance(others[0], Hunk):
            return None
        line, end, others[0] = others[0].partition("\n")
        first = Hunk(*(side + line + end for side in first))
    dash = ahead.removesuffix("\n")
    if not all(side.startswith(" " * len(dash)) for side in ([first] if isinstance(first, str) else first) if side):
        return [ahead, first, *others]
    return [with_each(first, lambda side: side and dash + side[len(dash) :]), *others]
