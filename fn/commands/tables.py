"""Rows as a table for people, or as JSON or YAML for programs."""

from __future__ import annotations

import json
import os

from fn.yamltree import style
from fn.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rich.table import Table

_LONGEST = 48
"""The characters of a cell that are shown of a text which may be of any length."""

_GAP = 2
_UNBOUNDED = 1 << 20


def as_json(name: str, rows: Sequence[Any]) -> str:
    """Return rows as JSON, in a mapping under `name`."""
    return json.dumps({name: rows}, indent=2, ensure_ascii=False) + "\n"


def as_yaml(name: str, rows: Sequence[Any]) -> str:
    """Return rows as YAML, in a mapping under `name`."""
    return "".join(f"{line}\n" for line in style.block({name: [*rows]}, Layout()))


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, is_terminal: bool) -> str:
    """Return rows as a table: as wide as a terminal is, and in colour, or else with each row on a line of its own."""
    from rich.console import Console  # noqa: PLC0415 - it takes longer than most runs, and JSON does without it

    width = os.get_terminal_size(1).columns if is_terminal else _UNBOUNDED
    console = Console(width=width, force_terminal=is_terminal, markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        console.print(_table(head, rows, is_terminal=is_terminal), crop=False)
    return "".join(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def shortened(text: str) -> str:
    """Return the beginning of a text that is too long for a cell."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, is_terminal: bool) -> Table:
    from rich import box  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415 - what stands in a cell is no markup

    shape = box.SIMPLE if is_terminal else None
    table = Table(box=shape, show_lines=is_terminal, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0))
    for name in head:
        table.add_column(name, no_wrap=not is_terminal, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_visible(cell)) for cell in row))
    return table


def _visible(text: str) -> str:
    """Return a text on one line: what a terminal would obey is shown as an escape."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
