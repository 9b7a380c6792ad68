"""The output of commands for people: tables, the changes of files, and progress.

On a terminal tables fit its width and changes have colours, where `rich` is installed. The image does without `rich`,
which is larger than all the rest of it: nobody looks at a container's terminal.
"""

from __future__ import annotations

import os
import re
import threading
import time
from io import StringIO
from itertools import groupby

from expand_vars.commands import given, masks
from expand_vars.commands.masks import HiddenError
from krm import stdio
from krm.package import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Self, TypeAlias, TypeVar

    from rich.table import Table

    from expand_vars.commands.comparing import Comparison
    from expand_vars.commands.given import Given
    from krm.package.changes import Change
    from krm.resource import Resource

    Rows: TypeAlias = Sequence[Sequence[str]]
    T = TypeVar("T")

_STDOUT, _STDERR = 1, 2

_LONGEST = 48
"""The most characters of a cell for a text of any length."""

_SHORT = 24
"""A column is not broken if none of its cells has more characters."""

_GAP = 2

_STYLES = {"---": "bold", "+++": "bold", "@@": "cyan", "+": "green", "-": "red"}
_NOTHING = "/dev/null"

# GitHub obeys `##[` anywhere in a line, Azure Pipelines `##vso[`, TeamCity `##teamcity[`.
# To GitHub a lone CR ends a line. All else stays as `patch` needs it.
_ORDER = re.compile(r"#(?=#[a-z]{0,16}\[)|\r(?!\n)|\x1b", re.IGNORECASE)

_SILENT = 1.0
_PAUSE = 0.2
_CLEAR = b"\r\x1b[K"
_BAR = 30


def is_terminal() -> bool:
    """True if standard output is a terminal, and `rich` is here to write for it."""
    if not os.isatty(_STDOUT):
        return False
    from importlib.util import find_spec  # noqa: PLC0415 - as for what is for terminals alone

    return find_spec("rich") is not None


def table(head: Sequence[str], rows: Rows, shared: int) -> str:
    """Return rows as a table. On a terminal rows with the same first `shared` cells stand below these."""
    return (_for_terminal if is_terminal() else _for_pipe)(head, rows, shared)


def shortened(text: str) -> str:
    """Return a text, shortened if it is too long for a cell."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def summary(changes: Sequence[Change], name: Callable[[str], str], *, is_done: bool) -> Iterator[str]:
    """Yield a line for each change, and one for all. `name` is how a path is called."""
    kinds: dict[str, int] = {}
    for change in changes:
        kind = "new" if change.before is None else "deleted" if change.after is None else "changed"
        kinds[kind] = kinds.get(kind, 0) + 1
        found = (0, 0) if _is_binary(change) else _compared(*_texts(change)).counts()
        counts = [f"{sign}{count}" for sign, count in zip("+-", found, strict=True) if count]
        yield _inert(f"{kind:8} {name(change.path)}  {' '.join(counts)}\n")
    total = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    yield f"{total or 'nothing changes'}{'' if is_done or not total else '; nothing is written'}\n"


def diff(
    changes: Sequence[Change],
    name: Callable[[str], str],
    items: Iterable[Resource] = (),
    *,
    in_colour: bool,
    show_secrets: bool,
) -> str:
    """Return a unified diff of all changes, in colours where these are wanted and a terminal shows them.

    What is secret is masked, unless it is to be shown. `items` are those of the run, which know what Secrets gave.
    """
    of_secrets = None if show_secrets or not changes else given.fields(map(_texts, changes), items)
    found = (line for change in changes for line in _diff(change, name(change.path), of_secrets))
    lines = [*map(_inert, found)]
    # rich is not imported for nothing: that takes longer than most runs.
    return _coloured(lines) if lines and in_colour and is_terminal() else "".join(lines)


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
        # Most runs are over by now: a line that flashes would only make people wonder what they missed.
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
    del shared  # `grep` and `cut` see one row at a time, so that each says all
    shown = [head, *([_visible(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) + _GAP for column in zip(*shown, strict=True)]
    lines = ("".join(map(str.ljust, row, widths)).rstrip() for row in shown)
    return "".join(_inert(f"{line}\n") for line in lines)


def _for_terminal(head: Sequence[str], rows: Rows, shared: int) -> str:
    import shutil  # noqa: PLC0415 - as below

    from rich.console import Console  # noqa: PLC0415 - it takes longer than most runs, and a pipe has no use for it

    made = StringIO()
    width = shutil.get_terminal_size().columns
    console = Console(file=made, width=width, force_terminal=True, markup=False, highlight=False, emoji=False)
    for title, group in groupby(rows, key=lambda row: row[:shared]):
        console.print("  ".join(filter(None, map(_visible, title))), style="bold")
        console.print(_table(head[shared:], [row[shared:] for row in group]))
    return made.getvalue()


def _table(head: Sequence[str], rows: Rows) -> Table:
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    shown = [[_visible(cell) for cell in row] for row in rows]
    for index, name in enumerate(head):
        # rich breaks any column to save width, names of fields first. Broken names cannot be copied.
        is_short = all(len(row[index]) <= _SHORT for row in shown)
        table.add_column(name, overflow="fold", no_wrap=is_short)
    for row in shown:
        table.add_row(*map(Text, row))
    return table


def _visible(text: str) -> str:
    """Return a text on one line. Control characters, which a terminal would obey, are shown as escapes."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _inert(line: str) -> str:
    """Return a line that is no command to the log of a CI system."""
    # GitHub obeys `::` behind blanks. A line that comes or goes has its sign there.
    bare = line.lstrip()
    if bare.startswith("::"):
        line = f"{line[: -len(bare)]}\\x3a{bare[1:]}"
    return _ORDER.sub(_escaped, line)


def _escaped(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def _coloured(lines: Iterable[str]) -> str:
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    made = StringIO()
    # Sixteen colours are those that the user chose for this terminal. A line is not broken: it is to be copied.
    console = Console(file=made, force_terminal=True, color_system="standard", soft_wrap=True)
    for line in lines:
        style = next((style for start, style in _STYLES.items() if line.startswith(start)), "")
        # A tab is shown; any other control character in a file must not reach the terminal.
        console.print(Text("\t".join(map(paths.visible, line.rstrip("\n").split("\t"))), style))
    return made.getvalue()


def _diff(change: Change, name: str, of_secrets: Given | None) -> Iterator[str]:
    before = _NOTHING if change.before is None else f"a/{name}"
    after = _NOTHING if change.after is None else f"b/{name}"
    if _is_binary(change):
        yield f"Binary files {before} and {after} differ\n"
        return
    try:
        texts = _texts(change) if of_secrets is None else masks.masked(*_texts(change), of_secrets)
    except HiddenError:
        texts = ("", "")
    # Names as git has them, so that `patch -p1` and `git apply` take the diff.
    lines = [*_compared(*texts).unified()]
    if not lines and change.before != change.after:
        yield f"Files {before} and {after} differ in what may be a Secret: --show-secrets shows it\n"
    elif lines:
        yield from (f"--- {before}\n", f"+++ {after}\n", *lines)


def _compared(before: str, after: str) -> Comparison:
    from expand_vars.commands.comparing import Comparison  # noqa: PLC0415 - most runs change nothing

    return Comparison(before, after)


def _is_binary(change: Change) -> bool:
    return any(b"\0" in data for data in (change.before, change.after) if data is not None)


def _texts(change: Change) -> tuple[str, str]:
    before, after = (b"" if data is None else data for data in (change.before, change.after))
    return before.decode(errors="replace"), after.decode(errors="replace")
