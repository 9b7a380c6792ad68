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
    above = Edit(0, 0, "")
    for change in changes:
        behind = made[-1].end if made else _first(text, scalar)
        position = start + change.start if same else _found(text, scalar, change, above.end, behind)
        new = _styled(change.text, text, scalar)
        if position is None or new is None:
            return None
        made.append(Edit(position, position + change.end - change.start, new))
        above = change
    sure = same and "\n" not in scalar.value
    return made if sure or _reads_as(value, text, scalar, made) else None


def _first(text: str, scalar: Scalar) -> int:
    """Return where the source of a scalar's value starts."""
    start = lines.body(text, scalar)
    return lines.next_line(text, start) if scalar.style in ("|", ">") else start


def _found(text: str, scalar: Scalar, change: Edit, above: int, behind: int) -> int | None:
    """Return where the part of the value that `change` replaces is likely to stand in `text`, None if in doubt.

    The search starts at `behind`, where in the source the change before this one ends, as `above` is where in the
    value: as many occurrences are passed in the one as in the other.
    """
    old = scalar.value[change.start : change.end]
    if not _SAME_IN_EVERY_STYLE.fullmatch(old):
        return None
    position = behind - len(old)
    for _ in range(scalar.value.count(old, above, change.start) + 1):
        position = text.find(old, position + len(old), scalar.end)
        if position < 0:
            return None
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
