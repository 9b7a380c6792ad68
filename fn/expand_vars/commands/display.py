"""Tables and progress for a person at a terminal. With `rich` a table fits the width of the terminal."""

from __future__ import annotations

import os
import threading
import time
from io import StringIO
from itertools import groupby

from krm import stdio
from krm.commands.printing import inert, is_terminal
from krm.package import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self, TypeAlias, TypeVar

    from rich.table import Table

    Rows: TypeAlias = Sequence[Sequence[str]]
    T = TypeVar("T")

_STDERR = 2

_LONGEST = 48
"""The most characters of a cell for a text of any length."""

_SHORT = 24
"""A column is not broken if none of its cells has more characters."""

_GAP = 2

_SILENT = 1.0
_PAUSE = 0.2
_CLEAR = b"\r\x1b[K"
_BAR = 30


def table(head: Sequence[str], rows: Rows, shared: int) -> str:
    """Return rows as a table. Rows with the same first `shared` cells stand below these; empty columns are left out."""
    kept = [index for index in range(len(head)) if index < shared or any(row[index] for row in rows)]
    shown = [[paths.visible(row[index]) for index in kept] for row in rows]
    return (_for_terminal if is_terminal() else _for_pipe)([head[index] for index in kept], shown, shared)


def shortened(text: str) -> str:
    """Return a text, shortened if it is too long for a cell."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


class Progress:
    """A line on standard error that shows what is being done, how far that is, and for how long.

    It appears on a terminal, and after a second: most runs are over before that. It is deleted when all is done.
    """

    def __init__(self) -> None:
        self._doing = ""
        self._done = self._total = 0
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True) if os.isatty(_STDERR) else None

    def __enter__(self) -> Self:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        if self._thread is not None:
            self._thread.join()

    def do(self, doing: str) -> None:
        """Show from now on that this is being done."""
        self._doing, self._total = doing, 0

    def over(self, things: Sequence[T]) -> Iterator[T]:
        """Yield things, and show how many of them are done."""
        for self._done, thing in enumerate(things):
            self._total = len(things)
            yield thing

    def _show(self) -> None:
        began = time.monotonic()
        # Most runs are over by now, and a line that flashes would only confuse.
        if self._is_done.wait(_SILENT):
            return
        while not self._is_done.wait(_PAUSE):
            shown = f"{self._doing}{self._bar()}, {time.monotonic() - began:.0f} s"
            stdio.pass_on(_CLEAR + shown.encode())
        stdio.pass_on(_CLEAR)

    def _bar(self) -> str:
        done, total = self._done, self._total
        return f" [{'=' * (done * _BAR // total):{_BAR}}] {done} of {total}" if total else ""


def _for_pipe(head: Sequence[str], rows: Rows, shared: int) -> str:
    """Return rows as one table. Each row is one line of any length, so that it can be searched and cut."""
    widths = [max(map(len, column)) + _GAP for column in zip(*(row[shared:] for row in (head, *rows)), strict=True)]
    lines = [_line(head[shared:], widths)]
    for titles, group in _grouped(rows, shared):
        lines += [*titles, *(_line(row[shared:], widths) for row in group)]
    return "".join(inert(f"{line}\n") for line in lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return " " * 2 * _GAP + "".join(map(str.ljust, row, widths)).rstrip()


def _grouped(rows: Rows, shared: int) -> Iterator[tuple[list[str], Iterator[Sequence[str]]]]:
    """Yield the rows with the same first cells, behind the lines that say these; the very first cell is said once."""
    gap, above = " " * _GAP, ""
    for cells, group in groupby(rows, key=lambda row: row[:shared]):
        titles = ([] if cells[0] == above else [cells[0]]) + [gap + gap.join(filter(None, cells[1:]))]
        yield titles, group
        above = cells[0]


def _for_terminal(head: Sequence[str], rows: Rows, shared: int) -> str:
    import shutil  # noqa: PLC0415 - as below

    from rich.console import Console  # noqa: PLC0415 - it takes longer than most runs, and a pipe has no use for it

    made = StringIO()
    width = shutil.get_terminal_size().columns
    console = Console(file=made, width=width, force_terminal=True, markup=False, highlight=False, emoji=False)
    for titles, group in _grouped(rows, shared):
        console.print("\n".join(titles), style="bold")
        console.print(_table(head[shared:], [row[shared:] for row in group]))
    return made.getvalue()


def _table(head: Sequence[str], rows: Rows) -> Table:
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for index, name in enumerate(head):
        # rich breaks any column to save width, names of fields first. Broken names cannot be copied.
        is_short = all(len(row[index]) <= _SHORT for row in rows)
        table.add_column(name, overflow="fold", no_wrap=is_short)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
