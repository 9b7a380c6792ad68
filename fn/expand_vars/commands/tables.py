"""Rows as a table for people, or as JSON or YAML for programs."""

from __future__ import annotations

import json
import shutil
from io import StringIO
from itertools import groupby

from krm.yamltree import style
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from rich.table import Table

    Rows: TypeAlias = Sequence[Sequence[str]]

_LONGEST = 48
"""The most characters of a cell for a text of any length."""

_SHORT = 24
"""A column is not broken if none of its cells has more characters."""

_GAP = 2


def as_json(data: Mapping[str, Any]) -> str:
    """Return data as JSON."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def as_yaml(data: Mapping[str, Any]) -> str:
    """Return data as YAML."""
    return "".join(f"{line}\n" for line in style.block({**data}, Layout()))


def for_pipe(head: Sequence[str], rows: Rows, shared: int) -> str:
    """Return rows as one table. Each row is one line of any length, so that it can be searched and cut."""
    del shared  # every row says all
    shown = [head, *([_visible(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) + _GAP for column in zip(*shown, strict=True)]
    lines = ("".join(map(str.ljust, row, widths)).rstrip() for row in shown)
    return "".join(f"{line}\n" for line in lines)


def for_terminal(head: Sequence[str], rows: Rows, shared: int) -> str:
    """Return rows as tables that fit the terminal. Rows with the same first `shared` cells stand below these."""
    from rich.console import Console  # noqa: PLC0415 - it takes longer than most runs, and a pipe has no use for it

    made = StringIO()
    width = shutil.get_terminal_size().columns
    console = Console(file=made, width=width, force_terminal=True, markup=False, highlight=False, emoji=False)
    for title, group in groupby(rows, key=lambda row: row[:shared]):
        console.print("  ".join(filter(None, map(_visible, title))), style="bold")
        console.print(_table(head[shared:], [row[shared:] for row in group]))
    return made.getvalue()


def shortened(text: str) -> str:
    """Return a text, shortened if it is too long for a cell."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _table(head: Sequence[str], rows: Rows) -> Table:
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    shown = [[_visible(cell) for cell in row] for row in rows]
    for index, name in enumerate(head):
        is_short = all(len(row[index]) <= _SHORT for row in shown)
        table.add_column(name, overflow="fold", no_wrap=is_short)
    for row in shown:
        table.add_row(*map(Text, row))
    return table


def _visible(text: str) -> str:
    """Return a text on one line. Control characters, which a terminal would obey, are shown as escapes."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
