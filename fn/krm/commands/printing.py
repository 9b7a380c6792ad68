"""The output of commands for people and programs: the changes of files, and a file of results.

On a terminal changes have colours, where `rich` is installed. The image does without `rich`, which is larger than all
the rest of it: nobody looks at a container's terminal.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from io import StringIO

from krm import results, stdio
from krm.commands import masks
from krm.encoding import visible
from krm.merge import diff as diff_of
from krm.yamltree import style
from krm.yamltree.parser import ParseError
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from krm.commands.masks import SecretFields
    from krm.package.file_changes import FileChange
    from krm.results import Result

DIFFERS = 3
"""The exit code of a check that finds a difference: 1 would say that the check failed, 2 that it was called wrongly."""

_STDOUT = 1
_MOST_LINES = 20
_CONTEXT = 3
_STYLES = {"---": "bold", "+++": "bold", "@@": "cyan", "+": "green", "-": "red"}
_NOTHING = "/dev/null"


def write_results(found: Iterable[Result], path: str | None) -> bool:
    """Write results to the file of `--results`, if it is given. False if that failed; standard error says why."""
    return write_data({"results": [data for result in found for data in results.by_field(result)]}, path)


def write_data(data: dict[str, Any], path: str | None) -> bool:
    """Write data to the file of `--results`, as `write_results` does."""
    return path is None or stdio.write((f"{line}\n" for line in style.block(data, Layout())), path)


def is_terminal() -> bool:
    """True if standard output is a terminal, and `rich` is here to write for it."""
    if not os.isatty(_STDOUT):
        return False
    from importlib.util import find_spec  # noqa: PLC0415 - as in `_coloured`

    return find_spec("rich") is not None


def summary(changes: Sequence[FileChange], name: Callable[[str], str], *, is_done: bool) -> Iterator[str]:
    """Yield a line for each change, and one for all. `name` is how a path is called."""
    kinds: Counter[str] = Counter()
    for number, change in enumerate(changes):
        kind = "new" if change.before is None else "deleted" if change.after is None else "changed"
        kinds[kind] += 1
        if number < _MOST_LINES:
            found = (0, 0) if _is_binary(change) else counts(*texts(change))
            told = [f"{sign}{count}" for sign, count in zip("+-", found, strict=True) if count]
            yield stdio.inert(f"{kind:8} {visible(name(change.path))}  {' '.join(told)}\n")
    if len(changes) > _MOST_LINES:
        yield f"and {len(changes) - _MOST_LINES} more\n"
    total = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    yield f"{total or 'nothing changes'}{'' if is_done or not total else '; nothing is written'}\n"


def asked_diff(
    changes: Sequence[FileChange],
    name: Callable[[str], str],
    of_secrets: Callable[[], SecretFields],
    options: Namespace,
) -> str:
    """Return the unified diff that `--diff` asks for, in colours where these are wanted and a terminal shows them.

    Without `--show-secrets`, secrets are masked, and what they gave, at the fields `of_secrets`.
    """
    if not options.diff:
        return ""
    masked_at = None if options.show_secrets else of_secrets()
    found = (line for change in changes for line in _diff(change, visible(name(change.path)), masked_at))
    lines = [*map(stdio.inert, found)]
    # An empty NO_COLOR counts as none (no-color.org).
    in_colour = not (getattr(options, "no_color", False) or os.environ.get("NO_COLOR"))
    # rich is not imported for nothing: that takes longer than most runs.
    return _coloured(lines) if lines and in_colour and is_terminal() else "".join(lines)


def _coloured(lines: Iterable[str]) -> str:
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    made = StringIO()
    # Sixteen colours are those that the user chose for this terminal. A line is not broken: it is to be copied.
    console = Console(file=made, force_terminal=True, color_system="standard", soft_wrap=True)
    for line in lines:
        style = next((style for start, style in _STYLES.items() if line.startswith(start)), "")
        # A tab is shown; any other control character in a file must not reach the terminal.
        console.print(Text("\t".join(map(visible, line.rstrip("\n").split("\t"))), style))
    return made.getvalue()


def _diff(change: FileChange, name: str, of_secrets: SecretFields | None) -> Iterator[str]:
    before = _NOTHING if change.before is None else f"a/{name}"
    after = _NOTHING if change.after is None else f"b/{name}"
    if _is_binary(change):
        yield f"Binary files {before} and {after} differ\n"
        return
    try:
        shown = texts(change) if of_secrets is None else masks.masked(*texts(change), of_secrets)
    except ParseError:
        shown = ("", "")
    # Names as git has them, so that `patch -p1` and `git apply` take the diff.
    lines = [*unified(*shown)]
    if not lines and change.before != change.after:
        yield f"Files {before} and {after} differ in what may be a Secret: --show-secrets shows it\n"
    elif lines:
        yield from (f"--- {before}\n", f"+++ {after}\n", *lines)


def counts(before: str, after: str) -> tuple[int, int]:
    """Return how many lines came, and how many went."""
    old, new = _lines(before), _lines(after)
    kept = len(diff_of.matches(old, new))
    return len(new) - kept, len(old) - kept


def unified(before: str, after: str) -> Iterator[str]:
    """Yield the hunks of a unified diff, a line each. Which lines stay is found as a merge finds it."""
    old, new = _lines(before), _lines(after)
    hunks: list[list[tuple[int, int, int, int]]] = []
    start = first = 0
    for number, place in [*diff_of.matches(old, new).items(), (len(old), len(new))]:
        if (number, place) != (start, first):
            if not hunks or start - hunks[-1][-1][1] > 2 * _CONTEXT:
                hunks.append([])
            hunks[-1].append((start, number, first, place))
        start, first = number + 1, place + 1
    for hunk in hunks:
        above, below = min(_CONTEXT, hunk[0][0]), min(_CONTEXT, len(old) - hunk[-1][1])
        start, first = hunk[0][0] - above, hunk[0][2] - above
        yield f"@@ -{_range(start, hunk[-1][1] + below)} +{_range(first, hunk[-1][3] + below)} @@\n"
        for stop, end, first, last in hunk:
            yield from _marked(" ", old[start:stop])
            yield from _marked("-", old[stop:end])
            yield from _marked("+", new[first:last])
            start = end
        yield from _marked(" ", old[start : start + below])


def _lines(text: str) -> list[str]:
    # Not splitlines(): to a patch, a carriage return or U+2028 is no end of a line.
    return re.findall(r"[^\n]+\n?|\n", text)


def _range(start: int, end: int) -> str:
    """Return lines as the head of a hunk names them: no line stands behind the one above."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"


def _marked(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _is_binary(change: FileChange) -> bool:
    return any(b"\0" in data for data in (change.before, change.after) if data is not None)


def texts(change: FileChange) -> tuple[str, str]:
    """Return the texts of a file before and after, empty for one that is not there."""
    before, after = (b"" if data is None else data for data in (change.before, change.after))
    return before.decode(errors="replace"), after.decode(errors="replace")
