r"""Change parts of a scalar's value where they stand in its source, the rest of it kept as the author wrote it.

`"\u00e9 $(A)"` with `$(A)` replaced stays in its quotes with its escape; a folded block keeps its folds. Where a part
cannot be found in the source, or does not fit the scalar's style, the whole scalar has to be written anew.
"""

from __future__ import annotations

import re

from krm.yamltree import edits, lines, parser, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SAME_IN_EVERY_STYLE = re.compile(r"[^\s'\"\\]+")


def in_place(text: str, scalar: Scalar, changes: Sequence[Edit], *, flow: bool) -> list[Edit] | None:
    """Return the edits of `text` that make `changes`, whose positions count in the value of `scalar`.

    None where its value, or its type, would not be what they make of it.
    """
    value = edits.apply(scalar.value, changes)
    if scalar.style == "" and not (scalar.value and scalars.fits_plain(value.replace("\n", " "), flow=flow)):
        return None
    quotes = len(scalar.style) if scalar.style in ("'", '"') else 0
    start = lines.body(text, scalar) + quotes
    same = text[start : scalar.end - quotes] == scalar.value
    made: list[Edit] = []
    for change in changes:
        position = start + change.start if same else _found(text, scalar, change)
        new = _styled(change.text, text, scalar)
        if position is None or new is None or (made and position < made[-1].end):
            return None
        made.append(Edit(position, position + change.end - change.start, new))
    sure = same and "\n" not in scalar.value
    return made if sure or _reads_as(value, text, scalar, made) else None


def _found(text: str, scalar: Scalar, change: Edit) -> int | None:
    """Return where the part of the value that `change` replaces is likely to stand in `text`, None if in doubt.

    The n-th occurrence in the value is the n-th in the source if both have as many.
    """
    start = lines.body(text, scalar)
    if scalar.style in ("|", ">"):
        start = lines.next_line(text, start)
    old = scalar.value[change.start : change.end]
    count = scalar.value.count(old)
    if not _SAME_IN_EVERY_STYLE.fullmatch(old) or text.count(old, start, scalar.end) != count:
        return None
    position = start - 1
    for _ in range(scalar.value.count(old, 0, change.end)):
        position = text.index(old, position + 1)
    return position


def _styled(new: str, text: str, scalar: Scalar) -> str | None:
    """Return `new` as it is written inside of `scalar`, None where its style cannot hold it."""
    if scalar.style == '"':
        return scalars.double_quoted(new)[1:-1]
    if scalar.style == "|" and "\n" in new:
        return new.replace("\n", lines.newline(text, scalar.end) + _margin(text, scalar))
    if not new.isprintable():
        return None
    return new.replace("'", "''") if scalar.style == "'" else new


def _margin(text: str, scalar: Scalar) -> str:
    """Return the indentation of a literal block's text: what its lines have before those of the value."""
    written = text[lines.next_line(text, lines.body(text, scalar)) : scalar.end].splitlines()
    first = next((line for line in written if line.strip()), "")
    return first[: len(first) - len(first.lstrip(" "))]


def _reads_as(value: str, text: str, scalar: Scalar, made: list[Edit]) -> bool:
    """Say whether `scalar`, edited and read alone, has `value`."""
    start = lines.body(text, scalar)
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in made]
    try:
        root = parser.parse("k: " + edits.apply(text[start : scalar.end], moved)).root
    except parser.ParseError:
        return False
    alone = root.own("k") if isinstance(root, Mapping) else None
    return isinstance(alone, Scalar) and alone.value == value
