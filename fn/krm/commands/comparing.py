"""The lines in which a file differs from what it was."""

from __future__ import annotations

import re
from difflib import Match, SequenceMatcher

from krm.merge import diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Lines: TypeAlias = list[str]

_NO_END = "\\ No newline at end of file\n"


class Comparison(SequenceMatcher[str]):
    """The lines of a text before and after a change. Which of them stay is found as a merge finds it."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__()
        # Not by the setters of the class, which count all lines for a search of its own.
        self.a: Lines = _lines(before)
        self.b: Lines = _lines(after)

    def get_matching_blocks(self) -> list[Match]:
        """Return the runs of lines that stay, and one of no line behind the last lines."""
        blocks: list[Match] = []
        for old, new in diff.matches(self.a, self.b).items():
            start, first, size = blocks[-1] if blocks else (-1, -1, 0)
            if (old, new) == (start + size, first + size):
                blocks[-1] = Match(start, first, size + 1)
            else:
                blocks.append(Match(old, new, 1))
        return [*blocks, Match(len(self.a), len(self.b), 0)]

    def counts(self) -> tuple[int, int]:
        """Return how many lines came, and how many went."""
        kept = sum(block.size for block in self.get_matching_blocks())
        return len(self.b) - kept, len(self.a) - kept

    def unified(self) -> Iterator[str]:
        """Yield the hunks of a unified diff, a line each."""
        for group in self.get_grouped_opcodes():
            _, start, _, first, _ = group[0]
            _, _, end, _, last = group[-1]
            yield f"@@ -{_range(start, end)} +{_range(first, last)} @@\n"
            for what, start, end, first, last in group:
                if what == "equal":
                    yield from _marked(" ", self.a[start:end])
                else:
                    yield from _marked("-", self.a[start:end])
                    yield from _marked("+", self.b[first:last])


def _lines(text: str) -> Lines:
    # Not splitlines(): to a patch, a carriage return or U+2028 is no end of a line.
    return re.findall(r"[^\n]+\n?|\n", text)


def _range(start: int, end: int) -> str:
    """Return lines as the head of a hunk names them: no line stands behind the one above."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"


def _marked(sign: str, lines: Lines) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"
