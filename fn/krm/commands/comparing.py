"""The lines in which a file differs from what it was, found document by document."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import chain, pairwise

from krm.merge import diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Final, Literal, TypeAlias

    Lines: TypeAlias = list[str]
    Step: TypeAlias = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]

_EQUAL: Final = "equal"
_NO_END = "\\ No newline at end of file\n"
# In lines. The state of a package is one document, and most of its lines change in one run.
_LONG = 1000


class Comparison(SequenceMatcher[str]):
    """The lines of a text before and after a change.

    The time to compare two texts grows with the square of their lines, so that each document is compared by itself.
    """

    def __init__(self, before: str, after: str) -> None:
        super().__init__()
        self.a: Lines = _lines(before)
        self.b: Lines = _lines(after)
        self._steps = [*_joined(_steps(_documents(self.a), _documents(self.b)))]

    def get_opcodes(self) -> list[Step]:
        """Return the steps from one file to the other."""
        return self._steps

    def counts(self) -> tuple[int, int]:
        """Return how many lines came, and how many went."""
        changed = [step for step in self._steps if step[0] != _EQUAL]
        return sum(step[4] - step[3] for step in changed), sum(step[2] - step[1] for step in changed)

    def unified(self) -> Iterator[str]:
        """Yield the hunks of a unified diff, a line each."""
        for group in self.get_grouped_opcodes():
            _, start, _, first, _ = group[0]
            _, _, end, _, last = group[-1]
            yield f"@@ -{_range(start, end)} +{_range(first, last)} @@\n"
            for what, start, end, first, last in group:
                if what == _EQUAL:
                    yield from _marked(" ", self.a[start:end])
                else:
                    yield from _marked("-", self.a[start:end])
                    yield from _marked("+", self.b[first:last])


def _steps(before: Sequence[Lines], after: Sequence[Lines]) -> Iterator[Step]:
    """Yield the steps of all documents, each pair by itself where as many are there as before."""
    start = first = 0
    for old, new in _pairs(before, after):
        for ones, others in _stretches(old, new):
            same: list[Step] = [(_EQUAL, 0, len(ones), 0, len(others))]
            found = same if ones == others else SequenceMatcher(None, ones, others).get_opcodes()
            for what, above, below, top, end in found:
                yield what, start + above, start + below, first + top, first + end
            start, first = start + len(ones), first + len(others)


def _stretches(old: Lines, new: Lines) -> Iterator[tuple[Lines, Lines]]:
    """Yield both documents, or the stretches between lines that each has once where they are long, in pairs."""
    places = diff.by_unique(old, new) if len(old) > _LONG else []
    for (start, first), (end, last) in pairwise([(0, 0), *places, (len(old), len(new))]):
        yield old[start:end], new[first:last]


def _pairs(before: Sequence[Lines], after: Sequence[Lines]) -> Iterator[tuple[Lines, Lines]]:
    """Yield the documents of both files in pairs. Where some came or went, those between the equal ones are one."""
    if len(before) == len(after):
        yield from zip(before, after, strict=True)
        return
    least = min(len(before), len(after))
    top = next((n for n in range(least) if before[n] != after[n]), least)
    end = next((n for n in range(least - top) if before[-1 - n] != after[-1 - n]), least - top)
    yield from zip(before[:top], after[:top], strict=True)
    yield [*chain(*before[top : len(before) - end])], [*chain(*after[top : len(after) - end])]
    yield from zip(before[len(before) - end :], after[len(after) - end :], strict=True)


def _joined(steps: Iterator[Step]) -> Iterator[Step]:
    """Yield steps, those of one kind that follow each other as one: a hunk ends where enough lines are equal."""
    held = next(steps, None)
    for step in steps:
        if held is not None and held[0] == step[0]:
            held = held[0], held[1], step[2], held[3], step[4]
        else:
            yield from filter(None, [held])
            held = step
    yield from filter(None, [held])


def _documents(lines: Lines) -> list[Lines]:
    """Return the lines of each document of a file."""
    starts = [number for number, line in enumerate(lines) if number and line.startswith("---")]
    return [lines[start:end] for start, end in pairwise((0, *starts, len(lines)))]


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
