"""What a command changes in files, for a reader: a line for each file, and a unified diff."""

from __future__ import annotations

import difflib
import re

from krm.package import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from krm.package.sink import Change

_STYLES = {"---": "bold", "+++": "bold", "@@": "cyan", "+": "green", "-": "red"}
_NO_END = "\\ No newline at end of file\n"
_NOTHING = "/dev/null"


def summary(changes: Sequence[Change], name: Callable[[str], str], *, is_done: bool) -> Iterator[str]:
    """Yield a line for each change, and one for all. `name` is how a path is called."""
    kinds: dict[str, int] = {}
    for change in changes:
        kind = "new" if change.before is None else "deleted" if change.after is None else "changed"
        kinds[kind] = kinds.get(kind, 0) + 1
        lines = [line for line in _diff(change, "") if not line.startswith(("---", "+++"))]
        counts = [f"{sign}{count}" for sign in "+-" if (count := sum(line.startswith(sign) for line in lines))]
        yield f"{kind:8} {name(change.path)}  {' '.join(counts)}\n"
    total = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    yield f"{total or 'nothing changes'}{'' if is_done or not total else '; nothing is written'}\n"


def diff(changes: Iterable[Change], name: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines of a unified diff of all changes."""
    for change in changes:
        yield from _diff(change, name(change.path))


def coloured(lines: Iterable[str]) -> str:
    """Return the lines of a diff as a terminal shows them."""
    from io import StringIO  # noqa: PLC0415 - for a terminal alone

    from rich.console import Console  # noqa: PLC0415 - as above: it takes longer than most runs
    from rich.text import Text  # noqa: PLC0415 - as above

    made = StringIO()
    console = Console(file=made, force_terminal=True, color_system="standard", soft_wrap=True)
    for line in lines:
        style = next((style for start, style in _STYLES.items() if line.startswith(start)), "")
        # Control characters in a file must not reach the terminal.
        console.print(Text("\t".join(map(paths.visible, line.rstrip("\n").split("\t"))), style))
    return made.getvalue()


def _diff(change: Change, name: str) -> Iterator[str]:
    before = _NOTHING if change.before is None else f"a/{name}"
    after = _NOTHING if change.after is None else f"b/{name}"
    for line in difflib.unified_diff(_lines(change.before), _lines(change.after), before, after):
        yield line if line.endswith("\n") else f"{line}\n{_NO_END}"


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else re.findall(r"[^\n]*\n|[^\n]+", data.decode())
