"""Entering: the insides of an entry that both sides changed, and the entry around what they become."""

from __future__ import annotations

import re

from krm.merge import text
from krm.merge.lines.pieces import Hunk, remark, with_each
from krm.yamltree.nodes import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.merge.lines.blocks import Block, Entry
    from krm.merge.lines.pieces import Piece

# What is ahead of a collection in its line: the colon or the dash, with the anchor and the tag.
_AHEAD = r"((?::|^ *-)(?:[ \t]+[&!][^ \t\r\n]*){0,2})(?=[ \t]*(?:#.*)?\r?\n)"
_DASH = "-"


def blocks(entries: list[Entry | None]) -> list[Block | None] | None:
    """Return what is in the entries, as blocks of one column; None if one is none, or they are of several kinds."""
    found = [None if entry is None else entry.inner() for entry in entries]
    there = [block for block in found if block is not None]
    if len(there) < sum(entry is not None for entry in entries):
        return None
    if len({(type(block.node), block.is_behind_dash) for block in there if block.node is not None}) != 1:
        return None
    pairs = [*zip(entries, found, strict=True)]
    depth = settled_depth(*(_depth(entry, block) for entry, block in pairs))
    for entry, block in pairs:
        if entry is not None and block is not None and block.node is not None:
            block.outer = entry.block.column + entry.block.shift
            block.shift = block.outer + depth - block.column
    return found


def _depth(entry: Entry | None, block: Block | None) -> int | None:
    """Return by how much a collection is indented, None where there is none."""
    return None if entry is None or block is None or block.node is None else block.column - entry.block.column


def settled_depth(origin: int | None, update: int | None, local: int | None) -> int:
    """Return by how much what is in an entry is indented: the base rule, and else local's."""
    there = [depth for depth in (local, update, origin) if depth is not None]
    return update if update is not None and local == origin else there[0]


def head(entries: list[Entry | None], inside: list[Block | None]) -> Piece | None:
    """Return the line ahead of what is in an entry, None if both sides changed it. Behind a dash there is none."""
    if any(block is not None and block.is_behind_dash for block in inside):
        return ""
    origin, update, local = entries
    # Of what one side deleted the other has the only line.
    sides = (origin, update or local, local or update)
    found = [None if entry is None else re.search(_AHEAD, entry.head) for entry in sides]
    ahead = text.settled(*(match and match.string[: match.end()] for match in found))
    return ahead and remark(*(match and ahead + match.string[match.end() :] for match in found))


def whole(ahead: Piece, pieces: list[Piece], inside: list[Block | None]) -> list[Piece] | None:
    """Return an entry around what has become of its inside, None where it cannot be written."""
    update, local = inside[1:]
    there = next(block for block in (local, update, *inside) if block is not None and block.node is not None)
    is_gone = is_empty(pieces)
    sides = [*zip(*(piece if isinstance(piece, Hunk) else [piece] * 4 for piece in (ahead, *pieces)), strict=True)]
    if not (is_gone or there.is_behind_dash) and any(is_empty(side[1:]) for side in sides[1:]):
        # Who takes the side without an entry takes no key without a value.
        found = (whole(line, side, inside) or [] for line, *side in sides)
        return [Hunk(*map("".join, found))]  # type: ignore[arg-type]  # without a conflict all are texts
    if is_gone and None in (update, local):
        return []
    if is_gone and all(block is not None and block.node is not None for block in (update, local)):
        # Each side has deleted what the other left.
        brackets = "[]" if isinstance(there.node, Sequence) else "{}"
        ahead = with_each(ahead, lambda line: re.sub(_AHEAD, rf"\1 {brackets}", line, count=1))
        return None if there.is_behind_dash else [ahead, *pieces]
    return _dashed(pieces, there.outer) if there.is_behind_dash else [ahead, *pieces]


def is_empty(pieces: Iterable[Piece]) -> bool:
    """Return True if no entry is left, and none is in conflict."""
    return all(
        isinstance(piece, str) and all(line.strip()[:1] in ("", "#") for line in piece.split("\n")) for piece in pieces
    )


def _dashed(pieces: list[Piece], column: int) -> list[Piece] | None:
    """Return the pieces of an element with its dash, None where a side has no room for it."""
    first, *others = pieces
    # Both sides of a conflict need a line that the dash can stand in.
    while isinstance(first, Hunk) and not (first.update and first.local and first.taken):
        if not others or isinstance(others[0], Hunk):
            return None
        line, end, others[0] = others[0].partition("\n")
        first = Hunk(*(side + line + end for side in first))
    dash = f"{' ' * column}{_DASH}"
    if not all(side.startswith(" " * len(dash)) for side in ([first] if isinstance(first, str) else first) if side):
        return None
    first = with_each(first, lambda side: side and dash + side[len(dash) :])
    return [first, *others]
