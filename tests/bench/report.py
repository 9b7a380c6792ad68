"""Print what was measured: each ratio with what it is of, and beside it the target for it, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Target(NamedTuple):
    """How large a ratio should be at least, or at most."""

    bound: float
    is_least: bool

    def says(self, ratio: float) -> str:
        """Return the target, and whether a ratio reaches it."""
        reached = ratio >= self.bound if self.is_least else ratio <= self.bound
        return f"at {'least' if self.is_least else 'most'} {self.bound:g}: {'reached' if reached else 'missed'}"


def at_least(bound: float) -> Target:
    return Target(bound, is_least=True)


def at_most(bound: float) -> Target:
    return Target(bound, is_least=False)


class Line(NamedTuple):
    """What was done, what it took, and how that compares: `ratio` is how many times `other`."""

    work: str
    took: str
    ratio: float
    other: str
    target: Target | None = None


def show(title: str, lines: Iterable[Line] = ()) -> None:
    """Print a table at once: the next one may take a while."""
    rows = [f"  {line.work:28}{line.took:>8}  {line.ratio:>7.3g} x {line.other:44}{_target(line)}" for line in lines]
    print(*[title, *(row.rstrip() for row in rows), ""], sep="\n", flush=True)  # noqa: T201 - what the program is for


def _target(line: Line) -> str:
    return "" if line.target is None else line.target.says(line.ratio)
