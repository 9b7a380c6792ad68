"""Edits: parts of a text change, and every other character stays as it was."""

from __future__ import annotations

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from krm.yamltree.nodes import Place

    EditsByPlace: TypeAlias = "dict[Place, list[Edit]]"
    """The edits of scalars. Their positions count in the value of the scalar."""


_WORD = "".join(map(chr, range(0x21, 0x7F))).translate(dict.fromkeys(map(ord, "'\"\\")))


class EditError(Exception):
    """The change cannot be made without losing something of the author's. `line` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


class Edit:
    """Put `text` in place of the characters from `start` up to, not including, `end`."""

    __slots__ = ("end", "start", "text")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start = start
        self.end = end
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edit) and (self.start, self.end, self.text) == (other.start, other.end, other.text)

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.text))


position = attrgetter("start", "end")
"""The key for sorting edits: an insertion comes before a replacement at the same position."""


def apply(source: str, edits: Iterable[Edit]) -> str:
    """Return `source` with every edit made; positions count from the original text.

    ValueError where two edits overlap, for then no order of them is right.
    """
    pieces: list[str] = []
    end = 0
    for edit in sorted(edits, key=position):
        if edit.start < end:
            raise ValueError(f"two edits overlap at character {edit.start}")
        pieces += source[end : edit.start], edit.text
        end = edit.end
    pieces.append(source[end:])
    return "".join(pieces)


def part(source: str, start: int, end: int, edits: Iterable[Edit]) -> str:
    """Return a part of `source` with edits in it made, as `apply` does."""
    return apply(source[start:end], [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits])


def difference(before: str, after: str) -> list[Edit]:
    """Return the edit that makes `after` of `before`, and replaces as few words as possible; none for equal texts.

    It replaces whole words, which can also be found in a source that is folded, or has escapes.
    """
    if before == after:
        return []
    start, same = affixes(before, after)
    end = len(before) - same
    # A part of a word may be written as an escape in the source; a whole word is found more often than not.
    start = len(before[:start].rstrip(_WORD))
    behind = len(before[end:].lstrip(_WORD))
    return [Edit(start, len(before) - behind, after[start : len(after) - behind])]


def affixes(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """Return how many elements two sequences share at their starts, and at the ends of what is left."""
    most = min(len(one), len(other))
    start = next((at for at in range(most) if one[at] != other[at]), most)
    rest = most - start
    return start, next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
