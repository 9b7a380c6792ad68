"""An entry that both sides changed: a leaf by its parts, a collection by what becomes of its inside."""

from __future__ import annotations

import re

from krm.merge import text, trees
from krm.merge.lines import pieces
from krm.merge.lines.blocks import shifted
from krm.merge.lines.pieces import Hunk, remark, taken, with_each
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Alias, Collection, Scalar, Sequence, is_block_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Callable, Hashable, Iterable
    from typing import TypeAlias

    from krm.merge.lines.blocks import Block, Entry
    from krm.merge.lines.pieces import Piece, Take
    from krm.merge.walk import Choice
    from krm.yamltree.nodes import Node

    Winner: TypeAlias = Callable[[], tuple[Choice, bool]]

# A text that says itself by how much it is indented.
_SAYS_DEPTH = r"[|>][-+]?[1-9]"
# What is ahead of a collection in its line: the colon or the dash, with the anchor and the tag.
_AHEAD = r"((?::|^ *-)(?:[ \t]+[&!][^ \t\r\n]*){0,2})(?=[ \t]*(?:#.*)?\r?\n)"
_DASH = "-"


# Leaves.


def leaf(entries: list[Entry | None], winner: Winner, take: Take) -> list[Piece] | None:
    """Return the merge of an entry that update and local have, None where it is no leaf.

    `winner` tells whose value comes where both have another one, and whether that is a conflict. `take` decides what is
    taken of the lines of a text.
    """
    there = [entry for entry in entries if entry is not None]
    if all(map(_is_line, there)):
        return _line(entries, winner)
    if len(there) < len(entries):
        return None
    if all(map(_is_text, there)):
        return _text(there, take)
    return _wrapped(there, take) if all(map(_is_wrapped, there)) else None


def _is_line(entry: Entry) -> bool:
    source, node = entry.block.source, entry.node
    return source.line(node.start) == entry.first and source.last_line(node) == entry.first


def _is_text(entry: Entry) -> bool:
    """Return True for a block, folded or not: git would merge it by the lines in which it is written, too."""
    node = entry.node
    return is_block_scalar(node) and re.search(_SAYS_DEPTH, entry.head) is None


def _is_wrapped(entry: Entry) -> bool:
    """Return True for a plain or quoted text that goes on in a second line."""
    is_text = isinstance(entry.node, Scalar) and not is_block_scalar(entry.node)
    return is_text and _end(entry) > entry.first + 1


def _line(entries: list[Entry | None], winner: Winner) -> list[Piece] | None:
    """Return key, value and the comments, each by the base rule. A value and its template are one."""
    is_one = any(entry is not None and TEMPLATE in entry.head for entry in entries)
    parts = [(None,) * 4 if entry is None else _parts(entry, is_one=is_one) for entry in entries]
    keys, values, behind, below = zip(*parts, strict=True)
    key, value = text.settled(*keys), text.settled(*values)
    value = _value(entries, values) if value is None and not is_one else value
    is_conflict = False
    if value is None and (is_one or not any(entry and isinstance(entry.node, Collection) for entry in entries)):
        choice, is_conflict = winner()
        value = choice.of(update=values[1], local=values[2])
    if key is None or value is None:
        return None
    found = [remark(*(None if part is None else key + value + part for part in behind)), remark(*below)]
    if not is_conflict:
        return found
    origin, update, local = ("" if entry is None else entry.text for entry in entries)
    return [Hunk(origin, update, local, taken(found))]


def _value(entries: list[Entry | None], written: abc.Sequence[str | None]) -> str | None:
    """Return a value that the sides wrote in three ways, None if they mean it so."""
    origin, update, local = (None if entry is None else _data(entry.node) for entry in entries)
    if update in (origin, local):
        return written[2]
    return written[1] if local == origin else None


def _parts(entry: Entry, *, is_one: bool) -> tuple[str, str, str, str]:
    """Return the key, or the dash; the value; what is behind it, unless that `is_one` with it; the comments below."""
    block, node, line = entry.block, entry.node, entry.head
    if entry.key is None:
        start = block.column + block.shift + 1
    else:
        start = line.index(":", block.source.column(entry.key.end) + block.shift) + 1
    end = len(line) if is_one else max(start, block.source.column(node.end) + block.shift)
    return line[:start], line[start:end], line[end:], block.text(entry.first + 1, entry.end)


def _data(node: Node) -> Hashable:
    """Return what a value is: an alias stands for its name."""
    return node.name if isinstance(node, Alias) else (trees.frozen(node), node.anchor)


def _text(entries: list[Entry], take: Take) -> list[Piece] | None:
    """Return the merge of the lines of blocks."""
    head = text.settled(*(entry.head for entry in entries))
    origin, update, local = _contents(entries)
    if head is None or not (origin and update and local):
        return None
    return [head, *pieces.of_lines(origin, update, local, take), _below(entries)]


def _wrapped(entries: list[Entry], take: Take) -> list[Piece]:
    """Return the merge of texts that begin beside their keys."""
    origin, update, local = ([entry.head, *lines] for entry, lines in zip(entries, _contents(entries), strict=True))
    return [*pieces.of_lines(origin, update, local, take), _below(entries)]


def _contents(entries: list[Entry]) -> list[list[str]]:
    """Return the lines of texts below their first ones, equally indented."""
    contents = [[entry.block.line(number) for number in range(entry.first + 1, _end(entry))] for entry in entries]
    rooms = [min((_room(line) for line in lines if line.strip()), default=0) for lines in contents]
    outer = [entry.block.column + entry.block.shift for entry in entries]
    wanted = outer[-1] + settled_depth(*(room - column for room, column in zip(rooms, outer, strict=True)))
    return [[shifted(line, wanted - room) for line in lines] for lines, room in zip(contents, rooms, strict=True)]


def _below(entries: list[Entry]) -> Piece:
    return remark(*(entry.block.text(_end(entry), entry.end) for entry in entries))


def _end(entry: Entry) -> int:
    return entry.block.source.last_line(entry.node) + 1


def _room(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


# Collections.


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


def whole(ahead: Piece, found: list[Piece], inside: list[Block | None]) -> list[Piece] | None:
    """Return an entry around what has become of its inside, None where it cannot be written."""
    update, local = inside[1:]
    there = next(block for block in (local, update, *inside) if block is not None and block.node is not None)
    is_gone = is_empty(found)
    sides = [*zip(*(piece if isinstance(piece, Hunk) else [piece] * 4 for piece in (ahead, *found)), strict=True)]
    if not (is_gone or there.is_behind_dash) and any(is_empty(side[1:]) for side in sides[1:]):
        # Who takes the side without an entry takes no key without a value.
        wholes = (whole(line, side, inside) or [] for line, *side in sides)
        return [Hunk(*map("".join, wholes))]  # type: ignore[arg-type]  # without a conflict all are texts
    if is_gone and None in (update, local):
        return []
    if is_gone and all(block is not None and block.node is not None for block in (update, local)):
        # Each side has deleted what the other left.
        brackets = "[]" if isinstance(there.node, Sequence) else "{}"
        ahead = with_each(ahead, lambda line: re.sub(_AHEAD, rf"\1 {brackets}", line, count=1))
        return None if there.is_behind_dash else [ahead, *found]
    return _dashed(found, there.outer) if there.is_behind_dash else [ahead, *found]


def is_empty(found: Iterable[Piece]) -> bool:
    """Return True if no entry is left, and none is in conflict."""
    return all(
        isinstance(piece, str) and all(line.strip()[:1] in ("", "#") for line in piece.split("\n")) for piece in found
    )


def _dashed(found: list[Piece], column: int) -> list[Piece] | None:
    """Return the pieces of an element with its dash, None where a side has no room for it."""
    first, *others = found
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
